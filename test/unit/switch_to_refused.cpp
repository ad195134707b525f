// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What becomes of a coroutine that cannot go where it wants to.

#include <asio_ewyk/switch_to.hpp>

#include "switch_support.hpp"

#include <future>
#include <memory>

BOOST_AUTO_TEST_SUITE(switch_to_refused)

namespace {

using namespace support;
using asio::awaitable;
using asio::use_awaitable;

/// Sets an event when the coroutine that owns it goes.
class farewell
{
public:
    explicit farewell(event& e) noexcept : event_(&e) {}
    farewell(farewell&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    farewell& operator=(farewell&&) = delete;
    ~farewell()
    {
        if (event_)
            event_->set();
    }

private:
    event* event_;
};

// Whatever the policy: what blocks must not run on the loop.
BOOST_AUTO_TEST_CASE(refused_by_a_full_pool)
{
    for (auto const policy : {ewyk::queue_full::reject, ewyk::queue_full::caller_runs})
    {
        ewyk::event_loop loop;
        ewyk::worker_pool pool({.max_threads = 1, .reserve = 0, .max_queue = 1, .when_full = policy});
        end_of const home_first(loop);
        blockade held(pool, 1);
        BOOST_TEST_REQUIRE(held.holds());
        pool.execute([] {});
        int refused = 0;
        bool at_home = true;
        bool there = false;
        // Of the tries that follow at once many are one upon the other; no stack bears all of them.
        BOOST_TEST(run_through(loop.get_executor(), [&]() -> awaitable<void> {
            while (!there)
                try
                {
                    co_await ewyk::switch_to(pool.get_executor());
                    there = works_for(pool);
                }
                catch (ewyk::queue_full_error const&)
                {
                    at_home = at_home && loop.in_event_loop();
                    if (++refused == 20'000)
                        held.release();
                }
        }));
        BOOST_TEST(refused >= 20'000);
        BOOST_TEST(at_home);
        BOOST_TEST(there);
    }
}

// A strand is locked for ever by what was refused, and keeps the function; the coroutine goes on.
BOOST_AUTO_TEST_CASE(refused_through_a_strand)
{
    census c;
    {
        ewyk::event_loop loop;
        ewyk::worker_pool pool({.max_threads = 1, .reserve = 0, .max_queue = 1});
        end_of const home_first(loop);
        auto const strand = asio::make_strand(pool);
        blockade held(pool, 1);
        BOOST_TEST_REQUIRE(held.holds());
        pool.execute([] {});
        int refused = 0;
        BOOST_TEST(run_through(
            loop.get_executor(), [&, r = std::make_shared<resident>(c)]() -> awaitable<void> {
                try
                {
                    co_await ewyk::switch_to(strand);
                }
                catch (ewyk::queue_full_error const&)
                {
                    ++refused;
                }
            }));
        BOOST_TEST(refused == 1);
    }
    BOOST_TEST(c.made == c.destroyed);
}

BOOST_AUTO_TEST_CASE(refused_by_the_loop_that_is_its_home)
{
    constexpr int tries = 10;
    event running;
    event release;
    event seen;
    ewyk::event_loop loop({.max_pending_tasks = 1});
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    int refused = 0;
    bool first_ones_away = true;
    bool home = false;
    auto ended = asio::co_spawn(
        loop,
        [&]() -> awaitable<void> {
            co_await ewyk::switch_to(pool.get_executor());
            asio::post(loop, [&] {
                running.set();
                release.wait();
            });
            running.wait();
            asio::post(loop, [] {});
            while (!home)
                try
                {
                    co_await ewyk::switch_to(loop.get_executor());
                    home = loop.in_event_loop();
                }
                catch (ewyk::queue_full_error const&)
                {
                    if (++refused <= tries)
                        first_ones_away = first_ones_away && works_for(pool);
                    if (refused == tries)
                        seen.set();
                }
        },
        asio::use_future);
    BOOST_TEST(seen.wait());
    release.set();
    BOOST_TEST_REQUIRE((ended.wait_for(patience) == std::future_status::ready));
    BOOST_TEST(refused >= tries);
    BOOST_TEST(first_ones_away);
    BOOST_TEST(home);
}

BOOST_AUTO_TEST_CASE(a_pool_that_ends_destroys_the_coroutine_at_home)
{
    event gone;
    event waits;
    ewyk::event_loop loop;
    ewyk::worker_pool pool({.max_threads = 1, .reserve = 0});
    end_of const home_first(loop);
    blockade held(pool, 1);
    BOOST_TEST_REQUIRE(held.holds());
    bool ran = false;
    asio::co_spawn(
        loop,
        [&, g = std::make_shared<farewell>(gone)]() -> awaitable<void> {
            asio::post(loop, [&] { waits.set(); });
            co_await ewyk::switch_to(pool.get_executor());
            ran = true;
        },
        asio::detached);
    BOOST_TEST_REQUIRE(waits.wait());
    pool.stop();
    BOOST_TEST(gone.wait());
    BOOST_TEST(!ran);
    // One that would go there afterwards, too.
    event also_gone;
    asio::co_spawn(
        loop,
        [&, g = std::make_shared<farewell>(also_gone)]() -> awaitable<void> {
            co_await ewyk::switch_to(pool.get_executor());
            ran = true;
        },
        asio::detached);
    BOOST_TEST(also_gone.wait());
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE(a_home_that_has_ended)
{
    event away;
    event ended;
    event gone;
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    bool ran = false;
    asio::co_spawn(
        loop,
        [&, g = std::make_shared<farewell>(gone)]() -> awaitable<void> {
            co_await ewyk::switch_to(pool.get_executor());
            away.set();
            ended.wait();
            co_await ewyk::switch_to(loop.get_executor());
            ran = true;
        },
        asio::detached);
    BOOST_TEST_REQUIRE(away.wait());
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    ended.set();
    BOOST_TEST(gone.wait());
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE(a_cancelled_coroutine_stays_where_it_is)
{
    event waits;
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    end_of const home_first(loop);
    asio::cancellation_signal signal;
    bool aborted = false;
    bool stayed = false;
    auto ended = asio::co_spawn(
        loop,
        [&]() -> awaitable<void> {
            asio::steady_timer never(loop, 24h);
            boost::system::error_code ec;
            asio::post(loop, [&] { waits.set(); });
            co_await never.async_wait(asio::redirect_error(use_awaitable, ec));
            try
            {
                co_await ewyk::switch_to(pool.get_executor());
            }
            catch (boost::system::system_error const& e)
            {
                aborted = e.code() == asio::error::operation_aborted;
                stayed = loop.in_event_loop();
            }
        },
        asio::bind_cancellation_slot(signal.slot(), asio::use_future));
    BOOST_TEST_REQUIRE(waits.wait());
    asio::post(loop, [&] { signal.emit(asio::cancellation_type::terminal); });
    BOOST_TEST_REQUIRE((ended.wait_for(patience) == std::future_status::ready));
    BOOST_TEST(aborted);
    BOOST_TEST(stayed);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
