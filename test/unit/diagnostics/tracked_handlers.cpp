// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Native handlers of a program that is compiled with Asio's hook: each is noticed when it is late,
// has its name in reports of stalls and in traces, and is counted. native_handlers.cpp is compiled
// with the hook, too. Without it there is nothing to see.

#include "../pool_support.hpp"
#include "stall_support.hpp"
#include "trace_support.hpp"

#include <asio_ewyk/diagnostics/tracking.hpp>

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

BOOST_AUTO_TEST_SUITE(tracked_handlers)

namespace {

using namespace support;

} // namespace

#if !defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)

BOOST_AUTO_TEST_CASE(are_in_no_trace_where_the_hook_is_not_compiled_in)
{
    ewyk::strategy_context ctx;
    ewyk::trace::start();
    asio::post(static_cast<asio::io_context&>(ctx).get_executor(), [] {});
    BOOST_TEST(ctx.run() == 1u);
    ewyk::trace::stop();
    BOOST_TEST(write_and_read().count('B', "consume") == 0u);
}

#else

namespace {

using kind = ewyk::stall_kind;

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

asio::io_context::executor_type native(asio::io_context& ioc)
{
    return ioc.get_executor();
}

/// A handler with a name.
struct the_native_one
{
    void operator()() const { call(); }
    void operator()(boost::system::error_code) const { call(); }

    std::function<void()> call = [] {};
};

/// How many runs of a handler with that name a trace has.
std::size_t runs_of(written_trace const& t, std::string const& name)
{
    return static_cast<std::size_t>(
        std::count_if(t.events.begin(), t.events.end(), [&](support::trace_event const& e) {
            return e.phase == 'B' && e.category == "consume"
                && e.name.find(name) != std::string::npos;
        }));
}

template <class F>
written_trace traced(F f)
{
    ewyk::trace::start();
    f();
    ewyk::trace::stop();
    auto const t = write_and_read();
    check(t);
    return t;
}

} // namespace

// It computes until another one has run, which is so only if it is noticed. After a silence, and
// after others.
BOOST_DATA_TEST_CASE(one_may_compute_until_another_has_run, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    for (auto const silence : {0ms, 5ms, 50ms, 300ms})
    {
        std::this_thread::sleep_for(silence);
        std::atomic<bool> other{false};
        event over;
        bool met = false;
        asio::post(native(ctx), [&] {
            asio::post(native(ctx), [&] { other = true; });
            auto const end = std::chrono::steady_clock::now() + patience;
            while (!other && std::chrono::steady_clock::now() < end)
            {
            }
            met = other;
            over.set();
        });
        BOOST_TEST(over.wait());
        BOOST_TEST(met, silence.count());
    }
    ctx.stop();
    runner.join();
}

// Each of those that it runs inside of itself is another one for the watchdog.
BOOST_DATA_TEST_CASE(one_may_compute_and_run_others_until_another_has_run, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    auto const strand = asio::make_strand(native(ctx));
    std::atomic<bool> other{false};
    bool met = false;
    asio::post(native(ctx), [&] {
        asio::post(native(ctx), [&] { other = true; });
        auto const end = std::chrono::steady_clock::now() + patience;
        while (!other && std::chrono::steady_clock::now() < end)
            asio::dispatch(strand, [] {});
        met = other;
    });
    ctx.run();
    BOOST_TEST(met);
}

BOOST_AUTO_TEST_CASE(one_is_as_old_as_before_after_others_that_it_has_run)
{
    using asio_ewyk::detail::thread_activity;
    ewyk::strategy_context ctx;
    auto const strand = asio::make_strand(native(ctx));
    asio::post(native(ctx), [&] {
        auto const before = thread_activity::mine().look();
        BOOST_TEST(before.began != 0);
        int ran = 0;
        asio::dispatch(strand, [&] { ++ran; });
        asio::dispatch(ctx, [&] { ++ran; });
        ewyk::strategy_context another;
        asio::post(another, [&] { ++ran; });
        another.run();
        BOOST_TEST(ran == 3);
        auto const after = thread_activity::mine().look();
        BOOST_TEST(after.changes != before.changes);
        BOOST_TEST(after.began == before.began);
    });
    BOOST_TEST(ctx.run() != 0u);
}

// The first one holds a mutex and waits for the third, the second one waits for the mutex.
BOOST_DATA_TEST_CASE(one_may_wait_for_a_mutex_while_another_is_late, leasing, s)
{
    for (int round = 0; round != 20; ++round)
    {
        ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
        deadline const d(ctx);
        std::mutex m;
        event locked;
        event third;
        bool waited = false;
        asio::post(native(ctx), [&] {
            std::lock_guard const lock(m);
            locked.set();
            waited = third.wait();
        });
        asio::post(native(ctx), [&] {
            locked.wait();
            asio::post(native(ctx), [&] { third.set(); });
            std::lock_guard const lock(m);
        });
        BOOST_TEST(ctx.run() == 3u);
        BOOST_TEST(waited);
    }
}

// A server that knows an io_context only: the first request after a silence waits for another.
BOOST_DATA_TEST_CASE(a_server_of_native_handlers_may_block_in_any_of_them, leasing, s)
{
    using tcp = asio::ip::tcp;
    using socket = asio::basic_stream_socket<tcp, asio::io_context::executor_type>;
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    asio::io_context& ioc = ctx;
    asio::basic_socket_acceptor<tcp, asio::io_context::executor_type> acceptor(
        native(ioc), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    asio::io_context clients;
    tcp::socket first(clients), second(clients);
    first.connect(acceptor.local_endpoint());
    socket served_first(acceptor.accept());
    second.connect(acceptor.local_endpoint());
    socket served_second(acceptor.accept());
    std::thread runner([&] {
        auto const work = asio::make_work_guard(ctx);
        ctx.run();
    });
    for (auto const silence : {0ms, 20ms, 200ms})
    {
        std::array<char, 1> a{}, b{};
        event other, over;
        bool waited = false;
        served_first.async_receive(asio::buffer(a), [&](auto, auto) {
            waited = other.wait();
            over.set();
        });
        served_second.async_receive(asio::buffer(b), [&](auto, auto) { other.set(); });
        std::this_thread::sleep_for(silence);
        asio::write(first, asio::buffer("x", 1));
        asio::write(second, asio::buffer("x", 1));
        BOOST_TEST(over.wait());
        BOOST_TEST(waited, silence.count());
    }
    ctx.stop();
    runner.join();
}

// It waits for I/O by itself, inside the io_context that it was given.
BOOST_DATA_TEST_CASE(one_may_run_others_of_its_io_context, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    asio::io_context& ioc = ctx;
    int late = 0;
    for (int round = 0; round != 20; ++round)
    {
        event over;
        asio::steady_timer timer(native(ctx), 1ms);
        std::atomic<bool> inner{false};
        asio::post(native(ctx), [&] {
            timer.async_wait([&](auto) { inner = true; });
            while (!inner && !ioc.stopped())
                ioc.run_one_for(1ms);
            auto const done = std::make_shared<event>();
            asio::post(native(ctx), [done] { done->set(); });
            late += done->wait();
            over.set();
        });
        ctx.run();
        ctx.restart();
        BOOST_TEST(over.wait());
    }
    BOOST_TEST(late == 20);
}

// What the io_context finds inside of a handler is a part of that, also a task of the library's.
BOOST_DATA_TEST_CASE(one_that_has_run_a_task_may_block_then, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    asio::io_context& ioc = ctx;
    auto const quick = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
    for (bool const dispatches : {false, true})
    {
        bool ran = false;
        bool waited = false;
        event other;
        asio::post(native(ctx), [&] {
            if (dispatches)
                asio::dispatch(quick, [&] { ran = true; });
            else
            {
                asio::post(quick, [&] { ran = true; });
                ioc.poll();
            }
            asio::post(native(ctx), [&] { other.set(); });
            waited = other.wait();
        });
        ctx.run();
        ctx.restart();
        BOOST_TEST(ran);
        BOOST_TEST(waited);
    }
}

BOOST_DATA_TEST_CASE(one_may_block_while_it_is_destroyed, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    event other;
    bool waited = false;
    {
        auto waits = std::shared_ptr<void>(&other, [&](void*) { waited = other.wait(); });
        asio::post(native(ctx), [&, waits = std::move(waits)] {
            asio::post(native(ctx), [&] { other.set(); });
        });
    }
    BOOST_TEST(ctx.run() == 2u);
    BOOST_TEST(waited);
}

#if !defined(BOOST_ASIO_NO_TS_EXECUTORS)

// Asio tells of none of these but in its count, which takes several for one.
BOOST_DATA_TEST_CASE(one_of_an_io_context_strand_may_block, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    asio::io_context::strand strand(ctx);
    event other;
    bool waited = false;
    asio::post(strand, [&] {
        asio::post(native(ctx), [&] { other.set(); });
        waited = other.wait();
    });
    for (int i = 0; i != 3; ++i)
        asio::post(strand, [] {});
    std::size_t const ran = ctx.run();
    BOOST_TEST(waited);
    BOOST_TEST(ctx.metrics().tasks() == ran);
}

#endif

CONTEXT_TEST_CASE(one_that_stalls_is_reported_by_its_name, s)
{
    reports all;
    ewyk::strategy_options o = options(s);
    o.stall_threshold = 5ms;
    o.on_stall = all.callback();
    o.name = "named";
    bool seen = false;
    {
        ewyk::strategy_context ctx(o);
        asio::steady_timer timer(native(ctx), 1ms);
        timer.async_wait(the_native_one{[&] { seen = all.wait_for(kind::running); }});
        ctx.run();
        BOOST_TEST(all.wait_for(kind::ended));
    }
    BOOST_TEST(seen);
    auto const r = all.first(kind::running);
    BOOST_TEST(r.handler.ends_with("the_native_one"), r.handler);
    BOOST_TEST(r.context == "named");
    BOOST_TEST((r.time >= 5ms));
}

// Each of them once: native ones, those of a strand and those of a timer.
CONTEXT_TEST_CASE(each_is_in_a_trace_by_its_name, s)
{
    auto const t = traced([&] {
        context ctx(s);
        auto const strand = asio::make_strand(native(ctx));
        asio::steady_timer timer(native(ctx), 1ms);
        timer.async_wait(the_native_one{});
        for (int i = 0; i != 10; ++i)
        {
            asio::post(native(ctx), the_native_one{});
            asio::post(strand, the_native_one{});
        }
        run(ctx);
    });
    BOOST_TEST(runs_of(t, "the_native_one") == 21u);
}

// The strand has it from an any_io_executor, which hides the type.
CONTEXT_TEST_CASE(one_of_a_strand_is_in_a_trace_by_its_name, s)
{
    auto const t = traced([&] {
        context ctx(s);
        asio::any_io_executor const strand = asio::make_strand(native(ctx));
        asio::steady_timer timer(strand, 1ms);
        timer.async_wait(the_native_one{});
        run(ctx);
    });
    // The completion, and what the strand runs.
    BOOST_TEST(runs_of(t, "the_native_one") == 2u);
    BOOST_TEST(runs_of(t, "executor_function") == 0u);
}

// By the executor of the library, whose own record it has.
CONTEXT_TEST_CASE(no_other_handler_is_in_a_trace_twice, s)
{
    auto const t = traced([&] {
        context ctx(s);
        for (int i = 0; i != 10; ++i)
            asio::post(ctx, the_native_one{});
        run(ctx);
    });
    BOOST_TEST(runs_of(t, "the_native_one") == 10u);
    BOOST_TEST(t.count('B', "consume") == 10u);
}

BOOST_AUTO_TEST_CASE(those_of_an_io_context_alone_are_in_no_trace)
{
    auto const t = traced([] {
        asio::io_context ioc;
        asio::post(ioc, the_native_one{});
        BOOST_TEST(ioc.run() == 1u);
    });
    BOOST_TEST(t.count('B', "consume") == 0u);
}

// A handler runs another context, whose handlers are no parts of it.
BOOST_AUTO_TEST_CASE(those_that_another_one_runs_are_in_a_trace_each)
{
    auto const t = traced([] {
        ewyk::strategy_context ctx;
        asio::post(native(ctx), [] {
            ewyk::strategy_context inner({.strategy = ewyk::strategy_t::produce_consume});
            for (int i = 0; i != 3; ++i)
                asio::post(inner, the_native_one{});
            BOOST_TEST(inner.run() == 3u);
        });
        ctx.run();
    });
    BOOST_TEST(runs_of(t, "the_native_one") == 3u);
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

BOOST_AUTO_TEST_CASE(that_of_a_coroutine_is_where_it_waits)
{
    unsigned line = 0;
    auto const t = traced([&] {
        ewyk::strategy_context ctx;
        asio::steady_timer timer(native(ctx), 1ms);
        asio::co_spawn(
            native(ctx),
            [&]() -> asio::awaitable<void> {
                line = __LINE__ + 1;
                co_await timer.async_wait(asio::use_awaitable_t<>(__FILE__, __LINE__, __func__));
                co_await asio::post(native(ctx), asio::use_awaitable);
            },
            [](std::exception_ptr) {});
        ctx.run();
    });
    BOOST_TEST(runs_of(t, "tracked_handlers.cpp:" + std::to_string(line) + " async_wait") == 1u);
}

#endif

// The thread stays inside run(), so Asio has told of no number yet.
BOOST_DATA_TEST_CASE(they_are_counted_while_a_caller_is_inside_run, leasing, s)
{
    constexpr std::size_t many = 100;
    ewyk::strategy_context ctx({.strategy = s, .grace = 24h});
    deadline const d(ctx);
    auto work = asio::make_work_guard(ctx);
    std::size_t ran = 0;
    std::thread runner([&] { ran = ctx.run(); });
    asio::steady_timer const timer(ctx); // so that the thread waits for I/O
    for (std::size_t i = 0; i != many; ++i)
        asio::post(native(ctx), [] {});
    BOOST_TEST(eventually([&] { return ctx.metrics().on_lease >= many; }));
    work.reset();
    runner.join();
    BOOST_TEST(ran == many);
    BOOST_TEST(ctx.metrics().on_lease == many);
}

// What comes after it is seen and counted as before.
BOOST_DATA_TEST_CASE(one_may_throw, leasing, s)
{
    auto const t = traced([&] {
        ewyk::strategy_context ctx({.strategy = s, .grace = 24h});
        deadline const d(ctx);
        for (int i = 0; i != 3; ++i)
        {
            asio::post(native(ctx), the_native_one{[] { throw std::runtime_error("expected"); }});
            BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
            ctx.restart();
        }
        asio::post(native(ctx), the_native_one{});
        BOOST_TEST(ctx.run() == 1u);
        BOOST_TEST(ctx.metrics().on_lease == 4u);
    });
    BOOST_TEST(runs_of(t, "the_native_one") == 4u);
}

// A late one, that is: the thread that comes takes over from it.
BOOST_DATA_TEST_CASE(one_that_is_late_may_throw, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    event other;
    bool waited = false;
    asio::post(native(ctx), [&] {
        asio::post(native(ctx), [&] { other.set(); });
        waited = other.wait();
        throw std::runtime_error("expected");
    });
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
    BOOST_TEST(waited);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
