// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A service that has a hard life, in rounds: its loops are stalled and end, clients are idle, leave
// and come back, sessions throw, it is drained and started again, at two endpoints with one limit.
// Whatever happens, a client that was accepted gets its answer or the end of its connection, and at
// the end there are as many threads and descriptors, and there is as much memory, as after the first
// rounds.
//
//     serve_soak [seconds [seed]]

#include "../../unit/memory_support.hpp"
#include "ledger.hpp"

#include <asio_ewyk/server.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <array>
#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#if defined(__GNUC__) && !defined(__clang__)
// Of coroutines: g++ 12 takes one of the two functions of a frame for inlined, the other one not.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {

using namespace soak;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;
using asio::ip::tcp;
using steady = std::chrono::steady_clock;

constexpr auto patience = 60s; // much longer than anything takes
constexpr std::uint64_t fatal = 7; // a session throws at requests with this remainder
constexpr std::uint64_t remainders = 97;

struct counts : ledger
{
    std::atomic<long> idle{0};     // connections that the server ended for their silence
    std::atomic<long> not_open{0}; // that could not be made, as nothing was listening
    long stalls = 0;
    long ends = 0; // of loops that were not the last one
    long drains = 0;
    std::uint64_t passed_over = 0;
    std::uint64_t refused = 0;
};

asio::awaitable<void> session(tcp::socket socket, counts& l, std::chrono::milliseconds idle)
{
    idle_caller const present(l.sessions);
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    asio::steady_timer timer(socket.get_executor());
    for (std::uint64_t request = 0;;)
    {
        timer.expires_after(idle);
        auto const first = co_await (asio::async_read(socket,
                asio::buffer(&request, sizeof request), asio::as_tuple(asio::use_awaitable))
            || timer.async_wait(asio::as_tuple(asio::use_awaitable)));
        if (first.index() == 1)
        {
            ++l.idle;
            co_return;
        }
        if (std::get<0>(std::get<0>(first)))
            co_return;
        if (request % remainders == fatal)
            throw std::runtime_error("a session throws");
        auto const [error, n] = co_await asio::async_write(
            socket, asio::buffer(&request, sizeof request), asio::as_tuple(asio::use_awaitable));
        if (error)
            co_return;
    }
}

// Where the service listens, which may change.
using ports = std::array<std::atomic<unsigned short>, 2>;

tcp::endpoint at(unsigned short port) { return {asio::ip::address_v4::loopback(), port}; }

class clients
{
public:
    clients(std::size_t n, ports const& where, counts& l, dice& d) : ports_(where), l_(l)
    {
        for (std::size_t i = 0; i != n; ++i)
            asio::co_spawn(context_, visit(d.seed()), [](std::exception_ptr e) {
                ledger::check(!e, "a client throws");
            });
        thread_ = std::thread([this] { context_.run(); });
    }

    // They finish what they are about.
    void leave()
    {
        over_ = true;
        thread_.join();
    }

private:
    asio::awaitable<void> visit(std::uint64_t seed)
    {
        dice d(seed);
        asio::steady_timer timer(context_);
        while (!over_)
        {
            tcp::socket socket(context_);
            auto const [error] = co_await socket.async_connect(
                at(ports_[d.roll(2)]), asio::as_tuple(asio::use_awaitable));
            if (error)
            {
                ++l_.not_open;
                co_await pause(timer, d.roll(5));
                continue;
            }
            ++l_.connections;
            bool open = true;
            for (auto i = d.roll(20); open && i != 0; --i)
            {
                if (d.once_in(8)) // perhaps longer than the server likes
                    co_await pause(timer, d.roll(30));
                open = co_await ask(socket, timer, d);
            }
            l_.cut += !open;
        }
    }

    // Whether the connection goes on.
    asio::awaitable<bool> ask(tcp::socket& socket, asio::steady_timer& timer, dice& d)
    {
        std::uint64_t const asked = d.seed();
        std::uint64_t answer = ~asked;
        auto const [error, n] = co_await asio::async_write(
            socket, asio::buffer(&asked, sizeof asked), asio::as_tuple(asio::use_awaitable));
        if (error)
            co_return false;
        if (d.once_in(50))
            co_return false; // leaves without its answer
        timer.expires_after(patience);
        auto const first = co_await (asio::async_read(socket, asio::buffer(&answer, sizeof answer),
                                         asio::as_tuple(asio::use_awaitable))
            || timer.async_wait(asio::as_tuple(asio::use_awaitable)));
        ledger::check(first.index() == 0, "a client gets neither an answer nor an end");
        if (std::get<0>(std::get<0>(first)))
            co_return false;
        ledger::check(answer == asked, "an answer is of another request");
        ++l_.requests;
        co_return true;
    }

    static asio::awaitable<void> pause(asio::steady_timer& timer, std::uint64_t milliseconds)
    {
        timer.expires_after(std::chrono::milliseconds(milliseconds));
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }

    ports const& ports_;
    counts& l_;
    std::atomic<bool> over_{false};
    asio::io_context context_;
    std::thread thread_;
};

// The boss, the workers, and what goes on there.
class service
{
public:
    service(ports& where, ewyk::serve_control const& control, counts& l, dice& d)
      : ports_(where), control_(control), l_(l), d_(d), workers_(2 + d.roll(3)),
        boss_(1 + d.roll(2))
    {
    }

    // From the beginning to the end of one operation.
    void run(bool ends_by_its_workers)
    {
        std::vector<tcp::acceptor> acceptors;
        for (auto& port : ports_)
            acceptors.push_back(listen(port));
        std::promise<std::exception_ptr> done;
        auto ended = done.get_future();
        asio::cancellation_signal signal;
        std::chrono::milliseconds const idle(5 + d_.roll(40));
        ewyk::serve(
            std::move(acceptors), workers_,
            [this, idle](tcp::socket s) { return session(std::move(s), l_, idle); },
            {.max_connections = d_.once_in(2) ? 0 : 1 + d_.roll(20),
                .when_full = d_.once_in(2) ? ewyk::connections_full::wait
                                           : ewyk::connections_full::refuse,
                .drain = std::chrono::milliseconds(d_.roll(50)),
                .cancel_sessions = d_.once_in(2),
                .control = control_},
            asio::bind_cancellation_slot(
                signal.slot(), [&](std::exception_ptr e) { done.set_value(std::move(e)); }));
        for (auto i = d_.roll(15); i != 0; --i)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(1 + d_.roll(20)));
            disturb();
        }
        if (ends_by_its_workers)
            workers_.shutdown_gracefully(0ms, patience);
        else
            signal.emit(asio::cancellation_type::total);
        ledger::check(
            ended.wait_for(patience) == std::future_status::ready, "the service does not end");
        ledger::check(!ended.get(), "the service fails");
        ++l_.drains;
    }

private:
    // At the same port as before, unless another program has that meanwhile.
    tcp::acceptor listen(std::atomic<unsigned short>& port)
    {
        auto const result = [&]() -> tcp::acceptor {
            try
            {
                return tcp::acceptor(boss_.next(), at(port));
            }
            catch (boost::system::system_error const&)
            {
                return tcp::acceptor(boss_.next(), at(0));
            }
        };
        tcp::acceptor acceptor = result();
        port = acceptor.local_endpoint().port();
        return acceptor;
    }

    void disturb()
    {
        auto& worker = workers_[d_.roll(workers_.size())];
        if (d_.once_in(3))
        {
            ++l_.stalls;
            asio::post(worker, [ms = d_.roll(40)] {
                std::this_thread::sleep_for(std::chrono::milliseconds(ms));
            });
        }
        if (!d_.once_in(20) || left_ + 1 == workers_.size() || worker.shutting_down())
            return;
        ++left_;
        ++l_.ends;
        if (d_.once_in(2))
            worker.shutdown_gracefully(std::chrono::milliseconds(d_.roll(10)), patience);
        else
            worker.stop();
    }

    ports& ports_;
    ewyk::serve_control control_;
    counts& l_;
    dice& d_;
    ewyk::event_loop_group workers_, boss_;
    std::size_t left_ = 0; // workers that have ended
};

void play_round(counts& l, dice d)
{
    ports where{};
    ewyk::serve_control const control;
    auto all = std::make_unique<service>(where, control, l, d);
    clients visitors(1 + d.roll(30), where, l, d);
    for (auto i = d.roll(4); i != 0; --i)
        all->run(false);
    all->run(d.once_in(3));
    all.reset();
    visitors.leave();
    auto const now = control.metrics();
    ledger::check(l.sessions.even(), "a session is left");
    ledger::check(now.open == 0, "a connection is left");
    ledger::check(now.workers_left_out == 0, "a worker is left out although all have ended");
    ledger::check(now.backing_off == 0, "a listener backs off although it has ended");
    l.passed_over += now.passed_over;
    l.refused += now.refused;
}

#ifdef ASIO_EWYK_TEST_HAS_FIGURES
struct figures
{
    std::size_t bytes = support::allocated_bytes();
    std::size_t threads = support::threads_of_process();
    std::size_t descriptors = support::open_descriptors();
};
#else
struct figures
{
    std::size_t bytes = 0, threads = 0, descriptors = 0;
};
#endif

}

int main(int argc, char** argv)
{
    constexpr int warm_up = 10;
    constexpr std::size_t tolerance = 1 << 20; // caches of Asio and of the C library
    double const seconds = argc > 1 ? std::stod(argv[1]) : 600;
    std::uint64_t const seed = argc > 2 ? std::stoull(argv[2]) : 1;
    std::cout << "serve_soak: seed " << seed << std::endl;
    counts l;
    dice d(seed);
    auto const end = steady::now()
        + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(seconds));
    figures before;
    int rounds = 0;
    for (; rounds <= warm_up || steady::now() < end; ++rounds)
    {
        play_round(l, dice(d.seed()));
        if (rounds == warm_up)
            before = figures();
    }
    figures const after;
    std::cout << "serve_soak: " << rounds << " rounds, " << l.drains << " services drained, "
              << l.connections << " connections, " << l.cut << " of them cut, " << l.idle
              << " ended as idle, " << l.refused << " refused, " << l.not_open << " not open, "
              << l.requests << " requests answered, " << l.stalls << " stalls, " << l.ends
              << " loops ended, " << l.passed_over << " times passed over; memory " << before.bytes
              << " to " << after.bytes << " bytes, threads " << before.threads << " to "
              << after.threads << ", descriptors " << before.descriptors << " to "
              << after.descriptors << std::endl;
    ledger::check(after.threads == before.threads, "threads are left");
    ledger::check(after.descriptors == before.descriptors, "descriptors are left");
    ledger::check(after.bytes < before.bytes + tolerance, "memory is left");
    ledger::check(l.requests > 0 && l.idle > 0 && l.ends > 0 && l.stalls > 0, "nothing was done");
}
