// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OBSERVE_DUMP_SECTION_HPP
#define ASIO_EWYK_DETAIL_OBSERVE_DUMP_SECTION_HPP

#include <boost/config.hpp>

#include <atomic>

namespace asio_ewyk::detail {

class text_sink;

// The seam by which dump() also writes what a program is compiled with: the operations of Asio, see
// tracking.hpp. Includes no header of Asio, since Asio includes this one.
class BOOST_SYMBOL_VISIBLE dump_section
{
public:
    // May be called in a signal handler.
    using function = void (*)(text_sink& out) noexcept;

    // Null: there is no such section. Relaxed: a thread that sees it late writes less.
    static function get() noexcept { return write_.load(std::memory_order_relaxed); }
    static void set(function f) noexcept { write_.store(f, std::memory_order_relaxed); }

private:
    static inline std::atomic<function> write_{nullptr};
};

} // namespace asio_ewyk::detail

#endif
