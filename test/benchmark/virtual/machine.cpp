// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace virtual_time {

machine::machine(options const& with, costs const& take)
    : options_(with)
    , costs_(take)
    , cores_(static_cast<std::size_t>(with.cores))
{
}

thread& machine::start(std::function<routine<>(thread&)> function)
{
    thread& t = threads_.emplace_back();
    t.function_ = std::move(function);
    t.body_ = t.function_(t);
    t.next_ = t.body_.begin();
    if (self_)
    {
        t.core_ = self_->core_;
        self_->charge(costs_.thread_start);
    }
    make_ready(t);
    return t;
}

void machine::when_idle(
    duration time, std::function<duration(int core)> polls, std::function<void(int core)> f)
{
    idle_time_ = time;
    polls_ = std::move(polls);
    when_idle_ = std::move(f);
}

void machine::push(time_point at, thread* sleeper, int number, std::uint64_t event_number)
{
    events_.push({at, order_++, sleeper, number, event_number});
}

void machine::run_until(time_point end)
{
    while (!events_.empty() && events_.top().at <= end)
    {
        event const e = events_.top();
        events_.pop();
        now_ = e.at;
        if (e.sleeper)
        {
            if (e.sleeper->at_ == thread::place::asleep && e.sleeper->sleep_ == e.number)
            {
                e.sleeper->woken_ = false;
                make_ready(*e.sleeper);
            }
        }
        else if (cores_[static_cast<std::size_t>(e.core)].event == e.number)
            on_core(e.core);
        if (options_.checks)
            check();
    }
    now_ = end;
}

duration machine::used() noexcept
{
    for (core& c : cores_)
        account(c);
    duration all{};
    for (thread const& t : threads_)
        all += t.used_;
    return all;
}

void machine::fall_asleep(thread& t, std::coroutine_handle<> next, time_point then, thread_state why)
{
    t.next_ = next;
    t.left_ = std::exchange(t.owed_, duration::zero()); // paid when it wakes up
    t.at_ = thread::place::asleep;
    t.why_ = why;
    t.woken_ = false;
    ++t.sleep_;
    if (then != forever)
        push(std::max(then, now_) + costs_.timer_late, &t, 0, t.sleep_);
}

bool machine::wake(thread& t, int offered)
{
    if (t.at_ != thread::place::asleep)
        return false;
    if (offered >= 0)
        t.core_ = offered;
    t.woken_ = true;
    make_ready(t);
    return true;
}

// A thread that starts, or wakes up: finds a core for it.
void machine::make_ready(thread& t)
{
    t.at_ = thread::place::ready;
    auto const is_idle = [](core const& c) { return !c.current; };
    auto found = cores_.begin() + t.core_;
    if (!is_idle(*found))
        if (auto const idle = std::find_if(cores_.begin(), cores_.end(), is_idle);
            idle != cores_.end())
            found = idle;
    if (is_idle(*found))
    {
        t.fair_ = std::max(t.fair_, found->least);
        switch_to(static_cast<int>(found - cores_.begin()), t,
            now_ < found->polls_until ? costs_.context_switch : costs_.wake_up);
        return;
    }
    for (auto other = cores_.begin(); other != cores_.end(); ++other)
        if (other->ready.size() < found->ready.size())
            found = other;
    // A thread that has slept for long must not keep the core for as long.
    t.fair_ = std::max(t.fair_, found->least - options_.time_slice);
    t.core_ = static_cast<int>(found - cores_.begin());
    found->ready.push_back(&t);
    account(*found);
    if (t.fair_ + options_.wake_granularity < found->current->fair_)
        found->slice_end = now_;
    if (found->current != self_) // else it is scheduled when its code has been run
        schedule(t.core_);
}

void machine::switch_to(int number, thread& t, duration cost)
{
    core& c = cores_[static_cast<std::size_t>(number)];
    c.current = &t;
    t.at_ = thread::place::running;
    t.core_ = number;
    c.since = now_ + cost;
    c.slice_end = c.since + options_.time_slice;
    schedule(number);
}

// When something happens on that core: the thread has got what it awaits, or its time slice is over.
void machine::schedule(int number)
{
    core& c = cores_[static_cast<std::size_t>(number)];
    time_point at = std::max(c.since, now_) + c.current->left_;
    if (!c.ready.empty())
        at = std::min(at, std::max({c.slice_end, c.since, now_}));
    push(at, nullptr, number, ++c.event);
}

void machine::account(core& c) noexcept
{
    if (!c.current || now_ <= c.since)
        return;
    duration const ran = now_ - std::exchange(c.since, now_);
    c.current->left_ -= ran;
    c.current->used_ += ran;
    c.current->fair_ += ran;
    duration least = c.current->fair_;
    for (thread const* t : c.ready)
        least = std::min(least, t->fair_);
    c.least = std::max(c.least, least);
}

void machine::on_core(int number)
{
    core& c = cores_[static_cast<std::size_t>(number)];
    if (!c.current)
    {
        when_idle_(number);
        return;
    }
    account(c);
    if (c.current->left_ <= duration::zero())
        return resume(number);
    if (now_ < c.slice_end || c.ready.empty())
        return schedule(number);
    auto const least = *std::min_element(c.ready.begin(), c.ready.end(),
        [](thread const* a, thread const* b) { return a->fair_ < b->fair_; });
    if (least->fair_ >= c.current->fair_)
    {
        c.slice_end = now_ + options_.time_slice;
        return schedule(number);
    }
    thread& before = *c.current;
    thread& next = *take_least(c);
    before.at_ = thread::place::ready;
    c.ready.push_back(&before);
    switch_to(number, next, costs_.context_switch);
}

void machine::resume(int number)
{
    core& c = cores_[static_cast<std::size_t>(number)];
    thread& t = *c.current;
    t.left_ = duration::zero();
    self_ = &t;
    t.next_.resume();
    self_ = nullptr;
    if (t.body_.is_over())
        t.at_ = thread::place::over;
    if (t.at_ == thread::place::running)
        return schedule(number);
    // A thread that sleeps already may have been woken: not before its core has let it go.
    c.current = nullptr;
    next_thread(number);
}

// A core whose thread sleeps.
void machine::next_thread(int number)
{
    core& c = cores_[static_cast<std::size_t>(number)];
    if (thread* const t = take_ready(number))
        return switch_to(number, *t, costs_.context_switch);
    ++c.event;
    if (!when_idle_)
        return;
    c.polls_until = now_ + polls_(number);
    push(now_ + idle_time_, nullptr, number, c.event);
}

thread* machine::take_ready(int number)
{
    core& c = cores_[static_cast<std::size_t>(number)];
    return c.ready.empty() ? steal(number) : take_least(c);
}

thread* machine::steal(int number)
{
    auto const from = std::max_element(cores_.begin(), cores_.end(),
        [](core const& a, core const& b) { return a.ready.size() < b.ready.size(); });
    if (from->ready.empty())
        return nullptr;
    thread* const t = take_least(*from);
    t->fair_ += cores_[static_cast<std::size_t>(number)].least - from->least;
    return t;
}

thread* machine::take_least(core& from)
{
    auto const least = std::min_element(from.ready.begin(), from.ready.end(),
        [](thread const* a, thread const* b) { return a->fair_ < b->fair_; });
    thread* const t = *least;
    from.ready.erase(least);
    return t;
}

void machine::check()
{
    bool idle = false;
    bool waits = false;
    for (core const& c : cores_)
    {
        idle = idle || !c.current;
        waits = waits || !c.ready.empty();
    }
    violations_ += idle && waits;
}

} // namespace virtual_time
