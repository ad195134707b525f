// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Let at most two queries block at a time. The others wait in a pool's queue, without a thread.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

namespace {

std::atomic<int> running{0};
std::atomic<bool> too_many{false};
std::atomic<int> done{0};

void query()
{
    if (++running > 2)
        too_many = true;
    std::this_thread::sleep_for(2ms);
    --running;
    ++done;
}

// tag::request[]
asio::awaitable<void> request(ewyk::worker_pool& database)
{
    co_await ewyk::switch_to(database); // may wait in the queue
    query();
    co_await ewyk::switch_to(co_await asio::this_coro::executor);
}
// end::request[]

} // namespace

int main()
{
    // tag::pool[]
    ewyk::strategy_context context;
    ewyk::worker_pool database({.max_threads = 2, .name = "database"});
    // end::pool[]
    for (int i = 0; i != 8; ++i)
        asio::co_spawn(context, request(database), asio::detached);
    context.run();
    std::cout << done << " queries, " << (too_many ? "too many" : "two at most") << " at a time\n";
    return done == 8 && !too_many ? 0 : 1;
}
