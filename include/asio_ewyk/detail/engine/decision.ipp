// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_DECISION_IPP
#define ASIO_EWYK_DETAIL_ENGINE_DECISION_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/decision.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL bool decision::is_for_pool(strategy_t s, invocation_t i) const noexcept
{
    bool const may_block = this_thread_may_block;
    return choose(policy_(s, {i, may_block}), i, may_block, true)
        == sub_strategy::produce_execute_consume;
}

ASIO_EWYK_DECL how_to_run decision::decide(call_frame& frame, strategy_t s, invocation_t i,
    void const* trace_id, bool& may_block) noexcept
{
    using enum sub_strategy;
    strategy_t const resolved = policy_(s, {i, may_block});
    strategy_counters& counters = succession_.counters();
    auto sub = choose(resolved, i, may_block, true);
    if (sub == execute_produce_consume)
    {
        if (frame.steps())
            sub = produce_consume; // a caller that steps runs it itself
        else if (succession_.is_exclusive())
            sub = choose(resolved, i, may_block, false);
        else if (!succession_.has_lease(frame))
        {
            // This thread was late in an earlier handler that nothing marked, and has lost the
            // right. Asio has given it this one, so it runs it.
            counters.execute_produce_consume();
            return how_to_run::here;
        }
        else
        {
            if (succession_.watch().in_use()
                && ((succession_.has_callers() && is_plain(resolved, i))
                    || succession_.may_be_taken_over(frame, resolved)))
            {
                // Another thread may end the lease just now: then this counts a lease too many.
                counters.on_lease();
                trace_choice(trace_id, resolved, sub, true);
                succession_.mark_busy(frame);
                return how_to_run::leased;
            }
            sub = choose(resolved, i, may_block, succession_.hand_over(frame, resolved));
        }
    }
    if (sub == produce_execute_consume)
        return how_to_run::given;
    trace_choice(trace_id, resolved, sub, false);
    switch (sub)
    {
    case execute_produce_consume:
        counters.execute_produce_consume();
        return how_to_run::handed_over;
    case produce_invoke_consume:
        may_block = false;
        counters.produce_invoke_consume();
        break;
    default:
        counters.produce_consume();
    }
    bool const kept = !succession_.is_exclusive() && succession_.keep(frame);
    return kept ? how_to_run::kept : how_to_run::here;
}

} // namespace asio_ewyk::detail

#endif
