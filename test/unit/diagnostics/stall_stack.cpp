// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The stack of a thread that stalls, which a signal has it write down.

#include "stall_support.hpp"

#if defined(ASIO_EWYK_HAS_LINUX) && defined(__GLIBC__)

#include <cerrno>
#include <ctime>
#include <poll.h>
#include <signal.h>

using namespace support;
using kind = asio_ewyk::stall_kind;

BOOST_AUTO_TEST_SUITE(stall_stack)

namespace {

int signal_number()
{
    return SIGRTMIN + 3;
}

/// Whether a signal has ended the wait. One that came before does not.
bool poll_is_interrupted()
{
    return ::poll(nullptr, 0, 2000) != 0 && errno == EINTR;
}

// The signal ends what it waits for, and with that the handler; it has stalled all the same. Again
// if the handler was held up, and the signal came before it waited.
BOOST_AUTO_TEST_CASE(a_handler_that_the_signal_ends_is_told)
{
    reports all;
    ewyk::event_loop loop({.stall_threshold = 20ms,
        .on_stall = all.callback(),
        .stack_signal = signal_number()});
    std::size_t handlers = 0;
    auto const is_ended_and_told = [&] {
        std::atomic<bool> interrupted{false};
        event ended;
        asio::post(loop, [&] {
            interrupted = poll_is_interrupted();
            ended.set();
        });
        BOOST_TEST_REQUIRE(ended.wait());
        ++handlers;
        BOOST_TEST_REQUIRE(all.wait_for(kind::running, handlers));
        BOOST_TEST_REQUIRE(all.wait_for(kind::ended, handlers));
        return interrupted.load();
    };
    for (int i = 0; i != 5; ++i)
        BOOST_TEST_REQUIRE(eventually(is_ended_and_told));
    BOOST_TEST((all.first(kind::running).time >= 20ms));
    BOOST_TEST(all.longest_stack(kind::running) > 3u);
}

// Those beyond ten in a second are not told, so their threads are left alone.
BOOST_AUTO_TEST_CASE(no_more_stacks_than_reports)
{
    constexpr std::size_t handlers = 30;
    reports all, others;
    std::atomic<std::size_t> signals{0};
    {
        gathering begun;
        std::atomic<bool> over{false};
        ewyk::worker_pool pool({.stall_threshold = 50ms,
            .on_stall = all.callback(),
            .stack_signal = signal_number()});
        ewyk::worker_pool other({.stall_threshold = 5ms, .on_stall = others.callback()});
        for (std::size_t i = 0; i != handlers; ++i)
            pool.execute([&] {
                begun.arrive();
                while (!over)
                    if (::poll(nullptr, 0, 10) < 0 && errno == EINTR)
                        ++signals;
            });
        BOOST_TEST(begun.wait_for(handlers));
        BOOST_TEST(all.wait_for(kind::running, 10));
        // A thread is looked at once in each round of looks: so that of the ten is over.
        for (std::size_t i = 1; i != 3; ++i)
        {
            other.execute([&, i] { others.wait_for(kind::running, i); });
            BOOST_TEST(others.wait_for(kind::ended, i));
        }
        over = true;
        pool.join();
    }
    BOOST_TEST(signals <= all.count(kind::running));
}

// Signals that no thread takes would be queued, until the process may have no more.
BOOST_AUTO_TEST_CASE(a_thread_that_blocks_the_signal_is_sent_none)
{
    reports all;
    ewyk::strategy_options o;
    o.strategy = ewyk::strategy.produce_consume;
    o.stall_threshold = 5ms;
    o.on_stall = all.callback();
    o.stack_signal = signal_number();
    ewyk::strategy_context ctx(o);
    sigset_t one;
    sigset_t before;
    ::sigemptyset(&one);
    ::sigaddset(&one, o.stack_signal);
    ::pthread_sigmask(SIG_BLOCK, &one, &before);
    for (std::size_t i = 1; i != 4; ++i)
        asio::post(ctx, [&, i] {
            all.wait_for(kind::running, i);
            all.wait_for(kind::ended, i - 1);
        });
    ctx.run();
    int queued = 0;
    for (timespec const none{}; ::sigtimedwait(&one, nullptr, &none) == o.stack_signal;)
        ++queued;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    BOOST_TEST(queued == 0);
    BOOST_TEST(all.count(kind::running) == 3u);
}

// Its threads begin with the mask of the one that makes the group.
BOOST_AUTO_TEST_CASE(threads_of_a_group_do_not_block_the_signal)
{
    sigset_t one;
    sigset_t before;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal_number());
    ::pthread_sigmask(SIG_BLOCK, &one, &before);
    ewyk::strategy_context_group group(1, {.max_threads = 0, .stack_signal = signal_number()});
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    sigset_t its;
    ::sigfillset(&its);
    asio::post(group[0], [&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &its); });
    group.join();
    BOOST_TEST(::sigismember(&its, signal_number()) == 0);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_SUITE(stall_stack)

BOOST_AUTO_TEST_CASE(there_is_none)
{
}

BOOST_AUTO_TEST_SUITE_END()

#endif
