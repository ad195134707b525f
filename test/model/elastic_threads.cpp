// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The pool's threads, in every interleaving with those that give them tasks, leave or stop.

#include "component.hpp"
#include "elastic_system.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

BOOST_AUTO_TEST_SUITE(elastic_threads)

namespace {

using namespace model::elastic;

std::vector<model::named<config>> const all_configs{
    {"one thread, not started", {.workers = 1, .submitters = 2}},
    {"one thread, parked", {.workers = 1, .all_parked = true, .submitters = 2}},
    {"two threads, not started", {.workers = 2, .submitters = 2}},
    {"two threads, parked", {.workers = 2, .all_parked = true, .submitters = 2}},
    {"two threads, a task waits for another one", {.workers = 2, .submitters = 2, .task_waits = true}},
    {"threads that idle out",
        {.workers = 2, .submitters = 2, .task_gives = true, .idles_out = true}},
    {"threads that end have all places", {.workers = 1, .submitters = 3, .idles_out = true}},
    {"the same beside a thread that waits",
        {.workers = 2, .submitters = 5, .task_waits = true, .idles_out = true}},
    {"one thread less", {.workers = 2, .submitters = 2, .shrinks = true}},
    {"one thread less of those that are parked",
        {.workers = 2, .all_parked = true, .submitters = 3, .shrinks = true}},
    {"one thread less where threads idle out",
        {.workers = 2, .all_parked = true, .submitters = 2, .shrinks = true, .idles_out = true}},
    {"a client leaves", {.workers = 1, .all_parked = true, .submitters = 2, .client_leaves = true}},
    {"a client leaves whose task gives another one",
        {.workers = 1, .submitters = 2, .task_gives = true, .client_leaves = true}},
    {"the same, two threads",
        {.workers = 2, .submitters = 2, .task_gives = true, .client_leaves = true}},
    {"stop", {.workers = 2, .all_parked = true, .submitters = 2, .task_gives = true, .stops = true}},
    {"stop of threads that are not started",
        {.workers = 2, .submitters = 2, .task_gives = true, .stops = true}},
    {"stop of threads that idle out",
        {.workers = 2, .all_parked = true, .submitters = 2, .stops = true, .idles_out = true}},
    {"stop while a client leaves",
        {.workers = 1, .submitters = 2, .task_gives = true, .client_leaves = true, .stops = true}},
};

using named_flaw = model::named<flaw>;

constexpr std::array all_flaws{
    named_flaw{"leave() does not look again for tasks", flaw::leaves_once},
    named_flaw{"the last task of a client does not say that it is done", flaw::unpins_in_silence},
    named_flaw{"a thread parks without another look", flaw::parks_without_look},
    named_flaw{"a thread that queues a task does not look again for a parked thread", flaw::queues_without_look},
    named_flaw{"stop() wakes no thread", flaw::stop_wakes_none},
    named_flaw{"a thread ends although it was claimed", flaw::retires_although_claimed},
    named_flaw{"no thread is started while any thread lives", flaw::counts_sleepers},
    named_flaw{"a thread that ends looks for tasks only if no thread lives", flaw::looks_if_last},
    named_flaw{"a thread that is too many keeps the wake-up for a task", flaw::ends_with_the_wake_up},
    named_flaw{"a thread that ends frees its place after it has looked", flaw::frees_place_later},
};

std::size_t killed = 0;

}

BOOST_DATA_TEST_CASE(lose_no_task_and_no_client, all_configs, each)
{
    model::check_component<model::elastic::system>(each);
}

BOOST_DATA_TEST_CASE(flaw_is_found, all_flaws, each)
{
    if (model::check_flaw_is_found<model::elastic::system>(all_configs, each))
        ++killed;
}

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("elastic_threads/flaw_is_found"))
{
    std::printf("flaws of the pool: %zu of %zu found\n", killed, all_flaws.size());
    BOOST_TEST(killed == all_flaws.size());
}

BOOST_AUTO_TEST_SUITE_END()
