// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_RESPONDER_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_RESPONDER_HPP

#include "limits.hpp"
#include "request.hpp"
#include "response.hpp"

#include <asio_ewyk/diagnostics/location.hpp>
#include <asio_ewyk/diagnostics/prometheus.hpp>

#include <chrono>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace http_server {

/// Keeps the calling thread busy until it has used that much CPU time, however long that takes.
inline void burn(std::chrono::microseconds time)
{
    auto const used = [] {
        std::timespec t{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
    };
    auto const end = used() + time;
    for (unsigned volatile work = 0; used() < end;)
        for (int i = 0; i != 256; ++i)
            work = work + 1;
}

/** The handler of the server: does what a request asks for and composes the answer.

    It blocks where the path says so, on whatever thread it is called: what that does to all
    else is the execution strategy's business, and what this example is about.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe; each connection has its own.
*/
class responder
{
public:
    /// `page` writes the answer to /metrics; any thread calls it. It outlives the responder.
    explicit responder(std::function<std::string()> const& page) : page_(page) {}

    /// Does what the request asks for. The result is valid until the next call.
    std::string_view answer(request const& r)
    {
        if (r.method != http::verb::get && r.method != http::verb::head)
            return compose(r, http::status::method_not_allowed);
        switch (r.todo)
        {
        case action::fast:
            if (r.http_11 && r.keep_alive && r.method == http::verb::get)
                return fast_answer();
            return compose(r, http::status::ok, "fast\n");
        case action::sleep:
            if (r.time > limits::handler)
                return compose(r, http::status::bad_request);
            // tag::set_location[]
            asio_ewyk::this_invocation::set_location();    // for a report of a stall
            std::this_thread::sleep_for(r.time);
            // end::set_location[]
            return compose(r, http::status::ok, "slept\n");
        case action::cpu:
            if (r.time > limits::handler)
                return compose(r, http::status::bad_request);
            asio_ewyk::this_invocation::set_location();
            burn(r.time);
            return compose(r, http::status::ok, "burnt\n");
        case action::metrics:
            return compose(
                r, http::status::ok, page_(), asio_ewyk::prometheus_page::content_type);
        case action::bad_time:
            return compose(r, http::status::bad_request);
        case action::unknown:
            break;
        }
        return compose(r, http::status::not_found);
    }

    /// Composes the answer to a request that has waited for too long.
    std::string_view answer_overloaded(request const& r)
    {
        return compose(r, http::status::service_unavailable);
    }

    /// Composes the last answer of a connection whose request was not understood.
    std::string_view refuse(http::status why)
    {
        text_.clear();
        append_response(text_, why, {.keep_alive = false});
        return text_;
    }

private:
    /// The answer that most requests get is composed once.
    static std::string_view fast_answer()
    {
        static std::string const text = [] {
            std::string out;
            append_response(out, http::status::ok, {}, "fast\n");
            return out;
        }();
        return text;
    }

    std::string_view compose(request const& r, http::status status, std::string_view body = {},
        std::string_view type = "text/plain")
    {
        text_.clear();
        append_response(text_, status,
            {.keep_alive = r.keep_alive,
                .http_11 = r.http_11,
                .head = r.method == http::verb::head,
                .type = type},
            body);
        return text_;
    }

    std::function<std::string()> const& page_;
    std::string text_;    // the composed answer; its memory is used again
};

}

#endif
