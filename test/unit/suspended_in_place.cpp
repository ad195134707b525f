// Stackful coroutines that are suspended in a function that was dispatched from their stack, and
// come back on another thread: the call that they began in has returned.

#include "pool_support.hpp"

#include <asio_ewyk/detail/thread_activity.hpp>

#include <boost/asio/spawn.hpp>

#include <stdexcept>

using namespace support;
using asio::yield_context;

BOOST_AUTO_TEST_SUITE(suspended_in_place)

namespace {

constexpr ewyk::strategy_t lenders[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

using strings = std::vector<std::string>;

/// What completes there runs inside the producer, and is no task.
asio::io_context& base(ewyk::strategy_context& ctx)
{
    return ctx;
}

/// Has a coroutine dispatch a function from its stack, which suspends the coroutine if it is called
/// there and then.
template <class Suspend>
void dispatch_from(ewyk::strategy_executor const& ex, Suspend suspend)
{
    auto const on_stack = std::make_shared<std::atomic<bool>>(true);
    asio::dispatch(ex, [on_stack, suspend, here = std::this_thread::get_id()]() mutable {
        if (std::this_thread::get_id() == here && *on_stack)
            suspend();
    });
    *on_stack = false;
}

/// Runs f() on a thread that is gone afterwards, with its stack.
template <class F>
void on_another_thread(F f)
{
    std::thread(f).join();
}

} // namespace

// The function runs inside the producer, which the thread leaves.
CONTEXT_TEST_CASE(the_producer_that_it_began_in_is_gone, s)
{
    context ctx(s);
    auto const never_blocks = asio::require(ctx.get_executor(), ewyk::invocation.non_blocking);
    bool suspended = false;
    bool went_on = false;
    asio::spawn(
        base(ctx).get_executor(),
        [&](yield_context yield) {
            dispatch_from(never_blocks, [&] {
                suspended = true;
                asio::post(yield);
                went_on = true;
            });
        },
        asio::detached);
    on_another_thread([&] {
        BOOST_TEST(ctx.run_one() == 1u);
        auto const& record = ewyk::detail::thread_activity::mine();
        BOOST_TEST((record.now().what == nullptr)); // nobody reports it as a stall
    });
    run(ctx);
    bool const stays = s.strategy == ewyk::strategy_t::produce_consume
        || s.strategy == ewyk::strategy_t::eat_what_you_kill;
    BOOST_TEST(suspended == stays);
    BOOST_TEST(went_on == stays);
    // The context is none the worse for it.
    bool ran = false;
    asio::post(ctx, [&] { ran = true; });
    ctx.restart();
    run(ctx);
    BOOST_TEST(ran);
}

// The same on loan: the right to produce is not taken along.
BOOST_DATA_TEST_CASE(a_loan_that_it_began_on_is_over, lenders, s)
{
    // Whoever stands by comes because it is told to.
    ewyk::strategy_context ctx({.strategy = s, .grace = 1h, .max_threads = 4});
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    bool suspended = false;
    bool produced = false;
    while (!suspended)
    {
        asio::steady_timer timer(base(ctx), 1h);
        asio::spawn(
            base(ctx).get_executor(),
            [&](yield_context yield) {
                dispatch_from(ctx.get_executor(), [&] {
                    suspended = true;
                    boost::system::error_code ignored;
                    asio::post(ctx, [&] {
                        produced = true;
                        timer.cancel();
                    });
                    timer.async_wait(yield[ignored]);
                });
            },
            asio::detached);
        on_another_thread([&] { ctx.run(); });
        ctx.restart();
    }
    BOOST_TEST(produced);
}

CONTEXT_TEST_CASE(hundreds_of_times, s)
{
    constexpr int coroutines = 20;
    constexpr int steps = 50;
    context ctx(s);
    std::atomic<int> done{0};
    for (int i = 0; i != coroutines; ++i)
        asio::spawn(
            base(ctx).get_executor(),
            [&, i](yield_context yield) {
                auto const ex = i % 2 == 0
                    ? asio::require(ctx.get_executor(), ewyk::invocation.non_blocking)
                    : ctx.get_executor();
                for (int n = 0; n != steps; ++n)
                    dispatch_from(ex, [&] {
                        asio::steady_timer timer(base(ctx), 10us);
                        timer.async_wait(yield);
                    });
                ++done;
            },
            asio::detached);
    run(ctx);
    BOOST_TEST(done == coroutines);
}

// What it throws then: nothing of the context is on that thread's stack, and it must not be lost.
BOOST_AUTO_TEST_CASE(an_exception_on_a_foreign_thread_goes_to_on_exception)
{
    catcher caught;
    ewyk::strategy_options o;
    o.on_exception = std::ref(caught);
    ewyk::strategy_context ctx(o);
    ewyk::worker_pool pool({.on_exception = std::ref(caught)});
    auto const throw_there = [&](auto ex) {
        asio::io_context foreign;
        event begun;
        asio::spawn(
            foreign,
            [&](yield_context yield) {
                asio::dispatch(ex, [&] {
                    asio::post(yield);
                    throw std::runtime_error("stray");
                });
            },
            asio::detached);
        asio::post(ex, [&] {
            foreign.run_one();
            begun.set();
        });
        ctx.run();
        BOOST_TEST(begun.wait());
        BOOST_TEST(foreign.run() == 1u);
    };
    throw_there(ctx.get_executor());
    BOOST_TEST((caught.caught() == strings{"stray"}));
    BOOST_TEST(ctx.metrics().exceptions == 1u);
    throw_there(pool.get_executor());
    BOOST_TEST((caught.caught() == strings{"stray", "stray"}));
    BOOST_TEST(pool.metrics().exceptions == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
