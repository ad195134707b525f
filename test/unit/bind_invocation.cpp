// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// bind_invocation with every sort of completion token, over every sort of executor.

#include "effect_support.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/data/monomorphic.hpp>

#include <array>
#include <memory_resource>
#include <tuple>
#include <type_traits>

BOOST_AUTO_TEST_SUITE(bind_invocation)

namespace {

using namespace effects;
using boost::system::error_code;
using io = asio::any_io_executor;
using any = ewyk::any_executor;
using asio::use_awaitable;
using ewyk::invocation_binder;

// tag::bind_invocation[]
// The coroutine goes on at once on the thread that found the bytes: it is about to look at them only.
asio::awaitable<bool> begins_with(asio::readable_pipe& from, char expected)
{
    char byte = 0;
    co_await from.async_read_some(
        asio::buffer(&byte, 1), ewyk::bind_invocation(ewyk::invocation.non_blocking, use_awaitable));
    co_return byte == expected;
}
// end::bind_invocation[]

BOOST_AUTO_TEST_CASE(the_example)
{
    ewyk::strategy_context ctx;
    deadline const in_time(ctx);
    asio::readable_pipe from(ctx);
    asio::writable_pipe to(ctx);
    asio::connect_pipe(from, to);
    asio::write(to, asio::buffer("x", 1));
    auto answer = asio::co_spawn(ctx, begins_with(from, 'x'), asio::use_future);
    ctx.run();
    BOOST_TEST(answer.get());
}

template <class Token>
auto bound(laboratory& lab, Token&& token)
{
    return ewyk::bind_invocation(asio::query(lab.wanted, ewyk::invocation), std::forward<Token>(token));
}

// Begins a wait by a timer with that executor; the handler keeps the timer.
template <class Executor, class Start>
void with_timer(Executor const& ex, Start start)
{
    using traits = asio::wait_traits<std::chrono::steady_clock>;
    using timer_type = asio::basic_waitable_timer<std::chrono::steady_clock, traits, Executor>;
    auto const timer = std::make_shared<timer_type>(ex, 1ms);
    start(*timer, timer);
}

template <class Executor>
void wait_on(laboratory& lab, Executor const& ex)
{
    with_timer(ex, [&](auto& timer, auto keep) {
        timer.async_wait(bound(lab, [&lab, keep](error_code) { lab.observe(); }));
    });
}

template <class Executor>
asio::awaitable<void, Executor> waits(laboratory& lab)
{
    asio::steady_timer timer(lab.base, 1ms);
    co_await timer.async_wait(bound(lab, asio::use_awaitable_t<Executor>()));
    lab.observe();
}

asio::awaitable<void> waits_for_a_tuple(laboratory& lab)
{
    asio::steady_timer timer(lab.base, 1ms);
    auto const [inside] = co_await timer.async_wait(bound(lab, asio::as_tuple(use_awaitable)));
    LOCKED_TEST(!inside);
    timer.expires_after(1ms);
    auto const [outside] = co_await timer.async_wait(asio::as_tuple(bound(lab, use_awaitable)));
    LOCKED_TEST(!outside);
    lab.observe();
}

asio::awaitable<void> waits_deferred(laboratory& lab)
{
    asio::steady_timer timer(lab.base, 1ms);
    auto operation = timer.async_wait(asio::deferred);
    co_await std::move(operation)(bound(lab, use_awaitable));
    lab.observe();
}

// A write and two reads that make one operation each, whose steps go by the handler's executor too.
void copy(laboratory& lab)
{
    struct state
    {
        explicit state(laboratory& l) : from(l.base), to(l.base) { asio::connect_pipe(from, to); }
        asio::readable_pipe from;
        asio::writable_pipe to;
        std::array<char, 2> bytes{};
    };
    auto const s = std::make_shared<state>(lab);
    asio::async_write(s->to, asio::buffer("ab", 2), bound(lab, [s](error_code, std::size_t) {}));
    asio::async_read(s->from, asio::buffer(s->bytes), bound(lab, [&lab, s](error_code, std::size_t n) {
        LOCKED_TEST(n == 2u);
        lab.observe();
    }));
}

constexpr route routes[] = {
    {"any_io_executor", [](laboratory& l) { wait_on(l, io(l.base)); }},
    {"any_io_executor, tracked",
        [](laboratory& l) { wait_on(l, io(asio::require(l.base, asio::execution::outstanding_work.tracked))); }},
    {"any_io_executor over any_executor", [](laboratory& l) { wait_on(l, io(any(l.base))); }},
    {"any_io_executor over a strand", [](laboratory& l) { wait_on(l, io(asio::make_strand(l.base))); }},
    {"strategy_executor", [](laboratory& l) { wait_on(l, l.base); }},
    {"any_executor", [](laboratory& l) { wait_on(l, any(l.base)); }},
    {"any_executor over a strand", [](laboratory& l) { wait_on(l, any(asio::make_strand(l.base))); }},
    {"strand", [](laboratory& l) { wait_on(l, asio::make_strand(l.base)); }},
    {"strand over any_executor", [](laboratory& l) { wait_on(l, asio::make_strand(any(l.base))); }},

    {"handler with an executor",
        [](laboratory& l) {
            with_timer(io(l.base), [&](auto& timer, auto keep) {
                timer.async_wait(bound(l, asio::bind_executor(l.base, [&l, keep](error_code) { l.observe(); })));
            });
        }},
    {"post", [](laboratory& l) { asio::post(bound(l, asio::bind_executor(l.base, l.observer()))); }},
    {"append",
        [](laboratory& l) {
            with_timer(io(l.base), [&](auto& timer, auto keep) {
                timer.async_wait(asio::append(bound(l, [&l, keep](error_code, int) { l.observe(); }), 1));
            });
        }},
    {"deferred, bound before",
        [](laboratory& l) {
            with_timer(io(l.base), [&](auto& timer, auto keep) {
                timer.async_wait(bound(l, asio::deferred))([&l, keep](error_code) { l.observe(); });
            });
        }},
    {"deferred, bound after",
        [](laboratory& l) {
            with_timer(io(l.base), [&](auto& timer, auto keep) {
                timer.async_wait(asio::deferred)(bound(l, [&l, keep](error_code) { l.observe(); }));
            });
        }},
    {"composed operation", copy},

    {"use_awaitable", [](laboratory& l) { asio::co_spawn(l.base, waits<io>(l), asio::detached); }},
    {"use_awaitable, strand",
        [](laboratory& l) { asio::co_spawn(asio::make_strand(l.base), waits<io>(l), asio::detached); }},
    {"use_awaitable, any_executor",
        [](laboratory& l) { asio::co_spawn(any(l.base), waits<any>(l), asio::detached); }},
    {"use_awaitable, as_tuple",
        [](laboratory& l) { asio::co_spawn(l.base, waits_for_a_tuple(l), asio::detached); }},
    {"use_awaitable, deferred", [](laboratory& l) { asio::co_spawn(l.base, waits_deferred(l), asio::detached); }},
};

BOOST_DATA_TEST_CASE(the_handler_runs_as_it_is_bound, routes * invocation_wishes, way, each)
{
    laboratory lab(each);
    way.start(lab);
    BOOST_TEST(lab.run() == each.after);
}

// As the documentation says.
BOOST_DATA_TEST_CASE(where_it_has_no_effect, invocation_wishes, each)
{
    BOOST_TEST_CONTEXT("a strand over any_io_executor")
    {
        laboratory lab(each);
        wait_on(lab, asio::make_strand(io(lab.base)));
        BOOST_TEST(lab.run() == each.before);
    }
    BOOST_TEST_CONTEXT("post to an executor")
    {
        laboratory lab(each);
        asio::post(lab.base, bound(lab, lab.observer()));
        BOOST_TEST(lab.run() == each.before);
    }
    BOOST_TEST_CONTEXT("an executor bound outside")
    {
        laboratory lab(each);
        asio::post(asio::bind_executor(lab.base, bound(lab, lab.observer())));
        BOOST_TEST(lab.run() == each.before);
    }
}

// Executors that know no invocation types are handed through.

struct plain
{
    void operator()(error_code) const {}
};

template <class Handler, class Executor>
using executor_of = asio::associated_executor_t<Handler, Executor>;
using io_context_executor = asio::io_context::executor_type;
using pool_executor = ewyk::worker_pool_executor;

static_assert(std::is_same_v<executor_of<invocation_binder<plain>, io_context_executor>, io_context_executor>);
static_assert(std::is_same_v<executor_of<invocation_binder<plain>, pool_executor>, pool_executor>);
static_assert(std::is_same_v<executor_of<invocation_binder<plain>, io>, io>);
static_assert(std::is_same_v<executor_of<invocation_binder<plain>, any>, any>);
static_assert(asio::completion_token_for<invocation_binder<plain>, void(error_code)>);
static_assert(asio::completion_token_for<invocation_binder<asio::deferred_t>, void(error_code)>);
static_assert(asio::completion_handler_for<invocation_binder<plain>, void(error_code)>);
static_assert(!asio::completion_handler_for<invocation_binder<plain>, void(std::string)>);

template <class Context>
void runs_on(Context& ctx)
{
    asio::steady_timer timer(ctx, 1ms);
    auto const handler = ewyk::bind_invocation(non_blocking, plain());
    BOOST_TEST((asio::get_associated_executor(handler, timer.get_executor()) == timer.get_executor()));
    timer.async_wait(ewyk::bind_invocation(non_blocking, asio::use_future)).get();
}

BOOST_AUTO_TEST_CASE(other_executors_are_handed_through)
{
    asio::thread_pool threads(1);
    runs_on(threads);
    ewyk::event_loop loop;
    runs_on(loop);
}

BOOST_AUTO_TEST_CASE(what_else_is_associated_stays_so)
{
    asio::cancellation_signal signal;
    std::array<std::byte, 64> memory;
    std::pmr::monotonic_buffer_resource resource(memory.data(), memory.size());
    std::pmr::polymorphic_allocator<char> const allocator(&resource);

    auto const handler = ewyk::bind_invocation(either,
        asio::bind_allocator(allocator, asio::bind_cancellation_slot(signal.slot(), plain())));
    BOOST_TEST((asio::get_associated_allocator(handler) == allocator));
    BOOST_TEST((asio::get_associated_cancellation_slot(handler) == signal.slot()));
    BOOST_TEST(handler.get_invocation() == either);
}

BOOST_AUTO_TEST_CASE(an_operation_is_cancelled_through_it)
{
    ewyk::strategy_context ctx;
    deadline const in_time(ctx);
    asio::cancellation_signal signal;
    asio::steady_timer timer(ctx, 1h);
    error_code result;
    timer.async_wait(ewyk::bind_invocation(non_blocking,
        asio::bind_cancellation_slot(signal.slot(), [&](error_code e) { result = e; })));
    asio::post(ctx, [&] { signal.emit(asio::cancellation_type::all); });
    ctx.run();
    BOOST_TEST((result == asio::error::operation_aborted));
}

BOOST_AUTO_TEST_CASE(a_handler_need_not_be_copyable)
{
    ewyk::strategy_context ctx;
    deadline const in_time(ctx);
    asio::steady_timer timer(ctx, 1ms);
    census c;
    timer.async_wait(ewyk::bind_invocation(non_blocking, resident(c)));
    ctx.run();
    BOOST_TEST(c.ran == 1);
    BOOST_TEST(c.destroyed == 1);
}

BOOST_AUTO_TEST_CASE(an_exception_reaches_a_future)
{
    ewyk::strategy_context ctx;
    deadline const in_time(ctx);
    asio::steady_timer timer(ctx, 1h);
    auto done = timer.async_wait(ewyk::bind_invocation(non_blocking, asio::use_future));
    timer.cancel();
    ctx.run();
    BOOST_CHECK_THROW(done.get(), boost::system::system_error);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
