// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the models have in common: a small service that speaks lines of text, and clients that check
// what it says. A model differs in which thread accepts, reads, computes and writes.

#ifndef ASIO_EWYK_EXAMPLE_2_MODELS_SERVICE_HPP
#define ASIO_EWYK_EXAMPLE_2_MODELS_SERVICE_HPP

#include <boost/asio.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace models {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

/// Where a model is tried: on this machine, at a port that the system chooses.
inline tcp::endpoint anywhere()
{
    return {asio::ip::address_v4::loopback(), 0};
}

/// What takes its time, as a database does: the answer is the request backwards.
inline std::string compute(std::string request)
{
    std::this_thread::sleep_for(1ms);
    std::reverse(request.begin(), request.end());
    return request;
}

/// Reads lines from a socket and writes lines to it. The text of a request has no end of line.
template <class Socket>
class lines
{
public:
    explicit lines(Socket socket)
      : socket_(std::move(socket))
    {
    }

    /// False at the end of the connection.
    asio::awaitable<bool> read(std::string& line)
    {
        auto const [error, size] = co_await asio::async_read_until(
            socket_, asio::dynamic_buffer(text_, 1024), '\n', asio::as_tuple(asio::use_awaitable));
        if (error)
            co_return false;
        take(line, size);
        co_return true;
    }

    asio::awaitable<void> write(std::string line)
    {
        line += '\n';
        co_await asio::async_write(socket_, asio::buffer(line), asio::use_awaitable);
    }

    /// The same, while the thread waits.
    bool wait_and_read(std::string& line)
    {
        boost::system::error_code error;
        auto const size =
            asio::read_until(socket_, asio::dynamic_buffer(text_, 1024), '\n', error);
        if (error)
            return false;
        take(line, size);
        return true;
    }

    void wait_and_write(std::string line)
    {
        line += '\n';
        asio::write(socket_, asio::buffer(line));
    }

private:
    void take(std::string& line, std::size_t size)
    {
        line = text_.substr(0, size - 1);
        text_.erase(0, size);
    }

    Socket socket_;
    std::string text_; // read, but not taken
};

/// Has several clients at a time send requests, and looks whether each answer is right. Returns
/// what main() is to return.
inline int try_it(std::string_view model, tcp::endpoint const& where, std::string_view request,
    std::string_view answer)
{
    constexpr int clients = 8, requests = 20;
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != clients; ++i)
            threads.emplace_back([&] {
                asio::io_context context;
                tcp::socket socket(context);
                socket.connect(where);
                lines connection(std::move(socket));
                std::string line;
                for (int j = 0; j != requests; ++j)
                {
                    connection.wait_and_write(std::string(request));
                    right += connection.wait_and_read(line) && line == answer;
                }
            });
    }
    std::cout << model << ": " << right << " of " << clients * requests << " answers are right\n";
    return right == clients * requests ? 0 : 1;
}

} // namespace models

#endif
