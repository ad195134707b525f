// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_HPP
#define ASIO_EWYK_HPP

#include <asio_ewyk/any_executor.hpp>
#include <asio_ewyk/blocking_section.hpp>
#include <asio_ewyk/diagnostics/dump.hpp>
#include <asio_ewyk/diagnostics/flight_recorder.hpp>
#include <asio_ewyk/diagnostics/keep_options.hpp>
#include <asio_ewyk/diagnostics/location.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>
#include <asio_ewyk/diagnostics/stalls.hpp>
#include <asio_ewyk/diagnostics/trace.hpp>
#include <asio_ewyk/execution_strategy.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/loop/chooser.hpp>
#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/loop/event_loop_options.hpp>
#include <asio_ewyk/loop/scheduled_task.hpp>
#include <asio_ewyk/loop/strategy_context_group.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/strategy_options.hpp>
#include <asio_ewyk/strategy_policy.hpp>
#include <asio_ewyk/switch_to.hpp>
#include <asio_ewyk/use_strategy.hpp>
#include <asio_ewyk/version.hpp>
#include <asio_ewyk/worker_pool.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#endif
