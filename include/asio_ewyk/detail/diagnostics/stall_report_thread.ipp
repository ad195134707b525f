// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_REPORT_THREAD_IPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_REPORT_THREAD_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/handler_name.hpp>
#include <asio_ewyk/detail/diagnostics/stack_capture.hpp>
#include <asio_ewyk/detail/diagnostics/stall_report_thread.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::add(finding const& f)
{
    std::lock_guard const lock(mutex_);
    findings_.push_back(f);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool stall_report_thread::full()
{
    std::lock_guard const lock(mutex_);
    return findings_.size() >= most;
}

// The thread inherits the watchdog's signal mask and CPUs. It is detached: it may be stuck when the
// last context goes. Otherwise it ends long before.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool stall_report_thread::start() noexcept
{
    std::lock_guard const lock(mutex_);
    if (state_ != state::absent || findings_.empty())
        return true;
    try
    {
        std::thread([this] { work(); }).detach();
        state_ = state::tells;
        return true;
    }
    catch (...)
    {
        return false;
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::await() noexcept
{
    std::unique_lock lock(mutex_);
    while (state_ == state::tells)
    {
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        lock.lock();
    }
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::forget_thread() noexcept
{
    ::new (this) stall_report_thread; // its thread may have been anywhere
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::work() noexcept
{
    name_this_thread("ewyk-stalls", 0);
    std::unique_lock lock(mutex_);
    while (!findings_.empty())
    {
        std::list<finding> some;
        some.swap(findings_);
        lock.unlock();
        for (finding const& f : some)
            tell(f);
        lock.lock();
    }
    state_ = state::absent;
}

// False if there is no callback, or it has thrown.
inline bool told_to(
    std::function<void(stall_report const&)> const& callback, stall_report const& report) noexcept
{
    try
    {
        if (callback)
            callback(report);
        return callback != nullptr;
    }
    catch (...)
    {
        return false;
    }
}

// A report must not end the program, nor be lost; as a line, it must not hold up a context.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::tell(finding const& f) noexcept
{
    try
    {
        std::string line;
        f.place->look(f.owner, [&](registration const& w) {
            stall_report const* const report = describe(f, w);
            if (!report || told_to(w.settings().on_stall, *report))
                return;
            string_sink text(line);
            text << "asio_ewyk: ";
            detail::describe(text, *report);
            text << '\n';
            text.flush();
        });
        if (!line.empty())
            write(line);
    }
    catch (...)
    {
        // No memory for it.
    }
    told_.remove_if([](told const& t) { return !t.where; });
}

// Null if the handler has ended meanwhile, or, with `ended`, was not reported before.
ASIO_EWYK_DECL ASIO_EWYK_COLD stall_report const* stall_report_thread::describe(
    finding const& f, registration const& w)
{
    // The last report about that thread is needed for its end, and no longer.
    told* last = nullptr;
    for (told& t : told_)
        if (t.where == f.where)
            last = &t;
    if (last)
        last->where = nullptr;
    bool const ended = f.kind == stall_kind::ended;
    if (ended && !last)
        return nullptr;
    told& one = ended ? *last : told_.emplace_front();
    stall_report& r = one.report;
    r.kind = f.kind;
    r.time = f.time;
    r.suppressed = f.suppressed;
    r.waiting = w.what().waiting();
    r.sleeps = false;
    r.stack.clear();
    if (ended)
        return &r;
    r.context = w.settings().context;
    r.handler = handler_name(f.sight.now.what);
    if (f.sight.where.file)
        r.location.emplace(f.sight.where.file, f.sight.where.line, f.sight.where.function);
    r.thread_id = f.where->thread();
    r.thread_name = thread_name(r.thread_id);
    r.sleeps = sleeps(r.thread_id);
    // If the handler has ended meanwhile, none of this may be true.
    if (f.where->changes() != f.sight.changes)
        return nullptr;
    r.time = std::chrono::steady_clock::now() - f.since;
    // Last: the signal may end what the handler waits for, and so the handler.
    if (w.settings().stack_signal != 0)
        r.stack = stack_capture::of(*f.where, f.sight.changes, w.settings().stack_signal);
    one.where = f.where;
    return &r;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::enter(state s) noexcept
{
    std::lock_guard const lock(mutex_);
    state_ = s;
}

// Not by stdio: its lock would block all other threads that write to stderr.
ASIO_EWYK_DECL ASIO_EWYK_COLD void stall_report_thread::write(std::string const& line) noexcept
{
    enter(state::writes);
#if defined(ASIO_EWYK_HAS_PTHREAD)
    write_all(STDERR_FILENO, line.data(), line.size());
#else
    std::fputs(line.c_str(), stderr);
#endif
    enter(state::tells);
}

} // namespace asio_ewyk::detail

#endif
