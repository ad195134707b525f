// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OS_LEASED_TASKS_HPP
#define ASIO_EWYK_DETAIL_OS_LEASED_TASKS_HPP

#include <asio_ewyk/detail/os/counter.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// How many tasks were run on leases. An atomic addition for each would cost as much as the lease.
// So a thread that runs some claims a place, and counts there by plain stores until it leaves. Most
// of the time there is one such thread, and those that are late.
class leased_tasks
{
    struct place
    {
        alignas(64) std::atomic<bool> claimed{false};
        own_counter n;
    };

public:
    // One thread's.
    class counter
    {
    public:
        counter() noexcept = default;
        counter(counter const&) = delete;
        counter& operator=(counter const&) = delete;

        ~counter()
        {
            if (mine_)
                mine_->claimed.store(false, std::memory_order_release);
        }

        void add(leased_tasks& all) noexcept
        {
            if (mine_ || (mine_ = all.claim())) [[likely]]
                mine_->n.add();
            else
                all.rest_.add();
        }

    private:
        place* mine_ = nullptr;
    };

    // Any thread. Never less than before.
    std::uint64_t get() const noexcept
    {
        std::uint64_t n = rest_.get();
        for (place const& p : places_)
            n += p.n.get();
        return n;
    }

private:
    // Null if there is none left. Acquire: what the thread before has counted there.
    place* claim() noexcept
    {
        for (place& p : places_)
            if (!p.claimed.load(std::memory_order_relaxed)
                && !p.claimed.exchange(true, std::memory_order_acquire))
                return &p;
        return nullptr;
    }

    std::array<place, 4> places_;
    shared_counter rest_;
};

} // namespace asio_ewyk::detail

#endif
