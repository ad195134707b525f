// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A program that leaves out what reports stalls: it has no header of that, nor of traces, and is
// told so where it asks for reports.

#include <asio_ewyk/execution_strategy.hpp>
#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/use_strategy.hpp>
#include <asio_ewyk/worker_pool.hpp>

#if defined(ASIO_EWYK_DIAGNOSTICS_STALLS_HPP) \
    || defined(ASIO_EWYK_DIAGNOSTICS_STALL_REPORT_HPP) \
    || defined(ASIO_EWYK_DETAIL_DIAGNOSTICS_STALL_MONITOR_HPP) \
    || defined(ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_LOG_HPP) \
    || defined(ASIO_EWYK_DIAGNOSTICS_DUMP_HPP) || defined(ASIO_EWYK_DIAGNOSTICS_PROMETHEUS_HPP) \
    || defined(ASIO_EWYK_LOOP_EVENT_LOOP_HPP) || defined(ASIO_EWYK_SERVER_SERVE_HPP)
#error the core includes what is optional
#endif

#include <boost/asio/post.hpp>

#include <chrono>
#include <cstdio>
#include <stdexcept>

namespace {

template <class Made, class... Args>
bool refuses(Args&&... args)
{
    try
    {
        Made made(std::forward<Args>(args)...);
        return false;
    }
    catch (std::logic_error const& e)
    {
        std::puts(e.what());
        return true;
    }
}

} // namespace

int main()
{
    using namespace std::chrono_literals;
    int ran = 0;
    asio_ewyk::strategy_context context;
    boost::asio::post(context, [&] { ++ran; });
    context.run();

    bool const refused
        = refuses<asio_ewyk::strategy_context>(asio_ewyk::strategy_options{.stall_threshold = 1s})
        && refuses<asio_ewyk::worker_pool>(asio_ewyk::worker_pool_options{.stall_threshold = 1s});
    return ran == 1 && refused ? 0 : 1;
}
