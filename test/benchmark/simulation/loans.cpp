#include "loans.hpp"

#include <asio_ewyk/detail/standby.hpp>

#include <utility>

namespace benchmark::simulation {

namespace {

using figures = asio_ewyk::detail::standby;

} // namespace

loans::loans(machine const& on, duration grace)
    : machine_(on)
    , grace_(grace)
    , computing_grace_(figures::computing * grace)
    , interval_(grace)
    , history_(nullptr)
{
}

void loans::count(thread const& producer)
{
    if (++tasks_ % figures::checked_every != 0)
        return;
    duration const time = machine_.now() - began_window_;
    if (time < figures::window)
        return;
    std::optional<duration> used;
    if (producer_ == &producer && known_)
        used = used_ + producer.cpu_time() - cpu_;
    bool const lends = machine_.cores() == 1
        || spread_.lends_after({time, tasks_, used, std::exchange(ran_, {})});
    pays_ = std::exchange(late_, 0) * figures::too_often < time && lends;
    began_window_ = machine_.now();
    producer_ = &producer;
    cpu_ = producer.cpu_time();
    used_ = {};
    known_ = true;
    tasks_ = 0;
}

void loans::begin(thread const& lender)
{
    began_ = machine_.now();
    if (lender_ == &lender)
        return;
    lender_ = &lender;
    // As detail::role_clock does it.
    if (producer_)
        used_ += producer_->cpu_time() - cpu_;
    else
        known_ = false;
    producer_ = &lender;
    cpu_ = lender.cpu_time();
}

void loans::handed_over(task_type type, duration time, bool superseded)
{
    ran_ += time;
    if (history_.expects_overrun(type))
        return history_.was_handed_over(type);
    bool const late = time >= (superseded ? grace_ : computing_grace_);
    late_ += late;
    history_.ran(type, late);
}

loans::verdict loans::look(asio_ewyk::detail::production now, thread& watcher)
{
    watcher.pay(machine_.cost().clock);
    if (now.state != asio_ewyk::detail::production_state::lent)
    {
        if (++quiet_ < figures::patience)
            return verdict::look_again;
        interval_.forget();
        return verdict::leave;
    }
    quiet_ = 0;
    duration const time = machine_.now() - began_;
    if (time < grace_)
    {
        interval_.grow();
        return verdict::look_again;
    }
    if (time < computing_grace_)
    {
        // It opens, reads and closes a file of the system's.
        watcher.pay(3 * machine_.cost().system_call);
        if (!lender_->sleeps())
            return verdict::look_again;
    }
    interval_.shrink();
    ++late_;
    return verdict::take_over;
}

} // namespace benchmark::simulation
