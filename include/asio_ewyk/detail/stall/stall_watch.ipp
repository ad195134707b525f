#ifndef ASIO_EWYK_DETAIL_STALL_STALL_WATCH_IPP
#define ASIO_EWYK_DETAIL_STALL_STALL_WATCH_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/stall/stack_capture.hpp>
#include <asio_ewyk/detail/stall/stall_monitor.hpp>
#include <asio_ewyk/detail/stall/stall_watch.hpp>
#include <asio_ewyk/detail/observe/registry_slot.hpp>

#include <utility>

namespace asio_ewyk::detail {

ASIO_EWYK_DECL stall_watch::stall_watch(
    void const* owner, inspectable const& what, stall_settings settings)
    : monitor_(stall_monitor::instance())
    , teller_(what, std::move(settings))
    , place_(registry_slot::occupy(teller_, owner, teller_.settings().threshold))
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
