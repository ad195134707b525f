#ifndef ASIO_EWYK_DETAIL_IMPL_SENTINEL_IPP
#define ASIO_EWYK_DETAIL_IMPL_SENTINEL_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/cpu_binding.hpp>
#include <asio_ewyk/detail/sentinel.hpp>
#include <asio_ewyk/detail/this_thread.hpp>

#include <algorithm>
#include <stdexcept>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL std::chrono::nanoseconds checked_grace(std::chrono::nanoseconds grace)
{
    if (grace < std::chrono::nanoseconds::zero())
        throw std::invalid_argument("grace must be at least 0");
    return grace;
}

ASIO_EWYK_DECL sentinel::sentinel(lease const& observed, lessor& owner, duration grace)
    : lease_(observed)
    , owner_(owner)
    , grace_(grace)
    , interval_(grace)
{
}

ASIO_EWYK_DECL sentinel::~sentinel()
{
    stop(true);
}

// The producer. The watchdog first: the sentinel, which may wake it at once, must not start it.
ASIO_EWYK_DECL void sentinel::rouse() noexcept
{
    std::uint8_t const absent = absent_.exchange(0);
    std::lock_guard const lock(mutex_);
    if (stop_.load())
        return;
    try
    {
        if (!registered_)
        {
            watchdog::instance().add(*this);
            registered_ = true;
        }
        if ((absent & watchdog_absent) != 0)
            watchdog::instance().wake(*this);
        if ((absent & thread_absent) == 0 || refused_.load())
            return;
        if (thread_.joinable())
            return sleep_.unpark();
        block_signals blocked;
        unbound from_cpu;
        thread_ = std::thread([this] { work(); });
    }
    catch (...)
    {
        // The next task tries again.
        absent_.fetch_or(absent);
    }
}

ASIO_EWYK_DECL void sentinel::stop(bool for_good) noexcept
{
    std::thread ended;
    bool registered = false;
    {
        std::lock_guard const lock(mutex_);
        stop_.store(true);
        sleep_.unpark();
        ended.swap(thread_);
        registered = std::exchange(registered_, false);
    }
    if (ended.joinable())
        ended.join();
    if (registered)
        watchdog::instance().remove(*this);
    if (for_good)
        return;
    stop_.store(false);
    absent_.store(thread_absent | watchdog_absent);
}

ASIO_EWYK_DECL void sentinel::work() noexcept
{
    name_this_thread("ewyk-sentinel", 0);
    if (!become_idle_class())
    {
        refused_.store(true);
        return;
    }
    cpu_ = -1;
    duration nap = shortest_nap;
    lease::number seen = 0;
    bool drowsy = false; // it has said that it goes to bed
    bool rested = false; // the last nap has not been cut short
    time_point progress = std::chrono::steady_clock::now();
    while (!stop_.load())
    {
        lease::sight const s = lease_.look();
        if (s.leased)
        {
            follow(s.cpu);
            if (watch(s))
            {
                nap = shortest_nap;
                continue;
            }
        }
        time_point const now = std::chrono::steady_clock::now();
        if (s.which != seen || may_be_late(s)
            || (drowsy && (absent_.load() & thread_absent) == 0))
        {
            seen = s.which;
            progress = now;
        }
        bool const native = native_.load(std::memory_order_relaxed);
        time_point wake = now + nap;
        nap = std::min(2 * nap, native ? longest_native_nap : longest_nap);
        if (now - progress < (native ? native_patience : patience))
        {
            if (std::exchange(drowsy, false))
                absent_.fetch_and(static_cast<std::uint8_t>(~thread_absent));
        }
        else if (!std::exchange(drowsy, true) || !rested)
            absent_.fetch_or(thread_absent);
        else
        {
            native_.store(false, std::memory_order_relaxed);
            wake = forever;
        }
        rested = !sleep_.park_until(wake);
        if (!rested)
            nap = shortest_nap;
    }
}

ASIO_EWYK_DECL void sentinel::follow(int cpu) noexcept
{
    // Where it may not go it stays, and is told less by the fact that it runs.
    if (std::exchange(cpu_, cpu) != cpu)
        move_to_cpu(cpu);
}

// Whether the thread of that lease has blocked, where it is not known to wait for I/O.
ASIO_EWYK_DECL bool sentinel::blocks(lease::sight const& s, thread_probe& probe) noexcept
{
    auto const state = probe.of(s.producer);
    if (s.what == lease::activity::task || s.what == lease::activity::native)
        return state != thread_probe::state::runs;
    // Where another thread waits for I/O inside the io_context, this one waits for a condition.
    return state == thread_probe::state::blocks
        || (state == thread_probe::state::locks && owner_.waits_for_io());
}

// True if that lease has ended by now.
ASIO_EWYK_DECL bool sentinel::watch(lease::sight const& s) noexcept
{
    // It is preempted at times, and runs again as soon as this thread yields.
    for (int i = 0; !blocks(s, probe_); ++i)
    {
        if (i == 2)
            return false;
        std::this_thread::yield();
        if (!lease_.is(s.which))
            return true;
    }
    if (!wait_out(s.which))
        return true;
    // What nothing marks is not counted either: it may be another one by now.
    if (!blocks(s, probe_))
        return false;
    take_over(s, false);
    return true;
}

// Lets the grace pass. False if the lease has ended by then. It yields for a short one, and naps
// through a long one, or it would use up a core that has nothing else to do.
ASIO_EWYK_DECL bool sentinel::wait_out(lease::number n) noexcept
{
    time_point now = std::chrono::steady_clock::now();
    time_point const end = after(grace_, now);
    time_point const yields_until = after(shortest_nap, now);
    do
    {
        if (now < yields_until)
            std::this_thread::yield();
        else
            sleep_.park_until(std::min(end, after(std::max(shortest_nap, grace_ / 8), now)));
        if (!lease_.is(n) || stop_.load())
            return false;
        now = std::chrono::steady_clock::now();
    } while (now < end);
    return true;
}

ASIO_EWYK_DECL void sentinel::take_over(lease::sight const& s, bool may_start) noexcept
{
    using enum lessor::outcome;
    auto const outcome = owner_.take_over(s.which, may_start);
    if (outcome == ended)
        return;
    if (s.what == lease::activity::waits)
        met_native_.store(true);
    if (outcome == needs_start)
    {
        needs_start_.store(true);
        watchdog::instance().wake(*this, may_start);
    }
}

// The watchdog.
ASIO_EWYK_DECL time_point sentinel::look(time_point now) noexcept
{
    if (needs_start_.load() && needs_start_.exchange(false))
        owner_.start_pending();
    lease::sight const s = lease_.look();
    if (!s.leased || s.which != seen_.which || s.what != seen_.what)
    {
        progress_ = now;
        seen_ = s;
        seen_since_ = now;
        interval_.grow();
    }
    else if (now - seen_since_ >= grace_)
    {
        bool const computes = s.what != lease::activity::waits
            && now - seen_since_ >= computing * std::max(grace_, duration(1));
        if (computes || blocks(s, watchdog_probe_))
        {
            interval_.shrink();
            progress_ = now;
            take_over(s, true);
        }
    }
    if (may_be_late(s) || (drowsy_ && (absent_.load() & watchdog_absent) == 0))
        progress_ = now;
    bool const native = native_.load(std::memory_order_relaxed);
    if (now - progress_ < (native ? native_patience : patience) + patience)
    {
        if (std::exchange(drowsy_, false))
            absent_.fetch_and(static_cast<std::uint8_t>(~watchdog_absent));
    }
    else if (!std::exchange(drowsy_, true))
    {
        absent_.fetch_or(watchdog_absent);
        owner_.went_quiet();
        drowsy_since_ = now;
    }
    else if (now - drowsy_since_ >= shortest_nap)
    {
        interval_.forget();
        return forever;
    }
    return now + interval_.get();
}

} // namespace asio_ewyk::detail

#endif
