// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_METRICS_IPP
#define ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_METRICS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL loop_metrics event_loop_service::metrics() const
{
    loop_metrics m;
    m.tasks = depth_.taken();
    m.in_place = in_place_.get();
    m.scheduled = timer_queue_->runs();
    m.exceptions = thrown_.get();
    m.cpu_time = cpu_time();
    depth_.write_to(m.queued, m.queued_max);
    if (times_)
    {
        m.queue_delay = times_->queue_delay.snapshot();
        m.run_time = times_->run_time.snapshot();
        m.poll_delay = times_->poll_delay.snapshot();
    }
    return m;
}

} // namespace asio_ewyk::detail

#endif
