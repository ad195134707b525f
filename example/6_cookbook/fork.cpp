// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Fork a process that has a context with threads: before it the threads end, after it they come
// again in both processes.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <cstdlib>
#include <iostream>
#include <latch>

#include <sys/wait.h>
#include <unistd.h>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

namespace {

// Three handlers that wait for each other: two threads of the pool are needed.
bool works(ewyk::strategy_context& context)
{
    std::latch all(3);
    for (int i = 0; i != 3; ++i)
        asio::post(context, [&] { all.arrive_and_wait(); });
    context.restart();
    context.run();
    return all.try_wait();
}

} // namespace

int main()
{
    ewyk::strategy_context context;
    bool right = works(context);

    // tag::fork[]
    // No thread is inside run().
    context.notify_fork(asio::execution_context::fork_prepare);
    pid_t const child = ::fork();
    if (child == 0)
    {
        context.notify_fork(asio::execution_context::fork_child);
        std::_Exit(works(context) ? 0 : 1);
    }
    context.notify_fork(asio::execution_context::fork_parent);
    // end::fork[]

    right = works(context) && right;
    int status = -1;
    ::waitpid(child, &status, 0);
    std::cout << (right && status == 0 ? "both processes work\n" : "one does not\n");
    return right && status == 0 ? 0 : 1;
}
