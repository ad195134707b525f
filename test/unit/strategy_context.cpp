// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What each strategy does with handlers, observed from the handlers themselves.

#include "../strategies.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <latch>
#include <semaphore>
#include <set>
#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(strategy_context)

namespace {

using namespace support;

constexpr auto pc = ewyk::strategy.produce_consume;
constexpr auto pec = ewyk::strategy.produce_execute_consume;
constexpr auto epc = ewyk::strategy.execute_produce_consume;
constexpr auto all = ewyk::strategy.eat_what_you_kill;

// An event that one handler waits for and another one sets.
class event
{
public:
    void set() { promise_.set_value(); }
    bool wait() { return promise_.get_future().wait_for(patience) == std::future_status::ready; }

private:
    std::promise<void> promise_;
};

std::thread::id self() { return std::this_thread::get_id(); }

} // namespace

BOOST_AUTO_TEST_CASE(pc_runs_one_handler_at_a_time_on_callers_only)
{
    ewyk::strategy_context ctx(pc);
    overlap o;
    std::set<std::thread::id> seen; // unguarded: that handlers never overlap is what is tested
    for (int i = 0; i < 1000; ++i)
        asio::post(ctx, [&] {
            o.enter();
            seen.insert(self());
            o.leave();
        });
    std::vector<std::thread> callers;
    std::mutex m;
    std::set<std::thread::id> allowed;
    for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] {
            {
                std::lock_guard const lock(m);
                allowed.insert(self());
            }
            ctx.run();
        });
    for (auto& t : callers)
        t.join();
    BOOST_TEST(!o.seen());
    BOOST_TEST(std::includes(allowed.begin(), allowed.end(), seen.begin(), seen.end()));
    BOOST_TEST(ctx.pool().threads_started() == 0u);
}

BOOST_AUTO_TEST_CASE(a_concurrency_hint_is_no_number_of_threads)
{
    ewyk::strategy_context hinted(2);
    ewyk::strategy_context usual;
    BOOST_TEST(hinted.pool().options().max_threads == usual.pool().options().max_threads);
    static_assert(!std::is_convertible_v<int, ewyk::strategy_context>);
}

// What promises one thread has one, as with an io_context.
BOOST_AUTO_TEST_CASE(a_concurrency_hint_of_one_thread)
{
    for (int hint : {1, static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE),
             static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO)})
        BOOST_TEST(ewyk::strategy_context(hint).metrics().strategy == ewyk::strategy_t::produce_consume);
    for (int hint : {2, 16, BOOST_ASIO_CONCURRENCY_HINT_DEFAULT,
             static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_SAFE)})
        BOOST_TEST(ewyk::strategy_context(hint).metrics().strategy == ewyk::strategy_t());

    ewyk::strategy_context ctx(1);
    std::vector<int> order;
    std::set<std::thread::id> seen;
    for (int i = 0; i != 100; ++i)
        asio::post(ctx, [&, i] {
            order.push_back(i);
            seen.insert(self());
        });
    ctx.run();
    BOOST_TEST(order.size() == 100u);
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
    BOOST_TEST((seen == std::set<std::thread::id>{self()}));
}

// Not on this thread either, unless another one has taken over from it: then it does what the pool's
// threads do.
BOOST_AUTO_TEST_CASE(pec_never_runs_a_handler_on_the_producer)
{
    ewyk::strategy_context ctx(pec, {.max_threads = 3});
    std::atomic<int> here{0};
    std::atomic<int> ran{0};
    asio::steady_timer timer(ctx, 1ms);
    timer.async_wait([&, me = self()](auto) { here += self() == me; ++ran; });
    for (int i = 0; i < 500; ++i)
        asio::post(ctx, [&, me = self()] { here += self() == me; ++ran; });
    ctx.run();
    auto const m = ctx.metrics();
    BOOST_TEST(ran == 501);
    BOOST_TEST((here == 0 || m.taken_over != 0));
    BOOST_TEST(m.produce_consume + m.execute_produce_consume == 0u);
    BOOST_TEST(ctx.pool().threads() <= 3u);
}

// With a grace another thread might take over before the first handler begins, where this one is
// late.
BOOST_AUTO_TEST_CASE(epc_runs_a_handler_where_it_was_produced_while_another_thread_produces)
{
    event second_ran;
    ewyk::strategy_context ctx(epc, {.grace = 0ns});
    std::thread::id first;
    std::thread::id second;
    bool in_time = false;
    asio::post(ctx, [&] {
        first = self();
        in_time = second_ran.wait();
    });
    asio::post(ctx, [&] {
        second = self();
        second_ran.set();
    });
    deadline const d(ctx);
    ctx.run();
    BOOST_TEST(in_time);
    BOOST_TEST((first == self()));
    BOOST_TEST((second != self()));
}

// Whatever is ready while a handler blocks is run: a posted task, a timer, bytes on a socket.
BOOST_AUTO_TEST_CASE(a_blocked_handler_stops_nobody)
{
    for (auto s : {pec, epc, all})
    {
        BOOST_TEST_CONTEXT(s)
        {
            ewyk::strategy_context ctx(s);
            deadline const d(ctx);
            event posted, timed, read, stuck;
            asio::readable_pipe from(ctx);
            asio::writable_pipe to(ctx);
            asio::connect_pipe(from, to);
            std::array<char, 1> byte{};
            asio::steady_timer timer(ctx, 1ms);
            asio::post(ctx, [&] {
                // Still inside this handler: posts, timers and descriptors go on being served.
                asio::post(ctx, [&] { posted.set(); });
                LOCKED_TEST(posted.wait());
                LOCKED_TEST(timed.wait());
                asio::write(to, asio::buffer("x", 1));
                LOCKED_TEST(read.wait());
                stuck.set();
            });
            timer.async_wait([&](auto) { timed.set(); });
            from.async_read_some(asio::buffer(byte), [&](auto, auto) { read.set(); });
            ctx.run();
            BOOST_TEST(stuck.wait());
        }
    }
}

BOOST_AUTO_TEST_CASE(ewyk_goes_by_the_table)
{
    // No thread can take over: the only pool thread is busy with another context's task.
    event busy, release;
    ewyk::worker_pool pool({.max_threads = 1, .reserve = 0});
    pool.execute([&] {
        busy.set();
        release.wait();
    });
    BOOST_REQUIRE(busy.wait());

    // A thread that was late before a handler runs it without a decision.
    ewyk::strategy_context ctx(pool, all, 24h);
    auto const ex = ctx.get_executor();
    auto const run = [&](ewyk::invocation_t i, auto f) {
        asio::post(asio::require(ex, i), std::move(f));
    };
    int in_place = 0;
    std::thread::id blocking_ran_on;
    run(ewyk::invocation.non_blocking, [&, me = self()] {
        in_place += self() == me;
        BOOST_TEST(ewyk::this_invocation::may_block());
    });
    run(ewyk::invocation.either, [&, me = self()] {
        in_place += self() == me;
        BOOST_TEST(!ewyk::this_invocation::may_block());
    });
    // Where it is found, as if a thread could: there may be one when it is late.
    run(ewyk::invocation.blocking, [&] { blocking_ran_on = self(); });
    run(ewyk::invocation.non_blocking, [&, me = self()] {
        in_place += self() == me;
        release.set();
    });
    deadline const d(ctx);
    ctx.run();
    BOOST_TEST(in_place == 3);
    BOOST_TEST((blocking_ran_on == self()));
}

BOOST_AUTO_TEST_CASE(an_executor_can_ask_for_another_strategy)
{
    ewyk::strategy_context ctx(pc);
    std::thread::id offloaded;
    std::thread::id in_place;
    asio::post(asio::require(ctx.get_executor(), pec), [&] { offloaded = self(); });
    asio::post(ctx, [&] { in_place = self(); });
    asio::steady_timer timer(ctx, 1ms);
    std::thread::id completed;
    timer.async_wait(asio::bind_executor(
        asio::require(ctx.get_executor(), pec), [&](auto) { completed = self(); }));
    ctx.run();
    BOOST_TEST((offloaded != self()));
    BOOST_TEST((completed != self()));
    BOOST_TEST((in_place == self()));
}

BOOST_AUTO_TEST_CASE(a_handler_that_never_returns_delays_nobody_and_not_stop)
{
    for (auto s : {pec, epc, all})
    {
        BOOST_TEST_CONTEXT(s)
        {
            // Before the context, which waits for the handlers that still run.
            event stuck, release;
            std::atomic<int> others{0};
            ewyk::strategy_context ctx(s);
            asio::post(ctx, [&] {
                stuck.set();
                release.wait();
            });
            std::thread first([&] { ctx.run(); });
            BOOST_REQUIRE(stuck.wait());
            std::thread second([&] { ctx.run(); });
            for (int i = 0; i < 100; ++i)
                asio::post(ctx, [&] {
                    if (++others == 100)
                        ctx.stop();
                });
            // Although a handler is stuck, on `first` or in the pool; the last run() waits for it.
            BOOST_TEST(eventually([&] { return others == 100; }));
            release.set();
            second.join();
            first.join();
        }
    }
}

BOOST_AUTO_TEST_CASE(an_exception_leaves_run_on_a_callers_thread_and_production_goes_on)
{
    for (auto s : {pc, epc, all})
    {
        BOOST_TEST_CONTEXT(s)
        {
            event in_run, done;
            std::atomic<int> ran{0};
            ewyk::strategy_context ctx(
                s, {.on_exception = [](std::exception_ptr) {}});
            auto const guard = asio::make_work_guard(ctx);
            std::thread other([&] { ctx.run(); });
            asio::post(ctx, [&] { in_run.set(); });
            BOOST_REQUIRE(in_run.wait());
            // In place, whatever the strategy: stepping never uses the pool.
            std::atomic<int> thrown{0};
            std::thread thrower([&] {
                try
                {
                    for (;;)
                        if (ctx.run_one() == 0)
                            return;
                }
                catch (std::runtime_error const&)
                {
                    ++thrown;
                }
            });
            for (int i = 0; i < 200; ++i)
                asio::post(ctx, [&, id = thrower.get_id()] {
                    if (++ran == 200)
                        done.set();
                    if (self() == id)
                        throw std::runtime_error("from a handler");
                });
            BOOST_TEST(done.wait());
            ctx.stop();
            thrower.join();
            other.join();
            BOOST_TEST(thrown <= 1);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_exception_on_a_thread_of_the_pool_goes_to_on_exception)
{
    std::promise<std::string> what;
    // A caller that was late may run the task itself, where waits are not observed.
    ewyk::strategy_context ctx(pec, {.grace = 24h, .on_exception = [&](std::exception_ptr e) {
        try
        {
            std::rethrow_exception(e);
        }
        catch (std::exception const& x)
        {
            what.set_value(x.what());
        }
    }});
    bool later = false;
    asio::post(ctx, [&] { throw std::runtime_error("from the pool"); });
    ctx.run();
    ctx.restart();
    asio::post(ctx, [&] { later = true; });
    ctx.run();
    BOOST_TEST(later);
    BOOST_TEST(what.get_future().get() == "from the pool");
}

BOOST_AUTO_TEST_CASE(a_full_queue_has_the_producer_run_the_task_or_destroys_it)
{
    for (auto policy : {ewyk::queue_full::caller_runs, ewyk::queue_full::reject})
    {
        event busy, release;
        ewyk::worker_pool pool(
            {.max_threads = 1, .reserve = 0, .max_queue = 2, .when_full = policy});
        pool.execute([&] {
            busy.set();
            release.wait();
        });
        BOOST_REQUIRE(busy.wait());
        // If this thread was late, a request for another one would have one of the two places.
        ewyk::strategy_context ctx(pool, pec, 24h);
        deadline const d(ctx);
        census c;
        std::atomic<int> ran{0}, here{0};
        for (int i = 0; i < 10; ++i)
            asio::post(ctx, [&, me = self(), r = resident(c)] {
                ++ran;
                here += self() == me;
            });
        // Run by the producer, when it has gone through all of the others.
        asio::post(asio::require(ctx.get_executor(), pc), [&] { release.set(); });
        ctx.run();
        BOOST_TEST(c.destroyed == 10);
        if (policy == ewyk::queue_full::caller_runs)
        {
            BOOST_TEST(ran == 10);
            BOOST_TEST(here == 8);
        }
        else
            BOOST_TEST(ran == 2);
    }
}

// What a full queue gives back is run here, and the only thread of the pool does not produce for
// that: it is left for tasks.
BOOST_AUTO_TEST_CASE(a_full_queue_leaves_the_last_thread_for_tasks)
{
    event busy, release, waited, here, later;
    ewyk::worker_pool pool({.max_threads = 1, .reserve = 0, .max_queue = 1});
    ewyk::strategy_context ctx(pool, ewyk::strategy_t::eat_what_you_kill, 0ns);
    deadline const d(ctx);
    auto work = std::make_optional(asio::make_work_guard(ctx));
    std::thread caller([&] { ctx.run(); });
    pool.execute([&] {
        busy.set();
        release.wait();
    });
    BOOST_REQUIRE(busy.wait());
    asio::post(ctx, [&] { waited.set(); });
    asio::post(ctx, [&] {
        release.set();
        waited.wait();
        std::this_thread::sleep_for(20ms); // time enough for the one that should not
        here.set();
    });
    BOOST_TEST(here.wait());
    asio::post(pool.get_executor(), [&] { later.set(); });
    BOOST_TEST(later.wait());
    work.reset();
    caller.join();
}

// When run() ends, what waits in the pool goes back, to be run in the next one, and counts once. For
// a caller that is late a request would wait there as well.
BOOST_AUTO_TEST_CASE(what_waits_for_a_thread_waits_for_the_next_run)
{
    event release;
    event running;
    std::atomic<int> ran{0};
    ewyk::strategy_context ctx(pec, {.grace = 24h, .max_threads = 1});
    asio::post(ctx, [&] {
        running.set();
        release.wait();
    });
    for (int i = 0; i < 2; ++i)
        asio::post(ctx, [&] { ++ran; });
    std::size_t first = 0;
    std::thread runner([&] { first = ctx.run(); });
    BOOST_TEST(running.wait());
    BOOST_TEST(eventually([&] { return ctx.pool().queued() == 2; }));
    ctx.stop();
    BOOST_TEST(ctx.pool().queued() == 0u);
    release.set();
    runner.join();
    BOOST_TEST(ran == 0);

    ctx.restart();
    deadline const d(ctx);
    BOOST_TEST(first + ctx.run() == 3u);
    BOOST_TEST(ran == 2);
}

// A task that posts itself for ever leaves sockets and timers their turn, and the other way round.
BOOST_AUTO_TEST_CASE(posted_tasks_and_io_do_not_starve_each_other)
{
    for (auto s : {pc, pec, epc, all})
    {
        BOOST_TEST_CONTEXT(s)
        {
            ewyk::strategy_context ctx(s, {.max_threads = 2});
            deadline const d(ctx);
            std::atomic<bool> fired{false};
            std::function<void()> again = [&] {
                if (!fired)
                    asio::post(ctx, again);
            };
            asio::post(ctx, again);
            asio::steady_timer timer(ctx, 1ms);
            timer.async_wait([&](auto) { fired = true; });
            ctx.run();
            BOOST_TEST(fired);
        }
    }
}

// CONTEXT_TEST_CASE runs with these.
BOOST_AUTO_TEST_CASE(the_settings_have_each_strategy)
{
    for (auto const s : support::strategies())
        BOOST_TEST(std::ranges::count(settings(), s, &setting::strategy) != 0, s);
}

// As where the pool runs it, and as Asio does of late.
BOOST_AUTO_TEST_CASE(what_is_dispatched_in_a_handler_is_called_as_an_rvalue)
{
    struct overloaded
    {
        bool* as_rvalue;
        void operator()() & { *as_rvalue = false; }
        void operator()() && { *as_rvalue = true; }
    };
    for (auto const& s : settings())
    {
        bool as_rvalue = false;
        context ctx(s);
        asio::post(ctx, [&] { ctx.get_executor().execute(overloaded{&as_rvalue}); });
        ctx.run();
        BOOST_TEST(as_rvalue);
    }
}

BOOST_AUTO_TEST_CASE(no_thread_before_it_is_needed)
{
    for (auto s : {pc, pec, epc, all})
    {
        ewyk::strategy_context ctx(s, {.min_threads = 2});
        asio::steady_timer timer(ctx, 1h);
        BOOST_TEST(ctx.poll() == 0u);
        BOOST_TEST(ctx.run_for(1ms) == 0u);
        BOOST_TEST(ctx.pool().threads_started() == 0u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
