// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Handlers that run on lease: the right to produce stays with the producer unless one is late.

#include "pool_support.hpp"

#include <functional>
#include <set>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(grace)

namespace {

using namespace support;

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

// Nothing is late.
constexpr auto endless = 24h;

auto const either = ewyk::invocation_t::either;
auto const blocking = ewyk::invocation_t::blocking;

BOOST_AUTO_TEST_CASE(a_negative_one_is_refused)
{
    auto const names_it = [](std::invalid_argument const& e) {
        return std::string_view(e.what()).find("grace") != std::string_view::npos;
    };
    ewyk::worker_pool pool;
    asio::io_context ioc;
    source tasks;
    constexpr auto strategy = ewyk::strategy_t::eat_what_you_kill;
    BOOST_CHECK_EXCEPTION(
        ewyk::strategy_context({.grace = -1ns}), std::invalid_argument, names_it);
    BOOST_CHECK_EXCEPTION(
        ewyk::strategy_context(pool, strategy, -1ns), std::invalid_argument, names_it);
    BOOST_CHECK_EXCEPTION(
        ewyk::use_strategy(ioc, strategy, {.grace = -1ns}), std::invalid_argument, names_it);
    BOOST_CHECK_EXCEPTION(ewyk::execution_strategy(tasks, pool, strategy, -1ns),
        std::invalid_argument, names_it);
}

// However long: a handler that blocks stops no other.
BOOST_DATA_TEST_CASE(others_run_while_a_handler_blocks, leasing, s)
{
    for (auto const grace : {1us, 50us, 5000us})
    {
        event release;
        event ran;
        ewyk::strategy_context ctx({.strategy = s, .grace = grace, .max_threads = 4});
        auto const work = asio::make_work_guard(ctx);
        deadline const d(ctx);
        BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
        std::thread caller([&] { ctx.run(); });
        for (int i = 0; i != 3; ++i)
            asio::post(ctx, [&] { release.wait(); });
        asio::post(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking),
            [&] { ran.set(); });
        BOOST_TEST(ran.wait());
        release.set();
        ctx.stop();
        caller.join();
    }
}

// Not even for an I/O operation that completes while the handler blocks.
BOOST_DATA_TEST_CASE(a_timer_fires_while_a_handler_blocks, leasing, s)
{
    event fired;
    ewyk::strategy_context ctx({.strategy = s, .grace = 50us, .max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    asio::steady_timer timer(ctx, 5ms);
    timer.async_wait([&](auto) { fired.set(); });
    bool waited = false;
    asio::post(ctx, [&] { waited = fired.wait(); });
    ctx.run();
    BOOST_TEST(waited);
}

// Does something at its end, but not where it has been moved from.
class at_end
{
public:
    explicit at_end(std::function<void()> f) : f_(std::move(f)) {}

    at_end(at_end&& other) noexcept : f_(std::exchange(other.f_, nullptr)) {}

    ~at_end()
    {
        if (f_)
            f_();
    }

    void operator()() const {}

private:
    std::function<void()> f_;
};

// How long a destructor waits for another handler, in a handler that is posted or dispatched.
std::chrono::steady_clock::duration destructor_waits(
    ewyk::strategy_options const& o, bool dispatched)
{
    event other;
    std::chrono::steady_clock::duration took{};
    ewyk::strategy_context ctx(o);
    deadline const d(ctx);
    auto const wait = [&] {
        auto const begun = std::chrono::steady_clock::now();
        other.wait(5s);
        took = std::chrono::steady_clock::now() - begun;
    };
    if (dispatched)
        asio::post(static_cast<asio::io_context&>(ctx).get_executor(),
            [&] { asio::dispatch(ctx, at_end(wait)); });
    else
        asio::post(ctx, at_end(wait));
    asio::steady_timer timer(ctx, 3ms);
    timer.async_wait([&](auto) { other.set(); });
    ctx.run();
    return took;
}

// As the handler itself may: with a grace of 0 nothing else would have another thread come, and
// with another one it was seen only when the thread was given up for lost. A machine may stall for
// as long, but not five times.
BOOST_DATA_TEST_CASE(the_destructor_of_a_handler_may_block, leasing, s)
{
    for (auto const grace : {0us, 50us})
        for (bool const dispatched : {false, true})
        {
            auto shortest = std::chrono::steady_clock::duration::max();
            for (int attempt = 0; attempt != 5 && shortest > 100ms; ++attempt)
                shortest = std::min(shortest,
                    destructor_waits(
                        {.strategy = s, .grace = grace, .max_threads = 4}, dispatched));
            BOOST_TEST((shortest <= 100ms), grace.count() << ", " << dispatched);
        }
}

// What it dispatches is a part of the handler, and so is what that throws: it leaves run(), or
// reaches on_exception, and not the one that runs next.
BOOST_DATA_TEST_CASE(a_destructor_may_dispatch_what_throws, leasing, s)
{
    std::atomic<int> caught{0};
    std::atomic<int> ran{0};
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    asio::post(
        ctx, at_end([&] { asio::dispatch(ctx, [] { throw std::runtime_error("at the end"); }); }));
    asio::post(ctx, [&] { ++ran; });
    run_and_count(ctx, caught);
    BOOST_TEST(caught == 1);
    BOOST_TEST(ran == 1);
}

// As with a single thread: the producer runs all of them.
BOOST_DATA_TEST_CASE(handlers_in_time_stay_on_one_thread, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .grace = endless, .max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    std::set<std::thread::id> threads;
    // Not so many that it is asked whether one thread is enough.
    for (int i = 0; i != 100; ++i)
        asio::post(ctx, [&] { threads.insert(std::this_thread::get_id()); });
    BOOST_TEST(ctx.run() == 100u);
    BOOST_TEST(threads.size() == 1u);
    BOOST_TEST(threads.count(std::this_thread::get_id()) == 1u);
}

// One that was late leaves, whatever it finds: never do two produce.
BOOST_DATA_TEST_CASE(one_produces_however_many_are_late, leasing, s)
{
    constexpr std::size_t threads = 4;
    constexpr std::size_t many = 300;
    source tasks;
    gathering ran;
    ewyk::worker_pool pool({.max_threads = threads});
    BOOST_TEST_REQUIRE(warm_up(pool, threads));
    {
        ewyk::execution_strategy frames(tasks, pool, s, 1us);
        for (std::size_t i = 0; i != many; ++i)
            tasks.add({[&, i] {
                           if (i % 10 == 0)
                               std::this_thread::sleep_for(2ms); // to be late
                           ran.arrive();
                       },
                i % 3 == 0 ? either : blocking});
        frames.produce();
        BOOST_TEST(ran.wait_for(many));
    }
    BOOST_TEST(!tasks.two_at_once());
}

// Whether it is late or not.
BOOST_DATA_TEST_CASE(production_goes_on_after_an_exception, leasing, s)
{
    for (auto const grace : {std::chrono::nanoseconds(endless), std::chrono::nanoseconds(1us)})
    {
        std::atomic<int> caught{0};
        std::atomic<int> ran{0};
        ewyk::strategy_context ctx({.strategy = s, .grace = grace, .max_threads = 3,
            .on_exception = [&](std::exception_ptr) { ++caught; }});
        deadline const d(ctx);
        BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 3));
        for (int i = 0; i != 30; ++i)
            asio::post(ctx, [&, i] {
                ++ran;
                if (i % 4 == 0)
                    std::this_thread::sleep_for(2ms); // to be late, or not
                if (i % 3 == 0)
                    throw std::runtime_error("as planned");
            });
        run_and_count(ctx, caught);
        BOOST_TEST(ran == 30);
        BOOST_TEST(eventually([&] { return caught == 10; }));
    }
}

// produce() from within a task is dispatch(): what it asks for comes, at the latest after the grace.
BOOST_DATA_TEST_CASE(a_task_may_wait_for_what_it_has_added, leasing, s)
{
    source tasks;
    event second;
    event ran;
    bool waited = false;
    ewyk::worker_pool pool({.max_threads = 3});
    BOOST_TEST_REQUIRE(warm_up(pool, 3));
    {
        ewyk::execution_strategy frames(tasks, pool, s, 50us);
        tasks.add({[&] {
                       tasks.add({[&] { second.set(); }, blocking});
                       frames.produce();
                       waited = second.wait();
                       ran.set();
                   },
            blocking});
        frames.produce();
        BOOST_TEST(ran.wait());
    }
    BOOST_TEST(waited);
}

// What looks after handlers keeps no thread from a task, although there always is a handler.
BOOST_DATA_TEST_CASE(a_lease_keeps_no_thread_from_a_task, leasing, s)
{
    event release;
    std::atomic<bool> ran{false};
    std::function<void()> again;
    ewyk::worker_pool pool({.max_threads = 2});
    BOOST_TEST_REQUIRE(warm_up(pool, 2));
    {
        ewyk::strategy_context ctx(pool, s, endless);
        deadline const d(ctx);
        again = [&] {
            if (!ran)
                asio::post(ctx, again);
        };
        asio::post(ctx, again);
        pool.execute([&] { release.wait(); });
        pool.execute([&] { ran = true; });
        ctx.run();
    }
    BOOST_TEST(ran);
    release.set();
    pool.join();
}

// No caller waits longer for the end because of a lease.
BOOST_DATA_TEST_CASE(it_ends_at_once_on_a_lease, leasing, s)
{
    for (int i = 0; i != 50; ++i)
    {
        int ran = 0;
        ewyk::strategy_context ctx({.strategy = s, .grace = endless, .max_threads = 2});
        BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 2));
        for (int n = 0; n != 10; ++n)
            asio::post(ctx, [&, n] {
                ++ran;
                if (i % 2 == 0 && n == 5)
                    ctx.stop();
            });
        ctx.run();
        BOOST_TEST(ran == (i % 2 == 0 ? 6 : 10));
    }
}

// Where no thread can take over a handler runs all the same; when there is one, it does.
BOOST_AUTO_TEST_CASE(a_small_pool_does_what_it_can)
{
    for (std::size_t const threads : {1u, 2u})
    {
        event begun;
        event release;
        event ran;
        ewyk::strategy_context ctx({.max_threads = threads});
        auto const work = asio::make_work_guard(ctx);
        deadline const d(ctx);
        std::optional<blockade> all(std::in_place, ctx.pool(), threads);
        BOOST_TEST_REQUIRE(all->holds());
        std::thread caller([&] { ctx.run(); });
        asio::post(ctx, [&] {
            begun.set();
            release.wait();
        });
        asio::post(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking),
            [&] { ran.set(); });
        BOOST_TEST(begun.wait());
        all.reset();
        BOOST_TEST(ran.wait());
        release.set();
        ctx.stop();
        caller.join();
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
