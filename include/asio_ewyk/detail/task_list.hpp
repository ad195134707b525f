#ifndef ASIO_EWYK_DETAIL_TASK_LIST_HPP
#define ASIO_EWYK_DETAIL_TASK_LIST_HPP

#include <asio_ewyk/detail/task.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace asio_ewyk::detail {

// First in, first out; no locking, but others may ask how much there is. Destroys what it still
// holds.
class task_list
{
public:
    task_list() noexcept = default;

    task_list(task_list&& other) noexcept
        : head_(std::exchange(other.head_, nullptr))
        , tail_(std::exchange(other.tail_, nullptr))
    {
        add(added_, other.size());
        add(other.taken_, other.size());
    }

    task_list& operator=(task_list&&) = delete;

    // One by one from the front: a destroyed task may destroy objects that add tasks here.
    ~task_list()
    {
        while (task* t = pop())
            t->destroy();
    }

    bool empty() const noexcept { return head_ == nullptr; }

    // Any thread: how many tasks were taken so far, and how many there are. A moment late, and
    // never less than none: who sees that a task was taken sees that it was added.
    std::size_t taken() const noexcept { return taken_.load(std::memory_order_acquire); }
    std::size_t size() const noexcept
    {
        std::size_t const out = taken();
        return added_.load(std::memory_order_relaxed) - out;
    }

    void push(task* t) noexcept
    {
        t->next = nullptr;
        (tail_ ? tail_->next : head_) = t;
        tail_ = t;
        add(added_, 1);
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
            add(taken_, 1);
        }
        return t;
    }

    // Appends a null-terminated chain of so many.
    void append(task* first, task* last, std::size_t n) noexcept
    {
        (tail_ ? tail_->next : head_) = first;
        tail_ = last;
        add(added_, n);
    }

private:
    // One thread at a time writes, so no atomic addition is needed. Release: see size().
    static void add(std::atomic<std::size_t>& to, std::size_t n) noexcept
    {
        to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_release);
    }

    task* head_ = nullptr;
    task* tail_ = nullptr;
    std::atomic<std::size_t> added_{0};
    std::atomic<std::size_t> taken_{0};
};

} // namespace asio_ewyk::detail

#endif
