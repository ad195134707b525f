// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_REACTOR_HPP
#define ASIO_EWYK_DETAIL_CONTEXT_REACTOR_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/context_threads.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/leave_run.hpp>
#include <asio_ewyk/detail/os/wakeup_op.hpp>
#include <asio_ewyk/detail/task/posted_queue.hpp>
#include <asio_ewyk/detail/task/queue_depth.hpp>
#include <asio_ewyk/detail/task/task_list.hpp>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>

namespace asio_ewyk::detail {

struct task_times;

// What a reactor asks of the strategy that it produces for. `frame`: of the thread that calls.
class reactor_host
{
public:
    // A visit to the io_context begins. `native`: native handlers are in use.
    virtual void begin_visit(call_frame& frame, lease::activity what, bool native) noexcept = 0;

    // It is over; frame.producing says whether this thread still is the producer. `native`: a
    // native handler has run.
    virtual void end_visit(call_frame& frame, bool native) = 0;

    // Whether a native handler that nothing marked was late since the last call.
    virtual bool met_native() noexcept = 0;

    // Whether the thread may stay inside the io_context: completions run there.
    virtual bool may_stay(call_frame const& frame) noexcept = 0;

    // Inside the io_context: runs the task here. False if it is not to be run here.
    virtual bool run_inside(call_frame& frame, task* t) = 0;

    // Between two tasks; false if the thread is the producer no longer. See strategy_engine.
    virtual bool may_go_on(call_frame& frame) noexcept = 0;

    // Any thread: whether the producer is to pass the right on before its next task.
    virtual bool awaited() const noexcept = 0;

    // A wake-up was run by a thread that is not the producer.
    virtual void woken_elsewhere() = 0;

protected:
    ~reactor_host() = default;
};

// An io_context as a producer: what completes inside it is run there, or is captured and becomes a
// task, together with what is posted. Jetty's ManagedSelector.
//
// A thread visits the io_context for one completion, or stays inside while all completions may be
// run inline: then handlers find Asio's recycled memory, and the thread need not enter and leave
// for each.
//
// Waking: asleep_ is Dekker with posted_: see doc/design.adoc; otherwise a posted task could wait
// for ever. A thread that posts and finds asleep_ set sends a wake-up through the io_context,
// unless one is under way. asleep_ is also set while no thread produces.
class reactor
{
public:
    reactor(asio::io_context& ioc, context_threads& threads, void const* owner, reactor_host& host)
        : ioc_(ioc)
        , threads_(threads)
        , owner_(owner)
        , host_(host)
    {
    }

    // Before any thread produces: measures how long I/O is not looked for.
    void measure(task_times* times) noexcept { times_ = times; }

    // How many tasks wait.
    queue_depth const& depth() const noexcept { return depth_; }

    // How many handlers the io_context ran that did not become tasks.
    std::uint64_t ran_by_itself() const noexcept { return ran_by_itself_.get(); }

    // The next task for the thread of that frame; empty when it is to leave. The producer only.
    task_ptr produce(call_frame& frame);

    // The producer is about to give up the right to produce, perhaps with work left. Returns
    // whether there is some.
    bool leave() noexcept;

    // It has given it up.
    void left() noexcept { wake_up(); }

    // The thread of that frame has given up the right to produce, or runs a task.
    void gone(call_frame& frame) noexcept;

    // Any thread.
    void post(task* t) noexcept
    {
        trace_point(trace_event::post, t);
        posted_.push(t);
        test_point();
        if (asleep_.load())
            wake_up();
    }

    // The producer only, while it runs a task: spares the atomic addition of a counter. It sends a
    // wake-up, too, as a handler inside the io_context may wait in its run_one().
    void post_own(task* t) noexcept
    {
        depth_.add();
        trace_point(trace_event::post, t);
        posted_.push_uncounted(t);
        test_point();
        if (asleep_.load())
            wake_up();
    }

    // The producer only, inside the io_context: a completion that is not run inline.
    void capture(call_frame& frame, task* t) noexcept
    {
        frame.accounted = true;
        ++frame.own_inside;
        trace_point(trace_event::complete, t);
        if (frame.leased_by || !frame.producing)
            // Others may take the right at any moment, and with it the producer's own members.
            posted_.push(t);
        else
        {
            depth_.add();
            ready_.push(t);
        }
        frame.captured_inside = true;
        if (frame.staying)
            come_out(frame);
    }

    // Any thread: a task was captured while another thread may produce, which would not see it.
    void captured_late() noexcept
    {
        if (asleep_.load())
            wake_up();
    }

    // The thread of that frame, inside the io_context: it leaves when the handler that Asio runs
    // is over.
    void come_out(call_frame& frame) noexcept
    {
        if (!std::exchange(frame.must_come_out, true))
            leave_run::request(ioc_);
    }

    // The thread of that frame is the producer again, inside the io_context; another one was.
    void resumed() noexcept
    {
        asleep_.store(true);
        announce();
    }

    // The producer, before it gives the right away for a section of a task: from now on producers
    // look between two tasks whether a thread waits to come back. Plain: each producer has the
    // right from the one before.
    void begin_sections() noexcept { has_sections_ = true; }

    // The producer: whether it is to pass the right on before its next task.
    bool is_awaited() const noexcept { return has_sections_ && host_.awaited(); }

    // The thread of that frame is the producer again, in the midst of a task, after others were. If
    // it stays inside the io_context it comes out soon, so that those that wait can have the right.
    void came_back(call_frame& frame) noexcept
    {
        if (frame.staying)
        {
            visits_asked_.store(settling);
            asleep_.store(true);
            wake_up();
        }
        else
            resumed();
    }

    // Any thread: the producer has done nothing for a while. If it stays inside the io_context it
    // is to come out, as the next completion may be of a native handler. Returns whether it has.
    bool goes_quiet() noexcept { return !ask_out(settling); }

    // Any thread: the producer runs what nothing marks. If it stays inside the io_context it is to
    // come out, and to mark what it runs for a while.
    void call_out() noexcept { ask_out(2 * settling); }

    // Any thread: whether a thread that waits inside the io_context waits for I/O, rather than for
    // another thread that does.
    bool waits_for_io() const noexcept { return has_io_ && is_alone_inside(); }

    // Before a thread produces: there is something in the io_context that does I/O. Until then Asio
    // waits for a condition.
    void has_io() noexcept { has_io_ = true; }

    // Before a thread produces: the io_context may expect one thread. Then Asio keeps what a
    // handler submits in a queue of its thread, where no other finds it before the handler ends.
    void may_expect_one_thread() noexcept { one_thread_ = true; }

    // Any thread: runs here what was posted, if the producer sleeps. For a thread that has taken
    // the producer's wake-up.
    void run_posted();

    // The pending thread will not produce: a thread that runs the io_context itself needs a wake-up
    // for what is here, as after leave().
    void abandoned() noexcept
    {
        asleep_.store(true);
        wake_up();
    }

    // Any thread, and a moment late: whether a wake-up is needed.
    bool sleeps() const noexcept { return asleep_.load(); }

    // The io_context was stopped: no thread takes what is queued here until it is restarted.
    void stopped() noexcept { stopped_.store(true); }

    // A thread that waits here comes out, if it is to leave.
    void expel() noexcept { wake_up(); }

    // Destroys what is queued. No thread may produce any more.
    void destroy_tasks() noexcept;

private:
    // How many tasks run at most between two polls of the io_context, and how many completions one
    // such poll takes at most: neither posted tasks nor I/O can starve the other
    // (jetty/jetty.project#1924). 61 is the figure of Go's and tokio's schedulers.
    static constexpr std::size_t poll_interval = 61;
    static constexpr std::size_t poll_batch = 16;

    // Relaxed, both: a thread that still reads true sends a wake-up that finds nothing, and what is
    // posted without one is looked for before the next sleep.
    void be_awake() noexcept
    {
        if (asleep_.load(std::memory_order_relaxed))
            asleep_.store(false, std::memory_order_relaxed);
    }

    bool must_leave(call_frame const& frame) noexcept
    {
        // The flag spares a lock for each task. It may be out of date, for the io_context can be
        // restarted without our knowledge. Acquire: what came before the stop is visible.
        if (stopped_.load(std::memory_order_acquire)) [[unlikely]]
        {
            // Cleared first: a stop in between sets it again.
            stopped_.store(false);
            if (ioc_.stopped())
            {
                stopped_.store(true);
                // Perhaps through the base class, which does not wake parked callers.
                threads_.wake_all();
                return true;
            }
        }
        return frame.run ? frame.run->interrupted() || frame.run->done()
                         : threads_.not_stepping() == 0;
    }

    // The io_context was looked into until now.
    void looked() noexcept
    {
        if (times_)
            last_look_ = std::chrono::steady_clock::now();
    }

    // Whether no more than one thread is inside the io_context, of those that come from here.
    bool is_alone_inside() const noexcept { return inside_.load() <= 1; }

    // A thread that stays inside comes out, and makes so many visits. Returns whether one stays.
    bool ask_out(int visits) noexcept
    {
        if (visits_.load(std::memory_order_relaxed) != 0 || inside_.load() == 0)
            return false;
        visits_asked_.store(visits);
        wake_up();
        return true;
    }

    // Sends a wake-up for what is here; returns whether there is something.
    bool announce() noexcept
    {
        test_point();
        bool const something = !ready_.empty() || !posted_.empty();
        if (something)
            wake_up();
        return something;
    }

    bool would_leave_wake_up(call_frame const& frame) const noexcept;
    void poll(call_frame& frame);
    bool wait(call_frame& frame);
    static bool polls(call_frame const& frame) noexcept;
    bool may_not_wait(call_frame const& frame) const noexcept;
    void stay(call_frame& frame);
    void run_batch(call_frame& frame);
    void wake_up() noexcept;

    friend wakeup_op<reactor>;
    void woken();

    enum class visit
    {
        poll,
        wait, // until the deadline of the call of run() that the frame stands for, if it has one
        stay, // until it must come out
    };

    // Enters the io_context, for one completion at most unless it stays; returns how many there
    // were.
    std::size_t inside(call_frame& frame, visit how);
    void settle() noexcept;
    std::size_t step(run_call const* t, visit how);

    // After a native handler has blocked, each of so many completions is a visit of its own. So
    // others can see when the next one blocks, and a late thread leaves.
    static constexpr int native_interval = 1024;

    // After so many completions of ours the thread stays inside. While more are left, a poll comes
    // before each wait, which marks what is ready.
    static constexpr int settling = 64;

    asio::io_context& ioc_;
    context_threads& threads_;
    void const* owner_;
    reactor_host& host_;
    task_times* times_ = nullptr;

    bool has_io_ = false; // not changed once there is a producer, nor is the next
    bool one_thread_ = false;

    // The producer's own.
    task_list ready_;
    std::size_t since_poll_ = 0;
    std::atomic<int> visits_{2 * settling}; // left before it stays; relaxed: others test for 0
    unsigned since_call_out_ = 0;
    bool has_sections_ = false; // the producer's own, as is the next
    bool hands_out_ = false; // what is ready is not to be run inside
    time_point last_look_{}; // its end; zero: no thread has produced since
    own_counter ran_by_itself_;

    std::atomic<bool> stopped_{false};
    std::atomic<int> visits_asked_{0}; // of a thread that stays, once it has come out

    // Threads inside the io_context: the producer, and late ones before it.
    std::atomic<int> inside_{0};

    alignas(64) posted_queue posted_;
    std::atomic<bool> asleep_{true};       // written by the producer
    std::atomic<bool> wake_queued_{false}; // a wake-up is in the io_context's queue
    wakeup_op<reactor> wakeup_op_;         // of the thread that set wake_queued_, until it runs

    alignas(64) queue_depth depth_{posted_};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/context/reactor.ipp>
#endif

#endif
