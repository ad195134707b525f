// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Priority, scheduling class and CPUs of the threads of pools and loops: those of the thread that
// made them, and not of the one that first submits.

#include "pool_support.hpp"

#include <asio_ewyk/loop/event_loop.hpp>

#if defined(ASIO_EWYK_HAS_LINUX)

#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/resource.h>

using namespace support;

BOOST_AUTO_TEST_SUITE(scheduling)

namespace {

struct how_a_thread_runs
{
    static how_a_thread_runs mine()
    {
        how_a_thread_runs h;
        h.scheduling_class = ::sched_getscheduler(0);
        h.nice = ::getpriority(PRIO_PROCESS, 0);
        ::sched_getaffinity(0, sizeof h.cpus, &h.cpus);
        return h;
    }

    int scheduling_class = 0;
    int nice = 0;
    cpu_set_t cpus{};
};

/// Whether a thread may become as urgent again as it was.
bool may_raise_priority()
{
    return std::async(std::launch::async, [] {
        int const before = ::getpriority(PRIO_PROCESS, 0);
        ::setpriority(PRIO_PROCESS, 0, 19);
        return ::setpriority(PRIO_PROCESS, 0, before) == 0;
    }).get();
}

/// Has another thread, which is a humble one on a single CPU, submit the first task.
template <class Context>
void check_first_task(Context& context)
{
    auto const maker = how_a_thread_runs::mine();
    std::promise<how_a_thread_runs> task;
    std::thread([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        BOOST_TEST(::sched_setaffinity(0, sizeof one, &one) == 0);
        sched_param const none{};
        BOOST_TEST(::sched_setscheduler(0, SCHED_BATCH, &none) == 0);
        BOOST_TEST(::setpriority(PRIO_PROCESS, 0, 19) == 0);
        asio::post(context, [&] { task.set_value(how_a_thread_runs::mine()); });
    }).join();
    auto const has = task.get_future().get();
    BOOST_TEST(has.scheduling_class == maker.scheduling_class);
    BOOST_TEST(CPU_EQUAL(&has.cpus, &maker.cpus));
    if (may_raise_priority())
        BOOST_TEST(has.nice == maker.nice);
}

/// Of the thread of that name; false if there is none.
bool find_thread(std::string_view name, pid_t& id)
{
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task"))
    {
        std::string its;
        std::getline(std::ifstream(thread.path() / "comm"), its);
        if (its == name)
        {
            id = std::stoi(thread.path().filename());
            return true;
        }
    }
    return false;
}

/// Has a humble thread on a single CPU use them first.
void by_a_humble_thread(std::function<void()> const& use)
{
    std::thread([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        BOOST_TEST(::sched_setaffinity(0, sizeof one, &one) == 0);
        BOOST_TEST(::setpriority(PRIO_PROCESS, 0, 19) == 0);
        sched_param const none{};
        BOOST_TEST(::sched_setscheduler(0, SCHED_IDLE, &none) == 0);
        use();
    }).join();
}

/// Of a thread that serves the whole process.
void check_helper(std::string_view name)
{
    pid_t id = 0;
    BOOST_TEST_REQUIRE(eventually([&] { return find_thread(name, id); }));
    auto const mine = how_a_thread_runs::mine();
    cpu_set_t cpus{};
    BOOST_TEST(eventually([&] {
        return ::sched_getaffinity(id, sizeof cpus, &cpus) == 0 && CPU_EQUAL(&cpus, &mine.cpus);
    }));
    if (!may_raise_priority())
        return;
    BOOST_TEST(eventually([&] { return ::sched_getscheduler(id) == SCHED_OTHER; }));
    BOOST_TEST(eventually(
        [&] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(id)) == mine.nice; }));
}

// Handlers of all contexts would wait for it beside busy threads.
BOOST_AUTO_TEST_CASE(of_the_watchdog)
{
    ewyk::strategy_context ctx;
    auto work = asio::make_work_guard(ctx);
    std::thread caller;
    by_a_humble_thread([&] {
        caller = std::thread([&] { ctx.run(); });
        pid_t id = 0;
        BOOST_TEST(eventually([&] { return find_thread("ewyk-watchdog-0", id); }));
    });
    check_helper("ewyk-watchdog-0");
    work.reset();
    caller.join();
}

BOOST_AUTO_TEST_CASE(of_the_thread_that_reports_stalls)
{
    std::optional<ewyk::strategy_context> ctx;
    by_a_humble_thread([&] { ctx.emplace(ewyk::strategy_options{.stall_threshold = 1h}); });
    asio::post(*ctx, [] {});
    ctx->run();
    check_helper("ewyk-stalls-0");
}

BOOST_AUTO_TEST_CASE(of_a_pool)
{
    ewyk::worker_pool pool({.max_threads = 1});
    check_first_task(pool);
}

BOOST_AUTO_TEST_CASE(of_a_loop)
{
    ewyk::event_loop loop;
    check_first_task(loop);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()

#endif
