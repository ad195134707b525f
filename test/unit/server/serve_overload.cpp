// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// serve, where there is more work than can be done.

#include "serve_support.hpp"

#include <asio_ewyk/overload/load_shedder.hpp>

#include <stdexcept>

BOOST_AUTO_TEST_SUITE(serve_overload)

namespace {

using namespace support;

BOOST_AUTO_TEST_CASE(clients_wait_while_it_is_overloaded)
{
    std::atomic<bool> loaded{true};
    std::atomic<int> asked{0};
    ewyk::serve_options options;
    options.back_off = 1ms;
    options.overloaded = [&] {
        ++asked;
        return loaded.load();
    };
    auto const control = options.control;
    outcome over;
    ewyk::event_loop_group loops(2);
    auto acceptor = acceptor_of(loops);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), loops, echo, options, over.token());
    client c(where);
    BOOST_TEST(eventually([&] { return asked >= 5; }));
    BOOST_TEST(control.metrics().accepted == 0u);
    loaded = false;
    BOOST_TEST(c.ask() == 'x');
    BOOST_TEST(control.metrics().accepted == 1u);
    BOOST_TEST(control.metrics().accept_errors == 0u);
}

BOOST_AUTO_TEST_CASE(an_exception_counts_as_an_overload)
{
    std::atomic<int> asked{0};
    std::atomic<int> reported{0};
    ewyk::serve_options options;
    options.back_off = 1ms;
    options.overloaded = [&]() -> bool {
        if (++asked < 3)
            throw std::runtime_error("as planned");
        return false;
    };
    options.on_session_error = [&](std::exception_ptr) { ++reported; };
    outcome over;
    ewyk::event_loop_group loops(1);
    auto acceptor = acceptor_of(loops);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), loops, echo, options, over.token());
    client c(where);
    BOOST_TEST(c.ask() == 'x');
    BOOST_TEST(reported == 2);
}

BOOST_AUTO_TEST_CASE(it_asks_a_load_shedder)
{
    // tag::serve[]
    ewyk::load_shedder shedder;
    ewyk::serve_options options;
    options.overloaded = [&] { return shedder.overloaded(); };
    // end::serve[]
    outcome over;
    ewyk::event_loop_group loops(1);
    auto acceptor = acceptor_of(loops);
    auto const where = acceptor.local_endpoint();
    ewyk::serve(std::move(acceptor), loops, echo, options, over.token());
    client c(where);
    BOOST_TEST(c.ask() == 'x');
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
