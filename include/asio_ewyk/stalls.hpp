#ifndef ASIO_EWYK_STALLS_HPP
#define ASIO_EWYK_STALLS_HPP

/** @file
    Stall reports for the program that includes this header.

    A context, a pool or a loop whose options set a `stall_threshold`, and the environment variable
    `ASIO_EWYK_STALLS`, need it in one source of the program; without it their construction throws
    `std::logic_error`, and the variable is ignored with a word on stderr. `event_loop.hpp`, whose
    loops report by default, and `asio_ewyk.hpp` include it; so does `asio_ewyk/impl/src.hpp`, for
    programs that are compiled separately. Others do not pay for it.
*/

#include <asio_ewyk/detail/stall/stall_monitor.hpp>
#include <asio_ewyk/stall_report.hpp>

#endif
