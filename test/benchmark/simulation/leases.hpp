// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_LEASES_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_LEASES_HPP

#include "machine.hpp"

#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/engine/look_interval.hpp>
#include <asio_ewyk/detail/engine/parallelism_control.hpp>

#include <cstddef>
#include <functional>
#include <optional>

namespace benchmark::simulation {

/** The leases of a context with a grace, and the two threads that look after them.

    The library's own `lease`, `look_interval` and `parallelism_policy`, in simulated time.
*/
class leases
{
public:
    using number = asio_ewyk::detail::lease::number;

    /// Has another thread produce; the thread that noticed pays for it.
    using take_over = std::function<void(thread& by)>;

    leases(machine& on, duration grace, take_over how);
    leases(leases const&) = delete;
    leases& operator=(leases const&) = delete;

    bool in_use() const { return grace_ != duration::zero(); }

    /// The producer: whether to lease rather than to hand over.
    bool pays() const { return pays_; }

    /// The producer, for each task.
    void count(thread const& producer);

    /// A task has used so much CPU time after production was handed over.
    void ran(duration cpu) { ran_ += cpu; }

    /// Before it leases: it has visited the reactor, with a lease.
    void producer_is(thread const& t);

    number begin(thread& holder);

    /// The thread of that lease: false if it was late.
    bool end(number n) { return lease_.end(n).now; }

    /// That thread sleeps in a task, and its core has nothing else to do: a thread of idle
    /// priority runs there.
    void blocked(thread const& holder);

    /// Of the two threads; without what the idle one yields away.
    duration cpu_time() const { return sentinel_.cpu_time() + watchdog_.cpu_time(); }
    std::uint64_t switches() const { return sentinel_.switches() + watchdog_.switches(); }

private:
    class sentinel final : public thread
    {
    public:
        explicit sentinel(leases& of)
            : of_(of)
        {
            be_exact(true);
        }

        void tell(number n);

    private:
        step next() override;

        leases& of_;
        number blocked_ = 0;
        duration due_{};
    };

    class watchdog final : public thread
    {
    public:
        explicit watchdog(leases& of)
            : of_(of)
            , interval_(of.grace_)
        {
        }

        bool is_in_bed() const { return in_bed_; }

    private:
        step next() override;

        leases& of_;
        asio_ewyk::detail::look_interval interval_;
        bool in_bed_ = true;
        number seen_ = 0;
        duration seen_since_{};
    };

    void late(number n, thread& by);

    machine& machine_;
    duration const grace_;
    take_over const take_over_;

    asio_ewyk::detail::lease lease_;
    thread const* holder_ = nullptr;
    sentinel sentinel_;
    watchdog watchdog_;

    bool pays_ = true;
    asio_ewyk::detail::parallelism_policy parallelism_;

    // Of this window.
    std::size_t tasks_ = 0;
    duration ran_{};
    duration began_window_{};
    duration cpu_{};  // of the producer, when it became it
    duration used_{}; // by those before, in this window
    bool known_ = false;
    thread const* producer_ = nullptr;
};

} // namespace benchmark::simulation

#endif
