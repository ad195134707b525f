// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_JSON_TEXT_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_JSON_TEXT_HPP

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

namespace asio_ewyk::detail {

// The length in bytes of the UTF-8 character that the text begins with; 0 if that is none.
inline std::size_t utf8_character(std::string_view text) noexcept
{
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80)
        return 1;
    auto const n = static_cast<std::size_t>(std::countl_one(byte(0)));
    if (n < 2 || n > 4 || n > text.size())
        return 0;
    unsigned code = byte(0) & 0x7fu >> n;
    for (std::size_t i = 1; i != n; ++i)
    {
        if ((byte(i) & 0xc0u) != 0x80u)
            return 0;
        code = code << 6 | (byte(i) & 0x3fu);
    }
    // No overlong form, no half of a surrogate pair, nothing above U+10FFFF.
    constexpr unsigned least[] = {0x80, 0x800, 0x10000};
    bool const good = code >= least[n - 2] && (code < 0xd800 || code > 0xdfff) && code <= 0x10ffff;
    return good ? n : 0;
}

// The text as a string of JSON. What is not UTF-8, as in a name that was cut, becomes `?`.
inline std::string json_string(std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string to(1, '"');
    while (!text.empty())
    {
        std::size_t const n = utf8_character(text);
        auto const c = static_cast<unsigned char>(text[0]);
        if (n == 0)
            to += '?';
        else if (c < 0x20)
            (to += "\\u00").append({digits[c >> 4], digits[c & 15]});
        else if (c == '"' || c == '\\')
            to.append({'\\', text[0]});
        else
            to.append(text.substr(0, n));
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return to += '"';
}

} // namespace asio_ewyk::detail

#endif
