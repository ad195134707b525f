// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Tasks that ask for production, of their own strategy or of another one: the stack does not grow
// with their number (jetty/jetty.project#13371).

#include "pool_support.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

using namespace support;

BOOST_AUTO_TEST_SUITE(execution_strategy_recursion)

namespace {

using ewyk::invocation_t;
using strategy = ewyk::execution_strategy<source>;

constexpr invocation_t invocations[] = {
    ewyk::invocation.blocking, ewyk::invocation.non_blocking, ewyk::invocation.either};

// How far apart the places of the stack are at which a thread was seen.
class stack_span
{
public:
    void note()
    {
        // Not the address of a variable: AddressSanitizer may move these away from the stack.
        auto const here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        std::lock_guard const lock(mutex_);
        auto const [it, first] = seen_.try_emplace(std::this_thread::get_id(), here, here);
        auto& [low, high] = it->second;
        low = std::min(low, here);
        high = std::max(high, here);
        widest_ = std::max(widest_, high - low);
    }

    std::uintptr_t widest() const { return widest_; }

private:
    std::mutex mutex_;
    // By thread: lowest and highest place.
    std::map<std::thread::id, std::pair<std::uintptr_t, std::uintptr_t>> seen_;
    std::uintptr_t widest_ = 0;
};

// Enough for a few nested loops of any build; a thousandth of what the recursion would need.
constexpr std::uintptr_t a_few_frames = 48 * 1024;

// Each task adds the next one and asks for production, by produce() or dispatch().
struct chain
{
    source tasks;
    std::optional<strategy> frames;
    bool dispatch = false;
    int left = 0;
    stack_span span;
    event done;

    void step()
    {
        span.note();
        if (--left == 0)
            return done.set();
        tasks.add({[this] { step(); }, invocations[left % 3]});
        if (dispatch)
            frames->dispatch();
        else
            frames->produce();
    }
};

void expect_no_recursion(ewyk::strategy_t s, bool dispatch, int depth, std::size_t threads)
{
    chain c;
    ewyk::worker_pool pool({.max_threads = threads});
    c.frames.emplace(c.tasks, pool, s);
    c.dispatch = dispatch;
    c.left = depth;
    c.tasks.add([&] { c.step(); });
    c.frames->produce();
    BOOST_TEST(c.done.wait());
    c.frames.reset();
    BOOST_TEST(c.left == 0);
    BOOST_TEST(c.span.widest() < a_few_frames);
    BOOST_TEST(!c.tasks.two_at_once());
}

STRATEGY_TEST_CASE(a_task_may_call_produce, s) { expect_no_recursion(s, false, 100'000, 4); }

STRATEGY_TEST_CASE(a_task_may_call_dispatch, s) { expect_no_recursion(s, true, 100'000, 4); }

STRATEGY_TEST_CASE(with_one_thread_too, s)
{
    expect_no_recursion(s, false, 20'000, 1);
    expect_no_recursion(s, true, 20'000, 1);
}

// Two strategies whose tasks call each other's produce(): each finds itself on the stack already.
STRATEGY_TEST_CASE(two_strategies_may_call_each_other, s)
{
    struct player
    {
        source tasks;
        std::optional<strategy> frames;
    };
    event done;
    std::atomic<int> inside{0};
    ewyk::worker_pool pool({.max_threads = 4});
    player players[2];
    for (player& p : players)
        p.frames.emplace(p.tasks, pool, s);
    stack_span span;
    int left = 20'000;
    std::function<void()> const step = [&] {
        span.note();
        if (--left == 0)
            return done.set();
        player& next = players[left % 2];
        next.tasks.add({step, invocations[left % 3]});
        ++inside;
        next.frames->produce();
        --inside;
    };
    players[0].tasks.add(step);
    players[0].frames->produce();
    BOOST_TEST(done.wait());
    // A thread may be in produce() of the other one still.
    BOOST_TEST(eventually([&] { return inside.load() == 0; }));
    for (player& p : players)
    {
        p.frames.reset();
        BOOST_TEST(!p.tasks.two_at_once());
    }
    BOOST_TEST(left == 0);
    BOOST_TEST(span.widest() < a_few_frames);
}

// A connection's frames inside of the server's strategy: any strategy inside any other.
STRATEGY_TEST_CASE(a_task_may_use_another_strategy, outer_strategy)
{
    constexpr std::size_t outer_tasks = 50;
    constexpr std::size_t inner_tasks = 20;
    for (ewyk::strategy_t const inner_strategy : strategies())
    {
        gathering ran;
        std::atomic<std::size_t> runs{0};
        ewyk::worker_pool pool({.max_threads = 3});
        std::vector<std::unique_ptr<source>> inner_sources;
        std::vector<std::unique_ptr<strategy>> inner;
        for (std::size_t i = 0; i != outer_tasks; ++i)
        {
            inner_sources.push_back(std::make_unique<source>());
            inner.push_back(std::make_unique<strategy>(*inner_sources[i], pool, inner_strategy));
        }
        source tasks;
        strategy outer(tasks, pool, outer_strategy);
        for (std::size_t i = 0; i != outer_tasks; ++i)
            tasks.add({[&, i] {
                           for (std::size_t n = 0; n != inner_tasks; ++n)
                               inner_sources[i]->add({[&] {
                                                          ++runs;
                                                          ran.arrive();
                                                      },
                                   invocations[n % 3]});
                           if (i % 2 == 0)
                               inner[i]->produce();
                           else
                               inner[i]->dispatch();
                       },
                invocations[i % 3]});
        outer.produce();
        BOOST_TEST(ran.wait_for(outer_tasks * inner_tasks));
        // What uses them ends before they do.
        BOOST_TEST(eventually([&] { return pool.parked_threads() == pool.threads(); }));
        BOOST_TEST(runs == outer_tasks * inner_tasks);
        for (auto const& s : inner_sources)
            BOOST_TEST(!s->two_at_once());
        BOOST_TEST(!tasks.two_at_once());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
