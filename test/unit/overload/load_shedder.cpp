// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/overload/load_shedder.hpp>

#include "../pool_support.hpp"

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/use_strategy.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(load_shedder)

namespace {

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;

constexpr ewyk::load_shedder::time_point long_ago{};

// From the second one on, everything that waits is refused.
constexpr ewyk::load_shedder_options strict{.max_queue_delay = 1ns, .interval = 0ns};

// Returns when the clock has gone on by that.
void pass(std::chrono::nanoseconds time)
{
    auto const then = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() <= then)
        std::this_thread::yield();
}

void pass_some_time()
{
    pass(1us);
}

// Has it run by an executor, or destroyed.
template <class Executor, class F>
void submit(ewyk::load_shedder& shedder, Executor const& executor, F f,
    ewyk::load_shedder::time_point deadline = ewyk::load_shedder::time_point::max())
{
    shedder.async_admit(deadline,
        asio::bind_executor(executor, [f = std::move(f)](error_code refused) mutable {
            if (!refused)
                f();
        }));
}

} // namespace

BOOST_AUTO_TEST_CASE(options_that_cannot_work_are_refused)
{
    auto const names = [](std::string_view option) {
        return [=](std::invalid_argument const& e) {
            return std::string_view(e.what()).starts_with(
                "load_shedder_options::" + std::string(option) + " must be ");
        };
    };
    BOOST_CHECK_EXCEPTION(ewyk::load_shedder({.max_queue_delay = 0ns}), std::invalid_argument,
        names("max_queue_delay"));
    BOOST_CHECK_EXCEPTION(
        ewyk::load_shedder({.interval = -1ns}), std::invalid_argument, names("interval"));
    BOOST_TEST((ewyk::load_shedder({.interval = 0ns}).options().interval == 0ns));
}

// Executors

namespace {

template <class Executor>
void runs_all_by(Executor const& inner, std::function<void()> const& run)
{
    constexpr int many = 100;
    ewyk::load_shedder shedder({.max_queue_delay = 24h});
    std::atomic<int> ran{0};
    gathering done;
    for (int i = 0; i != many; ++i)
        submit(shedder, inner, [&, own = std::make_unique<int>(1)] {
            ran += *own;
            done.arrive();
        });
    run();
    BOOST_TEST(done.wait_for(many));
    BOOST_TEST(ran == many);
    auto const m = shedder.metrics();
    BOOST_TEST(m.refused + m.late == 0u);
}

} // namespace

BOOST_AUTO_TEST_CASE(admits_to_any_executor)
{
    auto const nothing = [] {};
    {
        asio::io_context ctx;
        runs_all_by(ctx.get_executor(), [&] { ctx.run(); });
        runs_all_by(asio::any_io_executor(ctx.get_executor()), [&] { ctx.restart(), ctx.run(); });
    }
    {
        ewyk::strategy_context ctx;
        runs_all_by(ctx.get_executor(), [&] { ctx.run(); });
        runs_all_by(
            asio::make_strand(ctx.get_executor()), [&] { ctx.restart(), ctx.run(); });
    }
    ewyk::worker_pool workers;
    runs_all_by(workers.get_executor(), nothing);
    ewyk::event_loop loop;
    runs_all_by(loop.get_executor(), nothing);
    asio::thread_pool pool(2);
    runs_all_by(pool.get_executor(), nothing);
}

BOOST_AUTO_TEST_CASE(counts_as_work_of_the_context)
{
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder;
    bool ran = false;
    submit(shedder, ctx.get_executor(), [&] { ran = true; });
    BOOST_TEST(ctx.run() == 1u);
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(an_overload_is_told_and_ends_when_nothing_comes_any_more)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder({.max_queue_delay = 1ms, .interval = 10ms});
    // On a machine that stalls it may be over before it is asked for.
    BOOST_TEST(eventually([&] {
        for (int i = 0; i != 2; ++i)
            submit(shedder, ctx.get_executor(), [] { pass(20ms); });
        pass(5ms);
        ctx.restart();
        ctx.run();
        return shedder.metrics().overloaded;
    }));
    BOOST_TEST(shedder.metrics().refused > 0u);
    BOOST_TEST(eventually([&] { return !shedder.overloaded(); }));
}

BOOST_AUTO_TEST_CASE(exceptions_of_functions_pass)
{
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder;
    submit(shedder, ctx.get_executor(), [] { throw std::runtime_error("as planned"); });
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
}

// What is refused

BOOST_AUTO_TEST_CASE(destroys_what_has_waited_for_too_long)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder(strict);
    int ran = 0;
    auto const token = std::make_shared<int>();
    for (int i = 0; i != 10; ++i)
        submit(shedder, ctx.get_executor(), [&ran, token] { ++ran; });
    BOOST_TEST(token.use_count() == 11);
    pass_some_time();
    BOOST_TEST(!shedder.overloaded());
    ctx.run();
    BOOST_TEST(ran == 1);
    BOOST_TEST(token.use_count() == 1);
    auto const m = shedder.metrics();
    BOOST_TEST(m.refused == 9u);
    BOOST_TEST(m.late == 0u);
    BOOST_TEST(m.queue_delay.count() > 1);
}

BOOST_AUTO_TEST_CASE(measures_how_long_each_has_waited)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder({.max_queue_delay = 20ms, .interval = 20ms});
    int ran = 0;
    auto const begin = std::chrono::steady_clock::now();
    asio::post(ctx, [&] { pass(41ms); });
    submit(shedder, ctx.get_executor(), [&] {
        ++ran; // the first that is late; from now on nothing may be
        pass(21ms);
    });
    submit(shedder, ctx.get_executor(), [&] { ran += 10; });
    ctx.run();
    auto const took = std::chrono::steady_clock::now() - begin;
    BOOST_TEST(ran == 1);
    auto const m = shedder.metrics();
    BOOST_TEST(m.refused == 1u);
    BOOST_TEST((m.queue_delay >= 62ms));
    BOOST_TEST((m.queue_delay <= took));
}

BOOST_AUTO_TEST_CASE(admits_functions_to_a_pool)
{
    std::atomic<int> ran{0};
    auto const compute = [&ran] { ++ran; };
    // tag::function[]
    ewyk::load_shedder shedder({.max_queue_delay = 50ms});
    ewyk::worker_pool pool;
    auto request = asio::bind_executor(pool, [&](error_code refused) {
        if (!refused)
            compute();
    });
    shedder.async_admit(request);
    // end::function[]
    // tag::deadline[]
    auto const soon = std::chrono::steady_clock::now() + 30s;
    shedder.async_admit(soon, request);
    // end::deadline[]
    pool.wait();
    BOOST_TEST(ran == 2);
}

BOOST_AUTO_TEST_CASE(a_strand_keeps_the_order_of_the_rest)
{
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder({.max_queue_delay = 24h});
    auto const strand = asio::make_strand(ctx.get_executor());
    std::vector<int> order;
    std::vector<int> expected;
    for (int i = 0; i != 100; ++i)
        if (i % 3 == 0)
            submit(shedder, strand, [&] { order.push_back(-1); }, long_ago);
        else
        {
            submit(shedder, strand, [&order, i] { order.push_back(i); });
            expected.push_back(i);
        }
    ctx.run();
    BOOST_TEST(order == expected, boost::test_tools::per_element());
    BOOST_TEST(shedder.metrics().late == 34u);
}

BOOST_AUTO_TEST_CASE(what_begins_after_its_deadline_is_refused)
{
    ewyk::strategy_context ctx;
    ewyk::load_shedder shedder;
    bool in_time = false;
    bool late = false;
    auto const now = std::chrono::steady_clock::now();
    submit(shedder, ctx.get_executor(), [&] { in_time = true; }, now + 24h);
    submit(shedder, ctx.get_executor(), [&] { late = true; }, now);
    pass_some_time();
    ctx.run();
    BOOST_TEST(in_time);
    BOOST_TEST(!late);
    BOOST_TEST(shedder.metrics().late == 1u);
}

// async_admit

BOOST_AUTO_TEST_CASE(tells_a_handler_why)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    std::vector<error_code> told;
    auto tell = asio::bind_executor(ctx, [&](error_code e) { told.push_back(e); });
    ewyk::load_shedder shedder(strict);
    shedder.async_admit(tell);
    shedder.async_admit(tell);
    pass_some_time();
    ctx.run();
    ewyk::load_shedder patient({.max_queue_delay = 24h});
    patient.async_admit(long_ago, tell);
    patient.async_admit(tell);
    ctx.restart();
    ctx.run();
    error_code const none;
    BOOST_TEST_REQUIRE(told.size() == 4u);
    BOOST_TEST(told[0] == none);
    BOOST_TEST(told[1] == asio::error::try_again);
    BOOST_TEST(told[2] == asio::error::timed_out);
    BOOST_TEST(told[3] == none);
    BOOST_TEST(patient.metrics().late == 1u);
}

namespace {

struct request
{
    std::string answer;
};

awaitable<void> compute(request& r)
{
    r.answer = "200 OK";
    co_return;
}

// tag::shed[]
awaitable<void> answer(request& r, ewyk::load_shedder& shedder)
{
    error_code refused;
    co_await shedder.async_admit(asio::redirect_error(use_awaitable, refused));
    if (refused)
        r.answer = "503 Service Unavailable";
    else
        co_await compute(r);
}
// end::shed[]

} // namespace

BOOST_AUTO_TEST_CASE(a_coroutine_answers_what_is_refused)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
    ewyk::load_shedder shedder(strict);
    std::vector<request> requests(3);
    for (request& r : requests)
        asio::co_spawn(ctx, answer(r, shedder), asio::detached);
    // Each waits in the queue behind the first steps of the others.
    asio::post(ctx, [] { pass_some_time(); });
    ctx.run();
    BOOST_TEST(requests[0].answer == "200 OK");
    BOOST_TEST(requests[1].answer == "503 Service Unavailable");
    BOOST_TEST(requests[2].answer == "503 Service Unavailable");
}

// Also where they are destroyed with their context.
BOOST_AUTO_TEST_CASE(what_waits_may_own_the_shedder)
{
    asio::io_context ctx;
    auto shedder = std::make_shared<ewyk::load_shedder>();
    std::weak_ptr const alive = shedder;
    asio::io_context ended;
    for (asio::io_context* queue : {&ctx, &ended})
        shedder->async_admit(asio::bind_executor(*queue, [shedder](error_code) {}));
    shedder->observe(ctx);
    shedder.reset();
    BOOST_TEST(!alive.expired());
    ctx.run();
}

BOOST_AUTO_TEST_CASE(admits_by_a_future)
{
    ewyk::event_loop loop;
    ewyk::load_shedder shedder;
    auto admitted = shedder.async_admit(asio::bind_executor(loop, asio::use_future));
    BOOST_TEST_REQUIRE((admitted.wait_for(patience) == std::future_status::ready));
    admitted.get();
}

// Threads

BOOST_AUTO_TEST_CASE(many_submit_and_many_run)
{
    constexpr int submitters = 4;
    constexpr int many = 2000;
    ewyk::load_shedder shedder({.max_queue_delay = 1us, .interval = 0ns});
    std::atomic<int> ran{0};
    {
        ewyk::worker_pool pool({.max_threads = 3});
        std::vector<std::thread> threads;
        for (int i = 0; i != submitters; ++i)
            threads.emplace_back([&] {
                for (int n = 0; n != many; ++n)
                    submit(shedder, pool.get_executor(), [&] { ++ran; });
            });
        for (auto& t : threads)
            t.join();
        pool.wait();
    }
    BOOST_TEST(ran + shedder.metrics().refused == static_cast<unsigned>(submitters * many));
}

// What comes by way of sockets waits in the kernel and behind other handlers, too.
BOOST_AUTO_TEST_CASE(a_server_observes_its_context)
{
    // tag::observe[]
    ewyk::strategy_context context;
    ewyk::load_shedder shedder({.max_queue_delay = 6ms});
    shedder.observe(context);
    // end::observe[]
    std::vector<error_code> found;
    for (int i = 0; i != 3; ++i)
        asio::co_spawn(
            context,
            [&]() -> awaitable<void> {
                error_code error;
                co_await shedder.async_admit(asio::redirect_error(use_awaitable, error));
                found.push_back(error);
            },
            asio::detached);
    context.run(); // returns, whatever was sent to observe it
    BOOST_TEST(found.size() == 3u);
    for (error_code const& error : found)
        BOOST_TEST(!error);
}

BOOST_AUTO_TEST_SUITE_END()
