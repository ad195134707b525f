// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The right to produce as a state machine: each transition, and what holds for all of them.

#include <asio_ewyk/detail/engine/production.hpp>
#include <asio_ewyk/detail/engine/production_right.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ewyk = asio_ewyk;
using ewyk::detail::production_event;
using ewyk::detail::production_state;
using ewyk::detail::production_verdict;

BOOST_AUTO_TEST_SUITE(production)

namespace {

using word = ewyk::detail::production;
using enum production_state;
using enum production_event;
using enum production_verdict;

constexpr std::array states{idle, producing, reproducing};
constexpr std::array events{
    ask, enter, arrive, found_none, hand_over, take_back, give_up, resume, abdicate};

constexpr bool pending = true;
constexpr bool none = false;

std::string name(word w)
{
    constexpr char const* names[] = {"idle", "producing", "reproducing"};
    std::string const state = names[static_cast<std::size_t>(w.state)];
    return w.pending ? state + ", pending" : state;
}

char const* name(production_event e)
{
    constexpr char const* names[] = {"ask", "enter", "arrive", "found_none", "hand_over",
        "take_back", "give_up", "resume", "abdicate"};
    return names[static_cast<std::size_t>(e)];
}

struct transition
{
    production_event event;
    word now;
    word next;
    production_verdict verdict;
};

std::ostream& operator<<(std::ostream& os, transition const& t)
{
    return os << name(t.event) << ": " << name(t.now) << " -> " << name(t.next);
}

// What can happen in each state. The rest cannot: see impossible().
constexpr transition table[] = {
    // A thread wants production: a thread is asked for, unless one is on its way; one that produces
    // will look once more.
    {ask, {idle, none}, {idle, pending}, start},
    {ask, {idle, pending}, {idle, pending}, leave},
    {ask, {producing, none}, {reproducing, none}, leave},
    {ask, {producing, pending}, {reproducing, pending}, leave},
    {ask, {reproducing, none}, {reproducing, none}, leave},
    {ask, {reproducing, pending}, {reproducing, pending}, leave},

    // A thread comes by itself: only the first one produces.
    {enter, {idle, none}, {producing, none}, produce},
    {enter, {idle, pending}, {producing, pending}, produce},
    {enter, {producing, none}, {reproducing, none}, leave},
    {enter, {producing, pending}, {reproducing, pending}, leave},
    {enter, {reproducing, none}, {reproducing, none}, leave},
    {enter, {reproducing, pending}, {reproducing, pending}, leave},

    // The thread that was asked for comes; one that comes late is not needed any more.
    {arrive, {idle, pending}, {producing, none}, produce},
    {arrive, {producing, pending}, {producing, none}, leave},
    {arrive, {reproducing, pending}, {reproducing, none}, leave},

    // Nothing to do: look once more if another one has asked since.
    {found_none, {producing, none}, {idle, none}, leave},
    {found_none, {producing, pending}, {idle, pending}, leave},
    {found_none, {reproducing, none}, {producing, none}, produce},
    {found_none, {reproducing, pending}, {producing, pending}, produce},

    // Hand-over: one thread on its way is enough, and it will look, whichever thread has asked.
    {hand_over, {producing, none}, {idle, pending}, start},
    {hand_over, {producing, pending}, {idle, pending}, leave},
    {hand_over, {reproducing, none}, {idle, pending}, start},
    {hand_over, {reproducing, pending}, {idle, pending}, leave},

    // No thread could be had: produce on, unless another one has come in the meantime.
    {take_back, {idle, pending}, {producing, none}, produce},
    {take_back, {producing, pending}, {producing, none}, leave},
    {take_back, {reproducing, pending}, {reproducing, none}, leave},

    // The thread that was asked for will not come.
    {give_up, {idle, pending}, {idle, none}, leave},
    {give_up, {producing, pending}, {producing, none}, leave},
    {give_up, {reproducing, pending}, {reproducing, none}, leave},

    // Back from a task: produce on if no other one does; a thread still on its way then comes too
    // late.
    {resume, {idle, none}, {producing, none}, produce},
    {resume, {idle, pending}, {producing, pending}, produce},
    {resume, {producing, none}, {producing, none}, leave},
    {resume, {producing, pending}, {producing, pending}, leave},
    {resume, {reproducing, none}, {reproducing, none}, leave},
    {resume, {reproducing, pending}, {reproducing, pending}, leave},

    // The producer must go, and asks for another one afterwards.
    {abdicate, {producing, none}, {idle, none}, leave},
    {abdicate, {producing, pending}, {idle, pending}, leave},
    {abdicate, {reproducing, none}, {idle, none}, leave},
    {abdicate, {reproducing, pending}, {idle, pending}, leave},
};

bool one_produces(word w) { return w.state == producing || w.state == reproducing; }

// Only the producer finds nothing, hands over or abdicates; only the pending thread, and the one that
// asked for it, report of it.
bool impossible(production_event e, word w)
{
    bool const by_producer = e == found_none || e == hand_over || e == abdicate;
    bool const of_pending = e == arrive || e == take_back || e == give_up;
    return (by_producer && !one_produces(w)) || (of_pending && !w.pending);
}

std::vector<word> words()
{
    std::vector<word> all;
    for (production_state const s : states)
        for (bool const p : {none, pending})
            all.push_back({s, p});
    return all;
}

struct step
{
    production_event event;
    word now;
    word next;
    production_verdict verdict;
};

std::vector<step> possible_steps()
{
    std::vector<step> all;
    for (production_event const e : events)
        for (word const w : words())
            if (!impossible(e, w))
            {
                auto const s = next_production(w, e);
                all.push_back({e, w, s.next, s.verdict});
            }
    return all;
}

std::ostream& operator<<(std::ostream& os, step const& s)
{
    return os << name(s.event) << ": " << name(s.now) << " -> " << name(s.next);
}

BOOST_DATA_TEST_CASE(goes_by_the_table, table, row)
{
    auto const s = next_production(row.now, row.event);
    BOOST_TEST((s.next == row.next));
    BOOST_TEST((s.verdict == row.verdict));
}

BOOST_AUTO_TEST_CASE(the_table_is_complete)
{
    for (production_event const e : events)
        for (word const w : words())
        {
            int rows = 0;
            for (transition const& t : table)
                rows += t.event == e && t.now == w;
            BOOST_TEST(rows == (impossible(e, w) ? 0 : 1), name(e) << " in " << name(w));
        }
}

BOOST_AUTO_TEST_CASE(fits_into_a_word_and_comes_back)
{
    std::vector<std::uint32_t> packed;
    for (word const w : words())
    {
        BOOST_TEST((word::unpack(w.pack()) == w));
        for (std::uint32_t const other : packed)
            BOOST_TEST(other != w.pack());
        packed.push_back(w.pack());
    }
}

BOOST_AUTO_TEST_CASE(begins_idle_with_none_on_the_way)
{
    BOOST_TEST((word{} == word{idle, none}));
}

// What happens to a word leaves a word: no step leads out of the six.
BOOST_AUTO_TEST_CASE(every_step_leads_to_a_known_state)
{
    for (production_event const e : events)
        for (word const w : words())
        {
            word const next = next_production(w, e).next;
            BOOST_TEST((word::unpack(next.pack()) == next));
            BOOST_TEST(static_cast<std::uint32_t>(next.state) <= 2u);
        }
}

// Never two producers: a thread that is told to produce finds none at it, or is the one.
BOOST_DATA_TEST_CASE(only_one_is_told_to_produce, possible_steps(), s)
{
    if (s.verdict != produce)
        return;
    BOOST_TEST((s.next.state == producing));
    if (s.event != found_none)
        BOOST_TEST(!one_produces(s.now));
}

// The state says that a thread produces exactly as long as one was told to, and has not left.
BOOST_DATA_TEST_CASE(the_state_follows_the_producer, possible_steps(), s)
{
    bool const ends = s.event == found_none || s.event == hand_over || s.event == abdicate;
    bool const one_stays = ends ? false : one_produces(s.now);
    BOOST_TEST(one_produces(s.next) == (one_stays || s.verdict == produce));
}

// The pending bit says that a thread is on its way exactly as long as one was asked for, and has
// neither arrived nor been given up. Two would be one too many.
BOOST_DATA_TEST_CASE(one_thread_is_on_its_way_at_most, possible_steps(), s)
{
    bool const ends = s.event == arrive || s.event == take_back || s.event == give_up;
    BOOST_TEST(s.next.pending == ((s.now.pending && !ends) || s.verdict == start));
    if (s.verdict == start)
        BOOST_TEST(!s.now.pending);
}

// No wish is lost: the thread that asked leaves another one on its way, or a producer that will look again.
BOOST_DATA_TEST_CASE(a_wish_is_remembered, possible_steps(), s)
{
    if (s.event == ask || (s.event == enter && s.verdict != produce))
        BOOST_TEST((s.next.pending || s.next.state == reproducing));
    // Nor forgotten: only a look at the producer, or one on its way, takes it off the record.
    if (s.now.state == reproducing && s.next.state != reproducing)
        BOOST_TEST((s.verdict == produce || s.next.pending || s.event == abdicate));
}

// Whichever comes first: the thread that has ended a lease, or the late one. Also for a later lease.
BOOST_AUTO_TEST_CASE(a_lease_that_was_ended_is_settled_once)
{
    for (std::uint64_t const first : {std::uint64_t{0}, std::uint64_t{1} << 40})
    {
        ewyk::detail::production_right right;
        BOOST_TEST((right.apply(enter).verdict == produce));
        BOOST_TEST((right.apply(enter).verdict == leave));
        BOOST_TEST(right.reclaim(first));
        BOOST_TEST(!right.reclaim(first));
        BOOST_TEST(!right.pass_on(first));
        BOOST_TEST((right.now() == word{reproducing, false}));

        BOOST_TEST((right.pass_on(first + 3) == start));
        BOOST_TEST(!right.pass_on(first + 3));
        BOOST_TEST(!right.reclaim(first + 3));
        BOOST_TEST(!right.reclaim(first));
        BOOST_TEST((right.now() == word{idle, true}));
        BOOST_TEST((right.apply(resume).verdict == produce));
        BOOST_TEST((right.pass_on(first + 4) == leave));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
