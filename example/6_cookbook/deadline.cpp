// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Go on without the answer of a call that blocks for too long. The call itself cannot be ended.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <semaphore>
#include <utility>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

namespace {

// tag::deadline[]
/// What f() returns, or nothing if that takes longer. For coroutines on a strand.
asio::awaitable<std::optional<int>> call_for(
    ewyk::worker_pool& pool, std::chrono::milliseconds time, std::function<int()> f)
{
    struct state
    {
        asio::steady_timer timer;
        std::optional<int> answer;
    };
    auto const ex = co_await asio::this_coro::executor;
    auto const s = std::make_shared<state>(state{asio::steady_timer(ex, time), {}});
    asio::post(pool, [s, ex, f = std::move(f)] {
        int const answer = f();
        asio::post(ex, [s, answer] {
            s->answer = answer;
            s->timer.cancel();
        });
    });
    co_await s->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return s->answer;
}
// end::deadline[]

} // namespace

int main()
{
    std::binary_semaphore answers(0);
    bool right = false;
    ewyk::strategy_context context;
    ewyk::worker_pool pool;
    auto const ask = [&]() -> asio::awaitable<void> {
        auto const quick = co_await call_for(pool, 1min, [] { return 42; });
        auto const late = co_await call_for(pool, 20ms, [&] { answers.acquire(); return 1; });
        right = quick == 42 && !late;
        answers.release();
    };
    asio::co_spawn(asio::make_strand(context), ask, asio::detached);
    context.run();
    std::cout << (right ? "one answer in time, and one too late\n" : "wrong\n");
    return right ? 0 : 1;
}
