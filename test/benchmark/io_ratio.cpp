// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "io_ratio.hpp"

#include "computing.hpp"
#include "counter.hpp"
#include "measurement.hpp"

#include <asio_ewyk/loop/event_loop.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>
#include <thread>

namespace benchmark {

namespace {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using clock = std::chrono::steady_clock;
using message = std::array<char, 4096>;

// What the time of the loop went to. All of it counts: what lies between two tasks is theirs, and
// what lies before a completion, such as the look for it and the copy of what it reads, is of I/O.
class ledger
{
public:
    enum side
    {
        io,
        tasks,
    };

    // On the loop's thread: before and after each completion and task.
    void begin(side now) noexcept { book(last_ == tasks ? now : io, now); }
    void end(side now) noexcept { book(now, now); }

    std::uint64_t time(side of) const noexcept { return times_[of].value(); }

private:
    void book(side on, side now) noexcept
    {
        auto const until = clock::now();
        times_[on].add(static_cast<std::uint64_t>((until - since_).count()));
        since_ = until;
        last_ = now;
    }

    std::array<counter, 2> times_;
    clock::time_point since_ = clock::now();
    side last_ = io;
};

struct work
{
    ewyk::event_loop& loop;
    std::uint64_t io_steps;
    std::uint64_t task_steps;
    ledger times = {};
    counter done = {};
    std::uint64_t seed = 0;

    void run(ledger::side which)
    {
        times.begin(which);
        seed = compute(which == ledger::io ? io_steps : task_steps, seed);
        done.add();
        times.end(which);
    }
};

void run_tasks(work& w)
{
    asio::post(w.loop, [&w] {
        w.run(ledger::tasks);
        run_tasks(w);
    });
}

// A client that sends without end to a socket of the loop.
class connection
{
public:
    connection(work& w, asio::io_context& clients, tcp::acceptor& acceptor)
        : work_(w)
        , client_(clients)
        , socket_(w.loop)
    {
        client_.connect(acceptor.local_endpoint());
        acceptor.accept(socket_);
        asio::post(w.loop, [this] { read(); });
        write();
    }

    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;

private:
    void write()
    {
        asio::async_write(
            client_, asio::buffer(sent_), [this](boost::system::error_code error, std::size_t) {
                if (!error)
                    write();
            });
    }

    void read()
    {
        socket_.async_read_some(
            asio::buffer(received_), [this](boost::system::error_code error, std::size_t) {
                if (error)
                    return;
                work_.run(ledger::io);
                read();
            });
    }

    work& work_;
    tcp::socket client_;
    tcp::socket socket_;
    message sent_{};
    message received_{};
};

boost::json::object measure(parameters const& with)
{
    // Tasks wait long here, which is no stall.
    ewyk::event_loop loop(
        {.io_ratio = static_cast<int>(with["ratio"]), .stall_threshold = std::chrono::seconds(0)});
    work w{loop, steps_of(with.microseconds("io")), steps_of(with.microseconds("task"))};
    asio::io_context clients(1);
    tcp::acceptor acceptor(clients, {asio::ip::address_v4::loopback(), 0});
    std::list<connection> connections;
    for (std::size_t i = 0; i != with.count("connections"); ++i)
        connections.emplace_back(w, clients, acceptor);
    std::jthread const sends([&] { clients.run(); });
    for (std::size_t i = 0; i != with.count("tasks"); ++i)
        run_tasks(w);

    auto const times = [&] {
        return std::array{w.times.time(ledger::io), w.times.time(ledger::tasks)};
    };
    measurement const all(with, [&] { return w.done.value(); });
    std::this_thread::sleep_for(with.warm_up);
    auto const before = times();
    totals const from = all.now();
    std::this_thread::sleep_for(with.seconds);
    auto result = measurement::difference(from, all.now());
    auto const after = times();
    auto const io = static_cast<double>(after[ledger::io] - before[ledger::io]);
    auto const tasks = static_cast<double>(after[ledger::tasks] - before[ledger::tasks]);
    result["io_percent"] = 100 * io / (io + tasks);

    loop.stop();
    loop.shutdown_gracefully(std::chrono::seconds(0), std::chrono::seconds(10));
    clients.stop();
    return result;
}

} // namespace

workload io_ratio_workload()
{
    return {"io_ratio", {"event_loop"},
        {{"ratio", 50}, {"io", 20}, {"task", 5}, {"connections", 16}, {"tasks", 1000}},
        [](std::string_view, parameters const& with) { return measure(with); }};
}

} // namespace benchmark
