// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "../run_queue.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

// Named, as the base of test cases that several sources of one unit may have.
namespace run_queue_tests {

using namespace benchmark::simulation;
using namespace std::chrono_literals;

struct two_on_a_core
{
    run_queue queue{1ms};
    share running;
    share other;

    two_on_a_core()
    {
        queue.add(running);
        queue.choose();
    }
};

} // namespace run_queue_tests

BOOST_FIXTURE_TEST_SUITE(run_queues, run_queue_tests::two_on_a_core)

using namespace run_queue_tests;

BOOST_AUTO_TEST_CASE(give_the_core_to_who_has_had_less)
{
    queue.add(other);
    running.ran += 10us;
    BOOST_TEST(&queue.choose() == &other);
    other.ran += 20us;
    BOOST_TEST(&queue.choose() == &running);
}

BOOST_AUTO_TEST_CASE(let_a_slice_end)
{
    running.ran += 999us;
    BOOST_TEST(!queue.is_over(running));
    running.ran += 1us;
    BOOST_TEST(queue.is_over(running));
    queue.choose();
    BOOST_TEST(!queue.is_over(running));
}

BOOST_AUTO_TEST_CASE(let_who_wakes_interrupt)
{
    running.ran += 10us;
    queue.add(other);
    BOOST_TEST(queue.interrupts(other, running));
}

BOOST_AUTO_TEST_CASE(let_who_has_run_too_much_wait)
{
    queue.add(other);
    queue.choose();
    other.ran += 10us;
    queue.remove(other);
    queue.add(other);
    BOOST_TEST(other.ran > running.ran);
    BOOST_TEST(!queue.interrupts(other, running));
}

BOOST_AUTO_TEST_CASE(forget_what_was_too_much_in_time)
{
    queue.add(other);
    other.ran += 10us;
    queue.remove(other);
    running.ran += 20us;
    queue.add(other);
    BOOST_TEST(other.ran.count() == running.ran.count());
}

BOOST_AUTO_TEST_CASE(keep_what_was_too_little)
{
    queue.add(other);
    running.ran += 10us;
    queue.remove(other);
    running.ran += 50us;
    queue.add(other);
    BOOST_TEST((running.ran - other.ran).count() == duration(10us).count());
    BOOST_TEST(queue.interrupts(other, running));
}

BOOST_AUTO_TEST_CASE(have_one_clock_while_they_are_empty)
{
    running.ran += 10us;
    queue.remove(running);
    BOOST_TEST(queue.empty());
    queue.add(other);
    BOOST_TEST(other.ran.count() == duration(10us).count());
}

BOOST_AUTO_TEST_SUITE_END()
