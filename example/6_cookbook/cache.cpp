// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Share a map between handlers that block: what touches the map runs on a strand, what blocks does
// not. Four queries block at once, and the map needs no lock.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <atomic>
#include <exception>
#include <iostream>
#include <latch>
#include <map>
#include <string>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

namespace {

std::latch all(4);

std::string query(std::string const& key)
{
    all.arrive_and_wait();
    return "value of " + key;
}

// tag::cache[]
class cache
{
public:
    explicit cache(ewyk::strategy_context& context) : strand_(asio::make_strand(context)) {}

    asio::awaitable<std::string> find(std::string key)
    {
        auto const home = co_await asio::this_coro::executor;
        co_await ewyk::switch_to(strand_);
        std::string value = values_[key]; // one at a time from here
        co_await ewyk::switch_to(home);   // to here
        if (!value.empty())
            co_return value;

        value = query(key); // blocks, and holds up nobody
        co_await ewyk::switch_to(strand_);
        values_[key] = value;
        co_await ewyk::switch_to(home);
        co_return value;
    }

private:
    asio::strand<ewyk::strategy_executor> strand_;
    std::map<std::string, std::string> values_; // used on the strand only
};
// end::cache[]

} // namespace

int main()
{
    ewyk::strategy_context context;
    cache values(context);
    std::atomic<int> found{0};
    for (int i = 0; i != 4; ++i)
        asio::co_spawn(context, values.find("k" + std::to_string(i)),
            [&, i](std::exception_ptr, std::string const& value) {
                found += value == "value of k" + std::to_string(i);
            });
    context.run();
    context.restart();
    asio::co_spawn(context, values.find("k0"), // is known: does not ask
        [&](std::exception_ptr, std::string const& value) { found += value == "value of k0"; });
    context.run();
    std::cout << found << " values found by 4 queries, which blocked at once\n";
    return found == 5 ? 0 : 1;
}
