// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A program of Asio alone that includes the header of tracking: its symbols are looked at where it
// is compiled with the hook, and where it is not.

#include <asio_ewyk/diagnostics/tracking.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

int main()
{
    boost::asio::io_context ctx;
    int ran = 0;
    boost::asio::post(ctx, [&] { ++ran; });
    ctx.run();
    return ran - 1;
}
