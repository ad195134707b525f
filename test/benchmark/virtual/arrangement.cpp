// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "arrangement.hpp"

#include "io_context.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace virtual_time {

namespace {

class chain final : public operation
{
public:
    chain(machine& m, io_context& on, duration length, bool sleeps, std::uint32_t seed)
        : machine_(m)
        , on_(on)
        , length_(length)
        , sleeps_(sleeps)
        , random_(seed)
    {
        on.add(*this);
    }

    routine<> run(call& here) override
    {
        if (!std::exchange(posted_, false))
            throw std::logic_error("a handler runs that was not posted");
        if (sleeps_)
            co_await machine_.sleep_for(length_);
        else
            co_await machine_.work(next_length());
        ++ran_;
        if (std::exchange(posted_, true))
            throw std::logic_error("a handler is posted twice");
        co_await on_.post(*this, &here);
    }

    std::uint64_t ran() const noexcept { return ran_; }
    void set_length(duration length) noexcept { length_ = length; }

private:
    // Handlers of exactly one length would end at the same time on all cores.
    duration next_length() noexcept
    {
        random_ = random_ * 1664525u + 1013904223u;
        auto const percent = static_cast<long>(random_ >> 16) % 21 - 10;
        return length_ + length_ * percent / 100;
    }

    machine& machine_;
    io_context& on_;
    duration length_;
    bool const sleeps_;
    std::uint32_t random_;
    bool posted_ = true;
    std::uint64_t ran_ = 0;
};

std::uint64_t sum(std::deque<chain> const& chains)
{
    std::uint64_t n = 0;
    for (chain const& c : chains)
        n += c.ran();
    return n;
}

// What runs handlers: the contexts, and how many threads.
class runner
{
public:
    runner(machine& m, workload const& load, arrangement const& by)
    {
        using enum arrangement::kind;
        auto const cores = static_cast<std::size_t>(load.cores);
        if (by.is == strategy)
        {
            strategy_.emplace(m, by.options);
            return;
        }
        while (contexts_.size() != (by.is == loops ? cores : 1))
            contexts_.emplace_back(m, by.is != arrangement::kind::threads);
        threads_ = by.is == loops   ? cores
            : by.is == one_thread   ? 1
            : by.threads != 0       ? by.threads
                                    : cores + load.sleepers;
    }

    io_context& context(std::size_t i)
    {
        return strategy_ ? strategy_->io() : contexts_[i % contexts_.size()];
    }

    void start(machine& m)
    {
        if (strategy_)
            return strategy_->start();
        for (std::size_t i = 0; i != threads_; ++i)
            m.start([&on = context(i)](thread&) { return on.run(); });
    }

    std::size_t threads() const { return strategy_ ? strategy_->threads() : threads_; }
    duration together() const { return strategy_ ? strategy_->together() : duration::zero(); }
    std::size_t taken_over() const { return strategy_ ? strategy_->taken_over() : 0; }

private:
    std::deque<io_context> contexts_;
    std::optional<strategy_context> strategy_;
    std::size_t threads_ = 0;
};

void check_all(machine& m, std::deque<chain> const& chains, duration enough)
{
    if (m.violations() != 0)
        throw std::logic_error("a core was idle while a thread waited for one");
    std::vector<std::uint64_t> before;
    for (chain const& c : chains)
        before.push_back(c.ran());
    m.run_until(m.now() + enough);
    for (std::size_t i = 0; i != before.size(); ++i)
        if (chains[i].ran() == before[i])
            throw std::logic_error("a handler is lost");
}

} // namespace

std::vector<arrangement> const& arrangements()
{
    using enum arrangement::kind;
    static std::vector<arrangement> const all{
        {"io_context/n", arrangement::kind::threads},
        {"io_context/1", one_thread},
        {"io_context per core", loops},
        {"strategy", strategy},
        {"strategy, helpers in run_one()", strategy, 0,
            {.waits = strategy_context::wait::asio}},
    };
    return all;
}

result simulate(workload const& load, arrangement const& by, costs const& take, bool checks)
{
    machine m({.cores = load.cores, .checks = checks}, take);
    runner runs(m, load, by);
    std::deque<chain> chains;
    std::deque<chain> sleepers;
    for (std::size_t i = 0; i != load.sleepers; ++i)
        sleepers.emplace_back(m, runs.context(i), load.sleep, true, 0u);
    for (std::size_t i = 0; i != load.chains; ++i)
        chains.emplace_back(m, runs.context(i), load.length, false, static_cast<std::uint32_t>(i));
    runs.start(m);
    m.run_until(m.now() + load.warm_up);
    auto const ran = sum(chains);
    auto const slept = sum(sleepers);
    auto const cpu = m.used();
    auto const together = runs.together();
    auto const taken_over = runs.taken_over();
    m.run_until(m.now() + load.time);
    double const seconds = std::chrono::duration<double>(load.time).count();
    using in_seconds = std::chrono::duration<double>;
    result r;
    r.per_second = static_cast<double>(sum(chains) - ran) / seconds;
    r.long_per_second = static_cast<double>(sum(sleepers) - slept) / seconds;
    r.busy = in_seconds(m.used() - cpu).count() / seconds;
    r.threads = runs.threads();
    r.together = in_seconds(runs.together() - together).count() / seconds;
    r.taken_over = static_cast<double>(runs.taken_over() - taken_over) / seconds;
    if (checks)
    {
        // In which each handler must have had its turn, also one thread for all.
        duration const enough = 4 * (load.sleep * static_cast<long>(load.sleepers + 1)
            + load.length * static_cast<long>(load.chains));
        check_all(m, chains, enough);
    }
    return r;
}

duration adapts_after(workload const& load, duration length, arrangement const& by, costs const& take)
{
    using namespace std::chrono_literals;
    constexpr std::size_t buckets_of_a_rate = 5;
    workload steady = load;
    steady.length = length;
    double const enough = 0.95 * simulate(steady, by, take).per_second;
    machine m({.cores = load.cores}, take);
    runner runs(m, load, by);
    std::deque<chain> chains;
    for (std::size_t i = 0; i != load.chains; ++i)
        chains.emplace_back(m, runs.context(i), load.length, false, static_cast<std::uint32_t>(i));
    runs.start(m);
    m.run_until(m.now() + load.time);
    for (chain& c : chains)
        c.set_length(length);
    std::deque<std::uint64_t> ran(1, sum(chains));
    time_point const from = m.now();
    while (m.now() < from + 1s)
    {
        m.run_until(m.now() + 10ms);
        ran.push_back(sum(chains));
        if (ran.size() <= buckets_of_a_rate)
            continue;
        if (static_cast<double>(ran.back() - ran.front()) / 0.05 >= enough)
            return m.now() - from - 50ms;
        ran.pop_front();
    }
    return 1s;
}

} // namespace virtual_time
