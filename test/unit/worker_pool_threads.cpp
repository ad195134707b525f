// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The state in which a task finds its thread: names, hooks, signals.

#include "memory_support.hpp"
#include "pool_support.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <pthread.h>
#include <set>
#include <signal.h>

using namespace support;

BOOST_AUTO_TEST_SUITE(worker_pool_threads)

namespace {

#if defined(ASIO_EWYK_HAS_LINUX)

std::string name_of_this_thread()
{
    char name[16] = {};
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    return name;
}

std::set<std::string> names_of_threads(std::string name, std::size_t n)
{
    std::mutex mutex;
    gathering together;
    ewyk::worker_pool pool({.max_threads = n, .name = std::move(name)});
    std::set<std::string> names;
    for (std::size_t i = 0; i != n; ++i)
        pool.execute([&] {
            {
                std::lock_guard const lock(mutex);
                names.insert(name_of_this_thread());
            }
            together.arrive_and_wait_for(n);
        });
    pool.wait();
    return names;
}

BOOST_AUTO_TEST_CASE(threads_have_names)
{
    using names = std::set<std::string>;
    BOOST_TEST((names_of_threads("pool", 3) == names{"pool-0", "pool-1", "pool-2"}));
    // The system's limit is 15 characters. The number tells threads apart, so it is not cut.
    BOOST_TEST((names_of_threads("a_very_long_name", 1) == names{"a_very_long_n-0"}));
    BOOST_TEST(names_of_threads("a_very_long_name", 11).count("a_very_long_-10") == 1u);
    BOOST_TEST((names_of_threads("exactly_13_ch", 1) == names{"exactly_13_ch-0"}));
    BOOST_TEST((names_of_threads("", 1) == names{"-0"}));
}

// So that the numbers tell how many threads there were, and do not grow for ever. A thread keeps its
// number until it has left its last hook, when it no longer counts as the pool's; so its successor
// may have another.
BOOST_AUTO_TEST_CASE(the_number_of_an_ended_thread_is_given_again)
{
    ewyk::worker_pool pool({.max_threads = 4, .idle_timeout = 1ms, .name = "pool"});
    auto const number_0_comes_and_goes = [&] {
        std::string name;
        event ran;
        pool.execute([&] {
            name = name_of_this_thread();
            ran.set();
        });
        return ran.wait() && eventually([&] { return pool.threads() == 0; }) && name == "pool-0";
    };
    for (int i = 0; i != 5; ++i)
        BOOST_TEST_REQUIRE(eventually(number_0_comes_and_goes));
}

#endif

#if defined(ASIO_EWYK_TEST_HAS_FIGURES) && !defined(ASIO_EWYK_TEST_SANITIZED)

// Each that nobody has joined keeps its stack: after a burst of 200 threads 1.6 GB of addresses.
BOOST_AUTO_TEST_CASE(stacks_of_ended_threads_are_given_back)
{
    constexpr std::size_t many = 60;
    std::mutex mutex;
    std::set<std::uintptr_t> stacks; // an address in each
    gathering together;
    ewyk::worker_pool pool({.max_threads = many, .idle_timeout = 1ms, .on_thread_start = [&] {
                                int local = 0;
                                std::lock_guard const lock(mutex);
                                stacks.insert(reinterpret_cast<std::uintptr_t>(&local));
                            }});
    for (std::size_t i = 0; i != many; ++i)
        pool.execute([&] { together.arrive_and_wait_for(many); });
    auto const mapped = [&] {
        std::size_t n = 0;
        std::ifstream maps("/proc/self/maps");
        for (std::string line; std::getline(maps, line);)
        {
            std::size_t end = 0;
            std::uintptr_t const from = std::stoull(line, &end, 16);
            std::uintptr_t const to = std::stoull(line.substr(end + 1), nullptr, 16);
            n += static_cast<std::size_t>(
                std::distance(stacks.lower_bound(from), stacks.lower_bound(to)));
        }
        return n;
    };
    // Some stay in the C library's cache.
    BOOST_TEST(eventually([&] { return pool.metrics().threads == 0 && mapped() < many / 2; }));
}

#endif

BOOST_AUTO_TEST_CASE(hooks_are_called_on_the_thread_before_its_first_and_after_its_last_task)
{
    std::mutex mutex;
    std::map<std::thread::id, std::string> history;
    auto const note = [&](char what) {
        std::lock_guard const lock(mutex);
        history[std::this_thread::get_id()] += what;
    };
    {
        gathering together;
        ewyk::worker_pool pool({.max_threads = 3,
            .on_thread_start = [&] { note('<'); },
            .on_thread_stop = [&] { note('>'); }});
        for (int i = 0; i != 3; ++i)
            pool.execute([&] {
                note('t');
                together.arrive_and_wait_for(3);
            });
        pool.wait();
        for (int i = 0; i != 30; ++i)
            pool.execute([&] { note('t'); });
        pool.wait();
    }
    BOOST_TEST(history.size() == 3u);
    std::size_t tasks = 0;
    for (auto const& [id, h] : history)
    {
        BOOST_TEST(h == "<" + std::string(h.size() - 2, 't') + ">");
        tasks += h.size() - 2;
    }
    BOOST_TEST(tasks == 33u);
}

// The program's handlers are to run on the program's own threads.
// Whichever thread starts them, and whatever that blocks.
BOOST_AUTO_TEST_CASE(threads_block_the_signals_that_the_creator_blocks)
{
    sigset_t some, nothing;
    ::sigemptyset(&nothing);
    ::sigemptyset(&some);
    ::sigaddset(&some, SIGUSR1);
    sigset_t before;
    ::pthread_sigmask(SIG_SETMASK, &some, &before);
    sigset_t inside;
    ::sigemptyset(&inside);
    event ran;
    ewyk::worker_pool pool({.max_threads = 1});
    ::pthread_sigmask(SIG_SETMASK, &nothing, nullptr);
    pool.execute([&] {
        ::pthread_sigmask(SIG_SETMASK, nullptr, &inside);
        ran.set();
    });
    BOOST_TEST(ran.wait());
    sigset_t after;
    ::pthread_sigmask(SIG_SETMASK, &before, &after);

    for (int const s :
        {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGIO})
    {
        BOOST_TEST(::sigismember(&inside, s) == (s == SIGUSR1), "signal " << s);
        BOOST_TEST(::sigismember(&after, s) == 0, "signal " << s);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
