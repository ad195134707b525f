// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the conformance tests share: the context under test in each of its settings, and ways to
// wait for an event that neither guess a duration nor hang for ever.
//
// With ASIO_EWYK_TEST_YARDSTICK defined, drop_in_*.cpp and asio_suite_*.cpp run on a plain
// boost::asio::io_context, by one thread and by four: a test that fails there asks for more than
// Asio promises, and is wrong.

#ifndef ASIO_EWYK_TEST_UNIT_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_SUPPORT_HPP

#ifndef ASIO_EWYK_TEST_YARDSTICK
#include <asio_ewyk.hpp>
#endif

#include <boost/asio.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace support {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// How long an event may take before it counts as lost. Shared machines stall for seconds.
inline constexpr auto patience = 60s;

/// Boost.Test is not made for several threads: while a second one may check something, all of them
/// do so with LOCKED_TEST. The expression is evaluated under the lock, so it must not wait.
inline std::mutex& test_mutex()
{
    static std::mutex mutex;
    return mutex;
}

#define LOCKED_TEST(...)                                                                           \
    do                                                                                             \
    {                                                                                              \
        std::lock_guard<std::mutex> const locked_test_guard(::support::test_mutex());              \
        BOOST_TEST(__VA_ARGS__);                                                                   \
    } while (false)

/// The what() of an exception; without one, an empty string.
inline std::string message_of(std::exception_ptr e)
{
    try
    {
        if (e)
            std::rethrow_exception(e);
    }
    catch (std::exception const& x)
    {
        return x.what();
    }
    return {};
}

#ifdef ASIO_EWYK_TEST_YARDSTICK

struct setting
{
    char const* name;
    std::size_t callers; // threads that call run()
    bool serial;         // never two handlers at a time, in the order in which they became ready
    bool steps_in_place; // run_one() and poll() call handlers on the calling thread, in order
};

inline std::vector<setting> settings()
{
    return {{"io_context", 1, true, true}, {"io_context_4", 4, false, true}};
}

/// The same setting; see below.
inline setting where_nothing_is_late(setting const& s)
{
    return s;
}

class context : public asio::io_context
{
public:
    explicit context(setting const& s) : callers_(s.callers) {}
    std::size_t callers() const noexcept { return callers_; }

private:
    std::size_t callers_;
};

#else

namespace ewyk = asio_ewyk;

struct setting
{
    char const* name;
    ewyk::strategy_t strategy;
    std::size_t callers; // threads that call run()
    bool serial;         // never two handlers at a time, in the order in which they became ready
    bool steps_in_place; // run_one() and poll() call handlers on the calling thread, in order
    std::chrono::nanoseconds grace{};
    std::size_t max_threads = 4;
};

inline std::vector<setting> settings()
{
    using kind = ewyk::strategy_t;
    return {
        {"pc", kind::produce_consume, 1, true, true},
        {"pc_3_callers", kind::produce_consume, 3, true, true},
        {"pec", kind::produce_execute_consume, 1, false, false},
        {"pec_3_callers", kind::produce_execute_consume, 3, false, false},
        {"epc", kind::execute_produce_consume, 1, false, true},
        {"epc_3_callers", kind::execute_produce_consume, 3, false, true},
        {"ewyk", kind::eat_what_you_kill, 1, false, true},
        {"ewyk_3_callers", kind::eat_what_you_kill, 3, false, true},
        {"epc_grace", kind::execute_produce_consume, 1, false, true, 50us},
        {"ewyk_grace", kind::eat_what_you_kill, 1, false, true, 50us},
        {"ewyk_grace_3_callers", kind::eat_what_you_kill, 3, false, true, 50us},
        {"ewyk_grace_callers_only", kind::eat_what_you_kill, 4, false, true, 50us, 0},
    };
}

/// The same with an endless grace. With another one any thread may be late, as a machine that
/// stalls holds it up; then handlers run beside others, or on another thread.
inline setting where_nothing_is_late(setting s)
{
    if (s.grace != s.grace.zero())
        s.grace = 24h;
    return s;
}

inline ewyk::strategy_options options(setting const& s)
{
    ewyk::strategy_options o;
    o.strategy = s.strategy;
    o.grace = s.grace;
    o.max_threads = s.max_threads;
    return o;
}

class context : public ewyk::strategy_context
{
public:
    explicit context(setting const& s)
      : ewyk::strategy_context(options(s)), callers_(s.callers)
    {
    }
    std::size_t callers() const noexcept { return callers_; }

private:
    std::size_t callers_;
};

#endif

inline std::ostream& operator<<(std::ostream& os, setting const& s) { return os << s.name; }

using executor = context::executor_type;

/// A test case that is run in each setting. BOOST_DATA_TEST_CASE makes its body a template, and
/// local types of a template with names from anonymous namespaces cause warnings; here it is a
/// function.
#define CONTEXT_TEST_CASE(name, s)                                                                 \
    static void name##_in(::support::setting const& s);                                            \
    BOOST_DATA_TEST_CASE(name, ::support::settings(), each_setting) { name##_in(each_setting); }   \
    static void name##_in(::support::setting const& s)

/// Stops the context, and fails the test, if the scope is not left in time.
class deadline
{
public:
    template <class Context>
    explicit deadline(Context& ctx)
      : watcher_([this, &ctx] {
          if (!left_in_time())
              ctx.stop();
      })
    {
    }

    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    ~deadline()
    {
        {
            std::lock_guard const lock(mutex_);
            left_ = true;
        }
        changed_.notify_one();
        watcher_.join();
    }

private:
    bool left_in_time()
    {
        std::unique_lock lock(mutex_);
        bool const in_time = changed_.wait_for(lock, patience, [this] { return left_; });
        if (!in_time)
            LOCKED_TEST(false, "the context has not come to its end in time");
        return in_time;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool left_ = false;   // guarded by mutex_
    std::thread watcher_; // last: it uses all others
};

/// run() by as many threads as the setting says, until each has returned. The number of handlers.
inline std::size_t run(context& ctx)
{
    deadline const in_time(ctx);
    std::atomic<std::size_t> handlers{0};
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < ctx.callers(); ++i)
        others.emplace_back([&] { handlers += ctx.run(); });
    handlers += ctx.run();
    for (auto& t : others)
        t.join();
    return handlers;
}

/// Waits until the predicate holds; false if it does not in time. For what no event announces.
template <class Predicate>
bool eventually(Predicate holds)
{
    auto const end = std::chrono::steady_clock::now() + patience;
    while (!holds())
    {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// Sees whether two threads are ever between enter() and leave() at a time.
class overlap
{
public:
    void enter() noexcept
    {
        if (inside_++ != 0)
            seen_ = true;
    }
    void leave() noexcept { --inside_; }
    bool seen() const noexcept { return seen_; }

private:
    std::atomic<int> inside_{0};
    std::atomic<bool> seen_{false};
};

/// Counts what became of a set of handlers.
struct census
{
    std::atomic<int> made{0};
    std::atomic<int> destroyed{0};
    std::atomic<int> ran{0};
};

/// Belongs to one handler, which it follows through all moves: destroyed exactly once, or the
/// census does not balance.
class resident
{
public:
    explicit resident(census& c) noexcept : census_(&c) { ++c.made; }
    resident(resident&& other) noexcept : census_(std::exchange(other.census_, nullptr)) {}
    resident& operator=(resident&&) = delete;
    ~resident()
    {
        if (census_)
            ++census_->destroyed;
    }

    /// So that a resident can be a handler of any signature by itself.
    template <class... Args>
    void operator()(Args const&...) const noexcept
    {
        ++census_->ran;
    }

private:
    census* census_; // null once moved from
};

}

#endif
