// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Threads that run a context by the io_production that ships, over an io_context that is a queue of
// handlers, with its look for I/O among them, and a flag that it was stopped.
//
// | it holds that                                                           | checked by            |
// |-------------------------------------------------------------------------|-----------------------|
// | one thread at most has the lease                                        | book                  |
// | a thread without it runs the handler that it was in, and then no other  | book::run_one_more()  |
// | no number of the lease stands for two handlers                          | io::call()            |
// | the lease is free only while a thread comes, or all are in handlers     | check_rest()          |
// | who leaves after a handler sends a wake-up after that, or looks itself  | check_owed()          |
// | who waits for I/O has the lease, or cannot have it                      | look_for_io()         |
// | a frame counts what Asio has run, less the wake-ups                     | at()                  |
// | with produce_consume one handler runs, sections aside                   | begin_alone()         |
// | each handler runs once, no thread waits, and nothing is left at the end | run(), wrong_at_end() |

#ifndef ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_SCENARIO_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_SCENARIO_HPP

#include "model_io.hpp"

#include <asio_ewyk/detail/engine/decision.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#define std stepped
#include <asio_ewyk/detail/engine/io_production.hpp>
#undef std

namespace interleaving {

struct handler_kind
{
    ewyk::invocation_t invocation = ewyk::invocation_t::blocking;
    bool native = false;       // nothing wraps it, whatever the strategy
    bool for_pool = false;     // by a strategy of its own
    bool throws = false;
    std::size_t posts = 0;     // another one
    std::size_t waits_for = 0; // blocks until that one has begun
    bool section = false;      // in a blocking_section
};

struct setup
{
    ewyk::strategy_t strategy = ewyk::strategy_t::eat_what_you_kill;
    std::size_t parked = 0;    // threads of the pool that are parked at first,
    std::size_t startable = 0; // and those that can be started; none of both: it was stopped
    std::vector<handler_kind> handlers = {};
    std::size_t ready = 0; // the first so many are ready at first; posters have the others
    std::size_t posters = 0;
    bool io = false; // what they post comes by I/O
    // The callers of run(); or with a limit, of run_one() and its siblings that wait, again and
    // again.
    std::vector<std::size_t> limits = {0};
    bool grace = false;     // others may take over from a thread that is late,
    bool endless = false;   // and none is late by itself
    std::size_t mistakes = 1; // so often it does not wait for anything
    bool asks = false;      // a thread that watches asks for a sign of life, before any I/O,
    bool calls = false;     // and calls the owner while a thread of the pool waits for I/O
    bool helped = false;    // and has a thread of the pool help, once
    bool counts = false;    // the owner runs handlers inside of the wake-up
    bool wraps = false;     // all handlers are observed
    bool unobserved = false; // nothing tells when a thread waits for I/O
    bool stops = false;     // a thread stops the io_context

    std::size_t watchers() const noexcept { return !grace || endless ? 0 : 1; }
};

class succession_scenario final
    : public scenario
    , private saboteur
    , public detail::io_production<succession_scenario>
{
public:
    explicit succession_scenario(setup const& s)
        : setup_(s)
        , pool_({s.limits.size(), s.parked, s.startable})
        , threads_(pool_, this, s.strategy != ewyk::strategy_t::produce_consume)
        , helper_(*this)
        , succession_(threads_, s.strategy, std::chrono::nanoseconds(s.grace ? 1 : 0),
              s.strategy != ewyk::strategy_t::produce_consume,
              s.strategy == ewyk::strategy_t::produce_consume, this, *this)
        , decision_(succession_, {})
        , parallelism_{s.counts, s.helped}
        , tasks_(s.handlers.size(), task(*this))
        , ready_(first_ready())
        , left_(s.handlers.size())
        , mistakes_(s.mistakes)
        , has_reactor_(looks_for_io() && !s.asks)
    {
        sleep::woken = &woken_;
        sleep::depth = &depth_;
        detail::wait_observer::tops = &observers_;
        detail::succession::is_asked = s.asks;
        threads_.client().pool = &pool_;
        if (succession_.watch().in_use() && !s.unobserved)
            succession_.watch().observe_waits();
        limit_.fill(unlimited);
        saboteur::now = this;
    }

    std::size_t threads() const override { return first_watcher() + setup_.watchers(); }

    void thread(std::size_t index) override
    {
        std::size_t const posters = first_poster();
        if (index < setup_.limits.size())
            return call(setup_.limits[index]);
        if (index < posters)
            return pool_.work(threads_.client());
        if (index >= first_watcher())
            return watch();
        if (index == posters + setup_.posters)
            return stop();
        for (std::size_t i = setup_.ready + index - posters; i < posted_by_threads();
             i += setup_.posters)
            setup_.io ? arrive_by_io(i + 1) : push(i + 1);
    }

    bool may_rest(std::size_t index) const override
    {
        // One that watches waits only where there is nothing to look at.
        return index >= first_watcher() || pool_.rests(index);
    }

    char const* wrong_at_end() const override
    {
        if (!setup_.stops && left_.get() != 0)
            return "a handler is left unrun";
        if ((succession_.lease_.word_.get() & 3) != 0)
            return "a lease is left";
        if (succession_.owner_thread_.get() != 0)
            return "an owner is left";
        if (succession_.asked_.get() != book_.is_under_way())
            return "a thread is awaited that will never come";
        if (threads_.in_section_.get() != 0 || threads_.callers_.size_.get() != 0)
            return "a thread is left";
        return pool_.wrong_at_end(succession_.asked_.get());
    }

private:
    using how_to_run = detail::how_to_run;

    // A handler that was given to the pool.
    struct task : detail::task
    {
        explicit task(succession_scenario& s) noexcept
            : detail::task(&task::act, {}, {})
            , of(s)
        {
        }
        task(task const& other) noexcept
            : task(other.of)
        {
        }

        static boost::core::typeinfo const* act(detail::task* base, detail::task_purpose purpose)
        {
            auto* const self = static_cast<task*>(base);
            if (purpose == detail::task_purpose::run)
            {
                after const done{self->of};
                self->of.run(static_cast<std::size_t>(self - self->of.tasks_.data()) + 1, false);
            }
            return nullptr;
        }

        succession_scenario& of;
    };

    struct helper : detail::task
    {
        explicit helper(succession_scenario& s) noexcept
            : detail::task(&helper::act, {}, {})
            , of(s)
        {
        }

        static boost::core::typeinfo const* act(detail::task* base, detail::task_purpose purpose)
        {
            if (purpose == detail::task_purpose::run)
            {
                succession_scenario& of = static_cast<helper*>(base)->of;
                of.help(*base);
                of.check_owed();
            }
            return nullptr;
        }

        succession_scenario& of;
    };
    static constexpr std::size_t help_task = 13; // among the tasks of the pool

    // One handler less is outstanding.
    struct after
    {
        succession_scenario& of;
        ~after()
        {
            access("has run a handler");
            of.left_.set(of.left_.get() - 1);
            if (of.left_.get() == 0)
                of.stopped_.set(1);
        }
    };

    // Allocates only where there is a story: what is allocated is a part of each state.
    static void access(char const* what, std::size_t n = 0)
    {
        point();
        if (tells())
            tell(n == 0 ? what : what + std::to_string(n));
    }

    // Among the handlers.
    static constexpr std::size_t wake = 15;    // the wake-up
    static constexpr std::size_t reactor = 13; // the look for I/O, by one thread at a time

    handler_kind const& kind(std::size_t n) const noexcept { return setup_.handlers[n - 1]; }
    std::size_t first_poster() const noexcept { return setup_.limits.size() + pool_.all(); }
    std::size_t first_watcher() const noexcept
    {
        return first_poster() + setup_.posters + setup_.stops;
    }

    // What others do not post is ready first.
    std::uint64_t first_ready() const noexcept
    {
        std::uint64_t q = 0;
        for (std::size_t i = 0; i != setup_.ready; ++i)
            q |= std::uint64_t{i + 1} << 4 * i;
        if (looks_for_io() && !setup_.asks)
            q |= std::uint64_t{reactor} << 4 * setup_.ready;
        return q;
    }

    // Elsewhere nobody hears of it.
    bool looks_for_io() const noexcept { return setup_.grace && !setup_.unobserved; }

    // Those behind are posted by handlers.
    std::size_t posted_by_threads() const noexcept
    {
        std::size_t n = setup_.handlers.size();
        for (handler_kind const& k : setup_.handlers)
            n -= k.posts != 0;
        return n;
    }

    // The io_context: what io_production calls of it.

    struct io
    {
        succession_scenario& of;

        std::size_t run()
        {
            native_count const counts(of);
            std::size_t n = 0;
            do
                of.fold(runs_as_owner, *of.frame());
            while (of.run_one(*of.frame(), true) && ++n != 0);
            return n;
        }
        std::size_t run_one() { return call(true); }
        std::size_t poll_one() { return call(false); }

        // A deadline comes before all else.
        std::size_t run_one_until(detail::time_point) { return 0; }
        std::size_t run_one_for(std::chrono::nanoseconds) { return 0; }

        bool stopped() const
        {
            access("looks whether it is stopped");
            observe(of.stopped_.get());
            return of.stopped_.get() != 0;
        }

    private:
        std::size_t call(bool may_wait)
        {
            native_count const counts(of);
            detail::call_frame& frame = *of.frame();
            std::uint64_t& last = of.last_number_[self()];
            if (of.succession_.leases() && frame.produces() && !frame.counts
                && last == frame.lease_number + 1)
                fail("a number of the lease stands for two handlers");
            bool const any = of.run_one(frame, may_wait);
            last = any ? frame.lease_number + 1 : 0;
            return any;
        }
    };

    // Handlers that the call has run and nothing has told of: its caller counts them when it returns.
    struct native_count
    {
        explicit native_count(succession_scenario& s) noexcept
            : n(s.native_[self()])
            , before(n)
        {
        }
        native_count(native_count const&) = delete;
        native_count& operator=(native_count const&) = delete;
        ~native_count() { n = before; }

        std::size_t& n;
        std::size_t const before;
    };

    void push(std::size_t n)
    {
        access("posts ", n);
        check_rest();
        add(n);
    }

    // Where nothing goes on but what comes from outside, no thread could take a free lease; but the
    // owner waits on where it was taken for late as it began to wait.
    void check_rest() const
    {
        bool const mistaken = mistakes_.get() != setup_.mistakes;
        if (self() < first_poster() || !is_alone() || mistaken || stopped_.get() != 0
            || !book_.is_free() || succession_.asked_.get())
            return;
        for (std::size_t i = 0; i != setup_.limits.size(); ++i)
            if ((blocked_.get() >> i & 1) == 0)
                fail("no thread has the lease, and none is to come");
    }

    void add(std::size_t n) noexcept
    {
        std::uint64_t const q = ready_.get();
        ready_.set(q | std::uint64_t{n} << (std::bit_width(q) + 3) / 4 * 4);
    }

    void arrive_by_io(std::size_t n)
    {
        access("has I/O for ", n);
        check_rest();
        arrived_.set(arrived_.get() << 4 | n);
    }

    // Asio creates what waits for I/O when something needs it.
    void provide_io() noexcept
    {
        access("provides I/O");
        if (has_reactor_.get() != 0)
            return;
        has_reactor_.set(1);
        add(reactor);
    }

    // False if there was no handler, or it was stopped.
    bool run_one(detail::call_frame& frame, bool may_wait)
    {
        owes_[self()] = false;
        for (bool has_looked = false;; has_looked = true)
        {
            if (may_wait && !has_looked)
            {
                stay_in(on_condition_, true);
                await([this] { return ready_.get() != 0 || stopped_.get() != 0; });
                stay_in(on_condition_, false);
            }
            else
                point();
            if (has_looked)
                end_look();
            bool const over = stopped_.get() != 0;
            std::uint64_t const n = over ? 0 : ready_.get() & 15;
            bool const none_left = ready_.get() >> 4 == 0;
            observe(n);
            if (tells())
                tell(n == 0 ? "finds no handler" : "finds handler " + std::to_string(n));
            if (n == 0 || (n == reactor && has_looked && !may_wait))
                return false;
            ready_.set(ready_.get() >> 4);
            if (n == reactor)
            {
                look_for_io(frame, may_wait && none_left);
                continue;
            }
            run_found(frame, n);
            return true;
        }
    }

    // As Asio's reactor, with the hook.
    void look_for_io(detail::call_frame& frame, bool waits)
    {
        observe(waits);
        bool& may_wait = book_.may_wait[self()];
        may_wait = false;
        detail::wait_observer* const observer = detail::wait_observer::of_this_thread();
        if (observer)
            observer->begin(0, waits);
        if (waits && frame.is_owner && !may_wait)
            fail("the owner waits for I/O without the lease");
        fold(looks_for_io_itself, frame, waits);
        if (waits)
        {
            stay_in(on_io_, true);
            await([this] {
                return (ready_.get() != 0 && on_condition_.get() == 0) || arrived_.get() != 0
                    || stopped_.get() != 0;
            });
        }
        else
            point();
        if (tells())
            tell("comes from its look for I/O");
        if (observer)
            observer->end(0, waits);
        fold(has_looked_for_io, frame);
    }

    // Says for what this thread waits. Asio prefers a thread that waits for its condition to the one
    // that waits for I/O; elsewhere any may come.
    void stay_in(word& where, bool on) const noexcept
    {
        std::uint64_t const me = std::uint64_t{1} << self();
        if (setup_.calls)
            where.set(on ? where.get() | me : where.get() & ~me);
    }

    // One step with what comes next: Asio has a mutex.
    void end_look() noexcept
    {
        if (tells())
            tell("has looked for I/O");
        stay_in(on_io_, false);
        for (std::uint64_t all = arrived_.get(); all != 0; all >>= 4)
            add(all & 15);
        arrived_.set(0);
        add(reactor);
    }

    void run_found(detail::call_frame& frame, std::size_t n)
    {
        owes_[self()] = n != wake;
        if (n == wake)
        {
            access("is called");
            wake_queued_.set(0);
            run_wake_up(0);
        }
        else if (++found_[self()]; wraps(kind(n)))
            run_posted(frame, n);
        else
        {
            ++native_[self()];
            after const done{*this};
            run(n, true);
        }
    }

    bool wraps(handler_kind const& k) const noexcept
    {
        return !k.native
            && (setup_.wraps || (setup_.grace && setup_.unobserved)
                || !decision_.is_plain(strategy_of(k), k.invocation));
    }

    ewyk::strategy_t strategy_of(handler_kind const& k) const noexcept
    {
        return k.for_pool ? ewyk::strategy_t::produce_execute_consume : setup_.strategy;
    }

    // What io_production asks for.

    static constexpr std::size_t unlimited = ~std::size_t{0};

    void const* frame_key() const noexcept { return this; }
    detail::call_frame* frame() const noexcept { return detail::call_frame::find(frame_key()); }

    // By the succession.
    void wake_up() noexcept override
    {
        if (wrong != flaw::returns_in_silence)
            send_wake_up();
    }

    void send_wake_up(char const* where = __builtin_FUNCTION()) noexcept
    {
        if (wrong == flaw::leaves_unheard && where == std::string_view("operator()"))
            return;
        owes_[self()] = false;
        access("sends a wake-up, unless one is under way");
        if (wake_queued_.get() != 0)
            return;
        wake_queued_.set(1);
        add(wake);
    }
    bool wake_up_waits() const noexcept { return wake_queued_.get() != 0; }

    // The thread that is woken may come at once, or later than this one waits for it; but where the
    // owner was called it comes, if it still waits.
    template <class Awaited>
    void await_wake_up(std::size_t, Awaited const&) noexcept
    {
        send_wake_up();
        if (setup_.calls)
            await([this] { return wake_queued_.get() == 0 || on_io_.get() == 0; });
    }

    // No thread's exceptions are passed to others, no tasks are kept for the next call, and all that
    // calls Asio has a frame.
    void learn_reactor(int) const noexcept {}
    bool any_passed() const noexcept { return false; }
    void rethrow_passed() const noexcept {}
    void keep_recalled(detail::task*) const noexcept {}
    bool has_recalled() const noexcept { return false; }
    void resubmit_recalled() const noexcept {}
    bool runs_io() const noexcept { return true; }
    void run_task(detail::task& t) const { t.run(); }
    void report_stray(std::exception_ptr const&) const noexcept { fail("a caller that leaves produces"); }

    // Where the search takes states for the same: behind those of io_production.
    enum fold_place : std::size_t
    {
        runs_as_owner = 8,
        has_decided,
        ends_handler,
        has_ended_handler,
        looks_for_io_itself,
        has_looked_for_io,
    };
    static_assert(static_cast<std::size_t>(place::helps) < runs_as_owner);
    static_assert(has_looked_for_io < detail::elastic_threads::awaits);

    void at(place p, detail::call_frame const* frame, std::size_t more = 0) noexcept
    {
        auto const where = static_cast<std::size_t>(p);
        if (p == place::leaves && std::exchange(found_[self()], std::size_t{0}) != frame->counted
            && std::uncaught_exceptions() == 0)
            fail("a handler is not counted, or twice");
        if (p == place::looks || p == place::ends_call)
            check_owed();
        if (frame)
            fold(where, *frame, more + 8 * (std::uncaught_exceptions() != 0));
        else
            forget(((p == place::ends_call ? 0 : counted_if_limited()) * 8 + more) * 16 + where);
    }

    // All that is left of what the thread knows, at that place in the code, is in its frame.
    void fold(std::size_t where, detail::call_frame const& frame, std::size_t more = 0) noexcept
    {
        std::size_t const me = self();
        std::size_t const counted = frame.counted + native_[me];
        std::uint64_t left = frame.lease_number * 256 + more;
        left = left * 16 + (limit_[me] == unlimited ? 0 : counted + 1);
        left = left * 4 + frame.counts + 2 * frame.is_helper;
        left = left * 32 + frame.produces() + 2 * (counted + frame.uncounted != 0)
            + 4 * frame.is_owner + 8 * (frame.leased_by != nullptr) + 16 * book_.lost[me];
        forget((left * 8 + counted_if_limited()) * 16 + where);
    }

    std::size_t counted_if_limited() const noexcept
    {
        return limit_[self()] == unlimited ? 0 : counted_[self()];
    }

    void ends_task(detail::call_frame const& frame, bool kept, bool over) noexcept override
    {
        fold(over ? has_ended_handler : ends_handler, frame, 2 * runs_now_[self()] + kept);
    }

    // Asio keeps some of what a handler has posted for the thread that has run it, and wakes no other.
    void check_owed() const noexcept
    {
        if (owes_[self()] && succession_.leases() && stopped_.get() == 0)
            fail("a thread has run a handler, and leaves in silence");
    }

    void arrive() override
    {
        io_production::arrive();
        check_owed();
    }

    // What runs a handler, as strategy_service_impl::run_posted() and give().

    void run_posted(detail::call_frame& frame, std::size_t n)
    {
        bool may_block = true;
        how_to_run how = decision_.decide(
            frame, strategy_of(kind(n)), kind(n).invocation, nullptr, may_block);
        if (how == how_to_run::given && wrong == flaw::blocks_producer)
            how = succession_.keep(frame) ? how_to_run::kept : how_to_run::here;
        ++frame.counted;
        fold(has_decided, frame, 16 * n + static_cast<std::size_t>(how));
        if (how == how_to_run::given)
            return give(n);
        after const done{*this};
        detail::decision::running const until_end(decision_, frame, how);
        run(n, true);
    }

    void give(std::size_t n)
    {
        pool_.product[self()] = n;
        if (detail::task* const refused
            = threads_.give(detail::task_ptr(&tasks_[n - 1]),
                detail::traits_of(strategy_of(kind(n))).queues_for_pool))
            run_refused(refused);
    }

    // In an exclusive context only one handler may run, but for those in sections.
    void run(std::size_t n, bool inside)
    {
        handler_kind const& k = kind(n);
        access("runs handler ", n);
        std::uint64_t const bit = std::uint64_t{1} << (n - 1);
        if ((begun_.get() & bit) != 0)
            fail("a handler runs twice");
        begun_.set(begun_.get() | bit);
        runs_now_[self()] = n;
        bool const alone = inside && succession_.is_exclusive();
        if (alone)
            begin_alone();
        else if (detail::call_frame const& f = *frame(); inside && !f.is_owner && !f.is_helper)
            book_.run_one_more();
        struct leave
        {
            succession_scenario& of;
            bool alone;
            ~leave()
            {
                if (alone)
                    of.runs_.set(0);
            }
        } const at_end{*this, alone};
        if (k.posts != 0)
            push(k.posts);
        bool entered = false;
        if (k.section)
        {
            if (alone)
                runs_.set(0);
            detail::call_frame::end_leases();
            entered = detail::call_frame::enter_section(&k);
        }
        if (k.waits_for != 0)
        {
            std::uint64_t const me = std::uint64_t{1} << self();
            blocked_.set(blocked_.get() | me);
            await([&] { return (begun_.get() >> (k.waits_for - 1) & 1) != 0; });
            blocked_.set(blocked_.get() & ~me);
        }
        if (k.section)
        {
            if (entered)
                detail::call_frame::leave_section(&k);
            if (alone)
            {
                access("is back");
                begin_alone();
            }
        }
        if (k.throws)
            throw 1;
    }

    void begin_alone()
    {
        if (runs_.get() != 0)
            fail("two handlers run at a time");
        if (!book_.is_held())
            fail("a handler runs without the lease");
        runs_.set(1);
    }

    // A caller of run(), as strategy_service_impl::call(), and what stops it.

    void call(std::size_t limit)
    {
        std::size_t const me = self();
        limit_[me] = limit == 0 ? unlimited : limit;
        do
            try
            {
                caller here{.stepping = false, .inner = false};
                threads_.runner_came(false);
                detail::at_exit const leaves([&] { leave_call(here); });
                counted_[me] = 0;
                caller_loop(here, counted_[me], {limit_[me], detail::forever});
            }
            catch (int)
            {
            }
        while (!ioc_.stopped());
    }

    void stop()
    {
        access("stops it");
        stopped_.set(1);
        recall_tasks();
        threads_.wake_all();
    }

    // What the watchdog does about a late handler: look at a lease, let the grace pass, take over.
    // That may come at any time.
    void watch()
    {
        if (setup_.asks)
            succession_.watch_.lessor_.ask_for_sign();
        if (setup_.helped)
        {
            pool_.product[self()] = help_task;
            pool_.try_execute(threads_.client(), &helper_);
        }
        for (bool calls = setup_.calls;;)
        {
            // A thread that waits for I/O is taken for late only where it has begun to since it was
            // seen.
            auto const late = [&] {
                std::uint64_t const n = succession_.lease_.word_.get();
                std::uint64_t const mark = succession_.lease_.mark_.get();
                bool const polls = mark >> 18 == n >> 3
                    && (mark >> 16 & 3) == static_cast<unsigned>(detail::lease::activity::polls);
                return (n & 1) != 0 && !polls
                    && (mistakes_.get() != 0 || (blocked_.get() >> book_.holder() & 1) != 0);
            };
            // The watchdog calls again and again; what counts is where a thread waits for the
            // condition.
            auto const is_lent = [&] {
                std::uint64_t const n = succession_.lease_.word_.get();
                return calls && on_condition_.get() != 0 && (n & 1) != 0
                    && succession_.lease_.mark_.get() >> 16 == (n >> 3 << 2 | 2)
                    && succession_.owner_thread_.get() != 0
                    && (succession_.owner_thread_.get() != static_cast<int>(succession_.lease_.producer_.get())
                        || succession_.lent_.get() != 0);
            };
            forget(calls);
            await([&] { return late() || is_lent(); });
            if (is_lent())
            {
                if (tells())
                    tell("calls the owner");
                calls = false;
                observe(1);
                succession_.watch_.lessor_.wake_owner();
                continue;
            }
            std::uint64_t const which = succession_.lease_.word_.get() >> 3;
            if ((blocked_.get() >> book_.holder() & 1) == 0)
                mistakes_.set(mistakes_.get() - 1);
            if (tells())
                tell("sees the lease");
            forget(which * 4 + 2 + calls);
            succession_.watch_.lessor_.take_over(which);
        }
    }

    bool watches() const noexcept override { return self() >= first_watcher(); }

    setup const& setup_;
    book book_;
    word woken_{0}; // see sleep
    std::array<std::size_t, 8> depth_{};
    std::array<detail::wait_observer*, 8> observers_{};
    io ioc_{*this};
    detail::elastic_threads pool_;
    detail::workforce threads_;
    helper helper_;
    detail::succession succession_;
    detail::decision decision_;
    detail::parallelism parallelism_;
    std::vector<task> tasks_;
    word ready_; // four bits each, the first in the lowest
    word left_;  // so many handlers have not ended
    word mistakes_;
    word has_reactor_;
    word on_condition_{0}; // a bit for each thread that waits so
    word on_io_{0};
    word arrived_{0};     // by I/O that nobody has looked for, four bits each
    word blocked_{0}; // a bit for each thread that waits in a handler
    word stopped_{0};
    word wake_queued_{0};
    word begun_{0}; // a bit for each handler
    word runs_{0};  // whether a handler runs, where one may at a time
    std::array<std::size_t, 8> counted_{}; // by callers of run()
    std::array<std::size_t, 8> limit_{};
    std::array<std::size_t, 8> native_{};   // see native_count
    std::array<std::size_t, 8> runs_now_{}; // the handler
    std::array<std::size_t, 8> found_{};    // so many handlers, by a thread that runs them
    std::array<bool, 8> owes_{};            // a thread, a look at what is ready
    std::array<std::uint64_t, 8> last_number_{}; // of the lease, as a handler was over, and 1; 0: there is none
};

class succession_maker final : public maker
{
public:
    explicit succession_maker(setup const& s)
        : setup_(s)
    {
        static bool const kept_apart = [] {
            keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
            detail::number_of_this_thread = [] { return static_cast<int>(self()) + 1; };
            stepped::leaves_out = &is_forgotten;
            return true;
        }();
        (void)kept_apart;
    }

    scenario* make() const override
    {
        return ::new (std::malloc(sizeof(succession_scenario))) succession_scenario(setup_);
    }

private:
    setup const& setup_;
};

}

#endif
