// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Contexts with a fixed `concurrency`: how many threads run handlers at a time.

#include <asio_ewyk/detail/asio/observed_waits.hpp>
#include <asio_ewyk/detail/engine/parallelism.hpp>
#include <asio_ewyk/diagnostics/dump.hpp>

#include "pool_support.hpp"
#include "use_cpu.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

BOOST_AUTO_TEST_SUITE(concurrency)

namespace {

using namespace support;

// Nothing is late.
constexpr auto endless = 24h;

bool may_be_several() { return ewyk::detail::observed_waits::are_had(); }

bool names_it(std::invalid_argument const& e)
{
    return std::string_view(e.what()).find("strategy_options::concurrency") != std::string_view::npos;
}

// Has helpers come, which stay until the end. The windows are of a clock that goes by the checks.
class checked_parallelism
{
public:
    explicit checked_parallelism(std::size_t concurrency, std::size_t max_threads = 8)
        : pool_({.max_threads = max_threads})
        , of_(threads_, &checked_parallelism::help, this, concurrency, 2)
    {
    }

    ~checked_parallelism()
    {
        release_.set();
        threads_.leave_pool();
    }

    // At the end of a window in which so many handlers were run: whether helpers are wanted.
    bool check(std::size_t handlers, bool inside = true)
    {
        of_.count(handlers);
        of_.on_check(now_ += parallelism::window, inside, inside);
        return of_.wants_help();
    }

    // As check(), but the producer has waited in that window.
    bool check_idle()
    {
        of_.producer_polls(true);
        return check(1, false);
    }

    void release() { release_.set(); }
    std::size_t came() const { return came_; }
    std::size_t inside() const { return inside_; }

private:
    using parallelism = ewyk::detail::parallelism;

    static void help(void* self, parallelism::helper& h)
    {
        auto& here = *static_cast<checked_parallelism*>(self);
        ++here.inside_;
        ++here.came_;
        here.release_.wait();
        here.of_.progressed(h);
        here.of_.report_enough();
        --here.inside_;
    }

    ewyk::worker_pool pool_;
    ewyk::detail::workforce threads_{ewyk::detail::pool_access::threads(pool_), this, true, false};
    std::atomic<std::size_t> came_{0};
    std::atomic<std::size_t> inside_{0};
    event release_;
    std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
    parallelism of_;
};

} // namespace

BOOST_AUTO_TEST_CASE(one_that_cannot_be_kept_is_refused)
{
    auto const refused = [](ewyk::strategy_options const& o) {
        BOOST_CHECK_EXCEPTION(ewyk::strategy_context{o}, std::invalid_argument, names_it);
        asio::io_context ioc;
        BOOST_CHECK_EXCEPTION(
            ewyk::use_strategy(ioc, o.strategy, o), std::invalid_argument, names_it);
        BOOST_CHECK_EXCEPTION(ewyk::strategy_context_group(2, o), std::invalid_argument, names_it);
        ewyk::worker_pool pool;
        BOOST_CHECK_EXCEPTION(
            ewyk::strategy_context(pool, o.strategy, o.grace, o.policy, o.concurrency),
            std::invalid_argument, names_it);
        BOOST_CHECK_EXCEPTION(
            ewyk::use_strategy(ioc, o.strategy, pool, o.grace, o.policy, o.concurrency),
            std::invalid_argument, names_it);
    };
    refused({.concurrency = 257});
    refused({.concurrency = static_cast<std::size_t>(-1)});
    refused({.strategy = ewyk::strategy.produce_consume, .concurrency = 2});
    refused({.strategy = ewyk::strategy.produce_execute_consume, .concurrency = 1});
    refused({.grace = 0ns, .concurrency = 1});
    refused({.strategy = ewyk::strategy.execute_produce_consume, .grace = 0ns, .concurrency = 2});
}

BOOST_AUTO_TEST_CASE(others_are_taken)
{
    BOOST_CHECK_NO_THROW(ewyk::strategy_context({.concurrency = 1}));
    BOOST_CHECK_NO_THROW(ewyk::strategy_context({.concurrency = 256}));
    BOOST_CHECK_NO_THROW(
        ewyk::strategy_context({.strategy = ewyk::strategy.produce_consume, .concurrency = 1}));
    BOOST_CHECK_NO_THROW(ewyk::strategy_context(
        {.strategy = ewyk::strategy.produce_consume, .grace = 0ns, .concurrency = 1}));
    BOOST_CHECK_NO_THROW(ewyk::strategy_context(
        {.strategy = ewyk::strategy.execute_produce_consume, .concurrency = 3}));
}

// What is run counts for nothing: not more handlers than by one thread, and then none.
BOOST_AUTO_TEST_CASE(several_are_wanted_whether_they_get_more_done_or_not)
{
    checked_parallelism three(3);
    three.check(1);
    for (int i = 0; i != 1000; ++i)
        BOOST_TEST_REQUIRE(three.check(i < 500 ? 1000 : 1));
}

// One is out of CPU time, and the policy would try others.
BOOST_AUTO_TEST_CASE(one_wants_none)
{
    auto const wants_help = [](std::size_t concurrency, int windows) {
        checked_parallelism p(concurrency, 0);
        for (int i = 0; i != windows; ++i)
        {
            use_cpu(ewyk::detail::parallelism::window);
            if (p.check(100))
                return true;
        }
        return false;
    };
    BOOST_TEST(wants_help(0, 10));
    BOOST_TEST(wants_help(2, 10));
    BOOST_TEST(!wants_help(1, 30));
}

BOOST_AUTO_TEST_CASE(as_many_help_as_are_missing)
{
    for (std::size_t const n : {2u, 3u, 5u})
    {
        checked_parallelism p(n);
        bool const all = eventually([&] {
            p.check(100);
            return p.came() == n - 1;
        });
        BOOST_TEST_REQUIRE(all);
        for (int i = 0; i != 100; ++i)
            p.check(100);
        BOOST_TEST(p.came() == n - 1);
    }
}

// A producer that waits for I/O needs no help, and its helpers find nothing.
BOOST_AUTO_TEST_CASE(helpers_leave_when_there_is_nothing_to_do)
{
    checked_parallelism p(3);
    for (int i = 0; i != 100; ++i)
        BOOST_TEST_REQUIRE(!p.check_idle());
    bool const came = eventually([&] {
        p.check(100);
        return p.came() == 2;
    });
    BOOST_TEST_REQUIRE(came);
    // They are in handlers.
    for (int i = 0; i != 100; ++i)
        BOOST_TEST_REQUIRE(p.check_idle());
    p.release();
    BOOST_TEST(eventually([&] { return p.inside() == 0; }));
    BOOST_TEST(eventually([&] { return !p.check_idle(); }));
    // And there is something to do again.
    p.check(100);
    BOOST_TEST(p.check(100));
}

// A deadline that is generous, as the threads may come one a check.
BOOST_DATA_TEST_CASE(so_many_handlers_that_wait_for_each_other_all_get_in,
    boost::unit_test::data::make({0u, 8u}) * boost::unit_test::data::make({false, true}),
    max_threads, native)
{
    if (!may_be_several())
        return;
    constexpr std::size_t many = 3;
    ewyk::strategy_context ctx({.grace = endless, .concurrency = many, .max_threads = max_threads});
    asio::any_io_executor ex = ctx.get_executor();
    if (native)
        ex = static_cast<asio::io_context&>(ctx).get_executor();
    deadline const in_time(ctx);
    gathering all;
    std::atomic<int> in_vain{0};
    for (std::size_t i = 0; i != many; ++i)
        asio::post(ex, [&] { in_vain += !all.arrive_and_wait_for(many); });
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i != (max_threads == 0 ? many : 1); ++i)
        callers.emplace_back([&] { ctx.run(); });
    for (auto& t : callers)
        t.join();
    BOOST_TEST(in_vain == 0);
    BOOST_TEST(ctx.metrics().taken_over == 0u);
}

// More than the concurrency.
BOOST_AUTO_TEST_CASE(handlers_that_sleep_do_not_count)
{
    if (!may_be_several())
        return;
    constexpr std::size_t many = 6;
    ewyk::strategy_context ctx({.grace = endless, .concurrency = 2, .max_threads = 8});
    deadline const in_time(ctx);
    gathering all;
    std::atomic<int> in_vain{0};
    for (std::size_t i = 0; i != many; ++i)
        asio::post(ctx, [&] { in_vain += !all.arrive_and_wait_for(many); });
    ctx.run();
    BOOST_TEST(in_vain == 0);
    BOOST_TEST(ctx.metrics().taken_over == 0u);
}

// Handlers that compute for dozens of windows, or until another thread than the caller runs one.
// Otherwise the policy would try helpers, if the process has two CPUs.
BOOST_AUTO_TEST_CASE(handlers_that_compute_get_as_many_threads)
{
    auto const others_come = [](std::size_t concurrency, int handlers) {
        ewyk::strategy_context ctx(
            {.grace = endless, .concurrency = concurrency, .max_threads = 8});
        auto const caller = std::this_thread::get_id();
        std::atomic<int> left{handlers};
        std::atomic<bool> elsewhere{false};
        std::function<void()> const compute = [&] {
            if (std::this_thread::get_id() != caller)
                elsewhere = true;
            use_cpu(1ms);
            if (!elsewhere && --left > 0)
                asio::post(ctx, compute);
        };
        for (int i = 0; i != 4; ++i)
            asio::post(ctx, compute);
        ctx.run();
        BOOST_TEST((elsewhere || ctx.pool().threads_started() == 0));
        return elsewhere.load();
    };
    BOOST_TEST(!others_come(1, 500));
    BOOST_TEST((!may_be_several() || others_come(2, 60'000)));
}

// Without I/O a thread that waits is seen by no one, until the context has some.
BOOST_AUTO_TEST_CASE(an_idle_context_without_io_is_seen_to_wait)
{
    if (!may_be_several())
        return;
    ewyk::strategy_context ctx({.grace = endless, .concurrency = 3, .max_threads = 4});
    auto work = std::make_optional(asio::make_work_guard(ctx));
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(eventually([&] { return ctx.metrics().waits_observed; }));
    work.reset();
    caller.join();
}

// All threads of the pool help without an end, and it has another task.
BOOST_AUTO_TEST_CASE(threads_that_help_leave_for_what_waits_in_the_pool)
{
    if (!may_be_several())
        return;
    ewyk::strategy_context ctx({.grace = endless, .concurrency = 4, .max_threads = 2});
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<bool> over{false};
    std::function<void()> const compute = [&] {
        {
            std::lock_guard const lock(mutex);
            threads.insert(std::this_thread::get_id());
        }
        use_cpu(100us);
        if (!over)
            asio::post(ctx, compute);
    };
    for (int i = 0; i != 8; ++i)
        asio::post(ctx, compute);
    std::thread caller([&] { ctx.run(); });
    bool const all_help = eventually([&] {
        std::lock_guard const lock(mutex);
        return threads.size() == 3;
    });
    event ran;
    ctx.pool().execute([&] { ran.set(); });
    bool const in_time = ran.wait();
    over = true;
    caller.join();
    BOOST_TEST(all_help);
    BOOST_TEST(in_time);
}

BOOST_AUTO_TEST_CASE(a_late_handler_makes_room_also_for_one)
{
    ewyk::strategy_context ctx({.concurrency = 1, .max_threads = 4});
    deadline const in_time(ctx);
    event ran;
    bool in_time_for_it = false;
    asio::post(ctx, [&] { in_time_for_it = ran.wait(); });
    asio::post(ctx, [&] { ran.set(); });
    ctx.run();
    BOOST_TEST(in_time_for_it);
}

BOOST_AUTO_TEST_CASE(dump_tells_that_there_are_fewer_threads)
{
    auto const told = [](ewyk::strategy_options const& o) {
        ewyk::strategy_context ctx(o);
        std::ostringstream text;
        asio::post(ctx, [&] { ewyk::dump(text); });
        ctx.run();
        return text.str();
    };
    auto const has = [](std::string const& text, char const* part) {
        return text.find(part) != std::string::npos;
    };
    std::string const too_few = told({.concurrency = 8, .max_threads = 2, .name = "few"});
    BOOST_TEST(has(too_few, may_be_several() ? ", concurrency 8, but 3 threads" : ", but 1 threads"),
        too_few);
    std::string const none = told({.concurrency = 2, .max_threads = 0, .name = "none"});
    BOOST_TEST(has(none, ", concurrency 2, but 1 threads"), none);
    std::string const one = told({.concurrency = 1, .name = "one"});
    BOOST_TEST((has(one, ", concurrency 1,") && !has(one, ", but ")), one);
    std::string const any = told({.name = "any"});
    BOOST_TEST(!has(any, ", concurrency "), any);
}

BOOST_AUTO_TEST_SUITE_END()
