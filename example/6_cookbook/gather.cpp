// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Ask several blocking services at once, and wait for all answers. Each query waits for the others,
// so the program ends only if they overlap.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

#include <exception>
#include <iostream>
#include <latch>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

namespace {

std::latch all(3);

int ask(int service)
{
    all.arrive_and_wait();
    return 10 * service;
}

// tag::gather[]
asio::awaitable<int> query(int service)
{
    co_await asio::post(asio::use_awaitable); // else co_spawn calls it where it is, and waits
    co_return ask(service);                   // blocks
}

asio::awaitable<int> ask_all()
{
    auto const ex = co_await asio::this_coro::executor;
    auto const [order, e1, first, e2, second, e3, third] =
        co_await asio::experimental::make_parallel_group(
            asio::co_spawn(ex, query(1), asio::deferred),
            asio::co_spawn(ex, query(2), asio::deferred),
            asio::co_spawn(ex, query(3), asio::deferred))
            .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (std::exception_ptr const& e : {e1, e2, e3})
        if (e)
            std::rethrow_exception(e);
    co_return first + second + third;
}
// end::gather[]

} // namespace

int main()
{
    ewyk::strategy_context context;
    int sum = 0;
    asio::co_spawn(context, ask_all(), [&](std::exception_ptr, int n) { sum = n; });
    context.run();
    std::cout << "three services blocked at once; the sum of their answers: " << sum << '\n';
    return sum == 60 ? 0 : 1;
}
