#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_WATCHING_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_WATCHING_HPP

#include <chrono>

namespace http_server {

/// What the arrangements tell of themselves.
struct watching
{
    bool timing = false;                            ///< /metrics has delays and run times
    std::chrono::milliseconds stall_threshold{};    ///< 0: handlers that take long are not reported
};

}

#endif
