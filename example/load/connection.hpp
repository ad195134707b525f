// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_LOAD_CONNECTION_HPP
#define ASIO_EWYK_EXAMPLE_LOAD_CONNECTION_HPP

#include "answer.hpp"
#include "histogram.hpp"
#include "schedule.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
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
    histogram times;                 ///< of the requests answered while measuring, and of
    std::uint64_t unanswered = 0;    ///< those that were due and not answered before its end
    std::uint64_t in_time = 0;       ///< answered before the deadline
    std::uint64_t refused = 0;       ///< answered with 503, which is in no other number
    std::uint64_t errors = 0;        ///< from the beginning

    std::uint64_t answered() const noexcept { return times.count() - unanswered; }

    void add(tally const& other) noexcept
    {
        times.add(other.times);
        unanswered += other.unanswered;
        in_time += other.in_time;
        refused += other.refused;
        errors += other.errors;
    }
};

/// Where to connect, what to send, and which answers count.
struct plan
{
    tcp::endpoint server;
    std::size_t echo = 0;              ///< send that many bytes, and expect them back; 0: HTTP
    bool websocket = false;            ///< send the path as a message, and expect it back
    bool reconnect = false;            ///< a connection for each request
    std::chrono::nanoseconds deadline{};    ///< of a request
    steady_clock::time_point start;    ///< of all schedules
    steady_clock::time_point begin;    ///< of measuring
    steady_clock::time_point end;
};

/** Sends one request after the other, each when the one before was answered: at once, or if there
    is a schedule not before it is due.

    With a schedule a request is as old as the time when it was due, however late it was sent: a
    server that stops for a while would otherwise be asked less often just then, and its worst
    times would be missing. What is due before the end and not answered by then counts as
    answered at the end, which is the least that it can have taken.

    Callbacks on sockets, no HTTP library: what the generator costs, the server lacks.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class connection
{
public:
    connection(asio::io_context& context, plan const& p, tally& into, std::string_view path,
        std::optional<schedule> const& pace = std::nullopt)
      : plan_(p), into_(into), pace_(pace), socket_(context), timer_(context)
    {
        if (p.echo != 0)
        {
            request_.assign(p.echo, 'x');
            checker_.expect(request_);
            return;
        }
        if (p.websocket)
        {
            // A text in one frame. A client's is masked; the mask of zeros changes nothing.
            auto const size = static_cast<char>(path.size());
            request_.append({'\x81', static_cast<char>(0x80 | size), 0, 0, 0, 0}).append(path);
            checker_.expect(std::string{'\x81', size}.append(path));
            return;
        }
        auto const host = p.server.address().is_v6() ? "[" + p.server.address().to_string() + "]"
                                                     : p.server.address().to_string();
        request_.append("GET ").append(path).append(" HTTP/1.1\r\nHost: ");
        request_.append(host).append("\r\n\r\n");
    }

    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;

    /// Goes on until the context is stopped.
    void start() { next(); }

    /// Counts what the end left unanswered; call it once the context has stopped.
    void finish()
    {
        for (; pace_ && due() < plan_.end; ++number_)
            if (due() >= plan_.begin)
            {
                into_.times.add(plan_.end - due());
                ++into_.unanswered;
            }
    }

private:
    steady_clock::time_point due() const noexcept { return plan_.start + pace_->at(number_); }

    void next()
    {
        auto const now = steady_clock::now();
        since_ = pace_ ? due() : now;
        if (since_ <= now)
            return ask();
        timer_.expires_at(since_);
        timer_.async_wait([this](error_code error) {
            if (!error)
                ask();
        });
    }

    void ask()
    {
        if (socket_.is_open())
            return send();
        socket_.async_connect(plan_.server, [this](error_code error) {
            if (error)
                return fail();
            socket_.set_option(tcp::no_delay(true), error);
            socket_.non_blocking(true, error);
            plan_.websocket ? upgrade() : send();
        });
    }

    void upgrade()
    {
        static constexpr std::string_view text = "GET / HTTP/1.1\r\nHost: load\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        asio::async_write(socket_, asio::buffer(text), [this](error_code error, std::size_t) {
            if (error)
                return fail();
            asio::async_read_until(socket_, asio::dynamic_buffer(answer_), "\r\n\r\n",
                [this](error_code e, std::size_t size) {
                    // Nothing follows before the first message.
                    if (e || size != answer_.size() || !answer_.starts_with("HTTP/1.1 101 "))
                        return fail();
                    answer_.clear();
                    send();
                });
        });
    }

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
            auto const found = checker_.check(text);
            switch (found)
            {
            case verdict::good:
            case verdict::overloaded:
                answer_.clear();
                return answered(found == verdict::good);
            case verdict::incomplete:
                if (answer_.empty())
                    answer_ = text;
                return read();
            case verdict::bad:
                return fail();
            }
        });
    }

    void answered(bool served)
    {
        auto const now = steady_clock::now();
        auto const counts = pace_ ? since_ : now;
        if (counts >= plan_.begin && counts < plan_.end)
            count(served, now - since_);
        ++number_;
        if (plan_.reconnect)
            reset();
        next();
    }

    void count(bool served, std::chrono::nanoseconds time)
    {
        if (!served)
        {
            ++into_.refused;
            return;
        }
        into_.times.add(time);
        if (time <= plan_.deadline)
            ++into_.in_time;
    }

    /// Ends the connection so that its port is free at once, or there would soon be none left.
    void reset()
    {
        error_code ignored;    // whatever it is, the socket is closed
        socket_.set_option(tcp::socket::linger(true, 0), ignored);
        socket_.close(ignored);
    }

    /// Connects and asks again, after a while, lest a server that is gone keep us busy. The time of
    /// the request goes on.
    void fail()
    {
        ++into_.errors;
        answer_.clear();
        reset();
        timer_.expires_after(std::chrono::milliseconds(10));
        timer_.async_wait([this](error_code error) {
            if (!error)
                ask();
        });
    }

    plan const& plan_;
    tally& into_;
    std::optional<schedule> pace_;
    std::uint64_t number_ = 0;           // of the request that was sent, or is to be
    steady_clock::time_point since_;     // this request's time runs
    tcp::socket socket_;
    asio::steady_timer timer_;
    std::string request_;
    answer_checker checker_;
    std::array<char, 4096> piece_;    // more than a small answer: one read empties the socket
    std::string answer_;              // what came before, if it is more than a piece
};

}

#endif
