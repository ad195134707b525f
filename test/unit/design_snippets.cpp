// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The uses that the design promises, word for word; four comments are broken into two lines. What
// is between a pair of tags may be quoted; around it stands only what a reader would bring along,
// such as Asio itself.

#include <boost/asio.hpp>

// clang-format off
#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>
namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
// clang-format on

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>

using namespace std::chrono_literals;

namespace {

/// Accepts one connection, and reads it to its end.
asio::awaitable<void> listener(tcp::acceptor acceptor)
{
    tcp::socket peer = co_await acceptor.async_accept(asio::use_awaitable);
    std::array<char, 16> buffer;
    boost::system::error_code ec;
    while (!ec)
        co_await peer.async_read_some(
            asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, ec));
}

/// Gives a number of tasks, which count themselves.
class counter
{
public:
    explicit counter(int tasks) : left_(tasks), unfinished_(tasks) {}

    std::function<void()> produce()
    {
        if (left_ == 0)
            return {};
        --left_;
        return [this] {
            if (--unfinished_ == 0)
                done_.set_value();
        };
    }

    std::future<void> done() { return done_.get_future(); }

private:
    int left_;
    std::atomic<int> unfinished_;
    std::promise<void> done_;
};

void drop_in()
{
    bool called = false;
    auto const f = [&] {
        called = true;
        asio::io_context other;
        tcp::socket(other).connect({asio::ip::address_v4::loopback(), 8080});
    };

    // clang-format off
    // tag::item1[]
    ewyk::strategy_context context;                       // was: asio::io_context context;
    tcp::acceptor acceptor(context, {tcp::v4(), 8080});   // any I/O object, default any_io_executor
    asio::steady_timer timer(context, 1s);
    asio::co_spawn(context, listener(std::move(acceptor)), asio::detached);
    asio::post(context, f);  auto s = asio::make_strand(context);
    context.run();                                        // run_for, run_one, poll, stop,
                                                          // restart, ...
    // end::item1[]
    // clang-format on

    BOOST_TEST(called);
    BOOST_TEST(context.stopped());
}

asio::awaitable<void> session(tcp::socket socket)
{
    co_await asio::async_write(socket, asio::buffer("!", 1), asio::use_awaitable);
}

void boss_and_workers()
{
    // clang-format off
    // tag::item5[]
    ewyk::event_loop_group workers, boss(1);              // 2 x cores loops, threads start lazily
    ewyk::serve(boss, workers, {tcp::v4(), 8080}, session, asio::detached);
                                                          // session: tcp::socket -> awaitable<void>
    // end::item5[]
    // clang-format on

    asio::io_context other;
    tcp::socket client(other);
    client.connect({asio::ip::address_v4::loopback(), 8080});
    char answer = ' ';
    asio::read(client, asio::buffer(&answer, 1));
    BOOST_TEST(answer == '!');

    // tag::item5_end[]
    workers.shutdown_gracefully(100ms, 5s);
    // end::item5_end[]
    BOOST_TEST(workers.terminated());
}

}

BOOST_AUTO_TEST_SUITE(design_snippets)

BOOST_AUTO_TEST_CASE(item1)
{
    try
    {
        drop_in();
    }
    catch (boost::system::system_error const& e)
    {
        // The snippet names a port that another program of this machine may hold.
        BOOST_TEST((e.code() == asio::error::address_in_use), e.what());
        BOOST_TEST_MESSAGE("port 8080 is in use: the snippet was compiled but not run");
    }
}

BOOST_AUTO_TEST_CASE(item2)
{
    // clang-format off
    // tag::item2[]
    ewyk::strategy_context pec(ewyk::strategy.produce_execute_consume, {.max_threads = 16});
    ewyk::strategy_t chosen = ewyk::strategy_from_string("eat_what_you_kill");
                                                                // throws std::invalid_argument
    // end::item2[]
    // clang-format on

    BOOST_TEST((chosen == ewyk::strategy.eat_what_you_kill));
    BOOST_CHECK_THROW(ewyk::strategy_from_string("eat_what_you_like"), std::invalid_argument);
    std::atomic<bool> ran{false};
    asio::post(pec, [&] { ran = true; });
    pec.run();
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(item3)
{
    ewyk::strategy_context context;
    asio::local::stream_protocol::socket socket(context);
    asio::local::stream_protocol::socket peer(context);
    asio::local::connect_pair(socket, peer);
    asio::write(peer, asio::buffer("x", 1));
    char byte = 0;
    auto const buffer = asio::buffer(&byte, 1);
    std::size_t received = 0;
    auto const handler = [&](boost::system::error_code, std::size_t n) { received = n; };

    // clang-format off
    // tag::item3[]
    auto ex  = context.get_executor();                    // ewyk::strategy_executor
    auto nb  = asio::require(ex, ewyk::invocation.non_blocking);
    auto off = asio::require(ex, ewyk::strategy.produce_execute_consume);
    socket.async_read_some(buffer, asio::bind_executor(nb, handler));
    bool pc = asio::query(ex, ewyk::strategy) == ewyk::strategy.produce_consume;
    // end::item3[]
    // clang-format on

    static_assert(std::is_same_v<decltype(ex), ewyk::strategy_executor>);
    std::atomic<bool> offloaded{false};
    asio::post(off, [&] { offloaded = true; });
    context.run();
    BOOST_TEST(received == 1u);
    BOOST_TEST(byte == 'x');
    BOOST_TEST(offloaded);
    BOOST_TEST(!pc);
}

BOOST_AUTO_TEST_CASE(item4)
{
    // clang-format off
    // tag::item4[]
    asio::io_context ioc;
    ewyk::strategy_executor on = ewyk::use_strategy(ioc, ewyk::strategy.eat_what_you_kill);
                                                          // installs a service
    tcp::socket socket(on);
    ewyk::run(ioc);                                       // instead of ioc.run()
    // end::item4[]
    // clang-format on

    BOOST_TEST(ioc.stopped()); // there was nothing to do
    ioc.restart();
    tcp::acceptor acceptor(on, {asio::ip::address_v4::loopback(), 0});
    tcp::socket peer(on);
    boost::system::error_code connected = asio::error::would_block;
    boost::system::error_code accepted = asio::error::would_block;
    acceptor.async_accept(peer, [&](boost::system::error_code ec) { accepted = ec; });
    socket.async_connect(
        acceptor.local_endpoint(), [&](boost::system::error_code ec) { connected = ec; });
    ewyk::run(ioc);
    BOOST_TEST(!accepted);
    BOOST_TEST(!connected);
}

BOOST_AUTO_TEST_CASE(item5)
{
    try
    {
        boss_and_workers();
    }
    catch (boost::system::system_error const& e)
    {
        // As above.
        BOOST_TEST((e.code() == asio::error::address_in_use), e.what());
        BOOST_TEST_MESSAGE("port 8080 is in use: the snippet was compiled but not run");
    }
}

BOOST_AUTO_TEST_CASE(item6)
{
    counter producer(1000);
    auto const done = producer.done();
    ewyk::worker_pool pool({.max_threads = 4});

    // clang-format off
    // tag::item6[]
    ewyk::execution_strategy frames(producer, pool, ewyk::strategy.eat_what_you_kill);
    frames.dispatch();  frames.produce();
    // end::item6[]
    // clang-format on

    bool const in_time = done.wait_for(60s) == std::future_status::ready;
    BOOST_TEST(in_time);
}

BOOST_AUTO_TEST_SUITE_END()
