// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_RESPONSE_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_RESPONSE_HPP

#include "request.hpp"

#include <boost/beast/http/status.hpp>

#include <string>
#include <string_view>

namespace http_server {

/// What goes into a response besides its status.
struct response_options
{
    bool keep_alive = true;
    bool http_11 = true;        ///< the version of the request
    bool head = false;          ///< announce the body, do not send it
    std::string_view type = "text/plain";
};

/// Appends a whole response. The reason and the body are the status' own unless `body` is given.
inline void append_response(std::string& out, http::status status, response_options options,
    std::string_view body = {})
{
    auto const reason = http::obsolete_reason(status);
    auto const length = body.empty() ? reason.size() + 1 : body.size();

    out += "HTTP/1.1 ";
    out += std::to_string(static_cast<unsigned>(status));
    out += ' ';
    out.append(reason.data(), reason.size());
    out += "\r\nContent-Type: ";
    out += options.type;
    out += "\r\nContent-Length: ";
    out += std::to_string(length);
    if (status == http::status::method_not_allowed)
        out += "\r\nAllow: GET, HEAD";
    if (!options.keep_alive)
        out += "\r\nConnection: close";
    else if (!options.http_11)
        out += "\r\nConnection: keep-alive";
    out += "\r\n\r\n";
    if (options.head)
        return;
    if (body.empty())
        out.append(reason.data(), reason.size()) += '\n';
    else
        out += body;
}

}

#endif
