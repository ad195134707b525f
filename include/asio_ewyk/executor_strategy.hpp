// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXECUTOR_STRATEGY_HPP
#define ASIO_EWYK_EXECUTOR_STRATEGY_HPP

#include <asio_ewyk/detail/engine/strategy_engine.hpp>
#include <asio_ewyk/detail/engine/strategy_engine_impl.hpp>
#include <asio_ewyk/detail/pool/executor_threads.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/producer.hpp>

#include <boost/asio/execution/executor.hpp>

#include <chrono>

namespace asio_ewyk {

namespace asio = boost::asio;

/** An `execution_strategy` over the threads of any executor instead of a `worker_pool`: of an
    `asio::thread_pool`, of `asio::system_executor`, or of an `io_context` that threads run.

    An executor does not tell whether a thread is idle. So no thread can be had at once:
    `eat_what_you_kill` runs a task here or gives it to the executor, and never hands production
    over before a task, as over a `worker_pool` all of whose threads are busy. The other strategies
    do what they do there. There is no grace. For all of it use a `worker_pool`.

    @par Thread Safety
    Distinct objects: safe. Shared objects: dispatch() and produce() are safe. Destruction is not
    while either is called, and not from a task of this strategy.

    @par Exception Safety
    An exception of a task or of the producer never stops production. What is thrown on a thread of
    the executor leaves the function that it runs; on a thread that called produce() it leaves
    produce(), after production was passed on.

    @par Example
    @snippet test/unit/executor_strategy.cpp strategy

    @see execution_strategy
*/
template <producer Producer, class Executor>
    requires asio::execution::is_executor<Executor>::value
class executor_strategy
{
public:
    /// The producer, and what the executor is of, must outlive the object. Throws `std::bad_alloc`
    /// and what the copy of the executor throws.
    executor_strategy(Producer& source, Executor const& executor,
        strategy_t s = strategy_t::eat_what_you_kill)
        : threads_(executor, &engine_)
        , engine_(source, threads_, s, std::chrono::nanoseconds::zero())
    {
    }

    executor_strategy(executor_strategy const&) = delete;
    executor_strategy& operator=(executor_strategy const&) = delete;

    /// Waits for the tasks that run on threads of the executor. Those that wait there are destroyed
    /// without being run, when the executor comes to them.
    ~executor_strategy() { threads_.leave(); }

    /** Produces on this thread, until there is nothing to do or another thread produces.

        If another thread produces already, it will look once more, and this returns at once. From
        within a task that this thread runs for the strategy it is dispatch(): no recursion. Throws
        what the producer, tasks on this thread and the executor throw.
    */
    void produce() { engine_.produce(thrown_); }

    /// Has a thread of the executor produce; never produces here. If the executor throws, nothing
    /// happens. No-throw guarantee.
    void dispatch() { engine_.dispatch(); }

    /// The strategy in use. No-throw guarantee.
    strategy_t strategy() const noexcept { return engine_.strategy(); }

    /// What it was made with. No-throw guarantee.
    Executor const& executor() const noexcept { return threads_.executor(); }

    /// Counters and present figures; nothing is timed, so its histograms are empty. `exceptions`
    /// are those that left produce(). No-throw guarantee.
    strategy_metrics metrics() const noexcept
    {
        strategy_metrics m;
        engine_.write_to(m);
        m.produce_execute_consume = threads_.begun();
        m.exceptions = thrown_.get();
        m.queued_in_pool = threads_.waiting();
        return m;
    }

private:
    detail::shared_counter thrown_; // exceptions that have left produce()
    detail::executor_threads<Executor> threads_;
    detail::strategy_engine<Producer, detail::executor_threads<Executor>> engine_;
};

} // namespace asio_ewyk

#endif
