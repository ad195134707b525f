// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TOP_PAGE_HPP
#define ASIO_EWYK_EXAMPLE_TOP_PAGE_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace top {

/// A line of a page: a value, with labels.
struct sample
{
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;

    /// The label's value, empty without one.
    std::string label(std::string const& name_of_it) const
    {
        auto const found = labels.find(name_of_it);
        return found == labels.end() ? std::string() : found->second;
    }
};

/// What was read is no page of metrics. what() says why.
struct bad_page : std::runtime_error
{
    using runtime_error::runtime_error;
};

namespace detail {

inline double number(std::string_view text)
{
    if (text == "+Inf")
        return std::numeric_limits<double>::infinity();
    if (text == "-Inf")
        return -std::numeric_limits<double>::infinity();
    if (text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    auto const end = text.data() + text.size();
    auto const [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end)
        throw bad_page("not a number: " + std::string(text));
    return value;
}

/// Reads `name{label="value",...} value`.
inline sample read_line(std::string_view line)
{
    auto const fail = [&] { throw bad_page("not a sample: " + std::string(line)); };
    sample s;
    auto at = line.find_first_of("{ ");
    if (at == line.npos || at == 0)
        fail();
    s.name = line.substr(0, at);
    if (line[at] == '{')
        for (++at; at < line.size() && line[at] != '}';)
        {
            auto const equals = line.find("=\"", at);
            if (equals == line.npos)
                fail();
            std::string const name(line.substr(at, equals - at));
            std::string value;
            for (at = equals + 2; at < line.size() && line[at] != '"'; ++at)
            {
                bool const escaped = line[at] == '\\' && ++at < line.size();
                if (at < line.size())
                    value += escaped && line[at] == 'n' ? '\n' : line[at];
            }
            s.labels.emplace(name, std::move(value));
            if (++at < line.size() && line[at] == ',')
                ++at;
        }
    at = line.find(' ', at);
    if (at == line.npos)
        fail();
    auto const value = line.substr(at + 1);
    s.value = number(value.substr(0, value.find(' ')));    // a time may follow
    return s;
}

}

/// Reads a page in the text format of Prometheus. Throws bad_page.
inline std::vector<sample> read_page(std::string_view text)
{
    std::vector<sample> all;
    while (!text.empty())
    {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!line.empty() && line.front() != '#')
            all.push_back(detail::read_line(line));
    }
    return all;
}

}

#endif
