// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Threads that run a context, as strategy_service does it: over an io_context that is a queue of
// handlers, and a flag that it was stopped.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_SCENARIO_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_SUCCESSION_SCENARIO_HPP

#include "succession_parts.hpp"

#include <cstdlib>
#include <exception>
#include <new>

namespace interleaving {

struct handler_kind
{
    ewyk::invocation_t invocation = ewyk::invocation_t::blocking;
    bool native = false;       // nothing wraps it
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
    // The callers of run(); or with a limit, of run_one() and its siblings that wait, again and
    // again.
    std::vector<std::size_t> limits = {0};
    bool grace = false;     // others may take over from a thread that is late,
    bool endless = false;   // and none is late by itself
    bool two_watch = false; // threads are started by a second thread that watches
    bool visits = false;    // native handlers were late before
    bool stops = false;     // a thread stops the io_context

    std::size_t watchers() const noexcept { return !grace || endless ? 0 : two_watch ? 2 : 1; }
};

class succession_scenario final : public scenario, private saboteur
{
public:
    explicit succession_scenario(setup const& s)
        : setup_(s)
        , pool_({s.limits.size(), s.parked, s.startable})
        , crew_(pool_, this, s.strategy != ewyk::strategy_t::produce_consume)
        , request_(*this)
        , of_(crew_, s.strategy, std::chrono::nanoseconds(s.grace ? 1 : 0),
              s.strategy != ewyk::strategy_t::produce_consume,
              s.strategy == ewyk::strategy_t::produce_consume, this, request_)
        , tasks_(s.handlers.size(), task(*this))
        , ready_(first_ready())
        , left_(s.handlers.size())
    {
        sleep::woken = &woken_;
        sleep::depth = &depth_;
        crew_.pool().client().pool = &pool_;
        of_.wake_by(
            [](void* self) noexcept { static_cast<succession_scenario*>(self)->wake_up(true); },
            this);
        of_.visits_.word_.set(s.visits ? 2 : 0);
        // A slot for each caller.
        crew_.callers().free_.bits_.set((std::uint64_t{1} << s.limits.size()) - 1);
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
            return pool_.work(crew_.pool().client());
        if (index >= first_watcher())
            return watch(index == first_watcher());
        if (index == posters + setup_.posters)
            return stop();
        for (std::size_t i = setup_.ready + index - posters; i < posted_by_threads();
             i += setup_.posters)
            push(i + 1);
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
        if (of_.asked_.get() != book_.is_under_way())
            return "a thread is awaited that will never come";
        if (crew_.away_.get() != 0 || crew_.callers_.parked_.any())
            return "a thread is left";
        return pool_.wrong_at_end(of_.asked_.get());
    }

private:
    enum class way
    {
        leased,
        handed_over,
        kept,
        here,
        given,
    };

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

    struct request : detail::task
    {
        explicit request(succession_scenario& s) noexcept
            : detail::task(&request::act, s.setup_.strategy, ewyk::invocation_t::blocking, true)
            , of(s)
        {
        }

        static boost::core::typeinfo const* act(detail::task* base, detail::task_purpose purpose)
        {
            if (purpose == detail::task_purpose::run)
                static_cast<request*>(base)->of.arrive();
            return nullptr;
        }

        succession_scenario& of;
    };

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

    static constexpr std::size_t wake = 15; // among the handlers, the wake-up

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
        return q;
    }

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
        add(n);
    }

    void add(std::size_t n) noexcept
    {
        std::uint64_t const q = ready_.get();
        ready_.set(q | std::uint64_t{n} << (std::bit_width(q) + 3) / 4 * 4);
    }

    // Waits for a handler, and runs it. False if the io_context was stopped.
    bool run_one(detail::call_frame& frame, bool may_wait = true)
    {
        if (!frame.produces())
            fail("a thread that was superseded waits inside");
        if (may_wait)
            await([this] { return ready_.get() != 0 || stopped_.get() != 0; });
        else
            point();
        bool const over = stopped_.get() != 0;
        std::uint64_t const n = over ? 0 : ready_.get() & 15;
        observe(n);
        if (tells())
            tell(n == 0 ? "finds no handler" : "finds handler " + std::to_string(n));
        if (n == 0)
            return false;
        ready_.set(ready_.get() >> 4);
        if (n == wake)
        {
            woken(frame);
            return true;
        }
        if (kind(n).native)
        {
            ++frame.counted;
            after const done{*this};
            run(n, true);
        }
        else
            run_posted(frame, n);
        return true;
    }

    void wake_up(bool by_succession = false)
    {
        if (by_succession && wrong == flaw::returns_in_silence)
            return;
        access("sends a wake-up, unless one is under way");
        if (wake_queued_.get() != 0)
            return;
        wake_queued_.set(1);
        add(wake);
    }

    void woken(detail::call_frame& frame)
    {
        access("is called");
        wake_queued_.set(0);
        ++frame.uncounted;
        if (of_.is_exclusive())
        {
            if (frame.produces() && of_.awaited())
                of_.serve_section(frame, frame.stays && crew_.runners() == 1);
        }
        else
            settle(frame);
        if (must_leave(frame) || !frame.produces())
            come_out(frame);
    }

    // What runs a handler.

    void run_posted(detail::call_frame& frame, std::size_t n)
    {
        way const how = decide(frame, kind(n).invocation);
        forget_but(3, frame, 16 * n + static_cast<std::size_t>(how));
        if (how == way::given)
        {
            ++frame.counted;
            give(n);
            if (!of_.is_exclusive() && !of_.has_lease(frame) && !settle(frame))
                come_out(frame);
            return;
        }
        after const done{*this};
        until_end const running(*this, frame, n, how);
        run(n, true);
    }

    struct until_end
    {
        until_end(succession_scenario& s, detail::call_frame& f, std::size_t n, way h) noexcept
            : of(s)
            , frame(f)
            , number(n)
            , how(h)
        {
            frame.in_task = true;
        }
        until_end(until_end const&) = delete;
        until_end& operator=(until_end const&) = delete;

        ~until_end()
        {
            of.forget_but(4, frame, 16 * number + static_cast<std::size_t>(how));
            of.end_task(frame, how);
            of.forget_but(5, frame, number);
        }

        succession_scenario& of;
        detail::call_frame& frame;
        std::size_t number;
        way how;
    };

    way decide(detail::call_frame& frame, ewyk::invocation_t i)
    {
        using enum detail::sub_strategy;
        ewyk::strategy_t const s = setup_.strategy;
        auto sub = detail::choose(s, i, true, true);
        if (sub == execute_produce_consume)
        {
            if (!of_.has_lease(frame))
                return way::here;
            if (of_.watch().in_use() && of_.may_be_taken_over(frame, s))
            {
                of_.mark_task(frame);
                return way::leased;
            }
            sub = detail::choose(s, i, true, of_.hand_over(frame, s));
        }
        if (sub == produce_execute_consume && wrong != flaw::blocks_producer)
            return way::given;
        if (sub == execute_produce_consume)
            return way::handed_over;
        return !of_.is_exclusive() && of_.keep(frame) ? way::kept : way::here;
    }

    void end_task(detail::call_frame& frame, way how)
    {
        ++frame.counted;
        frame.in_task = false;
        if (how == way::kept)
            of_.keep_no_more(frame);
        else if (!of_.is_exclusive() && !settle(frame))
            come_out(frame);
    }

    bool settle(detail::call_frame& frame)
    {
        return of_.settle(frame) || wrong == flaw::late_stays_inside;
    }

    void come_out(detail::call_frame& frame)
    {
        if (std::exchange(frame.stays, false))
            leaves_[self()] = true;
    }

    void give(std::size_t n)
    {
        pool_.product[self()] = n;
        if (detail::task* const back
            = crew_.give(detail::task_ptr(&tasks_[n - 1]), setup_.strategy))
            run_back(back);
    }

    void run_back(detail::task* t)
    {
        if (t == &request_)
        {
            give_up_request();
            if (!crew_.pool().all_produce() || !(t = crew_.pool().take()))
                return;
            if (t == &request_)
                return give_up_request();
        }
        detail::call_frame& here = *detail::call_frame::find(this);
        if (here.in_task)
            return t->run();
        bool const kept = wrong == flaw::keeps_what_is_back && !of_.is_exclusive() && of_.keep(here);
        if (!kept)
            of_.make_way(here);
        auto const n = static_cast<std::size_t>(static_cast<task*>(t) - tasks_.data()) + 1;
        until_end const running(*this, here, n, kept ? way::kept : way::here);
        --here.counted; // it was counted when it was given away
        t->run();
    }

    void give_up_request()
    {
        of_.give_up_request();
        of_.dispatch();
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
        bool away = false;
        if (k.section)
        {
            if (alone)
                runs_.set(0);
            detail::call_frame::end_leases();
            away = detail::call_frame::go_away(&k);
        }
        if (k.waits_for != 0)
            await([&] { return (begun_.get() >> (k.waits_for - 1) & 1) != 0; });
        if (k.section)
        {
            if (away)
                detail::call_frame::come_back(&k);
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
        runs_.set(1);
    }

    // Threads that produce, as strategy_service::produce.

    bool must_leave(detail::call_frame const& frame) const
    {
        return frame.is_pooled() && (crew_.not_stepping() == 0 || crew_.should_give_back(frame));
    }

    // All that is left of what the thread knows, at that place in the code, is in its frame.
    void forget_but(std::size_t where, detail::call_frame const& frame, std::size_t more = 0)
    {
        std::size_t const me = self();
        std::uint64_t left = frame.lease_number * 256 + more;
        left = left * 16 + (limit_[me] == unlimited ? 0 : frame.counted + 1);
        left = left * 32 + frame.produces() + 2 * (frame.counted + frame.uncounted != 0)
            + 4 * frame.stays + 8 * (frame.leased_by != nullptr) + 16 * leaves_[me];
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
                bool const stopped = of.stopped();
                std::size_t const known = 2 * (std::uncaught_exceptions() != 0) + stopped;
                of.forget_but(6, frame, known);
                of.of_.leave(frame, !stopped);
                of.forget_but(7, frame, known);
                if (stopped)
                {
                    if (wrong != flaw::end_wakes_none)
                        of.crew_.wake_all();
                }
                else if (frame.counted + frame.uncounted != 0
                    && (of.of_.leases() || of.crew_.runners() > 1 || of.crew_.some_are_away()))
                    of.wake_up();
            }
        } const on_exit{*this, frame};
        bool const endless = limit == unlimited && !(frame.is_pooled() && of_.is_exclusive());
        while (frame.counted < limit && !must_leave(frame))
        {
            leaves_[self()] = false;
            forget_but(1, frame);
            bool const visits = setup_.visits && of_.visits();
            bool const stays = frame.stays = endless && !visits;
            bool any = false;
            if (stays)
                do
                    forget_but(2, frame);
                while (run_one(frame) && !leaves_[self()]);
            else if (visits)
                any = visit(frame);
            else
                any = run_one(frame);
            frame.stays = false;
            if (!frame.produces() || (stays && stopped()))
                break;
            if (!any && !stays)
                break;
            if (!stays && !of_.is_exclusive() && !settle(frame))
                break;
        }
    }

    bool visit(detail::call_frame& frame)
    {
        of_.mark_native(frame);
        if (run_one(frame, false))
            return true;
        return settle(frame) && run_one(frame);
    }

    // A thread of the pool that was asked to.
    void arrive()
    {
        detail::call_frame& here = *detail::call_frame::find(this);
        if (!succession_arrives(here))
            return;
        if (of_.watch().in_use())
            crew_.pool().keep_one_parked();
        produce(here, unlimited);
    }

    bool succession_arrives(detail::call_frame& frame)
    {
        bool const produces = of_.arrive(frame);
        if (wrong == flaw::arrives_late)
            of_.asked_.store(false);
        return produces;
    }

    // The callers of run(), as strategy_service::call and take_part.

    void call(std::size_t limit)
    {
        do
            try
            {
                crew_.runner_came(false);
                struct caller
                {
                    succession_scenario& of;
                    ~caller() { of.leave_call(); }
                } const here{*this};
                take_part(limit == 0 ? unlimited : limit);
            }
            catch (int)
            {
            }
        while (!stopped());
    }

    void leave_call()
    {
        auto const [last, last_to_run] = crew_.runner_left(false);
        bool const over = stopped();
        forget((last + 2 * last_to_run + 4 * over) * 16 + 11);
        if (over)
            crew_.wake_all();
        if (last_to_run)
            clear_pool();
        if (!last && !over)
        {
            of_.dispatch();
            if (crew_.pool().client().size() != 0)
                crew_.wake_idle_caller();
        }
    }

    // It waits only for so long as there is nothing to do about it.
    void clear_pool()
    {
        std::uint64_t const all
            = ((std::uint64_t{1} << pool_.all()) - 1) << setup_.limits.size();
        do
        {
            recall_tasks();
            wake_up();
            forget(12);
            await([&] {
                return pool_.queued() != 0 || crew_.not_stepping_.get() != 0
                    || (pool_.all_have_begun() && !crew_.pool().client().runs_any(all));
            });
        } while (crew_.pool().client().size() != 0 && crew_.not_stepping() == 0);
    }

    void take_part(std::size_t limit)
    {
        detail::idle_caller self;
        self.sleep.job = &self.job;
        std::size_t& counted = counted_[interleaving::self()];
        counted = 0;
        limit_[interleaving::self()] = limit;
        auto const work = [&](bool arrives) {
            detail::call_frame frame(this);
            struct add
            {
                std::size_t& counted;
                std::size_t limit;
                detail::call_frame& frame;
                ~add() { counted += limit == unlimited ? 0 : frame.counted; }
            } const at_end{counted, limit, frame};
            if (arrives ? succession_arrives(frame) : of_.acquire(frame))
                produce(frame, limit == unlimited ? limit : limit - counted);
        };
        while (counted < limit && !stopped())
        {
            forget(counted * 16 + 8);
            if (of_.is_free())
            {
                work(false);
                if (counted >= limit || stopped())
                    break;
            }
            detail::task* job = crew_.pool().take();
            if (!job && (!rest(self) || !(job = std::exchange(self.job, nullptr))))
                continue;
            if (job == &request_)
            {
                work(true);
            }
            else
                run_job(job);
        }
    }

    void run_job(detail::task* job)
    {
        detail::call_frame frame(this);
        frame.in_task = true;
        crew_.pool().client().run(job);
    }

    bool rest(detail::idle_caller& self)
    {
        detail::idle_callers& callers = crew_.callers();
        std::size_t const slot = callers.occupy(self, detail::forever, [] { return false; });
        struct vacate
        {
            detail::idle_callers& callers;
            std::size_t slot;
            ~vacate() { callers.vacate(slot); }
        } const on_exit{callers, slot};
        std::size_t const left = ((slot + 2) * 8 + counted_[interleaving::self()]) * 16;
        forget(left + 9);
        callers.park(slot);
        bool const busy = (wrong != flaw::parks_without_look && of_.is_free())
            || crew_.pool().client().size() != 0 || stopped();
        if (busy && callers.withdraw(slot))
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
        crew_.wake_all();
    }

    void recall_tasks()
    {
        while (detail::task* const t = crew_.pool().take())
            if (t == &request_)
            {
                of_.give_up_request();
            }
        if (crew_.runners() == 0 || stopped())
            return;
        of_.dispatch();
    }

    // What the sentinel and the watchdog do about a late handler: look at a lease, let the grace
    // pass, take over. That may come at any time. The first one looks; where it must not start a
    // thread, the second one does.
    void watch(bool first)
    {
        bool const starts = !first || !setup_.two_watch;
        std::uint64_t last = 0; // nothing is marked so
        // It could take over each time that a thread looks for a native handler, without end: there
        // is a grace. So it does it once.
        std::uint64_t natives = 1;
        for (;;)
        {
            auto const late = [&] {
                std::uint64_t const n = of_.lease_.word_.get();
                std::uint64_t const mark = of_.lease_.mark_.get();
                return first && (n & 1) != 0 && mark >> 18 == n >> 3
                    && (mark >> 16 & 3) > (natives == 0) && mark >> 16 != last;
            };
            forget((last * 4 + natives) * 4);
            await([&] { return late() || (starts && needs_start_.get() != 0); });
            if (starts && needs_start_.get() != 0)
            {
                if (tells())
                    tell("starts a thread");
                needs_start_.set(0);
                observe(1);
                of_.sentinel_.owner.start_pending();
                continue;
            }
            detail::lease::sight s;
            s.which = of_.lease_.word_.get() >> 3;
            s.leased = true;
            s.pooled = (of_.lease_.word_.get() & 4) != 0;
            last = of_.lease_.mark_.get() >> 16;
            s.what = static_cast<detail::lease::activity>(last & 3);
            if (tells())
                tell("sees the lease");
            natives -= s.what == detail::lease::activity::native;
            forget((last * 4 + natives) * 4 + 1 + s.pooled);
            if (!of_.sentinel_.owner.may_take_over(s))
                continue;
            // One that may start threads would be the watchdog.
            if (of_.sentinel_.owner.take_over(s.which, !setup_.two_watch)
                    == detail::lessor::outcome::needs_start
                && wrong != flaw::start_is_forgotten)
            {
                access("asks for a thread to be started");
                needs_start_.set(1);
            }
        }
    }

    bool watches() const noexcept override { return self() >= first_watcher(); }

    static constexpr std::size_t unlimited = ~std::size_t{0};

    setup const& setup_;
    book book_;
    word woken_{0}; // see sleep
    std::array<std::size_t, 8> depth_{};
    detail::elastic_threads pool_;
    detail::crew crew_;
    request request_;
    detail::succession of_;
    std::vector<task> tasks_;
    word ready_; // four bits each, the first in the lowest
    word left_;  // so many handlers have not ended
    word stopped_{0};
    word wake_queued_{0};
    word begun_{0}; // a bit for each handler
    word runs_{0};  // whether a handler runs, where one may at a time
    word needs_start_{0};
    std::array<bool, 8> leaves_{}; // the io_context when the handler is over
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
