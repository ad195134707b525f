// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_TEXT_SINK_HPP
#define ASIO_EWYK_DETAIL_OS_TEXT_SINK_HPP

#include <asio_ewyk/detail/config.hpp>

#include <boost/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#if defined(ASIO_EWYK_HAS_PTHREAD)
#include <unistd.h>

#include <cerrno>
#endif

namespace asio_ewyk::detail {

#if defined(ASIO_EWYK_HAS_PTHREAD)

// What cannot be written is left out.
inline void write_all(int descriptor, char const* text, std::size_t size) noexcept
{
    while (size != 0)
    {
        ssize_t const n = ::write(descriptor, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text += n;
        size -= static_cast<std::size_t>(n);
    }
}

#endif

// Text that is written piece by piece, to a string, or to a descriptor by means that a signal
// handler may use: no memory, no lock, no locale.
class text_sink
{
public:
    // Without memory for more it has what there was memory for.
    explicit text_sink(std::string& text) noexcept
        : string_(&text)
    {
    }

#if defined(ASIO_EWYK_HAS_PTHREAD)
    explicit text_sink(int descriptor) noexcept
        : descriptor_(descriptor)
    {
    }
#endif

    text_sink(text_sink const&) = delete;
    text_sink& operator=(text_sink const&) = delete;

    // Not inlined, as what follows: there are many calls, and none is in a hurry.
    BOOST_NOINLINE text_sink& operator<<(std::string_view text) noexcept
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

    BOOST_NOINLINE void flush() noexcept
    {
        std::size_t const size = std::exchange(used_, 0);
#if defined(ASIO_EWYK_HAS_PTHREAD)
        if (!string_)
            return write_all(descriptor_, text_, size);
#endif
        try
        {
            string_->append(text_, size);
        }
        catch (...)
        {
        }
    }

private:
    BOOST_NOINLINE text_sink& number(std::uint64_t n, unsigned base) noexcept
    {
        char digits[20];
        std::size_t i = sizeof digits;
        do
            digits[--i] = "0123456789abcdef"[n % base];
        while ((n /= base) != 0);
        return *this << std::string_view(digits + i, sizeof digits - i);
    }

    std::string* const string_ = nullptr; // or the descriptor
    [[maybe_unused]] int const descriptor_ = -1;
    char text_[512];
    std::size_t used_ = 0;
};

} // namespace asio_ewyk::detail

#endif
