// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXECUTION_STRATEGY_HPP
#define ASIO_EWYK_EXECUTION_STRATEGY_HPP

#include <asio_ewyk/detail/engine/describe_production.hpp>
#include <asio_ewyk/detail/engine/strategy_loop.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_policy.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace asio_ewyk {

/** What a producer gives: a task that can be moved, tested and called.

    | expression         | type                  | meaning                                  |
    |--------------------|-----------------------|------------------------------------------|
    | `bool(t)`          | `bool`                | false: there is nothing to do            |
    | `t()`              | anything              | runs the task, once; may throw           |
    | `t.invocation()`   | `invocation_t`        | optional; without it: `blocking`         |
    | `t.strategy()`     | `strategy_t`          | optional; without it: the default        |

    `std::function<void()>` is one.
*/
template <class T>
concept produced_task = std::move_constructible<T> && std::constructible_from<bool, T const&>
    && std::invocable<T&>;

/** Something that tasks come from: a selector, the frames of a multiplexed connection, a queue.

    `p.produce()` returns the next task, or an empty one when there is none, and may wait for one.
    An `execution_strategy` calls it on one thread at a time, with what one call wrote visible to
    the next, so it needs no lock of its own. The term is Jetty's
    (`org.eclipse.jetty.util.thread.ExecutionStrategy.Producer`).

    @par Thread Safety
    None is asked of a producer: it is not called by two threads at once.
*/
template <class P>
concept producer = requires(P& p) {
    { p.produce() } -> produced_task;
};

/** Takes tasks from a producer and decides which thread runs each, and which one produces next.

    What happens to a task depends on its strategy and on its `invocation()`, without which it is
    `blocking`:

    | strategy                  | non_blocking | either        | blocking      |
    |---------------------------|--------------|---------------|---------------|
    | `produce_consume`         | PC           | PC            | PC            |
    | `produce_execute_consume` | PEC          | PEC           | PEC           |
    | `execute_produce_consume` | EPC          | EPC           | EPC           |
    | `eat_what_you_kill`       | PC           | EPC, else PIC | EPC, else PEC |

    _Else_ means: if no thread of the pool can take over.

    - PC, produce-consume: run it here, then produce again.
    - PIC, produce-invoke-consume: the same, with `this_invocation::may_block()` false.
    - PEC, produce-execute-consume: give it to the pool, then produce again. If the pool's queue is
      full, see `worker_pool_options::when_full`: the producer runs it, or it is destroyed.
    - EPC, execute-produce-consume: let another thread produce and run it here; afterwards produce
      again, unless the other thread has begun to.

    On a producing thread that may not block itself, `eat_what_you_kill` runs an `either` task as
    PC and a `blocking` one as PEC. With `execute_produce_consume`, when the pool is out of threads,
    production waits for one: that is the strategy's known flaw.

    A producer may wait for as long as it likes, so with `eat_what_you_kill` the last thread of a
    pool does not take over: it is left for tasks. That is no guarantee, as a thread may also come
    to produce by `dispatch()`, with `execute_produce_consume`, or because its task ends and no
    other thread produces: a pool must have more threads than producers that wait in it.

    With a grace EPC hands nothing over: one thread produces until a task is late. Unlike a
    `strategy_context`, this class does not look whether one thread is enough.

    At most one thread produces. A producing thread that is asked for more looks again before it
    goes idle (Jetty calls that reproducing). This is Jetty's `ExecutionStrategy` with its
    `AdaptiveExecutionStrategy`; *eat what you kill* is a hunter's rule: the thread that found the
    work, and so has it in its cache, consumes it.

    @par Thread Safety
    Distinct objects: safe. Shared objects: dispatch() and produce() are safe. Destruction is not
    while either is called, and not from a task of this strategy.

    @par Exception Safety
    An exception of a task or of the producer never stops production. On a thread of the pool it
    goes to `worker_pool_options::on_exception`; on a thread that called produce() it leaves
    produce() after production was passed on to the pool.

    @par Example
    @snippet example/6_cookbook/another_producer.cpp strategy

    @see worker_pool, strategy_context
*/
template <producer Producer>
class execution_strategy
{
public:
    /// Both the producer and the pool must outlive the object. Throws `std::bad_alloc`, and
    /// `std::invalid_argument` if the pool has no threads.
    execution_strategy(
        Producer& source, worker_pool& pool, strategy_t s = strategy_t::eat_what_you_kill)
        : execution_strategy(checked(), source, pool, s, std::chrono::nanoseconds::zero())
    {
    }

    /// As above, with a grace and a policy: see `strategy_options`. Without them the grace is 0,
    /// and another thread is asked to produce before each task. Throws `std::invalid_argument` if
    /// the grace is less than 0, a policy is missing, or the pool has no threads.
    execution_strategy(Producer& source, worker_pool& pool, strategy_t s,
        std::chrono::nanoseconds grace, strategy_policy const& policy = {})
        : execution_strategy(checked(), source, pool, s, detail::checked_grace(grace),
              detail::checked_policy(policy, s))
    {
    }

    execution_strategy(execution_strategy const&) = delete;
    execution_strategy& operator=(execution_strategy const&) = delete;

    /// Destroys the tasks that still wait for a thread, and waits for those that run in the pool.
    ~execution_strategy() { loop_.end(); }

    /** Produces on this thread, until there is nothing to do or another thread produces.

        If another thread produces already, it will look once more, and this returns at once. Within
        a task that this thread runs for the strategy, it does what dispatch() does, and does not
        recurse.
    */
    void produce()
    {
        try
        {
            loop_.produce();
        }
        catch (...)
        {
            thrown_.add();
            throw;
        }
    }

    /** Has a thread of the pool produce; never produces here.

        After the pool was stopped it does nothing. No-throw guarantee.
    */
    void dispatch() noexcept { loop_.dispatch(); }

    /// The strategy in use. No-throw guarantee.
    strategy_t strategy() const noexcept { return loop_.state().strategy(); }

    /// Counters and present figures; nothing is timed, so its histograms are empty.
    /// No-throw guarantee.
    strategy_metrics metrics() const noexcept
    {
        strategy_metrics m;
        loop_.state().counters().write_to(m);
        m.strategy = strategy();
        m.sentinel_refused = loop_.state().watch().sentinel_refused();
        m.probe_refused = loop_.state().watch().probe_refused();
        detail::pool_client const& client = loop_.client();
        m.produce_execute_consume = client.begun();
        m.exceptions = thrown_.get() + client.thrown();
        m.queued_in_pool = client.size();
        return m;
    }

private:
    friend class detail::inspectable_part<execution_strategy>;

    struct checked
    {
    };

    execution_strategy(checked, Producer& source, worker_pool& pool, strategy_t s,
        std::chrono::nanoseconds grace, strategy_policy const& policy = {})
        : loop_(source, detail::pool_access::threads(pool), s, grace, policy)
    {
        detail::check_option(pool.options().max_threads != 0, "worker_pool_options::max_threads",
            "at least 1 for an execution_strategy", pool.options().max_threads);
        try
        {
            watch_.emplace(loop_.frame_key(), shown_,
                detail::stall_settings(detail::pool_access::threads(pool).options()));
        }
        catch (...)
        {
            // No memory: stall reports and dump() do without it.
        }
    }

    // For the stall monitor and dump().
    std::size_t waiting() const noexcept { return loop_.client().size(); }

    void tell_state(detail::text_sink& out) const noexcept
    {
        out << "execution_strategy " << static_cast<void const*>(this) << ' '
            << loop_.pool().options().name << ": ";
        detail::describe_production(out, loop_.state());
        out << ", " << std::uint64_t{waiting()} << " tasks wait for a thread";
    }

    detail::shared_counter thrown_; // exceptions that have left produce()
    detail::strategy_loop<Producer> loop_;
    detail::inspectable_part<execution_strategy> const shown_{*this};
    std::optional<detail::registration> watch_;
};

} // namespace asio_ewyk

#endif
