// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/loop/task_share.hpp>

#include "../support.hpp"

BOOST_AUTO_TEST_SUITE(task_share)

namespace {

using namespace support;
using share = ewyk::detail::task_share;

// What is run in a round, each task as long as that; a look at the clock costs nothing.
std::chrono::nanoseconds run_round(share& s, std::chrono::nanoseconds io, std::chrono::nanoseconds task)
{
    s.begin(io);
    std::chrono::nanoseconds time{};
    for (std::size_t n = s.tasks(); n != 0; n = s.more(time) ? s.tasks() : 0)
        time += task * n;
    s.end(time);
    return time;
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_ratio)
{
    for (int const ratio : {-1, 0, 101})
        BOOST_CHECK_EXCEPTION(share{ratio}, std::invalid_argument, [](auto const& e) {
            return std::string_view(e.what()).find("io_ratio") != std::string_view::npos;
        });
}

// Otherwise those that come later would keep I/O waiting for all of it.
BOOST_AUTO_TEST_CASE(what_tasks_did_not_use_is_lost)
{
    share s(50);
    for (int i = 0; i != 1'000; ++i)
    {
        s.begin(1ms);
        s.end(0ns);
    }
    BOOST_TEST((run_round(s, 1ms, 1us) <= 1ms + 64us));
}

// In the long run, however long a round of I/O and a task are.
BOOST_AUTO_TEST_CASE(keeps_the_ratio)
{
    for (int const ratio : {1, 10, 50, 90, 99})
        for (auto const io : {20us, 500us, 5000us})
            for (auto const task : {100ns, 1000ns, 20'000ns})
            {
                share s(ratio);
                std::chrono::duration<double> of_io{};
                std::chrono::duration<double> of_tasks{};
                for (int i = 0; i != 2'000; ++i)
                {
                    of_io += io;
                    of_tasks += run_round(s, io, task);
                }
                BOOST_TEST(of_io / (of_io + of_tasks) == ratio / 100.0,
                    boost::test_tools::tolerance(0.05));
            }
}

BOOST_AUTO_TEST_CASE(tasks_have_all_the_time_that_io_does_not_need)
{
    for (int const ratio : {1, 50, 100})
    {
        share s(ratio);
        for (int i = 0; i != 100; ++i)
        {
            BOOST_TEST((run_round(s, 0ns, 1us) >= 1000us));
            BOOST_TEST((run_round(s, 1us, 1us) >= 1000us));
        }
    }
}

// All for I/O, and still no task waits for ever.
BOOST_AUTO_TEST_CASE(some_tasks_run_in_each_round_with_100)
{
    share s(100);
    for (int i = 0; i != 100; ++i)
        BOOST_TEST((run_round(s, 1ms, 1us) == 64us));
}

// One task that has taken for ever is paid for only so long.
BOOST_AUTO_TEST_CASE(tasks_come_again_after_one_that_was_long)
{
    share s(50);
    BOOST_TEST((run_round(s, 1ms, 1h) >= 1h));
    int rounds = 1;
    while (run_round(s, 1ms, 1us) == 0ns)
        ++rounds;
    BOOST_TEST(rounds <= 101);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
