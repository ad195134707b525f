// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_REQUEST_READER_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_REQUEST_READER_HPP

#include "limits.hpp"
#include "request.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace http_server {

namespace asio = boost::asio;

/** Turns the bytes of one connection into requests, and refuses those that go too far.

    It does no I/O: the session gives it bytes and asks what they make. What follows a request in
    the buffer is the beginning of the next one, so pipelined requests come out one by one.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class request_reader
{
public:
    enum class outcome
    {
        need_more,    ///< read into prepare(), commit(), ask again
        complete,     ///< get() is a request
        refused,      ///< answer with status(), and close
    };

    /// What do the bytes read so far make?
    outcome parse()
    {
        while (!parser_->is_done())
        {
            // Asked again without a byte, Beast would take an empty piece of body and return.
            if (buffer_.size() == 0)
                return outcome::need_more;
            auto const in_header = !parser_->is_header_done();
            error_code error;
            auto const used = parser_->put(buffer_.data(), error);
            buffer_.consume(used);
            (in_header ? header_bytes_ : body_bytes_) += used;

            // Beast limits what it has not yet understood, field by field; this is for the whole.
            auto const waiting = error == http::error::need_more ? buffer_.size() : 0;
            if (in_header && header_bytes_ + waiting > limits::header)
                return refuse(http::status::request_header_fields_too_large);
            if (body_bytes_ + waiting > limits::body_on_the_wire)
                return refuse(http::status::payload_too_large);
            if (error == http::error::need_more)
                return waiting > limits::header ? refuse(http::status::bad_request)
                                                : outcome::need_more;
            if (error)
                return refuse(status_of(error));
            // The answer does not depend on the body, so a client that asks first is told at once.
            if (in_header && parser_->is_header_done() && parser_->expects_continue())
                break;
        }
        return outcome::complete;
    }

    /// The request that parse() found complete.
    request get() noexcept
    {
        auto r = parser_->get();
        // A body that was not waited for may come or not: it could not be told from a request.
        r.keep_alive = r.keep_alive && parser_->is_done();
        return r;
    }

    /// Why parse() refused the request.
    http::status status() const noexcept { return status_; }

    /// Go on with the next request.
    void next()
    {
        parser_.emplace();
        header_bytes_ = 0;
        body_bytes_ = 0;
    }

    /// True if part of a request is there.
    bool begun() const noexcept { return buffer_.size() != 0 || parser_->got_some(); }

    asio::mutable_buffer prepare()
    {
        return buffer_.prepare(std::min(limits::read, buffer_.max_size() - buffer_.size()));
    }

    void commit(std::size_t bytes) noexcept { buffer_.commit(bytes); }

    /// Forgets everything that was read.
    void clear() noexcept { buffer_.clear(); }

private:
    static http::status status_of(error_code error) noexcept
    {
        if (error == http::error::header_limit)
            return http::status::request_header_fields_too_large;
        if (error == http::error::body_limit)
            return http::status::payload_too_large;
        return http::status::bad_request;
    }

    outcome refuse(http::status why) noexcept
    {
        status_ = why;
        return outcome::refused;
    }

    beast::flat_buffer buffer_{limits::header + limits::read};
    std::optional<request_parser> parser_{std::in_place};    // Beast: one message a parser
    std::size_t header_bytes_ = 0;                           // of this request
    std::uint64_t body_bytes_ = 0;                           // of this request, framing included
    http::status status_ = http::status::bad_request;
};

}

#endif
