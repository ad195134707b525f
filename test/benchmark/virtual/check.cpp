// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "check.hpp"

#include "arrangement.hpp"
#include "machine.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace virtual_time {

namespace {

using namespace std::chrono_literals;

void require(bool holds, std::string const& what)
{
    if (!holds)
        throw std::logic_error(what);
}

bool is_about(double value, double expected) { return std::abs(value / expected - 1) < 0.05; }

workload small(int cores, duration length, std::size_t sleepers)
{
    workload load;
    load.cores = cores;
    load.length = length;
    load.chains = 8 * static_cast<std::size_t>(cores);
    load.sleepers = sleepers;
    load.warm_up = 20ms;
    load.time = 100ms;
    return load;
}

// simulate() checks that no handler is lost, and that no core is idle for nothing.
void check_each()
{
    for (arrangement const& by : arrangements())
        for (int const cores : {1, 3})
            for (duration const length : {duration(2us), duration(200us)})
                for (std::size_t const sleepers : {0u, 3u})
                {
                    auto const load = small(cores, length, sleepers);
                    auto const first = simulate(load, by, {}, true);
                    auto const again = simulate(load, by, {}, true);
                    require(first.per_second > 0, by.name + ": nothing ran");
                    require(first.per_second == again.per_second && first.busy == again.busy,
                        by.name + ": two runs differ");
                    require(first.busy <= cores, by.name + ": more CPU time than there is");
                    require(first.per_second * std::chrono::duration<double>(length).count()
                            <= 1.01 * cores,
                        by.name + ": more work than the cores can do");
                }
}

// Where handlers are long, what Asio and the system take is next to nothing.
void check_long_handlers()
{
    auto const load = small(4, 1ms, 0);
    require(is_about(simulate(load, {"one", arrangement::kind::one_thread}, {}).per_second, 1000),
        "one thread does not run 1000 handlers of 1 ms a second");
    require(is_about(simulate(load, {"four", arrangement::kind::threads}, {}).per_second, 4000),
        "four threads do not run 4000 handlers of 1 ms a second");
    require(is_about(simulate(load, {"loops", arrangement::kind::loops}, {}).per_second, 4000),
        "four loops do not run 4000 handlers of 1 ms a second");
}

// The concurrency is how many threads run handlers, however many cores there are, if none is late.
void check_concurrency()
{
    auto load = small(4, 1ms, 0);
    load.warm_up = 200ms;
    for (int const n : {1, 3})
    {
        arrangement const fixed{
            "fixed", arrangement::kind::strategy, 0, {.concurrency = n, .grace = 10s}};
        require(is_about(simulate(load, fixed, {}).per_second, 1000 * n),
            "not as many threads run handlers as are to");
    }
}

// Several threads come soon after handlers have become longer, and leave soon after they have become
// shorter. Before, the next try, or the next check, is far away.
void check_changes()
{
    auto load = small(4, 200ns, 0);
    load.warm_up = 200ms;
    load.time = 500ms;
    arrangement const by{"strategy", arrangement::kind::strategy};
    require(adapts_after(load, 100us, by, {}) <= 100ms, "longer handlers run on one thread");
    load.length = 100us;
    require(adapts_after(load, 200ns, by, {}) <= 200ms, "short handlers run on several threads");
}

// Threads that only compute share the cores evenly.
void check_shares()
{
    machine m({.cores = 2, .checks = true}, {});
    std::vector<thread*> threads;
    for (int i = 0; i != 6; ++i)
        threads.push_back(&m.start([&m](thread&) -> routine<> {
            for (;;)
                co_await m.work(100us);
        }));
    m.run_until(m.now() + 3s);
    require(m.violations() == 0, "a core is idle beside threads that compute");
    require(is_about(std::chrono::duration<double>(m.used()).count(), 6), "two cores are not busy");
    for (thread const* t : threads)
        require(is_about(std::chrono::duration<double>(t->used()).count(), 1),
            "a thread has another share");
}

// A thread wakes up once for each wake(), and at its time without.
void check_wake_ups()
{
    machine m({.cores = 2}, {});
    int woken = 0;
    int late = 0;
    auto& sleeper = m.start([&](thread&) -> routine<> {
        for (;;)
        {
            time_point const then = m.now() + 10ms;
            bool const in_time = co_await m.sleep_until(then, thread_state::locks);
            (in_time ? woken : late) += 1;
            require(in_time ? m.now() < then : m.now() >= then, "a thread wakes up at another time");
        }
    });
    m.start([&](thread&) -> routine<> {
        for (int i = 0; i != 5; ++i)
        {
            co_await m.sleep_for(1ms);
            require(m.wake(sleeper), "a thread does not sleep");
            require(!m.wake(sleeper), "a thread is woken twice");
        }
    });
    m.run_until(m.now() + 100ms);
    require(woken == 5 && late == 9, "a thread was woken another number of times");
}

} // namespace

void check_model()
{
    check_each();
    check_long_handlers();
    check_concurrency();
    check_changes();
    check_shares();
    check_wake_ups();
}

} // namespace virtual_time
