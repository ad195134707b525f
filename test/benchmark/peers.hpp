// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_PEERS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PEERS_HPP

#include "parameters.hpp"
#include "strategies.hpp"

#include <asio_ewyk/diagnostics/flight_recorder.hpp>
#include <asio_ewyk/diagnostics/trace.hpp>
#include <asio_ewyk/loop/event_loop.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace benchmark {

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

/* A peer runs functions on threads of its own, from construction to destruction. All have

   | expression         | meaning                                                             |
   |--------------------|---------------------------------------------------------------------|
   | `submit(f)`        | has f() run as a handler; on any thread                             |
   | `threads()`        | that run handlers now                                               |

   What has not run when a peer is destroyed is destroyed with it. Of the parameters, `threads` is
   how many threads run `io_context/n`, `max_threads` how many a pool may have, be it a strategy's
   or a `thread_pool`, and `grace` that of the strategies with one. `stall_threshold` (below 0:
   their own default), `timing`, `trace` and `recorder` are for the strategies and the loop: how much
   of them can be seen from outside.
*/

/// A context that is run by a given number of threads.
template <class Context>
class run_by_threads
{
public:
    template <class... Args>
    explicit run_by_threads(std::size_t callers, Args&&... args)
        : context_(std::forward<Args>(args)...)
        , work_(asio::make_work_guard(context_))
    {
        while (callers_.size() != callers)
            callers_.emplace_back([this] { context_.run(); });
    }

    ~run_by_threads() { stop(); }

    void stop()
    {
        context_.stop();
        callers_.clear();
    }

    template <class F>
    void submit(F&& f)
    {
        asio::post(context_, std::forward<F>(f));
    }

    std::size_t threads() const { return callers_.size(); }

    Context& context() { return context_; }

protected:
    Context context_;
    asio::executor_work_guard<typename Context::executor_type> work_;
    std::vector<std::jthread> callers_;
};

using plain_context = run_by_threads<asio::io_context>;

/// One thread in run() gives each handler to a pool: what is done where handlers may block.
class offloading_context : public run_by_threads<asio::io_context>
{
public:
    explicit offloading_context(std::size_t threads)
        : run_by_threads(1, 1)
        , size_(threads)
        , pool_(threads)
    {
    }

    ~offloading_context()
    {
        stop(); // first: its handlers use the pool
        pool_.stop();
        pool_.join();
    }

    template <class F>
    void submit(F&& f)
    {
        run_by_threads::submit([this, f = std::forward<F>(f)]() mutable {
            asio::post(pool_, std::move(f));
        });
    }

    std::size_t threads() const { return size_; }

private:
    std::size_t size_;
    asio::thread_pool pool_;
};

/// A strategy, with one thread in run() and those that the context adds.
class strategic_context : public run_by_threads<ewyk::strategy_context>
{
public:
    strategic_context(named_strategy const& s, parameters const& with)
        : run_by_threads(1, s.strategy, options(s, with))
    {
    }

    std::size_t threads() { return 1 + context_.pool().threads(); }

private:
    static ewyk::strategy_options options(named_strategy const& s, parameters const& with)
    {
        ewyk::strategy_options chosen;
        chosen.max_threads = with.count("max_threads");
        chosen.grace = s.grace(with.microseconds("grace"));
        if (with["stall_threshold"] >= 0)
            chosen.stall_threshold = with.microseconds("stall_threshold");
        chosen.timing = with["timing"] != 0;
        return chosen;
    }
};

/// One of our event loops.
class loop
{
public:
    explicit loop(ewyk::event_loop_options const& chosen)
        : loop_(chosen)
    {
    }

    template <class F>
    void submit(F&& f)
    {
        asio::post(loop_, std::forward<F>(f));
    }

    static std::size_t threads() { return 1; }

    ewyk::event_loop& context() { return loop_; }

private:
    ewyk::event_loop loop_;
};

/// Records a trace while it lives, if one is wanted, or has a flight recorder do so, for which
/// nothing is late enough to write a file.
class traced
{
public:
    explicit traced(parameters const& with)
    {
        if (with["trace"] != 0)
            ewyk::trace::start();
        if (with["recorder"] != 0)
            ewyk::trace::keep({.when = {.queued = std::chrono::hours(24),
                                   .ran = std::chrono::hours(24),
                                   .stalled = false},
                .to = std::filesystem::temp_directory_path()});
    }

    traced(traced const&) = delete;
    traced& operator=(traced const&) = delete;
    ~traced() { ewyk::trace::stop(); }
};

/// The names of all peers; those of the strategies follow.
inline constexpr std::array<std::string_view, 4> plain_peers{
    "io_context/1", "io_context/n", "io_context+thread_pool", "event_loop"};

/// Calls visit(peer) with the peer of that name. Throws std::invalid_argument if there is none.
template <class Visit>
void visit_peer(std::string_view name, parameters const& with, Visit visit)
{
    auto const made = [&]<class Peer>(std::type_identity<Peer>, auto const&... args) {
        traced const recorded(with);
        Peer peer(args...);
        visit(peer);
    };
    auto const threads = with.count("threads");
    auto const max_threads = with.count("max_threads");
    if (name == plain_peers[0])
        return made(std::type_identity<plain_context>(), 1u, 1);
    if (name == plain_peers[1])
        return made(std::type_identity<plain_context>(), threads);
    if (name == plain_peers[2])
        return made(std::type_identity<offloading_context>(), max_threads);
    if (name == plain_peers[3])
    {
        ewyk::event_loop_options chosen;
        if (with["stall_threshold"] >= 0)
            chosen.stall_threshold = with.microseconds("stall_threshold");
        chosen.timing = with["timing"] != 0;
        return made(std::type_identity<loop>(), chosen);
    }
    for (named_strategy const& s : strategies)
        if (name == s.name)
            return made(std::type_identity<strategic_context>(), s, with);
    throw std::invalid_argument("there is no peer " + std::string(name));
}

} // namespace benchmark

#endif
