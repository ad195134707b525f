#ifndef ASIO_EWYK_DETAIL_STALL_STALL_WATCH_HPP
#define ASIO_EWYK_DETAIL_STALL_STALL_WATCH_HPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/generation_handle.hpp>
#include <asio_ewyk/detail/stall/stall_reporter.hpp>
#include <asio_ewyk/detail/observe/inspectable.hpp>

#include <chrono>

namespace asio_ewyk::detail {

class stall_monitor;

// While it lives, something is there to be looked at: for dump(), and for the stall_monitor unless
// the threshold is 0. The last member of what it shows, so that it goes first.
class stall_watch
{
public:
    // `owner`: as in thread_activity. Throws std::bad_alloc.
    stall_watch(void const* owner, inspectable const& what, stall_settings settings);

    stall_watch(stall_watch const&) = delete;
    stall_watch& operator=(stall_watch const&) = delete;

    // Waits for a callback that is under way.
    ~stall_watch();

    generation_handle const& there() const noexcept { return there_; }

private:
    bool reports() const noexcept
    {
        return teller_.settings().threshold != std::chrono::nanoseconds::zero();
    }

    stall_monitor& monitor_;
    stall_reporter const teller_;
    registry_slot& place_;
    generation_handle const there_;
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/stall/stall_watch.ipp>
#endif

#endif
