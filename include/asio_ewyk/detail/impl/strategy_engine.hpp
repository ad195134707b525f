#ifndef ASIO_EWYK_DETAIL_IMPL_STRATEGY_ENGINE_HPP
#define ASIO_EWYK_DETAIL_IMPL_STRATEGY_ENGINE_HPP

#include <asio_ewyk/detail/strategy_engine.hpp>

namespace asio_ewyk::detail {

// Loans

template <class Producer, class Threads>
bool strategy_engine<Producer, Threads>::stand_by()
{
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
    production_step step;
    bool const in_time = right_.end_loan(production_event::reclaim, frame.loan, step);
    standby_.count_loan(kind, !in_time);
    if (!in_time)
        return resume(frame);
    frame.occupies = step.vacates;
    return frame.producing = true;
}

template <class Producer, class Threads>
void strategy_engine<Producer, Threads>::end_loan(std::uint32_t loan) noexcept
{
    production_step step;
    if (!right_.end_loan(production_event::surrender, loan, step))
        return;
    standby_.count_late();
    // It keeps the right for others no longer, so it comes, wherever it is.
    standby_.wake();
    if (step.vacates)
        threads_.vacate();
}

} // namespace asio_ewyk::detail

#endif
