// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/describe_production.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/leave_run.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>

namespace asio_ewyk {

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service::strategy_service(asio::execution_context& owner,
    worker_pool* shared, strategy_options const& options, concurrency kind)
    : asio::execution_context::service(owner)
    , task(&strategy_service::act, options.strategy, invocation_t::blocking, true)
    , ioc_(static_cast<asio::io_context&>(owner))
    , own_pool_(shared ? nullptr : std::make_unique<worker_pool>(options.pool()))
    , pool_(shared ? *shared : *own_pool_)
    , times_(detail::times_if(pool_.options().timing))
    , threads_(detail::pool_access::threads(pool_), this,
          options.strategy != strategy_t::produce_consume)
    , succession_(threads_, options.strategy, detail::checked_grace(options.grace),
          options.strategy != strategy_t::produce_consume && kind != concurrency::one_thread,
          options.strategy == strategy_t::produce_consume && kind == concurrency::many_threads,
          this, *this)
    , decision_(succession_, detail::checked_policy(options.policy, options.strategy))
    , watch_(this, *this, detail::stall_settings(pool_.options()))
{
    threads_.pool().client().pass_exceptions_by(*this);
    threads_.pool().client().measure(times_.get());
    succession_.wake_by(
        [](void* self) noexcept { static_cast<strategy_service*>(self)->wake_up(); }, this);
    bool const observed = times_ || watch_.settings().threshold != std::chrono::nanoseconds::zero();
    wraps_.store(observed);
    counts_.store(observed);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service::strategy_service(
    asio::execution_context& owner, strategy_options const& options, concurrency kind)
    : strategy_service(owner, nullptr, options, kind)
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service::strategy_service(
    asio::execution_context& owner, worker_pool& pool, strategy_t s, std::chrono::nanoseconds grace,
    strategy_policy const& policy, concurrency kind)
    : strategy_service(owner, &pool, {.strategy = s, .grace = grace, .policy = policy}, kind)
{
}

ASIO_EWYK_DECL strategy_service::~strategy_service() = default;

// Asio waits for a condition until something does I/O, and then inside the system. Not before a
// thread has waited: from then on Asio asks the system between handlers, too.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::provide_io() noexcept
{
    try
    {
        asio::steady_timer const any(ioc_);
    }
    catch (std::exception const&)
    {
        succession_.has_no_io(); // no file descriptors: operations that need them will report it
    }
}

// How functions are submitted and run

ASIO_EWYK_DECL bool strategy_service::is_in_handler() const noexcept
{
    return frame() || detail::call_frame::is_away(owner());
}

ASIO_EWYK_DECL bool strategy_service::running_in_this_thread() const noexcept
{
    return frame()
        || (ioc_.get_executor().running_in_this_thread()
            && !detail::call_frame::is_away(owner()));
}

// With produce_consume the io_context does by itself what is to be done, unless it is observed.
ASIO_EWYK_DECL bool strategy_service::wraps(detail::submission s) const noexcept
{
    return !succession_.is_exclusive() || s.strategy != strategy_t::produce_consume
        || wraps_.load(std::memory_order_relaxed) || detail::trace_recorder::get();
}

// Layout: [time of the steady_clock, or a number for the trace 63 bits][counted 1 bit]. 0: nothing
// is to be known.
ASIO_EWYK_DECL std::uint64_t strategy_service::note() noexcept
{
    std::uint64_t note = 0;
    if (times_)
        note = static_cast<std::uint64_t>(
                   std::chrono::steady_clock::now().time_since_epoch().count())
            << 1;
    else if (detail::trace_recorder::get()) [[unlikely]]
        note = traced_.fetch_add(2, std::memory_order_relaxed);
    if (note != 0)
        detail::trace_point(detail::trace_event::post, subject(note));
    if (counts_.load(std::memory_order_relaxed))
    {
        depth_.post();
        note |= 1;
    }
    return note;
}

ASIO_EWYK_DECL void const* strategy_service::subject(std::uint64_t note) noexcept
{
    return reinterpret_cast<void const*>(note & ~std::uint64_t{1});
}

// Of what was not posted, now.
ASIO_EWYK_DECL detail::time_point strategy_service::submitted(std::uint64_t note) noexcept
{
    if (note < 2)
        return std::chrono::steady_clock::now();
    return detail::time_point(detail::time_point::duration(note >> 1));
}

ASIO_EWYK_DECL void strategy_service::record_delay(std::uint64_t note) noexcept
{
    times_->queue_delay.record(std::chrono::steady_clock::now() - submitted(note));
}

// A completion, or what a handler dispatches.
ASIO_EWYK_DECL auto strategy_service::where_to_run(detail::submission s) const noexcept -> place
{
    detail::call_frame const* const here = frame();
    if (!here)
        // The io_context may be run by its own functions.
        return !ioc_.get_executor().running_in_this_thread()
                || detail::call_frame::is_away(owner())
                || decision_.is_for_pool(s.strategy, s.invocation)
            ? place::elsewhere
            : place::as_a_part;
    if (here->in_task || !wraps(s))
        return place::as_a_part;
    char const on_stack = 0;
    if (detail::thread_stack::of_this_thread().holds(&on_stack)) [[likely]]
        return place::as_a_task;
    // The stack of a stackful coroutine, which may be suspended: nothing is begun there that would
    // have to end. The function is a part of the handler that has resumed it.
    return decision_.is_for_pool(s.strategy, s.invocation) ? place::elsewhere : place::as_a_part;
}

// After a task that was given away, by a thread that may have been late in a native handler.
ASIO_EWYK_DECL void strategy_service::end_given(detail::call_frame& frame) noexcept
{
    if (!succession_.is_exclusive() && !frame.steps() && !succession_.has_lease(frame)
        && !succession_.settle(frame))
        come_out(frame);
}

// The thread leaves io_context::run() when the handler is over, if no exception takes it out.
ASIO_EWYK_DECL void strategy_service::come_out(detail::call_frame& frame) noexcept
{
    if (std::uncaught_exceptions() == frame.exceptions() && std::exchange(frame.stays, false))
        detail::leave_run::request(ioc_);
}

// The request came to a thread that does not need it.
ASIO_EWYK_DECL void strategy_service::give_up_request() noexcept
{
    succession_.give_up_request();
    succession_.dispatch(); // unless a thread produces
}

// A task that the pool has no thread for.
ASIO_EWYK_DECL void strategy_service::run_back(detail::task* t)
{
    if (t == this)
    {
        // It was the request for a producer, which is here. So one thread less is to produce. If
        // all still are, a task that waits next would wait for ever.
        give_up_request();
        if (!threads_.pool().all_produce() || !(t = threads_.pool().take()))
            return;
        if (t == this)
            return give_up_request();
    }
    detail::call_frame* const here = frame();
    // The task was recalled, and this caller has not begun to produce.
    if (!here && !ioc_.get_executor().running_in_this_thread())
        return run_job(t);
    if (!here || here->in_task)
        return t->run();
    succession_.counters().produce_consume();
    succession_.make_way(*here);
    running const until_end(*this, *here, detail::way::here);
    --here->counted; // it was counted when it was given away
    detail::run_timed(times_.get(), *t);
    here->rethrow_captured();
}

// An exception of a function that ran inline, beside what runs as a task.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::report_stray(std::exception_ptr error) noexcept
{
    // This thread runs the io_context, whose executor keeps it until the handler is over.
    if (auto const ex = ioc_.get_executor(); ex.running_in_this_thread())
        return ex.execute([&] { std::rethrow_exception(std::move(error)); });
    auto& threads = detail::pool_access::threads(pool_);
    if (!threads.options().on_exception && pass(error))
        return;
    thrown_.add();
    threads.report(std::move(error));
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool strategy_service::pass(std::exception_ptr const& error) noexcept
{
    if (!passed_.pass(error))
        return false;
    wake_up();
    threads_.wake_all();
    return true;
}

// The thread that produces

ASIO_EWYK_DECL bool strategy_service::must_leave(detail::call_frame const& frame) const noexcept
{
    return frame.is_pooled() ? !threads_.may_produce(frame) || threads_.should_give_back(frame)
                        : frame.throws && passed_.any();
}

// Says when a thread that produces waits for I/O. A file is known to be the io_context's if Asio
// has waited for it and has run no handler: that of another one, or of a program's own, is waited
// for in a handler. What a handler of ours waits for is a part of it.
class strategy_service::poll_observer final : private detail::wait_observer
{
public:
    poll_observer(detail::succession& s, detail::call_frame& frame) noexcept
        : succession_(s)
        , frame_(frame)
    {
    }

    // By the producer: another thread may wait, and does not tell until it is known.
    void looks_for_a_handler() noexcept { seen_ = none; }
    void found_none() noexcept
    {
        if (seen_ != none && succession_.watch().in_use() && !succession_.knows_reactor()
            && succession_.has_lease(frame_)) [[unlikely]]
            succession_.learn_reactor(seen_);
    }

private:
    static constexpr int none = -1;

    void begin(int file, bool waits) noexcept override
    {
        // What a handler of a signal waits for comes later.
        if (seen_ == none)
            seen_ = file;
        if (waits && is_of(file))
            succession_.begin_wait(frame_);
    }

    void end(int file, bool waits) noexcept override
    {
        if (waits && is_of(file))
            succession_.end_wait(frame_);
    }

    bool is_of(int file) const noexcept
    {
        return succession_.is_reactor(file) && frame_.produces() && !frame_.in_task;
    }

    detail::succession& succession_;
    detail::call_frame& frame_;
    int seen_ = none;
};

// This thread has the lease. It runs handlers until it has lost that, or is to leave. An exception
// leaves when another thread was asked to produce. A caller that is the only one asks none: with an
// io_context, nothing runs before it calls again. One that comes meanwhile and parks is asked when
// this one leaves run().
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
            if (frame.away)
                detail::call_frame::come_back(frame.away);
            bool const stopped = self.ioc_.stopped();
            bool const only = !frame.is_pooled() && self.threads_.runners() == 1;
            self.succession_.leave(frame, !stopped && !only);
            if (stopped)
                self.threads_.wake_all();
            // Asio keeps what a handler submits as a continuation until the handler is over, and
            // expects the same thread to take it then: it wakes no other for that.
            else if ((frame.counted + frame.uncounted != 0
                         || std::uncaught_exceptions() != exceptions)
                && (self.succession_.leases() || self.threads_.runners() > 1
                    || self.threads_.some_are_away()))
                self.wake_up();
        }
    } const on_exit{*this, frame};
    poll_observer polls(succession_, frame);
    detail::trace_span const produces(detail::trace_event::produce, owner());
    // A native handler, which nothing marks, may come first.
    if (succession_.watch().in_use())
        succession_.watch().alert();
    bool const endless = deadline == detail::forever && limit == unlimited && !times_
        && !(frame.is_pooled() && succession_.is_exclusive());
    constexpr std::chrono::milliseconds shortest_pause(1);
    constexpr std::chrono::milliseconds longest_pause(64);
    auto pause = shortest_pause;
    while (frame.counted < limit && !must_leave(frame))
    {
        std::size_t const known = frame.counted + frame.uncounted;
        std::size_t n = 0;
        bool const visits = succession_.visits();
        bool const stays = frame.stays = endless && !visits;
        {
            detail::trace_span const waits(detail::trace_event::wait);
            if (stays)
                n = detail::leave_run::run_until_left(ioc_, frame.stays);
            else if (visits)
                n = visit(frame, polls, deadline, pause);
            else
                n = deadline == detail::forever ? ioc_.run_one() : ioc_.run_one_until(deadline);
        }
        frame.stays = false;
        // Asio tells how many there were, if the thread was not called out.
        if (std::size_t const all = known + n; all > frame.counted + frame.uncounted)
        {
            std::size_t const native = all - (frame.counted + frame.uncounted);
            native_.fetch_add(native, std::memory_order_relaxed);
            frame.counted += native;
        }
        if (!frame.produces() || (stays && ioc_.stopped()))
            break;
        if (n == 0 && !stays && (!visits || ioc_.stopped() || is_past(deadline)))
            break;
        if (!stays && !succession_.is_exclusive() && !succession_.settle(frame)
            && !frame.produces())
            break;
        if (visits)
            pause = n == 0 ? std::min(2 * pause, longest_pause) : shortest_pause;
        // Those that were late in native handlers wait inside, too, until they meet what is ours.
        // This one is not inside now, so Asio gives it to one of them. If none takes it they are in
        // their handlers still, and this thread has waited in vain.
        if (visits && (n == 0 || frame.counted % 32 == 0)
            && is_past(next_call_.load(std::memory_order_relaxed)) && succession_.inside() > 1)
        {
            bool const came = pass_on_wake_up(
                0, std::chrono::microseconds(200), [this] { return wake_queued_.load(); });
            next_call_.store(detail::after(came ? shortest_pause : longest_pause),
                std::memory_order_relaxed);
        }
    }
}

// Runs a handler. If one is ready it may be native: then nothing else marks it, and this thread
// itself says if it took long. `pause`: how long it waits for one while others are inside, whom
// this thread is to call out.
ASIO_EWYK_DECL std::size_t strategy_service::visit(detail::call_frame& frame,
    poll_observer& polls, std::chrono::steady_clock::time_point deadline,
    std::chrono::milliseconds pause)
{
    succession_.mark_native(frame);
    auto const which = frame.lease_number;
    bool const measures = succession_.measures_native();
    auto const clock = [measures] {
        return measures ? detail::this_thread_cpu_time()
                        : std::chrono::steady_clock::now().time_since_epoch();
    };
    std::chrono::nanoseconds const began = clock();
    polls.looks_for_a_handler();
    if (std::size_t const n = ioc_.poll_one(); n != 0)
    {
        // What is ours has settled, and has another number.
        if (frame.lease_number == which)
            succession_.ran_native(frame, clock() - began, measures);
        return n;
    }
    polls.found_none();
    // With another number, so that it merely waits.
    if (!succession_.settle(frame) || ioc_.stopped())
        return 0;
    auto const end
        = succession_.inside() > 1 ? std::min(deadline, detail::after(pause)) : deadline;
    return end == detail::forever ? ioc_.run_one() : ioc_.run_one_until(end);
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

// One of the pool.
ASIO_EWYK_DECL void strategy_service::arrive()
{
    detail::trace_point(detail::trace_event::arrive, owner());
    detail::frame_of_arrival const arrival(owner());
    detail::call_frame& here = *arrival;
    if (!succession_.arrive(here))
        return;
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
    if (succession_.takes_io_request()) [[unlikely]]
        provide_io();
    detail::call_frame* const here = frame();
    if (!here)
        return;
    ++here->uncounted;
    if (succession_.is_exclusive())
    {
        // The only caller stays inside: it gets the right again when the handler of the one that
        // comes back is over.
        if (here->produces() && succession_.awaited())
            here->gave_way += succession_.serve_section(
                *here, here->nested != 0 || (here->stays && threads_.runners() == 1));
    }
    else if (!here->in_task && !here->steps())
        succession_.settle(*here);
    if (!here->in_task
        && (must_leave(*here) || !here->produces() || (here->stays && succession_.visits())))
        come_out(*here);
    if (!here->in_task)
        give_again();
    // It may be meant for another thread: one of the pool that is to leave, or a caller that is to
    // throw. Asio prefers those that wait for its condition to the one that waits inside the
    // system. So a thread that gets it instead stays here until it has reached the right one.
    bool const leaves = here->is_pooled() && !here->in_task;
    auto const is_meant_for_another = [this, leaves, throws = here->throws]() noexcept {
        return (!leaves && threads_.not_stepping() == 0 && threads_.pool().client().pins() != 0)
            || (!throws && passed_.any());
    };
    if (passed_on < threads_.runners() + threads_.pool().client().pins() && is_meant_for_another())
        [[unlikely]]
        pass_on_wake_up(passed_on + 1, std::chrono::milliseconds(1), is_meant_for_another);
}

// Has another thread that is inside run woken(), if one can, and waits so long at most for what
// comes of it. `times`: how many have passed it on. False if nothing came of it.
template <class Awaited>
bool strategy_service::pass_on_wake_up(
    std::size_t times, std::chrono::microseconds moment, Awaited is_awaited) noexcept
{
    // It sleeps, and is not late; but the task that it may be in is.
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

// The calls of run() and its siblings

// A call that is not inside a handler of the context. A handler may end the process, by
// std::exit(), on its own thread, which then destroys the context. The thread of the call does not
// come back to a program that would use it.
class strategy_service::call_inside
{
public:
    explicit call_inside(strategy_service* self) noexcept
        : self_(self)
    {
        if (self_ && (self_->calls_.fetch_add(one_call) & ends) != 0) [[unlikely]]
            leave_and_stay();
    }

    call_inside(call_inside const&) = delete;
    call_inside& operator=(call_inside const&) = delete;

    ~call_inside()
    {
        if (self_)
            leave_and_stay();
    }

private:
    void leave_and_stay() noexcept
    {
        if ((self_->calls_.fetch_sub(one_call) & ends) != 0) [[unlikely]]
            detail::parker().park_until(detail::forever);
    }

    strategy_service* const self_; // null: it is inside one
};

// Counts a thread as being inside run() or a sibling.
class strategy_service::caller
{
public:
    // `inner`: in a handler of the context, on whichever thread.
    caller(strategy_service& self, bool stepping, bool inner)
        : self_(self)
        , stepping_(stepping)
        , inner_(inner)
    {
        // A call inside a handler takes no exceptions from other threads: the handler might catch
        // them.
        if (!inner)
            self_.passed_.came();
        // As if handlers ran on the threads of the callers only.
        if (self_.threads_.runner_came(stepping) && self_.own_pool_)
            detail::pool_access::threads(self_.pool_).take_signal_mask();
    }

    caller(caller const&) = delete;
    caller& operator=(caller const&) = delete;

    ~caller()
    {
        auto const [last, last_to_run] = self_.threads_.runner_left(stepping_);
        // Asio locks a mutex to say whether it is stopped. Where one caller steps, and the pool has
        // no threads, there is nobody to be told.
        if (!last || last_to_run || self_.threads_.pool().pool().threads() != 0
            || self_.threads_.pool().client().size() != 0)
            leave(last, last_to_run);
        if (!inner_)
            self_.passed_.left();
    }

    bool is_inner() const noexcept { return inner_; }

    // Whether it throws what others pass to it.
    bool throws() const noexcept { return !inner_ && !leaves_; }
    bool is_stepping() const noexcept { return stepping_; }

private:
    void leave(bool last, bool last_to_run)
    {
        bool const stopped = self_.ioc_.stopped();
        if (stopped)
            self_.threads_.wake_all();
        // Also for a caller that stepped: a thread of the pool that has ended the last work may be
        // about to stop the io_context, which may be restarted by then.
        leaves_ = true;
        if (last_to_run || (last && stopped && !inner_))
            self_.clear_pool(*this);
        if (!last && !stopped)
        {
            // It may have been woken to take what waits.
            self_.succession_.dispatch();
            if (self_.threads_.pool().client().size() != 0)
                self_.threads_.wake_idle_caller();
        }
    }

    strategy_service& self_;
    bool const stepping_;
    bool const inner_;
    bool leaves_ = false;
};

ASIO_EWYK_DECL std::size_t strategy_service::run_until(
    std::chrono::steady_clock::time_point deadline)
{
    std::size_t n = 0;
    detail::with_recycled_memory([&] { n = call(unlimited, true, deadline, false); });
    return n;
}

ASIO_EWYK_DECL std::size_t strategy_service::step(
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    return call(limit, may_wait, deadline, true);
}

ASIO_EWYK_DECL std::size_t strategy_service::call(std::size_t limit, bool may_wait,
    std::chrono::steady_clock::time_point deadline, bool stepping)
{
    detail::call_frame* const outer = frame();
    bool const inner = is_in_handler();
    // A task that waits for handlers will not be short.
    if (may_wait)
        detail::call_frame::end_leases();
    if (outer && (outer->produces() || !succession_.is_exclusive()))
        return run_nested(*outer, limit, may_wait, deadline);
    call_inside const until_end(inner ? nullptr : this);
    std::size_t counted = 0;
    try
    {
        {
            caller const here(*this, stepping, inner);
            if (!stepping || (succession_.is_exclusive() && may_wait))
                take_part(here, counted, limit, deadline);
            else
                counted = step_beside(here, limit, may_wait, deadline);
        }
        if (!inner)
            passed_.rethrow_one();
        return stepping ? counted : threads_.settle(counted);
    }
    catch (...)
    {
        // The count of a call that throws is in no result, as with an io_context.
        threads_.settle(counted);
        if (!inner && detail::exception_of_a_handler())
            thrown_.add();
        throw;
    }
}

// So many handlers, by the io_context's own functions.
ASIO_EWYK_DECL std::size_t strategy_service::step_asio(detail::call_frame& frame, std::size_t limit,
    bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    bool const exclusive = succession_.is_exclusive();
    bool const all_at_once = !may_wait && limit == unlimited && !exclusive;
    struct end
    {
        strategy_service& self;
        detail::call_frame& frame;
        std::size_t const before = frame.uncounted;

        // Also when a handler has thrown.
        ~end()
        {
            if (std::exchange(frame.uncounted, before) != before)
                self.called_.store(true);
        }
    } const on_exit{*this, frame};
    std::size_t counted = 0;
    while (counted < limit)
    {
        std::size_t const known = frame.uncounted;
        std::size_t const n = all_at_once ? ioc_.poll()
            : !may_wait                   ? ioc_.poll_one()
            : deadline == detail::forever ? ioc_.run_one()
                                          : ioc_.run_one_until(deadline);
        counted += n - (frame.uncounted - known);
        if (n == 0 || all_at_once || frame.gave_way != 0 || (exclusive && !frame.produces())
            || (frame.throws && passed_.any()))
            break;
    }
    return counted;
}

// In a handler: what runs is a part of it.
ASIO_EWYK_DECL std::size_t strategy_service::run_nested(detail::call_frame& frame,
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    struct end
    {
        detail::call_frame& frame;
        strategy_service& self;
        ~end()
        {
            --frame.nested;
            // The next one may be far, and another thread relied on this one to look for others.
            if (self.called_.exchange(false))
                self.wake_up();
        }
    };
    detail::flag_scope const in_task(frame.in_task, true);
    detail::flag_scope const stays(frame.stays, false);
    ++frame.nested;
    end const on_exit{frame, *this};
    frame.gave_way = 0;
    // While others run concurrently the one that it waits for may have run on another thread
    // already, and nothing would end this.
    bool const beside = may_wait && limit == 1 && !succession_.is_exclusive();
    auto const enough
        = beside ? std::min(deadline, detail::after(std::chrono::milliseconds(4))) : deadline;
    std::size_t const n = step_asio(frame, limit, may_wait, enough);
    if (beside && n == 0 && !ioc_.stopped() && std::chrono::steady_clock::now() < deadline)
    {
        // A handler that another thread counted; the next result has one less.
        threads_.count_back();
        return 1;
    }
    // Likewise for one that was in a section, of which this may be the second result.
    return may_wait && n == 0 && frame.gave_way != 0 ? 1 : n;
}

// Handlers one by one, or what is ready, beside what others run.
ASIO_EWYK_DECL std::size_t strategy_service::step_beside(caller const& c, std::size_t limit,
    bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    if (!c.is_inner() && passed_.any())
        return 0;
    detail::call_frame frame(owner());
    frame.thread = detail::call_frame::thread_of::stepping_caller;
    frame.throws = !c.is_inner();
    give_again();
    struct out
    {
        strategy_service& self;
        detail::call_frame& frame;
        ~out()
        {
            // See produce().
            bool const others = self.threads_.runners() > 1 && !self.ioc_.stopped();
            self.succession_.leave(frame, others);
            if (others)
                self.wake_up();
        }
    };
    if (succession_.is_exclusive() && !succession_.acquire(frame))
        return 0;
    out const on_exit{*this, frame};
    return step_asio(frame, limit, may_wait, deadline);
}

// Works for the context until the call is over; the heart of run() and its siblings.
ASIO_EWYK_DECL void strategy_service::take_part(caller const& c, std::size_t& counted,
    std::size_t limit, std::chrono::steady_clock::time_point deadline)
{
    detail::idle_caller self;
    auto const over = [&] {
        return ioc_.stopped()
            || (deadline != detail::forever && std::chrono::steady_clock::now() >= deadline);
    };
    // Produces, if it may: by itself, or since it was asked to.
    auto const work = [&](bool (detail::succession::*begin)(detail::call_frame&) noexcept) {
        detail::call_frame frame(owner());
        if (c.is_stepping())
            frame.thread = detail::call_frame::thread_of::stepping_caller;
        frame.throws = c.throws();
        struct add
        {
            std::size_t& counted;
            detail::call_frame& frame;
            ~add() { counted += frame.counted; }
        } const at_end{counted, frame};
        if ((succession_.*begin)(frame))
            produce(frame, limit == unlimited ? unlimited : limit - counted, deadline);
    };
    while (counted < limit && !over())
    {
        if (c.throws())
            passed_.rethrow_one();
        give_again();
        if (succession_.is_free())
        {
            work(&detail::succession::acquire);
            if (counted >= limit || over())
                break;
        }
        detail::task* job = threads_.pool().take();
        if (job || (rest(c, self, deadline) && (job = std::exchange(self.job, nullptr))))
        {
            if (job == this)
                work(&detail::succession::arrive);
            else
                run_job(job);
        }
    }
}

// A task that was given to the pool.
ASIO_EWYK_DECL void strategy_service::run_job(detail::task* job)
{
    detail::call_frame frame(owner());
    frame.in_task = true;
    threads_.pool().client().run(job);
    frame.rethrow_captured();
}

// Parks this thread, unless there is something to do. True if another thread woke it.
//
// A caller has a slot only while it parks: there may be more callers than slots, and one that
// waits for a slot is needed while the others are in handlers.
ASIO_EWYK_DECL bool strategy_service::rest(caller const& c, detail::idle_caller& self,
    std::chrono::steady_clock::time_point deadline)
{
    detail::idle_callers& callers = threads_.callers();
    std::size_t const slot = callers.occupy(self, deadline, [&] { return ioc_.stopped(); });
    if (slot == detail::idle_callers::none)
        return false;
    struct vacate
    {
        detail::idle_callers& callers;
        std::size_t slot;
        ~vacate() { callers.vacate(slot); }
    } const on_exit{callers, slot};
    detail::trace_span const parks(detail::trace_event::park);
    callers.park(slot);
    detail::test_point();
    // Dekker with all of these: see doc/design.adoc. Otherwise an idle caller could sleep beside
    // work, or through a stop.
    bool const busy = succession_.is_free() || threads_.pool().client().size() != 0
        || ioc_.stopped() || (c.throws() && passed_.any());
    if (busy && callers.withdraw(slot))
        return false;
    if (self.sleep.park_until(busy ? detail::forever : deadline))
        return true;
    if (callers.withdraw(slot))
        return false;
    // Claimed at the deadline: what it is claimed for comes first.
    return self.sleep.park_until(detail::forever);
}

// How a strategy_service ends.

ASIO_EWYK_DECL void strategy_service::stop() noexcept
{
    ioc_.stop();
    recall_tasks();
    threads_.wake_all();
}

// Handlers run only while a caller is inside run(): tasks that wait in the pool then wait here.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::recall_tasks() noexcept
{
    while (detail::task* t = threads_.pool().take())
        if (t == this)
            succession_.give_up_request();
        else
        {
            threads_.count_back(); // it counts when it is given away again
            std::lock_guard const lock(recalled_mutex_);
            recalled_.push(t);
            has_recalled_.store(true);
        }
    // A caller that has come meanwhile may have asked, and gives the tasks away again. Dekker: it
    // counts itself before it looks for them.
    if (threads_.runners() == 0 || ioc_.stopped())
        return;
    succession_.dispatch();
    if (has_recalled_.load())
    {
        wake_up();
        threads_.wake_idle_caller();
    }
}

// A caller. Throws what a task throws that the pool gives back: the rest is given by another caller
// then, or by the next call.
ASIO_EWYK_DECL void strategy_service::give_again()
{
    if (!has_recalled_.load()) [[likely]]
        return;
    try
    {
        for (;;)
        {
            std::unique_lock lock(recalled_mutex_);
            detail::task* const t = recalled_.pop();
            if (!t)
                return has_recalled_.store(false);
            lock.unlock();
            threads_.credit(1);
            if (detail::task* const back
                = threads_.give(detail::task_ptr(t), strategy_t::produce_execute_consume))
                run_back(back);
        }
    }
    catch (...)
    {
        wake_up();
        threads_.wake_idle_caller();
        throw;
    }
}

// When the last caller of run() returns, no handler runs any more, as with an io_context; except
// one that has called run() itself. The handlers that still run may wait for others, so this
// produces for a moment after each pause. A pause is as long as all that was before: soon one is
// longer than any handler that does not wait for others, also where handlers block all the time.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::clear_pool(caller const& c)
{
    constexpr std::chrono::milliseconds shortest_pause(1);
    constexpr std::chrono::milliseconds longest_nap(64);
    constexpr std::chrono::milliseconds round(10);
    auto const begun = std::chrono::steady_clock::now();
    for (auto end_of_pause = begun + shortest_pause;;)
    {
        // More than once: a late thread may wait inside the io_context beside the one that was
        // woken, and a thread that still produces may have given away another task.
        recall_tasks();
        wake_up();
        if (threads_.await_pool(owner(), std::min(end_of_pause, detail::after(longest_nap))))
            return;
        auto now = std::chrono::steady_clock::now();
        if (ioc_.stopped() || now < end_of_pause)
            continue;
        go_on(c, now + std::min<std::chrono::nanoseconds>(now - begun, round));
        now = std::chrono::steady_clock::now();
        end_of_pause = now + (now - begun);
    }
}

// Produces once more on the way out. What a handler throws goes where that of the pool's does.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::go_on(
    caller const& c, std::chrono::steady_clock::time_point deadline)
{
    std::size_t counted = 0;
    threads_.runner_came(false);
    try
    {
        take_part(c, counted, unlimited, deadline);
    }
    catch (...)
    {
        std::exception_ptr error = detail::exception_of_a_handler();
        if (!error)
            throw;
        report_stray(std::move(error));
    }
    threads_.credit(counted);
    threads_.runner_left(false);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::halt()
{
    if (!detail::pool_access::threads(pool_).is_at_home())
    {
        threads_.pool().client().forget_tasks();
        threads_.callers().forget_others();
        detail::make_anew(recalled_);
        return;
    }
    stop();
    succession_.watch().stop(true);
    threads_.pool().leave();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::end()
{
    if (!is_in_handler() || !detail::pool_access::threads(pool_).is_at_home())
        return halt();
    if ((calls_.fetch_or(ends) & ends) == 0)
    {
        // The others may wait for the right to produce, or, as the last caller, for this thread.
        detail::call_frame::end_leases();
        detail::call_frame::go_away(this);
        threads_.runner_came(false);
    }
    halt();
    std::size_t const own = detail::call_frame::is_called_for(owner()) ? one_call : 0;
    while ((calls_.load() & ~ends) != own)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::shutdown()
{
    shut_down_.store(true);
    end();
    while (detail::task* const t = recalled_.pop())
        t->destroy();
}

// Whether the threads of the pool can end for a fork, and be waited for: while another thread is
// inside run(), they may produce without limit, or wait for it; and so in a handler, for this one,
// unless handlers run one at a time on the thread of the only caller.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool strategy_service::can_prepare_fork() const noexcept
{
    std::size_t const frames = detail::call_frame::depth();
    detail::call_frame const* const here = frame();
    // In a handler of another context a shared pool may run what waits for that.
    if (!is_in_handler() && (frames == 0 || own_pool_))
        return threads_.runners() == 0;
    return frames == 1 && here && !here->is_pooled() && strategy() == strategy_t::produce_consume
        && threads_.runners() == 1 && !threads_.some_are_away() && !succession_.awaited();
}

// What was not prepared is as if it was not announced: nothing changes for the parent, and the
// child may replace its program, or end.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::notify_fork(
    asio::execution_context::fork_event event)
{
    auto& threads = detail::pool_access::threads(pool_);
    auto const self = std::this_thread::get_id();
    if (event == asio::execution_context::fork_child)
        succession_.forget_reactor();
    if (event == asio::execution_context::fork_prepare)
    {
        if (!can_prepare_fork() || !threads.prepare_fork())
            return;
        forks_.store(self);
        succession_.watch().stop(false);
        return detail::registration::notify_fork(event);
    }
    if (forks_.load() != self)
        return;
    forks_.store({});
    bool const is_child = event == asio::execution_context::fork_child;
    detail::registration::notify_fork(event);
    // Last: it may start threads. In the child no other thread prepares one any more.
    if (is_child || threads.prepares_fork())
        threads.end_fork(is_child);
}

// Counters and present figures

ASIO_EWYK_DECL strategy_metrics strategy_service::metrics() const
{
    strategy_metrics m;
    succession_.counters().write_to(m);
    m.strategy = strategy();
    m.sentinel_refused = succession_.watch().refused();
    m.probe_refused = succession_.watch().is_blind();
    m.waits_observed = succession_.knows_reactor();
    detail::pool_client const& client = threads_.pool().client();
    m.produce_consume += native_.load(std::memory_order_relaxed);
    m.produce_execute_consume = client.begun();
    m.exceptions = thrown_.get() + client.thrown();
    m.load = load();
    m.queued = static_cast<std::size_t>(depth_.waiting());
    m.queued_max = static_cast<std::size_t>(depth_.most(m.queued));
    m.queued_in_pool = client.size();
    m.callers = threads_.runners();
    m.parked_callers = std::min(threads_.callers().parked(), m.callers);
    if (times_)
    {
        m.queue_delay = times_->queue_delay.snapshot();
        m.run_time = times_->run_time.snapshot();
    }
    return m;
}

ASIO_EWYK_DECL load_metrics strategy_service::load() const noexcept
{
    // What waits is counted from now on.
    counts_.store(true);
    wraps_.store(true);
    auto const now = std::chrono::steady_clock::now();
    detail::pool_client const& client = threads_.pool().client();
    std::uint64_t const gone = depth_.taken();
    std::uint64_t const taken = client.taken();
    auto const here = queue_delay_.look(now, gone, depth_.waiting());
    auto const there = pool_delay_.look(now, taken, client.size());
    return {here.last + there.last, here.average + there.average, waiting(),
        threads_.pool().pool().left() + threads_.callers().parked()};
}

// What a strategy_service shows of itself.

ASIO_EWYK_DECL std::size_t strategy_service::waiting() const noexcept
{
    return static_cast<std::size_t>(depth_.waiting()) + threads_.pool().client().size();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::tell_state(
    detail::text_sink& out) const noexcept
{
    out << "strategy_context " << static_cast<void const*>(&ioc_) << ' ' << pool_.options().name
        << ": ";
    detail::describe_production(out, succession_);
    out << ", " << std::uint64_t{threads_.runners()} << " callers inside run(), "
        << depth_.waiting() << " tasks wait for it, "
        << std::uint64_t{threads_.pool().client().size()} << " for a thread";
}

} // namespace asio_ewyk

#endif
