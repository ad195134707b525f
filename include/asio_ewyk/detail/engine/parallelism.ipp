// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_IPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/parallelism.hpp>
#include <asio_ewyk/detail/os/thread_probe.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>

#include <ctime>
#include <new>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD std::size_t checked_concurrency(
    std::size_t concurrency, strategy_t s, std::chrono::nanoseconds grace)
{
    strategy_traits const traits = traits_of(s);
    std::size_t most = 0;
    char const* range = "0 without a grace";
    if (traits.is_exclusive)
    {
        most = 1;
        range = "0 or 1 with produce_consume";
    }
    else if (traits.queues_for_pool)
        range = "0 with produce_execute_consume";
    else if (grace != grace.zero())
    {
        most = parallelism::max_helpers;
        range = "from 0 to 256";
    }
    check_option(concurrency <= most, "strategy_options::concurrency", range, concurrency);
    return concurrency;
}

// A window in which nobody counted handlers says only whether one thread was enough.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool parallelism::on_check(
    time_point now, bool inside, bool runs) noexcept
{
    std::size_t const awake = wants_help() ? send_helpers() : 0;
    bool const counted = counts();
    // Most polls of a busy producer find handlers. If far fewer were counted, the owner does not
    // count: another thread may have run the wake-up that was to have it do so.
    std::size_t const ran = ran_.load(std::memory_order_relaxed);
    bool const uncounted
        = counted && !wants_help() && 2 * ran < polls_.load(std::memory_order_relaxed);
    bool const too_few = counted && (ran < min_handlers || uncounted);
    bool const goes_on
        = too_few && runs && !is_fixed() && !waited_.load(std::memory_order_relaxed);
    if (wanted_ == 0
        || now - began_.load(std::memory_order_relaxed) < (goes_on ? longest_window : window))
        return uncounted && runs;
    bool const waited = waited_.exchange(false, std::memory_order_relaxed);
    enough_.store(false, std::memory_order_relaxed);
    duration const time = now - began_.exchange(now, std::memory_order_relaxed);
    std::size_t const handlers = ran_.exchange(0, std::memory_order_relaxed);
    std::size_t const polls = polls_.exchange(0, std::memory_order_relaxed);
    duration const used(used_.exchange(0, std::memory_order_relaxed));
    bool const recent = time <= 4 * window || counted; // else nothing has run
    if (is_fixed())
    {
        bool const behind = recent && inside && !waited;
        mode_.store(behind || awake != 0 ? mode::together : mode::plain, std::memory_order_relaxed);
        return wants_help();
    }
    bool busy = recent && !waited && runs && !too_few;
    // The CPU time of the whole process: if that has used little, so has the producer. Read only
    // where it matters: with many threads the system adds it up slowly.
    std::clock_t const before
        = std::exchange(process_cpu_, busy || counted ? std::clock() : unknown);
    busy = busy && before != unknown
        && 2.0 * static_cast<double>(process_cpu_ - before) / CLOCKS_PER_SEC
            > std::chrono::duration<double>(time).count();
    if (!recent)
        return false;
    bool alone = true;
    if (counted || !busy || !policy_.is_due())
        alone = policy_.alone_after({time, handlers, polls, busy ? time : duration::zero(),
            used + (busy ? time : duration::zero())});
    mode const next = !alone                 ? mode::together
        : busy && policy_.is_due()           ? mode::counting
                                             : mode::plain;
    mode_.store(next, std::memory_order_relaxed);
    return next != mode::plain;
}

// Starts helpers until as many are awake as are wanted, unless one has found nothing to do in this
// window. Returns how many are awake; 0 as well if that makes no difference. A helper that has made
// no progress since the last check, and sleeps, is not awake.
ASIO_EWYK_DECL ASIO_EWYK_COLD std::size_t parallelism::send_helpers() noexcept
{
    if (!helpers_)
        helpers_.reset(new (std::nothrow) helper[max_helpers]);
    bool const enough = enough_.load(std::memory_order_relaxed);
    if (!helpers_ || (enough && !is_fixed()))
        return 0;
    thread_probe probe;
    std::size_t awake = 0;
    for (std::size_t i = 0; i != max_helpers; ++i)
    {
        helper& h = helpers_[i];
        if (!h.under_way_.load())
            continue;
        auto const calls = h.calls_.load(std::memory_order_relaxed);
        bool const same = std::exchange(h.calls_seen_, calls) == calls;
        auto const state = same && calls != 0
            ? probe.of(h.thread_.load(std::memory_order_relaxed))
            : thread_probe::state::runs;
        awake += state == thread_probe::state::runs || state == thread_probe::state::unknown;
    }
    for (std::size_t i = 0; i != max_helpers && awake < wanted_ && !enough; ++i)
    {
        helper& h = helpers_[i];
        if (h.under_way_.load())
            continue;
        h.of_ = this;
        h.calls_.store(0, std::memory_order_relaxed);
        h.under_way_.store(true);
        if (!threads_.try_help(h))
        {
            h.under_way_.store(false);
            break;
        }
        ++awake;
    }
    return awake;
}

ASIO_EWYK_DECL void parallelism::run_helper(helper& h)
{
    struct end
    {
        helper& h;
        ~end() { h.under_way_.store(false); }
    } const on_exit{h};
    h.thread_.store(this_thread_id(), std::memory_order_relaxed);
    help_(context_, h);
}

ASIO_EWYK_DECL boost::core::typeinfo const* parallelism::helper::act(
    task* base, task_purpose purpose)
{
    auto& h = static_cast<helper&>(*base);
    if (purpose == task_purpose::run)
        h.of_->run_helper(h);
    else if (purpose == task_purpose::destroy)
        h.under_way_.store(false);
    return nullptr;
}

} // namespace asio_ewyk::detail

#endif
