// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the tests of serve share: a client, a session, and what they serve on.

#ifndef ASIO_EWYK_TEST_UNIT_SERVE_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_SERVE_SUPPORT_HPP

#include "../pool_support.hpp"
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/server.hpp>

#include <future>
#include <optional>

// UndefinedBehaviorSanitizer opens a pipe to look at an object.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define ASIO_EWYK_TEST_HAS_NO_DESCRIPTORS
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace support {

using asio::ip::tcp;

inline constexpr auto lost = '\0'; // no answer

inline tcp::endpoint loopback(unsigned short port = 0)
{
    return {asio::ip::address_v4::loopback(), port};
}

/// A connection that waits for an answer, but not for ever.
class client
{
public:
    explicit client(tcp::endpoint const& where)
      : client()
    {
        connect(where);
    }

    /// Has a descriptor, but is not connected yet.
    client() { socket_.open(tcp::v4()); }

    void connect(tcp::endpoint const& where) { socket_.connect(where); }

    tcp::endpoint local() const { return socket_.local_endpoint(); }

    void send(char c) { asio::write(socket_, asio::buffer(&c, 1)); }

    /// What comes next; `lost` if the server closes the connection, or nothing comes in time.
    char receive()
    {
        char answer = lost;
        boost::system::error_code error = asio::error::timed_out;
        socket_.async_read_some(asio::buffer(&answer, 1),
            [&](boost::system::error_code e, std::size_t) { error = e; });
        context_.restart();
        context_.run_for(patience);
        if (error == asio::error::timed_out)
            LOCKED_TEST(false, "neither an answer nor an end has come in time");
        socket_.cancel();
        context_.poll();
        return error ? lost : answer;
    }

    char ask(char c = 'x')
    {
        send(c);
        return receive();
    }

    void close() { socket_.close(); }

private:
    asio::io_context context_;
    tcp::socket socket_{context_};
};

/// Whether a new client is answered; false as well if it is refused before it could ask.
inline bool is_served(tcp::endpoint const& where)
try
{
    return client(where).ask() == 'x';
}
catch (boost::system::system_error const&)
{
    return false;
}

/// Answers with what it gets, until the client is gone.
inline asio::awaitable<void> echo(tcp::socket socket)
{
    char c;
    for (;;)
    {
        auto const [error, n] = co_await socket.async_read_some(
            asio::buffer(&c, 1), asio::as_tuple(asio::use_awaitable));
        if (error || n == 0)
            co_return;
        co_await asio::async_write(socket, asio::buffer(&c, 1), asio::use_awaitable);
    }
}

/// A context of Asio's, or of ours that is like it, and a thread that runs it.
template <class Context>
class run_by_a_thread : public Context
{
public:
    template <class... Args>
    explicit run_by_a_thread(Args&&... args)
      : Context(std::forward<Args>(args)...), work_(asio::make_work_guard(*this)),
        thread_([this] { this->run(); })
    {
    }

    ~run_by_a_thread()
    {
        this->stop();
        thread_.join();
    }

private:
    asio::executor_work_guard<typename Context::executor_type> work_;
    std::thread thread_;
};

/// Something that accepts at a port of the system's choice.
template <class Boss>
tcp::acceptor acceptor_of(Boss& boss)
{
    return tcp::acceptor(asio_ewyk::detail::next_context(boss), loopback());
}

/// A completion token, and what became of the operation.
class outcome
{
public:
    auto token()
    {
        return asio::bind_cancellation_slot(signal_.slot(), [this](std::exception_ptr e) {
            failure_ = std::move(e);
            done_.set();
        });
    }

    void cancel() { signal_.emit(asio::cancellation_type::total); }
    bool wait() { return done_.wait(); }
    std::exception_ptr failure() const { return failure_; }

private:
    asio::cancellation_signal signal_;
    std::exception_ptr failure_;
    event done_;
};

#if defined(ASIO_EWYK_TEST_HAS_NO_DESCRIPTORS)
/// While it lives the process can open no more descriptors.
class no_descriptors
{
public:
    no_descriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        int const next = ::socket(AF_INET, SOCK_STREAM, 0);
        ::close(next);
        rlimit now = before_;
        now.rlim_cur = static_cast<rlim_t>(next);
        BOOST_TEST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &now) == 0);
    }
    no_descriptors(no_descriptors const&) = delete;
    no_descriptors& operator=(no_descriptors const&) = delete;
    ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};
#endif

}

#endif
