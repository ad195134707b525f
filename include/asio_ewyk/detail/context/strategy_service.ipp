// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IPP
#define ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IPP

#include <asio_ewyk/detail/asio/io_context_timer.hpp>
#include <asio_ewyk/detail/asio/observed_waits.hpp>
#include <asio_ewyk/detail/asio/reactor_file.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/strategy_service_impl.hpp>
#include <asio_ewyk/detail/engine/describe_production.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service& strategy_service::install(
    asio::io_context& ioc, strategy_options const& options, concurrency_hint hint)
{
    return asio::make_service<strategy_service_impl>(ioc, options, hint);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service& strategy_service::install(asio::io_context& ioc,
    worker_pool& pool, strategy_t s, std::chrono::nanoseconds grace, strategy_policy const& policy,
    std::size_t concurrency, concurrency_hint hint)
{
    return asio::make_service<strategy_service_impl>(
        ioc, pool, s, grace, policy, concurrency, hint);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service* strategy_service::installed_in(
    asio::execution_context& context)
{
    return asio::has_service<strategy_service_impl>(context)
        ? &asio::use_service<strategy_service_impl>(context)
        : nullptr;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service_impl::strategy_service_impl(
    asio::execution_context& owner, worker_pool* shared, strategy_options const& options,
    concurrency_hint hint)
    : strategy_service(owner, options.strategy)
    , own_pool_(shared ? nullptr : std::make_unique<worker_pool>(options.pool()))
    , pool_(shared ? *shared : *own_pool_)
    , times_(times_if(pool_.options().timing))
    , threads_(pool_access::threads(pool_), this, !traits_of(options.strategy).is_exclusive)
    , succession_(threads_, options.strategy, checked_grace(options.grace),
        !traits_of(options.strategy).is_exclusive && hint != concurrency_hint::one_thread,
        traits_of(options.strategy).is_exclusive && hint == concurrency_hint::many_threads, this,
        *this)
    , decision_(succession_, checked_policy(options.policy, options.strategy))
    , parallelism_(
        threads_,
        [](void* self, parallelism::helper& h) {
            static_cast<strategy_service_impl*>(self)->help(h);
        },
        this, checked_concurrency(options.concurrency, options.strategy, options.grace))
    , watch_(this, *this, stall_settings(pool_.options()))
{
    threads_.client().pass_exceptions_by(*this);
    threads_.client().measure(times_.get());
    if (succession_.watch().in_use() && observed_waits::are_had())
        succession_.watch().observe_waits();
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    succession_.watch().observe_handlers(frame_key());
#endif
    bool const observed = times_ || watch_.settings().threshold != std::chrono::nanoseconds::zero();
    wraps_.store(
        observed || (succession_.watch().in_use() && !succession_.watch().observes_waits()));
    counts_.store(observed);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service_impl::strategy_service_impl(
    asio::execution_context& owner, strategy_options const& options, concurrency_hint hint)
    : strategy_service_impl(owner, nullptr, options, hint)
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service_impl::strategy_service_impl(
    asio::execution_context& owner, worker_pool& pool, strategy_t s, std::chrono::nanoseconds grace,
    strategy_policy const& policy, std::size_t concurrency, concurrency_hint hint)
    : strategy_service_impl(owner, &pool,
          {.strategy = s, .grace = grace, .policy = policy, .concurrency = concurrency}, hint)
{
}

ASIO_EWYK_DECL strategy_service_impl::~strategy_service_impl() = default;

// How functions are submitted and run

ASIO_EWYK_DECL bool strategy_service_impl::is_in_handler() const noexcept
{
    return frame() || call_frame::is_in_section(frame_key());
}

ASIO_EWYK_DECL bool strategy_service_impl::running_in_this_thread() const noexcept
{
    return frame()
        || (ioc_.get_executor().running_in_this_thread()
            && !call_frame::is_in_section(frame_key()));
}

// A function that needs no decision is posted without a wrapper, unless it is to be observed, or
// nothing but a wrapper tells that a handler runs.
ASIO_EWYK_DECL bool strategy_service_impl::wraps(submission s) const noexcept
{
    return wraps_.load(std::memory_order_relaxed) || !decision_.is_plain(s.strategy, s.invocation)
        || trace_recorder::get();
}

ASIO_EWYK_DECL auto strategy_service_impl::stamp_of(submission s) noexcept -> std::optional<stamp_t>
{
    if (!wraps(s))
        return {};
    stamp_t stamp = 0;
    if (times_ || trace_recorder::get())
    {
        std::uint64_t const now = since_epoch(std::chrono::steady_clock::now());
        stamp = now << 1;
        trace_point(trace_event::post, trace_id(stamp), now);
    }
    if (counts_.load(std::memory_order_relaxed))
    {
        depth_.post();
        stamp |= 1;
    }
    return stamp;
}

ASIO_EWYK_DECL void const* strategy_service_impl::trace_id(stamp_t stamp) noexcept
{
    return reinterpret_cast<void const*>(stamp & ~std::uint64_t{1});
}

// When the function was submitted; now, if it was not posted.
ASIO_EWYK_DECL time_point strategy_service_impl::submitted_at(stamp_t stamp) noexcept
{
    if (stamp < 2)
        return std::chrono::steady_clock::now();
    return time_point(
        std::chrono::duration_cast<time_point::duration>(std::chrono::nanoseconds(stamp >> 1)));
}

ASIO_EWYK_DECL void strategy_service_impl::record_delay(stamp_t stamp) noexcept
{
    times_->queue_delay.record(std::chrono::steady_clock::now() - submitted_at(stamp));
}

// How this thread runs a completion, or what a handler dispatches.
ASIO_EWYK_DECL auto strategy_service_impl::how_to_dispatch(submission s) const noexcept
    -> dispatch_as
{
    call_frame const* const here = frame();
    if (!here)
        // The io_context may be run by its own functions, without a frame.
        return !ioc_.get_executor().running_in_this_thread()
                || call_frame::is_in_section(frame_key())
                || decision_.is_for_pool(s.strategy, s.invocation)
            ? dispatch_as::posted
            : dispatch_as::part_of_handler;
    if (here->in_task || !wraps(s))
        return dispatch_as::part_of_handler;
    char const on_stack = 0;
    if (thread_stack::of_this_thread().holds(&on_stack)) [[likely]]
        return dispatch_as::task;
    // On the stack of a stackful coroutine, which may be suspended, no task begins, as this thread
    // would have to end it. The function is a part of the handler that has resumed the coroutine.
    return decision_.is_for_pool(s.strategy, s.invocation) ? dispatch_as::posted
                                                           : dispatch_as::part_of_handler;
}

ASIO_EWYK_DECL bool strategy_service_impl::run_at_once(submission s, erased_function f)
{
    switch (how_to_dispatch(s))
    {
    case dispatch_as::part_of_handler:
        // Its exception waits in the frame until the handler is over, or in Asio. A coroutine that
        // was suspended in the function may resume when the context is gone, so this is not used
        // before `there` says that it is there.
        call_frame::run_inline(
            frame_key(), f, [this, there = watch_.there()](std::exception_ptr e) noexcept {
                there.report_by([&] { report_stray(std::move(e)); });
            });
        return true;
    case dispatch_as::task:
        // Its exception waits until Asio's handler on this thread is over.
        call_inline([&] { run_posted(s, 0, f); },
            [this](std::exception_ptr error) noexcept { report_stray(std::move(error)); });
        return true;
    case dispatch_as::posted:
        break;
    }
    return false;
}

ASIO_EWYK_DECL void strategy_service_impl::run_posted(
    submission s, stamp_t stamp, erased_function f)
{
    if ((stamp & 1) != 0) [[unlikely]]
        depth_.take();
    call_frame* const here = frame();
    if (!here || here->is_inside_handler()) [[unlikely]]
        // The io_context is run by its own functions, without a strategy; or by a handler, of which
        // the function is a part.
        return decision_.is_for_pool(s.strategy, s.invocation) ? give(s, stamp, f) : f();
    bool may_block = this_thread_may_block;
    auto const how = decision_.decide(*here, s.strategy, s.invocation, trace_id(stamp), may_block);
    ++here->counted; // of what is given to the pool, too, also if the pool refuses it
    if (how == how_to_run::given)
        return give(s, stamp, f);
    if (times_ && stamp > 1) [[unlikely]]
        record_delay(stamp);
    decision::running const until_end(decision_, *here, how);
    handler_scope const scope(f.describe(), trace_id(stamp), stamp >> 1);
    timed_run const timed(times_.get());
    if (may_block)
        f();
    else
    {
        may_block_scope const mark(false);
        f();
    }
    here->rethrow_captured();
}

// Gives a function to the pool, as a task, which may be allocated: then the function is moved once
// more. The task is outstanding work of the io_context until it has run.
ASIO_EWYK_DECL void strategy_service_impl::give(submission s, stamp_t stamp, erased_function f)
{
    task* const t = f.to_task(*this, s);
    if (times_ || stamp > 1)
        t->submitted = submitted_at(stamp);
    trace_point(trace_event::post, t);
    trace_choice(t, s.strategy, sub_strategy::produce_execute_consume, false);
    if (task* const refused = threads_.give(task_ptr(t), traits_of(s.strategy).queues_for_pool))
        run_refused(refused);
}

// An exception that no task on this thread throws: of a function that was called at once, or of a
// handler while the last caller leaves.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::report_stray(
    std::exception_ptr error) noexcept
{
    // If this thread runs the io_context, its executor keeps the exception until the handler is
    // over.
    if (auto const ex = ioc_.get_executor(); ex.running_in_this_thread())
        return ex.execute([&] { std::rethrow_exception(std::move(error)); });
    auto& threads = threads_.pool();
    if (!threads.options().on_exception && pass(error))
        return;
    thrown_.add();
    threads.report(std::move(error));
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool strategy_service_impl::pass(
    std::exception_ptr const& error) noexcept
{
    if (!passed_.pass(error))
        return false;
    wake_up();
    threads_.wake_all();
    return true;
}

// What io_production asks for

// Calls f, which uses a service of the io_context. False while another thread forks, which may wait
// for this one: that is woken afterwards, and tries again.
template <class F>
bool strategy_service_impl::use_services(F f)
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
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::learn_reactor(int file) noexcept
{
    use_services([&] {
        if (is_reactor_file(ioc_, file))
            succession_.learn_reactor(file);
    });
}

// Creates a timer, so that Asio waits for I/O and no more for its condition. Only when a thread has
// come to produce, or was asked for a sign of life: from then on Asio asks the system between
// handlers, too.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::provide_io() noexcept
{
    bool const done = use_services([&] {
        try
        {
            io_context_timer const any(ioc_);
        }
        catch (std::exception const&)
        {
            // No file descriptors: operations that need them will report it.
        }
    });
    if (!done)
        succession_.still_needs_io();
}

// Any thread: has a thread that is inside the io_context, or comes there, run the wake-up.
ASIO_EWYK_DECL void strategy_service_impl::send_wake_up() noexcept
{
    trace_point(trace_event::wake_up, frame_key());
    if (!wake_queued_.exchange(true))
        wakeup_op_.send(ioc_, *this);
}

ASIO_EWYK_DECL void strategy_service_impl::on_wake_up()
{
    std::size_t const resent = resent_.exchange(0);
    wake_queued_.store(false);
    run_wake_up(resent);
}

template <class Awaited>
void strategy_service_impl::await_wake_up(std::size_t times, Awaited is_awaited) noexcept
{
    resent_.store(times);
    send_wake_up();
    auto const enough = after(std::chrono::milliseconds(1));
    while (is_awaited() && std::chrono::steady_clock::now() < enough)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// The watchdog's thread. True if the next check is to come soon.
ASIO_EWYK_DECL bool strategy_service_impl::on_check(
    time_point now, lease::snapshot const& s, bool runs) noexcept
{
    if (!succession_.watch().observes_waits())
        return false;
    bool const inside = s.leased && s.what != lease::activity::polls;
    if (parallelism_.on_check(now, inside, inside && runs))
    {
        // A context without I/O waits for Asio's condition, and no thread sees that it waits.
        if (parallelism_.is_fixed() && !succession_.watch().knows_reactor())
            succession_.ask_for_sign();
        else
            wake_up();
    }
    return parallelism_.counts() || passed_.any();
}

// How a strategy_service ends

ASIO_EWYK_DECL void strategy_service_impl::stop() noexcept
{
    ioc_.stop();
    recall_tasks();
    threads_.wake_all();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::halt()
{
    if (!threads_.pool().is_at_home())
    {
        threads_.client().forget_tasks();
        threads_.callers().forget_others();
        make_anew(recalled_);
        return;
    }
    stop();
    succession_.watch().stop(true);
    threads_.leave_pool();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::end()
{
    if (!is_in_handler() || !threads_.pool().is_at_home())
        return halt();
    if ((calls_.fetch_or(ends) & ends) == 0)
    {
        // The threads that are to end may wait for the right to produce; or, as the last caller of
        // run(), for this thread: hence one caller more.
        call_frame::end_leases();
        call_frame::enter_section(this);
        threads_.runner_came(false);
    }
    halt();
    std::size_t const own = call_frame::is_called_for(frame_key()) ? one_call : 0;
    while ((calls_.load() & ~ends) != own)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::shutdown()
{
    shut_down_.store(true);
    end();
    while (task* const t = recalled_.pop())
        t->destroy();
}

// Whether this thread may wait until the pool's threads have ended, before a fork. Not while
// another thread is inside run(): the pool's threads may produce without limit, or wait for that
// thread. Nor in a handler, for which they may wait; unless handlers run one at a time and this
// thread is the only caller.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool strategy_service_impl::can_prepare_fork() const noexcept
{
    std::size_t const frames = call_frame::depth();
    call_frame const* const here = frame();
    // In a handler of another context, a shared pool may run a task that waits for that handler.
    if (!is_in_handler() && (frames == 0 || own_pool_))
        return threads_.runners() == 0;
    return frames == 1 && here && !here->is_pooled() && traits_of(strategy()).is_exclusive
        && threads_.runners() == 1 && !threads_.any_in_section() && !succession_.has_returning();
}

// A fork that cannot be prepared is as one that was not announced: nothing changes for the parent,
// and the child may only replace its program, or end.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::notify_fork(
    asio::execution_context::fork_event event)
{
    auto& threads = threads_.pool();
    auto const self = std::this_thread::get_id();
    if (event == asio::execution_context::fork_child)
        succession_.watch().learn_reactor(lease_watch::no_file);
    if (event == asio::execution_context::fork_prepare)
    {
        bool const prepares = can_prepare_fork() && threads.prepare_fork();
        // After the pool's threads have ended, as these may wait for the lock.
        if (holds_io_.load() != self)
        {
            io_mutex_.lock();
            holds_io_.store(self);
        }
        if (!prepares)
            return;
        fork_prepared_ = true;
        succession_.watch().stop(false);
        return registration::notify_fork(event);
    }
    if (holds_io_.load() != self)
        return;
    bool const is_child = event == asio::execution_context::fork_child;
    bool const prepared = std::exchange(fork_prepared_, false);
    holds_io_.store({});
    io_mutex_.unlock();
    if (is_child)
        threads_.callers().forget_others();
    if (io_refused_.exchange(false) && !is_child)
        wake_up();
    if (!prepared)
        return;
    registration::notify_fork(event);
    // Last, as this may start threads. In the child another thread that prepares a fork of its own
    // is gone.
    if (is_child || threads.prepares_fork())
        threads.end_fork(is_child);
}

// Counters and present figures: not virtual, so that who does not ask for them has no code of them

ASIO_EWYK_DECL strategy_metrics strategy_service::metrics() const
{
    return static_cast<strategy_service_impl const&>(*this).metrics();
}

ASIO_EWYK_DECL load_metrics strategy_service::load() const noexcept
{
    return static_cast<strategy_service_impl const&>(*this).load();
}

ASIO_EWYK_DECL strategy_metrics strategy_service_impl::metrics() const
{
    strategy_metrics m;
    succession_.counters().write_to(m);
    m.strategy = strategy();
    m.sentinel_refused = succession_.watch().sentinel_refused();
    m.probe_refused = succession_.watch().probe_refused();
    m.waits_observed = succession_.watch().knows_reactor();
    pool_client const& client = threads_.client();
    m.produce_execute_consume = client.begun();
    m.exceptions = thrown_.get() + client.thrown();
    m.load = load();
    m.queued = static_cast<std::size_t>(depth_.waiting());
    m.queued_max = static_cast<std::size_t>(depth_.most(m.queued));
    m.queued_in_pool = client.size();
    m.callers = threads_.runners();
    m.parked_callers = std::min(threads_.callers().parked(), m.callers);
    if (times_)
        times_->write_to(m);
    return m;
}

ASIO_EWYK_DECL load_metrics strategy_service_impl::load() const noexcept
{
    // Tasks that wait are counted from now on.
    counts_.store(true);
    wraps_.store(true);
    auto const now = std::chrono::steady_clock::now();
    pool_client const& client = threads_.client();
    auto const here = queue_delay_.look({depth_.taken(), depth_.waiting()}, now);
    auto const there = pool_delay_.look({client.taken(), client.size()}, now);
    return {here.delay + there.delay, here.average_delay + there.average_delay,
        here.waiting + there.waiting, threads_.pool().available() + threads_.callers().parked()};
}

// What a strategy_service shows of itself

ASIO_EWYK_DECL std::size_t strategy_service_impl::waiting() const noexcept
{
    return static_cast<std::size_t>(depth_.waiting()) + threads_.client().size();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service_impl::tell_state(text_sink& out) const noexcept
{
    out << "strategy_context " << static_cast<void const*>(&ioc_) << ' ' << pool_.options().name
        << ": ";
    describe_production(out, succession_);
    if (parallelism_.is_fixed())
        describe_concurrency(
            out, parallelism_.concurrency(), threads_, succession_.watch().observes_waits());
    out << ", " << std::uint64_t{threads_.runners()} << " callers inside run(), "
        << depth_.waiting() << " tasks wait for it, " << std::uint64_t{threads_.client().size()}
        << " for a thread";
}

} // namespace asio_ewyk::detail

#endif
