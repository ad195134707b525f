// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/os/wait_hook.hpp>

#include "pool_support.hpp"

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>
#endif

BOOST_AUTO_TEST_SUITE(wait_hook)

#if defined(ASIO_EWYK_DETAIL_WAIT_HOOK)

namespace {

using namespace support;

struct told
{
    bool begins;
    int file;
    bool waits;
    friend bool operator==(told const&, told const&) = default;
};

class observer final : public asio_ewyk::detail::wait_observer
{
public:
    std::vector<told> all;
    event* begun = nullptr;

private:
    void begin(int file, bool waits) noexcept override
    {
        all.push_back({true, file, waits});
        if (begun)
            begun->set();
    }
    void end(int file, bool waits) noexcept override
    {
        all.push_back({false, file, waits});
        errno = ENOMEM; // as a system call in it may
    }
};

class file_of_epoll
{
public:
    file_of_epoll() { BOOST_TEST_REQUIRE(file_ >= 0); }
    file_of_epoll(file_of_epoll const&) = delete;
    file_of_epoll& operator=(file_of_epoll const&) = delete;
    ~file_of_epoll() { ::close(file_); }
    int get() const { return file_; }

private:
    int const file_ = ::epoll_create1(EPOLL_CLOEXEC);
};

} // namespace

BOOST_AUTO_TEST_CASE(tells_when_a_wait_begins_and_ends)
{
    file_of_epoll const file;
    epoll_event events[1];
    observer o;
    BOOST_TEST(::epoll_wait(file.get(), events, 1, 0) == 0);
    BOOST_TEST(::epoll_wait(file.get(), events, 1, 1) == 0);
    std::vector<told> const expected{{true, file.get(), false}, {false, file.get(), false},
        {true, file.get(), true}, {false, file.get(), true}};
    BOOST_TEST((o.all == expected));
}

BOOST_AUTO_TEST_CASE(is_what_an_io_context_calls)
{
    asio::io_context ioc;
    asio::steady_timer timer(ioc, 1ms);
    timer.async_wait([](auto) {});
    observer o;
    ioc.run();
    BOOST_TEST_REQUIRE(!o.all.empty());
    for (std::size_t i = 0; i != o.all.size(); ++i)
    {
        BOOST_TEST(o.all[i].begins == (i % 2 == 0));
        BOOST_TEST(o.all[i].file == o.all[0].file);
    }
    BOOST_TEST(!o.all.back().begins);
}

BOOST_AUTO_TEST_CASE(does_what_the_system_does_where_nothing_observes)
{
    file_of_epoll const file;
    int const event = ::eventfd(1, EFD_CLOEXEC);
    epoll_event in{};
    in.events = EPOLLIN;
    in.data.fd = event;
    BOOST_TEST(::epoll_ctl(file.get(), EPOLL_CTL_ADD, event, &in) == 0);
    epoll_event out[1]{};
    BOOST_TEST(::epoll_wait(file.get(), out, 1, -1) == 1);
    BOOST_TEST(int{out[0].data.fd} == event); // a reference could not bind to what is packed
    ::close(event);
}

BOOST_AUTO_TEST_CASE(tells_the_innermost)
{
    file_of_epoll const file;
    epoll_event events[1];
    observer outer;
    {
        observer inner;
        BOOST_TEST(::epoll_wait(file.get(), events, 1, 0) == 0);
        BOOST_TEST(inner.all.size() == 2u);
    }
    BOOST_TEST(outer.all.empty());
    BOOST_TEST(::epoll_wait(file.get(), events, 1, 0) == 0);
    BOOST_TEST(outer.all.size() == 2u);
}

BOOST_AUTO_TEST_CASE(tells_no_other_thread)
{
    observer o;
    std::thread([] {
        file_of_epoll const file;
        epoll_event events[1];
        BOOST_TEST(::epoll_wait(file.get(), events, 1, 0) == 0);
    }).join();
    BOOST_TEST(o.all.empty());
}

BOOST_AUTO_TEST_CASE(leaves_the_system_s_error_alone)
{
    epoll_event events[1];
    observer o;
    errno = 0;
    BOOST_TEST(::epoll_wait(-1, events, 1, 0) == -1);
    BOOST_TEST(errno == EBADF);
    BOOST_TEST(o.all.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_signal_ends_a_wait)
{
    struct sigaction action{}, before{};
    action.sa_handler = [](int) {};
    BOOST_TEST(::sigaction(SIGUSR1, &action, &before) == 0);
    event ended;
    std::atomic<bool> interrupted{false};
    std::thread waits([&] {
        file_of_epoll const file;
        epoll_event events[1];
        observer o;
        interrupted = ::epoll_wait(file.get(), events, 1, -1) == -1 && errno == EINTR
            && o.all.size() == 2;
        ended.set();
    });
    while (!ended.wait(1ms))
        ::pthread_kill(waits.native_handle(), SIGUSR1);
    waits.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    BOOST_TEST(interrupted);
}

// The C library unwinds the stack of a thread that is cancelled there.
#if defined(__GLIBC__) && !defined(ASIO_EWYK_TEST_SANITIZED)
BOOST_AUTO_TEST_CASE(a_thread_may_be_cancelled_in_a_wait)
{
    event begun;
    event destroyed;
    std::thread waits([&] {
        struct note
        {
            event& e;
            ~note() { e.set(); }
        } const at_end{destroyed};
        asio::io_context ioc;
        asio::steady_timer timer(ioc, 1h);
        timer.async_wait([](auto) {});
        observer o;
        o.begun = &begun;
        ioc.run();
    });
    BOOST_TEST(begun.wait());
    ::pthread_cancel(waits.native_handle());
    waits.join();
    BOOST_TEST(destroyed.wait());
}
#endif

#else

BOOST_AUTO_TEST_CASE(is_not_for_this_system)
{
    BOOST_TEST_MESSAGE("nothing tells when a thread waits");
}

#endif

BOOST_AUTO_TEST_SUITE_END()
