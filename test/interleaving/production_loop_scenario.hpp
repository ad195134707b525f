// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The production_loop that ships, with what it runs tasks by: which threads call it, with which
// tasks, strategies and pools.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_PRODUCTION_LOOP_SCENARIO_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_PRODUCTION_LOOP_SCENARIO_HPP

#define INTERLEAVING_POOL_ONLY
#include "succession_parts.hpp"

#include <asio_ewyk/detail/engine/decision.hpp>
#define std stepped
#include <asio_ewyk/detail/engine/production_loop.hpp>
#undef std
#include <asio_ewyk/detail/engine/strategy_loop.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

namespace interleaving {

struct task_kind
{
    ewyk::invocation_t invocation = ewyk::invocation_t::blocking;
    bool throws = false;
    std::size_t supplies = 0; // another task
    bool produces = false;    // then calls produce() of its own strategy
    std::size_t waits_for = 0; // blocks until that task has begun
    bool says_so = false;     // says before that that it is going to block
};

struct action
{
    enum kind_type
    {
        supply, // the source has that task from now on
        produce,
        dispatch,
    } kind;
    std::size_t task = 0;
};

struct setup
{
    ewyk::strategy_t strategy = ewyk::strategy_t::eat_what_you_kill;
    std::size_t parked = 0;    // threads of the pool that are parked at first,
    std::size_t startable = 0; // and those that can be started; none of both: it was stopped
    std::vector<task_kind> tasks = {};
    std::vector<std::vector<action>> callers = {};
    std::size_t nonblocking_callers = 0; // the first so many callers must not block
    bool grace = false;                  // the right is leased while tasks run,
    bool endless = false;                // and no task is ever late by itself
    bool hasty = false; // one that takes over does so where no task runs, too, for once

    std::size_t watchers() const noexcept { return !grace || endless ? 0 : 1; }
};

class loop_scenario final : public scenario, private saboteur
{
public:
    explicit loop_scenario(setup const& s)
        : setup_(s)
        , source_(*this)
        , pool_({s.callers.size(), s.parked, s.startable})
        , loop_(source_, pool_, s.strategy, std::chrono::nanoseconds(s.grace ? 1 : 0), {})
    {
        sleep::woken = &woken_;
        sleep::depth = &depth_;
        loop_.threads_.client().pool = &pool_;
        saboteur::now = this;
    }

    std::size_t threads() const override { return first_watcher() + setup_.watchers(); }

    void thread(std::size_t index) override
    {
        if (index >= first_watcher())
            return watch();
        if (index >= setup_.callers.size())
            return pool_.work(loop_.threads_.client());
        detail::this_thread_may_block = index >= setup_.nonblocking_callers;
        for (action const a : setup_.callers[index])
        {
            forget(++position_[index]);
            carry_out(a);
        }
    }

    bool may_rest(std::size_t index) const override
    {
        // One that watches waits only where there is nothing to look at.
        return index >= first_watcher() || pool_.rests(index);
    }

    char const* wrong_at_end() const override
    {
        if (ran_.get() + 1 != std::uint64_t{1} << setup_.tasks.size())
            return "a task is left unrun";
        if ((lease().word_.get() & 3) != 0)
            return "a lease is left";
        bool const asked = loop_.succession_.asked_.get();
        if (asked != book_.is_under_way())
            return "a thread is awaited that will never come";
        return pool_.wrong_at_end(asked);
    }

private:
    struct product
    {
        loop_scenario* of = nullptr;
        std::size_t task = 0;

        explicit operator bool() const noexcept { return task != 0; }
        ewyk::invocation_t invocation() const noexcept { return of->kind(task).invocation; }
        void operator()() { of->run(task); }
    };

    struct source
    {
        explicit source(loop_scenario& s) noexcept
            : of(s)
        {
        }

        product produce()
        {
            of.forget_but(0, 0);
            access("looks for a task");
            book::now->check();
            std::uint64_t const first = of.supplied_.get() & 15;
            of.supplied_.set(of.supplied_.get() >> 4);
            observe(first);
            of.pool_.product[self()] = first;
            return {&of, static_cast<std::size_t>(first)};
        }

        loop_scenario& of;
    };

    // All that the loop knows at that place is in its frame.
    void forget_but(std::uint64_t place, std::size_t task)
    {
        detail::call_frame const& f = *detail::call_frame::find(loop_.frame_key());
        std::uint64_t const known = f.lease_number * 8 + f.holds_place() * 4
            + (f.leased_by != nullptr) * 2 + f.produces();
        forget(((known * 16 + position_[self()]) * 16 + task) * 4 + place);
    }

    static void access(std::string const& what)
    {
        point();
        if (tells())
            tell(what);
    }

    detail::shipped_lease const& lease() const noexcept { return loop_.succession_.lease_; }
    task_kind const& kind(std::size_t task) const noexcept { return setup_.tasks[task - 1]; }
    std::size_t first_watcher() const noexcept { return setup_.callers.size() + pool_.all(); }

    void carry_out(action a)
    {
        try
        {
            switch (a.kind)
            {
            case action::supply:
                return supply(a.task);
            case action::produce:
                return loop_.produce();
            case action::dispatch:
                return loop_.dispatch();
            }
        }
        catch (int)
        {
        }
    }

    void supply(std::size_t task)
    {
        access(tells() ? "supplies task " + std::to_string(task) : std::string());
        std::uint64_t const q = supplied_.get();
        int at = 0;
        while ((q >> at & 15) != 0)
            at += 4;
        supplied_.set(q | std::uint64_t{task} << at);
    }

    void run(std::size_t task)
    {
        task_kind const& k = kind(task);
        forget_but(1, task);
        access(tells() ? "runs task " + std::to_string(task) : std::string());
        std::uint64_t const bit = std::uint64_t{1} << (task - 1);
        if ((ran_.get() & bit) != 0)
            fail("a task runs twice");
        ran_.set(ran_.get() | bit);
        if (k.supplies != 0)
            supply(k.supplies);
        if (k.produces && wrong != flaw::nested_run_forgets)
            loop_.produce();
        if (k.says_so && wrong != flaw::announcement_is_forgotten)
            detail::call_frame::end_leases();
        if (k.waits_for != 0)
            await([&] { return (ran_.get() >> (k.waits_for - 1) & 1) != 0; });
        forget_but(2, task);
        if (k.throws)
            throw 1;
    }

    // What the watchdog does about a late task: look at a lease, let the grace pass, take over. That
    // may come at any time, so each task may be late, and one that waits always is.
    void watch()
    {
        std::uint64_t last = ~std::uint64_t{0};
        // It could take over each time that a thread is about to look for a task, without end: there
        // is a grace. So it does it once.
        bool waits = setup_.hasty;
        for (;;)
        {
            auto const is_task = [&] {
                std::uint64_t const mark = lease().mark_.get();
                return mark >> 18 == lease().word_.get() >> 3 && (mark >> 16 & 3) != 0;
            };
            auto const late = [&] {
                std::uint64_t const n = lease().word_.get();
                return (n & 1) != 0 && n >> 3 != last && (waits || is_task());
            };
            forget((last + 1) * 4 + waits);
            await(late);
            last = lease().word_.get() >> 3;
            waits = waits && is_task();
            if (tells())
                tell("sees the lease");
            forget((last + 1) * 4 + 2 + waits);
            loop_.succession_.watch_.lessor_.take_over(last);
        }
    }

    bool watches() const noexcept override { return self() >= first_watcher(); }

    setup const& setup_;
    book book_;
    word woken_{0}; // see sleep
    std::array<std::size_t, 8> depth_{};
    source source_;
    detail::elastic_threads pool_;
    detail::strategy_loop<source> loop_;
    word supplied_{0}; // four bits each, the first in the lowest
    word ran_{0};
    std::array<std::size_t, 8> position_{}; // of a caller in what it does
};

class loop_maker final : public maker
{
public:
    explicit loop_maker(setup const& s)
        : setup_(s)
    {
        static bool const kept_apart = [] {
            keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
            keep_apart(&detail::this_thread_may_block, true);
            stepped::leaves_out = &is_forgotten;
            return true;
        }();
        (void)kept_apart;
    }

    scenario* make() const override
    {
        return ::new (std::malloc(sizeof(loop_scenario))) loop_scenario(setup_);
    }

private:
    setup const& setup_;
};

}

#endif
