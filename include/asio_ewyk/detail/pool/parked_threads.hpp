// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_PARKED_THREADS_HPP
#define ASIO_EWYK_DETAIL_POOL_PARKED_THREADS_HPP

#include <asio_ewyk/detail/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace asio_ewyk::detail {

// Which of a fixed set of threads are parked: one bit for each. Lock-free and without ABA, because
// a set bit says all there is to know about its thread (a stack of parked threads lost one in
// jetty/jetty.project#1970). The lowest thread is claimed first, so the others reach idle_timeout.
//
// All operations are sequentially consistent: Dekker with the queue of tasks, see doc/design.adoc.
// Otherwise a task could wait beside a parked thread.
class parked_threads
{
public:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    explicit parked_threads(std::size_t capacity);

    // The thread itself: other threads may claim it from now on.
    void park(std::size_t index) noexcept { bits_[index / 64].fetch_or(bit(index)); }

    // The thread itself: no thread claims it any more. False if one has already.
    bool withdraw(std::size_t index) noexcept
    {
        return (bits_[index / 64].fetch_and(~bit(index)) & bit(index)) != 0;
    }

    // Any thread: a parked thread, which the calling thread alone wakes; `none` if there is none.
    // Never waits.
    std::size_t claim() noexcept;

    std::size_t size() const noexcept;

private:
    static std::uint64_t bit(std::size_t index) noexcept { return std::uint64_t{1} << index % 64; }

    std::size_t words_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> bits_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/pool/parked_threads.ipp>
#endif

#endif
