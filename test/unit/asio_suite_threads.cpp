// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What Boost.Asio's own tests expect of an io_context that several threads post to and run.

#include "support.hpp"

#include <future>
#include <latch>
#include <memory>

using namespace support;
using boost::system::error_code;

BOOST_AUTO_TEST_SUITE(asio_suite_threads)

CONTEXT_TEST_CASE(posts_from_many_threads_run_once_each, s)
{
    constexpr std::size_t threads = 4;
    constexpr std::size_t posts = 5000;
    context ctx(s);
    std::vector<std::atomic<int>> ran(threads * posts);
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::thread outside([&] {
        std::vector<std::thread> posters;
        for (std::size_t t = 0; t < threads; ++t)
            posters.emplace_back([&, t] {
                for (std::size_t i = 0; i < posts; ++i)
                    asio::post(ctx, [&ran, n = t * posts + i] { ++ran[n]; });
            });
        for (auto& p : posters)
            p.join();
        work.reset();
    });
    auto const counted = run(ctx);
    outside.join();
    BOOST_TEST(counted == threads * posts);
    for (auto const& r : ran)
        BOOST_TEST_REQUIRE(r == 1);
}

// Every thread inside run() comes back when the work ends, whichever of them had a part in it.
CONTEXT_TEST_CASE(all_callers_return_when_the_work_ends, s)
{
    constexpr int callers = 6;
    context ctx(s);
    deadline const in_time(ctx);
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::atomic<std::size_t> counted{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&] { counted += ctx.run(); });
    std::atomic<int> ran{0};
    for (int i = 0; i < 1000; ++i)
        asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(eventually([&] { return ran == 1000; }));
    work.reset();
    for (auto& t : threads)
        t.join();
    BOOST_TEST(counted == 1000u);
    BOOST_TEST(ctx.stopped());
}

CONTEXT_TEST_CASE(all_callers_return_when_it_is_stopped, s)
{
    constexpr int callers = 6;
    context ctx(s);
    deadline const in_time(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::vector<std::thread> threads;
    std::atomic<int> entered{0};
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&] {
            ++entered;
            ctx.run();
        });
    BOOST_TEST(eventually([&] { return entered == callers; }));
    asio::post(ctx, [&] { ctx.stop(); });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(ctx.stopped());
}

// Each of four handlers waits for the other three: all must be running at a time.
CONTEXT_TEST_CASE(as_many_handlers_at_a_time_as_there_are_threads, s)
{
    if (s.serial)
        return;
    std::latch all(4);
    context ctx(s);
    for (int i = 0; i < 4; ++i)
        asio::post(ctx, [&] { all.arrive_and_wait(); });
    run(ctx);
    BOOST_TEST(all.try_wait());
}

CONTEXT_TEST_CASE(a_serial_context_never_overlaps_handlers, s)
{
    if (!s.serial)
        return;
    context ctx(s);
    overlap inside;
    int ran = 0; // needs no lock: handlers of this context never meet
    auto const handler = [&] {
        inside.enter();
        ++ran;
        inside.leave();
    };
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::thread outside([&] {
        for (int i = 0; i < 5000; ++i)
            asio::post(ctx, handler);
        work.reset();
    });
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    for (int i = 0; i < 500; ++i)
    {
        timers.push_back(
            std::make_unique<asio::steady_timer>(ctx, std::chrono::microseconds(10 * i)));
        timers.back()->async_wait([&](error_code) { handler(); });
    }
    run(ctx);
    outside.join();
    BOOST_TEST(ran == 5500);
    BOOST_TEST(!inside.seen());
}

// A dispatch from a thread that does not run the context is not inline, even while another does.
CONTEXT_TEST_CASE(dispatch_from_a_foreign_thread_is_not_inline, s)
{
    context ctx(s);
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::atomic<bool> inline_call{false};
    std::atomic<int> ran{0};
    std::thread outside([&] {
        auto const here = std::this_thread::get_id();
        for (int i = 0; i < 100; ++i)
            asio::dispatch(ctx, [&, here] {
                if (std::this_thread::get_id() == here)
                    inline_call = true;
                ++ran;
            });
        LOCKED_TEST(!ctx.get_executor().running_in_this_thread());
        work.reset();
    });
    run(ctx);
    outside.join();
    BOOST_TEST(ran == 100);
    BOOST_TEST(!inline_call);
}

// A sleeping context is woken by each single post: nothing else could.
CONTEXT_TEST_CASE(every_post_wakes_a_sleeping_context, s)
{
    constexpr int posts = 500;
    context ctx(s);
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::thread outside([&] {
        for (int i = 0; i < posts; ++i)
        {
            auto done = asio::post(ctx, asio::use_future([] {}));
            if (done.wait_for(patience) != std::future_status::ready)
            {
                LOCKED_TEST(false, "a post was not noticed");
                break;
            }
        }
        work.reset();
    });
    run(ctx);
    outside.join();
}

// Timers and posts set and cancelled by several threads, on objects of their own.
CONTEXT_TEST_CASE(io_objects_used_by_many_threads, s)
{
    constexpr int threads = 4;
    constexpr int each = 300;
    context ctx(s);
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::atomic<int> completed{0};
    std::thread outside([&] {
        std::vector<std::thread> users;
        for (int t = 0; t < threads; ++t)
            users.emplace_back([&] {
                for (int i = 0; i < each; ++i)
                {
                    asio::steady_timer timer(ctx, i % 2 == 0 ? std::chrono::microseconds(1) : 1h);
                    timer.async_wait([&](error_code) { ++completed; });
                    if (i % 3 == 0)
                        timer.cancel();
                }
            });
        for (auto& u : users)
            u.join();
        work.reset();
    });
    run(ctx);
    outside.join();
    BOOST_TEST(completed == threads * each);
}

CONTEXT_TEST_CASE(the_executor_knows_its_threads, s)
{
    context ctx(s);
    auto const ex = ctx.get_executor();
    BOOST_TEST(!ex.running_in_this_thread());
    bool inside = false;
    asio::post(ctx, [&] { inside = ex.running_in_this_thread(); });
    run(ctx);
    BOOST_TEST(inside);
    BOOST_TEST(!ex.running_in_this_thread());
}

BOOST_AUTO_TEST_SUITE_END()
