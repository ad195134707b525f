// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What serves: a strategy_context that is stopped and restarted, an io_context with a strategy, event
// loops.

#ifndef ASIO_EWYK_TEST_STRESS_SOAK_HOSTS_HPP
#define ASIO_EWYK_TEST_STRESS_SOAK_HOSTS_HPP

#include "traffic.hpp"

#include <asio_ewyk/server.hpp>

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <vector>

namespace soak {

/// What goes on while clients are served, and how it ends.
class host
{
public:
    host() = default;
    host(host const&) = delete;
    host& operator=(host const&) = delete;
    virtual ~host() = default;

    tcp::endpoint where() const { return where_; }

    /// Something that clients must not notice.
    virtual void disturb(dice& d) = 0;

    /// When all clients have left: ends when nothing is left to do.
    virtual void finish() = 0;

    // The destructor without finish(): whatever goes on is cut off.

protected:
    /// Serves on that context, or group, until end_serving() or the end of it.
    template <class Context>
    void begin_serving(Context& ctx, ledger& l, std::uint64_t seed, any_executor_of any_executor)
    {
        any_executor_ = std::move(any_executor);
        auto&& first = first_of(ctx);
        tcp::acceptor acceptor(first.get_executor(), {asio::ip::address_v4::loopback(), 0});
        where_ = acceptor.local_endpoint();
        auto session = [this, &l, d = std::make_shared<dice>(seed)](tcp::socket socket) {
            std::unique_lock lock(mutex_);
            std::uint64_t const own = d->seed();
            lock.unlock();
            return serve(std::move(socket), l, any_executor_, own);
        };
        auto ended = [this](std::exception_ptr e) {
            ledger::check(!e, "serve() fails");
            served_.set_value();
        };
        ewyk::serve(std::move(acceptor), ctx, std::move(session),
            {.on_session_error = [&l](std::exception_ptr e) { count_exception(l, e); }},
            asio::bind_cancellation_slot(end_.slot(), std::move(ended)));
    }

    void end_serving() { end_.emit(asio::cancellation_type::all); }
    void wait_until_served() { served_.get_future().wait(); }

private:
    static void count_exception(ledger& l, std::exception_ptr e)
    {
        try
        {
            std::rethrow_exception(e);
        }
        catch (thrown_by_session const&)
        {
            ++l.exceptions.ended;
        }
        catch (...)
        {
            ledger::fail("a session throws what it did not");
        }
    }

    template <class Context>
    static auto& first_of(Context& ctx)
    {
        if constexpr (requires { ctx.next(); })
            return ctx.next();
        else
            return ctx;
    }

    tcp::endpoint where_;
    any_executor_of any_executor_;
    asio::cancellation_signal end_;
    std::promise<void> served_;
    std::mutex mutex_;
};

/// Threads inside run() and its siblings of one context, which is stopped and restarted.
template <class Context>
class callers
{
public:
    callers(Context& ctx, std::uint64_t n, dice& d)
        : context_(ctx)
    {
        for (std::uint64_t i = 0; i != n; ++i)
            threads_.emplace_back([this, steps = i != 0, seed = d.seed()] { call(dice(seed), steps); });
    }

    ~callers()
    {
        over_ = true;
        context_.stop();
        join();
    }

    /// No thread is inside meanwhile, as restart() demands.
    void stop_and_restart()
    {
        std::unique_lock lock(mutex_);
        paused_ = true;
        context_.stop();
        changed_.wait(lock, [this] { return inside_ == 0; });
        context_.restart();
        paused_ = false;
        changed_.notify_all();
    }

    /// They leave when the work has ended.
    void join()
    {
        over_ = true;
        for (auto& t : threads_)
            t.join();
        threads_.clear();
    }

private:
    void call(dice d, bool steps)
    {
        for (;;)
        {
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return !paused_; });
                if (over_ && context_.stopped())
                    return;
                ++inside_;
            }
            run(d, steps);
            std::lock_guard const lock(mutex_);
            --inside_;
            changed_.notify_all();
        }
    }

    // One of them always runs; the others do what they like.
    void run(dice& d, bool steps)
    {
        if constexpr (requires { context_.pool(); })
            switch (steps ? d.roll(4) : 3)
            {
            case 0:
                context_.run_one();
                return;
            case 1:
                context_.run_for(std::chrono::microseconds(d.roll(3000)));
                return;
            case 2:
                context_.run_one_for(1ms);
                return;
            default:
                context_.run();
            }
        else
            ewyk::run(context_);
    }

    Context& context_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int inside_ = 0;      // guarded by mutex_
    bool paused_ = false; // guarded by mutex_
    std::atomic<bool> over_{false};
};

inline ewyk::strategy_options any_options(dice& d)
{
    ewyk::strategy_options o;
    o.strategy = any_strategy(d);
    o.grace = d.once_in(3) ? 0us : std::chrono::microseconds(1 + d.roll(100));
    o.max_threads = 1 + d.roll(6);
    o.reserve = d.roll(o.max_threads);
    o.idle_timeout = std::chrono::milliseconds(1 + d.roll(20));
    o.max_queue = d.once_in(3) ? 1 + d.roll(20) : 0;
    return o;
}

/// Ours with any properties; or Asio's own, of handlers that know the context as an io_context only.
inline asio::any_io_executor any_executor(
    asio::io_context& native, ewyk::strategy_executor const& ours, dice& d)
{
    if (d.once_in(4))
        return native.get_executor();
    return asio::require(asio::require(ours, any_strategy(d)), any_invocation(d));
}

class context_host final : public host
{
public:
    context_host(ledger& l, dice& d) : ledger_(l), context_(any_options(d))
    {
        begin_serving(context_, l, d.seed(),
            [this](dice& of) { return any_executor(context_, context_.get_executor(), of); });
        callers_.emplace(context_, 1 + d.roll(3), d);
    }

    ~context_host() override { callers_.reset(); }

    void disturb(dice& d) override
    {
        if (d.once_in(2))
            return;
        ++ledger_.stops;
        callers_->stop_and_restart();
    }

    void finish() override
    {
        asio::post(context_, [this] { end_serving(); });
        callers_->join();
        wait_until_served();
    }

private:
    ledger& ledger_;
    ewyk::strategy_context context_;
    std::optional<callers<ewyk::strategy_context>> callers_;
};

/// Of an io_context that the program has already.
class installed_host final : public host
{
public:
    installed_host(ledger& l, dice& d)
        : executor_(ewyk::use_strategy(context_, any_strategy(d), any_options(d)))
    {
        begin_serving(context_, l, d.seed(),
            [this](dice& of) { return any_executor(context_, executor_, of); });
        callers_.emplace(context_, 1 + d.roll(3), d);
    }

    ~installed_host() override
    {
        callers_.reset();
        ewyk::halt(context_);
    }

    void disturb(dice&) override {}

    void finish() override
    {
        asio::post(context_, [this] { end_serving(); });
        callers_->join();
        wait_until_served();
    }

private:
    asio::io_context context_;
    ewyk::strategy_executor executor_;
    std::optional<callers<asio::io_context>> callers_;
};

class loop_host final : public host
{
public:
    loop_host(ledger& l, dice& d)
        : ledger_(l), loops_(1 + d.roll(3), {.io_ratio = static_cast<int>(1 + d.roll(100))})
    {
        begin_serving(loops_, l, d.seed(), [this](dice&) {
            return asio::any_io_executor(loops_.next().get_executor());
        });
    }

    void disturb(dice& d) override
    {
        post_some(loops_.next().get_executor(), ledger_, static_cast<std::uint32_t>(d.roll(100)));
    }

    void finish() override
    {
        end_serving();
        wait_until_served();
        ledger::check(loops_.shutdown_gracefully(0ms, 60s), "a loop does not end");
    }

private:
    ledger& ledger_;
    ewyk::event_loop_group loops_;
};

}

#endif
