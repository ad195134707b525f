// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The library as a shared one, in a program that hides its own symbols: what the headers have
// inline here and what the library has compiled must be about the same statics.

#include <asio_ewyk.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

// In the other translation unit: uses the rest of the library.
bool tour();

namespace {

struct thrown_by_a_handler
{
};

bool all_hold = true;

void check(bool holds, char const* what)
{
    if (!holds)
        std::cerr << "does not hold: " << what << '\n';
    all_hold = all_hold && holds;
}

// With one thread no other can take over, so what is `either` must not block.
void check_handlers()
{
    ewyk::strategy_context context({.grace = {}, .max_threads = 1});
    auto const either = asio::require(context.get_executor(), ewyk::invocation.either);
    check(ewyk::detail::strategy_service::installed_in(context) != nullptr, "the library's service is found");
    check(ewyk::this_invocation::may_block(), "a thread that runs no handler may block");

    bool in_place = false, may_block = true;
    std::ostringstream told;
    asio::post(either, [&] {
        may_block = ewyk::this_invocation::may_block();
        asio::dispatch(context, [&] { in_place = true; });
        check(in_place, "the context is known inside its own handlers");
        ewyk::this_invocation::set_location();
        ewyk::dump(told);
    });
    context.run();
    check(!may_block, "the library's mark is seen by a handler");
    check(told.str().find("shared_main.cpp") != std::string::npos,
        "the library knows where a handler is");
}

template <class Exception, class F>
bool throws(F f)
{
    try
    {
        f();
    }
    catch (Exception const&)
    {
        return true;
    }
    return false;
}

void check_exceptions()
{
    ewyk::strategy_context context(ewyk::strategy.produce_consume);
    asio::post(context, [] { throw thrown_by_a_handler(); });
    check(throws<thrown_by_a_handler>([&] { context.run(); }), "a handler's exception is caught");
    check(throws<std::invalid_argument>([] { ewyk::strategy_from_string("none"); }),
        "the library's exception is caught");
}

} // namespace

int main()
{
    check_handlers();
    check_exceptions();
    check(tour(), "the tour succeeds");
    return all_hold ? 0 : 1;
}
