// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The watchdog: each check that is asked for comes, also where clients come and go.

#define ASIO_EWYK_DETAIL_WATCH_CPU_SENTINEL_HPP // has its own

#include "check.hpp"
#include "stand_ins.hpp"
#include "checked_futex.hpp"

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>

#include <boost/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/watch/watchdog_sleep.hpp>
#include <asio_ewyk/detail/watch/watched_lease.hpp>

namespace asio_ewyk::detail {

// Its thread is one of the scenario's.
class cpu_sentinel
{
public:
    static bool is_refused() noexcept { return false; }
    static void reset_refusal() noexcept {}
    static cpu_sentinel* activate(int, watchdog_sleep& of_watchdog) noexcept
    {
        one->watchdog_sleep_ = &of_watchdog;
        return one;
    }

    void request_end() noexcept {}
    void join() noexcept {}
    watched_lease* take_told() noexcept { return told_.exchange(nullptr); }
    void forget_thread() noexcept {}

    void tell(watched_lease& l) noexcept
    {
        told_.store(&l);
        watchdog_sleep_->unpark_on_this_cpu();
    }

    static inline cpu_sentinel* one = nullptr;

private:
    watchdog_sleep* watchdog_sleep_ = nullptr;
    std::atomic<watched_lease*> told_{nullptr};
};

}

#include <asio_ewyk/detail/watch/watchdog.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(watchdog)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

// Checks what it was woken for.
struct client : detail::watchdog::client
{
    detail::time_point on_timer(detail::time_point) noexcept override
    {
        claim(!gone, "it is there");
        if (todo.load(std::memory_order_relaxed) != 0)
        {
            todo.store(0, std::memory_order_relaxed);
            seen.unpark();
        }
        return detail::forever;
    }

    void ask(detail::watchdog& w)
    {
        todo.store(1, std::memory_order_relaxed);
        w.wake(*this);
    }

    void wait() { seen.park_until(detail::forever); }

    checked::atomic<int> todo{0};
    detail::futex_parker seen;
    bool gone = false;
};

// Both ask; the thread is started by one of them, and ends with the last.
struct two_ask : scenario
{
    two_ask()
    {
        watchdog.add(clients[0]);
        watchdog.add(clients[1]);
    }

    void thread(unsigned index) override
    {
        client& c = clients[index];
        for (int i = 0; i != 2; ++i)
        {
            c.ask(watchdog);
            c.wait();
        }
        watchdog.remove(c);
        c.gone = true;
    }

    detail::watchdog watchdog;
    client clients[2];
};

// Two ask for the same.
struct same_client : scenario
{
    same_client() { watchdog.add(c); }

    void thread(unsigned index) override
    {
        todo[index].store(1, std::memory_order_relaxed);
        watchdog.wake(c);
        if (index != 0)
            return done.unpark();
        done.park_until(detail::forever);
        c.seen.park_until(detail::forever);
        watchdog.remove(c);
    }

    struct taker : detail::watchdog::client
    {
        explicit taker(same_client& s)
            : all(s)
        {
        }

        detail::time_point on_timer(detail::time_point) noexcept override
        {
            for (int i = 0; i != 2; ++i)
                if (all.todo[i].load(std::memory_order_relaxed) != 0)
                {
                    all.todo[i].store(0, std::memory_order_relaxed);
                    if (++checked_so_far == 2)
                        seen.unpark();
                }
            return detail::forever;
        }

        same_client& all;
        int checked_so_far = 0;
        detail::futex_parker seen;
    };

    detail::watchdog watchdog;
    taker c{*this};
    checked::atomic<int> todo[2]{0, 0};
    detail::futex_parker done;
};

// A sentinel, which a check has activated, tells of a lease.
struct one_is_told : scenario
{
    one_is_told()
    {
        detail::cpu_sentinel::one = &sentinel;
        watchdog.add(c, true, &lease);
    }

    void thread(unsigned index) override
    {
        if (index == 1)
        {
            c.called.park_until(detail::forever);
            c.todo.store(1, std::memory_order_relaxed);
            return sentinel.tell(lease);
        }
        watchdog.wake(c);
        c.wait();
        watchdog.remove(c);
        c.gone = true;
    }

    struct caller : client
    {
        explicit caller(one_is_told& s)
            : all(s)
        {
        }

        detail::time_point on_timer(detail::time_point now) noexcept override
        {
            if (!std::exchange(has_called, true))
            {
                all.watchdog.activate_sentinel(0);
                called.unpark();
            }
            return client::on_timer(now);
        }

        one_is_told& all;
        bool has_called = false;
        detail::futex_parker called;
    };

    detail::cpu_sentinel sentinel;
    detail::watched_lease lease;
    detail::watchdog watchdog;
    caller c{*this};
};

// The last one goes while another one comes.
struct one_goes_one_comes : scenario
{
    one_goes_one_comes()
    {
        watchdog.add(clients[0]);
    }

    void thread(unsigned index) override
    {
        client& c = clients[index];
        if (index == 1)
            watchdog.add(c);
        c.todo.store(1, std::memory_order_relaxed);
        watchdog.wake(c);
        c.wait();
        watchdog.remove(c);
        c.gone = true;
    }

    detail::watchdog watchdog;
    client clients[2];
};

std::vector<named_setup> const scenarios{
    {"two ask", setup_of<two_ask>(2, 2), 10'000},
    {"two ask for the same", setup_of<same_client>(2, 2), 10'000},
    {"one is told", setup_of<one_is_told>(2, 2), 10'000},
    {"one goes, one comes", setup_of<one_goes_one_comes>(2, 2), 10'000},
};

}

BOOST_AUTO_TEST_CASE(checks_all)
{
    keep_apart((void**)&detail::watchdog::calls_);
    check(scenarios);
    weaken(scenarios,
        {
            {"watchdog.ipp mark", access::modify, seq_cst, release, "the thread that checks acquires"},
            {"watchdog.ipp take_woken", access::modify, seq_cst, acquire, "it publishes nothing"},
        });
}

BOOST_AUTO_TEST_SUITE_END()
