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
void strategy_engine<Producer, Threads>::dispatch(call_frame& frame)
{
    if (threads_.wake_idle_caller() || !threads_.may_start())
        return;
    if (apply(production_event::ask) != production_verdict::start)
        threads_.retry_start();
    else if (!threads_.start(*this, frame.occupies))
    {
        apply(production_event::give_up);
        threads_.wake_idle_caller();
    }
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
        self->threads_.wake_idle_caller();
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
        ~leave()
        {
            threads.produces_no_more(frame);
            threads.credit(frame);
        }
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
    if constexpr (requires { threads_.went_away(); })
        if (strategy() == strategy_t::produce_consume)
            frame.home = this;
    try
    {
        do
        {
            while (auto product = next(frame))
                if (!consume(frame, std::move(product)))
                    return;
            // Lost by a task that ran inside the producer.
            if (!frame.producing)
                return;
        } while (!frame.nested
            && apply(production_event::found_none) == production_verdict::produce);
        frame.producing = frame.nested;
        gone(frame);
        if (!frame.nested)
            serve_returning(frame);
    }
    catch (...)
    {
        end_section(frame);
        if (std::exchange(frame.producing, frame.nested) && !frame.nested)
        {
            abdicate();
            gone(frame);
            if (!serve_returning(frame))
                dispatch(frame);
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
            trace(product, s, sub_strategy::execute_produce_consume, true);
            return run_on_lease(frame, product);
        }
    }
    // Before that, while this is the producer.
    bool const spreads = sentinel_.in_use() && !parallelism_.leases();
    bool const handed_over = may_hand_over && hand_over(frame, s);
    auto sub = choose(s, i, may_block, handed_over);
    // A caller that steps runs the task itself, unless it was meant for the pool.
    if (sub == sub_strategy::produce_execute_consume && s != strategy_t::produce_execute_consume
        && (frame.nested || threads_.steps_alone(frame)))
        sub = sub_strategy::produce_consume;
    trace(product, s, sub);
    switch (sub)
    {
    case sub_strategy::produce_execute_consume:
        if (task* back = threads_.give(std::move(product), frame, s))
        {
            bool const right_only = is_production(back);
            run_back(frame, back);
            // First in the queue was the request for a producer, which is here; so one thread
            // less is to produce. If all still are, take the task that waits next.
            if (right_only && threads_.all_produce() && (back = threads_.take()) != nullptr)
                run_back(frame, back);
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
    if (frame.nested)
        return false;
    // A request may wait in the pool's queue for long; only with this strategy may production wait
    // with it.
    if (s != strategy_t::execute_produce_consume && threads_.pending_may_wait())
        return false;
    frame.producing = false;
    trace_point(trace_event::hand_over, this);
    if (threads_.steps_alone(frame))
    {
        // Any other caller may take the right; none is asked to.
        abdicate();
        if (!serve_returning(frame))
            threads_.wake_idle_caller();
        return true;
    }
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

// Blocking sections, where one task runs at a time

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::go_away(call_frame& frame) noexcept
{
    if constexpr (requires { threads_.went_away(); })
    {
        if constexpr (requires { producer_.begin_sections(); })
            producer_.begin_sections();
        // Before another thread is asked for, which may be one of the pool meanwhile.
        threads_.went_away();
        frame.producing = false;
        threads_.produces_no_more(frame);
        abdicate();
        if (!serve_returning(frame) && idle())
            dispatch(frame);
    }
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::come_back(call_frame& frame) noexcept
{
    if constexpr (requires { threads_.went_away(); })
    {
        await_right(frame);
        threads_.came_back(frame);
        producer_.came_back(frame);
    }
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::await_right(call_frame& frame) noexcept
{
    returning_threads::entry me;
    returning_.add(me);
    // The producer looks before its next task, and may wait for one. Where the right was free there
    // is nothing to be told.
    if (!serve_returning(frame))
        if constexpr (requires { producer_.expel(); })
            producer_.expel();
    me.sleep.park_until(forever);
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::serve_returning(call_frame& frame) noexcept
{
    while (returning_.any() && apply(production_event::enter) == production_verdict::produce)
    {
        if (returning_.pass_right())
            return true;
        // It was served by another thread meanwhile, and what was asked for in this moment is to be
        // looked for.
        abdicate();
        dispatch(frame);
    }
    return false;
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::may_go_on(call_frame& frame) noexcept
{
    if constexpr (requires { threads_.went_away(); })
    {
        if (returning_.any()) [[unlikely]]
        {
            producer_.leave();
            if (frame.nested)
            {
                // In a task that waits inside run_one(), perhaps for that one.
                returning_threads::entry me;
                returning_.add(me);
                returning_.pass_right();
                me.sleep.park_until(forever);
                return frame.gave_way = true;
            }
            frame.producing = false;
            threads_.produces_no_more(frame);
            returning_.pass_right();
            return false;
        }
        if (!frame.nested && threads_.should_give_back(frame)) [[unlikely]]
        {
            frame.producing = false;
            threads_.produces_no_more(frame);
            abdicate();
            if (!serve_returning(frame))
                dispatch(frame);
            return false;
        }
    }
    return true;
}

// Leases

template <class Producer, class Threads>
template <class Product>
bool strategy_engine<Producer, Threads>::run_on_lease(call_frame& frame, Product& product)
{
    counters_.on_lease();
    begin_lease(frame, lease::activity::task);
    frame.producing = false;
    try
    {
        run(frame, product);
    }
    catch (...)
    {
        end_visit(frame);
        throw;
    }
    end_visit(frame);
    return frame.producing;
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::begin_task(call_frame& frame, strategy_t s) noexcept
{
    if (!frame.leased_by)
        return false;
    if (!lease_.is(frame.lease_number)) [[unlikely]]
    {
        // An earlier handler that nothing marked was late. This task is here, so it runs here.
        counters_.execute_produce_consume();
        frame.producing = false;
        return true;
    }
    if (!may_lease(frame, s))
        return false;
    if (parallelism_.count()) [[unlikely]]
    {
        // It reads the producer's own members.
        if (!end_lease(frame))
        {
            counters_.execute_produce_consume();
            frame.producing = false;
            return true;
        }
        parallelism_.look();
        begin_lease(frame, lease::activity::waits);
        if (!parallelism_.leases())
            return false;
    }
    // If the lease ends just now, this may count one too few.
    counters_.on_lease();
    trace_choice(nullptr, s, sub_strategy::execute_produce_consume, true);
    frame.producing = false;
    lease_.mark(frame.lease_number, lease::activity::task);
    sentinel_.alert();
    return true;
}

template <class Producer, class Threads>
auto strategy_engine<Producer, Threads>::end_task(call_frame& frame) -> task_end
{
    if (frame.leased_by && lease_.renew(frame.lease_number))
    {
        ++frame.lease_number;
        frame.producing = true;
        return task_end::in_time;
    }
    return (frame.producing = end_lease(frame)) || resume(frame) ? task_end::resumed
                                                                 : task_end::superseded;
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::run_inside(call_frame& frame, task* t)
{
    invocation_t const i = t->invocation();
    strategy_t const s = resolve(t->strategy(), i);
    auto const sub = choose(s, i, this_thread_may_block, true);
    bool const leases = sub == sub_strategy::execute_produce_consume && sentinel_.in_use();
    if (leases && parallelism_.count())
        parallelism_.look();
    if (leases ? !may_lease(frame, s) : sub != sub_strategy::produce_consume)
        return false;
    task_ptr product(t);
    trace(product, s, sub, leases);
    if (leases)
        run_on_lease(frame, product);
    else
    {
        counters_.produce_consume();
        run(frame, product);
    }
    return true;
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
bool strategy_engine<Producer, Threads>::take_over_here(call_frame& frame, lease::number n)
{
    if (frame.nested || !lease_.end(n))
        return false;
    bool const occupies = lease_occupies_.load(std::memory_order_relaxed);
    test_point();
    // Settled as the late thread does that comes back: whichever of the two is first produces.
    if (!right_.reclaim(n))
        return false;
    counters_.taken_over();
    if (occupies)
        threads_.vacate();
    loop(frame);
    return true;
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
    threads_.wake_idle_caller();
}

} // namespace asio_ewyk::detail

#endif
