// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_DUMP_HPP
#define ASIO_EWYK_DIAGNOSTICS_DUMP_HPP

#include <asio_ewyk/detail/config.hpp>

#include <iosfwd>

namespace asio_ewyk {

/** Writes what all contexts, loops, pools and strategies of the process are doing, in words, a line
    for each of them and for each thread that runs, or ran, their handlers.

    The calling thread reads without a lock, waits for no thread, and stops none: so `dump` works
    while everything is stuck, and each line is true for a moment of its own. The text is for
    people, and may change. Handlers that an `io_context` runs by itself are named only where the
    program is compiled with tracking.hpp.

    @par Thread Safety
    Safe, on any thread, also while contexts are destroyed.

    @par Exception Safety
    Throws what the stream throws.
*/
void dump(std::ostream& out);

#if defined(ASIO_EWYK_HAS_PTHREAD)

/** Writes the same to a file descriptor, by nothing but `write`: may be called in a signal handler,
    and with no memory left. Types are named as the compiler does: `c++filt -t` makes them readable.
    A thread that destroys a context meanwhile waits for it.

    No-throw guarantee; what cannot be written is left out.
*/
void dump(int descriptor) noexcept;

#endif

} // namespace asio_ewyk

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/dump.ipp>
#endif

#endif
