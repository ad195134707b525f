// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_METRICS_COUNTER_HPP
#define ASIO_EWYK_DETAIL_METRICS_COUNTER_HPP

#include <cstdint>

namespace asio_ewyk::detail {

// In place of the library's own: counts nothing, so what is left out is what counting costs.
class own_counter
{
public:
    void add(std::uint64_t = 1) noexcept {}
    void raise_to(std::uint64_t) noexcept {}
    std::uint64_t get() const noexcept { return 0; }
};

using shared_counter = own_counter;

} // namespace asio_ewyk::detail

#endif
