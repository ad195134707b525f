// What Boost.Asio's own tests expect of a strand, beyond what drop_in_strand.cpp says.

#include "support.hpp"

#include <latch>
#include <memory>
#include <stdexcept>
#include <type_traits>

using namespace support;

using strand = asio::strand<executor>;
using erased_strand = asio::strand<asio::any_io_executor>;

static_assert(asio::execution::is_executor<strand>::value);
static_assert(asio::execution::is_executor<erased_strand>::value);
static_assert(std::is_convertible_v<strand, asio::any_io_executor>);
static_assert(std::is_nothrow_copy_constructible_v<strand>);
static_assert(std::is_constructible_v<strand, executor>);
static_assert(asio::can_require_v<strand, asio::execution::blocking_t::never_t>);
static_assert(asio::can_require_v<strand, asio::execution::blocking_t::possibly_t>);
static_assert(asio::can_require_v<strand, asio::execution::outstanding_work_t::tracked_t>);
static_assert(asio::can_prefer_v<strand, asio::execution::relationship_t::continuation_t>);
static_assert(asio::can_query_v<strand, asio::execution::context_t>);

BOOST_AUTO_TEST_SUITE(asio_suite_strand)

CONTEXT_TEST_CASE(equality_is_identity, s)
{
    context ctx(s);
    strand const a = asio::make_strand(ctx);
    strand const b = asio::make_strand(ctx);
    strand const copy = a;
    BOOST_TEST((a == copy));
    BOOST_TEST((a != b));
    BOOST_TEST((asio::any_io_executor(a) == asio::any_io_executor(copy)));
    BOOST_TEST((asio::any_io_executor(a) != asio::any_io_executor(b)));
    BOOST_TEST((a.get_inner_executor() == ctx.get_executor()));
    BOOST_TEST(
        (&asio::query(a, asio::execution::context) == &static_cast<asio::execution_context&>(ctx)));
}

CONTEXT_TEST_CASE(copies_share_the_strand, s)
{
    context ctx(s);
    strand first = asio::make_strand(ctx);
    strand second = asio::make_strand(ctx);
    strand const copy = first;
    strand const moved = std::move(first);
    second = copy;
    overlap inside;
    int ran = 0; // touched on the strand only
    auto const handler = [&] {
        inside.enter();
        ++ran;
        inside.leave();
    };
    for (int i = 0; i < 500; ++i)
    {
        asio::post(copy, handler);
        asio::post(moved, handler);
        asio::post(second, handler);
        asio::require(copy, asio::execution::blocking.never).execute(handler);
        asio::prefer(moved, asio::execution::relationship.continuation).execute(handler);
    }
    run(ctx);
    BOOST_TEST(ran == 2500);
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(execute_from_outside_waits_for_run, s)
{
    context ctx(s);
    strand const st = asio::make_strand(ctx);
    std::atomic<int> ran{0};
    asio::dispatch(st, [&] { ++ran; });
    st.execute([&] { ++ran; });
    BOOST_TEST(ran == 0);
    run(ctx);
    BOOST_TEST(ran == 2);
}

// While a handler of the strand waits, a thread outside can post to it and other handlers can run.
CONTEXT_TEST_CASE(a_waiting_handler_holds_only_its_own_strand, s)
{
    if (s.serial)
        return;
    context ctx(s);
    strand const st = asio::make_strand(ctx);
    std::latch entered(1);
    std::latch release(1);
    int order = 0;
    int first = 0;
    int second = 0;
    asio::post(st, [&] {
        entered.count_down();
        release.wait();
        first = ++order;
    });
    asio::post(ctx, [&] {
        entered.wait();
        asio::dispatch(st, [&] { second = ++order; });
        asio::post(ctx, [&] { release.count_down(); });
    });
    run(ctx);
    BOOST_TEST(first == 1);
    BOOST_TEST(second == 2);
}

CONTEXT_TEST_CASE(an_exception_does_not_lock_the_strand, s)
{
    if (!s.steps_in_place)
        return;
    context ctx(s);
    strand const st = asio::make_strand(ctx);
    std::atomic<int> ran{0};
    for (int i = 0; i < 6; ++i)
        asio::post(st, [&, i] {
            ++ran;
            if (i % 2 == 1)
                throw std::runtime_error("odd");
        });
    int thrown = 0;
    while (!ctx.stopped())
    {
        try
        {
            ctx.run_one_for(patience);
        }
        catch (std::runtime_error const&)
        {
            ++thrown;
        }
    }
    BOOST_TEST(ran == 6);
    BOOST_TEST(thrown == 3);
}

CONTEXT_TEST_CASE(tracked_strands_keep_run_running, s)
{
    context ctx(s);
    auto a = std::make_unique<asio::executor_work_guard<strand>>(asio::make_strand(ctx));
    auto b = std::make_unique<asio::any_io_executor>(asio::prefer(
        asio::any_io_executor(asio::make_strand(ctx)), asio::execution::outstanding_work.tracked));
    auto const goes_on = [&] {
        ctx.run_for(1ms);
        return !ctx.stopped();
    };
    BOOST_TEST(goes_on());
    a.reset();
    BOOST_TEST(goes_on());
    b.reset();
    BOOST_TEST(ctx.run() == 0u);
    BOOST_TEST(ctx.stopped());
}

CONTEXT_TEST_CASE(running_in_this_thread_is_true_on_its_own_strand_only, s)
{
    context ctx(s);
    strand const a = asio::make_strand(ctx);
    strand const b = asio::make_strand(ctx);
    bool on_a = false;
    bool on_b = true;
    bool nested_a = false;
    bool nested_b = false;
    asio::post(a, [&] {
        on_a = a.running_in_this_thread();
        on_b = b.running_in_this_thread();
        // b is idle, so this is inline: within both.
        asio::dispatch(b, [&] {
            nested_a = a.running_in_this_thread();
            nested_b = b.running_in_this_thread();
        });
    });
    run(ctx);
    BOOST_TEST(on_a);
    BOOST_TEST(!on_b);
    BOOST_TEST(nested_a);
    BOOST_TEST(nested_b);
}

BOOST_AUTO_TEST_SUITE_END()
