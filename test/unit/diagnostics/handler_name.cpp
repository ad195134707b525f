// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Names of types without what Asio wraps a handler in; and where that cannot be told, as they are.

#include "../support.hpp"

#include <asio_ewyk/detail/observe/handler_name.hpp>

#include <string>
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

// What is called when a composed operation is complete, of those that one has called another.
BOOST_AUTO_TEST_CASE(finds_the_handler_of_a_composed_operation)
{
    BOOST_TEST(unwrapped("boost::asio::detail::read_op<S<A>, B, B const*, C, X>") == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::read_until_delim_string_op_v1<S, B, X<Y> >")
        == "X<Y>");
    BOOST_TEST(unwrapped("boost::asio::ssl::detail::io_op<S, boost::asio::ssl::detail::read_op<B>,"
                         " boost::asio::detail::composed_op<I, W, X, void (E, unsigned long)> >")
        == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::wrapped_handler<D, X, C>") == "X");
    BOOST_TEST(unwrapped("boost::asio::detail::rewrapped_handler<X, C>") == "X");
    // Several templates have that name, and this one has no handler.
    BOOST_TEST(unwrapped("boost::asio::ssl::detail::read_op<B>")
        == "boost::asio::ssl::detail::read_op<B>");
}

BOOST_AUTO_TEST_CASE(finds_the_handler_of_an_operation_of_beast)
{
    BOOST_TEST(unwrapped("boost::asio::detail::reactive_socket_recv_op<B,"
                         " boost::beast::basic_stream<P, E, R>::ops::transfer_op<true, B,"
                         " boost::beast::websocket::stream<S<P>, true>::read_some_op<"
                         "boost::beast::websocket::stream<S<P>, true>::read_op<"
                         "boost::beast::detail::bind_front_wrapper<void (session::*)(E, unsigned"
                         " long), std::shared_ptr<session> >, D>, M> >, E>")
        == "void (session::*)(E, unsigned long)");
    BOOST_TEST(unwrapped("boost::beast::http::detail::read_msg_op<S, D, true, B, A, X>") == "X");
    BOOST_TEST(unwrapped("boost::beast::http::detail::write_some_op<X, S, false, B, F>") == "X");
    BOOST_TEST(unwrapped("boost::beast::buffered_read_stream<S, D>::ops::read_op<B, X>") == "X");
    BOOST_TEST(unwrapped("boost::beast::detail::read_op<S, D, C, X>") == "X");
    BOOST_TEST(unwrapped("boost::beast::basic_stream<P, E, R>::ops::connect_op<X>") == "X");
    BOOST_TEST(unwrapped("boost::beast::websocket::stream<S, true>::ping_op<X>") == "X");
    for (std::string_view const name : {"boost::beast::flat_buffer",
             "boost::beast::websocket::stream<S, true>",
             "boost::beast::websocket::stream<S, true>::idle_ping_op<E>", "mine::stream<S>::read_op<X>"})
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
    BOOST_TEST(name_of<std::string>().find("char_traits") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
