// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/event_loop_group.hpp>

#include "../pool_support.hpp"

#if defined(ASIO_EWYK_HAS_LINUX)
#include <pthread.h>
#endif

#include <memory>
#include <set>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(event_loop_group)

namespace {

using namespace support;

BOOST_AUTO_TEST_CASE(has_two_loops_for_each_core)
{
    ewyk::event_loop_group group;
    BOOST_TEST(group.size() == ewyk::event_loop_group::default_size());
    BOOST_TEST(group.size() <= 2 * std::max(1u, std::thread::hardware_concurrency()));
    BOOST_CHECK_THROW(ewyk::event_loop_group(0), std::invalid_argument);
    BOOST_CHECK_THROW(ewyk::event_loop_group(1, {.io_ratio = 0}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(each_loop_has_a_thread)
{
    std::mutex mutex;
    std::atomic<int> ran{0};
    ewyk::event_loop_group group(3);
    std::set<std::thread::id> threads;
    for (int i = 0; i != 30; ++i)
    {
        ewyk::event_loop& loop = group.next();
        asio::post(loop, [&] {
            std::lock_guard const lock(mutex);
            threads.insert(std::this_thread::get_id());
            ran += loop.in_event_loop();
        });
    }
    BOOST_TEST(group.shutdown_gracefully(0ms, patience));
    BOOST_TEST(ran == 30);
    BOOST_TEST(threads.size() == 3u);
}

BOOST_AUTO_TEST_CASE(what_is_given_to_the_group_goes_to_the_next)
{
    ewyk::event_loop_group group(3);
    std::vector<std::future<bool>> results;
    for (std::size_t i = 0; i != 6; ++i)
        results.push_back(post(group,
            asio::use_future([&, i] { return group[i % 3].in_event_loop(); })));
    for (std::size_t i = 0; i != 3; ++i)
        results.push_back(co_spawn(
            group,
            [](ewyk::event_loop& loop) -> asio::awaitable<bool> {
                co_await asio::post(asio::use_awaitable);
                co_return loop.in_event_loop();
            }(group[i]),
            asio::use_future));
    for (auto& r : results)
        BOOST_TEST(r.get());
}

BOOST_AUTO_TEST_CASE(a_shutdown_is_seen_before_the_end)
{
    event release, running;
    ewyk::event_loop_group group(2);
    BOOST_TEST(!group.shutting_down());
    asio::post(group[1], [&] {
        running.set();
        release.wait();
    });
    BOOST_TEST_REQUIRE(running.wait());
    group[0].stop();
    BOOST_TEST(group[0].shutting_down());
    BOOST_TEST(!group.shutting_down());
    auto ended = group.async_shutdown_gracefully(0ms, patience, asio::use_future);
    BOOST_TEST(group.shutting_down());
    BOOST_TEST(!group.terminated());
    release.set();
    BOOST_CHECK_NO_THROW(ended.get());
    BOOST_TEST(group.shutting_down());
}

#if defined(ASIO_EWYK_HAS_LINUX)
BOOST_AUTO_TEST_CASE(threads_have_names)
{
    auto const names_of = [](ewyk::event_loop_group& group) {
        std::set<std::string> names;
        std::mutex mutex;
        for (ewyk::event_loop& loop : group)
            asio::post(loop, [&] {
                char name[16] = {};
                ::pthread_getname_np(::pthread_self(), name, sizeof name);
                std::lock_guard const lock(mutex);
                names.insert(name);
            });
        group.shutdown_gracefully(0ms, patience);
        return names;
    };
    ewyk::event_loop_group a(2, {.name = "io"});
    ewyk::event_loop_group b(1, {.name = "io"});
    auto const of_a = names_of(a);
    auto const of_b = names_of(b);
    BOOST_TEST(of_a.size() == 2u);
    BOOST_TEST(of_b.size() == 1u);
    std::string const first = *of_a.begin();
    std::string const other = *of_b.begin();
    BOOST_TEST(first.starts_with("io-"));
    BOOST_TEST(first.ends_with("-0"));
    BOOST_TEST(of_a.count(first.substr(0, first.size() - 1) + '1') == 1u);
    BOOST_TEST(other != first);
}
#endif

BOOST_AUTO_TEST_CASE(ends_all_at_the_same_time)
{
    std::atomic<int> ran{0};
    ewyk::event_loop_group group(4);
    for (ewyk::event_loop& loop : group)
        asio::post(loop, [&] { ++ran; });
    BOOST_TEST(!group.terminated());
    BOOST_TEST(group.shutdown_gracefully(5ms, patience));
    BOOST_TEST(group.terminated());
    BOOST_TEST(ran == 4);
}

BOOST_AUTO_TEST_CASE(on_a_thread_of_the_group)
{
    gathering both; // or one has ended the other before that has its task
    std::atomic<int> refused{0};
    ewyk::event_loop_group group(2);
    for (ewyk::event_loop& loop : group)
        asio::post(loop, [&] {
            both.arrive_and_wait_for(2);
            refused += !group.shutdown_gracefully(0ms, 1h);
        });
    BOOST_TEST(eventually([&] { return group.terminated(); }));
    BOOST_TEST(refused == 2);
}

// Handlers use the objects of other loops until all have ended; destroyed ones, too.
BOOST_AUTO_TEST_CASE(none_is_gone_before_the_others)
{
    for (int i = 0; i != 20; ++i)
    {
        std::atomic<int> begun{0};
        ewyk::event_loop_group group(3);
        auto timer = std::make_shared<asio::steady_timer>(group[0], 24h);
        asio::steady_timer other(group[1], 24h);
        other.async_wait([timer](auto) {});
        timer.reset();
        for (ewyk::event_loop& loop : group)
            asio::post(loop, [&] {
                ++begun;
                for (int n = 0; n != 1000; ++n)
                    asio::post(group[static_cast<std::size_t>(n) % 3], [] {});
            });
        BOOST_TEST(eventually([&] { return begun == 3; }));
    }
}

BOOST_AUTO_TEST_CASE(one_that_is_stuck_does_not_keep_the_others)
{
    event release;
    event running;
    ewyk::event_loop_group group(3);
    asio::post(group[1], [&] {
        running.set();
        release.wait();
    });
    group[0].start();
    BOOST_TEST_REQUIRE(running.wait());
    BOOST_TEST(!group.shutdown_gracefully(0ms, 10ms));
    BOOST_TEST(!group.terminated());
    BOOST_TEST(eventually([&] { return group[0].terminated(); }));
    BOOST_TEST(group[2].terminated());
    release.set();
    BOOST_TEST(eventually([&] { return group.terminated(); }));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
