#ifndef ASIO_EWYK_IMPL_WORKER_POOL_HPP
#define ASIO_EWYK_IMPL_WORKER_POOL_HPP

#include <asio_ewyk/worker_pool.hpp>

#include <type_traits>

namespace asio_ewyk {

static_assert(asio::execution::is_executor_v<worker_pool_executor>);

namespace detail {

// What strategies and contexts need of a pool beyond its public interface.
class pool_access
{
public:
    static elastic_threads& threads(worker_pool& pool) noexcept { return pool.threads_; }
    static pool_client const& client(worker_pool& pool) noexcept { return pool.client_; }
    static void submit(worker_pool& pool, task* t, bool caller_may_run)
    {
        pool.submit(t, caller_may_run);
    }
    static void work_started(worker_pool& pool) noexcept { pool.work_started(); }
    static void work_finished(worker_pool& pool) noexcept { pool.work_finished(); }
};

inline pool_work::pool_work(worker_pool& pool) noexcept
    : pool_(&pool)
{
    pool_access::work_started(pool);
}

inline pool_work::pool_work(pool_work const& other) noexcept
    : pool_(other.pool_)
{
    if (pool_)
        pool_access::work_started(*pool_);
}

inline pool_work::~pool_work()
{
    if (pool_)
        pool_access::work_finished(*pool_);
}

inline bool worker_pool_executor_traits::running_in_this_thread(worker_pool& pool) noexcept
{
    return call_frame::find(&pool) != nullptr;
}

inline void worker_pool_executor_traits::work_started(worker_pool& pool) noexcept
{
    pool_access::work_started(pool);
}

inline void worker_pool_executor_traits::work_finished(worker_pool& pool) noexcept
{
    pool_access::work_finished(pool);
}

template <class F, class Allocator>
void worker_pool_executor_traits::execute(
    worker_pool& pool, submission s, F&& f, Allocator const& allocator)
{
    if (!s.blocking_never)
        if (call_frame::find(&pool))
            return call_frame::run_in_place(&pool, std::forward<F>(f),
                [&](std::exception_ptr e) noexcept {
                    pool_access::threads(pool).report(std::move(e));
                });
    pool_access::submit(pool,
        make_task(std::forward<F>(f), s.strategy, s.invocation, allocator,
            [&]() noexcept { return pool_work(pool); }),
        !s.blocking_never);
}

// Not a part of elastic_threads, which says nothing about itself in words.
inline void describe_threads(text_sink& out, elastic_threads const& pool) noexcept
{
    out << std::uint64_t{pool.threads()} << " threads of at most "
        << std::uint64_t{pool.options().max_threads} << ", " << std::uint64_t{pool.parked()}
        << " parked, " << std::uint64_t{pool.queued()} << " tasks queued";
    if (pool.stopping())
        out << ", stopped";
}

} // namespace detail

inline void worker_pool::tell_state(detail::text_sink& out) const noexcept
{
    out << "worker_pool " << static_cast<void const*>(this) << ' ' << options().name << ": ";
    detail::describe_threads(out, threads_);
    out << ", " << std::uint64_t{client_.size()} << " of them its own";
}

inline worker_pool::~worker_pool()
{
    stop();
    threads_.stop_and_wait();
    // Here rather than in the base class: what it destroys may still hold executors of the pool.
    shutdown();
    destroy();
}

template <class F>
void worker_pool::execute(F&& f)
{
    submit(detail::make_task(std::forward<F>(f), {}, {}, std::allocator<void>(),
               [this]() noexcept { return detail::pool_work(*this); }),
        true);
}

template <class F>
bool worker_pool::try_execute(F&& f)
{
    std::size_t const thread = threads_.claim();
    if (thread == detail::reserve::none)
        return false;
    detail::task* t = nullptr;
    try
    {
        t = detail::make_task(std::forward<F>(f), {}, {}, std::allocator<void>(),
            [this]() noexcept { return detail::pool_work(*this); });
    }
    catch (...)
    {
        threads_.look_in_queue(thread);
        throw;
    }
    stamp(t);
    threads_.give(thread, client_, t);
    return true;
}

inline void worker_pool::notify_fork(fork_event event)
{
    if (event == fork_prepare)
        threads_.notify_fork(event);
    detail::stall_monitor::instance().notify_fork(event);
    asio::execution_context::notify_fork(event);
    if (event != fork_prepare)
        threads_.notify_fork(event);
}

inline void worker_pool::submit(detail::task* t, bool caller_may_run)
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
        if (!caller_may_run || options().when_full == queue_full::reject)
        {
            threads_.count_refused();
            throw queue_full_error();
        }
        threads_.count_run_by_caller();
        client_.run(owned.release());
        break;
    }
}

inline pool_metrics worker_pool::metrics() const
{
    pool_metrics m = threads_.metrics();
    m.tasks = client_.begun();
    if (times_)
    {
        m.queue_delay = times_->queue_delay.snapshot();
        m.run_time = times_->run_time.snapshot();
    }
    return m;
}

inline void worker_pool::stop() noexcept
{
    threads_.stop();
    std::lock_guard lock(mutex_);
    stopped_ = true;
    idle_.notify_all();
}

inline void worker_pool::wait()
{
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return stopped_ || work_.load() == 0; });
}

inline void worker_pool::join()
{
    wait();
    stop();
    threads_.stop_and_wait();
}

inline void worker_pool::work_finished() noexcept
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
