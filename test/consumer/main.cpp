// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>

#include <boost/asio/post.hpp>

#include <iostream>

int main()
{
    asio_ewyk::strategy_context context;
    boost::asio::post(context, [] { std::cout << asio_ewyk::version_string << '\n'; });
    return context.run() == 1 ? 0 : 1;
}
