// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>

// In the other translation unit: uses the rest of the library.
bool tour();

int main()
{
    int sum = 0;
    asio_ewyk::strategy_context context;
    boost::asio::steady_timer timer(context, std::chrono::milliseconds(1));
    timer.async_wait([&](boost::system::error_code) { ++sum; });
    context.run();
    boost::asio::post(context, [&] { ++sum; });
    context.restart();
    context.run();
    return sum == 2 && tour() ? 0 : 1;
}
