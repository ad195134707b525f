// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_EVENT_LOOP_OPTIONS_HPP
#define ASIO_EWYK_LOOP_EVENT_LOOP_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace asio_ewyk {

struct stall_report;

/** Options of an `event_loop`. Every field has a default.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct event_loop_options
{
    /** The share of I/O in percent, where there is more of both than the loop can do: tasks get
        `(100 - io_ratio) / io_ratio` times as long as I/O took. With 100 a round of tasks has 64 of
        them at most, if there was I/O. The term and the default are Netty's.
        @range 1 to 100, in percent
    */
    int io_ratio = 50;

    /// The most tasks that may wait. Beyond that a task from another thread is refused with
    /// `queue_full_error`. Tasks of the loop's own thread are not: they belong to operations
    /// that have begun. Asio's strands and the operations of other contexts do not expect it: a
    /// strand that is refused stays locked. So submit to a limited loop only from your own code.
    /// @range 0 (no limit) or more, in tasks
    std::size_t max_pending_tasks = 0;

    /// The thread is named `<name>-<number>`, with the number of the loop in its group or, without
    /// one, in the process; where the system limits the length (Linux: 15 characters), the name's
    /// tail is cut, not the number.
    std::string name = "loop";

    /// The CPUs that the loops of a group are bound to, each to one: loop number `i` runs on
    /// `cpus[i % cpus.size()]` only. Empty: the system chooses. A number must be one of a CPU that
    /// the process may use; the constructor tries that out on the thread that calls it. Other
    /// threads that a handler starts are bound as well, such as the one of Asio's resolver, but not
    /// those of this library. This works on Linux only; elsewhere it must be empty.
    /// @range empty, or numbers of CPUs that the process may use
    std::vector<int> cpus = {};

    /** How long a loop without work polls for work before it sleeps. What comes meanwhile needs no
        wake-up: that saves some microseconds each time, and costs a CPU. With `nanoseconds::max()`
        it never sleeps: Netty's `SelectStrategy.BUSY_WAIT`. Only loops that have a CPU of their own
        should wait so, see `cpus`; where threads outnumber CPUs, it takes the time of those that
        have work.
        @range at least 0
    */
    std::chrono::nanoseconds busy_wait = std::chrono::nanoseconds::zero();

    /// Called on the loop's thread before its first task. Must not throw.
    std::function<void()> on_thread_start = {};

    /// Called on the loop's thread after its last task. Must not throw.
    std::function<void()> on_thread_stop = {};

    /// Called on the loop's thread with what a handler threw; the loop continues. Empty:
    /// `std::terminate`. Must not throw.
    std::function<void(std::exception_ptr)> on_exception = {};

    /** How long a handler may run before it is reported as stalled. A report comes within a tenth
        of the threshold after it, or 2 ms if that is more, while the handler still runs, on a
        machine that is not overloaded; within half of it for the first handler after a silence.
        For that the process has a thread.
        The environment variable `ASIO_EWYK_STALLS`, as `100ms`, sets it for all of a process.
        @range 0 (nothing is reported) or more
    */
    std::chrono::nanoseconds stall_threshold = std::chrono::milliseconds(100);

    /** Called with each report, at most 10 times a second for a context, on the library's report
        thread. The function may use the context, but not destroy it, wait for its handlers, nor end
        the process by `exit`: while it runs nothing else is reported, and the destructor of the
        context waits for it. If it throws, that is caught, and the report goes to stderr, as it
        does if this is empty.
    */
    std::function<void(stall_report const&)> on_stall = {};

    /** The real-time signal that has a stalled thread write down its stack for the report. This
        works on Linux with glibc only, and the program must not use the signal for anything else: a
        handler for it is installed, and stays. The signal interrupts system calls of the thread,
        which are restarted where the system does that. The loop's thread does not block it.
        @range 0 (none), `SIGRTMIN` to `SIGRTMAX`
    */
    int stack_signal = 0;

    /// Whether `metrics()` has histograms of delays and run times. For that the clock is read three
    /// times for each task, and twice for each completion.
    bool timing = false;
};

} // namespace asio_ewyk

#endif
