// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Contexts with `max_threads = 0`: handlers run on callers of run() only, as with an io_context.

#include <asio_ewyk/detail/asio/observed_waits.hpp>
#include <asio_ewyk/detail/os/cpu_quota.hpp>
#include <asio_ewyk/diagnostics/dump.hpp>

#include "pool_support.hpp"
#include "use_cpu.hpp"

#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

BOOST_AUTO_TEST_SUITE(callers_only)

namespace {

using namespace support;

thread_local bool is_caller = false;

// Threads inside run(), until they are joined.
class callers
{
public:
    callers(ewyk::strategy_context& ctx, std::size_t n)
        : in_time_(ctx)
        , work_(asio::make_work_guard(ctx))
    {
        for (std::size_t i = 0; i != n; ++i)
            threads_.emplace_back([&] {
                is_caller = true;
                handlers_ += ctx.run();
            });
        BOOST_TEST(eventually([&] { return ctx.metrics().callers == n; }));
    }

    ~callers() { join(); }

    // How many handlers they have run.
    std::size_t join()
    {
        work_.reset();
        for (auto& t : threads_)
            t.join();
        threads_.clear();
        return handlers_;
    }

private:
    std::atomic<std::size_t> handlers_{0};
    deadline in_time_;
    asio::executor_work_guard<executor> work_;
    std::vector<std::thread> threads_;
};

struct setting
{
    char const* name;
    ewyk::strategy_t strategy;
    std::chrono::nanoseconds grace;
    std::size_t callers;
};

std::ostream& operator<<(std::ostream& os, setting const& s)
{
    return os << s.name << ", " << s.callers << " callers";
}

std::vector<setting> all_settings()
{
    std::vector<setting> all;
    for (std::size_t const n : {1u, 4u, 16u})
        all.insert(all.end(),
            {{"pc", ewyk::strategy.produce_consume, 0ns, n},
                {"pec", ewyk::strategy.produce_execute_consume, 10us, n},
                {"epc", ewyk::strategy.execute_produce_consume, 0ns, n},
                {"epc_grace", ewyk::strategy.execute_produce_consume, 10us, n},
                {"ewyk", ewyk::strategy.eat_what_you_kill, 0ns, n},
                {"ewyk_grace", ewyk::strategy.eat_what_you_kill, 10us, n}});
    return all;
}

} // namespace

// Chains of handlers of the context's own executor and of the io_context's, some of which block or
// compute for a moment.
BOOST_DATA_TEST_CASE(every_handler_runs_on_a_caller, all_settings(), s)
{
    constexpr int chains = 8;
    constexpr int each = 2000;
    ewyk::strategy_context ctx({.strategy = s.strategy, .grace = s.grace, .max_threads = 0});
    std::atomic<int> elsewhere{0};
    std::atomic<int> ran{0};
    std::function<void(int)> const next = [&](int n) {
        elsewhere += !is_caller;
        ++ran;
        if (n % 500 == 1)
            std::this_thread::sleep_for(1ms);
        else if (n % 500 == 2)
            use_cpu(1ms);
        if (n == each)
            return;
        if (n % 3 == 0)
            asio::post(static_cast<asio::io_context&>(ctx).get_executor(),
                [&next, n] { next(n + 1); });
        else
            asio::post(ctx, [&next, n] { next(n + 1); });
    };
    callers threads(ctx, s.callers);
    for (int i = 0; i != chains; ++i)
        asio::post(ctx, [&] { next(1); });
    BOOST_TEST(eventually([&] { return ran == chains * each; }));
    BOOST_TEST(threads.join() == std::size_t{chains * each});
    BOOST_TEST(ran == chains * each);
    BOOST_TEST(elsewhere == 0);
    BOOST_TEST(ctx.pool().threads_started() == 0u);
}

// What one caller waits for, another one runs.
BOOST_DATA_TEST_CASE(a_caller_that_blocks_is_relieved_by_another_one, all_settings(), s)
{
    if (s.callers == 1 || s.strategy == ewyk::strategy.produce_consume)
        return;
    // So many handlers that all callers are inside one, of which each waits for the next.
    struct round
    {
        explicit round(std::size_t n)
            : begun(n)
            , left(n)
        {
        }
        std::vector<event> begun;
        std::atomic<std::size_t> left;
        std::atomic<int> in_vain{0};
        event over;
    };
    ewyk::strategy_context ctx({.strategy = s.strategy, .grace = s.grace, .max_threads = 0});
    callers const threads(ctx, s.callers);
    for (int i = 0; i != 20; ++i)
    {
        auto const r = std::make_shared<round>(s.callers);
        for (std::size_t n = 0; n != s.callers; ++n)
            asio::post(ctx, [r, n] {
                r->begun[n].set();
                r->in_vain += n + 1 != r->begun.size() && !r->begun[n + 1].wait();
                if (--r->left == 0)
                    r->over.set();
            });
        BOOST_TEST_REQUIRE(r->over.wait());
        BOOST_TEST_REQUIRE(r->in_vain == 0);
    }
}

BOOST_AUTO_TEST_CASE(as_many_handlers_at_once_as_callers)
{
    constexpr std::size_t many = 300;
    std::atomic<std::size_t> inside{0};
    event all, over;
    ewyk::strategy_context ctx({.max_threads = 0});
    callers const threads(ctx, many);
    for (std::size_t i = 0; i != many; ++i)
        asio::post(ctx, [&] {
            if (++inside == many)
                all.set();
            all.wait();
            if (--inside == 0)
                over.set();
        });
    BOOST_TEST(over.wait());
    BOOST_TEST(inside == 0u);
}

// No other thread runs anything meanwhile, and that is told.
BOOST_AUTO_TEST_CASE(without_another_caller_the_others_wait)
{
    ewyk::strategy_context ctx({.max_threads = 0, .name = "lonely"});
    deadline const in_time(ctx);
    bool told = false;
    int ran_meanwhile = 0;
    int ran = 0;
    std::ostringstream text;
    asio::post(ctx, [&] {
        told = eventually([&] { return ctx.metrics().not_taken_over != 0; });
        ewyk::dump(text);
        ran_meanwhile = ran;
    });
    asio::post(ctx, [&] { ++ran; });
    BOOST_TEST(ctx.run() == 2u);
    BOOST_TEST(told);
    BOOST_TEST(ran_meanwhile == 0);
    BOOST_TEST(ran == 1);
    BOOST_TEST(text.str().find(" late tasks for which no thread could be had") != std::string::npos,
        text.str());
}

// The handlers that it runs itself do not wait. Again if it was late before it called.
BOOST_AUTO_TEST_CASE(a_nested_call_of_the_only_caller_is_not_late)
{
    auto const is_not_late = [] {
        ewyk::strategy_context ctx({.max_threads = 0});
        deadline const in_time(ctx);
        int ran = 0;
        asio::post(ctx, [&] {
            for (int i = 0; i != 100; ++i)
            {
                asio::post(ctx, [&] { ++ran; });
                ctx.run_one();
            }
        });
        ctx.run();
        BOOST_TEST(ran == 100);
        return ctx.metrics().not_taken_over == 0;
    };
    BOOST_TEST(eventually(is_not_late));
}

// Callers that compute beside the one that produces.
BOOST_AUTO_TEST_CASE(several_callers_run_what_computes)
{
    if (ewyk::detail::usable_cpus_from_here() < 2 || !ewyk::detail::observed_waits::are_had())
        return;
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 0});
    std::atomic<bool> over{false};
    std::atomic<int> elsewhere{0};
    overlap beside;
    std::function<void()> const compute = [&] {
        elsewhere += !is_caller;
        beside.enter();
        use_cpu(200us);
        beside.leave();
        if (!over)
            asio::post(ctx, compute);
    };
    callers threads(ctx, 4);
    for (int i = 0; i != 16; ++i)
        asio::post(ctx, compute);
    BOOST_TEST(eventually([&] { return beside.seen(); }));
    over = true;
    std::size_t const handlers = threads.join();
    BOOST_TEST(elsewhere == 0);
    BOOST_TEST(handlers == ctx.metrics().tasks());
    BOOST_TEST(ctx.metrics().taken_over == 0u);
}

// A caller that is to leave soon helps for so long only, and an exception leaves the call on whose
// thread it was thrown.
BOOST_AUTO_TEST_CASE(callers_with_a_deadline_and_exceptions)
{
    constexpr std::size_t many = 4;
    constexpr int each = 50;
    static thread_local int thrown = 0;
    std::atomic<bool> over{false};
    std::atomic<std::size_t> done{0}; // callers that have left often enough, both ways
    std::atomic<int> caught_elsewhere{0};
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 0});
    deadline const in_time(ctx);
    std::function<void()> const compute = [&] {
        use_cpu(200us);
        if (!over)
            asio::post(ctx, compute);
        if (thrown < each)
        {
            ++thrown;
            throw std::runtime_error("of a handler");
        }
    };
    for (int i = 0; i != 16; ++i)
        asio::post(ctx, compute);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != many; ++i)
        threads.emplace_back([&] {
            int caught = 0;
            int returned = 0;
            bool is_done = false;
            while (!over)
            {
                try
                {
                    ctx.run_for(5ms);
                    ++returned;
                }
                catch (std::runtime_error const&)
                {
                    ++caught;
                    caught_elsewhere += caught > thrown;
                }
                if (caught >= each && returned >= each && !std::exchange(is_done, true))
                    ++done;
            }
        });
    BOOST_TEST(eventually([&] { return done == many || ctx.stopped(); }));
    over = true;
    for (auto& t : threads)
        t.join();
    BOOST_TEST(done == many);
    BOOST_TEST(caught_elsewhere == 0);
}

// The pool itself runs nothing.
BOOST_AUTO_TEST_CASE(what_is_submitted_to_the_pool_is_refused)
{
    ewyk::strategy_context ctx({.max_threads = 0});
    bool ran = false;
    BOOST_CHECK_THROW(asio::post(ctx.pool(), [&] { ran = true; }), ewyk::queue_full_error);
    BOOST_TEST(!ran);
    BOOST_CHECK_THROW(ctx.pool().execute([&] { ran = true; }), ewyk::queue_full_error);
    BOOST_TEST(!ran);
    ewyk::worker_pool pool({.max_threads = 0});
    source jobs;
    BOOST_CHECK_THROW(ewyk::execution_strategy(jobs, pool), std::invalid_argument);
    pool.join();
}

BOOST_AUTO_TEST_CASE(a_pool_has_threads_or_none)
{
    ewyk::worker_pool none({.max_threads = 0});
    ewyk::worker_pool some({.max_threads = 2});
    auto limits = none.limits();
    BOOST_TEST(limits.max_threads == 0u);
    none.limit(limits);
    BOOST_CHECK_THROW(some.limit(limits), std::invalid_argument);
    limits.max_threads = 1;
    BOOST_CHECK_THROW(none.limit(limits), std::invalid_argument);
    some.limit(limits);
}

BOOST_AUTO_TEST_SUITE_END()
