// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "strategy.hpp"

#include <algorithm>
#include <utility>

namespace virtual_time {

using namespace std::chrono_literals;

strategy_context::strategy_context(machine& m, options const& with)
    : machine_(m)
    , options_(with)
    , io_(m, false)
    , wakeup_op_(*this)
    , helpers_(parallelism::max_helpers)
    , lateness_(with.grace)
    , when_idle_(static_cast<std::size_t>(m.cores()))
{
    // The sentinel of a core: it needs a switch to run, and yields until the grace is over, and for
    // 100 us at most after that.
    m.when_idle(
        m.cost().context_switch + with.grace,
        [this](int core) { return on_idle(core); }, [this](int core) { on_long_idle(core); });
}

void strategy_context::start()
{
    machine_.start([this](thread&) { return own(); });
    watchdog_ = &machine_.start([this](thread&) { return watch(); });
}

duration strategy_context::together() const noexcept
{
    return together_ + (wants_help() ? machine_.now() - together_since_ : duration::zero());
}

// The lease

bool strategy_context::has_lease(frame const& f) const noexcept
{
    return f.produces && right_.leased && right_.which == f.number;
}

bool strategy_context::acquire(frame& f)
{
    machine_.self().charge(access());
    if (right_.leased)
        return false;
    right_.leased = right_.held = true;
    right_.what = lease::activity::unknown;
    right_.cpu = machine_.self().core();
    f.number = right_.which;
    f.produces = true;
    producer_ = &f;
    producer_thread_ = &machine_.self();
    wake_if_asleep();
    return true;
}

bool strategy_context::renew(frame& f) noexcept
{
    if (!has_lease(f))
        return false;
    machine_.self().charge(access());
    f.number = ++right_.which;
    right_.what = lease::activity::unknown;
    return true;
}

bool strategy_context::renew_or_resume(frame& f)
{
    if (renew(f))
        return true;
    if (f.is_owner || f.is_helper)
        return false;
    f.produces = false;
    if (acquire(f))
        return true;
    return false;
}

// True if the thread that had the right may be about to wait inside the io_context.
bool strategy_context::take_back(frame& f)
{
    if (has_lease(f))
        return false;
    auto const what = right_.leased ? right_.what : lease::activity::busy;
    ++right_.which;
    right_.leased = false;
    acquire(f);
    return what != lease::activity::busy;
}

void strategy_context::end_lease()
{
    ++right_.which;
    right_.leased = right_.held = false;
    producer_ = nullptr;
    ask();
}

void strategy_context::mark(frame& f, lease::activity what) noexcept
{
    if (!has_lease(f))
        return;
    machine_.self().charge(machine_.cost().atomic);
    right_.what = what;
    right_.cpu = machine_.self().core();
}

void strategy_context::wake_if_asleep()
{
    if (!std::exchange(watchdog_asleep_, false))
        return;
    watchdog_signalled_ = true;
    if (machine_.wake(*watchdog_))
        machine_.self().charge(machine_.cost().wake_call);
}

// Production

// As the poll_observer of io_production.
void strategy_context::poll_begins(frame& f, bool waits)
{
    if (!has_lease(f))
    {
        if (!f.is_owner && !waits)
            return;
        take_back(f);
    }
    ++polls_;
    if (waits)
    {
        waited_ = true;
        mark(f, lease::activity::polls);
    }
}

void strategy_context::poll_ends(frame& f)
{
    if (!renew(f))
        return;
    mark(f, lease::activity::busy);
    wake_if_asleep();
}

// The caller of run().
routine<> strategy_context::own()
{
    frame here(*this);
    here.is_owner = true;
    owner_ = &here;
    acquire(here);
    co_await io_.run(&here);
}

// A thread of the pool that was asked to produce.
routine<> strategy_context::arrive()
{
    frame here(*this);
    ++lent_;
    asked_ = false;
    bool ran = false;
    if (acquire(here))
        do
        {
            std::size_t const own = here.uncounted;
            std::size_t const n = co_await io_.run_one(&here);
            ran = ran || n != 0;
            if (counts())
                count(n - std::min(n, here.uncounted - own));
        } while (renew_or_resume(here));
    --lent_;
    if (!right_.leased)
        ask();
    if (ran)
        co_await wake_up(nullptr);
}

routine<> strategy_context::wake_up(call* from)
{
    if (!std::exchange(wake_queued_, true))
        co_await io_.post(wakeup_op_, from);
}

routine<> strategy_context::on_wake_up(call& from)
{
    wake_queued_ = false;
    bool const asked = std::exchange(wants_sign_, false);
    frame& here = static_cast<frame&>(*from.observer);
    ++here.uncounted;
    if (!renew_or_resume(here) && here.is_owner)
        co_await take_right_back(here);
    else if (asked && here.is_owner && lent_ != 0)
        co_await wake_lent_thread();
    if (here.is_owner && counts() && !std::exchange(here.counts, true))
        co_await count_handlers(here);
}

routine<> strategy_context::take_right_back(frame& f)
{
    if (take_back(f))
        co_await wake_lent_thread();
}

// Has another thread run the wake-up, and waits for that, for a moment.
routine<> strategy_context::wake_lent_thread()
{
    co_await wake_up(nullptr);
    time_point const enough = machine_.now() + 1ms;
    while (wake_queued_ && machine_.now() < enough)
        co_await machine_.sleep_for(50us);
}

routine<> strategy_context::count_handlers(frame& f)
{
    bool const naps = options_.waits == wait::naps;
    if (mode_ == mode::counting)
    {
        began_ = machine_.now();
        ran_ = 0;
        polls_ = 0;
        used_ = duration::zero();
        waited_ = false;
        process_cpu_ = machine_.used();
    }
    while (counts())
    {
        std::size_t n = 0;
        if (naps || !wants_help())
            n = (co_await run_counted(f, [&] { return io_.poll_one(&f); })).all;
        else
            n = (co_await run_counted(f, [&] { return io_.run_one_for(1ms, &f); })).all;
        if (n == 0 && naps && wants_help())
            n = (co_await run_counted(f, [&] { return io_.run_one_for(250us, &f); })).all;
        if (n == 0)
            break;
    }
    f.counts = false;
}

template <class Run>
auto strategy_context::run_counted(frame& f, Run run) -> routine<handlers_run>
{
    std::size_t const own = f.uncounted;
    std::size_t const all = co_await run();
    std::size_t const n = all - std::min(all, f.uncounted - own);
    count(n);
    co_return handlers_run{all, n};
}

void strategy_context::count(std::size_t handlers) noexcept
{
    machine_.self().charge(ran_line_.access(machine_));
    ran_ += handlers;
}

routine<> strategy_context::help(helper& h)
{
    constexpr int max_empty_polls = 4;
    frame here(*this);
    thread& self = machine_.self();
    h.runs_on = &self;
    here.is_helper = true;
    ++helpers_here_;
    duration cpu = self.used();
    std::size_t ran = 0;
    int in_vain = 0;
    while (in_vain != max_empty_polls && wants_help())
    {
        ++h.calls;
        bool const naps = options_.waits == wait::naps;
        auto const [all, n] = co_await run_counted(
            here, [&] { return naps ? io_.poll_one(&here) : io_.run_one(&here); });
        in_vain = n == 0 && naps ? in_vain + 1 : 0;
        if (n != 0 && ++ran % 64 != 0)
            continue;
        self.charge(machine_.cost().system_call);
        used_ += self.used() - cpu;
        cpu = self.used();
        if (n == 0 && naps)
            co_await machine_.sleep_for(50us);
    }
    if (in_vain == max_empty_polls)
        enough_ = true;
    --helpers_here_;
    // A helper that has waited for I/O may have the right.
    if (has_lease(here))
        end_lease();
    co_await wake_up(nullptr);
    h.under_way = false;
}

// Threads

// Has a thread come for the lease, unless one is on its way.
void strategy_context::ask()
{
    if (!std::exchange(asked_, true) && !give([this] { return arrive(); }))
        asked_ = false;
}

bool strategy_context::give(std::function<routine<>()> job)
{
    if (parked_.empty())
    {
        if (pool_.size() == options_.max_threads)
            return false;
        pooled& p = pool_.emplace_back();
        p.job = std::move(job);
        p.t = &machine_.start([this, &p](thread&) { return run_jobs(p); });
        return true;
    }
    pooled& p = *parked_.back();
    parked_.pop_back();
    p.job = std::move(job);
    machine_.wake(*p.t);
    machine_.self().charge(machine_.cost().wake_call);
    return true;
}

routine<> strategy_context::run_jobs(pooled& me)
{
    for (;;)
    {
        {
            auto const job = std::exchange(me.job, {});
            co_await job();
        }
        parked_.push_back(&me);
        while (!me.job)
            co_await machine_.sleep_until(forever, thread_state::locks);
    }
}

// Parallelism

int strategy_context::helpers_wanted() const noexcept
{
    if (options_.concurrency != 0)
        return options_.concurrency - 1;
    if (machine_.cores() < 2)
        return 0;
    return options_.helpers != 0 ? options_.helpers : machine_.cores();
}

void strategy_context::enter(mode next) noexcept
{
    together_ = together();
    together_since_ = machine_.now();
    mode_ = next;
}

// As parallelism::on_check().
bool strategy_context::on_check(bool inside, bool runs)
{
    constexpr duration window = parallelism::window;
    constexpr duration unknown = duration::min();
    int const awake = wants_help() ? send_helpers() : 0;
    bool const fixed = options_.concurrency != 0;
    bool const counted = counts();
    bool const uncounted = counted && !wants_help() && 2 * ran_ < polls_;
    bool const too_few = counted && (ran_ < parallelism::min_handlers || uncounted);
    bool const goes_on = too_few && runs && !fixed && !waited_;
    if (helpers_wanted() == 0
        || machine_.now() - began_ < (goes_on ? parallelism::longest_window : window))
        return uncounted && runs && helpers_wanted() != 0;
    bool const waited = std::exchange(waited_, false);
    enough_ = false;
    duration const time = machine_.now() - std::exchange(began_, machine_.now());
    std::size_t const handlers = std::exchange(ran_, 0);
    std::size_t const polls = std::exchange(polls_, 0);
    duration const used = std::exchange(used_, duration::zero());
    bool const recent = time <= 4 * window || counted;
    if (fixed)
    {
        bool const behind = recent && inside && !waited;
        enter(behind || awake != 0 ? mode::together : mode::plain);
        return wants_help();
    }
    bool busy = recent && !waited && runs && !too_few;
    duration const before
        = std::exchange(process_cpu_, busy || counted ? machine_.used() : unknown);
    busy = busy && before != unknown && 2 * (process_cpu_ - before) > time;
    if (!recent)
        return false;
    bool alone = true;
    if (counted || !busy || !policy_.is_due())
        alone = policy_.alone_after({time, handlers, polls, busy ? time : duration::zero(),
            used + (busy ? time : duration::zero())});
    mode const next = !alone                 ? mode::together
        : busy && policy_.is_due()           ? mode::counting
                                             : mode::plain;
    enter(next);
    return next != mode::plain;
}

// A helper that waits inside the io_context sleeps on a futex, and is awake in this sense.
bool strategy_context::is_awake(helper& h) const noexcept
{
    bool const same = std::exchange(h.calls_seen, h.calls) == h.calls;
    if (!same || h.calls == 0)
        return true;
    machine_.self().charge(machine_.cost().probe);
    auto const s = h.runs_on->state();
    return s == thread_state::runs
        || (options_.waits == wait::asio && s != thread_state::blocks);
}

int strategy_context::send_helpers()
{
    if (enough_ && options_.concurrency == 0)
        return 0;
    int awake = 0;
    for (helper& h : helpers_)
        if (h.under_way)
            awake += is_awake(h);
    for (helper& h : helpers_)
    {
        if (awake >= helpers_wanted() || enough_)
            break;
        if (h.under_way)
            continue;
        h.calls = 0;
        h.under_way = true;
        if (!give([this, &h] { return help(h); }))
        {
            h.under_way = false;
            break;
        }
        ++awake;
    }
    return awake;
}

// The watchdog

routine<> strategy_context::watch()
{
    for (;;)
    {
        watchdog_signalled_ = false;
        time_point const next = co_await on_timer();
        co_await machine_.work(machine_.cost().system_call);
        while (!watchdog_signalled_ && machine_.now() < next)
            co_await machine_.sleep_until(next, thread_state::locks);
    }
}

// As lease_watch::on_timer().
routine<time_point> strategy_context::on_timer()
{
    for (;;)
    {
        co_await machine_.work(machine_.cost().system_call);
        lateness::observation s;
        s.now = machine_.now();
        s.right = right_;
        s.observes = s.knows_file = true;
        s.woken = !watchdog_asleep_;
        s.alone = helpers_here_ == 0;
        if (auto const told = std::exchange(told_state_, thread_state::unknown);
            told != thread_state::unknown && right_.leased && told_ == right_.which)
        {
            if (lateness_.is_late(s, told))
                take_over(s.right);
            if (!lateness_.is_due(s.now, s.woken))
                co_return lateness_.next();
        }
        s.thread = thread_state::runs;
        if (lateness_.needs_thread_state(s.right) && right_.leased)
        {
            co_await machine_.work(machine_.cost().probe);
            s.thread = producer_thread_->state();
        }
        s.has_sign = !wants_sign_;
        s.lent = producer_ != owner_ || lent_ != 0;
        bool const runs = s.thread == thread_state::runs;
        bool const inside = s.right.leased && s.right.what != lease::activity::polls;
        bool const begins = on_check(inside, inside && runs);
        if (begins)
            co_await wake_up(nullptr);
        s.check_soon = counts();
        bool const slept = lateness_.sleeps() && !s.woken;
        auto const v = lateness_.update(s);
        if (v.late)
            take_over(s.right);
        if (v.asks_for_sign)
            wants_sign_ = true;
        if (v.asks_for_sign || v.wakes_owner)
            co_await wake_up(nullptr);
        if (v.needs_sentinel)
            sentinel_needed_until_ = machine_.now() + 1s;
        if (lateness_.sleeps() == slept)
            co_return lateness_.next();
        watchdog_asleep_ = !slept;
        if (slept)
            co_return lateness_.next();
    }
}

// Whether the sentinel of that core is active, and sees a lease of which it is to tell.
bool strategy_context::watches(int core) const noexcept
{
    return machine_.now() < sentinel_needed_until_ && right_.leased && right_.cpu == core
        && right_.what != lease::activity::polls;
}

// Returns for how long the sentinel yields.
duration strategy_context::on_idle(int core)
{
    when_idle_[static_cast<std::size_t>(core)] = right_.which;
    return watches(core) ? options_.grace + 100us : duration::zero();
}

void strategy_context::on_long_idle(int core)
{
    if (!watches(core) || right_.which != when_idle_[static_cast<std::size_t>(core)])
        return;
    auto const state = producer_thread_->state();
    if (state == thread_state::runs || told_state_ != thread_state::unknown
        || (right_.what == lease::activity::unknown && state != thread_state::blocks))
        return;
    sentinel_needed_until_ = machine_.now() + 1s;
    told_ = right_.which;
    told_state_ = state;
    watchdog_signalled_ = true;
    machine_.wake(*watchdog_, core);
}

// Not if the producer has begun to wait since its lease was read.
void strategy_context::take_over(lease::snapshot const& seen)
{
    if (!right_.leased || right_.which != seen.which || right_.what != seen.what)
        return;
    ++taken_over_;
    end_lease();
}

} // namespace virtual_time
