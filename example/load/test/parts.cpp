// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the load generator counts and what it takes for an answer.

#define BOOST_TEST_MODULE load
#include "../answer.hpp"
#include "../connection.hpp"
#include "../histogram.hpp"
#include "../options.hpp"
#include "../schedule.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace load;
using namespace std::chrono_literals;

namespace {

options parse(std::vector<char const*> args)
{
    args.insert(args.begin(), "load");
    return parse_options(static_cast<int>(args.size()), args.data());
}

}

BOOST_AUTO_TEST_CASE(quantiles_are_those_of_the_durations)
{
    histogram h;
    BOOST_TEST(h.quantile(0.5).count() == 0);
    for (int i = 1; i <= 1000; ++i)
        h.add(i * 1us);
    BOOST_TEST(h.count() == 1000);
    BOOST_TEST((h.max() == 1ms));
    for (double const share : {0.001, 0.01, 0.5, 0.99, 0.999, 1.0})
        BOOST_TEST(static_cast<double>(h.quantile(share).count()) == share * 1e6,
            boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(the_longest_and_the_shortest_duration_are_counted)
{
    histogram h;
    h.add(histogram::duration::max());
    h.add(histogram::duration(-1));
    BOOST_TEST(h.quantile(0.5).count() == 0);
    BOOST_TEST(h.quantile(1).count() > histogram::duration::max().count() / 100 * 98);
}

BOOST_AUTO_TEST_CASE(histograms_add_up)
{
    histogram a;
    histogram b;
    a.add(1ms);
    b.add(3ms);
    b.add(9ms);
    a.add(b);
    BOOST_TEST(a.count() == 3);
    BOOST_TEST((a.max() == 9ms));
    BOOST_TEST(static_cast<double>(a.quantile(0.5).count()) == 3e6,
        boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(an_answer_is_good_when_it_is_whole)
{
    std::string const good = "HTTP/1.1 200 OK\r\nDate: now\r\ncontent-length: 5\r\n\r\nfast\n";
    // Twice, for the second time it is known.
    answer_checker checker;
    for (int i = 0; i != 2; ++i)
    {
        for (std::size_t size = 0; size != good.size(); ++size)
            BOOST_TEST((checker.check(good.substr(0, size)) == verdict::incomplete));
        BOOST_TEST((checker.check(good) == verdict::good));
        BOOST_TEST((checker.check(good + "x") == verdict::bad));
    }
}

BOOST_AUTO_TEST_CASE(status_503_tells_of_an_overload)
{
    std::string const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy";
    answer_checker checker;
    for (std::size_t size = 0; size != busy.size(); ++size)
        BOOST_TEST((checker.check(busy.substr(0, size)) == verdict::incomplete));
    BOOST_TEST((checker.check(busy) == verdict::overloaded));
    BOOST_TEST((checker.check(busy + "x") == verdict::bad));
    BOOST_TEST((checker.check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == verdict::good));
    BOOST_TEST((checker.check(busy) == verdict::overloaded));
}

BOOST_AUTO_TEST_CASE(other_answers_are_bad)
{
    for (auto text : {
             "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
             "HTTP/1.1 500",
             "HTTP/1.1 503 Service Unavailable\r\n\r\n",
             "HTTP/1.1 200 OK\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length:   \r\nDate: 5\r\n\r\nfast\n",
             "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nfast\n",
             "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
             "HTTP/1.1 200 OK\r\nX-Content-Length: 5\r\n\r\nfast\n",
             "nonsense",
         })
        BOOST_TEST((answer_checker().check(text) == verdict::bad), text);
}

BOOST_AUTO_TEST_CASE(an_expected_answer_is_the_only_good_one)
{
    answer_checker checker;
    checker.expect("xxx");
    BOOST_TEST((checker.check("") == verdict::incomplete));
    BOOST_TEST((checker.check("xx") == verdict::incomplete));
    BOOST_TEST((checker.check("xxx") == verdict::good));
    BOOST_TEST((checker.check("xxxx") == verdict::bad));
    BOOST_TEST((checker.check("xy") == verdict::bad));
    BOOST_TEST(
        (checker.check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == verdict::bad));
}

BOOST_AUTO_TEST_CASE(the_connections_of_a_class_take_turns_at_its_rate)
{
    std::vector<schedule> all;
    for (std::size_t turn = 0; turn != 3; ++turn)
        all.emplace_back(1000.0, turn, 3);
    for (std::uint64_t request = 0; request != 3000; ++request)
        BOOST_TEST((all[request % 3].at(request / 3) == request * 1ms));
}

BOOST_AUTO_TEST_CASE(a_rate_is_kept_for_ever)
{
    // A third of a microsecond is no number of nanoseconds, but no error adds up.
    schedule const fast(3e6, 0, 1);
    BOOST_TEST((fast.at(3'000'000) == 1s));
    BOOST_TEST((fast.at(3'000'000ull * 3600) == 1h));
    BOOST_TEST((schedule(0.001, 1, 2).at(0) == 1000s));
}

BOOST_AUTO_TEST_CASE(what_was_never_answered_has_taken_until_the_end)
{
    asio::io_context context;
    steady_clock::time_point const start;
    plan const p{{}, 0, false, false, {}, start, start + 1s, start + 3s};
    tally counted;
    connection(context, p, counted, "/", schedule(10, 0, 1)).finish();
    BOOST_TEST(counted.unanswered == 20);    // not those of the first second
    BOOST_TEST(counted.answered() == 0);
    BOOST_TEST((counted.times.max() == 2s));
    BOOST_TEST(static_cast<double>(counted.times.quantile(0.5).count()) == 1e9,
        boost::test_tools::tolerance(0.12));

    tally closed_loop;
    connection(context, p, closed_loop, "/").finish();
    BOOST_TEST(closed_loop.times.count() == 0);
}

BOOST_AUTO_TEST_CASE(good_options)
{
    auto const o = parse({"--class", "fast:64:/fast", "--class", "slow:8:/sleep/10000", "--port",
        "1234", "--seconds", "1.5", "--csv", "--deadline", "0.5"});
    BOOST_REQUIRE(o.classes.size() == 2);
    BOOST_TEST(o.classes[1].name == "slow");
    BOOST_TEST(o.classes[1].connections == 8);
    BOOST_TEST(o.classes[1].path == "/sleep/10000");
    BOOST_TEST(o.server.port() == 1234);
    BOOST_TEST(o.server.address().is_loopback());
    BOOST_TEST((o.measured == 1500ms));
    BOOST_TEST(o.threads == 1);
    BOOST_TEST(o.csv);
    BOOST_TEST((o.deadline == 500us));
    BOOST_TEST((parse({"--class", "fast:64:/fast"}).deadline == std::chrono::nanoseconds::max()));
    BOOST_TEST(o.echo == 0);
    BOOST_TEST(!o.reconnect);
    BOOST_TEST(!o.announce);
    BOOST_TEST(o.classes[0].rate == 0);
    BOOST_TEST(parse({"--help"}).help);

    auto const paced = parse({"--rate", "fast:20000", "--class", "fast:64:/fast", "--class",
        "slow:8:/sleep/10000", "--rate=slow:0.5", "--announce"});
    BOOST_TEST(paced.classes[0].rate == 20000);
    BOOST_TEST(paced.classes[1].rate == 0.5);
    BOOST_TEST(paced.announce);

    auto const echoed = parse({"--class", "a:1:/", "--echo", "64", "--reconnect"});
    BOOST_TEST(echoed.echo == 64);
    BOOST_TEST(echoed.reconnect);
    BOOST_TEST(!echoed.websocket);
    BOOST_TEST(parse({"--class", "a:1:/", "--websocket"}).websocket);
}

BOOST_AUTO_TEST_CASE(bad_options)
{
    for (auto text : {"", "x", "x:1", "x:1:", "x:1:path", "x:0:/", "x:-1:/", "x:1.5:/", ":1:/",
             "x:y:/", "x:20001:/", "x:1:/a b", "x,y:1:/", "x:1:/\r\n"})
        BOOST_CHECK_THROW(parse_class(text), usage_error);

    char const* const good = "--class=a:1:/";
    BOOST_CHECK_THROW(parse({}), usage_error);
    for (auto bad : {"word", "--port=0", "--port=65536", "--host=nowhere", "--seconds=0",
             "--seconds=nan", "--warmup=-1", "--threads=0", "--threads=x", "--nonsense",
             "--rate=b:1", "--rate=a", "--rate=a:", "--rate=a:0", "--rate=a:-1", "--rate=a:nan",
             "--rate=a:inf", "--rate=a:1x", "--rate=a:10000001", "--echo=0", "--echo=-1",
             "--echo=2000000"})
        BOOST_CHECK_THROW(parse({good, bad}), usage_error);
    BOOST_CHECK_THROW(parse({good, "--websocket", "--echo=1"}), usage_error);
    auto const long_path = "--class=a:1:/" + std::string(125, 'x');
    BOOST_CHECK_THROW(parse({long_path.c_str(), "--websocket"}), usage_error);
}
