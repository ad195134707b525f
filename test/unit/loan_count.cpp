#include <asio_ewyk/detail/loan_count.hpp>

#include <boost/test/unit_test.hpp>

namespace ewyk = asio_ewyk;

BOOST_AUTO_TEST_SUITE(loan_count)

// The number in the word has 28 bits, the count has not.
BOOST_AUTO_TEST_CASE(counts_on_when_the_number_wraps_around)
{
    constexpr std::uint32_t bits_28 = (std::uint32_t{1} << 28) - 1;
    ewyk::detail::loan_count loans;
    std::uint64_t loan = 0;
    auto const number = [&] { return static_cast<std::uint32_t>(loan) & bits_28; };
    BOOST_TEST(loans.get(number) == 0u);
    while (loan < std::uint64_t{5} << 28)
    {
        loan += 123'457;
        loans.see(number());
        BOOST_TEST_REQUIRE(loans.get(number) == loan);
        // Some that are under way, or that another thread has taken over.
        loan += 7;
        BOOST_TEST_REQUIRE(loans.get(number) == loan);
    }
}

BOOST_AUTO_TEST_SUITE_END()
