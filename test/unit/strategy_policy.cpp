// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Strategies of the user's own: whom the policy is asked about, and that its answers are followed.

#include "support.hpp"

#include <array>
#include <latch>
#include <stdexcept>
#include <string_view>

BOOST_AUTO_TEST_SUITE(strategy_policy)

namespace {

using namespace support;
using ewyk::strategy_t;
using ewyk::task_traits;

constexpr auto produce_consume = ewyk::strategy.produce_consume;
constexpr auto produce_execute_consume = ewyk::strategy.produce_execute_consume;
constexpr auto execute_produce_consume = ewyk::strategy.execute_produce_consume;
constexpr auto eat_what_you_kill = ewyk::strategy.eat_what_you_kill;
constexpr auto custom = ewyk::strategy.custom;
constexpr std::array<strategy_t, 4> the_four{
    produce_consume, produce_execute_consume, execute_produce_consume, eat_what_you_kill};

ewyk::strategy_policy always(strategy_t s)
{
    return [s](task_traits) noexcept { return s; };
}

static_assert(std::is_nothrow_default_constructible_v<ewyk::strategy_policy>);
static_assert(std::is_nothrow_copy_constructible_v<ewyk::strategy_policy>);
static_assert(noexcept(ewyk::strategy_policy()(strategy_t(), task_traits())));

// Whether the handler ran on the thread that called run(), the only one that does. Not if it was
// late: then another one takes over, or it runs what no other thread is left for.
template <class Submit>
bool runs_here(ewyk::strategy_context& ctx, Submit submit)
{
    std::atomic<bool> here{false};
    submit([&, me = std::this_thread::get_id()](auto const&...) {
        here = std::this_thread::get_id() == me;
    });
    ctx.run();
    ctx.restart();
    return here;
}

bool posted_runs_here(ewyk::strategy_context& ctx)
{
    return runs_here(ctx, [&](auto f) { asio::post(ctx, f); });
}

bool completion_runs_here(ewyk::strategy_context& ctx)
{
    asio::steady_timer timer(ctx, 1ms);
    return runs_here(ctx, [&](auto f) { timer.async_wait(f); });
}

} // namespace

BOOST_AUTO_TEST_CASE(answers_the_four_by_themselves_and_custom_by_the_function)
{
    std::atomic<int> asked{0};
    ewyk::strategy_policy const policy([&](task_traits) noexcept {
        ++asked;
        return produce_consume;
    });
    BOOST_TEST(!!policy);
    for (strategy_t s : the_four)
        BOOST_TEST((policy(s, {}) == s));
    BOOST_TEST(asked == 0);
    BOOST_TEST((policy(custom, {}) == produce_consume));
    BOOST_TEST(asked == 1);
}

BOOST_AUTO_TEST_CASE(without_a_function_or_with_a_wrong_answer_is_eat_what_you_kill)
{
    ewyk::strategy_policy const none;
    BOOST_TEST(!none);
    BOOST_TEST((none(custom, {}) == eat_what_you_kill));
    BOOST_TEST((always(custom)(custom, {}) == eat_what_you_kill));
    auto const nonsense = static_cast<strategy_t::kind>(200);
    BOOST_TEST((always(strategy_t(nonsense))(custom, {}) == eat_what_you_kill));
}

BOOST_AUTO_TEST_CASE(copies_share_a_function_that_lives_as_long_as_they_do)
{
    auto const token = std::make_shared<strategy_t>(produce_execute_consume);
    ewyk::strategy_policy last;
    {
        ewyk::strategy_policy const first([token](task_traits) noexcept { return *token; });
        last = first;
        BOOST_TEST(token.use_count() == 2);
    }
    BOOST_TEST(token.use_count() == 2);
    BOOST_TEST((last(custom, {}) == produce_execute_consume));
    last = {};
    BOOST_TEST(token.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(is_told_what_the_executor_says)
{
    // By the thread that runs the handlers, which is one only.
    std::vector<task_traits> told;
    ewyk::strategy_context ctx({.grace = 24h, .policy = [&](task_traits t) noexcept {
        told.push_back(t);
        return produce_consume;
    }});
    auto const ex = ctx.get_executor();
    for (strategy_t s : the_four)
        if (s != produce_execute_consume)
            asio::post(asio::require(ex, s, ewyk::invocation.non_blocking), [] {});
    ctx.run();
    BOOST_TEST(told.empty());

    ctx.restart();
    for (auto i : {ewyk::invocation.blocking, ewyk::invocation.either})
        asio::post(asio::require(ex, custom, i), [] {});
    ctx.run();
    BOOST_TEST_REQUIRE(told.size() == 2u);
    for (std::size_t n = 0; n != 2; ++n)
    {
        BOOST_TEST(
            (told[n].invocation == (n % 2 ? ewyk::invocation.either : ewyk::invocation.blocking)));
        BOOST_TEST(told[n].may_block);
    }
}

BOOST_AUTO_TEST_CASE(custom_is_a_property_like_the_four)
{
    ewyk::strategy_context ctx({.policy = always(produce_consume)});
    auto const ex = ctx.get_executor();
    ewyk::any_executor any = asio::require(ex, custom, ewyk::invocation.either,
        asio::execution::blocking.never, asio::execution::relationship.continuation);
    BOOST_TEST((asio::query(any, ewyk::strategy) == custom));
    BOOST_TEST((asio::query(any, ewyk::invocation) == ewyk::invocation.either));
    BOOST_TEST((asio::query(any, asio::execution::blocking) == asio::execution::blocking.never));
    BOOST_TEST((asio::query(any, asio::execution::relationship)
        == asio::execution::relationship.continuation));
    for (strategy_t other : the_four)
        BOOST_TEST((asio::require(ex, other) != asio::require(ex, custom)));
}

BOOST_AUTO_TEST_CASE(produce_consume_and_produce_execute_consume_are_followed)
{
    std::atomic<bool> night{false};
    ewyk::strategy_context ctx(custom, {.grace = 24h, .policy = [&](task_traits) noexcept {
        return night ? produce_execute_consume : produce_consume;
    }, .max_threads = 2});
    for (int turn = 0; turn != 4; ++turn)
    {
        night = turn % 2 != 0;
        BOOST_TEST(posted_runs_here(ctx) == !night);
        BOOST_TEST(completion_runs_here(ctx) == !night);
    }
}

// With the last two a handler that blocks does not stop the others: the first one waits for the
// second.
BOOST_AUTO_TEST_CASE(strategies_that_hand_over_are_followed)
{
    for (strategy_t s : {execute_produce_consume, eat_what_you_kill, custom})
        for (auto grace : {0us, 50us})
        {
            std::latch second_ran(1);
            ewyk::strategy_context ctx(
                custom, {.grace = grace, .policy = always(s), .max_threads = 3});
            deadline const in_time(ctx);
            std::atomic<int> ran{0};
            asio::steady_timer first(ctx, 0ms);
            first.async_wait([&](auto) {
                second_ran.wait();
                ++ran;
            });
            asio::steady_timer second(ctx, 1ms);
            second.async_wait([&](auto) {
                ++ran;
                second_ran.count_down();
            });
            ctx.run();
            BOOST_TEST(ran == 2);
        }
}

BOOST_AUTO_TEST_CASE(without_a_policy_custom_tasks_run_by_eat_what_you_kill)
{
    ewyk::strategy_context ctx(produce_consume);
    std::atomic<int> ran{0};
    asio::post(asio::require(ctx.get_executor(), custom), [&] { ++ran; });
    ctx.run();
    BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(a_custom_default_needs_a_policy)
{
    ewyk::worker_pool pool({.max_threads = 1});
    auto const names_it = [](std::invalid_argument const& e) {
        return std::string_view(e.what()).starts_with("strategy_options::policy must be set");
    };
    BOOST_CHECK_EXCEPTION(ewyk::strategy_context{custom}, std::invalid_argument, names_it);
    BOOST_CHECK_EXCEPTION((ewyk::strategy_context{pool, custom}), std::invalid_argument, names_it);
    asio::io_context ioc;
    BOOST_CHECK_EXCEPTION(ewyk::use_strategy(ioc, custom), std::invalid_argument, names_it);
    BOOST_CHECK_EXCEPTION(ewyk::use_strategy(ioc, custom, pool), std::invalid_argument, names_it);
}

BOOST_AUTO_TEST_CASE(contexts_that_share_a_pool_have_policies_of_their_own)
{
    ewyk::worker_pool pool({.max_threads = 2});
    ewyk::strategy_context here(pool, custom, 24h, always(produce_consume));
    ewyk::strategy_context there(pool, custom, 24h, always(produce_execute_consume));
    BOOST_TEST(posted_runs_here(here));
    BOOST_TEST(!posted_runs_here(there));
}

BOOST_AUTO_TEST_CASE(use_strategy_takes_one)
{
    asio::io_context ioc;
    auto const ex = ewyk::use_strategy(
        ioc, custom, {.grace = 24h, .policy = always(produce_execute_consume), .max_threads = 1});
    std::atomic<bool> elsewhere{false};
    asio::post(ex, [&, me = std::this_thread::get_id()] {
        elsewhere = std::this_thread::get_id() != me;
    });
    ewyk::run(ioc);
    BOOST_TEST(elsewhere);
}

namespace {

// Gives three tasks: one that says nothing, and two with a strategy of their own.
class tasks_with_strategies
{
public:
    struct product
    {
        std::function<void()> function;
        strategy_t wanted;

        explicit operator bool() const noexcept { return function != nullptr; }
        void operator()() { function(); }
        strategy_t strategy() const noexcept { return wanted; }
    };

    explicit tasks_with_strategies(std::function<void(int)> ran) : ran_(std::move(ran)) {}

    product produce()
    {
        if (next_ == 3)
            return {};
        int const n = next_++;
        return {[this, n] { ran_(n); },
            n == 0 ? custom : n == 1 ? produce_consume : produce_execute_consume};
    }

private:
    std::function<void(int)> ran_;
    int next_ = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(an_execution_strategy_takes_one_and_tasks_their_own)
{
    std::array<std::thread::id, 3> ran_on;
    std::latch all(3);
    ewyk::worker_pool pool({.max_threads = 2});
    tasks_with_strategies source([&](int n) {
        ran_on[static_cast<std::size_t>(n)] = std::this_thread::get_id();
        all.count_down();
    });
    ewyk::execution_strategy strategy(
        source, pool, custom, 0us, always(produce_execute_consume));
    strategy.produce();
    all.wait();
    auto const me = std::this_thread::get_id();
    BOOST_TEST((ran_on[0] != me));
    BOOST_TEST((ran_on[1] == me));
    BOOST_TEST((ran_on[2] != me));
}

BOOST_AUTO_TEST_SUITE_END()
