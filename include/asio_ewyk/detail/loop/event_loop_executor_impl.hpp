// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_EXECUTOR_IMPL_HPP
#define ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_EXECUTOR_IMPL_HPP

#include <asio_ewyk/detail/loop/event_loop_service.hpp>

namespace asio_ewyk::detail {

static_assert(asio::execution::is_executor_v<event_loop_executor>);
static_assert(sizeof(event_loop_executor) <= 16);

inline event_loop_work::event_loop_work(event_loop_service& service) noexcept
    : io_context_work(asio::require(
        service.context().get_executor(), asio::execution::outstanding_work.tracked))
{
    service.try_to_start();
}

inline asio::io_context& event_loop_executor_traits::context(event_loop_service& service) noexcept
{
    return service.context();
}

inline bool event_loop_executor_traits::running_in_this_thread(event_loop_service& service) noexcept
{
    return service.running_in_this_thread();
}

#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
inline void event_loop_executor_traits::work_started(event_loop_service& service) noexcept
{
    service.try_to_start();
    service.context().get_executor().on_work_started();
}

inline void event_loop_executor_traits::work_finished(event_loop_service& service) noexcept
{
    service.context().get_executor().on_work_finished();
}
#endif

template <class F, class Allocator>
void event_loop_executor_traits::execute(
    event_loop_service& service, submission s, F&& f, Allocator const& allocator)
{
    service.execute(s, std::forward<F>(f), allocator);
}

} // namespace asio_ewyk::detail

#endif
