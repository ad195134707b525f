// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/os/cpu_binding.hpp>

#include "pool_support.hpp"
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/loop/strategy_context_group.hpp>

#if defined(ASIO_EWYK_HAS_LINUX)
#include <unistd.h>
#endif

#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

BOOST_AUTO_TEST_SUITE(cpu_binding)

namespace {

using namespace support;

// Its message names the option, and gives the number.
auto names(int number)
{
    return [number](std::exception const& e) {
        std::string const message = e.what(), given = std::to_string(number);
        return message.starts_with("event_loop_options::cpus")
            && message.find(' ' + given) != std::string::npos;
    };
}

BOOST_AUTO_TEST_CASE(refuses_numbers_that_no_cpu_has)
{
    BOOST_CHECK_EXCEPTION(ewyk::event_loop({.cpus = {-1}}), std::invalid_argument, names(-1));
    BOOST_CHECK_THROW(ewyk::event_loop_group(2, {.cpus = {0, -1}}), std::invalid_argument);
}

#if !defined(ASIO_EWYK_HAS_LINUX)

BOOST_AUTO_TEST_CASE(refuses_every_number_where_it_cannot_bind)
{
    BOOST_CHECK_EXCEPTION(ewyk::event_loop({.cpus = {0}}), std::invalid_argument, names(0));
}

#else

BOOST_AUTO_TEST_CASE(takes_a_number_that_no_loop_comes_to)
{
    BOOST_CHECK_NO_THROW(ewyk::event_loop_group(1, {.cpus = {0, -7}}));
    BOOST_CHECK_EXCEPTION(
        ewyk::event_loop_group(2, {.cpus = {0, -7}}), std::invalid_argument, names(-7));
}

/// The CPUs that this thread may run on.
std::vector<int> allowed()
{
    cpu_set_t set;
    std::vector<int> cpus;
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        for (int i = 0; i != CPU_SETSIZE; ++i)
            if (CPU_ISSET(static_cast<std::size_t>(i), &set))
                cpus.push_back(i);
    return cpus;
}

template <class Executor>
std::vector<int> allowed_on(Executor& context)
{
    auto cpus = asio::post(context, asio::use_future(allowed));
    BOOST_TEST_REQUIRE((cpus.wait_for(patience) == std::future_status::ready));
    return cpus.get();
}

BOOST_AUTO_TEST_CASE(loops_are_not_bound_unless_asked_to)
{
    ewyk::event_loop loop;
    BOOST_TEST(allowed_on(loop) == allowed());
}

BOOST_AUTO_TEST_CASE(each_loop_of_a_group_is_bound_to_one)
{
    std::vector<int> const cpus = allowed();
    BOOST_TEST_REQUIRE(!cpus.empty());
    ewyk::event_loop_group group(2 * cpus.size() + 1, {.cpus = cpus});
    // To make them has bound this thread to each, for a moment.
    BOOST_TEST(allowed() == cpus);
    for (std::size_t i = 0; i != group.size(); ++i)
        BOOST_TEST(allowed_on(group[i]) == std::vector<int>{cpus[i % cpus.size()]});
}

BOOST_AUTO_TEST_CASE(the_hook_comes_after_it)
{
    std::vector<int> const cpus = allowed();
    std::vector<int> in_hook;
    ewyk::event_loop loop({.cpus = {cpus.back()}, .on_thread_start = [&] { in_hook = allowed(); }});
    BOOST_TEST(allowed_on(loop) == std::vector<int>{cpus.back()});
    BOOST_TEST(in_hook == std::vector<int>{cpus.back()});
}

// They would all run on the one CPU.
BOOST_AUTO_TEST_CASE(threads_that_a_bound_loop_starts_are_not_bound)
{
    std::vector<int> const cpus = allowed();
    ewyk::worker_pool pool;
    ewyk::event_loop other;
    ewyk::event_loop loop({.cpus = {cpus.front()}});
    std::promise<std::vector<int>> of_pool;
    std::promise<std::vector<int>> of_other;
    std::promise<std::vector<int>> of_group;
    asio::post(loop, [&] {
        pool.execute([&] { of_pool.set_value(allowed()); });
        asio::post(other, [&] { of_other.set_value(allowed()); });
        ewyk::strategy_context_group group(1, {.max_threads = 0});
        asio::post(group[0], [&] { of_group.set_value(allowed()); });
        group.join();
    });
    BOOST_TEST(of_pool.get_future().get() == cpus);
    BOOST_TEST(of_other.get_future().get() == cpus);
    BOOST_TEST(of_group.get_future().get() == cpus);
    // The loop is bound still.
    BOOST_TEST(allowed_on(loop) == std::vector<int>{cpus.front()});
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
}

BOOST_AUTO_TEST_CASE(refuses_a_cpu_that_is_not_there)
{
    std::vector<int> const before = allowed();
    BOOST_CHECK_EXCEPTION(
        ewyk::event_loop({.cpus = {CPU_SETSIZE}}), std::invalid_argument, names(CPU_SETSIZE));
    constexpr int last = CPU_SETSIZE - 1;
    if (::sysconf(_SC_NPROCESSORS_CONF) > last)
        return;
    BOOST_CHECK_EXCEPTION(ewyk::event_loop({.cpus = {last}}), std::system_error,
        [](auto const& e) { return e.code() == std::errc::invalid_argument && names(last)(e); });
    BOOST_TEST(allowed() == before);
}

#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
