// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Completions that run on lease inside the io_context, and are late there.

#include "pool_support.hpp"

#include <array>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(grace_inline)

namespace {

using namespace support;
using asio::ip::tcp;
using boost::system::error_code;

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

ewyk::strategy_options leasing_options(ewyk::strategy_t s)
{
    return {.strategy = s, .grace = 50us, .max_threads = 4};
}

// The sentinel is awake already: the completions before have been on lease.
void have_leased(ewyk::strategy_context& ctx)
{
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    for (int i = 0; i != 3; ++i)
    {
        asio::steady_timer timer(ctx, 0ms);
        timer.async_wait([](auto) {});
        BOOST_TEST(ctx.run_for(patience) == 1u);
        ctx.restart();
    }
}

void connect(tcp::socket& here, tcp::socket& there)
{
    tcp::acceptor acceptor(here.get_executor(), {asio::ip::address_v4::loopback(), 0});
    here.connect(acceptor.local_endpoint());
    acceptor.accept(there);
}

} // namespace

BOOST_DATA_TEST_CASE(one_that_waits_for_another_one_is_taken_over, leasing, s)
{
    event fired;
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    have_leased(ctx);
    asio::steady_timer late(ctx, 1ms);
    asio::steady_timer other(ctx, 5ms);
    bool waited = false;
    late.async_wait([&](auto) { waited = fired.wait(); });
    other.async_wait([&](auto) { fired.set(); });
    BOOST_TEST(ctx.run() == 2u);
    BOOST_TEST(waited);
}

// Also what it has caused itself, through the context or by an operation on its own socket. What it
// defers, or starts that is done at once, waits for its end: see guarantees.adoc.
BOOST_DATA_TEST_CASE(what_it_starts_is_done_meanwhile, leasing, s)
{
    gathering done;
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    have_leased(ctx);
    tcp::socket here(ctx);
    tcp::socket there(ctx);
    connect(here, there);
    std::array<char, 1> first{};
    std::array<char, 1> second{};
    bool waited = false;
    there.async_read_some(asio::buffer(first), [&](auto, std::size_t) {
        there.async_read_some(
            asio::buffer(second), [&](auto, std::size_t) { done.arrive(); });
        asio::post(ctx, [&] {
            asio::write(here, asio::buffer("b", 1));
            done.arrive();
        });
        waited = done.wait_for(2);
    });
    asio::write(here, asio::buffer("a", 1));
    ctx.run();
    BOOST_TEST(waited);
}

// The next ones are in place as well, and late as well.
BOOST_DATA_TEST_CASE(several_are_taken_over, leasing, s)
{
    gathering late;
    event release;
    event fired;
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    have_leased(ctx);
    std::array<asio::steady_timer, 3> timers{
        asio::steady_timer(ctx, 1ms), asio::steady_timer(ctx, 2ms), asio::steady_timer(ctx, 3ms)};
    asio::steady_timer last(ctx, 1h);
    std::atomic<int> waited{0};
    for (auto& t : timers)
        t.async_wait([&](auto) {
            late.arrive();
            waited += release.wait();
        });
    last.async_wait([&](auto) { fired.set(); });
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(late.wait_for(3));
    last.cancel();
    bool const others_go_on = fired.wait();
    release.set();
    caller.join();
    BOOST_TEST(others_go_on);
    BOOST_TEST(waited == 3);
}

BOOST_DATA_TEST_CASE(production_goes_on_after_an_exception, leasing, s)
{
    for (bool const late : {false, true})
    {
        event fired;
        std::atomic<int> caught{0};
        auto options = leasing_options(s);
        options.on_exception = [&](std::exception_ptr) { ++caught; };
        ewyk::strategy_context ctx(options);
        deadline const d(ctx);
        have_leased(ctx);
        asio::steady_timer thrower(ctx, 1ms);
        asio::steady_timer other(ctx, 5ms);
        thrower.async_wait([&](auto) {
            if (late)
                fired.wait();
            throw std::runtime_error("as planned");
        });
        other.async_wait([&](auto) { fired.set(); });
        run_and_count(ctx, caught);
        // On a thread of the pool, perhaps, and after run() has returned.
        BOOST_TEST(eventually([&] { return caught == 1; }));
        BOOST_TEST(fired.wait());
    }
}

// A caller of run() may be the one that is late, and the last work its own.
BOOST_DATA_TEST_CASE(run_returns_after_one_that_was_late, leasing, s)
{
    for (int i = 0; i != 20; ++i)
    {
        event fired;
        ewyk::strategy_context ctx(leasing_options(s));
        deadline const d(ctx);
        BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
        std::size_t sum = 0;
        for (int round = 0; round != 3; ++round)
        {
            asio::steady_timer timer(ctx, 0ms);
            timer.async_wait([&](auto) {
                asio::post(ctx, [&] { fired.set(); });
                fired.wait();
            });
            sum += ctx.run();
            BOOST_TEST(ctx.stopped());
            ctx.restart();
        }
        BOOST_TEST(sum == 6u);
    }
}

// Asio keeps for the thread what a step of an operation has caused to complete, and wakes none.
BOOST_DATA_TEST_CASE(a_step_of_an_operation_may_be_late, leasing, s)
{
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    have_leased(ctx);
    tcp::socket here(ctx);
    tcp::socket there(ctx);
    connect(here, there);
    std::array<char, 4> bytes{};
    std::size_t read = 0;
    asio::write(here, asio::buffer("abcd", 4));
    asio::async_read(
        there, asio::buffer(bytes),
        [&](error_code error, std::size_t n) -> std::size_t {
            event posted;
            if (n == 2)
            {
                // Only another thread runs it, so this one is late.
                asio::post(ctx, [&] { posted.set(); });
                posted.wait();
            }
            return error || n == bytes.size() ? 0 : 1;
        },
        [&](error_code, std::size_t n) { read = n; });
    ctx.run();
    BOOST_TEST(read == bytes.size());
}

// Something that runs inside the io_context without a strategy, and calls one that is late.
template <class After>
void call_a_late_one(ewyk::strategy_context& ctx, std::atomic<int>& caught, After after)
{
    event over;
    event other;
    asio::steady_timer first(ctx, 1ms);
    asio::steady_timer foreign(ctx, 5ms);
    // So that a thread of the pool produces.
    first.async_wait([&](auto) { over.wait(); });
    foreign.async_wait(
        asio::bind_executor(static_cast<asio::io_context&>(ctx).get_executor(), [&](auto) {
            asio::dispatch(ctx, [&] {
                asio::post(ctx, [&] { other.set(); });
                other.wait();
            });
            over.set();
            after();
        }));
    run_and_count(ctx, caught);
}

BOOST_DATA_TEST_CASE(one_inside_a_foreign_handler_that_throws, leasing, s)
{
    std::atomic<int> caught{0};
    auto options = leasing_options(s);
    options.on_exception = [&](std::exception_ptr) { ++caught; };
    ewyk::strategy_context ctx(options);
    deadline const d(ctx);
    have_leased(ctx);
    call_a_late_one(ctx, caught, [] { throw std::runtime_error("as planned"); });
    BOOST_TEST(eventually([&] { return caught == 1; }));
}

BOOST_DATA_TEST_CASE(one_inside_a_foreign_handler_that_polls, leasing, s)
{
    std::atomic<int> caught{0};
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    have_leased(ctx);
    call_a_late_one(ctx, caught, [&] {
        ctx.stop();
        ctx.poll();
    });
    BOOST_TEST(caught == 0);
    BOOST_TEST(ctx.stopped());
}

// As with a plain io_context: from within a completion, whether it may be handed over or not. If
// the thread was late before, another one might run what it waits for, and it would wait for ever.
BOOST_AUTO_TEST_CASE(one_may_wait_through_the_base_class)
{
    for (auto const& name : {ewyk::strategy_t::produce_consume, ewyk::strategy_t::eat_what_you_kill})
    {
        auto options = leasing_options(name);
        options.grace = 24h;
        ewyk::strategy_context ctx(options);
        deadline const d(ctx);
        have_leased(ctx);
        bool ran = false;
        asio::steady_timer timer(ctx, 1ms);
        auto const either_way = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
        timer.async_wait(asio::bind_executor(either_way, [&](auto) {
            asio::post(either_way, [&] { ran = true; });
            while (!ran && !ctx.stopped())
                static_cast<asio::io_context&>(ctx).run_one();
        }));
        ctx.run();
        BOOST_TEST(ran);
    }
}

// As a strategy executor promises, inside of Asio as outside.
BOOST_DATA_TEST_CASE(dispatch_from_one_calls_at_once, leasing, s)
{
    ewyk::strategy_context ctx(leasing_options(s));
    deadline const d(ctx);
    have_leased(ctx);
    asio::steady_timer timer(ctx, 1ms);
    bool at_once = false;
    bool inside = false;
    timer.async_wait([&](auto) {
        inside = ctx.get_executor().running_in_this_thread();
        asio::dispatch(ctx, [&] { at_once = true; });
        inside = inside && at_once;
    });
    ctx.run();
    BOOST_TEST(inside);
}

BOOST_AUTO_TEST_SUITE_END()
