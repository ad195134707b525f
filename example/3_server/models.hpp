// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_MODELS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_MODELS_HPP

#include "arrangement.hpp"
#include "event_loops.hpp"
#include "offload.hpp"
#include "watching.hpp"

#include <asio_ewyk/diagnostics/prometheus.hpp>
#include <asio_ewyk/loop/context_group.hpp>
#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>
#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace http_server {

/// How known servers arrange their threads; see example/2_models. Tomcat's is `one_context` of
/// a `strategy_context` with `produce_execute_consume`.
namespace models {

/// A pool that has a thread from the beginning, and keeps it. Throws if it cannot: a pool that the
/// system gives no thread at all lets its tasks wait for ever.
class started_pool : public asio_ewyk::worker_pool
{
public:
    started_pool(std::size_t threads, char const* name, watching const& shown)
      : worker_pool({.min_threads = 1,
            .max_threads = threads,
            .name = name,
            .stall_threshold = shown.stall_threshold,
            .timing = shown.timing})
    {
        execute([] {});
        if (start_failures() != 0)
            throw std::runtime_error(std::string("cannot start a thread of the pool ") + name);
    }
};

/// One loop does everything.
class redis : public event_loops
{
public:
    explicit redis(watching const& shown) : loop_(named("redis", shown)) {}

    executor_type get_executor() { return loop_.get_executor(); }
    executor_type next() { return get_executor(); }
    no_offload offload() { return {}; }
    void run() { run_until_closed(loop_); }
    void add_metrics(asio_ewyk::prometheus_page& page) { add_loops(page, loop_, "redis"); }

private:
    asio_ewyk::event_loop loop_;
};

/** A boss accepts, each connection belongs to a loop, and what blocks goes to a pool and back.

    It is also what one would write by hand for speed: a loop for each core, connections that stay
    where they are, and not a step more than needed for a request that does not block.
*/
class netty : public event_loops
{
public:
    netty(std::size_t threads, watching const& shown)
      : boss_(named("boss", shown)), workers_(cores(), named("worker", shown)),
        pool_(threads, "offload", shown)
    {
    }

    executor_type get_executor() { return boss_.get_executor(); }
    executor_type next() { return workers_.next().get_executor(); }
    offload_what_blocks offload() { return offload_what_blocks(pool_); }
    void run() { run_until_closed(boss_, workers_); }

    void add_metrics(asio_ewyk::prometheus_page& page)
    {
        add_loops(page, boss_, "boss");
        add_loops(page, workers_, "worker");
        page.add(pool_.metrics(), {{"pool", "offload"}});
    }

private:
    static std::size_t cores() noexcept
    {
        return std::max(1u, std::thread::hardware_concurrency());
    }

    asio_ewyk::event_loop boss_;
    asio_ewyk::event_loop_group workers_;
    started_pool pool_;    // ends after the loops, and is gone before them
};

/// An acceptor, processors that read and write, a bounded queue of requests, and handlers.
class kafka : public event_loops
{
public:
    kafka(std::size_t threads, watching const& shown)
      : acceptor_(named("acceptor", shown)), processors_(3, named("processor", shown)),
        handlers_(threads, "handler", shown)
    {
    }

    ~kafka()
    {
        // If something failed, requests may still wait. They leave the queue before it is gone.
        handlers_.stop();
        handlers_.join();
        queue_.close();
    }

    executor_type get_executor() { return acceptor_.get_executor(); }
    executor_type next() { return processors_.next().get_executor(); }
    offload_by_queue offload() { return {queue_, handlers_}; }
    void run() { run_until_closed(acceptor_, processors_); }

    void add_metrics(asio_ewyk::prometheus_page& page)
    {
        add_loops(page, acceptor_, "acceptor");
        add_loops(page, processors_, "processor");
        page.add(handlers_.metrics(), {{"pool", "handler"}});
    }

private:
    asio_ewyk::event_loop acceptor_;
    asio_ewyk::event_loop_group processors_;
    request_queue queue_{acceptor_.get_executor(), 500};    // Kafka: queued.max.requests
    started_pool handlers_;    // ends after the loops, and is gone before them
};

/** Each connection has a thread: it runs an io_context with nothing else in it.

    Clients beyond the limit are accepted and closed.
*/
class hadoop
{
public:
    using executor_type = asio::io_context::executor_type;

    hadoop(std::size_t limit, watching const& shown)
      : limit_(limit), threads_(limit, "xceiver", watching{shown.timing, {}})
    {
    }

    executor_type get_executor() { return boss_.get_executor(); }

    /// Throws boost::system::system_error if there are no descriptors left for a context.
    executor_type next()
    {
        if (next_.empty())
        {
            std::list<asio::io_context> made;
            made.emplace_back(1);
            // The first socket makes the reactor, with what that needs: let it fail here.
            [[maybe_unused]] asio::ip::tcp::socket const first(made.front());
            next_.swap(made);
        }
        return next_.front().get_executor();
    }

    no_offload offload() { return {}; }

    template <class Coroutine>
    void begin(executor_type const& executor, Coroutine coroutine)
    {
        {
            std::lock_guard lock(mutex_);
            if (open_.size() == limit_)
                return;    // the coroutine, which has not begun, closes the socket
        }
        asio::co_spawn(executor, std::move(coroutine), asio::detached);
        threads_.execute([c = connection(*this)] { c.run(); });
    }

    void close() { next_.clear(); }

    void add_metrics(asio_ewyk::prometheus_page& page)
    {
        page.add(threads_.metrics(), {{"pool", "xceiver"}});
    }

    void run()
    {
        try
        {
            boss_.run();
        }
        catch (...)
        {
            std::lock_guard lock(mutex_);
            for (auto& context : open_)
                context.stop();
            throw;
        }
        threads_.join();
    }

private:
    // Takes over the next context, which has a coroutine already.
    class connection
    {
    public:
        explicit connection(hadoop& owner) : owner_(&owner), context_(owner.next_.begin())
        {
            std::lock_guard lock(owner.mutex_);
            owner.open_.splice(owner.open_.end(), owner.next_);
        }

        connection(connection&& other) noexcept
          : owner_(std::exchange(other.owner_, nullptr)), context_(other.context_)
        {
        }

        connection& operator=(connection&&) = delete;

        ~connection()
        {
            if (!owner_)
                return;
            std::list<asio::io_context> gone;    // without the lock
            std::lock_guard lock(owner_->mutex_);
            gone.splice(gone.end(), owner_->open_, context_);
        }

        void run() const { context_->run(); }

    private:
        hadoop* owner_;
        std::list<asio::io_context>::iterator context_;
    };

    std::size_t const limit_;
    // One for the next connection, or none; before the boss, which has a socket for it.
    std::list<asio::io_context> next_;
    asio::io_context boss_{1};
    std::mutex mutex_;
    std::list<asio::io_context> open_;    // guarded by mutex_
    started_pool threads_;
};

/// Selectors share a pool; the thread that finds a request answers it, and another one goes on
/// selecting.
class jetty : public plain_connections<asio_ewyk::strategy_context::executor_type>
{
public:
    jetty(std::size_t threads, std::chrono::nanoseconds grace, watching const& shown)
      : pool_({.max_threads = threads,
            .name = "jetty",
            .stall_threshold = shown.stall_threshold,
            .timing = shown.timing}),
        selectors_(2, [&](std::size_t) {
            return std::make_unique<asio_ewyk::strategy_context>(
                pool_, asio_ewyk::strategy.eat_what_you_kill, grace);
        })
    {
        for (auto& selector : selectors_)
            work_.push_back(asio::make_work_guard(selector));
    }

    executor_type get_executor() { return selectors_[0].get_executor(); }
    executor_type next() { return selectors_.next().get_executor(); }
    void close() { work_.clear(); }

    void add_metrics(asio_ewyk::prometheus_page& page)
    {
        for (std::size_t i = 0; auto const& m : selectors_.metrics())
            page.add(m, {{"context", "selector-" + std::to_string(i++)}});
        page.add(pool_.metrics(), {{"pool", "jetty"}});
    }

    void run()
    {
        run_on_threads(
            selectors_.size(), [this](std::size_t i) { selectors_[i].run(); },
            [this] {
                for (auto& selector : selectors_)
                    selector.stop();
            });
    }

private:
    asio_ewyk::worker_pool pool_;
    asio_ewyk::context_group<asio_ewyk::strategy_context> selectors_;
    std::vector<asio::executor_work_guard<executor_type>> work_;    // until close()
};

}

}

#endif
