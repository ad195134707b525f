// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/asio/observed_waits.hpp>
#include <asio_ewyk/detail/engine/parallelism.hpp>
#include <asio_ewyk/detail/os/cpu_quota.hpp>

#include "pool_support.hpp"
#include "use_cpu.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(parallelism)

namespace {

using namespace support;

// Handlers of which each posts the next one, and which threads run them.
class chains
{
public:
    chains(asio::any_io_executor ex, int n, std::chrono::nanoseconds time)
        : ex_(std::move(ex))
        , time_(time)
        , live_(n)
    {
        for (int i = 0; i != n; ++i)
            again();
    }

    ~chains()
    {
        over_ = true;
        bool const ended = eventually([this] { return live_ == 0; });
        BOOST_TEST(ended);
    }

    // How many threads have run the next so many.
    std::size_t threads_of(int handlers)
    {
        {
            std::lock_guard const lock(mutex_);
            threads_.clear();
        }
        int const before = ran_;
        bool const in_time = eventually([&] { return ran_ - before >= handlers; });
        BOOST_TEST(in_time);
        std::lock_guard const lock(mutex_);
        return threads_.size();
    }

    int ran() const { return ran_; }

private:
    void again()
    {
        asio::post(ex_, [this] { run(); });
    }

    void run()
    {
        use_cpu(time_);
        {
            std::lock_guard const lock(mutex_);
            threads_.insert(std::this_thread::get_id());
        }
        ++ran_;
        if (over_)
            --live_;
        else
            again();
    }

    asio::any_io_executor const ex_;
    std::chrono::nanoseconds const time_;
    std::atomic<bool> over_{false};
    std::atomic<int> live_;
    std::atomic<int> ran_{0};
    std::mutex mutex_;
    std::set<std::thread::id> threads_; // guarded by mutex_
};

bool may_be_several()
{
    return ewyk::detail::usable_cpus_from_here() > 1 && ewyk::detail::observed_waits::are_had();
}

asio::any_io_executor executor_of(ewyk::strategy_context& ctx, bool native)
{
    if (native)
        return static_cast<asio::io_context&>(ctx).get_executor();
    return ctx.get_executor();
}

// The grace is endless, so that none is late.
void several_threads_while_one_is_not_enough(bool native, std::chrono::nanoseconds time = 200us)
{
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 8});
    auto work = std::make_optional(asio::make_work_guard(ctx));
    std::size_t counted = 0;
    std::thread caller([&] { counted = ctx.run(); });
    {
        chains much(executor_of(ctx, native), 16, time);
        auto const several = [&] { return much.threads_of(50) > 1; };
        BOOST_TEST((!may_be_several() || eventually(several)));
        BOOST_TEST(ctx.metrics().taken_over == 0u);
    }
    {
        // It is enough again.
        chains little(executor_of(ctx, native), 1, 100us);
        BOOST_TEST(eventually([&] { return little.threads_of(50) == 1; }));
    }
    work.reset();
    caller.join();
    BOOST_TEST(counted == ctx.metrics().tasks());
}

// A producer that is out of CPU time, and has so many CPUs. Windows are of a clock that goes by the
// calls of on_check().
class busy_producer
{
public:
    explicit busy_producer(int cpus)
        : of_(threads_, [](void*, parallelism::helper&) {}, this, 0, cpus)
    {
    }

    // Whether threads are asked to help in so many windows, with so much in each.
    bool wants_help(int windows, std::size_t handlers, std::size_t polls)
    {
        for (int i = 0; i != windows && !of_.wants_help(); ++i)
        {
            use_cpu(parallelism::window);
            run(handlers, polls);
            of_.on_check(now_ += parallelism::window, true, true);
        }
        return of_.wants_help();
    }

    // Whether the owner is asked to count handlers before the window is over.
    bool is_to_count(std::size_t handlers, std::size_t polls)
    {
        run(handlers, polls);
        return of_.on_check(now_ += parallelism::window / 10, true, true);
    }

private:
    using parallelism = ewyk::detail::parallelism;

    void run(std::size_t handlers, std::size_t polls)
    {
        if (of_.counts())
            of_.count(handlers);
        for (std::size_t n = 0; n != polls; ++n)
            of_.producer_polls(false);
    }

    ewyk::worker_pool pool_{{.max_threads = 0}};
    ewyk::detail::workforce threads_{ewyk::detail::pool_access::threads(pool_), this, true, false};
    std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
    parallelism of_;
};

// As many sleep as there may be helpers for the CPUs, and more.
void short_handlers_beside_those_that_sleep(bool native)
{
    ewyk::strategy_context ctx({.max_threads = 64});
    auto const ex = executor_of(ctx, native);
    std::atomic<bool> over{!may_be_several()};
    std::atomic<int> running{0};
    std::atomic<int> beside{0}; // handlers that began while another one ran
    std::function<void()> const sleep = [&] {
        std::this_thread::sleep_for(10ms);
        if (!over)
            asio::post(ex, sleep);
    };
    std::function<void()> const compute = [&] {
        beside += ++running > 1;
        use_cpu(20us);
        --running;
        if (!over)
            asio::post(ex, compute);
    };
    for (int i = 0; i != 4 * ewyk::detail::usable_cpus_from_here(); ++i)
        asio::post(ex, sleep);
    for (int i = 0; i != 16; ++i)
        asio::post(ex, compute);
    std::thread caller([&] { ctx.run(); });
    BOOST_TEST((over || eventually([&] { return beside >= 20'000; })));
    over = true;
    caller.join();
}

} // namespace

BOOST_AUTO_TEST_CASE(several_threads_for_handlers_of_ours)
{
    several_threads_while_one_is_not_enough(false);
}

// So few handlers in a window that they could not be compared with those of another one.
BOOST_AUTO_TEST_CASE(several_threads_for_long_handlers)
{
    several_threads_while_one_is_not_enough(false, 5ms);
}

BOOST_AUTO_TEST_CASE(several_threads_for_native_handlers)
{
    several_threads_while_one_is_not_enough(true);
}

// As in a container whose quota is worth that many, however many cores there are.
BOOST_AUTO_TEST_CASE(not_where_one_cpu_is_all_that_may_be_used)
{
    BOOST_TEST(busy_producer(2).wants_help(10, 100, 10));
    BOOST_TEST(!busy_producer(1).wants_help(30, 100, 10));
}

// While short ones run their number is not counted, and the next try is 60 windows away.
BOOST_AUTO_TEST_CASE(several_threads_soon_after_handlers_become_longer)
{
    busy_producer producer(2);
    BOOST_TEST(!producer.wants_help(30, 20'000, 1000));
    BOOST_TEST(producer.wants_help(5, 100, 10));
}

// As a helper that leaves may run the wake-up that was to have the owner begin.
BOOST_AUTO_TEST_CASE(the_owner_is_asked_again_to_count)
{
    busy_producer producer(2);
    BOOST_TEST(!producer.wants_help(3, 0, 0));
    BOOST_TEST(producer.is_to_count(0, 10));
    BOOST_TEST(!producer.is_to_count(100, 10));
}

BOOST_AUTO_TEST_CASE(several_threads_beside_those_that_sleep)
{
    short_handlers_beside_those_that_sleep(false);
}

BOOST_AUTO_TEST_CASE(several_threads_beside_native_ones_that_sleep)
{
    short_handlers_beside_those_that_sleep(true);
}

// What a helper's handler throws leaves run(), as with several threads inside it, and the others go
// on.
BOOST_AUTO_TEST_CASE(a_helper_may_throw)
{
    ewyk::strategy_context ctx({.grace = 24h, .max_threads = 8});
    auto work = std::make_optional(asio::make_work_guard(ctx));
    int caught = 0;
    std::atomic<int> thrown{0};
    std::thread caller([&] {
        for (;;)
            try
            {
                ctx.run();
                return;
            }
            catch (std::runtime_error const&)
            {
                ++caught;
            }
    });
    {
        chains const much(ctx.get_executor(), 16, 200us);
        for (int i = 0; i != 200; ++i)
        {
            asio::post(ctx, [&] {
                ++thrown;
                throw std::runtime_error("as planned");
            });
            bool const gone_on = eventually([&, before = much.ran()] {
                return much.ran() > before + 20;
            });
            BOOST_TEST_REQUIRE(gone_on);
        }
    }
    BOOST_TEST(eventually([&] { return thrown == 200; }));
    work.reset();
    caller.join();
    BOOST_TEST(caught == thrown);
}

BOOST_AUTO_TEST_SUITE_END()
