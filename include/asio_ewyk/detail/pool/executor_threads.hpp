// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_EXECUTOR_THREADS_HPP
#define ASIO_EWYK_DETAIL_POOL_EXECUTOR_THREADS_HPP

#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/os/counter.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/post.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// What functions that wait in a foreign executor share with the strategy that has posted them,
// which may be gone before they are. Then they do nothing.
class executor_client
{
public:
    // False if the strategy is gone. Otherwise it waits for leave().
    bool enter() noexcept
    {
        std::lock_guard const lock(mutex_);
        if (closed_)
            return false;
        ++inside_;
        return true;
    }

    void leave() noexcept
    {
        std::lock_guard const lock(mutex_);
        if (--inside_ == 0 && closed_)
            left_.notify_all();
    }

    // Waits for those that are inside.
    void close() noexcept
    {
        std::unique_lock lock(mutex_);
        closed_ = true;
        left_.wait(lock, [this] { return inside_ == 0; });
    }

    shared_counter given; // tasks of users
    shared_counter gone;  // of these: begun, or destroyed
    shared_counter begun;

private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t inside_ = 0; // guarded by mutex_
    bool closed_ = false;    // likewise
};

// Runs a task on a thread of a foreign executor, or destroys it with itself.
class executor_function
{
public:
    executor_function(std::shared_ptr<executor_client> client, void const* owner, task* t) noexcept
        : client_(std::move(client))
        , owner_(owner)
        , task_(t)
        , request_(t->is_request())
    {
    }

    executor_function(executor_function&& other) noexcept
        : client_(std::move(other.client_))
        , owner_(other.owner_)
        , task_(std::exchange(other.task_, nullptr))
        , request_(other.request_)
    {
    }

    executor_function& operator=(executor_function&&) = delete;

    ~executor_function()
    {
        if (!task_)
            return;
        if (!request_)
        {
            client_->gone.add();
            task_->destroy();
        }
        // A request is a part of the strategy.
        else if (client_->enter())
        {
            task_->destroy();
            client_->leave();
        }
    }

    void operator()()
    {
        if (!client_->enter())
            return;
        struct leave
        {
            executor_client& client;
            ~leave() { client.leave(); }
        } const on_exit{*client_};
        task* const t = std::exchange(task_, nullptr);
        if (!request_)
        {
            client_->gone.add();
            client_->begun.add();
        }
        call_frame frame(owner_);
        frame.pooled = true;
        t->run();
        frame.rethrow_captured();
    }

private:
    std::shared_ptr<executor_client> client_;
    void const* owner_;
    task* task_;
    bool request_;
};

// The threads of any executor, as a strategy_engine wants them. Nothing tells whether one is idle,
// so none can be had at once: `try_start` and `try_give` fail, and what must have a thread waits
// for one in the executor's queue.
template <class Executor>
class executor_threads
{
public:
    executor_threads(Executor const& executor, void const* owner)
        : executor_(executor)
        , client_(std::make_shared<executor_client>())
        , owner_(owner)
    {
    }

    bool try_start(task&, bool&) noexcept { return false; }
    bool try_give(task&, bool&) noexcept { return false; }
    bool may_take_over(bool) const noexcept { return false; }
    void keep_one_parked() noexcept {}

    // False if the executor has thrown.
    bool start(task& t, bool&) noexcept
    {
        pending_may_wait_.store(true, std::memory_order_relaxed);
        try
        {
            post(&t);
            return true;
        }
        catch (...)
        {
            pending_may_wait_.store(false, std::memory_order_relaxed);
            return false;
        }
    }

    bool may_start() const noexcept { return true; }

    void arrived(call_frame*) noexcept
    {
        pending_may_wait_.store(false, std::memory_order_relaxed);
    }

    bool pending_may_wait() const noexcept
    {
        return pending_may_wait_.load(std::memory_order_relaxed);
    }

    // Throws what the executor throws; the task is destroyed then.
    task* give(task_ptr t, call_frame const&, strategy_t)
    {
        client_->given.add();
        post(t.release());
        return nullptr;
    }

    template <class Product>
    task* give(Product&& product, call_frame const& frame, strategy_t s)
    {
        return give(task_ptr(make_task(std::forward<Product>(product))), frame, s);
    }

    task* take() noexcept { return nullptr; }
    bool all_produce() const noexcept { return false; }

    bool wake_idle_caller() noexcept { return false; }
    bool steps_alone(call_frame const&) const noexcept { return false; }
    void retry_start() noexcept {}
    bool may_resume(call_frame&) const noexcept { return true; }
    void produces_no_more(call_frame&) noexcept {}
    void vacate() noexcept {}
    void count(call_frame const&) noexcept {}
    void credit(call_frame const&) noexcept {}

    Executor const& executor() const noexcept { return executor_; }

    // Tasks that were begun, and that wait.
    std::uint64_t begun() const noexcept { return client_->begun.get(); }
    std::size_t waiting() const noexcept
    {
        std::uint64_t const gone = client_->gone.get();
        return static_cast<std::size_t>(client_->given.get() - gone);
    }

    // Waits for what runs; what waits is destroyed when its turn comes.
    void leave() noexcept { client_->close(); }

private:
    void post(task* t) { asio::post(executor_, executor_function(client_, owner_, t)); }

    Executor executor_;
    std::shared_ptr<executor_client> client_;
    void const* owner_;

    // Whether the pending thread may be in the executor's queue. Relaxed: an old value delays a
    // hand-over, or a task is given away instead.
    std::atomic<bool> pending_may_wait_{false};
};

} // namespace asio_ewyk::detail

#endif
