// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_ELASTIC_SHUTDOWN_IPP
#define ASIO_EWYK_DETAIL_POOL_ELASTIC_SHUTDOWN_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.ipp>

#include <mutex>
#include <stdexcept>

namespace asio_ewyk::detail {

// How clients, and in the end all threads, leave a pool.

ASIO_EWYK_DECL void elastic_threads::leave(pool_client& client)
{
    std::unique_lock lock(mutex_);
    {
        task_list waiting = queue_.take_all(client);
        queued_.store(queue_.size());
        client.leave();
        lock.unlock();
    }
    lock.lock();
    client.begin_wait();
    changed_.wait(lock, [&] { return client.pins() == 0; });
    client.end_wait();
}

ASIO_EWYK_DECL bool elastic_threads::await(pool_client& client, std::size_t own,
    std::atomic<std::size_t> const& enough, time_point deadline)
{
    std::unique_lock lock(mutex_);
    client.begin_wait();
    bool const is_over = changed_.wait_until(
        lock, deadline, [&] {
            return (client.pins() <= own && client.size() == 0) || enough.load() != 0;
        });
    client.end_wait();
    return is_over;
}

ASIO_EWYK_DECL void elastic_threads::end_await()
{
    std::lock_guard lock(mutex_);
    changed_.notify_all();
}

ASIO_EWYK_DECL void elastic_threads::stop() noexcept
{
    {
        std::lock_guard lock(mutex_);
        stopping_.store(true);
    }
    while (drop_one())
        ;
    wake_parked();
}

ASIO_EWYK_DECL void elastic_threads::wake_parked() noexcept
{
    for (std::size_t t = parked_.claim(); t != parked_threads::none; t = parked_.claim())
        look_in_queue(t);
}

// Destroys a waiting task, outside of the lock, as its destructor may come back here; the client
// must not be gone before.
ASIO_EWYK_DECL bool elastic_threads::drop_one() noexcept
{
    task* t = nullptr;
    pool_client* client = nullptr;
    {
        std::lock_guard lock(mutex_);
        fair_queue::entry const e = queue_.pop();
        if (!e.what)
            return false;
        queued_.store(queue_.size());
        t = e.what;
        client = static_cast<pool_client*>(e.from);
        client->pin();
    }
    t->destroy();
    release(*client);
    return true;
}

ASIO_EWYK_DECL void elastic_threads::stop_and_wait()
{
    stop();
    join_threads();
}

ASIO_EWYK_DECL void elastic_threads::notify_fork(asio::execution_context::fork_event event)
{
    bool const before = event == asio::execution_context::fork_prepare;
    if (before && of_this_thread_ == this)
        throw std::logic_error("notify_fork on a thread of the pool");
    {
        std::lock_guard lock(mutex_);
        forking_.store(before);
    }
    if (!before)
        return retry_start();
    wake_parked();
    join_threads();
}

ASIO_EWYK_DECL void elastic_threads::join_threads()
{
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return starting_ == 0; });
    }
    std::lock_guard joining(join_mutex_);
    for (worker& w : workers_)
        if (w.thread.joinable())
            w.thread.join();
}

} // namespace asio_ewyk::detail

#endif
