// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// How to learn of the end of an event_loop without waiting for it.

#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>

#include "../pool_support.hpp"

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <vector>

BOOST_AUTO_TEST_SUITE(event_loop_async_shutdown)

namespace {

using namespace support;
using boost::system::error_code;

/// What an operation completed with, and that it did so once.
class outcome
{
public:
    auto handler()
    {
        return [this](error_code ec) {
            ++calls_;
            ec_ = ec;
            called_.set();
        };
    }

    error_code wait()
    {
        BOOST_TEST(called_.wait());
        BOOST_TEST(calls_ == 1);
        return ec_;
    }

private:
    event called_;
    std::atomic<int> calls_{0};
    error_code ec_;
};

/// Holds the loop's thread until it is released.
class obstacle
{
public:
    explicit obstacle(ewyk::event_loop& loop)
    {
        asio::post(loop, [s = state_] {
            s->running.set();
            s->released.wait();
        });
        BOOST_TEST(state_->running.wait());
    }

    void release() { state_->released.set(); }

private:
    struct state
    {
        event running;
        event released;
    };

    std::shared_ptr<state> const state_ = std::make_shared<state>();
};

BOOST_AUTO_TEST_CASE(with_a_future)
{
    int ran = 0;
    ewyk::event_loop loop;
    for (int i = 0; i != 100; ++i)
        asio::post(loop, [&] { ++ran; });
    std::future<void> ended = loop.async_shutdown_gracefully(1ms, patience, asio::use_future);
    BOOST_CHECK_NO_THROW(ended.get());
    BOOST_TEST(loop.terminated());
    BOOST_TEST(ran == 100);
}

BOOST_AUTO_TEST_CASE(when_a_handler_is_stuck)
{
    outcome ended;
    ewyk::event_loop loop;
    obstacle stuck(loop);
    loop.async_shutdown_gracefully(1ms, 10ms, ended.handler());
    BOOST_TEST(ended.wait() == asio::error::timed_out);
    BOOST_TEST(!loop.terminated());
    stuck.release();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
}

BOOST_AUTO_TEST_CASE(many_wait_for_a_group_and_its_loops)
{
    ewyk::event_loop_group group(2);
    obstacle first(group[0]);
    obstacle second(group[1]);
    for (int round = 0; round != 2; ++round)
    {
        std::vector<asio::cancellation_signal> signals(20);
        std::vector<outcome> late(20);
        std::vector<outcome> given_up(20);
        for (std::size_t i = 0; i != signals.size(); ++i)
        {
            group.async_shutdown_gracefully(0ms, 20ms, late[i].handler());
            group[i % 2].async_shutdown_gracefully(0ms, patience,
                asio::bind_cancellation_slot(signals[i].slot(), given_up[i].handler()));
        }
        for (outcome& o : late)
            BOOST_TEST(o.wait() == asio::error::timed_out);
        for (std::size_t i = 0; i != signals.size(); ++i)
        {
            signals[i].emit(asio::cancellation_type::terminal);
            BOOST_TEST(given_up[i].wait() == asio::error::operation_aborted);
        }
    }
    first.release();
    second.release();
}

// Where nothing else is to do, run() returns after the handler and not before.
BOOST_AUTO_TEST_CASE(is_work_of_the_handlers_executor)
{
    ewyk::event_loop loop;
    loop.start();
    asio::io_context ioc;
    std::optional<error_code> result;
    loop.async_shutdown_gracefully(5ms, patience, asio::bind_executor(ioc, [&](error_code ec) {
        result = ec;
        BOOST_TEST(ioc.get_executor().running_in_this_thread());
    }));
    {
        deadline const in_time(ioc);
        BOOST_TEST(ioc.run() == 1u);
    }
    BOOST_TEST((result == error_code()));
}

// Not by the call itself, whatever there is to wait for.
BOOST_AUTO_TEST_CASE(of_a_loop_that_never_began_or_has_ended)
{
    ewyk::event_loop loop;
    for (int i = 0; i != 3; ++i)
    {
        asio::io_context ioc;
        std::optional<error_code> result;
        loop.async_shutdown_gracefully(
            1h, 1h, asio::bind_executor(ioc, [&](error_code ec) { result = ec; }));
        BOOST_TEST(loop.terminated());
        BOOST_TEST(!result);
        BOOST_TEST(ioc.run() == 1u);
        BOOST_TEST((result == error_code()));
    }
}

BOOST_AUTO_TEST_CASE(on_its_own_thread)
{
    outcome ended;
    ewyk::event_loop loop;
    asio::post(loop, [&] { loop.async_shutdown_gracefully(1ms, patience, ended.handler()); });
    BOOST_TEST(!ended.wait());
    BOOST_TEST(loop.terminated());
}

BOOST_AUTO_TEST_CASE(the_handler_destroys_the_loop)
{
    for (bool const running : {false, true})
    {
        event destroyed;
        auto loop = std::make_unique<ewyk::event_loop>();
        if (running)
            loop->start();
        loop->async_shutdown_gracefully(0ms, patience, [&](error_code) {
            loop.reset();
            destroyed.set();
        });
        BOOST_TEST(destroyed.wait());
    }
}

BOOST_AUTO_TEST_CASE(several_at_a_time)
{
    for (int i = 0; i != 20; ++i)
    {
        std::atomic<int> waited{0};
        ewyk::event_loop loop;
        loop.start();
        std::vector<std::future<void>> ended;
        std::vector<std::thread> threads;
        for (int t = 0; t != 2; ++t)
            threads.emplace_back([&] { waited += loop.shutdown_gracefully(1ms, patience); });
        for (int n = 0; n != 3; ++n)
            ended.push_back(loop.async_shutdown_gracefully(1ms, patience, asio::use_future));
        for (auto& e : ended)
            BOOST_CHECK_NO_THROW(e.get());
        for (auto& t : threads)
            t.join();
        BOOST_TEST(waited == 2);
    }
}

// A caller that waits less long gives up; the loop does not.
BOOST_AUTO_TEST_CASE(the_first_call_says_when)
{
    bool ran = false;
    outcome first;
    outcome second;
    ewyk::event_loop loop;
    obstacle stuck(loop);
    asio::post(loop, [&] { ran = true; });
    loop.async_shutdown_gracefully(1ms, patience, first.handler());
    loop.async_shutdown_gracefully(0ms, 0ms, second.handler());
    BOOST_TEST(second.wait() == asio::error::timed_out);
    stuck.release();
    BOOST_TEST(!first.wait());
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(a_loop_that_ends_otherwise)
{
    outcome stopped;
    outcome destroyed;
    {
        ewyk::event_loop loop;
        loop.start();
        loop.async_shutdown_gracefully(1h, std::chrono::nanoseconds::max(), stopped.handler());
        loop.stop();
        BOOST_TEST(!stopped.wait());
        ewyk::event_loop other;
        other.start();
        other.async_shutdown_gracefully(1h, 1h, destroyed.handler());
    }
    BOOST_TEST(!destroyed.wait());
}

// In coroutines of another context, at once and later.
BOOST_AUTO_TEST_CASE(awaited)
{
    asio::io_context ioc;
    ewyk::event_loop loop;
    ewyk::event_loop stuck_loop;
    obstacle stuck(stuck_loop);
    bool done = false;
    asio::co_spawn(
        ioc,
        [&]() -> asio::awaitable<void> {
            loop.start();
            auto later = loop.async_shutdown_gracefully(1ms, patience, asio::deferred);
            BOOST_TEST(!loop.terminated());
            co_await std::move(later)(asio::use_awaitable);
            BOOST_TEST(loop.terminated());
            error_code ec;
            co_await stuck_loop.async_shutdown_gracefully(
                0ms, 5ms, asio::redirect_error(asio::use_awaitable, ec));
            BOOST_TEST(ec == asio::error::timed_out);
            done = true;
        },
        asio::detached);
    {
        deadline const in_time(ioc);
        ioc.run();
    }
    BOOST_TEST(done);
    stuck.release();
}

BOOST_AUTO_TEST_CASE(cancelled)
{
    outcome result;
    ewyk::event_loop loop;
    obstacle stuck(loop);
    asio::cancellation_signal signal;
    asio::io_context ioc;
    loop.async_shutdown_gracefully(0ms, patience,
        asio::bind_cancellation_slot(
            signal.slot(), asio::bind_executor(ioc, result.handler())));
    signal.emit(asio::cancellation_type::total);
    BOOST_TEST(ioc.poll() == 0u);
    signal.emit(asio::cancellation_type::terminal);
    BOOST_TEST(ioc.run() == 1u);
    BOOST_TEST(result.wait() == asio::error::operation_aborted);
    signal.emit(asio::cancellation_type::terminal);
    BOOST_TEST(!loop.terminated());
    stuck.release();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    ioc.restart();
    BOOST_TEST(ioc.poll() == 0u);
}

// The loop has ended by then.
BOOST_AUTO_TEST_CASE(a_handler_of_the_loop_itself)
{
    census c;
    {
        ewyk::event_loop loop;
        loop.start();
        loop.async_shutdown_gracefully(0ms, patience, asio::bind_executor(loop, resident(c)));
        ewyk::event_loop other;
        asio::co_spawn(
            other,
            [&, r = std::make_shared<resident>(c)]() -> asio::awaitable<void> {
                co_await other.async_shutdown_gracefully(0ms, patience, asio::use_awaitable);
                (*r)();
            },
            asio::detached);
        BOOST_TEST(eventually([&] { return c.destroyed == c.made; }));
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

// It cannot run any more when its loop has ended, whatever the others do.
BOOST_AUTO_TEST_CASE(a_handler_of_one_loop_of_a_group)
{
    census c;
    {
        ewyk::event_loop_group group(2);
        obstacle stuck(group[0]);
        group[1].start();
        group.async_shutdown_gracefully(
            0ms, patience, asio::bind_executor(group[1], resident(c)));
        BOOST_TEST(eventually([&] { return c.destroyed == c.made; }));
        BOOST_TEST(!group.terminated());
        stuck.release();
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

/// Destroys what it is given, as an executor whose context has ended.
struct refusing_executor
{
    template <class F>
    void execute(F&& f) const
    {
        [[maybe_unused]] std::decay_t<F> const dropped(std::forward<F>(f));
    }

    static constexpr asio::execution::blocking_t::never_t query(
        asio::execution::blocking_t) noexcept
    {
        return {};
    }

    bool operator==(refusing_executor const&) const noexcept { return true; }
    bool operator!=(refusing_executor const&) const noexcept { return false; }
};

// It is destroyed, and the loop with it, by the thread that waits for the loop's end.
// By an executor that refuses it, or that is the ended loop's own.
BOOST_AUTO_TEST_CASE(a_handler_that_owns_the_loop_and_cannot_run)
{
    for (bool const own : {false, true})
    {
        event destroyed;
        std::shared_ptr<ewyk::event_loop> owner(new ewyk::event_loop, [&](ewyk::event_loop* l) {
            delete l;
            destroyed.set();
        });
        ewyk::event_loop& loop = *owner;
        obstacle stuck(loop);
        auto const end = [&](auto executor) {
            loop.async_shutdown_gracefully(0ms, patience,
                asio::bind_executor(executor, [l = std::move(owner)](error_code) {}));
        };
        own ? end(loop.get_executor()) : end(refusing_executor());
        stuck.release();
        BOOST_TEST(destroyed.wait());
    }
}

// The time is over before the loop is: what is posted there is destroyed at once.
BOOST_AUTO_TEST_CASE(a_handler_that_owns_a_loop_that_does_not_end)
{
    event dies, destroyed;
    std::shared_ptr<ewyk::event_loop> owner(new ewyk::event_loop, [&](ewyk::event_loop* l) {
        dies.set();
        delete l;
        destroyed.set();
    });
    ewyk::event_loop& loop = *owner;
    obstacle stuck(loop);
    loop.async_shutdown_gracefully(
        0ms, 1ms, asio::bind_executor(loop.get_executor(), [l = std::move(owner)](error_code) {}));
    BOOST_TEST(dies.wait());
    stuck.release();
    BOOST_TEST(destroyed.wait());
}

// What it owns lives in the loop, whose destructor waits for that.
BOOST_AUTO_TEST_CASE(a_handler_of_a_loop_that_is_destroyed)
{
    for (int i = 0; i != 200; ++i)
    {
        census c;
        {
            ewyk::event_loop loop;
            asio::co_spawn(
                loop,
                [&, r = std::make_shared<resident>(c)]() -> asio::awaitable<void> {
                    asio::steady_timer const timer(co_await asio::this_coro::executor);
                    co_await loop.async_shutdown_gracefully(0ms, patience, asio::use_awaitable);
                    (*r)();
                },
                asio::detached);
            BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        }
        BOOST_TEST_REQUIRE(c.destroyed == c.made);
    }
}

// A function that is moved keeps what it has captured of something const.
BOOST_AUTO_TEST_CASE(a_handler_that_is_copied_owns_the_loop)
{
    for (int i = 0; i != 200; ++i)
    {
        event destroyed;
        {
            std::shared_ptr<ewyk::event_loop> const loop(
                new ewyk::event_loop, [&](ewyk::event_loop* l) {
                    delete l;
                    destroyed.set();
                });
            loop->start();
            loop->async_shutdown_gracefully(0ms, patience, [loop](error_code) {});
        }
        BOOST_TEST_REQUIRE(destroyed.wait());
    }
}

BOOST_AUTO_TEST_CASE(without_a_thread_to_wait)
{
    ewyk::event_loop loop;
    obstacle stuck(loop); // or there might be nothing to wait for
    {
        no_more_threads const none;
        if (none.in_force())
            BOOST_CHECK_THROW(loop.async_shutdown_gracefully(0ms, patience, [](error_code) {}),
                std::system_error);
        else
            loop.stop();
    }
    stuck.release();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
}

BOOST_AUTO_TEST_CASE(of_a_group)
{
    std::atomic<int> ran{0};
    outcome by_itself;
    ewyk::event_loop_group group(3);
    for (ewyk::event_loop& loop : group)
        asio::post(loop, [&] { ++ran; });
    asio::post(group[1], [&] {
        group.async_shutdown_gracefully(1ms, patience, by_itself.handler());
    });
    auto ended = group.async_shutdown_gracefully(5ms, patience, asio::use_future);
    BOOST_CHECK_NO_THROW(ended.get());
    BOOST_TEST(group.terminated());
    BOOST_TEST(ran == 3);
    BOOST_TEST(!by_itself.wait());
    BOOST_CHECK_NO_THROW(group.async_shutdown_gracefully(1h, 1h, asio::use_future).get());
}

BOOST_AUTO_TEST_CASE(of_a_group_with_one_that_is_stuck)
{
    outcome ended;
    ewyk::event_loop_group group(3);
    group[0].start();
    obstacle stuck(group[1]);
    group.async_shutdown_gracefully(0ms, 10ms, ended.handler());
    BOOST_TEST(ended.wait() == asio::error::timed_out);
    BOOST_TEST(eventually([&] { return group[0].terminated(); }));
    BOOST_TEST(group[2].terminated());
    BOOST_TEST(!group.terminated());
    stuck.release();
    BOOST_TEST(eventually([&] { return group.terminated(); }));
}

BOOST_AUTO_TEST_CASE(of_a_group_that_is_destroyed)
{
    for (int i = 0; i != 20; ++i)
    {
        outcome ended;
        {
            ewyk::event_loop_group group(2);
            group[0].start();
            if (i % 2 == 0)
                group[1].start();
            group.async_shutdown_gracefully(1h, 1h, ended.handler());
        }
        BOOST_TEST(!ended.wait());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
