// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_POSTED_QUEUE_HPP
#define ASIO_EWYK_DETAIL_TASK_POSTED_QUEUE_HPP

#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/task/task_list.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// Many threads push, one at a time takes everything. Lock-free: push is a compare-and-swap loop on
// the head of a stack, drain takes the whole stack at once, so there is no ABA.
class posted_queue
{
public:
    posted_queue() noexcept = default;
    posted_queue(posted_queue const&) = delete;
    posted_queue& operator=(posted_queue const&) = delete;

    ~posted_queue()
    {
        task_list rest;
        while (drain_to(rest))
        {
            task_list batch(std::move(rest));
        }
    }

    // Sequentially consistent, as is empty(): Dekker with the owner's scheduled_: see
    // doc/design.adoc. Otherwise the task could wait for ever (netty/netty#9561).
    void push(task* t) noexcept
    {
        // Count first, so that none is taken before it is counted. The counter is on the cache line
        // that is written next.
        pushed_.add();
        task* head = head_.load(std::memory_order_relaxed); // only a guess; the exchange checks it
        do
            t->next = head;
        while (!head_.compare_exchange_weak(head, t));
    }

    bool empty() const noexcept { return head_.load() == nullptr; }

    // How many were pushed so far. Any thread.
    std::uint64_t pushed() const noexcept { return pushed_.get(); }

    // Appends everything in the order in which it was pushed. False if there was nothing.
    bool drain_to(task_list& list) noexcept
    {
        if (head_.load(std::memory_order_relaxed) == nullptr) // spares the exchange; may be late
            return false;
        task* newest = head_.exchange(nullptr);
        task* first = nullptr;
        task* t = newest;
        while (t)
        {
            task* older = t->next;
            t->next = first;
            first = t;
            t = older;
        }
        list.append(first, newest);
        return true;
    }

private:
    // The newest task, linked to the older ones. Any thread.
    std::atomic<task*> head_{nullptr};
    shared_counter pushed_;
};

} // namespace asio_ewyk::detail

#endif
