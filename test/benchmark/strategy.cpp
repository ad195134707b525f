// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "strategy.hpp"

#include "connection.hpp"
#include "counter.hpp"
#include "measurement.hpp"
#include "strategies.hpp"

#include <asio_ewyk/execution_strategy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <random>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

namespace benchmark {

namespace {

// A thread that submits requests on its connection and waits for the answers.
class submitter
{
public:
    submitter(named_strategy const& s, parameters const& with, asio_ewyk::worker_pool& pool,
        session_store& sessions, unsigned seed)
        : connection_(sessions, with["sleeps"] != 0, seed)
        , strategy_(connection_, pool, s.strategy, s.grace(with.microseconds("grace")))
        , non_blocking_(with["non_blocking"] != 0)
        , random_(seed)
    {
    }

    void run(std::stop_token const& stop)
    {
        while (!stop.stop_requested())
        {
            std::size_t const requests = burst();
            for (std::size_t i = 0; i != requests; ++i)
                connection_.submit(answers_[i]);
            if (non_blocking_)
                asio_ewyk::invoke_non_blocking([this] { strategy_.produce(); });
            else
                strategy_.produce();
            for (std::size_t i = 0; i != requests; ++i)
                answers_[i].wait();
            done_.add();
        }
    }

    counter const& done() const { return done_; }

private:
    std::size_t burst()
    {
        switch (std::uniform_int_distribution(0, 7)(random_))
        {
        case 0: return 4;
        case 1:
        case 2: return 2;
        default: return 1;
        }
    }

    counter done_;
    std::array<answer, connection::most_requests> answers_;
    connection connection_;
    asio_ewyk::execution_strategy<connection> strategy_;
    bool non_blocking_;
    std::minstd_rand random_;
};

boost::json::object measure_strategy(std::string_view peer, parameters const& with)
{
    auto const chosen = std::ranges::find(strategies, peer, &named_strategy::name);
    std::deque<submitter> submitters;
    measurement measure(with, [&] {
        std::uint64_t operations = 0;
        for (submitter const& s : submitters)
            operations += s.done().value();
        return operations;
    });

    session_store sessions;
    asio_ewyk::worker_pool pool({.max_threads = 200, .reserve = 20});
    for (unsigned i = 0; i != with.count("submitters"); ++i)
        submitters.emplace_back(*chosen, with, pool, sessions, i + 1);
    boost::json::object result;
    {
        // Those that run already would keep the processors from who starts the others.
        std::latch all_there(1);
        std::vector<std::jthread> threads;
        for (submitter& s : submitters)
            threads.emplace_back([&](std::stop_token const& stop) {
                all_there.wait();
                s.run(stop);
            });
        all_there.count_down();
        result = measure.watch();
        result["threads"] = pool.threads();
        for (std::jthread& thread : threads)
            thread.request_stop();
    }
    submitters.clear();
    return result;
}

} // namespace

workload strategy_workload()
{
    std::vector<std::string_view> names;
    for (named_strategy const& s : strategies)
        names.push_back(s.name);
    return {"strategy", names,
        {{"submitters", 8}, {"sleeps", 0}, {"non_blocking", 0}, {"grace", 50}}, measure_strategy};
}

} // namespace benchmark
