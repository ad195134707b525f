// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The event loop's wake-ups: none is lost, and one is under way at a time.

#include "check.hpp"
#include "checked_io_context.hpp"
#include "stand_ins.hpp"

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>

#include <boost/asio/recycling_allocator.hpp>

#define std checked
#define io_context checked_io_context
#include "copied_event_loop.hpp"
#undef io_context
#undef std

#include "pool_job.hpp"

BOOST_AUTO_TEST_SUITE(event_loop)

namespace {

using namespace weak_memory;

struct two_submit : scenario
{
    two_submit()
    {
        for (job& j : jobs)
        {
            j.done = [](void* self) { ++static_cast<two_submit*>(self)->ran; };
            j.argument = this;
        }
    }

    void thread(unsigned index) override
    {
        if (index == 0)
        {
            while (ran != 3)
                loop.ioc().run_one();
            return;
        }
        submit(index - 1);
        if (index == 1)
            submit(2);
    }

    void submit(unsigned i)
    {
        jobs[i].given = 1;
        loop.execute(&jobs[i]);
    }

    weak_memory::event_loop loop;
    job jobs[3];
    int ran = 0; // the loop's thread
};

std::vector<named_setup> const scenarios{{"two submit", setup_of<two_submit>(3)}};

}

BOOST_AUTO_TEST_CASE(loses_no_wake_up)
{
    check(scenarios);
    weaken(scenarios,
        {
            {"posted_queue.hpp push", access::modify, seq_cst, seq_cst, ""},
            {"posted_queue.hpp empty", access::load, seq_cst, seq_cst, ""},
            {"posted_queue.hpp drain_to", access::modify, seq_cst, acquire, "it publishes nothing"},
            {"copied_event_loop.hpp schedule", access::load, seq_cst, seq_cst, ""},
            {"copied_event_loop.hpp schedule", access::modify, seq_cst, acquire,
                "the io_context's lock publishes"},
            {"copied_event_loop.hpp ~finish", access::store, seq_cst, seq_cst, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
