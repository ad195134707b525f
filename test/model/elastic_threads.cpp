// The pool's threads, in every interleaving with those who give them tasks, leave or stop.

#include "elastic_system.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <vector>

BOOST_AUTO_TEST_SUITE(elastic_threads)

namespace {

using namespace model::elastic;

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
    {"one thread, not started", {.workers = 1, .submitters = 2}},
    {"one thread, parked", {.workers = 1, .all_parked = true, .submitters = 2}},
    {"two threads, not started", {.workers = 2, .submitters = 2}},
    {"two threads, parked", {.workers = 2, .all_parked = true, .submitters = 2}},
    {"two threads, a task waits for another one", {.workers = 2, .submitters = 2, .task_waits = true}},
    {"threads that idle out",
        {.workers = 2, .submitters = 2, .task_gives = true, .idles_out = true}},
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
    named_flaw{flaw::leaves_once, "leave() does not look again for tasks"},
    named_flaw{flaw::unpins_in_silence, "the last task of a client does not say that it is done"},
    named_flaw{flaw::parks_without_look, "a thread parks without another look"},
    named_flaw{flaw::queues_without_look, "who queues a task does not look again for a parked thread"},
    named_flaw{flaw::stop_wakes_nobody, "stop() wakes nobody"},
    named_flaw{flaw::counts_sleepers, "no thread is started while any thread lives"},
};

std::size_t killed = 0;

}

BOOST_DATA_TEST_CASE(lose_no_task_and_no_client, all_configs, each)
{
    auto const found = model::explore(model::elastic::system(each.what));
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
        if (auto const found = model::explore(model::elastic::system(n.what)); !found.wrong.empty())
        {
            ++killed;
            BOOST_TEST_MESSAGE("\"" << each.name << "\" shows in \"" << n.name << "\": " << found.wrong);
            return;
        }
    }
    BOOST_TEST(false, "no model shows that " << each.name);
}

BOOST_AUTO_TEST_CASE(score, *boost::unit_test::depends_on("elastic_threads/flaw_is_found"))
{
    std::printf("flaws of the pool: %zu of %zu found\n", killed, all_flaws.size());
    BOOST_TEST(killed == all_flaws.size());
}

BOOST_AUTO_TEST_SUITE_END()
