#ifndef ASIO_EWYK_DETAIL_STALL_MONITOR_HPP
#define ASIO_EWYK_DETAIL_STALL_MONITOR_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/parker.hpp>
#include <asio_ewyk/detail/stall_looks.hpp>
#include <asio_ewyk/detail/thread_activity.hpp>

#include <boost/asio/execution_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// The thread that looks for stalls, one for the process. It starts when a handler begins while
// there is a context with a threshold, and ends with the last of these.
//
// It sleeps without a timeout when nothing has begun for a while, see stall_pace; then whoever
// begins a handler wakes it. Lost wake-up: who begins one writes that down and then reads what is
// asked for, without a fence in between; so both could miss each other here if the monitor asked,
// looked, and slept. So it asks, has every running thread pass a fence (Linux: membarrier), and
// looks again an interval later, before it sleeps: a thread that has read the old request wrote
// before the fence what that last look sees. Where there is no membarrier, that interval of some
// milliseconds is left: no machine keeps a store to itself for so long, which is what the standard
// asks for as "a finite period of time".
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE stall_monitor
{
public:
    // Throws std::bad_alloc.
    static stall_monitor& instance();

    // A context with a threshold comes, or goes.
    void join() noexcept;
    void leave() noexcept;

    // Of a context: before a fork the thread ends, and afterwards it may come again.
    void notify_fork(boost::asio::execution_context::fork_event event) noexcept;

    // Whether it has a thread.
    bool running() noexcept
    {
        std::lock_guard const lock(mutex_);
        return run_ != nullptr;
    }

    stall_monitor(stall_monitor const&) = delete;
    stall_monitor& operator=(stall_monitor const&) = delete;

private:
    using attention = thread_activity::attention;

    // Of one thread, from its start to its end. Whatever needs memory is made before the thread.
    struct run
    {
        parker sleep;
        std::atomic<bool> stop{false};
        stall_looks looks; // the thread's own
    };

    // After the system has refused a thread, or memory for it.
    static constexpr auto pause = std::chrono::seconds(1);

    stall_monitor();

    static void wake() noexcept;
    void rouse() noexcept;
    std::thread end() noexcept;
    void ask_to_wake() noexcept;
    void start() noexcept;
    void work(run& r) noexcept;
    bool ask(run& r, attention what) noexcept;

    static void fork_prepare() noexcept { instance().mutex_.lock(); }
    static void fork_parent() noexcept { instance().mutex_.unlock(); }
    static void fork_child() noexcept;

    // Not held while the monitor looks or calls back.
    std::mutex mutex_;
    std::size_t contexts_ = 0;  // guarded by mutex_
    std::size_t forks_ = 0;     // guarded by mutex_: announced, and not over
    std::shared_ptr<run> run_;  // guarded by mutex_; null: there is no thread
    std::thread thread_;        // guarded by mutex_

    // When to try again to start the thread. Relaxed: a late look tries once more.
    std::atomic<time_point> retry_{time_point::min()};
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/impl/stall_monitor.ipp>
#endif

#endif
