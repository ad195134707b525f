// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the engine did not do, or does not yet. Each case that is marked may fail in one check;
// beside it stands the same with an io_context, or with more threads, which shows that the case
// asks for no more than Asio gives.

#include "known_defect.hpp"
#include "pool_support.hpp"
#include <asio_ewyk/blocking_section.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <sched.h>
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(known_defects)

namespace {

using detail_event = ewyk::detail::trace_event;

asio::io_context::executor_type native(asio::io_context& ioc) { return ioc.get_executor(); }

// Threads inside run() for as long as it lives. What their handlers use is made before.
template <class Context>
class callers
{
public:
    explicit callers(Context& ctx, std::size_t n = 1) : work_(asio::make_work_guard(ctx))
    {
        while (threads_.size() != n)
            threads_.emplace_back([&ctx] { ctx.run(); });
    }

    callers(callers const&) = delete;
    callers& operator=(callers const&) = delete;

    ~callers() { join(); }

    void join()
    {
        work_.reset();
        for (auto& t : threads_)
            if (t.joinable())
                t.join();
    }

private:
    asio::executor_work_guard<typename Context::executor_type> work_;
    std::vector<std::thread> threads_;
};

// Holds the first thread that comes to an event of the trace, if the predicate says so.
class held_at
{
public:
    held_at(detail_event where, bool (*is_meant)())
    {
        where_ = where;
        is_meant_ = is_meant;
        came_ = std::make_unique<event>();
        go_on_ = std::make_unique<event>();
        taken_ = false;
        ewyk::detail::trace_recorder::set(&held_at::record);
    }

    held_at(held_at const&) = delete;
    held_at& operator=(held_at const&) = delete;

    ~held_at()
    {
        taken_ = true;
        ewyk::detail::trace_recorder::set(nullptr);
        go_on_->set();
    }

    bool wait(std::chrono::steady_clock::duration time) { return came_->wait(time); }
    void release() { go_on_->set(); }

private:
    static void record(ewyk::detail::trace_recorder::event const& e) noexcept
    {
        if (e.is != where_ || !is_meant_.load()() || taken_.exchange(true))
            return;
        came_->set();
        go_on_->wait();
    }

    static inline std::atomic<detail_event> where_{};
    static inline std::atomic<bool (*)()> is_meant_{nullptr};
    static inline std::atomic<bool> taken_{true};
    // Left to the next one: the thread may be on its way out of them.
    static inline std::unique_ptr<event> came_;
    static inline std::unique_ptr<event> go_on_;
};

// A producer that is counted in vain

// Two contexts share a pool, with one caller each. A thread of the pool is on its way to the first
// one, which no longer needs it. Meanwhile a handler of the second one waits for a native handler;
// all threads count as producing, so it was run by the only caller. The thread that comes back is
// to produce there. Whether it did.
bool second_context_goes_on(std::size_t threads)
{
    event section_over;
    event x_runs;
    event y_ran;
    event x_over;
    bool waited = false;
    ewyk::worker_pool pool({.max_threads = threads});
    ewyk::strategy_context first(pool);
    ewyk::strategy_context second(pool);
    deadline const d(second);
    BOOST_TEST(warm_up(pool, threads));
    callers const of_first(first);
    callers const of_second(second);
    held_at arrival(detail_event::arrive, [] { return true; });
    asio::post(native(first), [&] {
        {
            ewyk::blocking_section const section;
        }
        asio::post(native(first), [&] { section_over.set(); });
    });
    BOOST_TEST(arrival.wait(patience));
    BOOST_TEST(section_over.wait());
    asio::post(second, [&] {
        asio::post(native(second), [&] { y_ran.set(); });
        x_runs.set();
        waited = y_ran.wait();
        x_over.set();
    });
    BOOST_TEST(x_runs.wait());
    arrival.release();
    BOOST_TEST(x_over.wait());
    BOOST_TEST(y_ran.wait());
    return waited;
}

BOOST_AUTO_TEST_CASE(one_that_was_counted_in_vain_serves_another_context)
{
    BOOST_TEST(second_context_goes_on(1));
}

BOOST_AUTO_TEST_CASE(with_more_threads_another_context_is_served)
{
    BOOST_TEST(second_context_goes_on(8));
}

#if defined(ASIO_EWYK_HAS_LINUX)

// A thread that lingers

// Calls f after so many handlers.
void after_many(asio::io_context::executor_type ex, int left, std::function<void()> f)
{
    if (left == 0)
        return f();
    asio::post(ex, [=, f = std::move(f)] { after_many(ex, left - 1, f); });
}

// A native handler runs another context and is late. When that is over, its thread is to come out
// and take what waits for the pool. Whether it did.
bool pool_task_runs(std::size_t max_threads)
{
    event inner_runs;
    event release;
    event chain_over;
    event outer_over;
    event task_ran;
    ewyk::strategy_context ctx({.max_threads = max_threads});
    deadline const d(ctx);
    auto work = asio::make_work_guard(ctx);
    std::thread caller([&] { ctx.run(); });
    // After so many the thread that produces stays inside the io_context.
    after_many(native(ctx), 1000, [&] {
        ewyk::strategy_context local({.max_threads = 1});
        asio::post(local, [&] {
            inner_runs.set();
            release.wait();
        });
        local.run();
        outer_over.set();
    });
    BOOST_TEST(inner_runs.wait());
    after_many(native(ctx), 6000, [&] { chain_over.set(); });
    BOOST_TEST(chain_over.wait());
    release.set();
    BOOST_TEST(outer_over.wait());
    std::this_thread::sleep_for(50ms); // so that it is inside: nothing tells that
    // By the thread that waits for I/O, which is the other one.
    asio::steady_timer timer(native(ctx));
    event submitted;
    std::function<void()> const submit = [&] {
        timer.expires_after(5ms);
        timer.async_wait([&](auto) {
            asio::dispatch(
                asio::require(ctx.get_executor(), ewyk::strategy.produce_execute_consume),
                [&] { task_ran.set(); });
            submitted.set();
        });
    };
    asio::post(native(ctx), submit);
    BOOST_TEST(submitted.wait());
    bool const ran = task_ran.wait();
    for (int i = 0; i != 4; ++i)
        asio::post(ctx, [] {});
    BOOST_TEST(task_ran.wait());
    work.reset();
    caller.join();
    return ran;
}

BOOST_AUTO_TEST_CASE(one_that_ran_another_context_comes_out)
{
    bool ran = true;
    for (int round = 0; ran && round != 5; ++round)
        ran = pool_task_runs(1);
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(with_more_threads_none_needs_to_come_out) { BOOST_TEST(pool_task_runs(8)); }

#endif

// Few threads

// Two handlers wait for each other, and there are two threads. Whether they met.
template <class Context>
bool two_handlers_meet(Context& ctx, std::size_t n)
{
    std::mutex mutex;
    std::condition_variable changed;
    int arrived = 0; // guarded by mutex, as is
    int met = 0;
    {
        callers const all(ctx, n);
        for (int i = 0; i != 2; ++i)
            asio::post(ctx, [&] {
                std::unique_lock lock(mutex);
                ++arrived;
                changed.notify_all();
                met += changed.wait_for(lock, patience, [&] { return arrived == 2; });
            });
    }
    return met == 2;
}

BOOST_AUTO_TEST_CASE(two_threads_run_two_handlers)
{
    ewyk::strategy_context ctx({.max_threads = 1});
    deadline const d(ctx);
    BOOST_TEST(two_handlers_meet(ctx, 1));
}

BOOST_AUTO_TEST_CASE(two_threads_of_an_io_context_run_two_handlers)
{
    asio::io_context ctx;
    deadline const d(ctx);
    BOOST_TEST(two_handlers_meet(ctx, 2));
}

BOOST_AUTO_TEST_CASE(three_threads_run_two_handlers)
{
    ewyk::strategy_context ctx({.max_threads = 2});
    deadline const d(ctx);
    BOOST_TEST(two_handlers_meet(ctx, 1));
}

// A call inside a handler

// Handlers call the context themselves, for a time; so does the test. When those calls are over,
// the handlers wait for each other. Made before the context, whose handlers use it.
class calls_in_handlers
{
public:
    // Whether they met.
    template <class Context, class Executor>
    bool meet(Context& ctx, Executor const& ex, int more_callers,
        std::chrono::steady_clock::duration time)
    {
        auto const work = asio::make_work_guard(ctx);
        for (int i = 0; i != 2; ++i)
            asio::post(ex, [this, &ctx, time] {
                inside_.arrive_and_wait_for(2);
                ctx.run_for(200ms);
                {
                    std::unique_lock lock(mutex_);
                    ++arrived_;
                    changed_.notify_all();
                    met_ += changed_.wait_for(lock, time, [&] { return arrived_ == 2; });
                }
                over_.arrive();
            });
        std::vector<std::thread> others;
        for (int i = 0; i != more_callers; ++i)
            others.emplace_back([&] { ctx.run_for(100ms); });
        ctx.run_for(100ms);
        for (auto& t : others)
            t.join();
        BOOST_TEST(over_.wait_for(2));
        std::lock_guard const lock(mutex_);
        return met_ == 2;
    }

private:
    gathering inside_;
    gathering over_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0; // guarded by mutex_, as is
    int met_ = 0;
};

BOOST_AUTO_TEST_CASE(the_last_call_in_a_handler_returns, *known_defect())
{
    calls_in_handlers calls;
    ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume, .max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST(calls.meet(
        ctx, asio::require(ctx.get_executor(), ewyk::strategy.produce_execute_consume), 0,
        defect_patience));
}

BOOST_AUTO_TEST_CASE(the_last_call_in_a_handler_of_an_io_context_returns)
{
    calls_in_handlers calls;
    asio::io_context ctx;
    deadline const d(ctx);
    BOOST_TEST(calls.meet(ctx, ctx.get_executor(), 2, patience));
}

#if defined(ASIO_EWYK_HAS_LINUX)

// A helper that does not get the CPU

bool is_of_idle_class() { return ::sched_getscheduler(0) == SCHED_IDLE; }

// A sentinel that ended a lease might not get the CPU any more, before it has woken anybody.
BOOST_AUTO_TEST_CASE(no_thread_of_the_idle_class_takes_over)
{
    bool waited = true;
    std::deque<event> events; // handlers use them
    ewyk::strategy_context ctx({.max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST(warm_up(ctx.pool(), 2));
    callers const one(ctx);
    held_at sentinel(detail_event::take_over, &is_of_idle_class);
    for (int attempt = 0; attempt != 300; ++attempt)
    {
        event& next = events.emplace_back();
        event& over = events.emplace_back();
        asio::post(ctx, [&] {
            asio::post(ctx, [&] { next.set(); });
            waited = waited && next.wait();
            over.set();
        });
        BOOST_TEST(over.wait());
        BOOST_TEST(next.wait());
    }
    BOOST_TEST(!sentinel.wait(0ms));
    sentinel.release();
    BOOST_TEST(waited);
}

// Threads that keep each CPU busy, at normal priority.
class busy_threads
{
public:
    busy_threads()
    {
        for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n != 0; --n)
            threads_.emplace_back([this] {
                while (!over_)
                    ;
            });
    }

    ~busy_threads()
    {
        over_ = true;
        for (auto& t : threads_)
            t.join();
    }

private:
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

// Contexts that have had a handler that was late end beside busy threads. Of normal threads each
// gets the CPU after some milliseconds. A machine may stall for longer, but not twice. Whether they
// ended soon.
bool contexts_end_soon(std::chrono::nanoseconds grace)
{
    int late = 0;
    for (int round = 0; late != 2 && round != 12; ++round)
    {
        event next;
        std::optional<ewyk::strategy_context> ctx(
            std::in_place, ewyk::strategy_options{.grace = grace, .max_threads = 2});
        asio::post(*ctx, [&] {
            asio::post(*ctx, [&] { next.set(); });
            next.wait();
        });
        ctx->run();
        busy_threads const beside;
        std::this_thread::sleep_for(20ms);
        auto const begun = std::chrono::steady_clock::now();
        ctx.reset();
        late += std::chrono::steady_clock::now() - begun > 300ms;
    }
    return late != 2;
}

BOOST_AUTO_TEST_CASE(a_context_ends_soon_beside_busy_threads, *known_defect())
{
    BOOST_TEST(contexts_end_soon(ewyk::default_grace));
}

BOOST_AUTO_TEST_CASE(one_without_a_grace_ends_soon_beside_busy_threads)
{
    BOOST_TEST(contexts_end_soon(0ns));
}

// What a context has

// The sum of a line of the status of all threads.
unsigned long sleeps()
{
    unsigned long sum = 0;
    constexpr std::string_view key = "voluntary_ctxt_switches:";
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task"))
    {
        std::ifstream status(thread.path() / "status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with(key))
                sum += std::stoul(line.substr(key.size()));
    }
    return sum;
}

// A caller is inside run(), another one inside run_one(), and there is nothing to do. Whether all
// threads sleep through a while, soon.
template <class Context>
bool nothing_wakes_up(Context& ctx)
{
    auto work = asio::make_work_guard(ctx);
    std::thread one([&] { ctx.run(); });
    std::thread other([&] { ctx.run_one(); });
    bool quiet = false;
    for (int attempt = 0; !quiet && attempt != 6; ++attempt)
    {
        unsigned long const before = sleeps();
        std::this_thread::sleep_for(500ms);
        unsigned long const after = sleeps();
        quiet = after - before <= 10; // this thread has slept, too, and so may a sanitizer's
    }
    ctx.stop();
    one.join();
    other.join();
    return quiet;
}

BOOST_AUTO_TEST_CASE(one_that_steps_beside_another_wakes_nobody, *known_defect())
{
    ewyk::strategy_context ctx({.max_threads = 2});
    deadline const d(ctx);
    BOOST_TEST(nothing_wakes_up(ctx));
}

BOOST_AUTO_TEST_CASE(one_that_steps_beside_another_wakes_nobody_in_an_io_context)
{
    asio::io_context ctx;
    deadline const d(ctx);
    BOOST_TEST(nothing_wakes_up(ctx));
}

std::ptrdiff_t entries(char const* folder)
{
    std::filesystem::directory_iterator const all(folder);
    return std::distance(begin(all), end(all));
}

struct holdings
{
    std::ptrdiff_t descriptors = entries("/proc/self/fd");
    std::ptrdiff_t threads = entries("/proc/self/task");
};

// What each of so many more contexts adds, a while after a handler has blocked in it.
template <class Context, class Make>
holdings of_each(Make make)
{
    constexpr int many = 10;
    std::vector<std::unique_ptr<Context>> contexts;
    auto const add = [&] {
        Context& ctx = *contexts.emplace_back(make());
        event next;
        asio::steady_timer timer(ctx, 1ms);
        asio::post(ctx, [&] {
            timer.async_wait([&](auto) { next.set(); });
            next.wait(1s);
        });
        std::thread other([&] { ctx.run(); });
        ctx.run();
        other.join();
    };
    add(); // what the process has once
    std::this_thread::sleep_for(300ms);
    holdings const before;
    for (int i = 0; i != many; ++i)
        add();
    std::this_thread::sleep_for(300ms);
    holdings after;
    after.descriptors = (after.descriptors - before.descriptors) / many;
    after.threads = (after.threads - before.threads) / many;
    return after;
}

holdings of_each_io_context()
{
    return of_each<asio::io_context>([] { return std::make_unique<asio::io_context>(); });
}

holdings of_each_strategy_context()
{
    return of_each<ewyk::strategy_context>([] {
        return std::make_unique<ewyk::strategy_context>(
            ewyk::strategy_options{.max_threads = 2, .idle_timeout = 10ms});
    });
}

// Again if threads of a pool had no time to end.
BOOST_AUTO_TEST_CASE(a_context_keeps_no_descriptors_of_its_own)
{
    BOOST_TEST(eventually([] {
        return of_each_strategy_context().descriptors <= of_each_io_context().descriptors;
    }));
}

BOOST_AUTO_TEST_CASE(a_context_keeps_no_threads_of_its_own)
{
    BOOST_TEST(eventually(
        [] { return of_each_strategy_context().threads <= of_each_io_context().threads; }));
}

#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
