// The names of the strategies, and strategy as a property in the sense of Asio.

#include <asio_ewyk/strategy.hpp>
#include <asio_ewyk/strategy_executor.hpp>
#include <asio_ewyk/strategy_service.hpp>
#include <asio_ewyk/worker_pool.hpp>

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using ewyk::strategy_t;

BOOST_AUTO_TEST_SUITE(strategy)

namespace {

struct named
{
    char const* name;
    strategy_t value;
    strategy_t::kind kind;
};

constexpr named all[] = {
    {"produce_consume", ewyk::strategy.produce_consume, strategy_t::kind::produce_consume},
    {"produce_execute_consume", ewyk::strategy.produce_execute_consume,
        strategy_t::kind::produce_execute_consume},
    {"execute_produce_consume", ewyk::strategy.execute_produce_consume,
        strategy_t::kind::execute_produce_consume},
    {"eat_what_you_kill", ewyk::strategy.eat_what_you_kill, strategy_t::kind::eat_what_you_kill},
    {"custom_0", ewyk::strategy.custom_0, strategy_t::kind::custom_0},
    {"custom_1", ewyk::strategy.custom_1, strategy_t::kind::custom_1},
    {"custom_2", ewyk::strategy.custom_2, strategy_t::kind::custom_2},
    {"custom_3", ewyk::strategy.custom_3, strategy_t::kind::custom_3},
};

std::ostream& operator<<(std::ostream& os, named const& n) { return os << n.name; }

// A property that copies and compares without throwing can be part of an executor.
static_assert(std::is_nothrow_default_constructible_v<strategy_t>);
static_assert(std::is_nothrow_copy_constructible_v<strategy_t>);
static_assert(std::is_trivially_copyable_v<strategy_t>);
static_assert(noexcept(strategy_t() == strategy_t()));
static_assert(noexcept(to_string(strategy_t())));

// Nothing converts to a strategy by itself, a name neither.
static_assert(!std::is_convertible_v<strategy_t::kind, strategy_t>);
static_assert(!std::is_convertible_v<char const*, strategy_t>);

static_assert(strategy_t() == ewyk::strategy.eat_what_you_kill, "the default");
static_assert(
    to_string(ewyk::strategy.produce_consume) == "produce_consume", "at compile time too");

// What Asio asks of a property.
using executor = ewyk::strategy_executor;
static_assert(asio::is_applicable_property_v<executor, strategy_t>);
static_assert(!asio::is_applicable_property_v<int, strategy_t>);
static_assert(asio::can_query_v<executor, strategy_t>);
static_assert(asio::can_require_v<executor, strategy_t>);
static_assert(asio::can_prefer_v<executor, strategy_t>);
static_assert(asio::is_nothrow_query_v<executor, strategy_t>);
static_assert(asio::is_nothrow_require_v<executor, strategy_t>);
static_assert(std::is_same_v<decltype(asio::query(std::declval<executor const&>(), ewyk::strategy)),
    strategy_t>);
static_assert(std::is_same_v<strategy_t::polymorphic_query_result_type, strategy_t>);

// An executor that knows no strategy can be asked to prefer one, and no more.
static_assert(asio::can_prefer_v<ewyk::worker_pool_executor, strategy_t>);
static_assert(!asio::can_require_v<ewyk::worker_pool_executor, strategy_t>);
static_assert(!asio::can_query_v<ewyk::worker_pool_executor, strategy_t>);
static_assert(asio::can_prefer_v<asio::system_executor, strategy_t>);

BOOST_DATA_TEST_CASE(has_a_name, all, each)
{
    BOOST_TEST(to_string(each.value) == each.name);
    BOOST_TEST((each.value.value() == each.kind));
    BOOST_TEST((strategy_t(each.kind) == each.value));
}

BOOST_DATA_TEST_CASE(is_found_by_its_name, all, each)
{
    BOOST_TEST((ewyk::strategy_from_string(each.name) == each.value));
}

BOOST_DATA_TEST_CASE(is_written_by_its_name, all, each)
{
    std::ostringstream os;
    os << each.value;
    BOOST_TEST(os.str() == each.name);
}

BOOST_AUTO_TEST_CASE(only_equal_ones_are_equal)
{
    for (named const& a : all)
        for (named const& b : all)
            BOOST_TEST((a.value == b.value) == (&a == &b));
}

constexpr std::string_view strangers[] = {
    "", "eat_what_you_kil", "eat_what_you_kill ", "Eat_What_You_Kill", "produce", "blocking"};

BOOST_DATA_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones, strangers, name)
{
    try
    {
        ewyk::strategy_from_string(name);
        BOOST_ERROR("accepted");
    }
    catch (std::invalid_argument const& e)
    {
        std::string const message = e.what();
        BOOST_TEST(message.find("strategy '" + std::string(name) + "'") != std::string::npos);
        std::size_t const list = message.find("known:");
        BOOST_TEST_REQUIRE(list != std::string::npos);
        for (named const& n : all)
            BOOST_TEST(message.find(n.name, list) != std::string::npos);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
