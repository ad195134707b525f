// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_TEXT_SINK_HPP
#define ASIO_EWYK_DETAIL_OS_TEXT_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace asio_ewyk::detail {

// Text that is written piece by piece, by means that a signal handler may use: no memory, no lock,
// no locale.
class text_sink
{
public:
    text_sink(text_sink const&) = delete;
    text_sink& operator=(text_sink const&) = delete;

    text_sink& operator<<(std::string_view text) noexcept
    {
        for (char const c : text)
        {
            if (used_ == sizeof text_)
                flush();
            text_[used_++] = c;
        }
        return *this;
    }

    text_sink& operator<<(char c) noexcept { return *this << std::string_view(&c, 1); }

    text_sink& operator<<(char const* text) noexcept
    {
        return *this << std::string_view(text ? text : "?");
    }

    text_sink& operator<<(std::uint64_t n) noexcept { return number(n, 10); }

    text_sink& operator<<(void const* p) noexcept
    {
        *this << "0x";
        return number(reinterpret_cast<std::uintptr_t>(p), 16);
    }

    void flush() noexcept
    {
        if (used_ != 0)
            write(text_, used_);
        used_ = 0;
    }

protected:
    text_sink() noexcept = default;
    ~text_sink() = default;

private:
    virtual void write(char const* text, std::size_t size) noexcept = 0;

    text_sink& number(std::uint64_t n, unsigned base) noexcept
    {
        char digits[20];
        std::size_t i = sizeof digits;
        do
            digits[--i] = "0123456789abcdef"[n % base];
        while ((n /= base) != 0);
        return *this << std::string_view(digits + i, sizeof digits - i);
    }

    char text_[512];
    std::size_t used_ = 0;
};

} // namespace asio_ewyk::detail

#endif
