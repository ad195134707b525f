// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/metrics/role_clock.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/os/thread_clock.hpp>

#include "support.hpp"
#include "two_threads.hpp"
#include "use_cpu.hpp"

#include <optional>
#include <thread>

BOOST_AUTO_TEST_SUITE(
    role_clock, *boost::unit_test::enable_if<asio_ewyk::detail::has_fine_cpu_clocks>())

namespace {

using namespace support;

} // namespace

BOOST_AUTO_TEST_CASE(adds_up_what_each_has_used)
{
    ewyk::detail::role_clock clock;
    // What comes before the first one is not known.
    clock.begin();
    BOOST_TEST(!clock.take());
    two_threads threads;
    for (std::size_t i = 0; i != 4; ++i)
        threads.run(i % 2, [&] {
            clock.begin();
            use_cpu(3ms);
        });
    clock.begin();
    use_cpu(3ms);
    auto const used = clock.take();
    BOOST_TEST_REQUIRE(used.has_value());
    BOOST_TEST((*used >= 15ms));
    use_cpu(2ms);
    BOOST_TEST((clock.take() >= 2ms));
}

// Whether it has used the CPU whenever other threads left it that.
BOOST_AUTO_TEST_CASE(tells_whether_the_one_that_has_the_role_has_run_on)
{
    ewyk::detail::role_clock clock;
    BOOST_TEST(!clock.has_run_on(0ms)); // nobody has it
    std::this_thread::sleep_for(20ms); // some systems do not count that
    if (!ewyk::detail::this_thread_waits())
    {
        BOOST_TEST_MESSAGE("skipped: the system does not tell");
        return;
    }
    // The system may make it wait once, for a page, for example.
    auto const runs_on = [&] {
        return eventually([&] {
            clock.begin();
            use_cpu(1ms);
            return clock.has_run_on(1ms);
        });
    };
    BOOST_TEST(runs_on());
    std::this_thread::sleep_for(20ms);
    BOOST_TEST(!clock.has_run_on(1ms));
    BOOST_TEST(runs_on());
    clock.take();
    BOOST_TEST(!clock.has_run_on(1ms)); // since then
    two_threads threads;
    threads.run(0, [&] {
        BOOST_TEST(!clock.has_run_on(0ms)); // another one has it
        BOOST_TEST(runs_on());
    });
    BOOST_TEST(!clock.has_run_on(0ms));
    BOOST_TEST(runs_on());
}

BOOST_AUTO_TEST_CASE(does_not_know_of_who_came_unannounced)
{
    ewyk::detail::role_clock clock;
    clock.begin();
    clock.take();
    two_threads threads;
    bool known = true;
    threads.run(0, [&] { known = clock.take().has_value(); });
    BOOST_TEST(!known);
    threads.run(0, [&] { known = clock.take().has_value(); });
    BOOST_TEST(known);
}

BOOST_AUTO_TEST_CASE(does_not_know_of_who_has_ended)
{
    ewyk::detail::role_clock clock;
    clock.begin();
    clock.take();
    ewyk::detail::cpu_clock its{};
    std::thread([&] {
        clock.begin();
        its = ewyk::detail::this_thread_cpu_clock();
    }).join();
    // The system knows of it for a moment after join().
    BOOST_TEST_REQUIRE(eventually([&] { return !ewyk::detail::cpu_time_of(its); }));
    clock.begin();
    BOOST_TEST(!clock.take());
    BOOST_TEST(clock.take().has_value());
}

BOOST_AUTO_TEST_SUITE_END()
