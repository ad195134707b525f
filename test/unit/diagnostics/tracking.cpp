// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What Asio's operations wait for, and where handlers spend their time. Compiled with Asio's hook,
// as a program of its own, and without it, where there is nothing to see.

#include "../pool_support.hpp"

#include <asio_ewyk/diagnostics/tracking.hpp>

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

BOOST_AUTO_TEST_SUITE(tracking)

namespace {

using namespace support;
using ewyk::tracking::operation;
using ewyk::tracking::operation_state;
using ewyk::tracking::site;

std::string dumped()
{
    std::ostringstream text;
    ewyk::dump(text);
    return text.str();
}

} // namespace

#if !defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)

BOOST_AUTO_TEST_CASE(has_nothing_where_it_is_not_compiled_in)
{
    asio::io_context ctx;
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait([](auto) {});
    asio::post(ctx, [] {});
    BOOST_TEST(ctx.poll() == 1u);
    BOOST_TEST(ewyk::tracking::pending().empty());
    BOOST_TEST(ewyk::tracking::profile().empty());
    BOOST_TEST(ewyk::tracking::untracked() == 0u);
    BOOST_TEST(dumped().find("deadline_timer") == std::string::npos);
}

#else

namespace {

// That what follows is created there, to the end of the block.
#define HERE BOOST_ASIO_HANDLER_LOCATION((__FILE__, __LINE__, __func__))

std::vector<operation> of(asio::execution_context const& ctx, operation_state state)
{
    auto all = ewyk::tracking::pending();
    std::erase_if(all, [&](operation const& o) { return o.context != &ctx || o.state != state; });
    return all;
}

operation the_one_of(asio::execution_context const& ctx, operation_state state)
{
    auto const all = of(ctx, state);
    BOOST_TEST_REQUIRE(all.size() == 1u);
    return all.front();
}

/// Of the site on that line of this file; all 0 if nothing has happened there.
site of_line(unsigned line)
{
    auto const all = ewyk::tracking::profile();
    auto const found = std::find_if(all.begin(), all.end(), [&](site const& s) {
        return s.location && s.location->line() == line
            && std::string_view(s.location->file_name()) == __FILE__;
    });
    return found == all.end() ? site() : *found;
}

struct handler_that_posts
{
    void operator()(boost::system::error_code) const { call(); }

    std::function<void()> call;
};

struct handler_of_a_strand
{
    void operator()(boost::system::error_code) const {}
};

/// Posts itself n times more.
struct chain
{
    void operator()() const
    {
        if (n != 0)
            asio::post(*ctx, chain{ctx, n - 1});
    }

    asio::io_context* ctx;
    int n;
};

} // namespace

// Whoever asks why run() does not return.
BOOST_AUTO_TEST_CASE(lists_all_that_leaked)
{
    constexpr std::size_t n = 1000;
    asio::io_context ctx;
    std::vector<asio::steady_timer> timers;
    unsigned line = 0;
    for (std::size_t i = 0; i != n; ++i)
    {
        timers.emplace_back(ctx, 1h);
        HERE; line = __LINE__;
        timers.back().async_wait([](auto) {});
    }
    ctx.poll();

    auto const all = of(ctx, operation_state::pending);
    BOOST_TEST(all.size() == n);
    for (operation const& o : all)
    {
        BOOST_TEST_REQUIRE(o.location.has_value());
        BOOST_TEST(o.location->line() == line);
        BOOST_TEST(o.location->file_name() == __FILE__);
        BOOST_TEST(o.kind == std::string_view("deadline_timer"));
        BOOST_TEST(o.name == std::string_view("async_wait"));
        BOOST_TEST(o.created_by == 0u);
        BOOST_TEST(o.type.empty());
    }
    BOOST_TEST(std::is_sorted(all.begin(), all.end(),
        [](operation const& a, operation const& b) { return a.age > b.age; }));

    std::vector<std::uint64_t> numbers;
    for (operation const& o : all)
        numbers.push_back(o.handler);
    std::sort(numbers.begin(), numbers.end());
    BOOST_TEST((std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end()));

    timers.clear();
    ctx.run();
    BOOST_TEST(of(ctx, operation_state::pending).empty());
    BOOST_TEST(of_line(line).handlers == n);
}

BOOST_AUTO_TEST_CASE(says_what_a_posted_function_is_doing)
{
    asio::io_context ctx;
    operation ran;
    {
        HERE;
        asio::post(ctx, [&] { ran = the_one_of(ctx, operation_state::running); });
    }
    operation const waits = the_one_of(ctx, operation_state::ready);
    BOOST_TEST(waits.kind == std::string_view("io_context"));
    BOOST_TEST(waits.thread_id == 0);
    ctx.run();
    BOOST_TEST(ran.handler == waits.handler);
    BOOST_TEST((ran.age >= ran.in_state));
#if defined(ASIO_EWYK_HAS_LINUX)
    BOOST_TEST(ran.thread_id == ::gettid());
#endif
    BOOST_TEST(of(ctx, operation_state::running).empty());
    BOOST_TEST(of(ctx, operation_state::destroyed).empty());
}

BOOST_AUTO_TEST_CASE(says_which_handler_created_it)
{
    asio::io_context ctx;
    std::uint64_t outer = 0;
    std::uint64_t inner = 0;
    asio::post(ctx, [&] {
        outer = the_one_of(ctx, operation_state::running).handler;
        asio::post(ctx, [&] {
            operation const o = the_one_of(ctx, operation_state::running);
            inner = o.created_by;
        });
    });
    ctx.run();
    BOOST_TEST(outer != 0u);
    BOOST_TEST(inner == outer);
}

BOOST_AUTO_TEST_CASE(lists_what_was_destroyed_without_being_called)
{
    unsigned line = 0;
    void const* gone = nullptr;
    {
        asio::io_context ctx;
        gone = static_cast<asio::execution_context*>(&ctx);
        HERE; line = __LINE__;
        asio::post(ctx, [] {});
    }
    auto all = ewyk::tracking::pending();
    std::erase_if(all, [&](operation const& o) {
        return o.context != gone || o.state != operation_state::destroyed || !o.location
            || o.location->line() != line;
    });
    BOOST_TEST(all.size() == 1u);
    BOOST_TEST(of_line(line).destroyed == 1u);
    BOOST_TEST(of_line(line).handlers == 0u);
    BOOST_TEST(dumped().find("destroyed without having been called") != std::string::npos);
}

// However many are destroyed, a limited number of them is kept.
BOOST_AUTO_TEST_CASE(keeps_the_last_that_were_destroyed)
{
    unsigned line = 0;
    {
        asio::io_context ctx;
        HERE; line = __LINE__;
        for (int i = 0; i != 1000; ++i)
            asio::post(ctx, [] {});
    }
    auto const all = ewyk::tracking::pending();
    BOOST_TEST(std::count_if(all.begin(), all.end(), [](operation const& o) {
        return o.state == operation_state::destroyed;
    }) == 64);
    BOOST_TEST(of_line(line).destroyed == 1000u);
}

BOOST_AUTO_TEST_CASE(counts_a_handler_that_throws)
{
    asio::io_context ctx;
    HERE; unsigned const line = __LINE__;
    asio::post(ctx, [] { throw std::runtime_error("expected"); });
    BOOST_CHECK_THROW(ctx.run(), std::runtime_error);
    BOOST_TEST(of_line(line).handlers == 1u);
    BOOST_TEST(of(ctx, operation_state::running).empty());
    BOOST_TEST(of(ctx, operation_state::destroyed).empty());
}

BOOST_AUTO_TEST_CASE(measures_how_long_handlers_wait_and_run)
{
    asio::io_context ctx;
    HERE; unsigned const line = __LINE__;
    for (int i = 0; i != 3; ++i)
        asio::post(ctx, [] { std::this_thread::sleep_for(2ms); });
    ctx.run();
    site const s = of_line(line);
    BOOST_TEST(s.handlers == 3u);
    BOOST_TEST(s.waits == 3u);
    // The second waits for the first, and the third for both.
    BOOST_TEST((s.waited >= 6ms));
    BOOST_TEST((s.longest_wait >= 4ms));
    BOOST_TEST((s.ran >= 6ms));
    BOOST_TEST((s.longest_run >= 2ms));
    BOOST_TEST((s.longest_run <= s.ran));
    BOOST_TEST(s.blocks == 0u);
    BOOST_TEST((s.blocked == 0ns));
    BOOST_TEST(dumped().find(": 3 handlers, ran") != std::string::npos);

    ewyk::tracking::reset_profile();
    BOOST_TEST(of_line(line).handlers == 0u);
    asio::post(ctx, [] {});
    ctx.restart();
    ctx.run();
    BOOST_TEST(of_line(line).handlers == 1u);
    // Of one handler: not that of one before.
    BOOST_TEST((of_line(line).longest_run == of_line(line).ran));
}

namespace {

constexpr ewyk::strategy_t leasing[]
    = {ewyk::strategy_t::execute_produce_consume, ewyk::strategy_t::eat_what_you_kill};

/// What the sites of two handlers say, the first of which waits until the second has run.
struct one_that_waits_and_another
{
    site waits;
    site other;
};

/// `says_so`: the first one has a blocking_section.
one_that_waits_and_another let_one_wait(
    ewyk::strategy_context& ctx, asio::any_io_executor const& ex, bool says_so = false)
{
    ewyk::tracking::reset_profile();
    deadline const d(ctx);
    event other;
    bool waited = false;
    unsigned first = 0;
    unsigned second = 0;
    {
        HERE; first = __LINE__;
        asio::post(ex, [&] {
            if (says_so)
            {
                ewyk::blocking_section const blocks;
                waited = other.wait();
            }
            else
                waited = other.wait();
        });
    }
    {
        HERE; second = __LINE__;
        asio::post(ex, [&] { other.set(); });
    }
    ctx.run();
    BOOST_TEST(waited);
    return {of_line(first), of_line(second)};
}

void check_blocked(site const& s)
{
    BOOST_TEST(s.handlers == 1u);
    BOOST_TEST(s.blocks == 1u);
    BOOST_TEST((s.blocked > 0ns));
    BOOST_TEST((s.blocked <= s.ran));
    BOOST_TEST((s.longest_block == s.blocked));
}

} // namespace

// Elsewhere a thread has no number for the watchdog to know it by.
#if defined(ASIO_EWYK_HAS_LINUX) || defined(ASIO_EWYK_HAS_WINDOWS)

// Native ones, those of the library's executor, and those that it wraps since something counts.
BOOST_DATA_TEST_CASE(says_which_handler_was_late, leasing, s)
{
    ewyk::strategy_options const o{.strategy = s, .max_threads = 4};
    for (bool const counts : {false, true})
    {
        ewyk::strategy_context native(o);
        ewyk::strategy_context own(o);
        if (counts)
        {
            (void)native.metrics();
            (void)own.metrics();
        }
        check_blocked(
            let_one_wait(native, static_cast<asio::io_context&>(native).get_executor()).waits);
        check_blocked(let_one_wait(own, own.get_executor()).waits);
        BOOST_TEST(dumped().find("; 1 blocked for ") != std::string::npos);
    }
}

namespace {

/// Looks at the record of the thread that it is about to take over from.
struct lessor_that_looks final : ewyk::detail::lessor
{
    void take_over(ewyk::detail::lease::number n) noexcept override
    {
        said = late.taken_over();
        if (watch.right().end(n))
            over.set();
    }

    void ask_for_sign() noexcept override {}
    bool has_sign() const noexcept override { return false; }
    bool is_alone() const noexcept override { return true; }
    bool is_lent(ewyk::detail::lease::snapshot const&) const noexcept override { return false; }
    void wake_owner() noexcept override {}
    bool on_check(ewyk::detail::time_point, ewyk::detail::lease::snapshot const&,
        bool) noexcept override
    {
        return false;
    }
    void release(ewyk::detail::lease::number) noexcept override {}
    void enter_section(ewyk::detail::call_frame&) noexcept override {}
    void leave_section(ewyk::detail::call_frame&) noexcept override {}

    ewyk::detail::thread_activity const& late = ewyk::detail::thread_activity::mine();
    ewyk::detail::tick_clock::ticks said = 0;
    event over;
    ewyk::detail::lease_watch watch{*this, 1ms};
};

} // namespace

// Otherwise a handler that waits for what the other thread does could end as if it had not blocked.
BOOST_AUTO_TEST_CASE(says_so_before_another_thread_may_come)
{
    lessor_that_looks of;
    auto const before = ewyk::detail::tick_clock::now();
    ewyk::detail::lease::number n = 0;
    BOOST_TEST_REQUIRE(of.watch.right().acquire(n, false));
    of.watch.mark_busy(n);
    BOOST_TEST_REQUIRE(of.over.wait());
    BOOST_TEST(of.said > before);
    BOOST_TEST(of.said < ewyk::detail::tick_clock::now());
}

#endif

// Nothing is late where the grace does not end: the one that says so has blocked, and no other.
BOOST_DATA_TEST_CASE(says_which_handler_has_said_that_it_blocks, leasing, s)
{
    for (bool const is_native : {false, true})
    {
        ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 4});
        asio::io_context& ioc = ctx;
        asio::any_io_executor const ex = is_native ? asio::any_io_executor(ioc.get_executor())
                                                   : asio::any_io_executor(ctx.get_executor());
        auto const sites = let_one_wait(ctx, ex, true);
        check_blocked(sites.waits);
        BOOST_TEST(sites.other.handlers == 1u);
        BOOST_TEST(sites.other.blocks == 0u);
        BOOST_TEST((sites.other.blocked == 0ns));
        BOOST_TEST((sites.other.longest_block == 0ns));

        // On a thread that was taken over from in an earlier handler.
        unsigned line = 0;
        {
            HERE; line = __LINE__;
            asio::post(ex, [] {});
        }
        ctx.restart();
        ctx.run();
        BOOST_TEST(of_line(line).handlers == 1u);
        BOOST_TEST(of_line(line).blocks == 0u);
        ewyk::tracking::reset_profile();
        BOOST_TEST(dumped().find(" blocked for ") == std::string::npos);
    }
}

// What runs a handler of a strand has blocked as that has.
BOOST_DATA_TEST_CASE(says_that_what_runs_a_handler_has_blocked, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 4});
    asio::io_context& ioc = ctx;
    auto const strand = asio::make_strand(ioc);
    ewyk::tracking::reset_profile();
    unsigned line = 0;
    {
        HERE; line = __LINE__;
        asio::post(strand, [] { ewyk::blocking_section const blocks; });
    }
    ctx.run();
    std::size_t sites = 0;
    for (site const& each : ewyk::tracking::profile())
        if (each.location && each.location->line() == line)
        {
            ++sites;
            BOOST_TEST(each.handlers == 1u);
            BOOST_TEST(each.blocks == 1u);
        }
    BOOST_TEST(sites == 2u);
}

// With produce_consume, which takes its right back at the end of a section.
BOOST_AUTO_TEST_CASE(says_nothing_of_what_takes_its_right_back)
{
    ewyk::strategy_context ctx({.strategy = ewyk::strategy_t::produce_consume});
    auto const sites = let_one_wait(ctx, ctx.get_executor(), true);
    for (site const& s : {sites.waits, sites.other})
    {
        BOOST_TEST(s.handlers == 1u);
        BOOST_TEST(s.blocks == 0u);
    }
}

// The handler of a plain io_context, on a thread that comes to a context of ours only inside of it.
BOOST_DATA_TEST_CASE(says_that_what_runs_a_context_has_blocked, leasing, s)
{
    ewyk::tracking::reset_profile();
    asio::io_context plain;
    unsigned inside = 0;
    auto const runs_one = [&] {
        ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 4});
        {
            HERE; inside = __LINE__;
            asio::post(static_cast<asio::io_context&>(ctx), [] {
                ewyk::blocking_section const blocks;
            });
        }
        ctx.run();
    };
    unsigned outside = 0;
    {
        HERE; outside = __LINE__;
        asio::post(plain, runs_one);
    }
    std::thread([&] { plain.run(); }).join();
    check_blocked(of_line(outside));
    check_blocked(of_line(inside));
}

// What runs at that moment, whichever context it is of; not what has run before, nor what comes.
BOOST_DATA_TEST_CASE(says_that_what_a_handler_runs_has_blocked, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 4});
    ewyk::tracking::reset_profile();
    std::array<unsigned, 3> inside{};
    auto const runs_three = [&] {
        asio::io_context plain;
        {
            HERE; inside[0] = __LINE__;
            asio::post(plain, [] {});
        }
        {
            HERE; inside[1] = __LINE__;
            asio::post(plain, [] { ewyk::blocking_section const blocks; });
        }
        {
            HERE; inside[2] = __LINE__;
            asio::post(plain, [] {});
        }
        plain.run();
    };
    unsigned outside = 0;
    {
        HERE; outside = __LINE__;
        asio::post(static_cast<asio::io_context&>(ctx), runs_three);
    }
    ctx.run();
    check_blocked(of_line(outside));
    check_blocked(of_line(inside[1]));
    for (unsigned const line : {inside[0], inside[2]})
    {
        BOOST_TEST(of_line(line).handlers == 1u);
        BOOST_TEST(of_line(line).blocks == 0u);
    }
}

// The call of run() gives the right away, as it may wait. The handler inside is another one.
BOOST_DATA_TEST_CASE(says_that_a_handler_has_blocked_which_calls_run, leasing, s)
{
    ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 4});
    ewyk::tracking::reset_profile();
    unsigned inside = 0;
    auto const runs_one = [&] {
        ewyk::strategy_context inner({.strategy = s, .grace = 24h, .max_threads = 4});
        {
            HERE; inside = __LINE__;
            asio::post(static_cast<asio::io_context&>(inner), [] {});
        }
        inner.run();
    };
    unsigned outside = 0;
    {
        HERE; outside = __LINE__;
        asio::post(static_cast<asio::io_context&>(ctx), runs_one);
    }
    ctx.run();
    check_blocked(of_line(outside));
    BOOST_TEST(of_line(inside).handlers == 1u);
    BOOST_TEST(of_line(inside).blocks == 0u);
}

// The last time counts.
BOOST_DATA_TEST_CASE(says_once_that_a_handler_has_blocked_twice, leasing, s)
{
    using clock = std::chrono::steady_clock;
    ewyk::strategy_context ctx({.strategy = s, .grace = 24h, .max_threads = 4});
    ewyk::tracking::reset_profile();
    clock::time_point second;
    auto const blocks_twice = [&] {
        {
            ewyk::blocking_section const blocks;
            std::this_thread::sleep_for(50ms);
        }
        second = clock::now();
        ewyk::strategy_context inner({.strategy = s, .grace = 24h, .max_threads = 4});
        asio::post(static_cast<asio::io_context&>(inner), [] {
            ewyk::blocking_section const blocks;
        });
        inner.run();
    };
    unsigned line = 0;
    {
        HERE; line = __LINE__;
        asio::post(static_cast<asio::io_context&>(ctx), blocks_twice);
    }
    ctx.run();
    auto const at_most = clock::now() - second;
    check_blocked(of_line(line));
    BOOST_TEST((of_line(line).blocked <= at_most));
}

// Without a location, the type tells one site from another.
BOOST_AUTO_TEST_CASE(tells_sites_apart_by_the_type)
{
    asio::io_context ctx;
    asio::post(ctx, chain{&ctx, 9});
    operation const first = the_one_of(ctx, operation_state::ready);
    BOOST_TEST(!first.location);
    BOOST_TEST(first.type.ends_with("chain"), first.type);
    asio::post(ctx, [] {});
    ctx.run();
    auto const all = ewyk::tracking::profile();
    auto const found = std::find_if(all.begin(), all.end(),
        [](site const& s) { return s.type.ends_with("chain"); });
    BOOST_TEST_REQUIRE((found != all.end()));
    BOOST_TEST(!found->location);
    BOOST_TEST(found->handlers == 10u);
}

// The strand of a stream of Beast's has the handler from an any_io_executor, which hides the type.
BOOST_AUTO_TEST_CASE(tells_sites_of_a_strand_apart_by_the_type)
{
    asio::io_context ctx;
    asio::any_io_executor const strand = asio::make_strand(ctx);
    asio::steady_timer timer(strand, 1ms);
    timer.async_wait(handler_of_a_strand());
    ctx.run();
    auto const all = ewyk::tracking::profile();
    auto const found = std::find_if(all.begin(), all.end(), [](site const& s) {
        return s.kind == std::string_view("strand_executor")
            && s.type.ends_with("handler_of_a_strand");
    });
    BOOST_TEST_REQUIRE((found != all.end()));
    BOOST_TEST(found->handlers == 1u);
}

// What a handler submits is another one, also where the executor hides its type.
BOOST_AUTO_TEST_CASE(does_not_name_a_posted_function_by_the_handler_that_posts_it)
{
    for (bool const by_strand : {false, true})
    {
        asio::io_context ctx;
        asio::any_io_executor ex = ctx.get_executor();
        if (by_strand)
            ex = asio::make_strand(ctx);
        std::vector<std::string> types;
        asio::steady_timer timer(ex, 1ms);
        timer.async_wait(handler_that_posts{[&] {
            asio::post(ex, [] {});
            for (operation const& o : of(ctx, operation_state::ready))
                types.push_back(o.type);
        }});
        ctx.run();
        BOOST_TEST(!types.empty());
        for (std::string const& type : types)
            BOOST_TEST(type.find("handler_that_posts") == std::string::npos, type);
    }
}

#if defined(BOOST_ASIO_HAS_LOCAL_SOCKETS)

namespace {

struct socket_pair
{
    explicit socket_pair(asio::io_context& ctx) : a(ctx), b(ctx)
    {
        asio::local::connect_pair(a, b);
    }

    asio::local::stream_protocol::socket a;
    asio::local::stream_protocol::socket b;
};

} // namespace

// A composed operation goes on where it began.
BOOST_AUTO_TEST_CASE(keeps_the_place_of_a_composed_operation)
{
    asio::io_context ctx;
    socket_pair sockets(ctx);
    std::array<char, 2> two{};
    bool read = false;
    unsigned line = 0;
    {
        HERE; line = __LINE__;
        asio::async_read(sockets.a, asio::buffer(two), [&](auto, auto) { read = true; });
    }
    operation const first = the_one_of(ctx, operation_state::pending);
    BOOST_TEST(first.kind == std::string_view("socket"));
    BOOST_TEST(first.name == std::string_view("async_receive"));
    BOOST_TEST(first.composed == std::string_view("async_read"));
    BOOST_TEST(first.descriptor == static_cast<std::uintmax_t>(sockets.a.native_handle()));
    BOOST_TEST_REQUIRE(first.location.has_value());
    BOOST_TEST(first.location->line() == line);

    asio::write(sockets.b, asio::buffer("x", 1));
    BOOST_TEST(ctx.run_one() == 1u);
    BOOST_TEST(!read);
    operation const second = the_one_of(ctx, operation_state::pending);
    BOOST_TEST(second.created_by == first.handler);
    BOOST_TEST(second.composed == std::string_view("async_read"));
    BOOST_TEST_REQUIRE(second.location.has_value());
    BOOST_TEST(second.location->line() == line);

    asio::write(sockets.b, asio::buffer("y", 1));
    ctx.run();
    BOOST_TEST(read);
    BOOST_TEST(of_line(line).handlers == 2u);
    BOOST_TEST(of_line(line).waits == 2u);
}

// Over a strand, too, where another operation comes between the steps.
BOOST_AUTO_TEST_CASE(keeps_the_place_over_a_strand)
{
    asio::io_context ctx;
    socket_pair sockets(ctx);
    auto const strand = asio::make_strand(ctx);
    std::array<char, 2> two{};
    unsigned line = 0;
    {
        HERE; line = __LINE__;
        asio::async_read(
            sockets.a, asio::buffer(two), asio::bind_executor(strand, [](auto, auto) {}));
    }
    asio::write(sockets.b, asio::buffer("x", 1));
    ctx.poll();
    operation const second = the_one_of(ctx, operation_state::pending);
    BOOST_TEST_REQUIRE(second.location.has_value());
    BOOST_TEST(second.location->line() == line);
    BOOST_TEST(second.created_by != 0u);
    sockets.a.close();
    ctx.run();
}

namespace {

/// Calls f where an operation of Beast's does so, of that name.
template <class F>
void in_beast(char const* name, F f)
{
    BOOST_ASIO_HANDLER_LOCATION(("/usr/include/boost/beast/websocket/impl/read.hpp", 1, name));
    f();
}

} // namespace

// Its operations say where in its headers they are. That is not where the program is, and what the
// program has begun is the outermost of them.
BOOST_AUTO_TEST_CASE(keeps_the_place_of_an_operation_of_beast)
{
    static constexpr char read[] = "websocket::async_read";
    static constexpr char read_some[] = "websocket::async_read_some";
    asio::io_context ctx;
    socket_pair sockets(ctx);
    std::array<char, 1> one{};
    unsigned line = 0;
    auto const is_of_read = [&](operation const& o, char const* name) {
        BOOST_TEST(o.name == std::string_view(name));
        BOOST_TEST(o.composed == std::string_view(read));
        BOOST_TEST_REQUIRE(o.location.has_value());
        BOOST_TEST(o.location->line() == line);
        BOOST_TEST(o.location->file_name() == __FILE__);
    };
    // A step reads, the next one posts, and the last one waits for what is read again.
    auto const last = [&] {
        in_beast(read_some, [&] {
            sockets.a.async_receive(asio::buffer(one), [](auto, auto) {});
        });
    };
    auto const next = [&] {
        in_beast(read_some, [&] { asio::post(ctx, last); });
        is_of_read(the_one_of(ctx, operation_state::ready), "execute");
    };
    {
        HERE; line = __LINE__;
        in_beast(read, [&] {
            in_beast(read_some, [&] {
                sockets.a.async_receive(asio::buffer(one), [&](auto, auto) { next(); });
            });
        });
    }
    is_of_read(the_one_of(ctx, operation_state::pending), "async_receive");
    asio::write(sockets.b, asio::buffer("x", 1));
    ctx.run_one();
    ctx.poll();
    is_of_read(the_one_of(ctx, operation_state::pending), "async_receive");
    sockets.a.close();
    ctx.run();
}

// A callback that begins a composed operation by itself is not where the last one was.
BOOST_AUTO_TEST_CASE(does_not_invent_a_place)
{
    asio::io_context ctx;
    socket_pair sockets(ctx);
    std::array<char, 1> one{};
    {
        HERE;
        asio::post(ctx, [&] { asio::async_read(sockets.a, asio::buffer(one), [](auto, auto) {}); });
    }
    ctx.poll();
    operation const o = the_one_of(ctx, operation_state::pending);
    BOOST_TEST(!o.location);
    BOOST_TEST(o.composed == std::string_view("async_read"));
    sockets.a.close();
    ctx.run();
}

// With select() nothing is tried before the thread waits.
#if defined(BOOST_ASIO_HAS_EPOLL) || defined(BOOST_ASIO_HAS_KQUEUE)
BOOST_AUTO_TEST_CASE(knows_when_a_socket_is_ready)
{
    asio::io_context ctx;
    socket_pair sockets(ctx);
    std::array<char, 1> one{};
    asio::write(sockets.b, asio::buffer("x", 1));
    sockets.a.async_receive(asio::buffer(one), [](auto, auto) {});
    BOOST_TEST(the_one_of(ctx, operation_state::ready).kind == std::string_view("socket"));
    ctx.run();
}
#endif

#endif

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

BOOST_AUTO_TEST_CASE(knows_where_a_coroutine_waits)
{
    asio::io_context ctx;
    asio::steady_timer timer(ctx, 1h);
    unsigned line = 0;
    asio::co_spawn(
        ctx,
        [&]() -> asio::awaitable<void> {
            line = __LINE__ + 1;
            co_await timer.async_wait(asio::use_awaitable_t<>(__FILE__, __LINE__, __func__));
        },
        [](std::exception_ptr) {});
    ctx.poll();
    operation const o = the_one_of(ctx, operation_state::pending);
    BOOST_TEST_REQUIRE(o.location.has_value());
    BOOST_TEST(o.location->line() == line);
    BOOST_TEST(dumped().find("tracking.cpp:" + std::to_string(line)) != std::string::npos);
    timer.cancel();
    ctx.run();
}

// In a trace, and in a report of a stall: what resumes a coroutine has one type for all.
template <class Context>
void find_the_name_of_a_coroutine(Context& ctx, auto run)
{
    asio::steady_timer timer(ctx);
    unsigned line = 0;
    event over;
    ewyk::trace::start();
    asio::co_spawn(
        ctx,
        [&]() -> asio::awaitable<void> {
            timer.expires_after(1ms);
            line = __LINE__ + 1;
            co_await timer.async_wait(asio::use_awaitable_t<>(__FILE__, __LINE__, __func__));
        },
        [&](std::exception_ptr) { over.set(); });
    run();
    over.wait();
    ewyk::trace::stop();
    std::ostringstream out;
    ewyk::trace::write(out);
    BOOST_TEST(out.str().find("\"name\": \"tracking.cpp:" + std::to_string(line) + " async_wait\"")
            != std::string::npos,
        out.str());
}

BOOST_AUTO_TEST_CASE(names_the_handlers_of_a_coroutine)
{
    for (auto const s : {ewyk::strategy_t(ewyk::strategy.produce_consume),
             ewyk::strategy_t(ewyk::strategy.eat_what_you_kill)})
    {
        ewyk::strategy_context ctx(s);
        find_the_name_of_a_coroutine(ctx, [&] { ctx.run(); });
    }
    ewyk::event_loop loop;
    find_the_name_of_a_coroutine(loop, [] {});
}

// What a handler posts, or runs inside of itself, is another handler, whose place is not known.
BOOST_AUTO_TEST_CASE(names_no_handler_after_the_operation_of_another)
{
    std::vector<std::string> texts;
    for (bool const by_loop : {false, true})
    {
        ewyk::strategy_context ctx(ewyk::strategy.produce_consume);
        ewyk::event_loop loop;
        asio::any_io_executor const ex = by_loop ? asio::any_io_executor(loop.get_executor())
                                                 : asio::any_io_executor(ctx.get_executor());
        asio::steady_timer timer(ex);
        event over;
        ewyk::trace::start();
        asio::co_spawn(
            ex,
            [&]() -> asio::awaitable<void> {
                timer.expires_after(1ms);
                co_await timer.async_wait(asio::use_awaitable_t<>(__FILE__, __LINE__, __func__));
                asio::dispatch(ex, [] {});
                co_await asio::post(ex, asio::use_awaitable);
                co_await asio::post(ex, asio::use_awaitable);
            },
            [&](std::exception_ptr) { over.set(); });
        if (!by_loop)
            ctx.run();
        over.wait();
        ewyk::trace::stop();
        std::ostringstream out;
        ewyk::trace::write(out);
        texts.push_back(out.str());
    }
    for (std::string const& text : texts)
    {
        std::string const name = "async_wait\"";
        auto const first = text.find(name);
        BOOST_TEST(first != std::string::npos, text);
        BOOST_TEST(text.find(name, first + 1) == std::string::npos, text);
    }
}

BOOST_AUTO_TEST_CASE(names_a_stalled_coroutine)
{
    std::string reported;
    event told;
    ewyk::event_loop_options o;
    o.stall_threshold = 1ms;
    o.on_stall = [&](ewyk::stall_report const& r) {
        std::ostringstream text;
        text << r;
        // A thread without a CPU may be late with another handler.
        if (!reported.empty() || text.str().find("async_wait") == std::string::npos)
            return;
        reported = text.str();
        told.set();
    };
    ewyk::event_loop loop(o);
    asio::steady_timer timer(loop);
    event over;
    unsigned line = 0;
    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
            timer.expires_after(1ms);
            line = __LINE__ + 1;
            co_await timer.async_wait(asio::use_awaitable_t<>(__FILE__, __LINE__, __func__));
            told.wait();
        },
        [&](std::exception_ptr) { over.set(); });
    over.wait();
    BOOST_TEST(reported.find("tracking.cpp:" + std::to_string(line) + " in async_wait")
            != std::string::npos,
        reported);
}

#endif

BOOST_AUTO_TEST_CASE(says_how_long_and_for_whom)
{
    asio::io_context ctx;
    asio::steady_timer timer(ctx, 1h);
    HERE; unsigned const line = __LINE__;
    timer.async_wait([](auto) {});
    // tag::tracking[]
    std::ostringstream out;
    for (ewyk::tracking::operation const& o : ewyk::tracking::pending())
    {
        out << o.kind << ' ' << o.name << ", " << to_string(o.state) << " for " << o.in_state / 1ms
            << " ms";
        if (o.location)
            out << ", created at " << o.location->file_name() << ':' << o.location->line();
        out << '\n';
    }
    // end::tracking[]
    BOOST_TEST(out.str().find("deadline_timer async_wait, pending for ") != std::string::npos);
    BOOST_TEST(out.str().find("tracking.cpp:" + std::to_string(line)) != std::string::npos);
}

// With more threads than there are lanes, and while others look and threads come and go: nothing is
// lost or counted twice.
BOOST_AUTO_TEST_CASE(counts_each_handler_of_many_threads)
{
    constexpr int threads = 80;
    constexpr int n = 200;
    asio::io_context shared;
    auto work = asio::make_work_guard(shared);
    std::thread runner([&] { shared.run(); });
    std::atomic<bool> done{false};
    std::thread reader([&] {
        while (!done)
        {
            for (operation const& o : ewyk::tracking::pending())
                LOCKED_TEST(o.handler != 0u);
            (void)ewyk::tracking::profile();
            (void)dumped();
        }
    });

    unsigned here = 0;
    unsigned there = 0;
    for (int round = 0; round != 2; ++round)
    {
        std::vector<std::thread> all;
        gathering begun;
        for (int t = 0; t != threads; ++t)
            all.emplace_back([&] {
                asio::io_context own;
                for (int i = 0; i != n; ++i)
                {
                    {
                        HERE; LOCKED_TEST((here = __LINE__) != 0u);
                        asio::post(own, [] {});
                    }
                    HERE; LOCKED_TEST((there = __LINE__) != 0u);
                    asio::post(shared, [] {});
                    // All have created something before the first one ends, and gives its lane away.
                    if (i == 0)
                        begun.arrive_and_wait_for(threads);
                }
                own.run();
            });
        for (std::thread& t : all)
            t.join();
    }
    work.reset();
    runner.join();
    done = true;
    reader.join();

    BOOST_TEST(of_line(here).handlers == 2u * threads * n);
    BOOST_TEST(of_line(there).handlers == 2u * threads * n);
    BOOST_TEST(ewyk::tracking::untracked() == 0u);
}

// A handler is destroyed as the last thing that its thread does, and as that of the program.
BOOST_AUTO_TEST_CASE(survives_the_end_of_a_thread_and_of_the_program)
{
    std::thread([] {
        struct last
        {
            asio::io_context ctx;
            ~last() { asio::post(ctx, [] {}); }
        };
        thread_local std::unique_ptr<last> const mine(new last);
        asio::post(mine->ctx, [] {});
    }).join();

    static asio::io_context ctx;
    static asio::steady_timer timer(ctx, 1h);
    timer.async_wait([](auto) {});
    asio::post(ctx, [] {});
    BOOST_TEST(of(ctx, operation_state::pending).size() == 1u);
}

#if defined(__linux__) && !defined(ASIO_EWYK_DETAIL_TSAN)

BOOST_AUTO_TEST_CASE(works_in_the_child_of_a_fork)
{
    asio::io_context ctx;
    asio::steady_timer timer(ctx, 1h);
    timer.async_wait([](auto) {});
    ctx.notify_fork(asio::execution_context::fork_prepare);
    pid_t const child = ::fork();
    if (child == 0)
    {
        ctx.notify_fork(asio::execution_context::fork_child);
        bool const listed = of(ctx, operation_state::pending).size() == 1u;
        timer.cancel();
        ctx.run();
        ::_exit(listed && of(ctx, operation_state::pending).empty() ? 0 : 1);
    }
    ctx.notify_fork(asio::execution_context::fork_parent);
    BOOST_TEST_REQUIRE(child > 0);
    int status = -1;
    BOOST_TEST(::waitpid(child, &status, 0) == child);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 0);
}

#endif
#endif

BOOST_AUTO_TEST_SUITE_END()
