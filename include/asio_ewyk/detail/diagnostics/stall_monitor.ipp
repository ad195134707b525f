// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_IPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/stack_capture.hpp>
#include <asio_ewyk/detail/diagnostics/stall_monitor.hpp>
#include <asio_ewyk/detail/observe/handler_name.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/os/scheduling.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD stall_monitor& stall_monitor::instance() noexcept
{
    static stall_monitor& one = *new stall_monitor;
    return one;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD stall_monitor::stall_monitor()
{
#if defined(ASIO_EWYK_HAS_PTHREAD)
    // Also for forks that notify_fork() does not announce. pthread_atfork() fails only without
    // memory; then such forks do not work.
    ::pthread_atfork(&fork_prepare, &fork_parent, &fork_child);
#endif
}

#if defined(ASIO_EWYK_SEPARATE_COMPILATION)
ASIO_EWYK_DECL ASIO_EWYK_COLD stall_observer* linked_stall_observer() noexcept
{
    return &stall_monitor::instance();
}
#endif

ASIO_EWYK_DECL ASIO_EWYK_COLD std::optional<std::chrono::nanoseconds> stall_threshold_from(
    std::string_view text) noexcept
{
    std::uint64_t count = 0;
    char const* const end = text.data() + text.size();
    auto const number = std::from_chars(text.data(), end, count);
    std::string_view const unit(number.ptr, static_cast<std::size_t>(end - number.ptr));
    std::chrono::duration<double> const time(static_cast<double>(count));
    if (number.ec != std::errc())
        return std::nullopt;
    if (unit == "s" || (unit.empty() && count == 0))
        return saturated(time);
    if (unit == "ms")
        return saturated(time / 1e3);
    if (unit == "us")
        return saturated(time / 1e6);
    return std::nullopt;
}

// Read once: the environment may be changed while contexts are made.
ASIO_EWYK_DECL ASIO_EWYK_COLD std::chrono::nanoseconds stall_monitor::threshold(
    std::chrono::nanoseconds option) const noexcept
{
    if (report_client* const client = report_client::linked())
        client->notice_context();
    static auto const found = []() -> std::optional<std::chrono::nanoseconds> {
        char const* const text = std::getenv("ASIO_EWYK_STALLS");
        auto const threshold = text ? stall_threshold_from(text) : std::nullopt;
        if (text && !threshold)
            std::fputs("asio_ewyk: ignored: ASIO_EWYK_STALLS is no time such as 100ms\n", stderr);
        return threshold;
    }();
    return found.value_or(option);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::join(int stack_signal) noexcept
{
    stack_capture::install(stack_signal);
    std::lock_guard const lock(mutex_);
    ++contexts_;
    ++joined_;
    start();
    changed_.notify_all(); // its threshold may be the least
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::leave() noexcept
{
    std::unique_lock lock(mutex_);
    --contexts_;
    await_end(lock);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::attach(bool wanted) noexcept
{
    std::lock_guard const lock(mutex_);
    attached_ = wanted;
    ++joined_;
    start();
    changed_.notify_all();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::notify_fork(
    boost::asio::execution_context::fork_event event) noexcept
{
    std::unique_lock lock(mutex_);
    if (event == boost::asio::execution_context::fork_prepare)
    {
        ++forks_;
        await_end(lock);
        return;
    }
    if (forks_ != 0)
        --forks_;
    start();
}

// Under mutex_. If the system refuses the thread, the next context tries again.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::start() noexcept
{
    if (running_ || !needed())
        return;
    try
    {
        // Detached: it may be stuck in a full pipe when the last context goes.
        start_thread([this, asks = may_ask_for_class()] {
            if (asks)
                become_normal();
            work();
        }).detach();
        running_ = true;
    }
    catch (...)
    {
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::await_end(
    std::unique_lock<std::mutex>& lock) noexcept
{
    changed_.notify_all();
    changed_.wait(lock, [this] { return needed() || !running_ || writes_; });
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::work() noexcept
{
    name_this_thread("ewyk-stalls", 0);
    std::unique_lock lock(mutex_);
    while (needed())
    {
        std::size_t const joined = joined_;
        bool const looks = contexts_ != 0;
        report_client* const client = attached_ ? report_client::linked() : nullptr;
        lock.unlock();
        time_point next = looks ? look() : after(std::chrono::hours(1));
        if (client)
            next = std::min(next, client->turn());
        lock.lock();
        changed_.wait_until(lock, next, [&] { return !needed() || joined != joined_; });
    }
    running_ = false;
    changed_.notify_all();
}

// Returns when to look again.
ASIO_EWYK_DECL time_point stall_monitor::look() noexcept
{
    std::chrono::nanoseconds least = std::chrono::hours(1);
    registry_slot::for_each([&](registry_slot& p) {
        p.look([&](registration const& w) {
            if (w.reports())
                least = std::min(least, w.settings().threshold);
        });
    });
    changed_since_ = false;
    due_ = forever;
    // Also those of threads that have ended since their handlers were reported.
    thread_activity::for_all([&](thread_activity& a) {
        try
        {
            look_at(a);
        }
        catch (...)
        {
            // No memory for a report.
        }
    });
    return std::min(due_, after(std::max(shortest, least / (changed_since_ ? 10 : 2))));
}

ASIO_EWYK_DECL void stall_monitor::look_at(thread_activity& a)
{
    time_point const now = std::chrono::steady_clock::now();
    thread_activity::sight const s = a.look();
    time_point since = s.seen;
    if (since == time_point())
    {
        changed_since_ = true;
        since = now;
        time_point const before = a.see(s.changes, now);
        if (auto one = stalls_.extract(&a))
            end(one.mapped(), now - before);
    }
    // A thread of a pool that produces is in a task, too, but may wait there without limit.
    if (!s.now.what || !s.now.what(nullptr, task_purpose::describe))
        return;
    if (stalls_.contains(&a))
    {
        // Less and less often, so that its end is seen.
        due_ = std::min(due_, after(std::max(shortest, (now - since) / 16), now));
        return;
    }
    registry_slot::for_each([&](registry_slot& p) {
        p.look([&](registration const& w) {
            if (!w.reports() || w.owner() != s.now.owner)
                return;
            if (now - since < w.settings().threshold)
                due_ = std::min(due_, after(w.settings().threshold, since));
            else
                begin(stalls_.try_emplace(&a, stall{generation_handle(p)}).first->second, a, s,
                    since, w);
        });
    });
    write_line();
}

// Of one of the context's handlers.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::begin(stall& one,
    thread_activity const& a, thread_activity::sight const& s, time_point since,
    registration const& context)
{
    due_ = std::min(due_, after(shortest));
    if (!context.limit.allows(std::chrono::steady_clock::now()))
        return;
    stall_report& r = one.report;
    r.context = context.settings().context;
    r.handler = handler_name(s.now.what);
    if (s.where.file)
        r.location.emplace(s.where.file, s.where.line, s.where.function);
    r.thread_id = a.thread();
    r.thread_name = thread_name(r.thread_id);
    r.waiting = context.what().waiting();
    r.sleeps = sleeps(r.thread_id);
    r.may_wait_for_own_loop = r.waiting != 0 && context.what().has_one_thread()
        && thread_probe().of(r.thread_id) == thread_probe::state::locks;
    // If the handler has ended meanwhile, none of this may be true.
    if (a.changes() != s.changes)
        return;
    r.time = std::chrono::steady_clock::now() - since;
    // Last: the signal may end what the handler waits for, and so the handler.
    if (context.settings().stack_signal != 0)
        r.stack = stack_capture::of(a, s.changes, context.settings().stack_signal);
    r.suppressed = context.limit.take_suppressed();
    one.reported = true;
    if (report_client* const client = report_client::linked())
        client->notice_stall(r, since);
    tell(context, r);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::end(stall& one, std::chrono::nanoseconds time)
{
    if (!one.reported)
        return;
    one.context.visit([&](registration const& context) {
        stall_report& r = one.report;
        r.kind = stall_kind::ended;
        r.time = time;
        r.waiting = context.what().waiting();
        r.sleeps = r.may_wait_for_own_loop = false;
        r.stack.clear();
        r.suppressed = 0;
        tell(context, r);
    });
    write_line();
}

// Calls the callback, or leaves a line to be written if there is none, or it throws.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::tell(
    registration const& context, stall_report const& report)
{
    try
    {
        if (context.settings().on_stall)
            return context.settings().on_stall(report);
    }
    catch (...)
    {
    }
    text_sink text(line_);
    text << "asio_ewyk: ";
    detail::describe(text, report);
    text << '\n';
    text.flush();
}

// No context waits for it, as it may take for ever if nothing reads it. Not by stdio, whose lock
// would block all other threads that write to stderr.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::write_line() noexcept
{
    if (line_.empty())
        return;
    write_slowly([this] {
#if defined(ASIO_EWYK_HAS_PTHREAD)
        write_all(STDERR_FILENO, line_.data(), line_.size());
#else
        std::fputs(line_.c_str(), stderr);
#endif
    });
    line_.clear();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::say_whether_it_writes(bool writes) noexcept
{
    std::lock_guard const lock(mutex_);
    writes_ = writes;
    changed_.notify_all();
}

// The child has no other threads, nor that of the monitor: notify_fork() starts one, or the next
// context. The child keeps what it inherits: contexts that it uses, or will destroy.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_monitor::fork_child() noexcept
{
    stall_monitor& self = instance();
    thread_activity::forget_others();
    registry_slot::forget_others();
    stack_capture::forget_others();
    self.forks_ = 0;
    self.running_ = self.writes_ = self.attached_ = false;
    // The thread may have been anywhere.
    ::new (&self.changed_) std::condition_variable;
    ::new (&self.stalls_) std::map<thread_activity const*, stall>;
    ::new (&self.line_) std::string;
    self.mutex_.unlock();
}

} // namespace asio_ewyk::detail

#endif
