// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Parked threads: one that claims another hands it a job; one that parks first and then looks, and
// one that queues first and then claims, do not miss each other.

#include "check.hpp"
#include "checked_futex.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>

#include <bit>
#include <chrono>
#include <memory>
#include <utility>

#define std checked
#define syscall checked_futex
#include <asio_ewyk/detail/os/futex_parker.hpp>
#include <asio_ewyk/detail/pool/parked_threads.hpp>
#undef syscall
#undef std

BOOST_AUTO_TEST_SUITE(parked_threads)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;

constexpr std::size_t none = detail::parked_threads::none;

// Worker 0 and 1 and their jobs, which are plain.
struct workers : scenario
{
    struct worker
    {
        detail::futex_parker sleep;
        int* job = nullptr;
    };

    void give(std::size_t to, int& job)
    {
        all[to].job = &job;
        all[to].sleep.unpark();
    }

    detail::parked_threads parked{2};
    worker all[2];
    int jobs[2] = {};
};

// Two claim; the workers park again after each job, or are not there yet.
struct hand_over : workers
{
    void thread(unsigned index) override
    {
        if (index < 2)
            work(index);
        else
            submit(index - 2);
    }

    void work(unsigned self)
    {
        parked.park(self);
        if (choose(4) == 0 && parked.withdraw(self))
            parked.park(self);
        all[self].sleep.park_until(detail::forever);
        int& job = *std::exchange(all[self].job, nullptr);
        claim(job == 1, "it sees what it was given");
        job = 2;
    }

    void submit(unsigned self)
    {
        jobs[self] = 1;
        for (;;)
        {
            std::size_t const to = parked.claim();
            if (to != none)
                return give(to, jobs[self]);
            yield();
        }
    }
};

// The queue is a flag for each task.
struct queue_or_claim : workers
{
    void thread(unsigned index) override
    {
        if (index == 0)
            work();
        else
            submit();
    }

    void work()
    {
        parked.park(0);
        if (!queued.load() || !parked.withdraw(0))
            all[0].sleep.park_until(detail::forever);
        claim(queued.load(), "there is a task");
    }

    void submit()
    {
        queued.store(true);
        if (parked.claim() != none)
            all[0].sleep.unpark();
    }

    checked::atomic<bool> queued{false};
};

// One that parks again may be claimed by another one, and what it did before is over then.
struct parks_again : workers
{
    void thread(unsigned index) override
    {
        for (int round = 0; round != 2; ++round)
            if (index == 0)
            {
                jobs[0] = round;
                parked.park(0);
                all[0].sleep.park_until(detail::forever);
                claim(jobs[0] == round + 10, "it sees what the other one did");
            }
            else
            {
                while (parked.claim() == none)
                    yield();
                claim(jobs[0] == round, "it sees what was done before it parked");
                jobs[0] = round + 10;
                give(0, jobs[0]);
            }
    }
};

struct withdraws : workers
{
    void thread(unsigned index) override
    {
        if (index == 0)
        {
            parked.park(0);
            if (parked.withdraw(0))
                parked.park(0);
            all[0].sleep.park_until(detail::forever);
            claim(parked.size() == 0, "none is parked");
            return;
        }
        while (parked.claim() == none)
            yield();
        all[0].sleep.unpark();
    }
};

std::vector<named_setup> const scenarios{
    {"two claim two", setup_of<hand_over>(4)},
    {"park then look, queue then claim", setup_of<queue_or_claim>(2)},
    {"one parks again", setup_of<parks_again>(2)},
    {"one withdraws", setup_of<withdraws>(2)},
};

}

BOOST_AUTO_TEST_CASE(misses_nobody)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"futex_parker.hpp unpark", access::modify, release, release, ""},
            {"parked_threads.hpp park", access::modify, seq_cst, seq_cst, ""},
            {"parked_threads.ipp claim", access::load, seq_cst, seq_cst, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
