// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the soak keeps count of, and the dice that decide what happens.

#ifndef ASIO_EWYK_TEST_STRESS_SOAK_LEDGER_HPP
#define ASIO_EWYK_TEST_STRESS_SOAK_LEDGER_HPP

#include "../../strategies.hpp"

#include <asio_ewyk.hpp>

#include <boost/asio.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

namespace soak {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

/// Random numbers, the same ones for the same seed.
class dice
{
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}

    /// 0 to n - 1.
    std::uint64_t roll(std::uint64_t n) { return engine_() % n; }
    bool once_in(std::uint64_t n) { return roll(n) == 0; }
    std::uint64_t seed() { return engine_(); }

private:
    std::mt19937_64 engine_;
};

/// Things that begin and end.
struct balance
{
    std::atomic<long> begun{0};
    std::atomic<long> ended{0};
    bool even() const { return begun == ended; }
};

/** What has happened since the program began. Any thread.

    Nothing is ever allowed to fail: the first thing that does ends the program, with its name.
*/
struct ledger
{
    balance sessions;   // coroutines of the server
    balance exceptions; // thrown by sessions, and caught
    balance tasks;      // functions and completion handlers: made, and run or destroyed
    std::atomic<long> dropped{0}; // of them: destroyed unrun
    std::atomic<long> requests{0};
    std::atomic<long> connections{0};
    std::atomic<long> cut{0}; // of them, those that a client left or a server ended in between
    std::atomic<long> stops{0};

    [[noreturn]] static void fail(char const* what)
    {
        std::fprintf(stderr, "soak: %s\n", what);
        std::abort();
    }

    static void check(bool holds, char const* what)
    {
        if (!holds)
            fail(what);
    }
};

/// A handler that is to run once, or to be destroyed, and not both.
class task
{
public:
    explicit task(ledger& l) : ledger_(&l) { ++l.tasks.begun; }
    task(task&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), ran_(other.ran_) {}
    task& operator=(task&&) = delete;

    ~task()
    {
        if (!ledger_)
            return;
        if (!ran_)
            ++ledger_->dropped;
        ++ledger_->tasks.ended;
    }

    template <class... Args>
    void operator()(Args const&...)
    {
        ledger::check(ledger_ && !std::exchange(ran_, true), "a handler runs twice");
    }

private:
    ledger* ledger_; // null once moved from
    bool ran_ = false;
};

/// A coroutine that is to end.
class idle_caller
{
public:
    explicit idle_caller(balance& b) : balance_(b) { ++b.begun; }
    idle_caller(idle_caller const&) = delete;
    idle_caller& operator=(idle_caller const&) = delete;
    ~idle_caller() { ++balance_.ended; }

private:
    balance& balance_;
};

inline ewyk::strategy_t any_strategy(dice& d)
{
    static auto const all = support::strategies();
    return all[d.roll(all.size())];
}

inline ewyk::invocation_t any_invocation(dice& d)
{
    return ewyk::invocation_t(static_cast<ewyk::invocation_t::kind>(d.roll(3)));
}

}

#endif
