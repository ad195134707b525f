// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The loop, or what is around it, made worse on purpose, in ways that others have shipped or that
// are easy to write: each must be found by one of the models, or the models prove nothing.

#include "production_loop_models.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

BOOST_AUTO_TEST_SUITE(production_loop_flaws)

namespace {

using interleaving::flaw;

struct named_flaw
{
    char const* name;
    flaw what;
    char const* shows_in; // the name of a model; where it does not show any more, all are tried

    friend std::ostream& operator<<(std::ostream& os, named_flaw const& n) { return os << n.name; }
};

constexpr std::array all_flaws{
    named_flaw{"a request is not heard while another thread produces", flaw::ask_is_lost,
        "execute_produce_consume, 1 thread: one produces, one dispatches"},
    named_flaw{"the producer runs what it should give to the pool", flaw::blocks_producer,
        "produce_execute_consume, 2 threads: a task waits for another one"},
    named_flaw{"after a task that throws none is asked to produce", flaw::leaves_in_silence,
        "execute_produce_consume, 1 thread: tasks throw, with grace"},
    named_flaw{"nor by one that takes over", flaw::takes_over_in_silence,
        "execute_produce_consume, 1 thread: a task waits for another one, with grace"},
    named_flaw{"nor by a task that says that it blocks", flaw::releases_in_silence,
        "execute_produce_consume, 1 thread: a task says that it waits for another one"},
    named_flaw{"a task says that it is going to block, in vain", flaw::announcement_is_forgotten,
        "execute_produce_consume, 1 thread: a task says that it waits for another one"},
    named_flaw{"produce() from within a task does nothing", flaw::nested_run_forgets,
        "produce_execute_consume, a thread not started: a task supplies a task and produces"},
    named_flaw{"the place of a lease that is taken over is forgotten", flaw::place_is_kept,
        "execute_produce_consume, 1 thread: one produces, with grace"},
    named_flaw{"where none could be started one is awaited for ever", flaw::start_is_not_given_up,
        "execute_produce_consume, a stopped pool: one produces, with grace"},
    named_flaw{"where a hand-over found none one is awaited for ever",
        flaw::hand_over_is_not_given_up,
        "execute_produce_consume, 2 threads: a task waits for another one"},
    named_flaw{"a request is cleared after the look at the lease", flaw::arrives_late,
        "execute_produce_consume, 1 thread: one produces, one dispatches"},
};

// Shallow looks at all models first: what a flaw breaks is often near.
constexpr std::array<std::size_t, 3> limits{2'000, 10'000, 100'000};

std::vector<interleaving::named_setup> models()
{
    auto all = interleaving::grace_models();
    for (auto& more : interleaving::strategy_models())
        all.push_back(std::move(more));
    return all;
}

bool shows(named_flaw const& each)
{
    static auto const all = models();
    auto const shows_in = [&](interleaving::named_setup const& n, std::size_t limit) {
        auto const found = interleaving::explore(interleaving::loop_maker(n.what), limit);
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

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("production_loop_flaws/is_found"))
{
    std::printf("flaws of the production_loop: %zu of %zu found\n", killed, hunted);
    BOOST_TEST(hunted != 0u);
    BOOST_TEST(killed == hunted);
}

BOOST_AUTO_TEST_SUITE_END()
