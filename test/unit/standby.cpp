#include <asio_ewyk/detail/standby.hpp>

#include "support.hpp"

BOOST_AUTO_TEST_SUITE(standby)

namespace {

using namespace support;
using ewyk::detail::production;
using ewyk::detail::production_state;
using verdict = ewyk::detail::standby::verdict;

production in_state(production_state state)
{
    production p{};
    p.state = state;
    return p;
}

} // namespace

// It is refused when something is lent at that moment; a loan that has ended by the next look must
// not keep it from asking again, or it would look for ever.
BOOST_AUTO_TEST_CASE(goes_on_asking_to_leave_while_nothing_is_lent)
{
    ewyk::detail::standby at(50us);
    ewyk::detail::standby::watch watch(at);
    auto const nothing = in_state(production_state::producing);
    BOOST_TEST(eventually([&] { return watch.look(nothing) == verdict::leave; }));
    for (int i = 0; i != 10; ++i)
        BOOST_TEST((watch.look(nothing) == verdict::leave));
}

BOOST_AUTO_TEST_CASE(stays_while_something_is_lent)
{
    ewyk::detail::standby at(24h);
    ewyk::detail::standby::watch watch(at);
    auto const nothing = in_state(production_state::producing);
    for (int i = 0; i != 2; ++i)
        BOOST_TEST((watch.look(nothing) == verdict::look_again));
    at.begin_loan();
    for (int i = 0; i != 100; ++i)
        BOOST_TEST((watch.look(in_state(production_state::lent)) == verdict::look_again));
    // What was seen before the loan counts no more.
    BOOST_TEST((watch.look(nothing) == verdict::look_again));
}

BOOST_AUTO_TEST_SUITE_END()
