// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A thread that asks for production has it, or another one that produces looks once more. What was
// done before each request is seen by the look.

#include "checked_succession.hpp"

#include <chrono>
#include <vector>

BOOST_AUTO_TEST_SUITE(production_loop)

namespace {

using namespace weak_memory;
namespace detail = asio_ewyk::detail;
using asio_ewyk::strategy_t;

// Each of them has something to do, and comes to produce. `done` belongs to the producer, and so
// does what they have to do.
struct all_produce : scenario
{
    struct loop : detail::production_loop
    {
        explicit loop(all_produce& s)
            : production_loop(s.pool, strategy_t::produce_consume, std::chrono::nanoseconds(0))
            , of(s)
        {}

        bool run_next(detail::call_frame& frame) override
        {
            bool const any = finds();
            succession_.keep_no_more(frame);
            return any;
        }

        bool finds()
        {
            for (auto& t : of.todo)
                if (t.load(std::memory_order_relaxed))
                {
                    t.store(false, std::memory_order_relaxed);
                    return ++of.done;
                }
            return false;
        }

        all_produce& of;
    };

    void thread(unsigned index) override
    {
        todo[index].store(true, std::memory_order_relaxed);
        tested.produce();
    }

    void after() override { claim(done == 3, "all is done"); }

    static asio_ewyk::worker_pool_options one_thread()
    {
        asio_ewyk::worker_pool_options o;
        o.max_threads = 1;
        return o;
    }

    detail::elastic_threads pool{one_thread()};
    loop tested{*this};
    checked::atomic<bool> todo[3]{false, false, false};
    int done = 0;
};

std::vector<named_setup> const scenarios{
    {"all produce", setup_of<all_produce>(3), 20'000},
};

}

BOOST_AUTO_TEST_CASE(looks_once_more)
{
    keep_apart(reinterpret_cast<void**>(&detail::call_frame::top_));
    check(scenarios);
    weaken(scenarios,
        {
            {"production_loop.ipp produce", access::modify, seq_cst, seq_cst, ""},
            {"production_loop.ipp produces_again", access::load, seq_cst, seq_cst, ""},
        });
}

BOOST_AUTO_TEST_SUITE_END()
