// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The explorer itself: it sees each state once, and finds what it is there to find.

#include "explorer.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

BOOST_AUTO_TEST_SUITE(explorer)

namespace {

// Two threads whose steps are given as a function; what all toys have in common.
struct toy_state
{
    std::uint8_t shared = 0;
    std::uint8_t other = 0;
    std::array<std::uint8_t, 2> line{};
    std::array<std::uint8_t, 2> own{};
};

template <class Step>
struct toy
{
    using state = toy_state;

    Step what;
    char const* (*end)(toy_state const&) = [](toy_state const&) -> char const* { return nullptr; };

    std::size_t threads() const { return 2; }
    state initial() const { return {}; }

    model::step_result step(state& s, std::size_t thread, model::chance& c, bool with_label) const
    {
        model::step_result r;
        r.possible = what(s, thread, c, r);
        if (with_label)
            r.label = std::to_string(thread);
        return r;
    }

    char const* wrong_at_end(state const& s) const { return end(s); }
};

template <class Step>
toy(Step) -> toy<Step>;

template <class Step, class End>
toy(Step, End) -> toy<Step>;

}

BOOST_AUTO_TEST_CASE(sees_each_state_once)
{
    auto const found = model::explore(toy{[](toy_state& s, std::size_t t, auto&, auto&) {
        return s.line[t] != 9 && ++s.line[t];
    }});
    BOOST_TEST(found.wrong.empty());
    BOOST_TEST(found.states == 100u);
    BOOST_TEST(found.transitions == 180u);
    BOOST_TEST(found.ends == 1u);
}

BOOST_AUTO_TEST_CASE(takes_every_chance)
{
    auto const found = model::explore(toy{[](toy_state& s, std::size_t t, auto& c, auto&) {
        if (s.line[t] == 1)
            return false;
        s.line[t] = 1;
        s.own[t] = static_cast<std::uint8_t>(c.among(5));
        return true;
    }});
    BOOST_TEST(found.ends == 25u);
}

// Each reads, and then writes one more.
BOOST_AUTO_TEST_CASE(finds_a_lost_update)
{
    auto const found = model::explore(toy{
        [](toy_state& s, std::size_t t, auto&, auto&) {
            switch (s.line[t]++)
            {
            case 0: s.own[t] = s.shared; return true;
            case 1: s.shared = static_cast<std::uint8_t>(s.own[t] + 1); return true;
            default: --s.line[t]; return false;
            }
        },
        [](toy_state const& s) { return s.shared == 2 ? nullptr : "an update is lost"; }});
    BOOST_TEST(found.wrong == "an update is lost");
    // A shortest way there: both read before one of them writes.
    BOOST_TEST(found.trace.size() == 4u);
}

BOOST_AUTO_TEST_CASE(finds_a_wrong_step)
{
    auto const found = model::explore(toy{[](toy_state& s, std::size_t t, auto&, auto& r) {
        if (s.line[t] == 2)
            return false;
        if (++s.line[t] == 2 && s.line[1 - t] == 1)
            r.wrong = "one is ahead by one";
        return true;
    }});
    BOOST_TEST(found.wrong == "one is ahead by one");
    BOOST_TEST(found.trace.size() == 3u);
}

// Each takes its own lock and then the other's.
BOOST_AUTO_TEST_CASE(finds_a_deadlock)
{
    auto const found = model::explore(toy{
        [](toy_state& s, std::size_t t, auto&, auto&) {
            std::uint8_t& first = t == 0 ? s.shared : s.other;
            std::uint8_t& second = t == 0 ? s.other : s.shared;
            switch (s.line[t])
            {
            case 0: return !first && (first = 1) && ++s.line[t];
            case 1: return !second && (second = 1) && ++s.line[t];
            case 2: first = second = 0; return ++s.line[t] != 0;
            default: return false;
            }
        },
        [](toy_state const& s) { return s.line[0] + s.line[1] == 6 ? nullptr : "a deadlock"; }});
    BOOST_TEST(found.wrong == "a deadlock");
    BOOST_TEST(found.trace.size() == 2u);
}

// Each waits for the other to go first, and goes round in circles meanwhile.
BOOST_AUTO_TEST_CASE(finds_threads_that_never_come_to_an_end)
{
    auto const found = model::explore(toy{[](toy_state& s, std::size_t t, auto&, auto&) {
        s.line[t] = static_cast<std::uint8_t>((s.line[t] + 1) % 3);
        return true;
    }});
    BOOST_TEST(found.ends == 0u);
    BOOST_TEST(found.wrong == "threads keep each other busy for ever");
}

BOOST_AUTO_TEST_CASE(does_not_call_a_detour_endless)
{
    auto const found = model::explore(toy{[](toy_state& s, std::size_t t, auto& c, auto&) {
        if (s.line[t] == 3)
            return false;
        s.line[t] = c.maybe() ? 3 : static_cast<std::uint8_t>((s.line[t] + 1) % 3);
        return true;
    }});
    BOOST_TEST(found.ends == 1u);
    BOOST_TEST(found.wrong.empty());
}

BOOST_AUTO_TEST_CASE(says_when_it_gives_up)
{
    auto const found = model::explore(toy{[](toy_state& s, std::size_t t, auto&, auto&) {
        return s.line[t] != 9 && ++s.line[t];
    }}, 50);
    BOOST_TEST(!found.complete);
}

BOOST_AUTO_TEST_SUITE_END()
