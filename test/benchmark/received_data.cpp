// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "received_data.hpp"

#include "defaults.hpp"
#include "measurement.hpp"
#include "strategies.hpp"

#include <asio_ewyk/execution_strategy.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace benchmark {

namespace {

namespace asio = boost::asio;

constexpr std::string_view plain_pool = "thread_pool";

using words = std::vector<std::uint64_t>;

struct buffer
{
    words data;
    std::atomic<bool> is_free{true};
};

// Adds up what is in a buffer, and frees it.
class reading
{
public:
    reading() = default;

    reading(buffer& from, std::atomic<std::uint64_t>& read)
        : from_(&from)
        , read_(&read)
    {
    }

    explicit operator bool() const { return from_ != nullptr; }

    void operator()()
    {
        sum_.store(std::accumulate(from_->data.begin(), from_->data.end(), sum_.load()));
        std::size_t const kib = from_->data.size() / (1024 / sizeof(words::value_type));
        from_->is_free.store(true);
        from_->is_free.notify_one();
        read_->fetch_add(kib);
    }

private:
    // So that it has to be computed.
    static inline std::atomic<std::uint64_t> sum_{0};

    buffer* from_ = nullptr;
    std::atomic<std::uint64_t>* read_ = nullptr;
};

// Until the token says that it is enough.
class receiver
{
public:
    explicit receiver(std::size_t kib)
        : source_(kib * 1024 / sizeof(words::value_type), 1)
    {
        for (buffer& b : buffers_)
            b.data = source_;
    }

    void receive_until(std::stop_token const& stop) { stop_ = stop; }

    reading produce()
    {
        if (stop_.stop_requested())
            return {};
        buffer& b = buffers_[next_++ % buffers_.size()];
        b.is_free.wait(false);
        b.is_free.store(false);
        std::copy(source_.begin(), source_.end(), b.data.begin());
        return {b, read_};
    }

    std::uint64_t read() const { return read_.load(); }

private:
    words source_;
    std::array<buffer, 16> buffers_;
    std::size_t next_ = 0;
    std::stop_token stop_;
    std::atomic<std::uint64_t> read_{0};
};

boost::json::object measure_received_data(std::string_view peer, parameters const& with)
{
    receiver from(std::max<std::size_t>(with.count("kib"), 1));
    measurement measure(with, [&] { return from.read(); });
    auto const watch = [&](auto produce) {
        std::jthread const producing([&](std::stop_token const& stop) {
            from.receive_until(stop);
            produce();
        });
        return measure.watch();
    };
    auto const threads = with.count("threads");
    if (peer == plain_pool)
    {
        asio::thread_pool pool(threads);
        auto result = watch([&] {
            while (reading r = from.produce())
                asio::post(pool, r);
        });
        pool.join();
        return result;
    }
    auto const chosen = std::ranges::find(strategies, peer, &named_strategy::name);
    asio_ewyk::worker_pool pool({.max_threads = 16});
    asio_ewyk::execution_strategy<receiver> strategy(
        from, pool, chosen->strategy, chosen->grace(with.microseconds("grace")));
    return watch([&] { strategy.produce(); });
}

} // namespace

workload received_data_workload()
{
    std::vector<std::string_view> names{plain_pool};
    for (named_strategy const& s : strategies)
        names.push_back(s.name);
    double const cores = std::max(1u, std::thread::hardware_concurrency());
    return {"received_data", names, {{"kib", 16}, {"threads", cores}, {"grace", 10}},
        measure_received_data};
}

} // namespace benchmark
