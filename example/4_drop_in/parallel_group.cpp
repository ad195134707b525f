// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A client of several servers at a time. It takes the first good answer of three, where one server
// is slow and one refuses; it waits for all of two; and it gives up where no server answers.

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;
namespace experimental = asio::experimental;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace experimental::awaitable_operators;
using namespace std::chrono_literals;

constexpr int rounds = 20;
constexpr auto never = 1h;
constexpr auto deadline = 100s;

// Without a name it says nothing, and hangs up.
awaitable<void> answer(tcp::socket socket, std::string name, std::chrono::nanoseconds after)
{
    auto const quietly = asio::as_tuple(use_awaitable); // the client may have gone
    asio::steady_timer work(socket.get_executor(), after);
    char byte = 0;
    auto gone = socket.async_read_some(asio::buffer(&byte, 1), quietly);
    co_await (work.async_wait(quietly) || std::move(gone));
    co_await asio::async_write(socket, asio::buffer(name), quietly);
}

class server
{
public:
    server(asio::io_context& context, std::string name, std::chrono::nanoseconds after)
        : acceptor_(asio::make_strand(context), {asio::ip::address_v4::loopback(), 0})
    {
        asio::co_spawn(
            acceptor_.get_executor(), listen(context, std::move(name), after), asio::detached);
    }

    tcp::endpoint where() const { return acceptor_.local_endpoint(); }

    void close()
    {
        asio::post(acceptor_.get_executor(), [this] { acceptor_.close(); });
    }

private:
    awaitable<void> listen(
        asio::io_context& context, std::string name, std::chrono::nanoseconds after)
    {
        for (;;)
        {
            auto const on = asio::make_strand(context);
            auto [error, socket]
                = co_await acceptor_.async_accept(on, asio::as_tuple(use_awaitable));
            if (error)
                co_return;
            asio::co_spawn(on, answer(std::move(socket), name, after), asio::detached);
        }
    }

    tcp::acceptor acceptor_;
};

awaitable<std::string> ask(server const& whom)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(whom.where(), use_awaitable);
    std::string name;
    co_await asio::async_read(
        socket, asio::dynamic_buffer(name), asio::as_tuple(use_awaitable)); // to the end
    if (name.empty())
        throw std::runtime_error("no answer");
    co_return name;
}

awaitable<std::string> first_of(server const& a, server const& b, server const& c)
{
    auto const on = co_await asio::this_coro::executor;
    auto const [order, error_a, from_a, error_b, from_b, error_c, from_c]
        = co_await experimental::make_parallel_group(asio::co_spawn(on, ask(a), asio::deferred),
            asio::co_spawn(on, ask(b), asio::deferred), asio::co_spawn(on, ask(c), asio::deferred))
              .async_wait(experimental::wait_for_one_success(), use_awaitable);
    std::array const errors{error_a, error_b, error_c};
    std::array const names{from_a, from_b, from_c};
    for (auto const each : order)
        if (!errors[each])
            co_return names[each];
    co_return "nobody";
}

awaitable<int> client(server const& refuses, server const& slow, server const& quick)
{
    int right = 0;
    for (int i = 0; i != rounds; ++i)
    {
        right += co_await first_of(refuses, slow, quick) == "quick";

        auto const [one, other] = co_await (ask(quick) && ask(quick));
        right += one == "quick" && other == "quick";

        asio::steady_timer patience(co_await asio::this_coro::executor, 5ms);
        auto const came = co_await (ask(slow) || patience.async_wait(use_awaitable));
        right += came.index() == 1;
    }
    co_return right;
}

} // namespace

int main()
try
{
    asio::io_context context;
    server refuses(context, "", 0ms);
    server slow(context, "slow", never);
    server quick(context, "quick", 1ms);
    int right = 0;
    // The operations of a group must not complete at the same time: on a strand.
    asio::co_spawn(asio::make_strand(context), client(refuses, slow, quick),
        [&](std::exception_ptr error, int n) {
            for (auto* each : {&refuses, &slow, &quick})
                each->close();
            if (error)
                std::rethrow_exception(error);
            right = n;
        });
    context.run_for(deadline);

    std::cout << right << " of " << 3 * rounds << " questions ended as they should\n";
    return right == 3 * rounds ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
