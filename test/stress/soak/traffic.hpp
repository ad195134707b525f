// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The talkers: clients that number their requests, and a server that checks the numbers, does what
// it is asked for and answers.

#ifndef ASIO_EWYK_TEST_STRESS_SOAK_TRAFFIC_HPP
#define ASIO_EWYK_TEST_STRESS_SOAK_TRAFFIC_HPP

#include "ledger.hpp"

#include <chrono>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <thread>

namespace soak {

using asio::ip::tcp;
using namespace std::chrono_literals;

struct frame
{
    enum kind : std::uint32_t
    {
        echo,
        block,    // the handler sleeps
        post,     // it posts functions
        set,      // and sets a timer, which it cancels or not
        move,     // it goes on by another executor
        fail,     // it throws, and the connection ends
        kinds
    };
    std::uint64_t number;
    kind what;
    std::uint32_t value;
};

struct thrown_by_session : std::runtime_error
{
    thrown_by_session() : std::runtime_error("a session throws") {}
};

/// An executor of the server's, by chance.
using any_executor_of = std::function<asio::any_io_executor(dice&)>;

inline void post_some(asio::any_io_executor const& ex, ledger& l, std::uint32_t n)
{
    for (std::uint32_t i = 0; i != n; ++i)
        asio::post(ex, task(l));
}

inline asio::awaitable<void> serve(
    tcp::socket socket, ledger& l, any_executor_of const& any_executor, std::uint64_t seed)
{
    idle_caller const present(l.sessions);
    dice d(seed);
    std::uint64_t last = 0;
    asio::steady_timer timer(socket.get_executor(), 1h);
    for (frame f{};;)
    {
        auto const [error, n] = co_await asio::async_read(
            socket, asio::buffer(&f, sizeof f), asio::as_tuple(asio::use_awaitable));
        if (error)
            break;
        ledger::check(f.number == ++last, "a request is lost, or comes twice");
        switch (f.what)
        {
        case frame::block:
            std::this_thread::sleep_for(std::chrono::microseconds(f.value % 3000));
            break;
        case frame::post:
            post_some(any_executor(d), l, f.value % 20);
            break;
        case frame::set:
            timer.expires_after(std::chrono::microseconds(f.value % 500));
            timer.async_wait(asio::bind_executor(any_executor(d), task(l)));
            if (f.value % 2)
                timer.cancel();
            break;
        case frame::move:
            co_await ewyk::switch_to(any_executor(d));
            break;
        case frame::fail:
            ++l.exceptions.begun;
            throw thrown_by_session();
        default:
            break;
        }
        auto const [broken, written] = co_await asio::async_write(
            socket, asio::buffer(&f, sizeof f), asio::as_tuple(asio::use_awaitable));
        if (broken)
            break;
    }
}

/// Keeps the program's share of one CPU below a limit: those that make work wait.
class pace
{
public:
    /// In percent; 0: no limit.
    explicit pace(double limit) : limit_(limit / 100) {}

    bool too_fast() const
    {
        if (limit_ == 0)
            return false;
        std::timespec used{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        std::chrono::duration<double> const wall = std::chrono::steady_clock::now() - began_;
        double const cpu = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
        return cpu > limit_ * wall.count();
    }

private:
    double const limit_;
    std::chrono::steady_clock::time_point const began_ = std::chrono::steady_clock::now();
};

/// What the clients of a round are to do.
struct script
{
    tcp::endpoint where;
    ledger& counts;
    pace const& limit;
    std::atomic<bool> const& server_goes; // the server may go away at any moment
};

/// One connection. It ends when the client likes, when the session throws, or when the server goes.
inline asio::awaitable<void> talk(tcp::socket socket, script const& s, dice& d)
{
    asio::steady_timer pause(socket.get_executor());
    std::uint64_t const requests = 1 + d.roll(40);
    for (std::uint64_t i = 1; i <= requests; ++i)
    {
        while (s.limit.too_fast() && !s.server_goes)
        {
            pause.expires_after(10ms);
            co_await pause.async_wait(asio::use_awaitable);
        }
        auto what = static_cast<frame::kind>(d.roll(frame::kinds));
        if (what == frame::fail && !d.once_in(8))
            what = frame::echo;
        frame const f{i, what, static_cast<std::uint32_t>(d.roll(1u << 20))};
        auto const [broken, written] = co_await asio::async_write(
            socket, asio::buffer(&f, sizeof f), asio::as_tuple(asio::use_awaitable));
        if (!broken && d.once_in(50))
            break; // without waiting for the answer
        frame answer{};
        auto const [error, n] = co_await asio::async_read(
            socket, asio::buffer(&answer, sizeof answer), asio::as_tuple(asio::use_awaitable));
        if (error)
        {
            ledger::check(what == frame::fail || s.server_goes, "an answer is lost");
            ++s.counts.cut;
            break;
        }
        ledger::check(answer.number == i && answer.value == f.value, "an answer is wrong");
        ++s.counts.requests;
    }
}

/// Connects again and again.
inline asio::awaitable<void> visit(script const& s, std::uint64_t connections, std::uint64_t seed)
{
    dice d(seed);
    for (std::uint64_t i = 0; i != connections; ++i)
    {
        tcp::socket socket(co_await asio::this_coro::executor);
        auto const [error] = co_await socket.async_connect(s.where, asio::as_tuple(asio::use_awaitable));
        if (error)
        {
            ledger::check(s.server_goes, "a connection is refused");
            co_return;
        }
        ++s.counts.connections;
        co_await talk(std::move(socket), s, d);
    }
}

}

#endif
