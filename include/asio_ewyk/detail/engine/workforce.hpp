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
#include <memory>
#include <utility>

namespace asio_ewyk::detail {

// The threads that work for one context: the callers of run(), which are asked first, and the
// pool's threads, which may work while a caller is inside run().
class workforce
{
public:
    // `pool_may_produce`: not with produce_consume, where the pool's threads take over for sections
    // only. Without callers, as in an execution_strategy, the pool's threads may work all the time.
    workforce(elastic_threads& pool, void const* frame_key, bool pool_may_produce,
        bool has_callers = true)
        : pool_(pool)
        , client_(frame_key)
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

    // How many of these do not step. Zero: the pool's threads may not produce, if there are callers
    // at all.
    std::size_t not_stepping() const noexcept { return not_stepping_.load(); }

    // How many of these step. A moment late.
    std::size_t stepping() const noexcept
    {
        std::size_t const others = not_stepping();
        std::size_t const all = runners();
        return all > others ? all - others : 0;
    }

    // A caller comes. True if it is the first one that does not step.
    bool runner_came(bool stepping) noexcept
    {
        runners_.fetch_add(1);
        if (stepping || not_stepping_.fetch_add(1) != 0)
            return false;
        if (client_.awaited())
            pool_.end_await();
        return true;
    }

    // A caller leaves: whether it was the last one, and the last one that did not step.
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
    bool await_pool(void const* frame_key, time_point deadline)
    {
        return pool_.await(client_, call_frame::pooled_for(frame_key), not_stepping_, deadline);
    }

    // With produce_consume: a thread begins a blocking_section, or is at its end.
    void section_entered() noexcept { in_section_.fetch_add(1); }
    void section_left() noexcept { in_section_.fetch_sub(1); }
    bool any_in_section() const noexcept { return in_section_.load() != 0; }

    // Threads of the pool produce only while a caller is inside run().
    bool may_produce(call_frame const& frame) const noexcept
    {
        return !frame.is_pooled() || pool_may_work();
    }

    // Whether the pool's threads may be asked to produce: with produce_consume only while a task is
    // in a blocking_section, and never where all callers step.
    bool may_start() const noexcept
    {
        return (pool_may_produce_ || any_in_section()) && pool_may_work();
    }

    // produce_consume: a thread of the pool gives production back once a caller is parked.
    bool should_give_back(call_frame const& frame) const noexcept
    {
        return frame.is_pooled() && !pool_may_produce_ && !any_in_section()
            && callers_.parked() != 0;
    }

    // Whether a thread could be had to take over. `has_place`: from a thread that has a place in
    // the pool, which goes with the request. A moment late.
    bool may_take_over(bool has_place) const noexcept
    {
        return (may_start() && pool_.may_have_thread(has_place) && !client_.leaving())
            || callers_.parked() != 0;
    }

    // Whether one more thread of the pool may produce now, so that one is still left for tasks.
    bool has_one_left() const noexcept
    {
        return may_ask_pool() && pool_.has_one_left();
    }

    // Whether a thread of the pool takes a request, at once or when it has time.
    bool may_ask_pool() const noexcept
    {
        return may_start() && !pool_.stopping() && !client_.leaving();
    }

    // A place among the threads that the pool counts as producing, or none. Given back when the
    // object is destroyed; after release() it belongs to a thread, or to a lease.
    struct return_to
    {
        void operator()(elastic_threads* pool) const noexcept { pool->remove_producer(); }
    };
    using place = std::unique_ptr<elastic_threads, return_to>;
    place place_if(bool any) noexcept { return place(any ? &pool_ : nullptr); }

    // The thread that has set succession's asked_ sends the request for a thread to come, in the
    // place that `mine` is, or else in one more.

    // To a parked thread, also the last one that is left for tasks: a right that was taken over
    // must have one.
    bool try_give(task& request, place& mine) noexcept
    {
        return callers_.wake_one(&request)
            || (may_start() && send_request(mine, one_more(mine), [&] {
                   return pool_.try_give(client_, &request);
               }));
    }

    // To a parked thread, or to one that is started, if the pool then has one left for tasks.
    bool try_start(task& request, place& mine) noexcept
    {
        return callers_.wake_one(&request)
            || (may_start() && send_request(mine, one_if_left(mine), [&] {
                   return pool_.try_execute(client_, &request);
               }));
    }

    // To a parked thread, to one that is started, or to the first that has time. Not subject to
    // max_queue, as one request is under way at most. `leaves_one`: only if the pool then has a
    // thread left for tasks.
    bool start(task& request, place& mine, bool leaves_one = false)
    {
        if (callers_.wake_one(&request))
            return true;
        if (!may_start() || (!mine && leaves_one && !has_one_left()))
            return false;
        bool const given = send_request(mine, leaves_one ? one_if_left(mine) : one_more(mine), [&] {
            using enum elastic_threads::outcome;
            request_may_wait_.store(true, std::memory_order_relaxed);
            auto const outcome = pool_.execute(client_, &request, false);
            return outcome == accepted || outcome == no_thread;
        });
        if (given)
            wake_idle_caller_for_queue();
        return given;
    }

    // Has a parked thread run a task beside the one that produces. The pool's last thread is left
    // for a right that is taken over.
    bool try_help(task& helper) noexcept
    {
        return callers_.wake_one(&helper)
            || (may_start() && may_take_over(false) && pool_.try_execute(client_, &helper));
    }

    // The requested thread has arrived; null: the request was withdrawn.
    void arrived(call_frame* frame) noexcept
    {
        request_may_wait_.store(false, std::memory_order_relaxed);
        place its = std::move(request_place_);
        if (!its || !frame || !frame->is_pooled() || frame->holds_place())
            return;
        frame->role = call_frame::role_t::holds_place;
        its.release();
    }

    bool request_may_wait() const noexcept
    {
        return request_may_wait_.load(std::memory_order_relaxed);
    }

    // Reserves a place for the thread of that frame, if it is the pool's and has none. False if one
    // thread would not be left for tasks: then it may not produce.
    bool reserve_place(call_frame& frame) noexcept
    {
        if (!frame.is_pooled() || frame.holds_place())
            return true;
        if (!pool_.add_producer_if_one_is_left())
            return false;
        frame.role = call_frame::role_t::holds_place;
        return true;
    }

    // Gives the place back that reserve_place() or arrived() has taken for the thread of that
    // frame.
    void return_place(call_frame& frame) noexcept
    {
        if (!frame.holds_place())
            return;
        frame.role = call_frame::role_t::none;
        pool_.remove_producer();
    }

    // The thread of that frame, to which a lease is passed: takes a place, even if then no thread
    // is left for tasks.
    void take_place(call_frame& frame) noexcept
    {
        if (frame.is_pooled() && !frame.holds_place())
            pool_.add_producer();
    }

    // Has another thread run a task. Null, or a refused task, perhaps another one, that this thread
    // must run. `queues`: the task waits for a thread of the pool also where all of these produce,
    // and may wait there without limit, which is the user's responsibility.
    task* give(task_ptr t, bool queues)
    {
        task* const raw = t.release();
        if (callers_.wake_one(raw))
            return nullptr;
        task* const refused = give_to_pool(raw, queues);
        wake_idle_caller_for_queue();
        return refused;
    }

    // A task that waits in the pool's queue; null if none does.
    task* take() noexcept { return pool_.take(client_); }

    void leave_pool() { pool_.leave(client_); }

    // Wakes a parked caller, to look for something to do.
    bool wake_idle_caller() noexcept { return callers_.wake_one(nullptr); }

    // Wakes every parked caller, to look for something to do. Called after the change that they are
    // to see.
    void wake_all() noexcept { callers_.wake_all(); }

    // A thread of the pool has run so many handlers: the next call of run() that returns adds them
    // to its result. Relaxed: a sum, whose last change the departure of that thread makes visible.
    void credit(std::size_t n) noexcept
    {
        balance_.fetch_add(static_cast<std::ptrdiff_t>(n), std::memory_order_relaxed);
    }

    // The next result has one handler less: it was counted twice, or will be.
    void debit() noexcept { balance_.fetch_sub(1, std::memory_order_relaxed); }

    // The result of a call of run() that has counted so many handlers itself.
    std::size_t take_result(std::size_t counted) noexcept
    {
        std::ptrdiff_t const sum = balance_.exchange(0) + static_cast<std::ptrdiff_t>(counted);
        if (sum >= 0)
            return static_cast<std::size_t>(sum);
        balance_.fetch_add(sum);
        return 0;
    }

private:
    bool pool_may_work() const noexcept
    {
        return (!has_callers_ || not_stepping() != 0) && !pool_.has_none();
    }

    place one_more(place const& mine) noexcept
    {
        if (!mine)
            pool_.add_producer();
        return place_if(!mine);
    }
    place one_if_left(place const& mine) noexcept
    {
        return place_if(!mine && pool_.add_producer_if_one_is_left());
    }

    template <class Give>
    bool send_request(place& mine, place added, Give gives)
    {
        place& its = mine ? mine : added;
        if (!its)
            return false;
        request_place_ = std::move(its);
        if (gives())
            return true;
        its = std::move(request_place_);
        request_may_wait_.store(false, std::memory_order_relaxed);
        return false;
    }

    task* give_to_pool(task* t, bool queues)
    {
        using enum elastic_threads::outcome;
        switch (pool_.execute(client_, t, true, true))
        {
        case accepted:
            break;
        case no_thread:
            if (queues && pool_.threads() != 0)
                break;
            // The first task in the queue; null if a thread has come meanwhile and taken it.
            return take();
        case stopped:
            if (!client_.leaving())
                return t;
            t->destroy();
            break;
        case full:
            if (pool_.has_none())
                return t;
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

    // A caller that has parked since wake_one() found none may have missed what waits now.
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
    std::atomic<std::size_t> in_section_{0};
    std::atomic<std::size_t> runners_{0};
    std::atomic<std::size_t> not_stepping_{0}; // of runners_
    std::atomic<std::ptrdiff_t> balance_{0};   // handlers counted that are in no result yet

    // The place of the requested thread, if that is the pool's. Belongs to the thread that has set
    // succession's asked_, and then to the requested thread.
    place request_place_;

    // Whether the request may wait in the pool's queue. Written by the same threads, read by
    // others. Relaxed: an old value delays a hand-over, or has a task given to the pool instead.
    std::atomic<bool> request_may_wait_{false};
};

} // namespace asio_ewyk::detail

#endif
