// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_REQUEST_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_REQUEST_HPP

#include "limits.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/beast/version.hpp>
#include <boost/optional.hpp>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace http_server {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

/// What a path asks for.
enum class action
{
    fast,        ///< a few bytes at once
    sleep,       ///< block the thread for `time`
    cpu,         ///< keep the thread busy for `time`
    metrics,     ///< what the arrangement has done so far
    bad_time,    ///< `/sleep` or `/cpu` with something that is no number of microseconds
    unknown,     ///< any other path
};

/// A request as the server sees it: nothing in it points into the buffer it was read from.
struct request
{
    http::verb method = http::verb::unknown;
    action todo = action::unknown;
    std::chrono::microseconds time{};    ///< for `sleep` and `cpu`
    bool keep_alive = false;             ///< HTTP/1.1 unless closed, HTTP/1.0 only if asked for
    bool http_11 = false;
};

/// Reads a target such as `/fast` or `/sleep/10000` into `todo` and `time`.
inline void read_target(std::string_view target, request& r) noexcept
{
    auto const timed = [&](std::string_view prefix, action to) {
        if (!target.starts_with(prefix))
            return false;
        auto const digits = target.substr(prefix.size());
        std::uint32_t microseconds = 0;
        auto const end = digits.data() + digits.size();
        auto const [stopped, error] = std::from_chars(digits.data(), end, microseconds);
        auto const good = error == std::errc() && stopped == end;
        r.todo = good ? to : action::bad_time;
        r.time = std::chrono::microseconds(microseconds);
        return true;
    };
    if (target == "/fast")
        r.todo = action::fast;
    else if (target == "/metrics")
        r.todo = action::metrics;
    else if (!timed("/sleep/", action::sleep) && !timed("/cpu/", action::cpu))
        r.todo = action::unknown;
}

/** Parses one request with Beast and keeps only what the server acts on.

    Beast's `request_parser` stores every field, each in an allocation of its own. This one looks
    at the fields as they pass by and allocates nothing.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class request_parser : public http::basic_parser<true>
{
public:
    request_parser()
    {
        header_limit(limits::header);
        body_limit(limits::body);
    }

    /// The request; valid once `is_done()`.
    request const& get() noexcept
    {
        request_.keep_alive = keep_alive();
        return request_;
    }

    /// True if the client waits for a word from us before it sends the body.
    bool expects_continue() const noexcept { return expects_continue_; }

private:
    void on_request_impl(http::verb method, beast::string_view, beast::string_view target,
        int version, error_code&) override
    {
        request_.method = method;
        request_.http_11 = version == 11;
        read_target({target.data(), target.size()}, request_);
    }

    void on_field_impl(
        http::field name, beast::string_view, beast::string_view, error_code& error) override
    {
        if (name == http::field::host && host_seen_)
            error = http::error::bad_field;
        host_seen_ |= name == http::field::host;
        encoding_seen_ |= name == http::field::transfer_encoding;
        expects_continue_ |= name == http::field::expect;
    }

    void on_header_impl(error_code& error) override
    {
        // Two rules of RFC 9112 that Beast leaves to its user: a request names its host, and a
        // body whose end cannot be found is refused, for the next request may hide in it.
        if (request_.http_11 && !host_seen_)
            error = http::error::bad_field;
        if (encoding_seen_ && !chunked())
            error = http::error::bad_transfer_encoding;
    }

    void on_response_impl(int, beast::string_view, int, error_code&) override {}
    void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}

    std::size_t on_body_impl(beast::string_view body, error_code&) override
    {
        return body.size();
    }

    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}

    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override
    {
        return body.size();
    }

#if BOOST_BEAST_VERSION >= 359    // Boost 1.90, the first that tells trailers from fields
    void on_trailer_field_impl(
        http::field, beast::string_view, beast::string_view, error_code&) override
    {
    }
#endif

    void on_finish_impl(error_code&) override {}

    request request_;
    bool host_seen_ = false;
    bool encoding_seen_ = false;
    bool expects_continue_ = false;
};

}

#endif
