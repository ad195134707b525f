// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Names of types without what Asio wraps a handler in; and where that cannot be told, as they are.

#include "../support.hpp"

#include <asio_ewyk/detail/diagnostics/handler_name.hpp>

#include <string_view>

BOOST_AUTO_TEST_SUITE(handler_name)

namespace {

using namespace support;
using ewyk::detail::unwrapped;

struct plain_handler
{
    void operator()() const {}
    bool operator<(plain_handler const&) const noexcept { return false; }
};

template <class T>
std::string name_of()
{
    return ewyk::detail::handler_name(&ewyk::detail::describe<T>);
}

} // namespace

BOOST_AUTO_TEST_CASE(leaves_out_wrappers)
{
    BOOST_TEST(unwrapped("boost::asio::detail::binder0<X>") == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::binder2<X, boost::system::error_code, int>") == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::work_dispatcher<boost::asio::detail::binder0<X<Y> >, Z, void>")
        == "X<Y>");
    BOOST_TEST(unwrapped("boost::asio::executor_binder<f()::{lambda(int, A<B>)#1}, E>")
        == "f()::{lambda(int, A<B>)#1}");
}

// The handler is not the first argument of all of them.
BOOST_AUTO_TEST_CASE(finds_the_handler_of_an_operation)
{
    BOOST_TEST(unwrapped("boost::asio::detail::wait_handler<X, E>") == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::executor_op<boost::asio::detail::binder0<X>, A, O>")
        == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::reactive_socket_recv_op<B<1ul, 2>, X<Y>, E>")
        == "X<Y>");
    BOOST_TEST(unwrapped("boost::asio::detail::io_uring_socket_accept_op<S, P, X, E>") == "X");
    for (std::string_view const name : {"boost::asio::detail::reactive_socket_recv_op<B>",
             "boost::asio::detail::reactive_socket_recv_op<B, X", "mine::wait_handler<X, E>"})
        BOOST_TEST(unwrapped(name) == name);
}

BOOST_AUTO_TEST_CASE(leaves_everything_else)
{
    for (std::string_view const name : {
             "X", "", "boost::asio::detail::executor_function", "boost::asio::detail::binder0<X>::inner",
             "boost::asio::detail::binder0<X", "boost::asio::detail::binder0<>",
             // Where brackets are no brackets.
             "boost::asio::detail::binder0<S::operator<(S const&)::{lambda()#1}>",
             "boost::asio::detail::binder0<S::operator->() const::{lambda()#1}>"})
        BOOST_TEST(unwrapped(name) == name);
}

BOOST_AUTO_TEST_CASE(names_types)
{
    BOOST_TEST(name_of<plain_handler>().ends_with("plain_handler"));
    auto const of_call = [] {};
    BOOST_TEST(name_of<decltype(of_call)>().find("names_types") != std::string::npos);
    BOOST_TEST(name_of<decltype(asio::bind_executor(asio::system_executor(), plain_handler()))>()
        == name_of<plain_handler>());
    BOOST_TEST(ewyk::detail::handler_name(nullptr) == "");
}

BOOST_AUTO_TEST_SUITE_END()
