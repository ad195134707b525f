#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_MODELS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_MODELS_HPP

#include "arrangement.hpp"
#include "offload.hpp"

#include <asio_ewyk/context_group.hpp>
#include <asio_ewyk/event_loop.hpp>
#include <asio_ewyk/event_loop_group.hpp>
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
    started_pool(std::size_t threads, char const* name, std::chrono::milliseconds stalls = {})
      : worker_pool(
            {.min_threads = 1, .max_threads = threads, .name = name, .stall_threshold = stalls})
    {
        execute([] {});
        if (start_failures() != 0)
            throw std::runtime_error(std::string("cannot start a thread of the pool ") + name);
    }
};

/** What arrangements of event loops have in common.

    The loops have threads of their own, which do not end when there is nothing left to do. So this
    counts what is open: the acceptor and the connections.

    @par Thread Safety
    As with all arrangements, close() and begin() are for one thread at a time, beside run().
*/
class event_loops
{
public:
    using executor_type = asio_ewyk::event_loop::executor_type;

    event_loops(event_loops const&) = delete;
    event_loops& operator=(event_loops const&) = delete;

    template <class Coroutine>
    void begin(executor_type const& executor, Coroutine coroutine)
    {
        // Not counted down by the call of the handler but by its end, for it may be destroyed
        // without a call.
        asio::co_spawn(
            executor, std::move(coroutine), [open = one_more(*this)](std::exception_ptr) {});
    }

    void close() { count_down(); }

protected:
    explicit event_loops(std::chrono::milliseconds stalls) : stalls_(stalls) {}
    ~event_loops() = default;

    /// The options of a loop or a group of loops whose failures end run().
    asio_ewyk::event_loop_options named(char const* name)
    {
        return {.name = name,
            .on_exception = [this](std::exception_ptr e) { fail(e); },
            .stall_threshold = stalls_};
    }

    /// Waits until nothing is open, and ends the loops. Throws what one of their handlers threw.
    template <class... Loops>
    void run_until_closed(Loops&... loops)
    {
        auto const all = [&](auto f) { (each(loops, f), ...); };
        try
        {
            // They would start by themselves, but not all that starts them could report a failure.
            all([](asio_ewyk::event_loop& loop) { loop.start(); });
        }
        catch (...)
        {
            fail(std::current_exception());
        }
        auto const failure = wait();
        // Nothing that matters is left, unless something failed.
        all([](asio_ewyk::event_loop& loop) { loop.stop(); });
        all([](asio_ewyk::event_loop& loop) {
            using std::chrono::nanoseconds;
            loop.shutdown_gracefully(nanoseconds::zero(), nanoseconds::max());
        });
        if (failure)
            std::rethrow_exception(failure);
    }

private:
    // One open connection. Moved-from: counts nothing.
    class one_more
    {
    public:
        explicit one_more(event_loops& owner) : owner_(&owner) { owner.count_up(); }
        one_more(one_more&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
        one_more& operator=(one_more&&) = delete;

        ~one_more()
        {
            if (owner_)
                owner_->count_down();
        }

    private:
        event_loops* owner_;
    };

    template <class F>
    static void each(asio_ewyk::event_loop& loop, F f)
    {
        f(loop);
    }

    template <class F>
    static void each(asio_ewyk::event_loop_group& group, F f)
    {
        for (asio_ewyk::event_loop& loop : group)
            f(loop);
    }

    void count_up()
    {
        std::lock_guard lock(mutex_);
        ++open_;
    }

    void count_down()
    {
        std::lock_guard lock(mutex_);
        if (--open_ == 0)
            changed_.notify_all();
    }

    void fail(std::exception_ptr e)
    {
        std::lock_guard lock(mutex_);
        if (!failure_)
            failure_ = std::move(e);
        changed_.notify_all();
    }

    std::exception_ptr wait()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return open_ == 0 || failure_; });
        return failure_;
    }

    std::chrono::milliseconds const stalls_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t open_ = 1;          // the acceptor
    std::exception_ptr failure_;    // the first
};

/// One loop does everything.
class redis : public event_loops
{
public:
    explicit redis(std::chrono::milliseconds stalls) : event_loops(stalls) {}

    executor_type get_executor() { return loop_.get_executor(); }
    executor_type next() { return get_executor(); }
    no_offload offload() { return {}; }
    void run() { run_until_closed(loop_); }

private:
    asio_ewyk::event_loop loop_{named("redis")};
};

/** A boss accepts, each connection belongs to a loop, and what blocks goes to a pool and back.

    It is also what one would write by hand for speed: a loop for each core, connections that stay
    where they are, and not a step more than needed for a request that does not block.
*/
class netty : public event_loops
{
public:
    netty(std::size_t threads, std::chrono::milliseconds stalls)
      : event_loops(stalls), pool_(threads, "offload", stalls) {}

    executor_type get_executor() { return boss_.get_executor(); }
    executor_type next() { return workers_.next().get_executor(); }
    offload_what_blocks offload() { return offload_what_blocks(pool_); }
    void run() { run_until_closed(boss_, workers_); }

private:
    static std::size_t cores() noexcept
    {
        return std::max(1u, std::thread::hardware_concurrency());
    }

    asio_ewyk::event_loop boss_{named("boss")};
    asio_ewyk::event_loop_group workers_{cores(), named("worker")};
    started_pool pool_;    // ends after the loops, and is gone before them
};

/// An acceptor, processors that read and write, a bounded queue of requests, and handlers.
class kafka : public event_loops
{
public:
    kafka(std::size_t threads, std::chrono::milliseconds stalls)
      : event_loops(stalls), handlers_(threads, "handler", stalls) {}

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

private:
    asio_ewyk::event_loop acceptor_{named("acceptor")};
    asio_ewyk::event_loop_group processors_{3, named("processor")};
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

    explicit hadoop(std::size_t limit)
      : limit_(limit), threads_(limit, "xceiver")
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

/// Selectors share a pool; who finds a request answers it, and somebody else goes on selecting.
class jetty : public plain_connections<asio_ewyk::strategy_context::executor_type>
{
public:
    jetty(std::size_t threads, std::chrono::nanoseconds grace, std::chrono::milliseconds stalls)
      : pool_({.max_threads = threads, .name = "jetty", .stall_threshold = stalls}),
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
