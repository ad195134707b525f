// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_POOL_FAIR_QUEUE_HPP
#define ASIO_EWYK_DETAIL_POOL_FAIR_QUEUE_HPP

#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/os/home_process.hpp>
#include <asio_ewyk/detail/task/task_list.hpp>

#include <atomic>
#include <cstddef>

namespace asio_ewyk::detail {

// Tasks of several sources; first in, first out within a source, and the sources in turn, so that
// the backlog of one source does not delay another. Tasks can also be taken from one source alone.
// No locking.
class fair_queue
{
public:
    class source
    {
    public:
        // Any thread: how many tasks wait. Sequentially consistent: Dekker with the parked threads,
        // see doc/design.adoc. Otherwise a thread could sleep beside a task.
        std::size_t size() const noexcept { return size_.load(); }

        // Any thread: how many tasks were taken so far.
        std::size_t taken() const noexcept { return static_cast<std::size_t>(taken_.get()); }

        // In the child of a fork, where a thread that is not there may have been about to change
        // the list: the tasks are never destroyed.
        void forget_tasks() noexcept { make_anew(tasks_); }

    private:
        friend class fair_queue;
        task_list tasks_;
        std::atomic<std::size_t> size_{0};
        own_counter taken_;          // guarded as the queue is
        source* previous_ = nullptr; // in the ring of sources that have tasks
        source* next_ = nullptr;     // null if the source is not in the ring
    };

    std::size_t size() const noexcept { return size_; }

    // Any thread: how many tasks of all sources were taken or removed so far.
    std::uint64_t taken() const noexcept { return taken_.get(); }

    void push(source& s, task* t) noexcept
    {
        s.tasks_.push(t);
        s.size_.fetch_add(1);
        ++size_;
        if (!s.next_)
            link(s);
    }

    struct entry
    {
        task* what = nullptr;
        source* from = nullptr;
    };

    // The next task, if there is one; its source goes to the end of the ring.
    entry pop() noexcept
    {
        if (!first_)
            return {};
        source& s = *first_;
        first_ = s.next_;
        return {pop(s), &s};
    }

    // The next task of that source; null if it has none.
    task* pop(source& s) noexcept
    {
        task* t = s.tasks_.pop();
        if (t)
        {
            --size_;
            taken_.add();
            s.taken_.add();
            if (s.size_.fetch_sub(1) == 1)
                unlink(s);
        }
        return t;
    }

    // Removes all tasks of a source.
    task_list take_all(source& s) noexcept
    {
        if (s.next_)
            unlink(s);
        std::size_t const n = s.size_.exchange(0);
        size_ -= n;
        taken_.add(n);
        return std::move(s.tasks_);
    }

private:
    void link(source& s) noexcept
    {
        if (!first_)
        {
            first_ = s.next_ = s.previous_ = &s;
            return;
        }
        s.next_ = first_;
        s.previous_ = first_->previous_;
        s.previous_->next_ = &s;
        first_->previous_ = &s;
    }

    void unlink(source& s) noexcept
    {
        if (s.next_ == &s)
            first_ = nullptr;
        else
        {
            s.previous_->next_ = s.next_;
            s.next_->previous_ = s.previous_;
            if (first_ == &s)
                first_ = s.next_;
        }
        s.next_ = s.previous_ = nullptr;
    }

    source* first_ = nullptr; // whose turn is next
    own_counter taken_;       // guarded as the queue is
    std::size_t size_ = 0;
};

} // namespace asio_ewyk::detail

#endif
