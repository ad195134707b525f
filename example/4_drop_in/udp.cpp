// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A service over UDP that answers a number with its square. It takes the datagrams one by one, and
// loses some of them, as a network does; a client that waits in vain for an answer asks again.

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::udp;
using boost::system::error_code;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

using number = std::uint64_t;
using answer = std::array<number, 2>; // the number, and its square

constexpr number clients = 8;
constexpr number numbers_of_each = 50;
constexpr int lost = 10; // one of that many
constexpr auto ask_again_after = 20ms;
constexpr auto deadline = 100s;

class squares
{
public:
    explicit squares(asio::io_context& context)
        : socket_(asio::make_strand(context), {asio::ip::address_v4::loopback(), 0})
    {
        receive();
    }

    udp::endpoint where() const { return socket_.local_endpoint(); }

    void close()
    {
        asio::post(socket_.get_executor(), [this] { socket_.close(); });
    }

private:
    void receive()
    {
        socket_.async_receive_from(
            asio::buffer(&asked_, sizeof asked_), client_, [this](error_code error, std::size_t) {
                if (error)
                    return;
                if (++received_ % lost == 0)
                    receive();
                else
                    send();
            });
    }

    void send()
    {
        answer_ = {asked_, asked_ * asked_};
        socket_.async_send_to(
            asio::buffer(answer_), client_, [this](error_code error, std::size_t) {
                if (!error)
                    receive();
            });
    }

    udp::socket socket_;
    udp::endpoint client_; // who asks now
    number asked_ = 0;
    answer answer_{};
    int received_ = 0;
};

// What comes late, after the number was asked again, comes twice.
awaitable<number> answer_to(udp::socket& socket, number n)
{
    for (;;)
    {
        answer came{};
        co_await socket.async_receive(asio::buffer(came), use_awaitable);
        if (came[0] == n)
            co_return came[1];
    }
}

awaitable<number> square(udp::socket& socket, number n)
{
    for (;;)
    {
        co_await socket.async_send(asio::buffer(&n, sizeof n), use_awaitable);
        asio::steady_timer timer(socket.get_executor(), ask_again_after);
        auto const came = co_await (answer_to(socket, n) || timer.async_wait(use_awaitable));
        if (came.index() == 0)
            co_return std::get<0>(came);
    }
}

awaitable<void> client(udp::endpoint where, number first, std::atomic<number>& right)
{
    udp::socket socket(co_await asio::this_coro::executor, udp::v4());
    socket.connect(where);
    for (number n = first; n != first + numbers_of_each; ++n)
        if (co_await square(socket, n) == n * n)
            ++right;
}

} // namespace

int main()
try
{
    asio::io_context context;
    squares service(context);
    std::atomic<number> right = 0;
    std::atomic<number> busy = clients;
    for (number i = 0; i != clients; ++i)
        asio::co_spawn(asio::make_strand(context),
            client(service.where(), i * numbers_of_each, right), [&](std::exception_ptr error) {
                if (--busy == 0)
                    service.close();
                if (error)
                    std::rethrow_exception(error);
            });
    context.run_for(deadline);

    std::cout << right << " of " << clients * numbers_of_each << " squares are right\n";
    return right == clients * numbers_of_each ? 0 : 1;
}
catch (std::exception const& e)
{
    std::cerr << e.what() << '\n';
    return 1;
}
