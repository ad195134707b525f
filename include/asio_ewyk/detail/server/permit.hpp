// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVER_PERMIT_HPP
#define ASIO_EWYK_DETAIL_SERVER_PERMIT_HPP

#include <asio_ewyk/detail/server/connection_limiter.hpp>
#include <asio_ewyk/detail/server/open_connection.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution_context.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

// A permit for one connection, for as long as it lives; and what is known of the connection.
class permit
{
public:
    // It was entered before.
    explicit permit(std::shared_ptr<connection_limiter> all) noexcept
        : all_(std::move(all))
    {
    }

    permit(permit&&) noexcept = default;
    permit& operator=(permit&&) = delete;

    ~permit()
    {
        if (!all_)
            return;
        std::list<open_connection> gone; // outlives the lock
        std::lock_guard const lock(all_->mutex_);
        if (connection_)
            gone.splice(gone.begin(), all_->connections_, *connection_);
        --all_->live_;
        if (context_)
            all_->workers_.remove_session(*context_);
        all_->poke_waiting();
    }

    // Makes room for the connection. Once, and before what follows. Throws std::bad_alloc.
    void connect()
    {
        std::list<open_connection> one(1);
        std::lock_guard const lock(all_->mutex_);
        all_->connections_.splice(all_->connections_.begin(), one);
        connection_ = all_->connections_.begin();
    }

    void set_socket(socket_identity socket) noexcept
    {
        std::lock_guard const lock(all_->mutex_);
        (*connection_)->socket = socket;
    }
    void set_signal(std::shared_ptr<asio::cancellation_signal> signal) noexcept
    {
        std::lock_guard const lock(all_->mutex_);
        (*connection_)->signal = std::move(signal);
    }

    // Its session will run there, and not where it was to run before.
    void assign(asio::execution_context& context) noexcept
    {
        std::lock_guard const lock(all_->mutex_);
        (*connection_)->worker = &context;
        if (context_)
            all_->workers_.remove_session(*context_);
        all_->workers_.add_session(context);
        context_ = &context;
    }

private:
    std::shared_ptr<connection_limiter> all_;
    asio::execution_context* context_ = nullptr; // only compared
    std::optional<std::list<open_connection>::iterator> connection_;
};

} // namespace asio_ewyk::detail

#endif
