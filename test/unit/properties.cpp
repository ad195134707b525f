// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Strategy and invocation type survive on every way that Asio has from an executor to a task.

#include "effect_support.hpp"

#include <boost/test/data/monomorphic.hpp>

BOOST_AUTO_TEST_SUITE(properties)

namespace {

using namespace effects;

// tag::one_completion[]
// The coroutine goes on at once on the thread that found the bytes: it is about to look at them only.
asio::awaitable<bool> begins_with(asio::readable_pipe& from, char expected, ewyk::strategy_executor executor)
{
    char byte = 0;
    auto const at_once = asio::require(executor, ewyk::invocation.non_blocking);
    co_await from.async_read_some(asio::buffer(&byte, 1), asio::bind_executor(at_once, asio::use_awaitable));
    co_return byte == expected;
}
// end::one_completion[]

BOOST_AUTO_TEST_CASE(the_example)
{
    ewyk::strategy_context ctx;
    deadline const in_time(ctx);
    asio::readable_pipe from(ctx);
    asio::writable_pipe to(ctx);
    asio::connect_pipe(from, to);
    asio::write(to, asio::buffer("x", 1));
    auto answer = asio::co_spawn(ctx, begins_with(from, 'x', ctx.get_executor()), asio::use_future);
    ctx.run();
    BOOST_TEST(answer.get());
}

template <class Executor>
void wait_bound(laboratory& lab, Executor const& handlers)
{
    auto const timer = std::make_shared<asio::steady_timer>(lab.base, 1ms);
    timer->async_wait(asio::bind_executor(handlers, [&lab, timer](auto) { lab.observe(); }));
}

asio::awaitable<void> observe_after_a_bound_wait(laboratory& lab)
{
    asio::steady_timer timer(lab.base, 1ms);
    co_await timer.async_wait(asio::bind_executor(lab.wanted, asio::use_awaitable));
    lab.observe();
}

template <class Executor>
void wait_on(laboratory& lab, Executor const& ex)
{
    using timer_type =
        asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;
    auto const timer = std::make_shared<timer_type>(ex, 1ms);
    timer->async_wait([&lab, timer](auto) { lab.observe(); });
}

template <class Executor>
asio::awaitable<void, Executor> observe_at_once(laboratory& lab)
{
    lab.observe();
    co_return;
}

template <class Executor>
asio::awaitable<void, Executor> observe_after_a_wait(laboratory& lab)
{
    asio::steady_timer timer(lab.base, 1ms);
    co_await timer.async_wait(asio::use_awaitable_t<Executor>());
    lab.observe();
}

template <class Executor>
asio::awaitable<void, Executor> observe_on_its_executor(laboratory& lab)
{
    asio::post(co_await asio::this_coro::executor, lab.observer());
}

template <class Executor>
asio::awaitable<void, Executor> call(laboratory& lab)
{
    co_await observe_after_a_wait<Executor>(lab);
}

using io = asio::any_io_executor;
using any = ewyk::any_executor;

constexpr auto as_continuation = asio::execution::relationship.continuation;
constexpr auto tracked = asio::execution::outstanding_work.tracked;
constexpr auto never = asio::execution::blocking.never;

constexpr route routes[] = {
    {"post", [](laboratory& l) { asio::post(l.wanted, l.observer()); }},
    {"dispatch", [](laboratory& l) { asio::dispatch(l.wanted, l.observer()); }},
    {"defer", [](laboratory& l) { asio::defer(l.wanted, l.observer()); }},
    {"execute", [](laboratory& l) { l.wanted.execute(l.observer()); }},
    {"require, others after it",
        [](laboratory& l) { asio::post(asio::require(l.wanted, never, tracked, as_continuation), l.observer()); }},
    {"work guard",
        [](laboratory& l) { asio::post(asio::make_work_guard(l.wanted).get_executor(), l.observer()); }},

    {"strand", [](laboratory& l) { asio::post(asio::make_strand(l.wanted), l.observer()); }},
    {"strand, required of it",
        [](laboratory& l) {
            auto const strand = asio::make_strand(l.base);
            asio::post(asio::require(strand, asio::query(l.wanted, ewyk::strategy),
                           asio::query(l.wanted, ewyk::invocation)),
                l.observer());
        }},

    {"any_executor", [](laboratory& l) { asio::post(any(l.wanted), l.observer()); }},
    {"any_executor, required of it",
        [](laboratory& l) {
            any const ex = l.base;
            asio::post(asio::require(asio::require(ex, asio::query(l.wanted, ewyk::strategy)),
                           asio::query(l.wanted, ewyk::invocation)),
                l.observer());
        }},
    {"any_executor over a strand", [](laboratory& l) { asio::post(any(asio::make_strand(l.wanted)), l.observer()); }},
    {"strand over any_executor", [](laboratory& l) { asio::post(asio::make_strand(any(l.wanted)), l.observer()); }},

    {"any_io_executor", [](laboratory& l) { asio::post(io(l.wanted), l.observer()); }},
    {"any_io_executor, others preferred",
        [](laboratory& l) { asio::post(asio::prefer(io(l.wanted), tracked, as_continuation), l.observer()); }},
    {"any_io_executor, others required",
        [](laboratory& l) { asio::require(io(l.wanted), never).execute(l.observer()); }},
    {"any_io_executor over any_executor", [](laboratory& l) { asio::post(io(any(l.wanted)), l.observer()); }},
    {"any_io_executor over a strand", [](laboratory& l) { asio::post(io(asio::make_strand(l.wanted)), l.observer()); }},
    {"strand over any_io_executor", [](laboratory& l) { asio::post(asio::make_strand(io(l.wanted)), l.observer()); }},

    {"bind_executor", [](laboratory& l) { asio::post(asio::bind_executor(l.wanted, l.observer())); }},
    {"bind_executor, timer", [](laboratory& l) { wait_bound(l, l.wanted); }},
    {"bind_executor, strand", [](laboratory& l) { wait_bound(l, asio::make_strand(l.wanted)); }},
    {"bind_executor, any_executor", [](laboratory& l) { wait_bound(l, any(l.wanted)); }},
    {"bind_executor, any_io_executor", [](laboratory& l) { wait_bound(l, io(l.wanted)); }},
    {"bind_executor, use_awaitable",
        [](laboratory& l) { asio::co_spawn(l.base, observe_after_a_bound_wait(l), asio::detached); }},
    {"timer", [](laboratory& l) { wait_on(l, l.wanted); }},
    {"timer, any_executor", [](laboratory& l) { wait_on(l, any(l.wanted)); }},
    {"timer, any_io_executor", [](laboratory& l) { wait_on(l, io(l.wanted)); }},
    {"timer, strand", [](laboratory& l) { wait_on(l, asio::make_strand(l.wanted)); }},

    {"co_spawn", [](laboratory& l) { asio::co_spawn(l.wanted, observe_at_once<io>(l), asio::detached); }},
    {"co_spawn, after a wait",
        [](laboratory& l) { asio::co_spawn(l.wanted, observe_after_a_wait<io>(l), asio::detached); }},
    {"co_spawn, called coroutine", [](laboratory& l) { asio::co_spawn(l.wanted, call<io>(l), asio::detached); }},
    {"co_spawn, strand",
        [](laboratory& l) {
            asio::co_spawn(asio::make_strand(l.wanted), observe_after_a_wait<io>(l), asio::detached);
        }},
    {"co_spawn, any_executor",
        [](laboratory& l) { asio::co_spawn(any(l.wanted), observe_after_a_wait<any>(l), asio::detached); }},
    {"this_coro::executor",
        [](laboratory& l) { asio::co_spawn(l.wanted, observe_on_its_executor<io>(l), asio::detached); }},
    {"this_coro::executor, any_executor",
        [](laboratory& l) { asio::co_spawn(any(l.wanted), observe_on_its_executor<any>(l), asio::detached); }},
};

auto const wishes = boost::unit_test::data::make(strategy_wishes) + invocation_wishes;

BOOST_DATA_TEST_CASE(a_task_runs_as_its_executor_says, routes * (wishes + hand_over_wishes), way, each)
{
    laboratory lab(each);
    way.start(lab);
    BOOST_TEST(lab.run() == each.after);
}

// So a property that gets lost is seen.
BOOST_DATA_TEST_CASE(without_the_property_it_runs_otherwise, wishes, each)
{
    BOOST_REQUIRE(each.before != each.after);
    laboratory lab(each);
    asio::post(lab.base, lab.observer());
    BOOST_TEST(lab.run() == each.before);
}

// It knows neither property: what was set before stays in force.
BOOST_DATA_TEST_CASE(any_io_executor_can_prefer_nothing_else, wishes, each)
{
    static_assert(!asio::can_query_v<io, ewyk::strategy_t>);
    static_assert(!asio::can_query_v<io, ewyk::invocation_t>);
    static_assert(!asio::can_require_v<io, ewyk::strategy_t>);
    static_assert(!asio::can_require_v<io, ewyk::invocation_t>);

    laboratory lab(each);
    asio::post(asio::prefer(io(lab.base), each.wanted.strategy, each.wanted.invocation), lab.observer());
    BOOST_TEST(lab.run() == each.before);
}

// Asio drops a handler's executor that equals the I/O object's.
BOOST_DATA_TEST_CASE(other_properties_are_another_executor, wishes, each)
{
    laboratory const lab(each);
    BOOST_TEST((lab.base != lab.wanted));
    BOOST_TEST((any(lab.base) != any(lab.wanted)));
    BOOST_TEST((io(lab.base) != io(lab.wanted)));
    BOOST_TEST((io(lab.wanted) == io(any(lab.wanted))));
}

template <class Executor>
void answers(Executor const& ex, property_values const& wanted)
{
    BOOST_TEST(asio::query(ex, ewyk::strategy) == wanted.strategy);
    BOOST_TEST(asio::query(ex, ewyk::invocation) == wanted.invocation);
}

BOOST_DATA_TEST_CASE(an_adaptor_answers_as_the_executor_inside, wishes + hand_over_wishes, each)
{
    laboratory const lab(each);
    answers(lab.wanted, each.wanted);
    answers(asio::require(lab.wanted, tracked, never, as_continuation), each.wanted);
    answers(asio::make_strand(lab.wanted), each.wanted);
    answers(any(lab.wanted), each.wanted);
    answers(asio::prefer(any(lab.wanted), tracked, as_continuation), each.wanted);
    answers(any(asio::make_strand(lab.wanted)), each.wanted);
    answers(asio::make_strand(any(lab.wanted)), each.wanted);
    answers(asio::get_associated_executor(asio::bind_executor(lab.wanted, [] {})), each.wanted);
    answers(asio::prefer(any(lab.base), each.wanted.strategy, each.wanted.invocation), each.wanted);
    answers(*io(lab.wanted).target<ewyk::strategy_executor>(), each.wanted);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
