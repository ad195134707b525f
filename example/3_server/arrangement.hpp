// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_ARRANGEMENT_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_ARRANGEMENT_HPP

#include "offload.hpp"

#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace http_server {

namespace asio = boost::asio;

/* An arrangement says which contexts there are and which threads run them. All have

   | expression         | meaning                                                             |
   |--------------------|---------------------------------------------------------------------|
   | `executor_type`    | what connections run on                                             |
   | `get_executor()`   | for what the server does besides: accept, watch, wait for signals   |
   | `next()`           | the executor of the next connection; system_error if there is none  |
   | `offload()`        | which requests are answered elsewhere, see offload.hpp              |
   | `begin(e, c)`      | has `c`, the coroutine of a connection, run on `e`, which next() was|
   | `close()`          | no more connections will come                                       |
   | `add_metrics(p)`   | adds what it has done to a page; any thread, while connections last |
   | `run()`            | runs everything until there is nothing left to do                   |
*/

/// What most arrangements have in common: connections do all they do where next() says.
template <class Executor>
class plain_connections
{
public:
    using executor_type = Executor;

    no_offload offload() { return {}; }

    /// A plain io_context counts nothing.
    void add_metrics(asio_ewyk::prometheus_page&) {}

    template <class Coroutine>
    void begin(executor_type const& executor, Coroutine coroutine)
    {
        asio::co_spawn(executor, std::move(coroutine), asio::detached);
    }
};

/// Calls `run(i)` for i in [0, n), each on a thread of its own, the first on the caller's. Should
/// one of the threads not start, `stop()` must end those that did.
template <class Run, class Stop>
void run_on_threads(std::size_t n, Run run, Stop stop)
{
    std::vector<std::jthread> threads;
    try
    {
        for (std::size_t i = 1; i < n; ++i)
            threads.emplace_back(run, i);
    }
    catch (...)
    {
        stop();
        throw;
    }
    run(0);
}

/** One context for everything, with a given number of threads in its run().

    An `asio_ewyk::strategy_context` needs one caller of run(), its pool does the rest; a plain
    `io_context` has the threads that call run(), and no others.
*/
template <class Context>
class one_context : public plain_connections<typename Context::executor_type>
{
public:
    using executor_type = typename Context::executor_type;

    template <class... Args>
    explicit one_context(std::size_t callers, Args&&... args)
      : callers_(callers), context_(std::forward<Args>(args)...)
    {
    }

    executor_type get_executor() { return context_.get_executor(); }
    executor_type next() { return get_executor(); }
    void close() {}

    void add_metrics(asio_ewyk::prometheus_page& page)
    {
        if constexpr (requires { context_.metrics(); })
        {
            page.add(context_.metrics(), {{"context", "main"}});
            page.add(context_.pool().metrics(), {{"pool", "main"}});
        }
    }

    void run()
    {
        run_on_threads(
            callers_, [this](std::size_t) { context_.run(); }, [this] { context_.stop(); });
    }

private:
    std::size_t callers_;
    Context context_;
};

/// A plain io_context for each thread. Connections are dealt round robin and stay where they are.
class context_per_thread : public plain_connections<asio::io_context::executor_type>
{
public:
    explicit context_per_thread(std::size_t threads)
    {
        for (std::size_t i = 0; i != threads; ++i)
            work_.push_back(asio::make_work_guard(contexts_.emplace_back(1)));
    }

    executor_type get_executor() { return contexts_.front().get_executor(); }

    /// For one thread at a time.
    executor_type next() { return contexts_[dealt_++ % contexts_.size()].get_executor(); }

    void close() { work_.clear(); }

    void run()
    {
        run_on_threads(
            contexts_.size(), [this](std::size_t i) { contexts_[i].run(); },
            [this] {
                for (auto& context : contexts_)
                    context.stop();
            });
    }

private:
    std::deque<asio::io_context> contexts_;
    std::vector<asio::executor_work_guard<executor_type>> work_;    // until close()
    std::size_t dealt_ = 0;
};

/// An io_context with one thread waits for events, a plain thread_pool runs all handlers.
class context_and_pool
{
public:
    using executor_type = asio::any_io_executor;    // the sockets have one, the coroutines another

    explicit context_and_pool(std::size_t threads) : pool_(threads) {}

    executor_type get_executor() { return context_.get_executor(); }
    executor_type next() { return get_executor(); }
    no_offload offload() { return {}; }
    void close() {}
    void add_metrics(asio_ewyk::prometheus_page&) {}    // plain Asio counts nothing

    template <class Coroutine>
    void begin(executor_type const&, Coroutine coroutine)
    {
        // Between operations a connection is in the pool only, and the context must wait for it.
        asio::co_spawn(executor_type(pool_.get_executor()), std::move(coroutine),
            [work = asio::make_work_guard(context_)](std::exception_ptr) {});
    }

    void run()
    {
        context_.run();
        pool_.join();
    }

private:
    asio::io_context context_{1};
    asio::thread_pool pool_;    // ends first: what it runs has sockets of the context
};

}

#endif
