// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Boost.Process v2, which tells the context of a fork before and after, in a handler.

#include "support.hpp"

#include <asio_ewyk/strategy.hpp>

#include <boost/asio/post.hpp>
#include <boost/process/v2.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(process_v2)

namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;

using arguments = std::vector<std::string>;

constexpr asio_ewyk::strategy_t kinds[] = {asio_ewyk::strategy_t::produce_consume,
    asio_ewyk::strategy_t::produce_execute_consume, asio_ewyk::strategy_t::execute_produce_consume,
    asio_ewyk::strategy_t::eat_what_you_kill};

} // namespace

BOOST_AUTO_TEST_CASE(a_process_in_a_handler)
{
    for (auto const s : kinds)
    {
        asio_ewyk::strategy_context context(s, {.max_threads = 4});
        int code = -1;
        asio::post(context, [&] {
            auto const child = std::make_shared<process::process>(
                context.get_executor(), "/bin/sh", arguments{"-c", "exit 42"});
            child->async_wait([child, &code](auto, int c) { code = c; });
        });
        context.run();
        BOOST_TEST(code == 42);
    }
}

// The child ends by exit().
BOOST_AUTO_TEST_CASE(a_program_that_is_not_there)
{
    for (auto const s : kinds)
    {
        asio_ewyk::strategy_context context(s, {.max_threads = 4});
        bool refused = false;
        asio::post(context, [&] {
            try
            {
                process::process const child(
                    context.get_executor(), "/there/is/none", arguments{});
            }
            catch (boost::system::system_error const&)
            {
                refused = true;
            }
        });
        context.run();
        BOOST_TEST(refused);
    }
}

BOOST_AUTO_TEST_SUITE_END()
