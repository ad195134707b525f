// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "producers.hpp"

#include "measurement.hpp"
#include "shedding_peer.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <thread>
#include <vector>

namespace benchmark {

namespace {

// Submits in halves of its window, and waits after each until the one before it was run. So neither
// side waits for the other at every function, and counting costs next to nothing.
class producer
{
public:
    explicit producer(std::size_t window)
        : half_(std::max<std::size_t>(window / 2, 1))
    {
    }

    template <class Peer>
    void run(Peer& peer, std::stop_token const& stop)
    {
        for (std::uint64_t sent = 1; !stop.stop_requested(); ++sent)
        {
            for (std::size_t i = 1; i != half_; ++i)
                peer.submit([] {});
            peer.submit([this] {
                done_.fetch_add(1);
                done_.notify_one();
            });
            for (auto done = done_.load(); sent > done + 1; done = done_.load())
                done_.wait(done);
        }
    }

    std::uint64_t operations() const { return done_.load() * half_; }

private:
    std::size_t half_;
    alignas(64) std::atomic<std::uint64_t> done_{0}; // halves
};

} // namespace

boost::json::object measure_producers(std::string_view peer, parameters const& with)
{
    std::deque<producer> producers;
    while (producers.size() != with.count("producers"))
        producers.emplace_back(with.count("window"));

    boost::json::object result;
    measurement measure(with, [&] {
        std::uint64_t operations = 0;
        for (producer const& p : producers)
            operations += p.operations();
        return operations;
    });
    visit_peer_or_shedder(peer, with, [&](auto& p) {
        std::vector<std::jthread> threads;
        for (producer& each : producers)
            threads.emplace_back([&](std::stop_token const& stop) { each.run(p, stop); });
        result = measure.watch();
        result["threads"] = p.threads();
    });
    return result;
}

} // namespace benchmark
