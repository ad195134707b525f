// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/event_loop.hpp>

#include "../pool_support.hpp"

#include <array>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(event_loop_after_round)

namespace {

using namespace support;
using boost::system::error_code;

// tag::flush[]
// Collects what the handlers of one loop send, and writes it once a round.
class batching
{
public:
    batching(ewyk::event_loop& loop, std::function<void(std::string)> write)
        : loop_(loop)
        , write_(std::move(write))
    {
    }

    void send(std::string_view text)
    {
        if (text_.empty())
            loop_.execute_after_round([this] { write_(std::exchange(text_, {})); });
        text_ += text;
    }

private:
    ewyk::event_loop& loop_;
    std::function<void(std::string)> write_;
    std::string text_;
};
// end::flush[]

BOOST_AUTO_TEST_CASE(one_flush_for_all_tasks_of_a_round)
{
    std::vector<std::string> written;
    event done;
    ewyk::event_loop loop;
    batching out(loop, [&](std::string text) {
        written.push_back(std::move(text));
        done.set();
    });
    asio::post(loop, [&] {
        for (char const* text : {"a", "b", "c"})
            asio::post(loop, [&out, text] { out.send(text); });
        out.send("0");
    });
    BOOST_TEST_REQUIRE(done.wait());
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    BOOST_TEST_REQUIRE(written.size() == 1u);
    BOOST_TEST(written[0] == "0abc");
}

// No task is there, so it gets a round of its own.
BOOST_AUTO_TEST_CASE(after_a_completion)
{
    event done;
    bool inside = false;
    ewyk::event_loop loop;
    asio::steady_timer timer(loop, 1ms);
    timer.async_wait([&](error_code) {
        loop.execute_after_round([&] {
            inside = loop.in_event_loop();
            done.set();
        });
    });
    BOOST_TEST(done.wait());
    BOOST_TEST(inside);
}

// Each asks for the next: I/O and tasks get their turn in between.
BOOST_AUTO_TEST_CASE(one_that_asks_again_keeps_nothing_waiting)
{
    std::atomic<int> rounds{0};
    event done;
    ewyk::event_loop loop;
    std::function<void()> again = [&] {
        ++rounds;
        loop.execute_after_round(again);
    };
    loop.execute_after_round(again);
    asio::steady_timer timer(loop, 1ms);
    timer.async_wait([&](error_code) { asio::post(loop, [&] { done.set(); }); });
    BOOST_TEST(done.wait());
    BOOST_TEST(eventually([&] { return rounds > 100; }));
    loop.stop();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
}

BOOST_AUTO_TEST_CASE(of_several_threads_in_their_order)
{
    constexpr int each = 2000;
    std::array<int, 3> next{};
    bool in_order = true;
    std::atomic<int> ran{0};
    ewyk::event_loop loop;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t != next.size(); ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i != each; ++i)
                loop.execute_after_round([&, t, i] {
                    in_order = in_order && next[t]++ == i;
                    ++ran;
                });
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(eventually([&] { return ran == 3 * each; }));
    BOOST_TEST(in_order);
}

BOOST_AUTO_TEST_CASE(goes_on_after_an_exception)
{
    std::atomic<int> caught{0};
    event done;
    ewyk::event_loop loop({.on_exception = [&](std::exception_ptr) { ++caught; }});
    asio::post(loop, [&] {
        loop.execute_after_round([] { throw std::runtime_error("first"); });
        loop.execute_after_round([] { throw std::runtime_error("second"); });
        loop.execute_after_round([&] { done.set(); });
    });
    BOOST_TEST(done.wait());
    BOOST_TEST(caught == 2);
}

// One that was asked for in time runs, also if the loop ends at the end of that very round.
BOOST_AUTO_TEST_CASE(runs_before_the_loop_ends)
{
    for (int i = 0; i != 200; ++i)
    {
        std::promise<void> ran;
        auto const future = ran.get_future();
        ewyk::event_loop loop;
        loop.execute_after_round([ran = std::move(ran)]() mutable { ran.set_value(); });
        BOOST_TEST_REQUIRE(loop.shutdown_gracefully(0ms, patience));
        BOOST_TEST_REQUIRE((future.wait_for(0s) == std::future_status::ready));
    }
}

// Of the loop's last handler, and of other threads after the end.
BOOST_AUTO_TEST_CASE(what_is_too_late_is_destroyed_at_once)
{
    census c;
    {
        event running;
        ewyk::event_loop loop;
        asio::post(loop, [&] {
            loop.execute_after_round(resident(c));
            loop.stop();
            loop.execute_after_round(resident(c));
            running.set();
        });
        BOOST_TEST_REQUIRE(running.wait());
        BOOST_TEST(eventually([&] { return loop.terminated(); }));
        loop.execute_after_round(resident(c));
        BOOST_TEST(c.made > 0);
        BOOST_TEST(c.destroyed == c.made);
    }
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(is_counted_as_a_task)
{
    std::size_t queued = 0;
    event done;
    ewyk::event_loop loop;
    asio::post(loop, [&] {
        loop.execute_after_round([&] { done.set(); });
        queued = loop.metrics().queued;
    });
    BOOST_TEST_REQUIRE(done.wait());
    BOOST_TEST(queued == 1u);
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    BOOST_TEST(loop.metrics().tasks == 2u);
    BOOST_TEST(loop.metrics().queued == 0u);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
