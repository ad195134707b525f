// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk/detail/loop/load_balance.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(load_balance)

namespace {

using asio_ewyk::detail::load_balance;
using loads = std::vector<double>;

constexpr double sample = 0.01; // seconds

/// Servers whose utilisation is the sum of what their connections bring, in a time that is counted.
class model
{
public:
    explicit model(std::size_t servers) : choice_(servers), now_(servers, 0.0), given_(servers) {}

    void pass(double seconds)
    {
        unmeasured_ += seconds;
        if (unmeasured_ < sample)
            return;
        choice_.measured(now_, unmeasured_);
        unmeasured_ = 0;
    }

    std::size_t connect(double cost)
    {
        std::size_t const s = choice_.choose();
        now_[s] += cost;
        ++given_[s];
        return s;
    }

    void close(std::size_t s, double cost) { now_[s] -= cost; }
    void set(std::size_t s, double utilisation) { now_[s] = utilisation; }

    double now(std::size_t s) const { return now_[s]; }
    std::vector<std::size_t> const& given() const { return given_; }

    /// How much busier than the mean the busiest is.
    double skew() const { return skew_of(now_); }

    static double skew_of(loads const& l)
    {
        double const sum = std::accumulate(l.begin(), l.end(), 0.0);
        return *std::max_element(l.begin(), l.end()) * static_cast<double>(l.size()) / sum;
    }

private:
    load_balance choice_;
    loads now_;
    std::vector<std::size_t> given_;
    double unmeasured_ = 0;
};

std::size_t least(std::vector<std::size_t> const& v)
{
    return *std::min_element(v.begin(), v.end());
}

std::size_t most(std::vector<std::size_t> const& v)
{
    return *std::max_element(v.begin(), v.end());
}

/// Each k-th connection of k servers is heavy: in turn, all of them come to one server.
double cost_of(std::size_t i, std::size_t servers)
{
    return i % servers == 0 ? 0.01 : 0.0001;
}

BOOST_AUTO_TEST_CASE(idle_servers_get_the_same_number_each)
{
    for (std::size_t const k : {1u, 2u, 3u, 8u})
    {
        model m(k);
        for (std::size_t i = 0; i != 1000 * k; ++i)
            m.connect(0);
        BOOST_TEST(least(m.given()) == 1000u);
        BOOST_TEST(most(m.given()) == 1000u);
    }
}

// Also when they are never quite idle, and never equally.
BOOST_AUTO_TEST_CASE(noise_means_nothing)
{
    model m(4);
    std::minstd_rand noise;
    for (int i = 0; i != 4000; ++i)
    {
        for (std::size_t s = 0; s != 4; ++s)
            m.set(s, 1e-4 * static_cast<double>(noise() % 10));
        m.pass(0.003);
        m.connect(0);
    }
    BOOST_TEST(least(m.given()) > 900u);
    BOOST_TEST(most(m.given()) < 1100u);
}

BOOST_AUTO_TEST_CASE(heavy_connections_that_come_in_step_with_a_turn)
{
    for (std::size_t const k : {2u, 3u, 4u, 8u})
    {
        std::size_t const n = 40 * k * k; // 40 heavy ones a server
        loads in_turn(k);
        for (std::size_t i = 0; i != n; ++i)
            in_turn[i % k] += cost_of(i, k);
        BOOST_TEST(model::skew_of(in_turn) > 0.9 * static_cast<double>(k));

        for (double const gap : {0.002, 0.01, 0.1})
        {
            model m(k);
            for (std::size_t i = 0; i != n; ++i)
            {
                m.pass(gap);
                m.connect(cost_of(i, k));
            }
            BOOST_TEST_CONTEXT(k << " servers, a connection every " << gap << " s")
                BOOST_TEST(m.skew() < 1.3);
        }
    }
}

// They come and go for long, so that no server has the same ones all the time.
BOOST_AUTO_TEST_CASE(connections_that_come_and_go)
{
    constexpr std::size_t k = 4;
    for (double const gap : {0.0005, 0.005, 0.05})
    {
        constexpr std::size_t live = 160;
        model m(k);
        std::deque<std::pair<std::size_t, double>> open;
        loads total(k);
        for (std::size_t i = 0; i != 20'000; ++i)
        {
            m.pass(gap);
            if (open.size() == live)
            {
                m.close(open.front().first, open.front().second);
                open.pop_front();
            }
            double const cost = cost_of(i, k);
            open.emplace_back(m.connect(cost), cost);
            for (std::size_t s = 0; s != k; ++s)
                total[s] += m.now(s);
        }
        BOOST_TEST_CONTEXT("a connection every " << gap << " s")
            BOOST_TEST(model::skew_of(total) < 1.1);
    }
}

// Before anything of it can be measured.
BOOST_AUTO_TEST_CASE(a_burst_is_spread)
{
    model two(2);
    two.set(0, 0.5);
    two.pass(1);
    for (int i = 0; i != 400; ++i)
        two.connect(0);
    BOOST_TEST(two.given()[0] >= 80u);
    BOOST_TEST(two.given()[1] >= 280u);

    model four(4);
    four.set(0, 0.9);
    four.set(1, 0.1);
    four.pass(1);
    for (int i = 0; i != 400; ++i)
        four.connect(0);
    BOOST_TEST(four.given()[0] == 0u);
    for (std::size_t s = 1; s != 4; ++s)
    {
        BOOST_TEST(four.given()[s] >= 100u);
        BOOST_TEST(four.given()[s] <= 160u);
    }
}

BOOST_AUTO_TEST_CASE(what_was_given_fades_and_what_is_measured_stays)
{
    load_balance b(2);
    loads const busy{0.4, 0.2};
    b.measured(busy, 10);
    BOOST_TEST(b.load(0) == 0.4, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(b.choose() == 1u);
    for (int i = 0; i != 5; ++i)
    {
        b.measured(busy, 10);
        BOOST_TEST(b.choose() == 1u);
    }
    // A look of a moment is worth less than one of long.
    b.measured(loads{0.0, 0.2}, 0.01);
    BOOST_TEST(b.load(0) > 0.3);
    b.measured(loads{0.0, 0.2}, 10);
    BOOST_TEST(b.load(0) < 1e-6);
    BOOST_TEST(b.choose() == 0u);
}

// A clock that goes backwards or too fast, and one that stands.
BOOST_AUTO_TEST_CASE(impossible_measurements)
{
    load_balance b(2);
    b.measured(loads{-3.0, 7.0}, 0.1);
    BOOST_TEST(b.load(0) == 0.0);
    BOOST_TEST(b.load(1) <= 1.0);
    double const before = b.load(1);
    b.measured(loads{0.0, 0.0}, 0);
    BOOST_TEST(b.load(1) == before);
}

// Else connections that differ in a regular order would stay in step.
BOOST_AUTO_TEST_CASE(equals_are_chosen_in_no_fixed_order)
{
    load_balance balance(4);
    std::vector<std::size_t> first;
    for (int n = 0; n != 16; ++n)
    {
        first.push_back(balance.choose());
        for (int others = 0; others != 3; ++others)
            balance.choose();
    }
    BOOST_TEST(std::count(first.begin(), first.end(), first.front()) != 16);
}

} // namespace

BOOST_AUTO_TEST_SUITE_END()
