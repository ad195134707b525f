// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_ELASTIC_METRICS_IPP
#define ASIO_EWYK_DETAIL_POOL_ELASTIC_METRICS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.hpp>

#include <algorithm>
#include <cstddef>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL pool_metrics elastic_threads::metrics() const noexcept
{
    pool_metrics m;
    m.refused = refused_.get();
    m.run_by_caller = run_by_caller_.get();
    m.exceptions = exceptions_.get();
    m.starts = started_.load();
    m.start_failures = start_failures_.load();
    m.threads = m.running = threads_.load();
    auto const of_these = [&](std::size_t n) {
        n = std::min(n, m.running);
        m.running -= n;
        return n;
    };
    m.starting = of_these(warming_.load());
    m.parked = of_these(parked());
    m.producing = of_these(occupied_.load());
    m.max_threads = options_.max_threads;
    m.queued = queued();
    m.queued_max = std::max(static_cast<std::size_t>(most_queued_.get()), m.queued);
    return m;
}

} // namespace asio_ewyk::detail

#endif
