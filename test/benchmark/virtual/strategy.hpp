// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_STRATEGY_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_STRATEGY_HPP

#include "io_context.hpp"
#include "machine.hpp"

#include <asio_ewyk/detail/engine/parallelism.hpp>
#include <asio_ewyk/detail/engine/parallelism_policy.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/watch/lateness.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace virtual_time {

/** An io_context with the strategy eat_what_you_kill, a grace, and handlers that declare nothing: a
    caller that stays inside run(), lent threads, helpers, the watchdog and the sentinels.

    `parallelism_policy` and `lateness` are the classes that ship. What uses them, and the lease, is
    written once more here, function by function, as it uses threads and the clock.
*/
class strategy_context
{
public:
    /// How a helper waits for handlers.
    enum class wait
    {
        naps, ///< as shipped: poll_one(), and a sleep of 50 us where there is nothing
        asio, ///< in run_one(), as any thread does; so does the owner meanwhile
    };

    struct options
    {
        wait waits = wait::naps;
        int helpers = 0; ///< that are awake; 0: as many as there are cores
        int concurrency = 0; ///< as `strategy_options::concurrency`
        std::size_t max_threads = 400;
        duration grace = std::chrono::microseconds(10);

        bool is_shipped() const noexcept { return waits == wait::naps && helpers == 0; }
    };

    strategy_context(machine& m, options const& with);
    strategy_context(strategy_context const&) = delete;
    strategy_context& operator=(strategy_context const&) = delete;

    /// Starts the caller of run(), and the watchdog.
    void start();

    io_context& io() noexcept { return io_; }
    std::size_t threads() const noexcept { return 1 + pool_.size(); }

    /// The time with helpers.
    duration together() const noexcept;

    std::size_t taken_over() const noexcept { return taken_over_; }

private:
    using lease = asio_ewyk::detail::lease;
    using lateness = asio_ewyk::detail::lateness;
    using parallelism = asio_ewyk::detail::parallelism;

    // What a thread is for the context, as in detail::call_frame.
    struct frame final : poll_observer
    {
        explicit frame(strategy_context& c) noexcept
            : of(c)
        {
        }
        void begin(bool waits) override { of.poll_begins(*this, waits); }
        void end() override { of.poll_ends(*this); }

        strategy_context& of;
        bool is_owner = false;
        bool is_helper = false;
        bool produces = false;
        bool counts = false;
        lease::number number = 0;
        std::size_t uncounted = 0; // wake-ups among the handlers
    };

    struct wakeup_op final : operation
    {
        explicit wakeup_op(strategy_context& c) noexcept
            : of(c)
        {
        }
        routine<> run(call& here) override { return of.on_wake_up(here); }

        strategy_context& of;
    };

    struct helper
    {
        bool under_way = false;
        thread* runs_on = nullptr;
        std::uint32_t calls = 0;
        std::uint32_t calls_seen = 0;
    };

    struct pooled
    {
        thread* t = nullptr;
        std::function<routine<>()> job; // empty: the thread is parked
    };

    enum class mode
    {
        plain,
        counting,
        together,
    };

    // The lease
    duration access() noexcept { return lease_line_.access(machine_); }
    bool has_lease(frame const& f) const noexcept;
    bool acquire(frame& f);
    bool renew(frame& f) noexcept;
    bool renew_or_resume(frame& f);
    bool take_back(frame& f);
    void end_lease();
    void mark(frame& f, lease::activity what) noexcept;
    void wake_if_asleep();

    // Production
    void poll_begins(frame& f, bool waits);
    void poll_ends(frame& f);
    routine<> own();
    routine<> arrive();
    routine<> wake_up(call* from);
    routine<> on_wake_up(call& from);
    routine<> take_right_back(frame& f);
    routine<> wake_lent_thread();
    routine<> count_handlers(frame& f);
    routine<> help(helper& h);
    void count(std::size_t handlers) noexcept;
    struct handlers_run
    {
        std::size_t all;
        std::size_t others; // than wake-ups
    };
    template <class Run>
    routine<handlers_run> run_counted(frame& f, Run run);

    // Threads
    void ask();
    bool give(std::function<routine<>()> job);
    routine<> run_jobs(pooled& me);

    // Parallelism
    bool counts() const noexcept { return mode_ != mode::plain; }
    bool wants_help() const noexcept { return mode_ == mode::together; }
    int helpers_wanted() const noexcept;
    void enter(mode next) noexcept;
    bool on_check(bool inside, bool runs);
    bool is_awake(helper& h) const noexcept;
    int send_helpers();

    // The watchdog
    routine<> watch();
    routine<time_point> on_timer();
    bool watches(int core) const noexcept;
    duration on_idle(int core);
    void on_long_idle(int core);
    void take_over(lease::snapshot const& seen);

    machine& machine_;
    options const options_;
    io_context io_;
    wakeup_op wakeup_op_;

    lease::snapshot right_;
    frame* producer_ = nullptr;
    thread* producer_thread_ = nullptr;
    cache_line lease_line_;
    bool asked_ = false;
    int lent_ = 0;
    int helpers_here_ = 0;
    frame* owner_ = nullptr;
    bool wake_queued_ = false;
    bool wants_sign_ = false;
    std::size_t taken_over_ = 0;

    std::deque<pooled> pool_;
    std::vector<pooled*> parked_;

    mode mode_ = mode::plain;
    time_point together_since_{};
    duration together_{};
    std::size_t ran_ = 0;
    cache_line ran_line_;
    duration used_{};
    std::size_t polls_ = 0;
    bool waited_ = false;
    bool enough_ = false;
    asio_ewyk::detail::parallelism_policy policy_;
    time_point began_{};
    duration process_cpu_ = duration::min(); // unknown
    std::vector<helper> helpers_;

    thread* watchdog_ = nullptr;
    bool watchdog_asleep_ = true; // the producer wakes it
    bool watchdog_signalled_ = false;
    lateness lateness_;
    std::vector<lease::number> when_idle_; // the lease as each core became idle
    time_point sentinel_needed_until_{};
    lease::number told_ = 0;
    thread_state told_state_ = thread_state::unknown;
};

} // namespace virtual_time

#endif
