// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace {

// Where to count. None: a process that is measured otherwise must not pay for it.
std::atomic<std::uint64_t>* allocations = nullptr;

void count() noexcept
{
    if (allocations)
        allocations->fetch_add(1, std::memory_order_relaxed); // nothing is published with it
}

void* aligned(std::size_t alignment, std::size_t size) noexcept
{
    count();
    void* memory = nullptr;
    return ::posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void* checked(void* memory)
{
    return memory ? memory : throw std::bad_alloc();
}

}

void count_allocations(char const* file)
{
    auto const fd = ::open(file, O_RDWR | O_CLOEXEC);
    auto const memory = ::mmap(
        nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), file);
    ::close(fd);
    allocations = new (memory) std::atomic<std::uint64_t>(0);
}

// The array forms and those that do not throw call these.
void* operator new(std::size_t size)
{
    count();
    return checked(std::malloc(size != 0 ? size : 1));
}

void* operator new(std::size_t size, std::align_val_t alignment)
{
    return checked(aligned(static_cast<std::size_t>(alignment), size));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Asio allocates what it uses again for handlers with this one.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    return aligned(alignment, size);
}
