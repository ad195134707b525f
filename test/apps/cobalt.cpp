// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Cobalt, tasks on a strategy_context: they go on while a handler blocks, and one of them may
// block the thread that it is on.

#include "../unit/pool_support.hpp"

#include <boost/cobalt.hpp>

#include <exception>
#include <string>

BOOST_AUTO_TEST_SUITE(cobalt)

namespace {

using namespace support;
namespace cobalt = boost::cobalt;

cobalt::task<void> wait(std::chrono::milliseconds time)
{
    asio::steady_timer timer(co_await cobalt::this_coro::executor, time);
    co_await timer.async_wait(cobalt::use_op);
}

cobalt::task<int> count_to(int last, event& there)
{
    int n = 0;
    while (n != last)
    {
        co_await wait(1ms);
        ++n;
    }
    there.set();
    co_return n;
}

cobalt::task<bool> block_until(event& there)
{
    co_await wait(1ms);
    co_return there.wait();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_task_beside_one_that_blocks)
{
    event there;
    ewyk::strategy_context ctx(ewyk::strategy_t::eat_what_you_kill);
    deadline const d(ctx);
    int counted = 0;
    bool waited = false;
    std::exception_ptr thrown;
    cobalt::spawn(ctx.get_executor(), block_until(there), [&](std::exception_ptr e, bool w) {
        thrown = e;
        waited = w;
    });
    cobalt::spawn(ctx.get_executor(), count_to(20, there), [&](std::exception_ptr e, int n) {
        BOOST_TEST(!e);
        counted = n;
    });
    ctx.run();
    BOOST_TEST(!thrown);
    BOOST_TEST(waited);
    BOOST_TEST(counted == 20);
}

BOOST_AUTO_TEST_SUITE_END()
