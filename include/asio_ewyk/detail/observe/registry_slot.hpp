// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_REGISTRY_SLOT_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_REGISTRY_SLOT_HPP

#include <asio_ewyk/detail/observe/record_list.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>
#include <asio_ewyk/detail/utility/at_exit.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <new>
#include <thread>

namespace asio_ewyk::detail {

class registration;

// A slot for something to inspect.
//
// Readers announce themselves; the owner unpublishes, then waits for zero readers. looking_
// is Dekker with watch_: see doc/design.adoc. Otherwise a reader could use what is gone.
class BOOST_SYMBOL_VISIBLE registry_slot : public record_list<registry_slot>
{
public:
    // A slot of its own. Throws std::bad_alloc.
    static registry_slot& occupy(registration const& watch)
    {
        registry_slot* p = unused();
        if (!p && !(p = add()))
            throw std::bad_alloc();
        p->tenant_.fetch_add(1);
        p->watch_.store(&watch);
        return *p;
    }

    // Waits until no thread reads.
    void vacate() noexcept
    {
        watch_.store(nullptr);
        while (looking_.load() > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        // Release: the next owner finds the rest done.
        used_.store(false, std::memory_order_release);
    }

    // Calls f with the registration, if there is one; vacate() waits until f returns.
    template <class F>
    void look(F f)
    {
        looking_.fetch_add(1);
        at_exit const over([this] { looking_.fetch_sub(1); });
        if (registration const* const watch = watch_.load())
            f(*watch);
    }

    // Counts what has been there: what comes later may have the same address.
    std::size_t tenant() const noexcept { return tenant_.load(); }

    // In the child of a fork, where those that looked do not exist; once in a process, as others
    // may look there by now. Whether this was the first time.
    static bool forget_others() noexcept
    {
        static std::atomic<process_id> forgotten_by{0};
        process_id const self = this_process_id();
        if (forgotten_by.exchange(self) == self)
            return false;
        for_each([](registry_slot& p) { p.looking_.store(0); });
        return true;
    }

private:
    friend record_list;
    registry_slot() noexcept = default;

    std::atomic<registration const*> watch_{nullptr};
    std::atomic<std::size_t> tenant_{0};
    std::atomic<int> looking_{0};
};

// Refers to something registered that may be gone.
class generation_handle
{
public:
    explicit generation_handle(registry_slot& place) noexcept
        : place_(&place)
        , tenant_(place.tenant())
    {
    }

    // Calls f with it if it is still there; it stays until f returns. False if it is gone.
    template <class F>
    bool visit(F f) const
    {
        bool there = false;
        place_->look([&](registration const& watch) {
            there = place_->tenant() == tenant_;
            if (there)
                f(watch);
        });
        return there;
    }

    // For a coroutine that was suspended meanwhile. If it is gone, nothing can receive the
    // exception being handled, and the program ends.
    template <class F>
    void report_by(F f) const noexcept
    {
        if (!visit([&](registration const&) { f(); }))
            std::terminate();
    }

private:
    registry_slot* place_; // never freed
    std::size_t tenant_;
};

} // namespace asio_ewyk::detail

#endif
