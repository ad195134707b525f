// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/describe_production.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/os/observed_waits.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>
#include <asio_ewyk/strategy_service.hpp>

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
          !detail::traits_of(options.strategy).is_exclusive)
    , succession_(threads_, options.strategy, detail::checked_grace(options.grace),
          !detail::traits_of(options.strategy).is_exclusive && kind != concurrency::one_thread,
          detail::traits_of(options.strategy).is_exclusive && kind == concurrency::many_threads,
          this, *this)
    , decision_(succession_, detail::checked_policy(options.policy, options.strategy))
    , parallelism_(threads_, [](void* self, detail::parallelism::helper& h) {
        static_cast<strategy_service*>(self)->help(h);
    }, this)
    , watch_(this, *this, detail::stall_settings(pool_.options()))
{
    threads_.client().pass_exceptions_by(*this);
    threads_.client().measure(times_.get());
    succession_.wake_by(
        [](void* self) noexcept { static_cast<strategy_service*>(self)->wake_up(); }, this);
    if (succession_.watch().in_use() && detail::observed_waits::are_had())
    {
        succession_.watch().observe_waits();
        succession_.watch_by(
            [](void* self, detail::time_point now, detail::lease::sight const& s,
                bool runs) noexcept {
                return static_cast<strategy_service*>(self)->look_at_time(now, s, runs);
            });
    }
    bool const observed = times_ || watch_.settings().threshold != std::chrono::nanoseconds::zero();
    wraps_.store(observed
        || (succession_.watch().in_use() && !succession_.watch().observes_waits()));
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

// What needs nothing before it runs the io_context runs by itself, unless it is observed, or
// nothing but a wrapper can tell that a handler runs.
ASIO_EWYK_DECL bool strategy_service::wraps(detail::submission s) const noexcept
{
    return wraps_.load(std::memory_order_relaxed)
        || !decision_.is_plain(s.strategy, s.invocation) || detail::trace_recorder::get();
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
        // The request for a producer, which is here: so one thread less is to produce. If all still
        // are, a task that waits next would wait for ever.
        give_up_request();
        if (!threads_.pool().all_occupied() || !(t = threads_.take()))
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
    auto& threads = threads_.pool();
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

// How a strategy_service ends.

ASIO_EWYK_DECL void strategy_service::stop() noexcept
{
    ioc_.stop();
    recall_tasks();
    threads_.wake_all();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::halt()
{
    if (!threads_.pool().is_at_home())
    {
        threads_.client().forget_tasks();
        threads_.callers().forget_others();
        detail::make_anew(recalled_);
        return;
    }
    stop();
    succession_.watch().stop(true);
    threads_.leave();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::end()
{
    if (!is_in_handler() || !threads_.pool().is_at_home())
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
    return frames == 1 && here && !here->is_pooled()
        && detail::traits_of(strategy()).is_exclusive
        && threads_.runners() == 1 && !threads_.some_are_away() && !succession_.awaited();
}

// What was not prepared is as if it was not announced: nothing changes for the parent, and the
// child may replace its program, or end.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::notify_fork(
    asio::execution_context::fork_event event)
{
    auto& threads = threads_.pool();
    auto const self = std::this_thread::get_id();
    if (event == asio::execution_context::fork_child)
        succession_.forget_reactor();
    if (event == asio::execution_context::fork_prepare)
    {
        bool const prepares = can_prepare_fork() && threads.prepare_fork();
        // Afterwards: a thread of the pool may wait for the lock.
        if (holds_io_.load() != self)
        {
            io_mutex_.lock();
            holds_io_.store(self);
        }
        if (!prepares)
            return;
        forks_.store(self);
        succession_.watch().stop(false);
        return detail::registration::notify_fork(event);
    }
    if (holds_io_.load() == self)
    {
        holds_io_.store({});
        io_mutex_.unlock();
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
    detail::pool_client const& client = threads_.client();
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
    detail::pool_client const& client = threads_.client();
    std::uint64_t const gone = depth_.taken();
    std::uint64_t const taken = client.taken();
    auto const here = queue_delay_.look(now, gone, depth_.waiting());
    auto const there = pool_delay_.look(now, taken, client.size());
    return {here.last + there.last, here.average + there.average, waiting(),
        threads_.pool().left() + threads_.callers().parked()};
}

// What a strategy_service shows of itself.

ASIO_EWYK_DECL std::size_t strategy_service::waiting() const noexcept
{
    return static_cast<std::size_t>(depth_.waiting()) + threads_.client().size();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::tell_state(
    detail::text_sink& out) const noexcept
{
    out << "strategy_context " << static_cast<void const*>(&ioc_) << ' ' << pool_.options().name
        << ": ";
    detail::describe_production(out, succession_);
    out << ", " << std::uint64_t{threads_.runners()} << " callers inside run(), "
        << depth_.waiting() << " tasks wait for it, "
        << std::uint64_t{threads_.client().size()} << " for a thread";
}

} // namespace asio_ewyk

#endif
