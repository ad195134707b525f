// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_JSON_TEXT_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_JSON_TEXT_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace asio_ewyk::detail {

// The length in bytes of the UTF-8 character that the text begins with; 0 if that is none.
inline std::size_t utf8_character(std::string_view text) noexcept
{
    auto const byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    auto const follow = [&](std::size_t n) {
        for (std::size_t i = 1; i <= n; ++i)
            if ((byte(i) & 0xc0u) != 0x80u)
                return std::size_t{0};
        return n + 1;
    };
    unsigned const first = byte(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return follow(1);
    // No overlong form, no half of a surrogate pair, nothing above U+10FFFF.
    if (first >= 0xe0 && first <= 0xef)
        return (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ? 0
                                                                                     : follow(2);
    if (first >= 0xf0 && first <= 0xf4)
        return (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f) ? 0
                                                                                     : follow(3);
    return 0;
}

// Appends the text as a string of JSON. What is not UTF-8, as in a name that was cut, becomes `?`.
inline void append_json(std::string& to, std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    to += '"';
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
    to += '"';
}

} // namespace asio_ewyk::detail

#endif
