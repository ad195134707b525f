#ifndef ASIO_EWYK_DETAIL_POSTED_QUEUE_HPP
#define ASIO_EWYK_DETAIL_POSTED_QUEUE_HPP

#include <asio_ewyk/detail/task_list.hpp>

#include <boost/config.hpp>

#include <atomic>
#include <cstddef>
#include <thread>

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

    // Sequentially consistent, as is empty(): the pusher next reads whether the producer sleeps,
    // and the producer, which has said so, next reads whether the queue is empty. With weaker
    // orders each can miss the other (netty/netty#9561).
    void push(task* t) noexcept
    {
        task* head = head_.load(std::memory_order_relaxed); // only a guess; the exchange checks it
        do
            t->next = head;
        while (!head_.compare_exchange_weak(head, t));
    }

    bool empty() const noexcept { return head_.load() == nullptr; }

    // Appends everything in the order in which it was pushed. False if there was nothing.
    bool drain_to(task_list& list) noexcept
    {
        if (head_.load(std::memory_order_relaxed) == nullptr) // spares the exchange; may be late
            return false;
        task* const newest = head_.exchange(nullptr);
        // Called last, so that it costs nothing where it is not called.
        if (counting_.load() != 0) [[unlikely]]
            return append_later(list, newest);
        return append(list, newest);
    }

    // How many there are, or so many if there are more. Any thread, also in a signal handler; not
    // for every day, as who drains has to wait meanwhile.
    //
    // Sequentially consistent: who counts says so and then reads the head; who drains takes what
    // the head points to, and then looks whether somebody counts. So he sees who has read a task
    // that he has taken.
    std::size_t count(std::size_t most = 10'000) const noexcept
    {
        if (empty())
            return 0;
        counting_.fetch_add(1);
        std::size_t n = 0;
        for (task const* t = head_.load(); t && n != most; t = t->next)
            ++n;
        counting_.fetch_sub(1);
        return n;
    }

private:
    static bool append(task_list& list, task* newest) noexcept
    {
        task* first = nullptr;
        task* t = newest;
        std::size_t n = 0;
        for (; t; ++n)
        {
            task* older = t->next;
            t->next = first;
            first = t;
            t = older;
        }
        list.append(first, newest, n);
        return true;
    }

    // Somebody counts, and may be at these tasks.
    BOOST_NOINLINE bool append_later(task_list& list, task* newest) const noexcept
    {
        while (counting_.load() != 0)
            std::this_thread::yield();
        return append(list, newest);
    }

    // The newest task, linked to the older ones. Any thread.
    std::atomic<task*> head_{nullptr};

    // How many threads are in count().
    std::atomic<int> mutable counting_{0};
};

} // namespace asio_ewyk::detail

#endif
