// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Stackful coroutines that are suspended in a function which they dispatched from their stack.

#ifndef ASIO_EWYK_TEST_UNIT_SUSPENSION_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_SUSPENSION_SUPPORT_HPP

#include "pool_support.hpp"

#include <boost/asio/spawn.hpp>

namespace support {

/// What completes there runs inside the producer, and is no task.
inline asio::io_context& base(asio::io_context& ctx)
{
    return ctx;
}

/// Has a coroutine dispatch a function from its stack, which suspends the coroutine if it is called
/// there and then.
template <class Executor, class Suspend>
void dispatch_from(Executor const& ex, Suspend suspend)
{
    auto const on_stack = std::make_shared<std::atomic<bool>>(true);
    asio::dispatch(ex, [on_stack, suspend, here = std::this_thread::get_id()]() mutable {
        if (std::this_thread::get_id() == here && *on_stack)
            suspend();
    });
    *on_stack = false;
}

/// Runs f() on a thread that is gone afterwards, with its stack.
template <class F>
void on_another_thread(F f)
{
    std::thread(f).join();
}

}

#endif
