// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Where the sentinel may not be, or the producer is elsewhere by now: a handler that blocks stops
// no other one all the same.

#include "pool_support.hpp"
#include <asio_ewyk/diagnostics/dump.hpp>

#if defined(ASIO_EWYK_HAS_LINUX)

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <sstream>

namespace {

std::atomic<bool> idle_class_is_refused{false};
std::atomic<int> calls_for_priority{0};

// The set that a thread was given most lately.
std::mutex sets_mutex;
cpu_set_t last_set;

} // namespace

// In place of the C library's.
extern "C" int sched_setaffinity(pid_t thread, std::size_t size, cpu_set_t const* set) noexcept
{
    ++calls_for_priority;
    if (size == sizeof last_set)
    {
        std::lock_guard const lock(sets_mutex);
        last_set = *set;
    }
    return static_cast<int>(::syscall(SYS_sched_setaffinity, thread, size, set));
}

extern "C" int sched_setscheduler(pid_t thread, int policy, sched_param const* param) noexcept
{
    ++calls_for_priority;
    if (policy == SCHED_IDLE && idle_class_is_refused)
    {
        errno = EPERM;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_sched_setscheduler, thread, policy, param));
}

BOOST_AUTO_TEST_SUITE(sentinel_places)

namespace {

using namespace support;

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

// Each handler waits for the next one, which thus must run on another thread. False if one did not.
bool handlers_may_wait(ewyk::strategy_context& ctx, int many)
{
    int waited = 0;
    for (int i = 0; i != many; ++i)
    {
        event next;
        asio::post(ctx, [&] { waited += next.wait(); });
        asio::post(ctx, [&] { next.set(); });
        ctx.run();
        ctx.restart();
    }
    return waited == many;
}

cpu_set_t affinity()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    return set;
}

// This thread, and those that it starts, may run on that one of its CPUs only.
class only_on
{
public:
    explicit only_on(int which)
    {
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int cpu = 0, seen = 0; cpu != CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &before_) && seen++ == which % CPU_COUNT(&before_))
                CPU_SET(cpu, &one);
        ::sched_setaffinity(0, sizeof one, &one);
    }

    only_on(only_on const&) = delete;
    only_on& operator=(only_on const&) = delete;
    ~only_on() { ::sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t const before_ = affinity();
};

std::size_t entries_of(char const* directory)
{
    std::filesystem::directory_iterator const all(directory);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::size_t threads() { return entries_of("/proc/self/task"); }
std::size_t descriptors() { return entries_of("/proc/self/fd"); }

} // namespace

// The watchdog stands behind it.
BOOST_DATA_TEST_CASE(a_system_may_refuse_the_idle_class, leasing, s)
{
    idle_class_is_refused = true;
    {
        ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
        deadline const d(ctx);
        BOOST_TEST(!ctx.metrics().sentinel_refused);
        BOOST_TEST(handlers_may_wait(ctx, 10));
        BOOST_TEST(eventually([&] { return ctx.metrics().sentinel_refused; }));
        std::ostringstream text;
        ewyk::dump(text);
        BOOST_TEST((text.str().find("refuses threads of idle priority") != std::string::npos));
    }
    idle_class_is_refused = false;
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST(handlers_may_wait(ctx, 10));
    BOOST_TEST(!ctx.metrics().sentinel_refused);
}

// Some systems end a process that asks, as systemd's SystemCallFilter=~@resources does.
BOOST_DATA_TEST_CASE(the_environment_may_refuse_it_before_the_system_is_asked, leasing, s)
{
    ::setenv("ASIO_EWYK_SENTINEL", "off", 1);
    int const before = calls_for_priority;
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    {
        deadline const d(ctx);
        BOOST_TEST(handlers_may_wait(ctx, 10));
    }
    BOOST_TEST(eventually([&] { return ctx.metrics().sentinel_refused; }));
    ::unsetenv("ASIO_EWYK_SENTINEL");
    BOOST_TEST(calls_for_priority == before);
}

// A program may change its environment while its threads run. Then none of the library's may read
// it.
BOOST_DATA_TEST_CASE(the_environment_is_read_by_the_thread_that_makes_the_context, leasing, s)
{
    ::setenv("ASIO_EWYK_SENTINEL", "off", 1);
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    ::unsetenv("ASIO_EWYK_SENTINEL");
    {
        deadline const d(ctx);
        BOOST_TEST(handlers_may_wait(ctx, 10));
    }
    BOOST_TEST(eventually([&] { return ctx.metrics().sentinel_refused; }));
}

// A sanitizer ends the child of a process with threads.
#if !defined(ASIO_EWYK_TEST_SANITIZED)

// As a server does that has bound its port: from then on it may not read its own files in /proc.
BOOST_AUTO_TEST_CASE(says_that_the_system_does_not_tell_after_setuid)
{
    if (::geteuid() != 0)
    {
        BOOST_TEST_MESSAGE("not root: left out");
        return;
    }
    pid_t const child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        constexpr uid_t nobody = 65534;
        bool told = ::setuid(nobody) == 0;
        ewyk::strategy_context ctx({.max_threads = 4});
        auto const stays = asio::make_work_guard(ctx);
        asio::post(ctx, [] {});
        std::thread caller([&] { ctx.run(); });
        told = told && eventually([&] { return ctx.metrics().probe_refused; });
        std::ostringstream text;
        ewyk::dump(text);
        told = told && text.str().find("does not tell what a thread does") != std::string::npos;
        ctx.stop();
        caller.join();
        ::_exit(told ? 42 : 1);
    }
    int status = 0;
    BOOST_TEST(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 42));
}

#endif

BOOST_AUTO_TEST_CASE(does_not_say_so_where_the_system_tells)
{
    ewyk::strategy_context ctx({.max_threads = 4});
    auto const stays = asio::make_work_guard(ctx);
    std::thread caller([&] { ctx.run(); });
    for (int i = 0; i != 3; ++i)
    {
        event ran;
        asio::post(ctx, [&] { ran.set(); });
        BOOST_TEST(ran.wait());
    }
    BOOST_TEST(!ctx.metrics().probe_refused);
    ctx.stop();
    caller.join();
}

namespace {

cpu_set_t only(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return one;
}

// What a thread may use that was woken up on this CPU of two. It `had` these, and was given
// those meanwhile, if any.
cpu_set_t after_it_was_moved(int cpu, cpu_set_t had, cpu_set_t const* meanwhile)
{
    cpu_set_t has;
    std::promise<ewyk::detail::thread_id> id;
    event chosen;
    ewyk::detail::wake_up_place place;
    std::thread moved([&] {
        ::sched_setaffinity(0, sizeof had, &had);
        id.set_value(ewyk::detail::this_thread_id());
        LOCKED_TEST(chosen.wait());
        place.leave();
        has = affinity();
    });
    auto const thread = id.get_future().get();
    ewyk::detail::this_thread_spares = cpu;
    place.choose(thread);
    ewyk::detail::this_thread_spares = -1;
    if (meanwhile)
        ::sched_setaffinity(thread, sizeof *meanwhile, meanwhile);
    chosen.set();
    moved.join();
    return has;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_thread_that_was_moved_may_use_what_it_might_before)
{
    cpu_set_t const all = affinity();
    std::vector<int> cpus;
    for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &all))
            cpus.push_back(cpu);
    for (int const cpu : cpus)
    {
        cpu_set_t const one = only(cpu);
        cpu_set_t now = after_it_was_moved(cpu, one, nullptr);
        BOOST_TEST(CPU_EQUAL(&now, &one));
        now = after_it_was_moved(cpu, all, nullptr);
        BOOST_TEST(CPU_EQUAL(&now, &all));
        // It has not chosen its own, so it may use those as well that the process gets later.
        BOOST_TEST(CPU_ISSET(CPU_SETSIZE - 1, &last_set));
        cpu_set_t const another = only(cpus[cpu == cpus[0] ? cpus.size() - 1 : 0]);
        now = after_it_was_moved(cpu, all, &another);
        if (cpus.size() > 1)
            BOOST_TEST(CPU_EQUAL(&now, &another));
    }
}

BOOST_DATA_TEST_CASE(one_cpu_is_enough, leasing, s)
{
    only_on const the_first(0);
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST(handlers_may_wait(ctx, 100));
}

BOOST_DATA_TEST_CASE(the_producer_may_be_moved, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    for (int i = 0; i != 20; ++i)
    {
        only_on const another(i);
        BOOST_TEST(handlers_may_wait(ctx, 5));
    }
}

// The sentinel may not follow to where threads run that were started before.
BOOST_DATA_TEST_CASE(others_may_be_where_the_sentinel_is_not, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .max_threads = 4});
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    only_on const the_first(0);
    BOOST_TEST(handlers_may_wait(ctx, 50));
}

// Nor has one a thread that does nothing.
BOOST_AUTO_TEST_CASE(a_thousand_contexts_leave_nothing_behind)
{
    std::size_t const threads_before = threads();
    std::size_t const descriptors_before = descriptors();
    for (int i = 0; i != 100; ++i)
    {
        std::array<ewyk::strategy_context, 10> some;
        for (auto& ctx : some)
            asio::post(ctx, [] {});
        // A thread that was joined may be listed for a moment.
        BOOST_TEST_REQUIRE(eventually([&] { return threads() == threads_before; }));
        if (i % 10 == 0)
            for (auto& ctx : some)
            {
                deadline const d(ctx);
                BOOST_TEST_REQUIRE(handlers_may_wait(ctx, 1));
            }
        else
            for (auto& ctx : some)
                BOOST_TEST_REQUIRE(ctx.run() == 1u);
    }
    BOOST_TEST(eventually([&] { return threads() == threads_before; }));
    BOOST_TEST(descriptors() == descriptors_before);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
