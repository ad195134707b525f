// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Which threads call the engine, with which tasks, strategies and pools.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_ENGINE_SCENARIO_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_ENGINE_SCENARIO_HPP

#include "engine_parts.hpp"

#include <cstdlib>
#include <new>

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
    bool two_watch = false;              // threads are started by a second thread that watches

    std::size_t watchers() const noexcept { return !grace || endless ? 0 : two_watch ? 2 : 1; }
};

class engine_scenario final : public scenario, private saboteur
{
public:
    explicit engine_scenario(setup const& s)
        : setup_(s)
        , source_(*this)
        , pool_({s.callers.size(), s.parked, s.startable})
        , threads_(pool_, &engine_)
        , engine_(source_, threads_, s.strategy, std::chrono::nanoseconds(s.grace ? 1 : 0))
    {
        saboteur::now = this;
    }

    std::size_t threads() const override { return first_watcher() + setup_.watchers(); }

    void thread(std::size_t index) override
    {
        if (index >= first_watcher())
            return watch(index == first_watcher());
        if (index >= setup_.callers.size())
            return pool_.work(threads_.client());
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
        auto const p = production::unpack(
            static_cast<std::uint32_t>(engine_.right_.word_.get() & 7));
        if (p.state != production_state::idle)
            return "the right to produce is lost";
        if ((engine_.lease_.word_.get() & 1) != 0)
            return "a lease is left";
        return pool_.wrong_at_end(p.pending);
    }

private:
    struct product
    {
        engine_scenario* of = nullptr;
        std::size_t task = 0;

        explicit operator bool() const noexcept { return task != 0; }
        ewyk::invocation_t invocation() const noexcept { return of->kind(task).invocation; }
        void operator()() { of->run(task); }
    };

    struct source
    {
        explicit source(engine_scenario& s) noexcept
            : of(s)
        {
        }

        // What the engine knows when it asks for a task is in its frame.
        product produce()
        {
            bool const occupies = detail::call_frame::find(&of.engine_)->occupies;
            forget(of.position_[self()] * 2 + occupies);
            access("looks for a task");
            book::now->check();
            std::uint64_t const first = of.supplied_.get() & 15;
            of.supplied_.set(of.supplied_.get() >> 4);
            observe(first);
            of.pool_.product[self()] = first;
            return {&of, static_cast<std::size_t>(first)};
        }

        engine_scenario& of;
    };

    static void access(std::string const& what)
    {
        point();
        if (tells())
            tell(what);
    }

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
                return produce();
            case action::dispatch:
                return engine_.dispatch();
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

    void produce() { engine_.produce(thrown_by_tasks_); }

    void run(std::size_t task)
    {
        task_kind const& k = kind(task);
        thrown_[self()] = k.throws;
        access(tells() ? "runs task " + std::to_string(task) : std::string());
        std::uint64_t const bit = std::uint64_t{1} << (task - 1);
        if ((ran_.get() & bit) != 0)
            fail("a task runs twice");
        ran_.set(ran_.get() | bit);
        if (k.supplies != 0)
            supply(k.supplies);
        if (k.produces && wrong != flaw::nested_run_forgets)
            produce();
        if (k.says_so && wrong != flaw::announcement_is_forgotten)
            announce_block();
        if (k.waits_for != 0)
            await([&] { return (ran_.get() >> (k.waits_for - 1) & 1) != 0; });
        if (k.throws && wrong != flaw::thrower_goes_on)
            throw 1;
    }

    void announce_block()
    {
        if (wrong != flaw::released_in_silence)
            return detail::call_frame::end_leases();
        auto& frame = *detail::call_frame::find(&engine_);
        if (std::exchange(frame.leased_by, nullptr))
        {
            frame.producing = false;
            if (engine_.lease_.end(frame.lease_number))
                book::now->drop();
        }
    }

    // What the sentinel and the watchdog do about a late task: look at a lease, let the grace pass,
    // take over. That may come at any time, so each task may be late, and one that waits always is.
    // The first one looks; where it must not start a thread, the second one does.
    void watch(bool first)
    {
        bool const starts = !first || !setup_.two_watch;
        std::uint64_t last = ~std::uint64_t{0};
        for (;;)
        {
            auto const late = [&] {
                std::uint64_t const word = engine_.lease_.word_.get();
                return first && (word & 1) != 0 && word >> 3 != last;
            };
            await([&] { return late() || (starts && needs_start_.get() != 0); });
            if (starts && needs_start_.get() != 0)
            {
                if (tells())
                    tell("starts a thread");
                needs_start_.set(0);
                observe(1);
                engine_.sentinel_.owner.start_pending();
                continue;
            }
            last = engine_.lease_.word_.get() >> 3;
            if (tells())
                tell("sees the lease");
            forget(last + 2);
            if (wrong == flaw::hands_over_before_end)
                engine_.right_.apply(production_event::hand_over);
            // One that may start threads would be the watchdog.
            if (engine_.sentinel_.owner.take_over(last, !setup_.two_watch)
                    == detail::lessor::outcome::needs_start
                && wrong != flaw::start_is_forgotten)
            {
                access("asks for a thread to be started");
                needs_start_.set(1);
            }
        }
    }

    bool start_early() noexcept override
    {
        // No other cast reaches a base that is private.
        return threads_.try_start(
            (detail::task&)engine_, detail::call_frame::find(&engine_)->occupies);
    }
    bool watches() const noexcept override { return self() >= first_watcher(); }
    bool has_thrown() const noexcept override { return thrown_[self()]; }

    using engine = detail::strategy_engine<source, detail::pool_threads>;

    setup const& setup_;
    book book_;
    source source_;
    detail::elastic_threads pool_;
    detail::pool_threads threads_;
    engine engine_;
    word supplied_{0}; // four bits each, the first in the lowest
    word ran_{0};
    word needs_start_{0};
    std::array<std::size_t, 8> position_{}; // of a caller in what it does
    detail::shared_counter thrown_by_tasks_;
    std::array<bool, 8> thrown_{}; // by the task that the thread has run last
};

class engine_maker final : public maker
{
public:
    explicit engine_maker(setup const& s)
        : setup_(s)
    {
        static bool const kept_apart = [] {
            keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
            keep_apart(&detail::this_thread_may_block, true);
            return true;
        }();
        (void)kept_apart;
    }

    scenario* make() const override
    {
        return ::new (std::malloc(sizeof(engine_scenario))) engine_scenario(setup_);
    }

private:
    setup const& setup_;
};

}

#endif
