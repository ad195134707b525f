// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_LOG_IPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_LOG_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/diagnostics/trace_log.hpp>
#include <asio_ewyk/detail/os/thread_end.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace asio_ewyk::detail {

struct trace_log::state
{
    std::mutex mutex;
    trace_content has; // guarded by mutex, as are all
    std::size_t capacity = 0;
    std::uint32_t sessions = 0;

    // Of those, the rings of the last threads that have ended, in the order of their ends.
    std::deque<std::shared_ptr<trace_ring>> ended;
    static constexpr std::size_t most_ended = 16;

    // Under the mutex. Throws std::bad_alloc.
    void end(std::shared_ptr<trace_ring> const& ring)
    {
        if (std::find(has.all.begin(), has.all.end(), ring) == has.all.end())
            return;
        ended.push_back(ring);
        if (ended.size() <= most_ended)
            return;
        has.forgotten += ended.front()->all().recorded();
        std::erase(has.all, ended.front());
        ended.pop_front();
    }

    // Never destroyed: threads may record something until the process is gone.
    static state& shared()
    {
        static state& one = *new state;
        return one;
    }
};

struct trace_log::keeper
{
    std::shared_ptr<trace_ring> ring = {};

    ~keeper()
    {
        if constexpr (!outlives_thread_locals)
            mine_ = {nullptr, 0, true};
        if (!ring)
            return;
        std::shared_ptr<trace_ring> const last = std::move(ring);
        state& s = state::shared();
        std::lock_guard const lock(s.mutex);
        try
        {
            s.end(last);
        }
        catch (...)
        {
            // No memory: the ring is kept for as long as the trace.
        }
    }
};

ASIO_EWYK_DECL void trace_log::start(std::size_t events_per_thread)
{
    state& s = state::shared();
    trace_content before{.all = {}, .begin = trace_time()};
    std::lock_guard const lock(s.mutex);
    std::swap(before, s.has);
    s.capacity = events_per_thread;
    s.ended.clear();
    if (++s.sessions == 0)
        ++s.sessions;
    // Release: see write().
    session_.store(s.sessions, std::memory_order_release);
    trace_recorder::set(&trace_log::write);
}

ASIO_EWYK_DECL trace_content trace_log::now()
{
    state& s = state::shared();
    std::lock_guard const lock(s.mutex);
    return s.has;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void trace_log::forget() noexcept
{
    halt();
    limit({});
    state& s = state::shared();
    // Another thread may have been anywhere in it.
    std::uint32_t const sessions = s.sessions;
    ::new (&s) state;
    s.sessions = sessions;
}

ASIO_EWYK_DECL void trace_log::write(trace_recorder::event const& e) noexcept
{
    // Acquire: a thread that sees the session sees what start() has prepared for it.
    std::uint32_t const session = session_.load(std::memory_order_acquire);
    if (mine_.session != session && !claim(session)) [[unlikely]]
        return;
    trace_ring* const ring = mine_.ring;
    if (!ring)
        return;
    std::uint64_t now = 0;
    auto detail = static_cast<std::uint32_t>(e.detail);
    if (e.is == trace_event::post)
    {
        now = e.detail;
        detail = 0;
    }
    if (now == 0)
        now = trace_time();
    if (e.is == trace_event::consume)
    {
        std::uint64_t const waited = e.detail != 0 && e.detail < now ? now - e.detail : 0;
        detail = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(waited / 1000, std::numeric_limits<std::uint32_t>::max()));
    }
    trace_limits const limits{queued_limit_.load(std::memory_order_relaxed),
        ran_limit_.load(std::memory_order_relaxed)};
    // Release, and a read-modify-write: who takes the alarm sees what all have kept that raised it.
    if (ring->record({now, e.subject, e.what, detail, e.is}, limits, e.detail != no_handler))
        [[unlikely]]
        alarm_.exchange(true, std::memory_order_release);
}

ASIO_EWYK_DECL bool trace_log::claim(std::uint32_t session) noexcept
{
    if (session == 0 || mine_.ended)
        return false;
    keeper* kept = nullptr; // not made under the lock, which its destructor takes
    try
    {
        kept = &*until_thread_end<keeper>();
    }
    catch (...)
    {
        // Then there is no ring.
    }
    std::shared_ptr<trace_ring> before;
    state& s = state::shared(); // made by start()
    std::lock_guard const lock(s.mutex);
    if (s.sessions != session)
        return false;
    try
    {
        if (!kept)
            throw std::bad_alloc();
        auto ring = std::make_shared<trace_ring>(s.capacity);
        s.has.all.push_back(ring);
        before = std::exchange(kept->ring, std::move(ring));
        mine_ = {kept->ring.get(), session, false};
    }
    catch (...)
    {
        ++s.has.without_ring;
        mine_ = {nullptr, session, false};
    }
    return true;
}

} // namespace asio_ewyk::detail

#endif
