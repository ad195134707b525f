// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_SERVICE_IPP
#define ASIO_EWYK_DETAIL_LOOP_EVENT_LOOP_SERVICE_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/loop/event_loop_service.hpp>
#include <asio_ewyk/detail/metrics/task_times.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace asio_ewyk::detail {

inline std::size_t next_number() noexcept
{
    static std::atomic<std::size_t> loops{0};
    return loops.fetch_add(1);
}

ASIO_EWYK_DECL event_loop_service::event_loop_service(asio::execution_context& owner,
    event_loop_options options, std::optional<std::size_t> number)
    : asio::execution_context::service(owner)
    , ioc_(static_cast<asio::io_context&>(owner))
    , options_(std::move(options))
    , number_(number ? *number : next_number())
    , times_(times_if(options_.timing))
    , open_(ioc_.get_executor())
    , share_(options_.io_ratio)
    , watch_(this, *this, stall_settings(options_))
{
    check_option(options_.busy_wait >= options_.busy_wait.zero(),
        "event_loop_options::busy_wait", "at least 0", options_.busy_wait);
    if (!options_.cpus.empty())
        check_cpu(cpu());
}

// -1 if it is not bound.
ASIO_EWYK_DECL int event_loop_service::cpu() const
{
    return options_.cpus.empty() ? -1 : options_.cpus[number_ % options_.cpus.size()];
}

ASIO_EWYK_DECL event_loop_service::~event_loop_service() = default;

ASIO_EWYK_DECL void event_loop_service::schedule() noexcept
{
    test_point();
    if (!scheduled_.load() && !scheduled_.exchange(true))
        wakeup_op_.send(ioc_, *this);
}

ASIO_EWYK_DECL void event_loop_service::on_wake_up()
{
    // Also when a task has thrown.
    at_exit const over([&] {
        last_round_ = std::chrono::steady_clock::now();
        if (std::uint64_t const ran = depth_.taken(); ran != ran_)
        {
            ran_ = ran;
            last_ran_ = last_round_;
        }
        if (ready_.empty() && after_round_.empty())
        {
            scheduled_.store(false);
            test_point();
            if (posted_.empty() || scheduled_.exchange(true))
            {
                last_round_ = {};
                return;
            }
        }
        wakeup_op_.send(ioc_, *this);
    });
    trace_span const round(trace_event::round, this);
    run_round();
}

ASIO_EWYK_DECL void event_loop_service::run_round()
{
    time_point const began = std::chrono::steady_clock::now();
    bool const busy = last_round_ != time_point{};
    share_.begin(busy ? began - last_round_ : std::chrono::nanoseconds::zero());
    posted_.drain_to(ready_);
    if (ready_.has_several())
        depth_.look();
    at_exit const over([&] {
        auto const time = std::chrono::steady_clock::now() - began;
        share_.end(time);
        if (times_)
            times_->poll_delay.record(time);
    });
    run_tasks(began);
    run_after_round();
}

ASIO_EWYK_DECL void event_loop_service::run_tasks(time_point began)
{
    for (std::size_t n = share_.tasks(); n != 0;)
    {
        do
        {
            // Relaxed: it publishes nothing, and a late value runs one task more.
            if (closed_.load(std::memory_order_relaxed))
                return;
            task* const t = take();
            if (!t)
                return;
            run_timed(times_.get(), *t);
        } while (--n != 0);
        if (share_.more(std::chrono::steady_clock::now() - began))
            n = share_.tasks();
    }
}

// Runs the functions that are queued now: one that asks for another does so for the next round. If
// one throws, the rest is for the next round, too.
ASIO_EWYK_DECL void event_loop_service::run_after_round()
{
    task const* const last = after_round_.back();
    // Relaxed: as in run_tasks().
    while (!closed_.load(std::memory_order_relaxed))
    {
        task* const t = take_after_round();
        if (!t)
            return;
        bool const is_last = t == last; // before it runs: its memory may be used for another one
        run_timed(times_.get(), *t);
        if (is_last)
            return;
    }
}

ASIO_EWYK_DECL task* event_loop_service::take_after_round() noexcept
{
    task* const t = after_round_.pop();
    if (t)
        depth_.take();
    return t;
}

ASIO_EWYK_DECL task* event_loop_service::take() noexcept
{
    task* t = ready_.pop();
    if (!t && posted_.drain_to(ready_))
        t = ready_.pop();
    if (!t)
        return nullptr;
    depth_.take();
    if (options_.max_pending_tasks != 0)
        pending_.fetch_sub(1);
    return t;
}

// What was submitted before the loop closed, after the last look of watch().
ASIO_EWYK_DECL void event_loop_service::run_the_last()
{
    for (;;)
        try
        {
            for (;;)
            {
                task* t = take();
                if (!t)
                    t = take_after_round();
                if (!t)
                    return;
                run_timed(times_.get(), *t);
            }
        }
        catch (...)
        {
            caught(std::current_exception());
        }
}

// Once; destroy_late() handles what comes later.
ASIO_EWYK_DECL void event_loop_service::destroy_tasks() noexcept
{
    drained_.store(true);
    test_point();
    destroy_all(ready_);
    destroy_all(after_round_);
    destroy_late();
}

// They count as taken, but not as begun.
ASIO_EWYK_DECL void event_loop_service::destroy_all(task_list& tasks) noexcept
{
    while (task* const t = tasks.pop())
    {
        depth_.taken_elsewhere();
        t->destroy();
    }
}

// Destroys tasks of a thread that did not see the loop close: on that thread or on the one that has
// ended the loop. posted_ is Dekker with drained_: see the class.
ASIO_EWYK_DECL void event_loop_service::destroy_late() noexcept
{
    while (drained_.load() && !posted_.empty())
    {
        task_list late;
        posted_.drain_to(late);
        destroy_all(late);
    }
}

ASIO_EWYK_DECL void event_loop_service::start()
{
    if (state_.load() != state::fresh)
        return;
    std::lock_guard lock(mutex_);
    if (state_.load() != state::fresh)
        return;
    thread_ = start_thread([this] { work(); });
    state_.store(state::running);
}

ASIO_EWYK_DECL void event_loop_service::try_to_start() noexcept
{
    try
    {
        start();
    }
    catch (...)
    {
    }
}

ASIO_EWYK_DECL void event_loop_service::work()
{
    thread_id_.store(std::this_thread::get_id());
    clock_.begin();
    stack_ = thread_stack::mine();
    call_frame const frame(this);
    scheduling_.apply();
    signals_.apply();
    unblock_signal(options_.stack_signal);
    name_this_thread(options_.name, number_);
    cpu_binding const bound(cpu());
    trace_span const lives(trace_event::thread);
    if (options_.on_thread_start)
        options_.on_thread_start();
    while (!ioc_.stopped())
        try
        {
            trace_span const produces(trace_event::produce, this);
            run();
        }
        catch (...)
        {
            caught(std::current_exception());
        }
    end_of_thread();
}

ASIO_EWYK_DECL void event_loop_service::run()
{
    if (options_.busy_wait == std::chrono::nanoseconds::zero())
    {
        ioc_.run();
        return;
    }
    do
        poll();
    while (ioc_.run_one() != 0);
}

// Until there has been nothing for that long. A thread that submits does not wake one that polls:
// Asio takes its reactor for interrupted while none waits in it.
ASIO_EWYK_DECL void event_loop_service::poll()
{
    time_point sleep = after(options_.busy_wait);
    while (!ioc_.stopped())
        if (ioc_.poll() != 0)
            sleep = after(options_.busy_wait);
        else if (std::chrono::steady_clock::now() >= sleep)
            return;
}

ASIO_EWYK_DECL void event_loop_service::caught(std::exception_ptr error) noexcept
{
    thrown_.add();
    if (!options_.on_exception)
        std::terminate();
    options_.on_exception(std::move(error));
}

ASIO_EWYK_DECL void event_loop_service::end_of_thread()
{
    closed_.store(true);
    quiet_timer_.reset();
    if (quiet_)
        run_the_last();
    destroy_tasks();
    timer_queue_->close();
    if (options_.on_thread_stop)
        options_.on_thread_stop();
    {
        std::lock_guard const lock(mutex_);
        state_.store(state::terminated);
    }
    watchers_.tell(&loop_watcher::loop_ended, ioc_);
    thread_id_.store({});
    clock_.end();
    std::lock_guard const lock(mutex_);
    told_ = true;
    changed_.notify_all();
}

ASIO_EWYK_DECL void event_loop_service::request_shutdown(
    std::chrono::nanoseconds quiet_period, time_point deadline)
{
    std::unique_lock lock(mutex_);
    // Under the same lock: one that has begun meanwhile has tasks to run.
    if (state_.load() == state::fresh)
    {
        closed_.store(true);
        ioc_.stop();
        return end_fresh(lock);
    }
    if (state_.load() != state::running)
        return;
    asio::post(ioc_.get_executor(), [this, quiet_period, deadline] {
        timer_queue_->end_series();
        try
        {
            quiet_timer_.emplace(ioc_.get_executor());
            last_ran_ = std::chrono::steady_clock::now();
            watch(quiet_period, deadline);
        }
        catch (...)
        {
            // No timer, for lack of descriptors: then it ends at once.
            stop();
        }
    });
    end_ = deadline;
    state_.store(state::shutting_down);
    lock.unlock();
    watchers_.tell(&loop_watcher::loop_closes, ioc_);
}

// The loop's thread. A task that comes in the quiet period restarts it, even before it runs: tasks
// may have to wait while I/O has its share. A waiting task restarts it after it has run.
ASIO_EWYK_DECL void event_loop_service::watch(
    std::chrono::nanoseconds quiet_period, time_point deadline)
{
    time_point const last = has_tasks() ? std::chrono::steady_clock::now()
                                  : std::max(last_ran_, timer_queue_->last_ran());
    quiet_timer_->expires_at(std::min(after(quiet_period, last), deadline));
    quiet_timer_->async_wait([=, this](boost::system::error_code) {
        end_if_quiet(quiet_period, deadline);
    });
}

ASIO_EWYK_DECL void event_loop_service::end_if_quiet(
    std::chrono::nanoseconds quiet_period, time_point deadline)
{
    time_point const now = std::chrono::steady_clock::now();
    bool const quiet = !has_tasks()
        && after(quiet_period, std::max(last_ran_, timer_queue_->last_ran())) <= now;
    if (!quiet && now < deadline)
        return watch(quiet_period, deadline);
    quiet_ = quiet;
    closed_.store(true);
    ioc_.stop();
}

ASIO_EWYK_DECL bool event_loop_service::wait_for_end(
    time_point deadline, std::atomic<bool> const* give_up)
{
    if (running_in_this_thread())
        return terminated();
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [&] { return told_ || (give_up && give_up->load()); });
    if (told_)
        return true;
    bool const late = std::chrono::steady_clock::now() >= end_;
    lock.unlock();
    if (late)
        stop();
    return terminated();
}

ASIO_EWYK_DECL void event_loop_service::wake_waiting()
{
    std::lock_guard const lock(mutex_);
    changed_.notify_all();
}

ASIO_EWYK_DECL void event_loop_service::stop() noexcept
{
    if (!home_.is_here())
        return;
    bool const closes = !closed_.exchange(true);
    ioc_.stop();
    if (closes)
        watchers_.tell(&loop_watcher::loop_closes, ioc_);
    std::unique_lock lock(mutex_);
    if (state_.load() == state::fresh)
        end_fresh(lock);
}

ASIO_EWYK_DECL void event_loop_service::end_fresh(std::unique_lock<std::mutex>& lock) noexcept
{
    state_.store(state::terminated);
    told_ = true;
    lock.unlock();
    destroy_tasks();
    watchers_.tell(&loop_watcher::loop_ended, ioc_);
}

ASIO_EWYK_DECL void event_loop_service::join() noexcept
{
    if (!home_.is_here())
    {
        make_anew(thread_);
        make_anew(changed_);
        // The thread may have been about to change them.
        make_anew(ready_);
        make_anew(after_round_);
        make_anew(quiet_timer_);
        return uses_->forget_others();
    }
    stop(); // from now on the thread is not started
    if (thread_.get_id() == std::this_thread::get_id())
        thread_.detach(); // it ends the process, in a handler
    else
    {
        if (thread_.joinable())
            thread_.join();
        uses_->await();
    }
    timer_queue_->close();
}

ASIO_EWYK_DECL void event_loop_service::shutdown()
{
    closed_.store(true);
    destroy_tasks(); // there are some only if the thread could not be started
    open_.reset();   // Asio's io_context for Windows waits for the end of all work
}

ASIO_EWYK_DECL loop_metrics event_loop_service::metrics() const
{
    loop_metrics m;
    m.tasks = depth_.taken();
    m.in_place = in_place_.get();
    m.scheduled = timer_queue_->runs();
    m.exceptions = thrown_.get();
    m.cpu_time = cpu_time();
    depth_.write_to(m.queued, m.queued_max);
    m.load = load();
    if (times_)
        times_->write_to(m);
    return m;
}

ASIO_EWYK_DECL load_metrics event_loop_service::load() const noexcept
{
    return delay_.look({depth_.gone(), depth_.waiting()});
}

// What a loop shows of itself.
ASIO_EWYK_DECL void event_loop_service::tell_state(text_sink& out) const noexcept
{
    constexpr char const* states[] = {"was not started", "runs", "shuts down", "has ended"};
    out << "event_loop " << static_cast<void const*>(&ioc_) << ' ' << options_.name << '-'
        << std::uint64_t{number_} << ": " << states[static_cast<std::size_t>(state_.load())]
        << ", " << std::uint64_t{waiting()} << " tasks wait";
    if (scheduled_.load())
        out << ", a round of them is due";
}

} // namespace asio_ewyk::detail

#endif
