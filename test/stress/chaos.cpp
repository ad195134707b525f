// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Everything at once, at random: submitters, callers of every sibling of run(), handlers that
// block, throw, nest and post, pools of every small size. What must come out is exact all the same:
// each handler runs once, or is destroyed once, and each exception arrives. The seeds are fixed;
// what the threads make of them is not.

#include "../strategies.hpp"

#include <asio_ewyk.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(chaos)

namespace {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using asio::ip::tcp;
using namespace std::chrono_literals;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int rounds = 15;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr int rounds = 15;
#else
constexpr int rounds = 60;
#endif
#else
constexpr int rounds = 60;
#endif

class dice
{
public:
    explicit dice(std::uint32_t seed)
        : engine_(seed)
    {
    }

    // One of 0 .. n-1.
    std::uint32_t of(std::uint32_t n) { return static_cast<std::uint32_t>(engine_()) % n; }
    std::uint32_t seed() { return static_cast<std::uint32_t>(engine_()); }

private:
    std::mt19937 engine_;
};

struct thrown_by_handler
{
};

struct tally
{
    std::atomic<long> posted{0};
    std::atomic<long> ran{0};
    std::atomic<long> thrown{0};
    std::atomic<long> caught{0};
};

ewyk::strategy_t any_strategy(dice& d)
{
    static auto const all = support::strategies();
    return all[d.of(static_cast<std::uint32_t>(all.size()))];
}

ewyk::invocation_t any_invocation(dice& d)
{
    return ewyk::invocation_t(static_cast<ewyk::invocation_t::kind>(d.of(3)));
}

ewyk::strategy_options any_options(dice& d)
{
    ewyk::strategy_options o;
    o.strategy = any_strategy(d);
    o.grace = d.of(2) == 0 ? 0us : std::chrono::microseconds(1 + d.of(100));
    o.max_threads = 1 + d.of(4);
    o.reserve = d.of(static_cast<std::uint32_t>(o.max_threads));
    o.idle_timeout = std::chrono::milliseconds(1 + d.of(3));
    o.max_queue = d.of(3) == 0 ? 1 + d.of(5) : 0;
    o.on_exception = [](std::exception_ptr) {};
    return o;
}

// Calls run() and its siblings at random until told to stop.
void run_somehow(ewyk::strategy_context& ctx, tally& t, std::atomic<bool> const& done, dice d)
{
    while (!done)
        try
        {
            switch (d.of(6))
            {
            case 0:
                ctx.run_one();
                break;
            case 1:
                ctx.poll();
                break;
            case 2:
                ctx.run_for(std::chrono::microseconds(d.of(2000)));
                break;
            case 3:
                ctx.run_one_for(100us);
                break;
            default:
                ctx.run();
            }
        }
        catch (thrown_by_handler)
        {
            ++t.caught;
        }
}

void post_somehow(ewyk::strategy_context& ctx, tally& t, dice d)
{
    for (int i = 0; i < 2000; ++i)
    {
        auto ex = ctx.get_executor();
        if (d.of(3) == 0)
            ex = asio::require(ex, any_invocation(d));
        if (d.of(5) == 0)
            ex = asio::require(ex, any_strategy(d));
        ++t.posted;
        auto handler = [&, what = d.seed()] {
            // Last, so that the counts are equal only when all is done; and whatever throws.
            std::shared_ptr<void> const at_end(nullptr, [&](void*) { ++t.ran; });
            if (what % 50 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(what % 500)); // it blocks
            if (what % 61 == 0)
            {
                t.posted += 2;
                asio::post(ctx, [&] { ++t.ran; });
                asio::dispatch(ctx, [&] { ++t.ran; });
            }
            if (what % 113 == 0)
                ctx.poll_one();
            if (what % 97 == 0)
            {
                ++t.thrown;
                throw thrown_by_handler();
            }
        };
        // Some know the context as an io_context only.
        if (d.of(4) == 0)
            asio::post(static_cast<asio::io_context&>(ctx).get_executor(), std::move(handler));
        else
            asio::post(ex, std::move(handler));
    }
}

// Follows one handler; how many live is counted.
class resident
{
public:
    explicit resident(std::atomic<int>& living)
        : living_(&living)
    {
        ++living;
    }

    resident(resident&& other) noexcept
        : living_(std::exchange(other.living_, nullptr))
    {
    }

    ~resident()
    {
        if (living_)
            --*living_;
    }

private:
    std::atomic<int>* living_;
};

asio::awaitable<void> echo(tcp::socket socket)
{
    char buffer[64];
    for (;;)
    {
        auto n = co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
        co_await asio::async_write(socket, asio::buffer(buffer, n), asio::use_awaitable);
    }
}

asio::awaitable<void> accept_all(tcp::acceptor acceptor)
{
    for (;;)
    {
        auto socket = co_await acceptor.async_accept(asio::use_awaitable);
        auto ex = socket.get_executor();
        asio::co_spawn(ex, echo(std::move(socket)), asio::detached);
    }
}

asio::awaitable<void> talk(tcp::endpoint to, resident)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(to, asio::use_awaitable);
    char buffer[4] = {};
    for (;;)
    {
        co_await asio::async_write(socket, asio::buffer(buffer), asio::use_awaitable);
        co_await asio::async_read(socket, asio::buffer(buffer), asio::use_awaitable);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(each_task_runs_once)
{
    dice d(20);
    for (int round = 0; round < rounds; ++round)
    {
        tally t;
        auto options = any_options(d);
        options.on_exception = [&](std::exception_ptr) { ++t.caught; };
        ewyk::strategy_context ctx(options);
        auto const guard = asio::make_work_guard(ctx);
        std::atomic<bool> done{false};
        std::vector<std::thread> callers;
        for (std::uint32_t i = 0, n = 1 + d.of(4); i < n; ++i)
            callers.emplace_back([&, seed = d.seed()] { run_somehow(ctx, t, done, dice(seed)); });
        std::vector<std::thread> submitters;
        for (int i = 0; i < 3; ++i)
            submitters.emplace_back([&, seed = d.seed()] { post_somehow(ctx, t, dice(seed)); });
        for (auto& s : submitters)
            s.join();
        // The callers go on until all of it has run; a lost task, or a lost
        // exception, ends in the timeout.
        while (t.ran != t.posted || t.thrown != t.caught)
            std::this_thread::yield();
        done = true;
        ctx.stop();
        for (auto& c : callers)
            c.join();
        BOOST_TEST(t.ran == t.posted);
    }
}

BOOST_AUTO_TEST_CASE(each_handler_is_destroyed_once)
{
    dice d(10);
    std::atomic<int> living{0};
    ewyk::worker_pool shared({.max_threads = 3, .on_exception = [](std::exception_ptr) {}});
    for (int round = 0; round < 2 * rounds; ++round)
    {
        std::optional<ewyk::strategy_context> context;
        if (d.of(2) != 0)
            context.emplace(shared, any_strategy(d));
        else
            context.emplace(any_options(d));
        auto& ctx = *context;

        tcp::acceptor acceptor(ctx, {asio::ip::address_v4::loopback(), 0});
        auto const endpoint = acceptor.local_endpoint();
        asio::co_spawn(ctx, accept_all(std::move(acceptor)), asio::detached);
        for (int i = 0; i < 3; ++i)
            asio::co_spawn(ctx, talk(endpoint, resident(living)), asio::detached);
        auto timer = std::make_unique<asio::steady_timer>(ctx, 1h);
        auto& waiting = *timer;
        waiting.async_wait([r = resident(living), t = std::move(timer)](auto) {});
        for (int i = 0; i < 20; ++i)
            asio::post(asio::make_strand(ctx), [r = resident(living)] {});

        std::vector<std::thread> callers;
        for (std::uint32_t i = 0, n = d.of(3); i < n; ++i)
            callers.emplace_back([&] { ctx.run(); });
        std::thread submitter([&] {
            for (int i = 0; i < 300; ++i)
                asio::post(ctx, [r = resident(living)] { std::this_thread::sleep_for(5us); });
        });
        // Leaving run() again and again, with threads of the pool inside the reactor.
        for (std::uint32_t i = 0, n = d.of(10); i < n; ++i)
            ctx.run_for(std::chrono::microseconds(d.of(1500)));
        bool const while_posting = d.of(2) != 0;
        if (!while_posting)
            submitter.join();
        ctx.stop();
        if (while_posting)
            submitter.join();
        for (auto& c : callers)
            c.join();
        if (d.of(3) == 0)
        {
            ctx.restart();
            for (int i = 0; i < 3; ++i)
                ctx.run_for(300us);
        }
        asio::post(ctx, [r = resident(living)] {});
        context.reset();
        BOOST_TEST_REQUIRE(living == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
