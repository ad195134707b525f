// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_CHOOSE_HPP
#define ASIO_EWYK_DETAIL_ENGINE_CHOOSE_HPP

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

namespace asio_ewyk::detail {

// What is done with one task.
enum class sub_strategy : unsigned char
{
    produce_consume,         // PC: run it here, then produce again
    produce_invoke_consume,  // PIC: run it here, marked "must not block", then produce again
    produce_execute_consume, // PEC: give it to the pool, then produce again
    execute_produce_consume, // EPC: let another thread produce, run it here
};

// The decision for one task, a pure function. `may_block`: whether the producing thread may block.
// `handed_over`: whether another thread produces from now on; decision asks first with true, to
// learn whether to try a hand-over, and then with what came of it.
constexpr sub_strategy choose(
    strategy_t strategy, invocation_t invocation, bool may_block, bool handed_over) noexcept
{
    using enum sub_strategy;
    switch (strategy.value())
    {
    case strategy_t::kind::produce_consume:
        return produce_consume;
    case strategy_t::kind::produce_execute_consume:
        return produce_execute_consume;
    case strategy_t::kind::execute_produce_consume:
        return handed_over ? execute_produce_consume : produce_consume;
    case strategy_t::kind::eat_what_you_kill:
    case strategy_t::kind::custom: // without a policy
        break;
    }
    switch (invocation.value())
    {
    case invocation_t::kind::non_blocking:
        return produce_consume;
    case invocation_t::kind::either:
        if (!may_block)
            return produce_consume;
        return handed_over ? execute_produce_consume : produce_invoke_consume;
    case invocation_t::kind::blocking:
        break;
    }
    return may_block && handed_over ? execute_produce_consume : produce_execute_consume;
}

// What a strategy decides beyond a single task.
struct strategy_traits
{
    bool is_exclusive;      // one task runs at a time: no thread takes over
    bool waits_for_threads; // a right that no thread has waits for the first thread that has time
    bool queues_for_pool;   // tasks wait for the pool, also where all of its threads produce
};

constexpr strategy_traits traits_of(strategy_t s) noexcept
{
    return {s == strategy_t::produce_consume, s == strategy_t::execute_produce_consume,
        s == strategy_t::produce_execute_consume};
}

// Whether the thread that finds such a task runs it on a lease, without a decision.
constexpr bool is_always_leased(strategy_t s, invocation_t i) noexcept
{
    return traits_of(s).waits_for_threads
        || (s == strategy_t::eat_what_you_kill && i == invocation_t::blocking);
}

} // namespace asio_ewyk::detail

#endif
