// a session takes a socket of the protocol by value and returns an asio::awaitable<void>
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/server/serve.hpp>

#include <boost/asio/detached.hpp>

int main()
{
    using boost::asio::ip::tcp;
    asio_ewyk::event_loop_group loops(1);
    asio_ewyk::serve(loops, loops, tcp::endpoint(), [](tcp::socket) {}, boost::asio::detached);
}
