// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A thread for each core, with an io_context of its own: connections are dealt to them in turn, and
// stay where they are. Each client learns which core serves it, and all cores must serve as many.

#include <boost/asio.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;

constexpr int connections_of_each_core = 10;
constexpr int requests = 50;
constexpr auto deadline = 100s;

// What belongs to a core. Its connections share nothing but the number of requests.
struct core
{
    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::atomic<int> served = 0;
};

using cores = std::vector<std::unique_ptr<core>>;

awaitable<void> serve(tcp::socket socket, char number, std::atomic<int>& served)
{
    char request = 0;
    for (;;)
    {
        auto const [error, size] = co_await asio::async_read(
            socket, asio::buffer(&request, 1), asio::as_tuple(use_awaitable));
        if (error)
            co_return;
        ++served;
        co_await asio::async_write(socket, asio::buffer(&number, 1), use_awaitable);
    }
}

awaitable<void> accept(tcp::acceptor& acceptor, cores& all)
{
    for (std::size_t turn = 0;; turn = (turn + 1) % all.size())
    {
        auto& next = *all[turn];
        auto [error, socket]
            = co_await acceptor.async_accept(next.context, asio::as_tuple(use_awaitable));
        if (error)
            co_return;
        asio::co_spawn(next.context,
            serve(std::move(socket), static_cast<char>(turn), next.served), asio::detached);
    }
}

// Whether all answers came from the same core.
awaitable<bool> ask(tcp::endpoint where)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(where, use_awaitable);
    int first = -1;
    bool same = true;
    for (int i = 0; i != requests; ++i)
    {
        char answer = 0;
        co_await asio::async_write(socket, asio::buffer(&answer, 1), use_awaitable);
        co_await asio::async_read(socket, asio::buffer(&answer, 1), use_awaitable);
        first = i == 0 ? answer : first;
        same = same && answer == first;
    }
    co_return same;
}

} // namespace

int main()
try
{
    cores all(std::clamp(std::thread::hardware_concurrency(), 2u, 8u));
    for (auto& each : all)
        each = std::make_unique<core>();

    auto& first = all.front()->context;
    tcp::acceptor acceptor(first, {asio::ip::address_v4::loopback(), 0});
    auto const where = acceptor.local_endpoint();
    asio::co_spawn(first, accept(acceptor, all), asio::detached);
    std::vector<std::jthread> threads;
    for (auto& each : all)
        threads.emplace_back([&context = each->context] { context.run_for(deadline); });

    // The clients are somewhere else, in one thread.
    asio::io_context elsewhere;
    int const clients = connections_of_each_core * static_cast<int>(all.size());
    std::atomic<int> content = 0;
    for (int i = 0; i != clients; ++i)
        asio::co_spawn(elsewhere, ask(where), [&](std::exception_ptr error, bool same) {
            if (error)
                std::rethrow_exception(error);
            content += same;
        });
    elsewhere.run_for(deadline);

    asio::post(first, [&] { acceptor.close(); });
    for (auto& each : all)
        each->work.reset();
    threads.clear();

    auto const served_all = [](auto const& each) {
        return each->served == connections_of_each_core * requests;
    };
    auto const right = std::count_if(all.begin(), all.end(), served_all);
    std::cout << content << " of " << clients << " clients stayed on one core; " << right << " of "
              << all.size() << " cores served as many as the others\n";
    return content == clients && right == static_cast<std::ptrdiff_t>(all.size()) ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
