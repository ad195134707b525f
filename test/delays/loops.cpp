// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Event loops with delays wherever something changes hands.

#include "delays.hpp"

BOOST_AUTO_TEST_SUITE(loops)

namespace {

using namespace delays;

} // namespace

BOOST_AUTO_TEST_CASE(each_task_runs_once_or_is_destroyed)
{
    for (std::size_t n = 0; n != 3 * rounds; ++n)
    {
        delayed_round const slow(n);
        dice d(seed() + n);
        ledger l;
        std::size_t const end = d.roll(4);
        bool graceful = false;
        {
            ewyk::event_loop other; // longer: tasks of the loop submit to it
            ewyk::event_loop loop;
            crowd submitters;
            submitters.add(2, [&, first = d.roll(1'000)](std::size_t i) {
                dice mine(first + i);
                for (std::size_t k = 0; k != several(600); ++k)
                {
                    asio::post(loop, entered(l, [&, what = mine.roll(20)] {
                        if (what == 0)
                            asio::post(loop, entered(l, [] {}));
                        else if (what == 1)
                            asio::dispatch(loop, entered(l, [] {}));
                        else if (what == 2)
                            asio::post(other, entered(l, [] {}));
                    }));
                    if (mine.roll(50) == 0)
                        loop.schedule(std::chrono::microseconds(mine.roll(300)), entered(l, [] {}));
                }
            });
            if (end == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(d.roll(2'000)));
            else
                submitters.join();
            if (end == 1)
                until([&] { return l.gone == l.made; });
            else if (end == 2)
                graceful = loop.shutdown_gracefully(1ms, 60s) && other.shutdown_gracefully(1ms, 60s);
            loop.stop();
            submitters.join();
        }
        BOOST_TEST(l.gone == l.made);
        BOOST_TEST((end != 1 || l.ran == l.made));
        BOOST_TEST((end != 2 || graceful));
        BOOST_TEST(l.twice == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
