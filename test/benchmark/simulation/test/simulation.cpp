// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#define BOOST_TEST_MODULE simulation
#include "../shared_line.hpp"
#include "../simulate.hpp"
#include "../strategic_context.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace benchmark::simulation;
using namespace std::chrono_literals;
using asio_ewyk::strategy_t;

// All that a run costs besides its tasks.
constexpr costs nothing{
    0ns, 0ns, 0ns, 0ns, 0ns, 0ns, 0ns, 0ns, 0ns, 0ns, 0ns, 1ns, 1ns};

std::vector<task> chains(std::size_t n, task const& each)
{
    return std::vector<task>(n, each);
}

outcome run(std::string const& name, std::size_t cores, std::vector<task> const& all,
    costs const& c = {}, sizes const& with = {}, duration time = 1s)
{
    machine on(cores, c);
    auto const p = make_peer(name, on, with);
    return simulate(on, *p, all, 100ms, time);
}

// Computes for a time, and notes when it was done.
class computing_thread final : public thread
{
public:
    computing_thread(machine& on, duration time)
        : machine_(on)
        , time_(time)
    {
    }

    duration ended{};

private:
    step next() override
    {
        if (std::exchange(begun_, true))
        {
            ended = machine_.now();
            return {step::kind::park, duration::max()};
        }
        pay(time_);
        return {};
    }

    machine& machine_;
    duration time_;
    bool begun_ = false;
};

// Parks, and notes when it was woken or its time was over.
class parking_thread final : public thread
{
public:
    parking_thread(machine& on, duration deadline)
        : machine_(on)
        , deadline_(deadline)
    {
    }

    std::vector<duration> woken;

private:
    step next() override
    {
        if (std::exchange(begun_, true))
            woken.push_back(machine_.now());
        return {step::kind::park, woken.empty() ? deadline_ : duration::max()};
    }

    machine& machine_;
    duration deadline_;
    bool begun_ = false;
};

duration end_of_two(std::size_t cores)
{
    machine on(cores, nothing);
    computing_thread one(on, 100ms);
    computing_thread other(on, 100ms);
    on.start(one);
    on.start(other);
    on.run_until(1s);
    BOOST_TEST(one.cpu_time().count() == duration(100ms).count());
    return std::max(one.ended, other.ended);
}

} // namespace

BOOST_AUTO_TEST_SUITE(machines)

BOOST_AUTO_TEST_CASE(two_cores_run_two_threads_at_the_same_time)
{
    BOOST_TEST(end_of_two(2).count() == duration(100ms).count());
    BOOST_TEST(end_of_two(1).count() == duration(200ms).count());
}

BOOST_AUTO_TEST_CASE(one_core_is_shared_fairly)
{
    machine on(1, nothing);
    computing_thread long_one(on, 1s);
    computing_thread short_one(on, 50ms);
    on.start(long_one);
    on.start(short_one);
    on.run_until(2s);
    BOOST_TEST((short_one.ended > 90ms && short_one.ended < 110ms));
    BOOST_TEST(long_one.ended.count() == duration(1050ms).count());
}

BOOST_AUTO_TEST_CASE(a_wake_up_takes_its_time)
{
    costs c = nothing;
    c.wake_other_core = 5us;
    machine on(2, c);
    parking_thread sleeper(on, duration::max());
    on.start(sleeper);
    on.run_until(1ms);
    on.unpark(sleeper, nullptr);
    on.run_until(2ms);
    BOOST_REQUIRE(sleeper.woken.size() == 1u);
    BOOST_TEST(sleeper.woken[0].count() == duration(1ms + 5us).count());
}

BOOST_AUTO_TEST_CASE(a_wake_up_is_not_lost_before_the_thread_parks)
{
    machine on(1, nothing);
    parking_thread sleeper(on, duration::max());
    on.start(sleeper);
    on.unpark(sleeper, nullptr);
    on.run_until(1ms);
    BOOST_TEST(sleeper.woken.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_deadline_ends_a_park_once)
{
    costs c = nothing;
    c.sleep_late = 60us;
    machine on(1, c);
    parking_thread sleeper(on, 1ms);
    on.start(sleeper);
    on.run_until(10ms);
    BOOST_REQUIRE(sleeper.woken.size() == 1u);
    BOOST_TEST(sleeper.woken[0].count() == duration(1ms + 60us).count());
}

BOOST_AUTO_TEST_CASE(what_is_shared_is_had_by_one_core_at_a_time)
{
    costs c = nothing;
    c.line_transfer = 10us;
    machine on(4, c);
    shared_line line(2);
    computing_thread one(on, 0ns);
    computing_thread other(on, 0ns);
    on.start(one);
    on.start(other);
    line.use(on, one);
    line.use(on, other);
    line.use(on, other);
    on.run_until(1ms);
    BOOST_TEST(one.ended.count() == duration(20us).count());
    BOOST_TEST(other.ended.count() == duration(40us).count());
}

BOOST_AUTO_TEST_CASE(a_core_has_what_its_other_threads_have_used)
{
    costs c = nothing;
    c.line_transfer = 10us;
    machine on(1, c);
    shared_line line;
    computing_thread one(on, 0ns);
    computing_thread other(on, 0ns);
    on.start(one);
    on.start(other);
    line.use(on, one);
    line.use(on, other);
    on.run_until(1ms);
    BOOST_TEST(one.cpu_time().count() == duration(10us).count());
    BOOST_TEST(other.cpu_time().count() == 0);
}

BOOST_AUTO_TEST_CASE(times_vary_a_little_and_always_alike)
{
    machine one(1, nothing);
    machine other(1, nothing);
    duration sum{};
    for (int i = 0; i != 1000; ++i)
    {
        duration const varied = one.vary(1us);
        BOOST_TEST((varied >= 950ns && varied <= 1050ns));
        BOOST_TEST(varied.count() == other.vary(1us).count());
        sum += varied;
    }
    BOOST_TEST((sum > 990us && sum < 1010us));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(peers)

BOOST_AUTO_TEST_CASE(run_what_is_submitted)
{
    auto all = chains(16, {10us, {}});
    all.resize(20, {{}, 1ms});
    for (auto name : simulated_peers())
        for (std::size_t cores : {1u, 2u, 8u})
        {
            BOOST_TEST_CONTEXT(name << ", " << cores)
            {
                machine on(cores, {});
                auto const p = make_peer(name, on, {});
                outcome const o = simulate(on, *p, all, 10ms, 100ms);
                BOOST_TEST(o.counted.computed > 0u);
                BOOST_TEST(o.counted.slept > 0u);
                // Of each chain one task is on its way, and not more.
                tally const& total = p->counted();
                BOOST_TEST(total.submitted - total.run() == all.size());
                BOOST_TEST(total.begun <= total.submitted);
                BOOST_TEST(o.cpu.count() <= static_cast<duration::rep>(cores) * o.time.count());
            }
        }
}

BOOST_AUTO_TEST_CASE(do_the_same_each_time)
{
    auto all = chains(16, {10us, {}});
    all.resize(20, {{}, 1ms});
    for (auto name : simulated_peers())
    {
        outcome const one = run(std::string(name), 2, all, {}, {}, 100ms);
        outcome const other = run(std::string(name), 2, all, {}, {}, 100ms);
        BOOST_TEST(one.counted.run() == other.counted.run());
        BOOST_TEST(one.cpu.count() == other.cpu.count());
        BOOST_TEST(one.switches == other.switches);
    }
}

BOOST_AUTO_TEST_CASE(refuse_an_unknown_name)
{
    machine on(1, {});
    BOOST_CHECK_THROW(make_peer("none", on, {}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(use_as_many_cores_as_they_have_threads)
{
    auto const all = chains(16, {1ms, {}});
    auto const operations = [&](std::string const& name, std::size_t cores) {
        return static_cast<double>(run(name, cores, all, nothing).counted.run());
    };
    BOOST_TEST(operations("io_context/1", 4) == 1000, boost::test_tools::tolerance(0.01));
    BOOST_TEST(operations("produce_consume", 4) == 1000, boost::test_tools::tolerance(0.01));
    for (auto name : {"io_context/n", "io_context each", "io_context+thread_pool",
             "produce_execute_consume", "execute_produce_consume", "eat_what_you_kill"})
        BOOST_TEST(operations(name, 4) == 4000, boost::test_tools::tolerance(0.02));
    // First it has to be found out that one thread is not enough.
    BOOST_TEST(
        operations("eat_what_you_kill+grace", 4) == 4000, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(a_task_that_sleeps_delays_others_where_its_thread_produces_on)
{
    std::vector<task> const all{{100us, {}}, {{}, 10ms}};
    auto const short_ones = [&](char const* name) { return run(name, 2, all).counted.computed; };
    // One for each that sleeps.
    BOOST_TEST(short_ones("produce_consume") <= 101u);
    BOOST_TEST(short_ones("io_context/1") <= 101u);
    for (auto name : {"produce_execute_consume", "execute_produce_consume", "eat_what_you_kill",
             "eat_what_you_kill+grace", "hand-tuned", "io_context/n"})
        BOOST_TEST(short_ones(name) > 5000u, name);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(strategies)

BOOST_AUTO_TEST_CASE(never_have_two_producers)
{
    auto all = chains(16, {10us, {}});
    all.resize(24, {{}, 1ms});
    all.resize(26, {1ms, 100us});
    for (strategy_t s : {strategy_t::produce_consume, strategy_t::produce_execute_consume,
             strategy_t::execute_produce_consume, strategy_t::eat_what_you_kill})
        for (duration grace : {duration(0us), duration(50us), duration(1ms)})
            for (std::size_t max_threads : {3u, 16u})
            {
                machine on(4, {});
                strategic_context p(on, {s, grace, max_threads});
                simulate(on, p, all, 0ms, 100ms);
                BOOST_TEST(p.most_producers() == 1u);
            }
}

BOOST_AUTO_TEST_CASE(short_tasks_run_on_one_thread_with_a_grace_only)
{
    auto const all = chains(1, {10us, {}});
    auto const switches_each = [&](char const* name) {
        outcome const o = run(name, 2, all);
        return static_cast<double>(o.switches) / static_cast<double>(o.counted.run());
    };
    BOOST_TEST(switches_each("eat_what_you_kill") > 0.9);
    BOOST_TEST(switches_each("eat_what_you_kill+grace") < 0.5);
}

BOOST_AUTO_TEST_CASE(have_no_more_threads_than_allowed)
{
    auto const all = chains(64, {{}, 1ms});
    for (auto name : {"produce_execute_consume", "execute_produce_consume", "eat_what_you_kill",
             "eat_what_you_kill+grace"})
    {
        // And the one that is in run().
        BOOST_TEST(run(name, 2, all, {}, {.max_threads = 5}).threads == 6u);
        BOOST_TEST(run(name, 2, all).threads == 17u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
