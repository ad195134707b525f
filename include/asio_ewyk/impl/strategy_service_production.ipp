// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_PRODUCTION_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_PRODUCTION_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/reactor_file.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
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

// Says when a thread that produces waits for I/O; and the owner takes the right back before that.
// What a handler of ours waits for is a part of it.
class strategy_service::poll_observer final : private detail::wait_observer
{
public:
    poll_observer(strategy_service& self, detail::call_frame& frame) noexcept
        : self_(self)
        , succession_(self.succession_)
        , frame_(frame)
    {
    }

private:
    void begin(int file, bool waits) noexcept override
    {
        if (!is_of_producer(file))
            return;
        // While it was late, others may have run the handler that was to tell it.
        if (frame_.throws && self_.passed_.any()) [[unlikely]]
            self_.wake_up();
        // Who waits has the right, also a thread that was about to leave: the others are in
        // handlers, or wait for a condition. The owner takes it before it waits.
        if (!succession_.has_lease(frame_))
        {
            if (!frame_.stays && !waits)
                return;
            succession_.take_back(frame_);
        }
        if (waits)
        {
            self_.parallelism_.waits();
            succession_.begin_wait(frame_);
        }
    }

    void end(int file, bool) noexcept override
    {
        if (is_of_producer(file) && frame_.produces())
            succession_.end_wait(frame_);
    }

    bool is_of_producer(int file) const noexcept
    {
        if (frame_.in_task || !succession_.watch().in_use())
            return false;
        if (!succession_.knows_reactor()) [[unlikely]]
            self_.learn_reactor(file);
        return succession_.is_reactor(file);
    }

    strategy_service& self_;
    detail::succession& succession_;
    detail::call_frame& frame_;
};

// A handler may wait for another file as well: of another io_context, or of the program's own.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::learn_reactor(int file) noexcept
{
    std::lock_guard const lock(io_mutex_);
    if (detail::is_reactor_file(ioc_, file))
        succession_.learn_reactor(file);
}

// This thread has the lease, or becomes the owner, which stays inside io_context::run() whoever has
// the lease. Others run handlers until they have lost that, or are to leave. An exception leaves
// when another thread was asked to produce. A caller that is the only one asks none: with an
// io_context, nothing runs before it calls again. A caller that comes meanwhile and parks is asked
// when this one leaves run().
ASIO_EWYK_DECL void strategy_service::produce(detail::call_frame& frame, std::size_t limit,
    std::chrono::steady_clock::time_point deadline)
{
    struct out
    {
        strategy_service& self;
        detail::call_frame& frame;
        int const exceptions = std::uncaught_exceptions();

        ~out()
        {
            bool const stayed = std::exchange(frame.stays, false);
            if (stayed)
            {
                self.succession_.end_stay();
                self.succession_.lend();
            }
            if (frame.away)
                detail::call_frame::come_back(frame.away);
            bool const stopped = self.ioc_.stopped();
            bool const only = !frame.is_pooled() && self.threads_.runners() == 1;
            self.succession_.leave(frame, !stopped && !only);
            if (stopped)
                self.threads_.wake_all();
            else if (stayed)
                self.threads_.wake_idle_caller(); // which may be the next owner
            // Asio keeps what a handler submits as a continuation until the handler is over, and
            // expects the same thread to take it then: it wakes no other for that.
            if (!stopped
                && (frame.counted + frame.uncounted != 0
                    || std::uncaught_exceptions() != exceptions)
                && (self.succession_.leases() || self.threads_.runners() > 1
                    || self.threads_.some_are_away()))
                self.wake_up();
        }
    } const on_exit{*this, frame};
    poll_observer const polls(*this, frame);
    detail::trace_span const produces(detail::trace_event::produce, owner());
    // Nothing else tells that it runs handlers, before it waits.
    if (succession_.watch().in_use())
        succession_.watch().alert();
    bool const may_stay
        = deadline == detail::forever && limit == unlimited && !frame.is_pooled();
    while (frame.counted < limit && !must_leave(frame))
    {
        bool const stays = frame.stays = may_stay && can_stay() && succession_.begin_stay();
        if (!stays && !frame.produces())
            break;
        if (stays)
        {
            succession_.lend_no_more();
            // A lent thread may wait for I/O, and the owner for a condition: see call_owner().
            if (succession_.watch().in_use())
                succession_.watch().alert();
        }
        auto const n = call_asio(frame, true, [&] {
            detail::trace_span const waits(detail::trace_event::wait);
            return stays ? ioc_.run() : run_next(frame, deadline);
        });
        if (!stays && parallelism_.counts())
            parallelism_.count(n.others);
        if (stays || n.all == 0 || !frame.produces()
            || (!succession_.is_exclusive() && !succession_.settle(frame)))
            break;
    }
}

// Whether a caller may stay inside io_context::run(): where it is not asked before each handler to
// let another one produce, and takes the right back by itself.
ASIO_EWYK_DECL bool strategy_service::can_stay() const noexcept
{
    return succession_.is_exclusive() ? !threads_.some_are_away()
                                      : succession_.watch().observes_waits();
}

// Runs a handler. If waits are not observed, what is ready is marked, and then what has been waited
// for is not.
ASIO_EWYK_DECL std::size_t strategy_service::run_next(
    detail::call_frame& frame, std::chrono::steady_clock::time_point deadline)
{
    if (succession_.watch().in_use() && !succession_.watch().observes_waits())
    {
        succession_.mark_busy(frame);
        if (std::size_t const n = ioc_.poll_one(); n != 0)
            return n;
        // With another number, so that it merely waits.
        if (!succession_.settle(frame) || ioc_.stopped())
            return 0;
    }
    return deadline == detail::forever ? ioc_.run_one() : ioc_.run_one_until(deadline);
}

// Asio waits for a condition until something does I/O, and then inside the system. Not before a
// thread has waited: from then on Asio asks the system between handlers, too.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::provide_io() noexcept
{
    std::lock_guard const lock(io_mutex_);
    try
    {
        asio::steady_timer const any(ioc_);
    }
    catch (std::exception const&)
    {
        // No file descriptors: operations that need them will report it.
    }
}

// A thread that was asked to produce.
ASIO_EWYK_DECL boost::core::typeinfo const* strategy_service::act(
    task* base, detail::task_purpose purpose)
{
    auto* const self = static_cast<strategy_service*>(base);
    if (purpose == detail::task_purpose::run)
        self->arrive();
    else if (purpose == detail::task_purpose::destroy)
        self->succession_.give_up_request();
    return nullptr;
}

// A thread of the pool.
ASIO_EWYK_DECL void strategy_service::arrive()
{
    detail::trace_point(detail::trace_event::arrive, owner());
    detail::frame_of_arrival const arrival(owner());
    detail::call_frame& here = *arrival;
    detail::succession::lending const lent(succession_);
    if (!succession_.arrive(here))
        return;
    // So that the owner comes by the hook.
    if (succession_.watch().observes_waits() && succession_.needs_io())
        provide_io();
    if (succession_.watch().in_use())
        threads_.pool().keep_one_parked();
    struct credit
    {
        strategy_service& self;
        detail::call_frame& frame;
        ~credit() { self.threads_.credit(frame.counted); }
    } const on_exit{*this, here};
    produce(here, unlimited, detail::forever);
}

// Any thread: has a thread that is inside the io_context, or comes there, run woken(). What the
// calling thread has done before is seen there; and a thread that runs it looks for other handlers
// afterwards, or calls this.
ASIO_EWYK_DECL void strategy_service::wake_up() noexcept
{
    detail::trace_point(detail::trace_event::wake_up, owner());
    if (!wake_queued_.exchange(true))
        wakeup_op_.send(ioc_, *this);
}

ASIO_EWYK_DECL void strategy_service::woken()
{
    std::size_t const passed_on = passed_on_.exchange(0);
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
        // Who stays inside gets the right again when the handler of the one that comes back is
        // over.
        if (here->produces() && succession_.awaited())
            here->gave_way
                += succession_.serve_section(*here, here->nested != 0 || here->stays);
    }
    else if (!here->in_task && !here->steps() && !succession_.settle(*here) && here->stays)
        come_for_right(*here);
    else if (asked && here->stays && !here->in_task && succession_.is_lending())
        call_lent();
    if (!here->in_task)
        give_again();
    if (here->stays && parallelism_.counts() && !std::exchange(here->counts, true))
        count_handlers(*here);
    // The wake-up may be meant for another thread: one of the pool that is to leave, or a caller
    // that is to throw. Asio prefers threads that wait for its condition to the one that waits
    // inside the system. So a thread that gets it instead stays here until it has reached the right
    // one.
    bool const leaves = here->is_pooled() && !here->in_task;
    auto const is_meant_for_another = [this, leaves, throws = here->throws]() noexcept {
        return (!leaves && threads_.not_stepping() == 0 && threads_.client().pins() != 0)
            || (!throws && !succession_.has_owner() && passed_.any());
    };
    if (passed_on < threads_.runners() + threads_.client().pins() && is_meant_for_another())
        [[unlikely]]
        pass_on_wake_up(passed_on + 1, std::chrono::milliseconds(1), is_meant_for_another);
    // As from a handler: so it leaves io_context::run().
    if (here->stays && here->throws && !here->in_task)
        passed_.rethrow_one();
}

// The watchdog.
ASIO_EWYK_DECL bool strategy_service::look_at_time(
    detail::time_point now, detail::lease::sight const& s, bool runs) noexcept
{
    if (parallelism_.look(now, runs && s.leased && s.what != detail::lease::activity::polls))
        wake_up();
    return parallelism_.counts() || passed_.any();
}

// The owner, in a handler: runs others one by one, as Asio does not tell earlier how many there
// were. That handler counts as work, so it does not wait for long: there may be nothing else.
ASIO_EWYK_DECL void strategy_service::count_handlers(detail::call_frame& frame)
{
    struct end
    {
        detail::call_frame& frame;
        ~end() { frame.counts = false; }
    } const on_exit{frame};
    while (parallelism_.counts() && !must_leave(frame))
    {
        std::size_t n = run_inside(frame, [this] { return ioc_.poll_one(); });
        if (n == 0 && parallelism_.wants_help() && !ioc_.stopped())
            n = run_inside(frame,
                [this] { return ioc_.run_one_for(std::chrono::microseconds(250)); });
        if (n == 0)
            break;
    }
}

// The owner inside a handler of the library's, or a helper: how many handlers have run that are not
// the library's.
template <class Run>
std::size_t strategy_service::run_inside(detail::call_frame& frame, Run run)
{
    auto const n = call_asio(frame, true, run);
    frame.inner += n.all; // in no result of the call around this one
    parallelism_.count(n.others);
    return n.others;
}

// A thread of the pool, without the right.
ASIO_EWYK_DECL void strategy_service::help(detail::parallelism::helper& h)
{
    constexpr int patience = 4;
    detail::frame_of_arrival const arrival(owner());
    detail::call_frame& here = *arrival;
    struct end
    {
        strategy_service& self;
        detail::call_frame& frame;
        ~end()
        {
            frame.helps = false;
            self.succession_.left_from_beside();
            self.threads_.credit(frame.counted);
            self.wake_up(); // see produce()
        }
    } const on_exit{*this, here};
    here.helps = true;
    succession_.came_beside();
    auto cpu = detail::this_thread_cpu_time();
    std::size_t ran = 0;
    int in_vain = 0;
    while (in_vain != patience && parallelism_.wants_help() && !must_leave(here)
        && !ioc_.stopped())
    {
        parallelism_.goes_on(h);
        std::size_t const n = run_inside(here, [this] { return ioc_.poll_one(); });
        in_vain = n == 0 ? in_vain + 1 : 0;
        if (n != 0 && ++ran % 64 != 0)
            continue;
        auto const before = std::exchange(cpu, detail::this_thread_cpu_time());
        parallelism_.used(cpu - before);
        if (n == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (in_vain == patience)
        parallelism_.has_enough();
}

// The owner, in a handler. The thread that has the right may wait for I/O, and this one would then
// wait for a condition: so that one is woken, and leaves.
ASIO_EWYK_DECL void strategy_service::come_for_right(detail::call_frame& frame) noexcept
{
    if (succession_.take_back(frame))
        call_lent();
}

// The owner, in a handler: has another thread leave that waits inside without the right, if it
// does.
ASIO_EWYK_DECL void strategy_service::call_lent() noexcept
{
    pass_on_wake_up(
        0, std::chrono::milliseconds(1), [this]() noexcept { return wake_queued_.load(); });
}

// Has another thread that is inside run woken(), if one can, and waits so long at most for what
// comes of it. `times`: how many have passed it on. False if nothing came of it.
template <class Awaited>
bool strategy_service::pass_on_wake_up(
    std::size_t times, std::chrono::microseconds moment, Awaited is_awaited) noexcept
{
    // Keep the right while this thread sleeps, or it would be late; not inside a task, which is.
    detail::call_frame* const here = frame();
    bool const kept
        = !here->in_task && !succession_.is_exclusive() && succession_.keep(*here);
    passed_on_.store(times);
    wake_up();
    auto const enough = detail::after(moment);
    bool awaited = true;
    while ((awaited = is_awaited()) && std::chrono::steady_clock::now() < enough)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (kept)
        succession_.keep_no_more(*here);
    return !awaited;
}

} // namespace asio_ewyk

#endif
