// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_DESCRIBE_PRODUCTION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_DESCRIBE_PRODUCTION_HPP

#include <asio_ewyk/detail/engine/succession.hpp>
#include <asio_ewyk/detail/engine/workforce.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/strategy.hpp>

#include <cstdint>

namespace asio_ewyk::detail {

inline void describe_production(text_sink& out, succession const& s) noexcept
{
    out << to_string(s.strategy())
        << (s.is_free() ? ", no thread produces" : ", a thread produces");
    if (s.awaits_thread())
        out << ", another one is on its way";
    s.counters().describe(out);
    if (s.watch().knows_reactor())
        out << ", its waits are observed";
    if (s.watch().sentinel_refused())
        out << ", the system refuses threads of idle priority";
    if (s.watch().probe_refused())
        out << ", the system does not tell what a thread does";
    if (s.watch().normal_priority_refused())
        out << ", the system refuses the watchdog a normal priority";
}

// How many threads are to run handlers at a time, where that is fixed; and how many can, if these
// are fewer.
inline void describe_concurrency(text_sink& out, std::uint64_t concurrency,
    workforce const& threads, bool observes_waits) noexcept
{
    std::uint64_t most = 1;
    if (observes_waits)
    {
        elastic_threads const& pool = threads.pool();
        most = threads.runners();
        // A pool's only thread is left for what is late.
        if (pool.max_threads() > 1)
            most += pool.options().reserve != 0 ? pool.max_threads() : pool.threads();
    }
    out << ", concurrency " << concurrency;
    if (most < concurrency)
        out << ", but " << most << " threads";
}

} // namespace asio_ewyk::detail

#endif
