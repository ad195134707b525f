// The event loop's sleep and its wake-ups, rounds of tasks and the end, in every interleaving with
// those who submit and shut down.

#include "loop_system.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <vector>

BOOST_AUTO_TEST_SUITE(event_loop)

namespace {

using namespace model::event_loops;

struct named_config
{
    char const* name;
    config what;
};

std::ostream& operator<<(std::ostream& os, named_config const& n)
{
    return os << n.name;
}

std::vector<named_config> const all_configs{
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

struct named_flaw
{
    flaw what;
    char const* name;
};

std::ostream& operator<<(std::ostream& os, named_flaw const& f)
{
    return os << f.name;
}

constexpr std::array all_flaws{
    named_flaw{flaw::posts_after_look, "who submits looks for a wake-up and then adds the task"},
    named_flaw{flaw::sends_without_exchange, "two send a wake-up at a time"},
    named_flaw{flaw::clears_early, "the wake-up clears the flag before it runs tasks"},
    named_flaw{flaw::clears_without_look, "it clears the flag without another look"},
    named_flaw{flaw::looks_before_clear, "it looks for tasks and then clears the flag"},
    named_flaw{flaw::forgets_the_rest, "a round that leaves tasks is the last one"},
    named_flaw{flaw::thrower_skips_the_end, "a task that throws ends the wake-ups"},
    named_flaw{flaw::no_limit_on_a_round, "a round has no limit"},
    named_flaw{flaw::ends_with_tasks, "the quiet period ends although tasks wait"},
    named_flaw{flaw::fresh_loop_stays, "a loop that never began is not ended"},
    named_flaw{flaw::starts_after_the_end, "the thread is started after the end"},
    named_flaw{flaw::counts_refused_tasks, "a task that is refused stays counted"},
};

std::size_t states = 0;
std::size_t killed = 0;

}

BOOST_DATA_TEST_CASE(loses_no_task_and_comes_to_its_end, all_configs, each)
{
    auto const found = model::explore(model::event_loops::system(each.what));
    states += found.states;
    BOOST_TEST_MESSAGE(each.name << ": " << found.states << " states, " << found.transitions
                                 << " transitions, " << found.ends << " ends");
    BOOST_TEST(found.complete);
    BOOST_TEST(found.wrong.empty(), found.story());
    BOOST_TEST(found.ends != 0u);
}

BOOST_DATA_TEST_CASE(flaw_is_found, all_flaws, each)
{
    for (auto n : all_configs)
    {
        n.what.wrong = each.what;
        if (auto const found = model::explore(model::event_loops::system(n.what)); !found.wrong.empty())
        {
            ++killed;
            BOOST_TEST_MESSAGE("\"" << each.name << "\" shows in \"" << n.name << "\": " << found.wrong);
            return;
        }
    }
    BOOST_TEST(false, "no model shows that " << each.name);
}

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("event_loop/flaw_is_found"))
{
    std::printf("event loop: %zu states explored, flaws: %zu of %zu found\n", states, killed, all_flaws.size());
    BOOST_TEST(killed == all_flaws.size());
}

BOOST_AUTO_TEST_SUITE_END()
