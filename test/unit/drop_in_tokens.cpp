// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Completion tokens, what can be bound to a handler, work guards, and ways to submit a function.

#include "support.hpp"

#include <boost/asio/experimental/parallel_group.hpp>

#include <array>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

using namespace support;
using boost::system::error_code;

namespace {

/// Counts what is allocated and not yet freed.
template <class T>
struct counting_allocator
{
    using value_type = T;

    std::atomic<int>* live;
    std::atomic<int>* total;

    counting_allocator(std::atomic<int>& l, std::atomic<int>& t) noexcept : live(&l), total(&t) {}

    template <class U>
    counting_allocator(counting_allocator<U> const& other) noexcept
      : live(other.live), total(other.total)
    {
    }

    T* allocate(std::size_t n)
    {
        ++*live;
        ++*total;
        return std::allocator<T>().allocate(n);
    }

    void deallocate(T* p, std::size_t n)
    {
        --*live;
        std::allocator<T>().deallocate(p, n);
    }

    template <class U>
    bool operator==(counting_allocator<U> const& other) const noexcept
    {
        return live == other.live;
    }
};

}

BOOST_AUTO_TEST_SUITE(drop_in_tokens)

CONTEXT_TEST_CASE(use_future_on_another_thread, s)
{
    context ctx(s);
    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::future<int> value;
    std::future<int> failure;
    std::future<void> expired;
    bool in_time = false;
    std::thread outside([&] {
        value = asio::post(ctx, asio::use_future([] { return 42; }));
        failure = asio::post(ctx, asio::use_future([]() -> int { throw std::runtime_error("x"); }));
        asio::steady_timer timer(ctx, 1ms);
        expired = timer.async_wait(asio::use_future);
        auto const end = std::chrono::steady_clock::now() + patience;
        in_time = value.wait_until(end) == std::future_status::ready
            && failure.wait_until(end) == std::future_status::ready
            && expired.wait_until(end) == std::future_status::ready;
        work.reset();
    });
    run(ctx);
    outside.join();
    BOOST_TEST_REQUIRE(in_time);
    BOOST_TEST(value.get() == 42);
    BOOST_CHECK_THROW(failure.get(), std::runtime_error);
    BOOST_CHECK_NO_THROW(expired.get());
}

CONTEXT_TEST_CASE(deferred_starts_when_it_is_called, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1ms);
    auto later = timer.async_wait(asio::deferred);
    BOOST_TEST(ctx.poll() == 0u);
    ctx.restart();
    bool expired = false;
    std::move(later)([&](error_code ec) { expired = !ec; });
    run(ctx);
    BOOST_TEST(expired);
}

CONTEXT_TEST_CASE(deferred_chains, s)
{
    context ctx(s);
    asio::steady_timer first(ctx, 1ms);
    asio::steady_timer second(ctx, 1ms);
    int seen = 0;
    first.async_wait(asio::deferred([&](error_code) {
        return second.async_wait(asio::append(asio::deferred, 7));
    }))([&](error_code ec, int n) { seen = ec ? -1 : n; });
    run(ctx);
    BOOST_TEST(seen == 7);
}

CONTEXT_TEST_CASE(append_prepend_as_tuple_consign, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1ms);
    std::array<int, 4> seen{};
    timer.async_wait(asio::append([&](error_code, int n) { seen[0] = n; }, 1));
    timer.async_wait(asio::prepend([&](int n, error_code) { seen[1] = n; }, 2));
    timer.async_wait(
        asio::as_tuple([&](std::tuple<error_code> t) { seen[2] = std::get<0>(t) ? -1 : 3; }));
    auto kept = std::make_shared<int>(4);
    std::weak_ptr<int> const watch = kept;
    timer.async_wait(asio::consign(
        [&](error_code) {
            auto const alive = watch.lock();
            seen[3] = alive ? *alive : -1;
        },
        std::move(kept)));
    run(ctx);
    BOOST_TEST(seen == (std::array<int, 4>{1, 2, 3, 4}), boost::test_tools::per_element());
    BOOST_TEST(watch.expired());
}

CONTEXT_TEST_CASE(bind_executor_decides_where_a_handler_runs, s)
{
    context ctx(s);
    context other(s);
    auto const work = asio::make_work_guard(other);
    std::thread server([&] { run(other); });
    asio::steady_timer timer(ctx, 1ms);
    auto const strand = asio::make_strand(other);
    std::atomic<bool> on_other{false};
    std::atomic<bool> done{false};
    timer.async_wait(asio::bind_executor(strand, [&](error_code) {
        on_other = strand.running_in_this_thread();
        done = true;
    }));
    run(ctx);
    bool const in_time = eventually([&] { return done.load(); });
    other.stop();
    server.join();
    BOOST_TEST(in_time);
    BOOST_TEST(on_other);
}

// Asio's promise: a handler's memory is free again when the handler is called.
CONTEXT_TEST_CASE(bind_allocator_is_used_and_freed_before_the_call, s)
{
    context ctx(s);
    std::atomic<int> live{0};
    std::atomic<int> total{0};
    std::atomic<int> calls{0};
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(ctx, 1ms);
    asio::local::stream_protocol::socket a(ctx);
    asio::local::stream_protocol::socket b(ctx);
    asio::local::connect_pair(a, b);
    std::array<char, 1> byte{};
    auto handler =
        asio::bind_allocator(counting_allocator<void*>(live, total), [&](auto const&...) {
            LOCKED_TEST(live == 0);
            ++calls;
        });

    // One at a time, so that what is still allocated can only belong to the handler being called.
    auto const step = [&](auto const& start) {
        auto const before = total.load();
        start();
        BOOST_TEST(total > before);
        run(ctx);
        ctx.restart();
    };
    step([&] { asio::post(ctx, handler); });
    step([&] { asio::defer(ctx, handler); });
    step([&] { asio::dispatch(ctx, handler); });
    step([&] { asio::post(strand, handler); });
    step([&] { timer.async_wait(handler); });
    step([&] { timer.async_wait(asio::bind_executor(strand, handler)); });
    step([&] {
        a.async_read_some(asio::buffer(byte), handler);
        asio::write(b, asio::buffer(byte));
    });
    BOOST_TEST(calls == 7);
    BOOST_TEST(live == 0);
}

CONTEXT_TEST_CASE(cancellation_slots_cancel_one_operation_each, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(strand, 1h);
    asio::local::stream_protocol::socket a(strand);
    asio::local::stream_protocol::socket b(strand);
    asio::local::connect_pair(a, b);
    char byte = 0;
    asio::cancellation_signal stop_wait;
    asio::cancellation_signal stop_read;
    error_code wait_result;
    error_code read_result;
    bool other_still_waits = true;
    timer.async_wait(asio::bind_cancellation_slot(stop_wait.slot(), [&](error_code ec) {
        wait_result = ec;
        stop_read.emit(asio::cancellation_type::all);
    }));
    timer.async_wait([&](error_code) { other_still_waits = false; });
    a.async_read_some(asio::buffer(&byte, 1),
        asio::bind_cancellation_slot(stop_read.slot(), [&](error_code ec, std::size_t) {
            read_result = ec;
            LOCKED_TEST(other_still_waits);
            timer.cancel();
        }));
    asio::post(strand, [&] { stop_wait.emit(asio::cancellation_type::terminal); });
    run(ctx);
    BOOST_TEST((wait_result == asio::error::operation_aborted));
    BOOST_TEST((read_result == asio::error::operation_aborted));
    BOOST_TEST(!other_still_waits);
}

CONTEXT_TEST_CASE(parallel_group_waits_for_all, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer a(strand, 2ms);
    asio::steady_timer b(strand, 1ms);
    int completions = 0;
    asio::experimental::make_parallel_group(
        a.async_wait(asio::deferred), b.async_wait(asio::deferred))
        .async_wait(asio::experimental::wait_for_all(),
            [&](std::array<std::size_t, 2>, error_code first, error_code second) {
                LOCKED_TEST(!first, first.message());
                LOCKED_TEST(!second, second.message());
                ++completions;
            });
    run(ctx);
    BOOST_TEST(completions == 1);
}

CONTEXT_TEST_CASE(parallel_group_cancels_the_rest, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer a(strand, 1h);
    asio::steady_timer b(strand, 1ms);
    std::size_t first_done = 99;
    error_code result_a;
    asio::experimental::make_parallel_group(
        a.async_wait(asio::deferred), b.async_wait(asio::deferred))
        .async_wait(asio::experimental::wait_for_one(),
            [&](std::array<std::size_t, 2> order, error_code ec, error_code) {
                first_done = order[0];
                result_a = ec;
            });
    run(ctx);
    BOOST_TEST(first_done == 1u);
    BOOST_TEST((result_a == asio::error::operation_aborted));
}

// run() may return only after the guard is gone and everything posted has run.
CONTEXT_TEST_CASE(a_work_guard_keeps_run_running, s)
{
    context ctx(s);
    std::atomic<bool> returned{false};
    bool early = true;
    bool late_ran = false;
    {
        auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
        std::thread outside([&] {
            auto first = asio::post(ctx, asio::use_future([] {}));
            bool const in_time = first.wait_for(patience) == std::future_status::ready;
            LOCKED_TEST(in_time);
            early = returned; // nothing is queued any more: only the guard holds run() now
            asio::post(ctx, [&] { late_ran = true; });
            work.reset();
        });
        run(ctx);
        returned = true;
        outside.join();
    }
    BOOST_TEST(!early);
    BOOST_TEST(late_ran);
    BOOST_TEST(ctx.stopped());
}

CONTEXT_TEST_CASE(dispatch_is_inline_on_a_thread_of_the_context, s)
{
    context ctx(s);
    bool inline_call = false;
    bool inline_execute = false;
    std::atomic<int> posted{0};
    asio::post(ctx, [&] {
        auto const here = std::this_thread::get_id();
        asio::dispatch(ctx, [&] { inline_call = std::this_thread::get_id() == here; });
        ctx.get_executor().execute([&] { inline_execute = std::this_thread::get_id() == here; });
        // Read at once: only a call from inside can have written them.
        LOCKED_TEST(inline_call);
        LOCKED_TEST(inline_execute);
        asio::post(ctx, [&] { ++posted; });
        asio::defer(ctx, [&] { ++posted; });
    });
    run(ctx);
    BOOST_TEST(posted == 2);
}

// blocking.never means never inline: the call must have returned before the function can run here.
CONTEXT_TEST_CASE(post_is_never_inline, s)
{
    context ctx(s);
    std::atomic<int> nested{0};
    thread_local int depth = 0;
    asio::post(ctx, [&] {
        ++depth;
        auto const never_inside = [&] {
            if (depth != 0)
                ++nested;
        };
        asio::post(ctx, never_inside);
        asio::defer(ctx, never_inside);
        asio::require(ctx.get_executor(), asio::execution::blocking.never).execute(never_inside);
        --depth;
    });
    run(ctx);
    BOOST_TEST(nested == 0);
}

BOOST_AUTO_TEST_SUITE_END()
