#ifndef ASIO_EWYK_DETAIL_IMPL_STALL_MONITOR_HPP
#define ASIO_EWYK_DETAIL_IMPL_STALL_MONITOR_HPP

#include <asio_ewyk/detail/cpu_binding.hpp>
#include <asio_ewyk/detail/stall_monitor.hpp>
#include <asio_ewyk/detail/stall_pace.hpp>

#include <new>
#include <utility>

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#define ASIO_EWYK_DETAIL_HAS_MEMBARRIER 1
#endif

namespace asio_ewyk::detail {

// Has every thread of the process that runs pass a fence, where the system can do that.
inline void fence_other_threads() noexcept
{
#if defined(ASIO_EWYK_DETAIL_HAS_MEMBARRIER)
    int const error = errno;
    // Not a static constant: a fork in between would leave its guard locked in the child. Twice
    // does no harm.
    static std::atomic<bool> registered{false};
    if (!registered.load())
        registered.store(
            ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0);
    if (registered.load())
        ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    errno = error;
#endif
}

inline stall_monitor& stall_monitor::instance()
{
    static stall_monitor& one = *new stall_monitor;
    return one;
}

inline stall_monitor::stall_monitor()
{
    thread_activity::wake_by(&stall_monitor::wake);
#if defined(ASIO_EWYK_HAS_PTHREAD)
    // Also for forks that nobody announces by notify_fork(). Without memory for it there are none.
    ::pthread_atfork(&fork_prepare, &fork_parent, &fork_child);
#endif
}

inline void stall_monitor::join() noexcept
{
    std::lock_guard const lock(mutex_);
    ++contexts_;
    if (run_)
        run_->sleep.unpark(); // its threshold may be the least
    else
        ask_to_wake();
}

inline void stall_monitor::leave() noexcept
{
    std::thread ended;
    {
        std::lock_guard const lock(mutex_);
        if (--contexts_ == 0)
            ended = end();
    }
    if (ended.joinable())
        ended.join();
}

inline void stall_monitor::notify_fork(asio::execution_context::fork_event event) noexcept
{
    std::thread ended;
    {
        std::lock_guard const lock(mutex_);
        if (event == asio::execution_context::fork_prepare)
        {
            ++forks_;
            ended = end();
        }
        else if (forks_ == 0 || --forks_ == 0)
            ask_to_wake();
    }
    if (ended.joinable())
        ended.join();
}

// Under mutex_. The thread is to be joined, if there is one.
inline std::thread stall_monitor::end() noexcept
{
    thread_activity::ask(attention::none);
    if (!run_)
        return {};
    run_->stop.store(true);
    run_->sleep.unpark();
    run_.reset();
    return std::move(thread_);
}

// Under mutex_, while there is no thread.
inline void stall_monitor::ask_to_wake() noexcept
{
    if (!run_)
        thread_activity::ask(
            contexts_ != 0 && forks_ == 0 ? attention::wake : attention::none);
}

// Whoever begins a handler while the monitor sleeps or is not there.
inline void stall_monitor::wake() noexcept
{
    stall_monitor& self = instance();
    if (std::chrono::steady_clock::now() >= self.retry_.load(std::memory_order_relaxed)
        && thread_activity::answer())
        self.rouse();
}

inline void stall_monitor::rouse() noexcept
{
    // Whoever begins a handler may hold a mutex that the program's own handlers of a fork, which is
    // under way and has this one, wait for. The next handler that begins tries again.
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (!lock)
        thread_activity::ask(attention::wake);
    else if (run_)
        run_->sleep.unpark();
    else if (contexts_ != 0 && forks_ == 0)
        start();
    else
        thread_activity::ask(attention::none); // it has changed meanwhile
}

// Under mutex_.
inline void stall_monitor::start() noexcept
{
    try
    {
        auto next = std::make_shared<run>();
        block_signals blocked;
        unbound from_cpu;
        thread_ = std::thread([this, next] { work(*next); });
        run_ = std::move(next);
    }
    catch (...)
    {
        retry_.store(after(pause), std::memory_order_relaxed);
        thread_activity::ask(attention::wake);
    }
}

// False if this thread is to end.
inline bool stall_monitor::ask(run& r, attention what) noexcept
{
    {
        std::lock_guard const lock(mutex_);
        if (run_.get() != &r)
            return !r.stop.load();
        thread_activity::ask(what);
    }
    if (what == attention::wake)
        fence_other_threads();
    return true;
}

inline void stall_monitor::work(run& r) noexcept
{
    name_this_thread("ewyk-stalls", 0);
    stall_pace pace(std::chrono::steady_clock::now());
    while (!r.stop.load())
    {
        attention const asked = thread_activity::asked();
        time_point const now = std::chrono::steady_clock::now();
        auto const seen = r.looks.look(now);
        auto const step = pace.after_look(now, seen.changes, asked, seen.due, seen.threshold);
        if (step.ask != asked && !ask(r, step.ask))
            return;
        r.sleep.park_until(step.next);
    }
}

// The child has neither the monitor nor other threads. It goes on with what it inherits: contexts
// that it uses, or will destroy.
inline void stall_monitor::fork_child() noexcept
{
    stall_monitor& self = instance();
    thread_activity::forget_others();
    watch_place::forget_others();
    stack_capture::forget_others();
    ::new (&self.thread_) std::thread; // what it was cannot be joined, nor detached
    self.run_.reset();
    self.forks_ = 0;
    self.ask_to_wake();
    self.mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
