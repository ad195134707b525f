// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IMPL_HPP
#define ASIO_EWYK_DETAIL_CONTEXT_STRATEGY_SERVICE_IMPL_HPP

#include <asio_ewyk/detail/asio/wakeup_op.hpp>
#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/context/strategy_service.hpp>
#include <asio_ewyk/detail/engine/io_production.hpp>
#include <asio_ewyk/detail/metrics/delay_meter.hpp>
#include <asio_ewyk/detail/observe/registration.hpp>
#include <asio_ewyk/detail/task/passed_exceptions.hpp>
#include <asio_ewyk/detail/task/posted_count.hpp>
#include <asio_ewyk/detail/task/timed_run.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace asio_ewyk::detail {

// The service itself.
class strategy_service_impl final
    : public strategy_service
    , private inspectable
    , private exception_passer
    , private io_production<strategy_service_impl>
{
public:
    using key_type = strategy_service_impl;
    BOOST_SYMBOL_VISIBLE static inline asio::execution_context::id id;

    // owner must be an io_context. Throws std::invalid_argument for options that cannot work.
    explicit strategy_service_impl(asio::execution_context& owner,
        strategy_options const& options = {}, concurrency_hint hint = concurrency_hint::unknown);
    strategy_service_impl(asio::execution_context& owner, worker_pool& pool, strategy_t s,
        std::chrono::nanoseconds grace, strategy_policy const& policy, std::size_t concurrency,
        concurrency_hint hint);
    ~strategy_service_impl();

    worker_pool& pool() const noexcept override { return pool_; }
    std::size_t run_until(std::chrono::steady_clock::time_point deadline) override;
    std::size_t step(
        std::size_t limit, bool may_wait, std::chrono::steady_clock::time_point deadline) override;
    void stop() noexcept override;
    void halt() override;
    void end() override;
    bool is_in_handler() const noexcept override;
    strategy_metrics metrics() const;
    load_metrics load() const noexcept;
    bool running_in_this_thread() const noexcept override;

private:
    // shared: null for a pool of its own.
    strategy_service_impl(asio::execution_context& owner, worker_pool* shared,
        strategy_options const& options, concurrency_hint hint);

    friend class io_production<strategy_service_impl>;
    friend class wakeup_op<strategy_service_impl>;

    // The io_context calls this before it is destroyed: tasks are destroyed without being run.
    void shutdown() override;

    // The pool's threads do not exist in the child of a fork, so before it they end, if possible.
    void notify_fork(asio::execution_context::fork_event event) override;
    bool can_prepare_fork() const noexcept;

    std::size_t waiting() const noexcept override;
    void tell_state(text_sink& out) const noexcept override;

    // Of exception_passer.
    bool pass(std::exception_ptr const& error) noexcept override;

    // The key by which call_frame::find() finds this context on a thread's stack.
    void const* frame_key() const noexcept { return this; }
    call_frame* frame() const noexcept { return call_frame::find(frame_key()); }

    bool wraps(submission s) const noexcept;
    bool run_at_once(submission s, erased_function f) override;
    std::optional<stamp_t> stamp_of(submission s) noexcept override;
    void run_posted(submission s, stamp_t stamp, erased_function f) override;
    void give(submission s, stamp_t stamp, erased_function f);
    static void const* trace_id(stamp_t stamp) noexcept;
    void record_delay(stamp_t stamp) noexcept;
    static time_point submitted_at(stamp_t stamp) noexcept;

    // How a function is run that may be called at once.
    enum class dispatch_as : unsigned char
    {
        part_of_handler, // by this thread, as a part of the handler that it runs
        task,            // by this thread, as a handler of its own
        posted,          // later, by a thread that finds it
    };
    dispatch_as how_to_dispatch(submission s) const noexcept;

    // The calls of run() and its siblings.
    void end_call() noexcept;
    std::size_t call(call_limits const& l, bool stepping);
    std::size_t step_asio(call_frame& frame, call_limits const& l);
    std::size_t run_nested(call_frame& frame, call_limits const& l);
    std::size_t step_beside(caller const& c, call_limits const& l);

    // Of succession_host.
    bool on_check(time_point now, lease::snapshot const& s, bool runs) noexcept override;

    // For io_production.
    void learn_reactor(int file) noexcept;
    void provide_io() noexcept;
    bool any_passed() const noexcept { return passed_.any(); }
    void rethrow_passed() { passed_.rethrow_one(); }
    bool has_recalled() const noexcept { return has_recalled_.load(); }
    bool wake_up_waits() const noexcept { return wake_queued_.load(); }
    bool runs_io() const noexcept { return ioc_.get_executor().running_in_this_thread(); }
    void run_task(task& t) { run_timed(times_.get(), t); }
    void send_wake_up() noexcept;
    void on_wake_up();
    template <class Awaited>
    void await_wake_up(std::size_t times, Awaited is_awaited) noexcept;
    void keep_recalled(task* t) noexcept;
    void resubmit_recalled();
    void report_stray(std::exception_ptr error) noexcept;
    template <class F>
    bool use_services(F f);

    // Any thread that may use the context may use these: each is thread-safe by itself.
    std::unique_ptr<worker_pool> const own_pool_; // null where the pool is shared
    worker_pool& pool_;                           // its own, or the shared one
    std::unique_ptr<task_times> const times_;     // null without the pool's option `timing`
    workforce threads_;
    succession succession_;
    decision decision_;
    parallelism parallelism_;

    // Whether functions that need no decision are posted in wrappers, too, and whether posted
    // functions are counted while they wait. Relaxed: functions that other threads post meanwhile
    // are missed.
    mutable std::atomic<bool> wraps_{false};
    mutable std::atomic<bool> counts_{false};
    mutable posted_count depth_;

    // A wake-up, a handler of the library's own, is in the io_context's queue.
    alignas(64) std::atomic<bool> wake_queued_{false};

    // How many threads have resent this wake-up, because it was meant for another one.
    std::atomic<std::size_t> resent_{0};

    // A step has consumed the wake-up: a nested call sends it again when it ends.
    std::atomic<bool> wake_up_consumed_{false};

    // Belongs to the thread that has set wake_queued_.
    wakeup_op<strategy_service_impl> wakeup_op_;

    // How long tasks wait in the io_context's queue, and then perhaps in the pool's.
    mutable delay_meter queue_delay_;
    mutable delay_meter pool_delay_;

    // Tasks that have waited in the pool, and wait for the next caller now.
    std::mutex recalled_mutex_;
    task_list recalled_; // guarded by recalled_mutex_
    std::atomic<bool> has_recalled_{false};

    // Layout: [calls of run() and its siblings that are not inside handlers][the process ends in a
    // handler 1 bit]. Sequentially consistent: a call whose end finds the bit set uses nothing of
    // the context any more; and the thread that sets the bit does not wait for a call that has
    // ended before.
    static constexpr std::size_t ends = 1;
    static constexpr std::size_t one_call = 2;
    alignas(64) std::atomic<std::size_t> calls_{0};

    alignas(64) shared_counter thrown_; // exceptions that have left run() or a sibling
    passed_exceptions passed_;

    // Held while a thread of the library's uses a service of the io_context, as that locks the list
    // of services; and by the thread that forks, whose child would else wait for that lock without
    // end.
    std::mutex io_mutex_;
    std::atomic<std::thread::id> holds_io_{}; // the thread that forks
    bool fork_prepared_ = false;              // guarded by io_mutex_: no thread of the pool is left
    std::atomic<bool> io_refused_{false};     // to a thread, meanwhile

    registration const watch_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/context/strategy_service.ipp>
#include <asio_ewyk/detail/context/strategy_service_calls.ipp>
#endif

#endif
