// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Threads that run a context, as strategy_service does it: over an io_context that is a queue of
// handlers, with its look for I/O among them, and a flag that it was stopped.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_SCENARIO_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_SCENARIO_HPP

#include "succession_parts.hpp"

#include <asio_ewyk/detail/engine/decision.hpp>

#include <cstdlib>
#include <exception>
#include <new>
#include <optional>

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
    , private detail::succession_host
{
public:
    explicit succession_scenario(setup const& s)
        : setup_(s)
        , pool_({s.limits.size(), s.parked, s.startable})
        , workforce_(pool_, this, s.strategy != ewyk::strategy_t::produce_consume)
        , helper_(*this)
        , of_(workforce_, s.strategy, std::chrono::nanoseconds(s.grace ? 1 : 0),
              s.strategy != ewyk::strategy_t::produce_consume,
              s.strategy == ewyk::strategy_t::produce_consume, this, *this)
        , decision_(of_, {})
        , tasks_(s.handlers.size(), task(*this))
        , ready_(first_ready())
        , left_(s.handlers.size())
        , mistakes_(s.mistakes)
        , has_reactor_(looks_for_io() && !s.asks)
    {
        sleep::woken = &woken_;
        sleep::depth = &depth_;
        workforce_.client().pool = &pool_;
        if (of_.watch().in_use() && !s.unobserved)
            of_.watch().observe_waits();
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
            return pool_.work(workforce_.client());
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
        if ((of_.lease_.word_.get() & 3) != 0)
            return "a lease is left";
        if (of_.owner_thread_.get() != 0)
            return "an owner is left";
        if (of_.asked_.get() != book_.is_under_way())
            return "a thread is awaited that will never come";
        if (workforce_.in_section_.get() != 0 || workforce_.callers_.size_.get() != 0)
            return "a thread is left";
        return pool_.wrong_at_end(of_.asked_.get());
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
                static_cast<helper*>(base)->of.help();
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

    // The io_context

    bool stopped() const
    {
        access("looks whether it is stopped");
        observe(stopped_.get());
        return stopped_.get() != 0;
    }

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
            || !book_.is_free() || of_.asked_.get())
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
    void provide_io()
    {
        access("provides I/O");
        if (has_reactor_.get() != 0)
            return;
        has_reactor_.set(1);
        add(reactor);
    }

    // As io_context::run_one(), or poll_one(). False if there was no handler, or it was stopped.
    bool run_one(detail::call_frame& frame, bool may_wait = true)
    {
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

    // As Asio's reactor, with strategy_service::poll_observer.
    void look_for_io(detail::call_frame& frame, bool waits)
    {
        observe(waits);
        bool& may_wait = book_.may_wait[self()];
        may_wait = false;
        bool const has = of_.has_lease(frame);
        if (!has && (frame.is_owner || waits))
            of_.take_back(frame);
        if (waits)
            of_.begin_wait(frame);
        if (waits && frame.is_owner && !may_wait)
            fail("the owner waits for I/O without the lease");
        forget_but(13, frame, waits);
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
        if (frame.produces())
            of_.end_wait(frame);
        forget_but(14, frame);
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
        if (n == wake)
            on_wake_up(frame);
        else if (wraps(kind(n)))
            run_posted(frame, n);
        else
        {
            ++frame.counted;
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

    // By the succession.
    void wake_up() noexcept override
    {
        if (wrong != flaw::returns_in_silence)
            send_wake_up();
    }

    void send_wake_up()
    {
        access("sends a wake-up, unless one is under way");
        if (wake_queued_.get() != 0)
            return;
        wake_queued_.set(1);
        add(wake);
    }

    void on_wake_up(detail::call_frame& frame)
    {
        access("is called");
        wake_queued_.set(0);
        bool const asked = setup_.asks && of_.give_sign();
        if (asked && of_.needs_io())
            provide_io();
        ++frame.uncounted;
        if (of_.is_exclusive())
        {
            if (frame.produces() && of_.has_returning())
                of_.pass_lease(frame, frame.is_owner && wrong != flaw::owner_passes_and_goes_on);
        }
        else if (!of_.renew_or_resume(frame) && frame.is_owner && wrong != flaw::owner_does_not_come)
            take_right_back(frame);
        else if (asked && frame.is_owner && of_.has_lent_thread())
            wake_lent_thread(frame);
        if (!setup_.counts || !frame.is_owner || std::exchange(frame.counts, true))
            return;
        struct end
        {
            detail::call_frame& frame;
            ~end() { frame.counts = false; }
        } const on_exit{frame};
        while (run_one(frame, false))
        {
        }
    }

    // The thread that is woken may come at once, or later than this one waits for it; but where the
    // owner was called it comes, if it still waits.
    void take_right_back(detail::call_frame& frame)
    {
        if (of_.take_back(frame))
            wake_lent_thread(frame);
    }

    void wake_lent_thread(detail::call_frame& frame)
    {
        bool const kept = of_.keep(frame);
        send_wake_up();
        if (setup_.calls)
            await([this] { return wake_queued_.get() == 0 || on_io_.get() == 0; });
        if (kept)
            of_.keep_no_more(frame);
    }

    // What runs a handler.

    void run_posted(detail::call_frame& frame, std::size_t n)
    {
        bool may_block = true;
        how_to_run how = decision_.decide(
            frame, strategy_of(kind(n)), kind(n).invocation, nullptr, may_block);
        if (how == how_to_run::given && wrong == flaw::blocks_producer)
            how = of_.keep(frame) ? how_to_run::kept : how_to_run::here;
        forget_but(3, frame, 16 * n + static_cast<std::size_t>(how));
        if (how == how_to_run::given)
        {
            ++frame.counted;
            return give(n);
        }
        after const done{*this};
        until_end const running(*this, frame, n, how);
        run(n, true);
    }

    struct until_end
    {
        until_end(succession_scenario& s, detail::call_frame& f, std::size_t n, how_to_run how) noexcept
            : of(s)
            , frame(f)
            , left(16 * n + static_cast<std::size_t>(how))
            , running(std::in_place, s.decision_, f, how)
        {
        }
        until_end(until_end const&) = delete;
        until_end& operator=(until_end const&) = delete;

        ~until_end()
        {
            of.forget_but(4, frame, left);
            ++frame.counted;
            running.reset();
            of.forget_but(5, frame, left);
        }

        succession_scenario& of;
        detail::call_frame& frame;
        std::size_t left;
        std::optional<detail::decision::running> running;
    };

    void give(std::size_t n)
    {
        pool_.product[self()] = n;
        if (detail::task* const refused
            = workforce_.give(detail::task_ptr(&tasks_[n - 1]),
                detail::traits_of(strategy_of(kind(n))).queues_for_pool))
            run_refused(refused);
    }

    void run_refused(detail::task* t)
    {
        if (!(t = of_.task_to_run(t)))
            return;
        detail::call_frame& here = *detail::call_frame::find(this);
        if (here.in_task)
            return t->run();
        bool const kept = wrong == flaw::keeps_what_is_back && !of_.is_exclusive() && of_.keep(here);
        if (!kept)
            of_.yield_right(here);
        auto const n = static_cast<std::size_t>(static_cast<task*>(t) - tasks_.data()) + 1;
        until_end const running(*this, here, n, kept ? how_to_run::kept : how_to_run::here);
        --here.counted; // it was counted when it was given away
        t->run();
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
        bool const alone = inside && of_.is_exclusive();
        if (alone)
            begin_alone();
        else if (detail::call_frame const& f = *detail::call_frame::find(this);
                 inside && !f.is_owner && !f.is_helper)
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

    // Threads that produce, as strategy_service::produce.

    bool must_leave(detail::call_frame const& frame) const
    {
        return frame.is_pooled() && (workforce_.not_stepping() == 0 || workforce_.should_give_back(frame));
    }

    // All that is left of what the thread knows, at that place in the code, is in its frame.
    void forget_but(std::size_t where, detail::call_frame const& frame, std::size_t more = 0)
    {
        std::size_t const me = self();
        std::uint64_t left = frame.lease_number * 256 + more;
        left = left * 16 + (limit_[me] == unlimited ? 0 : frame.counted + 1);
        left = left * 4 + frame.counts + 2 * frame.is_helper;
        left = left * 32 + frame.produces() + 2 * (frame.counted + frame.uncounted != 0)
            + 4 * frame.is_owner + 8 * (frame.leased_by != nullptr) + 16 * book_.lost[me];
        forget((left * 8 + counted_[me]) * 16 + where);
    }

    void produce(detail::call_frame& frame, std::size_t limit)
    {
        struct out
        {
            succession_scenario& of;
            detail::call_frame& frame;

            ~out()
            {
                if (std::exchange(frame.is_owner, false))
                {
                    of.of_.resign_owner();
                    of.count_lent(1);
                }
                bool const stopped = of.stopped();
                bool const only = !frame.is_pooled() && of.workforce_.runners() == 1;
                std::size_t const known
                    = 4 * only + 2 * (std::uncaught_exceptions() != 0) + stopped;
                of.forget_but(6, frame, known);
                of.of_.stop_producing(frame, !stopped && !only);
                of.forget_but(7, frame, known);
                if (stopped)
                {
                    if (wrong != flaw::end_wakes_none)
                        of.workforce_.wake_all();
                }
                else if (frame.counted + frame.uncounted != 0
                    && (of.of_.leases() || of.workforce_.runners() > 1 || of.workforce_.any_in_section()))
                    of.send_wake_up();
            }
        } const on_exit{*this, frame};
        bool const may_own = limit == unlimited && !frame.is_pooled();
        while (frame.counted < limit && !must_leave(frame))
        {
            forget_but(1, frame);
            bool const is_owner = frame.is_owner = may_own && can_have_owner() && of_.become_owner();
            if (is_owner)
                count_lent(-1);
            if (!is_owner && !frame.produces() && wrong != flaw::late_stays_inside)
                break;
            bool any = false;
            if (is_owner)
                do
                    forget_but(2, frame);
                while (run_one(frame));
            else
                any = run_next(frame);
            if (is_owner || !any || !frame.produces()
                || (!of_.is_exclusive() && !renew_or_resume(frame)))
                break;
        }
    }

    bool can_have_owner() const
    {
        return of_.is_exclusive() ? !workforce_.any_in_section() : of_.watch().observes_waits();
    }

    bool run_next(detail::call_frame& frame)
    {
        if (of_.watch().in_use() && !of_.watch().observes_waits())
        {
            of_.mark_busy(frame);
            if (run_one(frame, false))
                return true;
            if (!of_.renew_or_resume(frame) || stopped())
                return false;
        }
        return run_one(frame);
    }

    bool renew_or_resume(detail::call_frame& frame)
    {
        return of_.renew_or_resume(frame) || wrong == flaw::late_stays_inside;
    }

    // A thread of the pool that was asked to.
    void arrive() override
    {
        detail::call_frame& here = *detail::call_frame::find(this);
        struct end
        {
            succession_scenario& of;
            ~end() { of.count_lent(-1); }
        } const on_exit{*this};
        count_lent(1);
        if (!succession_arrives(here))
            return;
        if (of_.needs_io())
            provide_io();
        if (of_.watch().in_use())
            workforce_.pool().keep_one_parked();
        produce(here, unlimited);
    }

    void count_lent(int n)
    {
        if (wrong == flaw::lent_is_not_counted)
            return;
        if (n > 0)
            of_.lent_thread_came();
        else
            of_.lent_thread_left();
    }

    // Without the right, beside the thread that produces.
    void help()
    {
        detail::call_frame& here = *detail::call_frame::find(this);
        here.in_task = false;
        struct end
        {
            succession_scenario& of;
            detail::call_frame& frame;
            ~end()
            {
                frame.is_helper = false;
                of.of_.helper_left();
                of.send_wake_up();
            }
        } const on_exit{*this, here};
        here.is_helper = true;
        of_.helper_came();
        do
            forget_but(15, here);
        while (!must_leave(here) && !stopped() && run_one(here, false));
    }

    bool succession_arrives(detail::call_frame& frame)
    {
        bool const produces = of_.arrive(frame);
        if (wrong == flaw::arrives_late)
            of_.asked_.store(false);
        return produces;
    }

    // The callers of run(), as strategy_service::call and caller_loop.

    void call(std::size_t limit)
    {
        do
            try
            {
                workforce_.runner_came(false);
                struct caller
                {
                    succession_scenario& of;
                    ~caller() { of.leave_call(); }
                } const here{*this};
                caller_loop(limit == 0 ? unlimited : limit);
            }
            catch (int)
            {
            }
        while (!stopped());
    }

    void leave_call()
    {
        auto const [last, last_to_run] = workforce_.runner_left(false);
        bool const over = stopped();
        forget((last + 2 * last_to_run + 4 * over) * 16 + 11);
        if (over)
            workforce_.wake_all();
        if (last_to_run)
            quiesce_pool();
        if (!last && !over)
        {
            of_.dispatch();
            if (workforce_.client().size() != 0)
                workforce_.wake_idle_caller();
        }
    }

    // It waits only for so long as there is nothing to do about it.
    void quiesce_pool()
    {
        std::uint64_t const all
            = ((std::uint64_t{1} << pool_.all()) - 1) << setup_.limits.size();
        do
        {
            recall_tasks();
            send_wake_up();
            forget(12);
            await([&] {
                return pool_.queued() != 0 || workforce_.not_stepping_.get() != 0
                    || (pool_.all_have_begun() && !workforce_.client().runs_any(all));
            });
        } while (workforce_.client().size() != 0 && workforce_.not_stepping() == 0);
    }

    void caller_loop(std::size_t limit)
    {
        detail::idle_caller self;
        self.sleep.job = &self.job;
        std::size_t& counted = counted_[interleaving::self()];
        counted = 0;
        limit_[interleaving::self()] = limit;
        auto const produce_if = [&](bool arrives) {
            detail::call_frame frame(this);
            struct add
            {
                std::size_t& counted;
                std::size_t limit;
                detail::call_frame& frame;
                ~add() { counted += limit == unlimited ? 0 : frame.counted; }
            } const at_end{counted, limit, frame};
            struct end
            {
                succession_scenario& of;
                ~end() { of.count_lent(-1); }
            } const on_exit{*this};
            count_lent(1);
            if ((arrives ? succession_arrives(frame) : of_.acquire(frame)) || may_become_owner(limit))
                produce(frame, limit == unlimited ? limit : limit - counted);
        };
        while (counted < limit && !stopped())
        {
            forget(counted * 16 + 8);
            if (of_.is_free() || may_become_owner(limit))
            {
                produce_if(false);
                if (counted >= limit || stopped())
                    break;
            }
            detail::task* job = workforce_.take();
            if (!job && (!park_caller(self) || !(job = std::exchange(self.job, nullptr))))
                continue;
            if (job == &of_)
            {
                produce_if(true);
            }
            else
                run_job(job);
        }
    }

    bool may_become_owner(std::size_t limit) const
    {
        return limit == unlimited && !of_.is_exclusive() && of_.watch().observes_waits()
            && !of_.has_owner();
    }

    void run_job(detail::task* job)
    {
        detail::call_frame frame(this);
        frame.in_task = true;
        workforce_.client().run(job);
    }

    bool park_caller(detail::idle_caller& self)
    {
        detail::idle_callers& callers = workforce_.callers();
        std::size_t const left = counted_[interleaving::self()] * 16;
        forget(left + 9);
        callers.park(self);
        bool const busy = (wrong != flaw::parks_without_look && of_.is_free())
            || workforce_.client().size() != 0 || stopped();
        if (busy && callers.withdraw(self))
            return false;
        forget(left + 10);
        return self.sleep.park_until(detail::forever);
    }

    // As strategy_service::stop and recall_tasks.

    void stop()
    {
        access("stops it");
        stopped_.set(1);
        recall_tasks();
        workforce_.wake_all();
    }

    void recall_tasks()
    {
        while (detail::task* const t = workforce_.take())
            if (t == &of_)
            {
                of_.give_up_request();
            }
        if (workforce_.runners() == 0 || stopped())
            return;
        of_.dispatch();
    }

    // What the watchdog does about a late handler: look at a lease, let the grace pass, take over.
    // That may come at any time.
    void watch()
    {
        if (setup_.asks)
            of_.watch_.lessor_.ask_for_sign();
        if (setup_.helped)
        {
            pool_.product[self()] = help_task;
            pool_.try_execute(workforce_.client(), &helper_);
        }
        for (bool calls = setup_.calls;;)
        {
            // A thread that waits for I/O is taken for late only where it has begun to since it was
            // seen.
            auto const late = [&] {
                std::uint64_t const n = of_.lease_.word_.get();
                std::uint64_t const mark = of_.lease_.mark_.get();
                bool const polls = mark >> 18 == n >> 3
                    && (mark >> 16 & 3) == static_cast<unsigned>(detail::lease::activity::polls);
                return (n & 1) != 0 && !polls
                    && (mistakes_.get() != 0 || (blocked_.get() >> book_.holder() & 1) != 0);
            };
            // The watchdog calls again and again; what counts is where a thread waits for the
            // condition.
            auto const is_lent = [&] {
                std::uint64_t const n = of_.lease_.word_.get();
                return calls && on_condition_.get() != 0 && (n & 1) != 0
                    && of_.lease_.mark_.get() >> 16 == (n >> 3 << 2 | 2)
                    && of_.owner_thread_.get() != 0
                    && (of_.owner_thread_.get() != static_cast<int>(of_.lease_.producer_.get())
                        || of_.lent_.get() != 0);
            };
            forget(calls);
            await([&] { return late() || is_lent(); });
            if (is_lent())
            {
                if (tells())
                    tell("calls the owner");
                calls = false;
                observe(1);
                of_.watch_.lessor_.wake_owner();
                continue;
            }
            std::uint64_t const which = of_.lease_.word_.get() >> 3;
            if ((blocked_.get() >> book_.holder() & 1) == 0)
                mistakes_.set(mistakes_.get() - 1);
            if (tells())
                tell("sees the lease");
            forget(which * 4 + 2 + calls);
            of_.watch_.lessor_.take_over(which);
        }
    }

    bool watches() const noexcept override { return self() >= first_watcher(); }

    static constexpr std::size_t unlimited = ~std::size_t{0};

    setup const& setup_;
    book book_;
    word woken_{0}; // see sleep
    std::array<std::size_t, 8> depth_{};
    detail::elastic_threads pool_;
    detail::workforce workforce_;
    helper helper_;
    detail::succession of_;
    detail::decision decision_;
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
    std::array<std::size_t, 8> counted_{}; // where that is limited
    std::array<std::size_t, 8> limit_{};
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
