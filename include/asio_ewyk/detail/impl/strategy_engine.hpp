#ifndef ASIO_EWYK_DETAIL_IMPL_STRATEGY_ENGINE_HPP
#define ASIO_EWYK_DETAIL_IMPL_STRATEGY_ENGINE_HPP

#include <asio_ewyk/detail/strategy_engine.hpp>
#include <asio_ewyk/detail/thread_clock.hpp>
#include <asio_ewyk/detail/trace_choice.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace asio_ewyk::detail {

// Production

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::dispatch(call_frame& frame)
{
    if (threads_.wake_guest() || !threads_.may_start())
        return;
    if (apply(production_event::ask) != production_verdict::start)
        threads_.retry_start();
    else if (!threads_.start(*this, frame))
    {
        apply(production_event::give_up);
        threads_.wake_guest();
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
        self->threads_.wake_guest();
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
    // Before the pending bit is cleared, and somebody else may set it.
    threads_.arrived(&frame);
    struct leave
    {
        Threads& threads;
        call_frame& frame;
        ~leave() { threads.produces_no_more(frame); }
    } const on_exit{threads_, frame};
    bool const stands_by = frame.pooled && standby_.in_use();
    if (stands_by ? stand_by() : apply(production_event::arrive) == production_verdict::produce)
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
        {
            while (auto product = next(frame))
                if (!consume(frame, std::move(product)))
                    return;
            // By a task that ran inside the producer.
            if (!frame.producing)
                return;
        } while (!frame.nested
            && apply(production_event::found_none) == production_verdict::produce);
        frame.producing = frame.nested;
        gone(frame);
    }
    catch (...)
    {
        if (std::exchange(frame.producing, frame.nested) && !frame.nested)
        {
            abdicate();
            gone(frame);
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
    task::action const kind = type_of(product);
    bool const may_block = this_thread_may_block;
    bool may_hand_over
        = choose(s, i, may_block, true) == sub_strategy::execute_produce_consume;
    if (may_hand_over && standby_.in_use())
    {
        standby_.count();
        if (standby_.wants_to_leave())
        {
            // Without a hand-over it can leave, if the task can go to the pool instead.
            standby_.wake();
            may_hand_over = threads_.steps_alone(frame)
                || choose(s, i, may_block, false) != sub_strategy::produce_execute_consume;
        }
        else if (standby_.pays(kind) && begin_loan(frame))
        {
            trace(product, s, sub_strategy::execute_produce_consume, true);
            return run_on_loan(frame, product, kind);
        }
    }
    // Before that, while this is the producer.
    bool const spreads = standby_.spreads();
    bool const handed_over = may_hand_over && hand_over(frame, s);
    auto sub = choose(s, i, may_block, handed_over);
    // Who steps wants to see the task run, unless it was meant for the pool.
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
            run_back(back);
            // What waited first was the request for a producer, who is here; so one thread
            // less is to produce. If they still all are, the task that waits next.
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
    if (!standby_.in_use())
    {
        run(frame, product);
        return resume(frame);
    }
    std::chrono::nanoseconds const none{};
    auto const cpu_before = spreads ? this_thread_cpu_time() : none;
    time_point const began = std::chrono::steady_clock::now();
    run(frame, product);
    auto const time = std::chrono::steady_clock::now() - began;
    auto const cpu = spreads ? this_thread_cpu_time() - cpu_before : none;
    bool const resumed = resume(frame);
    standby_.count_run(kind, time, cpu, !resumed);
    return resumed;
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::hand_over(call_frame& frame, strategy_t s)
{
    if (frame.nested)
        return false;
    // A request that waits in the pool's queue may wait for long; only with this strategy
    // production waits with it.
    if (s != strategy_t::execute_produce_consume && threads_.pending_may_wait())
        return false;
    frame.producing = false;
    trace_point(trace_event::hand_over, this);
    if (threads_.steps_alone(frame))
    {
        // The right is there for any other caller; nobody is asked to take it.
        abdicate();
        threads_.wake_guest();
        return true;
    }
    // The right is given up before a thread is asked to take it: one that came first would
    // find it taken, and leave.
    if (apply(production_event::hand_over) != production_verdict::start)
    {
        threads_.produces_no_more(frame);
        threads_.retry_start();
        return true;
    }
    bool const started = s == strategy_t::execute_produce_consume
        ? threads_.start(*this, frame)
        : threads_.try_start(*this, frame);
    if (started || apply(production_event::take_back) != production_verdict::produce)
    {
        threads_.produces_no_more(frame);
        return true;
    }
    trace_point(trace_event::take_back, this);
    frame.producing = true;
    return false;
}

// Loans

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::stand_by()
{
    trace_span const waits(trace_event::stand_by, this);
    standby::watch watch(standby_);
    for (;; watch.wait())
    {
        production const now = right_.now();
        if (now.state == production_state::idle)
            return apply(production_event::arrive) == production_verdict::produce;
        auto verdict = watch.look(now);
        if (!threads_.may_stand_by())
        {
            watch.wants_to_leave();
            if (now.state != production_state::lent)
                verdict = standby::verdict::leave;
            else if (threads_.pool_must_leave())
                verdict = standby::verdict::take_over;
        }
        production_step step;
        if (verdict == standby::verdict::take_over
            && right_.end_loan(production_event::overrun, now.loan, step))
        {
            counters_.loan(now.loan);
            counters_.taken_over();
            trace_point(trace_event::take_over, this, standby_.lender());
            if (step.vacates)
                threads_.vacate();
            return true;
        }
        if (verdict == standby::verdict::leave && right_.stand_down())
            return false;
    }
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::begin_loan(call_frame& frame)
{
    if (frame.nested || threads_.steps_alone(frame) || threads_.pending_may_wait())
        return false;
    standby_.begin_loan();
    test_point();
    std::uint32_t loan = 0;
    while (!right_.lend(loan, frame.occupies))
        if (!engage())
            return false;
    frame.producing = false;
    frame.occupies = false;
    frame.lent_by = this;
    frame.loan = loan;
    return true;
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::engage()
{
    if (apply(production_event::engage) != production_verdict::start || threads_.try_engage(*this))
        return true;
    apply(production_event::give_up);
    return false;
}

template <class Producer, class Threads>
template <class Product>
bool strategy_engine<Producer, Threads>::run_on_loan(
    call_frame& frame, Product& product, task::action kind)
{
    try
    {
        run(frame, product);
    }
    catch (...)
    {
        reclaim(frame, kind);
        throw;
    }
    return reclaim(frame, kind);
}

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::reclaim(call_frame& frame, task::action kind)
{
    frame.lent_by = nullptr;
    test_point();
    production_step step;
    bool const in_time = right_.end_loan(production_event::reclaim, frame.loan, step);
    standby_.count_loan(kind, !in_time);
    if (!in_time)
        return resume(frame);
    counters_.loan(frame.loan);
    frame.occupies = step.vacates;
    return frame.producing = true;
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::end_loan(std::uint32_t loan) noexcept
{
    test_point();
    production_step step;
    if (!right_.end_loan(production_event::surrender, loan, step))
        return;
    counters_.taken_over();
    trace_point(trace_event::surrender, this);
    standby_.count_late();
    // It keeps the right for others no longer, so it comes, wherever it is.
    standby_.wake();
    if (step.vacates)
        threads_.vacate();
}

} // namespace asio_ewyk::detail

#endif
