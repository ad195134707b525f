// Types of tasks that overran the grace, as a context knows them.

#include "pool_support.hpp"

#include <functional>
#include <set>

BOOST_AUTO_TEST_SUITE(grace_learning)

namespace {

using namespace support;

constexpr ewyk::strategy_t lenders[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

// Nothing is late by itself.
ewyk::strategy_options endless(ewyk::strategy_t s, bool learning)
{
    return {.strategy = s, .grace = 24h, .learning = learning, .max_threads = 4};
}

// Tasks of one type, until they have been late often enough. They are late by saying so.
struct blocker
{
    std::function<void()> what;
    void operator()() const { what(); }
};

// So few that the context does not ask whether lending pays at all.
void teach(ewyk::strategy_context& ctx)
{
    for (int i = 0; i != 8; ++i)
    {
        asio::post(ctx, blocker{[] { ewyk::blocking_section const late; }});
        BOOST_TEST(ctx.run() == 1u);
        ctx.restart();
    }
}

} // namespace

// It may wait for another task at once, although it does not say so any more.
BOOST_DATA_TEST_CASE(a_type_that_was_late_is_handed_over_before_it_runs, lenders, s)
{
    event ran;
    ewyk::strategy_context ctx(endless(s, true));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    teach(ctx);
    bool waited = false;
    asio::post(ctx, blocker{[&] {
        asio::post(ctx, [&] { ran.set(); });
        waited = ran.wait();
    }});
    ctx.run();
    BOOST_TEST(waited);
}

BOOST_DATA_TEST_CASE(a_type_that_was_late_stays_where_it_is_if_nothing_is_learned, lenders, s)
{
    ewyk::strategy_context ctx(endless(s, false));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    teach(ctx);
    std::set<std::thread::id> threads;
    for (int i = 0; i != 50; ++i)
        asio::post(ctx, blocker{[&] { threads.insert(std::this_thread::get_id()); }});
    BOOST_TEST(ctx.run() == 50u);
    BOOST_TEST(threads.size() == 1u);
}

BOOST_DATA_TEST_CASE(other_types_stay_where_they_are, lenders, s)
{
    ewyk::strategy_context ctx(endless(s, true));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    teach(ctx);
    std::set<std::thread::id> threads;
    for (int i = 0; i != 50; ++i)
        asio::post(ctx, [&] { threads.insert(std::this_thread::get_id()); });
    BOOST_TEST(ctx.run() == 50u);
    BOOST_TEST(threads.size() == 1u);
}

// Whatever comes through an any_io_executor has the same type, which stands for fast ones as well:
// nothing is learned of it.
BOOST_DATA_TEST_CASE(a_type_that_is_erased_is_not_learned, lenders, s)
{
    ewyk::strategy_context ctx(endless(s, true));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    for (int i = 0; i != 8; ++i)
    {
        asio::steady_timer timer(ctx, 0ms);
        timer.async_wait([](auto) { ewyk::blocking_section const late; });
        BOOST_TEST(ctx.run() == 1u);
        ctx.restart();
    }
    asio::any_io_executor const erased(ctx.get_executor());
    std::set<std::thread::id> threads;
    for (int i = 0; i != 50; ++i)
        asio::post(erased, [&] { threads.insert(std::this_thread::get_id()); });
    BOOST_TEST(ctx.run() == 50u);
    BOOST_TEST(threads.size() == 1u);
}

BOOST_DATA_TEST_CASE(the_type_of_an_io_handler_is_learned_with_a_strategy_executor, lenders, s)
{
    using timer_type = asio::basic_waitable_timer<std::chrono::steady_clock,
        asio::wait_traits<std::chrono::steady_clock>, ewyk::strategy_executor>;
    struct handler
    {
        std::function<void()> what;
        void operator()(boost::system::error_code) const { what(); }
    };

    event ran;
    ewyk::strategy_context ctx(endless(s, true));
    deadline const d(ctx);
    BOOST_TEST_REQUIRE(warm_up(ctx.pool(), 4));
    timer_type timer(ctx.get_executor());
    auto const run = [&](std::function<void()> what) {
        timer.expires_after(0ms);
        timer.async_wait(handler{std::move(what)});
        ctx.run();
        ctx.restart();
    };
    for (int i = 0; i != 8; ++i)
        run([] { ewyk::blocking_section const late; });
    bool waited = false;
    run([&] {
        asio::post(ctx, [&] { ran.set(); });
        waited = ran.wait();
    });
    BOOST_TEST(waited);
}

BOOST_AUTO_TEST_SUITE_END()
