// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TOP_FETCH_HPP
#define ASIO_EWYK_EXAMPLE_TOP_FETCH_HPP

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

namespace top {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

/** Asks a server for its metrics, on one connection that is made anew if it was lost.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class server
{
public:
    server(std::string host, std::string port, std::string path)
      : host_(std::move(host)), port_(std::move(port)), path_(std::move(path))
    {
    }

    /// The page. Throws std::runtime_error, which says what is wrong, at the latest after a while.
    std::string fetch()
    {
        for (;;)
        {
            bool const old = stream_.socket().is_open();
            error_code error;
            if (!old)
                connect(error);
            auto const page = error ? std::string() : ask(error);
            if (!error)
                return page;
            stream_.close();
            buffer_.clear();
            if (!old)
                throw std::runtime_error(
                    "cannot read " + host_ + ':' + port_ + path_ + ": " + error.message());
        }
    }

private:
    using error_code = boost::system::error_code;

    static constexpr auto patience = std::chrono::seconds(10);

    /// Runs an operation with a deadline.
    template <class Begin>
    void wait_for(error_code& error, Begin begin)
    {
        stream_.expires_after(patience);
        begin([&error](error_code e, auto const&...) { error = e; });
        context_.restart();
        context_.run();
    }

    void connect(error_code& error)
    {
        auto const all = tcp::resolver(context_).resolve(host_, port_, error);
        if (!error)
            wait_for(error, [&](auto done) { stream_.async_connect(all, done); });
    }

    std::string ask(error_code& error)
    {
        http::request<http::empty_body> request(http::verb::get, path_, 11);
        request.set(http::field::host, host_);
        wait_for(error, [&](auto done) { http::async_write(stream_, request, done); });
        if (error)
            return {};
        http::response_parser<http::string_body> answer;
        answer.body_limit(16 * 1024 * 1024);
        wait_for(error, [&](auto done) { http::async_read(stream_, buffer_, answer, done); });
        if (error)
            return {};
        if (answer.get().result() != http::status::ok)
            throw std::runtime_error(host_ + ':' + port_ + path_ + " answers "
                + std::to_string(answer.get().result_int()));
        if (!answer.get().keep_alive())
            stream_.close();
        return answer.release().body();
    }

    std::string const host_;
    std::string const port_;
    std::string const path_;
    asio::io_context context_{1};
    beast::tcp_stream stream_{context_};
    beast::flat_buffer buffer_;
};

}

#endif
