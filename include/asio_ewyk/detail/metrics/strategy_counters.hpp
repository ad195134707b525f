// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_STRATEGY_COUNTERS_HPP
#define ASIO_EWYK_DETAIL_METRICS_STRATEGY_COUNTERS_HPP

#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/metrics.hpp>

#include <algorithm>
#include <cstdint>

namespace asio_ewyk::detail {

// What a producer counts, of an engine or of a context, by atomic additions.
class strategy_counters
{
public:
    // The producer, before such a task.
    void produce_consume(std::uint64_t n = 1) noexcept { produce_consume_.add(n); }
    void produce_invoke_consume() noexcept { produce_invoke_consume_.add(); }

    // The thread that has handed over production, before the task.
    void execute_produce_consume() noexcept { execute_produce_consume_.add(); }

    // The producer, before a task that it runs on a lease; or a thread that learns of so many.
    void on_lease(std::uint64_t n = 1) noexcept { on_lease_.add(n); }

    // The thread that has ended a lease during a task.
    void taken_over() noexcept { taken_over_.add(); }

    // The watchdog's thread, if no other one could be had to come.
    void not_taken_over() noexcept { not_taken_over_.add(); }

    // A thread that comes back after a hand-over while another one produces.
    void superseded() noexcept { superseded_.add(); }

    // Any thread. A part is read before its whole, or cut to it: another thread may count the part
    // a moment earlier.
    void write_to(strategy_metrics& m) const noexcept
    {
        m.superseded = superseded_.get();
        m.not_taken_over = not_taken_over_.get();
        m.taken_over = taken_over_.get();
        m.on_lease = on_lease_.get();
        m.execute_produce_consume = execute_produce_consume_.get();
        m.produce_consume = produce_consume_.get();
        m.produce_invoke_consume = produce_invoke_consume_.get();
        m.superseded = std::min(m.superseded, m.hand_overs());
    }

    // Any thread: what a dump says of them, which is what should not have happened.
    void describe(text_sink& out) const noexcept
    {
        if (std::uint64_t const n = not_taken_over_.get())
            out << ", " << n << " late tasks for which no thread could be had";
    }

private:
    // Threads that were late may count beside the producer, and so do callers that step.
    shared_counter produce_consume_;
    shared_counter produce_invoke_consume_;
    shared_counter on_lease_;
    shared_counter execute_produce_consume_;
    shared_counter taken_over_;
    shared_counter not_taken_over_;
    shared_counter superseded_;
};

} // namespace asio_ewyk::detail

#endif
