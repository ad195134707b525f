// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A context that is destroyed destroys what it still holds: every handler exactly once, unrun.

#include "support.hpp"

#include <boost/asio/experimental/channel.hpp>

#include <csignal>
#include <latch>
#include <memory>
#include <optional>

using namespace support;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;
using local_socket = asio::local::stream_protocol::socket;

namespace {

void expect_destroyed_unrun(census const& c, int made)
{
    BOOST_TEST(c.made == made);
    BOOST_TEST(c.destroyed == made);
    BOOST_TEST(c.ran == 0);
}

/// A handler that gives its context more work when it is destroyed.
class posts_when_destroyed
{
public:
    posts_when_destroyed(executor ex, census& c) : resident_(c), ex_(ex), census_(&c) {}
    posts_when_destroyed(posts_when_destroyed&& other) noexcept
      : resident_(std::move(other.resident_))
      , ex_(other.ex_)
      , census_(std::exchange(other.census_, nullptr))
    {
    }
    ~posts_when_destroyed()
    {
        if (census_)
            asio::post(ex_, resident(*census_));
    }

    void operator()() const { resident_(); }

private:
    resident resident_;
    executor ex_;
    census* census_; // null once moved from
};

}

BOOST_AUTO_TEST_SUITE(drop_in_destruction)

CONTEXT_TEST_CASE(a_context_that_never_ran, s)
{
    {
        context const ctx(s);
    }
    {
        context ctx(s);
        run(ctx);
    }
    context ctx(s);
    BOOST_TEST(!ctx.stopped());
}

CONTEXT_TEST_CASE(queued_functions, s)
{
    census c;
    {
        context ctx(s);
        auto const strand = asio::make_strand(ctx);
        for (int i = 0; i < 20; ++i)
        {
            asio::post(ctx, resident(c));
            asio::defer(ctx, resident(c));
            asio::dispatch(ctx, resident(c));
            asio::post(strand, resident(c));
            asio::post(asio::any_io_executor(strand), resident(c));
        }
    }
    expect_destroyed_unrun(c, 100);
}

CONTEXT_TEST_CASE(pending_operations, s)
{
    census c;
    {
        context ctx(s);
        auto const strand = asio::make_strand(ctx);
        asio::steady_timer timer(ctx, 1h);
        asio::signal_set signals(ctx, SIGUSR1);
        local_socket a(ctx);
        local_socket b(ctx);
        asio::local::connect_pair(a, b);
        asio::ip::tcp::acceptor acceptor(ctx, {asio::ip::address_v4::loopback(), 0});
        asio::experimental::channel<void(error_code, int)> channel(ctx);
        char byte = 0;
        timer.async_wait(resident(c));
        timer.async_wait(asio::bind_executor(strand, resident(c)));
        signals.async_wait(resident(c));
        a.async_read_some(asio::buffer(&byte, 1), resident(c));
        b.async_wait(local_socket::wait_read, resident(c));
        acceptor.async_accept(resident(c));
        channel.async_receive(resident(c));
    }
    expect_destroyed_unrun(c, 7);
}

// The I/O objects are still open, and die inside handlers, which own them.
CONTEXT_TEST_CASE(handlers_that_own_their_io_objects, s)
{
    census c;
    {
        context ctx(s);
        for (int i = 0; i < 10; ++i)
        {
            auto timer = std::make_unique<asio::steady_timer>(ctx, 1h);
            auto& t = *timer;
            t.async_wait(asio::consign(resident(c), std::move(timer)));

            auto sockets = std::make_unique<std::array<local_socket, 2>>(
                std::array<local_socket, 2>{local_socket(ctx), local_socket(ctx)});
            auto& pair = *sockets;
            asio::local::connect_pair(pair[0], pair[1]);
            auto byte = std::make_unique<char>();
            auto const buffer = asio::buffer(byte.get(), 1);
            pair[0].async_read_some(
                buffer, asio::consign(resident(c), std::move(sockets), std::move(byte)));

            asio::post(ctx, asio::consign(resident(c), asio::make_work_guard(ctx)));
        }
    }
    expect_destroyed_unrun(c, 30);
}

CONTEXT_TEST_CASE(what_a_destroyed_handler_posts_is_destroyed_too, s)
{
    census c;
    {
        context ctx(s);
        auto const ex = ctx.get_executor();
        asio::steady_timer timer(ctx, 1h);
        for (int i = 0; i < 5; ++i)
        {
            asio::post(ctx, posts_when_destroyed(ex, c));
            asio::post(asio::make_strand(ctx), posts_when_destroyed(ex, c));
        }
    }
    expect_destroyed_unrun(c, 20);
}

CONTEXT_TEST_CASE(what_is_queued_after_stop, s)
{
    census c;
    {
        context ctx(s);
        asio::post(ctx, [&] { ctx.stop(); });
        run(ctx);
        for (int i = 0; i < 50; ++i)
            asio::post(ctx, resident(c));
        BOOST_TEST(ctx.run() == 0u); // it is still stopped
        BOOST_TEST(ctx.poll() == 0u);
    }
    expect_destroyed_unrun(c, 50);
}

// Stopped in the middle of plenty of work: some handlers have run, some have not, all are gone.
CONTEXT_TEST_CASE(what_stop_has_left_over, s)
{
    constexpr int count = 5000;
    census c;
    {
        context ctx(s);
        for (int i = 0; i < count; ++i)
            asio::post(ctx, [r = resident(c), i, &ctx] {
                r();
                if (i == 100)
                    ctx.stop();
            });
        run(ctx);
        BOOST_TEST(c.ran > 0);
    }
    BOOST_TEST(c.made == count);
    BOOST_TEST(c.destroyed == count);
    BOOST_TEST(c.ran <= count);
}

// A thread of the pool may be inside a handler when run() has returned elsewhere. The destructor
// waits for it, and for all it knows the context is still there.
CONTEXT_TEST_CASE(a_handler_that_still_runs, s)
{
    census c;
    std::atomic<bool> finished{false};
    {
        context ctx(s);
        std::latch others_go_on(s.serial ? 1 : 2);
        asio::post(ctx, [&] {
            others_go_on.arrive_and_wait();
            ctx.stop();
            for (int i = 0; i < 100; ++i)
            {
                asio::post(ctx, resident(c));
                asio::steady_timer timer(ctx, 1h);
                timer.async_wait(resident(c));
                local_socket a(ctx);
                local_socket b(ctx);
                asio::local::connect_pair(a, b);
                a.async_wait(local_socket::wait_read, resident(c));
                std::this_thread::yield();
            }
            finished = true;
        });
        if (!s.serial)
            asio::post(ctx, [&] { others_go_on.arrive_and_wait(); });
        run(ctx);
    }
    BOOST_TEST(finished);
    expect_destroyed_unrun(c, 300);
}

CONTEXT_TEST_CASE(coroutines_that_have_not_started, s)
{
    census c;
    {
        context ctx(s);
        for (int i = 0; i < 20; ++i)
            asio::co_spawn(
                ctx,
                [r = resident(c)]() -> awaitable<void> {
                    r();
                    co_return;
                },
                asio::detached);
    }
    expect_destroyed_unrun(c, 20);
}

CONTEXT_TEST_CASE(suspended_coroutines, s)
{
    constexpr int count = 60;
    census frames;
    census handlers;
    {
        context ctx(s);
        std::atomic<int> started{0};
        asio::experimental::channel<void(error_code, int)> channel(asio::make_strand(ctx));
        auto const wait = [&](int kind) -> awaitable<void> {
            resident const outer(frames);
            auto const ex = co_await asio::this_coro::executor;
            auto const deeper = [&]() -> awaitable<void> {
                resident const inner(frames);
                local_socket a(ex);
                local_socket b(ex);
                asio::local::connect_pair(a, b);
                asio::steady_timer timer(ex, 1h);
                char byte = 0;
                if (++started == count)
                    ctx.stop();
                if (kind == 0)
                    co_await timer.async_wait(use_awaitable);
                else
                    co_await a.async_read_some(asio::buffer(&byte, 1), use_awaitable);
                inner();
            };
            co_await deeper();
            outer();
        };
        for (int i = 0; i < count; ++i)
            asio::co_spawn(ctx, wait(i % 2), resident(handlers));
        run(ctx);
    }
    expect_destroyed_unrun(handlers, count);
    expect_destroyed_unrun(frames, 2 * count);
}

// The first context's handlers hold work, timers and sockets of the second, which outlives them.
CONTEXT_TEST_CASE(handlers_that_hold_work_of_another_context, s)
{
    census of_first;
    census of_second;
    {
        context second(s);
        std::optional<context> first(s);
        for (int i = 0; i < 10; ++i)
        {
            auto timer = std::make_unique<asio::steady_timer>(second, 1h);
            timer->async_wait(resident(of_second));
            asio::post(*first,
                asio::consign(resident(of_first), std::move(timer), asio::make_work_guard(second)));
            asio::post(second, asio::consign(resident(of_second), asio::make_work_guard(*first)));
        }
        // What the second has queued refers to the first, so it has to be run before the first
        // dies; the ten waits come back when the first's handlers take their timers with them.
        BOOST_TEST(second.poll() <= 10u);
        BOOST_TEST(eventually([&] { return of_second.destroyed == 10; }));
        first.reset();
        expect_destroyed_unrun(of_first, 10);
        run(second);
    }
    BOOST_TEST(of_second.made == 20);
    BOOST_TEST(of_second.destroyed == 20);
    BOOST_TEST(of_second.ran == 20);
}

BOOST_AUTO_TEST_SUITE_END()
