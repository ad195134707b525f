// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the code under test allocates. What an execution that is cut has allocated would be lost, and
// what is not here could not be saved.

#ifndef ASIO_EWYK_TEST_INTERLEAVING_ARENA_HPP
#define ASIO_EWYK_TEST_INTERLEAVING_ARENA_HPP

#include <cstddef>

namespace interleaving::arena {

inline constexpr std::size_t size = 256 * 1024;
inline constexpr std::size_t alignment = 64;

alignas(alignment) inline unsigned char memory[size];
inline std::size_t used = 0;

/// Whether malloc() takes memory from here; what is freed is used no more.
inline bool in_use = false;

}

#endif
