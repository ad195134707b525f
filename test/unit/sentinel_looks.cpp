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
    int asked() const noexcept { return asked_; }
    int called() const noexcept { return called_; }

    bool gives_signs = false;
    bool beside = false; // others wait inside
    bool owned = false;  // by a thread that waits for the right

    outcome take_over(lease::number, bool) noexcept override
    {
        if (std::this_thread::get_id() == looks_)
            ++taken_over_;
        return outcome::taken;
    }

    void ask_for_sign() noexcept override { ++asked_; }
    bool has_sign() const noexcept override { return gives_signs; }
    bool is_alone() const noexcept override { return !beside; }
    bool is_lent(lease::sight const&) const noexcept override { return owned; }
    void call_owner() noexcept override { ++called_; }
    bool watched(asio_ewyk::detail::time_point, lease::sight const&) noexcept override
    {
        return false;
    }
    void start_pending() noexcept override {}
    void release(lease::number) noexcept override {}
    void go_away(asio_ewyk::detail::call_frame&) noexcept override {}
    void come_back(asio_ewyk::detail::call_frame&) noexcept override {}

private:
    std::thread::id const looks_ = std::this_thread::get_id();
    int taken_over_ = 0;
    int asked_ = 0;
    int called_ = 0;
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
        l.mark(++n, lease::activity::busy);
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
    s.observe_waits();
    s.knows_reactor(true);
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

namespace {

bool system_tells()
{
    using asio_ewyk::detail::thread_probe;
    if (thread_probe().of(asio_ewyk::detail::this_thread_id()) != thread_probe::state::unknown)
        return true;
    BOOST_TEST_MESSAGE("skipped: the system does not tell what a thread does");
    return false;
}

// A thread that has the lease, and sleeps on a lock.
class sleeper
{
public:
    explicit sleeper(lease& l, lease::activity what)
        : thread_([this, &l, what] {
            lease::number mine{};
            BOOST_TEST(l.acquire(mine, what == lease::activity::polls));
            l.mark(mine, what);
            id_ = asio_ewyk::detail::this_thread_id();
            over_.wait(false);
        })
    {
        using asio_ewyk::detail::thread_probe;
        while (id_ == 0 || thread_probe().of(id_) != thread_probe::state::locks)
            std::this_thread::yield();
    }

    ~sleeper()
    {
        over_ = true;
        over_.notify_one();
        thread_.join();
    }

private:
    std::atomic<asio_ewyk::detail::thread_id> id_{};
    std::atomic<bool> over_{false};
    std::thread thread_;
};

// Looks for a second, as often as that asks for it. How often that was.
int look_for_a_second(watchdog::client& looks)
{
    int n = 0;
    auto const began = std::chrono::steady_clock::now();
    for (auto due = began; due - began < 1s; ++n)
        due = looks.look(due);
    return n;
}

} // namespace

// A thread that gives a sign of life waits for a condition. That is asked for less and less often.
BOOST_DATA_TEST_CASE(one_that_gives_a_sign_is_not_late,
    boost::unit_test::data::make({false, true}), beside)
{
    if (!system_tells())
        return;
    lease l;
    owner o;
    o.gives_signs = true;
    o.beside = beside;
    asio_ewyk::detail::sentinel s(l, o, 1ms);
    s.observe_waits();
    s.knows_reactor(true);
    {
        sleeper const producer(l, beside ? lease::activity::busy : lease::activity::unknown);
        look_for_a_second((watchdog::client&)s);
    }
    BOOST_TEST(o.taken_over() == 0);
    BOOST_TEST(o.asked() > 5);
    BOOST_TEST(o.asked() < 40);
    s.stop(true);
}

// Nobody waits beside it, so it is in a handler, and no sign is needed.
BOOST_AUTO_TEST_CASE(one_that_has_waited_and_sleeps_is_late)
{
    if (!system_tells())
        return;
    lease l;
    owner o;
    asio_ewyk::detail::sentinel s(l, o, 1ms);
    s.observe_waits();
    s.knows_reactor(true);
    {
        sleeper const producer(l, lease::activity::busy);
        look_for_a_second((watchdog::client&)s);
    }
    BOOST_TEST(o.taken_over() > 0);
    BOOST_TEST(o.asked() == 0);
    s.stop(true);
}

// A thread of the pool that waits for I/O in place of the owner: that is called, less and less often.
BOOST_DATA_TEST_CASE(the_owner_is_called_while_a_lent_thread_waits,
    boost::unit_test::data::make({false, true}), owned)
{
    lease l;
    owner o;
    o.owned = owned;
    asio_ewyk::detail::sentinel s(l, o, 1ms);
    s.observe_waits();
    s.knows_reactor(true);
    {
        sleeper const producer(l, lease::activity::polls);
        int const looks = look_for_a_second((watchdog::client&)s);
        BOOST_TEST(looks < 100);
    }
    BOOST_TEST(o.called() >= (owned ? 3 : 0));
    BOOST_TEST(o.called() <= (owned ? 20 : 0));
    BOOST_TEST(o.taken_over() == 0);
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
    l.mark(mine, lease::activity::busy);
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
