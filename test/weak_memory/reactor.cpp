// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The reactor's sleep and its wake-ups, over an io_context: each task that is posted runs, by the
// producer or by a thread that runs the io_context itself.

#include "check.hpp"
#include "checked_futex.hpp"
#include "checked_io_context.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/worker_pool_options.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/recycling_allocator.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#define std checked
#define syscall checked_futex
#define io_context checked_io_context
#include <asio_ewyk/detail/context/reactor.hpp>
#undef io_context
#undef syscall
#undef std

#include "pool_job.hpp"

BOOST_AUTO_TEST_SUITE(reactor)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
namespace asio = boost::asio;

struct posted : scenario, detail::reactor_host
{
    posted()
    {
        for (job& j : jobs)
        {
            j.done = [](void* self) { static_cast<posted*>(self)->ran.fetch_add(1, relaxed); };
            j.argument = this;
        }
    }

    void post(unsigned i)
    {
        jobs[i].given = 1;
        reactor.post(&jobs[i]);
    }

    // The producer: so many tasks; or what is there, and then it leaves.
    void produce(std::size_t n, detail::run_call::waiting wait)
    {
        detail::run_call turn(n, wait, detail::forever, false);
        detail::call_frame frame(this, &turn);
        frame.producing = true;
        context_threads.runner_came(false);
        while (detail::task_ptr task = reactor.produce(frame))
        {
            task();
            turn.count();
        }
        reactor.gone(frame);
    }

    // No task is in a section here.
    bool may_go_on(detail::call_frame&) noexcept override { return true; }
    bool awaited() const noexcept override { return false; }

    // Nothing is leased here: see lease.cpp.
    void begin_visit(detail::call_frame&, detail::lease::activity, bool) noexcept override {}
    void end_visit(detail::call_frame&, bool) override {}
    bool met_native() noexcept override { return false; }
    bool may_stay(detail::call_frame const&) noexcept override { return stays; }

    bool run_inside(detail::call_frame& frame, detail::task* t) override
    {
        detail::task_ptr task(t);
        task();
        frame.run->count();
        return true;
    }

    void woken_elsewhere() override { reactor.run_posted(); }

    static constexpr auto relaxed = std::memory_order_relaxed;
    static asio_ewyk::worker_pool_options one_thread()
    {
        asio_ewyk::worker_pool_options o;
        o.max_threads = 1;
        return o;
    }

    asio::checked_io_context ioc;
    detail::elastic_threads pool{one_thread()};
    detail::context_threads context_threads{pool, this, asio_ewyk::strategy_t::eat_what_you_kill};
    detail::reactor reactor{ioc, context_threads, this, *this};
    job jobs[3];
    checked::atomic<int> ran{0};
    bool stays = false;
};

struct to_producer : posted
{
    void thread(unsigned index) override
    {
        if (index == 0)
            return produce(3, detail::run_call::waiting::allowed);
        post(index - 1);
        if (index == 1)
            post(2);
    }

    void after() override { claim(ran.load(relaxed) == 3, "each ran"); }
};

// The producer stays inside the io_context, and runs there what is posted.
struct to_staying_producer : to_producer
{
    to_staying_producer()
    {
        stays = true;
        reactor.visits_.store(0, relaxed);
    }
};

// A thread that has lost the right to produce is inside the io_context, too, and may take a wake-up.
struct to_one_of_two : posted
{
    void thread(unsigned index) override
    {
        if (index == 0)
            return produce(2, detail::run_call::waiting::allowed);
        if (index == 1)
        {
            post(0);
            post(1);
            return;
        }
        detail::call_frame frame(this); // not the producer's any more
        // It leaves when it has run a handler, or there is none.
        reactor.inside(frame, detail::reactor::visit::poll);
    }

    void after() override { claim(ran.load(relaxed) == 2, "each ran"); }
};

// The producer leaves; what is posted from then on is for a thread that runs the io_context itself.
struct to_foreign_thread : posted
{
    void thread(unsigned index) override
    {
        if (index == 0)
            produce(detail::run_call::unlimited, detail::run_call::waiting::none);
        else if (index == 1)
        {
            post(0);
            post(1);
        }
        else
            while (ran.load(relaxed) != 2)
            {
                if (ioc.poll_one() == 0)
                    yield();
            }
    }
};

std::vector<named_setup> const scenarios{
    {"two post", setup_of<to_producer>(3), 4'000},
    {"two post, the producer stays", setup_of<to_staying_producer>(3), 4'000},
    {"a late thread is inside", setup_of<to_one_of_two>(3), 4'000},
    {"the producer leaves", setup_of<to_foreign_thread>(3), 4'000},
};

}

BOOST_AUTO_TEST_CASE(loses_no_wake_up)
{
    keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
    check(scenarios);
    weaken(scenarios,
        {
            {"posted_queue.hpp push_uncounted", access::modify, seq_cst, seq_cst, ""},
            {"posted_queue.hpp empty", access::load, seq_cst, seq_cst, ""},
            {"posted_queue.hpp drain_to", access::modify, seq_cst, acquire, "it publishes nothing"},
            {"reactor.hpp post", access::load, seq_cst, seq_cst, ""},
            {"reactor.ipp wait", access::store, seq_cst, seq_cst, ""},
            {"reactor.ipp leave", access::store, seq_cst, seq_cst, ""},
            {"reactor.ipp wake_up", access::modify, seq_cst, acquire, "the io_context's lock publishes"},
            {"reactor.ipp woken", access::modify, seq_cst, release, "the io_context's lock has been taken"},
        });
}

BOOST_AUTO_TEST_SUITE_END()
