// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_POOL_LEASE_HPP
#define ASIO_EWYK_POOL_LEASE_HPP

#include <asio_ewyk/detail/pool/elastic_threads.hpp>

#include <cstddef>
#include <utility>

namespace asio_ewyk {

/** Threads of a `worker_pool` that are spoken for: the result of `worker_pool::lease`. The pool
    must outlive it.

    @par Thread Safety
    Distinct objects: safe. Shared objects: unsafe.

    @par Exception Safety
    No-throw guarantee.
*/
class [[nodiscard]] pool_lease
{
public:
    /// None.
    pool_lease() noexcept = default;

    pool_lease(pool_lease&& other) noexcept
        : threads_(std::exchange(other.threads_, nullptr))
        , size_(std::exchange(other.size_, 0))
    {
    }

    pool_lease& operator=(pool_lease other) noexcept
    {
        std::swap(threads_, other.threads_);
        std::swap(size_, other.size_);
        return *this;
    }

    ~pool_lease()
    {
        if (threads_)
            threads_->end_lease(size_);
    }

    /// How many threads.
    std::size_t size() const noexcept { return size_; }

private:
    friend class worker_pool;

    pool_lease(detail::elastic_threads& threads, std::size_t n)
        : threads_(&threads)
        , size_(n)
    {
        threads.lease(n);
    }

    detail::elastic_threads* threads_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace asio_ewyk

#endif
