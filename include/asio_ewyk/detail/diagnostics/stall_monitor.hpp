// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/report_client.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/stall_observer.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace asio_ewyk::detail {

// What a value of the environment variable ASIO_EWYK_STALLS says, as "100ms"; or nothing.
std::optional<std::chrono::nanoseconds> stall_threshold_from(std::string_view text) noexcept;

// Looks for stalls and reports them, one for the process, on a thread of its own. The thread exists
// while a context has a threshold, and looks at the records of all threads each tenth of the least
// threshold, or each half while no handler begins or ends. While a report_client is attached, the
// thread serves that, too.
//
// No other thread depends on it: a callback, a full pipe or a late stack delays other reports only.
//
// Never destroyed: contexts may outlive every static object.
class BOOST_SYMBOL_VISIBLE stall_monitor final : public stall_observer
{
public:
    // Ends the program if there is no memory for it, which it allocates once.
    static stall_monitor& instance() noexcept;

    std::chrono::nanoseconds threshold(std::chrono::nanoseconds option) const noexcept override;
    void join(int stack_signal) noexcept override;
    void leave() noexcept override;
    void notify_fork(boost::asio::execution_context::fork_event event) noexcept override;

    // The report_client wants its turns, or no more.
    void attach(bool wanted) noexcept;

    // The thread, around what may take for ever and uses no context.
    template <class F>
    void write_slowly(F f)
    {
        say_whether_it_writes(true);
        at_exit const end([this]() noexcept { say_whether_it_writes(false); });
        f();
    }

    stall_monitor(stall_monitor const&) = delete;
    stall_monitor& operator=(stall_monitor const&) = delete;

private:
    // How soon it looks again, at the earliest.
    static constexpr std::chrono::nanoseconds shortest = std::chrono::milliseconds(2);

    // A handler that has run for longer than the threshold, and still did at the last look.
    struct stall
    {
        generation_handle context;
        bool reported = false; // or left out
        stall_report report{};
    };

    stall_monitor();

    bool needed() const noexcept { return (contexts_ != 0 || attached_) && forks_ == 0; }
    void start() noexcept;
    void await_end(std::unique_lock<std::mutex>& lock) noexcept;
    void work() noexcept;

    time_point look() noexcept;
    void look_at(thread_activity& a);
    void begin(stall& one, thread_activity const& a, thread_activity::sight const& s,
        time_point since, registration const& context);
    void end(stall& one, std::chrono::nanoseconds time);
    void tell(registration const& context, stall_report const& report);
    void write_line() noexcept;
    void say_whether_it_writes(bool writes) noexcept;

    static void fork_prepare() noexcept { instance().mutex_.lock(); }
    static void fork_parent() noexcept { instance().mutex_.unlock(); }
    static void fork_child() noexcept;

    // Not held while it looks.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t contexts_ = 0; // guarded by mutex_, as all that follow
    std::size_t joined_ = 0;   // how many contexts there have been, or clients
    bool attached_ = false;    // the report_client
    std::size_t forks_ = 0;    // announced, not over yet
    bool running_ = false;     // there is a thread
    bool writes_ = false;      // which writes a line, and uses no context

    // The thread's.
    std::map<thread_activity const*, stall> stalls_;
    std::string line_;       // to be written
    time_point due_;         // when it looks again
    bool changed_since_ = false; // the last look
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
