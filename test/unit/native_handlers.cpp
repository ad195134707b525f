// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Handlers on the io_context's own executor, as those of a class that knows an asio::io_context only.

#include "diagnostics/trace_support.hpp"
#include "pool_support.hpp"

#include <asio_ewyk/blocking_section.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>
#include <asio_ewyk/detail/os/wait_hook.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)
#include <sys/eventfd.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(native_handlers)

namespace {

using namespace support;

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

ewyk::strategy_options with_threads(ewyk::strategy_t s)
{
    return {.strategy = s, .max_threads = 4};
}

asio::io_context::executor_type native(asio::io_context& ioc)
{
    return ioc.get_executor();
}

// Keeps the CPU. False if that takes too long.
template <class Condition>
bool spin_until(Condition condition)
{
    auto const end = std::chrono::steady_clock::now() + patience;
    while (!condition())
        if (std::chrono::steady_clock::now() >= end)
            return false;
    return true;
}

// Calls f after so many handlers, so that the thread stays inside the io_context.
void after_many(asio::io_context::executor_type ex, int left, std::function<void()> f)
{
    if (left == 0)
        return f();
    asio::post(ex, [=, f = std::move(f)] { after_many(ex, left - 1, f); });
}

#if defined(ASIO_EWYK_HAS_LINUX)
// Elsewhere nothing tells that such a handler has blocked.
#define LINUX_DATA_TEST_CASE BOOST_DATA_TEST_CASE
#else
#define LINUX_DATA_TEST_CASE(name, ...) \
    [[maybe_unused]] static void name([[maybe_unused]] ewyk::strategy_t s)
#endif

} // namespace

// It completes while the first one waits.
LINUX_DATA_TEST_CASE(one_may_wait_for_another, leasing, s)
{
    event done;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    bool waited = false;
    asio::steady_timer one(native(ctx), 1ms);
    asio::steady_timer two(native(ctx), 5ms);
    one.async_wait([&](auto) { waited = done.wait(); });
    two.async_wait([&](auto) { done.set(); });
    BOOST_TEST(ctx.run() == 2u);
    BOOST_TEST(waited);
}

// Another thread produces then, and sleeps. Two ways in which it is not run in place: the handler
// has given up its right, or the task is for the pool.
LINUX_DATA_TEST_CASE(what_a_late_one_dispatches_runs_elsewhere, leasing, s)
{
    for (bool const has_section : {false, true})
    {
        ewyk::strategy_context ctx(with_threads(s));
        deadline const d(ctx);
        auto work = asio::make_work_guard(ctx);
        auto const ex = asio::require(ctx.get_executor(),
            has_section ? s : ewyk::strategy_t::produce_execute_consume);
        event taken_over, done;
        bool waited = false;
        asio::post(native(ctx), [&] {
            asio::post(ctx, [&] { taken_over.set(); });
            std::optional<ewyk::blocking_section> section;
            if (has_section)
                section.emplace();
            if (taken_over.wait())
            {
                // Nothing tells that it has fallen asleep; if it has not, nothing is tested.
                std::this_thread::sleep_for(20ms);
                asio::dispatch(ex, [&] { done.set(); });
                waited = done.wait();
            }
            work.reset();
        });
        ctx.run();
        BOOST_TEST(waited);
    }
}

// The caller has given up the right in such a handler, and stays inside the io_context. The pool's
// only thread produces, and gives away what the caller is to run.
BOOST_AUTO_TEST_CASE(one_with_a_section_is_called_out_for_what_the_pool_is_given)
{
    bool ran = true;
    for (int round = 0; round != 20 && ran; ++round)
    {
        ewyk::strategy_context ctx(
            {.strategy = ewyk::strategy_t::produce_execute_consume, .max_threads = 1});
        deadline const d(ctx);
        auto work = asio::make_work_guard(ctx);
        event elsewhere, done;
        asio::steady_timer later(native(ctx));
        bool taken_over = false;
        asio::post(native(ctx), [&] {
            ewyk::blocking_section const section;
            asio::post(native(ctx), [&] { elsewhere.set(); });
            taken_over = elsewhere.wait();
            later.expires_after(1ms);
            later.async_wait(asio::bind_executor(ctx.get_executor(), [&](auto) { done.set(); }));
        });
        std::thread caller([&] { ctx.run(); });
        BOOST_TEST((ran = done.wait()));
        BOOST_TEST(taken_over);
        work.reset();
        caller.join();
    }
}

// Those that call run() take over as well as threads of the pool.
LINUX_DATA_TEST_CASE(callers_of_run_take_over, leasing, s)
{
    event other;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    bool waited = false;
    asio::steady_timer late(native(ctx), 1ms);
    asio::steady_timer on_time(native(ctx), 3ms);
    late.async_wait([&](auto) { waited = other.wait(); });
    on_time.async_wait([&](auto) { other.set(); });
    std::thread another([&] { ctx.run(); });
    ctx.run();
    another.join();
    BOOST_TEST(waited);
}

// The thread that is started for the first one comes when that has returned, and is not needed. Meanwhile
// its thread has begun to wait for I/O again, and that ends with the second one.
LINUX_DATA_TEST_CASE(one_may_wait_while_a_thread_comes_in_vain, leasing, s)
{
    event starts;
    event may_start;
    auto options = with_threads(s);
    options.on_thread_start = [&] {
        starts.set();
        may_start.wait();
    };
    event first;
    event second;
    ewyk::strategy_context ctx(options);
    deadline const d(ctx);
    auto work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    asio::post(native(ctx), [&] {
        starts.wait();
        first.set();
    });
    BOOST_TEST(first.wait());
    bool waited = false;
    asio::post(native(ctx), [&] {
        may_start.set();
        eventually([&] { return ctx.pool().metrics().parked != 0; });
        event other;
        asio::post(ctx, [&] { other.set(); });
        waited = other.wait();
        second.set();
    });
    BOOST_TEST(second.wait());
    BOOST_TEST(waited);
    work.reset();
    runner.join();
}

// When the thread began to wait for I/O none could have come for it.
LINUX_DATA_TEST_CASE(one_may_wait_that_comes_before_threads_are_free, leasing, s)
{
    auto options = with_threads(s);
    options.max_threads = 2;
    gathering busy;
    gathering ended;
    event free;
    event began_again;
    event done;
    ewyk::strategy_context ctx(options);
    deadline const d(ctx);
    auto work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    for (int i = 0; i != 2; ++i)
        asio::post(asio::require(ctx.get_executor(), ewyk::strategy.produce_execute_consume), [&] {
            busy.arrive();
            free.wait();
            ended.arrive();
        });
    BOOST_TEST(busy.wait_for(2));
    asio::post(native(ctx), [&] { began_again.set(); });
    BOOST_TEST(began_again.wait());
    bool waited = false;
    asio::post(native(ctx), [&] {
        free.set();
        ended.wait_for(2);
        event other;
        asio::post(ctx, [&] { other.set(); });
        waited = other.wait();
        done.set();
    });
    BOOST_TEST(done.wait());
    BOOST_TEST(waited);
    work.reset();
    runner.join();
}

// Also after the context was idle, once one has been seen: from its next one on.
LINUX_DATA_TEST_CASE(under_load_each_may_wait, leasing, s)
{
    constexpr int rounds = 200;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    int waited = 0;
    std::function<void(int)> go = [&](int left) {
        asio::post(native(ctx), [&, left] {
            if (left == 0)
                return;
            auto const next = std::make_shared<event>();
            asio::post(native(ctx), [next] { next->set(); });
            waited += next->wait();
            go(left - 1);
        });
    };
    go(rounds);
    ctx.run();
    BOOST_TEST(waited == rounds);
}

// The thread that is lent meanwhile runs the others without a wake-up for them.
LINUX_DATA_TEST_CASE(production_does_not_wait_for_one_that_blocks, leasing, s)
{
    constexpr int many = 20'000;
    event release;
    event taken_over;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    bool waited = false;
    std::chrono::steady_clock::duration took{};
    auto const begin = std::chrono::steady_clock::now();
    ewyk::trace::start({.events_per_thread = 1 << 18});
    asio::post(native(ctx), [&] {
        asio::post(native(ctx), [&] {
            taken_over.set();
            after_many(native(ctx), many, [&] {
                // At the end of run() threads are woken as well.
                ewyk::trace::stop();
                took = std::chrono::steady_clock::now() - begin;
                release.set();
            });
        });
        waited = taken_over.wait() && release.wait();
    });
    ctx.run();
    BOOST_TEST(waited);
    auto const t = write_and_read();
    BOOST_TEST(t.dropped == 0);
    // The owner is called now and then, by the clock, and helpers leave when they find nothing.
    BOOST_TEST(t.count('i', "wake-up") <= many / 128u + static_cast<std::size_t>(took / 16ms));
}

// Nothing marks a native handler that ends a wait, and after a silence nothing watches closely. However
// long the silence was, it is noticed.
LINUX_DATA_TEST_CASE(the_first_one_after_a_silence_may_wait, leasing, s)
{
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    for (auto const silence : {0ms, 50ms, 300ms, 1000ms})
    {
        std::this_thread::sleep_for(silence);
        event done;
        event waited;
        asio::post(native(ctx), [&] {
            if (done.wait())
                waited.set();
        });
        asio::post(native(ctx), [&] { done.set(); });
        BOOST_TEST(waited.wait(), silence.count());
    }
    ctx.stop();
    runner.join();
}

// By then the watchdog looks each time after another second and more. A machine may stall for as
// long, but not three times.
LINUX_DATA_TEST_CASE(the_first_of_all_that_blocks_is_noticed_before_the_next_look, leasing, s)
{
    bool noticed = false;
    for (int attempt = 0; attempt != 3 && !noticed; ++attempt)
    {
        event done;
        event tried;
        ewyk::strategy_context ctx(with_threads(s));
        deadline const d(ctx);
        std::thread runner([&] {
            auto const work = asio::make_work_guard(ctx);
            ctx.run();
        });
        std::this_thread::sleep_for(1500ms);
        asio::post(native(ctx), [&] {
            asio::post(native(ctx), [&] {
                noticed = done.wait(700ms);
                tried.set();
            });
            asio::post(native(ctx), [&] { done.set(); });
        });
        BOOST_TEST(tried.wait());
        ctx.stop();
        runner.join();
    }
    BOOST_TEST(noticed);
}

#if defined(ASIO_EWYK_HAS_LINUX)

namespace {

// How often the watchdog has gone to sleep; 0 if there is none.
[[maybe_unused]] unsigned long looks()
{
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task"))
    {
        std::string name;
        std::getline(std::ifstream(thread.path() / "comm") >> std::ws, name);
        if (name != "ewyk-watchdog-0")
            continue;
        std::ifstream status(thread.path() / "status");
        constexpr std::string_view key = "voluntary_ctxt_switches:";
        for (std::string line; std::getline(status, line);)
            if (line.starts_with(key))
                return std::stoul(line.substr(key.size()));
    }
    return 0;
}

} // namespace

namespace {

using boost::unit_test::data::make;

} // namespace

// Each of the timer's handlers has the watchdog check what runs at that time. A machine may stall
// for as long as the other one blocks, but not each time.
BOOST_DATA_TEST_CASE(one_is_noticed_that_blocks_beside_a_timer,
    leasing* make({1, 5, 10, 20, 50, 100}) * make({80, 150}), s, period, time)
{
    constexpr int enough = 3;
    constexpr int most = 8;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    std::atomic<bool> over{false};
    asio::steady_timer ticks(ctx);
    std::function<void()> tick = [&] {
        ticks.expires_after(std::chrono::milliseconds(period));
        ticks.async_wait([&](auto) {
            if (!over)
                tick();
        });
    };
    int blocked = 0;
    int noticed = 0;
    asio::steady_timer resolves(native(ctx));
    std::function<void()> resolve = [&] {
        resolves.expires_after(100ms);
        resolves.async_wait([&](auto) {
            auto const other = std::make_shared<event>();
            asio::post(ctx, [other] { other->set(); });
            noticed += other->wait(std::chrono::milliseconds(time));
            over = noticed == enough || ++blocked == most;
            if (!over)
                resolve();
        });
    };
    tick();
    resolve();
    ctx.run();
    BOOST_TEST(noticed == enough);
}

// After a second without any the system is asked less often, but nothing has to rouse the watchdog.
BOOST_DATA_TEST_CASE(one_is_noticed_that_blocks_for_a_moment_after_a_silence, leasing, s)
{
    constexpr int most = 10;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    gathering used;
    for (int i = 0; i != 20; ++i)
        asio::post(ctx, [&] { used.arrive(); });
    BOOST_TEST(used.wait_for(20));
    std::atomic<bool> noticed{false};
    for (int i = 0; i != most && !noticed; ++i)
    {
        std::this_thread::sleep_for(1500ms); // the silence
        event over;
        asio::post(native(ctx), [&] {
            auto const other = std::make_shared<event>();
            asio::post(ctx, [other] { other->set(); });
            noticed = other->wait(250ms);
            over.set();
        });
        BOOST_TEST(over.wait());
    }
    BOOST_TEST(noticed);
    ctx.stop();
    runner.join();
}

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)

BOOST_AUTO_TEST_CASE(a_context_is_told_when_it_waits)
{
    ewyk::strategy_context ctx(with_threads(ewyk::strategy_t::eat_what_you_kill));
    deadline const d(ctx);
    auto const work = asio::make_work_guard(ctx);
    asio::steady_timer const timer(ctx);
    BOOST_TEST(!ctx.metrics().waits_observed);
    std::thread runner([&] { ctx.run(); });
    BOOST_TEST(eventually([&] { return ctx.metrics().waits_observed; }));
    ctx.stop();
    runner.join();
}

// Whatever has run before: the watchdog sleeps until the producer has something to do again.
BOOST_DATA_TEST_CASE(nothing_looks_where_nothing_happens, leasing, s)
{
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    asio::steady_timer const timer(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    for (bool const is_native : {true, false, true})
    {
        event late;
        event waited;
        auto const wait = [&] {
            if (late.wait())
                waited.set();
        };
        if (is_native)
            asio::post(native(ctx), wait);
        else
            asio::post(ctx, wait);
        asio::post(native(ctx), [&] { late.set(); });
        BOOST_TEST(waited.wait());
        // Others of this process may have the watchdog look as well, as they end.
        BOOST_TEST(eventually([] {
            auto const before = looks();
            std::this_thread::sleep_for(1s); // the length of the window
            return looks() == before;
        }));
    }
    ctx.stop();
    runner.join();
}

// Not of the unnamed namespace, as lambdas of a template refer to it.
class waits_for_a_file
{
public:
    waits_for_a_file()
    {
        epoll_event in{};
        in.events = EPOLLIN;
        BOOST_TEST(::epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &in) == 0);
    }
    waits_for_a_file(waits_for_a_file const&) = delete;
    waits_for_a_file& operator=(waits_for_a_file const&) = delete;
    ~waits_for_a_file()
    {
        ::close(event_);
        ::close(epoll_);
    }

    void set()
    {
        [[maybe_unused]] int const written = ::eventfd_write(event_, 1);
    }
    bool wait()
    {
        epoll_event out{};
        return ::epoll_wait(epoll_, &out, 1, static_cast<int>(patience / 1ms)) == 1;
    }

private:
    int const epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    int const event_ = ::eventfd(0, EFD_CLOEXEC);
};

// In the same function of the system, but not for its context.
BOOST_DATA_TEST_CASE(one_may_wait_for_io_of_its_own, leasing, s)
{
    for (bool const has_waited : {false, true})
    {
        ewyk::strategy_context ctx(with_threads(s));
        deadline const d(ctx);
        asio::steady_timer const timer(ctx);
        auto const work = asio::make_work_guard(ctx);
        std::thread runner([&] { ctx.run(); });
        if (has_waited)
            BOOST_TEST(eventually([&] { return ctx.metrics().waits_observed; }));
        for (int i = 0; i != 3; ++i)
        {
            waits_for_a_file file;
            event waited;
            event set;
            asio::post(native(ctx), [&] {
                if (file.wait())
                    waited.set();
            });
            asio::post(native(ctx), [&] {
                file.set();
                set.set();
            });
            BOOST_TEST(waited.wait());
            BOOST_TEST(set.wait());
        }
        ctx.stop();
        runner.join();
    }
}

BOOST_DATA_TEST_CASE(one_may_run_another_context, leasing, s)
{
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    asio::steady_timer const timer(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    BOOST_TEST(eventually([&] { return ctx.metrics().waits_observed; }));
    for (int i = 0; i != 3; ++i)
    {
        asio::io_context inner;
        asio::steady_timer end(inner, patience);
        event over;
        bool waited = false;
        asio::post(native(ctx), [&] {
            end.async_wait([&](boost::system::error_code e) { waited = e.failed(); });
            inner.run();
            over.set();
        });
        asio::post(native(ctx), [&] { asio::post(inner, [&] { end.cancel(); }); });
        BOOST_TEST(over.wait());
        BOOST_TEST(waited);
    }
    ctx.stop();
    runner.join();
}

#elif !defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)

// However long the silence, the next one that is late is noticed soon.
BOOST_AUTO_TEST_CASE(after_one_was_late_it_is_looked_ten_times_a_second)
{
    event late;
    event waited;
    ewyk::strategy_context ctx(with_threads(ewyk::strategy_t::eat_what_you_kill));
    deadline const d(ctx);
    auto const work = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    asio::post(native(ctx), [&] {
        if (late.wait())
            waited.set();
    });
    asio::post(native(ctx), [&] { late.set(); });
    BOOST_TEST(waited.wait());
    unsigned long const before = looks();
    BOOST_TEST(before != 0u);
    BOOST_TEST(eventually([&] { return looks() >= before + 40; }));
    ctx.stop();
    runner.join();
}

// The first one that is late comes at any time. With a silence in its place see above.
BOOST_AUTO_TEST_CASE(while_native_ones_run_it_is_looked_ten_times_a_second)
{
    std::atomic<bool> enough{false};
    ewyk::strategy_context ctx(with_threads(ewyk::strategy_t::eat_what_you_kill));
    deadline const d(ctx);
    asio::basic_waitable_timer<std::chrono::steady_clock,
        asio::wait_traits<std::chrono::steady_clock>, asio::io_context::executor_type>
        timer(native(ctx));
    std::function<void()> again = [&] {
        timer.expires_after(1ms);
        timer.async_wait([&](auto) {
            if (!enough)
                again();
        });
    };
    again();
    std::thread runner([&] { ctx.run(); });
    BOOST_TEST(eventually([] { return looks() != 0; }));
    unsigned long const before = looks();
    BOOST_TEST(eventually([&] { return looks() >= before + 40; }));
    enough = true;
    runner.join();
}

#endif

#endif

// Without a grace nothing has another thread take over but the section: what comes after it is not
// watched.
BOOST_DATA_TEST_CASE(none_is_late_after_one_with_a_section_without_a_grace, leasing, s)
{
    auto options = with_threads(s);
    options.grace = 0ns;
    ewyk::strategy_context ctx(options);
    deadline const d(ctx);
    asio::post(native(ctx), [] { ewyk::blocking_section const section; });
    for (int i = 0; i != 20; ++i)
        asio::post(native(ctx), [] { std::this_thread::sleep_for(5ms); }); // to be late
    ctx.run();
    BOOST_TEST(ctx.metrics().taken_over <= 1u);
}

// Ours and theirs wait for each other.
LINUX_DATA_TEST_CASE(beside_handlers_of_ours, leasing, s)
{
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    for (bool const ours_waits : {false, true})
    {
        event done;
        bool waited = false;
        asio::steady_timer ours(ctx, ours_waits ? 1ms : 5ms);
        asio::steady_timer theirs(native(ctx), ours_waits ? 5ms : 1ms);
        auto const wait = [&](auto) { waited = done.wait(); };
        auto const end = [&](auto) { done.set(); };
        if (ours_waits)
        {
            ours.async_wait(wait);
            theirs.async_wait(end);
        }
        else
        {
            ours.async_wait(end);
            theirs.async_wait(wait);
        }
        ctx.run();
        BOOST_TEST(waited);
        ctx.restart();
    }
}

LINUX_DATA_TEST_CASE(a_strand_of_the_io_context_keeps_its_order, leasing, s)
{
    constexpr int many = 100;
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    auto strand = asio::make_strand(native(ctx));
    std::vector<int> order;
    bool inside = false;
    bool overlap = false;
    for (int i = 0; i != many; ++i)
        asio::post(strand, [&, i] {
            overlap = overlap || inside;
            inside = true;
            if (i % 20 == 0)
                std::this_thread::sleep_for(1ms); // to be late
            order.push_back(i);
            inside = false;
        });
    ctx.run();
    BOOST_TEST(!overlap);
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
    BOOST_TEST(order.size() == std::size_t(many));
}

// While a thread stays inside the io_context nothing marks them.
LINUX_DATA_TEST_CASE(one_may_spin_until_another_has_run, leasing, s)
{
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    std::atomic<bool> other{false};
    bool met = false;
    after_many(native(ctx), 1000, [&] {
        asio::post(native(ctx), [&] { met = spin_until([&] { return other.load(); }); });
        asio::post(native(ctx), [&] { other = true; });
    });
    ctx.run();
    BOOST_TEST(met);
}

// Each of them is over before the thread could be given up for lost. A thread that waits for a CPU
// does not compute.
LINUX_DATA_TEST_CASE(those_that_compute_come_to_overlap, leasing, s)
{
    ewyk::strategy_context ctx(with_threads(s));
    deadline const d(ctx);
    auto const end = std::chrono::steady_clock::now() + patience;
    std::atomic<int> inside{0};
    std::atomic<bool> overlap{false};
    std::function<void()> const go_on = [&] {
        ++inside;
        auto const over = ewyk::detail::this_thread_cpu_time() + 5ms;
        spin_until([&] {
            overlap = overlap || inside > 1;
            return ewyk::detail::this_thread_cpu_time() >= over;
        });
        --inside;
        if (!overlap && std::chrono::steady_clock::now() < end)
            asio::post(native(ctx), go_on);
    };
    after_many(native(ctx), 1000, [&] {
        for (int i = 0; i != 3; ++i)
            asio::post(native(ctx), go_on);
    });
    ctx.run();
    BOOST_TEST(overlap);
}

// It leaves run(), or reaches on_exception, and production goes on.
LINUX_DATA_TEST_CASE(one_that_is_late_may_throw, leasing, s)
{
    std::atomic<int> caught{0};
    auto options = with_threads(s);
    options.on_exception = [&](std::exception_ptr) { ++caught; };
    event other;
    ewyk::strategy_context ctx(options);
    deadline const d(ctx);
    asio::steady_timer thrower(native(ctx), 1ms);
    asio::steady_timer after(native(ctx), 5ms);
    thrower.async_wait([&](auto) {
        other.wait();
        throw std::runtime_error("as planned");
    });
    after.async_wait([&](auto) { other.set(); });
    run_and_count(ctx, caught);
    BOOST_TEST(caught == 1);
    BOOST_TEST(other.wait());
}

// One handler at a time, whichever executor it has.
BOOST_AUTO_TEST_CASE(nothing_runs_beside_one_with_produce_consume)
{
    ewyk::strategy_context ctx(with_threads(ewyk::strategy_t::produce_consume));
    deadline const d(ctx);
    std::atomic<int> inside{0};
    bool alone = true;
    auto const look = [&] {
        alone = alone && ++inside == 1;
        std::this_thread::sleep_for(2ms); // others would come now
        --inside;
    };
    for (int i = 0; i != 10; ++i)
    {
        asio::post(native(ctx), look);
        asio::post(ctx, look);
    }
    std::thread another([&] { ctx.run(); });
    ctx.run();
    another.join();
    BOOST_TEST(alone);
}

// dispatch() to either executor is a call, from a handler of either.
BOOST_AUTO_TEST_CASE(dispatch_is_inline)
{
    ewyk::strategy_context ctx(with_threads(ewyk::strategy_t::produce_consume));
    deadline const d(ctx);
    int inline_calls = 0;
    asio::steady_timer theirs(native(ctx), 1ms);
    theirs.async_wait([&](auto) {
        bool called = false;
        asio::dispatch(ctx, [&] { called = true; });
        inline_calls += called;
    });
    asio::steady_timer ours(ctx, 2ms);
    ours.async_wait([&](auto) {
        bool called = false;
        asio::dispatch(native(ctx), [&] { called = true; });
        inline_calls += called;
    });
    ctx.run();
    BOOST_TEST(inline_calls == 2);
}

BOOST_AUTO_TEST_SUITE_END()
