// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_WORKER_POOL_HPP
#define ASIO_EWYK_IMPL_WORKER_POOL_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/worker_pool.hpp>

namespace asio_ewyk {

static_assert(asio::execution::is_executor_v<worker_pool::executor_type>);

namespace detail {

// What strategies and contexts need of a pool beyond its public interface.
class pool_access
{
public:
    static elastic_threads& threads(worker_pool& pool) noexcept { return pool.threads_; }
};

template <class F, class Allocator>
void worker_pool_executor_traits::execute(
    worker_pool& pool, submission s, F&& f, Allocator const& allocator)
{
    if (!s.blocking_never)
        if (call_frame::find(&pool))
            return call_frame::run_inline(&pool, std::forward<F>(f),
                // A suspended function may resume when the pool is gone.
                [&pool, there = pool.watch_.there()](std::exception_ptr e) noexcept {
                    there.report_by([&] { pool.threads_.report(std::move(e)); });
                });
    pool.submit(make_task(std::forward<F>(f), s.strategy, s.invocation, allocator,
                    [&]() noexcept { return pool_work(pool); }),
        !s.blocking_never);
}

} // namespace detail

template <class F>
void worker_pool::execute(F&& f)
{
    submit(detail::make_task(std::forward<F>(f), {}, {}, std::allocator<void>(),
               [this]() noexcept { return detail::pool_work(*this); }),
        true);
}

} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/worker_pool.ipp>
#endif

#endif
