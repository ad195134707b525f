#ifndef ASIO_EWYK_TEST_BENCHMARK_PEERS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PEERS_HPP

#include <asio_ewyk/event_loop.hpp>
#include <asio_ewyk/strategy_context.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
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

   What has not run when a peer is destroyed is destroyed with it.
*/

/// What a peer may use.
struct peer_options
{
    std::size_t threads;            // of all but the peers that have one only
    std::chrono::nanoseconds grace; // of the strategies with a grace
};

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
    strategic_context(
        ewyk::strategy_t s, std::size_t max_threads, std::chrono::nanoseconds grace)
        : run_by_threads(1, s, options(max_threads, grace))
    {
    }

    std::size_t threads() { return 1 + context_.pool().threads(); }

private:
    static ewyk::strategy_options options(std::size_t max_threads, std::chrono::nanoseconds grace)
    {
        ewyk::strategy_options chosen;
        chosen.max_threads = max_threads;
        chosen.grace = grace;
        return chosen;
    }
};

/// One of our event loops.
class loop
{
public:
    template <class F>
    void submit(F&& f)
    {
        asio::post(loop_, std::forward<F>(f));
    }

    static std::size_t threads() { return 1; }

private:
    ewyk::event_loop loop_;
};

/// A peer by name: calls its second argument with the peer.
template <class Visitor>
struct named_peer
{
    std::string_view name;
    std::function<void(peer_options const&, Visitor&)> visit;
};

/// All peers, for a visitor that can be called with any of them.
template <class Visitor>
std::array<named_peer<Visitor>, 10> all_peers()
{
    static constexpr auto strategic = [](ewyk::strategy_t s, bool with_grace) {
        return [s, with_grace](peer_options const& o, Visitor& visitor) {
            strategic_context peer(
                s, o.threads, with_grace ? o.grace : std::chrono::nanoseconds::zero());
            visitor(peer);
        };
    };
    return {{
        {"io_context/1",
            [](peer_options const&, Visitor& visitor) {
                plain_context peer(1, 1);
                visitor(peer);
            }},
        {"io_context/n",
            [](peer_options const& o, Visitor& visitor) {
                plain_context peer(o.threads);
                visitor(peer);
            }},
        {"io_context+thread_pool",
            [](peer_options const& o, Visitor& visitor) {
                offloading_context peer(o.threads);
                visitor(peer);
            }},
        {"produce_consume", strategic(ewyk::strategy.produce_consume, false)},
        {"produce_execute_consume", strategic(ewyk::strategy.produce_execute_consume, false)},
        {"execute_produce_consume", strategic(ewyk::strategy.execute_produce_consume, false)},
        {"execute_produce_consume+grace", strategic(ewyk::strategy.execute_produce_consume, true)},
        {"eat_what_you_kill", strategic(ewyk::strategy.eat_what_you_kill, false)},
        {"eat_what_you_kill+grace", strategic(ewyk::strategy.eat_what_you_kill, true)},
        {"event_loop",
            [](peer_options const&, Visitor& visitor) {
                loop peer;
                visitor(peer);
            }},
    }};
}

/// Calls the visitor with the peer of that name. Throws std::invalid_argument if there is none.
template <class Visitor>
void visit_peer(std::string_view name, peer_options const& options, Visitor visitor)
{
    for (auto const& peer : all_peers<Visitor>())
        if (peer.name == name)
            return peer.visit(options, visitor);
    throw std::invalid_argument("there is no peer " + std::string(name));
}

} // namespace benchmark

#endif
