// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_METRICS_IPP
#define ASIO_EWYK_IMPL_STRATEGY_METRICS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <algorithm>

namespace asio_ewyk {

// Of a context that is not used yet.
ASIO_EWYK_DECL void strategy_service::measure() noexcept
{
    engine_.measure(times_.get());
    reactor_.measure(times_.get());
    threads_.pool().client().measure(times_.get());
}

ASIO_EWYK_DECL strategy_metrics strategy_service::metrics() const
{
    strategy_metrics m;
    engine_.write_to(m);
    detail::pool_client const& client = threads_.pool().client();
    m.produce_consume += reactor_.ran_by_itself();
    m.produce_execute_consume = client.begun();
    m.exceptions = thrown_.get() + client.thrown();
    reactor_.depth().write_to(m.queued, m.queued_max);
    m.queued_in_pool = client.size();
    m.callers = threads_.runners();
    m.parked_callers = std::min(threads_.callers().parked(), m.callers);
    if (times_)
    {
        m.queue_delay = times_->queue_delay.snapshot();
        m.run_time = times_->run_time.snapshot();
        m.poll_delay = times_->poll_delay.snapshot();
    }
    return m;
}

} // namespace asio_ewyk

#endif
