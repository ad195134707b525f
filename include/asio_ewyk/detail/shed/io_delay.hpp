// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_SHED_IO_DELAY_HPP
#define ASIO_EWYK_DETAIL_SHED_IO_DELAY_HPP

#include <asio_ewyk/detail/os/deadline.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// Measures how long an event waits until its io_context comes to it: in the system's list of what
// is ready, and behind other handlers. For that it sends a byte to itself. There is one under way
// at most, and only if it is asked.
class io_delay final : public asio::execution_context::service
{
public:
    using key_type = io_delay;
    static inline asio::execution_context::id id;

    // For an io_context only. Throws boost::system::system_error if there are no descriptors.
    explicit io_delay(asio::execution_context& owner)
        : asio::execution_context::service(owner)
        , receiver_(static_cast<asio::io_context&>(owner).get_executor())
        , sender_(static_cast<asio::io_context&>(owner).get_executor())
    {
        connect();
    }

    // Any thread. Sends a byte if none is under way, nor was sent in that time.
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
            receiver_.async_read_some(
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
        sender_.write_some(asio::buffer("", 1), error);
        if (error)
            receiver_.cancel(error);
    }

    // For how long a byte has been under way; 0: none is.
    std::chrono::nanoseconds age(time_point now) const noexcept
    {
        rep const sent = sent_.load(std::memory_order_relaxed);
        return std::chrono::nanoseconds(sent == 0 ? 0 : nonzero_ticks(now) - sent);
    }

    // How many have arrived.
    std::uint64_t received() const noexcept { return received_.load(std::memory_order_acquire); }

    // How long the last of them took.
    std::chrono::nanoseconds last() const noexcept
    {
        return std::chrono::nanoseconds(last_.load(std::memory_order_relaxed));
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
        if (!error)
        {
            last_.store(age(std::chrono::steady_clock::now()).count(), std::memory_order_relaxed);
            received_.fetch_add(1, std::memory_order_release);
        }
        sent_.store(0, std::memory_order_release);
    }

    void connect()
    {
#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
        asio::local::connect_pair(receiver_, sender_);
#else
        asio::basic_socket_acceptor<protocol, asio::io_context::executor_type> acceptor(
            receiver_.get_executor(), {asio::ip::address_v4::loopback(), 0});
        sender_.connect(acceptor.local_endpoint());
        acceptor.accept(receiver_);
        sender_.set_option(protocol::no_delay(true));
#endif
        sender_.non_blocking(true);
    }

    // A byte of the parent's must not arrive here, nor one of this process there.
    void notify_fork(asio::execution_context::fork_event event) override
    {
        if (event != asio::execution_context::fork_child)
            return;
        shutdown();
        connect();
    }

    void shutdown() override
    {
        boost::system::error_code ignored;
        receiver_.close(ignored);
        sender_.close(ignored);
    }

    socket receiver_; // of the thread that has changed sent_ from 0, and then of the completion
    socket sender_;   // likewise
    char byte_ = 0;
    std::atomic<rep> sent_{0}; // when; 0: no byte is under way
    std::atomic<rep> asked_{0}; // when the last one was sent
    std::atomic<rep> last_{0};
    std::atomic<std::uint64_t> received_{0};
};

} // namespace asio_ewyk::detail

#endif
