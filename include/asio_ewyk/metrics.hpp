// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_METRICS_HPP
#define ASIO_EWYK_METRICS_HPP

#include <asio_ewyk/strategy.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace asio_ewyk {

/** How many durations of each length there were. Empty where nothing is measured.

    Buckets are log-linear: eight of the same width for each octave, so a value is known to an
    eighth. They reach up to 2^40 ns, which is 18 minutes; what is longer counts as that.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct duration_histogram
{
    /// The unit of all durations.
    using duration = std::chrono::nanoseconds;

    /// How many buckets there are.
    static constexpr std::size_t bucket_count = 304;

    std::uint64_t count = 0; ///< of all buckets
    duration sum{};          ///< of all durations
    duration max{};          ///< the longest

    /// How many durations each bucket has; empty, or `bucket_count` of them.
    std::vector<std::uint64_t> buckets = {};

    /// The bucket of a duration; one of less than 1 ns is in the first. No-throw guarantee.
    static constexpr std::size_t bucket_of(duration d) noexcept
    {
        if (d.count() <= 1)
            return 0;
        std::uint64_t const n = std::min(static_cast<std::uint64_t>(d.count()), longest) - 1;
        if (n < steps)
            return static_cast<std::size_t>(n);
        auto const shift = static_cast<unsigned>(std::bit_width(n)) - 4; // three bits are left
        return static_cast<std::size_t>(shift * steps + (n >> shift));
    }

    /// The longest duration that belongs to that bucket; `i` is less than `bucket_count`. No-throw
    /// guarantee.
    static constexpr duration upper_bound(std::size_t i) noexcept
    {
        if (i < 2 * steps)
            return duration(static_cast<duration::rep>(i + 1));
        auto const shift = i / steps - 1;
        return duration(static_cast<duration::rep>((i - shift * steps + 1) << shift));
    }

    /// How many were that long at most; exact for the bounds of buckets. No-throw guarantee.
    std::uint64_t count_up_to(duration d) const noexcept
    {
        std::uint64_t n = 0;
        for (std::size_t i = 0; i != buckets.size() && upper_bound(i) <= d; ++i)
            n += buckets[i];
        return n;
    }

    /// What the given share of the durations, from 0 to 1, does not exceed: the bound of a bucket,
    /// or `max` if that is less; 0 if there are none. No-throw guarantee.
    duration quantile(double share) const noexcept
    {
        auto const wanted = static_cast<std::uint64_t>(
            std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count)));
        std::uint64_t n = 0;
        for (std::size_t i = 0; i != buckets.size(); ++i)
            if ((n += buckets[i]) != 0 && n >= wanted)
                return std::min(upper_bound(i), max);
        return max;
    }

private:
    static constexpr std::uint64_t steps = 8; // of an octave
    static constexpr std::uint64_t longest = std::uint64_t{1} << 40;
};

/** How much waits for a context, a pool or a loop: the result of their `load()`, and of groups of
    them.

    Delays are estimated, from how much was queued and how much was taken since the last call of
    `load()`. With frequent calls they are exact to the time between two calls; after a long pause
    they follow from the rate during the pause. The first call begins to measure, and reports no
    delay. What waits in the kernel is not seen, nor are completions inside of an `io_context`:
    `load_shedder::observe` measures that.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct load_metrics
{
    /// How long the task that began last had waited, or how long one waits already, if that is
    /// longer.
    std::chrono::nanoseconds delay{};

    /// The average of `delay` over about a second.
    std::chrono::nanoseconds average_delay{};

    /// How many tasks wait.
    std::size_t waiting = 0;

    /// Threads that have nothing to do, or could be started. A loop, which has one in all, says 0.
    /// A group says what the context says that has most.
    std::size_t threads_left = 0;
};

/** What a `strategy_context` or an `execution_strategy` has done, and does
    now: the result of their `metrics()`.

    Counters never fall: when run() has returned, their sum is the number of handlers that it ran.
    They are read one after the other while others may count on. Figures of the moment may be out of
    date when they are read, and are never negative. Each of the five sub-strategies is one counter;
    all tasks are counted by exactly one of them, when they begin.

    Handlers that the `io_context` runs by itself are counted in bulk, when the call of run() that
    ran them returns, and not if it throws. Handlers on the `io_context`'s own executor always are.
    Handlers that declare nothing, and all of a context with `produce_consume`, are counted so until
    the first call of metrics() or load(); what is posted or completes after that is counted when it
    begins. With `timing`, stall reports or a trace they are counted when they begin from the start.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct strategy_metrics
{
    /// The strategy of executors that are not asked to use another one.
    strategy_t strategy = {};

    /// Tasks that were run by the thread that found them, which then produced again.
    std::uint64_t produce_consume = 0;

    /// Tasks as those of `produce_consume`, with `this_invocation::may_block()` false.
    std::uint64_t produce_invoke_consume = 0;

    /// Tasks that another thread ran: one of the pool, or a caller of run() that had nothing to do.
    std::uint64_t produce_execute_consume = 0;

    /// Tasks before which production was handed over: eager hand-overs.
    std::uint64_t execute_produce_consume = 0;

    /// Tasks that ran on a lease: this thread kept producing unless they were late. With a grace,
    /// also handlers that the `io_context` ran by itself.
    std::uint64_t on_lease = 0;

    /// Lazy hand-overs: tasks on a lease that were late, or said so in advance with
    /// `blocking_section`.
    std::uint64_t taken_over = 0;

    /// Of these, tasks that were late when no thread could be had, so that others may have waited
    /// for them: no caller of run() was free, and the pool had none either. Only with a grace can
    /// this be more than 0.
    std::uint64_t not_taken_over = 0;

    /// How often production was handed over before or during a task, and another thread produced
    /// when that task ended, so that this one left. A caller that stays inside run() is not
    /// counted.
    std::uint64_t superseded = 0;

    /// How many exceptions of tasks left run() or its siblings, or produce(), or reached
    /// `on_exception` of the pool.
    std::uint64_t exceptions = 0;

    // Of the moment.

    /// Whether the system has refused a thread of idle priority, to any context of the process.
    /// Then only the watchdog looks for late tasks: a task that blocks delays the others by some
    /// milliseconds more.
    bool sentinel_refused = false;

    /// Whether the system did not tell what the thread does that waits for I/O, or runs a handler,
    /// when the watchdog asked last. Then handlers that block are noticed as if they computed, and
    /// native ones not at all where waits are not observed. Only contexts with a grace ask.
    bool probe_refused = false;

    /// Whether the context is told when its producer waits for I/O. Then a native handler that
    /// blocks is noticed as soon as one of its own. False until a thread has waited, and where the
    /// library cannot observe it, as where `epoll_wait` is another library's.
    bool waits_observed = false;

    /// Posted tasks that wait to be produced. Counted from the first call of metrics() or load()
    /// on, or from the start with `timing` or stall reports. 0 for an execution_strategy.
    std::size_t queued = 0;
    std::size_t queued_max = 0;     ///< the most so far, as seen now and when one is taken
    std::size_t queued_in_pool = 0; ///< tasks, and requests to produce, that wait for a thread
    std::size_t callers = 0;        ///< threads inside run() or a sibling
    std::size_t parked_callers = 0; ///< of these, those that have nothing to do
    load_metrics load = {}; ///< see there

    // With the option `timing` of the pool.

    duration_histogram queue_delay = {}; ///< from the submission of a task until it begins
    duration_histogram run_time = {};    ///< how long tasks run

    /// All tasks that have begun. No-throw guarantee.
    std::uint64_t tasks() const noexcept
    {
        return produce_consume + produce_invoke_consume + produce_execute_consume
            + execute_produce_consume + on_lease;
    }

    /// How often production went to another thread because of a task. No-throw guarantee.
    std::uint64_t hand_overs() const noexcept { return execute_produce_consume + taken_over; }
};

/** What a `worker_pool` has done, and what its threads do: the result of its `metrics()`.

    What contexts and strategies have the pool run is in their metrics, and not in `tasks` and the
    histograms here; all other figures cover all users of the pool. The states of the threads add up
    to `threads`. Counters and figures are read as those of strategy_metrics.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct pool_metrics
{
    std::uint64_t tasks = 0;          ///< functions that the pool's own interface got, and began
    std::uint64_t refused = 0;        ///< tasks refused because the queue was full
    std::uint64_t run_by_caller = 0;  ///< tasks that the submitter ran because the queue was full
    std::uint64_t exceptions = 0;     ///< that reached `on_exception`
    std::uint64_t starts = 0;         ///< threads started
    std::uint64_t start_failures = 0; ///< threads that the system would not start
    std::uint64_t low_on_threads = 0; ///< times that tasks began to wait and no thread could come

    // Of the moment.

    bool low_on_threads_now = false; ///< whether they wait so now
    std::size_t threads = 0;     ///< that live or are being started
    std::size_t starting = 0;    ///< of these: have not looked for work yet
    std::size_t parked = 0;      ///< have nothing to do
    std::size_t producing = 0;   ///< produce, or are asked to
    std::size_t running = 0;     ///< all others: run tasks
    std::size_t max_threads = 0; ///< the limit
    std::size_t queued = 0;      ///< tasks that wait for a thread
    std::size_t queued_max = 0;  ///< the most so far
    load_metrics load = {}; ///< see there

    // With the option `timing`.

    duration_histogram queue_delay = {}; ///< from the submission of a task until it begins
    duration_histogram run_time = {};    ///< how long tasks run
};

/** What an `event_loop` has done: the result of its `metrics()`. Counters and figures are read as
    those of strategy_metrics.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct loop_metrics
{
    std::uint64_t tasks = 0;      ///< functions that were submitted, and began
    std::uint64_t in_place = 0;   ///< completions and functions dispatched on the loop's own thread
    std::uint64_t scheduled = 0;  ///< runs of functions of `schedule` and its siblings
    std::uint64_t exceptions = 0; ///< that reached `on_exception`
    std::chrono::nanoseconds cpu_time{}; ///< of the loop's thread

    // Of the moment.

    std::size_t queued = 0;     ///< tasks that wait
    std::size_t queued_max = 0; ///< the most so far, as seen now and when new ones are taken
    load_metrics load = {}; ///< see there

    // With the option `timing`.

    duration_histogram queue_delay = {}; ///< from the submission of a task until it begins
    duration_histogram run_time = {};    ///< how long tasks and completions run
    duration_histogram poll_delay = {};  ///< how long a round of tasks kept I/O waiting
};

/** What a `serve` has done: the result of `serve_control::metrics()`. Counters and figures are read
    as those of strategy_metrics.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct serve_metrics
{
    std::uint64_t accepted = 0;      ///< connections that were accepted in order to be served
    std::uint64_t refused = 0;       ///< that were closed at once: without a place, or not admitted
    std::uint64_t failed = 0;        ///< sessions that ended by an exception, or could not begin
    std::uint64_t accept_errors = 0; ///< times that accepting failed, as without descriptors
    std::uint64_t passed_over = 0;   ///< times that a worker did not get a client that was its own

    // Of the moment.

    std::size_t open = 0;        ///< connections that have a session, or are on their way to it
    /// Listening sockets that are left alone, after an error or because of an overload.
    std::size_t backing_off = 0;
    /// Workers that get no clients: being shut down, or ended.
    std::size_t workers_left_out = 0;

    /// Of `open`, those of each worker, in the order of their group.
    std::vector<std::size_t> open_by_worker = {};
};

/** What a `load_shedder` has done: the result of its `metrics()`. Counters and figures are read as
    those of strategy_metrics.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct shed_metrics
{
    std::uint64_t refused = 0; ///< because of an overload
    std::uint64_t late = 0;    ///< because they began after their deadline

    // Of the moment.

    /// How long the last one to begin had waited; if an `io_context` is observed, with how long an
    /// event waits there.
    std::chrono::nanoseconds queue_delay{};
    bool overloaded = false; ///< as `load_shedder::overloaded()`
};

} // namespace asio_ewyk

#endif
