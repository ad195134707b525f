// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the system or the program does wrong: no memory, no thread, no descriptor, hooks that throw.
// For the pool see worker_pool_faults.cpp, for serve see serve_faults.cpp.

#include "pool_support.hpp"
#include <asio_ewyk.hpp>

#include <iostream>
#include <new>
#include <stdexcept>

#if defined(__unix__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace support;

BOOST_AUTO_TEST_SUITE(faults)

namespace {

/// Gives memory that many times, and then none.
template <class T>
class meagre
{
public:
    using value_type = T;

    explicit meagre(int& left) noexcept : left_(&left) {}
    template <class U>
    meagre(meagre<U> const& other) noexcept : left_(other.left_) {}

    T* allocate(std::size_t n)
    {
        if (*left_ == 0)
            throw std::bad_alloc();
        --*left_;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>().deallocate(p, n); }

    friend bool operator==(meagre const&, meagre const&) noexcept = default;

private:
    template <class>
    friend class meagre;
    int* left_;
};

/// A function whose memory comes from there.
struct frugal
{
    using allocator_type = meagre<char>;
    allocator_type get_allocator() const noexcept { return allocator_type(*left); }
    void operator()() const { body(); }

    int* left;
    resident body;
};

/// Submits with memory for no allocation, for one, and so on, until it is enough. How often it was not.
template <class Submit>
int submit_meagrely(census& c, Submit submit)
{
    for (int given = 0;; ++given)
    {
        int left = given;
        try
        {
            submit(frugal{&left, resident(c)});
            return given;
        }
        catch (std::bad_alloc const&)
        {
            BOOST_TEST(c.destroyed == c.made); // all that were refused
            BOOST_TEST(c.ran == 0);
        }
    }
}

} // namespace

// Memory

CONTEXT_TEST_CASE(a_context_without_memory_for_a_task, s)
{
    census c;
    context ctx(s);
    BOOST_TEST(submit_meagrely(c, [&](frugal f) { asio::post(ctx, std::move(f)); }) > 0);
    run(ctx);
    BOOST_TEST(c.ran == 1);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(a_loop_without_memory_for_a_task)
{
    census c;
    {
        // A task that was refused is not counted.
        ewyk::event_loop loop({.max_pending_tasks = 1});
        BOOST_TEST(submit_meagrely(c, [&](frugal f) { asio::post(loop, std::move(f)); }) > 0);
        BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    }
    BOOST_TEST(c.ran == 1);
    BOOST_TEST(c.destroyed == c.made);
}

BOOST_AUTO_TEST_CASE(a_pool_without_memory_for_a_task)
{
    census c;
    ewyk::worker_pool pool({.max_threads = 1, .max_queue = 1});
    BOOST_TEST(submit_meagrely(c, [&](frugal f) { asio::post(pool, std::move(f)); }) > 0);
    pool.wait(); // nor does it keep the pool busy
    BOOST_TEST(c.ran == 1);
    BOOST_TEST(c.destroyed == c.made);
}

// Threads

BOOST_AUTO_TEST_CASE(a_loop_without_a_thread)
{
    census c;
    no_more_threads fault;
    if (!fault.in_force())
        return;
    ewyk::event_loop loop;
    BOOST_CHECK_THROW(asio::post(loop, resident(c)), std::system_error);
    BOOST_CHECK_THROW(loop.start(), std::system_error);
    BOOST_TEST(c.destroyed == c.made);
    BOOST_TEST(!loop.terminated());
    fault.lift();
    asio::post(loop, resident(c));
    BOOST_TEST(loop.shutdown_gracefully(0ms, patience));
    BOOST_TEST(c.ran == 1);
}

#if defined(__unix__)

// Descriptors

namespace {

/// While it lives no descriptor can be had.
class no_descriptors
{
public:
    no_descriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit now = before_;
        now.rlim_cur = 0;
        ::setrlimit(RLIMIT_NOFILE, &now);
    }
    no_descriptors(no_descriptors const&) = delete;
    no_descriptors& operator=(no_descriptors const&) = delete;
    ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

} // namespace

CONTEXT_TEST_CASE(a_context_without_descriptors, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    asio::steady_timer timer(ctx, 1ms);
    asio::ip::tcp::socket socket(ctx);
    {
        no_descriptors const none;
        boost::system::error_code error;
        socket.open(asio::ip::tcp::v4(), error);
        BOOST_TEST(error == asio::error::no_descriptors);
        // Tasks and timers need none.
        asio::post(ctx, [&] { ++ran; });
        timer.async_wait([&](auto) { ++ran; });
        run(ctx);
        BOOST_TEST(ran == 2);
    }
    socket.open(asio::ip::tcp::v4());
    BOOST_TEST(socket.is_open());
}

// Hooks that throw, which they must not: the program ends where it was, in a child process whose end
// one can watch.

namespace {

template <class F>
void ends_the_program(F f)
{
    constexpr int code = 42;
    std::cout.flush(); // or the child would write what waits to be written, too
    pid_t const child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0)
    {
        ::alarm(100);
        std::set_terminate([] { ::_exit(code); });
        f();
        ::_exit(0);
    }
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST_REQUIRE(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == code);
}

void throws()
{
    throw std::runtime_error("a hook");
}

void throws_on(std::exception_ptr)
{
    throws();
}

} // namespace

BOOST_AUTO_TEST_CASE(hooks_of_a_pool_that_throw)
{
    ends_the_program([] {
        ewyk::worker_pool pool({.on_thread_start = throws});
        pool.execute([] {});
        pool.join();
    });
    ends_the_program([] {
        ewyk::worker_pool pool({.on_thread_stop = throws});
        pool.execute([] {});
        pool.join();
    });
    ends_the_program([] {
        ewyk::worker_pool pool({.on_exception = throws_on});
        pool.execute(throws);
        pool.join();
    });
}

BOOST_AUTO_TEST_CASE(hooks_of_a_loop_that_throw)
{
    ends_the_program([] {
        ewyk::event_loop loop({.on_thread_start = throws});
        asio::post(loop, [] {});
        loop.shutdown_gracefully(0ms, patience);
    });
    ends_the_program([] {
        ewyk::event_loop loop({.on_thread_stop = throws});
        asio::post(loop, [] {});
        loop.shutdown_gracefully(0ms, patience);
    });
    ends_the_program([] {
        ewyk::event_loop loop({.on_exception = throws_on});
        asio::post(loop, throws);
        loop.shutdown_gracefully(0ms, patience);
    });
}

#endif

BOOST_AUTO_TEST_SUITE_END()
