#ifndef ASIO_EWYK_DETAIL_REACTOR_HPP
#define ASIO_EWYK_DETAIL_REACTOR_HPP

#include <asio_ewyk/detail/condition.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/crew.hpp>
#include <asio_ewyk/detail/finishing.hpp>
#include <asio_ewyk/detail/posted_queue.hpp>
#include <asio_ewyk/detail/queue_depth.hpp>
#include <asio_ewyk/detail/task_list.hpp>
#include <asio_ewyk/detail/trace_point.hpp>
#include <asio_ewyk/detail/wake_slot.hpp>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>

namespace asio_ewyk::detail {

struct task_times;

// An io_context as a producer: what completes inside it is captured and becomes a task, together
// with what is posted, or is run in place. Jetty's ManagedSelector.
//
// Waiting and waking: the producer sets `asleep`, looks once more whether something was posted, and
// enters the io_context. Who posts adds the task, looks whether `asleep` is set, and if so sends a
// wake-up through the io_context, unless one is under way. All four steps are sequentially
// consistent: one of the two sees the other. `asleep` is also set while nobody produces.
class reactor
{
public:
    // `wake` is what a wake-up does when it is run by a thread that is not the producer.
    reactor(asio::io_context& ioc, crew& threads, void const* owner, void (*wake)(void*),
        void* argument)
        : ioc_(ioc)
        , crew_(threads)
        , owner_(owner)
        , foreign_wake_(wake)
        , foreign_wake_argument_(argument)
    {
    }

    // Before anybody produces: measures how long I/O is not looked for.
    void measure(task_times* times) noexcept { times_ = times; }

    // How many tasks wait.
    queue_depth const& depth() const noexcept { return depth_; }

    // What the io_context ran that did not become a task.
    std::uint64_t ran_by_itself() const noexcept { return ran_by_itself_.get(); }

    // The next task for the thread of that frame; empty when it is to leave. The producer only.
    task_ptr produce(call_frame& frame);

    // The producer is about to give up the right to produce with work left.
    void leave() noexcept;

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

    // The producer only, while it runs a task: spares the atomic addition of a counter.
    void post_own(task* t) noexcept
    {
        depth_.add();
        trace_point(trace_event::post, t);
        posted_.push_uncounted(t);
        test_point();
        if (asleep_.load())
            wake_up();
    }

    // The producer only, inside the io_context: a completion.
    void capture(call_frame& frame, task* t) noexcept
    {
        frame.accounted = true;
        depth_.add();
        trace_point(trace_event::complete, t);
        ready_.push(t);
    }

    // Likewise, before a completion that is run in place instead. If the right is to be lent, this
    // may be the last that this thread does here, and whoever comes next looks what is posted; if
    // it stays, the task itself may wait inside the io_context, for a post of its own.
    void begin_in_place(call_frame& frame, bool lends) noexcept
    {
        gone(frame);
        looked();
        if (lends)
            be_awake();
    }

    // After it, if this is still the producer, or is it again.
    void end_in_place(call_frame& frame) noexcept
    {
        count_inside(frame);
        be_awake();
    }

    // Any thread: runs here what was posted, if the producer sleeps; for one that has taken the
    // wake-up that was meant for the producer.
    void run_posted();

    // A thread of the pool that a completion has made late is about to finish work, until it is out
    // of the io_context or does something else there.
    void begin_finish(call_frame& frame) noexcept
    {
        if (frame.run)
            return;
        frame.finishing = true;
        finishing_.begin();
    }

    void end_finish(call_frame& frame) noexcept
    {
        if (std::exchange(frame.finishing, false))
            finishing_.end();
    }

    finishing& finishers() noexcept { return finishing_; }

    // Whoever was to produce will not: whoever runs the io_context itself must be told of what is
    // here, as after leave().
    void abandoned() noexcept
    {
        asleep_.store(true);
        wake_up();
    }

    // Any thread, and a moment late: whether a wake-up is needed.
    bool sleeps() const noexcept { return asleep_.load(); }

    // The io_context was stopped: nobody takes what is queued here any more, until it is restarted.
    void stopped() noexcept { stopped_.store(true); }

    // Called when nobody is left but callers who step: waits until no thread of the pool produces,
    // or there is somebody else again. Handlers that run outside of the io_context are not waited
    // for.
    void expel_pool_threads();

    // Called when somebody has come who does not step, and when a thread of the pool is out.
    void end_expulsion() noexcept
    {
        if (expelling_.load() == 0)
            return;
        std::lock_guard lock(mutex_);
        outside_.notify_all();
    }

    // Destroys what is queued. Nobody may produce any more.
    void destroy_tasks() noexcept;

private:
    // How many tasks run at most between two polls of the io_context, and how many completions one
    // such poll takes at most: neither posted tasks nor I/O can starve the other
    // (jetty/jetty.project#1924). 61 is the figure of Go's and tokio's schedulers.
    static constexpr std::size_t poll_interval = 61;
    static constexpr std::size_t poll_batch = 16;

    // A thread of the pool is inside from now on, or again.
    void count_inside(call_frame& frame) noexcept
    {
        if (!frame.run && !std::exchange(frame.inside, true))
            pool_inside_.fetch_add(1);
    }

    // Relaxed, both: whoever still reads true sends a wake-up that finds nothing, and what is
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
                // By somebody, perhaps, who knows it as an io_context only and woke nobody.
                crew_.wake_all();
                return true;
            }
        }
        return frame.run ? frame.run->done() : crew_.not_stepping() == 0;
    }

    // The io_context was looked into until now.
    void looked() noexcept
    {
        if (times_)
            last_look_ = std::chrono::steady_clock::now();
    }

    void end_suspended(call_frame& frame) noexcept;

    void poll(call_frame& frame);
    bool wait(call_frame& frame);
    void wake_up() noexcept;

    friend wake_slot<reactor>;
    void woken();

    enum class visit
    {
        poll,
        wait, // until the deadline of the call of run() that the frame stands for, if it has one
    };

    // Enters the io_context for one completion at most; returns how many there were.
    std::size_t inside(call_frame& frame, visit how);
    std::size_t step(turn const* t, visit how);

    asio::io_context& ioc_;
    crew& crew_;
    void const* owner_;
    void (*foreign_wake_)(void*);
    void* foreign_wake_argument_;
    task_times* times_ = nullptr;

    // The producer's own.
    task_list ready_;
    std::size_t since_poll_ = 0;
    time_point last_look_{}; // its end; zero: nobody has produced since
    own_counter ran_by_itself_;

    std::atomic<bool> stopped_{false};

    // How many threads of the pool are inside produce(), or have not given up the right since: one,
    // and for a moment another one that follows. Sequentially consistent, as is the count of
    // runners: a thread counts itself, then looks for runners; the last of these leaves, then looks
    // here.
    std::atomic<int> pool_inside_{0};

    finishing finishing_;

    // How many threads wait in expel_pool_threads. Sequentially consistent: they count themselves
    // and then look; whoever lets them go changes what they look at and then looks at the count.
    std::atomic<int> expelling_{0};
    std::mutex mutex_;
    condition outside_;

    alignas(64) posted_queue posted_;
    std::atomic<bool> asleep_{true};       // written by the producer
    std::atomic<bool> wake_queued_{false}; // a wake-up is in the io_context's queue
    wake_slot<reactor> wake_slot_;         // who set wake_queued_, until the wake-up runs

    alignas(64) queue_depth depth_{posted_};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/impl/reactor.ipp>
#endif

#endif
