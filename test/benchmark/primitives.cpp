// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "primitives.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace benchmark {

namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

// The least of some runs of f(): whatever disturbs makes it longer.
template <class F>
nanoseconds least(F f, int runs = 5)
{
    nanoseconds best(std::numeric_limits<double>::max());
    for (int i = 0; i != runs; ++i)
    {
        auto const began = std::chrono::steady_clock::now();
        f();
        best = std::min<nanoseconds>(best, std::chrono::steady_clock::now() - began);
    }
    return best;
}

// A thread sleeps until another one signals.
class futex_signal
{
public:
    void set()
    {
        word_.store(1);
        ::syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }

    void wait()
    {
        while (word_.exchange(0) == 0)
            ::syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }

private:
    std::atomic<std::uint32_t> word_{0};
};

class eventfd_signal
{
public:
    eventfd_signal()
        : descriptor_(::eventfd(0, EFD_CLOEXEC))
    {
        if (descriptor_ < 0)
            throw std::system_error(errno, std::generic_category(), "eventfd");
    }

    ~eventfd_signal() { ::close(descriptor_); }
    eventfd_signal(eventfd_signal const&) = delete;
    eventfd_signal& operator=(eventfd_signal const&) = delete;

    void set() { ::eventfd_write(descriptor_, 1); }

    void wait()
    {
        ::eventfd_t value;
        ::eventfd_read(descriptor_, &value);
    }

private:
    int descriptor_;
};

std::vector<int> allowed_cpus()
{
    ::cpu_set_t set;
    ::sched_getaffinity(0, sizeof(set), &set);
    std::vector<int> cpus;
    for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &set))
            cpus.push_back(cpu);
    return cpus;
}

void bind_this_thread(int cpu)
{
    ::cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::sched_setaffinity(0, sizeof(set), &set);
}

constexpr int turns = 1000;

template <class T>
T median(std::vector<T> all)
{
    auto const middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    return *middle;
}

// Two threads that wake each other in turns, one of them by set(signal); the other one has that
// scheduling policy.
template <class Signal, class Set>
void take_turns(int cpu, int other_cpu, Set set, int policy = SCHED_OTHER)
{
    Signal ping;
    Signal pong;
    std::jthread other([&] {
        bind_this_thread(other_cpu);
        ::sched_param const priority{};
        ::sched_setscheduler(0, policy, &priority);
        for (int i = 0; i != turns; ++i)
        {
            ping.wait();
            pong.set();
        }
    });
    std::jthread one([&] {
        bind_this_thread(cpu);
        for (int i = 0; i != turns; ++i)
        {
            set(ping);
            pong.wait();
        }
    });
}

// Half of a turn.
template <class Signal>
nanoseconds wake_up(int cpu, int other_cpu)
{
    return least([&] { take_turns<Signal>(cpu, other_cpu, [](Signal& s) { s.set(); }); })
        / (2 * turns);
}

template <class Signal>
boost::json::value on_other_core(std::vector<int> const& cpus)
{
    if (cpus.size() < 2)
        return nullptr;
    return wake_up<Signal>(cpus[0], cpus[1]).count();
}

// Until a core sees what another one has written: half of a turn of two threads that take turns
// without sleeping.
boost::json::value line_transfer(std::vector<int> const& cpus)
{
    if (cpus.size() < 2)
        return nullptr;
    // What takes one of the two cores for a moment makes a run many times as long.
    constexpr int runs = 40;
    auto const transfer = [&] {
        std::atomic<int> turn{0};
        auto const take = [&turn](int cpu, int mine) {
            bind_this_thread(cpu);
            for (int i = mine; i < 2 * turns; i += 2)
            {
                while (turn.load() != i)
                {
                }
                turn.store(i + 1);
            }
        };
        std::jthread other(take, cpus[1], 1);
        std::jthread one(take, cpus[0], 0);
    };
    return least(transfer, runs).count() / (2 * turns);
}

// How long the call takes that wakes a thread on `other_cpu`; the least of some medians.
double wake_call(int cpu, int other_cpu, int policy = SCHED_OTHER)
{
    nanoseconds best(std::numeric_limits<double>::max());
    for (int i = 0; i != 5; ++i)
    {
        std::vector<nanoseconds> calls;
        take_turns<futex_signal>(
            cpu, other_cpu,
            [&calls](futex_signal& s) {
                auto const began = std::chrono::steady_clock::now();
                s.set();
                calls.push_back(std::chrono::steady_clock::now() - began);
            },
            policy);
        best = std::min(best, median(std::move(calls)));
    }
    return best.count();
}

boost::json::value wake_call_on_other_core(std::vector<int> const& cpus)
{
    if (cpus.size() < 2)
        return nullptr;
    return wake_call(cpus[0], cpus[1]);
}

// How long the call takes that wakes a thread on the same core, which interrupts the caller and sleeps
// again; the median.
double interruption(int cpu)
{
    // A thread that has run for less interrupts one that has run for more.
    constexpr auto runs_ahead = std::chrono::microseconds(5);
    std::vector<nanoseconds> calls;
    futex_signal signal;
    std::atomic<bool> done{false};
    std::jthread other([&] {
        bind_this_thread(cpu);
        while (!done.load())
            signal.wait();
    });
    std::jthread([&] {
        bind_this_thread(cpu);
        for (int i = 0; i != turns; ++i)
        {
            auto const began = std::chrono::steady_clock::now();
            signal.set();
            auto const ended = std::chrono::steady_clock::now();
            calls.push_back(ended - began);
            while (std::chrono::steady_clock::now() - ended < runs_ahead)
            {
            }
        }
        done.store(true);
        signal.set();
    }).join();
    return median(std::move(calls)).count();
}

// On a word that no other thread uses.
void exchange(int times)
{
    std::atomic<std::uint32_t> word{0};
    for (int i = 0; i != times; ++i)
    {
        std::uint32_t now = word.load();
        while (!word.compare_exchange_weak(now, now + 1))
        {
        }
    }
}

// By how much a sleep is longer than asked for; the median.
double late(unsigned long timer_slack)
{
    constexpr auto asked = std::chrono::microseconds(100);
    std::vector<nanoseconds> all(99);
    std::jthread([&] {
        ::prctl(PR_SET_TIMERSLACK, timer_slack);
        for (nanoseconds& each : all)
        {
            auto const began = std::chrono::steady_clock::now();
            std::this_thread::sleep_for(asked);
            each = std::chrono::steady_clock::now() - began - asked;
        }
    }).join();
    return median(std::move(all)).count();
}

} // namespace

boost::json::object measure_primitives()
{
    constexpr int calls = 10'000;
    auto const cpus = allowed_cpus();
    return {
        {"system_call", least([] {
                            for (int i = 0; i != calls; ++i)
                                ::syscall(SYS_getppid);
                        }).count() / calls},
        {"clock", least([] {
                      for (int i = 0; i != calls; ++i)
                          std::chrono::steady_clock::now();
                  }).count() / calls},
        {"sleep_late", late(50'000)},
        {"exact_sleep_late", late(1)},
        {"atomic", least([] { exchange(calls); }).count() / calls},
        {"wake_call", wake_call_on_other_core(cpus)},
        // A thread for batch work interrupts no other.
        {"wake_call_queued", wake_call(cpus.at(0), cpus[0], SCHED_BATCH)},
        {"interruption", interruption(cpus[0])},
        {"line_transfer", line_transfer(cpus)},
        {"futex_same_core", wake_up<futex_signal>(cpus.at(0), cpus[0]).count()},
        {"futex_other_core", on_other_core<futex_signal>(cpus)},
        {"eventfd_same_core", wake_up<eventfd_signal>(cpus.at(0), cpus[0]).count()},
        {"eventfd_other_core", on_other_core<eventfd_signal>(cpus)},
    };
}

} // namespace benchmark
