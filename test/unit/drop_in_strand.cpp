// Strands over the executors of a strategy_context: serial, in order, whichever threads run them.

#include "support.hpp"

#include <array>
#include <latch>
#include <memory>
#include <numeric>

using namespace support;
using boost::system::error_code;

BOOST_AUTO_TEST_SUITE(drop_in_strand)

// Each thread posts its own numbers: the strand may mix the threads, but not the numbers of one.
CONTEXT_TEST_CASE(serialises_what_many_threads_post, s)
{
    constexpr int threads = 4;
    constexpr int posts = 2000;
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    overlap inside;
    std::array<std::vector<int>, threads> seen; // touched on the strand only

    auto work = std::make_unique<asio::executor_work_guard<executor>>(ctx.get_executor());
    std::vector<std::thread> posters;
    for (std::size_t t = 0; t < threads; ++t)
        posters.emplace_back([&, t] {
            for (int i = 0; i < posts; ++i)
                asio::post(strand, [&, t, i] {
                    inside.enter();
                    seen[t].push_back(i);
                    inside.leave();
                });
        });
    std::thread closer([&] {
        for (auto& p : posters)
            p.join();
        work.reset();
    });
    run(ctx);
    closer.join();

    std::vector<int> expected(posts);
    std::iota(expected.begin(), expected.end(), 0);
    for (auto const& one : seen)
        BOOST_TEST(one == expected, boost::test_tools::per_element());
    BOOST_TEST(!inside.seen());
}

// The handlers of one strand meet with those of others, each strand keeps its own apart.
CONTEXT_TEST_CASE(strands_do_not_mix, s)
{
    constexpr std::size_t strands = 8;
    constexpr int posts = 500;
    context ctx(s);
    std::vector<asio::strand<executor>> all;
    for (std::size_t i = 0; i < strands; ++i)
        all.push_back(asio::make_strand(ctx));
    std::array<overlap, strands> inside;
    std::array<int, strands> count{}; // each touched on its strand only
    for (int n = 0; n < posts; ++n)
        for (std::size_t i = 0; i < strands; ++i)
            asio::post(all[i], [&, i] {
                inside[i].enter();
                ++count[i];
                inside[i].leave();
            });
    run(ctx);
    for (std::size_t i = 0; i < strands; ++i)
    {
        BOOST_TEST(count[i] == posts);
        BOOST_TEST(!inside[i].seen());
    }
}

CONTEXT_TEST_CASE(dispatch_is_inline_on_the_strand_post_is_not, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    std::vector<int> order;
    bool inside = false;
    asio::post(strand, [&] {
        inside = strand.running_in_this_thread();
        asio::post(strand, [&] { order.push_back(3); });
        asio::defer(strand, [&] { order.push_back(4); });
        asio::dispatch(strand, [&] { order.push_back(1); });
        order.push_back(2);
    });
    run(ctx);
    BOOST_TEST(inside);
    BOOST_TEST(!strand.running_in_this_thread());
    BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
}

// A post from a strand to itself must not nest: the stack of 10^5 of them would not fit.
CONTEXT_TEST_CASE(posting_to_itself_does_not_recurse, s)
{
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    int left = 100000;
    struct again
    {
        asio::strand<executor> strand;
        int& left;
        void operator()() const
        {
            if (--left > 0)
                asio::post(strand, *this);
        }
    };
    asio::post(strand, again{strand, left});
    run(ctx);
    BOOST_TEST(left == 0);
}

CONTEXT_TEST_CASE(serialises_completions_of_io_objects, s)
{
    constexpr std::size_t count = 200;
    context ctx(s);
    auto const strand = asio::make_strand(ctx);
    overlap inside;
    int done = 0; // touched on the strand only
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    for (std::size_t i = 0; i < count; ++i)
    {
        // Half of the timers live on the strand, half only complete there.
        bool const lives_there = i % 2 == 0;
        timers.push_back(lives_there ? std::make_unique<asio::steady_timer>(strand, 1ms)
                                     : std::make_unique<asio::steady_timer>(ctx, 1ms));
        auto handler = [&](error_code ec) {
            inside.enter();
            LOCKED_TEST(!ec, ec.message());
            LOCKED_TEST(strand.running_in_this_thread());
            ++done;
            inside.leave();
        };
        if (lives_there)
            timers.back()->async_wait(handler);
        else
            timers.back()->async_wait(asio::bind_executor(strand, handler));
    }
    run(ctx);
    BOOST_TEST(done == static_cast<int>(count));
    BOOST_TEST(!inside.seen());
}

CONTEXT_TEST_CASE(a_strand_over_any_io_executor, s)
{
    context ctx(s);
    asio::strand<asio::any_io_executor> const strand(ctx.get_executor());
    asio::any_io_executor const erased(strand);
    overlap inside;
    int done = 0;
    for (int i = 0; i < 1000; ++i)
        asio::post(erased, [&] {
            inside.enter();
            ++done;
            inside.leave();
        });
    run(ctx);
    BOOST_TEST(done == 1000);
    BOOST_TEST(!inside.seen());
}

// While one strand waits for another, the other must be able to run, unless handlers never overlap.
CONTEXT_TEST_CASE(two_strands_can_run_at_a_time, s)
{
    if (s.serial)
        return;
    context ctx(s);
    auto const a = asio::make_strand(ctx);
    auto const b = asio::make_strand(ctx);
    std::latch both(2);
    asio::post(a, [&] { both.arrive_and_wait(); });
    asio::post(b, [&] { both.arrive_and_wait(); });
    run(ctx);
    BOOST_TEST(both.try_wait());
}

CONTEXT_TEST_CASE(a_strand_outlives_its_handlers_queue, s)
{
    context ctx(s);
    std::atomic<int> ran{0};
    {
        auto const strand = asio::make_strand(ctx);
        for (int i = 0; i < 100; ++i)
            asio::post(strand, [&] { ++ran; });
    }
    run(ctx);
    BOOST_TEST(ran == 100);
}

BOOST_AUTO_TEST_SUITE_END()
