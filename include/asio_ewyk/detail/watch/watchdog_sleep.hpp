// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_WATCH_WATCHDOG_SLEEP_HPP
#define ASIO_EWYK_DETAIL_WATCH_WATCHDOG_SLEEP_HPP

#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <atomic>

namespace asio_ewyk::detail {

// Where the watchdog sleeps. A sentinel wakes it on the sentinel's own CPU, which is idle:
// elsewhere the watchdog may wait behind another thread.
class watchdog_sleep
{
public:
    void unpark() noexcept { sleep_.unpark(); }

    // A sentinel, which offers its CPU. A sentinel may get no CPU for long, so the watchdog does
    // not wait for a choice that is under way.
    void unpark_on_this_cpu() noexcept
    {
        auto state = choice::allowed;
        thread_id const id = id_.load();
        if (id != 0 && choice_.compare_exchange_strong(state, choice::under_way))
        {
            place_.choose(id);
            state = choice::under_way;
            if (!choice_.compare_exchange_strong(state, choice::made))
            {
                cpu_mask::all().apply(id);
                choice_.store(choice::none);
            }
        }
        sleep_.unpark();
    }

    // The watchdog's thread, when it begins, and with 0 when it ends.
    void set_thread(thread_id id) noexcept { id_.store(id); }

    void park_until(time_point due) noexcept
    {
        auto state = choice::none;
        choice_.compare_exchange_strong(state, choice::allowed);
        sleep_.park_until(due);
        state = choice::allowed;
        if (choice_.compare_exchange_strong(state, choice::none))
            return;
        if (state == choice::made)
        {
            place_.leave();
            choice_.store(choice::none);
        }
        else if (state == choice::under_way)
            choice_.compare_exchange_strong(state, choice::too_late);
    }

private:
    enum class choice : unsigned char
    {
        none,      // the watchdog is awake
        allowed,   // the watchdog sleeps, or is about to
        under_way, // a sentinel uses place_
        made,      // the watchdog uses place_
        too_late,  // a sentinel uses place_, and the watchdog is awake already
    };

    parker sleep_;
    wake_up_place place_;
    std::atomic<choice> choice_{choice::none};
    std::atomic<thread_id> id_{};
};

} // namespace asio_ewyk::detail

#endif
