// no matching .*any_io_executor
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/overload/load_shedder.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

int main()
{
    asio_ewyk::strategy_context context;
    asio_ewyk::load_shedder shedder;
    boost::asio::co_spawn(shedder.executor(context),
        []() -> boost::asio::awaitable<void> { co_return; }, boost::asio::detached);
}
