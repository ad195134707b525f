// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/event_loop.hpp>

#include "../pool_support.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#if defined(__linux__)
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(event_loop_busy_wait)

namespace {

using namespace support;
using asio::ip::tcp;
using boost::system::error_code;

ewyk::event_loop_options waits_busily(std::chrono::nanoseconds time)
{
    ewyk::event_loop_options options;
    options.busy_wait = time;
    return options;
}

constexpr auto always = std::chrono::nanoseconds::max();

BOOST_AUTO_TEST_CASE(must_not_be_negative)
{
    BOOST_CHECK_THROW(ewyk::event_loop(waits_busily(-1ns)), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(an_idle_loop_takes_a_cpu)
{
    ewyk::event_loop loop(waits_busily(always));
    loop.start();
    auto const deadline = std::chrono::steady_clock::now() + patience;
    while (loop.cpu_time() < 20ms && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
    BOOST_TEST((loop.cpu_time() >= 20ms));
}

#if defined(__linux__)

// 'S' while it waits for something.
char state_of(std::string const& thread)
{
    std::ifstream stat("/proc/self/task/" + thread + "/stat");
    std::string line;
    std::getline(stat, line);
    auto const name_ends = line.rfind(')');
    return name_ends < line.size() - 2 ? line[name_ends + 2] : '?';
}

// For longer than a lock is waited for.
bool sleeps(std::string const& thread)
{
    bool all = true;
    for (int i = 0; all && i != 5; ++i)
    {
        all = state_of(thread) == 'S';
        std::this_thread::sleep_for(1ms);
    }
    return all;
}

BOOST_AUTO_TEST_CASE(sleeps_when_its_time_is_over)
{
    ewyk::event_loop loop(waits_busily(1ms));
    for (int round = 0; round != 3; ++round)
    {
        event ran;
        std::string thread;
        asio::post(loop, [&] {
            thread = std::to_string(::gettid());
            ran.set();
        });
        BOOST_TEST_REQUIRE(ran.wait());
        BOOST_TEST(eventually([&] { return sleeps(thread); }));
    }
}

#endif

BOOST_AUTO_TEST_CASE(does_what_a_loop_that_sleeps_does)
{
    for (auto const time : {std::chrono::nanoseconds(always), std::chrono::nanoseconds(20us)})
    {
        std::atomic<int> thrown{0};
        auto options = waits_busily(time);
        options.on_exception = [&](std::exception_ptr) { ++thrown; };
        event posted;
        event fired;
        event accepted;
        event after_all;
        ewyk::event_loop loop(options);

        constexpr int most = 10'000;
        int ran = 0;
        for (int i = 0; i != most; ++i)
            asio::post(loop, [&] {
                if (++ran == most)
                    posted.set();
            });
        BOOST_TEST(posted.wait());

        asio::steady_timer timer(loop, 1ms);
        timer.async_wait([&](error_code) {
            fired.set();
            throw std::runtime_error("out of a completion");
        });
        BOOST_TEST(fired.wait());

        tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
        acceptor.async_accept([&](error_code e, tcp::socket) {
            if (!e)
                accepted.set();
        });
        asio::io_context client;
        tcp::socket socket(client);
        socket.connect(acceptor.local_endpoint());
        BOOST_TEST(accepted.wait());

        asio::post(loop, [&] { after_all.set(); });
        BOOST_TEST(after_all.wait());
        BOOST_TEST(thrown == 1);
    }
}

// Each one is posted by the one before, so there is no moment without a task.
BOOST_AUTO_TEST_CASE(timers_fire_beside_tasks_without_end)
{
    std::atomic<bool> done{false};
    event fired;
    ewyk::event_loop loop(waits_busily(always));
    auto again = [&](auto const& self) -> void {
        if (!done)
            asio::post(loop, [&self] { self(self); });
    };
    asio::post(loop, [&] { again(again); });
    asio::steady_timer timer(loop, 1ms);
    timer.async_wait([&](error_code) { fired.set(); });
    BOOST_TEST(fired.wait());
    done = true;
    BOOST_TEST(loop.shutdown_gracefully(0ns, patience));
}

BOOST_AUTO_TEST_CASE(ends)
{
    {
        ewyk::event_loop loop(waits_busily(always));
        loop.start();
    }
    ewyk::event_loop loop(waits_busily(always));
    loop.start();
    BOOST_TEST(loop.shutdown_gracefully(1ms, patience));
    BOOST_TEST(loop.terminated());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
