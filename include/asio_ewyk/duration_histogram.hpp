// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DURATION_HISTOGRAM_HPP
#define ASIO_EWYK_DURATION_HISTOGRAM_HPP

#include <asio_ewyk/detail/config.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace asio_ewyk {

/** How many durations of each length there were. Empty where nothing is measured.

    Buckets are log-linear: eight of the same width for each octave, so a value is known to an
    eighth. They reach up to 2^40 ns, which is 18 minutes; what is longer counts as that.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
struct duration_histogram
{
    /// The unit of all durations.
    using duration = std::chrono::nanoseconds;

    /// How many buckets there are.
    static constexpr std::size_t bucket_count = 304;

    std::uint64_t count = 0; ///< of all buckets
    duration sum{};          ///< of all durations
    duration max{};          ///< the longest

    /// How many durations each bucket has; empty, or `bucket_count` of them.
    std::vector<std::uint64_t> buckets = {};

    /// The bucket of a duration; one of less than 1 ns is in the first. No-throw guarantee.
    static constexpr std::size_t bucket_of(duration d) noexcept
    {
        if (d.count() <= 1)
            return 0;
        std::uint64_t const n = std::min(static_cast<std::uint64_t>(d.count()), longest) - 1;
        if (n < steps)
            return static_cast<std::size_t>(n);
        auto const shift = static_cast<unsigned>(std::bit_width(n)) - 4; // three bits are left
        return static_cast<std::size_t>(shift * steps + (n >> shift));
    }

    /// The longest duration that belongs to that bucket; `i` is less than `bucket_count`. No-throw
    /// guarantee.
    static constexpr duration upper_bound(std::size_t i) noexcept
    {
        if (i < 2 * steps)
            return duration(static_cast<duration::rep>(i + 1));
        auto const shift = i / steps - 1;
        return duration(static_cast<duration::rep>((i - shift * steps + 1) << shift));
    }

    /// How many were that long at most; exact for the bounds of buckets. No-throw guarantee.
    std::uint64_t count_up_to(duration d) const noexcept
    {
        std::uint64_t n = 0;
        for (std::size_t i = 0; i != buckets.size() && upper_bound(i) <= d; ++i)
            n += buckets[i];
        return n;
    }

    /// What the given share of the durations, from 0 to 1, does not exceed: the bound of a bucket,
    /// or `max` if that is less; 0 if there are none. No-throw guarantee.
    duration quantile(double share) const noexcept
    {
        auto const wanted = static_cast<std::uint64_t>(
            std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count)));
        std::uint64_t n = 0;
        for (std::size_t i = 0; i != buckets.size(); ++i)
            if ((n += buckets[i]) != 0 && n >= wanted)
                return std::min(upper_bound(i), max);
        return max;
    }

private:
    static constexpr std::uint64_t steps = 8; // of an octave
    static constexpr std::uint64_t longest = std::uint64_t{1} << 40;
};

} // namespace asio_ewyk

#endif
