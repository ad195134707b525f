#include <asio_ewyk/detail/overrun_history.hpp>

#include "support.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

BOOST_AUTO_TEST_SUITE(overrun_history)

namespace {

using asio_ewyk::detail::task;
using history = asio_ewyk::detail::overrun_history;

// Types of tasks, as many as are needed.
template <int I>
boost::core::typeinfo const* act(task*, asio_ewyk::detail::task_purpose)
{
    static int volatile distinct = I; // or the linker may make one of several
    distinct = distinct + 1;
    return nullptr;
}

template <class F, int... I>
void for_each_of(std::integer_sequence<int, I...>, F f)
{
    (f(&act<I>), ...);
}

// Runs until the type is expected to overrun, or is not any more; how often.
int runs_until(history& h, task::action type, bool expected, bool late)
{
    int n = 0;
    for (; h.expects_overrun(type) != expected; ++n)
        if (h.expects_overrun(type))
            h.was_handed_over(type);
        else
            h.ran(type, late);
    return n;
}

} // namespace

BOOST_AUTO_TEST_CASE(expects_nothing_of_what_it_does_not_know)
{
    history h(nullptr);
    BOOST_TEST(!h.expects_overrun(&act<0>));
    h.ran(&act<0>, false);
    h.was_handed_over(&act<0>);
    BOOST_TEST(!h.expects_overrun(&act<0>));
}

BOOST_AUTO_TEST_CASE(a_null_type_is_never_expected_to_overrun)
{
    history h(nullptr);
    for (int i = 0; i != 100; ++i)
        h.ran(nullptr, true);
    BOOST_TEST(!h.expects_overrun(nullptr));
}

// Such as one that stands for functions of all types.
BOOST_AUTO_TEST_CASE(a_type_that_says_nothing_is_never_expected_to_overrun)
{
    history h(&act<0>);
    for (int i = 0; i != 100; ++i)
        h.ran(&act<0>, true);
    BOOST_TEST(!h.expects_overrun(&act<0>));
    for (int i = 0; i != 100; ++i)
        h.ran(&act<1>, true);
    BOOST_TEST(h.expects_overrun(&act<1>));
}

BOOST_AUTO_TEST_CASE(learns_a_type_within_a_few_runs)
{
    history h(nullptr);
    h.ran(&act<0>, true);
    BOOST_TEST(!h.expects_overrun(&act<0>)); // once may be chance
    BOOST_TEST(runs_until(h, &act<0>, true, true) <= 4);
    BOOST_TEST(!h.expects_overrun(&act<1>));
}

BOOST_AUTO_TEST_CASE(does_not_learn_a_type_that_is_seldom_late)
{
    history h(nullptr);
    for (int i = 0; i != 1000; ++i)
    {
        h.ran(&act<0>, i % 10 == 0);
        BOOST_TEST_REQUIRE(!h.expects_overrun(&act<0>));
    }
}

// One of them costs the others the grace, to see whether the type is late still.
BOOST_AUTO_TEST_CASE(tries_about_each_16th_of_a_type_that_is_always_late)
{
    history h(nullptr);
    int tried = 0;
    int const runs = 10000;
    for (int i = 0; i != runs; ++i)
        if (h.expects_overrun(&act<0>))
            h.was_handed_over(&act<0>);
        else
        {
            ++tried;
            h.ran(&act<0>, true);
        }
    BOOST_TEST(tried > runs / 32);
    BOOST_TEST(tried < runs / 8);
}

BOOST_AUTO_TEST_CASE(a_type_that_has_become_fast_gets_its_speed_back)
{
    history h(nullptr);
    for (int i = 0; i != 1000; ++i)
        h.ran(&act<0>, true);
    BOOST_TEST(runs_until(h, &act<0>, false, false) <= 64);
    for (int i = 0; i != 1000; ++i)
    {
        h.ran(&act<0>, false);
        BOOST_TEST_REQUIRE(!h.expects_overrun(&act<0>));
    }
    // And is learned again.
    BOOST_TEST(runs_until(h, &act<0>, true, true) <= 5);
}

// It has places for few, and several may want the same one: then one of them is learned.
BOOST_AUTO_TEST_CASE(many_types_that_are_late_leave_some_learned)
{
    history h(nullptr);
    auto const types = std::make_integer_sequence<int, 200>();
    for (int i = 0; i != 10; ++i)
        for_each_of(types, [&](task::action type) { h.ran(type, true); });
    int expected = 0;
    for_each_of(types, [&](task::action type) { expected += h.expects_overrun(type); });
    BOOST_TEST(expected > 0);
    BOOST_TEST(expected < 200);
}

// The place of a type that is late no more goes to one that is.
BOOST_AUTO_TEST_CASE(forgets_for_others_what_is_late_no_more)
{
    history h(nullptr);
    auto const types = std::make_integer_sequence<int, 200>();
    for (int i = 0; i != 10; ++i)
        for_each_of(types, [&](task::action type) { h.ran(type, true); });
    for (int i = 0; i != 200; ++i)
        for_each_of(types, [&](task::action type) {
            if (h.expects_overrun(type))
                h.was_handed_over(type);
            else
                h.ran(type, false);
        });
    for_each_of(types, [&](task::action type) {
        BOOST_TEST_REQUIRE(!h.expects_overrun(type));
        for (int i = 0; i != 10; ++i)
            h.ran(type, true);
        BOOST_TEST(h.expects_overrun(type));
        for (int i = 0; i != 200; ++i)
            h.ran(type, false);
    });
}

BOOST_AUTO_TEST_SUITE_END()
