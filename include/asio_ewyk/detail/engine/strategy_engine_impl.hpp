// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_STRATEGY_ENGINE_IMPL_HPP
#define ASIO_EWYK_DETAIL_ENGINE_STRATEGY_ENGINE_IMPL_HPP

#include <asio_ewyk/detail/engine/strategy_engine.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace asio_ewyk::detail {

// Production

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::dispatch()
{
    if (apply(production_event::ask) != production_verdict::start)
        return threads_.retry_start();
    bool occupies = false;
    if (!threads_.start(*this, occupies))
        apply(production_event::give_up);
}

template <class Producer, class Threads>
boost::core::typeinfo const* strategy_engine<Producer, Threads>::act(
    task* base, task_purpose purpose)
{
    auto* self = static_cast<strategy_engine*>(base);
    if (purpose == task_purpose::run)
    {
        trace_point(trace_event::arrive, self);
        self->arrive(*call_frame::find(self));
    }
    else if (purpose == task_purpose::destroy)
    {
        self->threads_.arrived(nullptr);
        self->apply(production_event::give_up);
    }
    return nullptr;
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::arrive(call_frame& frame)
{
    if (frame.producing)
    {
        // It has found its own request in the pool's queue.
        threads_.arrived(nullptr);
        apply(production_event::arrive);
        return;
    }
    // Before the pending bit is cleared, and another thread may set it.
    threads_.arrived(&frame);
    struct leave
    {
        Threads& threads;
        call_frame& frame;
        ~leave() { threads.produces_no_more(frame); }
    } const on_exit{threads_, frame};
    if (apply(production_event::arrive) != production_verdict::produce)
        return;
    if (sentinel_.in_use())
        threads_.keep_one_parked();
    loop(frame);
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::loop(call_frame& frame)
{
    flag_scope looping(frame.looping, true);
    frame.producing = true;
    try
    {
        do
            while (auto product = next())
                if (!consume(frame, std::move(product)))
                    return;
        while (apply(production_event::found_none) == production_verdict::produce);
        frame.producing = false;
    }
    catch (...)
    {
        if (std::exchange(frame.producing, false))
        {
            apply(production_event::abdicate);
            dispatch();
        }
        throw;
    }
}

template <class Producer, class Threads>
template <class Product>
bool strategy_engine<Producer, Threads>::consume(call_frame& frame, Product product)
{
    invocation_t const i = invocation_of(product);
    strategy_t const s = resolve(strategy_of(product), i);
    bool const may_block = this_thread_may_block;
    bool const may_hand_over
        = choose(s, i, may_block, true) == sub_strategy::execute_produce_consume;
    if (may_hand_over && sentinel_.in_use())
    {
        if (parallelism_.count())
            parallelism_.look();
        if (may_lease(frame, s))
        {
            trace_choice(nullptr, s, sub_strategy::execute_produce_consume, true);
            return run_on_lease(frame, product);
        }
    }
    // Before that, while this is the producer.
    bool const spreads = sentinel_.in_use() && !parallelism_.leases();
    bool const handed_over = may_hand_over && hand_over(frame, s);
    auto const sub = choose(s, i, may_block, handed_over);
    trace_choice(nullptr, s, sub, false);
    switch (sub)
    {
    case sub_strategy::produce_execute_consume:
        if (task* back = threads_.give(std::move(product), frame, s))
        {
            bool const right_only = is_production(back);
            run_back(back);
            // First in the queue was the request for a producer, which is here; so one thread
            // less is to produce. If all still are, take the task that waits next.
            if (right_only && threads_.all_produce() && (back = threads_.take()) != nullptr)
                run_back(back);
        }
        frame.rethrow_captured();
        return true;
    case sub_strategy::produce_invoke_consume: {
        counters_.produce_invoke_consume();
        may_block_scope mark(false);
        return run(frame, product);
    }
    case sub_strategy::produce_consume:
        counters_.produce_consume();
        return run(frame, product);
    case sub_strategy::execute_produce_consume:
        break;
    }
    counters_.execute_produce_consume();
    auto const cpu_before = spreads ? this_thread_cpu_time() : std::chrono::nanoseconds();
    run(frame, product);
    if (spreads)
        parallelism_.ran(this_thread_cpu_time() - cpu_before);
    return resume(frame);
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::hand_over(call_frame& frame, strategy_t s)
{
    // A request may wait in the pool's queue for long; only with this strategy may production wait
    // with it.
    if (s != strategy_t::execute_produce_consume && threads_.pending_may_wait())
        return false;
    frame.producing = false;
    trace_point(trace_event::hand_over, this);
    // Give up the right before a thread is asked to take it: one that arrived earlier would find it
    // taken, and leave.
    if (apply(production_event::hand_over) != production_verdict::start)
    {
        threads_.produces_no_more(frame);
        threads_.retry_start();
        return true;
    }
    bool const started = s == strategy_t::execute_produce_consume
        ? threads_.start(*this, frame.occupies)
        : threads_.try_start(*this, frame.occupies);
    if (started || apply(production_event::take_back) != production_verdict::produce)
    {
        threads_.produces_no_more(frame);
        return true;
    }
    trace_point(trace_event::take_back, this);
    frame.producing = true;
    return false;
}

// Leases

template <class Producer, class Threads>
template <class Product>
bool strategy_engine<Producer, Threads>::run_on_lease(call_frame& frame, Product& product)
{
    counters_.on_lease();
    begin_lease(frame);
    frame.producing = false;
    struct end
    {
        strategy_engine& self;
        call_frame& frame;
        ~end() { frame.producing = self.end_lease(frame) || self.resume(frame); }
    };
    {
        end const on_exit{*this, frame};
        run(frame, product);
    }
    return frame.producing;
}

template <class Producer, class Threads>
lessor::outcome strategy_engine<Producer, Threads>::take_over(
    lease::number n, bool may_start) noexcept
{
    auto const from = static_cast<std::uint32_t>(lease_.look().producer);
    if (!lease_.end(n))
        return outcome::ended;
    counters_.taken_over();
    trace_point(trace_event::take_over, this, from);
    return pass_on(n, may_start);
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::release(lease::number n) noexcept
{
    if (lease_.end(n))
    {
        counters_.taken_over();
        trace_point(trace_event::release, this);
    }
    // Likewise if another thread has ended it, and has not passed the right on yet.
    pass_on(n, true);
}

template <class Producer, class Threads>
lessor::outcome strategy_engine<Producer, Threads>::pass_on(
    lease::number n, bool may_start) noexcept
{
    // Before others may have the right, and lease it.
    bool occupies = lease_occupies_.load(std::memory_order_relaxed);
    test_point();
    auto const verdict = right_.pass_on(n);
    if (!verdict)
        return outcome::ended;
    if (*verdict != production_verdict::start)
    {
        // A thread is on its way.
        if (occupies)
            threads_.vacate();
        return outcome::taken;
    }
    test_point();
    bool const given = threads_.try_give(*this, occupies);
    if (occupies)
        threads_.vacate();
    if (given)
        return outcome::taken;
    if (!may_start)
        return outcome::needs_start;
    start_pending();
    return outcome::taken;
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::start_pending() noexcept
{
    bool occupies = false;
    if (threads_.start(*this, occupies))
        return;
    // The late thread is the only one, and produces when it comes back: it finds the right free.
    apply(production_event::give_up);
}

} // namespace asio_ewyk::detail

#endif
