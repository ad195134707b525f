// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The source with the hook of a program whose other one has none: it must not link.

#include <asio_ewyk/diagnostics/tracking.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

void post_one()
{
    boost::asio::io_context ctx;
    boost::asio::post(ctx, [] {});
    ctx.run();
}
