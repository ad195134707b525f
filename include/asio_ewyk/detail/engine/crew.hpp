// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_CREW_HPP
#define ASIO_EWYK_DETAIL_ENGINE_CREW_HPP

#include <asio_ewyk/detail/engine/idle_callers.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/pool/pool_threads.hpp>

#include <atomic>
#include <cstddef>

namespace asio_ewyk::detail {

// The threads that work for one context: the callers of run(), which are asked first, and the
// pool's threads, which may work while a caller is inside run().
class crew
{
public:
    // Without callers the pool's threads may work all the time.
    crew(elastic_threads& pool, void const* owner, bool pool_may_produce, bool has_callers = true)
        : pool_(pool, owner)
        , pool_may_produce_(pool_may_produce)
        , has_callers_(has_callers)
        , not_stepping_(!has_callers)
    {
    }

    pool_threads& pool() noexcept { return pool_; }
    pool_threads const& pool() const noexcept { return pool_; }
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

    // Waits until no other thread of the pool runs anything for the context, or until another
    // caller is inside run(). False if the deadline came first.
    bool await_pool(void const* owner, time_point deadline)
    {
        return pool_.await(call_frame::pooled_for(owner), not_stepping_, deadline);
    }

    // Whether it is the first one that does not step.
    bool runner_came(bool stepping) noexcept
    {
        runners_.fetch_add(1);
        if (stepping || not_stepping_.fetch_add(1) != 0)
            return false;
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

    // Threads of the pool produce only beside a caller that does.
    bool may_produce(call_frame const& frame) const noexcept
    {
        return !frame.is_pooled() || not_stepping() != 0;
    }

    // With produce_consume, unless a task is in a blocking_section, and where all callers step,
    // only other callers take over.
    bool may_start() const noexcept
    {
        return (pool_may_produce_ || some_are_away()) && not_stepping() != 0;
    }

    // With produce_consume: a thread begins or ends a blocking_section.
    void went_away() noexcept { away_.fetch_add(1); }
    void came_back() noexcept { away_.fetch_sub(1); }
    bool some_are_away() const noexcept { return away_.load() != 0; }

    // Whether a thread that produces is one of the pool which is needed no longer, as a caller may.
    bool should_give_back(call_frame const& frame) const noexcept
    {
        return frame.is_pooled() && !pool_may_produce_ && !some_are_away()
            && callers_.parked() != 0;
    }

    // Gets the request a thread that is parked. `mine`: see pool_threads.
    bool try_give(task& request, pool_threads::place& mine) noexcept
    {
        return callers_.wake_one(&request) || (may_start() && pool_.try_give(request, mine));
    }

    // Gets the request a parked thread, or starts one, if the pool has one left for tasks then.
    bool try_start(task& request, pool_threads::place& mine) noexcept
    {
        return callers_.wake_one(&request) || (may_start() && pool_.try_start(request, mine));
    }

    // Gets the request a parked thread, starts one, or leaves it to the first that has time.
    // `leaves_one`: only if the pool has a thread left for tasks then.
    bool start(task& request, pool_threads::place& mine, bool leaves_one = false)
    {
        if (callers_.wake_one(&request))
            return true;
        if (!may_start() || !pool_.start(request, mine, leaves_one))
            return false;
        wake_idle_caller_for_queue();
        return true;
    }
    bool has_one_left() const noexcept { return may_start() && pool_.has_one_left(); }

    // Whether one could be had.
    bool may_take_over(bool occupies) const noexcept
    {
        return (may_start() && pool_.may_take_over(occupies)) || callers_.parked() != 0;
    }

    // Wakes a parked caller, to look for something to do.
    bool wake_idle_caller() noexcept { return callers_.wake_one(nullptr); }

    // Has a task run elsewhere. Null, or a task that the caller must run. `queues`: see
    // pool_threads.
    task* give(task_ptr t, bool queues)
    {
        task* const raw = t.release();
        if (callers_.wake_one(raw))
            return nullptr;
        task* const back = pool_.give(task_ptr(raw), queues);
        wake_idle_caller_for_queue();
        return back;
    }

    // What threads of the pool have run is in the result of the next call of run() that returns.
    // Relaxed: a plain sum, which their leaving orders.
    void credit(std::size_t n) noexcept
    {
        balance_.fetch_add(static_cast<std::ptrdiff_t>(n), std::memory_order_relaxed);
    }

    // A handler that is in a result was counted before, or will be once more.
    void count_back() noexcept { balance_.fetch_sub(1, std::memory_order_relaxed); }

    // What a call of run() returns that has counted so many itself.
    std::size_t settle(std::size_t counted) noexcept
    {
        std::ptrdiff_t const sum = balance_.exchange(0) + static_cast<std::ptrdiff_t>(counted);
        if (sum >= 0)
            return static_cast<std::size_t>(sum);
        balance_.fetch_add(sum);
        return 0;
    }

    // Wakes every parked caller. What changed must be visible before.
    void wake_all() noexcept
    {
        callers_.wake_all();
        callers_.changed();
    }

private:
    // A caller that has parked since the first look may have missed what waits now.
    void wake_idle_caller_for_queue() noexcept
    {
        if (pool_.client().size() != 0)
            wake_idle_caller();
    }

    pool_threads pool_;
    idle_callers callers_;
    bool const pool_may_produce_;
    bool const has_callers_;
    std::atomic<std::size_t> away_{0};
    std::atomic<std::size_t> runners_{0};
    std::atomic<std::size_t> not_stepping_; // of them; 1 if there are no callers
    std::atomic<std::ptrdiff_t> balance_{0};   // counted, and in no result yet
};

} // namespace asio_ewyk::detail

#endif
