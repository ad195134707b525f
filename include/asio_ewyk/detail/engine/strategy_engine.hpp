// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_STRATEGY_ENGINE_HPP
#define ASIO_EWYK_DETAIL_ENGINE_STRATEGY_ENGINE_HPP

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/parallelism_control.hpp>
#include <asio_ewyk/detail/engine/production_right.hpp>
#include <asio_ewyk/detail/engine/returning_threads.hpp>
#include <asio_ewyk/detail/engine/sentinel.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>
#include <asio_ewyk/detail/frame/call_frame.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/metrics/strategy_counters.hpp>
#include <asio_ewyk/detail/os/counter.hpp>
#include <asio_ewyk/detail/task/task.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>
#include <asio_ewyk/producer.hpp>
#include <asio_ewyk/strategy_policy.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

// Carries out what production.hpp and choose.hpp decide, over
//
// - a producer: `produce()`, or `produce(frame)` if it wants to know the calling thread's frame;
//   optionally `leave()`, called before the producing thread leaves, perhaps with work left, and
//   `gone(frame)`, called when it has given up the right;
// - threads: `try_start(t, occupies)` gets t a parked thread now or fails; `try_give(t, occupies)`
//   likewise, and starts none; `start(t, occupies)`, allowed if `may_start()`, gets it a thread
//   sooner or later or fails; `may_take_over(occupies)` says whether one could be had;
//   `keep_one_parked()` sees to it that the next one can; `wake_idle_caller()` wakes a parked
//   caller, which produces if no thread does, or fails; `give(task, frame, strategy)` has a
//   produced task run elsewhere and returns null, or else a task that the caller must run;
//   `retry_start()` makes up for a thread that the system refused; `steps_alone(frame)` says
//   whether there are none but callers that step; `count(frame)` is told of each task,
//   `credit(frame)` at the end;
//   `arrived(frame)`, `may_resume(frame)` and `produces_no_more(frame)` keep count of the threads
//   that produce, `all_produce()` says whether no other is left, and `pending_may_wait()` whether
//   the pending thread may still be in a queue.
//
// With a grace, the producer leases the right before it runs a task, see lease.hpp, and hands it
// over only if the task is late.
//
// The engine is itself the task that a thread is given to come and produce; since there is one
// pending thread at most, it is in one queue at most.
//
// Every function is called with a frame of this engine on the calling thread's stack, except those
// of lessor, and those for a caller without one.
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

    bool idle() const noexcept { return right_.now().state == production_state::idle; }

    // Before any thread produces: measures what tasks take.
    void measure(task_times* times) noexcept { times_ = times; }

    // Any thread.
    void write_to(strategy_metrics& m) const noexcept
    {
        counters_.write_to(m);
        m.strategy = strategy();
        m.sentinel_refused = sentinel_.refused();
    }

    // Whether tasks are run on leases at all.
    bool leases() const noexcept { return sentinel_.in_use(); }

    // Ends the threads that look after leases: for good, or until they are needed again.
    void stop_looking(bool for_good) noexcept { sentinel_.stop(for_good); }

    // The producer: whether it may lease for a task of that strategy, so that others can take over.
    bool may_lease(call_frame const& frame, strategy_t s) const noexcept
    {
        return may_lease_visit(frame) && parallelism_.leases() && !threads_.pending_may_wait()
            && (s == strategy_t::execute_produce_consume || threads_.may_take_over(frame.occupies));
    }

    // The thread of that frame, which may be late: whether no other has taken the right.
    bool has_right(call_frame const& frame) const noexcept
    {
        return frame.leased_by ? lease_.is_still(frame.lease_number) : frame.producing;
    }

    // The producer, before a visit to its source, in which it may be late: until end_visit(). No
    // effect where it may not lease, as where one task runs at a time.
    void begin_visit(call_frame& frame, lease::activity what) noexcept
    {
        strategy_t const s = resolve(strategy(), {});
        if (s == strategy_t::produce_consume || !may_lease_visit(frame))
            return;
        visit_keeps_last_.store(
            s != strategy_t::execute_produce_consume, std::memory_order_relaxed);
        begin_lease(frame, what);
    }

    // The thread of that frame is out again; frame.producing says whether it is the producer.
    void end_visit(call_frame& frame)
    {
        end_section(frame);
        if (frame.leased_by)
        {
            frame.producing = false;
            frame.producing = end_lease(frame) || resume(frame);
        }
        else if (!frame.producing)
            frame.producing = resume(frame);
    }

    // Inside a visit, before a task of that strategy that is to be run right there. False if it is
    // not to be run there.
    bool begin_task(call_frame& frame, strategy_t s) noexcept;

    enum class task_end
    {
        in_time,
        resumed,    // it was late, and no other thread produces
        superseded, // another thread produces now; this one must not touch the producer
    };
    // After it.
    task_end end_task(call_frame& frame);

    // Inside a visit, before a task that keeps the right, and after it. If an earlier handler that
    // nothing marked was late, the right is gone, and this counts as another late task.
    void begin_kept(call_frame& frame) noexcept
    {
        if (frame.leased_by)
        {
            if (!end_lease(frame))
            {
                counters_.execute_produce_consume();
                frame.producing = false;
                return;
            }
            frame.leases_again = true;
        }
        counters_.produce_consume();
    }
    void end_kept(call_frame& frame) noexcept
    {
        end_section(frame);
        if (std::exchange(frame.leases_again, false))
            begin_lease(frame, lease::activity::waits);
    }

    // Inside a visit that is not leased: runs the task here. False if it is not to be run here.
    bool run_inside(call_frame& frame, task* t);

    sentinel& watch() noexcept { return sentinel_; }
    sentinel const& watch() const noexcept { return sentinel_; }

    // Produces and consumes until there is nothing to do or another thread produces; false if
    // another one does already. Throws what the producer and tasks throw, after production has
    // been passed on.
    bool enter(call_frame& frame)
    {
        if (!frame.nested && apply(production_event::enter) != production_verdict::produce)
            return false;
        loop(frame);
        return true;
    }

    // Any thread: the lease that a task or a native handler runs on now, if there is one.
    std::optional<lease::number> running_lease() const noexcept
    {
        lease::sight const s = lease_.look();
        if (s.leased && s.what != lease::activity::waits)
            return s.which;
        return {};
    }

    // As enter(), for a caller that does not wait: takes over from the thread of that lease, and
    // produces here. False if the lease has ended.
    bool take_over_here(call_frame& frame, lease::number n);

    // Has another thread produce.
    void dispatch(call_frame& frame);

    // Likewise, for a caller without a frame.
    void dispatch()
    {
        call_frame frame(this);
        dispatch(frame);
    }

    // For a caller without a frame: as enter(), and as dispatch() from within a task that this
    // thread runs. Counts what is thrown.
    void produce(shared_counter& thrown)
    {
        call_frame* const outer = call_frame::find(this);
        if (outer && (outer->looping || outer->pooled))
            return dispatch(*outer);
        call_frame frame(this);
        try
        {
            enter(frame);
        }
        catch (...)
        {
            thrown.add();
            throw;
        }
    }

    // After a task: one that has left a blocking_section open, as a coroutine may.
    static void end_section(call_frame& frame) noexcept
    {
        if (frame.away) [[unlikely]]
            call_frame::come_back(frame.away);
    }

    // Any thread: whether threads wait to come back from a blocking_section.
    bool awaited() const noexcept { return returning_.any(); }

    // The producer, between two tasks: false if it has passed the right on to a thread that comes
    // back from a blocking_section, or is needed no longer.
    bool may_go_on(call_frame& frame) noexcept;

private:
    // A visit may last: whether a thread could take over is asked when it is late.
    bool may_lease_visit(call_frame const& frame) const noexcept
    {
        return sentinel_.in_use() && !frame.nested && !threads_.steps_alone(frame);
    }

    static boost::core::typeinfo const* act(task* base, task_purpose purpose);

    void arrive(call_frame& frame);

    production_verdict apply(production_event event) noexcept
    {
        return right_.apply(event).verdict;
    }

    void loop(call_frame& frame);

    void gone(call_frame& frame) noexcept
    {
        if constexpr (requires { producer_.gone(frame); })
            producer_.gone(frame);
    }

    void abdicate()
    {
        if constexpr (requires { producer_.leave(); })
        {
            // Once more when the right is free: a thread that came earlier found it taken.
            bool const announced = producer_.leave();
            apply(production_event::abdicate);
            if (announced)
                producer_.left();
        }
        else
            apply(production_event::abdicate);
    }

    auto next(call_frame& frame)
    {
        trace_span const produces(trace_event::produce, this);
        if constexpr (requires { producer_.produce(frame); })
            return producer_.produce(frame);
        else
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
            dispatch(frame);
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
        threads_.count(frame);
        if constexpr (std::is_same_v<Product, task_ptr>)
        {
            run_timed(times_, *product.release());
        }
        else
        {
            // Its destructor is a part of the task: it may block as well.
            Product mine(std::move(product));
            handler_scope const running(&describe<Product>);
            mine();
        }
        end_section(frame);
        frame.rethrow_captured();
        return true;
    }

    void go_away(call_frame& frame) noexcept override;
    void come_back(call_frame& frame) noexcept override;

    // This thread waits, in the order of coming, until the right is passed on to it.
    void await_right(call_frame& frame) noexcept;

    // If the right is free, the thread that waits for it first gets it. False if it did not.
    bool serve_returning(call_frame& frame) noexcept;

    // Tasks that the pool has no thread for come back, and the producer runs them.
    void run_back(call_frame& frame, task* t)
    {
        if (is_production(t))
            return t->run();
        counters_.produce_consume();
        run_timed(times_, *t);
        end_section(frame);
    }

    void begin_lease(call_frame& frame, lease::activity what) noexcept
    {
        parallelism_.producer_is_this_thread();
        lease_occupies_.store(std::exchange(frame.occupies, false), std::memory_order_relaxed);
        frame.leased_by = this;
        frame.lease_number = lease_.begin(what);
        if (what != lease::activity::waits)
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

    // For a task it was asked before.
    bool may_take_over(lease::sight const& s) const noexcept override
    {
        return s.what == lease::activity::task || !visit_keeps_last_.load(std::memory_order_relaxed)
            || threads_.may_take_over(lease_occupies_.load(std::memory_order_relaxed));
    }

    outcome take_over(lease::number n, bool may_start) noexcept override;
    void start_pending() noexcept override;

    bool goes_quiet() noexcept override
    {
        if constexpr (requires { producer_.goes_quiet(); })
            return producer_.goes_quiet();
        else
            return true;
    }

    void call_out() noexcept override
    {
        if constexpr (requires { producer_.call_out(); })
            producer_.call_out();
    }

    bool waits_for_io() const noexcept override
    {
        if constexpr (requires { producer_.waits_for_io(); })
            return producer_.waits_for_io();
        else
            return false;
    }

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

    // What is done with it, for the trace.
    template <class Product>
    static void trace(
        Product const& product, strategy_t s, sub_strategy sub, bool leases = false) noexcept
    {
        if constexpr (std::is_same_v<Product, task_ptr>)
            trace_choice(product.get(), s, sub, leases);
        else
            trace_choice(nullptr, s, sub, leases);
    }

    Producer& producer_;
    Threads& threads_;

    strategy_policy const policy_;
    production_right right_;
    strategy_counters counters_;
    task_times* times_ = nullptr;

    lease lease_;

    // call_frame::occupies of the producer, while it leases. Relaxed: read by the thread that has
    // ended the lease, and again by the late one if it settles the lease first.
    std::atomic<bool> lease_occupies_{false};

    // Whether the strategy of the visits leaves a thread for tasks. Likewise relaxed.
    std::atomic<bool> visit_keeps_last_{false};

    returning_threads returning_;
    sentinel sentinel_;
    parallelism_control parallelism_;
};

} // namespace asio_ewyk::detail

#endif
