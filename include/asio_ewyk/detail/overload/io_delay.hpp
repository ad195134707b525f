// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OVERLOAD_IO_DELAY_HPP
#define ASIO_EWYK_DETAIL_OVERLOAD_IO_DELAY_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Measures how long an event waits until its io_context comes to it: in the system's list of what
// is ready, and behind other handlers. For that it sends a byte to itself. There is one under way
// at most, and only if it is asked. Shared, for one that reads may live longer than the context:
// then there is no delay.
class io_delay
{
public:
    explicit io_delay(asio::io_context& context)
        : sockets_(std::in_place, context)
    {
    }

    // The one of that io_context. Throws boost::system::system_error if there are no descriptors.
    static std::shared_ptr<io_delay> const& of(asio::io_context& context)
    {
        return asio::use_service<owner>(context).delay;
    }

    // Any thread; not while the context is destroyed. Sends a byte unless one is under way, or was
    // sent in that time.
    void ask(time_point now, std::chrono::nanoseconds pause) noexcept
    {
        if (sent_.load(std::memory_order_relaxed) != 0
            || nonzero_ticks(now) - asked_.load(std::memory_order_relaxed) < pause.count())
            return;
        rep none = 0;
        // Acquire: the sockets are as the completion before has left them.
        if (!sent_.compare_exchange_strong(
                none, nonzero_ticks(now), std::memory_order_acquire, std::memory_order_relaxed))
            return;
        asked_.store(nonzero_ticks(now), std::memory_order_relaxed);
        try
        {
            sockets_->receiver.async_read_some(
                asio::buffer(&byte_, 1), [this](boost::system::error_code error, std::size_t) {
                    received(error);
                });
        }
        catch (...)
        {
            sent_.store(0, std::memory_order_release);
            return;
        }
        boost::system::error_code error;
        sockets_->sender.write_some(asio::buffer("", 1), error);
        if (error)
            sockets_->receiver.cancel(error);
    }

    // For how long a byte has been under way; 0: none is.
    std::chrono::nanoseconds age(time_point now) const noexcept
    {
        rep const sent = sent_.load(std::memory_order_relaxed);
        return std::chrono::nanoseconds(sent == 0 ? 0 : nonzero_ticks(now) - sent);
    }

    // How long the last one took that has arrived.
    std::chrono::nanoseconds last() const noexcept
    {
        return std::chrono::nanoseconds(last_.load(std::memory_order_relaxed));
    }

    // How long an event waits, as far as is known. What arrived longer ago than `known_for` tells
    // nothing.
    std::chrono::nanoseconds delay(
        time_point now, std::chrono::nanoseconds known_for) const noexcept
    {
        bool const is_known = nonzero_ticks(now) - arrived_.load(std::memory_order_relaxed)
            <= known_for.count();
        return is_known ? std::max(age(now), last()) : age(now);
    }

private:
    using rep = std::chrono::nanoseconds::rep;
#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
    using protocol = asio::local::stream_protocol;
#else
    using protocol = asio::ip::tcp;
#endif
    using socket = asio::basic_stream_socket<protocol, asio::io_context::executor_type>;

    void received(boost::system::error_code error) noexcept
    {
        auto const now = std::chrono::steady_clock::now();
        if (!error)
        {
            last_.store(age(now).count(), std::memory_order_relaxed);
            arrived_.store(nonzero_ticks(now), std::memory_order_relaxed);
        }
        // Release: the thread that sends the next byte finds the sockets as this one leaves them.
        sent_.store(0, std::memory_order_release);
    }

    // Connected to each other.
    struct pair
    {
        explicit pair(asio::io_context& context)
            : receiver(context.get_executor())
            , sender(context.get_executor())
        {
#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
            asio::local::connect_pair(receiver, sender);
#else
            asio::basic_socket_acceptor<protocol, asio::io_context::executor_type> acceptor(
                receiver.get_executor(), {asio::ip::address_v4::loopback(), 0});
            sender.connect(acceptor.local_endpoint());
            acceptor.accept(receiver);
            sender.set_option(protocol::no_delay(true));
#endif
            sender.non_blocking(true);
        }

        socket receiver;
        socket sender;
    };

    // Has the context tell of its end, and of a fork.
    struct owner final : asio::execution_context::service
    {
        using key_type = owner;
        static inline asio::execution_context::id id;

        // Of an io_context only.
        explicit owner(asio::execution_context& context)
            : asio::execution_context::service(context)
            , delay(std::make_shared<io_delay>(static_cast<asio::io_context&>(context)))
        {
        }

        // A byte of the parent's must not arrive here, nor one of this process there.
        void notify_fork(asio::execution_context::fork_event event) override
        {
            if (event != asio::execution_context::fork_child)
                return;
            try
            {
                delay->sockets_.emplace(static_cast<asio::io_context&>(context()));
            }
            catch (...)
            {
                delay->end();
                throw;
            }
        }

        void shutdown() override { delay->end(); }

        std::shared_ptr<io_delay> const delay;
    };

    void end() noexcept
    {
        sockets_.reset();
        asked_.store(std::numeric_limits<rep>::max(), std::memory_order_relaxed);
        sent_.store(0, std::memory_order_relaxed);
        last_.store(0, std::memory_order_relaxed);
    }

    // Of the thread that has changed sent_ from 0, and then of the completion. None: the context
    // has ended.
    std::optional<pair> sockets_;
    char byte_ = 0;
    std::atomic<rep> sent_{0};  // when; 0: no byte is under way
    std::atomic<rep> asked_{0}; // when the last one was sent; the longest time: never again
    std::atomic<rep> last_{0};
    std::atomic<rep> arrived_{0}; // when that did; relaxed, as a moment late does not matter
};

} // namespace asio_ewyk::detail

#endif
