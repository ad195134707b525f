// What Boost.Asio's own tests expect of its timers, beyond what drop_in_timer.cpp says.

#include "support.hpp"

#include <array>

using namespace support;
using boost::system::error_code;
using std::chrono::steady_clock;

BOOST_AUTO_TEST_SUITE(asio_suite_steady_timer)

CONTEXT_TEST_CASE(expiry_is_what_was_set, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx);
    BOOST_TEST((timer.expiry() == steady_clock::time_point()));
    auto const at = steady_clock::now() + 1h;
    BOOST_TEST(timer.expires_at(at) == 0u);
    BOOST_TEST((timer.expiry() == at));
    auto const before = steady_clock::now();
    timer.expires_after(1h);
    BOOST_TEST((timer.expiry() >= before + 1h));
    BOOST_TEST(timer.cancel() == 0u);
    BOOST_TEST(timer.cancel_one() == 0u);
}

CONTEXT_TEST_CASE(waits_in_the_calling_thread, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 5ms);
    auto const expiry = timer.expiry();
    timer.wait();
    BOOST_TEST((steady_clock::now() >= expiry));
    error_code ec = asio::error::would_block;
    timer.wait(ec); // has expired: returns at once
    BOOST_TEST(!ec);
}

CONTEXT_TEST_CASE(ticks_at_equal_distances, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1ms);
    auto const start = timer.expiry();
    int left = 10;
    struct tick
    {
        asio::steady_timer& timer;
        int& left;

        void operator()(error_code ec) const
        {
            LOCKED_TEST(!ec, ec.message());
            if (--left == 0)
                return;
            timer.expires_at(timer.expiry() + 1ms);
            timer.async_wait(*this);
        }
    };
    timer.async_wait(tick{timer, left});
    run(ctx);
    BOOST_TEST(left == 0);
    BOOST_TEST((timer.expiry() == start + 9ms));
}

CONTEXT_TEST_CASE(cancelling_too_late_changes_nothing, s)
{
    context ctx(s);
    asio::steady_timer timer(ctx, 1ms);
    error_code result = asio::error::would_block;
    timer.async_wait([&](error_code ec) { result = ec; });
    run(ctx);
    BOOST_TEST(timer.cancel() == 0u);
    ctx.restart();
    BOOST_TEST(ctx.poll() == 0u);
    BOOST_TEST(!result);
}

// A handler that is already queued when the timer is cancelled still sees success.
CONTEXT_TEST_CASE(a_queued_completion_cannot_be_cancelled, s)
{
    if (!s.serial)
        return;
    context ctx(s);
    std::array<error_code, 2> result{asio::error::would_block, asio::error::would_block};
    asio::steady_timer first(ctx, steady_clock::now() - 1s);
    asio::steady_timer second(ctx, steady_clock::now() - 1s);
    std::size_t cancelled = 99;
    auto const handler = [&](std::size_t me, asio::steady_timer& other) {
        return [&, me](error_code ec) {
            result[me] = ec;
            if (cancelled == 99)
                cancelled = other.cancel();
        };
    };
    first.async_wait(handler(0, second));
    second.async_wait(handler(1, first));
    run(ctx);
    // Both have expired, but a context need not take the two from the timer queue at once.
    auto const aborted = (result[0] == asio::error::operation_aborted ? 1u : 0u)
        + (result[1] == asio::error::operation_aborted ? 1u : 0u);
    BOOST_TEST(cancelled == aborted);
    BOOST_TEST((result[0] != asio::error::would_block));
    BOOST_TEST((result[1] != asio::error::would_block));
}

CONTEXT_TEST_CASE(moved_timers_keep_their_waits, s)
{
    context ctx(s);
    asio::steady_timer first(ctx, 1h);
    std::atomic<int> kept{0};
    std::atomic<int> overwritten{0};
    first.async_wait([&](error_code) { ++kept; });
    asio::steady_timer second(std::move(first));
    asio::steady_timer third(ctx, 1h);
    third.async_wait([&](error_code ec) { overwritten += ec ? 1 : 100; });
    third = std::move(second); // its own wait ends, the other's goes on
    ctx.poll();
    BOOST_TEST(eventually([&] { return overwritten == 1; }));
    BOOST_TEST(kept == 0);
    BOOST_TEST(third.cancel() == 1u);
    run(ctx);
    BOOST_TEST(kept == 1);
}

CONTEXT_TEST_CASE(timers_of_other_clocks, s)
{
    context ctx(s);
    asio::system_timer system(ctx, 1ms);
    asio::high_resolution_timer high(ctx, 1ms);
    std::atomic<int> expired{0};
    system.async_wait([&](error_code ec) { expired += ec ? 100 : 1; });
    high.async_wait([&](error_code ec) { expired += ec ? 100 : 1; });
    run(ctx);
    BOOST_TEST(expired == 2);
}

CONTEXT_TEST_CASE(a_timer_belongs_to_its_executor, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    asio::steady_timer timer(strand);
    BOOST_TEST((timer.get_executor() == asio::any_io_executor(strand)));
    BOOST_TEST(
        (asio::steady_timer(ctx).get_executor() == asio::any_io_executor(ctx.get_executor())));
}

// Waiting handlers count as work, and so do those of a timer made from a strand or an erased
// executor.
CONTEXT_TEST_CASE(a_wait_keeps_run_running, s)
{
    context ctx(s);
    asio::steady_timer a(ctx, 1h);
    asio::steady_timer b(asio::make_strand(ctx), 1h);
    asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, executor> c(
        ctx.get_executor(), 1h);
    std::atomic<int> aborted{0};
    auto const count = [&](error_code) { ++aborted; };
    auto const goes_on = [&] {
        ctx.run_for(1ms);
        return !ctx.stopped();
    };
    a.async_wait(count);
    BOOST_TEST(goes_on());
    a.cancel();
    b.async_wait(count);
    BOOST_TEST(goes_on());
    b.cancel();
    c.async_wait(count);
    BOOST_TEST(goes_on());
    c.cancel();
    run(ctx);
    BOOST_TEST(ctx.stopped());
    BOOST_TEST(aborted == 3);
}

BOOST_AUTO_TEST_SUITE_END()
