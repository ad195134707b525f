// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Hours of mixed traffic over real sockets, in rounds: each has another server, by chance, which is
// stopped and restarted, changes strategies, throws, is cut off. Whatever happens, each request is
// answered in its order, each handler runs once or is destroyed, and at the end there is as much
// memory, and are as many threads and descriptors, as after the first rounds.

#include "../../unit/memory_support.hpp"
#include "hosts.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <iostream>
#include <string>

namespace {

namespace options = boost::program_options;
using namespace soak;
using steady = std::chrono::steady_clock;

// Ends the program when nothing has happened for long.
class watchdog
{
public:
    explicit watchdog(ledger const& l) : thread_([this, &l] { watch(l); }) {}

    ~watchdog()
    {
        {
            std::lock_guard const lock(mutex_);
            over_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

private:
    static long progress(ledger const& l) { return l.requests + l.connections + l.tasks.ended; }

    void watch(ledger const& l)
    {
        std::unique_lock lock(mutex_);
        for (long before = -1;; before = progress(l))
        {
            if (changed_.wait_for(lock, 180s, [this] { return over_; }))
                return;
            ledger::check(progress(l) != before, "it hangs");
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false; // guarded by mutex_
    std::thread thread_;
};

std::unique_ptr<host> any_host(ledger& l, dice& d)
{
    switch (d.roll(5))
    {
    case 0:
        return std::make_unique<installed_host>(l, d);
    case 1:
        return std::make_unique<loop_host>(l, d);
    default:
        return std::make_unique<context_host>(l, d);
    }
}

void play_round(ledger& l, pace const& limit, dice d)
{
    bool const cut_off = d.once_in(3);
    std::atomic<bool> server_goes{false};
    long const dropped = l.dropped;
    auto server = any_host(l, d);
    script const s{server->where(), l, limit, server_goes};
    asio::io_context clients;
    for (std::uint64_t i = 0, n = 1 + d.roll(8); i != n; ++i)
        asio::co_spawn(clients, visit(s, 1 + d.roll(5), d.seed()), [](std::exception_ptr e) {
            ledger::check(!e, "a client throws");
        });
    std::atomic<bool> done{false};
    std::thread visitors([&] {
        clients.run();
        done = true;
    });
    for (std::uint64_t i = 0; !done && !(cut_off && i == 5); ++i)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(1 + d.roll(20)));
        server->disturb(d);
    }
    if (cut_off)
        server_goes = true;
    else
    {
        visitors.join();
        server->finish();
    }
    server.reset();
    if (cut_off)
        visitors.join();
    ledger::check(l.sessions.even(), "a session is left");
    ledger::check(l.tasks.even(), "a handler is lost");
    if (!cut_off)
    {
        ledger::check(l.dropped == dropped, "a handler is destroyed although its server went on");
        ledger::check(l.exceptions.even(), "an exception is lost");
    }
    else
        l.exceptions.ended = l.exceptions.begun.load(); // some end in coroutines that are destroyed
}

struct figures
{
    std::size_t bytes = support::allocated_bytes();
    std::size_t threads = support::threads_of_process();
    std::size_t descriptors = support::open_descriptors();
};

int run(double minutes, std::uint64_t seed, double percent)
{
    constexpr int warm_up = 10;
    constexpr std::size_t tolerance = 1 << 20; // caches of Asio and of the C library
    std::cout << "soak: seed " << seed << std::endl;
    ledger counts;
    pace const limit(percent);
    dice d(seed);
    auto const end = steady::now() + std::chrono::duration_cast<steady::duration>(
        std::chrono::duration<double, std::ratio<60>>(minutes));
    figures before;
    int rounds = 0;
    watchdog const in_time(counts);
    for (; rounds <= warm_up || steady::now() < end; ++rounds)
    {
        play_round(counts, limit, dice(d.seed()));
        if (rounds == warm_up)
            before = figures();
    }
    figures const after;
    std::cout << "soak: " << rounds << " rounds, " << counts.connections << " connections, "
              << counts.cut << " of them cut, " << counts.requests << " requests answered in order, "
              << counts.tasks.ended << " handlers, " << counts.dropped << " of them destroyed with their server, "
              << counts.exceptions.begun << " exceptions, " << counts.stops << " restarts; memory "
              << before.bytes << " to " << after.bytes << " bytes, threads " << before.threads << " to "
              << after.threads << ", descriptors " << before.descriptors << " to " << after.descriptors
              << std::endl;
    ledger::check(after.threads == before.threads, "threads are left");
    ledger::check(after.descriptors == before.descriptors, "descriptors are left");
    ledger::check(after.bytes < before.bytes + tolerance, "memory is left");
    ledger::check(counts.requests > 0 && counts.tasks.ended > 0, "nothing was done");
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    options::options_description all("soak: mixed traffic for as long as you like");
    double minutes = 5;
    double percent = 0;
    std::uint64_t seed = 1;
    all.add_options()("help", "shows this")
        ("minutes", options::value(&minutes)->default_value(5), "how long")
        ("seed", options::value(&seed)->default_value(1), "of all that is decided by chance")
        ("pace", options::value(&percent)->default_value(0),
            "at most so many percent of one CPU; 0: as fast as it goes");
    options::variables_map given;
    try
    {
        options::store(options::parse_command_line(argc, argv, all), given);
        options::notify(given);
    }
    catch (options::error const& e)
    {
        std::cerr << e.what() << '\n' << all;
        return 2;
    }
    if (given.count("help"))
    {
        std::cout << all;
        return 0;
    }
    return run(minutes, seed, percent);
}
