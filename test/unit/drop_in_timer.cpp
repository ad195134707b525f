// steady_timer on a strategy_context.

#include "support.hpp"

#include <array>
#include <memory>
#include <numeric>

using namespace support;
using boost::system::error_code;
using std::chrono::steady_clock;

BOOST_AUTO_TEST_SUITE(drop_in_timer)

CONTEXT_TEST_CASE(expires_and_not_too_early, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 20ms);
    auto const expiry = timer.expiry();
    steady_clock::time_point at;
    timer.async_wait([&](error_code ec) {
        LOCKED_TEST(!ec, ec.message());
        at = steady_clock::now();
    });
    run(ctx);
    BOOST_TEST((at >= expiry));
}

CONTEXT_TEST_CASE(with_the_concrete_executor, s)
{
    using timer_type =
        asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, executor>;
    context ctx(s);
    timer_type timer(ctx.get_executor());
    timer.expires_after(1ms);
    bool expired = false;
    timer.async_wait([&](error_code ec) { expired = !ec; });
    run(ctx);
    BOOST_TEST(expired);
    BOOST_TEST((timer.get_executor() == ctx.get_executor()));
}

// A timer that has expired before the wait still completes through the context.
CONTEXT_TEST_CASE(a_wait_on_the_past_is_not_completed_inside_the_call, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, steady_clock::now() - 1s);
    bool completed = false;
    timer.async_wait([&](error_code ec) { completed = !ec; });
    BOOST_TEST(!completed);
    run(ctx);
    BOOST_TEST(completed);
}

CONTEXT_TEST_CASE(many_timers_each_once, s)
{
    constexpr int count = 2000;
    context ctx(s);
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    std::vector<std::atomic<int>> fired(count);
    for (int i = 0; i < count; ++i)
    {
        auto const n = static_cast<std::size_t>(i);
        // Neither sorted nor all different: the heap has something to do.
        timers.push_back(std::make_unique<asio::steady_timer>(
            ctx, std::chrono::microseconds((i * 7919) % 20000)));
        timers.back()->async_wait([&fired, n](error_code ec) { fired[n] += ec ? 1000 : 1; });
    }
    run(ctx);
    for (auto const& f : fired)
        BOOST_TEST_REQUIRE(f == 1);
}

// Several threads pop the timers of a plain io_context, and may swap neighbours. A context that has
// one producer at a time completes them in the order of their expiry, and a strand keeps it.
CONTEXT_TEST_CASE(a_strand_sees_the_order_of_expiry, s)
{
    constexpr int count = 50;
    if (s.callers > 1)
        return;
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    auto const start = steady_clock::now();
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    std::vector<int> order;
    for (int i = 0; i < count; ++i)
    {
        int const rank = (i * 17) % count;
        timers.push_back(std::make_unique<asio::steady_timer>(
            ctx, start + std::chrono::microseconds(100 * rank)));
        timers.back()->async_wait(
            asio::bind_executor(strand, [&order, rank](error_code) { order.push_back(rank); }));
    }
    run(ctx);
    std::vector<int> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    BOOST_TEST(order == expected, boost::test_tools::per_element());
}

CONTEXT_TEST_CASE(cancel_from_a_handler, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    std::array<error_code, 2> seen;
    std::size_t cancelled = 0;
    timer.async_wait([&](error_code ec) { seen[0] = ec; });
    timer.async_wait([&](error_code ec) { seen[1] = ec; });
    asio::post(ctx, [&] { cancelled = timer.cancel(); });
    run(ctx);
    BOOST_TEST(cancelled == 2u);
    BOOST_TEST((seen[0] == asio::error::operation_aborted));
    BOOST_TEST((seen[1] == asio::error::operation_aborted));
}

CONTEXT_TEST_CASE(cancel_one_takes_the_oldest, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    auto const strand = asio::make_strand(ctx);
    std::vector<int> aborted;
    for (int i = 0; i < 3; ++i)
        timer.async_wait(asio::bind_executor(strand, [&aborted, &timer, i](error_code ec) {
            LOCKED_TEST((ec == asio::error::operation_aborted));
            aborted.push_back(i);
            timer.cancel_one();
        }));
    asio::post(strand, [&] { timer.cancel_one(); });
    run(ctx);
    BOOST_TEST(aborted == (std::vector<int>{0, 1, 2}), boost::test_tools::per_element());
}

CONTEXT_TEST_CASE(a_new_expiry_aborts_the_old_wait, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1h);
    error_code first;
    bool second = false;
    timer.async_wait([&](error_code ec) { first = ec; });
    asio::post(ctx, [&] {
        LOCKED_TEST(timer.expires_after(1ms) == 1u);
        timer.async_wait([&](error_code ec) { second = !ec; });
    });
    run(ctx);
    BOOST_TEST((first == asio::error::operation_aborted));
    BOOST_TEST(second);
}

CONTEXT_TEST_CASE(a_timer_destroyed_while_waiting_aborts_the_wait, s)
{
    context ctx(s);
    auto timer = std::make_unique<asio::steady_timer>(ctx, 1h);
    error_code seen;
    timer->async_wait([&](error_code ec) { seen = ec; });
    asio::post(ctx, [&] { timer.reset(); });
    run(ctx);
    BOOST_TEST((seen == asio::error::operation_aborted));
}

// An earlier expiry than the one the context is waiting for must interrupt that wait.
CONTEXT_TEST_CASE(an_earlier_timer_from_outside_interrupts_the_wait, s)
{
    context ctx(s);
    asio::steady_timer late(ctx, 1h);
    late.async_wait([](error_code) {});
    std::thread outside([&] {
        asio::steady_timer early(ctx, 1ms);
        bool expired = false;
        std::mutex mutex;
        std::condition_variable changed;
        early.async_wait([&](error_code) {
            std::lock_guard const lock(mutex);
            expired = true;
            changed.notify_one();
        });
        std::unique_lock lock(mutex);
        bool const in_time = changed.wait_for(lock, patience, [&] { return expired; });
        LOCKED_TEST(in_time);
        asio::post(ctx, [&] { late.cancel(); });
    });
    run(ctx);
    outside.join();
}

CONTEXT_TEST_CASE(a_chain_of_short_timers, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx);
    struct tick
    {
        asio::steady_timer& timer;
        int& left;

        void operator()(error_code ec) const
        {
            LOCKED_TEST(!ec, ec.message());
            if (--left == 0)
                return;
            timer.expires_after(10us);
            timer.async_wait(*this);
        }
    };
    int left = 300;
    timer.async_wait(tick{timer, left});
    run(ctx);
    BOOST_TEST(left == 0);
}

BOOST_AUTO_TEST_SUITE_END()
