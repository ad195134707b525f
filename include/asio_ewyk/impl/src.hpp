#ifndef ASIO_EWYK_IMPL_SRC_HPP
#define ASIO_EWYK_IMPL_SRC_HPP

// For one translation unit of a program that is compiled with ASIO_EWYK_SEPARATE_COMPILATION: what
// the headers leave out then.

#include <asio_ewyk/detail/config.hpp>

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#error asio_ewyk/impl/src.hpp is for programs that define ASIO_EWYK_SEPARATE_COMPILATION everywhere
#endif

#include <asio_ewyk/detail/impl/condition.ipp>
#include <asio_ewyk/detail/impl/cpu_quota.ipp>
#include <asio_ewyk/detail/impl/elastic_metrics.ipp>
#include <asio_ewyk/detail/impl/elastic_shutdown.ipp>
#include <asio_ewyk/detail/impl/elastic_threads.ipp>
#include <asio_ewyk/detail/impl/event_loop_metrics.ipp>
#include <asio_ewyk/detail/impl/event_loop_service.ipp>
#include <asio_ewyk/detail/impl/event_loop_view.ipp>
#include <asio_ewyk/detail/impl/reactor.ipp>
#include <asio_ewyk/detail/impl/reserve.ipp>
#include <asio_ewyk/detail/impl/sentinel.ipp>
#include <asio_ewyk/detail/impl/spread.ipp>
#include <asio_ewyk/detail/impl/stall_monitor.ipp>
#include <asio_ewyk/detail/impl/stall_reporter.ipp>
#include <asio_ewyk/detail/impl/stall_teller.ipp>
#include <asio_ewyk/detail/impl/stall_watch.ipp>
#include <asio_ewyk/detail/impl/this_thread.ipp>
#include <asio_ewyk/detail/impl/thread_activity.ipp>
#include <asio_ewyk/detail/impl/thread_probe.ipp>
#include <asio_ewyk/detail/impl/timed_run.ipp>
#include <asio_ewyk/detail/impl/timetable.ipp>
#include <asio_ewyk/detail/impl/trace_log.ipp>
#include <asio_ewyk/detail/impl/watchdog.ipp>
#include <asio_ewyk/impl/chooser.ipp>
#include <asio_ewyk/impl/dump.ipp>
#include <asio_ewyk/impl/prometheus.ipp>
#include <asio_ewyk/impl/stall_report.ipp>
#include <asio_ewyk/impl/strategy_context.ipp>
#include <asio_ewyk/impl/strategy_metrics.ipp>
#include <asio_ewyk/impl/strategy_service.ipp>
#include <asio_ewyk/impl/strategy_shutdown.ipp>
#include <asio_ewyk/impl/strategy_view.ipp>
#include <asio_ewyk/impl/trace.ipp>
#include <asio_ewyk/impl/worker_pool.ipp>

#endif
