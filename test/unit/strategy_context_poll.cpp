// poll() beside threads of the pool that have the right to produce.

#include "pool_support.hpp"

BOOST_AUTO_TEST_SUITE(strategy_context_poll)

namespace {

using namespace support;

// It waits for such a thread to leave, but not for the handler that it runs in place.
BOOST_AUTO_TEST_CASE(returns_while_a_handler_blocks_production)
{
    event running;
    event release;
    ewyk::strategy_context ctx({.max_threads = 2});
    auto const work = asio::make_work_guard(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 2));
    asio::steady_timer timer(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking), 1ms);
    timer.async_wait([&](auto) {
        running.set();
        release.wait();
    });
    // The caller hands over to a thread of the pool, and holds on until that runs the handler.
    asio::post(ctx, [&] { BOOST_TEST(running.wait()); });
    BOOST_TEST(ctx.run_for(20ms) == 2u);
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(ctx.poll_one() == 0u);
    release.set();
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
