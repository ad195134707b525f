// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What a thread does, as others see it: if the number of changes stays the same, so did the rest.
// And the list of the records, which are used again.

#include "check.hpp"
#include "checked_std.hpp"

#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/observe/task_action.hpp>

#include <boost/config.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Before there is any execution, where there are no atomics yet: each scenario makes its own.
#define std checked
#include <asio_ewyk/detail/observe/thread_activity.hpp>
#undef std

BOOST_AUTO_TEST_SUITE(thread_activity)

namespace {

using namespace weak_memory;
using asio_ewyk::detail::thread_activity;

// It sees what was counted, or what came later.
struct looks : scenario
{
    void thread(unsigned index) override
    {
        if (index == 0)
        {
            for (int i = 0; i != 3; ++i)
            {
                begun[i] = 1;
                record.serve(&begun[i]);
            }
            return;
        }
        std::uint64_t const changes = record.changes();
        auto const* const owner = static_cast<int const*>(record.now().owner);
        if (changes == 0)
            return;
        claim(owner >= &begun[changes - 1], "it sees what was counted");
        claim(begun[changes - 1] == 1, "and what came before");
    }

    thread_activity record;
    int begun[3] = {};
};

// A record that is given back is another thread's.
struct used_again : scenario
{
    used_again()
    {
        std::construct_at(&thread_activity::all_, nullptr);
        first = thread_activity::add();
    }

    // Records are for ever, executions are not.
    ~used_again() override
    {
        for (thread_activity* a = thread_activity::all_.load(); a;)
            std::destroy_at(std::exchange(a, a->next_));
        std::destroy_at(&thread_activity::all_);
    }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            written = 1;
            first->begin(nullptr);
            first->vacate();
            return;
        }
        thread_activity* mine = thread_activity::unused();
        if (mine)
        {
            claim(mine == first || mine == second.load(std::memory_order_relaxed), "it is one of them");
            if (mine == first)
                claim(written == 1, "it sees what its owner before did");
        }
        else
        {
            mine = thread_activity::add();
            second.store(mine, std::memory_order_relaxed);
        }
        mine->serve(this);
        // Its own, and whatever else it finds is made.
        bool found = false;
        thread_activity::for_each([&](thread_activity const& a) { found |= &a == mine && a.thread() == 0; });
        claim(found, "it is in the list");
    }

    thread_activity* first = nullptr;
    checked::atomic<thread_activity*> second{nullptr};
    int written = 0;
};

// A handler that waits for what a thread does that has come since, and says late that it blocks: it
// sees when it was taken over from, and the latest time of both.
struct taken_over : scenario
{
    void thread(unsigned index) override
    {
        switch (index)
        {
        case 0:
            record.take_over(2);
            ended.store(true, release);
            break;
        case 1:
            if (ended.load(acquire))
                done.store(true, release);
            break;
        default:
            record.take_over(1);
            if (done.load(acquire))
                claim(record.taken_over() == 2, "it sees the latest");
        }
    }

    thread_activity record;
    checked::atomic<bool> ended{false};
    checked::atomic<bool> done{false};
};

std::vector<named_setup> const scenarios{
    {"one looks", setup_of<looks>(2)},
    {"two look for a record", setup_of<used_again>(3)},
    {"one is taken over from", setup_of<taken_over>(3)},
};

}

BOOST_AUTO_TEST_CASE(is_seen)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"thread_activity.hpp changes", access::load, acquire, acquire, ""},
            {"thread_activity.hpp change", access::store, release, release, ""},
            {"record_list.hpp for_each", access::load, acquire, acquire, ""},
            {"thread_activity.hpp vacate", access::store, release, release, ""},
            {"record_list.hpp unused", access::load, acquire, acquire, ""},
            {"record_list.hpp unused", access::modify, seq_cst, acquire, "it publishes nothing"},
            {"record_list.hpp add", access::modify, release, release, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
