// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_STRATEGY_ENGINE_HPP
#define ASIO_EWYK_DETAIL_ENGINE_STRATEGY_ENGINE_HPP

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/parallelism_control.hpp>
#include <asio_ewyk/detail/engine/production_right.hpp>
#include <asio_ewyk/detail/engine/sentinel.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/counter.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/producer.hpp>
#include <asio_ewyk/strategy_policy.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

// Carries out what production.hpp and choose.hpp decide, over
//
// - a producer: `produce()`;
// - threads: `try_start(t, occupies)` gets t a parked thread now or fails; `try_give(t, occupies)`
//   likewise, and starts none; `start(t, occupies)` gets it a thread sooner or later or fails;
//   `may_take_over(occupies)` says whether one could be had; `keep_one_parked()` sees to it that
//   the next one can; `give(task, frame, strategy)` has a produced task run elsewhere and returns
//   null, or else a task that the caller must run; `retry_start()` makes up for a thread that the
//   system refused; `arrived(frame)`, `may_resume(frame)` and `produces_no_more(frame)` keep count
//   of the threads that produce, `all_produce()` says whether no other is left, and
//   `pending_may_wait()` whether the pending thread may still be in a queue.
//
// With a grace, the producer leases the right before it runs a task, see lease.hpp, and hands it
// over only if the task is late.
//
// The engine is itself the task that a thread is given to come and produce; since there is one
// pending thread at most, it is in one queue at most.
//
// Every function is called with a frame of this engine on the calling thread's stack, except those
// of lessor, dispatch() and produce().
template <class Producer, class Threads>
class strategy_engine final : private task, private lessor
{
public:
    strategy_engine(Producer& producer, Threads& threads, strategy_t s,
        std::chrono::nanoseconds grace, strategy_policy policy = {}) noexcept
        : task(&strategy_engine::act, s, invocation_t::blocking, true)
        , producer_(producer)
        , threads_(threads)
        , policy_(std::move(policy))
        , sentinel_(lease_, *this, grace)
        , parallelism_(sentinel_.in_use())
    {
    }

    strategy_t strategy() const noexcept { return task::strategy(); }

    // Which of the four strategies is to be used for such a task, now and on this thread.
    strategy_t resolve(strategy_t s, invocation_t i) const noexcept
    {
        return policy_({s, i, this_thread_may_block});
    }

    bool is_production(task const* t) const noexcept { return t == this; }

    // Any thread; out of date when it is read.
    production now() const noexcept { return right_.now(); }

    // Any thread.
    void write_to(strategy_metrics& m) const noexcept
    {
        counters_.write_to(m);
        m.strategy = strategy();
        m.sentinel_refused = sentinel_.refused();
    }

    sentinel const& watch() const noexcept { return sentinel_; }

    // Ends the threads that look after leases: for good, or until they are needed again.
    void stop_looking(bool for_good) noexcept { sentinel_.stop(for_good); }

    // Has another thread produce.
    void dispatch();

    // For a caller without a frame: as enter(), and as dispatch() from within a task that this
    // thread runs. Counts what is thrown.
    void produce(shared_counter& thrown)
    {
        call_frame* const outer = call_frame::find(this);
        if (outer && (outer->looping || outer->pooled))
            return dispatch();
        call_frame frame(this);
        try
        {
            if (apply(production_event::enter) == production_verdict::produce)
                loop(frame);
        }
        catch (...)
        {
            thrown.add();
            throw;
        }
    }

private:
    // The producer: whether it may lease for a task of that strategy, so that others can take over.
    bool may_lease(call_frame const& frame, strategy_t s) const noexcept
    {
        return sentinel_.in_use() && parallelism_.leases() && !threads_.pending_may_wait()
            && (s == strategy_t::execute_produce_consume || threads_.may_take_over(frame.occupies));
    }

    static boost::core::typeinfo const* act(task* base, task_purpose purpose);

    void arrive(call_frame& frame);

    production_verdict apply(production_event event) noexcept
    {
        return right_.apply(event).verdict;
    }

    void loop(call_frame& frame);

    auto next()
    {
        trace_span const produces(trace_event::produce, this);
        return producer_.produce();
    }

    // False if another thread produces now.
    template <class Product>
    bool consume(call_frame& frame, Product product);

    // After a task, when the right was handed over. False if another thread produces now.
    bool resume(call_frame& frame)
    {
        if (!threads_.may_resume(frame))
        {
            dispatch();
            return false;
        }
        if (apply(production_event::resume) == production_verdict::produce)
            return frame.producing = true;
        counters_.superseded();
        trace_point(trace_event::supersede, this);
        threads_.produces_no_more(frame);
        return false;
    }

    template <class Product>
    bool run(call_frame& frame, Product& product)
    {
        // Its destructor is a part of the task: it may block as well.
        Product mine(std::move(product));
        handler_scope const running(&describe<Product>);
        mine();
        frame.rethrow_captured();
        return true;
    }

    // Tasks of an execution_strategy run concurrently.
    void go_away(call_frame&) noexcept override {}
    void come_back(call_frame&) noexcept override {}

    // Tasks that the pool has no thread for come back, and the producer runs them.
    void run_back(task* t)
    {
        if (is_production(t))
            return t->run();
        counters_.produce_consume();
        t->run();
    }

    void begin_lease(call_frame& frame) noexcept
    {
        parallelism_.producer_is_this_thread();
        lease_occupies_.store(std::exchange(frame.occupies, false), std::memory_order_relaxed);
        frame.leased_by = this;
        frame.lease_number = lease_.begin(lease::activity::task);
        sentinel_.alert();
    }

    // False if it has ended already, and the right was passed on.
    bool end_lease(call_frame& frame) noexcept
    {
        if (!std::exchange(frame.leased_by, nullptr)
            || !(lease_.end(frame.lease_number) || right_.reclaim(frame.lease_number)))
            return false;
        frame.occupies = lease_occupies_.load(std::memory_order_relaxed);
        return true;
    }

    // False if another thread produces now.
    template <class Product>
    bool run_on_lease(call_frame& frame, Product& product);

    // It was asked before the task.
    bool may_take_over(lease::sight const&) const noexcept override { return true; }

    outcome take_over(lease::number n, bool may_start) noexcept override;
    void start_pending() noexcept override;

    void call_out() noexcept override {}
    bool waits_for_io() const noexcept override { return false; }
    bool provide_io() noexcept override { return false; }
    void release(lease::number n) noexcept override;

    // This thread has ended that lease: has a thread come for the right.
    outcome pass_on(lease::number n, bool may_start) noexcept;

    // Whether another thread has, or is on its way to take, the right to produce.
    bool hand_over(call_frame& frame, strategy_t s);

    template <class Product>
    strategy_t strategy_of(Product const& product) const noexcept
    {
        if constexpr (requires { { product.strategy() } -> std::same_as<strategy_t>; })
            return product.strategy();
        else
            return strategy();
    }

    Producer& producer_;
    Threads& threads_;

    strategy_policy const policy_;
    production_right right_;
    strategy_counters counters_;

    lease lease_;

    // call_frame::occupies of the producer, while it leases. Relaxed: read by the thread that has
    // ended the lease, and again by the late one if it settles the lease first.
    std::atomic<bool> lease_occupies_{false};

    sentinel sentinel_;
    parallelism_control parallelism_;
};

} // namespace asio_ewyk::detail

#endif
