// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What is done with a report, what may be set, and the stack that comes with it.

#include "stall_support.hpp"

#include <stdexcept>
#include <string>

#if defined(__unix__)
#include <csignal>
#include <pthread.h>
#include <unistd.h>
#endif

using namespace support;
using kind = asio_ewyk::stall_kind;

BOOST_AUTO_TEST_SUITE(stall_callback)

namespace {

/// A handler with a name, which lasts until a report of its kind has come.
struct the_reported_one
{
    void operator()() const { *seen = all->wait_for(kind::running); }

    reports* all;
    bool* seen;
};

} // namespace

// The callback

namespace {

/// What the program writes to stderr while it lives.
#if defined(__unix__)
class captured_stderr
{
public:
    captured_stderr()
    {
        std::fflush(stderr);
        BOOST_TEST_REQUIRE(::pipe(pipe_) == 0);
        before_ = ::dup(STDERR_FILENO);
        ::dup2(pipe_[1], STDERR_FILENO);
    }

    captured_stderr(captured_stderr const&) = delete;
    captured_stderr& operator=(captured_stderr const&) = delete;

    ~captured_stderr()
    {
        ::dup2(before_, STDERR_FILENO);
        for (int const d : {before_, pipe_[0], pipe_[1]})
            ::close(d);
    }

    /// Waits for one with that in it: what was told of an earlier context may still be written.
    std::string line_with(std::string const& part)
    {
        std::string text;
        do
        {
            text.clear();
            char c = ' ';
            while (::read(pipe_[0], &c, 1) == 1 && c != '\n')
                text += c;
        } while (!contains(text, part));
        return text;
    }

private:
    int pipe_[2];
    int before_ = -1;
};
#endif

} // namespace

#if defined(__unix__)

BOOST_AUTO_TEST_CASE(writes_a_line_without_a_callback)
{
    event end;
    std::string line;
    {
        captured_stderr err;
        ewyk::worker_pool pool({.name = "default", .stall_threshold = 5ms});
        pool.execute([&] { end.wait(); });
        line = err.line_with("handler of default");
        end.set();
        pool.join();
    }
    BOOST_TEST(line.starts_with("asio_ewyk: a handler of default has run for "));
    BOOST_TEST(contains(line, "writes_a_line_without_a_callback"));
}

// What it throws is caught, and the line is written: the report is not lost.
BOOST_AUTO_TEST_CASE(a_callback_that_throws)
{
    event end;
    std::string line;
    std::atomic<int> called{0};
    {
        captured_stderr err;
        ewyk::worker_pool pool(
            {.name = "throwing", .stall_threshold = 5ms, .on_stall = [&](ewyk::stall_report const&) {
                 ++called;
                 throw std::runtime_error("a callback");
             }});
        pool.execute([&] { end.wait(); });
        line = err.line_with("handler of throwing");
        end.set();
        pool.join();
    }
    BOOST_TEST(line.starts_with("asio_ewyk: a handler of throwing has run for "));
    BOOST_TEST(called >= 1);
}

#endif

// It may use the context; here it even helps the handler to its end.
BOOST_AUTO_TEST_CASE(a_callback_may_use_the_context)
{
    event end;
    std::atomic<bool> ran{false};
    ewyk::worker_pool* used = nullptr;
    ewyk::worker_pool pool({.stall_threshold = 5ms, .on_stall = [&](ewyk::stall_report const& r) {
                                if (r.kind == kind::running)
                                    used->execute([&] {
                                        ran = true;
                                        end.set();
                                    });
                            }});
    used = &pool;
    bool ended = false;
    pool.execute([&] { ended = end.wait(); });
    pool.join();
    BOOST_TEST(ended);
    BOOST_TEST(ran);
}

// All of one moment: ten are told, the others are counted, and that comes with the next one.
BOOST_AUTO_TEST_CASE(leaves_out_what_is_too_many)
{
    reports all;
    event end;
    constexpr std::size_t handlers = 30;
    gathering begun;
    ewyk::worker_pool pool({.stall_threshold = 50ms, .on_stall = all.callback()});
    for (std::size_t i = 0; i != handlers; ++i)
        pool.execute([&] {
            begun.arrive();
            end.wait();
        });
    BOOST_TEST(begun.wait_for(handlers));
    BOOST_TEST(all.wait_for(kind::running, 10));
    end.set();
    // Sooner or later a second is over, and a report comes again.
    std::size_t told = 0;
    std::size_t n = all.count(kind::running);
    BOOST_TEST(eventually([&] {
        pool.execute([] { std::this_thread::sleep_for(60ms); });
        return all.count(kind::running) > n + 1;
    }));
    told = all.count(kind::running);
    pool.join();
    BOOST_TEST(told > n);
}

// Options

BOOST_AUTO_TEST_CASE(options_that_cannot_work)
{
    auto const names = [](char const* field) {
        return [field](std::invalid_argument const& e) {
            return std::string(e.what()).starts_with(std::string(field) + " must be ");
        };
    };
    BOOST_CHECK_EXCEPTION(ewyk::worker_pool({.stall_threshold = -1ns}), std::invalid_argument,
        names("worker_pool_options::stall_threshold"));
    BOOST_CHECK_EXCEPTION(ewyk::event_loop({.stall_threshold = -1ns}), std::invalid_argument,
        names("event_loop_options::stall_threshold"));
    ewyk::strategy_options o;
    o.stall_threshold = -1h;
    BOOST_CHECK_EXCEPTION(ewyk::strategy_context{o}, std::invalid_argument,
        names("worker_pool_options::stall_threshold"));
    BOOST_CHECK_EXCEPTION(ewyk::worker_pool({.stack_signal = 9}), std::invalid_argument,
        names("worker_pool_options::stack_signal"));
    BOOST_CHECK_EXCEPTION(ewyk::event_loop({.stack_signal = -1}), std::invalid_argument,
        names("event_loop_options::stack_signal"));
}

BOOST_AUTO_TEST_CASE(defaults)
{
    BOOST_TEST((ewyk::strategy_options().stall_threshold == 0ns));
    BOOST_TEST((ewyk::event_loop_options().stall_threshold == 100ms));
    BOOST_TEST((ewyk::worker_pool_options().stall_threshold == 0ns));
    BOOST_TEST(ewyk::strategy_options().stack_signal == 0);
    // The context's own pool has what the context has.
    BOOST_TEST((ewyk::strategy_options({.stall_threshold = 7ms}).pool().stall_threshold == 7ms));
}

// The stack

#if defined(ASIO_EWYK_HAS_LINUX) && defined(__GLIBC__)

CONTEXT_TEST_CASE(writes_down_the_stack, s)
{
    ewyk::strategy_options o = options(s);
    o.stall_threshold = 5ms;
    o.stack_signal = SIGRTMIN + 3;
    BOOST_TEST(eventually([&] {
        reports all;
        o.on_stall = all.callback();
        bool seen = false;
        ewyk::strategy_context ctx(o);
        asio::post(ctx, the_reported_one{&all, &seen});
        ctx.run();
        BOOST_TEST_REQUIRE(seen);
        return all.longest_stack(kind::running) > 3u;
    }));
}

// A thread that does not answer is reported all the same, and does not keep the others from it.
BOOST_AUTO_TEST_CASE(a_thread_that_blocks_the_signal_has_no_stack)
{
    reports all;
    ewyk::strategy_options o;
    o.strategy = ewyk::strategy.produce_consume;
    o.stall_threshold = 5ms;
    o.on_stall = all.callback();
    o.stack_signal = SIGRTMIN + 3;
    bool seen = false;
    ewyk::strategy_context ctx(o);
    sigset_t one;
    sigset_t before;
    ::sigemptyset(&one);
    ::sigaddset(&one, o.stack_signal);
    ::pthread_sigmask(SIG_BLOCK, &one, &before);
    asio::post(ctx, the_reported_one{&all, &seen});
    ctx.run();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr); // it comes now, and finds nothing to do
    BOOST_TEST(seen);
    BOOST_TEST(all.first(kind::running).stack.empty());
    asio::post(ctx, [&] { all.wait_for(kind::running, 2); });
    ctx.restart();
    ctx.run();
    BOOST_TEST(all.count(kind::running) == 2u);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
