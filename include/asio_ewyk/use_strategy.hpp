// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_USE_STRATEGY_HPP
#define ASIO_EWYK_USE_STRATEGY_HPP

#include <asio_ewyk/detail/context/strategy_service.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <chrono>
#include <cstddef>
#include <stdexcept>

namespace asio_ewyk {

/** Installs an execution strategy in an `io_context`, and returns an executor that uses it.

    The first call installs a service in the `io_context`. A later call returns an executor with its
    strategy, over the same pool. The `io_context` must then be run by `asio_ewyk::run`. Where only
    `ioc.run()` runs it, there is no strategy: tasks run on the threads that call that. The two must
    not be mixed at the same time. Several threads enter the `io_context`, also while a late handler
    runs inside it on another one. So its concurrency hint must not switch locks off
    (`BOOST_ASIO_CONCURRENCY_HINT_UNSAFE` and its like), and should not be 1: then Asio keeps what a
    handler posts until that handler is over. A `blocking_section` of `produce_consume` has no
    effect here, as the service does not know the hint.

    Before the `io_context` is destroyed, no handler may run in the pool any more: if run() ended
    because of `stop()` or of an exception, call halt() first. (Asio shuts down
    its sockets and timers before older services; a `strategy_context` sees to this itself.)

    With options (or with a pool that outlives the `io_context`) it throws `std::logic_error` if
    the service was installed already; and `std::invalid_argument` for options that cannot work.

    @par Thread Safety
    Distinct contexts: safe. The same context: unsafe for the call that installs the service, safe
    afterwards.

    @par Example
    @snippet example/6_cookbook/io_context_of_someone_else.cpp use_strategy
*/
strategy_executor use_strategy(asio::io_context& ioc, strategy_t s = {});
strategy_executor use_strategy(asio::io_context& ioc, strategy_t s, strategy_options options);
strategy_executor use_strategy(asio::io_context& ioc, strategy_t s, worker_pool& pool,
    std::chrono::nanoseconds grace = default_grace, strategy_policy const& policy = {},
    std::size_t concurrency = 0);

/// Runs an `io_context` that `use_strategy` was called for: call this instead of `ioc.run()`. The
/// contract is that of `strategy_context::run`. Without the service it calls `ioc.run()`.
std::size_t run(asio::io_context& ioc);

/// Ends what `use_strategy` was called for, before the `io_context` is destroyed: `ioc.stop()`,
/// destroys what waits in the pool, and waits for the tasks that run there. Must not be called
/// while a thread is inside run(). Without the service it is `ioc.stop()`.
void halt(asio::io_context& ioc);

/// As `strategy_context::metrics`, of an `io_context` that `use_strategy` was called for; without
/// the service all figures are 0. Throws `std::bad_alloc`.
strategy_metrics metrics(asio::io_context& ioc);

namespace detail {

template <class... Args>
strategy_executor install_strategy(asio::io_context& ioc, strategy_t s, Args&&... args)
{
    if (strategy_service::installed_in(ioc))
        throw std::logic_error("asio_ewyk: this io_context has a strategy already; "
                               "call use_strategy without options or a pool");
    return asio::require(
        strategy_service::install(ioc, std::forward<Args>(args)...).get_executor(), s);
}

} // namespace detail

inline strategy_executor use_strategy(asio::io_context& ioc, strategy_t s)
{
    if (auto* const service = detail::strategy_service::installed_in(ioc))
        return asio::require(service->get_executor(), s);
    return use_strategy(ioc, s, strategy_options{});
}

inline strategy_executor use_strategy(asio::io_context& ioc, strategy_t s, strategy_options options)
{
    options.strategy = s;
    return detail::install_strategy(ioc, s, options);
}

inline strategy_executor use_strategy(asio::io_context& ioc, strategy_t s, worker_pool& pool,
    std::chrono::nanoseconds grace, strategy_policy const& policy, std::size_t concurrency)
{
    return detail::install_strategy(ioc, s, pool, s, grace, policy, concurrency);
}

inline std::size_t run(asio::io_context& ioc)
{
    auto* const service = detail::strategy_service::installed_in(ioc);
    return service ? service->run_until(detail::forever) : ioc.run();
}

inline void halt(asio::io_context& ioc)
{
    auto* const service = detail::strategy_service::installed_in(ioc);
    service ? service->halt() : ioc.stop();
}

inline strategy_metrics metrics(asio::io_context& ioc)
{
    auto* const service = detail::strategy_service::installed_in(ioc);
    return service ? service->metrics() : strategy_metrics{};
}

} // namespace asio_ewyk

#endif
