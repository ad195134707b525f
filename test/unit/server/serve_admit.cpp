// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Whom serve turns away, by serve_options::admit.

#include <asio_ewyk/server/serve.hpp>

#include "serve_support.hpp"
#include <asio_ewyk/strategy_context.hpp>

#include <set>
#include <stdexcept>
#include <string>

#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(serve_admit)

namespace {

using namespace support;

// The place is given back, and nothing pauses.
BOOST_AUTO_TEST_CASE(a_client_that_is_turned_away)
{
    std::atomic<int> asked{0};
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 1,
            .back_off = 1h,
            .admit = [&](tcp::endpoint const&) { return ++asked > 2; },
            .control = control},
        asio::detached);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(client(where).receive() == lost);
    client good(where);
    BOOST_TEST(good.ask() == 'x');
    auto const m = control.metrics();
    BOOST_TEST(asked == 3);
    BOOST_TEST(m.refused == 2u);
    BOOST_TEST(m.accepted == 1u);
    BOOST_TEST(m.open == 1u);
    BOOST_TEST(m.failed + m.accept_errors == 0u);
}

BOOST_AUTO_TEST_CASE(knows_where_the_client_is)
{
    std::promise<tcp::endpoint> peer;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.admit =
                [&](tcp::endpoint const& from) {
                    peer.set_value(from);
                    return true;
                }},
        asio::detached);
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    BOOST_TEST(peer.get_future().get() == c.local());
}

BOOST_AUTO_TEST_CASE(an_exception_is_a_refusal)
{
    gathering errors;
    std::atomic<int> asked{0}, thrown{0};
    ewyk::serve_control const control;
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.back_off = 1h,
            .admit =
                [&](tcp::endpoint const&) {
                    if (++asked == 1)
                        throw std::runtime_error("no list");
                    return true;
                },
            .on_session_error =
                [&](std::exception_ptr e) {
                    try
                    {
                        std::rethrow_exception(e);
                    }
                    catch (std::runtime_error const&)
                    {
                        ++thrown;
                    }
                    errors.arrive();
                },
            .control = control},
        asio::detached);
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(errors.wait_for(1));
    BOOST_TEST(client(where).ask() == 'x');
    BOOST_TEST(thrown == 1);
    BOOST_TEST(control.metrics().refused == 1u);
    BOOST_TEST(control.metrics().failed == 0u);
}

BOOST_AUTO_TEST_CASE(is_not_asked_without_a_place)
{
    std::atomic<int> asked{0};
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), workers, echo,
        {.max_connections = 1,
            .when_full = ewyk::connections_full::refuse,
            .admit =
                [&](tcp::endpoint const&) {
                    ++asked;
                    return true;
                }},
        asio::detached);
    client first(where);
    BOOST_TEST(first.ask() == 'x');
    BOOST_TEST(client(where).receive() == lost);
    BOOST_TEST(asked == 1);
}

// Nothing but the hook itself ends the lease: the grace does not.
BOOST_AUTO_TEST_CASE(may_block)
{
    event asked, go_on;
    std::atomic<bool> went_on = false;
    run_by_a_thread<ewyk::strategy_context> context{
        ewyk::strategy_options{.grace = 1h, .min_threads = 2}};
    auto acceptor = acceptor_of(context);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), context, echo,
        {.admit =
                [&](tcp::endpoint const&) {
                    asked.set();
                    went_on = go_on.wait();
                    return true;
                }},
        asio::detached);
    client c(where);
    BOOST_TEST(asked.wait());
    asio::post(context, [&] { go_on.set(); });
    BOOST_TEST(c.ask() == 'x');
    BOOST_TEST(went_on);
}

BOOST_AUTO_TEST_CASE(an_allow_list)
{
    ewyk::event_loop_group workers(1), boss(1);
    auto acceptor = acceptor_of(boss);
    auto const where = acceptor.local_endpoint();
    auto const session = echo;
    // tag::admit[]
    std::set<asio::ip::address> const allowed{asio::ip::make_address("127.0.0.1")};
    auto const is_allowed = [allowed](tcp::endpoint const& from) {
        return allowed.contains(from.address());
    };
    ewyk::serve(std::move(acceptor), workers, session, {.admit = is_allowed}, asio::detached);
    // end::admit[]
    BOOST_TEST(client(where).ask() == 'x');
}

#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)
BOOST_AUTO_TEST_CASE(another_protocol)
{
    using asio::local::stream_protocol;
    auto const path = "/tmp/asio_ewyk_serve_admit." + std::to_string(::getpid());
    ::unlink(path.c_str());
    ewyk::event_loop_group workers(1), boss(1);
    stream_protocol::acceptor acceptor(boss.next(), stream_protocol::endpoint(path));
    auto const session = [](stream_protocol::socket) -> asio::awaitable<void> { co_return; };
    ewyk::serve_options options{.admit = [](tcp::endpoint const&) { return true; }};
    BOOST_CHECK_EXCEPTION(ewyk::serve(std::move(acceptor), workers, session, std::move(options),
                              asio::detached),
        std::invalid_argument, [](auto const& e) {
            return std::string(e.what()).starts_with("serve_options::admit must be empty");
        });
    ::unlink(path.c_str());
}
#endif

}

BOOST_AUTO_TEST_SUITE_END()
