// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include <asio_ewyk.hpp>
#include <asio_ewyk/server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

bool tour();

namespace {

using namespace std::chrono_literals;

class once
{
public:
    explicit once(std::function<void()> f)
        : function_(std::move(f))
    {
    }

    std::function<void()> produce() { return std::exchange(function_, nullptr); }

private:
    std::function<void()> function_;
};

int run_by_strategies(ewyk::worker_pool& pool)
{
    std::atomic<int> ran{0};
    auto const f = [&] { ++ran; };

    ewyk::strategy_context shared(pool, ewyk::strategy.produce_execute_consume);
    asio::post(shared, f);
    shared.run();
    ewyk::strategy_context chosen(ewyk::strategy_from_string("produce_consume"), {.timing = true});
    asio::post(chosen, f);
    chosen.poll();

    asio::io_context ioc;
    asio::post(ewyk::use_strategy(ioc, ewyk::strategy.eat_what_you_kill), f);
    ewyk::run(ioc);

    once source(f);
    ewyk::execution_strategy strategy(source, pool, ewyk::strategy.execute_produce_consume, 50us);
    strategy.produce();

    pool.execute([&] {
        ewyk::blocking_section const blocks;
        ewyk::this_invocation::set_location();
        ++ran;
    });
    pool.execute(f);
    pool.wait();
    return ran;
}

int run_by_loops()
{
    std::atomic<int> ran{0};
    ewyk::event_loop_group loops(2, {.name = "loop"}, ewyk::least_loaded());
    asio::post(loops.next(), [&] { ++ran; });
    ewyk::scheduled_task const series = loops.next().schedule_at_fixed_rate(0ms, 1ms, [&] { ++ran; });
    while (ran < 3)
        std::this_thread::yield();
    series.cancel();
    loops.async_shutdown_gracefully(0ms, 30s, asio::use_future).get();
    return ran;
}

} // namespace

bool tour()
{
    std::ostringstream text;
    ewyk::trace::start();
    ewyk::worker_pool pool({.max_threads = 4, .timing = true});
    bool const all = run_by_strategies(pool) == 6 && run_by_loops() >= 3;
    ewyk::trace::stop();
    ewyk::trace::write(text);
    ewyk::dump(text);
    ewyk::prometheus_page page;
    page.add(pool.metrics(), {{"pool", "tour"}});
    text << page << ewyk::stall_report{} << ewyk::version_string;
    pool.join();
    return all && text.str().find("asio_ewyk") != std::string::npos;
}
