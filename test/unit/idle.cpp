// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A context that has nothing to do costs nothing: none of its threads wakes up.

#include "support.hpp"

#if defined(__linux__)

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(idle)

namespace {

using namespace support;

// The threads that say they are there: a sanitizer has threads of its own, which wake up.
class sleepers
{
public:
    void add_this_thread()
    {
        std::lock_guard const lock(mutex_);
        threads_.push_back(::gettid());
    }

    // How often they have gone to sleep; those that have ended count no more.
    unsigned long sleeps() const
    {
        std::lock_guard const lock(mutex_);
        unsigned long sum = 0;
        for (auto const id : threads_)
        {
            std::ifstream status("/proc/self/task/" + std::to_string(id) + "/status");
            constexpr std::string_view key = "voluntary_ctxt_switches:";
            for (std::string line; std::getline(status, line);)
                if (line.starts_with(key))
                    sum += std::stoul(line.substr(key.size()));
        }
        return sum;
    }

private:
    std::mutex mutable mutex_;
    std::vector<pid_t> threads_;
};

} // namespace

CONTEXT_TEST_CASE(no_wake_up_while_there_is_nothing_to_do, s)
{
    sleepers threads;
    ewyk::strategy_options o = options(s);
    o.on_thread_start = [&] { threads.add_this_thread(); };
    ewyk::strategy_context ctx(o);
    asio::steady_timer far_away(ctx, 24h);
    far_away.async_wait([](auto) {});
    // Threads of all kinds first: in the reactor, parked in run(), parked in the pool.
    std::atomic<int> left{200};
    for (int i = 0; i < 200; ++i)
        asio::post(ctx, [&] { --left; });
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < s.callers; ++i)
        callers.emplace_back([&] {
            threads.add_this_thread();
            ctx.run();
        });
    BOOST_TEST(eventually([&] { return left == 0; }));

    // They may still be on their way to sleep; a window without a single wake-up must come.
    unsigned long before = 0;
    unsigned long after = 0;
    BOOST_TEST(
        eventually([&] {
            before = threads.sleeps();
            std::this_thread::sleep_for(300ms); // the length of the window
            after = threads.sleeps();
            return after == before;
        }),
        after - before << " wake-ups in the last window");
    ctx.stop();
    for (auto& t : callers)
        t.join();
}

#if defined(ASIO_EWYK_HAS_LINUX) // the watchdog is known by its name

// A program may do then what only one with a single thread may, as unshare(CLONE_NEWUSER).
BOOST_AUTO_TEST_CASE(no_thread_is_left_after_the_last_context)
{
    auto const watchdogs = [] {
        std::size_t n = 0;
        for (auto const& task : std::filesystem::directory_iterator("/proc/self/task"))
        {
            std::ifstream comm(task.path() / "comm");
            std::string name;
            n += std::getline(comm, name) && name == "ewyk-watchdog-0";
        }
        return n;
    };
    for (int i = 0; i < 2; ++i)
    {
        {
            ewyk::strategy_context ctx;
            asio::post(ctx, [&] { BOOST_TEST(eventually([&] { return watchdogs() == 1; })); });
            ctx.run();
        }
        BOOST_TEST(eventually([&] { return watchdogs() == 0; }));
    }
}

#endif

BOOST_AUTO_TEST_SUITE_END()

#endif
