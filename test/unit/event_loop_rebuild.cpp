// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// event_loop::rebuild_reactor(): whatever waits goes on.

#include <asio_ewyk/loop/event_loop.hpp>

#include "pool_support.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#if defined(__unix__)
#include <sys/resource.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(event_loop_rebuild)

namespace {

using namespace support;
using boost::system::error_code;

#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)

using stream = asio::local::stream_protocol::socket;

/// As many connections as the limit of descriptors leaves room for, but no more than that.
std::size_t room_for(std::size_t connections)
{
    constexpr std::size_t others = 200;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    std::size_t const wanted = 2 * connections + others;
    if (limit.rlim_cur < wanted)
    {
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ::getrlimit(RLIMIT_NOFILE, &limit);
    std::size_t const room = limit.rlim_cur > others ? (limit.rlim_cur - others) / 2 : 0;
    return std::min(connections, room);
}

/// Two connected sockets on one loop. A byte goes from one to the other and back: all the time, or
/// each time that push() gives it one. All but rounds() is for the loop's thread only.
class ball
{
public:
    explicit ball(ewyk::event_loop& loop) : a_(loop), b_(loop) { asio::local::connect_pair(a_, b_); }

    void play(bool on_and_on)
    {
        on_and_on_ = on_and_on;
        receive_at(b_, b_byte_, [this] { send_from(b_); });
        receive_at(a_, a_byte_, [this] {
            ++rounds_;
            if (on_and_on_)
                push();
        });
        if (on_and_on)
            push();
    }

    void push() { send_from(a_); }

    void close()
    {
        a_.close();
        b_.close();
    }

    std::size_t rounds() const { return rounds_; }

private:
    void send_from(stream& from)
    {
        error_code ec;
        from.write_some(asio::buffer("x", 1), ec);
    }

    void receive_at(stream& at, char& byte, std::function<void()> then)
    {
        at.async_read_some(asio::buffer(&byte, 1),
            [this, &at, &byte, then = std::move(then)](error_code ec, std::size_t) {
                if (ec)
                    return;
                receive_at(at, byte, then);
                then();
            });
    }

    stream a_;
    stream b_;
    char a_byte_ = 0;
    char b_byte_ = 0;
    bool on_and_on_ = false;
    std::atomic<std::size_t> rounds_{0};
};

/// Calls f() on the loop's thread, and waits until it has.
bool on(ewyk::event_loop& loop, std::function<void()> f)
{
    event done;
    asio::post(loop, [&] {
        f();
        done.set();
    });
    return done.wait();
}

// A thousand connections, half of which wait at the moment, a timer and a signal, while another
// thread submits tasks.
BOOST_AUTO_TEST_CASE(all_that_waits_goes_on)
{
    std::size_t const connections = room_for(1000);
    BOOST_TEST_MESSAGE(connections << " connections");
    BOOST_TEST_REQUIRE(connections >= 10u);

    ewyk::event_loop loop;
    std::vector<std::unique_ptr<ball>> balls;
    for (std::size_t i = 0; i != connections; ++i)
        balls.push_back(std::make_unique<ball>(loop));

    std::atomic<int> ticks{0};
    asio::steady_timer ticker(loop);
    std::function<void(error_code)> tick = [&](error_code ec) {
        if (ec)
            return;
        ++ticks;
        ticker.expires_after(1ms);
        ticker.async_wait(tick);
    };

    std::atomic<int> signals{0};
    asio::signal_set signal(loop, SIGUSR1);
    std::function<void(error_code, int)> caught = [&](error_code ec, int) {
        if (ec)
            return;
        ++signals;
        signal.async_wait(caught);
    };

    BOOST_TEST_REQUIRE(on(loop, [&] {
        for (std::size_t i = 0; i != connections; ++i)
            balls[i]->play(i % 2 == 0);
        tick({});
        signal.async_wait(caught);
    }));

    std::atomic<bool> enough{false};
    std::size_t submitted = 0;
    std::atomic<std::size_t> ran{0};
    std::thread other([&] {
        for (; !enough; ++submitted)
        {
            asio::post(loop, [&] { ++ran; });
            if (submitted % 16 == 0)
                std::this_thread::sleep_for(100us);
        }
    });

    for (int round = 0; round != 10; ++round)
    {
        for (int again = 0; again <= round % 3; ++again)
            loop.rebuild_reactor();
        BOOST_TEST_REQUIRE(on(loop, [] {})); // so it is done
        std::vector<std::size_t> before;
        for (auto const& b : balls)
            before.push_back(b->rounds());
        int const ticks_before = ticks;
        int const signals_before = signals;
        ::raise(SIGUSR1);
        BOOST_TEST_REQUIRE(on(loop, [&] {
            for (std::size_t i = 1; i < connections; i += 2)
                balls[i]->push();
        }));
        BOOST_TEST_REQUIRE(eventually([&] {
            for (std::size_t i = 0; i != connections; ++i)
                if (balls[i]->rounds() == before[i])
                    return false;
            return ticks > ticks_before && signals > signals_before;
        }));
    }

    enough = true;
    other.join();
    BOOST_TEST(eventually([&] { return ran == submitted; }));
    BOOST_TEST(on(loop, [&] {
        for (auto const& b : balls)
            b->close();
        ticker.cancel();
        signal.cancel();
    }));
    BOOST_TEST(loop.shutdown_gracefully(1ms, patience));
}

#endif

// Nothing is registered that could be.
BOOST_AUTO_TEST_CASE(of_a_loop_that_has_not_started)
{
    event done;
    ewyk::event_loop loop;
    loop.rebuild_reactor();
    asio::post(loop, [&] { done.set(); });
    BOOST_TEST(done.wait());
}

// Also from a handler of the loop, where it comes after the handler.
BOOST_AUTO_TEST_CASE(is_a_task)
{
    std::string order;
    event fired;
    ewyk::event_loop loop;
    asio::steady_timer timer(loop);
    asio::post(loop, [&] {
        asio::post(loop, [&] { order += 'a'; });
        loop.rebuild_reactor();
        asio::post(loop, [&] { order += 'c'; });
        order += '0';
        timer.expires_after(1ms);
        timer.async_wait([&](error_code ec) {
            order += ec ? 'x' : 't';
            fired.set();
        });
    });
    BOOST_TEST(fired.wait());
    BOOST_TEST(order == "0act");
    loop.stop();
    BOOST_TEST(eventually([&] { return loop.terminated(); }));
    loop.rebuild_reactor();
}

// Against requests to end that come from other threads.
BOOST_AUTO_TEST_CASE(while_the_loop_ends)
{
    for (int i = 0; i != 50; ++i)
    {
        ewyk::event_loop loop;
        loop.start();
        std::thread other([&] {
            for (int n = 0; n != 20; ++n)
                loop.rebuild_reactor();
        });
        if (i % 2 == 0)
            BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
        else
            loop.stop();
        other.join();
        BOOST_TEST(eventually([&] { return loop.terminated(); }));
    }
}

#if defined(__linux__)
// epoll does not take files. Asio knows that of one that it was given, and since Boost 1.87 the
// rebuild too; not of one that came in the place of a pipe.
BOOST_AUTO_TEST_CASE(what_cannot_be_registered_again_is_reported)
{
    std::atomic<int> caught{0};
    ewyk::event_loop loop({.on_exception = [&](std::exception_ptr e) {
        try
        {
            std::rethrow_exception(e);
        }
        catch (boost::system::system_error const&)
        {
            ++caught;
        }
    }});
    std::FILE* const file = std::tmpfile();
    BOOST_TEST_REQUIRE(file != nullptr);
    {
        asio::readable_pipe source(loop);
        asio::writable_pipe sink(loop);
        asio::connect_pipe(source, sink);
        BOOST_TEST_REQUIRE(::dup2(::fileno(file), source.native_handle()) != -1);
        loop.rebuild_reactor();
        BOOST_TEST(eventually([&] { return caught == 1; }));
        loop.stop();
        BOOST_TEST(eventually([&] { return loop.terminated(); }));
    }
    std::fclose(file);
}
#endif

} // namespace

BOOST_AUTO_TEST_SUITE_END()
