// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_DETECTOR_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_DETECTOR_HPP

#include <asio_ewyk/detail/diagnostics/stall_report_thread.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace asio_ewyk::detail {

// How many reports of one context there may be: so many in a second.
class stall_limit
{
public:
    static constexpr std::size_t most = 10;
    static constexpr std::chrono::nanoseconds window = std::chrono::seconds(1);

    // `full`: there is no room for one.
    bool allows(time_point now, bool full = false) noexcept
    {
        if (n_ == 0 || now - began_ >= window)
        {
            began_ = now;
            n_ = 0;
        }
        if (n_ == most || full)
        {
            ++suppressed_;
            return false;
        }
        ++n_;
        return true;
    }

    // How many were not allowed since this was asked last.
    std::size_t take_suppressed() noexcept { return std::exchange(suppressed_, 0); }

private:
    time_point began_{};
    std::size_t n_ = 0; // in this window
    std::size_t suppressed_ = 0;
};

// What the detector knows of what is in a slot.
struct stall_notes
{
    std::size_t tenant = 0;
    stall_limit limit{};
};

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
            // The thread may have ended since its handler was reported.
            thread_activity::for_all([&](thread_activity& a) {
                if (a.in_use() || a.found.reported)
                    look_at(a, now, r);
            });
        }
        catch (...)
        {
            // No memory for findings; the next look may have some.
        }
        return r;
    }

private:
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
        if (!p.notes)
            p.notes = new stall_notes;
        if (std::size_t const tenant = p.tenant(); p.notes->tenant != tenant)
            *p.notes = {.tenant = tenant};
    }

    void look_at(thread_activity& a, time_point now, result& r)
    {
        thread_activity::sight const s = a.look();
        time_point since = s.seen;
        if (since == time_point())
        {
            r.changed = true;
            since = now;
            time_point const before = a.see(s.changes, now);
            void const* const owner = std::exchange(a.found, {}).reported;
            if (registry_slot* const p = owner ? find(owner) : nullptr)
                reporter_->add({.kind = stall_kind::ended,
                    .place = p,
                    .owner = owner,
                    .where = &a,
                    .time = now - before});
        }
        registry_slot* const p = runs_handler(s) ? find(s.now.owner) : nullptr;
        if (!p || !p->notes)
            return;
        std::chrono::nanoseconds const threshold = p->threshold();
        std::chrono::nanoseconds const time = now - since;
        if (!a.found.stalls && time >= threshold)
        {
            a.found.stalls = true;
            if (report(now, {.kind = stall_kind::running,
                               .place = p,
                               .owner = s.now.owner,
                               .where = &a,
                               .sight = s,
                               .since = since}))
                a.found.reported = s.now.owner;
        }
        // Then less and less often, so that its end is seen.
        r.due = std::min(r.due,
            a.found.stalls ? after(std::max<std::chrono::nanoseconds>(again, time / 16), now)
                           : after(threshold, since));
    }

    // False if there were too many of that context.
    bool report(time_point now, stall_report_thread::finding f)
    {
        stall_limit& limit = f.place->notes->limit;
        if (!limit.allows(now, reporter_->full()))
            return false;
        f.suppressed = limit.take_suppressed();
        reporter_->add(f);
        return true;
    }

    // How soon a stalled handler is looked at again.
    static constexpr auto again = std::chrono::milliseconds(2);

    stall_report_thread* reporter_ = nullptr; // of the look
};

} // namespace asio_ewyk::detail

#endif
