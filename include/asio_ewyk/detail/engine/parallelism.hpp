// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/workforce.hpp>
#include <asio_ewyk/detail/engine/parallelism_policy.hpp>
#include <asio_ewyk/detail/os/cpu_quota.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/strategy.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>

namespace asio_ewyk::detail {

// Throws std::invalid_argument for a strategy_options::concurrency that cannot be kept.
std::size_t checked_concurrency(
    std::size_t concurrency, strategy_t s, std::chrono::nanoseconds grace);

// Has several threads run handlers inside the io_context, where one is out of CPU time and several
// run more, or where their number is fixed.
//
// Helpers run handlers beside the producer: parked callers, and threads of the pool, without the
// right to produce. The watchdog measures windows of time and asks parallelism_policy after each.
// The policy needs the number of handlers, which Asio does not tell before run() returns: so the
// watchdog has the producer count them for as long as it is needed, and no longer.
//
// With a fixed concurrency the policy is not asked. Helpers come when the producer has not waited
// for a window, and until a check finds none of them awake.
//
// | mode     | the producer                   | helpers                                           |
// |----------|--------------------------------|---------------------------------------------------|
// | plain    | is inside io_context::run()    | none                                              |
// | counting | runs and counts handlers       | none                                              |
// | together | runs and counts handlers       | one for each CPU, or one less than is fixed, and  |
// |          |                                | one for each that is asleep                       |
class parallelism
{
public:
    using duration = std::chrono::nanoseconds;

    // A window in which handlers are counted goes on until there were enough of them to compare; a
    // context that runs fewer in the longest one has had nothing to do.
    static constexpr duration window = std::chrono::milliseconds(10);
    static constexpr duration longest_window = 16 * window;
    static constexpr std::size_t min_handlers = 8;

    static constexpr std::size_t max_helpers = 256;

    // A helper that has found no handler so often leaves.
    static constexpr unsigned max_empty_polls = 4;

    // The task that makes a thread a helper.
    class helper final : public task
    {
    public:
        helper() noexcept
            : task(&helper::act, {}, invocation_t::blocking, true)
        {
        }

    private:
        friend parallelism;
        static boost::core::typeinfo const* act(task* base, task_purpose purpose);

        parallelism* of_ = nullptr;
        std::atomic<bool> under_way_{false};
        std::atomic<thread_id> thread_{};
        std::atomic<std::uint32_t> calls_{0}; // of progressed()

        // The watchdog's: calls_ at its last check.
        std::uint32_t calls_seen_ = 0;
    };

    // `help` runs handlers on the thread of a helper until wants_help() is false. `concurrency`:
    // how many threads are to run handlers, the producer among them; 0: not fixed. `cpus`: how many
    // CPUs they may keep busy.
    parallelism(workforce& threads, void (*help)(void* context, helper&), void* context,
        std::size_t concurrency = 0, int cpus = usable_cpus_from_here()) noexcept
        : concurrency_(concurrency)
        , wanted_(helpers_for(concurrency, cpus))
        , threads_(threads)
        , help_(help)
        , context_(context)
    {
    }

    // How many threads are to run handlers; 0: not fixed.
    std::size_t concurrency() const noexcept { return concurrency_; }
    bool is_fixed() const noexcept { return concurrency_ != 0; }

    // A thread that runs handlers: whether it is to count them; and how many it has run.
    bool counts() const noexcept { return mode_.load(std::memory_order_relaxed) != mode::plain; }
    void count(std::size_t n) noexcept { ran_.fetch_add(n, std::memory_order_relaxed); }

    // The owner, when it begins to count: so does the window, if there are no helpers yet.
    void begin_count() noexcept
    {
        if (wants_help())
            return;
        ran_.store(0, std::memory_order_relaxed);
        polls_.store(0, std::memory_order_relaxed);
        waited_.store(false, std::memory_order_relaxed);
        began_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
    }

    // The producer, before it polls for I/O, or waits for it. Plain stores: a wait counts for this
    // window, or for the next one; rarely, the polls of a window count for the next one as well.
    void producer_polls(bool waits) noexcept
    {
        polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (waits && !waited_.load(std::memory_order_relaxed))
            waited_.store(true, std::memory_order_relaxed);
    }

    // Any thread: whether helpers are wanted.
    bool wants_help() const noexcept
    {
        return mode_.load(std::memory_order_relaxed) == mode::together;
    }

    // A helper: progressed() before each handler, so that the watchdog sees that it is not stuck;
    // report_enough() when it has found no handler for a while; add_cpu_time() now and then.
    void progressed(helper& h) noexcept
    {
        h.calls_.store(h.calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void report_enough() noexcept { enough_.store(true, std::memory_order_relaxed); }
    void add_cpu_time(duration cpu) noexcept
    {
        used_.fetch_add(cpu.count(), std::memory_order_relaxed);
    }

    // The watchdog, at each check; ends the window if it is over. `inside`: there is a producer,
    // which does not wait for I/O; `runs`: and its thread runs. True if the owner is to count
    // handlers, if it does not: it stops when it finds none, or does not begin.
    bool on_check(time_point now, bool inside, bool runs) noexcept;

private:
    enum class mode : unsigned char
    {
        plain,
        counting,
        together,
    };

    static std::size_t helpers_for(std::size_t concurrency, int cpus) noexcept
    {
        if (concurrency != 0)
            return concurrency - 1;
        return cpus > 1 ? static_cast<std::size_t>(cpus) : 0;
    }

    std::size_t send_helpers() noexcept;
    void run_helper(helper& h);

    std::size_t const concurrency_;
    std::size_t const wanted_; // helpers that are to be awake; 0: none ever comes
    workforce& threads_;
    void (*const help_)(void* context, helper&);
    void* const context_;

    // Written by the watchdog. Relaxed, as all below: nothing is published with these.
    std::atomic<mode> mode_{mode::plain};
    std::atomic<std::size_t> ran_{0};
    std::atomic<std::size_t> polls_{0};
    std::atomic<duration::rep> used_{0};
    std::atomic<bool> waited_{false};
    std::atomic<bool> enough_{false};
    std::atomic<time_point> began_{}; // the window; written by the owner, too

    // The watchdog's.
    parallelism_policy policy_;
    static constexpr std::clock_t unknown = -1;
    std::clock_t process_cpu_ = unknown;
    std::unique_ptr<helper[]> helpers_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/parallelism.ipp>
#endif

#endif
