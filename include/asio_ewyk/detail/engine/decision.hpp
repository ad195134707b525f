// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_DECISION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_DECISION_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/succession.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_policy.hpp>

#include <utility>

namespace asio_ewyk::detail {

// How a task is run that a thread has found.
enum class how_to_run : unsigned char
{
    here,        // by this thread: one task runs at a time, or this thread has lost the right
    kept,        // by the producer, which keeps the right: no thread takes over
    leased,      // by the producer: another thread takes over if it is late
    handed_over, // by this thread, and another one produces
    given,       // by the pool
};

// Decides how a task is run by its strategy: choose() says what is wanted, and decide() does what
// is possible.
class decision
{
public:
    decision(succession& s, strategy_policy policy) noexcept
        : succession_(s)
        , policy_(std::move(policy))
    {
    }

    // Whether such a task needs no decision: the thread that finds it runs it, and another thread
    // takes over if it is late.
    bool is_plain(strategy_t s, invocation_t i) const noexcept
    {
        return succession_.is_exclusive() ? traits_of(s).is_exclusive
                                          : succession_.watch().in_use() && is_always_leased(s, i);
    }

    // Any thread: whether the pool is to run such a task, whichever thread finds it.
    bool is_for_pool(strategy_t s, invocation_t i) const noexcept;

    // The thread of that frame, which has found the task. `may_block`: whether the thread may
    // block, and afterwards whether the task may. `trace_id`: the task in a trace; null: the next
    // one that this thread runs.
    how_to_run decide(call_frame& frame, strategy_t s, invocation_t i, void const* trace_id,
        bool& may_block) noexcept;

    // Lives while this thread runs the task, unless that was given to the pool.
    class running;

private:
    succession& succession_;
    strategy_policy const policy_;
};

class decision::running
{
public:
    running(decision& d, call_frame& frame, how_to_run how) noexcept
        : decision_(d)
        , frame_(frame)
        , how_(how)
    {
        frame_.in_task = true;
    }

    running(running const&) = delete;
    running& operator=(running const&) = delete;

    ~running()
    {
        frame_.in_task = false;
        if (frame_.section) [[unlikely]]
            call_frame::leave_section(frame_.section); // a section was left open, as by a coroutine
        decision_.succession_.end_task(frame_, how_ == how_to_run::kept);
    }

private:
    decision& decision_;
    call_frame& frame_;
    how_to_run const how_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/engine/decision.ipp>
#endif

#endif
