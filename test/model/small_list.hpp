// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// A queue that is a part of a state: small, fixed in size, compared by its bytes.

#ifndef ASIO_EWYK_TEST_MODEL_SMALL_LIST_HPP
#define ASIO_EWYK_TEST_MODEL_SMALL_LIST_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace model {

using byte = std::uint8_t;

constexpr byte bit(std::size_t i) noexcept { return static_cast<byte>(1u << i); }

/// First in, first out.
template <std::size_t Most>
struct small_list
{
    byte size = 0;
    std::array<byte, Most> items{};

    bool empty() const noexcept { return size == 0; }

    bool has(byte item) const noexcept
    {
        for (byte i = 0; i != size; ++i)
            if (items[i] == item)
                return true;
        return false;
    }

    /// False if it is full.
    bool push(byte item) noexcept
    {
        if (size == items.size())
            return false;
        items[size++] = item;
        return true;
    }

    byte pop() noexcept
    {
        byte const first = items[0];
        for (std::size_t i = 1; i < size; ++i)
            items[i - 1] = items[i];
        items[--size] = 0;
        return first;
    }
};

}

#endif
