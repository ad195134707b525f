// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A spike: a context with one queue, the io_context's own. See doc/one_queue.adoc.
//
// Of the library it uses, as they are: sentinel, watchdog, thread_probe, lessor, leave_run, parker,
// parked_threads, basic_executor, choose, the words; and lease, with three functions more
// (patch_lease.py). Its own, simplified: the frame, the crew (callers and pool), the wrapper.
// Left out: exceptions on threads of the pool, forks, sections, metrics, traces, idle timeouts.

#ifndef ONE_QUEUE_HPP
#define ONE_QUEUE_HPP

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/engine/sentinel.hpp>
#include <asio_ewyk/detail/executor/basic_executor.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>
#include <asio_ewyk/detail/os/io_context_work.hpp>
#include <asio_ewyk/detail/os/leave_run.hpp>
#include <asio_ewyk/detail/os/parker.hpp>
#include <asio_ewyk/detail/pool/parked_threads.hpp>

#include <boost/asio.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace one_queue {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
namespace d = asio_ewyk::detail;

class queue_context;

// A thread that is inside the io_context of a context, or in a task that was given to the pool.
struct frame
{
    queue_context* of;
    frame* outer;
    d::lease::number number = 0;
    bool holds = false;   // the lease with that number, as far as it knows
    bool stays = false;   // inside run(), so it can leave by leave_run
    bool in_task = false; // nested wrappers run as a part of it
    bool pooled = false;  // not inside the io_context
    std::atomic<int>* place = nullptr;

    inline static thread_local frame* top = nullptr;

    explicit frame(queue_context& c) : of(&c), outer(top) { top = this; }
    ~frame() { top = outer; }
    frame(frame const&) = delete;

    static frame* find(queue_context const* c) noexcept
    {
        frame* f = top;
        while (f && f->of != c)
            f = f->outer;
        return f;
    }
};

struct work
{
    explicit work(queue_context& c) noexcept;
    d::io_context_work w;
};

struct traits
{
    using target_type = queue_context;
    using work = one_queue::work;
    static constexpr bool has_strategy = true;
    static constexpr bool captures = true;

    static asio::io_context& context(queue_context& c) noexcept;
    static bool running_in_this_thread(queue_context& c) noexcept;
#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
    static void work_started(queue_context& c) noexcept;
    static void work_finished(queue_context& c) noexcept;
#endif
    template <class F, class A>
    static void execute(queue_context& c, d::submission s, F&& f, A const& a);
};

using executor = d::basic_executor<traits, std::allocator<void>, false>;

// What is posted to the io_context: the function and how it is to be run.
template <class F>
struct wrapper
{
    d::packed_target<queue_context> to;
    F f;

    void operator()();
};

struct options
{
    ewyk::strategy_t strategy = ewyk::strategy_t::eat_what_you_kill;
    std::chrono::nanoseconds grace = std::chrono::microseconds(10);
    std::size_t max_threads = 200;
    int hint = BOOST_ASIO_CONCURRENCY_HINT_DEFAULT;

    // What is done where a native handler was late, so that its thread does not linger inside.
    enum native_t
    {
        linger, // nothing
        visits, // run_one() instead of run() for a while: each handler's thread comes out after it
        token,  // a handler of ours comes round from time to time, until one thread is inside
        both,
    } native = both;

    // For experiments.
    bool leases_with_hint_1 = false;
    enum flaw_t { none, no_empty_handler, late_clear, no_look_after_parking } flaw = none;

    // Grace 0: whether several threads stay inside, and Asio hands over; or each lease is ended
    // before the task, and another thread is woken.
    bool asio_hands_over = false;
};

class alignas(d::target_alignment) queue_context : public asio::io_context, private d::lessor
{
public:
    using executor_type = executor;
    using base = asio::io_context;

    queue_context() : queue_context(options{}) {}
    explicit queue_context(options const& o)
        : base(o.hint)
        , o_(o)
        , crew_(callers + max_pool)
        , members_(callers + max_pool)
        , sentinel_(lease_, *this, o.grace)
        , plain_((o.hint == 1 && !o.leases_with_hint_1) || o.strategy == ewyk::strategy_t::produce_consume)
        , eager_(!plain_ && o.grace.count() == 0 && o.asio_hands_over)
        , leases_(!plain_ && !eager_ && o.strategy != ewyk::strategy_t::produce_execute_consume)
    {
        o_.max_threads = std::min(o_.max_threads, max_pool);
        if (leases_)
            token_.emplace(native()); // and so a waiting thread waits for I/O
        for (std::size_t i = 0; i != callers; ++i)
            members_[i] = std::make_unique<member>();
    }
    ~queue_context()
    {
        sentinel_.stop(true);
        ending_.store(true);
        base::stop();
        wake_all();
        std::vector<std::thread> all;
        {
            std::lock_guard l(mutex_);
            all.swap(threads_);
        }
        for (auto& t : all)
            t.join();
        shutdown();
    }

    executor get_executor() noexcept { return executor(*this, {o_.strategy, {}}); }
    base& native() noexcept { return *this; }

    // Callers. All but run() are Asio's; with one thread at a time there would be a lease around.
    std::size_t run();
    void stop()
    {
        base::stop();
        wake_all();
    }

    struct counts_t
    {
        std::atomic<std::uint64_t> taken_over{0}, left{0}, superseded{0}, reclaimed{0}, called_out{0}, native{0},
            started{0}, given{0}, in_vain{0};
    } counts;

private:
    template <class>
    friend struct wrapper;
    friend struct traits;

    static constexpr std::size_t callers = 64;
    static constexpr std::size_t max_pool = 256;
    static constexpr int visits_after_native = 2000;
    static constexpr int spare = 2; // with grace 0: how many may wait inside

    struct pool_task
    {
        virtual ~pool_task() = default;
        virtual void run() = 0;
    };
    // A caller inside run(), or a thread of the pool. What its thread does is written by it alone,
    // plainly; others count those that may be waiting in the io_context.
    enum place : int
    {
        elsewhere,
        inside_io, // or in a native handler
        in_a_task, // of ours
    };
    struct alignas(64) member
    {
        d::parker sleep;
        std::atomic<int> where{elsewhere};
        void is(place p) noexcept { where.store(p, std::memory_order_relaxed); }
    };
    int inside() const noexcept
    {
        int n = 0;
        for (std::size_t i = 0, end = callers + started_.load(); i != end; ++i)
            n += members_[i] && members_[i]->where.load(std::memory_order_relaxed) == inside_io;
        return n;
    }

    // Where a wrapper is run by a thread that is inside.
    template <class F>
    void decide(frame& fr, d::submission s, F& f);
    template <class F>
    void run_on_lease(frame& fr, F& f);
    template <class F>
    void run_kept(frame& fr, F& f);
    template <class F>
    void run_eagerly(frame& fr, F& f);
    template <class F>
    void give(F& f);

    void settle(frame& fr) noexcept;
    void leave(frame& fr) noexcept
    {
        // An exception of the handler takes it out anyway.
        if (fr.stays && std::uncaught_exceptions() == 0)
            d::leave_run::request(*this);
    }

    std::size_t produce(d::lease::number n, std::size_t slot);
    outcome ask(bool may_start) noexcept;
    bool start_thread() noexcept;
    void work(std::size_t slot) noexcept;
    pool_task* take() noexcept;
    void wake_all() noexcept
    {
        for (std::size_t slot; (slot = crew_.claim()) != d::parked_threads::none;)
            members_[slot]->sleep.unpark();
    }
    void called_out();

    bool may_take_over(d::lease::sight const&) const noexcept override
    {
        return runners_.load() != 0 && (crew_.size() != 0 || started_.load() < o_.max_threads);
    }
    outcome take_over(d::lease::number n, bool may_start) noexcept override
    {
        if (!lease_.end(n))
            return outcome::ended;
        counts.taken_over.fetch_add(1, std::memory_order_relaxed);
        if (lease_.look().what_was(n) != d::lease::activity::task)
        {
            counts.native.fetch_add(1, std::memory_order_relaxed);
            visits_.store(visits_after_native, std::memory_order_relaxed);
            if (o_.native == options::token || o_.native == options::both)
                call_out();
        }
        return ask(may_start);
    }
    bool goes_quiet() noexcept override { return true; }
    void call_out() noexcept override
    {
        if (!calling_.exchange(true))
            asio::post(native().get_executor(), [this] { called_out(); });
    }
    bool waits_for_io() const noexcept override { return inside() <= 1; }
    void start_pending() noexcept override { start_thread(); }
    void release(d::lease::number n) noexcept override { take_over(n, true); }
    void go_away(d::call_frame&) noexcept override {}
    void come_back(d::call_frame&) noexcept override {}

    options o_;
    d::lease lease_;

    // A thread was asked to come, and has not looked yet. Whoever comes clears it, and then tries
    // the lease; whoever has ended a lease sets it, and then wakes a thread if it was not set.
    alignas(64) std::atomic<bool> asked_{false};
    std::atomic<bool> calling_{false};
    std::atomic<int> visits_{0};
    std::optional<asio::steady_timer> token_; // of the thread that has taken calling_
    std::chrono::microseconds pace_{0};   // likewise
    std::atomic<int> waiting_{0}; // of them, not in a task; with grace 0
    std::atomic<int> runners_{0}; // callers inside run()
    std::atomic<int> active_{0};  // threads of the pool that are not parked
    std::atomic<bool> ending_{false};
    std::atomic<std::size_t> caller_slots_{0};
    d::parked_threads crew_; // callers in the first places
    std::vector<std::unique_ptr<member>> members_;
    std::atomic<std::size_t> started_{0};
    std::mutex mutex_;
    std::vector<std::thread> threads_;
    std::deque<std::unique_ptr<pool_task>> tasks_;
    std::atomic<std::size_t> queued_{0};
    d::sentinel sentinel_;
    bool const plain_;
    bool const eager_;
    bool const leases_;
};

inline work::work(queue_context& c) noexcept
    : w(asio::require(c.native().get_executor(), asio::execution::outstanding_work.tracked))
{
}
inline asio::io_context& traits::context(queue_context& c) noexcept { return c; }
inline bool traits::running_in_this_thread(queue_context& c) noexcept
{
    return frame::find(&c) || c.native().get_executor().running_in_this_thread();
}
#if defined(ASIO_EWYK_DETAIL_TS_EXECUTORS)
inline void traits::work_started(queue_context& c) noexcept
{
    c.native().get_executor().on_work_started();
}
inline void traits::work_finished(queue_context& c) noexcept
{
    c.native().get_executor().on_work_finished();
}
#endif

template <class F, class A>
void traits::execute(queue_context& c, d::submission s, F&& f, A const& a)
{
    // What io_context::executor_type::execute() does where this thread is inside, without its fence.
    if (!s.blocking_never && !c.plain_)
        if (frame* const fr = frame::find(&c))
        {
            std::decay_t<F> here(std::forward<F>(f));
            try
            {
                return fr->in_task ? here() : c.decide(*fr, s, here);
            }
            catch (...)
            {
                if (fr->pooled)
                    throw;
                // Asio keeps it until the handler around it is over.
                return c.native().get_executor().execute(
                    [e = std::current_exception()] { std::rethrow_exception(e); });
            }
        }
    auto const submit = [&](auto ex) {
        if (s.blocking_never)
            ex = asio::require(ex, asio::execution::blocking.never);
        if (s.continuation)
            ex = asio::require(ex, asio::execution::relationship.continuation);
        if (c.plain_)
            ex.execute(std::forward<F>(f));
        else
            ex.execute(wrapper<std::decay_t<F>>{{c, s}, std::forward<F>(f)});
    };
    if constexpr (std::is_same_v<A, std::allocator<void>>)
        submit(c.native().get_executor());
    else
        submit(asio::require(c.native().get_executor(), asio::execution::allocator(a)));
}

template <class F>
void wrapper<F>::operator()()
{
    queue_context& c = to.target();
    // Not inside: through the base class, or a caller steps. In a task: a part of it.
    frame* const fr = frame::find(&c);
    if (!fr || fr->in_task) [[unlikely]]
        return f();
    c.decide(*fr, to.get(), f);
}

template <class F>
void queue_context::decide(frame& fr, d::submission s, F& f)
{
    using enum d::sub_strategy;
    switch (d::choose(s.strategy, s.invocation, d::this_thread_may_block, true))
    {
    case execute_produce_consume:
        return leases_ ? run_on_lease(fr, f) : eager_ ? run_eagerly(fr, f) : f();
    case produce_consume:
    case produce_invoke_consume:
        return leases_ ? run_kept(fr, f) : f();
    case produce_execute_consume:
        return give(f);
    }
}

// After a task, and after an exception of one: the thread is the producer still, or again; or it
// leaves.
inline void queue_context::settle(frame& fr) noexcept
{
    if (fr.holds && lease_.renew(fr.number)) [[likely]]
    {
        ++fr.number;
        return;
    }
    counts.superseded.fetch_add(1, std::memory_order_relaxed);
    fr.holds = lease_.acquire(fr.number);
    if (fr.holds)
        counts.reclaimed.fetch_add(1, std::memory_order_relaxed);
    else
        leave(fr);
}

template <class F>
void queue_context::run_on_lease(frame& fr, F& f)
{
    struct end
    {
        queue_context& c;
        frame& fr;
        ~end()
        {
            fr.in_task = false;
            fr.place->store(inside_io, std::memory_order_relaxed);
            c.settle(fr);
        }
    } const on_exit{*this, fr};
    fr.in_task = true;
    fr.place->store(in_a_task, std::memory_order_relaxed);
    if (o_.grace.count() == 0)
    {
        if (fr.holds && lease_.end(fr.number))
            ask(true);
        fr.holds = false;
    }
    else if (fr.holds)
    {
        // If an earlier handler, which nothing marked, was late, this is the mark of a lease that
        // has ended, and says nothing.
        lease_.mark(fr.number, d::lease::activity::task);
        sentinel_.alert();
    }
    f();
}

template <class F>
void queue_context::run_kept(frame& fr, F& f)
{
    struct end
    {
        queue_context& c;
        frame& fr;
        bool const keeps;
        ~end()
        {
            fr.in_task = false;
            if (keeps)
                c.lease_.keep_no_more(fr.number);
            else
                c.settle(fr);
        }
    };
    bool const keeps = fr.holds && lease_.keep(fr.number);
    fr.number += keeps;
    fr.holds = keeps;
    end const on_exit{*this, fr, keeps};
    fr.in_task = true;
    f();
}

// Grace 0: Asio hands over itself, for it wakes a thread that waits inside when it takes a handler
// from its queue while there is more. So there must be one.
template <class F>
void queue_context::run_eagerly(frame& fr, F& f)
{
    struct end
    {
        queue_context& c;
        frame& fr;
        ~end()
        {
            fr.in_task = false;
            if (c.waiting_.fetch_add(1) >= spare)
                c.leave(fr);
        }
    };
    if (waiting_.fetch_sub(1) <= 1)
        ask(true);
    end const on_exit{*this, fr};
    fr.in_task = true;
    f();
}

template <class F>
void queue_context::give(F& f)
{
    struct one : pool_task
    {
        one(queue_context& c, F&& f) : c(c), w(c), f(std::move(f)) {}
        void run() override
        {
            frame fr(c);
            fr.in_task = fr.pooled = true;
            F here(std::move(f));
            here();
        }
        queue_context& c;
        one_queue::work w;
        F f;
    };
    auto t = std::make_unique<one>(*this, std::move(f));
    counts.given.fetch_add(1, std::memory_order_relaxed);
    {
        std::lock_guard l(mutex_);
        tasks_.push_back(std::move(t));
    }
    queued_.fetch_add(1);
    if (std::size_t const slot = crew_.claim(); slot != d::parked_threads::none)
        members_[slot]->sleep.unpark();
    else
        start_thread();
}

inline queue_context::pool_task* queue_context::take() noexcept
{
    if (queued_.load() == 0)
        return nullptr;
    std::lock_guard l(mutex_);
    if (tasks_.empty())
        return nullptr;
    pool_task* const t = tasks_.front().release();
    tasks_.pop_front();
    queued_.fetch_sub(1);
    return t;
}

// Has a thread come that tries the lease. No lost wake-up: see DESIGN.adoc.
inline d::lessor::outcome queue_context::ask(bool may_start) noexcept
{
    if (asked_.exchange(true))
        return outcome::taken;
    if (std::size_t const slot = crew_.claim(); slot != d::parked_threads::none)
    {
        members_[slot]->sleep.unpark();
        return outcome::taken;
    }
    if (!may_start)
        return outcome::needs_start;
    start_thread(); // if none can be had, the first that is free sees asked_
    return outcome::taken;
}

inline bool queue_context::start_thread() noexcept
{
    std::lock_guard l(mutex_);
    std::size_t const n = started_.load();
    if (n >= o_.max_threads || ending_.load())
        return false;
    auto& m = members_[callers + n];
    if (!m)
        m = std::make_unique<member>();
    active_.fetch_add(1);
    try
    {
        threads_.emplace_back([this, n] { work(callers + n); });
    }
    catch (...)
    {
        active_.fetch_sub(1);
        return false;
    }
    started_.store(n + 1);
    counts.started.fetch_add(1, std::memory_order_relaxed);
    return true;
}

// A thread that is inside: produces until it is superseded, or the io_context stops.
inline std::size_t queue_context::produce(d::lease::number n, std::size_t slot)
{
    // The next to take over is there already: the sentinel can start none.
    if (leases_ && crew_.size() == 0)
        start_thread();
    frame fr(*this);
    fr.number = n;
    fr.holds = !eager_;
    fr.stays = eager_;
    fr.place = &members_[slot]->where;
    members_[slot]->is(inside_io);
    waiting_.fetch_add(1);
    if (leases_ && o_.grace.count() != 0)
        sentinel_.alert(); // a native handler, which marks nothing, may come first
    struct out
    {
        queue_context& c;
        frame& fr;
        ~out()
        {
            fr.place->store(elsewhere);
            c.waiting_.fetch_sub(1);
            if (fr.holds && c.lease_.end(fr.number) && !c.stopped())
                c.ask(true);
            if (c.stopped())
                c.wake_all();
            else
            {
                // Asio keeps what a handler has posted as a continuation until the handler is over,
                // and then expects the same thread to take it: nobody was woken for it.
                c.counts.left.fetch_add(1, std::memory_order_relaxed);
                if (c.o_.flaw != options::no_empty_handler)
                    asio::post(c.native().get_executor(), [] {});
            }
        }
    } const on_exit{*this, fr};
    std::size_t count = 0;
    for (;;)
    {
        if (o_.native == options::linger || o_.native == options::token || visits_.load(std::memory_order_relaxed) <= 0)
        {
            fr.stays = true;
            count += d::leave_run::run_until_left(*this);
            fr.stays = false;
            if (!fr.holds || stopped())
                return count;
            continue;
        }
        std::size_t const n = base::run_one();
        count += n;
        if (stopped() || n == 0)
            return count;
        visits_.store(visits_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        if (fr.holds)
            settle(fr);
        if (!fr.holds)
            return count;
    }
}

inline std::size_t queue_context::run()
{
    if (frame::find(this))
        return base::run(); // nested: see DESIGN.adoc
    std::size_t slot = 0;
    for (std::size_t all = caller_slots_.load();;)
    {
        slot = static_cast<std::size_t>(std::countr_one(all));
        if (caller_slots_.compare_exchange_weak(all, all | std::size_t{1} << slot))
            break;
    }
    runners_.fetch_add(1);
    struct out
    {
        queue_context& c;
        std::size_t slot;
        ~out()
        {
            c.caller_slots_.fetch_and(~(std::size_t{1} << slot));
            if (c.runners_.fetch_sub(1) == 1)
                while (c.active_.load() != 0) // no handler runs afterwards
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    } const on_exit{*this, slot};
    std::size_t count = 0;
    while (!stopped())
    {
        if (o_.flaw != options::late_clear)
            asked_.store(false);
        if (d::lease::number n = 0; eager_ ? waiting_.load() < spare : lease_.acquire(n))
        {
            count += produce(n, slot);
            continue;
        }
        if (pool_task* t = take())
        {
            t->run();
            delete t;
            continue;
        }
        if (o_.flaw == options::late_clear)
            asked_.store(false);
        crew_.park(slot);
        if (o_.flaw != options::no_look_after_parking && (stopped() || asked_.load() || (!eager_ && lease_.is_free()) || queued_.load())
            && crew_.withdraw(slot))
            continue;
        members_[slot]->sleep.park_until(d::forever);
    }
    return count;
}

// A thread of the pool.
inline void queue_context::work(std::size_t slot) noexcept
{
    for (;;)
    {
        bool const asked = o_.flaw == options::late_clear ? asked_.load() : asked_.exchange(false);
        if (d::lease::number n = 0; asked && runners_.load() != 0 && !stopped()
            && (eager_ ? waiting_.load() < spare : lease_.acquire(n)))
        {
            produce(n, slot);
            continue;
        }
        if (asked)
            counts.in_vain.fetch_add(1, std::memory_order_relaxed);
        if (pool_task* t = take())
        {
            t->run();
            delete t;
            continue;
        }
        if (o_.flaw == options::late_clear)
            asked_.store(false);
        active_.fetch_sub(1);
        crew_.park(slot);
        if (!((ending_.load() || (asked_.load() && o_.flaw != options::no_look_after_parking) || queued_.load()) && crew_.withdraw(slot)))
            members_[slot]->sleep.park_until(d::forever);
        if (ending_.load())
            return;
        active_.fetch_add(1);
    }
}

// A handler of the io_context's own: whoever runs it shows that it is not stuck, and leaves if it
// was superseded.
inline void queue_context::called_out()
{
    counts.called_out.fetch_add(1, std::memory_order_relaxed);
    if ((o_.native == options::token || o_.native == options::both) && inside() > 1 && !stopped())
    {
        // Under load some handlers later, and less and less often while nobody leaves.
        frame const* const by = frame::find(this);
        bool const leaves = by && leases_ && !by->in_task && !(by->holds && lease_.is(by->number));
        pace_ = leaves ? std::chrono::microseconds(200) : std::min(pace_ * 5 / 4 + std::chrono::microseconds(200), std::chrono::microseconds(50000));
        token_->expires_after(pace_);
        token_->async_wait(asio::bind_executor(native().get_executor(), [this](auto const&) { called_out(); }));
    }
    else
    {
        pace_ = {};
        calling_.store(false);
    }
    if (frame* const fr = frame::find(this); fr && !fr->in_task && leases_)
        settle(*fr);
}

} // namespace one_queue

#endif
