// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/loop/event_loop.hpp>

#include "../pool_support.hpp"

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(event_loop)

namespace {

using namespace support;
using asio::ip::tcp;
using boost::system::error_code;

BOOST_AUTO_TEST_CASE(the_thread_starts_with_the_first_task)
{
    std::atomic<int> started{0};
    std::atomic<int> stopped{0};
    {
        event ran;
        ewyk::event_loop loop(
            {.on_thread_start = [&] { ++started; }, .on_thread_stop = [&] { ++stopped; }});
        BOOST_TEST(started == 0);
        BOOST_TEST(!loop.in_event_loop());
        bool inside = false;
        asio::post(loop, [&] {
            inside = loop.in_event_loop();
            ran.set();
        });
        BOOST_TEST(ran.wait());
        BOOST_TEST(inside);
        BOOST_TEST(started == 1);
        BOOST_TEST(stopped == 0);
    }
    BOOST_TEST(started == 1);
    BOOST_TEST(stopped == 1);
}

BOOST_AUTO_TEST_CASE(the_thread_starts_with_the_first_operation)
{
    event fired;
    ewyk::event_loop loop;
    asio::steady_timer timer(loop, 1ms);
    timer.async_wait([&](error_code) { fired.set(); });
    BOOST_TEST(fired.wait());
}

// By an executor's own work, too, as that says that more will come.
BOOST_AUTO_TEST_CASE(the_thread_starts_when_asked_to)
{
    event first;
    event second;
    ewyk::event_loop a({.on_thread_start = [&] { first.set(); }});
    a.start();
    a.start();
    BOOST_TEST(first.wait());
    ewyk::event_loop b({.on_thread_start = [&] { second.set(); }});
    auto const work = asio::make_work_guard(b);
    BOOST_TEST(second.wait());
}

// An io_context that runs out of work stops; a loop waits for more, also if that was before it began.
BOOST_AUTO_TEST_CASE(lives_on_without_work)
{
    for (int i = 0; i != 50; ++i)
    {
        event ran;
        ewyk::event_loop loop;
        asio::make_work_guard(loop).reset();
        asio::make_work_guard(static_cast<asio::io_context&>(loop)).reset();
        asio::post(loop, [&] { ran.set(); });
        BOOST_TEST_REQUIRE(ran.wait());
    }
}

BOOST_AUTO_TEST_CASE(a_function_runs_at_once_inside_and_becomes_a_task_elsewhere)
{
    event done;
    ewyk::event_loop loop;
    std::string order;
    asio::dispatch(loop, [&] {
        asio::post(loop, [&] { order += 'c'; });
        asio::dispatch(loop, [&] { order += 'a'; });
        asio::defer(loop, [&] {
            order += 'd';
            done.set();
        });
        order += 'b';
    });
    BOOST_TEST(done.wait());
    BOOST_TEST(order == "abcd");
}

// Of each thread in its order, never two at a time, each once: while the loop goes to sleep and wakes.
BOOST_AUTO_TEST_CASE(tasks_of_several_threads)
{
    constexpr int each = 20'000;
    constexpr std::size_t posters = 4;
    std::atomic<std::size_t> ran{0};
    ewyk::event_loop loop;
    overlap serial;
    std::array<int, posters> next{};
    bool in_order = true;
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p != posters; ++p)
        threads.emplace_back([&, p] {
            for (int i = 0; i != each; ++i)
            {
                asio::post(loop, [&, p, i] {
                    serial.enter();
                    in_order = in_order && next[p]++ == i;
                    ++ran;
                    serial.leave();
                });
                if (i % 100 == 0)
                    std::this_thread::yield();
            }
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(eventually([&] { return ran == posters * each; }));
    BOOST_TEST(in_order);
    BOOST_TEST(!serial.seen());
}

// One task at a time: the loop sleeps before each.
BOOST_AUTO_TEST_CASE(each_task_wakes_the_loop)
{
    ewyk::event_loop loop;
    for (int i = 0; i != 2000; ++i)
    {
        event ran;
        asio::post(loop, [&] { ran.set(); });
        BOOST_TEST_REQUIRE(ran.wait());
    }
}

// A task that is always there again keeps neither a timer nor a descriptor waiting, and I/O without
// end keeps no task waiting, whatever the ratio.
BOOST_AUTO_TEST_CASE(neither_side_starves)
{
    for (int const ratio : {1, 50, 100})
    {
        std::atomic<int> tasks{0};
        std::atomic<int> bytes{0};
        std::atomic<int> waits{0};
        ewyk::event_loop loop({.io_ratio = ratio});
        asio::readable_pipe in(loop);
        asio::writable_pipe out(loop);
        asio::connect_pipe(in, out);
        asio::steady_timer timer(loop);
        std::function<void()> again = [&] {
            ++tasks;
            asio::post(loop, again);
        };
        char sent = 'x';
        char received = 0;
        std::function<void(error_code, std::size_t)> read;
        auto const write = [&] {
            asio::async_write(out, asio::buffer(&sent, 1), [](error_code, std::size_t) {});
            in.async_read_some(asio::buffer(&received, 1), read);
        };
        read = [&](error_code ec, std::size_t n) {
            bytes += static_cast<int>(n);
            if (!ec)
                write();
        };
        std::function<void(error_code)> wait = [&](error_code ec) {
            if (ec)
                return;
            ++waits;
            timer.expires_after(1ms);
            timer.async_wait(wait);
        };
        asio::post(loop, [&] {
            again();
            write();
            wait({});
        });
        BOOST_TEST(eventually([&] { return tasks > 500 && bytes > 100 && waits > 10; }));
        // Before the objects that its handlers use.
        loop.stop();
        BOOST_TEST(eventually([&] { return loop.terminated(); }));
    }
}

BOOST_AUTO_TEST_CASE(a_socket_in_each_of_two_loops)
{
    event done;
    std::atomic<bool> on_its_loop{true};
    ewyk::event_loop a;
    ewyk::event_loop b;
    tcp::acceptor acceptor(a, {asio::ip::address_v4::loopback(), 0});
    std::string received;
    tcp::socket server(a);
    std::string in(5, ' ');
    acceptor.async_accept(server, [&](error_code) {
        on_its_loop = on_its_loop && a.in_event_loop();
        asio::async_read(server, asio::buffer(in), [&](error_code, std::size_t) {
            asio::async_write(server, asio::buffer(in), [](error_code, std::size_t) {});
        });
    });
    asio::co_spawn(
        b,
        [&]() -> asio::awaitable<void> {
            tcp::socket client(b);
            co_await client.async_connect(acceptor.local_endpoint(), asio::use_awaitable);
            co_await asio::async_write(client, asio::buffer("hello", 5), asio::use_awaitable);
            std::string reply(5, ' ');
            co_await asio::async_read(client, asio::buffer(reply), asio::use_awaitable);
            on_its_loop = on_its_loop && b.in_event_loop();
            received = reply;
            done.set();
        },
        asio::detached);
    BOOST_TEST(done.wait());
    BOOST_TEST(received == "hello");
    BOOST_TEST(on_its_loop);
    a.stop();
    b.stop();
    BOOST_TEST(eventually([&] { return a.terminated() && b.terminated(); }));
}

// What a task, a completion, and a function run at once throw.
BOOST_AUTO_TEST_CASE(goes_on_after_an_exception)
{
    std::atomic<int> caught{0};
    event done;
    ewyk::event_loop loop({.on_exception = [&](std::exception_ptr) { ++caught; }});
    asio::steady_timer timer(loop, 1ms);
    for (int i = 0; i != 3; ++i)
        asio::post(loop, [] { throw std::runtime_error("a task"); });
    asio::post(loop, [&] {
        asio::dispatch(loop, [] { throw std::runtime_error("at once"); });
        asio::dispatch(loop, [] { throw std::runtime_error("at once again"); });
        timer.async_wait([&](error_code) {
            asio::post(loop, [&] { done.set(); });
            throw std::runtime_error("a completion");
        });
    });
    BOOST_TEST(done.wait());
    BOOST_TEST(caught == 6);
}

BOOST_AUTO_TEST_CASE(refuses_more_tasks_than_it_may_have)
{
    constexpr int most = 4;
    event release;
    event running;
    std::atomic<int> ran{0};
    ewyk::event_loop loop({.max_pending_tasks = most});
    asio::post(loop, [&] {
        running.set();
        release.wait();
        // Its own are not refused.
        for (int i = 0; i != 2 * most; ++i)
            asio::post(loop, [&] { ++ran; });
    });
    BOOST_TEST_REQUIRE(running.wait());
    census c;
    for (int i = 0; i != most; ++i)
        asio::post(loop, [&] { ++ran; });
    for (int i = 0; i != 3; ++i)
        BOOST_CHECK_THROW(asio::post(loop, resident(c)), ewyk::queue_full_error);
    BOOST_TEST(c.ran == 0);
    BOOST_TEST(c.destroyed == c.made);
    release.set();
    BOOST_TEST(eventually([&] { return ran == 3 * most; }));
    // There is room again.
    BOOST_CHECK_NO_THROW(asio::post(loop, [&] { ++ran; }));
    BOOST_TEST(eventually([&] { return ran == 3 * most + 1; }));
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
