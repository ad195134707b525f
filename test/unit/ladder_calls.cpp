// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// With produce_consume, while handlers are inside of a blocking_section: how the calls of run() and
// its siblings end, and what else a handler may do beside it. See ladder.cpp.

#include <asio_ewyk/blocking_section.hpp>

#include "pool_support.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(ladder_calls)

namespace {

using namespace support;

constexpr auto pc = ewyk::strategy_t::produce_consume;

// Two handlers, the first of which is in a section when the second begins, and comes back when that
// says so.
struct pair_of_handlers
{
    explicit pair_of_handlers(ewyk::strategy_context& c)
        : ctx(c)
    {
    }

    void start(std::function<void()> first, std::function<void()> second)
    {
        asio::post(ctx, [this, f = std::move(first)] {
            {
                ewyk::blocking_section const blocks;
                may_come_back.wait();
            }
            f();
        });
        asio::post(ctx, std::move(second));
    }

    ewyk::strategy_context& ctx;
    event may_come_back;
};

// The handler that it waits for is none that its run_one() has run.
BOOST_AUTO_TEST_CASE(run_one_in_a_handler_ends_when_another_has_come_back)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    pair_of_handlers both(ctx);
    bool done = false;
    both.start([&] { done = true; },
        [&] {
            both.may_come_back.set();
            while (!done && !ctx.stopped())
                ctx.run_one();
        });
    BOOST_TEST(ctx.run() == 2u);
    BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(poll_in_a_handler_lets_others_come_back)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    pair_of_handlers both(ctx);
    bool done = false;
    both.start([&] { done = true; },
        [&] {
            both.may_come_back.set();
            while (!done && !ctx.stopped())
                ctx.poll();
        });
    BOOST_TEST(ctx.run() == 2u);
    BOOST_TEST(done);
}

// Each lets the other go on.
BOOST_AUTO_TEST_CASE(two_handlers_wait_in_run_one)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    pair_of_handlers both(ctx);
    bool x = false;
    bool y = false;
    asio::steady_timer first(ctx, 5ms);
    asio::steady_timer second(ctx, 10ms);
    first.async_wait([&](auto) { x = true; });
    second.async_wait([&](auto) { y = true; });
    both.start(
        [&] {
            while (!y && !ctx.stopped())
                ctx.run_one();
        },
        [&] {
            both.may_come_back.set();
            while (!x && !ctx.stopped())
                ctx.run_one();
        });
    ctx.run();
    BOOST_TEST(x);
    BOOST_TEST(y);
}

// A wake-up is under way for the one task that is ready, so each looks into the io_context first.
BOOST_AUTO_TEST_CASE(two_handlers_poll_for_the_same_task)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    pair_of_handlers both(ctx);
    std::atomic<bool> ran{false};
    auto const poll_until_it_ran = [&] {
        while (!ran && !ctx.stopped())
            ctx.poll();
    };
    both.start(
        [&] {
            asio::post(ctx, [&] { ran = true; });
            poll_until_it_ran();
        },
        [&] {
            both.may_come_back.set();
            poll_until_it_ran();
        });
    ctx.run();
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(a_limit_of_time_ends_while_another_handler_waits_in_run_one)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    pair_of_handlers both(ctx);
    bool done = false;
    both.start(
        [&] {
            ctx.run_one_for(5ms);
            done = true;
        },
        [&] {
            both.may_come_back.set();
            while (!done && !ctx.stopped())
                ctx.run_one();
        });
    ctx.run();
    BOOST_TEST(done);
}

// A thread of the pool may run the other one as well; then run_one() would wait for a third.
BOOST_AUTO_TEST_CASE(run_one_inside_of_a_section_runs_others)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    std::atomic<bool> ran{false};
    asio::post(ctx, [&] {
        asio::post(ctx, [&] { ran = true; });
        ewyk::blocking_section const blocks;
        while (!ran && !ctx.stopped())
            ctx.run_one_for(10ms);
    });
    ctx.run();
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(poll_of_another_thread_runs_what_is_ready)
{
    event inside;
    event ran;
    ewyk::strategy_context ctx(pc);
    bool waited = false;
    asio::post(ctx, [&] {
        ewyk::blocking_section const blocks;
        inside.set();
        waited = ran.wait();
    });
    std::thread stepping([&] { ctx.run_one(); });
    BOOST_TEST_REQUIRE(inside.wait());
    asio::post(ctx, [&] { ran.set(); });
    BOOST_TEST(ctx.poll() == 1u);
    stepping.join();
    BOOST_TEST(waited);
}

// The deadline comes while some are inside of sections, on the caller's thread and on others.
BOOST_AUTO_TEST_CASE(run_for_returns_when_none_is_in_a_section)
{
    for (int i = 0; i != 20; ++i)
    {
        ewyk::strategy_context ctx(pc);
        auto const work = asio::make_work_guard(ctx);
        int begun = 0;
        int ended = 0;
        std::function<void()> handler = [&] {
            if (++begun != 20)
                asio::post(ctx, handler);
            {
                ewyk::blocking_section const blocks;
                std::this_thread::sleep_for(1ms);
            }
            ++ended;
        };
        asio::post(ctx, handler);
        ctx.run_for(std::chrono::milliseconds(i % 5));
        BOOST_TEST(ended == begun);
    }
}

// One is in a section on a thread of the pool when the caller's handler ends run().
struct end_beside_a_section
{
    template <class End>
    void run(End end)
    {
        asio::post(*ctx, [this, end] {
            event other_is_away;
            asio::post(*ctx, [this, &other_is_away] {
                {
                    ewyk::blocking_section const blocks;
                    other_is_away.set();
                    may_come_back.wait();
                }
                back = true;
            });
            {
                ewyk::blocking_section const blocks;
                other_is_away.wait();
            }
            may_come_back.set();
            end(*ctx);
        });
        ctx->run();
    }

    std::optional<ewyk::strategy_context> ctx{std::in_place, pc};
    event may_come_back;
    bool back = false;
};

BOOST_AUTO_TEST_CASE(what_it_uses_may_be_destroyed_after_stop)
{
    for (int i = 0; i != 50; ++i)
    {
        end_beside_a_section e;
        e.run([](auto& ctx) { ctx.stop(); });
        BOOST_TEST(e.back);
        e.ctx.reset();
    }
}

BOOST_AUTO_TEST_CASE(what_it_uses_may_be_destroyed_after_an_exception)
{
    for (int i = 0; i != 50; ++i)
    {
        end_beside_a_section e;
        BOOST_CHECK_THROW(
            e.run([](auto&) { throw std::runtime_error("as planned"); }), std::runtime_error);
        BOOST_TEST(e.back);
        e.ctx.reset();
    }
}

// Whichever thread they are thrown on.
BOOST_AUTO_TEST_CASE(exceptions_leave_calls_of_run)
{
    constexpr int many = 100;
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    std::atomic<int> caught{0};
    int ran = 0;
    for (int i = 0; i != many; ++i)
        asio::post(ctx, [&] {
            {
                ewyk::blocking_section const blocks;
                std::this_thread::yield();
            }
            ++ran;
            throw std::runtime_error("as planned");
        });
    auto const call = [&] {
        for (;;)
            try
            {
                ctx.run();
                return;
            }
            catch (std::runtime_error const&)
            {
                ++caught;
            }
    };
    std::vector<std::thread> others;
    for (int i = 0; i != 2; ++i)
        others.emplace_back(call);
    call();
    for (auto& t : others)
        t.join();
    // What a call has left behind, since it left with another one.
    ctx.restart();
    call();
    BOOST_TEST(ran == many);
    BOOST_TEST(caught == many);
}

// A handler of one runs the other, whose handler gives both rights away.
BOOST_AUTO_TEST_CASE(a_context_inside_of_another)
{
    ewyk::strategy_context outer(pc);
    ewyk::strategy_context inner(pc);
    deadline const outer_in_time(outer);
    deadline const inner_in_time(inner);
    int waited = 0;
    int ran = 0;
    std::function<void()> round = [&] {
        event in_outer;
        event in_inner;
        asio::post(inner, [&] {
            asio::post(outer, [&] { in_outer.set(); });
            asio::post(inner, [&] { in_inner.set(); });
            ewyk::blocking_section const blocks;
            waited += in_outer.wait() && in_inner.wait();
        });
        inner.restart();
        inner.run();
        if (++ran != 50)
            asio::post(outer, round);
    };
    asio::post(outer, round);
    outer.run();
    BOOST_TEST(waited == 50);
}

BOOST_AUTO_TEST_CASE(two_contexts_share_a_pool_of_one_thread)
{
    ewyk::worker_pool pool({.max_threads = 1});
    ewyk::strategy_context first(pool, pc);
    ewyk::strategy_context second(pool, pc);
    deadline const first_in_time(first);
    deadline const second_in_time(second);
    int ran[2] = {};
    for (int i = 0; i != 100; ++i)
        for (int which : {0, 1})
            asio::post(which == 0 ? first : second, [&ran, which] {
                {
                    ewyk::blocking_section const blocks;
                    std::this_thread::yield();
                }
                ++ran[which];
            });
    std::thread other([&] { second.run(); });
    first.run();
    other.join();
    BOOST_TEST(ran[0] == 100);
    BOOST_TEST(ran[1] == 100);
}

// Its hint may be 1: then what a handler inside of it posts waits for the handler's end.
BOOST_AUTO_TEST_CASE(an_io_context_of_others_is_not_left_inside_of_a_handler)
{
    asio::io_context ioc(1);
    auto const ex = ewyk::use_strategy(ioc, pc);
    std::vector<bool> at_once;
    auto const dispatches_in_a_section = [&] {
        ewyk::blocking_section const blocks;
        bool ran = false;
        asio::dispatch(ex, [&] { ran = true; });
        at_once.push_back(ran);
    };
    asio::steady_timer ours(ioc, 0ms);
    ours.async_wait(asio::bind_executor(ex, [&](auto) { dispatches_in_a_section(); }));
    ewyk::run(ioc);
    ioc.restart();
    asio::steady_timer native(ioc, 0ms);
    native.async_wait([&](auto) { dispatches_in_a_section(); });
    ewyk::run(ioc);
    ioc.restart();
    std::string order;
    asio::post(ex, [&] {
        asio::post(ex, [&] { order += "posted"; });
        ewyk::blocking_section const blocks;
        order += "handler ";
    });
    ewyk::run(ioc);
    BOOST_TEST((at_once == std::vector{true, true}));
    BOOST_TEST(order == "handler posted");
}

BOOST_AUTO_TEST_CASE(in_an_event_loop_it_does_nothing)
{
    event over;
    ewyk::event_loop loop;
    bool at_once = false;
    asio::post(loop, [&] {
        {
            ewyk::blocking_section const blocks;
            bool ran = false;
            asio::dispatch(loop, [&] { ran = true; });
            at_once = ran;
        }
        over.set();
    });
    BOOST_TEST_REQUIRE(over.wait());
    BOOST_TEST(at_once);
}

#if defined(__unix__)
namespace {

template <class Context>
void tell_of_a_fork(Context& ctx)
{
    ctx.notify_fork(asio::execution_context::fork_prepare);
    ctx.notify_fork(asio::execution_context::fork_parent);
}

} // namespace

// The threads of the pool could not end, as they wait for this one.
BOOST_AUTO_TEST_CASE(a_fork_beside_a_section_waits_for_nothing)
{
    end_beside_a_section e;
    e.run([&](auto& ctx) { tell_of_a_fork(ctx); });
    BOOST_TEST(e.back);
}

BOOST_AUTO_TEST_CASE(a_fork_inside_of_a_section_waits_for_nothing)
{
    end_beside_a_section e;
    e.run([&](auto& ctx) {
        ewyk::blocking_section const blocks;
        tell_of_a_fork(ctx);
    });
    BOOST_TEST(e.back);
}
#endif

asio::awaitable<void> steps(ewyk::strategy_context& ctx, overlap& serial, int& shared, bool spans)
{
    asio::steady_timer timer(ctx);
    for (int i = 0; i != 50; ++i)
    {
        serial.enter();
        ++shared;
        serial.leave();
        std::optional<ewyk::blocking_section> section(std::in_place);
        std::this_thread::yield();
        if (!spans)
            section.reset();
        timer.expires_after(0ms);
        co_await timer.async_wait(asio::use_awaitable);
        serial.enter();
        ++shared;
        serial.leave();
        section.reset();
        serial.enter();
        ++shared;
        serial.leave();
    }
}

void run_coroutines(bool native, bool spans)
{
    ewyk::strategy_context ctx(pc);
    deadline const d(ctx);
    asio::io_context& base = ctx;
    overlap serial;
    int shared = 0;
    for (int i = 0; i != 6; ++i)
        if (native)
            asio::co_spawn(base, steps(ctx, serial, shared, spans), asio::detached);
        else
            asio::co_spawn(ctx, steps(ctx, serial, shared, spans), asio::detached);
    ctx.run();
    BOOST_TEST(shared == 6 * 50 * 3);
    BOOST_TEST(!serial.seen());
}

BOOST_AUTO_TEST_CASE(coroutines_need_no_strand)
{
    run_coroutines(false, false);
    run_coroutines(true, false);
}

#if defined(NDEBUG)
// It is asserted that this does not happen.
BOOST_AUTO_TEST_CASE(a_section_that_spans_a_co_await_ends_there)
{
    run_coroutines(false, true);
}
#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
