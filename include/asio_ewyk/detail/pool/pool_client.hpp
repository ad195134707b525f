// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_POOL_CLIENT_HPP
#define ASIO_EWYK_DETAIL_POOL_POOL_CLIENT_HPP

#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/pool/fair_queue.hpp>
#include <asio_ewyk/detail/task/passed_exceptions.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>

#include <atomic>
#include <cstdint>
#include <exception>

namespace asio_ewyk::detail {

// A source of tasks that a pool runs: the tasks that wait, and how many threads run one. A client
// can leave the pool: tasks that wait are destroyed, tasks that run are waited for. The base class,
// which holds the waiting tasks, is guarded by the pool's mutex.
class pool_client : public fair_queue::source
{
public:
    // `frame_key`: of the call_frame that the pool puts on the stack while it runs a task of this
    // client.
    explicit pool_client(void const* frame_key) noexcept
        : frame_key_(frame_key)
    {
    }

    pool_client(pool_client const&) = delete;
    pool_client& operator=(pool_client const&) = delete;

    void const* frame_key() const noexcept { return frame_key_; }

    // Before the client is used: measures how long its tasks take.
    void measure(task_times* times) noexcept { times_ = times; }

    // Before the client is used: pass() offers exceptions of its tasks to p.
    void pass_exceptions_by(exception_passer& p) noexcept { passer_ = &p; }

    // The thread that has pinned the client: passes what its task has thrown to a call of run().
    // False if there is none.
    bool pass(std::exception_ptr const& error) noexcept { return passer_ && passer_->pass(error); }

    // Runs a task that was given to the pool on this thread: one of the pool, or a caller that
    // takes the task instead.
    void run(task* t)
    {
        if (t->is_request())
            return t->run();
        begun_.add();
        run_timed(times_, *t);
    }

    // A task on a thread of the pool has thrown, and pass() was not asked, or returned false.
    void threw() noexcept { thrown_.add(); }

    // How many tasks of users were begun, and how often threw() was called.
    std::uint64_t begun() const noexcept { return begun_.get(); }
    std::uint64_t thrown() const noexcept { return thrown_.get(); }

    // Before a thread is given a task of this client.
    void pin() noexcept { pins_.fetch_add(one_thread); }

    // After the task. True if a thread waits for the pins; then the client may be gone already.
    // Releases: that thread sees what the task did.
    bool unpin() noexcept { return pins_.fetch_sub(one_thread) % one_thread != 0; }

    // How many threads run a task of this client.
    std::uint64_t pins() const noexcept { return pins_.load() / one_thread; }

    // A thread that waits for the pins calls begin_wait() before it reads them.
    void begin_wait() noexcept { pins_.fetch_add(1); }
    void end_wait() noexcept { pins_.fetch_sub(1); }
    bool awaited() const noexcept { return pins_.load() % one_thread != 0; }

    // No thread is given a task of this client from now on.
    void leave() noexcept { leaving_.store(true); }
    bool leaving() const noexcept { return leaving_.load(); }

private:
    void const* frame_key_;
    task_times* times_ = nullptr;
    exception_passer* passer_ = nullptr;

    // Layout: [threads that run a task of this client 48 bits][threads that wait for them 16 bits]
    static constexpr std::uint64_t one_thread = 1 << 16;
    std::atomic<std::uint64_t> pins_{0};

    std::atomic<bool> leaving_{false};

    shared_counter begun_; // beside pins_, which each task writes anyway
    shared_counter thrown_;
};

} // namespace asio_ewyk::detail

#endif
