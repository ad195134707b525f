// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A pool that is low on threads says so.

#include "pool_support.hpp"

#include <asio_ewyk/detail/os/this_thread.hpp>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_low_on_threads)

namespace {

// Keeps n threads of a pool busy while it lives.
class busy_threads
{
public:
    busy_threads(ewyk::worker_pool& pool, std::size_t n)
    {
        for (std::size_t i = 0; i != n; ++i)
            pool.execute([this] {
                ++begun_;
                release_.wait();
                ++ended_;
            });
        BOOST_TEST_REQUIRE(eventually([&] { return begun_ == n; }));
    }

    void end()
    {
        release_.set();
        BOOST_TEST(eventually([&] { return ended_ == begun_; }));
    }

    ~busy_threads() { end(); }

private:
    std::atomic<std::size_t> begun_{0};
    std::atomic<std::size_t> ended_{0};
    event release_;
};

BOOST_AUTO_TEST_CASE(it_is_told_once_until_no_task_waits)
{
    std::atomic<int> told{0};
    ewyk::worker_pool pool({.max_threads = 2, .on_low_on_threads = [&] { ++told; }});
    BOOST_TEST(!pool.low_on_threads());
    {
        busy_threads busy(pool, 2);
        BOOST_TEST(!pool.low_on_threads());
        BOOST_TEST(told == 0);
        for (int i = 0; i != 5; ++i)
            pool.execute([] {});
        BOOST_TEST(pool.low_on_threads());
        BOOST_TEST(pool.metrics().low_on_threads_now);
        BOOST_TEST(told == 1);
    }
    BOOST_TEST(eventually([&] { return !pool.low_on_threads(); }));
    BOOST_TEST(pool.metrics().low_on_threads == 1u);
    BOOST_TEST(!pool.metrics().low_on_threads_now);
}

BOOST_AUTO_TEST_CASE(each_time_is_counted)
{
    ewyk::worker_pool pool({.max_threads = 1});
    for (unsigned i = 1; i != 4; ++i)
    {
        busy_threads busy(pool, 1);
        pool.execute([] {});
        pool.execute([] {});
        BOOST_TEST(pool.metrics().low_on_threads == i);
        busy.end();
        // As long as the thread runs the last task, the next one waits, and that counts.
        BOOST_TEST_REQUIRE(eventually([&] { return pool.parked_threads() == 1; }));
        BOOST_TEST(!pool.low_on_threads());
    }
}

// At most ten times a second, but not left out.
BOOST_AUTO_TEST_CASE(what_begins_soon_after_the_last_time_is_told_later)
{
    std::atomic<int> told{0};
    ewyk::worker_pool pool({.max_threads = 1, .on_low_on_threads = [&] { ++told; }});
    for (int i = 1; i != 3; ++i)
    {
        busy_threads busy(pool, 1);
        BOOST_TEST(eventually([&] {
            pool.execute([] {});
            return told == i;
        }));
        pool.execute([] {});
        BOOST_TEST(told == i);
        busy.end();
        BOOST_TEST_REQUIRE(eventually([&] { return pool.parked_threads() == 1; }));
        BOOST_TEST(!pool.low_on_threads());
    }
}

// As long as threads may come, it is not.
BOOST_AUTO_TEST_CASE(a_pool_that_may_grow_is_not_low)
{
    std::atomic<int> told{0};
    ewyk::worker_pool pool({.max_threads = 8, .on_low_on_threads = [&] { ++told; }});
    busy_threads busy(pool, 8);
    BOOST_TEST(told == 0);
    BOOST_TEST(pool.metrics().low_on_threads == 0u);
}

// What is told may use the pool: here it lets the tasks run by allowing more threads.
BOOST_AUTO_TEST_CASE(more_threads_may_be_allowed_then)
{
    ewyk::worker_pool* self = nullptr;
    event ran;
    ewyk::worker_pool pool({.max_threads = 4, .on_low_on_threads = [&] {
                                auto limits = self->limits();
                                limits.max_threads = 4;
                                self->limit(limits);
                            }});
    self = &pool;
    pool.limit({.max_threads = 1});
    busy_threads busy(pool, 1);
    pool.execute([&] { ran.set(); });
    BOOST_TEST(ran.wait());
}

BOOST_AUTO_TEST_CASE(a_context_tells_it_of_its_own_pool)
{
    event told;
    ewyk::strategy_options o;
    o.strategy = ewyk::strategy.produce_execute_consume;
    o.max_threads = 1;
    o.on_low_on_threads = [&] { told.set(); };
    ewyk::strategy_context ctx(o);
    for (int i = 0; i != 3; ++i)
        asio::post(ctx, [&] { told.wait(); });
    ctx.run();
    BOOST_TEST(told.wait());
}

#if defined(ASIO_EWYK_HAS_LINUX)

// It may be told on the watchdog's thread, whose locks a fork waits for, and another context.
BOOST_AUTO_TEST_CASE(what_is_told_may_fork_and_run_a_context)
{
    event told;
    std::string name;
    bool ran = false;
    int status = -1;
    ewyk::worker_pool pool({.max_threads = 2, .on_low_on_threads = [&] {
                                if (!name.empty())
                                    return;
                                name = ewyk::detail::name_of_this_thread();
                                pid_t const child = ::fork();
                                if (child == 0)
                                    ::_exit(0);
                                ::waitpid(child, &status, 0);
                                ewyk::strategy_context other;
                                asio::post(other, [&] { ran = true; });
                                other.run();
                                told.set();
                            }});
    // They are busy when a thread is to take over.
    blockade both(pool, 2);
    BOOST_TEST_REQUIRE(both.holds());
    bool waited = false;
    ewyk::strategy_context ctx(pool);
    asio::post(ctx, [&] { waited = told.wait(); });
    ctx.run();
    BOOST_TEST(waited);
    BOOST_TEST(name == "ewyk-watchdog-0");
    BOOST_TEST(status == 0);
    BOOST_TEST(ran);
}

#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
