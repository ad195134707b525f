// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_LOAD_HISTOGRAM_HPP
#define ASIO_EWYK_EXAMPLE_LOAD_HISTOGRAM_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace load {

namespace detail {

// Values below `fine` have a bucket each; above, every power of two is cut into `fine` buckets.
inline constexpr unsigned bits = 6;
inline constexpr std::uint64_t fine = 1u << bits;

constexpr std::size_t bucket(std::uint64_t value) noexcept
{
    if (value < fine)
        return value;
    auto const shift = static_cast<unsigned>(std::bit_width(value)) - bits - 1;
    return (shift + 1) * fine + (value >> shift) - fine;
}

constexpr std::uint64_t middle(std::size_t i) noexcept
{
    if (i < fine)
        return i;
    auto const shift = i / fine - 1;
    auto const low = (i % fine + fine) << shift;
    return low + ((std::uint64_t{1} << shift) >> 1);
}

static_assert(bucket(fine - 1) + 1 == bucket(fine) && bucket(2 * fine) == 2 * fine);
static_assert(middle(bucket(1'000'000)) > 980'000 && middle(bucket(1'000'000)) < 1'020'000);

}

/** Counts durations in buckets whose width grows with the duration, so that each is known to 2 %.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class histogram
{
public:
    using duration = std::chrono::nanoseconds;

    void add(duration d) noexcept
    {
        auto const value = static_cast<std::uint64_t>(std::max(d.count(), duration::rep{0}));
        ++buckets_[detail::bucket(value)];
        ++count_;
        max_ = std::max(max_, d);
    }

    void add(histogram const& other) noexcept
    {
        for (std::size_t i = 0; i != buckets_.size(); ++i)
            buckets_[i] += other.buckets_[i];
        count_ += other.count_;
        max_ = std::max(max_, other.max_);
    }

    std::uint64_t count() const noexcept { return count_; }
    duration max() const noexcept { return max_; }

    /// The duration that the given share of all did not exceed; 0 if there are none.
    duration quantile(double share) const noexcept
    {
        auto const rank = static_cast<std::uint64_t>(
            std::ceil(share * static_cast<double>(count_)));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i != buckets_.size(); ++i)
        {
            seen += buckets_[i];
            if (seen != 0 && seen >= rank)
                return std::min(duration(static_cast<duration::rep>(detail::middle(i))), max_);
        }
        return {};
    }

private:
    std::array<std::uint64_t, (64 - detail::bits + 1) * detail::fine> buckets_{};
    std::uint64_t count_ = 0;
    duration max_{};
};

}

#endif
