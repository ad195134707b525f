// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_TASK_TIMES_HPP
#define ASIO_EWYK_DETAIL_METRICS_TASK_TIMES_HPP

#include <asio_ewyk/detail/metrics/raise_to.hpp>
#include <asio_ewyk/metrics.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace asio_ewyk::detail {

// Counts durations in the buckets of duration_histogram. Any thread. Relaxed, all of it: plain
// sums.
class histogram_recorder
{
public:
    using duration = std::chrono::nanoseconds;

    void record(duration d) noexcept
    {
        buckets_[duration_histogram::bucket_of(d)].fetch_add(1, std::memory_order_relaxed);
        sum_.fetch_add(d.count(), std::memory_order_relaxed);
        raise_to(max_, d.count());
    }

    // Its count is the sum of its buckets; the sum and the maximum may be a moment older.
    duration_histogram snapshot() const
    {
        duration_histogram h;
        h.max = duration(max_.load(std::memory_order_relaxed));
        h.sum = duration(sum_.load(std::memory_order_relaxed));
        h.buckets.reserve(buckets_.size());
        for (auto const& bucket : buckets_)
        {
            h.buckets.push_back(bucket.load(std::memory_order_relaxed));
            h.count += h.buckets.back();
        }
        return h;
    }

private:
    std::array<std::atomic<std::uint64_t>, duration_histogram::bucket_count> buckets_{};
    std::atomic<duration::rep> sum_{0};
    std::atomic<duration::rep> max_{0};
};

// What a context, a loop or a pool with the option `timing` measures. Any thread.
struct task_times
{
    histogram_recorder queue_delay;
    histogram_recorder run_time;
    histogram_recorder poll_delay;

    // Throws std::bad_alloc.
    template <class Metrics>
    void write_to(Metrics& m) const
    {
        m.queue_delay = queue_delay.snapshot();
        m.run_time = run_time.snapshot();
        if constexpr (requires { m.poll_delay; })
            m.poll_delay = poll_delay.snapshot();
    }
};

// Null: nothing is measured.
inline std::unique_ptr<task_times> times_if(bool timing)
{
    return timing ? std::make_unique<task_times>() : nullptr;
}

} // namespace asio_ewyk::detail

#endif
