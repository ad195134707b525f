#ifndef ASIO_EWYK_DETAIL_STALL_WATCH_HPP
#define ASIO_EWYK_DETAIL_STALL_WATCH_HPP

#include <asio_ewyk/detail/stack_capture.hpp>
#include <asio_ewyk/detail/stall_monitor.hpp>
#include <asio_ewyk/detail/stall_teller.hpp>
#include <asio_ewyk/detail/watched.hpp>

#include <chrono>
#include <utility>

namespace asio_ewyk::detail {

// While it lives, something is there to be looked at: for dump(), and for the stall_monitor unless
// the threshold is 0. The last member of what it shows, so that it goes first.
class stall_watch
{
public:
    // `owner`: as in thread_activity. Throws std::bad_alloc.
    stall_watch(void const* owner, watched const& what, stall_settings settings)
        : monitor_(stall_monitor::instance())
        , teller_(what, std::move(settings))
        , place_(watch_place::occupy(teller_, owner, teller_.settings().threshold))
    {
        stack_capture::install(teller_.settings().stack_signal);
        if (reports())
            monitor_.join();
    }

    stall_watch(stall_watch const&) = delete;
    stall_watch& operator=(stall_watch const&) = delete;

    // Waits for a callback that is under way.
    ~stall_watch()
    {
        place_.vacate();
        if (reports())
            monitor_.leave();
    }

private:
    bool reports() const noexcept
    {
        return teller_.settings().threshold != std::chrono::nanoseconds::zero();
    }

    stall_monitor& monitor_;
    stall_teller const teller_;
    watch_place& place_;
};

} // namespace asio_ewyk::detail

#endif
