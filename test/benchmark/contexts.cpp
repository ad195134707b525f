// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "contexts.hpp"

#include "defaults.hpp"
#include "measurement.hpp"
#include "peers.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace benchmark {

namespace {

using std::chrono::steady_clock;

std::vector<std::string_view> peer_names_of_contexts()
{
    std::vector<std::string_view> names{plain_peers[0]};
    for (named_strategy const& s : strategies)
        names.push_back(s.name);
    return names;
}

// Calls measure(type, arguments...) with those of a context of that peer.
template <class Measure>
boost::json::object with_context(std::string_view peer, parameters const& with, Measure measure)
{
    for (named_strategy const& s : strategies)
        if (peer == s.name)
            return measure(std::type_identity<ewyk::strategy_context>(), s.strategy,
                ewyk::strategy_options{.grace = s.grace(with.microseconds("grace")),
                    .max_threads = with.count("max_threads")});
    return measure(std::type_identity<asio::io_context>());
}

// Expires again and again.
class ticker
{
public:
    template <class Context>
    ticker(Context& context, steady_clock::time_point first, steady_clock::duration period,
        std::atomic<std::uint64_t>& ticks)
        : timer_(context, first)
        , period_(period)
        , ticks_(ticks)
    {
        wait();
    }

private:
    void wait()
    {
        timer_.async_wait([this](boost::system::error_code error) {
            if (error)
                return;
            ++ticks_;
            timer_.expires_at(timer_.expiry() + period_);
            wait();
        });
    }

    asio::steady_timer timer_;
    steady_clock::duration const period_;
    std::atomic<std::uint64_t>& ticks_;
};

boost::json::object measure_seldom(std::string_view peer, parameters const& with)
{
    return with_context(
        peer, with, [&]<class Context>(std::type_identity<Context>, auto const&... made_with) {
            std::atomic<std::uint64_t> ticks{0};
            measurement process(with, [&] { return ticks.load(); });
            std::size_t const many = with.count("contexts");
            auto const period = std::chrono::duration_cast<steady_clock::duration>(
                std::chrono::duration<double>(1 / with["rate"]));
            auto const begin = steady_clock::now();
            std::vector<std::unique_ptr<run_by_threads<Context>>> contexts;
            std::vector<std::unique_ptr<ticker>> tickers;
            while (contexts.size() != many)
            {
                auto const first = begin + period * contexts.size() / many;
                contexts.push_back(
                    std::make_unique<run_by_threads<Context>>(std::size_t{1}, made_with...));
                tickers.push_back(std::make_unique<ticker>(
                    contexts.back()->context(), first, period, ticks));
            }
            auto result = process.watch();
            for (auto const& c : contexts)
                c->stop();
            tickers.clear();
            return result;
        });
}

boost::json::object measure_lifetime(std::string_view peer, parameters const& with)
{
    return with_context(
        peer, with, [&]<class Context>(std::type_identity<Context>, auto const&... made_with) {
            std::atomic<std::uint64_t> lives{0};
            std::atomic<bool> over{false};
            measurement process(with, [&] { return lives.load(); });
            std::jthread lives_on([&] {
                for (; !over.load(); ++lives)
                {
                    Context context(made_with...);
                    asio::post(context, [] {});
                    context.run();
                }
            });
            auto result = process.watch();
            over.store(true);
            return result;
        });
}

} // namespace

workload seldom_workload()
{
    return {"seldom", peer_names_of_contexts(), with_peers(1, {{"contexts", 1}, {"rate", 10}}),
        measure_seldom};
}

workload lifetime_workload()
{
    return {"lifetime", peer_names_of_contexts(), with_peers(1, {}), measure_lifetime};
}

} // namespace benchmark
