// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The executor as Asio's traits see it, and as its properties promise.

#include "support.hpp"

#include <memory>
#include <type_traits>

using namespace support;
namespace execution = asio::execution;

#ifndef ASIO_EWYK_TEST_YARDSTICK

namespace {

using plain = ewyk::strategy_executor;
using tracked =
    decltype(asio::require(std::declval<plain const&>(), execution::outstanding_work.tracked));
using allocating = decltype(asio::require(
    std::declval<plain const&>(), execution::allocator(std::declval<std::allocator<int>>())));

// Executor requirements. A missing noexcept makes is_executor false, and then nothing says why.
template <class E>
constexpr bool is_good_executor =
    execution::is_executor_v<E> && std::is_nothrow_copy_constructible_v<E>
    && std::is_nothrow_move_constructible_v<E> && std::is_nothrow_copy_assignable_v<E>
    && std::is_nothrow_destructible_v<E>&& noexcept(
        std::declval<E const&>() == std::declval<E const&>())&& noexcept(std::declval<E const&>()
        != std::declval<E const&>())
    && std::is_convertible_v<E, asio::any_io_executor>
    && std::is_convertible_v<E, asio::any_completion_executor>
    && std::is_convertible_v<E, ewyk::any_executor>;

static_assert(is_good_executor<plain>);

#if __has_include(<boost/asio/execution/inline_exception_handling.hpp>)
// As an io_context of that Asio.
static_assert(plain::query(execution::inline_exception_handling)
    == execution::inline_exception_handling.capture);
static_assert(asio::can_query_v<asio::strand<plain>, execution::inline_exception_handling_t>);
#endif
static_assert(is_good_executor<tracked>);
static_assert(is_good_executor<allocating>);
static_assert(execution::is_executor_v<ewyk::any_executor>);
static_assert(std::is_same_v<ewyk::strategy_context::executor_type, plain>);
static_assert(!std::is_same_v<plain, tracked>);

// What any_io_executor keeps without allocating is three pointers; two leave room.
static_assert(sizeof(plain) <= 16);
static_assert(sizeof(tracked) <= 16);
static_assert(sizeof(allocating) <= 16);

// Properties that can be required, preferred and asked for, on the executor itself.
template <class E, class P>
constexpr bool settable = asio::can_require_v<E, P> && asio::can_prefer_v<E, P>
    && asio::can_query_v<E, P> && asio::is_nothrow_require_v<E, P>;

template <class E, class P>
constexpr bool answers = asio::can_query_v<E, P> && asio::is_nothrow_query_v<E, P>;

template <class E>
constexpr bool has_the_whole_matrix = settable<E, execution::blocking_t::possibly_t>
    && settable<E, execution::blocking_t::never_t> && settable<E, execution::relationship_t::fork_t>
    && settable<E, execution::relationship_t::continuation_t>
    && settable<E, execution::outstanding_work_t::tracked_t>
    && settable<E, execution::outstanding_work_t::untracked_t> && settable<E, ewyk::strategy_t>
    && settable<E, ewyk::invocation_t> && answers<E, execution::blocking_t>
    && answers<E, execution::relationship_t> && answers<E, execution::outstanding_work_t>
    && answers<E, execution::context_t> && answers<E, execution::mapping_t>
    && answers<E, execution::allocator_t<void>> && answers<E, ewyk::strategy_t>
    && answers<E, ewyk::invocation_t> && asio::can_require_v<E, execution::allocator_t<void>>
    && asio::can_require_v<E, execution::allocator_t<std::allocator<char>>>
    && std::is_convertible_v<typename asio::query_result<E, execution::context_t>::type,
        asio::execution_context&>;

static_assert(has_the_whole_matrix<plain>);
static_assert(has_the_whole_matrix<tracked>);
static_assert(has_the_whole_matrix<allocating>);
static_assert(has_the_whole_matrix<plain const>);

// It never blocks its caller, so it must not claim that it could.
static_assert(!asio::can_require_v<plain, execution::blocking_t::always_t>);
static_assert(!asio::can_require_v<tracked, execution::blocking_t::always_t>);

// Strands pass our properties on.
using strand_of_plain = asio::strand<plain>;
static_assert(settable<strand_of_plain, ewyk::strategy_t>);
static_assert(settable<strand_of_plain, ewyk::invocation_t>);
static_assert(std::is_convertible_v<strand_of_plain, ewyk::any_executor>);

// Erased, ours can be set and asked for in any_executor; any_io_executor only tolerates them.
static_assert(asio::can_require_v<ewyk::any_executor, ewyk::strategy_t>);
static_assert(asio::can_require_v<ewyk::any_executor, ewyk::invocation_t>);
static_assert(asio::can_query_v<ewyk::any_executor, ewyk::strategy_t>);
static_assert(asio::can_query_v<ewyk::any_executor, ewyk::invocation_t>);
static_assert(asio::can_prefer_v<asio::any_io_executor, ewyk::strategy_t>);
static_assert(!asio::can_require_v<asio::any_io_executor, ewyk::strategy_t>);

// A property applies to executors, and to nothing else.
static_assert(!asio::can_require_v<int, ewyk::strategy_t>);
static_assert(!asio::can_query_v<asio::io_context::executor_type, ewyk::strategy_t>);

bool is(ewyk::strategy_t a, ewyk::strategy_t b) { return a == b; }

}

#endif

BOOST_AUTO_TEST_SUITE(asio_suite_executor)

CONTEXT_TEST_CASE(answers_the_standard_properties, s)
{
    context ctx(s);
    auto const ex = ctx.get_executor();
    BOOST_TEST(
        (&asio::query(ex, execution::context) == &static_cast<asio::execution_context&>(ctx)));
    BOOST_TEST((asio::query(ex, execution::blocking) == execution::blocking.possibly));
    BOOST_TEST((asio::query(ex, execution::relationship) == execution::relationship.fork));
    BOOST_TEST(
        (asio::query(ex, execution::outstanding_work) == execution::outstanding_work.untracked));
    BOOST_TEST((asio::query(ex, execution::mapping) == execution::mapping.thread));

    auto const never = asio::require(ex, execution::blocking.never);
    auto const continues = asio::require(never, execution::relationship.continuation);
    auto const works = asio::require(continues, execution::outstanding_work.tracked);
    BOOST_TEST((asio::query(works, execution::blocking) == execution::blocking.never));
    BOOST_TEST(
        (asio::query(works, execution::relationship) == execution::relationship.continuation));
    BOOST_TEST(
        (asio::query(works, execution::outstanding_work) == execution::outstanding_work.tracked));

    auto const back = asio::require(works, execution::blocking.possibly,
        execution::relationship.fork, execution::outstanding_work.untracked);
    BOOST_TEST((back == ex));
}

CONTEXT_TEST_CASE(executors_are_equal_if_all_properties_are, s)
{
    context ctx(s);
    context other(s);
    auto const ex = ctx.get_executor();
    BOOST_TEST((ex == ctx.get_executor()));
    BOOST_TEST((ex != other.get_executor()));
    BOOST_TEST((ex != asio::require(ex, execution::blocking.never)));
    BOOST_TEST((ex != asio::require(ex, execution::relationship.continuation)));
    auto const works = asio::require(ex, execution::outstanding_work.tracked);
    auto const copy = works;
    BOOST_TEST((works == copy));
}

CONTEXT_TEST_CASE(compares_with_its_erased_self, s)
{
    context ctx(s);
    context other(s);
    auto const ex = ctx.get_executor();
    asio::any_io_executor const any = ex;
    BOOST_TEST((any == asio::any_io_executor(ctx.get_executor())));
    BOOST_TEST((any != asio::any_io_executor(other.get_executor())));
    BOOST_TEST((any == ex));
    BOOST_TEST((ex == any));
    BOOST_TEST((any != other.get_executor()));
    BOOST_TEST((other.get_executor() != any));
    BOOST_TEST((any != asio::any_io_executor(asio::require(ex, execution::blocking.never))));
    BOOST_TEST_REQUIRE((any.target<executor>() != nullptr));
    BOOST_TEST((*any.target<executor>() == ex));
}

CONTEXT_TEST_CASE(properties_are_set_through_any_io_executor, s)
{
    context ctx(s);
    asio::any_io_executor const any = ctx.get_executor();
    auto const never = asio::require(any, execution::blocking.never);
    auto const continues = asio::prefer(never, execution::relationship.continuation);
    auto const works = asio::prefer(continues, execution::outstanding_work.tracked);
    BOOST_TEST((asio::query(works, execution::blocking) == execution::blocking.never));
    BOOST_TEST(
        (asio::query(works, execution::relationship) == execution::relationship.continuation));
    BOOST_TEST(
        (asio::query(works, execution::outstanding_work) == execution::outstanding_work.tracked));
    BOOST_TEST(
        (&asio::query(works, execution::context) == &static_cast<asio::execution_context&>(ctx)));
    BOOST_TEST((works != any));
    std::atomic<int> ran{0};
    any.execute([&] { ++ran; });
    works.execute([&] { ++ran; });
    BOOST_TEST(ran == 0);
    BOOST_TEST(ctx.poll() == 2u);
    BOOST_TEST(eventually([&] { return ran == 2; }));
    BOOST_TEST(!ctx.stopped()); // `works` is still there
}

#ifndef ASIO_EWYK_TEST_YARDSTICK

CONTEXT_TEST_CASE(answers_and_takes_strategy_and_invocation, s)
{
    context ctx(s);
    auto const ex = ctx.get_executor();
    BOOST_TEST(asio::query(ex, ewyk::strategy) == s.strategy);
    BOOST_TEST(asio::query(ex, ewyk::invocation) == ewyk::invocation.blocking);
    for (auto const strategy :
        {ewyk::strategy.produce_consume, ewyk::strategy.produce_execute_consume,
            ewyk::strategy.execute_produce_consume, ewyk::strategy.eat_what_you_kill})
        for (auto const invocation :
            {ewyk::invocation.blocking, ewyk::invocation.non_blocking, ewyk::invocation.either})
        {
            auto const set = asio::require(ex, strategy, invocation);
            static_assert(std::is_same_v<decltype(set), plain const>);
            BOOST_TEST(asio::query(set, ewyk::strategy) == strategy);
            BOOST_TEST(asio::query(set, ewyk::invocation) == invocation);
            // The other properties keep these, and these keep the others.
            auto const works =
                asio::require(set, execution::outstanding_work.tracked, execution::blocking.never);
            BOOST_TEST(asio::query(works, ewyk::strategy) == strategy);
            BOOST_TEST(asio::query(works, ewyk::invocation) == invocation);
            auto const again = asio::require(works, ewyk::invocation.either);
            BOOST_TEST((asio::query(again, execution::blocking) == execution::blocking.never));
            BOOST_TEST((asio::query(again, execution::outstanding_work)
                == execution::outstanding_work.tracked));
            // Equal if and only if both are.
            bool const same = is(strategy, s.strategy) && invocation == ewyk::invocation.blocking;
            BOOST_TEST((set == ex) == same);
            BOOST_TEST((asio::any_io_executor(set) == asio::any_io_executor(ex)) == same);
            BOOST_TEST((ewyk::any_executor(set) == ewyk::any_executor(ex)) == same);
        }
}

CONTEXT_TEST_CASE(any_executor_carries_our_properties, s)
{
    context ctx(s);
    ewyk::any_executor const any = ctx.get_executor();
    BOOST_TEST(asio::query(any, ewyk::strategy) == s.strategy);
    BOOST_TEST(asio::query(any, ewyk::invocation) == ewyk::invocation.blocking);
    ewyk::any_executor const set = asio::require(
        asio::require(any, ewyk::strategy.produce_consume), ewyk::invocation.non_blocking);
    BOOST_TEST(asio::query(set, ewyk::strategy) == ewyk::strategy.produce_consume);
    BOOST_TEST(asio::query(set, ewyk::invocation) == ewyk::invocation.non_blocking);
    auto const never = asio::require(set, execution::blocking.never);
    BOOST_TEST(asio::query(never, ewyk::strategy) == ewyk::strategy.produce_consume);
    BOOST_TEST((set == ctx.get_executor()) == false);
    BOOST_TEST((any == ctx.get_executor()));
    BOOST_TEST(
        (&asio::query(set, execution::context) == &static_cast<asio::execution_context&>(ctx)));

    // Through a strand, and the strand erased.
    asio::strand<ewyk::any_executor> const strand(set);
    BOOST_TEST(asio::query(strand, ewyk::invocation) == ewyk::invocation.non_blocking);
    ewyk::any_executor const erased = asio::make_strand(ctx.get_executor());
    BOOST_TEST(asio::query(erased, ewyk::strategy) == s.strategy);

    // And it is an executor like any other.
    std::atomic<int> ran{0};
    asio::post(set, [&] { ++ran; });
    asio::post(erased, [&] { ++ran; });
    asio::basic_waitable_timer<std::chrono::steady_clock,
        asio::wait_traits<std::chrono::steady_clock>, ewyk::any_executor>
        timer(any, 1ms);
    timer.async_wait([&](boost::system::error_code ec) { ran += ec ? 100 : 1; });
    run(ctx);
    BOOST_TEST(ran == 3);
}

// any_io_executor cannot name our properties, but keeps the executor that has them.
CONTEXT_TEST_CASE(any_io_executor_keeps_what_was_set_before, s)
{
    context ctx(s);
    auto const set = asio::require(
        ctx.get_executor(), ewyk::strategy.produce_execute_consume, ewyk::invocation.either);
    asio::any_io_executor const any = set;
    asio::any_io_executor const preferred = asio::prefer(any, ewyk::strategy.produce_consume);
    BOOST_TEST((preferred == any));
    BOOST_TEST_REQUIRE((any.target<plain>() != nullptr));
    BOOST_TEST((*any.target<plain>() == set));
    auto const never = asio::require(any, execution::blocking.never);
    BOOST_TEST_REQUIRE((never.target<plain>() != nullptr));
    BOOST_TEST(asio::query(*never.target<plain>(), ewyk::invocation) == ewyk::invocation.either);

    // In force: its handlers go to another thread than the one that produces, if there is one.
    std::atomic<bool> in_place{true};
    auto const here = std::this_thread::get_id();
    asio::post(any, [&] { in_place = std::this_thread::get_id() == here; });
    ctx.poll();
    BOOST_TEST((s.max_threads == 0 || eventually([&] { return !in_place; })));
}

// A handler's executor must be respected although the I/O object's differs in our properties only.
CONTEXT_TEST_CASE(a_bound_executor_is_not_taken_for_the_object_s, s)
{
    context ctx(s);
    auto const non_blocking = asio::require(
        ctx.get_executor(), ewyk::strategy.produce_consume, ewyk::invocation.non_blocking);
    auto const associated = asio::bind_executor(non_blocking, [](boost::system::error_code) {});
    BOOST_TEST((asio::get_associated_executor(associated) == non_blocking));
    BOOST_TEST((non_blocking != asio::require(ctx.get_executor(), ewyk::strategy.produce_consume)));

    std::atomic<int> ran{0};
    asio::basic_waitable_timer<std::chrono::steady_clock,
        asio::wait_traits<std::chrono::steady_clock>, executor>
        timer(ctx.get_executor(), 1ms);
    auto const off = asio::require(ctx.get_executor(), ewyk::strategy.produce_execute_consume);
    auto const here = std::this_thread::get_id();
    std::atomic<bool> moved{false};
    timer.async_wait(asio::bind_executor(off, [&](boost::system::error_code ec) {
        moved = std::this_thread::get_id() != here;
        ran += ec ? 100 : 1;
    }));
    deadline const in_time(ctx);
    ctx.run_one(); // on this thread, but this handler only if there is no other
    BOOST_TEST(eventually([&] { return ran == 1; }));
    BOOST_TEST((moved || s.max_threads == 0));
}

#endif

BOOST_AUTO_TEST_SUITE_END()
