// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_SERVICE_HPP
#define ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_SERVICE_HPP

#include <asio_ewyk/detail/asio/basic_executor.hpp>
#include <asio_ewyk/detail/asio/io_context_timer.hpp>
#include <asio_ewyk/detail/asio/service_traits.hpp>
#include <asio_ewyk/detail/asio/wakeup_op.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/loop/loop_uses.hpp>
#include <asio_ewyk/detail/loop/loop_watchers.hpp>
#include <asio_ewyk/detail/loop/task_share.hpp>
#include <asio_ewyk/detail/loop/timer_queue.hpp>
#include <asio_ewyk/detail/metrics/delay_meter.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/scheduling.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/os/thread_stack.hpp>
#include <asio_ewyk/detail/task/posted_queue.hpp>
#include <asio_ewyk/detail/task/queue_depth.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>
#include <asio_ewyk/loop/event_loop_options.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/config.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace asio_ewyk::detail {

class event_loop_service;

using event_loop_executor
    = basic_executor<service_traits<event_loop_service, false>, std::allocator<void>, false>;

// What an event_loop does, as a service of its io_context.
//
// The loop's only thread is inside run() of the io_context from the first task on. Tasks are
// in a queue of their own; a handler of the io_context, the wake-up, runs a round of them. At most
// one wake-up is queued or runs, and it goes to the end of the io_context's queue again while tasks
// are left; so I/O gets its turn in between, by the io_context's own rules.
//
// `scheduled_`: a wake-up is queued or runs. Dekker with posted_: see doc/design.adoc; otherwise a
// task could wait for ever (netty/netty#9561).
//
// The end: `closed_` refuses what comes; the thread runs or destroys what it finds, sets `drained_`
// and looks once more. A thread may have missed `closed_` and added its task: `drained_` is Dekker
// with posted_, too; otherwise that task would never be destroyed.
class alignas(target_alignment) event_loop_service final
    : public asio::execution_context::service
    , private inspectable
{
public:
    using key_type = event_loop_service;
    BOOST_SYMBOL_VISIBLE static inline asio::execution_context::id id;

    // The loop with that number of a group, or the next of the process.
    explicit event_loop_service(asio::execution_context& owner, event_loop_options options = {},
        std::optional<std::size_t> number = {});
    ~event_loop_service();

    asio::io_context& context() const noexcept { return ioc_; }
    event_loop_executor get_executor() noexcept { return event_loop_executor(*this); }

    // Also in a hook, outside of handlers. Not inlined: in a coroutine, clang takes the thread for
    // the same before and after a suspension (llvm/llvm-project#47177).
    BOOST_NOINLINE bool running_in_this_thread() const noexcept
    {
        return thread_id_.load() == std::this_thread::get_id();
    }

    template <class F, class Allocator>
    void execute(submission s, F&& f, Allocator const& allocator);

    // See event_loop.
    template <class F>
    void execute_after_round(F&& f);

    // Runs f() later, with a kind other than once again and again; null if it is too late for that.
    // Throws std::invalid_argument if the period is 0 or less then. See event_loop.
    template <timer_queue::kind Kind, class F>
    std::shared_ptr<timer_queue::entry> run_later(
        std::chrono::nanoseconds delay, std::chrono::nanoseconds period, F&& f);

    // Starts the thread unless it was before. Throws std::system_error.
    void start();

    // Starts the thread unless it was before; if the system refuses it, the next call tries again.
    void try_to_start() noexcept;

    // See event_loop.
    std::chrono::nanoseconds cpu_time() const noexcept { return clock_.now(); }
    loop_metrics metrics() const;
    load_metrics load() const noexcept;
    bool terminated() const noexcept { return state_.load() == state::terminated; }

    // Whether it runs nothing any more; its watchers have been told, or will be.
    bool ended() const noexcept { return drained_.load(); }

    // Whether the loop is shutting down or has ended.
    bool closing() const noexcept
    {
        state const s = state_.load();
        return closed_.load() || s == state::shutting_down || s == state::terminated;
    }
    void request_shutdown(std::chrono::nanoseconds quiet_period, time_point deadline);

    // As event_loop::shutdown_gracefully, after request_shutdown(). Also until `give_up`, which may
    // be null, and wake_waiting() then.
    bool wait_for_end(time_point deadline, std::atomic<bool> const* give_up = nullptr);
    void wake_waiting();

    void stop() noexcept;

    // Told of its end, from now on.
    void add_watcher(std::weak_ptr<loop_watcher> watcher) { watchers_.add(std::move(watcher)); }

    // The uses of the loop that join() waits for, beside its thread.
    std::shared_ptr<loop_uses> const& uses() const noexcept { return uses_; }

    // stop(), and waits for the thread and those that use the loop. In the child of a fork none of
    // them is there.
    void join() noexcept;

private:
    enum class state
    {
        fresh,
        running,
        shutting_down,
        terminated,
    };

    void shutdown() override;

    std::size_t waiting() const noexcept override
    {
        return static_cast<std::size_t>(depth_.waiting());
    }
    bool has_one_thread() const noexcept override { return true; }
    void tell_state(text_sink& out) const noexcept override;

    template <class F, class Allocator>
    task* make_submitted(F&& f, Allocator const& allocator);
    template <class F>
    void add_after_round(F&& f);
    template <class F>
    void run_inline(F&& f);
    template <class F>
    void call(F&& f);

    int cpu() const;
    void work();
    void run();
    void poll();
    void caught(std::exception_ptr error) noexcept;
    void end_of_thread();
    void run_the_last();
    void destroy_tasks() noexcept;
    void destroy_all(task_list& tasks) noexcept;
    void destroy_late() noexcept;
    // The loop never began; unlocks.
    void end_fresh(std::unique_lock<std::mutex>& lock) noexcept;
    void watch(std::chrono::nanoseconds quiet_period, time_point deadline);
    void end_if_quiet(std::chrono::nanoseconds quiet_period, time_point deadline);
    void schedule() noexcept;

    friend wakeup_op<event_loop_service>;
    void on_wake_up();
    void run_round();
    void run_tasks(time_point began);
    void run_after_round();
    task* take() noexcept;
    task* take_after_round() noexcept;
    bool has_tasks() const noexcept
    {
        return !ready_.empty() || !after_round_.empty() || !posted_.empty();
    }

    asio::io_context& ioc_;
    home_process const home_; // a loop does not move to the child of a fork
    event_loop_options const options_;
    std::size_t const number_;
    // Of the thread that has made the loop.
    signal_mask const signals_;
    scheduling const scheduling_;

    std::unique_ptr<task_times> const times_; // null without the option `timing`

    // From the beginning: an io_context without work stops, even before it is run.
    asio::executor_work_guard<asio::io_context::executor_type> open_;

    // The loop's own.
    task_list ready_;
    task_list after_round_; // for the end of the next round
    task_share share_;
    time_point last_round_{}; // its end, if the loop cannot have waited since
    own_counter in_place_;
    thread_stack stack_; // of its thread
    std::optional<io_context_timer> quiet_timer_;
    bool quiet_ = false; // the shutdown has found nothing to do
    std::uint64_t ran_ = 0;    // tasks, up to the last round
    time_point last_ran_{};    // the end of the last round that had some

    loop_watchers watchers_;
    std::shared_ptr<loop_uses> const uses_ = std::make_shared<loop_uses>();

    // Handles use it when the loop is gone.
    std::shared_ptr<timer_queue> const timer_queue_ = std::make_shared<timer_queue>();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;       // written under mutex_, once, and not after stop()
    time_point end_ = forever; // guarded by mutex_: the deadline of the shutdown under way
    bool told_ = false;        // guarded by mutex_: it has ended, and its watchers know
    std::atomic<std::thread::id> thread_id_{}; // while it lives; written by the thread
    thread_clock clock_;                       // written by the thread
    std::atomic<state> state_{state::fresh};   // written under mutex_
    std::atomic<bool> closed_{false}; // set once: what is submitted from now on is destroyed
    std::atomic<bool> drained_{false}; // set once, after closed_: no task is run any more

    alignas(64) posted_queue posted_;
    std::atomic<bool> scheduled_{false};
    std::atomic<std::size_t> pending_{0}; // tasks, if their number is limited
    wakeup_op<event_loop_service> wakeup_op_; // of the thread that set scheduled_

    shared_counter thrown_; // also by coroutines that resumed on another thread

    alignas(64) queue_depth depth_{posted_}; // what is taken from it has run
    mutable delay_meter delay_;

    registration const watch_;
};

} // namespace asio_ewyk::detail

#include <asio_ewyk/detail/loop/event_loop_service_impl.hpp>
#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/loop/event_loop_service.ipp>
#endif

#endif
