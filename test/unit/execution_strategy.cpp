// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Which thread runs a task and which produces next, for each strategy and each invocation type.

#include "pool_support.hpp"

#include <optional>

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy)

namespace {

using ewyk::invocation_t;
using strategy = ewyk::execution_strategy<source>;

constexpr auto produce_consume = ewyk::strategy.produce_consume;
constexpr auto produce_execute_consume = ewyk::strategy.produce_execute_consume;
constexpr auto execute_produce_consume = ewyk::strategy.execute_produce_consume;
constexpr auto eat_what_you_kill = ewyk::strategy.eat_what_you_kill;

constexpr invocation_t blocking = ewyk::invocation.blocking;
constexpr invocation_t non_blocking = ewyk::invocation.non_blocking;
constexpr invocation_t either = ewyk::invocation.either;
constexpr invocation_t invocations[] = {blocking, non_blocking, either};

// What a strategy can be over

struct produces_functions
{
    std::function<void()> produce() { return {}; }
};
static_assert(ewyk::producer<produces_functions>);
static_assert(ewyk::producer<source>);

struct move_only
{
    std::unique_ptr<int> p;
    explicit operator bool() const { return static_cast<bool>(p); }
    int operator()() { return *p; }
};
struct produces_move_only
{
    move_only produce() { return {}; }
};
static_assert(ewyk::producer<produces_move_only>);

struct not_testable
{
    void operator()() {}
};
struct not_callable
{
    explicit operator bool() const { return false; }
};
template <class T>
struct produces
{
    T produce();
};
struct produces_nothing
{
};
static_assert(!ewyk::producer<produces<not_testable>>);
static_assert(!ewyk::producer<produces<not_callable>>);
static_assert(!ewyk::producer<produces<void>>);
static_assert(!ewyk::producer<produces_nothing>);
static_assert(!ewyk::producer<int>);

static_assert(!std::is_copy_constructible_v<strategy> && !std::is_move_constructible_v<strategy>);
static_assert(std::is_constructible_v<strategy, source&, ewyk::worker_pool&>);

BOOST_AUTO_TEST_CASE(is_eat_what_you_kill_unless_told_otherwise)
{
    source tasks;
    ewyk::worker_pool pool;
    BOOST_TEST((ewyk::execution_strategy(tasks, pool).strategy() == eat_what_you_kill));
    for (ewyk::strategy_t const s : strategies())
        BOOST_TEST((ewyk::execution_strategy(tasks, pool, s).strategy() == s));
}

// What can be seen of a task that a thread produces: whether that thread runs it, whether it may
// block, and whether another thread produces in the meantime.
struct treatment
{
    bool on_the_producer;
    bool may_block;
    bool handed_over;

    friend bool operator==(treatment, treatment) = default;
};

constexpr treatment PC{true, true, false};
constexpr treatment PIC{true, false, false};
constexpr treatment PEC{false, true, false};
constexpr treatment EPC{true, true, true};
// A producer that was told not to block stays so in whatever it runs itself.
constexpr treatment PC_marked{true, false, false};
constexpr treatment EPC_marked{true, false, true};

struct row
{
    ewyk::strategy_t strategy;
    invocation_t invocation;
    treatment thread_parked;
    treatment no_thread_free;
    treatment producer_marked;
};

std::ostream& operator<<(std::ostream& os, row const& r)
{
    return os << r.strategy << ' ' << r.invocation;
}

constexpr row table[] = {
    {produce_consume, non_blocking, PC, PC, PC_marked},
    {produce_consume, either, PC, PC, PC_marked},
    {produce_consume, blocking, PC, PC, PC_marked},
    {produce_execute_consume, non_blocking, PEC, PEC, PEC},
    {produce_execute_consume, either, PEC, PEC, PEC},
    {produce_execute_consume, blocking, PEC, PEC, PEC},
    // Without a free thread production waits for one, which is this strategy's known flaw.
    {execute_produce_consume, non_blocking, EPC, PC, EPC_marked},
    {execute_produce_consume, either, EPC, PC, EPC_marked},
    {execute_produce_consume, blocking, EPC, PC, EPC_marked},
    {eat_what_you_kill, non_blocking, PC, PC, PC_marked},
    {eat_what_you_kill, either, EPC, PIC, PC_marked},
    {eat_what_you_kill, blocking, EPC, PEC, PEC},
};

// Has this thread produce one task of a kind, over a pool whose threads are all parked or all busy.
treatment treat(row const& r, bool busy, bool expect_hand_over, std::size_t threads = 2)
{
    source tasks;
    treatment seen{};
    event ran;
    event looked_elsewhere;
    std::atomic<bool> elsewhere{false};
    auto const producer = std::this_thread::get_id();
    tasks.when_empty([&] {
        if (std::this_thread::get_id() != producer)
        {
            elsewhere = true;
            looked_elsewhere.set();
        }
    });
    ewyk::worker_pool pool({.max_threads = threads});
    tasks.add({[&] {
                   // The thread that takes over needs time to come. If none is to come, then it is
                   // not even on its way.
                   if (expect_hand_over)
                       looked_elsewhere.wait();
                   bool const here = std::this_thread::get_id() == producer;
                   bool const on_its_way = here && !busy && pool.parked_threads() < threads;
                   seen = {here, ewyk::this_invocation::may_block(), elsewhere || on_its_way};
                   ran.set();
               },
        r.invocation});

    std::optional<blockade> the_threads;
    if (busy)
        BOOST_TEST_REQUIRE(the_threads.emplace(pool, threads).holds());
    else
        BOOST_TEST_REQUIRE(warm_up(pool, threads));
    {
        strategy frames(tasks, pool, r.strategy);
        frames.produce();
        the_threads.reset();
        BOOST_TEST(ran.wait());
    }
    BOOST_TEST(!tasks.two_at_once());
    return seen;
}

BOOST_DATA_TEST_CASE(with_a_parked_thread, table, r)
{
    BOOST_TEST((treat(r, false, r.thread_parked.handed_over) == r.thread_parked));
}

BOOST_DATA_TEST_CASE(without_a_free_thread, table, r)
{
    BOOST_TEST((treat(r, true, r.no_thread_free.handed_over) == r.no_thread_free));
}

// The pool's only thread is left for tasks: one that waits inside a producer would never run them.
BOOST_DATA_TEST_CASE(the_last_thread_does_not_take_over, table, r)
{
    if (r.strategy == eat_what_you_kill)
        BOOST_TEST((treat(r, false, false, 1) == r.no_thread_free));
}

// As a thread is while it runs an `either` task of another strategy in the producer's place.
BOOST_DATA_TEST_CASE(on_a_producer_that_may_not_block, table, r)
{
    treatment const seen = ewyk::invoke_non_blocking(
        [&] { return treat(r, false, r.producer_marked.handed_over); });
    BOOST_TEST((seen == r.producer_marked));
}

// The mark of one strategy's task is seen by another one that produces inside it.
BOOST_AUTO_TEST_CASE(a_mark_reaches_nested_strategies_and_ends_with_its_task)
{
    event elsewhere;
    ewyk::worker_pool outer_pool({.max_threads = 1});
    ewyk::worker_pool inner_pool({.max_threads = 1});
    blockade the_outer_thread(outer_pool, 1);
    BOOST_TEST_REQUIRE(the_outer_thread.holds());
    BOOST_TEST_REQUIRE(warm_up(inner_pool, 1));
    source outer_tasks;
    source inner_tasks;
    strategy outer(outer_tasks, outer_pool, eat_what_you_kill);
    strategy inner(inner_tasks, inner_pool, eat_what_you_kill);
    auto const here = std::this_thread::get_id();
    std::string seen;
    auto const note = [&](char what) {
        seen += what;
        seen += std::this_thread::get_id() == here ? "here " : "there ";
        seen += ewyk::this_invocation::may_block() ? "may block; " : "may not; ";
    };
    outer_tasks.add({[&] {
                         note('o');
                         inner_tasks.add({[&] { note('e'); }, either});
                         inner.produce();
                         inner_tasks.add({[&] {
                                              note('b');
                                              elsewhere.set();
                                          },
                             blocking});
                         inner.produce();
                         elsewhere.wait();
                     },
        either});
    outer_tasks.add({[&] { note('n'); }, non_blocking});
    outer.produce();
    BOOST_TEST(seen == "ohere may not; ehere may not; bthere may block; nhere may block; ");
}

// Undeclared is blocking.
BOOST_AUTO_TEST_CASE(a_task_that_says_nothing_may_block)
{
    struct functions
    {
        std::function<void()> next;
        std::function<void()> produce() { return std::exchange(next, nullptr); }
    } tasks;
    event ran;
    ewyk::worker_pool pool({.max_threads = 1});
    blockade the_thread(pool, 1);
    BOOST_TEST_REQUIRE(the_thread.holds());
    auto ran_on = std::this_thread::get_id();
    tasks.next = [&] {
        ran_on = std::this_thread::get_id();
        ran.set();
    };
    ewyk::execution_strategy frames(tasks, pool);
    frames.produce();
    BOOST_TEST(pool.queued() == 1u);
    the_thread.release();
    BOOST_TEST(ran.wait());
    BOOST_TEST((ran_on != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(tasks_need_not_be_copyable)
{
    struct counting_down
    {
        int left;
        std::atomic<int>& sum;

        struct task
        {
            std::unique_ptr<int> n;
            std::atomic<int>* sum;
            explicit operator bool() const { return static_cast<bool>(n); }
            int operator()() { return *sum += *n; }
        };

        task produce()
        {
            if (left == 0)
                return {};
            return {std::make_unique<int>(left--), &sum};
        }
    };
    for (ewyk::strategy_t const s : strategies())
    {
        std::atomic<int> sum{0};
        counting_down tasks{10, sum};
        ewyk::worker_pool pool;
        ewyk::execution_strategy frames(tasks, pool, s);
        frames.produce();
        BOOST_TEST(eventually([&] { return sum == 55; }));
    }
}

// Many threads ask for production in every way: one at a time runs tasks, as a strand would have
// it, and always the one that found the task.
BOOST_AUTO_TEST_CASE(produce_consume_is_an_implicit_strand)
{
    struct producer_of_ids
    {
        source tasks;
        // Only by the producer and what it runs, so it needs no lock.
        std::thread::id produced_by;

        job produce()
        {
            produced_by = std::this_thread::get_id();
            return tasks.produce();
        }
    } ids;
    constexpr int callers = 3;
    constexpr int each = 2000;
    overlap running;
    std::atomic<int> moved{0};
    gathering ran;
    {
        ewyk::worker_pool pool({.max_threads = 3});
        ewyk::execution_strategy frames(ids, pool, produce_consume);
        std::vector<std::thread> all;
        for (int c = 0; c != callers; ++c)
            all.emplace_back([&, c] {
                for (int i = 0; i != each; ++i)
                {
                    ids.tasks.add({[&] {
                                       running.enter();
                                       moved += ids.produced_by != std::this_thread::get_id();
                                       running.leave();
                                       ran.arrive();
                                   },
                        invocations[i % 3]});
                    if ((i + c) % 2 == 0)
                        frames.produce();
                    else
                        frames.dispatch();
                }
            });
        for (auto& t : all)
            t.join();
        BOOST_TEST(ran.wait_for(callers * each));
    }
    BOOST_TEST(!running.seen());
    BOOST_TEST(!ids.tasks.two_at_once());
    BOOST_TEST(moved == 0);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
