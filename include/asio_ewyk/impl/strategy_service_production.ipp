// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_PRODUCTION_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_PRODUCTION_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/reactor_file.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace asio_ewyk {

// The thread that produces

ASIO_EWYK_DECL bool strategy_service::must_leave(detail::call_frame const& frame) const noexcept
{
    return frame.is_pooled() ? !threads_.may_produce(frame) || threads_.should_give_back(frame)
                        : frame.throws && passed_.any();
}

// Asio's waits for I/O on this thread: the producer marks its lease, and the owner takes the right
// back before. A wait inside a task is a part of the task.
class strategy_service::poll_observer final : private detail::wait_observer
{
public:
    poll_observer(strategy_service& self, detail::call_frame& frame) noexcept
        : self_(self)
        , frame_(frame)
    {
    }

private:
    void begin(int file, bool waits) noexcept override
    {
        if (!is_of_producer(file))
            return;
        // While the owner was late, other threads may have run the wake-up that was to have it
        // throw.
        if (frame_.throws && self_.passed_.any()) [[unlikely]]
            self_.wake_up();
        // A thread that waits for I/O must have the right, also if it was about to leave: the
        // others are in handlers, or wait for Asio's condition. The owner takes it even before it
        // looks for I/O without waiting.
        detail::succession& s = self_.succession_;
        if (!s.has_lease(frame_))
        {
            if (!frame_.is_owner && !waits)
                return;
            s.take_back(frame_);
        }
        if (waits)
        {
            self_.parallelism_.producer_waits();
            s.begin_wait(frame_);
        }
    }

    void end(int file, bool) noexcept override
    {
        if (is_of_producer(file) && frame_.produces())
            self_.succession_.end_wait(frame_);
    }

    bool is_of_producer(int file) const noexcept
    {
        detail::lease_watch const& watch = self_.succession_.watch();
        if (frame_.in_task || !watch.in_use())
            return false;
        if (!watch.knows_reactor()) [[unlikely]]
            self_.learn_reactor(file);
        return watch.is_reactor(file);
    }

    strategy_service& self_;
    detail::call_frame& frame_;
};

// Calls f, which uses a service of the io_context. False while another thread forks, which may wait
// for this one: that is woken afterwards, and tries again.
template <class F>
bool strategy_service::use_services(F f)
{
    auto const self = std::this_thread::get_id();
    std::unique_lock lock(io_mutex_, std::defer_lock);
    for (;;)
    {
        auto const by = holds_io_.load();
        if (by == self || lock.try_lock())
            break;
        if (by != std::thread::id())
        {
            io_refused_.store(true);
            return false;
        }
        std::this_thread::yield(); // another thread is in f, for some microseconds
    }
    f();
    return true;
}

// Whether the file is the io_context's is tested: a handler may wait for one of another io_context,
// or of the program's own.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::learn_reactor(int file) noexcept
{
    use_services([&] {
        if (detail::is_reactor_file(ioc_, file))
            succession_.learn_reactor(file);
    });
}

// A thread that has the lease, or becomes the owner. The owner stays inside io_context::run(),
// whichever thread has the lease; any other thread runs handlers until it has lost the lease, or is
// to leave. An exception leaves after another thread was asked to produce. The only caller asks
// none: as with an io_context, nothing runs before it calls run() again; and a caller that comes
// meanwhile and parks is asked when this one leaves run().
ASIO_EWYK_DECL void strategy_service::produce(detail::call_frame& frame, call_limits const& l)
{
    detail::at_exit const leaves([&, exceptions = std::uncaught_exceptions()] {
        bool const was_owner = std::exchange(frame.is_owner, false);
        if (was_owner)
        {
            succession_.resign_owner();
            succession_.lent_thread_came();
        }
        if (frame.section)
            detail::call_frame::leave_section(frame.section);
        bool const stopped = ioc_.stopped();
        bool const only = !frame.is_pooled() && threads_.runners() == 1;
        succession_.stop_producing(frame, !stopped && !only);
        if (stopped)
            threads_.wake_all();
        else if (was_owner)
            threads_.wake_idle_caller(); // it may be the next owner
        // Asio wakes no thread for what a handler submits as a continuation: it expects this thread
        // to take that when the handler is over.
        if (!stopped
            && (frame.counted + frame.uncounted != 0 || std::uncaught_exceptions() != exceptions)
            && (succession_.leases() || threads_.runners() > 1 || threads_.any_in_section()))
            wake_up();
    });
    poll_observer const polls(*this, frame);
    detail::trace_span const produces(detail::trace_event::produce, frame_key());
    // Until this thread waits for I/O nothing else tells the watchdog that it runs handlers.
    if (succession_.watch().in_use())
        succession_.watch().wake_if_asleep();
    bool const may_own = l.deadline == detail::forever && l.most == unlimited && !frame.is_pooled();
    while (frame.counted < l.most && !must_leave(frame))
    {
        bool const is_owner = frame.is_owner
            = may_own && can_have_owner() && succession_.become_owner();
        if (!is_owner && !frame.produces())
            break;
        if (is_owner)
        {
            succession_.lent_thread_left();
            // A lent thread may wait for I/O, and then the owner waits for Asio's condition until
            // the watchdog wakes it: see lessor::wake_owner().
            if (succession_.watch().in_use())
                succession_.watch().wake_if_asleep();
        }
        auto const n = call_asio(frame, true, [&] {
            detail::trace_span const waits(detail::trace_event::wait);
            return is_owner ? ioc_.run() : run_next(frame, l.deadline);
        });
        if (!is_owner && parallelism_.counts())
            parallelism_.count(n.others);
        if (is_owner || n.all == 0 || !frame.produces()
            || (!succession_.is_exclusive() && !succession_.renew_or_resume(frame)))
            break;
    }
}

// Whether a caller may stay inside io_context::run(): where waits are observed, so that it takes
// the right back by itself; with produce_consume, while no thread is in a section, or the caller
// would have to let another thread produce between two handlers.
ASIO_EWYK_DECL bool strategy_service::can_have_owner() const noexcept
{
    return succession_.is_exclusive() ? !threads_.any_in_section()
                                      : succession_.watch().observes_waits();
}

// The producer runs one handler. If waits are not observed, a handler that is ready runs under a
// mark, and only one that has to be waited for does not.
ASIO_EWYK_DECL std::size_t strategy_service::run_next(
    detail::call_frame& frame, detail::time_point deadline)
{
    if (succession_.watch().in_use() && !succession_.watch().observes_waits())
    {
        succession_.mark_busy(frame);
        if (std::size_t const n = ioc_.poll_one(); n != 0)
            return n;
        // Renewing voids the mark: from here the watchdog sees a thread that may merely wait.
        if (!succession_.renew_or_resume(frame) || ioc_.stopped())
            return 0;
    }
    return deadline == detail::forever ? ioc_.run_one() : ioc_.run_one_until(deadline);
}

// Creates a timer, so that Asio waits for I/O and no more for its condition. Only when a thread has
// come to produce, or was asked for a sign of life: from then on Asio asks the system between
// handlers, too.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::provide_io() noexcept
{
    bool const done = use_services([&] {
        try
        {
            asio::steady_timer const any(ioc_);
        }
        catch (std::exception const&)
        {
            // No file descriptors: operations that need them will report it.
        }
    });
    if (!done)
        succession_.still_needs_io();
}

// A thread of the pool that was asked to produce.
ASIO_EWYK_DECL void strategy_service::arrive()
{
    detail::frame_of_arrival const arrival(frame_key());
    detail::call_frame& here = *arrival;
    succession_.lent_thread_came();
    detail::at_exit const leaves([&] { succession_.lent_thread_left(); });
    if (!succession_.arrive(here))
        return;
    // So that the owner waits for I/O and takes the right back, as the hook tells of that.
    if (succession_.watch().observes_waits() && succession_.needs_io())
        provide_io();
    if (succession_.watch().in_use())
        threads_.pool().keep_one_parked();
    detail::at_exit const counts([&] { threads_.credit(here.counted); });
    produce(here, {unlimited, detail::forever});
}

// Any thread: has a thread that is inside the io_context, or comes there, run on_wake_up(), which
// sees what the calling thread has done before. The thread that runs it looks for other handlers
// afterwards, or calls wake_up() again.
ASIO_EWYK_DECL void strategy_service::wake_up() noexcept
{
    detail::trace_point(detail::trace_event::wake_up, frame_key());
    if (!wake_queued_.exchange(true))
        wakeup_op_.send(ioc_, *this);
}

ASIO_EWYK_DECL void strategy_service::on_wake_up()
{
    std::size_t const resent = resent_.exchange(0);
    wake_queued_.store(false);
    bool const asked = succession_.give_sign();
    if (asked && succession_.needs_io()) [[unlikely]]
        provide_io();
    detail::call_frame* const here = frame();
    if (!here)
        return;
    ++here->uncounted;
    if (succession_.is_exclusive())
    {
        // The owner, and a thread inside of another handler's call, wait here until the handler of
        // the thread that returns from its section is over.
        if (here->produces() && succession_.has_returning())
            here->passed_right
                += succession_.pass_lease(*here, here->nested != 0 || here->is_owner);
    }
    else if (!here->in_task && !here->steps() && !succession_.renew_or_resume(*here)
        && here->is_owner)
    {
        // The thread that had the right may wait for I/O, and then the owner would have to wait for
        // Asio's condition: so that thread is woken, and leaves.
        if (succession_.take_back(*here))
            wake_lent_thread();
    }
    else if (asked && here->is_owner && !here->in_task && succession_.has_lent_thread())
        wake_lent_thread();
    if (!here->in_task)
        resubmit_recalled();
    if (here->is_owner && parallelism_.counts() && !std::exchange(here->counts, true))
        count_handlers(*here);
    // The wake-up may be meant for another thread: one of the pool that is to leave, or a caller
    // that is to throw. Asio prefers threads that wait for its condition to the one that waits for
    // I/O. So a thread that gets the wake-up instead sends it again, and stays here until the right
    // one has it.
    bool const leaves = here->is_pooled() && !here->in_task;
    auto const is_meant_for_another = [this, leaves, throws = here->throws]() noexcept {
        return (!leaves && threads_.not_stepping() == 0 && threads_.client().pins() != 0)
            || (!throws && !succession_.has_owner() && passed_.any());
    };
    if (resent < threads_.runners() + threads_.client().pins() && is_meant_for_another())
        [[unlikely]]
        resend_wake_up(resent + 1, is_meant_for_another);
    // Thrown as from a handler, the exception leaves io_context::run().
    if (here->is_owner && here->throws && !here->in_task)
        passed_.rethrow_one();
}

// The watchdog's thread. True if the next check is to come soon.
ASIO_EWYK_DECL bool strategy_service::on_check(
    detail::time_point now, detail::lease::snapshot const& s, bool runs) noexcept
{
    if (!succession_.watch().observes_waits())
        return false;
    bool const inside = s.leased && s.what != detail::lease::activity::polls;
    if (parallelism_.on_check(now, inside, inside && runs))
        wake_up();
    return parallelism_.counts() || passed_.any();
}

// The owner, in a wake-up: runs handlers one by one, as Asio would tell how many there were only at
// the end of run(). The wake-up counts as work, so the owner does not wait for long: there may be
// no other work, and run() has to return.
ASIO_EWYK_DECL void strategy_service::count_handlers(detail::call_frame& frame)
{
    detail::at_exit const over([&] { frame.counts = false; });
    parallelism_.begin_count();
    while (parallelism_.counts() && !must_leave(frame))
    {
        std::size_t n = run_counted(frame, [this] { return ioc_.poll_one(); });
        if (n == 0 && parallelism_.wants_help() && !ioc_.stopped())
            n = run_counted(frame,
                [this] { return ioc_.run_one_for(std::chrono::microseconds(250)); });
        if (n == 0)
            break;
    }
}

// The owner in count_handlers(), or a helper: runs handlers by a call of Asio's, and returns how
// many of them were not the library's own.
template <class Run>
std::size_t strategy_service::run_counted(detail::call_frame& frame, Run run)
{
    auto const n = call_asio(frame, true, run);
    frame.inner += n.all; // the call of Asio's around this one does not count them
    parallelism_.count(n.others);
    return n.others;
}

// A helper: a caller, or a thread of the pool, that runs handlers without the right.
ASIO_EWYK_DECL void strategy_service::help(detail::parallelism::helper& h)
{
    constexpr int max_empty_polls = 4;
    detail::frame_of_arrival const arrival(frame_key());
    detail::call_frame& here = *arrival;
    detail::at_exit const leaves([&] {
        here.is_helper = false;
        succession_.helper_left();
        succession_.dispatch();
        if (here.is_pooled())
            threads_.credit(here.counted);
        wake_up(); // for continuations: see produce()
    });
    here.is_helper = true;
    succession_.helper_came();
    auto cpu = detail::this_thread_cpu_time();
    std::size_t ran = 0;
    int in_vain = 0;
    // A caller that helps is not parked, and sees what it would be woken for.
    auto const has_better_to_do = [&] {
        return succession_.is_abandoned()
            || (!here.is_pooled()
                && (threads_.client().size() != 0
                    || (here.deadline == detail::forever
                            ? !succession_.has_owner()
                            : std::chrono::steady_clock::now() >= here.deadline)));
    };
    while (in_vain != max_empty_polls && parallelism_.wants_help() && !must_leave(here)
        && !ioc_.stopped() && !has_better_to_do())
    {
        parallelism_.progressed(h);
        std::size_t const n = run_counted(here, [this] { return ioc_.poll_one(); });
        in_vain = n == 0 ? in_vain + 1 : 0;
        if (n != 0 && ++ran % 64 != 0)
            continue;
        auto const before = std::exchange(cpu, detail::this_thread_cpu_time());
        parallelism_.add_cpu_time(cpu - before);
        if (n == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (in_vain == max_empty_polls)
        parallelism_.report_enough();
}

// The owner, in a wake-up: has a lent thread leave that may wait inside the io_context without the
// right.
ASIO_EWYK_DECL void strategy_service::wake_lent_thread() noexcept
{
    resend_wake_up(0, [this]() noexcept { return wake_queued_.load(); });
}

// Has another thread inside the io_context run on_wake_up(), and waits until is_awaited() is false,
// for a moment at most. `times`: how many threads have resent this wake-up.
template <class Awaited>
void strategy_service::resend_wake_up(std::size_t times, Awaited is_awaited) noexcept
{
    // Keep the right while this thread sleeps, or it would be late. Not inside a task, which is
    // late when it sleeps.
    detail::call_frame* const here = frame();
    bool const kept = !here->in_task && !succession_.is_exclusive() && succession_.keep(*here);
    resent_.store(times);
    wake_up();
    auto const enough = detail::after(std::chrono::milliseconds(1));
    while (is_awaited() && std::chrono::steady_clock::now() < enough)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (kept)
        succession_.keep_no_more(*here);
}

} // namespace asio_ewyk

#endif
