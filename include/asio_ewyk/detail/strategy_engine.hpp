#ifndef ASIO_EWYK_DETAIL_STRATEGY_ENGINE_HPP
#define ASIO_EWYK_DETAIL_STRATEGY_ENGINE_HPP

#include <asio_ewyk/detail/call_frame.hpp>
#include <asio_ewyk/detail/choose.hpp>
#include <asio_ewyk/detail/lender.hpp>
#include <asio_ewyk/detail/production_right.hpp>
#include <asio_ewyk/detail/standby.hpp>
#include <asio_ewyk/detail/strategy_counters.hpp>
#include <asio_ewyk/detail/task.hpp>
#include <asio_ewyk/detail/timed_run.hpp>
#include <asio_ewyk/detail/trace_choice.hpp>
#include <asio_ewyk/producer.hpp>
#include <asio_ewyk/strategy_policy.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace asio_ewyk::detail {

// Carries out what production.hpp and choose.hpp decide, over
//
// - a producer: `produce()`, or `produce(frame)` for one that wants to know whom it serves, and
//   `leave()` if it wants to know that the producing thread leaves without having found nothing,
//   `gone(frame)` if also that it has given up the right;
// - threads: `try_start(t, frame)` gets t a parked thread now or fails; `start(t, frame)`, allowed
//   if `may_start()`, gets it a thread sooner or later or fails; `wake_guest()` wakes a
//   parked caller, who produces if nobody does, or fails; `give(task, frame, strategy)` has a
//   produced task run elsewhere and returns null, or else a task that the caller must run;
//   `retry_start()` makes up for a thread that the system refused; `steps_alone(frame)` says
//   whether nobody but callers who step is there; `count(frame)` is told of each task;
//   `arrived(frame)`, `may_resume(frame)` and `produces_no_more(frame)` keep count of the threads
//   that produce, `all_produce()` says whether no other is left, and `pending_may_wait()` whether
//   the pending thread may still be in a queue.
//
// The engine is itself the task that a thread is given to come and produce; since there is one
// pending thread at most, it is in one queue at most.
//
// Every function is called with a frame of this engine on the calling thread's stack.
template <class Producer, class Threads>
class strategy_engine final : private task, private lender
{
public:
    strategy_engine(Producer& producer, Threads& threads, strategy_t s,
        std::chrono::nanoseconds grace, strategy_policy policy = {}, bool learns = false,
        task::action untold = {}) noexcept
        : task(&strategy_engine::act, s, invocation_t::blocking, true)
        , producer_(producer)
        , threads_(threads)
        , policy_(std::move(policy))
        , standby_(grace, learns, untold)
    {
    }

    strategy_t strategy() const noexcept { return task::strategy(); }

    // Which of the four is to be used for such a task, now and on this thread.
    strategy_t resolve(strategy_t s, invocation_t i) const noexcept
    {
        return policy_({s, i, this_thread_may_block});
    }

    bool is_production(task const* t) const noexcept { return t == this; }

    // Any thread; out of date when it is read.
    production now() const noexcept { return right_.now(); }

    bool idle() const noexcept { return right_.now().state == production_state::idle; }

    // Before anybody produces: measures what tasks take.
    void measure(task_times* times) noexcept { times_ = times; }

    // The producer, before a task that it runs itself where it has come up.
    void count_in_place() noexcept { counters_.produce_consume(); }

    // Any thread.
    void write_to(strategy_metrics& m) const noexcept
    {
        counters_.write_to(m, [this] { return right_.now().loan; });
        m.strategy = strategy();
        m.standing_by = standby_.present();
    }

    // Whether a task that is to be handed over and comes up inside the producer may run right
    // there, on loan.
    bool would_lend(task::action kind) const noexcept
    {
        return standby_.in_use() && !standby_.wants_to_leave() && standby_.pays(kind);
    }

    // Lends the right to whoever stands by; false if nobody can.
    bool begin_loan(call_frame& frame);

    // After such a task. False if another thread produces now; then this one must not touch the
    // producer.
    bool end_in_place(call_frame& frame, task::action kind)
    {
        if (!reclaim(frame, kind))
            return false;
        standby_.count();
        return true;
    }

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

    // Has another thread produce.
    void dispatch(call_frame& frame);

private:
    static boost::core::typeinfo const* act(task* base, task_purpose purpose);

    void arrive(call_frame& frame);

    // True if this thread is the producer now.
    bool stand_by();

    production_verdict apply(production_event event) noexcept
    {
        production_step const step = right_.apply(event);
        // Whoever is pending has to come, also if it has arrived and stands by.
        if (step.next.pending && step.next.state == production_state::idle)
            standby_.wake();
        if (step.vacates)
            threads_.vacate();
        return step.verdict;
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
            producer_.leave();
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
            // Its end is a part of the task: it may block as well.
            Product mine(std::move(product));
            handler_scope const running(&describe<Product>);
            mine();
        }
        frame.rethrow_captured();
        return true;
    }

    // What the pool has no thread for comes back, and the producer runs it.
    void run_back(task* t)
    {
        if (is_production(t))
            return t->run();
        counters_.produce_consume();
        run_timed(times_, *t);
    }

    // Has a thread stand by, unless one is on its way.
    bool engage();

    // False if another thread produces now.
    template <class Product>
    bool run_on_loan(call_frame& frame, Product& product, task::action kind);

    // After a task that was run on loan. False if another thread produces now.
    bool reclaim(call_frame& frame, task::action kind);

    void end_loan(std::uint32_t loan) noexcept override;

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

    // Null if nothing is known of its type.
    template <class Product>
    static task::action type_of(Product const& product) noexcept
    {
        if constexpr (std::is_same_v<Product, task_ptr>)
            return product.type();
        else
            return nullptr;
    }

    // What is done with it, for the trace.
    template <class Product>
    static void trace(
        Product const& product, strategy_t s, sub_strategy sub, bool lends = false) noexcept
    {
        if constexpr (std::is_same_v<Product, task_ptr>)
            trace_choice(product.get(), s, sub, lends);
        else
            trace_choice(nullptr, s, sub, lends);
    }

    Producer& producer_;
    Threads& threads_;

    strategy_policy const policy_;
    production_right right_;
    strategy_counters counters_;
    task_times* times_ = nullptr;
    standby standby_;
};

} // namespace asio_ewyk::detail

#endif
