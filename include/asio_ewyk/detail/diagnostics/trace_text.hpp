// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_TEXT_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_TEXT_HPP

#include <asio_ewyk/detail/diagnostics/trace_ring.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace asio_ewyk::detail {

// Text in the records of a ring: two words of each, as many records as it takes.
class trace_text
{
    using words = std::array<std::uintptr_t, 2>;

public:
    static constexpr std::size_t longest = 64;

    // Records an event with a text, of which it keeps the beginning. No '\0' is in it.
    static void record(trace_recorder::function f, trace_event is, std::uint32_t detail,
        std::string_view text) noexcept
    {
        text = text.substr(0, longest);
        do
        {
            words w{};
            std::size_t const n = std::min(text.size(), sizeof w);
            if (n != 0)
                std::memcpy(&w, text.data(), n);
            text.remove_prefix(n);
            f({is, reinterpret_cast<void const*>(w[0]), w[1], detail});
            is = trace_event::more_text;
        } while (!text.empty());
    }

    // The text of the event of that index.
    static std::string read(std::vector<trace_record> const& records, std::size_t i)
    {
        std::string text;
        do
        {
            words const w{
                reinterpret_cast<std::uintptr_t>(records[i].subject), records[i].what};
            std::array<char, sizeof w> c{};
            std::memcpy(c.data(), &w, sizeof w);
            text.append(c.begin(), std::find(c.begin(), c.end(), '\0'));
        } while (++i != records.size() && records[i].event == trace_event::more_text);
        return text;
    }
};

} // namespace asio_ewyk::detail

#endif
