// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The search itself: it sees each order, and finds what it is there to find.

#include "interleavings.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <functional>
#include <new>

BOOST_AUTO_TEST_SUITE(search)

namespace {

using namespace interleaving;

// Threads that do the same, with two words.
struct toy final : scenario
{
    toy(std::size_t n, std::function<void(toy&)> const& f, char const* (*e)(toy const&)) noexcept
        : count(n)
        , does(f)
        , end(e)
    {
    }

    std::size_t threads() const override { return count; }
    void thread(std::size_t) override { does(*this); }
    bool may_rest(std::size_t) const override { return false; }
    char const* wrong_at_end() const override { return end(*this); }

    std::size_t count;
    std::function<void(toy&)> const& does;
    char const* (*end)(toy const&);
    word one{0};
    word other{0};
};

struct toy_maker final : maker
{
    toy_maker(std::size_t n, std::function<void(toy&)> f,
        char const* (*e)(toy const&) = [](toy const&) -> char const* { return nullptr; })
        : count(n)
        , does(std::move(f))
        , end(e)
    {
    }

    scenario* make() const override
    {
        return ::new (std::malloc(sizeof(toy))) toy(count, does, end);
    }

    std::size_t count;
    std::function<void(toy&)> does;
    char const* (*end)(toy const&);
};

void take(word& lock)
{
    await([&] { return lock.get() == 0; });
    lock.set(1);
}

}

// A state is what both threads have come to: ten points and the end, each.
BOOST_AUTO_TEST_CASE(sees_each_state_once)
{
    auto const found = explore(toy_maker(2, [](toy&) {
        for (int i = 0; i != 10; ++i)
            point();
    }), 1000);
    BOOST_TEST(found.complete);
    BOOST_TEST(found.states == 121u);
    BOOST_TEST(found.ends == 1u);
}

BOOST_AUTO_TEST_CASE(finds_a_lost_update)
{
    auto const found = explore(
        toy_maker(
            2,
            [](toy& t) {
                point();
                auto const value = t.one.get();
                observe(value);
                point();
                t.one.set(value + 1);
            },
            [](toy const& t) { return t.one.get() == 2 ? nullptr : "an update is lost"; }),
        1000);
    BOOST_TEST(found.wrong == "an update is lost");
}

BOOST_AUTO_TEST_CASE(one_step_loses_no_update)
{
    auto const found = explore(
        toy_maker(
            3,
            [](toy& t) {
                one_step const together;
                t.one.set(t.one.get() + 1);
            },
            [](toy const& t) { return t.one.get() == 3 ? nullptr : "an update is lost"; }),
        1000);
    BOOST_TEST(found.complete);
    BOOST_TEST(found.wrong.empty());
}

// One of them takes the locks the other way round.
BOOST_AUTO_TEST_CASE(finds_a_deadlock)
{
    auto const found = explore(toy_maker(2, [](toy& t) {
        take(self() == 0 ? t.one : t.other);
        take(self() == 0 ? t.other : t.one);
        t.one.set(0);
        t.other.set(0);
    }), 1000);
    BOOST_TEST(found.wrong == "a thread waits for ever");
}

BOOST_AUTO_TEST_CASE(finds_threads_that_keep_each_other_busy)
{
    auto const found = explore(toy_maker(2, [](toy& t) {
        for (;;)
        {
            point();
            if (t.one.get() == 1)
                return;
        }
    }), 100'000);
    BOOST_TEST(found.wrong == "threads keep each other busy for ever");
}

// Exceptions are each thread's own, also while others throw.
BOOST_AUTO_TEST_CASE(threads_throw)
{
    auto const found = explore(toy_maker(3, [](toy&) {
        try
        {
            point();
            throw self();
        }
        catch (std::size_t)
        {
            point();
            try
            {
                throw;
            }
            catch (std::size_t n)
            {
                if (n != self())
                    fail("another thread's exception");
            }
        }
    }), 1000);
    BOOST_TEST(found.complete);
    BOOST_TEST(found.wrong.empty());
}

BOOST_AUTO_TEST_CASE(says_when_it_gives_up)
{
    auto const found = explore(toy_maker(2, [](toy&) {
        for (int i = 0; i != 10; ++i)
            point();
    }), 50);
    BOOST_TEST(!found.complete);
}

BOOST_AUTO_TEST_SUITE_END()
