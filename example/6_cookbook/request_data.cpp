// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Data of a request, such as its id for the log, which stays with it whichever thread goes on: as
// an argument and, for functions that take no such argument, by an executor. Requests overlap, and
// each line of the log must have the id of the request that it tells of.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>
#include <boost/config.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;
using namespace std::chrono_literals;

namespace {

struct request
{
    std::string id;
    std::string user;
};

std::mutex mutex;
std::vector<std::string> lines; // guarded by mutex

void log(request const& r, std::string const& text)
{
    std::lock_guard const lock(mutex);
    lines.push_back(r.id + ": " + text);
}

// tag::argument[]
asio::awaitable<void> query(request const& r)
{
    log(r, "asks for " + r.user);
    std::this_thread::sleep_for(1ms); // blocks: the other requests go on
    co_await asio::post(asio::use_awaitable);
    log(r, "goes on for " + r.user); // perhaps on another thread
}

asio::awaitable<void> answer(request r) // a copy, which lives as long as the coroutine
{
    co_await query(r); // a reference will do: this coroutine lives until that has returned
    log(r, "is done for " + r.user);
}
// end::argument[]

// tag::executor[]
thread_local request const* running = nullptr; // set while a handler of a request runs

// The request whose handler this thread runs, or null. Not inlined: clang 14 might keep the address
// of `running` while a coroutine changes threads.
BOOST_NOINLINE request const* this_request() noexcept
{
    return running;
}

/// Runs functions as another executor does, and has each find the request.
template <asio::execution::executor Inner>
class request_executor
{
public:
    request_executor(Inner inner, std::shared_ptr<request const> r) noexcept
        : inner_(std::move(inner))
        , request_(std::move(r))
    {
    }

    template <class F>
    void execute(F&& f) const
    {
        inner_.execute([r = request_, f = std::decay_t<F>(std::forward<F>(f))]() mutable {
            struct scope
            {
                request const* const outer; // dispatch runs a handler inside of another one
                ~scope() { running = outer; }
            };
            scope const until_it_returns{std::exchange(running, r.get())};
            std::move(f)();
        });
    }

    // All properties are those of the other executor.
    template <class Property>
        requires asio::can_query_v<Inner const&, Property>
    decltype(auto) query(Property const& p) const
        noexcept(asio::is_nothrow_query_v<Inner const&, Property>)
    {
        return asio::query(inner_, p);
    }

    template <class Property>
        requires asio::can_require_v<Inner const&, Property>
    auto require(Property const& p) const
    {
        return adapted(asio::require(inner_, p));
    }

    template <class Property>
        requires asio::can_prefer_v<Inner const&, Property>
    auto prefer(Property const& p) const
    {
        return adapted(asio::prefer(inner_, p));
    }

    friend bool operator==(request_executor const&, request_executor const&) noexcept = default;

private:
    template <class Other>
    auto adapted(Other inner) const noexcept
    {
        return request_executor<Other>(std::move(inner), request_);
    }

    Inner inner_;
    std::shared_ptr<request const> request_;
};
// end::executor[]

// tag::found[]
void log(std::string const& text)
{
    if (request const* const r = this_request())
        log(*r, text);
}

asio::awaitable<void> query()
{
    std::string const user = this_request()->user;
    log("asks for " + user);
    std::this_thread::sleep_for(1ms);
    co_await asio::post(asio::use_awaitable);
    log("goes on for " + user);
}

asio::awaitable<void> session(request r)
{
    auto const shared = std::make_shared<request const>(std::move(r));
    request_executor const ex(co_await asio::this_coro::executor, shared);
    co_await asio::co_spawn(ex, query(), asio::use_awaitable); // home is ex, also after each wait
    log(*shared, "is done for " + shared->user);
}
// end::found[]

void rethrow(std::exception_ptr e)
{
    if (e)
        std::rethrow_exception(e);
}

// What each request must have written, in any order.
std::vector<std::string> expected(int requests)
{
    std::vector<std::string> all;
    for (int i = 0; i != requests; ++i)
        for (std::string const text : {"asks for ", "goes on for ", "is done for "})
            all.push_back(std::to_string(i) + ": " + text + "user " + std::to_string(i));
    return all;
}

} // namespace

int main()
{
    bool right = true;
    for (auto const& begin : {&answer, &session})
    {
        lines.clear();
        ewyk::strategy_context context;
        for (int i = 0; i != 8; ++i)
            asio::co_spawn(context,
                begin({std::to_string(i), "user " + std::to_string(i)}), rethrow);
        context.run();
        std::sort(lines.begin(), lines.end());
        right = right && lines == expected(8);
    }
    std::cout << (right ? "each line has the id of its request\n" : "wrong\n");
    return right ? 0 : 1;
}
