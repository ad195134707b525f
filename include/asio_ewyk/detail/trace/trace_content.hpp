// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_TRACE_TRACE_CONTENT_HPP
#define ASIO_EWYK_DETAIL_TRACE_TRACE_CONTENT_HPP

#include <asio_ewyk/detail/trace/trace_clock.hpp>
#include <asio_ewyk/detail/trace/trace_ring.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace asio_ewyk::detail {

// What a trace has, so far.
struct trace_content
{
    using rings = std::vector<std::shared_ptr<trace_ring>>;

    rings all;
    trace_clock clock;
    std::size_t without_ring;  // threads
    std::uint64_t forgotten;   // events of threads that have ended
};

} // namespace asio_ewyk::detail

#endif
