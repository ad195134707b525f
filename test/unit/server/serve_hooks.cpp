// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A hook of serve that blocks does not stop a context that goes on while handlers block.

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <stdexcept>

BOOST_AUTO_TEST_SUITE(serve_hooks)

namespace {

using namespace support;

// Nothing but the hook itself ends the lease: the grace does not.
ewyk::strategy_options const patient{.grace = 1h, .min_threads = 2};

BOOST_AUTO_TEST_CASE(a_session_s_error)
{
    event told, go_on, ran;
    bool went_on = false;
    run_by_a_thread<ewyk::strategy_context> context{patient};
    auto acceptor = acceptor_of(context);
    auto const where = acceptor.local_endpoint();
    auto const session = [](tcp::socket socket) -> asio::awaitable<void> {
        char c;
        co_await socket.async_read_some(asio::buffer(&c, 1), asio::use_awaitable);
        throw std::runtime_error("thrown");
    };
    ewyk::serve(std::move(acceptor), context, session,
        {.on_session_error =
                [&](std::exception_ptr) {
                    told.set();
                    went_on = go_on.wait();
                    ran.set();
                }},
        asio::detached);
    client c(where);
    c.send('x');
    BOOST_TEST(told.wait());
    asio::post(context, [&] { go_on.set(); });
    BOOST_TEST(ran.wait());
    BOOST_TEST(went_on);
}

// The boss's.
BOOST_AUTO_TEST_CASE(a_worker_that_refuses)
{
    event told, go_on, ran;
    bool went_on = false;
    outcome over;
    ewyk::event_loop_group workers(2, {}, [](auto const&) -> std::size_t { return 7; });
    run_by_a_thread<ewyk::strategy_context> boss{patient};
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.back_off = 1h,
            .on_session_error =
                [&](std::exception_ptr) {
                    told.set();
                    went_on = go_on.wait();
                    ran.set();
                }},
        over.token());
    client c(where);
    BOOST_TEST(told.wait());
    asio::post(boss, [&] { go_on.set(); });
    BOOST_TEST(ran.wait());
    BOOST_TEST(went_on);
    over.cancel();
    BOOST_TEST(over.wait());
}

}

BOOST_AUTO_TEST_SUITE_END()
