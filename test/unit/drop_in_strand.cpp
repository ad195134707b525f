// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Strands over the executors of a strategy_context: serial, in order, whichever threads run them;
// and what Boost.Asio's own tests expect of a strand.

#include "support.hpp"

#include <array>
#include <latch>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <type_traits>

using namespace support;
using boost::system::error_code;

using direct_strand = asio::strand<executor>;
using erased_strand = asio::strand<asio::any_io_executor>;

static_assert(asio::execution::is_executor<direct_strand>::value);
static_assert(asio::execution::is_executor<erased_strand>::value);
static_assert(std::is_convertible_v<direct_strand, asio::any_io_executor>);
static_assert(std::is_nothrow_copy_constructible_v<direct_strand>);
static_assert(std::is_constructible_v<direct_strand, executor>);
static_assert(asio::can_require_v<direct_strand, asio::execution::blocking_t::never_t>);
static_assert(asio::can_require_v<direct_strand, asio::execution::blocking_t::possibly_t>);
static_assert(asio::can_require_v<direct_strand, asio::execution::outstanding_work_t::tracked_t>);
static_assert(asio::can_prefer_v<direct_strand, asio::execution::relationship_t::continuation_t>);
static_assert(asio::can_query_v<direct_strand, asio::execution::context_t>);

BOOST_AUTO_TEST_SUITE(drop_in_strand)

// Each thread posts its own numbers: the strand may mix the threads, but not the numbers of one.
CONTEXT_TEST_CASE(serialises_what_many_threads_post, s)
{
    constexpr int threads = 4;
    constexpr int posts = 2000;
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    overlap inside;
    std::array<std::vector<int>, threads> seen; // touched on the strand only

    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::vector<std::thread> posters;
    for (std::size_t t = 0; t < threads; ++t)
        posters.emplace_back([&, t] {
            for (int i = 0; i < posts; ++i)
                asio::post(strand, [&, t, i] {
                    inside.enter();
                    seen[t].push_back(i);
                    inside.leave();
                });
        });
    std::thread closer([&] {
        for (auto& p : posters)
            p.join();
        work.reset();
    });
    run(ctx);
    closer.join();

    std::vector<int> expected(posts);
    std::iota(expected.begin(), expected.end(), 0);
    for (auto const& one : seen)
        BOOST_TEST(one == expected, boost::test_tools::per_element());
    BOOST_TEST(!inside.seen());
}

// The handlers of one strand meet with those of others, each strand keeps its own apart.
CONTEXT_TEST_CASE(strands_do_not_mix, s)
{
    constexpr std::size_t strands = 8;
    constexpr int posts = 500;
    context ctx(s);
    std::vector<asio::strand<executor>> all;
    for (std::size_t i = 0; i < strands; ++i)
        all.push_back(asio::make_strand(ctx));
    std::array<overlap, strands> inside;
    std::array<int, strands> count{}; // each touched on its strand only
    for (int n = 0; n < posts; ++n)
        for (std::size_t i = 0; i < strands; ++i)
            asio::post(all[i], [&, i] {
                inside[i].enter();
                ++count[i];
                inside[i].leave();
            });
    run(ctx);
    for (std::size_t i = 0; i < strands; ++i)
    {
        BOOST_TEST(count[i] == posts);
        BOOST_TEST(!inside[i].seen());
    }
}

CONTEXT_TEST_CASE(dispatch_is_inline_on_the_strand_post_is_not, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    std::vector<int> order;
    bool inside = false;
    asio::post(strand, [&] {
        inside = strand.running_in_this_thread();
        asio::post(strand, [&] { order.push_back(3); });
        asio::defer(strand, [&] { order.push_back(4); });
        asio::dispatch(strand, [&] { order.push_back(1); });
        order.push_back(2);
    });
    run(ctx);
    BOOST_TEST(inside);
    BOOST_TEST(!strand.running_in_this_thread());
    BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
}

// A post from a strand to itself must not nest: the stack of 10^5 of them would not fit.
CONTEXT_TEST_CASE(posting_to_itself_does_not_recurse, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    int left = 100000;
    struct again
    {
        asio::strand<executor> on;
        int& left;
        void operator()() const
        {
            if (--left > 0)
                asio::post(on, *this);
        }
    };
    asio::post(strand, again{strand, left});
    run(ctx);
    BOOST_TEST(left == 0);
}

CONTEXT_TEST_CASE(serialises_completions_of_io_objects, s)
{
    constexpr std::size_t count = 200;
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    overlap inside;
    int done = 0; // touched on the strand only
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    for (std::size_t i = 0; i < count; ++i)
    {
        // Half of the timers live on the strand, half only complete there.
        bool const lives_there = i % 2 == 0;
        timers.push_back(lives_there ? std::make_unique<asio::steady_timer>(strand, 1ms)
                                     : std::make_unique<asio::steady_timer>(ctx, 1ms));
        auto handler = [&](error_code ec) {
            inside.enter();
            LOCKED_TEST(!ec, ec.message());
            LOCKED_TEST(strand.running_in_this_thread());
            ++done;
            inside.leave();
        };
        if (lives_there)
            timers.back()->async_wait(handler);
        else
            timers.back()->async_wait(asio::bind_executor(strand, handler));
    }
    run(ctx);
    BOOST_TEST(done == static_cast<int>(count));
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(a_strand_over_any_io_executor, s)
{
    context ctx(s);
    asio::strand<asio::any_io_executor> const strand(ctx.get_executor());
    asio::any_io_executor const erased(strand);
    overlap inside;
    int done = 0;
    for (int i = 0; i < 1000; ++i)
        asio::post(erased, [&] {
            inside.enter();
            ++done;
            inside.leave();
        });
    run(ctx);
    BOOST_TEST(done == 1000);
    BOOST_TEST(!inside.seen());
}

// While one strand waits for another, the other must be able to run, unless handlers never overlap.
CONTEXT_TEST_CASE(two_strands_can_run_at_a_time, s)
{
    if (s.serial)
        return;
    std::latch both(2);
    context ctx(s);
    auto const a = asio::make_strand(ctx);
    auto const b = asio::make_strand(ctx);
    asio::post(a, [&] { both.arrive_and_wait(); });
    asio::post(b, [&] { both.arrive_and_wait(); });
    run(ctx);
    BOOST_TEST(both.try_wait());
}

CONTEXT_TEST_CASE(a_strand_outlives_its_handlers_queue, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    {
        auto const strand = asio::make_strand(ctx);
        for (int i = 0; i < 100; ++i)
            asio::post(strand, [&] { ++ran; });
    }
    run(ctx);
    BOOST_TEST(ran == 100);
}

CONTEXT_TEST_CASE(equality_is_identity, s)
{
    context ctx(s);
    direct_strand const a = asio::make_strand(ctx);
    direct_strand const b = asio::make_strand(ctx);
    direct_strand const copy = a;
    BOOST_TEST((a == copy));
    BOOST_TEST((a != b));
    BOOST_TEST((asio::any_io_executor(a) == asio::any_io_executor(copy)));
    BOOST_TEST((asio::any_io_executor(a) != asio::any_io_executor(b)));
    BOOST_TEST((a.get_inner_executor() == ctx.get_executor()));
    BOOST_TEST(
        (&asio::query(a, asio::execution::context) == &static_cast<asio::execution_context&>(ctx)));
}

CONTEXT_TEST_CASE(copies_share_the_strand, s)
{
    context ctx(s);
    direct_strand first = asio::make_strand(ctx);
    direct_strand second = asio::make_strand(ctx);
    direct_strand const copy = first;
    direct_strand const moved = std::move(first);
    second = copy;
    overlap inside;
    int ran = 0; // touched on the strand only
    auto const handler = [&] {
        inside.enter();
        ++ran;
        inside.leave();
    };
    for (int i = 0; i < 500; ++i)
    {
        asio::post(copy, handler);
        asio::post(moved, handler);
        asio::post(second, handler);
        asio::require(copy, asio::execution::blocking.never).execute(handler);
        asio::prefer(moved, asio::execution::relationship.continuation).execute(handler);
    }
    run(ctx);
    BOOST_TEST(ran == 2500);
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(execute_from_outside_waits_for_run, s)
{
    context ctx(s);
    direct_strand const st = asio::make_strand(ctx);
    std::atomic<int> ran{0};
    asio::dispatch(st, [&] { ++ran; });
    st.execute([&] { ++ran; });
    BOOST_TEST(ran == 0);
    run(ctx);
    BOOST_TEST(ran == 2);
}

// While a handler of the strand waits, a thread outside can post to it and other handlers can run.
CONTEXT_TEST_CASE(a_waiting_handler_holds_only_its_own_strand, s)
{
    if (s.serial)
        return;
    std::latch entered(1);
    std::latch release(1);
    context ctx(s);
    direct_strand const st = asio::make_strand(ctx);
    int order = 0;
    int first = 0;
    int second = 0;
    asio::post(st, [&] {
        entered.count_down();
        release.wait();
        first = ++order;
    });
    asio::post(ctx, [&] {
        entered.wait();
        asio::dispatch(st, [&] { second = ++order; });
        asio::post(ctx, [&] { release.count_down(); });
    });
    run(ctx);
    BOOST_TEST(first == 1);
    BOOST_TEST(second == 2);
}

CONTEXT_TEST_CASE(an_exception_does_not_lock_the_strand, s)
{
    if (!s.steps_in_place)
        return;
    context ctx(s);
    direct_strand const st = asio::make_strand(ctx);
    std::atomic<int> ran{0};
    for (int i = 0; i < 6; ++i)
        asio::post(st, [&, i] {
            ++ran;
            if (i % 2 == 1)
                throw std::runtime_error("odd");
        });
    int thrown = 0;
    while (!ctx.stopped())
    {
        try
        {
            ctx.run_one_for(patience);
        }
        catch (std::runtime_error const&)
        {
            ++thrown;
        }
    }
    BOOST_TEST(ran == 6);
    BOOST_TEST(thrown == 3);
}

CONTEXT_TEST_CASE(tracked_strands_keep_run_running, s)
{
    context ctx(s);
    auto a = std::make_unique<asio::executor_work_guard<direct_strand>>(asio::make_strand(ctx));
    auto b = std::make_unique<asio::any_io_executor>(asio::prefer(
        asio::any_io_executor(asio::make_strand(ctx)), asio::execution::outstanding_work.tracked));
    auto const goes_on = [&] {
        ctx.run_for(1ms);
        return !ctx.stopped();
    };
    BOOST_TEST(goes_on());
    a.reset();
    BOOST_TEST(goes_on());
    b.reset();
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(ctx.stopped());
}

CONTEXT_TEST_CASE(running_in_this_thread_is_true_on_its_own_strand_only, s)
{
    context ctx(s);
    direct_strand const a = asio::make_strand(ctx);
    direct_strand const b = asio::make_strand(ctx);
    bool on_a = false;
    bool on_b = true;
    bool nested_a = false;
    bool nested_b = false;
    asio::post(a, [&] {
        on_a = a.running_in_this_thread();
        on_b = b.running_in_this_thread();
        // b is idle, so this is inline: within both.
        asio::dispatch(b, [&] {
            nested_a = a.running_in_this_thread();
            nested_b = b.running_in_this_thread();
        });
    });
    run(ctx);
    BOOST_TEST(on_a);
    BOOST_TEST(!on_b);
    BOOST_TEST(nested_a);
    BOOST_TEST(nested_b);
}

BOOST_AUTO_TEST_SUITE_END()
