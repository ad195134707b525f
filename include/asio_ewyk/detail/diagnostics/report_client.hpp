// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_REPORT_CLIENT_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_REPORT_CLIENT_HPP

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/diagnostics/stall_report.hpp>

#include <boost/config.hpp>

#include <atomic>

namespace asio_ewyk::detail {

// The seam to what else the thread of the stall_monitor does: the flight_recorder, of a program
// that has one.
class BOOST_SYMBOL_VISIBLE report_client
{
public:
    // A context, loop or pool is about to be made. Any thread.
    virtual void notice_context() noexcept = 0;

    // That thread's turn, while the client is attached. Returns when it wants the next one.
    virtual time_point turn() noexcept = 0;

    // A stall is reported, on that thread, of a handler that was seen first at that time.
    virtual void notice_stall(stall_report const& r, time_point since) noexcept = 0;

    // Null: there is none. Acquire and release: who finds it finds it constructed.
    static report_client* linked() noexcept
    {
        auto const get = get_.load(std::memory_order_acquire);
        return get ? &get() : nullptr;
    }

    // Returns something to initialize a variable with.
    static bool link(report_client& (*get)() noexcept) noexcept
    {
        get_.store(get, std::memory_order_release);
        return true;
    }

protected:
    ~report_client() = default;

private:
    static inline std::atomic<report_client& (*)() noexcept> get_{nullptr};
};

} // namespace asio_ewyk::detail

#endif
