#ifndef ASIO_EWYK_DETAIL_IMPL_STALL_WATCH_IPP
#define ASIO_EWYK_DETAIL_IMPL_STALL_WATCH_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/stack_capture.hpp>
#include <asio_ewyk/detail/stall_monitor.hpp>
#include <asio_ewyk/detail/stall_watch.hpp>
#include <asio_ewyk/detail/watch_place.hpp>

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL stall_watch::stall_watch(
    void const* owner, watched const& what, stall_settings settings)
    : monitor_(stall_monitor::instance())
    , teller_(what, std::move(settings))
    , place_(watch_place::occupy(teller_, owner, teller_.settings().threshold))
    , there_(place_)
{
    stack_capture::install(teller_.settings().stack_signal);
    if (reports())
        monitor_.join();
}

ASIO_EWYK_DECL stall_watch::~stall_watch()
{
    place_.vacate();
    if (reports())
        monitor_.leave();
}

} // namespace asio_ewyk::detail

#endif
