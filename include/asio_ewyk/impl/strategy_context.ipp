// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_CONTEXT_IPP
#define ASIO_EWYK_IMPL_STRATEGY_CONTEXT_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace asio_ewyk {

namespace detail {

// What a program promises that gives such a hint, it may rely on, too.
inline bool expects_one_thread(int concurrency_hint) noexcept
{
    return concurrency_hint == BOOST_ASIO_CONCURRENCY_HINT_1
        || concurrency_hint == static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE)
        || concurrency_hint == static_cast<int>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
}

inline strategy_t strategy_for_hint(int concurrency_hint) noexcept
{
    return expects_one_thread(concurrency_hint) ? strategy_t::produce_consume : strategy_t();
}

} // namespace detail

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::strategy_context(strategy_options options)
    : strategy_context(BOOST_ASIO_CONCURRENCY_HINT_SAFE, std::move(options))
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::strategy_context()
    : strategy_context(strategy_options())
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::strategy_context(
    strategy_t s, strategy_options options)
    : strategy_context((options.strategy = s, std::move(options)))
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::strategy_context(worker_pool& pool, strategy_t s,
    std::chrono::nanoseconds grace, strategy_policy const& policy, std::size_t concurrency)
    : asio::io_context(BOOST_ASIO_CONCURRENCY_HINT_SAFE)
    , service_(detail::strategy_service::install(*this, pool, s, grace, policy, concurrency,
        detail::strategy_service::concurrency_hint::many_threads))
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::strategy_context(int concurrency_hint)
    : strategy_context(concurrency_hint, {.strategy = detail::strategy_for_hint(concurrency_hint)})
{
}

// No lock is left out: what the user posts from threads of the pool would race.
ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::strategy_context(
    int concurrency_hint, strategy_options options)
    : asio::io_context(detail::expects_one_thread(concurrency_hint)
              ? BOOST_ASIO_CONCURRENCY_HINT_1
              : BOOST_ASIO_CONCURRENCY_HINT_SAFE)
    , service_(detail::strategy_service::install(*this, options,
        detail::expects_one_thread(concurrency_hint)
            ? detail::strategy_service::concurrency_hint::one_thread
            : detail::strategy_service::concurrency_hint::many_threads))
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void strategy_context::end() noexcept
{
    // Before the services: handlers in the pool may still use sockets.
    service_.end();
    shutdown();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD strategy_context::~strategy_context()
{
    end();
    destroy();
}

} // namespace asio_ewyk

#endif
