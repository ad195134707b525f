// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/describe_production.hpp>
#include <asio_ewyk/detail/engine/strategy_engine_impl.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/impl/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

namespace asio_ewyk {

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service::strategy_service(asio::execution_context& owner,
    worker_pool* shared, strategy_options const& options, reactor kind)
    : asio::execution_context::service(owner)
    , ioc_(static_cast<asio::io_context&>(owner))
    , own_pool_(shared ? nullptr : std::make_unique<worker_pool>(options.pool()))
    , pool_(shared ? *shared : *own_pool_)
    , times_(detail::times_if(pool_.options().timing))
    , threads_(detail::pool_access::threads(pool_), &engine_, options.strategy)
    , reactor_(ioc_, threads_, &engine_, *this)
    , engine_(reactor_, threads_, options.strategy, detail::checked_grace(options.grace),
          detail::checked_policy(options.policy, options.strategy))
    , leases_in_place_(kind == reactor::many_threads)
    , watch_(&engine_, *this, detail::stall_settings(pool_.options()))
{
    threads_.pool().client().pass_exceptions_by(*this);
    measure();
    provide_io();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service::strategy_service(
    asio::execution_context& owner, strategy_options const& options, reactor kind)
    : strategy_service(owner, nullptr, options, kind)
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_service::strategy_service(
    asio::execution_context& owner, worker_pool& pool, strategy_t s, std::chrono::nanoseconds grace,
    strategy_policy const& policy, reactor kind)
    : strategy_service(owner, &pool, {.strategy = s, .grace = grace, .policy = policy}, kind)
{
}

ASIO_EWYK_DECL strategy_service::~strategy_service() = default;

ASIO_EWYK_DECL void strategy_service::provide_io() noexcept
{
    if (!leases_in_place_)
        reactor_.may_expect_one_thread();
    if (!engine_.leases())
        return;
    try
    {
        asio::steady_timer const any(ioc_);
        reactor_.has_io();
    }
    catch (std::exception const&)
    {
        // No file descriptors: operations that need them will report it.
    }
}

ASIO_EWYK_DECL bool strategy_service::running_in_this_thread() const noexcept
{
    detail::call_frame const* const frame = detail::call_frame::find(&engine_);
    return frame ? !frame->in_producer
                 : ioc_.get_executor().running_in_this_thread()
            && !detail::call_frame::is_away(&engine_);
}

ASIO_EWYK_DECL void strategy_service::submit(
    detail::call_frame* frame, detail::task* t, bool never_inline) noexcept
{
    if (times_)
        t->submitted = detail::time_stamp(std::chrono::steady_clock::now());
    if (frame && frame->in_producer && !never_inline)
    {
        reactor_.capture(*frame, t);
        // The handler around it may be late, and wait for it. Dekker: the thread that has taken the
        // right over looks for tasks before it sleeps. Either it sees this one, or it is seen here.
        if (!engine_.has_right(*frame))
            reactor_.captured_late();
    }
    else if (frame && frame->producing && !frame->leased_by)
        reactor_.post_own(t);
    else
        reactor_.post(t);
}

ASIO_EWYK_DECL void strategy_service::begin_visit(
    detail::call_frame& frame, detail::lease::activity what, bool native) noexcept
{
    engine_.begin_visit(frame, what);
    // The first to run may be a native handler, which nothing marks.
    if (frame.leased_by && (native || frame.staying))
        engine_.watch().alert();
}

ASIO_EWYK_DECL void strategy_service::end_visit(detail::call_frame& frame, bool native)
{
    bool const leased = frame.leased_by != nullptr;
    engine_.end_visit(frame);
    if (native && leased)
    {
        engine_.watch().expect_native();
        engine_.watch().alert();
    }
}

ASIO_EWYK_DECL bool strategy_service::met_native() noexcept
{
    return engine_.watch().met_native();
}

// A call that steps, or has a deadline, comes out after each completion; and so does one that
// measures how long I/O is not looked for.
ASIO_EWYK_DECL bool strategy_service::may_stay(detail::call_frame const& frame) noexcept
{
    if (frame.nested || times_ || (frame.run && !frame.run->endless()))
        return false;
    strategy_t const s = engine_.resolve(engine_.strategy(), {});
    // One of the pool looks after each whether a caller is idle.
    return (s == strategy_t::produce_consume && frame.run && !threads_.some_are_away())
        || (leases_in_place_ && s != strategy_t::produce_execute_consume
            && engine_.may_lease(frame, s));
}

ASIO_EWYK_DECL bool strategy_service::run_inside(detail::call_frame& frame, detail::task* t)
{
    return engine_.run_inside(frame, t);
}

ASIO_EWYK_DECL bool strategy_service::may_go_on(detail::call_frame& frame) noexcept
{
    return engine_.may_go_on(frame);
}

ASIO_EWYK_DECL bool strategy_service::awaited() const noexcept
{
    return engine_.awaited();
}

// Runs tasks without the reactor: for a wake-up on a thread that is not ours. Only some of them, to
// leave completions their turn; if there are more, another wake-up is under way.
ASIO_EWYK_DECL void strategy_service::woken_elsewhere()
{
    detail::run_call t(64, detail::run_call::waiting::no_reactor, detail::forever, true);
    take_part(t);
    if (!engine_.idle())
        reactor_.run_posted();
    // It was meant for the producer, which passes the right on.
    if (engine_.awaited())
        reactor_.expel();
}

// Whether a completion inside the producer is to be run right there: the right to produce stays, or
// is leased. A stackful coroutine may be suspended in the middle of it. So on its stack nothing is
// begun that would have to end: the completion is a part of the handler that has resumed the
// coroutine. In a visit for one completion, a second one is a part of the first, or of a handler of
// Asio's that dispatches both.
ASIO_EWYK_DECL strategy_service::in_place strategy_service::begin_in_place(
    detail::call_frame& frame, detail::submission s) noexcept
{
    using enum detail::sub_strategy;
    strategy_t const resolved = engine_.resolve(s.strategy, s.invocation);
    auto const sub = detail::choose(resolved, s.invocation, detail::this_thread_may_block, true);
    bool const stays = sub == produce_consume;
    if (!stays && (!leases_in_place_ || sub != execute_produce_consume || !frame.leased_by))
        return in_place::not_here;
    char const here = 0;
    if ((frame.accounted && !frame.staying)
        || !detail::thread_stack::of_this_thread().holds(&here)) [[unlikely]]
        return in_place::as_a_part;
    if (stays)
        engine_.begin_kept(frame);
    else if (!engine_.begin_task(frame, resolved))
        return in_place::not_here;
    threads_.count(frame);
    ++frame.own_inside;
    frame.accounted = true;
    frame.in_producer = false;
    return in_place::here;
}

// On the thread on which it has ended.
ASIO_EWYK_DECL void strategy_service::end_part() noexcept
{
    detail::call_frame* const frame = detail::call_frame::find(&engine_);
    if (frame && frame->staying && frame->has_captured())
        reactor_.come_out(*frame);
}

ASIO_EWYK_DECL void strategy_service::end_in_place(detail::call_frame& frame)
{
    engine_.end_section(frame);
    if (frame.producing)
        engine_.end_kept(frame);
    else if (engine_.end_task(frame) == decltype(engine_)::task_end::resumed)
    {
        reactor_.resumed();
        engine_.begin_visit(frame, detail::lease::activity::waits);
    }
    frame.in_producer = true;
    if (frame.staying && (!frame.producing || frame.has_captured() || reactor_.is_awaited()))
        reactor_.come_out(frame);
}

// An exception of a function that ran inline, on a thread that does not work for the context.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::report_stray(std::exception_ptr error) noexcept
{
    // This thread runs the io_context itself, whose executor keeps it until the handler is over.
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
    reactor_.expel();
    threads_.wake_all();
    return true;
}

// Counts a thread as being inside run().
class strategy_service::runner
{
public:
    runner(strategy_service& self, detail::call_frame& frame, bool in_a_handler)
        : self_(self)
        , frame_(frame)
        , in_a_handler_(in_a_handler)
    {
        self_.threads_.runner_came(frame_.stepping);
    }

    runner(runner const&) = delete;
    runner& operator=(runner const&) = delete;

    ~runner()
    {
        auto const [last, last_to_run] = self_.threads_.runner_left(frame_.stepping);
        bool const stopped = self_.ioc_.stopped();
        if (stopped)
            self_.threads_.wake_all();
        // Also for a caller that stepped: a thread of the pool that has ended the last work may be
        // about to stop the io_context, which may be restarted by then.
        if (last_to_run || (last && stopped && !in_a_handler_))
            self_.clear_pool();
        if (!last && !stopped && self_.engine_.idle())
            self_.engine_.dispatch(frame_);
    }

private:
    strategy_service& self_;
    detail::call_frame& frame_;
    bool const in_a_handler_;
};

ASIO_EWYK_DECL std::size_t strategy_service::run_until(
    std::chrono::steady_clock::time_point deadline)
{
    using detail::run_call;
    run_call t(run_call::unlimited, run_call::waiting::allowed, deadline, false);
    detail::with_recycled_memory([&] { take_part_or_settle(t); });
    return threads_.settle(t.executed());
}

// Whether this thread runs a task of the context, and does not keep the right to produce.
ASIO_EWYK_DECL bool strategy_service::is_beside_others() const noexcept
{
    detail::call_frame const* const frame = detail::call_frame::find(&engine_);
    return frame ? frame->leased_by || !frame->producing : detail::call_frame::is_away(&engine_);
}

ASIO_EWYK_DECL std::size_t strategy_service::step(
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    using enum detail::run_call::waiting;
    detail::run_call t(limit, may_wait ? allowed : none, deadline, true);
    // Called by a handler while others run concurrently: the one that it waits for may have run on
    // another thread already, and nothing would end this.
    bool const beside_others = may_wait && is_beside_others();
    if (beside_others)
        t.end_at(detail::after(std::chrono::milliseconds(4)));
    take_part_or_settle(t);
    if (beside_others && t.executed() == 0 && !ioc_.stopped()
        && std::chrono::steady_clock::now() < deadline)
    {
        // A handler that another thread counted; the next result has one less.
        threads_.count_back();
        return 1;
    }
    // Likewise for one that was in a section, of which this may be the second result.
    return may_wait && t.executed() == 0 && t.has_given_way() ? 1 : t.executed();
}

// The count of a call that throws is in no result, as with an io_context. What it has given to the
// pool, and what comes back, must not be missing in the next result.
ASIO_EWYK_DECL void strategy_service::take_part_or_settle(detail::run_call& t)
{
    // A call inside a handler takes no exceptions from other threads: the handler might catch them.
    bool const inner
        = detail::call_frame::find(&engine_) || detail::call_frame::is_away(&engine_);
    struct caller
    {
        detail::passed_exceptions& thrown;
        ~caller() { thrown.left(); }
    };
    try
    {
        if (inner)
            return take_part(t);
        t.take_from(passed_);
        passed_.came();
        {
            caller const here{passed_};
            take_part(t);
        }
        passed_.rethrow_one();
    }
    catch (...)
    {
        threads_.settle(t.executed());
        if (!inner && detail::exception_of_a_handler())
            thrown_.add();
        throw;
    }
}

ASIO_EWYK_DECL void strategy_service::take_part(detail::run_call& t)
{
    detail::call_frame* const outer = detail::call_frame::find(&engine_);
    // A task that runs handlers, or waits for some, will not be short.
    if (outer || t.wait() == detail::run_call::waiting::allowed)
        detail::call_frame::end_leases();
    detail::call_frame frame(&engine_, &t);
    frame.nested = outer && outer->producing;
    frame.stepping = t.stepping() || frame.nested;
    if (frame.nested)
    {
        frame.is_bound = outer->is_bound;
        engine_.enter(frame);
        if (frame.gave_way)
            t.gave_way();
        return;
    }

    runner const present(
        *this, frame, outer != nullptr || detail::call_frame::is_away(&engine_));
    bool const may_wait = t.wait() == detail::run_call::waiting::allowed;
    detail::idle_caller self;
    std::size_t slot = detail::idle_callers::none;
    struct vacate
    {
        detail::idle_callers& callers;
        std::size_t& slot;
        ~vacate()
        {
            if (slot != detail::idle_callers::none)
                callers.vacate(slot);
        }
    } const on_exit{threads_.callers(), slot};

    detail::time_point enough{};
    while (!over(t))
    {
        if (t.interrupted())
            passed_.rethrow_one();
        bool const entered = engine_.enter(frame)
            || (t.wait() == detail::run_call::waiting::none && poll_beside(frame));
        if (!entered && t.wait() == detail::run_call::waiting::none && threads_.is_alone(frame))
        {
            // A thread of the pool has the right, and is about to leave; or it runs a handler,
            // perhaps for ever.
            if (enough == detail::time_point{})
                enough = detail::after(std::chrono::milliseconds(2));
            if (std::chrono::steady_clock::now() < enough)
            {
                std::this_thread::yield();
                continue;
            }
        }
        if (!may_wait || over(t))
            break;
        if (detail::task* job = threads_.take())
        {
            if (!engine_.is_production(job))
                threads_.count_back();
            run_job(frame, job);
            continue;
        }
        if (slot == detail::idle_callers::none)
        {
            slot = threads_.callers().occupy(self, t.deadline(), [&] { return ioc_.stopped(); });
            continue;
        }
        if (rest(self, slot, t))
            if (detail::task* job = std::exchange(self.job, nullptr))
                run_job(frame, job);
    }
}

// With an io_context a thread that polls runs what is ready, whatever other threads run. So where
// the producer runs a task that does not end soon, which another thread may take over from anyhow,
// this one does. False if it does not produce, as where one task runs at a time.
ASIO_EWYK_DECL bool strategy_service::poll_beside(detail::call_frame& frame)
{
    auto const running = engine_.running_lease();
    if (!running)
        return false;
    for (auto const late = detail::after(default_grace); std::chrono::steady_clock::now() < late;)
    {
        if (engine_.running_lease() != running)
            return false;
        std::this_thread::yield();
    }
    return engine_.take_over_here(frame, *running);
}

// Parks this thread, unless there is something to do. True if another thread woke it.
ASIO_EWYK_DECL bool strategy_service::rest(
    detail::idle_caller& g, std::size_t slot, detail::run_call& t)
{
    detail::idle_callers& callers = threads_.callers();
    detail::trace_span const parks(detail::trace_event::park);
    callers.park(slot);
    detail::test_point();
    // Dekker with all of these: see doc/design.adoc. Otherwise an idle caller could sleep beside
    // work, or through a stop.
    bool const busy = engine_.idle() || threads_.pool().client().size() != 0 || ioc_.stopped()
        || t.interrupted();
    if (busy && callers.withdraw(slot))
        return false;
    if (g.sleep.park_until(busy ? detail::forever : t.deadline()))
        return true;
    if (callers.withdraw(slot))
        return false;
    // Claimed at the deadline: what it is claimed for comes first.
    return g.sleep.park_until(detail::forever);
}

ASIO_EWYK_DECL void strategy_service::run_job(detail::call_frame& frame, detail::task* job)
{
    if (!engine_.is_production(job))
        threads_.count(frame);
    threads_.pool().client().run(job);
    frame.rethrow_captured();
}

// How a strategy_service ends.

ASIO_EWYK_DECL void strategy_service::stop() noexcept
{
    ioc_.stop();
    reactor_.stopped();
    recall_tasks();
    threads_.wake_all();
}

// Handlers run only while a caller is inside run(): tasks that wait in the pool then wait here.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::recall_tasks() noexcept
{
    bool asked = false;
    while (detail::task* t = threads_.take())
        if (engine_.is_production(t))
        {
            asked = true;
            t->destroy();
        }
        else
        {
            threads_.count_back();
            reactor_.post(t);
        }
    if (!asked)
        return;
    reactor_.abandoned();
    // A caller that has come meanwhile may have asked.
    if (threads_.runners() != 0 && engine_.idle() && !ioc_.stopped())
    {
        detail::call_frame frame(&engine_);
        engine_.dispatch(frame);
    }
}

// When the last caller of run() returns, no handler runs any more, as with an io_context; except
// one that has called run() itself.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::clear_pool()
{
    // More than once: a late thread may wait inside the io_context beside the one that was woken,
    // and a thread that still produces may have given away another task.
    std::chrono::milliseconds pause(1);
    do
    {
        recall_tasks();
        reactor_.expel();
        pause = std::min(2 * pause, std::chrono::milliseconds(64));
    } while (!threads_.await_pool(&engine_, detail::after(pause)));
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::halt()
{
    stop();
    engine_.stop_looking(true);
    threads_.pool().leave();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::shutdown()
{
    shut_down_.store(true);
    halt();
    reactor_.destroy_tasks();
}

// In a handler it works if handlers run on the thread of a caller, one at a time. Otherwise another
// thread may produce, and wait inside the io_context without limit; or the handler runs on a thread
// of the pool, and the child has no caller.
ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::notify_fork(
    asio::execution_context::fork_event event)
{
    if (event == asio::execution_context::fork_prepare)
    {
        if (detail::call_frame::find(&engine_)
            && engine_.strategy() != strategy_t::produce_consume)
            throw std::logic_error("notify_fork in a handler needs a produce_consume context");
        if (detail::call_frame::is_away(&engine_)
            || (detail::call_frame::find(&engine_)
                && (threads_.some_are_away() || engine_.awaited())))
            throw std::logic_error("notify_fork in a handler beside a blocking_section");
        engine_.stop_looking(false);
        detail::pool_access::threads(pool_).notify_fork(event);
    }
    detail::registration::notify_fork(event);
    // Last: it may start threads.
    if (event != asio::execution_context::fork_prepare)
        detail::pool_access::threads(pool_).notify_fork(event);
}

// Of a context that is not used yet.
ASIO_EWYK_DECL void strategy_service::measure() noexcept
{
    engine_.measure(times_.get());
    reactor_.measure(times_.get());
    threads_.pool().client().measure(times_.get());
}

ASIO_EWYK_DECL strategy_metrics strategy_service::metrics() const
{
    strategy_metrics m;
    engine_.write_to(m);
    detail::pool_client const& client = threads_.pool().client();
    m.produce_consume += reactor_.ran_by_itself();
    m.produce_execute_consume = client.begun();
    m.exceptions = thrown_.get() + client.thrown();
    reactor_.depth().write_to(m.queued, m.queued_max);
    m.queued_in_pool = client.size();
    m.callers = threads_.runners();
    m.parked_callers = std::min(threads_.callers().parked(), m.callers);
    m.load = load();
    if (times_)
    {
        m.queue_delay = times_->queue_delay.snapshot();
        m.run_time = times_->run_time.snapshot();
        m.poll_delay = times_->poll_delay.snapshot();
    }
    return m;
}

ASIO_EWYK_DECL load_metrics strategy_service::load() const noexcept
{
    auto const now = std::chrono::steady_clock::now();
    detail::queue_depth const& depth = reactor_.depth();
    detail::pool_client const& client = threads_.pool().client();
    std::uint64_t const gone = depth.gone();
    std::uint64_t const taken = client.taken();
    auto const here = reactor_delay_.look(now, gone, depth.waiting());
    auto const there = pool_delay_.look(now, taken, client.size());
    return {here.last + there.last, here.average + there.average, waiting(),
        threads_.pool().pool().left() + threads_.callers().parked()};
}

// What a strategy_service shows of itself.

ASIO_EWYK_DECL std::size_t strategy_service::waiting() const noexcept
{
    return static_cast<std::size_t>(reactor_.depth().waiting()) + threads_.pool().client().size();
}

ASIO_EWYK_DECL bool strategy_service::serves() const noexcept
{
    return !shut_down_.load() && threads_.runners() != 0;
}

ASIO_EWYK_DECL std::size_t strategy_service::taken() const noexcept
{
    return static_cast<std::size_t>(reactor_.depth().taken()) + threads_.pool().client().taken();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_service::tell_state(
    detail::text_sink& out) const noexcept
{
    out << "strategy_context " << static_cast<void const*>(&ioc_) << ' ' << pool_.options().name
        << ": ";
    detail::describe_production(out, engine_);
    out << ", " << std::uint64_t{threads_.runners()} << " callers inside run(), "
        << reactor_.depth().waiting() << " tasks wait for it, "
        << std::uint64_t{threads_.pool().client().size()} << " for a thread";
    if (reactor_.sleeps())
        out << "; a submission wakes it";
}

} // namespace asio_ewyk

#endif
