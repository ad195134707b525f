#include "machine.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace benchmark::simulation {

namespace {

// As Linux has it since 6.6, where 8 cores count as many.
duration slice_of(std::size_t cores)
{
    auto const n = static_cast<duration::rep>(std::bit_width(std::min<std::size_t>(cores, 8)));
    return n * std::chrono::microseconds(700);
}

} // namespace

machine::machine(std::size_t cores, costs const& c)
    : cost_(c)
    , slice_(slice_of(cores))
    , cores_(cores)
{
}

void machine::start(thread& t)
{
    make_ready(t, cost_.wake_other_core);
}

void machine::unpark(thread& t, thread* by)
{
    if (t.state_ != thread::state::parked)
    {
        t.signalled_ = true;
        return;
    }
    bool const others_core = !cores_[place(t)].running;
    if (by)
        by->pay(others_core ? cost_.wake_call : cost_.system_call);
    make_ready(t, cost_.wake_other_core);
}

void machine::run_until(duration end)
{
    while (!events_.empty() && events_.top().at <= end)
    {
        event const e = events_.top();
        events_.pop();
        now_ = e.at;
        if (!e.timer)
        {
            if (cores_[e.core].version == e.version)
                happens(e.core);
        }
        else if (e.timer->version_ == e.version)
            make_ready(*e.timer, cost_.exact_sleep_late);
    }
    now_ = end;
    for (core& c : cores_)
        charge(c);
}

// `latency`: until it runs, if it finds an idle core.
void machine::make_ready(thread& t, duration latency)
{
    ++t.version_;
    t.state_ = thread::state::ready;
    std::size_t const at = place(t);
    t.core_ = at;
    if (!cores_[at].running)
        return occupy(at, t, latency);
    cores_[at].waiting.push_back(&t);
    charge(cores_[at]);
    plan(at);
}

std::size_t machine::place(thread const& t) const
{
    auto const load = [this](std::size_t at) {
        return (cores_[at].running ? 1 : 0) + cores_[at].waiting.size();
    };
    std::size_t best = t.core_;
    for (std::size_t at = 0; at != cores_.size() && load(best) != 0; ++at)
        if (load(at) < load(best))
            best = at;
    return best;
}

void machine::occupy(std::size_t at, thread& t, duration latency)
{
    core& c = cores_[at];
    t.core_ = at;
    c.running = &t;
    c.since = now_ + latency;
    c.charged_until = c.since;
    plan(at);
}

void machine::charge(core& c)
{
    duration const passed = now_ - c.charged_until;
    if (!c.running || passed <= duration::zero())
        return;
    c.charged_until = now_;
    c.running->debt_ -= passed;
    c.running->cpu_time_ += passed;
}

void machine::plan(std::size_t at)
{
    core& c = cores_[at];
    duration end = c.charged_until + c.running->debt_;
    if (!c.waiting.empty())
        end = std::min(end, std::max(now_, c.since + slice_));
    events_.push({end, order_++, ++c.version, at, nullptr});
}

void machine::happens(std::size_t at)
{
    core& c = cores_[at];
    charge(c);
    if (c.running->debt_ == duration::zero())
        return act(at);
    // Its slice is over.
    c.waiting.push_back(std::exchange(c.running, nullptr));
    release(at);
}

void machine::act(std::size_t at)
{
    core& c = cores_[at];
    thread& t = *c.running;
    step const done = std::exchange(t.pending_, {});
    switch (done.what)
    {
    case step::kind::sleep:
        t.state_ = thread::state::sleeping;
        return block(at, now_ + done.time);
    case step::kind::park:
        if (std::exchange(t.signalled_, false) || done.time <= now_)
            break;
        t.state_ = thread::state::parked;
        return block(at, done.time);
    case step::kind::go_on:
        break;
    }
    t.pending_ = t.next();
    plan(at);
}

void machine::block(std::size_t at, duration timeout)
{
    thread& t = *cores_[at].running;
    ++t.switches_;
    if (timeout != duration::max())
    {
        duration const slack
            = t.exact_ ? duration::zero() : cost_.sleep_late - cost_.exact_sleep_late;
        events_.push({timeout + slack, order_++, ++t.version_, 0, &t});
    }
    cores_[at].running = nullptr;
    release(at);
}

// The core looks for another thread.
void machine::release(std::size_t at)
{
    core* from = &cores_[at];
    if (from->waiting.empty())
        from = &*std::ranges::max_element(
            cores_, {}, [](core const& c) { return c.waiting.size(); });
    if (from->waiting.empty())
    {
        ++cores_[at].version;
        return;
    }
    thread& t = *from->waiting.front();
    from->waiting.pop_front();
    t.pay(cost_.context_switch());
    occupy(at, t, duration::zero());
}

} // namespace benchmark::simulation
