// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_POOL_THREADS_HPP
#define ASIO_EWYK_DETAIL_POOL_POOL_THREADS_HPP

#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <atomic>
#include <utility>

namespace asio_ewyk::detail {

// The threads of a pool, for one that has tasks run there, and threads come to produce.
class pool_threads
{
public:
    pool_threads(elastic_threads& pool, void const* owner) noexcept
        : pool_(pool)
        , client_(owner)
    {
    }

    elastic_threads& pool() const noexcept { return pool_; }
    pool_client& client() noexcept { return client_; }
    pool_client const& client() const noexcept { return client_; }

    // A place among the threads that the pool counts as producing, or none. Given back, unless it
    // is moved to the thread that comes.
    class place
    {
    public:
        place(pool_threads& of, bool any) noexcept
            : pool_(any ? &of.pool_ : nullptr)
        {
        }
        place(place&& from) noexcept
            : pool_(std::exchange(from.pool_, nullptr))
        {
        }
        place& operator=(place&&) = delete;
        ~place()
        {
            if (pool_)
                pool_->vacate();
        }
        explicit operator bool() const noexcept { return pool_ != nullptr; }

        // The place is another thread's now.
        void move_on() noexcept { pool_ = nullptr; }

    private:
        elastic_threads* pool_;
    };

    // The thread that comes has the place that `mine` is, or one more.
    bool try_start(task& t, place& mine) noexcept
    {
        if (!mine && !pool_.occupy_if_one_is_left())
            return false;
        return ask(mine, [&] { return pool_.try_execute(client_, &t); });
    }

    // For a right that was taken over, which a thread must get, also the last one that is left for
    // tasks. Starts none.
    bool try_give(task& t, place& mine) noexcept
    {
        if (!mine)
            pool_.occupy();
        return ask(mine, [&] { return pool_.try_give(client_, &t); });
    }

    // A hand-over is not subject to max_queue: there is one at most. `leaves_one`: false if none is
    // left for tasks then.
    bool start(task& t, place& mine, bool leaves_one = false)
    {
        if (!mine)
        {
            if (!leaves_one)
                pool_.occupy();
            else if (!has_one_left() || !pool_.occupy_if_one_is_left())
                return false;
        }
        return ask(mine, [&] {
            using enum elastic_threads::outcome;
            pending_may_wait_.store(true, std::memory_order_relaxed);
            auto const outcome = pool_.execute(client_, &t, false);
            return outcome == accepted || outcome == no_thread;
        });
    }

    // Whether one more may produce now, and one is left for tasks then.
    bool has_one_left() const noexcept
    {
        return pool_.has_one_left() && !pool_.stopping() && !client_.leaving();
    }

    // Whether a thread could take over from one that occupies a place, or does not; a moment late.
    bool may_take_over(bool occupies) const noexcept
    {
        return pool_.may_have_thread(occupies) && !client_.leaving();
    }

    void keep_one_parked() noexcept { pool_.keep_one_parked(); }

    // The pending thread is here; or, without a frame, will never come.
    void arrived(call_frame* frame) noexcept
    {
        pending_may_wait_.store(false, std::memory_order_relaxed);
        bool const occupies = std::exchange(pending_occupies_, false);
        if (!occupies)
            return;
        if (frame && frame->is_pooled() && !frame->is_admitted())
            frame->duty = call_frame::duty_t::admitted;
        else
            pool_.vacate();
    }

    bool all_produce() const noexcept { return pool_.all_occupied(); }
    bool pending_may_wait() const noexcept
    {
        return pending_may_wait_.load(std::memory_order_relaxed);
    }

    // Whether the thread of that frame may take the right to produce again.
    bool may_resume(call_frame& frame) noexcept
    {
        if (!frame.is_pooled() || frame.is_admitted())
            return true;
        if (!pool_.occupy_if_one_is_left())
            return false;
        frame.duty = call_frame::duty_t::admitted;
        return true;
    }

    // The pool counts a thread more, or less, among those that produce.
    void occupy() noexcept { pool_.occupy(); }
    void vacate() noexcept { pool_.vacate(); }

    // The thread of that frame no longer has the right to produce.
    void produces_no_more(call_frame& frame) noexcept
    {
        if (!frame.is_admitted())
            return;
        frame.duty = call_frame::duty_t::none;
        pool_.vacate();
    }

    // The thread of that frame has the right again, whether or not one is left for tasks.
    void produces_again(call_frame& frame) noexcept
    {
        if (frame.is_pooled() && !frame.is_admitted())
            pool_.occupy();
    }

    // Has it run elsewhere; null, or a task that the caller must run. `queues`: it waits for a
    // thread of the pool also where all of them produce, and may wait there without limit: that is
    // the user's responsibility.
    task* give(task_ptr t, bool queues)
    {
        using enum elastic_threads::outcome;
        task* const raw = t.release();
        switch (pool_.execute(client_, raw, true, true))
        {
        case accepted:
            break;
        case no_thread:
            if (queues && pool_.threads() != 0)
                break;
            // The first in the queue; null if a thread has come and taken it.
            return take();
        case stopped:
            if (!client_.leaving())
                return raw;
            raw->destroy();
            break;
        case full:
            if (pool_.options().when_full == queue_full::caller_runs)
            {
                pool_.count_run_by_caller();
                return raw;
            }
            pool_.count_refused();
            raw->destroy();
            break;
        }
        return nullptr;
    }

    // A waiting task, null if there is none.
    task* take() noexcept { return pool_.take(client_); }

    void retry_start() noexcept { pool_.retry_start(); }

    void leave() { pool_.leave(client_); }

    bool await(std::size_t own, std::atomic<std::size_t> const& enough, time_point deadline)
    {
        return pool_.await(client_, own, enough, deadline);
    }

    void end_await()
    {
        if (client_.awaited())
            pool_.end_await();
    }

private:
    // Asks for the pending thread, which the pool already counts among those that produce: instead
    // of the caller, or in addition.
    template <class Ask>
    bool ask(place& mine, Ask asks)
    {
        place added(*this, !mine);
        pending_occupies_ = true;
        bool const given = asks();
        if (given)
        {
            (mine ? mine : added).move_on();
            return true;
        }
        pending_occupies_ = false;
        pending_may_wait_.store(false, std::memory_order_relaxed);
        return false;
    }

    elastic_threads& pool_;
    pool_client client_;

    // Whether the pending thread is the pool's and counted there. Belongs to the thread that has
    // set succession's asked_: the one that asks, then the pending thread.
    bool pending_occupies_ = false;

    // Whether the pending thread may have to wait. Written by that thread, too, and read by others.
    // Relaxed: an old value delays a hand-over, or a task is given away instead.
    std::atomic<bool> pending_may_wait_{false};
};

} // namespace asio_ewyk::detail

#endif
