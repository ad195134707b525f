// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_SHUTDOWN_IPP
#define ASIO_EWYK_IMPL_STRATEGY_SHUTDOWN_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace asio_ewyk {

// How a strategy_service ends.

ASIO_EWYK_DECL void strategy_service::stop() noexcept
{
    ioc_.stop();
    reactor_.stopped();
    recall_tasks();
    threads_.wake_all();
}

// Handlers run only while a caller is inside run(): tasks that wait in the pool then wait here.
ASIO_EWYK_DECL void strategy_service::recall_tasks() noexcept
{
    bool asked = false;
    while (detail::task* t = threads_.take())
        if (engine_.is_production(t))
        {
            asked = true;
            t->destroy();
        }
        else
        {
            threads_.count_back();
            reactor_.post(t);
        }
    if (!asked)
        return;
    reactor_.abandoned();
    // A caller that has come meanwhile may have asked.
    if (threads_.runners() != 0 && engine_.idle() && !ioc_.stopped())
    {
        detail::call_frame frame(&engine_);
        engine_.dispatch(frame);
    }
}

// When the last caller of run() returns, no handler runs any more, as with an io_context; except
// one that has called run() itself.
ASIO_EWYK_DECL void strategy_service::clear_pool()
{
    // More than once: a late thread may wait inside the io_context beside the one that was woken,
    // and a thread that still produces may have given away another task.
    std::chrono::milliseconds pause(1);
    do
    {
        recall_tasks();
        reactor_.expel();
        pause = std::min(2 * pause, std::chrono::milliseconds(64));
    } while (!threads_.await_pool(&engine_, detail::after(pause)));
}

ASIO_EWYK_DECL void strategy_service::halt()
{
    stop();
    engine_.stop_looking(true);
    threads_.pool().leave();
}

ASIO_EWYK_DECL void strategy_service::shutdown()
{
    shut_down_.store(true);
    halt();
    reactor_.destroy_tasks();
}

// In a handler it works if handlers run on the thread of a caller, one at a time. Otherwise another
// thread may produce, and wait inside the io_context without limit; or the handler runs on a thread
// of the pool, and the child has no caller.
ASIO_EWYK_DECL void strategy_service::notify_fork(asio::execution_context::fork_event event)
{
    if (event == asio::execution_context::fork_prepare)
    {
        if (detail::call_frame::find(&engine_)
            && engine_.strategy() != strategy_t::produce_consume)
            throw std::logic_error("notify_fork in a handler needs a produce_consume context");
        engine_.stop_looking(false);
    }
    detail::pool_access::threads(pool_).notify_fork(event);
    detail::registration::notify_fork(event);
}

} // namespace asio_ewyk

#endif
