// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The succession, or what is around it, made worse on purpose, in ways that are easy to write: each
// must be found by one of the models, or the models prove nothing.

#include "succession_models.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

BOOST_AUTO_TEST_SUITE(succession_flaws)

namespace {

using interleaving::flaw;

struct named_flaw
{
    char const* name;
    flaw what;
    char const* shows_in; // the name of a model; where it does not show any more, all are tried

    friend std::ostream& operator<<(std::ostream& os, named_flaw const& n) { return os << n.name; }
};

// Some are not here.
//
// - A request that nobody gets wakes no idle caller: one that parks meanwhile sees that the lease
//   is free, and one that had parked before was given the request.
// - stop() wakes no caller: a thread that leaves then does it.
// - A lease that is passed on keeps its number: where leases are passed on none is ended by others.
// - A handler that keeps the lease can lose it: what it has marked is of an older lease, so none
//   takes it for late. That the mark may be seen late is no part of these models.
// - A caller that leaves looks for nothing: that takes one that is woken at its deadline.
// - The next thread that comes back is not said to be there: that takes three sections and four
//   threads, and so more states than can be seen.
constexpr std::array all_flaws{
    named_flaw{"the request is cleared after the look at the lease",
        flaw::arrives_late,
        "eat_what_you_kill, 2 threads: a handler waits for the one that it posts"},
    named_flaw{"an idle caller parks and does not look whether the lease is free",
        flaw::parks_without_look,
        "produce_consume, a stopped pool: two run, a section waits for another handler"},
    named_flaw{"a producer that leaves asks no thread to come",
        flaw::leaves_in_silence,
        "produce_consume, a thread not started: a section waits for another handler"},
    named_flaw{"a thread that takes over asks none",
        flaw::takes_over_in_silence,
        "execute_produce_consume, 1 thread: a handler waits for another one, with grace"},
    named_flaw{"a handler says that it blocks, and no thread is asked to come",
        flaw::releases_in_silence,
        "execute_produce_consume, 1 thread: a handler says that it waits for another one,"
        " with grace"},
    named_flaw{"a lease that was had in vain for a thread that comes back is left in silence",
        flaw::passes_in_silence,
        "produce_consume, a stopped pool: one runs, one runs one, a section waits for another"
        " handler"},
    named_flaw{"a thread that had the lease in vain does not look again which come back",
        flaw::passes_once,
        "produce_consume, a stopped pool: two run, with three sections, of which one waits"},
    named_flaw{"where none could be started one is awaited for ever",
        flaw::start_is_not_given_up,
        "execute_produce_consume, a thread not started: handlers throw"},
    named_flaw{"a hand-over that found none awaits one for ever",
        flaw::hand_over_is_not_given_up,
        "execute_produce_consume, 1 thread: a handler waits for another one"},
    named_flaw{"a request that was taken back is awaited for ever",
        flaw::give_up_is_forgotten,
        "execute_produce_consume, a thread not started: one runs"},
    named_flaw{"a thread whose lease has ended renews that",
        flaw::late_renews,
        "eat_what_you_kill, 1 thread: unobserved, and a handler waits for another one,"
        " with grace"},
    named_flaw{"a thread that comes back does not call the producer",
        flaw::returns_in_silence,
        "produce_consume, a thread not started: a handler has a section"},
    named_flaw{"none looks which threads come back",
        flaw::return_is_not_seen,
        "produce_consume, a stopped pool: a handler has a section"},
    named_flaw{"a hand-over that found no thread does not take the lease back",
        flaw::take_back_is_forgotten,
        "eat_what_you_kill, 2 threads not started: a handler waits for another one"},
    named_flaw{"the end of all work wakes no caller",
        flaw::end_wakes_none,
        "execute_produce_consume, a stopped pool: two run"},
    named_flaw{"the place of a lease that is taken over is forgotten",
        flaw::place_is_kept,
        "execute_produce_consume, a stopped pool: one runs, with grace"},
    named_flaw{"the pool may not produce while a handler is in a section",
        flaw::section_is_not_counted,
        "produce_consume, a thread not started: a section waits for another handler"},
    named_flaw{"a lent thread that has lost the right produces on",
        flaw::late_stays_inside,
        "execute_produce_consume, 1 thread: one runs, a thread posts, with grace"},
    named_flaw{"the owner does not take the right back",
        flaw::owner_takes_nothing,
        "eat_what_you_kill, a stopped pool: a handler is for the pool, and one waits for another"
        " one, with grace"},
    named_flaw{"the owner is called and does not come for the right",
        flaw::owner_does_not_come,
        "eat_what_you_kill, 1 thread: the owner is called, as one is for the pool, with grace"},
    named_flaw{"a lent thread that has lost the right while it began to wait is not called",
        flaw::lent_is_not_counted,
        "eat_what_you_kill, 1 thread: the owner is called, as one is for the pool, with grace"},
    named_flaw{"the owner takes the right from a thread that keeps it",
        flaw::seizes_what_is_kept,
        "eat_what_you_kill, 2 threads: a handler that need not be handed over runs meanwhile,"
        " with grace"},
    named_flaw{"the place of a lease that the owner takes back is forgotten",
        flaw::seized_place_is_kept,
        "execute_produce_consume, 1 thread: two handlers wait for another one, with grace"},
    named_flaw{"a caller that has left is the owner for ever",
        flaw::owner_does_not_resign,
        "execute_produce_consume, a stopped pool: one runs, with grace"},
    named_flaw{"the owner passes the right on to a thread that comes back and goes on",
        flaw::owner_passes_and_goes_on,
        "produce_consume, 1 thread: two have sections, a thread posts"},
    named_flaw{"the producer runs what it should give to the pool",
        flaw::blocks_producer,
        "eat_what_you_kill, 2 threads not started: a handler waits for another one"},
    named_flaw{"a thread that has run handlers leaves and wakes none",
        flaw::leaves_unheard,
        "execute_produce_consume, 1 thread: a handler waits for another one, with grace"},
    named_flaw{"a thread that found none to come does not ask again when a caller has come",
        flaw::asks_once,
        "execute_produce_consume, 1 thread: a thread helps, and a handler waits for another one,"
        " with grace"},
    named_flaw{"none produces while the producer runs what the pool has given back",
        flaw::keeps_what_is_back,
        "eat_what_you_kill, 2 threads: a handler waits for the one that it posts"},
};

// Shallow looks at all models first: what a flaw breaks is often near.
constexpr std::array<std::size_t, 3> limits{2'000, 20'000, 3'000'000};

bool shows(named_flaw const& each)
{
    static auto const all = interleaving::all_models();
    auto const shows_in = [&](interleaving::named_setup const& n, std::size_t limit) {
        auto const found = interleaving::explore(interleaving::succession_maker(n.what), limit);
        if (!found.wrong.empty())
            BOOST_TEST_MESSAGE(
                "\"" << each.name << "\" shows in \"" << n.name << "\": " << found.wrong);
        return !found.wrong.empty();
    };
    auto const known = std::ranges::find(all, each.shows_in, &interleaving::named_setup::name);
    BOOST_TEST_REQUIRE((known != all.end()), "there is no model \"" << each.shows_in << '"');
    if (shows_in(*known, limits.back()))
        return true;
    for (std::size_t limit : limits)
        for (auto const& n : all)
            if (shows_in(n, limit))
                return true;
    return false;
}

std::size_t hunted = 0;
std::size_t killed = 0;

}

BOOST_DATA_TEST_CASE(is_found, all_flaws, each)
{
    interleaving::wrong = each.what;
    bool const found = shows(each);
    interleaving::wrong = flaw::none;
    ++hunted;
    killed += found;
    BOOST_TEST(found, "no model shows that " << each.name);
}

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("succession_flaws/is_found"))
{
    std::printf("flaws of the succession: %zu of %zu found\n", killed, hunted);
    BOOST_TEST(hunted != 0u);
    BOOST_TEST(killed == hunted);
}

BOOST_AUTO_TEST_SUITE_END()
