// The names of the invocation types, invocation as a property in the sense of Asio.

#include <asio_ewyk/invocation.hpp>
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
#include <thread>
#include <type_traits>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using ewyk::invocation_t;

BOOST_AUTO_TEST_SUITE(invocation)

namespace {

struct named
{
    char const* name;
    invocation_t value;
    invocation_t::kind kind;
};

constexpr named all[] = {
    {"blocking", ewyk::invocation.blocking, invocation_t::kind::blocking},
    {"non_blocking", ewyk::invocation.non_blocking, invocation_t::kind::non_blocking},
    {"either", ewyk::invocation.either, invocation_t::kind::either},
};

std::ostream& operator<<(std::ostream& os, named const& n) { return os << n.name; }

// A property that copies and compares without throwing can be part of an executor.
static_assert(std::is_nothrow_default_constructible_v<invocation_t>);
static_assert(std::is_nothrow_copy_constructible_v<invocation_t>);
static_assert(std::is_trivially_copyable_v<invocation_t>);
static_assert(noexcept(invocation_t() == invocation_t()));
static_assert(noexcept(to_string(invocation_t())));

// Nothing converts to an invocation type by itself, a name neither.
static_assert(!std::is_convertible_v<invocation_t::kind, invocation_t>);
static_assert(!std::is_convertible_v<char const*, invocation_t>);

static_assert(invocation_t() == ewyk::invocation.blocking, "the default");
static_assert(to_string(ewyk::invocation.either) == "either", "at compile time too");

// What Asio asks of a property.
using executor = ewyk::strategy_executor;
static_assert(asio::is_applicable_property_v<executor, invocation_t>);
static_assert(!asio::is_applicable_property_v<int, invocation_t>);
static_assert(asio::can_query_v<executor, invocation_t>);
static_assert(asio::can_require_v<executor, invocation_t>);
static_assert(asio::can_prefer_v<executor, invocation_t>);
static_assert(asio::is_nothrow_query_v<executor, invocation_t>);
static_assert(asio::is_nothrow_require_v<executor, invocation_t>);
static_assert(
    std::is_same_v<decltype(asio::query(std::declval<executor const&>(), ewyk::invocation)),
        invocation_t>);
static_assert(std::is_same_v<invocation_t::polymorphic_query_result_type, invocation_t>);

// An executor that knows no invocation types can be asked to prefer one, and no more.
static_assert(asio::can_prefer_v<ewyk::worker_pool_executor, invocation_t>);
static_assert(!asio::can_require_v<ewyk::worker_pool_executor, invocation_t>);
static_assert(!asio::can_query_v<ewyk::worker_pool_executor, invocation_t>);
static_assert(asio::can_prefer_v<asio::system_executor, invocation_t>);

BOOST_DATA_TEST_CASE(has_a_name, all, each)
{
    BOOST_TEST(to_string(each.value) == each.name);
    BOOST_TEST((each.value.value() == each.kind));
    BOOST_TEST((invocation_t(each.kind) == each.value));
}

BOOST_DATA_TEST_CASE(is_found_by_its_name, all, each)
{
    BOOST_TEST((ewyk::invocation_from_string(each.name) == each.value));
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
    "", "eithe", "either ", "Blocking", "non-blocking", "non", "eat_what_you_kill"};

BOOST_DATA_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones, strangers, name)
{
    try
    {
        ewyk::invocation_from_string(name);
        BOOST_ERROR("accepted");
    }
    catch (std::invalid_argument const& e)
    {
        std::string const message = e.what();
        BOOST_TEST(message.find("invocation '" + std::string(name) + "'") != std::string::npos);
        std::size_t const list = message.find("known:");
        BOOST_TEST_REQUIRE(list != std::string::npos);
        for (named const& n : all)
            BOOST_TEST(message.find(n.name, list) != std::string::npos);
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
