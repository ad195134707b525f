// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_STALL_STALL_DETECTOR_HPP
#define ASIO_EWYK_DETAIL_STALL_STALL_DETECTOR_HPP

#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/stall/lag_finder.hpp>
#include <asio_ewyk/detail/stall/stall_limit.hpp>
#include <asio_ewyk/detail/stall/stall_report_thread.hpp>
#include <asio_ewyk/stall_report.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace asio_ewyk::detail {

// What the stall_monitor sees when it looks at the records of all threads, and what it makes of it.
// The watchdog's thread only.
class stall_detector
{
public:
    struct result
    {
        bool changed = false;      // since the last look
        time_point due = forever;  // when a running handler is to be looked at again
        std::chrono::nanoseconds threshold = std::chrono::hours(1); // the least
    };

    // Gives what it finds to the reporter.
    result look(time_point now, stall_report_thread& reporter) noexcept
    {
        result r;
        reporter_ = &reporter;
        try
        {
            registry_slot::for_each([&](registry_slot& p) { prepare(p, r); });
            thread_activity::for_each([&](thread_activity& a) { look_at(a, now, r); });
            registry_slot::for_each([&](registry_slot& p) { look_for_lag(p, now); });
        }
        catch (...)
        {
            // No memory for findings; the next look may have some.
        }
        return r;
    }

private:
    // The handler that a thread was in.
    struct sighting
    {
        bool known = false;          // the thread was seen before
        std::uint64_t changes = 0;
        time_point since{};          // when it was seen first
        bool stalls = false;         // was found, or left out
        bool found = false;          // was found
        void const* owner = nullptr; // then
    };

    // What is in a slot.
    struct context
    {
        std::size_t tenant = 0;
        std::chrono::nanoseconds longest{}; // that a current handler has run
        task_action runs = nullptr;         // that one
        stall_limit limit{};
        lag_finder lag{};
    };

    // The element of that number, and all before it. Elements stay where they are.
    template <class T>
    static T& at(std::deque<T>& all, std::size_t number)
    {
        while (all.size() <= number)
            all.emplace_back();
        return all[number];
    }

    static bool reports(registry_slot const& p) noexcept
    {
        return p.threshold() != std::chrono::nanoseconds::zero();
    }

    // A thread of a pool that produces is in a task, too, but may wait there without limit.
    static bool runs_handler(thread_activity::sight const& s) noexcept
    {
        return s.now.what && s.now.what(nullptr, task_purpose::describe);
    }

    static registry_slot* find(void const* owner) noexcept
    {
        registry_slot* found = nullptr;
        registry_slot::for_each([&](registry_slot& p) {
            if (p.owner() == owner && reports(p))
                found = &p;
        });
        return found;
    }

    void prepare(registry_slot& p, result& r)
    {
        if (!reports(p))
            return;
        r.threshold = std::min(r.threshold, p.threshold());
        context& c = at(contexts_, p.number());
        if (std::size_t const tenant = p.tenant(); c.tenant != tenant)
        {
            c = context();
            c.tenant = tenant;
        }
        c.longest = {};
        c.runs = nullptr;
    }

    void look_at(thread_activity& a, time_point now, result& r)
    {
        thread_activity::sight const s = a.look();
        sighting& g = at(threads_, a.number());
        if (!g.known || s.changes != g.changes)
        {
            r.changed = true;
            sighting const before = g;
            g = {.known = true, .changes = s.changes, .since = now};
            a.see(s.changes, now);
            if (registry_slot* const p = before.found ? find(before.owner) : nullptr)
                reporter_->add({.kind = stall_kind::ended,
                    .place = p,
                    .owner = before.owner,
                    .where = &a,
                    .time = now - before.since});
        }
        registry_slot* const p = runs_handler(s) ? find(s.now.owner) : nullptr;
        if (!p)
            return;
        std::chrono::nanoseconds const threshold = p->threshold();
        std::chrono::nanoseconds const time = now - g.since;
        context& c = at(contexts_, p->number());
        if (time >= c.longest)
        {
            c.longest = time;
            c.runs = s.now.what;
        }
        if (!g.stalls && time >= threshold)
        {
            g.stalls = true;
            g.owner = s.now.owner;
            if (allows(c, now))
            {
                reporter_->add({.kind = stall_kind::running,
                    .place = p,
                    .owner = g.owner,
                    .where = &a,
                    .sight = s,
                    .since = g.since,
                    .suppressed = c.limit.take_suppressed()});
                g.found = true;
            }
        }
        // Then less and less often, so that its end is seen.
        r.due = std::min(r.due,
            g.stalls ? after(std::max<std::chrono::nanoseconds>(again, time / 16), now)
                     : after(threshold, g.since));
    }

    bool allows(context& c, time_point now) { return c.limit.allows(now, reporter_->full()); }

    void look_for_lag(registry_slot& p, time_point now)
    {
        if (!reports(p))
            return;
        context& c = at(contexts_, p.number());
        p.look(p.owner(), [&](registration const& w) {
            inspectable const& what = w.what();
            if (!what.serves())
                return c.lag.reset();
            auto const found = c.lag.look(now, w.settings().threshold, what.taken(), c.longest,
                [&] { return what.waiting(); });
            if (!found || !allows(c, now))
                return;
            reporter_->add({.kind = stall_kind::lag,
                .place = &p,
                .owner = p.owner(),
                .sight = {.now = {c.runs, nullptr}},
                .time = found->time,
                .ran = found->ran,
                .suppressed = c.limit.take_suppressed()});
        });
    }

    // How soon a stalled handler is looked at again.
    static constexpr auto again = std::chrono::milliseconds(2);

    stall_report_thread* reporter_ = nullptr; // of the look

    std::deque<sighting> threads_; // by number of the record
    std::deque<context> contexts_; // by number of the slot
};

} // namespace asio_ewyk::detail

#endif
