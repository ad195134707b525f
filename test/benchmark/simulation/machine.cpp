// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

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

// Likewise; the clock's as distributions have it.
constexpr duration tick_period = std::chrono::milliseconds(4);
constexpr duration cache_hot = std::chrono::microseconds(500);

} // namespace

machine::machine(std::size_t cores, costs const& c)
    : cost_(c)
    , cores_(cores, core(slice_of(cores)))
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
    duration const before = by ? by->debt_ : duration::zero();
    bool const runs = make_ready(t, before + cost_.wake_other_core, by);
    // Another core has to be told.
    if (by)
        by->pay(runs && t.core_ != by->core_ ? cost_.wake_call : cost_.wake_call_queued);
}

duration machine::cpu_time(thread const& t)
{
    if (core& c = cores_[t.core()]; c.running == &t)
        charge(c);
    return t.cpu_time();
}

duration machine::vary(duration usually)
{
    // Up to 5 %.
    auto const percent = static_cast<duration::rep>(variation_() % 11) + 95;
    return usually * percent / 100;
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

// `latency`: until it runs, if it finds an idle core. Whether it has a core now.
bool machine::make_ready(thread& t, duration latency, thread const* by)
{
    ++t.version_;
    std::size_t const at = place(t, by);
    t.state_ = thread::state::ready;
    core& c = cores_[at];
    charge(c);
    t.core_ = at;
    c.queue.add(t);
    if (!c.running)
        occupy(at, t, latency);
    else if (c.queue.interrupts(t, *c.running))
    {
        c.running->pay(cost_.interrupted());
        switch_to(at, t);
    }
    else
        plan(at);
    return c.running == &t;
}

std::size_t machine::place(thread const& t, thread const* by) const
{
    auto const load = [this](std::size_t at) { return cores_[at].queue.size(); };
    if (load(t.core_) == 0)
        return t.core_;
    auto const least = std::ranges::min_element(
        cores_, {}, [](core const& c) { return c.queue.size(); });
    if (least->queue.empty() || t.state_ == thread::state::created)
        return static_cast<std::size_t>(least - cores_.begin());
    return by && load(by->core_) < load(t.core_) ? by->core_ : t.core_;
}

void machine::occupy(std::size_t at, thread& t, duration latency)
{
    core& c = cores_[at];
    t.core_ = at;
    c.running = &t;
    c.charged_until = now_ + latency;
    c.queue.choose();
    plan(at);
}

void machine::charge(core& c)
{
    duration const passed = now_ - c.charged_until;
    if (!c.running || passed <= duration::zero())
        return;
    c.charged_until = now_;
    c.running->ran += passed;
    c.running->debt_ -= passed;
    c.running->cpu_time_ += passed;
}

void machine::plan(std::size_t at)
{
    core& c = cores_[at];
    duration end = c.charged_until + c.running->debt_;
    if (c.queue.size() > 1)
        end = std::min(end, (now_ / tick_period + 1) * tick_period);
    events_.push({end, order_++, ++c.version, at, nullptr});
}

void machine::happens(std::size_t at)
{
    core& c = cores_[at];
    charge(c);
    if (c.running->debt_ == duration::zero())
        return act(at);
    tick(at);
}

void machine::tick(std::size_t at)
{
    core& c = cores_[at];
    if (c.queue.is_over(*c.running))
        switch_to(at, static_cast<thread&>(c.queue.choose()));
    for (std::size_t other = 0; other != cores_.size(); ++other)
        if (cores_[other].queue.empty())
            pull(other, cost_.wake_other_core);
    plan(at);
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
    core& c = cores_[at];
    c.queue.remove(t);
    t.stopped = now_;
    c.running = nullptr;
    if (!c.queue.empty())
        return switch_to(at, static_cast<thread&>(c.queue.choose()));
    ++c.version;
    pull(at, cost_.context_switch());
    if (c.queue.empty() && t.state_ == thread::state::sleeping)
        t.left_idle();
}

void machine::switch_to(std::size_t at, thread& t)
{
    core& c = cores_[at];
    if (c.running == &t)
        return;
    if (c.running)
        c.running->stopped = now_;
    t.pay(cost_.context_switch());
    occupy(at, t, duration::zero());
}

void machine::pull(std::size_t at, duration latency)
{
    auto const from = std::ranges::max_element(
        cores_, {}, [](core const& c) { return c.queue.size(); });
    auto const& threads = from->queue.members();
    auto const found = std::ranges::find_if(threads, [&](share const* s) {
        return s != from->running && now_ - s->stopped >= cache_hot;
    });
    if (found == threads.end())
        return;
    thread& t = static_cast<thread&>(**found);
    from->queue.remove(t);
    cores_[at].queue.add(t);
    occupy(at, t, latency);
}

} // namespace benchmark::simulation
