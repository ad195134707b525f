// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_REGISTRY_SLOT_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_REGISTRY_SLOT_HPP

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace asio_ewyk::detail {

class registration;

// A slot for something to inspect, in a list that can be read without a lock at any time. Like the
// records of thread_activity slots are never freed, but used again.
//
// Readers announce themselves; the owner unpublishes, then waits for zero readers. looking_
// is Dekker with watch_: see doc/design.adoc. Otherwise a reader could use what is gone.
class BOOST_SYMBOL_VISIBLE registry_slot
{
public:
    registry_slot(registry_slot const&) = delete;
    registry_slot& operator=(registry_slot const&) = delete;

    // A slot of its own for what has this owner in thread_activity. Throws std::bad_alloc.
    static registry_slot& occupy(
        registration const& watch, void const* owner, std::chrono::nanoseconds stalls)
    {
        registry_slot* p = unused();
        if (!p)
            p = add();
        p->owner_.store(owner);
        p->threshold_.store(stalls);
        p->tenant_.fetch_add(1);
        p->watch_.store(&watch);
        return *p;
    }

    // Waits until no thread reads.
    void vacate() noexcept
    {
        watch_.store(nullptr);
        owner_.store(nullptr);
        while (looking_.load() > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        used_.store(false);
    }

    // Calls f with each slot.
    template <class F>
    static void for_each(F f)
    {
        for (registry_slot* p = all_.load(std::memory_order_acquire); p; p = p->next_)
            if (p->owner_.load() != nullptr)
                f(*p);
    }

    // Calls f with what is there, if it is what has this owner. It is there until f returns.
    template <class F>
    void look(void const* owner, F f)
    {
        looker const here(looking_);
        registration const* const watch = watch_.load();
        if (watch && owner_.load() == owner)
            f(*watch);
    }

    // Calls f() if that tenant is still there. It is there until f returns.
    template <class F>
    bool visit(std::size_t tenant, F& f)
    {
        looker const here(looking_);
        if (!watch_.load() || tenant_.load() != tenant)
            return false;
        f();
        return true;
    }

    void const* owner() const noexcept { return owner_.load(); }
    std::chrono::nanoseconds threshold() const noexcept { return threshold_.load(); }
    std::size_t number() const noexcept { return number_; }

    // Counts what has been there: what comes later may have the same address.
    std::size_t tenant() const noexcept { return tenant_.load(); }

    // In the child of a fork, where those that looked do not exist.
    static void forget_others() noexcept
    {
        for (registry_slot* p = all_.load(std::memory_order_acquire); p; p = p->next_)
            p->looking_.store(0);
    }

private:
    class looker
    {
    public:
        explicit looker(std::atomic<int>& looking) noexcept
            : looking_(looking)
        {
            looking_.fetch_add(1);
        }

        looker(looker const&) = delete;
        looker& operator=(looker const&) = delete;
        ~looker() { looking_.fetch_sub(1); }

    private:
        std::atomic<int>& looking_;
    };

    registry_slot() noexcept = default;

    static registry_slot* unused() noexcept
    {
        for (registry_slot* p = all_.load(std::memory_order_acquire); p; p = p->next_)
            if (!p->used_.load() && !p->used_.exchange(true))
                return p;
        return nullptr;
    }

    static registry_slot* add()
    {
        auto* const p = new registry_slot;
        p->used_.store(true);
        p->number_ = places_.fetch_add(1);
        // Relaxed: a late value is corrected by the exchange. Release there, acquire where the list
        // is read: a thread that finds the slot finds it constructed.
        p->next_ = all_.load(std::memory_order_relaxed);
        while (!all_.compare_exchange_weak(p->next_, p, std::memory_order_release))
            ;
        return p;
    }

    static inline std::atomic<registry_slot*> all_{nullptr};
    static inline std::atomic<std::size_t> places_{0};

    std::atomic<registration const*> watch_{nullptr};
    std::atomic<void const*> owner_{nullptr};
    std::atomic<std::chrono::nanoseconds> threshold_{};
    std::atomic<std::size_t> tenant_{0};
    std::atomic<int> looking_{0};
    std::atomic<bool> used_{false}; // the thread that sets it owns the slot
    std::size_t number_ = 0;        // of this slot, from 0; not changed once it is in the list
    registry_slot* next_ = nullptr;   // likewise
};

} // namespace asio_ewyk::detail

#endif
