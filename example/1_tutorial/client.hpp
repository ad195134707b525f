// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A client of the server that the tutorial's steps are about: asks by a line, and reads a line.

#ifndef ASIO_EWYK_EXAMPLE_1_TUTORIAL_CLIENT_HPP
#define ASIO_EWYK_EXAMPLE_1_TUTORIAL_CLIENT_HPP

#include <boost/asio.hpp>

#include <chrono>
#include <cstddef>
#include <string>

class client
{
public:
    explicit client(boost::asio::ip::tcp::endpoint server) { socket_.connect(server); }

    void ask(std::string const& question)
    {
        boost::asio::write(socket_, boost::asio::buffer(question + '\n'));
    }

    /// Whether an answer comes within that time.
    bool has_answer(std::chrono::seconds time)
    {
        bool answered = false;
        socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
            [&](boost::system::error_code error) { answered = !error; });
        context_.restart();
        context_.run_for(time);
        if (!answered)
            socket_.cancel();
        context_.run(); // the handler, if it was cancelled
        return answered;
    }

    /// Waits for the answer.
    std::string answer()
    {
        std::size_t const size
            = boost::asio::read_until(socket_, boost::asio::dynamic_buffer(received_), '\n');
        std::string const line = received_.substr(0, size - 1);
        received_.erase(0, size);
        return line;
    }

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_{context_};
    std::string received_;
};

/// Whether that server accepts a client.
inline bool accepts(boost::asio::ip::tcp::endpoint server)
{
    boost::asio::io_context context;
    boost::asio::ip::tcp::socket socket(context);
    boost::system::error_code error;
    socket.connect(server, error);
    return !error;
}

#endif
