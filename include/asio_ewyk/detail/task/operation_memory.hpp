// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TASK_OPERATION_MEMORY_HPP
#define ASIO_EWYK_DETAIL_TASK_OPERATION_MEMORY_HPP

#include <cstddef>
#include <memory>

namespace asio_ewyk::detail {

// Memory for an asynchronous operation that must not fail for lack of it. For one at a time: a
// second one gets its memory from the heap, and so does one that is too large.
//
// The operations follow each other, so there is no lock.
class operation_memory
{
public:
    template <class T>
    class allocator;

    operation_memory() noexcept = default;
    operation_memory(operation_memory const&) = delete;
    operation_memory& operator=(operation_memory const&) = delete;

    allocator<void> get() noexcept;

private:
    alignas(std::max_align_t) std::byte room_[512];
    bool used_ = false;
};

template <class T>
class operation_memory::allocator
{
public:
    using value_type = T;

    explicit allocator(operation_memory& memory) noexcept
        : memory_(&memory)
    {
    }

    template <class U>
    allocator(allocator<U> const& other) noexcept
        : memory_(other.memory_)
    {
    }

    T* allocate(std::size_t n)
    {
        static_assert(alignof(T) <= alignof(std::max_align_t));
        if (memory_->used_ || n * sizeof(T) > sizeof(room_))
            return std::allocator<T>().allocate(n);
        memory_->used_ = true;
        return reinterpret_cast<T*>(memory_->room_);
    }

    void deallocate(T* p, std::size_t n) noexcept
    {
        if (reinterpret_cast<std::byte*>(p) == memory_->room_)
            memory_->used_ = false;
        else
            std::allocator<T>().deallocate(p, n);
    }

    friend bool operator==(allocator const&, allocator const&) noexcept = default;

private:
    template <class>
    friend class allocator;

    operation_memory* memory_;
};

inline operation_memory::allocator<void> operation_memory::get() noexcept
{
    return allocator<void>(*this);
}

} // namespace asio_ewyk::detail

#endif
