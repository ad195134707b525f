// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// malloc() and its kind: operator new, Asio's allocators and exceptions come here.

#include "arena.hpp"

#include <cstdlib>

// Those of the C library.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void __libc_free(void*);

namespace {

namespace arena = interleaving::arena;

void* allocate(std::size_t size) noexcept
{
    std::size_t const at = (arena::used + arena::alignment - 1) & ~(arena::alignment - 1);
    if (at + size > arena::size)
        std::abort();
    arena::used = at + size;
    return arena::memory + at;
}

}

extern "C" void* malloc(std::size_t size) noexcept
{
    return arena::in_use ? allocate(size) : __libc_malloc(size);
}

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    if (!arena::in_use)
        return __libc_memalign(alignment, size);
    if (alignment > arena::alignment)
        std::abort();
    return allocate(size);
}

extern "C" void free(void* p) noexcept
{
    auto* const bytes = static_cast<unsigned char*>(p);
    if (bytes < arena::memory || bytes >= arena::memory + arena::size)
        __libc_free(p);
}
