// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// waits yes|no [foreign]: whether a program that is linked like this one observes waits. Fails if
// that is not what was said; with "foreign", also if the hook of foreign_hook.cpp was not called.
// Either way a handler of Asio's own executor that blocks is noticed.

#include <asio_ewyk.hpp>
#include <boost/asio.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <string_view>
#include <thread>

namespace asio = boost::asio;
namespace ewyk = asio_ewyk;

// This is null where foreign_hook.cpp is not linked.
extern "C" int foreign_hook_calls() __attribute__((weak));

int main(int argc, char** argv)
{
    using namespace std::chrono_literals;
    bool const expected = argc > 1 && argv[1] == std::string_view("yes");
    ewyk::strategy_context context;
    asio::steady_timer const timer(context);
    auto work = asio::make_work_guard(context);
    std::thread runs([&] { context.run(); });

    auto const end = std::chrono::steady_clock::now() + (expected ? 20s : 1s);
    while (!context.metrics().waits_observed && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(1ms);
    bool const observed = context.metrics().waits_observed;

    asio::io_context& plain = context;
    std::promise<void> ran;
    std::promise<bool> noticed;
    asio::post(plain, [&] {
        noticed.set_value(ran.get_future().wait_for(20s) == std::future_status::ready);
    });
    asio::post(plain, [&] { ran.set_value(); });
    bool const was_noticed = noticed.get_future().get();
    work.reset();
    runs.join();
    bool const was_called = argc < 3 || (foreign_hook_calls && foreign_hook_calls() > 0);

    std::cout << (observed ? "observed" : "not observed")
              << (was_noticed ? "" : ", and a handler was not noticed to block")
              << (was_called ? "" : ", and the foreign hook was not called") << '\n';
    return observed == expected && was_noticed && was_called ? 0 : 1;
}
