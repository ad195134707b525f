// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_REPORT_THREAD_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_REPORT_THREAD_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>

#include <chrono>
#include <cstddef>
#include <forward_list>
#include <list>
#include <mutex>
#include <string>

namespace asio_ewyk::detail {

// Reports what the stall_monitor has found, on a thread of its own: a callback, a full pipe or a
// late stack must not delay the watchdog, on which all engines depend. The thread starts when there
// is something to report, and ends when all is reported.
class stall_report_thread
{
public:
    struct finding
    {
        stall_kind kind{};
        registry_slot* place = nullptr;           // of the context
        void const* owner = nullptr;            // what had the slot then
        thread_activity const* where = nullptr;
        thread_activity::sight sight{};         // of the handler
        time_point since{};                     // with `running`: when it was seen first
        std::chrono::nanoseconds time{};        // with `running`: set when it is reported
        std::size_t suppressed = 0;
    };

    stall_report_thread() = default;
    stall_report_thread(stall_report_thread const&) = delete;
    stall_report_thread& operator=(stall_report_thread const&) = delete;

    // The watchdog. Throws std::bad_alloc.
    void add(finding const& f);

    // The watchdog: whether too many wait for another one; those of kind `ended` may still come.
    bool full();

    // The watchdog: has all of them reported. False if the system refuses the thread.
    bool start() noexcept;

    // Waits until all is reported, or the thread writes a line, which may take for ever if nothing
    // reads it; while it writes it uses nothing of a context.
    void await() noexcept;

    // In the child of a fork.
    void forget_thread() noexcept;

private:
    static constexpr std::size_t most = 64;

    enum class state
    {
        absent,
        tells,
        writes, // a line
    };

    struct told
    {
        thread_activity const* where = nullptr; // null: not needed any more
        stall_report report;
    };

    void work() noexcept;
    void tell(finding const& f) noexcept;
    stall_report const* describe(finding const& f, registration const& w);
    void write(std::string const& line) noexcept;
    void enter(state s) noexcept;

    // Not held while anything is reported.
    std::mutex mutex_;
    std::list<finding> findings_; // guarded by mutex_
    state state_ = state::absent; // guarded by mutex_, written by the thread while there is one

    // What is being reported, and what was reported of running handlers. The thread's.
    std::forward_list<told> told_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/diagnostics/stall_report_thread.ipp>
#endif

#endif
