// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The memory of an execution: what the code under test allocates, and the scenario itself. Each
// plain access to it is checked for races, by the calls that the compiler adds for ThreadSanitizer.

#ifndef ASIO_EWYK_TEST_WEAK_MEMORY_MEMORY_HPP
#define ASIO_EWYK_TEST_WEAK_MEMORY_MEMORY_HPP

#include <cstddef>
#include <cstdint>

namespace weak_memory {

/// What the running thread knows of each thread's past, in Relacy's terms.
struct vector_clock
{
    std::uint64_t* known;
    unsigned index;
    unsigned threads;
};

// Told by checker.cpp.

/// Null: nothing is checked now.
vector_clock const* running_clock();
[[noreturn]] void fail(char const* what);

// Told to checker.cpp.

/// All that was allocated is gone.
void forget_memory();
void* allocate(std::size_t size, std::size_t alignment);

/// While true, operator new gives memory of the execution.
extern bool in_scenario;

}

#endif
