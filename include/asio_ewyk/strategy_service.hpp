// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STRATEGY_SERVICE_HPP
#define ASIO_EWYK_STRATEGY_SERVICE_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/context_threads.hpp>
#include <asio_ewyk/detail/context/reactor.hpp>
#include <asio_ewyk/detail/engine/strategy_engine.hpp>
#include <asio_ewyk/detail/metrics/delay_meter.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/os/passed_exceptions.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>
#include <asio_ewyk/metrics.hpp>
#include <asio_ewyk/strategy_executor.hpp>
#include <asio_ewyk/strategy_options.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/execution_context.hpp>

#include <atomic>
#include <memory>

namespace asio_ewyk {

/** Runs the completions of one `io_context` by an execution strategy.

    The part of a `strategy_context` that does the work, installed in the `io_context` as one of
    its services. Apps use `strategy_context`, or `use_strategy` for an `io_context` of other code.

    @par Thread Safety
    Distinct objects: safe. Shared objects: safe, except for halt() and destruction.
*/
class alignas(detail::target_alignment) strategy_service final
    : public asio::execution_context::service
    , private detail::inspectable
    , private detail::reactor_host
    , private detail::exception_passer
{
public:
    using key_type = strategy_service;
    BOOST_SYMBOL_VISIBLE static inline asio::execution_context::id id;

    /// What the service is told of its `io_context`.
    enum class reactor
    {
        unknown,
        many_threads, ///< its concurrency hint allows many threads inside run()
    };

    /// Has a pool of its own. `owner` must be an `io_context`. Throws `std::invalid_argument` for
    /// options that cannot work.
    explicit strategy_service(asio::execution_context& owner, strategy_options const& options = {},
        reactor kind = reactor::unknown);

    /// Uses a pool that outlives the service.
    strategy_service(asio::execution_context& owner, worker_pool& pool, strategy_t s,
        std::chrono::nanoseconds grace = default_grace, strategy_policy const& policy = {},
        reactor kind = reactor::unknown);

    ~strategy_service();

    /// The `io_context` that it belongs to. No-throw guarantee.
    asio::io_context& context() const noexcept { return ioc_; }

    /// The pool whose threads run tasks beside the callers of run(). No-throw guarantee.
    worker_pool& pool() const noexcept { return pool_; }

    /// An executor with the strategy of the options. No-throw guarantee.
    strategy_executor get_executor() noexcept
    {
        return strategy_executor(*this, {.strategy = engine_.strategy(), .invocation = {}});
    }

    /** Runs tasks until the deadline, as `strategy_context::run_until` does.

        Throws what a task on this thread throws, after production was passed on to others.
    */
    std::size_t run_until(std::chrono::steady_clock::time_point deadline);

    /// Runs at most `limit` tasks, on this thread where the strategy allows, as
    /// `strategy_context::run_one_until` and, if it may not wait, `poll` do. Throws likewise.
    std::size_t step(
        std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline);

    /// As `io_context::stop`. No-throw guarantee.
    void stop() noexcept;

    /// stop(), destroys what waits in the pool, and waits for the tasks that run there.
    void halt();

    /// Counters and present figures. May be called by any thread, also while handlers run or are
    /// stuck. Throws `std::bad_alloc`.
    strategy_metrics metrics() const;

    /// As `strategy_context::load`. No-throw guarantee.
    load_metrics load() const noexcept;

    /// Whether this thread runs a task of the context. No-throw guarantee.
    bool running_in_this_thread() const noexcept;

    /// For `strategy_executor::execute`.
    template <class F, class Allocator>
    void execute(detail::submission s, F&& f, Allocator const& allocator);

private:
    // `shared` is null where it has a pool of its own.
    strategy_service(asio::execution_context& owner, worker_pool* shared,
        strategy_options const& options, reactor kind);

    class runner;
    class task_work;

    // The io_context calls it before it is destroyed: tasks are destroyed without being run.
    void shutdown() override;

    // The pool's threads do not exist in the child.
    void notify_fork(asio::execution_context::fork_event event) override;

    std::size_t waiting() const noexcept override;
    bool serves() const noexcept override;
    std::size_t taken() const noexcept override;
    void tell_state(detail::text_sink& out) const noexcept override;

    // Of detail::reactor_host.
    void begin_visit(
        detail::call_frame& frame, detail::lease::activity what, bool native) noexcept override;
    void end_visit(detail::call_frame& frame, bool native) override;
    bool met_native() noexcept override;
    bool may_stay(detail::call_frame const& frame) noexcept override;
    bool run_inside(detail::call_frame& frame, detail::task* t) override;
    bool may_go_on(detail::call_frame& frame) noexcept override;
    bool awaited() const noexcept override;
    void woken_elsewhere() override;

    // Of detail::exception_passer.
    bool pass(std::exception_ptr const& error) noexcept override;

    // Works on this thread until the call is over; the heart of run() and its siblings.
    void take_part(detail::run_call& t);
    void take_part_or_settle(detail::run_call& t);

    bool is_beside_others() const noexcept;
    bool poll_beside(detail::call_frame& frame);
    bool rest(detail::idle_caller& g, std::size_t slot, detail::run_call& t);
    void recall_tasks() noexcept;
    void clear_pool();
    void submit(detail::call_frame* frame, detail::task* t, bool never_inline) noexcept;
    enum class in_place : unsigned char
    {
        not_here,
        here,
        as_a_part, // of a handler that has been counted
    };
    in_place begin_in_place(detail::call_frame& frame, detail::submission s) noexcept;
    void end_in_place(detail::call_frame& frame);
    void end_part() noexcept;
    template <class Task, class F>
    void complete(detail::call_frame& frame, F&& f);
    template <class F>
    void run_inline(F&& f);
    void report_stray(std::exception_ptr error) noexcept;
    void run_job(detail::call_frame& frame, detail::task* job);
    void measure() noexcept;
    void provide_io() noexcept;
    bool over(detail::run_call const& t) const { return t.done() || ioc_.stopped(); }

    // Any thread that may use the context may use these: each is thread-safe by itself.
    asio::io_context& ioc_;
    std::unique_ptr<worker_pool> const own_pool_; // null where the pool is shared
    worker_pool& pool_;                   // its own, or the shared one
    std::unique_ptr<detail::task_times> const times_; // null without the pool's option `timing`
    detail::context_threads threads_;
    detail::reactor reactor_;
    detail::strategy_engine<detail::reactor, detail::context_threads> engine_; // over both

    // False if the io_context expects one thread: what a task completes inside of it then waits in
    // a queue of that thread, and a late task would keep that back.
    bool const leases_in_place_;

    // Of the two queues that a task may wait in, one after the other.
    mutable detail::delay_meter reactor_delay_;
    mutable detail::delay_meter pool_delay_;

    std::atomic<bool> shut_down_{false};
    detail::shared_counter thrown_; // exceptions that have left run() or a sibling
    detail::passed_exceptions passed_;

    detail::registration const watch_;
};

} // namespace asio_ewyk

#include <asio_ewyk/impl/strategy_service.hpp>
#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/strategy_service.ipp>
#endif

#endif
