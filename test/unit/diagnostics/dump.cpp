// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The state of everything in words, while everything is stuck.

#include "stall_support.hpp"

#include <sstream>
#include <string>

#if defined(__unix__)
#include <csignal>
#include <pthread.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(dump)

namespace {

using namespace support;

std::string dumped()
{
    std::ostringstream text;
    ewyk::dump(text);
    return text.str();
}

struct what_is_stuck
{
    void operator()() const
    {
        ewyk::this_invocation::set_location();
        begun->arrive();
        end->wait();
    }

    gathering* begun;
    event* end;
};

/// A context, a loop and a pool, in each of which a handler is stuck and three tasks wait.
class stuck
{
public:
    stuck()
      : loop_({.name = "stuck", .stall_threshold = 0ns}),
        pool_({.max_threads = 1, .name = "stuckpool"}),
        ctx_(ewyk::strategy_options{.strategy = ewyk::strategy.produce_consume, .name = "stuckctx"})
    {
        (void)ctx_.load(); // what waits is counted from now on
        asio::post(loop_, what_is_stuck{&begun_, &end_});
        asio::post(pool_, what_is_stuck{&begun_, &end_});
        asio::post(ctx_, what_is_stuck{&begun_, &end_});
        runner_ = std::thread([this] { ctx_.run(); });
        BOOST_TEST(begun_.wait_for(3));
        for (int i = 0; i != 3; ++i)
        {
            asio::post(loop_, [] {});
            asio::post(pool_, [] {});
            asio::post(ctx_, [] {});
        }
    }

    ~stuck()
    {
        end_.set();
        runner_.join();
        pool_.join();
        loop_.shutdown_gracefully(0ms, patience);
    }

private:
    gathering begun_;
    event end_;
    ewyk::event_loop loop_;
    ewyk::worker_pool pool_;
    ewyk::strategy_context ctx_;
    std::thread runner_;
};

void check_text(std::string const& text)
{
    BOOST_TEST(contains(text, "stuck-"));
    BOOST_TEST(contains(text, ": runs, 3 tasks wait"));
    BOOST_TEST(contains(text, "stuckpool: 1 threads of at most 1, 0 parked, 3 tasks queued"));
    BOOST_TEST(contains(text,
        "stuckctx: produce_consume, a thread produces, 1 callers inside run(), 3 tasks wait for it"));
    BOOST_TEST(contains(text, "what_is_stuck"));
    BOOST_TEST(contains(text, "dump.cpp:"));
}

} // namespace

BOOST_AUTO_TEST_CASE(says_what_is_stuck)
{
    stuck const all;
    check_text(dumped());
}

BOOST_AUTO_TEST_CASE(forgets_what_is_gone)
{
    std::string before;
    {
        ewyk::worker_pool const pool({.name = "shortlived"});
        BOOST_TEST(contains(dumped(), "shortlived: 0 threads"));
    }
    BOOST_TEST(!contains(dumped(), "shortlived"));
}

// A strategy of four kinds of producers says which, and in which state.
CONTEXT_TEST_CASE(says_who_produces, s)
{
    context ctx(s);
    BOOST_TEST(contains(dumped(),
        std::string(to_string(s.strategy)) + ", no thread produces, 0 callers inside run()"));
}

#if defined(__unix__)

namespace {

int descriptor_for_signals = -1;

std::string read_all(int from)
{
    std::string text;
    char piece[4096];
    for (ssize_t n; (n = ::read(from, piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(n));
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(writes_to_a_descriptor)
{
    stuck const all;
    int ends[2];
    BOOST_TEST_REQUIRE(::pipe(ends) == 0);
    std::string text;
    std::thread reader([&] { text = read_all(ends[0]); });
    ewyk::dump(ends[1]);
    ::close(ends[1]);
    reader.join();
    ::close(ends[0]);
    check_text(text);
    BOOST_TEST(text.ends_with('\n'));
    ewyk::dump(-1); // nowhere to write: no harm
}

// The thread that the signal interrupts may be in the middle of anything.
BOOST_AUTO_TEST_CASE(works_in_a_signal_handler)
{
    std::FILE* const file = std::tmpfile();
    BOOST_TEST_REQUIRE(file);
    descriptor_for_signals = ::fileno(file);
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = [](int) { ewyk::dump(descriptor_for_signals); };
    ::sigaction(SIGUSR1, &action, &before);
    {
        ewyk::strategy_context ctx({.strategy = ewyk::strategy.produce_consume, .name = "interrupted"});
        std::atomic<bool> enough{false};
        std::function<void()> again = [&] {
            if (!enough)
                asio::post(ctx, again);
        };
        asio::post(ctx, again);
        std::thread busy([&] { ctx.run(); });
        for (int i = 0; i != 50; ++i)
        {
            ::pthread_kill(busy.native_handle(), SIGUSR1);
            std::this_thread::sleep_for(100us);
        }
        enough = true;
        busy.join();
    }
    ::sigaction(SIGUSR1, &before, nullptr);
    ::lseek(descriptor_for_signals, 0, SEEK_SET);
    BOOST_TEST(contains(read_all(descriptor_for_signals), "interrupted: produce_consume"));
    std::fclose(file);
}

#endif

// Contexts come and go, tasks run, and none is stopped by those that look.
BOOST_AUTO_TEST_CASE(may_be_called_at_any_time)
{
    std::atomic<bool> enough{false};
    std::atomic<int> looks{0};
    std::thread looker([&] {
        while (!enough)
        {
            dumped();
            ++looks;
        }
    });
    int wrong = 0;
    for (int i = 0; i < 200 || looks < 10; ++i)
    {
        ewyk::strategy_context ctx;
        std::atomic<int> here{0};
        for (int j = 0; j != 20; ++j)
            asio::post(ctx, [&] { ++here; });
        ctx.run();
        wrong += here != 20;
        ewyk::event_loop loop;
        asio::post(loop, [] {});
    }
    enough = true;
    looker.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
