// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_IO_PRODUCTION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_IO_PRODUCTION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/decision.hpp>
#include <asio_ewyk/detail/engine/parallelism.hpp>
#include <asio_ewyk/detail/engine/succession.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/observe/completion_observer.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/os/wait_hook.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <boost/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

namespace asio_ewyk::detail {

// What threads do for an io_context that is run by a strategy: the callers of run(), which produce,
// run tasks of the pool, or park; the pool's threads that are lent; and helpers. Which of them has
// the right to produce is the succession's, and what they run is the io_context's.
//
// A template, so that test/interleaving drives the same code with a Host of its own. Host derives
// from this class and has
//
// | ioc_                    | an io_context                                                    |
// | threads_, succession_,  | what the functions below work with                               |
// | decision_, parallelism_ |                                                                  |
// | unlimited               | more handlers than ever run                                      |
// | frame_key(), frame()    | see call_frame::find()                                           |
// | learn_reactor(file)     | tells the succession whether Asio waits for I/O by that file     |
// | provide_io()            | has Asio wait for I/O, and no more for its condition             |
// | send_wake_up()          | has run_wake_up() called, see there                              |
// | await_wake_up(n, f)     | sends a wake-up for the nth time, and waits for a moment at      |
// |                         | most until f() is false                                          |
// | wake_up_waits()         | whether a wake-up has not been run                               |
// | any_passed(),           | exceptions of other threads: see passed_exceptions               |
// | rethrow_passed()        |                                                                  |
// | keep_recalled(t),       | tasks that the pool has given back: see recall_tasks()           |
// | has_recalled(),         |                                                                  |
// | resubmit_recalled()     |                                                                  |
// | run_task(t), runs_io()  | see run_refused()                                                |
// | report_stray(e)         | see quiesce_pool()                                               |
template <class Host>
class io_production : public succession_host
{
protected:
    // A call of run() or a sibling. `stepping`: not of run() itself. `inner`: in a handler of the
    // context, on whichever thread that began. `leaves`: the call is about to return.
    struct caller
    {
        bool stepping;
        bool inner;
        bool leaves = false;

        // Whether the call throws exceptions that other threads pass to it.
        bool throws() const noexcept { return !inner && !leaves; }
    };

    struct call_limits
    {
        std::size_t most; // handlers
        time_point deadline;
        bool may_wait = true;
    };

    // Where a thread knows no more than its frame says, if it has one, and `more`: a producer that
    // is about to run handlers; one that leaves and may have the right, or a helper that leaves;
    // and a producer that has it no more; a caller that looks for something to do, that parks, that
    // sleeps, and that has left the others; and a helper. Nothing is done here: a model has an at()
    // of its own in place of this one, and takes for the same what is alike.
    enum class place { produces, leaves, has_left, looks, parks, sleeps, ends_call, helps };
    static void at(place, call_frame const*, std::size_t = 0) noexcept {}

    // The thread that produces

    bool must_leave(call_frame const& frame) noexcept
    {
        return frame.is_pooled()
            ? !threads().may_produce(frame) || threads().should_give_back(frame)
            : frame.throws && host().any_passed();
    }

    // A thread that has the lease, or becomes the owner. The owner stays inside io_context::run(),
    // whichever thread has the lease; any other thread runs handlers until it has lost the lease,
    // or is to leave. An exception leaves after another thread was asked to produce. The only
    // caller asks none: as with an io_context, nothing runs before it calls run() again; and a
    // caller that comes meanwhile and parks is asked when this one leaves run().
    void produce(call_frame& frame, call_limits const& l)
    {
        at_exit const leaves([&, before = std::uncaught_exceptions()] {
            bool const was_owner = std::exchange(frame.is_owner, false);
            if (was_owner)
            {
                right().resign_owner();
                right().lent_thread_came();
            }
            if (frame.section)
                call_frame::leave_section(frame.section);
            bool const stopped = ioc().stopped();
            bool const only = !frame.is_pooled() && threads().runners() == 1;
            std::size_t const known = stopped + 2u * only + 4u * was_owner;
            host().at(place::leaves, &frame, known);
            right().stop_producing(frame, !stopped && !only);
            host().at(place::has_left, &frame, known);
            if (stopped)
                threads().wake_all();
            else if (was_owner)
                threads().wake_idle_caller(); // it may be the next owner
            // Asio wakes no thread for what a handler submits as a continuation: it expects this
            // thread to take that when the handler is over.
            if (!stopped
                && (frame.counted + frame.uncounted != 0 || std::uncaught_exceptions() != before)
                && (right().leases() || threads().runners() > 1 || threads().any_in_section()))
                host().send_wake_up();
        });
        poll_observer const polls(*this, frame);
        trace_span const produces(trace_event::produce, host().frame_key());
        // Until this thread waits for I/O nothing else tells the watchdog that it runs handlers.
        right().watch().wake_if_asleep();
        bool const may_own
            = l.deadline == forever && l.most == Host::unlimited && !frame.is_pooled();
        while (frame.counted < l.most && !must_leave(frame))
        {
            host().at(place::produces, &frame);
            bool const is_owner = frame.is_owner
                = may_own && can_have_owner() && right().become_owner();
            if (!is_owner && !frame.produces())
                break;
            if (is_owner)
            {
                right().lent_thread_left();
                // A lent thread may wait for I/O, and then the owner waits for Asio's condition
                // until the watchdog wakes it: see lessor::wake_owner().
                right().watch().wake_if_asleep();
            }
            auto const n = call_asio(frame, true, [&] {
                trace_span const waits(trace_event::wait);
                return is_owner ? ioc().run() : run_next(frame, l.deadline);
            });
            if (!is_owner && parallel().counts())
                parallel().count(n.others);
            if (is_owner || n.all == 0 || !frame.produces()
                || (!right().is_exclusive() && !right().renew_or_resume(frame)))
                break;
        }
    }

    struct handlers_run
    {
        std::size_t all;
        std::size_t others; // than the library's own
    };

    // Calls Asio, and returns how many handlers that has run. `counts`: adds native ones, of which
    // nothing else tells, to the frame.
    template <class Run>
    handlers_run call_asio(call_frame& frame, bool counts, Run run)
    {
        std::size_t const before = call_frame::tally(frame);
        std::size_t const own = frame.uncounted;
        std::size_t const n = run();
        std::size_t const told = call_frame::tally(frame) - before;
        if (counts)
        {
            std::size_t const native = n > told ? n - told : 0;
            if (std::size_t const known = frame.tracked.take_native(); native > known)
                right().count_native(native - known);
            frame.counted += native;
        }
        return {n, n - (frame.uncounted - own)};
    }

    // A helper: a caller, or a thread of the pool, that runs handlers without the right.
    void help(parallelism::helper& h)
    {
        frame_of_arrival const arrival(host().frame_key());
        call_frame& here = *arrival;
        at_exit const leaves([&] {
            host().at(place::leaves, &here);
            here.is_helper = false;
            right().helper_left();
            right().dispatch();
            if (here.is_pooled())
                threads().credit(here.counted);
            host().send_wake_up(); // for continuations: see produce()
        });
        here.is_helper = true;
        right().helper_came();
        auto cpu = this_thread_cpu_time();
        std::size_t ran = 0;
        unsigned in_vain = 0;
        // A thread that helps is not parked, and sees what it would be woken for.
        auto const has_better_to_do = [&] {
            return right().is_abandoned()
                || (here.is_pooled() && threads().pool().queued() != 0)
                || (!here.is_pooled()
                    && (threads().client().size() != 0
                        || (here.deadline == forever
                                ? !right().has_owner()
                                : std::chrono::steady_clock::now() >= here.deadline)));
        };
        while (in_vain != parallelism::max_empty_polls && parallel().wants_help()
            && !must_leave(here) && !ioc().stopped() && !has_better_to_do())
        {
            host().at(place::helps, &here, in_vain);
            parallel().progressed(h);
            std::size_t const n = run_counted(here, [this] { return ioc().poll_one(); }).others;
            in_vain = n == 0 ? in_vain + 1 : 0;
            if (n != 0 && ++ran % 64 != 0)
                continue;
            auto const before = std::exchange(cpu, this_thread_cpu_time());
            parallel().add_cpu_time(cpu - before);
            if (n == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        if (in_vain == parallelism::max_empty_polls)
            parallel().report_enough();
    }

    // Runs a task that the pool has refused, as it has no thread for it.
    void run_refused(task* t)
    {
        if (!(t = right().task_to_run(t)))
            return;
        call_frame* const here = host().frame();
        // The task was recalled, and this caller submits it again before it produces.
        if (!here && !host().runs_io())
        {
            std::size_t counted = 0; // when it was given to the pool
            return run_job(t, counted);
        }
        if (!here || here->is_inside_handler())
            return t->run();
        right().counters().produce_consume();
        right().yield_right(*here);
        decision::running const until_end(host().decision_, *here, how_to_run::here);
        host().run_task(*t);
        here->rethrow_captured();
    }

    // The wake-up, a handler that send_wake_up() has the io_context run: it sees what the thread
    // that has sent it has done before. This thread looks for other handlers afterwards, or sends
    // it again. `resent`: how often that was done.
    void run_wake_up(std::size_t resent)
    {
        bool const asked = right().give_sign();
        if (asked && right().needs_io()) [[unlikely]]
            host().provide_io();
        call_frame* const here = host().frame();
        if (!here)
            return;
        bool const in_handler = here->is_inside_handler();
        ++here->uncounted;
        if (right().is_exclusive())
        {
            // The owner, and a thread inside of another handler's call, wait here until the handler
            // of the thread that returns from its section is over.
            if (here->produces() && right().has_returning())
                here->passed_right
                    += right().pass_lease(*here, here->nested != 0 || here->is_owner);
        }
        else if (!in_handler && !here->steps() && !right().renew_or_resume(*here) && here->is_owner)
        {
            // The thread that had the right may wait for I/O, and then the owner would have to wait
            // for Asio's condition: so that thread is woken, and leaves.
            if (right().take_back(*here))
                wake_lent_thread();
        }
        else if (asked && here->is_owner && !in_handler && right().has_lent_thread())
            wake_lent_thread();
        if (!in_handler)
            host().resubmit_recalled();
        here->owes_wake_up |= in_handler;
        if (here->is_owner && !in_handler && parallel().counts()
            && !std::exchange(here->counts, true))
            count_handlers(*here);
        // The wake-up may be meant for another thread: one of the pool that is to leave, or a
        // caller that is to throw. Asio prefers threads that wait for its condition to the one that
        // waits for I/O. So a thread that gets the wake-up instead sends it again, and stays here
        // until the right one has it.
        auto const is_meant_for_another = [this, here, in_handler]() noexcept {
            return ((in_handler || here->steps()) && threads().not_stepping() == 0
                       && threads().client().pins() != 0)
                || (!here->throws && host().any_passed() && !right().has_owner());
        };
        if (is_meant_for_another() && resent < threads().runners() + threads().client().pins())
            [[unlikely]]
            resend_wake_up(resent + 1, is_meant_for_another);
        // Thrown as from a handler, the exception leaves io_context::run().
        if (here->is_owner && here->throws && !in_handler)
            host().rethrow_passed();
    }

    // The callers of run() and its siblings

    // Not inlined: a call that steps would be longer.
    BOOST_NOINLINE void leave_call(caller& c)
    {
        auto const [last, last_to_run] = threads().runner_left(c.stepping);
        // Asio locks a mutex to say whether it is stopped. To save that, nothing is done for the
        // only caller, which steps, while the pool has no threads and no tasks: there is no thread
        // to tell.
        if (last && !last_to_run && threads().pool().threads() == 0
            && threads().client().size() == 0)
            return;
        bool const stopped = ioc().stopped();
        host().at(place::ends_call, nullptr, last + 2u * last_to_run + 4u * stopped);
        if (stopped)
            threads().wake_all();
        // Also after a caller that stepped: a thread of the pool that has done the last work may be
        // about to stop the io_context, and by then this caller may have restarted it.
        c.leaves = true;
        if (last_to_run || (last && stopped && !c.inner))
            quiesce_pool(c);
        if (!last && !stopped)
        {
            // This caller may have been woken to take what waits.
            right().dispatch();
            if (threads().client().size() != 0)
                threads().wake_idle_caller();
        }
    }

    // What a caller of run() does until the call is over: it produces, runs tasks of the pool, or
    // parks.
    void caller_loop(caller const& c, std::size_t& counted, call_limits const& l)
    {
        idle_caller me;
        auto const over = [&] {
            return ioc().stopped()
                || (l.deadline != forever && std::chrono::steady_clock::now() >= l.deadline);
        };
        // `arrives`: with a request; else without, or as the owner.
        auto const produce_if_possible = [&](bool arrives) {
            call_frame frame(host().frame_key());
            if (c.stepping)
                frame.thread = call_frame::thread_of::stepping_caller;
            frame.throws = c.throws();
            right().lent_thread_came();
            at_exit const at_end([&] {
                right().lent_thread_left();
                counted += frame.counted;
            });
            if ((arrives ? right().arrive(frame) : right().acquire(frame))
                || may_become_owner(c, l))
                produce(frame, {l.most == Host::unlimited ? l.most : l.most - counted, l.deadline});
        };
        while (counted < l.most && !over())
        {
            host().at(place::looks, nullptr);
            if (c.throws())
                host().rethrow_passed();
            host().resubmit_recalled();
            if (right().is_free() || may_become_owner(c, l))
            {
                produce_if_possible(false);
                if (counted >= l.most || over())
                    break;
            }
            task* job = threads().take();
            if (!job && (!park(c, me, l.deadline) || !(job = std::exchange(me.job, nullptr))))
                continue;
            if (job == &right())
                produce_if_possible(true);
            else
                run_job(job, counted, c.throws(), l.deadline);
        }
    }

    // Handlers run only while a caller is inside run(). Tasks that wait in the pool when the last
    // one leaves, or after a stop, wait here for the next.
    ASIO_EWYK_COLD void recall_tasks() noexcept
    {
        while (task* const t = threads().take())
            if (t == &right())
                right().give_up_request();
            else
            {
                threads().debit(); // it counts when it is given to the pool again
                host().keep_recalled(t);
            }
        // A caller that has come meanwhile may rely on the request, and on the tasks. Dekker: a
        // caller counts itself before it looks for recalled tasks.
        if (threads().runners() == 0 || ioc().stopped())
            return;
        right().dispatch();
        if (host().has_recalled())
        {
            host().send_wake_up();
            threads().wake_idle_caller();
        }
    }

    // Of succession_host.

    // A thread of the pool that was asked to produce.
    void arrive() override
    {
        frame_of_arrival const arrival(host().frame_key());
        call_frame& here = *arrival;
        right().lent_thread_came();
        at_exit const leaves([&] { right().lent_thread_left(); });
        if (!right().arrive(here))
            return;
        // So that the owner waits for I/O and takes the right back, as the hook tells of that.
        if (right().watch().observes_waits() && right().needs_io())
            host().provide_io();
        if (right().watch().in_use())
            threads().pool().keep_one_parked();
        at_exit const counts([&] { threads().credit(here.counted); });
        produce(here, {Host::unlimited, forever});
    }
    void wake_up() noexcept override { host().send_wake_up(); }

private:
    Host& host() noexcept { return static_cast<Host&>(*this); }
    auto& ioc() noexcept { return host().ioc_; }
    auto& parallel() noexcept { return host().parallelism_; }
    workforce& threads() noexcept { return host().threads_; }
    succession& right() noexcept { return host().succession_; }

    // Asio's waits for I/O on this thread: the producer marks its lease, and the owner takes the
    // right back before. A wait inside a task is a part of the task. Where Asio tells of each
    // completion, a native handler is such a task, too.
    class poll_observer final
        : private wait_observer
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        , private completion_observer
#endif
    {
    public:
        poll_observer(io_production& of, call_frame& frame) noexcept
            : of_(of)
            , frame_(frame)
        {
        }

#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        ~poll_observer() { frame_.tracked = {}; }
#endif

    private:
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
        // While the lease is marked the watchdog is awake, and sees in the thread's record which
        // handler runs: so one mark is enough for all until the lease is renewed, or the thread
        // waits.
        void begin_completion(completion_kind is) noexcept override
        {
            auto& call = frame_.tracked;
            if (call.completions++ != 0)
                return;
            call.is_native = is == completion_kind::native && !frame_.in_task;
            call.before = frame_.counted;
            if (is != completion_kind::tells && !frame_.in_task
                && call.marked != frame_.lease_number && frame_.produces()
                && of_.right().watch().in_use())
                of_.right().mark_busy(frame_);
        }

        // A completion that ran one of the library's handlers is no native one: that was counted
        // when it began.
        void end_completion() noexcept override
        {
            auto& call = frame_.tracked;
            if (--call.completions != 0)
                return;
            if (frame_.owes_wake_up) [[unlikely]]
                send_owed_wake_up();
            if (!call.is_native || frame_.counted != call.before)
                return;
            ++call.native;
            of_.right().count_native(1);
        }
#endif

        void begin(int file, bool waits) noexcept override
        {
            if (!is_of_producer(file))
                return;
            // The wake-up that was to have the owner throw may have run inside of a handler, or on
            // another thread while the owner was late.
            if (frame_.owes_wake_up || (frame_.throws && of_.host().any_passed())) [[unlikely]]
                send_owed_wake_up();
            // A thread that waits for I/O must have the right, also if it was about to leave: the
            // others are in handlers, or wait for Asio's condition. The owner takes it even before
            // it looks for I/O without waiting.
            if ((frame_.is_owner || waits) && !of_.right().has_lease(frame_))
                of_.right().take_back(frame_);
            if (frame_.is_owner || waits || of_.right().has_lease(frame_))
                of_.parallel().producer_polls(waits);
            if (waits)
                of_.right().begin_wait(frame_);
        }

        void end(int file, bool) noexcept override
        {
            if (is_of_producer(file) && frame_.produces())
                of_.right().end_wait(frame_);
        }

        void send_owed_wake_up() noexcept
        {
            frame_.owes_wake_up = false;
            of_.host().send_wake_up();
        }

        bool is_of_producer(int file) const noexcept
        {
            lease_watch const& watch = of_.right().watch();
            if (frame_.in_task || frame_.tracked.completions != 0 || !watch.in_use())
                return false;
            if (!watch.knows_reactor()) [[unlikely]]
                of_.host().learn_reactor(file);
            return watch.is_reactor(file);
        }

        io_production& of_;
        call_frame& frame_;
    };

    // Whether a caller may stay inside io_context::run(): where waits are observed, so that it
    // takes the right back by itself; with produce_consume, while no thread is in a section, or the
    // caller would have to let another thread produce between two handlers.
    bool can_have_owner() noexcept
    {
        return right().is_exclusive() ? !threads().any_in_section()
                                      : right().watch().observes_waits();
    }

    // Whether this caller may go inside io_context::run() as the owner though another thread has
    // the right.
    bool may_become_owner(caller const& c, call_limits const& l) noexcept
    {
        return l.deadline == forever && l.most == Host::unlimited && !c.stepping
            && !right().is_exclusive() && right().watch().observes_waits() && !right().has_owner();
    }

    // The producer runs one handler. If waits are not observed, a handler that is ready runs under
    // a mark, and only one that has to be waited for does not.
    std::size_t run_next(call_frame& frame, time_point deadline)
    {
        if (right().watch().in_use() && !right().watch().observes_waits())
        {
            right().mark_busy(frame);
            if (std::size_t const n = ioc().poll_one(); n != 0)
                return n;
            // Renewing voids the mark: from here the watchdog sees a thread that may merely wait.
            if (!right().renew_or_resume(frame) || ioc().stopped())
                return 0;
        }
        return deadline == forever ? ioc().run_one() : ioc().run_one_until(deadline);
    }

    // The owner, in a wake-up: runs handlers one by one, as Asio would tell how many there were
    // only at the end of run(). The wake-up counts as work, so the owner does not wait for long:
    // there may be no other work, and run() has to return. Behind another wake-up there may be
    // handlers, so that is not the end.
    void count_handlers(call_frame& frame)
    {
        at_exit const over([&] { frame.counts = false; });
        parallel().begin_count();
        for (std::size_t n = 1; n != 0 && parallel().counts() && !must_leave(frame);)
        {
            n = run_counted(frame, [this] { return ioc().poll_one(); }).all;
            if (n == 0 && parallel().wants_help() && !ioc().stopped())
                n = run_counted(frame, [this] {
                    return ioc().run_one_for(std::chrono::microseconds(250));
                }).all;
        }
    }

    // The owner in count_handlers(), or a helper: runs handlers by a call of Asio's.
    template <class Run>
    handlers_run run_counted(call_frame& frame, Run run)
    {
        // Perhaps inside of a wake-up, and so of a completion, which goes on afterwards. The mark
        // is kept, as it belongs to the lease.
        at_exit const back([&, outer = frame.tracked]() mutable {
            outer.copy_mark(frame.tracked);
            frame.tracked = outer;
        });
        frame.tracked.begin_inner();
        auto const n = call_asio(frame, true, run);
        frame.inner += n.all; // the call of Asio's around this one does not count them
        parallel().count(n.others);
        return n;
    }

    // The owner, in a wake-up: has a lent thread leave that may wait inside the io_context without
    // the right.
    void wake_lent_thread() noexcept
    {
        resend_wake_up(0, [this]() noexcept { return host().wake_up_waits(); });
    }

    // Has another thread inside the io_context run the wake-up, and waits until is_awaited() is
    // false, for a moment at most.
    template <class Awaited>
    void resend_wake_up(std::size_t times, Awaited is_awaited) noexcept
    {
        // Keep the right while this thread sleeps, or it would be late. Not inside a handler, which
        // is late when it sleeps.
        call_frame* const here = host().frame();
        bool const kept
            = !here->is_inside_handler() && !right().is_exclusive() && right().keep(*here);
        host().await_wake_up(times, is_awaited);
        if (kept)
            right().keep_no_more(*here);
    }

    // Runs a task that was given to the pool, or helps, and then counts the handlers that run.
    void run_job(
        task* job, std::size_t& counted, bool throws = false, time_point deadline = forever)
    {
        bool const helps = job->is_request();
        call_frame frame(host().frame_key());
        at_exit const counts([&] { counted += helps ? frame.counted : 0; });
        frame.in_task = true;
        frame.throws = throws && helps;
        frame.deadline = deadline;
        threads().client().run(job);
        frame.rethrow_captured();
    }

    // Parks a caller, unless there is something to do. True if another thread has claimed it.
    bool park(caller const& c, idle_caller& me, time_point deadline)
    {
        idle_callers& callers = threads().callers();
        trace_span const parks(trace_event::park);
        host().at(place::parks, nullptr);
        callers.park(me);
        test_point();
        // Dekker with all of these, see doc/design.adoc: otherwise an idle caller could sleep
        // beside work, or through a stop.
        bool const busy = right().is_free() || threads().client().size() != 0 || ioc().stopped()
            || (c.throws() && host().any_passed());
        if (busy && callers.withdraw(me))
            return false;
        host().at(place::sleeps, nullptr);
        // If it is busy, it was claimed meanwhile: the job comes first. So it was at the deadline,
        // if it cannot withdraw.
        return me.sleep.park_until(busy ? forever : deadline)
            || (!callers.withdraw(me) && me.sleep.park_until(forever));
    }

    // The last caller of run() waits until no handler runs any more, as with an io_context; except
    // one that has called run() itself. The handlers that still run may wait for others, so the
    // caller produces for a moment after each pause. A pause is as long as the whole wait before
    // it: so one is soon longer than any handler that waits for no other, also where handlers block
    // all the time.
    ASIO_EWYK_COLD void quiesce_pool(caller const& c)
    {
        constexpr std::chrono::milliseconds shortest_pause(1), longest_sleep(64), round(10);
        auto const begun = std::chrono::steady_clock::now();
        for (auto end_of_pause = begun + shortest_pause;;)
        {
            // Again each time: a late thread may wait inside the io_context beside the one that was
            // woken, and a thread that still produces may have given another task to the pool.
            recall_tasks();
            host().send_wake_up();
            if (threads().await_pool(
                    host().frame_key(), std::min(end_of_pause, after(longest_sleep))))
                return;
            auto now = std::chrono::steady_clock::now();
            if (now < end_of_pause || ioc().stopped())
                continue;
            // What a handler throws now is treated as on a thread of the pool.
            auto const deadline = now + std::min<std::chrono::nanoseconds>(now - begun, round);
            std::size_t counted = 0;
            threads().runner_came(false);
            call_inline([&] { caller_loop(c, counted, {Host::unlimited, deadline}); },
                [this](std::exception_ptr e) noexcept { host().report_stray(std::move(e)); });
            threads().credit(counted);
            threads().runner_left(false);
            now = std::chrono::steady_clock::now();
            end_of_pause = now + (now - begun);
        }
    }
};

} // namespace asio_ewyk::detail

#endif
