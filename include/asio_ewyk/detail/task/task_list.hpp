// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_TASK_LIST_HPP
#define ASIO_EWYK_DETAIL_TASK_TASK_LIST_HPP

#include <asio_ewyk/detail/task/task.hpp>

#include <utility>

namespace asio_ewyk::detail {

// First in, first out; no locking. Destroys what it still holds.
class task_list
{
public:
    task_list() noexcept = default;

    task_list(task_list&& other) noexcept
        : head_(std::exchange(other.head_, nullptr))
        , tail_(std::exchange(other.tail_, nullptr))
    {
    }

    task_list& operator=(task_list&&) = delete;

    // Destroys from the front: a destroyed task may destroy objects that add tasks here.
    ~task_list()
    {
        while (task* t = pop())
            t->destroy();
    }

    bool empty() const noexcept { return head_ == nullptr; }
    bool has_several() const noexcept { return head_ != tail_; }
    task const* back() const noexcept { return tail_; }

    void push(task* t) noexcept
    {
        t->next = nullptr;
        (tail_ ? tail_->next : head_) = t;
        tail_ = t;
    }

    task* pop() noexcept
    {
        task* t = head_;
        if (t)
        {
            head_ = t->next;
            if (!head_)
                tail_ = nullptr;
            t->next = nullptr;
        }
        return t;
    }

    // Appends a null-terminated chain.
    void append(task* first, task* last) noexcept
    {
        (tail_ ? tail_->next : head_) = first;
        tail_ = last;
    }

private:
    task* head_ = nullptr;
    task* tail_ = nullptr;
};

} // namespace asio_ewyk::detail

#endif
