// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_WORKER_POOL_OPTIONS_HPP
#define ASIO_EWYK_WORKER_POOL_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace asio_ewyk {

struct stall_report;

/// What happens to a task when a pool's bounded queue is full.
enum class queue_full
{
    /// The submitting thread runs it, if the call allows that, and so submits more slowly.
    caller_runs,
    /// The task is refused: see `worker_pool::execute` for what the submitter sees. Asio's strands
    /// do not expect that: one over such a pool stays locked once it was refused.
    reject,
};

/// Thrown by a pool or a loop that refuses a task because its queue is full. The task is destroyed.
class queue_full_error : public std::runtime_error
{
public:
    queue_full_error()
        : std::runtime_error("asio_ewyk: the queue is full")
    {
    }
};

/** The limits of a `worker_pool` that can be changed while it is used, with the meaning, the unit
    and the range that `worker_pool_options` gives.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.

    @see worker_pool::limit
*/
struct worker_pool_limits
{
    std::size_t min_threads = 0;
    std::size_t max_threads = 200;
    std::chrono::nanoseconds idle_timeout = std::chrono::seconds(60);
    std::size_t max_queue = 0;
};

/** Options of a `worker_pool`. Every field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct worker_pool_options
{
    /// For `reserve`: the pool decides.
    static constexpr std::size_t automatic = std::numeric_limits<std::size_t>::max();

    /// Threads that stay although there is nothing to do. No thread is started before it is
    /// needed, not even these.
    /// @range 0 to `max_threads`, in threads
    std::size_t min_threads = 0;

    /// The most threads that the pool has, the same figure as in Jetty and Tomcat. Threads cost
    /// nothing before they are needed. A thread that is in `on_thread_stop` counts as ended.
    /// 0: the pool has none, and handlers of the contexts that use it run on callers of `run()`
    /// only, which Asio guarantees; `on_thread_start` is not called. Then two threads at least
    /// should be inside `run()`: a handler that blocks stops the others while no caller is free,
    /// which `metrics().not_taken_over` and `dump()` tell, and a line on stderr once. What is
    /// submitted to the pool itself is refused with `queue_full_error`.
    /// @range 0 to 1000000, in threads
    std::size_t max_threads = 200;

    /// How many threads hand-overs may start ahead of need: one that finds no parked thread fails,
    /// and starts one for the next time while fewer than this are on their way. 0: hand-overs take
    /// only threads that happen to be parked; `automatic`: one for each core, at most an eighth of
    /// `max_threads`, at least 1 (0 if `max_threads` is at most 1).
    /// @range 0, or less than `max_threads`, or `automatic`, in threads
    std::size_t reserve = automatic;

    /// How long a thread above `min_threads` stays parked before it ends.
    /// @range at least 1 ms
    std::chrono::nanoseconds idle_timeout = std::chrono::seconds(60);

    /// The most tasks that may wait for a thread.
    /// @range 0 (no limit) or more, in tasks
    std::size_t max_queue = 0;

    /// What happens to a task beyond `max_queue`.
    queue_full when_full = queue_full::caller_runs;

    /// Threads are named `<name>-<n>`, n from 0; where the system limits the length (Linux: 15
    /// characters), the name's tail is cut, not the number.
    std::string name = "ewyk";

    /// Called on each thread of the pool before its first task. Must not throw.
    std::function<void()> on_thread_start = {};

    /// Called on each thread of the pool after its last task. Must not throw.
    std::function<void()> on_thread_stop = {};

    /// Called on the pool's thread with what a task threw; may run on several threads at once.
    /// Also called, on any thread, if a dispatched function throws after a stackful coroutine has
    /// taken it to a thread that does not work for the pool or the context.
    /// Empty: the exception of a context's handler leaves a call of `run()`; any other one, or if
    /// there is no such call, calls `std::terminate`, as with `asio::thread_pool`. Must not throw.
    std::function<void(std::exception_ptr)> on_exception = {};

    /** How long a handler may run before it is reported as stalled: see `on_stall`. A report comes
        within a tenth of the threshold after it, or 2 ms if that is more, while the handler still
        runs, on a machine that is not overloaded; within half of it for the first handler after a
        silence. The threshold applies to tasks of the pool, and of strategies and contexts that
        share it. Off by default, because tasks of a pool are expected to take long. While anything
        has a threshold, the process has one thread for reports. How long tasks wait is told by
        `load()`.
        The environment variable `ASIO_EWYK_STALLS`, as `100ms`, sets it for all of a process.
        @range 0 (nothing is reported) or more
    */
    std::chrono::nanoseconds stall_threshold = std::chrono::nanoseconds::zero();

    /** Called with each report, at most 10 times a second for a context and once more for each
        reported handler that has ended, on the library's report thread. The function may use the
        context, but not destroy it, wait for its handlers, nor end the process by `exit`: while it
        runs nothing else is reported, and the destructor of the context waits for it. If it throws,
        that is caught, and the report goes to stderr, as it does if this is empty.
    */
    std::function<void(stall_report const&)> on_stall = {};

    /** The real-time signal that has a stalled thread write down its stack for the report. This
        works on Linux with glibc only, and the program must not use the signal for anything else: a
        handler for it is installed, and stays. The signal interrupts system calls of the thread,
        which are restarted where the system does that. Threads of the library do not block it;
        threads that call `run()` must not either, or there is no stack.
        @range 0 (none), `SIGRTMIN` to `SIGRTMAX`
    */
    int stack_signal = 0;

    /// Whether `metrics()` of the pool, and of contexts that use it, has histograms of delays and
    /// run times. For that the clock is read three times for each task, four times for a task that
    /// is posted to a context, and twice for a completion.
    bool timing = false;
};

} // namespace asio_ewyk

#endif
