// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_SRC_HPP
#define ASIO_EWYK_IMPL_SRC_HPP

// For one translation unit of a program that is compiled with ASIO_EWYK_SEPARATE_COMPILATION: what
// the headers then leave out.

#include <asio_ewyk/detail/config.hpp>

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#error asio_ewyk/impl/src.hpp is for programs that define ASIO_EWYK_SEPARATE_COMPILATION everywhere
#endif

#include <asio_ewyk/detail/os/cpu_quota.ipp>
#include <asio_ewyk/detail/pool/elastic_threads.ipp>
#include <asio_ewyk/detail/loop/event_loop_service.ipp>
#include <asio_ewyk/detail/engine/succession.ipp>
#include <asio_ewyk/detail/pool/parked_threads.ipp>
#include <asio_ewyk/detail/watch/cpu_sentinel.ipp>
#include <asio_ewyk/detail/watch/lateness.ipp>
#include <asio_ewyk/detail/watch/lease_watch.ipp>
#include <asio_ewyk/detail/engine/parallelism_policy.ipp>
#include <asio_ewyk/detail/engine/parallelism.ipp>
#include <asio_ewyk/detail/engine/decision.ipp>
#include <asio_ewyk/detail/engine/production_loop.ipp>
#include <asio_ewyk/detail/diagnostics/stall_monitor.ipp>
#include <asio_ewyk/detail/context/strategy_service.ipp>
#include <asio_ewyk/detail/context/strategy_service_calls.ipp>
#include <asio_ewyk/detail/observe/registration.ipp>
#include <asio_ewyk/detail/os/this_thread.ipp>
#include <asio_ewyk/detail/observe/thread_activity.ipp>
#include <asio_ewyk/detail/report/flight_recorder.ipp>
#include <asio_ewyk/detail/os/thread_probe.ipp>
#include <asio_ewyk/detail/task/timed_run.ipp>
#include <asio_ewyk/detail/loop/timer_queue.ipp>
#include <asio_ewyk/detail/diagnostics/trace_log.ipp>
#include <asio_ewyk/detail/watch/watchdog.ipp>
#include <asio_ewyk/impl/dump.ipp>
#include <asio_ewyk/impl/flight_recorder.ipp>
#include <asio_ewyk/impl/stall_report.ipp>
#include <asio_ewyk/impl/strategy_context.ipp>
#include <asio_ewyk/impl/trace.ipp>
#include <asio_ewyk/impl/tracking.ipp>
#include <asio_ewyk/impl/worker_pool.ipp>

#endif
