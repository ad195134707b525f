// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_POLICY_IPP
#define ASIO_EWYK_DETAIL_ENGINE_PARALLELISM_POLICY_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/parallelism_policy.hpp>

#include <algorithm>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL double parallelism_policy::rate(std::size_t n, window const& w) noexcept
{
    return static_cast<double>(n) / static_cast<double>(w.time.count());
}

// Whether clearly more handlers were run in the time.
ASIO_EWYK_DECL bool parallelism_policy::better(
    window const& one, window const& other, double times) noexcept
{
    return rate(one.handlers, one) > rate(other.handlers, other) * times;
}

// After a window with one thread: whether to try several. Then before_ is the window to compare
// with.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool parallelism_policy::tries_after(window const& w) noexcept
{
    if (!is_busy(w))
    {
        if (++enough_ == longest_pause)
        {
            enough_ = 0;
            wait_ = pause_ = 1;
        }
        return false;
    }
    enough_ = 0;
    if (!is_due())
    {
        --wait_;
        if (double const polls = rate(w.polls, w); polls * change < polls_)
        {
            polls_ = polls;
            state_ = state::counting;
        }
        return false;
    }
    before_ = w;
    if (w.busy >= shortest * static_cast<duration::rep>(w.handlers))
        return true;
    stay_alone();
    return false;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool parallelism_policy::alone_after(window const& w) noexcept
{
    switch (state_)
    {
    case state::counting:
        state_ = state::alone;
        if (is_busy(w) && better(before_, w, change))
            wait_ = 1;
        [[fallthrough]];
    case state::alone:
        if (!tries_after(w))
            return true;
        state_ = state::starting;
        return false;
    case state::starting:
        state_ = state::trying;
        return false;
    case state::trying:
        if (!better(w, before_))
            return stay_alone();
        state_ = state::confirming;
        return false;
    case state::confirming:
        if (!better(w, before_))
            return stay_alone();
        before_ = w;
        wait_ = check_ = first_check;
        state_ = state::together;
        return false;
    case state::together:
        if (w.used * 4 < w.time * 3)
        {
            // A single thread is enough again.
            wait_ = pause_ = 1;
            state_ = state::alone;
            return true;
        }
        if (better(w, before_, change))
        {
            // Handlers are shorter. The next window is compared: in this one both kinds may have
            // run.
            before_ = w;
            wait_ = 2;
        }
        if (--wait_ > 0)
            return false;
        before_ = w;
        state_ = state::checking;
        return true;
    case state::checking:
        if (!better(before_, w))
        {
            before_ = w;
            return stay_alone();
        }
        wait_ = check_ = std::min(2 * check_, longest_check);
        state_ = state::together;
        return false;
    }
    return true;
}

// After a try that was in vain. before_ is a window with one thread.
ASIO_EWYK_DECL bool parallelism_policy::stay_alone() noexcept
{
    wait_ = pause_ = std::min(4 * pause_, longest_pause);
    polls_ = rate(before_.polls, before_);
    state_ = state::alone;
    return true;
}

} // namespace asio_ewyk::detail

#endif
