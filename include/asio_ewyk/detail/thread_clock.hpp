#ifndef ASIO_EWYK_DETAIL_THREAD_CLOCK_HPP
#define ASIO_EWYK_DETAIL_THREAD_CLOCK_HPP

#include <atomic>
#include <chrono>

#if defined(__unix__)
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#endif

namespace asio_ewyk::detail {

#if defined(_POSIX_THREAD_CPUTIME) && _POSIX_THREAD_CPUTIME >= 0

// How much this thread has used so far.
inline std::chrono::nanoseconds this_thread_cpu_time() noexcept
{
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

// Tells any thread how much CPU time one has used, which costs that one nothing.
class thread_clock
{
public:
    static constexpr bool works = true;

    // On the thread itself, at its beginning and at its end.
    void begin() noexcept
    {
        clockid_t id;
        if (::pthread_getcpuclockid(::pthread_self(), &id) != 0)
            return;
        id_.store(id, std::memory_order_relaxed);
        runs_.store(true);
    }

    void end() noexcept
    {
        now();
        runs_.store(false);
    }

    // Never less than before: at the end the last reading stays, whoever it was by.
    std::chrono::nanoseconds now() const noexcept
    {
        auto most = most_.load();
        timespec t;
        if (!runs_.load() || ::clock_gettime(id_.load(std::memory_order_relaxed), &t) != 0)
            return most_.load();
        auto const read = std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
        while (most < read)
            if (most_.compare_exchange_weak(most, read))
                return read;
        return most;
    }

private:
    // Both are written by the thread itself. Relaxed: runs_ orders it, which is written after.
    std::atomic<clockid_t> id_{};
    std::atomic<bool> runs_{false};

    // The latest reading. Written by whoever reads; sequentially consistent, as runs_: who finds
    // that the thread has ended finds what the thread read last.
    mutable std::atomic<std::chrono::nanoseconds> most_{std::chrono::nanoseconds::zero()};
};

#else

// Not known: 0.
inline std::chrono::nanoseconds this_thread_cpu_time() noexcept
{
    return {};
}

class thread_clock
{
public:
    static constexpr bool works = false;

    void begin() noexcept {}
    void end() noexcept {}
    std::chrono::nanoseconds now() const noexcept { return {}; }
};

#endif

} // namespace asio_ewyk::detail

#endif
