// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Options of a pool: those that cannot work are refused, the others are kept.

#include "pool_support.hpp"

#include <algorithm>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_options)

namespace {

using ewyk::worker_pool_options;

struct refused
{
    char const* field;
    char const* range;
    worker_pool_options options;
};

std::ostream& operator<<(std::ostream& os, refused const& r) { return os << r.field; }

refused const refusals[] = {
    {"max_threads", "at most 1000000", {.max_threads = 1'000'001}},
    {"max_threads", "at most 1000000", {.max_threads = std::size_t{1} << 63}}, // twice that is 0
    {"min_threads", "at most max_threads", {.min_threads = 3, .max_threads = 2}},
    {"min_threads", "at most max_threads", {.min_threads = 201}},
    {"reserve", "less than max_threads", {.max_threads = 2, .reserve = 2}},
    {"reserve", "less than max_threads", {.max_threads = 2, .reserve = 3}},
    {"reserve", "less than max_threads", {.max_threads = 1, .reserve = 1}},
    {"reserve", "less than max_threads", {.max_threads = 0, .reserve = 1}},
    {"min_threads", "at most max_threads", {.min_threads = 1, .max_threads = 0}},
    {"idle_timeout", "at least 1 ms", {.idle_timeout = 999'999ns}},
    {"idle_timeout", "at least 1 ms", {.idle_timeout = 0ns}},
    {"idle_timeout", "at least 1 ms", {.idle_timeout = -1s}},
    {"when_full", "caller_runs or reject", {.when_full = static_cast<ewyk::queue_full>(2)}},
};

BOOST_DATA_TEST_CASE(options_that_cannot_work_are_refused, refusals, r)
{
    std::atomic<int> started{0};
    worker_pool_options given = r.options;
    given.on_thread_start = [&] { ++started; };
    try
    {
        ewyk::worker_pool const pool(given);
        BOOST_ERROR("accepted");
    }
    catch (std::invalid_argument const& e)
    {
        std::string const message = e.what();
        // It begins with the class and the field, and says what is allowed.
        BOOST_TEST(message.find(std::string("worker_pool_options::") + r.field) == 0u, message);
        BOOST_TEST(message.find(r.range) != std::string::npos, message);
    }
    BOOST_TEST(started == 0);
}

worker_pool_options const limits[] = {
    {},
    {.max_threads = 1},
    {.max_threads = 1, .reserve = 0},
    {.min_threads = 2, .max_threads = 2, .reserve = 1},
    {.idle_timeout = 1ms},
    {.max_queue = 1, .when_full = ewyk::queue_full::reject},
    {.name = ""},
};

BOOST_AUTO_TEST_CASE(options_within_the_limits_work)
{
    for (worker_pool_options const& o : limits)
    {
        event ran;
        ewyk::worker_pool pool(o);
        pool.execute([&] { ran.set(); });
        BOOST_TEST(ran.wait());
        pool.join();
    }
}

// The figure is for the machine to decide; what holds on each of them is its range.
BOOST_AUTO_TEST_CASE(an_automatic_reserve_is_filled_in)
{
    for (std::size_t const most : {0u, 1u, 2u, 7u, 8u, 16u, 200u})
    {
        ewyk::worker_pool const pool({.max_threads = most});
        std::size_t const chosen = pool.options().reserve;
        BOOST_TEST((chosen < most || most == 0));
        BOOST_TEST(chosen <= std::max<std::size_t>(1, most / 8));
        BOOST_TEST((chosen >= 1) == (most > 1));
    }
    BOOST_TEST(ewyk::worker_pool({.max_threads = 8, .reserve = 5}).options().reserve == 5u);
}

BOOST_AUTO_TEST_CASE(keeps_its_options)
{
    ewyk::worker_pool const pool({.min_threads = 1,
        .max_threads = 3,
        .idle_timeout = 7s,
        .max_queue = 9,
        .when_full = ewyk::queue_full::reject,
        .name = "mine"});
    BOOST_TEST(pool.options().min_threads == 1u);
    BOOST_TEST(pool.options().max_threads == 3u);
    BOOST_TEST((pool.options().idle_timeout == 7s));
    BOOST_TEST(pool.options().max_queue == 9u);
    BOOST_TEST((pool.options().when_full == ewyk::queue_full::reject));
    BOOST_TEST(pool.options().name == "mine");
}

BOOST_AUTO_TEST_CASE(a_context_gives_its_pool_the_same_by_default)
{
    worker_pool_options const own;
    worker_pool_options const of_context = ewyk::strategy_options().pool();
    BOOST_TEST(of_context.min_threads == own.min_threads);
    BOOST_TEST(of_context.max_threads == own.max_threads);
    BOOST_TEST(of_context.reserve == own.reserve);
    BOOST_TEST((of_context.idle_timeout == own.idle_timeout));
    BOOST_TEST(of_context.max_queue == own.max_queue);
    BOOST_TEST((of_context.when_full == own.when_full));
    BOOST_TEST(of_context.name == own.name);
    BOOST_TEST((of_context.stall_threshold == own.stall_threshold));
    BOOST_TEST(of_context.stack_signal == own.stack_signal);
    BOOST_TEST(of_context.timing == own.timing);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
