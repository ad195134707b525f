// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The threads come from a worker pool. Contexts can share one, it can be given work directly, and
// it says how many threads it has come to.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <iostream>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

namespace {

// tag::offload[]
// The coroutine goes on where it was; only the computation runs in the pool.
asio::awaitable<void> session(ewyk::worker_pool& pool)
{
    int const answer = co_await asio::co_spawn(
        pool, []() -> asio::awaitable<int> { co_return 6 * 7; }, asio::use_awaitable);
    std::cout << "the answer is " << answer << '\n';
}
// end::offload[]

} // namespace

int main()
{
    // tag::pool[]
    ewyk::worker_pool pool({.max_threads = 8, .name = "shared"});
    ewyk::strategy_context first(pool);
    ewyk::strategy_context second(pool, ewyk::strategy.produce_execute_consume);
    // end::pool[]

    asio::co_spawn(first, session(pool), asio::detached);
    asio::post(second, [] { std::cout << "the second context's handler\n"; });

    std::thread other([&] { second.run(); });
    first.run();
    other.join();
    std::cout << (pool.threads() <= 8 ? "two contexts, and at most 8 threads\n" : "too many\n");
}
