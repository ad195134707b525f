// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Signals while everything runs: a timer of the process that interrupts every system call it can, and
// signals that are waited for. None may be lost. And what a handler does to its own thread, or to a
// process that it starts, is as on the program's threads.

#include "pool_support.hpp"
#include <asio_ewyk.hpp>

#if defined(__linux__)

#include <csignal>
#include <ctime>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

using namespace support;

BOOST_AUTO_TEST_SUITE(signals)

namespace {

std::atomic<long> delivered{0};
static_assert(std::atomic<long>::is_always_lock_free); // so that a signal may count

void count_signal(int)
{
    ++delivered;
}

/// Sends the process a signal five thousand times a second; system calls are not started again.
class storm
{
public:
    storm()
    {
        delivered = 0;
        struct sigaction act = {};
        act.sa_handler = &count_signal;
        ::sigemptyset(&act.sa_mask);
        ::sigaction(SIGUSR1, &act, &before_);
        struct sigevent event = {};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGUSR1;
        BOOST_TEST_REQUIRE(::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0);
        itimerspec every = {};
        every.it_interval.tv_nsec = every.it_value.tv_nsec = 200'000;
        ::timer_settime(timer_, 0, &every, nullptr);
    }
    storm(storm const&) = delete;
    storm& operator=(storm const&) = delete;
    ~storm()
    {
        ::timer_delete(timer_);
        // One may be pending still.
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGUSR1, &ignore, nullptr);
        ::sigaction(SIGUSR1, &before_, nullptr);
    }

private:
    struct sigaction before_ = {};
    timer_t timer_{};
};

using asio::local::stream_protocol;

asio::awaitable<void> echo(stream_protocol::socket socket)
{
    std::array<char, 64> buffer;
    for (;;)
    {
        auto const n = co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
        co_await asio::async_write(socket, asio::buffer(buffer, n), asio::use_awaitable);
    }
}

/// Sends numbers until enough signals came, and checks that each comes back.
asio::awaitable<void> talk(stream_protocol::socket socket, std::atomic<int>& wrong)
{
    asio::steady_timer pause(co_await asio::this_coro::executor);
    for (int sent = 0; delivered < 300 || sent < 100; ++sent)
    {
        int answer = -1;
        co_await asio::async_write(socket, asio::buffer(&sent, sizeof sent), asio::use_awaitable);
        co_await asio::async_read(socket, asio::buffer(&answer, sizeof answer), asio::use_awaitable);
        wrong += answer != sent;
        pause.expires_after(100us); // so that all threads sleep from time to time
        co_await pause.async_wait(asio::use_awaitable);
    }
}

void talk_in_a_storm(auto& ctx, std::atomic<int>& wrong)
{
    for (int i = 0; i != 3; ++i)
    {
        stream_protocol::socket client(ctx), server(ctx);
        asio::local::connect_pair(client, server);
        asio::co_spawn(ctx, echo(std::move(server)), asio::detached);
        asio::co_spawn(ctx, talk(std::move(client), wrong), asio::detached);
    }
}

} // namespace

// Callers of run() and the pool's threads are interrupted; what they wait for comes all the same.
CONTEXT_TEST_CASE(interrupt_every_system_call, s)
{
    std::atomic<int> wrong{0};
    context ctx(s);
    storm const interrupts;
    talk_in_a_storm(ctx, wrong);
    // Some sleep as idle callers meanwhile, with and without a deadline.
    std::vector<std::thread> callers;
    for (std::size_t i = 1; i < s.callers; ++i)
        callers.emplace_back([&, i] {
            while (!ctx.stopped())
                i == 1 ? ctx.run_for(3ms) : ctx.run();
        });
    {
        deadline const in_time(ctx);
        ctx.run();
    }
    for (auto& t : callers)
        t.join();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(delivered >= 300);
}

BOOST_AUTO_TEST_CASE(interrupt_a_loop_and_a_pool)
{
    std::atomic<int> wrong{0};
    event done;
    ewyk::event_loop loop;
    ewyk::worker_pool pool;
    BOOST_TEST(warm_up(pool, 2));
    storm const interrupts;
    talk_in_a_storm(loop, wrong);
    BOOST_TEST(eventually([] { return delivered >= 300; }));
    asio::post(pool, [&] { done.set(); });
    BOOST_TEST(done.wait());
    BOOST_TEST(loop.shutdown_gracefully(10ms, patience));
    BOOST_TEST(wrong == 0);
}

// Signals that are sent to the process while the library's threads are there arrive at the one that
// waits.
CONTEXT_TEST_CASE(sent_to_the_process_arrive_one_by_one, s)
{
    context ctx(s);
    asio::signal_set set(ctx, SIGUSR2);
    int heard = 0;
    std::function<void()> next = [&] {
        set.async_wait([&](boost::system::error_code error, int number) {
            LOCKED_TEST(!error);
            LOCKED_TEST(number == SIGUSR2);
            if (++heard == 50)
                return;
            next();
            ::kill(::getpid(), SIGUSR2);
        });
    };
    next();
    ::kill(::getpid(), SIGUSR2);
    run(ctx);
    BOOST_TEST(heard == 50);
}

namespace {

constexpr int right = 42;

void end_well(int)
{
    ::_exit(right);
}

/// The exit code of a child that does this; it ends by itself.
template <class F>
int exit_code_of_a_child(F f)
{
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    if (child == 0)
    {
        ::alarm(100); // no test case looks after it
        f();
        ::_exit(1);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

// As a crash handler wants it: the address, the stack and the thread are those of the handler.
BOOST_AUTO_TEST_CASE(a_crash_handler_runs_on_a_thread_of_the_pool)
{
    auto const crash = [] { ::raise(SIGSEGV); };
    BOOST_TEST(exit_code_of_a_child([&] {
        ::signal(SIGSEGV, &end_well);
        ewyk::worker_pool pool;
        pool.execute(crash);
        pool.join();
    }) == right);
    BOOST_TEST(exit_code_of_a_child([&] {
        ::signal(SIGSEGV, &end_well);
        ewyk::event_loop loop;
        asio::post(loop, crash);
        loop.shutdown_gracefully(0ms, patience);
    }) == right);
}

// What a handler starts can be terminated, as what the program starts.
BOOST_AUTO_TEST_CASE(what_a_handler_starts_has_the_creators_mask)
{
    event started;
    ewyk::worker_pool pool;
    int status = 0;
    pid_t child = -1;
    pool.execute([&] {
        child = ::fork();
        if (child == 0)
        {
            ::execl("/bin/sleep", "sleep", "100", nullptr);
            ::_exit(1);
        }
        started.set();
    });
    BOOST_TEST(started.wait());
    BOOST_TEST_REQUIRE(child > 0);
    ::kill(child, SIGTERM);
    BOOST_TEST(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
}

// A context may be made before the program blocks the signals that it waits for. A caller that was
// late may run the task itself, where waits are not observed.
BOOST_AUTO_TEST_CASE(a_contexts_threads_have_the_callers_mask)
{
    ewyk::strategy_context ctx(ewyk::strategy.produce_execute_consume, {.grace = 24h});
    sigset_t one, before;
    ::sigemptyset(&one);
    ::sigaddset(&one, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &one, &before);
    std::thread::id ran_by;
    bool blocked = false;
    asio::post(ctx, [&] {
        sigset_t mine;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mine);
        ran_by = std::this_thread::get_id();
        blocked = ::sigismember(&mine, SIGTERM) == 1;
    });
    run(ctx);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    BOOST_TEST((ran_by != std::this_thread::get_id()));
    BOOST_TEST(blocked);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
