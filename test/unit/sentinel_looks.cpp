// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/engine/sentinel.hpp>

#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/frame/lessor.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#if defined(ASIO_EWYK_HAS_LINUX)

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> hides_proc{false};

}

// In place of the C library's.
extern "C" int open(char const* name, int flags, ...)
{
    if (hides_proc && std::string_view(name).starts_with("/proc/"))
    {
        errno = ENOENT;
        return -1;
    }
    std::va_list rest;
    va_start(rest, flags);
    int const mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, name, flags, mode));
}

#endif

BOOST_AUTO_TEST_SUITE(sentinel_looks)

namespace {

using namespace std::chrono_literals;
using asio_ewyk::detail::lease;
using asio_ewyk::detail::watchdog;

// Counts what the looks of this thread have found, and leaves the lease as it is.
class owner final : public asio_ewyk::detail::lessor
{
public:
    int taken_over() const noexcept { return taken_over_; }

    bool may_take_over(lease::sight const&) const noexcept override { return true; }

    outcome take_over(lease::number, bool) noexcept override
    {
        if (std::this_thread::get_id() == looks_)
            ++taken_over_;
        return outcome::taken;
    }

    void call_out() noexcept override {}
    bool waits_for_io() const noexcept override { return true; }
    bool provide_io() noexcept override { return false; }
    void start_pending() noexcept override {}
    void release(lease::number) noexcept override {}
    void go_away(asio_ewyk::detail::call_frame&) noexcept override {}
    void come_back(asio_ewyk::detail::call_frame&) noexcept override {}

private:
    std::thread::id const looks_ = std::this_thread::get_id();
    int taken_over_ = 0;
};

} // namespace

// Where the system tells which one does, and where the process may not read that. If a second look
// took it for late, after a few hundred microseconds, there would be one whenever the watchdog
// looks: threads would only take turns.
BOOST_DATA_TEST_CASE(a_second_look_leaves_a_task_that_computes,
    boost::unit_test::data::make({false, true}), hidden)
{
#if defined(ASIO_EWYK_HAS_LINUX)
    hides_proc = hidden;
    struct shows
    {
        ~shows() { hides_proc = false; }
    } const at_end{};
#else
    if (hidden)
        return;
#endif
    using asio_ewyk::detail::thread_probe;
    if (!hidden
        && thread_probe().of(asio_ewyk::detail::this_thread_id()) == thread_probe::state::unknown)
    {
        BOOST_TEST_MESSAGE("skipped: the system does not tell what a thread does");
        return;
    }
    lease l;
    owner o;
    asio_ewyk::detail::sentinel s(l, o, 10us);
    auto& looks = (watchdog::client&)s; // which is nobody else's business
    std::atomic<lease::number> number{};
    std::atomic<bool> over{false};
    // It runs, or waits for a CPU, all the time.
    std::thread producer([&] {
        lease::number mine{};
        BOOST_TEST(l.acquire(mine, false));
        for (number = mine + 1; !over;)
        {
        }
    });
    while (number == 0)
        std::this_thread::yield();
    auto n = number - 1;
    auto const next_task = [&] {
        BOOST_TEST(l.renew(n));
        l.mark(++n, lease::activity::task);
    };
    auto now = std::chrono::steady_clock::now();
    auto due = now;
    // Short tasks, until it looks seldom.
    for (int i = 0; i != 10'000 && due - now < 8ms; ++i)
    {
        now = due;
        next_task();
        due = looks.look(now);
    }
    BOOST_TEST((due - now >= 8ms));
    BOOST_TEST(o.taken_over() == 0);
    // One that computes.
    next_task();
    auto const began = due;
    due = looks.look(began);
    BOOST_TEST((due - began < 1ms));
    due = looks.look(due);
    BOOST_TEST(o.taken_over() == 0);
    BOOST_TEST((due - began >= 2ms));
    BOOST_TEST((due - began < 8ms));
    looks.look(due);
    BOOST_TEST(o.taken_over() == 1);
    over = true;
    producer.join();
    s.stop(true);
}

// So that what blocks after a short task is late with the next check but one, and not a long
// interval later.
BOOST_AUTO_TEST_CASE(one_that_finds_the_thread_asleep_is_soon_followed_by_another)
{
    using asio_ewyk::detail::thread_probe;
    if (thread_probe().of(asio_ewyk::detail::this_thread_id()) == thread_probe::state::unknown)
    {
        BOOST_TEST_MESSAGE("skipped: the system does not tell what a thread does");
        return;
    }
    lease l;
    owner o;
    asio_ewyk::detail::sentinel s(l, o, 10us);
    auto& looks = (watchdog::client&)s; // which is nobody else's business
    std::atomic<lease::number> number{};
    std::atomic<bool> over{false};
    std::thread producer([&] {
        lease::number mine{};
        BOOST_TEST(l.acquire(mine, false));
        for (number = mine + 1; !over;)
            std::this_thread::sleep_for(1ms);
    });
    while (number == 0)
        std::this_thread::yield();
    auto n = number - 1;
    auto now = std::chrono::steady_clock::now();
    // Where a native handler was late the watchdog goes on with its checks for a while.
    for (int i = 0; i != 10'000 && o.taken_over() == 0; ++i)
        looks.look(now += 1ms);
    BOOST_TEST(o.taken_over() == 1);
    auto due = now;
    for (int i = 0; i != 10'000 && due - now < 8ms; ++i)
    {
        now = due;
        BOOST_TEST(l.renew(n));
        l.mark(++n, lease::activity::task);
        due = looks.look(now);
    }
    BOOST_TEST((due - now >= 8ms));
    // If the thread is about to fall asleep again, it has not blocked.
    for (int i = 0; i != 100 && o.taken_over() == 1; ++i)
    {
        now = due;
        BOOST_TEST(l.renew(n));
        l.mark(++n, lease::activity::waits);
        due = looks.look(now);
        if (due - now < 1ms)
            looks.look(due);
    }
    BOOST_TEST(o.taken_over() == 2);
    over = true;
    producer.join();
    s.stop(true);
}

// Its thread has not said that it waits, so it is in a handler, which nothing else marks.
BOOST_AUTO_TEST_CASE(one_that_would_tell_that_it_waits_is_soon_followed_by_another)
{
    using asio_ewyk::detail::thread_probe;
    if (thread_probe().of(asio_ewyk::detail::this_thread_id()) == thread_probe::state::unknown)
    {
        BOOST_TEST_MESSAGE("skipped: the system does not tell what a thread does");
        return;
    }
    lease l;
    owner o;
    asio_ewyk::detail::sentinel s(l, o, 1ms);
    s.observe_waits(true);
    auto& looks = (watchdog::client&)s; // which is nobody else's business
    std::atomic<asio_ewyk::detail::thread_id> id{};
    std::atomic<bool> over{false};
    std::thread producer([&] {
        lease::number mine{};
        BOOST_TEST(l.acquire(mine, false));
        id = asio_ewyk::detail::this_thread_id();
        over.wait(false);
    });
    while (id == 0 || thread_probe().of(id) == thread_probe::state::runs)
        std::this_thread::yield();
    auto const began = std::chrono::steady_clock::now();
    auto due = began;
    while (o.taken_over() == 0 && due - began < 1s)
        due = looks.look(due);
    BOOST_TEST(o.taken_over() == 1);
    BOOST_TEST((due - began < 15ms));
    over = true;
    over.notify_one();
    producer.join();
    s.stop(true);
}

BOOST_AUTO_TEST_CASE(never_find_a_late_task_with_the_longest_grace)
{
    lease l;
    owner o;
    asio_ewyk::detail::sentinel s(l, o, std::chrono::nanoseconds::max());
    auto& looks = (watchdog::client&)s; // which is nobody else's business
    lease::number mine{};
    BOOST_TEST(l.acquire(mine, false));
    l.mark(mine, lease::activity::task);
    BOOST_TEST(!s.is_long(100'000h));
    auto const now = std::chrono::steady_clock::now();
    for (auto due = now; due < now + 2s;)
    {
        auto const next = looks.look(due);
        BOOST_TEST_REQUIRE((next > due));
        due = next;
    }
    BOOST_TEST(o.taken_over() == 0);
    s.stop(true);
}

BOOST_AUTO_TEST_SUITE_END()
