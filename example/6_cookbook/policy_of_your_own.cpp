// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A strategy of your own, beside the four: a policy says which of them is used for a task, each
// time that one is about to run. Here are two: one looks at the time of the day, the other at what
// is urgent.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <atomic>
#include <iostream>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

namespace {

std::atomic<int> hour{12}; // a clock that can be set

// tag::night[]
// By day the context is for short requests, at night for reports that all take long.
ewyk::strategy_t pec_at_night(ewyk::task_traits) noexcept
{
    bool const night = hour < 6;
    return night ? ewyk::strategy.produce_execute_consume : ewyk::strategy.eat_what_you_kill;
}
// end::night[]

// tag::priority[]
// What is urgent runs at once on the thread that found it. What can wait does so, in the queue of
// the pool, while there is anything urgent to come: only of such tasks the policy is asked.
constexpr ewyk::strategy_t urgent = ewyk::strategy.produce_consume;
constexpr ewyk::strategy_t can_wait = ewyk::strategy.custom;

class by_priority
{
public:
    explicit by_priority(std::atomic<int> const& urgent_ones) : urgent_ones_(urgent_ones) {}

    ewyk::strategy_t operator()(ewyk::task_traits) const noexcept
    {
        return urgent_ones_ > 0 ? ewyk::strategy.produce_execute_consume
                                : ewyk::strategy.eat_what_you_kill;
    }

private:
    std::atomic<int> const& urgent_ones_; // that are to come
};
// end::priority[]

void show(char const* what, std::thread::id caller)
{
    bool const here = std::this_thread::get_id() == caller;
    std::cout << what << (here ? ": by the thread that called run()\n" : ": by the pool\n");
}

void run_at(int o_clock)
{
    hour = o_clock;
    // tag::night_context[]
    ewyk::strategy_context context(ewyk::strategy.custom, {.policy = pec_at_night});
    // end::night_context[]
    asio::post(context, [me = std::this_thread::get_id()] {
        show(hour < 6 ? "at night" : "by day", me);
    });
    context.run();
}

void run_by_priority()
{
    // tag::priority_context[]
    std::atomic<int> urgent_ones{1};
    ewyk::strategy_context context({.policy = by_priority(urgent_ones)});
    auto soon = asio::require(context.get_executor(), urgent);
    auto later = asio::require(context.get_executor(), can_wait);
    // end::priority_context[]
    auto const me = std::this_thread::get_id();
    std::atomic<bool> told{false};
    asio::post(later, [&] {
        show("can wait", me);
        told = true;
        told.notify_one();
    });
    asio::post(soon, [&] {
        told.wait(false); // so that the two lines are never mixed up
        show("urgent", me);
        --urgent_ones;
    });
    context.run();
}

} // namespace

int main()
{
    run_at(12);
    run_at(3);
    run_by_priority();
}
