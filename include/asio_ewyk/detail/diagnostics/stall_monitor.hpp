// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/stall_detector.hpp>
#include <asio_ewyk/detail/diagnostics/stall_pace.hpp>
#include <asio_ewyk/detail/diagnostics/stall_report_thread.hpp>
#include <asio_ewyk/detail/observe/stall_observer.hpp>
#include <asio_ewyk/detail/os/watchdog.hpp>

#include <boost/asio/execution_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>

namespace asio_ewyk::detail {

// What a value of the environment variable ASIO_EWYK_STALLS says, as "100ms"; or nothing.
std::optional<std::chrono::nanoseconds> stall_threshold_from(std::string_view text) noexcept;

// Looks for stalls, one for the process, on the watchdog's thread. Another thread reports what it
// finds, see stall_report_thread.
//
// It does not look when nothing has begun for a while, see stall_pace; then a thread that begins a
// handler wakes it. asked_ is Dekker with the thread's record: see doc/design.adoc; but without a
// fence on that thread, so both could miss each other, and a stall would not be seen. Therefore the
// monitor asks, has every running thread pass a fence (Linux: membarrier), and looks again
// an interval later, before it sleeps: if a thread has read the old request, that last look sees
// what it wrote before. Where there is no membarrier, there is only that interval of some
// milliseconds: no machine keeps a store to itself for so long. The standard asks for "a finite
// period of time".
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE stall_monitor final
    : public stall_observer
    , private watchdog::client
{
public:
    // Ends the program if there is no memory for it, which it allocates once.
    static stall_monitor& instance() noexcept;

    std::chrono::nanoseconds threshold(std::chrono::nanoseconds option) const noexcept override;
    void join(int stack_signal) noexcept override;
    void leave() noexcept override;
    void notify_fork(boost::asio::execution_context::fork_event event) noexcept override;

    stall_monitor(stall_monitor const&) = delete;
    stall_monitor& operator=(stall_monitor const&) = delete;

private:
    // After the system has refused a thread, or memory for it.
    static constexpr auto pause = std::chrono::seconds(1);

    stall_monitor();

    static void wake() noexcept;
    void update() noexcept;
    time_point look(time_point now) noexcept override;

    static void fork_prepare() noexcept { instance().mutex_.lock(); }
    static void fork_parent() noexcept { instance().mutex_.unlock(); }
    static void fork_child() noexcept;

    // Locked before those of the watchdog, so a look does not hold it.
    std::mutex mutex_;
    std::size_t contexts_ = 0; // guarded by mutex_
    std::size_t forks_ = 0;    // guarded by mutex_: announced, not over yet
    bool watches_ = false;     // guarded by mutex_: the watchdog has it

    // The watchdog's.
    stall_detector looks_;
    stall_pace pace_;

    stall_report_thread reporter_;

    // When to try again to start the thread. Relaxed: a late look tries once more.
    std::atomic<time_point> retry_{time_point::min()};
};

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
inline stall_observer_link const stall_monitor_link(
    []() noexcept -> stall_observer& { return stall_monitor::instance(); });
#endif

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/diagnostics/stall_monitor.ipp>
#endif

#endif
