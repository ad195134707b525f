// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_APPS_SUPPORT_HPP
#define ASIO_EWYK_TEST_APPS_SUPPORT_HPP

#include "asked.hpp"

#include <asio_ewyk/blocking_section.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

// Each app is a Server, which is constructed from an io_context& and an asked&, and a Client, which
// is constructed from the server. Both are of C++ without this library.

namespace apps {

namespace asio = boost::asio;

/// A connection to this machine's port, without a context of the app's.
class connection
{
public:
    explicit connection(unsigned short port) : socket_(context_)
    {
        socket_.connect({asio::ip::address_v4::loopback(), port});
        socket_.set_option(asio::ip::tcp::no_delay(true));
    }

    asio::ip::tcp::socket& socket() noexcept { return socket_; }

private:
    asio::io_context context_;
    asio::ip::tcp::socket socket_;
};

/// The context's run() on a thread of its own, which ends with the scope.
template <class Context>
class running
{
public:
    explicit running(Context& context) : context_(context), thread_([&] { context.run(); }) {}
    running(running const&) = delete;
    running& operator=(running const&) = delete;
    ~running()
    {
        context_.stop();
        thread_.join();
    }

private:
    Context& context_;
    std::thread thread_;
};

/// Before: while a handler blocks, another one's request is not looked at.
template <class Client, class Server>
void expect_that_the_others_wait(Server& server, asked& questions)
{
    Client slow(server);
    Client fast(server);

    auto waited = std::async(std::launch::async, [&] { return slow.ask("wait"); });
    BOOST_TEST_REQUIRE(questions.wait_until_waiting());
    fast.send("tell");
    questions.release();
    BOOST_TEST(waited.get() == "released");
    BOOST_TEST(fast.receive() == "done");
}

/// After: handlers of some connections block, each until many of the others have run.
template <class Client, class Server>
void expect_that_the_others_run(Server& server, asked& questions, int slow, int fast, int rounds)
{
    // Without it, now and then no thread takes over from a native handler that ends a wait: see
    // doc/grace.adoc. With ASIO_EWYK_TEST_UNANNOTATED in the environment these tests show how often.
    if (!std::getenv("ASIO_EWYK_TEST_UNANNOTATED"))
        questions.call_by([](asked::function const& blocks) {
            asio_ewyk::blocking_section const section;
            blocks();
        });
    std::atomic<bool> enough{false};
    std::vector<std::future<bool>> others;
    for (int i = 0; i < fast; ++i)
        others.push_back(std::async(std::launch::async, [&] {
            Client client(server);
            bool right = true;
            while (!enough && right)
                right = client.ask("tell") == "done";
            return right;
        }));
    BOOST_TEST(questions.wait_until_told(100));
    std::vector<std::future<int>> blocking;
    for (int i = 0; i < slow; ++i)
        blocking.push_back(std::async(std::launch::async, [&] {
            Client client(server);
            int told = 0;
            for (int n = 0; n < rounds; ++n)
                told += client.ask("wait") == "told";
            return told;
        }));

    for (auto& client : blocking)
        BOOST_TEST(client.get() == rounds);
    enough = true;
    for (auto& client : others)
        BOOST_TEST(client.get());
}

template <class Server, class Client>
void the_others_wait_on_an_io_context()
{
    asked questions;
    asio::io_context context(1);
    Server server(context, questions);
    running const run(context);
    expect_that_the_others_wait<Client>(server, questions);
}

template <class Server, class Client>
void the_others_do_not_wait(asio_ewyk::strategy_t strategy, int slow, int fast, int rounds)
{
    asked questions;
    asio_ewyk::strategy_context context(strategy, {.max_threads = 16});
    Server server(context, questions);
    running const run(context);
    expect_that_the_others_run<Client>(server, questions, slow, fast, rounds);
}

inline constexpr asio_ewyk::strategy_t strategies[]
    = {asio_ewyk::strategy_t::execute_produce_consume, asio_ewyk::strategy_t::eat_what_you_kill};

} // namespace apps

/// The same for each app: suite_name is the source's name.
#define APP_TEST_SUITE(suite_name, Server, Client, fast, rounds)                                   \
    BOOST_AUTO_TEST_SUITE(suite_name)                                                              \
    BOOST_AUTO_TEST_CASE(the_others_wait_on_an_io_context)                                         \
    {                                                                                              \
        ::apps::the_others_wait_on_an_io_context<Server, Client>();                                \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(the_others_do_not_wait)                                                   \
    {                                                                                              \
        for (auto const s : ::apps::strategies)                                                    \
            ::apps::the_others_do_not_wait<Server, Client>(s, 1, 1, 1);                            \
    }                                                                                              \
    BOOST_AUTO_TEST_CASE(under_load)                                                               \
    {                                                                                              \
        for (auto const s : ::apps::strategies)                                                    \
            ::apps::the_others_do_not_wait<Server, Client>(s, 4, fast, rounds);                    \
    }                                                                                              \
    BOOST_AUTO_TEST_SUITE_END()

#endif
