// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the tests with injected delays share. To be included first: it delays the library's threads
// wherever production or a task changes hands, and between the steps of that. All sources of a
// program do so, or none.
//
// Which places delay is drawn anew for each round. ASIO_EWYK_TEST_SEED=<number> draws others.

#ifndef ASIO_EWYK_TEST_DELAYS_DELAYS_HPP
#define ASIO_EWYK_TEST_DELAYS_DELAYS_HPP

#include <asio_ewyk/testing/random_delays.hpp>

#include "../stress/stress.hpp"

#include <asio_ewyk.hpp>

#include <cstdlib>

namespace delays {

using namespace stress;

/// For all that is drawn in this program.
inline std::size_t seed()
{
    static std::size_t const s = [] {
        char const* const text = std::getenv("ASIO_EWYK_TEST_SEED");
        return text ? static_cast<std::size_t>(std::strtoul(text, nullptr, 10)) : 1;
    }();
    return s;
}

/// While it lives, there are delays.
class delayed_round
{
public:
    explicit delayed_round(std::size_t number)
    {
        BOOST_TEST_MESSAGE("seed " << seed() << ", round " << number);
        ewyk::random_delays(ewyk::detail::mixed(seed() * 1'000'003 + number) | 1);
    }

    delayed_round(delayed_round const&) = delete;
    delayed_round& operator=(delayed_round const&) = delete;
    ~delayed_round() { ewyk::random_delays(0); }
};

/// What has become of some functions.
struct ledger
{
    std::atomic<long> made{0};
    std::atomic<long> ran{0};
    std::atomic<long> gone{0}; // run or not
    std::atomic<long> twice{0};
};

/// A function that is entered in a ledger.
template <class F>
class entered
{
public:
    entered(ledger& in, F f)
        : in_(&in)
        , f_(std::move(f))
    {
        ++in.made;
    }

    entered(entered&& other) noexcept
        : in_(std::exchange(other.in_, nullptr))
        , ran_(other.ran_)
        , f_(std::move(other.f_))
    {
    }

    entered& operator=(entered&&) = delete;

    ~entered()
    {
        if (in_)
            ++in_->gone;
    }

    template <class... Args>
    void operator()(Args const&...)
    {
        if (std::exchange(ran_, true))
            ++in_->twice;
        ++in_->ran;
        f_();
    }

private:
    ledger* in_;
    bool ran_ = false;
    F f_;
};

template <class F>
entered(ledger&, F) -> entered<F>;

/// That many, or some of them where each is slow.
constexpr std::size_t several(std::size_t n) noexcept
{
    return sanitized ? n / 5 : n;
}

/// How many rounds there are.
inline constexpr std::size_t rounds = sanitized ? 20 : 40;

}

#endif
