// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#include "memory.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace weak_memory {

bool in_scenario = false;

namespace {

constexpr std::size_t capacity = 256 * 1024;
constexpr unsigned max_threads = 8;

// Never used twice in one execution: so what was freed is known as such.
alignas(64) std::byte arena[capacity];
std::size_t used = 0;

// Of one byte.
struct history
{
    std::uint32_t execution; // of another one: not accessed yet
    bool freed;
    std::uint32_t read[max_threads];
    std::uint32_t written[max_threads];
};
history bytes[capacity];
std::uint32_t execution = 1;

history& at(std::size_t i)
{
    history& h = bytes[i];
    if (h.execution != execution)
    {
        h = {};
        h.execution = execution;
    }
    return h;
}

std::size_t offset(void const* p)
{
    return static_cast<std::size_t>(static_cast<std::byte const*>(p) - arena);
}

bool knows(vector_clock const& c, std::uint32_t const (&past)[max_threads])
{
    for (unsigned i = 0; i != c.threads; ++i)
        if (c.known[i] < past[i])
            return false;
    return true;
}

void check(std::size_t first, std::size_t size, bool writes)
{
    vector_clock const* const c = running_clock();
    if (!c)
        return;
    auto const now = static_cast<std::uint32_t>(++c->known[c->index]);
    for (std::size_t i = first; i != first + size; ++i)
    {
        history& h = at(i);
        if (h.freed)
            fail("access to freed memory");
        if (!knows(*c, h.written) || (writes && !knows(*c, h.read)))
            fail("data race");
        (writes ? h.written : h.read)[c->index] = now;
    }
}

// Inline: most of what is instrumented is on stacks.
inline void access(void const* p, std::size_t size, bool writes)
{
    std::size_t const first = offset(p);
    if (first < capacity && size != 0)
        check(first, size, writes);
}

}

void forget_memory()
{
    used = 0;
    ++execution;
}

void* allocate(std::size_t size, std::size_t alignment)
{
    used = (used + alignment - 1) / alignment * alignment;
    if (size > capacity - used)
        std::abort();
    void* const p = arena + used;
    used += size;
    return p;
}

namespace {

void* take(std::size_t size, std::size_t alignment)
{
    // Its size before it, for take_back().
    auto* const head = static_cast<std::byte*>(allocate(alignment + size, alignment));
    std::memcpy(head + alignment - sizeof size, &size, sizeof size);
    return head + alignment;
}

void take_back(void* p)
{
    std::size_t size;
    std::memcpy(&size, static_cast<std::byte*>(p) - sizeof size, sizeof size);
    // As a write: no other thread may be using it.
    check(offset(p), size, true);
    for (std::size_t i = 0; i != size; ++i)
        at(offset(p) + i).freed = true;
}

void* get(std::size_t size, std::size_t alignment)
{
    if (in_scenario)
        return take(size, alignment);
    std::size_t const rounded = (size + alignment - 1) / alignment * alignment;
    if (void* const p = std::aligned_alloc(alignment, rounded != 0 ? rounded : alignment))
        return p;
    throw std::bad_alloc();
}

void put(void* p) noexcept
{
    if (p && offset(p) < capacity)
        take_back(p);
    else
        std::free(p);
}

}

}

void* operator new(std::size_t size)
{
    return weak_memory::get(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

void* operator new[](std::size_t size)
{
    return weak_memory::get(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

void* operator new(std::size_t size, std::align_val_t alignment)
{
    return weak_memory::get(size, static_cast<std::size_t>(alignment));
}

void* operator new[](std::size_t size, std::align_val_t alignment)
{
    return weak_memory::get(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* p) noexcept { weak_memory::put(p); }
void operator delete[](void* p) noexcept { weak_memory::put(p); }
void operator delete(void* p, std::size_t) noexcept { weak_memory::put(p); }
void operator delete[](void* p, std::size_t) noexcept { weak_memory::put(p); }
void operator delete(void* p, std::align_val_t) noexcept { weak_memory::put(p); }
void operator delete[](void* p, std::align_val_t) noexcept { weak_memory::put(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { weak_memory::put(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { weak_memory::put(p); }

// What the compiler calls before each plain access, with -fsanitize=thread; ThreadSanitizer's own
// library is not linked.
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_mutex_destroy(void*, unsigned) {} // a lock of the checker tells of itself
void __tsan_atomic_signal_fence(int) {} // one thread of the system runs them all

#define EWYK_ACCESS(size) \
    void __tsan_read##size(void* p) { weak_memory::access(p, size, false); } \
    void __tsan_write##size(void* p) { weak_memory::access(p, size, true); } \
    void __tsan_unaligned_read##size(void* p) { weak_memory::access(p, size, false); } \
    void __tsan_unaligned_write##size(void* p) { weak_memory::access(p, size, true); }

EWYK_ACCESS(1)
EWYK_ACCESS(2)
EWYK_ACCESS(4)
EWYK_ACCESS(8)
EWYK_ACCESS(16)

void __tsan_read_range(void* p, std::size_t size) { weak_memory::access(p, size, false); }
void __tsan_write_range(void* p, std::size_t size) { weak_memory::access(p, size, true); }
void __tsan_vptr_read(void** p) { weak_memory::access(p, sizeof *p, false); }
void __tsan_vptr_update(void** p, void*) { weak_memory::access(p, sizeof *p, true); }

// Real atomics, of Boost.
#define EWYK_ATOMIC(bits) \
    std::uint##bits##_t __tsan_atomic##bits##_load(std::uint##bits##_t const* p, int) \
    { \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST); \
    } \
    void __tsan_atomic##bits##_store(std::uint##bits##_t* p, std::uint##bits##_t v, int) \
    { \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST); \
    } \
    std::uint##bits##_t __tsan_atomic##bits##_fetch_add( \
        std::uint##bits##_t* p, std::uint##bits##_t v, int) \
    { \
        return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); \
    } \
    std::uint##bits##_t __tsan_atomic##bits##_fetch_sub( \
        std::uint##bits##_t* p, std::uint##bits##_t v, int) \
    { \
        return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); \
    }

EWYK_ATOMIC(8)
EWYK_ATOMIC(32)
EWYK_ATOMIC(64)
}
