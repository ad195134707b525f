// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_STALLS_HPP
#define ASIO_EWYK_STALLS_HPP

/** @file
    What looks for stalls and reports them.

    The headers of contexts and loops include it, and so does `asio_ewyk/impl/src.hpp`. A program
    that wants no reports compiles less without it: it defines `ASIO_EWYK_NO_STALLS` in all sources
    and uses no `event_loop`, which reports by default. A program that uses a `worker_pool` or an
    `execution_strategy` alone, and wants reports, includes this header in one of its sources.

    Without it, what is constructed with a `stall_threshold` throws `std::logic_error`, and the
    environment variable `ASIO_EWYK_STALLS` is ignored, with a line on stderr.

    @see stall_report
*/

#include <asio_ewyk/detail/stall/stall_monitor.hpp>
#include <asio_ewyk/stall_report.hpp>

#endif
