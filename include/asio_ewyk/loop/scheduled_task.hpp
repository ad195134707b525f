// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_LOOP_SCHEDULED_TASK_HPP
#define ASIO_EWYK_LOOP_SCHEDULED_TASK_HPP

#include <asio_ewyk/detail/loop/timer_queue.hpp>

#include <memory>
#include <utility>

namespace asio_ewyk {

/** A function that an `event_loop` runs later, once or again and again: Netty's `ScheduledFuture`.

    A handle: copies are of the same task, and the task outlives them. A handle may outlive the
    loop. A default-constructed one is of no task; it counts as cancelled and done.

    - The function runs on the loop's thread, as completions of I/O do: it counts neither for
      `max_pending_tasks` nor for the tasks' share of the time. The loop's thread also destroys the
      function, once: soon after its last run or cancel(). If the loop has ended, the caller
      destroys it at once.
    - What it throws goes to `event_loop_options::on_exception`, and it does not run again.
    - A run never begins before the previous one has returned. Where runs at a fixed rate take
      longer than their period, or the loop is late, each missed run follows as soon as possible,
      as in Java and Netty, so their number stays right; the loop does its other work in between.
      With a fixed delay there is nothing to catch up with.
    - When the loop ends, what has not begun is cancelled. `shutdown_gracefully` cancels series when
      it begins, as Java and Netty do. A function that is to run once still runs if it falls due in
      the quiet period, and is a task of that period when it does; before, it does not keep the
      loop alive. (Netty cancels those, too.)

    @par Thread Safety
    Distinct objects: safe, also those of one task. Shared objects: unsafe; const members are safe.

    @par Exception Safety
    No-throw guarantee.

    @par Example
    @snippet example/6_cookbook/event_loops.cpp later

    @see event_loop::schedule, event_loop::schedule_at_fixed_rate,
    event_loop::schedule_with_fixed_delay
*/
class scheduled_task
{
public:
    scheduled_task() noexcept = default;

    /** No run begins any more, even one that is due. May be called by the function.

        @returns whether that is due to this call: false if the last run has begun or the task was
        cancelled before.
    */
    bool cancel() const noexcept { return entry_ && entry_->cancel(); }

    /// Whether it ended, or is about to, by cancel(), by the end of the loop, or because it came
    /// too late for the loop to accept it.
    bool cancelled() const noexcept { return !entry_ || entry_->cancelled(); }

    /// Whether it neither runs nor will, and the function is destroyed.
    bool done() const noexcept { return !entry_ || entry_->done(); }

private:
    friend class event_loop;

    explicit scheduled_task(std::shared_ptr<detail::timer_queue::entry> entry) noexcept
        : entry_(std::move(entry))
    {
    }

    std::shared_ptr<detail::timer_queue::entry> entry_; // null: of no task
};

} // namespace asio_ewyk

#endif
