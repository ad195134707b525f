// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_RECORD_LIST_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_RECORD_LIST_HPP

#include <boost/config.hpp>

#include <atomic>
#include <new>

namespace asio_ewyk::detail {

// All records of a type, which are never freed: those that are given back are used again. So the
// list can be read without a lock at any time; by a signal handler too, or in the child of a fork.
template <class Record>
class BOOST_SYMBOL_VISIBLE record_list
{
public:
    record_list(record_list const&) = delete;
    record_list& operator=(record_list const&) = delete;

    // Calls f with each record that is in use.
    template <class F>
    static void for_each(F f)
    {
        for (Record* r = all_.load(std::memory_order_acquire); r; r = r->next_)
            if (r->used_.load(std::memory_order_acquire))
                f(*r);
    }

    // Calls f with each record, also with those that were given back.
    template <class F>
    static void for_all(F f)
    {
        for (Record* r = all_.load(std::memory_order_acquire); r; r = r->next_)
            f(*r);
    }

protected:
    record_list() noexcept = default;

    // Null: there is none left, or no memory.
    static Record* unused() noexcept
    {
        for (Record* r = all_.load(std::memory_order_acquire); r; r = r->next_)
            // Relaxed: spares an exchange where it could not succeed; the exchange decides.
            if (!r->used_.load(std::memory_order_relaxed) && !r->used_.exchange(true))
                return r;
        return nullptr;
    }

    static Record* add() noexcept
    {
        auto* const r = new (std::nothrow) Record;
        if (!r)
            return nullptr;
        // Relaxed: no other thread knows it yet.
        r->used_.store(true, std::memory_order_relaxed);
        r->next_ = all_.load(std::memory_order_relaxed);
        // Release: a thread that finds the record finds it constructed.
        while (!all_.compare_exchange_weak(r->next_, r, std::memory_order_release))
            ;
        return r;
    }

    static inline std::atomic<Record*> all_{nullptr};

    std::atomic<bool> used_{false}; // the thread that sets it owns the record
    Record* next_ = nullptr;        // not changed once it is in the list
};

} // namespace asio_ewyk::detail

#endif
