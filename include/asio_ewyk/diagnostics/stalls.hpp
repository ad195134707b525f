// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_STALLS_HPP
#define ASIO_EWYK_DIAGNOSTICS_STALLS_HPP

/** @file
    What looks for stalls and reports them.

    A program that wants reports includes this header in one of its sources. The umbrella header
    includes it, and so do `asio_ewyk/impl/src.hpp` and the header of `event_loop`, which reports by
    default. No other one does.

    Without it, what is constructed with a `stall_threshold` throws `std::logic_error`, and the
    environment variable `ASIO_EWYK_STALLS` is ignored, with a line on stderr.

    @see stall_report
*/

#include <asio_ewyk/detail/diagnostics/stall_monitor.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>

#endif
