// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_WORKFORCE_HPP
#define ASIO_EWYK_DETAIL_ENGINE_WORKFORCE_HPP

#include <asio_ewyk/detail/engine/idle_callers.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#include <asio_ewyk/detail/task/task.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace asio_ewyk::detail {

// The threads that work for one context: the callers of run(), which are asked first, and the
// pool's threads, which may work while a caller is inside run().
class workforce
{
public:
    // Without callers the pool's threads may work all the time.
    workforce(elastic_threads& pool, void const* owner, bool pool_may_produce,
        bool has_callers = true)
        : pool_(pool)
        , client_(owner)
        , pool_may_produce_(pool_may_produce)
        , has_callers_(has_callers)
    {
    }

    elastic_threads& pool() const noexcept { return pool_; }
    pool_client& client() noexcept { return client_; }
    pool_client const& client() const noexcept { return client_; }
    idle_callers& callers() noexcept { return callers_; }
    idle_callers const& callers() const noexcept { return callers_; }

    bool has_callers() const noexcept { return has_callers_; }

    // How many callers are inside run() or a sibling.
    std::size_t runners() const noexcept { return runners_.load(); }

    // How many of them do not step. Zero: the pool's threads may not produce.
    std::size_t not_stepping() const noexcept { return not_stepping_.load(); }

    // How many do; a moment late.
    std::size_t stepping() const noexcept
    {
        std::size_t const others = not_stepping();
        std::size_t const all = runners();
        return all > others ? all - others : 0;
    }

    // Whether it is the first one that does not step.
    bool runner_came(bool stepping) noexcept
    {
        runners_.fetch_add(1);
        if (stepping || not_stepping_.fetch_add(1) != 0)
            return false;
        if (client_.awaited())
            pool_.end_await();
        return true;
    }

    // Whether it was the last one, and the last one that did not step.
    struct departure
    {
        bool last;
        bool last_to_run;
    };
    departure runner_left(bool stepping) noexcept
    {
        bool const last_to_run = !stepping && not_stepping_.fetch_sub(1) == 1;
        return {runners_.fetch_sub(1) == 1, last_to_run};
    }

    // Waits until no other thread of the pool runs anything for the context, or until another
    // caller is inside run(). False if the deadline came first.
    bool await_pool(void const* owner, time_point deadline)
    {
        return pool_.await(client_, call_frame::pooled_for(owner), not_stepping_, deadline);
    }

    // With produce_consume: a thread begins or ends a blocking_section.
    void went_away() noexcept { away_.fetch_add(1); }
    void came_back() noexcept { away_.fetch_sub(1); }
    bool some_are_away() const noexcept { return away_.load() != 0; }

    // Threads of the pool produce only beside a caller that does.
    bool may_produce(call_frame const& frame) const noexcept
    {
        return !frame.is_pooled() || pool_may_work();
    }

    // With produce_consume, unless a task is in a blocking_section, and where all callers step,
    // only other callers take over.
    bool may_start() const noexcept
    {
        return (pool_may_produce_ || some_are_away()) && pool_may_work();
    }

    // With produce_consume: a thread of the pool gives production back once a caller is parked.
    bool should_give_back(call_frame const& frame) const noexcept
    {
        return frame.is_pooled() && !pool_may_produce_ && !some_are_away()
            && callers_.parked() != 0;
    }

    // Whether a thread could take over from one that has a place in the pool, or has none; a moment
    // late.
    bool may_take_over(bool has_place) const noexcept
    {
        return (may_start() && pool_.may_have_thread(has_place) && !client_.leaving())
            || callers_.parked() != 0;
    }

    // Whether one more of the pool may produce now, and one is left for tasks then.
    bool has_one_left() const noexcept
    {
        return may_start() && pool_.has_one_left() && !pool_.stopping() && !client_.leaving();
    }

    // A place among the threads that the pool counts as producing, or none. Given back, unless it
    // is moved to the thread that comes.
    class place
    {
    public:
        place() noexcept = default;
        place(workforce& of, bool any) noexcept
            : pool_(any ? &of.pool_ : nullptr)
        {
        }
        place(place&& from) noexcept
            : pool_(std::exchange(from.pool_, nullptr))
        {
        }
        place& operator=(place&& from) noexcept
        {
            std::swap(pool_, from.pool_);
            return *this;
        }
        ~place()
        {
            if (pool_)
                pool_->vacate();
        }
        explicit operator bool() const noexcept { return pool_ != nullptr; }

        // The place is another thread's now.
        void move_on() noexcept { pool_ = nullptr; }

    private:
        elastic_threads* pool_ = nullptr;
    };

    // Gives the request for a thread to come, in the place that `mine` is or in one more. Each is
    // called by the thread that has set succession's asked_.

    // To a parked thread, which a right that was taken over must get: also the last one that is
    // left for tasks.
    bool try_give(task& request, place& mine) noexcept
    {
        return callers_.wake_one(&request) || (may_start() && ask(mine, one_more(mine), [&] {
            return pool_.try_give(client_, &request);
        }));
    }

    // To a parked thread, or one that is started, if the pool has one left for tasks then.
    bool try_start(task& request, place& mine) noexcept
    {
        return callers_.wake_one(&request) || (may_start() && ask(mine, one_if_left(mine), [&] {
            return pool_.try_execute(client_, &request);
        }));
    }

    // To a parked thread, one that is started, or the first that has time. Not subject to
    // max_queue: there is one at most. `leaves_one`: only if the pool has a thread left for tasks
    // then.
    bool start(task& request, place& mine, bool leaves_one = false)
    {
        if (callers_.wake_one(&request))
            return true;
        if (!may_start() || (!mine && leaves_one && !has_one_left()))
            return false;
        bool const given = ask(mine, leaves_one ? one_if_left(mine) : one_more(mine), [&] {
            using enum elastic_threads::outcome;
            request_may_wait_.store(true, std::memory_order_relaxed);
            auto const outcome = pool_.execute(client_, &request, false);
            return outcome == accepted || outcome == no_thread;
        });
        if (given)
            wake_idle_caller_for_queue();
        return given;
    }

    // The requested thread is here; null: the request was withdrawn.
    void arrived(call_frame* frame) noexcept
    {
        request_may_wait_.store(false, std::memory_order_relaxed);
        place its = std::move(its_place_);
        if (!its || !frame || !frame->is_pooled() || frame->is_admitted())
            return;
        frame->duty = call_frame::duty_t::admitted;
        its.move_on();
    }

    bool request_may_wait() const noexcept
    {
        return request_may_wait_.load(std::memory_order_relaxed);
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

    // Has a task run elsewhere. Null, or a task that the caller must run. `queues`: it waits for a
    // thread of the pool also where all of them produce, and may wait there without limit: that is
    // the user's responsibility.
    task* give(task_ptr t, bool queues)
    {
        task* const raw = t.release();
        if (callers_.wake_one(raw))
            return nullptr;
        task* const back = give_pool(raw, queues);
        wake_idle_caller_for_queue();
        return back;
    }

    // A waiting task, null if there is none.
    task* take() noexcept { return pool_.take(client_); }

    void leave() { pool_.leave(client_); }

    // Wakes a parked caller, to look for something to do.
    bool wake_idle_caller() noexcept { return callers_.wake_one(nullptr); }

    // Wakes every parked caller. What changed must be visible before.
    void wake_all() noexcept { callers_.wake_all(); }

    // What threads of the pool have run is in the result of the next call of run() that returns.
    // Relaxed: a plain sum, which their leaving orders.
    void credit(std::size_t n) noexcept
    {
        balance_.fetch_add(static_cast<std::ptrdiff_t>(n), std::memory_order_relaxed);
    }

    // A handler that is in a result was counted before, or will be once more.
    void count_back() noexcept { balance_.fetch_sub(1, std::memory_order_relaxed); }

    // What a call of run() returns that has counted so many itself.
    std::size_t take_result(std::size_t counted) noexcept
    {
        std::ptrdiff_t const sum = balance_.exchange(0) + static_cast<std::ptrdiff_t>(counted);
        if (sum >= 0)
            return static_cast<std::size_t>(sum);
        balance_.fetch_add(sum);
        return 0;
    }

private:
    bool pool_may_work() const noexcept { return !has_callers_ || not_stepping() != 0; }

    place one_more(place const& mine) noexcept
    {
        if (!mine)
            pool_.occupy();
        return {*this, !mine};
    }
    place one_if_left(place const& mine) noexcept
    {
        return {*this, !mine && pool_.occupy_if_one_is_left()};
    }

    template <class Give>
    bool ask(place& mine, place added, Give gives)
    {
        place& its = mine ? mine : added;
        if (!its)
            return false;
        its_place_ = std::move(its);
        if (gives())
            return true;
        its = std::move(its_place_);
        request_may_wait_.store(false, std::memory_order_relaxed);
        return false;
    }

    task* give_pool(task* t, bool queues)
    {
        using enum elastic_threads::outcome;
        switch (pool_.execute(client_, t, true, true))
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
                return t;
            t->destroy();
            break;
        case full:
            if (pool_.options().when_full == queue_full::caller_runs)
            {
                pool_.count_run_by_caller();
                return t;
            }
            pool_.count_refused();
            t->destroy();
            break;
        }
        return nullptr;
    }

    // A caller that has parked since the first look may have missed what waits now.
    void wake_idle_caller_for_queue() noexcept
    {
        if (has_callers_ && client_.size() != 0)
            wake_idle_caller();
    }

    elastic_threads& pool_;
    pool_client client_;
    idle_callers callers_;
    bool const pool_may_produce_;
    bool const has_callers_;
    std::atomic<std::size_t> away_{0};
    std::atomic<std::size_t> runners_{0};
    std::atomic<std::size_t> not_stepping_{0}; // of them
    std::atomic<std::ptrdiff_t> balance_{0};   // counted, and in no result yet

    // The requested thread's, if that is the pool's. Belongs to the thread that has set
    // succession's asked_: the one that asks, then the requested one.
    place its_place_;

    // Whether the request may have to wait. Written by that thread, too, and read by others.
    // Relaxed: an old value delays a hand-over, or a task is given away instead.
    std::atomic<bool> request_may_wait_{false};
};

} // namespace asio_ewyk::detail

#endif
