// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_CONTEXT_HPP
#define ASIO_EWYK_STRATEGY_CONTEXT_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/strategy_service.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>

namespace asio_ewyk {

/** `asio::io_context` whose handlers run by an execution strategy; a drop-in.

    Sockets, timers, coroutines, strands and completion tokens work as with `asio::io_context`, and
    the interface is the same. What is different is which thread runs a handler:

    - `produce_consume`: the caller of `run()`; one handler at a time, also with several callers.
      While one is inside a `blocking_section`, others run on other threads, one at a time.
    - `produce_execute_consume`: a thread of the pool, or a caller of `run()` that has nothing
      else to do, never the one that waits for I/O.
    - `execute_produce_consume`: the thread that found it; another one then waits for I/O, at once
      with a grace of 0, else when the handler is late.
    - `eat_what_you_kill` (the default): chosen for each handler; one that blocks never stops the
      others.

    Handlers on the `io_context`'s own executor, as in a class that was given an `io_context&`, are
    as those that declare nothing: another thread takes over where one blocks.

    Handlers wait in the `io_context`'s own queue, and begin in its order while none is late.

    With all but the first, handlers that do not share a strand run concurrently, as with an
    `io_context` that several threads run. The context's pool adds threads to the callers of
    `run()` when it needs them, up to `max_threads`, and only while a thread is inside `run()`.

    `run_one`, `run_one_for`, `run_one_until`, `poll` and `poll_one` step through the handlers on
    the calling thread; while no thread is inside `run()`, only handlers of
    `produce_execute_consume` go to the pool. While another thread runs a handler, `poll` and
    `poll_one` run what is ready if handlers may run concurrently; else they return 0.

    Through a reference to the base class, `stopped()` and `restart()` do the same, and so does
    `stop()`, but tasks that wait in the pool may still run.

    `run()` and its siblings of the base class are not virtual. A call of them through an
    `io_context&` bypasses the strategy: handlers run on the calling thread, a handler that blocks
    holds up the rest, and the count includes handlers of the library's own. Do not mix such calls
    with `run()` or a sibling of this class in other threads: no handler is lost, but handlers run
    concurrently even with `produce_consume`, and `run_for()` may be late. A handler must not make
    them: the call may throw what a handler on another thread has thrown, and a wait in it is taken
    for one of the context's. Handlers call `run_one()` or `poll()` of this class instead.

    `notify_fork`, with no thread inside `run()`, is as the base class's; with `fork_prepare` it
    waits for handlers that run on threads of the pool, and both processes start such threads anew.
    The same holds in a handler of a context with `produce_consume`, on the thread of its only
    caller, while no handler is in a `blocking_section`. In any other handler, and while another
    thread is inside `run()`, it waits for nothing, and the parent goes on as if there was no fork.
    The child may replace its program, or end, also by `exit`; it must not run the context.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for `restart()`, which must not be called
    while `run()` or a sibling runs, and for destruction.

    @par Exception Safety
    What a handler throws leaves `run()` or its sibling on the thread of a caller, after production
    was passed on to another one; the call may then be repeated, without `restart()`. If the handler
    ran on a thread of the pool it goes to `strategy_options::on_exception`; if that is empty it
    leaves one of the calls that are not inside handlers; without such a call, `std::terminate`.

    @par Example
    @snippet example/1_tutorial/0_drop_in.cpp program

    @see strategy_executor, strategy_options, use_strategy
*/
class strategy_context : public asio::io_context
{
public:
    using executor_type = detail::strategy_executor;

    /// A context with a pool of its own; starts no thread. Throws `std::invalid_argument`, which
    /// names the field and its range, for options that cannot work.
    explicit strategy_context(strategy_options options);
    explicit strategy_context();

    /// As above, with that strategy instead of the one in the options.
    explicit strategy_context(strategy_t s, strategy_options options = {});

    /// A context that shares a pool, which must outlive it. `grace`, `policy`, `concurrency`: see
    /// `strategy_options`.
    explicit strategy_context(worker_pool& pool, strategy_t s = {},
        std::chrono::nanoseconds grace = default_grace, strategy_policy const& policy = {},
        std::size_t concurrency = 0);

    /// Takes Asio's concurrency hint, as existing apps give it. 1 and
    /// `BOOST_ASIO_CONCURRENCY_HINT_UNSAFE` and `_UNSAFE_IO` promise one thread: handlers run one
    /// at a time, with `produce_consume`, and `blocking_section` has no effect. As with
    /// `io_context(1)`, what a handler posts waits until the handler is over, so run_one() inside
    /// of it does not find that. All others are as strategy_context(). No lock is left out. How
    /// many threads there are at most is `strategy_options::max_threads`.
    explicit strategy_context(int concurrency_hint);

    /** Calls stop(), waits for handlers that still run on threads of the pool, and destroys the
        rest without running them. Must not be called by a handler of the context, except by
        `std::exit` in one, where it waits for the other handlers, and calls of `run()` never
        return.
    */
    ~strategy_context();

    /// An executor with the context's strategy. No-throw guarantee.
    executor_type get_executor() noexcept { return service_.get_executor(); }

    // restart() and stopped() are the base class's.

    /// The pool that adds threads to the callers of `run()`. No-throw guarantee.
    worker_pool& pool() noexcept { return service_.pool(); }

    /// See strategy_metrics. May be called while handlers run or are stuck. Throws
    /// `std::bad_alloc`.
    strategy_metrics metrics() const { return service_.metrics(); }

    /// How much waits, and for how long. Costs about as much as reading the clock, so it may be
    /// called for each request, by any thread. What is posted is counted from the first call on.
    /// No-throw guarantee.
    load_metrics load() const noexcept { return service_.load(); }

    /** Runs handlers until there is no outstanding work or stop() is called. When the last caller
        returns, no handler of the context runs any more, except one that has called run() itself.

        @returns the number of handlers that this call has executed or given to the pool, and of
        those that threads of the pool have executed since the previous call. What several callers
        get adds up to the number of handlers that were run. Handlers of a call that throws are in
        no result, as with an `io_context`.
    */
    std::size_t run() { return service_.run_until(clock::time_point::max()); }

    /// As run(), for that long at most.
    template <class Rep, class Period>
    std::size_t run_for(std::chrono::duration<Rep, Period> const& time)
    {
        return service_.run_until(after(time));
    }

    /// As run(), until that time at most.
    template <class Clock, class Duration>
    std::size_t run_until(std::chrono::time_point<Clock, Duration> const& time)
    {
        return service_.run_until(on_steady_clock(time));
    }

    /// Waits for a handler and runs it. @returns 1, or 0 when there is no outstanding work or
    /// stop() was called. From within a handler, while others run concurrently, it returns after
    /// some milliseconds: what it waits for may have run on another thread.
    std::size_t run_one() { return service_.step(1, true, clock::time_point::max()); }

    /// As run_one(), for that long at most.
    template <class Rep, class Period>
    std::size_t run_one_for(std::chrono::duration<Rep, Period> const& time)
    {
        return service_.step(1, true, after(time));
    }

    /// As run_one(), until that time at most.
    template <class Clock, class Duration>
    std::size_t run_one_until(std::chrono::time_point<Clock, Duration> const& time)
    {
        return service_.step(1, true, on_steady_clock(time));
    }

    /// Runs the handlers that are ready, and waits for none. @returns how many.
    std::size_t poll()
    {
        return service_.step(detail::strategy_service::unlimited, false, clock::time_point::max());
    }

    /// Runs a handler if one is ready. @returns 1, or 0 if none is.
    std::size_t poll_one() { return service_.step(1, false, clock::time_point::max()); }

    /** Has run() and its siblings return as soon as possible, in all threads.

        A thread that runs a handler returns after the handler. stop() does not wait for it; the
        last caller of run() waits for those of the pool.
    */
    void stop() noexcept { service_.stop(); }

private:
    friend class strategy_context_group;

    using clock = std::chrono::steady_clock;

    explicit strategy_context(int concurrency_hint, strategy_options options);

    // Ends all but the services' memory. Idempotent.
    void end() noexcept;

    template <class Rep, class Period>
    static clock::time_point after(std::chrono::duration<Rep, Period> const& time)
    {
        // In floating point first: hours::max() does not fit in the clock's own unit.
        using seconds = std::chrono::duration<double>;
        auto const now = clock::now();
        seconds const wanted = time;
        if (wanted >= seconds(clock::time_point::max() - now))
            return clock::time_point::max();
        if (!(wanted > seconds(0)))
            return now;
        return now + std::chrono::duration_cast<clock::duration>(time);
    }

    template <class Clock, class Duration>
    static clock::time_point on_steady_clock(std::chrono::time_point<Clock, Duration> const& time)
    {
        using seconds = std::chrono::duration<double>;
        auto const now = Clock::now();
        seconds const wanted = seconds(time.time_since_epoch()) - seconds(now.time_since_epoch());
        if (wanted >= seconds(clock::time_point::max() - clock::now()))
            return clock::time_point::max();
        if (!(wanted > seconds(0)))
            return clock::now();
        return after(time - now);
    }

    detail::strategy_service& service_;
};

/** Runs functions for a `strategy_context`, or for an `io_context` with `use_strategy`.

    | `execute` with…      | on a thread that runs a task of the context | anywhere else  |
    |----------------------|---------------------------------------------|----------------|
    | `blocking.possibly`  | calls the function at once                  | becomes a task |
    | `blocking.never`     | becomes a task                              | becomes a task |

    Tasks wait in the queue of the `io_context`. The completion of an I/O object or a timer is a
    task too, which runs on the thread that has found it, unless the strategy gives it to the pool.
    An exception of a function that was called at once leaves the task around it, as with
    `io_context`.

    `asio::require` sets `blocking` (`possibly`, `never`), `relationship`, `outstanding_work`,
    `allocator`, `strategy` and `invocation`; `asio::query` tells these, `context` and `mapping`.
    Executors are equal if every one of these is. An executor has 8 bytes, and 16 with
    `outstanding_work.tracked`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    Only `execute` throws: what allocation and the function's move throw.

    @par Example
    @snippet example/6_cookbook/say_what_blocks.cpp properties

    @see strategy_context, any_executor
*/
using strategy_executor = strategy_context::executor_type;

} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/strategy_context.ipp>
#endif

#endif
