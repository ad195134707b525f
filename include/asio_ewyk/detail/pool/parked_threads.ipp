// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_PARKED_THREADS_IPP
#define ASIO_EWYK_DETAIL_POOL_PARKED_THREADS_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/pool/parked_threads.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL parked_threads::parked_threads(std::size_t capacity)
    : words_((capacity + 63) / 64)
    , bits_(std::make_unique<std::atomic<std::uint64_t>[]>(words_))
{
}

ASIO_EWYK_DECL std::size_t parked_threads::claim() noexcept
{
    for (std::size_t w = 0; w != words_; ++w)
    {
        std::uint64_t word = bits_[w].load();
        while (word != 0)
        {
            std::uint64_t const lowest = word & (~word + 1);
            if (bits_[w].compare_exchange_weak(word, word & ~lowest))
                return w * 64 + static_cast<std::size_t>(std::countr_zero(lowest));
        }
    }
    return none;
}

ASIO_EWYK_DECL std::size_t parked_threads::size() const noexcept
{
    std::size_t n = 0;
    for (std::size_t w = 0; w != words_; ++w)
        n += static_cast<std::size_t>(std::popcount(bits_[w].load()));
    return n;
}

} // namespace asio_ewyk::detail

#endif
