// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/overload/overload_spell.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(overload_spell)

namespace {

using namespace std::chrono_literals;
using asio_ewyk::detail::time_point;

} // namespace

// Not in the anonymous namespace: test cases derive from it. Times are counted from the begin.
struct spell_fixture
{
    void saw(std::chrono::nanoseconds delay, std::chrono::nanoseconds at)
    {
        spell.saw(delay, time_point(1h) + at);
    }

    bool lasts(std::chrono::nanoseconds at) const { return spell.lasts(time_point(1h) + at); }

    bool refuses(std::chrono::nanoseconds delay, std::chrono::nanoseconds at) const
    {
        return spell.refuses(delay, time_point(1h) + at);
    }

    void overload()
    {
        saw(11ms, 0ms);
        saw(11ms, 60ms);
        saw(11ms, 120ms);
        BOOST_TEST_REQUIRE(lasts(120ms));
    }

    asio_ewyk::detail::overload_spell spell{10ms, 100ms};
};

BOOST_FIXTURE_TEST_CASE(there_is_none_at_first, spell_fixture)
{
    BOOST_TEST(!lasts(0ms));
    BOOST_TEST(!refuses(1h, 0ms));
}

BOOST_FIXTURE_TEST_CASE(short_delays_make_none, spell_fixture)
{
    for (int i = 0; i != 1000; ++i)
        saw(10ms, i * 1ms);
    BOOST_TEST(!lasts(1s));
}

BOOST_FIXTURE_TEST_CASE(a_burst_makes_none, spell_fixture)
{
    for (int i = 0; i != 100; ++i)
        saw(1h, i * 1ms);
    BOOST_TEST(!lasts(99ms));
    saw(1h, 100ms);
    BOOST_TEST(lasts(100ms));
}

BOOST_FIXTURE_TEST_CASE(in_one_what_has_waited_for_twice_the_target_is_refused, spell_fixture)
{
    overload();
    BOOST_TEST(!refuses(20ms, 120ms));
    BOOST_TEST(refuses(20ms + 1ns, 120ms));
}

// They are short because so much was refused.
BOOST_FIXTURE_TEST_CASE(short_delays_do_not_end_it_at_once, spell_fixture)
{
    overload();
    saw(1ms, 130ms);
    saw(1ms, 200ms);
    BOOST_TEST(lasts(220ms));
    saw(11ms, 220ms);
    BOOST_TEST(lasts(320ms));
}

BOOST_FIXTURE_TEST_CASE(an_interval_without_long_ones_ends_it, spell_fixture)
{
    overload();
    BOOST_TEST(!lasts(221ms));
    // The next one begins anew.
    saw(11ms, 300ms);
    BOOST_TEST(!lasts(300ms));
    saw(11ms, 390ms);
    BOOST_TEST(!lasts(390ms));
    saw(11ms, 400ms);
    BOOST_TEST(lasts(400ms));
}

BOOST_FIXTURE_TEST_CASE(delays_longer_than_an_interval_are_no_silence, spell_fixture)
{
    saw(150ms, 150ms);
    saw(150ms, 300ms);
    BOOST_TEST(lasts(300ms));
    saw(150ms, 600ms);
    BOOST_TEST(!lasts(600ms));
}

// An interval of 0 is allowed.
BOOST_AUTO_TEST_CASE(lasts_until_the_target_is_over_at_least)
{
    asio_ewyk::detail::overload_spell spell(10ms, 0ns);
    spell.saw(30ms, time_point(1h));
    BOOST_TEST(spell.refuses(21ms, time_point(1h)));
    BOOST_TEST(spell.refuses(21ms, time_point(1h) + 10ms));
    BOOST_TEST(!spell.refuses(21ms, time_point(1h) + 11ms));
}

BOOST_AUTO_TEST_CASE(the_longest_target_refuses_nothing)
{
    asio_ewyk::detail::overload_spell spell(std::chrono::nanoseconds::max(), 0ns);
    spell.saw(1h, time_point(1h));
    BOOST_TEST(!spell.refuses(std::chrono::nanoseconds::max(), time_point(1h)));
}

BOOST_AUTO_TEST_SUITE_END()
