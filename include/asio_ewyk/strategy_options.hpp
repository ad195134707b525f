// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_OPTIONS_HPP
#define ASIO_EWYK_STRATEGY_OPTIONS_HPP

#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_policy.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <cstddef>

namespace asio_ewyk {

/// The default of `strategy_options::grace`: longer than most waits for a mutex, and about as long
/// as it takes to wake a thread.
inline constexpr std::chrono::nanoseconds default_grace = std::chrono::microseconds(10);

/** Options of a `strategy_context`, or of `use_strategy`. Every field has a default.

    The fields from `min_threads` on are those of the context's own pool, with the meaning, the
    unit, the range and the default that `worker_pool_options` gives.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct strategy_options
{
    /// The strategy of executors that are not asked to use another one.
    /// @range any; `custom` needs a `policy`
    strategy_t strategy = strategy_t::eat_what_you_kill;

    /** How long a task may block before another thread is to produce, with
        `execute_produce_consume` and `eat_what_you_kill`. So tasks that do not block run as fast as
        with a single thread, and those that declare nothing as in an `io_context`. 0: before each
        task another thread is asked, as in Jetty. Then a task that blocks delays the others least,
        and short ones pay for it with wake-ups.

        The system's scheduler shows that a task has blocked: a thread of idle priority
        on the same CPU runs when the task does not. Where another thread wants that CPU, or the
        system grants no such priority, a watchdog thread notices it some milliseconds later. The
        watchdog also notices a task that computes for ten times the grace, and for 4 ms at least.
        A task that says with `blocking_section` that it will block has no grace. Where no thread
        could take over, the first one that has time does. Where one thread is out of CPU time, and
        several get more done, other callers of run() and threads of the pool run tasks, too.
        @range at least 0
    */
    std::chrono::nanoseconds grace = default_grace;

    /// Asked for the tasks whose strategy is `custom`.
    /// @range empty, or a policy; not empty if `strategy` is `custom`
    strategy_policy policy = {};

    /** How many threads run handlers at a time, while there are handlers to run. 0: the context
        decides whether one, or several, where one is out of CPU time and several get more done.

        1: one, also where it is not enough. More: when the producing thread has not waited for I/O
        for 10 ms, others run handlers, too, until they find none; callers of run() first. A thread
        does not count while its handler sleeps or is in a `blocking_section`, nor when it is late:
        another one comes for it. Handlers that compute for milliseconds, also several in a row, are
        late as well, unless the grace is long. Nor does a thread count to which an executor of
        `produce_execute_consume` gives a handler. There may be fewer: not more than callers of
        run() and threads of the pool, and only one where waits are not observed. `dump()` tells how
        many there can be then.
        @range 0 to 256; 1 at most with `produce_consume`, 0 with `produce_execute_consume` and,
        with the other two, with a grace of 0, in threads
    */
    std::size_t concurrency = 0;

    std::size_t min_threads = 0;
    std::size_t max_threads = 200;
    std::size_t reserve = worker_pool_options::automatic;
    std::chrono::nanoseconds idle_timeout = std::chrono::seconds(60);
    std::size_t max_queue = 0;
    queue_full when_full = queue_full::caller_runs;
    std::string name = "ewyk";
    std::function<void()> on_thread_start = {};
    std::function<void()> on_thread_stop = {};
    std::function<void(std::exception_ptr)> on_exception = {};

    /// As in `worker_pool_options`, and off by default as there: handlers may block. Applies also
    /// to what is submitted to the context's own pool.
    /// @range 0 (nothing is reported) or more
    std::chrono::nanoseconds stall_threshold = std::chrono::nanoseconds::zero();
    std::function<void(stall_report const&)> on_stall = {};
    int stack_signal = 0;

    bool timing = false;

    /// The options of the pool alone.
    worker_pool_options pool() const
    {
        return {.min_threads = min_threads,
            .max_threads = max_threads,
            .reserve = reserve,
            .idle_timeout = idle_timeout,
            .max_queue = max_queue,
            .when_full = when_full,
            .name = name,
            .on_thread_start = on_thread_start,
            .on_thread_stop = on_thread_stop,
            .on_exception = on_exception,
            .stall_threshold = stall_threshold,
            .on_stall = on_stall,
            .stack_signal = stack_signal,
            .timing = timing};
    }
};

} // namespace asio_ewyk

#endif
