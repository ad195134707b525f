// poll() beside threads of the pool that have the right to produce.

#include "pool_support.hpp"

BOOST_AUTO_TEST_SUITE(strategy_context_poll)

namespace {

using namespace support;

// It waits for a thread that produces to leave, but not for a handler that this one runs in place.
BOOST_AUTO_TEST_CASE(returns_while_a_handler_blocks_production)
{
    event running;
    event release;
    ewyk::strategy_context ctx({.max_threads = 2});
    asio::steady_timer timer(asio::require(ctx.get_executor(), ewyk::invocation.non_blocking), 1ms);
    timer.async_wait([&](auto) {
        running.set();
        release.wait();
    });
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST(running.wait());
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(ctx.poll_one() == 0u);
    release.set();
    caller.join();
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
