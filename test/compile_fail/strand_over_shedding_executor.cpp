// no member named .*context
//
// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/overload/load_shedder.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

int main()
{
    asio_ewyk::worker_pool pool;
    asio_ewyk::load_shedder shedder;
    boost::asio::post(boost::asio::make_strand(shedder.executor(pool)), [] {});
}
