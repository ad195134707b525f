#ifndef ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SERVICE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/strategy_engine_impl.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/impl/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

namespace asio_ewyk {

ASIO_EWYK_DECL strategy_service::strategy_service(
    asio::execution_context& owner, strategy_options const& options, reactor kind)
    : asio::execution_context::service(owner)
    , ioc_(static_cast<asio::io_context&>(owner))
    , own_pool_(std::in_place, options.pool())
    , pool_(*own_pool_)
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

ASIO_EWYK_DECL strategy_service::strategy_service(
    asio::execution_context& owner, worker_pool& pool, strategy_t s, std::chrono::nanoseconds grace,
    strategy_policy const& policy, reactor kind)
    : asio::execution_context::service(owner)
    , ioc_(static_cast<asio::io_context&>(owner))
    , pool_(pool)
    , times_(detail::times_if(pool_.options().timing))
    , threads_(detail::pool_access::threads(pool_), &engine_, s)
    , reactor_(ioc_, threads_, &engine_, *this)
    , engine_(
          reactor_, threads_, s, detail::checked_grace(grace), detail::checked_policy(policy, s))
    , leases_in_place_(kind == reactor::many_threads)
    , watch_(&engine_, *this, detail::stall_settings(pool_.options()))
{
    threads_.pool().client().pass_exceptions_by(*this);
    measure();
    provide_io();
}

ASIO_EWYK_DECL strategy_service::~strategy_service() = default;

ASIO_EWYK_DECL void strategy_service::provide_io() noexcept
{
    if (!engine_.leases())
        return;
    try
    {
        asio::steady_timer const any(ioc_);
        reactor_.has_io();
    }
    catch (std::exception const&)
    {
        // No file descriptors: what needs them is told so.
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
        reactor_.capture(*frame, t);
    else if (frame && frame->producing && !frame->leased_by)
        reactor_.post_own(t);
    else
        reactor_.post(t);
}

ASIO_EWYK_DECL void strategy_service::begin_visit(
    detail::call_frame& frame, detail::lease::activity what, bool native) noexcept
{
    engine_.begin_visit(frame, what);
    // Whatever runs first may be none of ours, which nothing marks.
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

// A call that steps, or has a deadline, looks after each completion; and so does one that measures
// how long I/O is not looked for.
ASIO_EWYK_DECL bool strategy_service::may_stay(detail::call_frame const& frame) noexcept
{
    if (frame.nested || times_ || (frame.run && !frame.run->endless()))
        return false;
    strategy_t const s = engine_.resolve(engine_.strategy(), {});
    return (s == strategy_t::produce_consume && !threads_.some_are_away())
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

// Tasks without the reactor: for a wake-up that a thread runs which is not ours. A few of them, to
// leave completions their turn; if there are more, another wake-up is on its way then.
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
// is leased. On the stack of a stackful coroutine, which may be suspended in the midst of it,
// nothing is begun that would have to end: it is a part of the handler that has resumed the
// coroutine. In a visit for one completion a second one is a part of the first, or of a handler of
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

// By whatever thread has brought it to its end.
ASIO_EWYK_DECL void strategy_service::end_part() noexcept
{
    detail::call_frame* const frame = detail::call_frame::find(&engine_);
    if (frame && frame->staying && frame->has_captured())
        reactor_.come_out(*frame);
}

ASIO_EWYK_DECL void strategy_service::end_in_place(detail::call_frame& frame)
{
    if (frame.producing)
        engine_.end_kept(frame);
    else if (engine_.end_task(frame) == decltype(engine_)::task_end::resumed)
    {
        reactor_.resumed();
        engine_.begin_visit(frame, detail::lease::activity::waits);
    }
    frame.in_producer = true;
    if (frame.staying && (!frame.producing || frame.has_captured() || engine_.awaited()))
        reactor_.come_out(frame);
}

// An exception of a function that ran in place, on a thread that does not work for the context.
ASIO_EWYK_DECL void strategy_service::report_stray(std::exception_ptr error) noexcept
{
    // Somebody runs the io_context itself: the executor of that keeps it until the handler is over.
    if (auto const ex = ioc_.get_executor(); ex.running_in_this_thread())
        return ex.execute([&] { std::rethrow_exception(std::move(error)); });
    auto& threads = detail::pool_access::threads(pool_);
    if (!threads.options().on_exception && pass(error))
        return;
    thrown_.add();
    threads.report(std::move(error));
}

ASIO_EWYK_DECL bool strategy_service::pass(std::exception_ptr const& error) noexcept
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
        // Also for one who stepped: a thread of the pool that has ended the last work may be about
        // to stop the io_context, which may be restarted by then.
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
    return frame && (frame->leased_by || !frame->producing);
}

ASIO_EWYK_DECL std::size_t strategy_service::step(
    std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline)
{
    using enum detail::run_call::waiting;
    detail::run_call t(limit, may_wait ? allowed : none, deadline, true);
    // Called by a handler beside which others run: the one that it waits for may have run on
    // another thread before, and nothing would end this.
    bool const beside_others = may_wait && is_beside_others();
    if (beside_others)
        t.end_at(detail::after(std::chrono::milliseconds(4)));
    take_part_or_settle(t);
    if (beside_others && t.executed() == 0 && !ioc_.stopped()
        && std::chrono::steady_clock::now() < deadline)
    {
        // One of the others, of which the next result has one less.
        threads_.count_back();
        return 1;
    }
    return t.executed();
}

// What a call has counted that throws is in no result, as with an io_context; nor may what it has
// given to the pool, and what comes back, be missing in the next one.
ASIO_EWYK_DECL void strategy_service::take_part_or_settle(detail::run_call& t)
{
    // A call inside a handler may catch what leaves it, and takes nothing from elsewhere.
    bool const inner = detail::call_frame::find(&engine_) != nullptr;
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
    // A task that runs handlers, or waits for some, is not going to be short.
    if (outer || t.wait() == detail::run_call::waiting::allowed)
        detail::call_frame::end_leases();
    detail::call_frame frame(&engine_, &t);
    frame.nested = outer && outer->producing;
    frame.stepping = t.stepping() || frame.nested;
    if (frame.nested)
    {
        engine_.enter(frame);
        return;
    }

    runner const present(*this, frame, outer != nullptr);
    bool const may_wait = t.wait() == detail::run_call::waiting::allowed;
    detail::idle_caller self;
    std::size_t place = detail::idle_callers::none;
    struct vacate
    {
        detail::idle_callers& places;
        std::size_t& place;
        ~vacate()
        {
            if (place != detail::idle_callers::none)
                places.vacate(place);
        }
    } const vacate_place{threads_.callers(), place};

    detail::time_point enough{};
    while (!over(t))
    {
        if (t.interrupted())
            passed_.rethrow_one();
        bool const entered = engine_.enter(frame);
        if (!entered && t.wait() == detail::run_call::waiting::none && threads_.is_alone(frame))
        {
            // A thread of the pool has the right, and is on its way out; or runs a handler with it,
            // for ever perhaps.
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
        if (place == detail::idle_callers::none)
        {
            place = threads_.callers().occupy(self, t.deadline(), [&] { return ioc_.stopped(); });
            continue;
        }
        if (rest(self, place, t))
            if (detail::task* job = std::exchange(self.job, nullptr))
                run_job(frame, job);
    }
}

// Parks this thread, unless there is something to do. True if somebody woke it.
ASIO_EWYK_DECL bool strategy_service::rest(
    detail::idle_caller& g, std::size_t place, detail::run_call& t)
{
    detail::idle_callers& callers = threads_.callers();
    detail::trace_span const parks(detail::trace_event::park);
    callers.park(place);
    detail::test_point();
    // Park first, then look: what has something for an idle caller adds it first, and looks for
    // parked ones then (Dekker).
    bool const busy = engine_.idle() || threads_.pool().client().size() != 0 || ioc_.stopped()
        || t.interrupted();
    if (busy && callers.withdraw(place))
        return false;
    if (g.sleep.park_until(busy ? detail::forever : t.deadline()))
        return true;
    if (callers.withdraw(place))
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

} // namespace asio_ewyk

#endif
