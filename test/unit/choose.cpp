// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The decision what is done with one task: every combination of what it depends on, as a table.

#include "../strategies.hpp"

#include <asio_ewyk/detail/engine/choose.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <iterator>
#include <ostream>

namespace ewyk = asio_ewyk;
using ewyk::detail::sub_strategy;

BOOST_AUTO_TEST_SUITE(choose)

namespace {

constexpr auto PC = sub_strategy::produce_consume;
constexpr auto PIC = sub_strategy::produce_invoke_consume;
constexpr auto PEC = sub_strategy::produce_execute_consume;
constexpr auto EPC = sub_strategy::execute_produce_consume;

constexpr ewyk::strategy_t produce_consume = ewyk::strategy.produce_consume;
constexpr ewyk::strategy_t produce_execute_consume = ewyk::strategy.produce_execute_consume;
constexpr ewyk::strategy_t execute_produce_consume = ewyk::strategy.execute_produce_consume;
constexpr ewyk::strategy_t eat_what_you_kill = ewyk::strategy.eat_what_you_kill;

constexpr ewyk::invocation_t non_blocking = ewyk::invocation.non_blocking;
constexpr ewyk::invocation_t either = ewyk::invocation.either;
constexpr ewyk::invocation_t blocking = ewyk::invocation.blocking;

struct row
{
    ewyk::strategy_t strategy;
    ewyk::invocation_t invocation;

    struct answers
    {
        sub_strategy handed_over;
        sub_strategy not_handed_over;
    };
    answers may_block;
    answers may_not_block;
};

// A strategy without hand-overs has the same answer whether one came about or not. One that was
// tried for execute_produce_consume and failed leaves the task where it is.
// clang-format off
constexpr row table[] = {
    //                                        the producer may block   it may not
    //                                        handed over   not        handed over   not
    {produce_consume,         non_blocking,  {PC,           PC},      {PC,           PC}},
    {produce_consume,         either,        {PC,           PC},      {PC,           PC}},
    {produce_consume,         blocking,      {PC,           PC},      {PC,           PC}},
    {produce_execute_consume, non_blocking,  {PEC,          PEC},     {PEC,          PEC}},
    {produce_execute_consume, either,        {PEC,          PEC},     {PEC,          PEC}},
    {produce_execute_consume, blocking,      {PEC,          PEC},     {PEC,          PEC}},
    {execute_produce_consume, non_blocking,  {EPC,          PC},      {EPC,          PC}},
    {execute_produce_consume, either,        {EPC,          PC},      {EPC,          PC}},
    {execute_produce_consume, blocking,      {EPC,          PC},      {EPC,          PC}},
    {eat_what_you_kill,       non_blocking,  {PC,           PC},      {PC,           PC}},
    {eat_what_you_kill,       either,        {EPC,          PIC},     {PC,           PC}},
    {eat_what_you_kill,       blocking,      {EPC,          PEC},     {PEC,          PEC}},
};
// clang-format on
static_assert(std::size(table)
        == support::number_of_strategies * ewyk::detail::invocation_names.all().size(),
    "every strategy with every invocation type");

std::ostream& operator<<(std::ostream& os, row const& r)
{
    return os << r.strategy << ' ' << r.invocation;
}

BOOST_DATA_TEST_CASE(answers_by_the_table, table, r)
{
    auto const chosen = [&](bool may_block, bool handed_over) {
        return ewyk::detail::choose(r.strategy, r.invocation, may_block, handed_over);
    };
    BOOST_TEST((chosen(true, true) == r.may_block.handed_over));
    BOOST_TEST((chosen(true, false) == r.may_block.not_handed_over));
    BOOST_TEST((chosen(false, true) == r.may_not_block.handed_over));
    BOOST_TEST((chosen(false, false) == r.may_not_block.not_handed_over));
}

// A caller asks first what a hand-over would lead to: a `yes` to EPC is the reason to try one.
BOOST_DATA_TEST_CASE(without_a_hand_over_nothing_counts_on_one, table, r)
{
    for (bool const may_block : {false, true})
        BOOST_TEST((ewyk::detail::choose(r.strategy, r.invocation, may_block, false) != EPC));
}

struct traits_row
{
    ewyk::strategy_t strategy;
    ewyk::detail::strategy_traits traits;
    bool leases_blocking; // with a grace, a task that declares nothing needs no decision
};

constexpr traits_row traits[] = {
    {produce_consume, {.is_exclusive = true, .waits_for_threads = false, .queues_for_pool = false}, false},
    {produce_execute_consume, {.is_exclusive = false, .waits_for_threads = false, .queues_for_pool = true}, false},
    {execute_produce_consume, {.is_exclusive = false, .waits_for_threads = true, .queues_for_pool = false}, true},
    {eat_what_you_kill, {.is_exclusive = false, .waits_for_threads = false, .queues_for_pool = false}, true},
};
static_assert(std::size(traits) == support::number_of_strategies, "what traits_of() says of each strategy");

std::ostream& operator<<(std::ostream& os, traits_row const& r) { return os << r.strategy; }

BOOST_DATA_TEST_CASE(each_strategy_has_its_traits, traits, r)
{
    auto const found = ewyk::detail::traits_of(r.strategy);
    BOOST_TEST(found.is_exclusive == r.traits.is_exclusive);
    BOOST_TEST(found.waits_for_threads == r.traits.waits_for_threads);
    BOOST_TEST(found.queues_for_pool == r.traits.queues_for_pool);
    BOOST_TEST(ewyk::detail::is_always_leased(r.strategy, blocking) == r.leases_blocking);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
