// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Memory stays within what the options allow: a reader that is slow, a million tasks, more work than
// can be done.

#include "memory_support.hpp"
#include "pool_support.hpp"
#include <asio_ewyk.hpp>

#include <fstream>

using namespace support;

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the operators of a coroutine's frame for a mismatch, depending on what it inlines.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

BOOST_AUTO_TEST_SUITE(bounded)

namespace {

constexpr std::size_t mebibyte = 1 << 20;

#ifdef ASIO_EWYK_TEST_SANITIZED
constexpr int many = 50'000;
#else
constexpr int many = 1'000'000;
#endif

/// How many things there are, and have been at most.
class level
{
public:
    void rise()
    {
        long const now = ++now_;
        long before = most_.load();
        while (before < now && !most_.compare_exchange_weak(before, now))
            ;
    }
    void fall() { --now_; }
    long now() const { return now_; }
    long most() const { return most_; }

private:
    std::atomic<long> now_{0};
    std::atomic<long> most_{0};
};

/// Counts as long as it lives.
class drop
{
public:
    explicit drop(level& l) : level_(&l) { l.rise(); }
    drop(drop&& other) noexcept : level_(std::exchange(other.level_, nullptr)) {}
    drop& operator=(drop&&) = delete;
    ~drop()
    {
        if (level_)
            level_->fall();
    }

private:
    level* level_;
};

using asio::local::stream_protocol;

asio::awaitable<void> echo(stream_protocol::socket socket)
{
    std::array<char, 4096> buffer;
    for (;;)
    {
        auto const n = co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
        co_await asio::async_write(socket, asio::buffer(buffer, n), asio::use_awaitable);
    }
}

/// Writes as long as the other side takes it, and reads nothing.
std::size_t write_all_it_takes(stream_protocol::socket& socket)
{
    socket.non_blocking(true);
    std::array<char, 4096> const data{};
    std::size_t written = 0;
    boost::system::error_code error;
    // The server is given time to read, as long as it does.
    for (int full = 0; full != 20 && written < 64 * mebibyte;)
    {
        written += socket.write_some(asio::buffer(data), error);
        full = error ? full + 1 : 0;
        if (error)
            std::this_thread::sleep_for(5ms);
    }
    BOOST_TEST((error == asio::error::would_block || error == asio::error::try_again));
    return written;
}

} // namespace

#ifdef ASIO_EWYK_TEST_HAS_FIGURES

// What the system's buffers do not hold is not read.
CONTEXT_TEST_CASE(a_reader_that_is_slow_is_not_served_from_memory, s)
{
    context ctx(s);
    auto const guard = asio::make_work_guard(ctx);
    std::thread runner([&] { ctx.run(); });
    stream_protocol::socket client(ctx), server(ctx);
    asio::local::connect_pair(client, server);
    asio::co_spawn(ctx, echo(std::move(server)), asio::detached);
    std::size_t const before = allocated_bytes();
    std::size_t const written = write_all_it_takes(client);
    std::size_t const after = allocated_bytes();
    BOOST_TEST(written > 0u);
    BOOST_TEST(written < 64 * mebibyte);
    BOOST_TEST(after < before + mebibyte);
    ctx.stop();
    runner.join();
}

CONTEXT_TEST_CASE(a_million_tasks_leave_nothing_behind, s)
{
    context ctx(s);
    std::atomic<long> ran{0};
    std::size_t before = 0;
    // The first time Asio and the pool fill their caches.
    for (bool first : {true, false})
    {
        before = first ? 0 : allocated_bytes();
        for (int i = 0; i != many / 8; ++i)
            asio::post(ctx, [&] { ++ran; });
        ctx.restart();
        run(ctx);
    }
    BOOST_TEST(ran == 2 * (many / 8));
    BOOST_TEST(allocated_bytes() < before + mebibyte);
}

#endif

BOOST_AUTO_TEST_CASE(a_million_tasks_wait_in_a_loop_and_run)
{
    level tasks;
    std::atomic<long> ran{0};
    {
        ewyk::event_loop loop;
        for (int i = 0; i != many; ++i)
            asio::post(loop, [&, d = drop(tasks)] { ++ran; });
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    }
    BOOST_TEST(ran == many);
    BOOST_TEST(tasks.now() == 0);
}

// Ten times as much as the pool can do, from threads that submit as fast as they can.
BOOST_AUTO_TEST_CASE(a_pool_that_is_overloaded_keeps_its_limit)
{
    constexpr std::size_t limit = 64;
    constexpr int submitters = 3;
    constexpr int each = many / 100;
    level tasks;
    std::atomic<long> ran{0};
    std::atomic<bool> above{false};
    ewyk::worker_pool pool({.max_threads = 1, .max_queue = limit});
    std::vector<std::thread> threads;
    for (int i = 0; i != submitters; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n != each; ++n)
                pool.execute([&, d = drop(tasks)] {
                    if (pool.queued() > limit)
                        above = true;
                    ++ran;
                });
        });
    for (auto& t : threads)
        t.join();
    pool.wait();
    BOOST_TEST(ran == submitters * each); // caller_runs: nothing is refused
    BOOST_TEST(!above);
    // Those that wait, the one that runs, and one or two in the hands of each submitter.
    BOOST_TEST(tasks.most() <= static_cast<long>(limit) + 1 + 2 * submitters);
    BOOST_TEST(tasks.now() == 0);
}

BOOST_AUTO_TEST_CASE(a_loop_that_is_overloaded_refuses)
{
    constexpr std::size_t limit = 64;
    constexpr int submitters = 3;
    constexpr int each = many / 100;
    level tasks;
    std::atomic<long> ran{0}, refused{0};
    {
        ewyk::event_loop loop({.max_pending_tasks = limit});
        std::vector<std::thread> threads;
        for (int i = 0; i != submitters; ++i)
            threads.emplace_back([&] {
                for (int n = 0; n != each; ++n)
                    try
                    {
                        asio::post(loop, [&, d = drop(tasks)] { ++ran; });
                    }
                    catch (ewyk::queue_full_error const&)
                    {
                        ++refused;
                    }
            });
        for (auto& t : threads)
            t.join();
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    }
    BOOST_TEST(ran + refused == submitters * each);
    BOOST_TEST(ran > 0);
    BOOST_TEST(tasks.most() <= static_cast<long>(limit) + 1 + 3 * submitters);
    BOOST_TEST(tasks.now() == 0);
}

#if defined(ASIO_EWYK_TEST_HAS_FIGURES) && !defined(ASIO_EWYK_TEST_SANITIZED)
std::size_t pages_of_process()
{
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
}

// A thread that has told of the timeout is not kept, nor its stack.
BOOST_AUTO_TEST_CASE(shutdowns_of_a_stuck_loop)
{
    // Of threads that live at the same time each may have an arena, of 64 MiB of addresses.
    mallopt(M_ARENA_MAX, 1);
    event running, release;
    ewyk::event_loop loop;
    asio::post(loop, [&] {
        running.set();
        release.wait();
    });
    BOOST_TEST(running.wait());
    auto const shut_down = [&] {
        BOOST_CHECK_THROW(loop.async_shutdown_gracefully(0ms, 0ms, asio::use_future).get(),
            boost::system::system_error);
    };
    for (int i = 0; i != 3; ++i)
        shut_down();
    std::size_t const before = pages_of_process();
    for (int i = 0; i != 200; ++i)
        shut_down();
    // Of at least 2 MiB each.
    BOOST_TEST(eventually([&] { return pages_of_process() < before + 100 * (2 << 20 >> 12); }));
    release.set();
}
#endif

// A context's own limit: the producer runs what the pool has no room for, and reads no more meanwhile.
BOOST_AUTO_TEST_CASE(a_context_that_is_overloaded_runs_the_rest_itself)
{
    constexpr std::size_t limit = 8;
    std::atomic<long> ran{0};
    std::atomic<bool> above{false};
    ewyk::strategy_context ctx(
        ewyk::strategy.produce_execute_consume, {.max_threads = 2, .max_queue = limit});
    for (int i = 0; i != many / 10; ++i)
        asio::post(ctx, [&] {
            // Beside what is given to it, a request for a thread that produces may wait there.
            if (ctx.pool().queued() > limit + 1)
                above = true;
            ++ran;
        });
    ctx.run();
    BOOST_TEST(ran == many / 10);
    BOOST_TEST(!above);
}

BOOST_AUTO_TEST_SUITE_END()
