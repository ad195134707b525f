// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the tests with injected delays share. To be included first: it makes the library call
// delays::delay() wherever production or a task changes hands, and between the steps of that. All
// sources of a program do so, or none.
//
// Which places delay, and how long, is drawn anew for each round: so each is slow at times while
// the others are fast. ASIO_EWYK_TEST_SEED=<number> draws others.

#ifndef ASIO_EWYK_TEST_DELAYS_DELAYS_HPP
#define ASIO_EWYK_TEST_DELAYS_DELAYS_HPP

#include <asio_ewyk/detail/observe/trace_event.hpp>

namespace delays {
void delay(asio_ewyk::detail::trace_event) noexcept;
}

#define ASIO_EWYK_TEST_POINT(event) ::delays::delay(event)

#include "../stress/stress.hpp"

#include <asio_ewyk.hpp>

#include <boost/config.hpp>

#include <cstdlib>

namespace delays {

using namespace stress;
using asio_ewyk::detail::trace_event;

/// For all that is drawn in this program.
inline std::size_t seed()
{
    static std::size_t const s = [] {
        char const* const text = std::getenv("ASIO_EWYK_TEST_SEED");
        return text ? static_cast<std::size_t>(std::strtoul(text, nullptr, 10)) : 1;
    }();
    return s;
}

// Changes with each round. Relaxed, both: any value will do at any time.
inline std::atomic<std::uint64_t> round_key{0};
inline std::atomic<std::uint64_t> threads_seen{0};

constexpr std::uint64_t mixed(std::uint64_t x) noexcept
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Of a thread: as good as random.
inline std::uint64_t draw() noexcept
{
    thread_local std::uint64_t state
        = mixed(seed() + 0x9e3779b97f4a7c15u * ++threads_seen);
    return mixed(state += 0x9e3779b97f4a7c15u);
}

BOOST_NOINLINE inline void delay(trace_event e) noexcept
{
    auto const place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    std::uint64_t const key = round_key.load(std::memory_order_relaxed);
    if (key == 0)
        return;
    std::uint64_t const slow = mixed(place ^ key ^ static_cast<std::uint64_t>(e) << 56) % 16;
    std::uint64_t const now = draw();
    // Half of the places hardly ever, a few nearly always.
    if (now % 64 >= (slow < 8 ? 1u : slow < 14 ? 8u : 48u))
        return;
    switch (now / 64 % 8)
    {
    case 0:
        std::this_thread::sleep_for(std::chrono::microseconds(1 + now / 512 % 100));
        break;
    case 1:
    case 2:
        for (auto left = now / 512 % 2'000; left != 0; --left)
            std::atomic_signal_fence(std::memory_order_seq_cst); // or there would be no loop
        break;
    default:
        std::this_thread::yield();
    }
}

/// While it lives, there are delays.
class delayed_round
{
public:
    explicit delayed_round(std::size_t number)
    {
        BOOST_TEST_MESSAGE("seed " << seed() << ", round " << number);
        round_key.store(mixed(seed() * 1'000'003 + number) | 1, std::memory_order_relaxed);
    }

    delayed_round(delayed_round const&) = delete;
    delayed_round& operator=(delayed_round const&) = delete;
    ~delayed_round() { round_key.store(0, std::memory_order_relaxed); }
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
