// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DIAGNOSTICS_FLIGHT_RECORDER_HPP
#define ASIO_EWYK_DIAGNOSTICS_FLIGHT_RECORDER_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/report/flight_recorder.hpp>
#include <asio_ewyk/diagnostics/keep_options.hpp>
#include <asio_ewyk/diagnostics/trace.hpp>

namespace asio_ewyk::trace {

/** Records all the time, as start() does, and writes a file by itself when a handler was late.

    A file has the last seconds of the trace, what dump() says, the metrics, and the list of all
    culprits since the file before; its name has the worst of them, and the process:
    `ewyk-20260131T120000.000Z-4711-ran-120ms-NAME.json`. The library's report thread writes it, up
    to `last / 8` after the handler, but not sooner than 10 ms nor later than 250 ms. stop() ends
    the recording, and writes what is due.

    The environment variable `ASIO_EWYK_KEEP` does the same for a program that includes this header,
    from its first context, loop or pool on, and counts more than the options. Its value is the
    directory, then options, as in
    `/var/tmp/app,last=2s,queued=50ms,ran=100ms,stalled=1,at_most=10,every=10s`.

    A file that cannot be written is lost, and the first one that is lost is told on stderr. After a
    `fork` the child records nothing until it calls keep(), or with the environment variable until
    its next context, loop or pool.

    Throws `std::invalid_argument` for options that cannot work, and `std::bad_alloc`.

    @par Thread Safety
    Safe, at any time.

    @par Example
    @snippet test/unit/diagnostics/flight_recorder.cpp keep
*/
void keep(keep_options const& o);

} // namespace asio_ewyk::trace

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/impl/flight_recorder.ipp>
#endif

#endif
