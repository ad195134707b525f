#ifndef ASIO_EWYK_EXAMPLE_LOAD_CONNECTION_HPP
#define ASIO_EWYK_EXAMPLE_LOAD_CONNECTION_HPP

#include "answer.hpp"
#include "histogram.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace load {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using steady_clock = std::chrono::steady_clock;

/// What the connections of one class found out, on one thread.
struct tally
{
    histogram times;             ///< of the requests answered while measuring
    std::uint64_t errors = 0;    ///< from the beginning
};

/// Where to connect, and which answers count.
struct plan
{
    tcp::endpoint server;
    steady_clock::time_point begin;    ///< of measuring
    steady_clock::time_point end;
};

/** Sends one request after the other, each when the one before was answered.

    Callbacks on sockets, no HTTP library: what the generator costs, the server lacks.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class connection
{
public:
    connection(
        asio::io_context& context, plan const& p, tally& into, std::string_view path)
      : plan_(p), into_(into), socket_(context), pause_(context)
    {
        auto const host = p.server.address().is_v6() ? "[" + p.server.address().to_string() + "]"
                                                     : p.server.address().to_string();
        request_.append("GET ").append(path).append(" HTTP/1.1\r\nHost: ");
        request_.append(host).append("\r\n\r\n");
    }

    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;

    /// Goes on until the context is stopped.
    void start()
    {
        socket_.async_connect(plan_.server, [this](error_code error) {
            if (error)
                return fail();
            socket_.set_option(tcp::no_delay(true), error);
            socket_.non_blocking(true, error);
            sent_ = steady_clock::now();
            send();
        });
    }

private:
    void send()
    {
        error_code error;
        auto const size = socket_.write_some(asio::buffer(request_), error);
        if (error && error != asio::error::would_block)
            return fail();
        if (size == request_.size())
            return read();
        asio::async_write(socket_, asio::buffer(request_) + size,
            [this](error_code e, std::size_t) { e ? fail() : read(); });
    }

    void read()
    {
        socket_.async_read_some(asio::buffer(piece_), [this](error_code error, std::size_t size) {
            if (error)
                return fail();
            std::string_view text(piece_.data(), size);
            if (!answer_.empty())    // rare: it came in more pieces than one
                text = answer_.append(text);
            switch (checker_.check(text))
            {
            case verdict::good:
                answer_.clear();
                return answered();
            case verdict::incomplete:
                if (answer_.empty())
                    answer_ = text;
                return read();
            case verdict::bad:
                return fail();
            }
        });
    }

    void answered()
    {
        auto const now = steady_clock::now();
        if (now >= plan_.begin && now < plan_.end)
            into_.times.add(now - sent_);
        sent_ = now;
        send();
    }

    /// Connects again, after a while, lest a server that is gone keep us busy.
    void fail()
    {
        ++into_.errors;
        answer_.clear();
        error_code ignored;    // whatever it is, the socket is closed
        socket_.close(ignored);
        pause_.expires_after(std::chrono::milliseconds(10));
        pause_.async_wait([this](error_code error) {
            if (!error)
                start();
        });
    }

    plan const& plan_;
    tally& into_;
    tcp::socket socket_;
    asio::steady_timer pause_;
    std::string request_;
    answer_checker checker_;
    steady_clock::time_point sent_;
    std::array<char, 4096> piece_;    // more than a small answer: one read empties the socket
    std::string answer_;              // what came before, if it is more than a piece
};

}

#endif
