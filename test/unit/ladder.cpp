// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The rungs between an io_context that one thread runs and handlers that run concurrently: with
// produce_consume one handler runs at a time, and others while it is inside a blocking_section.

#include <asio_ewyk/blocking_section.hpp>

#include "pool_support.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

BOOST_AUTO_TEST_SUITE(ladder)

namespace {

using namespace support;

constexpr auto pc = ewyk::strategy_t::produce_consume;

BOOST_AUTO_TEST_CASE(hints_that_promise_one_thread_mean_produce_consume)
{
    auto const of = [](int hint) {
        ewyk::strategy_context ctx(hint);
        return asio::query(ctx.get_executor(), ewyk::strategy);
    };
    BOOST_TEST(of(1) == pc);
    BOOST_TEST(of(static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE)) == pc);
    BOOST_TEST(of(static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO)) == pc);
    BOOST_TEST(of(static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_SAFE)) == ewyk::strategy_t());
    BOOST_TEST(of(2) == ewyk::strategy_t());
}

// The first rung: the caller's thread, in the order of posting.
BOOST_AUTO_TEST_CASE(one_thread_runs_handlers_in_order)
{
    ewyk::strategy_context ctx(1);
    std::vector<int> seen;
    bool here = true;
    for (int i = 0; i != 100; ++i)
        asio::post(ctx, [&, i, me = std::this_thread::get_id()] {
            here = here && me == std::this_thread::get_id();
            seen.push_back(i);
        });
    BOOST_TEST(ctx.run() == 100u);
    BOOST_TEST(here);
    BOOST_TEST(std::is_sorted(seen.begin(), seen.end()));
    BOOST_TEST(ctx.pool().threads_started() == 0u);
}

enum class way
{
    posted,     // to the context's executor
    completed,  // inside the io_context
    native,     // of the io_context's own executor
};
constexpr way ways[] = {way::posted, way::completed, way::native};

std::ostream& operator<<(std::ostream& out, way w) { return out << static_cast<int>(w); }

void submit(ewyk::strategy_context& ctx, way w, std::function<void()> f)
{
    asio::io_context& base = ctx;
    switch (w)
    {
    case way::posted:
        return asio::post(ctx, std::move(f));
    case way::completed: {
        auto t = std::make_shared<asio::steady_timer>(ctx, 0ms);
        return t->async_wait(
            asio::bind_executor(ctx.get_executor(), [t, f = std::move(f)](auto) { f(); }));
    }
    case way::native:
        return asio::post(base.get_executor(), std::move(f));
    }
}

BOOST_DATA_TEST_CASE(others_run_inside_of_a_section, ways, w)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    int waited = 0;
    bool same_thread = true;
    constexpr int rounds = 100;
    std::function<void()> round = [&] {
        auto const me = std::this_thread::get_id();
        event ran;
        submit(ctx, w, [&] { ran.set(); });
        {
            ewyk::blocking_section const outer;
            ewyk::blocking_section const inner;
            waited += ran.wait();
        }
        same_thread = same_thread && me == std::this_thread::get_id();
        if (waited < rounds && !ctx.stopped())
            submit(ctx, w, round);
    };
    submit(ctx, w, round);
    ctx.run();
    BOOST_TEST(waited == rounds);
    BOOST_TEST(same_thread);
}

// What they share is not guarded, which ThreadSanitizer sees as well.
BOOST_DATA_TEST_CASE(two_never_run_outside_of_sections, ways, w)
{
    constexpr int many = 3000;
    ewyk::strategy_context ctx(pc, {.max_threads = 6});
    deadline const d(ctx);
    overlap serial;
    int shared = 0;
    for (int i = 0; i != many; ++i)
        submit(ctx, w, [&, i] {
            serial.enter();
            ++shared;
            serial.leave();
            if (i % 3 != 0)
            {
                ewyk::blocking_section const blocks;
                if (i % 5 == 0)
                    std::this_thread::yield();
            }
            serial.enter();
            ++shared;
            serial.leave();
        });
    std::thread another([&] { ctx.run(); });
    ctx.run();
    another.join();
    BOOST_TEST(shared == 2 * many);
    BOOST_TEST(!serial.seen());
}

BOOST_AUTO_TEST_CASE(a_thread_that_comes_back_goes_before_what_has_not_begun)
{
    event in_second;
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    std::vector<int> order;
    asio::post(ctx, [&] {
        {
            ewyk::blocking_section const blocks;
            in_second.wait();
        }
        order.push_back(1);
    });
    asio::post(ctx, [&] {
        in_second.set();
        order.push_back(0);
    });
    std::function<void()> spin = [&] {
        if (order.size() == 1)
            asio::post(ctx, spin);
        else
            order.push_back(2);
    };
    asio::post(ctx, spin);
    ctx.run();
    BOOST_TEST((order == std::vector{0, 1, 2}));
}

BOOST_DATA_TEST_CASE(an_exception_passes_through_a_section, ways, w)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    int caught = 0;
    int ran = 0;
    for (int i = 0; i != 20; ++i)
    {
        submit(ctx, w, [&] {
            ++ran;
            ewyk::blocking_section const blocks;
            std::this_thread::yield();
            throw std::runtime_error("as planned");
        });
    }
    for (bool again = true; again;)
    {
        again = false;
        try
        {
            ctx.run();
        }
        catch (std::runtime_error const&)
        {
            ++caught;
            again = true;
        }
    }
    BOOST_TEST(ran == 20);
    BOOST_TEST(caught == 20);
}

BOOST_AUTO_TEST_CASE(one_that_waits_to_come_back_does_after_stop)
{
    ewyk::strategy_context ctx(pc);
    auto const work = asio::make_work_guard(ctx);
    bool back = false;
    bool after = false;
    asio::post(ctx, [&] {
        event in_other;
        asio::post(ctx, [&] {
            in_other.set();
            ctx.stop();
            asio::post(ctx, [&] { after = true; });
        });
        {
            ewyk::blocking_section const blocks;
            in_other.wait();
        }
        back = true;
    });
    ctx.run();
    BOOST_TEST(back);
    BOOST_TEST(!after);
}

// No other thread runs it: the handlers wait, and the one in the section comes back.
BOOST_AUTO_TEST_CASE(a_caller_that_steps_comes_back)
{
    ewyk::strategy_context ctx(pc);
    int ran = 0;
    for (int i = 0; i != 3; ++i)
        asio::post(ctx, [&] {
            ewyk::blocking_section const blocks;
            ++ran;
        });
    BOOST_TEST(ctx.run_one() == 1u);
    BOOST_TEST(ran == 1);
    BOOST_TEST(ctx.poll_one() == 1u);
    BOOST_TEST(ran == 2);
    BOOST_TEST(ctx.poll() == 1u);
    BOOST_TEST(ran == 3);
    BOOST_TEST(ctx.pool().threads_started() == 0u);
}

// A handler that runs others inside of itself lets those come back that are in a section.
BOOST_AUTO_TEST_CASE(one_comes_back_while_another_steps)
{
    event stepping;
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    bool back = false;
    asio::post(ctx, [&] {
        {
            ewyk::blocking_section const blocks;
            stepping.wait();
        }
        back = true;
    });
    asio::post(ctx, [&] {
        stepping.set();
        while (!back && !ctx.stopped())
            ctx.run_one_for(1ms);
    });
    ctx.run();
    BOOST_TEST(back);
}

// Both give way to the other before each task. A wake-up is under way for the one that is ready, so
// each looks into the io_context first.
BOOST_AUTO_TEST_CASE(two_handlers_poll_for_the_same_task)
{
    event polling;
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    std::atomic<bool> ran{false};
    auto const poll_until_it_ran = [&] {
        while (!ran && !ctx.stopped())
            ctx.poll();
    };
    asio::post(ctx, [&] {
        {
            ewyk::blocking_section const blocks;
            polling.wait();
        }
        asio::post(ctx, [&] { ran = true; });
        poll_until_it_ran();
    });
    asio::post(ctx, [&] {
        polling.set();
        poll_until_it_ran();
    });
    ctx.run();
    BOOST_TEST(ran);
}

// No thread for others is to be had: they wait, and nothing is lost.
BOOST_AUTO_TEST_CASE(all_threads_may_be_inside_sections)
{
    constexpr int many = 50;
    ewyk::strategy_context ctx(pc, {.max_threads = 1});
    deadline const d(ctx);
    int ran = 0;
    for (int i = 0; i != many; ++i)
        asio::post(ctx, [&] {
            {
                ewyk::blocking_section const blocks;
                std::this_thread::yield();
            }
            ++ran;
        });
    ctx.run();
    BOOST_TEST(ran == many);
}

// Inside of a section a thread does not work for the context.
BOOST_AUTO_TEST_CASE(dispatch_inside_of_a_section_posts)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    bool inside = true;
    bool ran_at_once = true;
    int ran = 0;
    asio::post(ctx, [&] {
        event done;
        auto const me = std::this_thread::get_id();
        ewyk::blocking_section const blocks;
        inside = ctx.get_executor().running_in_this_thread();
        asio::dispatch(ctx, [&] {
            ran_at_once = me == std::this_thread::get_id();
            ++ran;
            done.set();
        });
        done.wait();
    });
    ctx.run();
    BOOST_TEST(!inside);
    BOOST_TEST(!ran_at_once);
    BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(outside_of_tasks_a_section_does_nothing)
{
    ewyk::strategy_context ctx(pc);
    ewyk::blocking_section const here;
    int ran = 0;
    asio::post(ctx, [&] { ++ran; });
    ctx.run();
    std::thread([] { ewyk::blocking_section const there; }).join();
    BOOST_TEST(ran == 1);
}

#if defined(NDEBUG)
// It is asserted that this does not happen; where it does, nothing is lost.
BOOST_DATA_TEST_CASE(a_section_may_outlive_its_task, ways, w)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    std::optional<ewyk::blocking_section> section;
    overlap serial;
    int ran = 0;
    submit(ctx, w, [&] { section.emplace(); });
    ctx.run();
    ctx.restart();
    for (int i = 0; i != 100; ++i)
        submit(ctx, w, [&] {
            serial.enter();
            ++ran;
            serial.leave();
        });
    submit(ctx, w, [&] { section.reset(); });
    ctx.run();
    BOOST_TEST(ran == 100);
    BOOST_TEST(!serial.seen());
}
#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
