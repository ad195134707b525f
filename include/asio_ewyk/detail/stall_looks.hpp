#ifndef ASIO_EWYK_DETAIL_STALL_LOOKS_HPP
#define ASIO_EWYK_DETAIL_STALL_LOOKS_HPP

#include <asio_ewyk/detail/handler_name.hpp>
#include <asio_ewyk/detail/lag_finder.hpp>
#include <asio_ewyk/detail/stack_capture.hpp>
#include <asio_ewyk/detail/stall_limit.hpp>
#include <asio_ewyk/detail/stall_teller.hpp>
#include <asio_ewyk/detail/thread_activity.hpp>
#include <asio_ewyk/detail/this_thread.hpp>
#include <asio_ewyk/detail/watch_place.hpp>
#include <asio_ewyk/detail/watched.hpp>
#include <asio_ewyk/stall_report.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace asio_ewyk::detail {

// What the stall_monitor sees when it looks at the records of all threads, and what it makes of it.
// Its thread only.
class stall_looks
{
public:
    struct result
    {
        std::uint64_t changes = 0; // since the look before
        time_point due = forever;  // when one of the handlers that run is to be looked at again
        std::chrono::nanoseconds threshold = std::chrono::hours(1); // the least
    };

    // Reports what it finds.
    result look(time_point now) noexcept
    {
        result r;
        try
        {
            watch_place::for_each([&](watch_place& p) { prepare(p, r); });
            thread_activity::for_each([&](thread_activity const& a) { look_at(a, now, r); });
            watch_place::for_each([&](watch_place& p) { look_for_lag(p, now); });
        }
        catch (...)
        {
            // No memory for what this would remember or report; the next look may have some.
        }
        return r;
    }

private:
    // The handler that a thread was in.
    struct sighting
    {
        bool known = false; // the thread was seen before
        std::uint64_t changes = 0;
        time_point since{};                 // it began, or was seen first
        bool stalls = false;                // was reported, or left out
        std::optional<stall_report> told{}; // the report
        void const* owner = nullptr;        // then
    };

    // What is at a place.
    struct context
    {
        std::size_t tenant = 0;
        std::chrono::nanoseconds longest{}; // that a handler has run which runs now
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

    static bool reports(watch_place const& p) noexcept
    {
        return p.threshold() != std::chrono::nanoseconds::zero();
    }

    // A thread of a pool that produces is in a task, too, but may wait there as long as it likes.
    static bool runs_handler(thread_activity::sight const& s) noexcept
    {
        return s.now.what && s.now.what(nullptr, task_purpose::describe);
    }

    static watch_place* find(void const* owner) noexcept
    {
        watch_place* found = nullptr;
        watch_place::for_each([&](watch_place& p) {
            if (p.owner() == owner && reports(p))
                found = &p;
        });
        return found;
    }

    void prepare(watch_place& p, result& r)
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

    void look_at(thread_activity const& a, time_point now, result& r)
    {
        thread_activity::sight const s = a.look();
        sighting& g = at(threads_, a.number());
        if (!g.known || s.changes != g.changes)
        {
            r.changes += g.known ? s.changes - g.changes : 1;
            sighting const before = std::exchange(g, sighting());
            g.known = true;
            g.changes = s.changes;
            g.since = s.began == time_point() ? now : std::min(s.began, now);
            if (before.told)
                report_end(before);
        }
        watch_place* const p = runs_handler(s) ? find(s.now.owner) : nullptr;
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
            report(a, s, g, *p);
        }
        // Then less and less often, so that its end is seen.
        r.due = std::min(r.due,
            g.stalls ? after(std::max<std::chrono::nanoseconds>(again, time / 16), now)
                     : after(threshold, g.since));
    }

    void report(thread_activity const& a, thread_activity::sight const& s, sighting& g,
        watch_place& p)
    {
        p.look(s.now.owner, [&](stall_teller const& w) {
            stall_report r;
            r.context = w.settings().context;
            r.handler = handler_name(s.now.what);
            if (s.where.file)
                r.location.emplace(s.where.file, s.where.line, s.where.function);
            r.thread_id = a.thread();
            r.thread_name = thread_name(a.thread());
            r.sleeps = sleeps(a.thread());
            r.waiting = w.what().waiting();
            // If it has ended meanwhile, nothing of this needs to be true.
            if (a.changes() != s.changes)
                return;
            time_point const now = std::chrono::steady_clock::now();
            stall_limit& limit = at(contexts_, p.number()).limit;
            if (!limit.allows(now))
                return;
            r.suppressed = limit.take_suppressed();
            r.time = now - g.since;
            // Last: the signal may end what the handler waits for, and so the handler.
            if (w.settings().stack_signal != 0)
                r.stack = stack_capture::of(a, s.changes, w.settings().stack_signal);
            g.told = r;
            w.tell(r);
        });
    }

    void report_end(sighting const& g)
    {
        watch_place* const p = find(g.owner);
        if (!p)
            return;
        p->look(g.owner, [&](stall_teller const& w) {
            stall_report r = *g.told;
            r.kind = stall_kind::ended;
            r.time = std::chrono::steady_clock::now() - g.since;
            r.sleeps = false;
            r.waiting = w.what().waiting();
            r.stack.clear();
            r.suppressed = 0;
            w.tell(r);
        });
    }

    void look_for_lag(watch_place& p, time_point now)
    {
        if (!reports(p))
            return;
        context& c = at(contexts_, p.number());
        p.look(p.owner(), [&](stall_teller const& w) {
            watched const& what = w.what();
            if (!what.serves())
                return c.lag.reset();
            auto const found = c.lag.look(now, w.settings().threshold, what.taken(), c.longest,
                [&] { return what.waiting(); });
            if (!found || !c.limit.allows(now))
                return;
            stall_report r;
            r.kind = stall_kind::lag;
            r.context = w.settings().context;
            r.handler = handler_name(c.runs);
            r.time = found->time;
            r.ran = found->ran;
            r.waiting = what.waiting();
            r.suppressed = c.limit.take_suppressed();
            w.tell(r);
        });
    }

    // How soon a stalled handler is looked at again.
    static constexpr auto again = std::chrono::milliseconds(2);

    std::deque<sighting> threads_; // by number of the record
    std::deque<context> contexts_; // by number of the place
};

} // namespace asio_ewyk::detail

#endif
