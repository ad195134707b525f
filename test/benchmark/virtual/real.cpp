// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "real.hpp"

#include "../computing.hpp"

#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace virtual_time {

namespace {

namespace asio = boost::asio;

// Binds this thread, and those that it starts, to the first CPUs that it may use, for as long as the
// object lives.
class binding
{
public:
    explicit binding(int cores)
    {
        ::sched_getaffinity(0, sizeof(before_), &before_);
        ::cpu_set_t set;
        CPU_ZERO(&set);
        for (int cpu = 0; cpu != CPU_SETSIZE && cores != 0; ++cpu)
            if (CPU_ISSET(cpu, &before_))
            {
                CPU_SET(cpu, &set);
                --cores;
            }
        if (cores != 0)
            throw std::system_error(ENODEV, std::generic_category(), "not so many CPUs");
        ::sched_setaffinity(0, sizeof(set), &set);
    }
    binding(binding const&) = delete;
    binding& operator=(binding const&) = delete;
    ~binding() { ::sched_setaffinity(0, sizeof(before_), &before_); }

private:
    ::cpu_set_t before_;
};

struct alignas(128) counted
{
    std::atomic<std::uint64_t> ran{0}; // written by one thread at a time
};

struct chain
{
    asio::io_context* on;
    counted* count;
    std::uint64_t steps; // 0: sleeps
    duration sleep;

    void operator()() const
    {
        auto const n = count->ran.load(std::memory_order_relaxed);
        // The steps depend on a value that the compiler does not know.
        if (steps == 0)
            std::this_thread::sleep_for(sleep);
        else if (benchmark::compute(steps, n) == 1)
            std::this_thread::yield();
        count->ran.store(n + 1, std::memory_order_relaxed);
        asio::post(*on, *this);
    }
};

std::uint64_t sum(std::deque<counted> const& all)
{
    std::uint64_t n = 0;
    for (counted const& c : all)
        n += c.ran.load(std::memory_order_relaxed);
    return n;
}

// Shared, as only that destroys a strategy_context as such.
std::deque<std::shared_ptr<asio::io_context>> contexts_of(workload const& load, arrangement const& by)
{
    using enum arrangement::kind;
    std::deque<std::shared_ptr<asio::io_context>> all;
    if (by.is == strategy)
    {
        all.push_back(std::make_shared<asio_ewyk::strategy_context>(asio_ewyk::strategy_options{
            .concurrency = static_cast<std::size_t>(by.options.concurrency)}));
        return all;
    }
    while (all.size() != (by.is == loops ? static_cast<std::size_t>(load.cores) : 1))
        all.push_back(by.is == threads ? std::make_shared<asio::io_context>()
                                       : std::make_shared<asio::io_context>(1));
    return all;
}

result run_once(workload const& load, arrangement const& by, std::uint64_t steps)
{
    using enum arrangement::kind;
    auto const contexts = contexts_of(load, by);
    std::deque<counted> ran(load.chains);
    std::deque<counted> slept(load.sleepers);
    std::deque<asio::steady_timer> timers; // there is I/O in each context
    std::deque<asio::executor_work_guard<asio::io_context::executor_type>> work;
    for (auto const& c : contexts)
    {
        timers.emplace_back(*c);
        work.emplace_back(asio::make_work_guard(*c));
    }
    auto const deal = [&](std::size_t i) { return contexts[i % contexts.size()].get(); };
    for (std::size_t i = 0; i != slept.size(); ++i)
        asio::post(*deal(i), chain{deal(i), &slept[i], 0, load.sleep});
    for (std::size_t i = 0; i != ran.size(); ++i)
        asio::post(*deal(i), chain{deal(i), &ran[i], steps, {}});
    result r;
    r.threads = by.is == loops         ? contexts.size()
        : by.is != arrangement::kind::threads ? 1
        : by.threads != 0              ? by.threads
                                       : static_cast<std::size_t>(load.cores) + load.sleepers;
    std::deque<std::jthread> runs;
    while (runs.size() != r.threads)
    {
        auto& on = *deal(runs.size());
        if (by.is == strategy)
            runs.emplace_back([&on] { static_cast<asio_ewyk::strategy_context&>(on).run(); });
        else
            runs.emplace_back([&on] { on.run(); });
    }
    std::this_thread::sleep_for(load.warm_up);
    auto const began = std::chrono::steady_clock::now();
    auto const ran_before = sum(ran);
    auto const slept_before = sum(slept);
    std::clock_t const cpu = std::clock();
    std::this_thread::sleep_for(load.time);
    std::chrono::duration<double> const time = std::chrono::steady_clock::now() - began;
    r.per_second = static_cast<double>(sum(ran) - ran_before) / time.count();
    r.long_per_second = static_cast<double>(sum(slept) - slept_before) / time.count();
    r.busy = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / time.count();
    for (auto const& c : contexts)
        c->stop();
    return r;
}

} // namespace

result run_really(workload const& load, arrangement const& by)
{
    constexpr std::size_t runs = 3;
    binding const bound(load.cores);
    auto const steps = std::max<std::uint64_t>(1, benchmark::steps_of(load.length));
    std::vector<result> all;
    while (all.size() != runs)
        all.push_back(run_once(load, by, steps));
    std::ranges::sort(all, {}, &result::per_second);
    return all[runs / 2];
}

} // namespace virtual_time
