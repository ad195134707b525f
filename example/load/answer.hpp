// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_LOAD_ANSWER_HPP
#define ASIO_EWYK_EXAMPLE_LOAD_ANSWER_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <strings.h>

namespace load {

enum class verdict
{
    incomplete,    ///< read on
    good,          ///< status 200, and a body as long as announced
    overloaded,    ///< status 503, likewise
    bad,           ///< anything else
};

/** Checks the answers to one request after the other.

    A good answer is remembered: most servers send the same bytes again, and comparing them costs
    less than reading them. The generator shares its machine with the server that it measures.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.
*/
class answer_checker
{
public:
    /// From now on, only this is a good answer.
    void expect(std::string_view text)
    {
        known_ = text;
        expects_ = true;
    }

    verdict check(std::string_view text)
    {
        if (!text.empty() && text == known_)
            return verdict::good;
        if (expects_)
            return known_.starts_with(text) ? verdict::incomplete : verdict::bad;
        auto const result = read(text);
        if (result == verdict::good)
            known_ = text;
        return result;
    }

private:
    static verdict read(std::string_view text)
    {
        static constexpr std::string_view start = "HTTP/1.1 200 ";
        static constexpr std::string_view overload = "HTTP/1.1 503 ";
        auto const begun = text.substr(0, start.size());
        if (!start.starts_with(begun) && !overload.starts_with(begun))
            return verdict::bad;
        auto const end = text.find("\r\n\r\n");
        if (end == text.npos)
            return verdict::incomplete;
        std::size_t length = 0;
        if (!content_length(text.substr(0, end + 2), length))
            return verdict::bad;
        auto const size = end + 4 + length;
        return text.size() < size ? verdict::incomplete
            : text.size() > size  ? verdict::bad
            : begun == overload   ? verdict::overloaded
                                  : verdict::good;
    }

    /// Finds the field in a head whose lines all end with CRLF.
    static bool content_length(std::string_view head, std::size_t& length)
    {
        static constexpr std::string_view name = "Content-Length:";
        for (auto line = head.find("\r\n"); line + 2 < head.size();)
        {
            auto const next = head.find("\r\n", line + 2);
            auto field = head.substr(line + 2, next - line - 2);
            line = next;
            if (field.size() <= name.size()
                || ::strncasecmp(field.data(), name.data(), name.size()) != 0)
                continue;
            field.remove_prefix(std::min(field.find_first_not_of(' ', name.size()), field.size()));
            auto const [stopped, error] =
                std::from_chars(field.data(), field.data() + field.size(), length);
            return error == std::errc() && stopped == field.data() + field.size()
                && length <= max_length;
        }
        return false;
    }

    static constexpr std::size_t max_length = 64 * 1024 * 1024;

    std::string known_;       // a good answer, or empty
    bool expects_ = false;    // there is no other good one
};

}

#endif
