// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_ELASTIC_THREADS_IPP
#define ASIO_EWYK_DETAIL_POOL_ELASTIC_THREADS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/os/cpu_binding.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/os/signals.hpp>
#include <asio_ewyk/detail/os/start_thread.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_end.hpp>
#include <asio_ewyk/detail/pool/elastic_threads.hpp>
#include <asio_ewyk/detail/task/recycled_memory.hpp>
#include <asio_ewyk/detail/utility/checked_option.hpp>
#include <asio_ewyk/detail/watch/watchdog.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL ASIO_EWYK_COLD worker_pool_options checked(worker_pool_options o)
{
    // More than any system has; a slot for each still fits in memory.
    check_option(o.max_threads <= 1'000'000, "worker_pool_options::max_threads",
        "at most 1000000", o.max_threads);
    check_option(o.min_threads <= o.max_threads, "worker_pool_options::min_threads",
        "at most max_threads", o.min_threads);
    // A pool that holds all its threads in reserve would run nothing.
    check_option(o.reserve == worker_pool_options::automatic || o.reserve == 0
            || o.reserve < o.max_threads,
        "worker_pool_options::reserve", "less than max_threads", o.reserve);
    check_option(o.idle_timeout >= std::chrono::milliseconds(1),
        "worker_pool_options::idle_timeout", "at least 1 ms", o.idle_timeout);
    check_option(o.when_full == queue_full::caller_runs || o.when_full == queue_full::reject,
        "worker_pool_options::when_full", "caller_runs or reject", static_cast<int>(o.when_full));
    if (o.reserve == worker_pool_options::automatic)
    {
        std::size_t const cores = std::max(1u, std::thread::hardware_concurrency());
        std::size_t const eighth = std::max<std::size_t>(1, o.max_threads / 8);
        o.reserve = std::min({std::max<std::size_t>(1, o.max_threads) - 1, cores, eighth});
    }
    return o;
}

struct elastic_threads::worker
{
    parker sleep;
    std::thread thread;      // guarded by mutex_
    bool used = false;       // guarded by mutex_: a thread has this slot, or is about to
    bool starting = false;   // guarded by mutex_: start() has not returned yet
    bool arriving = false;   // guarded by mutex_: the thread has not looked in the queue yet
    bool hooks_done = false; // the thread's own: it has left its last hook

    // Written by the thread that has claimed this one, before it wakes it.
    task* job = nullptr;
    pool_client* client = nullptr; // null: look in the queue
    wake_up_place on;
    thread_id id = 0; // written by the thread itself, before it parks
};

ASIO_EWYK_DECL ASIO_EWYK_COLD elastic_threads::elastic_threads(worker_pool_options options)
    : options_(checked(std::move(options)))
    , parked_(2 * options_.max_threads)
    , max_queue_(options_.max_queue)
    , max_threads_(options_.max_threads)
    , min_threads_(options_.min_threads)
    , idle_timeout_(options_.idle_timeout)
{
}

ASIO_EWYK_DECL ASIO_EWYK_COLD elastic_threads::~elastic_threads()
{
    if (!home_.is_here())
    {
        forget_threads();
        return;
    }
    stop_and_wait();
    for (auto const& w : workers_)
        if (w && w->thread.joinable()) // this thread: it ends the process, in a task
            w->thread.detach();
    if (ended_.joinable()) // this thread, in the destructor of a thread-local object
        ended_.detach();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::forget_threads() noexcept
{
    for (auto const& w : workers_)
        if (w)
        {
            make_anew(w->sleep);
            make_anew(w->thread);
        }
    make_anew(ended_);
    make_anew(changed_);
}

// A thread that parks while stop() wakes the parked ones is not given a task, but woken.
ASIO_EWYK_DECL std::size_t elastic_threads::claim_parked() noexcept
{
    std::size_t const thread = parked_.claim();
    if (thread == parked_threads::none || !stopping_.load())
        return thread;
    wake_for_queue(thread);
    return parked_threads::none;
}

ASIO_EWYK_DECL void elastic_threads::start_reserve() noexcept
{
    // Relaxed: with an old figure one thread more or less is on its way, which is checked under the
    // lock.
    if (arriving_hint_.load(std::memory_order_relaxed) >= options_.reserve
        || threads_.load(std::memory_order_relaxed) >= max_threads_.load(std::memory_order_relaxed))
        return;
    std::size_t slot = parked_threads::none;
    {
        std::lock_guard lock(mutex_);
        // No task waits for the thread, so after a refusal by the system there is no hurry.
        if (may_start() && arriving_ < options_.reserve && start_pause_.over())
            slot = reserve_slot();
    }
    if (slot != parked_threads::none)
        start(slot);
}

ASIO_EWYK_DECL void elastic_threads::give(std::size_t thread, pool_client& client, task* t) noexcept
{
    client.pin();
    trace_point(trace_event::give, t);
    worker& w = *workers_[thread];
    w.job = t;
    w.client = &client;
    w.on.choose(w.id);
    w.sleep.unpark();
}

ASIO_EWYK_DECL void elastic_threads::wake_for_queue(std::size_t thread) noexcept
{
    workers_[thread]->client = nullptr;
    workers_[thread]->sleep.unpark();
}

ASIO_EWYK_DECL elastic_threads::outcome elastic_threads::execute(
    pool_client& client, task* t, bool bounded, bool runs_back)
{
    if (has_none())
        return stopping_.load() || client.leaving() ? outcome::stopped : outcome::full;
    if (queued_.load() == 0)
        if (std::size_t const thread = claim_parked(); thread != parked_threads::none)
        {
            give(thread, client, t);
            return outcome::accepted;
        }

    std::size_t thread = parked_threads::none;
    std::size_t slot = parked_threads::none;
    bool full = false;
    {
        std::lock_guard lock(mutex_);
        // The tasks of a client that leaves are destroyed already; one more would be left behind.
        if (stopping_.load() || client.leaving())
            return outcome::stopped;
        bool const startable
            = may_start() && (!runs_back || threads_.load() != 0 || start_pause_.over());
        full = bounded && max_queue_ != 0 && queue_.size() >= max_queue_
            && (!startable || start_pause_.refused());
        if (!full)
        {
            trace_point(trace_event::give, t);
            queue_.push(client, t);
            queue_changed();
            most_queued_.raise_to(queue_.size());
            // A thread that parked since the first look may have missed the task.
            thread = parked_.claim();
        }
        // Tasks that wait get a thread even if this one is refused: the system may have one again.
        if (thread == parked_threads::none && startable && arriving_ < queue_.size())
            slot = reserve_slot();
        if (!full && thread == parked_threads::none && !startable && arriving_ < queue_.size())
            mark_low();
    }
    if (full)
    {
        if (slot != parked_threads::none)
            start(slot);
        return outcome::full;
    }
    if (thread != parked_threads::none)
    {
        wake_for_queue(thread);
        return outcome::accepted;
    }
    if (slot != parked_threads::none && start(slot))
        return outcome::accepted;
    return all_produce() ? outcome::no_thread : outcome::accepted;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::tell_if_it_has_none() noexcept
{
    static std::atomic<bool> told{false};
    if (!has_none() || told.exchange(true))
        return;
    auto const tell = [] {
        std::fputs("asio_ewyk: a handler is late, max_threads is 0, and no other thread is free"
                   " inside run(): other handlers of the context may wait (told once)\n",
            stderr);
    };
    if (!watchdog::call_later(tell))
        tell();
}

ASIO_EWYK_DECL task* elastic_threads::take(pool_client& client) noexcept
{
    if (queued_.load() == 0)
        return nullptr;
    std::lock_guard lock(mutex_);
    task* t = queue_.pop(client);
    queue_changed();
    return t;
}

ASIO_EWYK_DECL void elastic_threads::release(pool_client& client) noexcept
{
    if (client.unpin())
    {
        std::lock_guard lock(mutex_);
        changed_.notify_all();
    }
}

ASIO_EWYK_DECL void elastic_threads::run(pool_client& client, task* t) noexcept
{
    {
        call_frame frame(client.frame_key());
        frame.thread = call_frame::thread_of::pool;
        frame.in_task = true;
        try
        {
            client.run(t);
            frame.rethrow_captured();
        }
        catch (...)
        {
            std::exception_ptr const error = std::current_exception();
            if (options_.on_exception || !client.pass(error))
            {
                client.threw();
                report(error);
            }
        }
    }
    release(client);
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::report(std::exception_ptr error) noexcept
{
    exceptions_.add();
    if (!options_.on_exception)
        std::terminate();
    options_.on_exception(std::move(error));
}

// Under mutex_: the lowest free slot, so that the number in a thread's name tells how many threads
// there were. None is free for a moment when many threads end.
ASIO_EWYK_DECL ASIO_EWYK_COLD std::size_t elastic_threads::reserve_slot() noexcept
{
    auto free = workers_.end();
    try
    {
        if (workers_.empty())
            workers_.resize(2 * options_.max_threads);
        free = std::find_if(workers_.begin(), workers_.end(),
            [](auto const& w) { return !w || !w->used; });
        if (free == workers_.end())
            return parked_threads::none;
        if (!*free)
            *free = std::make_unique<worker>();
    }
    catch (std::bad_alloc const&)
    {
        return parked_threads::none;
    }
    worker& w = **free;
    w.used = true;
    w.starting = true;
    w.arriving = true;
    threads_.fetch_add(1);
    arriving_hint_.store(++arriving_);
    ++starting_;
    return static_cast<std::size_t>(free - workers_.begin());
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool elastic_threads::start(std::size_t slot) noexcept
{
    bool const started = start_one(slot);
    while (slot != parked_threads::none)
        start_one(slot);
    return started;
}

// Afterwards `slot` is that of another thread that is missing, or `none`.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool elastic_threads::start_one(std::size_t& slot) noexcept
{
    worker& w = *workers_[slot];
    bool started = true;
    try
    {
        w.thread = start_thread([this, slot = slot] { thread_main(slot); });
    }
    catch (...)
    {
        started = false;
    }
    std::lock_guard const lock(mutex_);
    --starting_;
    w.starting = false;
    if (started)
    {
        start_pause_.grant();
        started_.fetch_add(1);
    }
    else
    {
        start_pause_.refuse();
        start_failures_.fetch_add(1);
        arriving_hint_.store(--arriving_);
        threads_.fetch_sub(1);
        w.used = false;
    }
    // limit() may have allowed several threads.
    slot = started && lacks_thread() ? reserve_slot() : parked_threads::none;
    if (!started && queue_.size() != 0)
        mark_low();
    changed_.notify_all();
    return started;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::start_for_queue() noexcept
{
    std::size_t slot = parked_threads::none;
    {
        std::lock_guard lock(mutex_);
        if (lacks_thread())
            slot = reserve_slot();
    }
    if (slot != parked_threads::none)
        start(slot);
}

ASIO_EWYK_DECL void elastic_threads::thread_main(std::size_t slot)
{
    workers_[slot]->hooks_done = false;
    struct slot_in_use
    {
        elastic_threads& pool;
        std::size_t slot;
        ~slot_in_use() { pool.free_slot(slot); }
    };
    last_of_thread<slot_in_use> const first{*this, slot};
    of_this_thread_ = this;
    name_this_thread(options_.name, slot);
    scheduling_.apply();
    {
        std::lock_guard const lock(mutex_);
        signals_.apply();
    }
    unblock_signal(options_.stack_signal);
    trace_span const lives(trace_event::thread);
    if (options_.on_thread_start)
        options_.on_thread_start();
    with_recycled_memory([this, slot] {
        pool_client* client = nullptr;
        task* t = nullptr;
        while (next(slot, client, t))
            run(*client, t);
    });
    if (options_.on_thread_stop)
        options_.on_thread_stop();
    workers_[slot]->hooks_done = true;
}

// Called by a thread that ends, after the last hook and, except on Windows, the destructors of its
// thread-local objects. Both may use the pool: if the slot were free already, the thread could have
// to join itself.
//
// Tasks that were queued while threads that end had all the slots are left without a thread. So a
// thread that ends first starts the threads that are missing, in free slots only, and frees its own
// slot only when it sees, under the same lock, that no thread is missing, or none could be had.
ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::free_slot(std::size_t slot) noexcept
{
    worker& w = *workers_[slot];
    // std::exit() in a task destroys thread-local objects, too, while the thread goes on.
    if (!w.hooks_done)
        return;
    for (bool started = true;;)
    {
        test_point();
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !w.starting; }); // then w.thread is this one
        std::size_t const missing
            = started && lacks_thread() ? reserve_slot() : parked_threads::none;
        if (missing == parked_threads::none)
        {
            // The thread in ended_ has nothing left to do but end, so to join it is short. Only a
            // thread that ends does that, or the pool at its end: a thread that starts another one
            // may be in a destructor at its own end, where Windows lets none wait.
            std::thread before = std::exchange(ended_, std::move(w.thread));
            w.used = false;
            lock.unlock();
            if (before.joinable())
                before.join();
            return;
        }
        lock.unlock();
        started = start(missing);
    }
}

// Under mutex_, by a thread that is going to end. Its slot stays taken until free_slot().
ASIO_EWYK_DECL void elastic_threads::retire(std::size_t slot) noexcept
{
    workers_[slot]->arriving = false;
    threads_.fetch_sub(1);
}

ASIO_EWYK_DECL bool elastic_threads::next(std::size_t slot, pool_client*& client, task*& t)
{
    worker& w = *workers_[slot];
    w.id = this_thread_id();
    std::unique_lock lock(mutex_);
    if (std::exchange(w.arriving, false))
        arriving_hint_.store(--arriving_);
    for (;;)
    {
        if (has_one_too_many())
        {
            // This thread may have been woken for a task in the queue: another one is to take it.
            if (queue_.size() != 0)
                if (std::size_t const another = parked_.claim(); another != parked_threads::none)
                    wake_for_queue(another);
            retire(slot);
            return false;
        }
        if (fair_queue::entry const e = queue_.pop(); e.what)
        {
            queue_changed();
            client = static_cast<pool_client*>(e.from);
            client->pin();
            t = e.what;
            return true;
        }
        if (all_end())
        {
            retire(slot);
            return false;
        }
        lock.unlock();

        // Dekker with queued_: see doc/design.adoc. Otherwise a task could wait beside a parked
        // thread.
        trace_span const parks(trace_event::park);
        parked_.park(slot);
        test_point();
        if ((queued_.load() != 0 || all_end()) && parked_.withdraw(slot))
        {
            lock.lock();
            continue;
        }
        bool const claimed = w.sleep.park_until(
            threads_.load() > min_threads_.load() ? after(idle_timeout_.load()) : forever);
        if (!claimed)
        {
            test_point();
            lock.lock();
            if (threads_.load() > min_threads_.load() && parked_.withdraw(slot))
            {
                // No task is missed: a submitter that queues one from now on finds, under the lock,
                // that a thread may be started.
                if (queue_.size() != 0)
                    continue;
                retire(slot);
                return false;
            }
            lock.unlock();
            // Either claimed just now, or kept by min_threads: sleep until woken.
            w.sleep.park_until(forever);
        }
        w.on.leave();
        if (w.client)
        {
            client = std::exchange(w.client, nullptr);
            t = std::exchange(w.job, nullptr);
            return true;
        }
        lock.lock();
    }
}

// How limits are changed.

ASIO_EWYK_DECL worker_pool_limits elastic_threads::limits() const noexcept
{
    std::lock_guard lock(mutex_);
    return {min_threads_.load(), max_threads_.load(), idle_timeout_.load(), max_queue_};
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::limit(worker_pool_limits const& l)
{
    worker_pool_options all = options_;
    all.min_threads = l.min_threads;
    all.max_threads = l.max_threads;
    all.reserve = worker_pool_options::automatic;
    all.idle_timeout = l.idle_timeout;
    checked(std::move(all));
    std::string const most = std::to_string(options_.max_threads);
    std::string const range
        = (has_none() ? most : "from 1 to " + most) + ", which the pool was made with";
    check_option(
        l.max_threads <= options_.max_threads && (l.max_threads != 0 || has_none()),
        "worker_pool_limits::max_threads", range.c_str(), l.max_threads);
    // All are claimed before the first is woken, which could otherwise park again and be claimed
    // twice.
    std::vector<std::size_t> woken(2 * options_.max_threads);
    {
        std::lock_guard lock(mutex_);
        max_threads_.store(l.max_threads);
        min_threads_.store(l.min_threads);
        idle_timeout_.store(l.idle_timeout);
        max_queue_ = l.max_queue;
        std::size_t n = 0;
        while (n != woken.size() && (woken[n] = parked_.claim()) != parked_threads::none)
            ++n;
        woken.resize(n);
    }
    // They look at the limits again, and surplus threads end.
    for (std::size_t const thread : woken)
        wake_for_queue(thread);
    start_for_queue();
}

ASIO_EWYK_DECL void elastic_threads::take_signal_mask() noexcept
{
    signal_mask const mine;
    std::lock_guard const lock(mutex_);
    signals_ = mine;
}

// How clients, and in the end all threads, leave a pool.

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::leave(pool_client& client)
{
    if (!home_.is_here())
        return client.forget_tasks();
    std::unique_lock lock(mutex_);
    {
        task_list waiting = queue_.take_all(client);
        queue_changed();
        client.leave();
        lock.unlock();
    }
    lock.lock();
    client.begin_wait();
    // If a task of the client is on this thread, it ends the process and never returns.
    changed_.wait(
        lock, [&] { return client.pins() <= call_frame::pooled_for(client.frame_key()); });
    client.end_wait();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool elastic_threads::await(pool_client& client, std::size_t own,
    std::atomic<std::size_t> const& enough, time_point deadline)
{
    std::unique_lock lock(mutex_);
    client.begin_wait();
    bool const is_over = changed_.wait_until(lock, deadline,
        [&] { return (client.pins() <= own && client.size() == 0) || enough.load() != 0; });
    client.end_wait();
    return is_over;
}

ASIO_EWYK_DECL void elastic_threads::end_await()
{
    std::lock_guard lock(mutex_);
    changed_.notify_all();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::stop() noexcept
{
    if (!home_.is_here())
        return;
    {
        std::lock_guard lock(mutex_);
        stopping_.store(true);
    }
    while (drop_one())
        ;
    wake_parked();
}

ASIO_EWYK_DECL void elastic_threads::wake_parked() noexcept
{
    for (std::size_t t = parked_.claim(); t != parked_threads::none; t = parked_.claim())
        wake_for_queue(t);
}

// Destroys a waiting task outside of the lock, as its destructor may use the pool. The client is
// pinned meanwhile, so that it is not gone before.
ASIO_EWYK_DECL ASIO_EWYK_COLD bool elastic_threads::drop_one() noexcept
{
    task* t = nullptr;
    pool_client* client = nullptr;
    {
        std::lock_guard lock(mutex_);
        fair_queue::entry const e = queue_.pop();
        if (!e.what)
            return false;
        queue_changed();
        t = e.what;
        client = static_cast<pool_client*>(e.from);
        client->pin();
    }
    t->destroy();
    release(*client);
    return true;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::stop_and_wait()
{
    stop();
    if (home_.is_here())
        join_threads();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD bool elastic_threads::prepare_fork()
{
    if (of_this_thread_ == this)
        return false;
    {
        std::lock_guard lock(mutex_);
        forks_.store(std::this_thread::get_id());
    }
    wake_parked();
    join_threads();
    return true;
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::end_fork(bool is_child) noexcept
{
    if (is_child)
        home_.move_here();
    {
        std::lock_guard lock(mutex_);
        forks_.store({});
    }
    retry_start();
}

ASIO_EWYK_DECL ASIO_EWYK_COLD void elastic_threads::join_threads()
{
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return starting_ == 0; });
    }
    std::lock_guard joining(join_mutex_);
    auto const join = [this](std::thread& thread) {
        std::thread ended;
        {
            std::lock_guard lock(mutex_);
            if (thread.get_id() != std::this_thread::get_id())
                ended.swap(thread);
        }
        if (ended.joinable())
            ended.join();
    };
    for (auto const& w : workers_)
        if (w)
            join(w->thread);
    join(ended_); // last: threads that end meanwhile leave one there
}

ASIO_EWYK_DECL pool_metrics elastic_threads::metrics() const noexcept
{
    pool_metrics m;
    m.refused = refused_.get();
    m.run_by_caller = run_by_caller_.get();
    m.exceptions = exceptions_.get();
    m.starts = started_.load();
    m.start_failures = start_failures_.load();
    m.threads = m.running = threads_.load();
    auto const of_these = [&](std::size_t n) {
        n = std::min(n, m.running);
        m.running -= n;
        return n;
    };
    m.starting = of_these(arriving_hint_.load());
    m.parked = of_these(parked());
    m.producing = of_these(producers_.load());
    m.max_threads = max_threads_.load();
    m.low_on_threads = times_low_.get();
    m.low_on_threads_now = low();
    m.queued = queued();
    m.queued_max = std::max(static_cast<std::size_t>(most_queued_.get()), m.queued);
    return m;
}

} // namespace asio_ewyk::detail

#endif
