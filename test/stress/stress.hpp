// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the stress tests share: how much to do, with which strategies and pools, and what keeps
// count.
//
// The tests wait for what must happen without a deadline of their own: one that hangs has found something,
// and is ended, with its stacks, by who runs it.

#ifndef ASIO_EWYK_TEST_STRESS_STRESS_HPP
#define ASIO_EWYK_TEST_STRESS_STRESS_HPP

#include <asio_ewyk.hpp>

#include <boost/asio.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stress {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// That many, or a few of them where each is slow.
constexpr std::size_t scaled(std::size_t n) noexcept
{
    return sanitized && n >= 20 ? n / 20 : n;
}

struct setting
{
    ewyk::strategy_t strategy;
    std::size_t threads;   // max_threads
    std::chrono::nanoseconds grace{};
};

inline std::ostream& operator<<(std::ostream& os, setting const& s)
{
    return os << s.strategy << ", " << s.threads << " threads, grace " << s.grace.count() << " ns";
}

inline constexpr ewyk::strategy_t strategies[] = {ewyk::strategy_t::produce_consume,
    ewyk::strategy_t::produce_execute_consume, ewyk::strategy_t::execute_produce_consume,
    ewyk::strategy_t::eat_what_you_kill};

/// Each strategy with a pool of the usual kind.
inline std::vector<setting> each_strategy()
{
    std::vector<setting> all;
    for (auto s : strategies)
        all.push_back({s, 3});
    all.push_back({ewyk::strategy_t::eat_what_you_kill, 3, 20us});
    return all;
}

/// Each strategy that uses a pool, with small ones and one that is not.
inline std::vector<setting> each_pool()
{
    std::vector<setting> all;
    for (auto s : strategies)
        if (s != ewyk::strategy_t::produce_consume)
            for (std::size_t threads : {1u, 2u, 3u, 8u})
                all.push_back({s, threads});
    for (auto s : {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill})
        for (std::size_t threads : {2u, 8u})
            all.push_back({s, threads, 20us});
    return all;
}

inline ewyk::strategy_options options(setting const& s)
{
    ewyk::strategy_options o;
    o.strategy = s.strategy;
    o.grace = s.grace;
    o.max_threads = s.threads;
    return o;
}

/// How often each of a number of things has happened.
class tally
{
public:
    explicit tally(std::size_t size) : counts_(size) {}

    void count(std::size_t i) noexcept { counts_[i].fetch_add(1, std::memory_order_relaxed); }

    /// How many have not happened exactly once.
    std::size_t wrong() const noexcept
    {
        std::size_t n = 0;
        for (auto const& c : counts_)
            n += c.load() != 1;
        return n;
    }

private:
    std::vector<std::atomic<std::uint8_t>> counts_;
};

/// Waits for what another thread does soon.
template <class Predicate>
void until(Predicate holds)
{
    while (!holds())
        std::this_thread::yield();
}

/// Threads that are joined at the end of the scope.
class crowd
{
public:
    crowd() = default;
    crowd(crowd const&) = delete;
    crowd& operator=(crowd const&) = delete;
    ~crowd() { join(); }

    template <class F>
    void add(std::size_t n, F f)
    {
        for (std::size_t i = 0; i != n; ++i)
            threads_.emplace_back(f, i);
    }

    void join()
    {
        for (auto& t : threads_)
            t.join();
        threads_.clear();
    }

private:
    std::vector<std::thread> threads_;
};

/// Random numbers, the same ones each time.
class dice
{
public:
    explicit dice(std::size_t seed) : engine_(static_cast<std::minstd_rand::result_type>(seed + 1)) {}

    /// 0 to n - 1.
    std::size_t roll(std::size_t n) { return engine_() % n; }

private:
    std::minstd_rand engine_;
};

/// Posts that many functions in bursts, `run(i)` each. Before the next burst it waits for the end of the
/// last one, so that the context runs dry over and over, falls asleep and has to be woken.
template <class Context, class Run>
void post_in_bursts(Context& context, std::size_t seed, std::size_t many, Run run)
{
    dice d(seed);
    std::atomic<std::size_t> done{0};
    for (std::size_t posted = 0; posted != many;)
    {
        std::size_t const burst = std::min(many - posted, 1 + d.roll(d.roll(2) ? 4 : 2'000));
        for (std::size_t end = posted + burst; posted != end; ++posted)
            asio::post(context, [&run, &done, i = posted] {
                run(i);
                ++done;
            });
        until([&] { return done == posted; });
    }
}

}

#endif
