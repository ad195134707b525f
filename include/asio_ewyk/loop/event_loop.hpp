// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_EVENT_LOOP_HPP
#define ASIO_EWYK_LOOP_EVENT_LOOP_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/loop/shutdown_wait.hpp>
#include <asio_ewyk/diagnostics/stalls.hpp>
#include <asio_ewyk/loop/scheduled_task.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace asio_ewyk {

/** An `io_context` with a thread of its own that runs everything: Netty's `EventLoop`.

    All I/O objects, timers, strands and completion tokens of Asio can be used with it. Its handlers
    never run concurrently; completions of I/O run as they come, functions that are submitted
    (tasks) in rounds between them, and `event_loop_options::io_ratio` says how the time is shared
    where there is more of both than the loop can do. A handler that blocks stops all others: see
    `worker_pool` for where to run it instead, or `strategy_context` for a context that it does
    not stop.

    The thread starts with the first task or operation, and ends with shutdown_gracefully(), stop()
    or destruction; unlike an `io_context`, it does not end when it runs out of work.
    The thread has the signal mask, the priority, the scheduling class and, unless it is bound, the
    CPUs of the thread that makes the loop, as `worker_pool`'s do. No other thread may run or
    restart the loop, not through a reference to the base class either; code that knows it only as
    an `io_context` does not start the thread, so call start() before. Tasks of one thread run in
    the order in which it submitted them. The child of a fork has no loops: as their threads are
    always inside run(), `notify_fork` is of no use.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for destruction.

    @par Exception Safety
    What a handler throws goes to `event_loop_options::on_exception` (default: `std::terminate`),
    and the loop continues.

    @see event_loop_group, event_loop_options
*/
class event_loop : public asio::io_context
{
public:
    /** Runs functions on the thread of the loop.

        With `blocking.possibly`, the default, `execute` calls the function at once on that thread.
        With `blocking.never`, and on any other thread, the function becomes a task; tasks of one
        thread run in the order in which it submitted them. After the loop has ended the function
        is destroyed.

        `asio::require` sets `blocking` (`possibly`, `never`), `relationship`, `outstanding_work`
        and `allocator`; `asio::query` tells these, `context` and `mapping`. An executor has 8
        bytes, and 16 with `outstanding_work.tracked`.

        @par Thread Safety
        Distinct objects: safe. Shared objects: unsafe; const members are safe.

        @par Exception Safety
        Only `execute` throws: what allocation and the function's move throw, `queue_full_error`,
        and `std::system_error` if the loop's thread cannot be started; it is tried again the next
        time.
    */
    using executor_type = detail::event_loop_executor;

    /// Starts no thread yet. Throws `std::invalid_argument` if `io_ratio` is not from 1 to 100,
    /// `busy_wait` is negative or `cpus` has a number that none can have, and `std::system_error`
    /// if the loop cannot be bound to its CPU.
    explicit event_loop(event_loop_options options = {})
        : event_loop(std::move(options), std::nullopt)
    {
    }

    /// Calls stop(), waits for the handler that runs, and destroys the rest without running them.
    /// Must not be called by a handler of the loop, except by `std::exit` in one, where it waits
    /// for nothing.
    ~event_loop()
    {
        end();
        destroy();
    }

    /// An executor of the loop. No-throw guarantee.
    executor_type get_executor() noexcept { return service_.get_executor(); }

    /// Whether this is the loop's thread. No-throw guarantee.
    bool in_event_loop() const noexcept { return service_.running_in_this_thread(); }

    /// Starts the thread, if it was not started before. Throws `std::system_error` if the system
    /// refuses it.
    void start() { service_.start(); }

    /** Runs f() once, at the end of the round of tasks that is under way, or of the next: Netty's
        `executeAfterEventLoopIteration`. If f itself calls this, that function runs in the next
        round.

        May be called by any thread. On another one than the loop's the request is a task, and may
        throw what `execute` of the executor throws. Throws what allocation and the copy of f throw.
        After the loop has ended f is destroyed.
    */
    template <class F>
        requires std::invocable<std::decay_t<F>>
    void execute_after_round(F&& f) { service_.execute_after_round(std::forward<F>(f)); }

    /** Runs f() after `delay`, from now; a negative one counts as 0. Any duration is accepted; with
        one beyond the range of the clock f never runs.

        Throws what allocation and the copy of f throw, and `std::system_error` if the loop's thread
        or its timers cannot be started. After the loop has ended f is destroyed. The names of the
        three functions are Netty's, and Java's.
    */
    template <class Rep, class Period, class F>
        requires std::invocable<std::decay_t<F>>
    scheduled_task schedule(std::chrono::duration<Rep, Period> const& delay, F&& f)
    {
        return scheduled_task(service_.run_later<detail::timer_queue::kind::once>(
            detail::saturated(delay), std::chrono::nanoseconds::zero(), std::forward<F>(f)));
    }

    /** Runs f() after `initial_delay`, and again each time that another `period` has passed,
        however long a run takes.

        Throws `std::invalid_argument` if `period` is not more than 0, and as schedule() does.
    */
    template <class R1, class P1, class R2, class P2, class F>
        requires std::invocable<std::decay_t<F>&>
    scheduled_task schedule_at_fixed_rate(std::chrono::duration<R1, P1> const& initial_delay,
        std::chrono::duration<R2, P2> const& period, F&& f)
    {
        return scheduled_task(service_.run_later<detail::timer_queue::kind::fixed_rate>(
            detail::saturated(initial_delay), detail::saturated(period), std::forward<F>(f)));
    }

    /** Runs f() after `initial_delay`, and again each time that `delay` has passed since a run
        returned.

        Throws `std::invalid_argument` if `delay` is not more than 0, and as schedule() does.
    */
    template <class R1, class P1, class R2, class P2, class F>
        requires std::invocable<std::decay_t<F>&>
    scheduled_task schedule_with_fixed_delay(std::chrono::duration<R1, P1> const& initial_delay,
        std::chrono::duration<R2, P2> const& delay, F&& f)
    {
        return scheduled_task(service_.run_later<detail::timer_queue::kind::fixed_delay>(
            detail::saturated(initial_delay), detail::saturated(delay), std::forward<F>(f)));
    }

    /** Ends the loop when no task has come for `quiet_period`, at the latest after `timeout`.

        Each task that runs in the quiet period restarts it; completions of I/O do not. Tasks
        that were submitted before the end are run, and after the timeout destroyed; later ones are
        destroyed at once. For scheduled functions see scheduled_task. A call while another is
        under way changes neither time, but waits, too.

        A negative time counts as 0; with one beyond the range of the clock it waits forever.

        @returns whether the loop has ended: false if it has not at the timeout, because a handler
        still runs, or because the timeout is what ends it just now. On the loop's own thread, which
        cannot wait for itself, it returns false at once. The terms are Netty's.
    */
    template <class R1, class P1, class R2, class P2>
    bool shutdown_gracefully(std::chrono::duration<R1, P1> const& quiet_period,
        std::chrono::duration<R2, P2> const& timeout)
    {
        auto const deadline = detail::after(detail::saturated(timeout));
        service_.request_shutdown(detail::saturated(quiet_period), deadline);
        return service_.wait_for_end(deadline);
    }

    /** As shutdown_gracefully(), without waiting here. Completes with success when the loop has
        ended, or with `asio::error::timed_out` if it has not at the timeout, soon after which it
        ends: `void(boost::system::error_code)`.

        May be called on any thread, also on the loop's, and any number of times. The completion is
        posted to the handler's associated executor, by default the system executor as everywhere in
        Asio, and is outstanding work of it until then. The handler may destroy the loop. A handler
        that belongs to the loop itself is destroyed instead, as the loop has ended by then; so
        await the end in a coroutine of another context.

        Terminal and partial cancellation end the waiting, with `asio::error::operation_aborted`,
        and not the shutdown.

        Until it completes, each call has a thread that waits for the loop, or for all loops of a
        group, because a loop whose handler is stuck could not notice the timeout itself. Throws
        `std::system_error` if the thread cannot be started; the loop is shut down nevertheless.
        If posting the completion to the executor throws, the program is terminated.
    */
    template <class R1, class P1, class R2, class P2, class CompletionToken>
    auto async_shutdown_gracefully(std::chrono::duration<R1, P1> const& quiet_period,
        std::chrono::duration<R2, P2> const& timeout, CompletionToken&& token)
    {
        return detail::async_shutdown({&service_}, detail::saturated(quiet_period),
            detail::saturated(timeout), std::forward<CompletionToken>(token));
    }

    /// The CPU time that the loop's thread has used so far; zero before it starts, and where
    /// the system does not tell. No-throw guarantee.
    std::chrono::nanoseconds cpu_time() const noexcept { return service_.cpu_time(); }

    /// See loop_metrics. May be called while a handler runs or is stuck. Throws `std::bad_alloc`.
    loop_metrics metrics() const { return service_.metrics(); }

    /// How many tasks wait, and for how long. Costs about as much as reading the clock, so each
    /// request may call it, on any thread. No-throw guarantee.
    load_metrics load() const noexcept { return service_.load(); }

    /// Whether its shutdown has begun, or it was stopped; also after the end. No-throw guarantee.
    bool shutting_down() const noexcept { return service_.closing(); }
    /// Whether the loop has ended, and its thread runs nothing any more. No-throw guarantee.
    bool terminated() const noexcept { return service_.terminated(); }

    /// Ends the loop after the handler that runs. Tasks that wait are destroyed then, on the loop's
    /// thread; what waits for I/O is destroyed with the loop. No-throw guarantee.
    void stop() noexcept { service_.stop(); }

    // The base class's, which would bypass the loop's thread.
    void post() = delete;
    void dispatch() = delete;
    void wrap() = delete;
    void reset() = delete;
    std::size_t run() = delete;
    std::size_t run_one() = delete;
    std::size_t poll() = delete;
    std::size_t poll_one() = delete;
    void restart() = delete;
    std::size_t run_for(auto const&) = delete;
    std::size_t run_until(auto const&) = delete;
    std::size_t run_one_for(auto const&) = delete;
    std::size_t run_one_until(auto const&) = delete;

private:
    friend class event_loop_group;

    event_loop(event_loop_options options, std::optional<std::size_t> number)
        : asio::io_context(1)
        , service_(
              asio::make_service<detail::event_loop_service>(*this, std::move(options), number))
    {
    }

    // Idempotent.
    void end() noexcept
    {
        service_.join();
        shutdown();
    }

    detail::event_loop_service& service_;
};

} // namespace asio_ewyk

#endif
