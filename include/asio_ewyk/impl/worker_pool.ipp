// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_WORKER_POOL_IPP
#define ASIO_EWYK_IMPL_WORKER_POOL_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace asio_ewyk {

namespace detail {

ASIO_EWYK_DECL pool_work::pool_work(worker_pool& pool) noexcept
    : pool_(&pool)
{
    pool.work_started();
}

ASIO_EWYK_DECL pool_work::pool_work(pool_work const& other) noexcept
    : pool_(other.pool_)
{
    if (pool_)
        pool_->work_started();
}

ASIO_EWYK_DECL pool_work::~pool_work()
{
    if (pool_)
        pool_->work_finished();
}

ASIO_EWYK_DECL bool worker_pool_executor_traits::running_in_this_thread(worker_pool& pool) noexcept
{
    return call_frame::find(&pool) != nullptr;
}

ASIO_EWYK_DECL void worker_pool_executor_traits::work_started(worker_pool& pool) noexcept
{
    pool.work_started();
}

ASIO_EWYK_DECL void worker_pool_executor_traits::work_finished(worker_pool& pool) noexcept
{
    pool.work_finished();
}

// Not a part of elastic_threads, which formats nothing.
inline void describe_threads(text_sink& out, elastic_threads const& pool) noexcept
{
    out << std::uint64_t{pool.threads()} << " threads of at most "
        << std::uint64_t{pool.max_threads()} << ", " << std::uint64_t{pool.parked()}
        << " parked, " << std::uint64_t{pool.queued()} << " tasks queued";
    if (pool.low())
        out << ", low on threads";
    if (pool.stopping())
        out << ", stopped";
}

} // namespace detail

ASIO_EWYK_DECL ASIO_EWYK_COLD worker_pool::worker_pool(worker_pool_options options)
    : times_(detail::times_if(options.timing))
    , threads_(std::move(options))
    , client_(this)
    , watch_(this, shown_, detail::stall_settings(threads_.options()))
{
    client_.measure(times_.get());
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void worker_pool::tell_state(detail::text_sink& out) const noexcept
{
    out << "worker_pool " << static_cast<void const*>(this) << ' ' << options().name << ": ";
    detail::describe_threads(out, threads_);
    out << ", " << std::uint64_t{client_.size()} << " of them its own";
}

ASIO_EWYK_DECL ASIO_EWYK_COLD worker_pool::~worker_pool()
{
    if (threads_.is_at_home())
    {
        stop();
        threads_.stop_and_wait();
    }
    else
    {
        client_.forget_tasks();
        detail::make_anew(mutex_);
        detail::make_anew(idle_);
    }
    // Here rather than in the base class: what is destroyed may still hold executors of the pool.
    shutdown();
    destroy();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void worker_pool::notify_fork(fork_event event)
{
    bool const is_prepared
        = event == fork_prepare ? threads_.prepare_fork() : threads_.prepares_fork();
    if (is_prepared)
        detail::registration::notify_fork(event);
    asio::execution_context::notify_fork(event);
    if (is_prepared && event != fork_prepare)
        threads_.end_fork(event == fork_child);
}

ASIO_EWYK_DECL void worker_pool::submit(detail::task* t, bool caller_may_run)
{
    using enum detail::elastic_threads::outcome;
    detail::task_ptr owned(t);
    stamp(t);
    switch (threads_.execute(client_, t))
    {
    case accepted:
    case no_thread:
        owned.release();
        break;
    case stopped:
        break;
    case full:
        // A pool without threads is full for good: tasks that submit others would nest.
        if (!caller_may_run || threads_.has_none() || options().when_full == queue_full::reject)
        {
            threads_.count_refused();
            throw queue_full_error();
        }
        threads_.count_run_by_caller();
        client_.run(owned.release());
        break;
    }
}

ASIO_EWYK_DECL pool_metrics worker_pool::metrics() const
{
    pool_metrics m = threads_.metrics();
    m.tasks = client_.begun();
    m.load = load();
    if (times_)
        times_->write_to(m);
    return m;
}

ASIO_EWYK_DECL load_metrics worker_pool::load() const noexcept
{
    load_metrics m = delay_.look({threads_.taken(), threads_.queued()});
    m.threads_left = threads_.available();
    return m;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void worker_pool::stop() noexcept
{
    threads_.stop();
    std::lock_guard lock(mutex_);
    stopped_ = true;
    idle_.notify_all();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void worker_pool::wait()
{
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return stopped_ || work_.load() == 0; });
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void worker_pool::join()
{
    wait();
    stop();
    threads_.stop_and_wait();
}

ASIO_EWYK_DECL void worker_pool::work_finished() noexcept
{
    std::size_t n = work_.load();
    while (n > 1)
        if (work_.compare_exchange_weak(n, n - 1))
            return;
    // The last one falls under the lock: as soon as wait() returns the pool may be destroyed.
    std::lock_guard lock(mutex_);
    if (work_.fetch_sub(1) == 1)
        idle_.notify_all();
}

} // namespace asio_ewyk

#endif
