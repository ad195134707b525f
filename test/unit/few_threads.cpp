// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Handlers that wait for others, where threads are few: what is ready runs as long as one thread of
// the callers and the pool is in no handler, as with an io_context that has as many threads.

#include "pool_support.hpp"

using namespace support;

BOOST_AUTO_TEST_SUITE(few_threads)

namespace {

using kind = ewyk::strategy_t;

// Threads inside run() for as long as it lives, which must end what they wait for before.
template <class Context>
class callers
{
public:
    callers(Context& ctx, std::size_t n) : work_(asio::make_work_guard(ctx))
    {
        while (threads_.size() != n)
            threads_.emplace_back([&ctx] { ctx.run(); });
    }

    callers(callers const&) = delete;
    callers& operator=(callers const&) = delete;

    ~callers()
    {
        work_.reset();
        for (auto& t : threads_)
            t.join();
    }

private:
    asio::executor_work_guard<typename Context::executor_type> work_;
    std::vector<std::thread> threads_;
};

// Some of the threads are in handlers while the last one finds no thread for a task, and runs it
// itself. That waits for a handler, for which there are threads when those are released.
//
// Made before the context, whose handlers use it.
class last_one
{
public:
    // `held` threads are in handlers, and `queued` tasks fill the pool's queue. Whether the handler
    // that was waited for came.
    template <class Context>
    bool waits(Context& ctx, std::size_t held, int queued)
    {
        for (std::size_t i = 0; i != held; ++i)
            asio::post(ctx, [this] {
                busy_.arrive();
                release_.wait();
            });
        BOOST_TEST(busy_.wait_for(held));
        for (int i = 0; i != queued; ++i)
            asio::post(ctx, [] {});
        asio::post(ctx, [&] {
            asio::post(ctx, [this] { next_.set(); });
            runs_.set();
            waited_ = next_.wait();
            over_.set();
        });
        BOOST_TEST(runs_.wait());
        release_.set();
        BOOST_TEST(over_.wait());
        return waited_;
    }

private:
    gathering busy_;
    event release_;
    event runs_;
    event next_;
    event over_;
    bool waited_ = false; // read when over_ is set
};

// The last thread of an io_context may wait as well.
BOOST_AUTO_TEST_CASE(the_last_one_of_an_io_context_may_wait)
{
    last_one last;
    asio::io_context ctx;
    deadline const d(ctx);
    callers const all(ctx, 3);
    BOOST_TEST(last.waits(ctx, 2, 1));
}

bool is_parked(ewyk::strategy_context& ctx)
{
    return eventually([&] { return ctx.metrics().parked_callers == 1; });
}

// The pool's queue is full, so the producer runs the task. One caller is in a handler at this
// moment, and parks soon.
BOOST_DATA_TEST_CASE(the_one_that_finds_the_queue_full_may_wait,
    boost::unit_test::data::make({0ns, std::chrono::nanoseconds(ewyk::default_grace)}), grace)
{
    last_one last;
    ewyk::strategy_context ctx({.strategy = kind::produce_execute_consume,
        .grace = grace,
        .max_threads = 1,
        .max_queue = 1,
        .when_full = ewyk::queue_full::caller_runs});
    deadline const d(ctx);
    callers const all(ctx, 2);
    BOOST_TEST(is_parked(ctx));
    BOOST_TEST(last.waits(ctx, 2, 1));
}

constexpr kind giving_away[] = {
    kind::produce_execute_consume, kind::execute_produce_consume, kind::eat_what_you_kill};

// There is no pool, so the producer runs the task. The other caller is in a handler, and parks
// soon.
BOOST_DATA_TEST_CASE(the_one_that_finds_no_thread_may_wait,
    boost::unit_test::data::make(giving_away)
        * boost::unit_test::data::make({0ns, std::chrono::nanoseconds(ewyk::default_grace)}),
    strategy, grace)
{
    last_one last;
    ewyk::worker_pool none({.max_threads = 1});
    none.stop();
    ewyk::strategy_context ctx(none, strategy, grace);
    deadline const d(ctx);
    callers const all(ctx, 2);
    BOOST_TEST(is_parked(ctx));
    BOOST_TEST(last.waits(ctx, 1, 0));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
