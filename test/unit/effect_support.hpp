// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What shows of a strategy and an invocation type while a task runs: a pool of one thread, which
// eat_what_you_kill never takes for production, makes each combination do always the same.

#ifndef ASIO_EWYK_TEST_UNIT_EFFECT_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_EFFECT_SUPPORT_HPP

#include "support.hpp"

#include <future>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>

namespace effects {

using namespace support;

enum class effect
{
    in_place,          // PC: on the thread that calls run()
    in_place_marked,   // PIC: there as well, and told that it must not block
    offloaded,         // PEC: on the thread of the pool
    while_others_work, // EPC: another thread produced and ran a task meanwhile
};

inline std::ostream& operator<<(std::ostream& os, effect e)
{
    constexpr char const* names[] = {"in_place", "in_place_marked", "offloaded", "while_others_work"};
    return os << names[static_cast<int>(e)];
}

struct property_values
{
    ewyk::strategy_t strategy;
    ewyk::invocation_t invocation;
};

/// One property that is set, on an executor that had another value of it and of the effect.
struct wish
{
    char const* name;
    property_values base;
    property_values wanted;
    effect before;
    effect after;
};

inline std::ostream& operator<<(std::ostream& os, wish const& w) { return os << w.name; }

inline constexpr auto produce_consume = ewyk::strategy.produce_consume;
inline constexpr auto produce_execute_consume = ewyk::strategy.produce_execute_consume;
inline constexpr auto execute_produce_consume = ewyk::strategy.execute_produce_consume;
inline constexpr auto eat_what_you_kill = ewyk::strategy.eat_what_you_kill;
inline constexpr auto blocking = ewyk::invocation.blocking;
inline constexpr auto non_blocking = ewyk::invocation.non_blocking;
inline constexpr auto either = ewyk::invocation.either;

inline constexpr wish invocation_wishes[] = {
    {"blocking", {eat_what_you_kill, non_blocking}, {eat_what_you_kill, blocking},
        effect::in_place, effect::offloaded},
    {"non_blocking", {eat_what_you_kill, blocking}, {eat_what_you_kill, non_blocking},
        effect::offloaded, effect::in_place},
    {"either", {eat_what_you_kill, blocking}, {eat_what_you_kill, either},
        effect::offloaded, effect::in_place_marked},
};

inline constexpr wish strategy_wishes[] = {
    {"produce_consume", {produce_execute_consume, blocking}, {produce_consume, blocking},
        effect::offloaded, effect::in_place},
    {"produce_execute_consume", {produce_consume, blocking}, {produce_execute_consume, blocking},
        effect::in_place, effect::offloaded},
    {"eat_what_you_kill", {produce_consume, either}, {eat_what_you_kill, either},
        effect::in_place, effect::in_place_marked},
};

// By itself: that no other thread works shows in a test that waits for ever.
inline constexpr wish hand_over_wishes[] = {
    {"execute_produce_consume", {produce_consume, blocking}, {execute_produce_consume, blocking},
        effect::in_place, effect::while_others_work},
};

/// Runs one task, which calls observe(), and says what showed.
class laboratory
{
public:
    explicit laboratory(wish const& w)
        : base(with(w.base))
        , wanted(with(w.wanted))
        , wish_(w)
    {
    }

    /// In the task. What it sees is kept until the context has run out of work.
    void observe()
    {
        if (wish_.after == effect::while_others_work)
            seen_ = sees_others_work() ? effect::while_others_work : effect::in_place;
        else if (std::this_thread::get_id() != caller_)
            seen_ = effect::offloaded;
        else
            seen_ = ewyk::this_invocation::may_block() ? effect::in_place : effect::in_place_marked;
    }

    /// The same for any completion handler.
    auto observer()
    {
        return [this](auto const&...) { observe(); };
    }

    effect run()
    {
        deadline const in_time(context_);
        context_.run();
        BOOST_TEST_REQUIRE(seen_.has_value());
        return *seen_;
    }

    ewyk::strategy_context& context() noexcept { return context_; }

private:
    ewyk::strategy_executor with(property_values const& p)
    {
        return asio::require(context_.get_executor(), p.strategy, p.invocation);
    }

    bool sees_others_work()
    {
        // Shared: the task may still be inside set_value() when this one returns.
        auto const done = std::make_shared<std::promise<void>>();
        asio::post(asio::require(context_.get_executor(), produce_consume), [done] { done->set_value(); });
        return done->get_future().wait_for(patience) == std::future_status::ready;
    }

    std::thread::id const caller_ = std::this_thread::get_id();
    ewyk::worker_pool pool_{{.max_threads = 1, .reserve = 0}};
    // With a grace what may block runs where it is found.
    ewyk::strategy_context context_{
        pool_, ewyk::strategy.eat_what_you_kill, std::chrono::nanoseconds::zero()};

public:
    ewyk::strategy_executor const base;   // what I/O objects of the test have
    ewyk::strategy_executor const wanted; // the same with the property set

private:
    wish const wish_;
    std::optional<effect> seen_; // of the task, and of the test after run()
};

/// A way from an executor to a task. start() begins an operation that ends in observe().
struct route
{
    char const* name;
    void (*start)(laboratory&);
};

inline std::ostream& operator<<(std::ostream& os, route const& r) { return os << r.name; }

}

#endif
