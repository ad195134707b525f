// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The queue of several sources: in order within a source, in turn among them.

#include "pool_support.hpp"
#include <asio_ewyk/detail/pool/fair_queue.hpp>

#include <array>
#include <list>
#include <random>

using namespace support;

BOOST_AUTO_TEST_SUITE(fair_queue)

namespace {

using queue = ewyk::detail::fair_queue;
using ewyk::detail::make_task;
using ewyk::detail::task;
using ewyk::detail::task_list;
using numbers = std::vector<int>;

// Tasks that write their number down.
class protocol
{
public:
    task* number(int n)
    {
        return make_task([this, n] { ran_.push_back(n); });
    }

    void run(task* t)
    {
        BOOST_TEST_REQUIRE(t != nullptr);
        t->run();
    }

    void run_all(queue& q)
    {
        for (queue::entry e = q.pop(); e.what; e = q.pop())
            run(e.what);
    }

    void run_all(task_list list)
    {
        while (task* t = list.pop())
            run(t);
    }

    numbers const& ran() const { return ran_; }

private:
    numbers ran_;
};

struct fixture
{
    queue q;
    queue::source a;
    queue::source b;
    queue::source c;
    protocol ran;

    void push(queue::source& s, numbers what)
    {
        for (int const n : what)
            q.push(s, ran.number(n));
    }

    void expect(numbers const& expected)
    {
        BOOST_TEST(ran.ran() == expected, boost::test_tools::per_element());
        BOOST_TEST(q.size() == 0u);
        for (queue::source* s : {&a, &b, &c})
            BOOST_TEST(s->size() == 0u);
    }
};

BOOST_FIXTURE_TEST_CASE(is_empty_at_first, fixture)
{
    BOOST_TEST(q.size() == 0u);
    BOOST_TEST(q.pop().what == nullptr);
    BOOST_TEST(q.pop().from == nullptr);
    BOOST_TEST(q.pop(a) == nullptr);
    BOOST_TEST(q.take_all(a).empty());
}

BOOST_FIXTURE_TEST_CASE(keeps_the_order_of_one_source, fixture)
{
    push(a, {1, 2, 3, 4});
    BOOST_TEST(q.size() == 4u);
    BOOST_TEST(a.size() == 4u);
    ran.run_all(q);
    expect({1, 2, 3, 4});
}

BOOST_FIXTURE_TEST_CASE(serves_the_sources_in_turn, fixture)
{
    push(a, {1, 2, 3, 4});
    push(b, {11});
    push(c, {21, 22});
    ran.run_all(q);
    expect({1, 11, 21, 2, 22, 3, 4});
}

BOOST_FIXTURE_TEST_CASE(tells_the_source, fixture)
{
    push(a, {1});
    push(b, {11});
    for (queue::source* const expected : {&a, &b})
    {
        queue::entry const e = q.pop();
        BOOST_TEST(e.from == expected);
        ran.run(e.what);
    }
    expect({1, 11});
}

// One that was served and comes again stands behind those that have waited since.
BOOST_FIXTURE_TEST_CASE(who_comes_back_goes_to_the_end, fixture)
{
    push(a, {1});
    push(b, {11, 12});
    ran.run(q.pop().what);
    push(a, {2});
    ran.run(q.pop().what);
    ran.run(q.pop().what);
    ran.run(q.pop().what);
    expect({1, 11, 2, 12});
}

BOOST_FIXTURE_TEST_CASE(takes_from_one_source_alone, fixture)
{
    push(a, {1, 2});
    push(b, {11, 12});
    ran.run(q.pop(b));
    ran.run(q.pop(b));
    BOOST_TEST(q.pop(b) == nullptr);
    BOOST_TEST(q.size() == 2u);
    ran.run_all(q);
    expect({11, 12, 1, 2});
}

BOOST_FIXTURE_TEST_CASE(a_source_can_leave_with_all_it_has, fixture)
{
    push(a, {1, 2});
    push(b, {11, 12});
    push(c, {21, 22});
    ran.run_all(q.take_all(b));
    BOOST_TEST(b.size() == 0u);
    BOOST_TEST(q.size() == 4u);
    BOOST_TEST(q.taken() == 2u);
    ran.run_all(q);
    expect({11, 12, 1, 21, 2, 22});
}

BOOST_FIXTURE_TEST_CASE(the_one_whose_turn_it_is_can_leave, fixture)
{
    push(a, {1, 2});
    push(b, {11, 12});
    ran.run_all(q.take_all(a));
    ran.run_all(q);
    expect({1, 2, 11, 12});
}

BOOST_FIXTURE_TEST_CASE(a_source_that_has_left_can_come_again, fixture)
{
    push(a, {1});
    ran.run_all(q.take_all(a));
    BOOST_TEST(q.pop().what == nullptr);
    push(a, {2});
    push(b, {11});
    ran.run_all(q);
    expect({1, 2, 11});
}

BOOST_AUTO_TEST_CASE(what_is_taken_and_dropped_is_destroyed)
{
    census c;
    {
        queue q;
        queue::source s;
        for (int i = 0; i != 3; ++i)
            q.push(s, make_task(resident(c)));
        q.take_all(s);
        BOOST_TEST(c.destroyed == 3);
        BOOST_TEST(q.size() == 0u);
    }
    BOOST_TEST(c.made == 3);
    BOOST_TEST(c.ran == 0);
}

// The same rules once more, written down the simplest way: a line of sources, each with its
// numbers.
class model
{
public:
    void push(std::size_t s, int n)
    {
        if (waiting_[s].empty())
            line_.push_back(s);
        waiting_[s].push_back(n);
    }

    int pop()
    {
        std::size_t const s = line_.front();
        line_.pop_front();
        int const n = take(s);
        if (!waiting_[s].empty())
            line_.push_back(s);
        return n;
    }

    int pop(std::size_t s)
    {
        int const n = take(s);
        if (waiting_[s].empty())
            line_.remove(s);
        return n;
    }

    numbers take_all(std::size_t s)
    {
        numbers all(waiting_[s].begin(), waiting_[s].end());
        waiting_[s].clear();
        line_.remove(s);
        return all;
    }

    bool empty() const { return line_.empty(); }
    bool empty(std::size_t s) const { return waiting_[s].empty(); }
    std::size_t size(std::size_t s) const { return waiting_[s].size(); }

private:
    int take(std::size_t s)
    {
        int const n = waiting_[s].front();
        waiting_[s].pop_front();
        return n;
    }

    std::array<std::deque<int>, 5> waiting_;
    std::list<std::size_t> line_;
};

BOOST_AUTO_TEST_CASE(agrees_with_a_model_whatever_happens)
{
    queue q;
    std::array<queue::source, 5> sources;
    protocol ran;
    model m;
    numbers expected;
    std::mt19937 random(1);
    auto const any = [&](unsigned n) { return random() % n; };
    for (int i = 0; i != 20000; ++i)
    {
        std::size_t const s = any(sources.size());
        switch (any(8))
        {
        case 0:
        case 1:
        case 2:
            q.push(sources[s], ran.number(i));
            m.push(s, i);
            break;
        case 3:
        case 4:
        case 5: {
            queue::entry const e = q.pop();
            BOOST_TEST_REQUIRE((e.what != nullptr) == !m.empty());
            if (e.what)
            {
                ran.run(e.what);
                expected.push_back(m.pop());
            }
            break;
        }
        case 6: {
            task* const one = q.pop(sources[s]);
            BOOST_TEST_REQUIRE((one != nullptr) == !m.empty(s));
            if (one)
            {
                ran.run(one);
                expected.push_back(m.pop(s));
            }
            break;
        }
        default:
            if (any(8) == 0)
            {
                ran.run_all(q.take_all(sources[s]));
                for (int const n : m.take_all(s))
                    expected.push_back(n);
            }
        }
        std::size_t all = 0;
        for (std::size_t each = 0; each != sources.size(); ++each)
        {
            BOOST_TEST_REQUIRE(sources[each].size() == m.size(each));
            all += m.size(each);
        }
        BOOST_TEST_REQUIRE(q.size() == all);
    }
    ran.run_all(q);
    while (!m.empty())
        expected.push_back(m.pop());
    BOOST_TEST(ran.ran() == expected, boost::test_tools::per_element());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
