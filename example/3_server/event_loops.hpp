// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_EVENT_LOOPS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_EVENT_LOOPS_HPP

#include "watching.hpp"

#include <asio_ewyk/diagnostics/prometheus.hpp>
#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/loop/event_loop_group.hpp>

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace http_server {

namespace asio = boost::asio;

namespace models {

/// The metrics of a loop, or of each loop of a group, with that name.
inline void add_loops(
    asio_ewyk::prometheus_page& page, asio_ewyk::event_loop const& loop, char const* name)
{
    page.add(loop.metrics(), {{"loop", name}});
}

inline void add_loops(
    asio_ewyk::prometheus_page& page, asio_ewyk::event_loop_group const& loops, char const* name)
{
    for (std::size_t i = 0; auto const& m : loops.metrics())
        page.add(m, {{"loop", name + ('-' + std::to_string(i++))}});
}

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
    event_loops() = default;
    ~event_loops() = default;

    /// The options of a loop or a group of loops whose failures end run().
    asio_ewyk::event_loop_options named(char const* name, watching const& shown)
    {
        return {.name = name,
            .on_exception = [this](std::exception_ptr e) { fail(e); },
            .stall_threshold = shown.stall_threshold,
            .timing = shown.timing};
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

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t open_ = 1;          // the acceptor
    std::exception_ptr failure_;    // the first
};

}

}

#endif
