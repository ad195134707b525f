// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_EXECUTOR_HPP
#define ASIO_EWYK_IMPL_STRATEGY_EXECUTOR_HPP

#include <asio_ewyk/strategy_service.hpp>

#include <type_traits>
#include <utility>

namespace asio_ewyk {

static_assert(asio::execution::is_executor_v<strategy_executor>);
static_assert(sizeof(strategy_executor) <= 16);
static_assert(
    sizeof(std::decay_t<decltype(asio::require(std::declval<strategy_executor>(),
            asio::execution::outstanding_work.tracked))>)
    <= 16);

namespace detail {

inline strategy_work::strategy_work(strategy_service& service) noexcept
    : io_context_work(asio::require(
        service.context().get_executor(), asio::execution::outstanding_work.tracked))
{
}

inline asio::io_context& strategy_executor_traits::context(strategy_service& service) noexcept
{
    return service.context();
}

inline bool strategy_executor_traits::running_in_this_thread(strategy_service& service) noexcept
{
    return service.running_in_this_thread();
}

#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
inline void strategy_executor_traits::work_started(strategy_service& service) noexcept
{
    service.context().get_executor().on_work_started();
}

inline void strategy_executor_traits::work_finished(strategy_service& service) noexcept
{
    service.context().get_executor().on_work_finished();
}
#endif

template <class F, class Allocator>
void strategy_executor_traits::execute(
    strategy_service& service, submission s, F&& f, Allocator const& allocator)
{
    service.execute(s, std::forward<F>(f), allocator);
}

} // namespace detail

} // namespace asio_ewyk

#endif
