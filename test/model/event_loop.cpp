// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The event loop's sleep and its wake-ups, rounds of tasks and the end, in every interleaving with
// those that submit and shut down.

#include "component.hpp"
#include "loop_system.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

BOOST_AUTO_TEST_SUITE(event_loop)

namespace {

using namespace model::event_loops;

std::vector<model::named<config>> const all_configs{
    {"two submit", {.posts = {2, 2}}},
    {"two submit, and I/O completes", {.posts = {2, 1}, .completions = 2}},
    {"completions submit", {.posts = {1, 1}, .completions = 1, .completion_posts = true}},
    {"tasks throw", {.posts = {2, 1}, .completions = 1, .throws = true}},
    {"a task submits itself until I/O completes", {.posts = {1, 1}, .completions = 1, .again = true}},
    {"one task may wait", {.posts = {2, 2}, .limit = 1}},
    {"graceful end", {.posts = {2, 1}, .shuts_down = true}},
    {"graceful end, and I/O completes",
        {.posts = {1, 1}, .completions = 1, .completion_posts = true, .shuts_down = true}},
    {"graceful end that comes to its timeout", {.posts = {1, 1}, .shuts_down = true, .times_out = true}},
    {"graceful end of tasks that throw", {.posts = {1, 1}, .throws = true, .shuts_down = true}},
    {"graceful end of a loop that may not have begun",
        {.posts = {1, 1}, .shuts_down = true, .submits_first = false}},
    {"stop", {.posts = {2, 1}, .stops = true}},
    {"stop of a limited loop", {.posts = {2, 2}, .stops = true, .limit = 1}},
};

using named_flaw = model::named<flaw>;

constexpr std::array all_flaws{
    named_flaw{"a submitter looks for a wake-up and then adds the task", flaw::posts_after_look},
    named_flaw{"two send a wake-up at a time", flaw::sends_without_exchange},
    named_flaw{"the wake-up clears the flag before it runs tasks", flaw::clears_early},
    named_flaw{"it clears the flag without another look", flaw::clears_without_look},
    named_flaw{"it looks for tasks and then clears the flag", flaw::looks_before_clear},
    named_flaw{"a round that leaves tasks is the last one", flaw::forgets_the_rest},
    named_flaw{"a task that throws ends the wake-ups", flaw::thrower_skips_the_end},
    named_flaw{"a round has no limit", flaw::no_limit_on_a_round},
    named_flaw{"the quiet period ends although tasks wait", flaw::ends_with_tasks},
    named_flaw{"a loop that never began is not ended", flaw::fresh_loop_stays},
    named_flaw{"the thread is started after the end", flaw::starts_after_the_end},
    named_flaw{"a task that is refused stays counted", flaw::counts_refused_tasks},
};

std::size_t states = 0;
std::size_t killed = 0;

}

BOOST_DATA_TEST_CASE(loses_no_task_and_comes_to_its_end, all_configs, each)
{
    states += model::check_component<model::event_loops::system>(each);
}

BOOST_DATA_TEST_CASE(flaw_is_found, all_flaws, each)
{
    if (model::check_flaw_is_found<model::event_loops::system>(all_configs, each))
        ++killed;
}

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("event_loop/flaw_is_found"))
{
    std::printf("event loop: %zu states explored, flaws: %zu of %zu found\n", states, killed, all_flaws.size());
    BOOST_TEST(killed == all_flaws.size());
}

BOOST_AUTO_TEST_SUITE_END()
