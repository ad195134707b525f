// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The strategies and the invocation types: their names, and both as properties in the sense of Asio.

#include <asio_ewyk/invocation.hpp>
#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_context.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/test/unit_test.hpp>

#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

BOOST_AUTO_TEST_SUITE(named_properties)

namespace {

template <class Property>
struct named
{
    std::string_view name;
    Property value;
    typename Property::kind kind;
};

struct strategies
{
    using property = ewyk::strategy_t;
    using kind = property::kind;

    static constexpr auto& object = ewyk::strategy;
    static constexpr property default_value = ewyk::strategy.eat_what_you_kill;
    static constexpr named<property> all[] = {
        {"produce_consume", ewyk::strategy.produce_consume, kind::produce_consume},
        {"produce_execute_consume", ewyk::strategy.produce_execute_consume,
            kind::produce_execute_consume},
        {"execute_produce_consume", ewyk::strategy.execute_produce_consume,
            kind::execute_produce_consume},
        {"eat_what_you_kill", ewyk::strategy.eat_what_you_kill, kind::eat_what_you_kill},
        {"custom", ewyk::strategy.custom, kind::custom},
    };
};

struct invocations
{
    using property = ewyk::invocation_t;
    using kind = property::kind;

    static constexpr auto& object = ewyk::invocation;
    static constexpr property default_value = ewyk::invocation.blocking;
    static constexpr named<property> all[] = {
        {"blocking", ewyk::invocation.blocking, kind::blocking},
        {"non_blocking", ewyk::invocation.non_blocking, kind::non_blocking},
        {"either", ewyk::invocation.either, kind::either},
    };
};

using both = std::tuple<strategies, invocations>;

template <class Names>
constexpr bool is_a_property_of_executors()
{
    using property = typename Names::property;

    // One that copies and compares without throwing can be part of an executor.
    static_assert(std::is_nothrow_default_constructible_v<property>);
    static_assert(std::is_nothrow_copy_constructible_v<property>);
    static_assert(std::is_trivially_copyable_v<property>);
    static_assert(noexcept(property() == property()));
    static_assert(noexcept(to_string(property())));

    // Nothing converts to it by itself, a name neither.
    static_assert(!std::is_convertible_v<typename property::kind, property>);
    static_assert(!std::is_convertible_v<char const*, property>);

    static_assert(property() == Names::default_value);
    static_assert(to_string(Names::all[0].value) == Names::all[0].name, "at compile time too");

    // What Asio asks of a property.
    using executor = ewyk::strategy_executor;
    static_assert(asio::is_applicable_property_v<executor, property>);
    static_assert(!asio::is_applicable_property_v<int, property>);
    static_assert(asio::can_query_v<executor, property>);
    static_assert(asio::can_require_v<executor, property>);
    static_assert(asio::can_prefer_v<executor, property>);
    static_assert(asio::is_nothrow_query_v<executor, property>);
    static_assert(asio::is_nothrow_require_v<executor, property>);
    static_assert(
        std::is_same_v<decltype(asio::query(std::declval<executor const&>(), Names::object)),
            property>);
    static_assert(std::is_same_v<typename property::polymorphic_query_result_type, property>);

    // An executor that does not know it can be asked to prefer it, and no more.
    static_assert(asio::can_prefer_v<ewyk::worker_pool::executor_type, property>);
    static_assert(!asio::can_require_v<ewyk::worker_pool::executor_type, property>);
    static_assert(!asio::can_query_v<ewyk::worker_pool::executor_type, property>);
    static_assert(asio::can_prefer_v<asio::system_executor, property>);
    return true;
}

static_assert(is_a_property_of_executors<strategies>());
static_assert(is_a_property_of_executors<invocations>());

BOOST_AUTO_TEST_CASE_TEMPLATE(each_has_a_name, Names, both)
{
    for (auto const& each : Names::all)
    {
        BOOST_TEST(to_string(each.value) == each.name);
        BOOST_TEST((each.value.value() == each.kind));
        BOOST_TEST((typename Names::property(each.kind) == each.value));
    }
}

BOOST_AUTO_TEST_CASE(each_strategy_is_found_by_its_name)
{
    for (auto const& each : strategies::all)
        BOOST_TEST((ewyk::strategy_from_string(each.name) == each.value), each.name);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(each_is_written_by_its_name, Names, both)
{
    for (auto const& each : Names::all)
    {
        std::ostringstream os;
        os << each.value;
        BOOST_TEST(os.str() == each.name);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_equal_ones_are_equal, Names, both)
{
    for (auto const& a : Names::all)
        for (auto const& b : Names::all)
            BOOST_TEST((a.value == b.value) == (&a == &b));
}

// Also as a part of an executor, which has a few bits for it beside those of others.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_number_that_none_has_is_the_default, Names, both)
{
    ewyk::strategy_context ctx;
    for (std::size_t n = std::size(Names::all); n <= 255; ++n)
    {
        typename Names::property const none(static_cast<typename Names::kind>(n));
        BOOST_TEST((none == Names::default_value), n);
        BOOST_TEST((asio::require(ctx.get_executor(), none) == ctx.get_executor()), n);
    }
}

BOOST_AUTO_TEST_CASE(an_executor_holds_each_beside_each_of_the_others)
{
    using asio::execution::blocking;
    using asio::execution::relationship;
    ewyk::strategy_context ctx;
    for (auto const& s : strategies::all)
        for (auto const& i : invocations::all)
            for (bool const never : {false, true})
                for (bool const continues : {false, true})
                {
                    auto ex = asio::require(ctx.get_executor(), s.value, i.value);
                    if (never)
                        ex = asio::require(ex, blocking.never);
                    if (continues)
                        ex = asio::require(ex, relationship.continuation);
                    BOOST_TEST((asio::query(ex, ewyk::strategy) == s.value), s.name);
                    BOOST_TEST((asio::query(ex, ewyk::invocation) == i.value), i.name);
                    BOOST_TEST((asio::query(ex, blocking) == blocking.never) == never);
                    BOOST_TEST(
                        (asio::query(ex, relationship) == relationship.continuation) == continues);
                    BOOST_TEST((&asio::query(ex, asio::execution::context) == &ctx));
                }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones)
{
    for (std::string_view const stranger :
        {"", "eat_what_you_kil", "eat_what_you_kill ", "Eat_What_You_Kill", "produce", "blocking"})
        try
        {
            ewyk::strategy_from_string(stranger);
            BOOST_ERROR("accepted: " << stranger);
        }
        catch (std::invalid_argument const& e)
        {
            std::string const message = e.what();
            std::string const subject = "strategy '" + std::string(stranger) + "'";
            BOOST_TEST(message.find(subject) != std::string::npos, message);
            std::size_t const list = message.find("known:");
            BOOST_TEST_REQUIRE(list != std::string::npos);
            for (auto const& each : strategies::all)
                BOOST_TEST(message.find(each.name, list) != std::string::npos, each.name);
        }
}

BOOST_AUTO_TEST_CASE(a_thread_may_block_unless_told_otherwise)
{
    BOOST_TEST(ewyk::this_invocation::may_block());
    {
        ewyk::detail::may_block_scope const outer(false);
        BOOST_TEST(!ewyk::this_invocation::may_block());
        {
            ewyk::detail::may_block_scope const inner(true);
            BOOST_TEST(ewyk::this_invocation::may_block());
        }
        BOOST_TEST(!ewyk::this_invocation::may_block());

        bool other_thread = false;
        std::thread([&] { other_thread = ewyk::this_invocation::may_block(); }).join();
        BOOST_TEST(other_thread);
    }
    BOOST_TEST(ewyk::this_invocation::may_block());
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
