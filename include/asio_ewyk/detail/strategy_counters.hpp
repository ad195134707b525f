#ifndef ASIO_EWYK_DETAIL_STRATEGY_COUNTERS_HPP
#define ASIO_EWYK_DETAIL_STRATEGY_COUNTERS_HPP

#include <asio_ewyk/detail/counter.hpp>
#include <asio_ewyk/detail/loan_count.hpp>
#include <asio_ewyk/metrics.hpp>

#include <algorithm>
#include <cstdint>

namespace asio_ewyk::detail {

// What a strategy_engine counts: of the producer's with plain stores, the rest, which comes with a
// hand-over, with an atomic addition.
class strategy_counters
{
public:
    // The producer, before such a task.
    void produce_consume() noexcept { produce_consume_.add(); }
    void produce_invoke_consume() noexcept { produce_invoke_consume_.add(); }

    // Who has handed over production, before the task.
    void execute_produce_consume() noexcept { execute_produce_consume_.add(); }

    // The producer has seen that this loan was the last one.
    void loan(std::uint32_t number) noexcept { loans_.see(number); }

    // Who has ended a loan that was not in time.
    void taken_over() noexcept { taken_over_.add(); }

    // Who has come back after a hand-over, and another one produces.
    void superseded() noexcept { superseded_.add(); }

    // Any thread. `loan` tells the number of the last loan now. What is a part of something else is
    // read before it, or cut to it: it may be counted a moment earlier by another thread.
    template <class Loan>
    void write_to(strategy_metrics& m, Loan loan) const noexcept
    {
        m.superseded = superseded_.get();
        m.taken_over = taken_over_.get();
        m.on_loan = loans_.get(loan);
        m.execute_produce_consume = execute_produce_consume_.get();
        m.produce_consume = produce_consume_.get();
        m.produce_invoke_consume = produce_invoke_consume_.get();
        m.superseded = std::min(m.superseded, m.hand_overs());
    }

private:
    own_counter produce_consume_;
    own_counter produce_invoke_consume_;
    loan_count loans_;
    shared_counter execute_produce_consume_;
    shared_counter taken_over_;
    shared_counter superseded_;
};

} // namespace asio_ewyk::detail

#endif
