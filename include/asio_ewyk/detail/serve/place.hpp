// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SERVE_PLACE_HPP
#define ASIO_EWYK_DETAIL_SERVE_PLACE_HPP

#include <asio_ewyk/detail/serve/connection_limiter.hpp>
#include <asio_ewyk/detail/serve/open_connection.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution_context.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

// A permit for one connection, for as long as it lives.
class place
{
public:
    // It was entered before.
    explicit place(std::shared_ptr<connection_limiter> all) noexcept
        : all_(std::move(all))
    {
    }

    place(place&&) noexcept = default;
    place& operator=(place&&) = delete;

    ~place()
    {
        if (all_)
            all_->leave(context_, connection_ ? &*connection_ : nullptr, begun_);
    }

    // There is room for what is known of its connection. Once.
    void connect() { connection_ = all_->connect(); }

    // What follows: not before connect().
    void set_socket(socket_identity socket) noexcept { all_->set_socket(*connection_, socket); }
    void set_signal(std::shared_ptr<asio::cancellation_signal> signal) noexcept
    {
        all_->set_signal(*connection_, std::move(signal));
    }

    void assign(asio::execution_context& context) noexcept
    {
        all_->assign(context_, context, *connection_);
        context_ = &context;
    }

    void begin() noexcept
    {
        begun_ = true;
        all_->begin_session(*context_);
    }

private:
    std::shared_ptr<connection_limiter> all_;
    asio::execution_context* context_ = nullptr; // only compared
    bool begun_ = false;
    std::optional<connection_limiter::connections::iterator> connection_;
};

} // namespace asio_ewyk::detail

#endif
