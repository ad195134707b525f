// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_CONNECTIONS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_CONNECTIONS_HPP

#include "shedding.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace http_server {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using steady_clock = std::chrono::steady_clock;

class connections;

/** One connection as the watchdog sees it: a deadline, and a way to end its patience.

    The session moves the deadline on with a relaxed store, so that a request costs no timer and no
    lock; the watchdog looks at it now and then. Neither touches anything else of the other's.

    @par Thread Safety
    expire_after(), never_expire() and ending() are for the session; the rest is for `connections`.
*/
class watched : public boost::intrusive::list_base_hook<>
{
public:
    /// Why a session should end at its next step.
    enum class reason : unsigned char
    {
        none,         ///< it should not
        late,         ///< the client was too slow: tell it so, and close
        draining,     ///< the server is going down: answer what is complete, and close
    };

    void expire_after(steady_clock::duration timeout) noexcept
    {
        deadline_.store((steady_clock::now() + timeout).time_since_epoch().count(),
            std::memory_order_relaxed);    // nothing is published with it
    }

    /// The time while a handler runs is ours, not the client's.
    void never_expire() noexcept
    {
        deadline_.store(steady_clock::time_point::max().time_since_epoch().count(),
            std::memory_order_relaxed);    // as above
    }

    reason ending() const noexcept { return ending_.load(); }

protected:
    ~watched() = default;

private:
    friend connections;

    /// Ends reads, or reads and writes, that wait for the client. Called by another thread than
    /// the session's; Asio and POSIX permit that of this one operation.
    virtual void shut(tcp::socket::shutdown_type what) noexcept = 0;

    steady_clock::time_point deadline() const noexcept
    {
        auto const ticks = deadline_.load(std::memory_order_relaxed);    // as above
        return steady_clock::time_point(steady_clock::duration(ticks));
    }

    std::atomic<steady_clock::rep> deadline_{0};
    std::atomic<reason> ending_{reason::none};    // set before shut(), read after a read ended
};

/** The open connections of a server, and the watchdog that ends those that are too slow.

    One timer serves all of them. It sleeps until the earliest deadline it knows, looks which
    connections did not move theirs on, and goes on with the earliest that is left; with no
    connection it does not run at all. A late connection can no longer read, so that its session
    finds out and can still say 408; if that does not get through either, it can no longer write.

    @par Thread Safety
    Shared objects: safe.

    @par Object Lifetimes
    Sessions share it, because a context that is destroyed with open connections destroys them last.
*/
class connections : public std::enable_shared_from_this<connections>
{
public:
    /// `page` writes the page of metrics, and may be called by any thread.
    connections(asio::any_io_executor executor, steady_clock::duration timeout,
        std::chrono::milliseconds max_queue_delay, std::function<std::string()> page)
      : timeout_(timeout), shedders_(max_queue_delay), page_(std::move(page)),
        timer_(std::move(executor))
    {
    }

    steady_clock::duration timeout() const noexcept { return timeout_; }
    std::function<std::string()> const& page() const noexcept { return page_; }
    shedders& shedding() noexcept { return shedders_; }

    void add(watched& connection)
    {
        std::lock_guard lock(mutex_);
        if (!watching_)
            watch_until(connection.deadline());    // first, for it may throw
        open_.push_back(connection);
        if (draining_)
            end(connection, watched::reason::draining);
    }

    /// Takes a connection out that answered that many requests; call it before the socket closes.
    void remove(watched& connection, std::uint64_t served) noexcept
    {
        std::lock_guard lock(mutex_);
        open_.erase(open_.iterator_to(connection));
        served_ += served;
        // Nothing else can come, and run() waits for the timer.
        if (draining_ && open_.empty())
            timer_.cancel();
    }

    /// Ends every connection as soon as it has answered what it is about to answer.
    void drain()
    {
        std::lock_guard lock(mutex_);
        draining_ = true;
        for (auto& connection : open_)
            end(connection, watched::reason::draining);
        if (open_.empty())
            timer_.cancel();
    }

    /// Requests answered by the connections that have ended.
    std::uint64_t served() const
    {
        std::lock_guard lock(mutex_);
        return served_;
    }

private:
    /// Looks at most that many times into one timeout, which is also its precision.
    static constexpr int looks_in_a_timeout = 16;

    void end(watched& connection, watched::reason why) noexcept
    {
        connection.ending_ = why;
        connection.shut(tcp::socket::shutdown_receive);
    }

    void watch_until(steady_clock::time_point when)
    {
        timer_.expires_at(when);
        timer_.async_wait([self = shared_from_this()](error_code error) {
            if (!error)
                self->look();
        });
        watching_ = true;
    }

    void look()
    {
        std::lock_guard lock(mutex_);
        auto const now = steady_clock::now();
        auto earliest = now + timeout_;
        for (auto& connection : open_)
        {
            if (connection.deadline() > now)
            {
                earliest = std::min(earliest, connection.deadline());
                continue;
            }
            if (connection.ending() == watched::reason::late)
                connection.shut(tcp::socket::shutdown_both);
            else
                end(connection, watched::reason::late);
            connection.expire_after(timeout_);
        }
        watching_ = false;
        if (!open_.empty())
            watch_until(std::max(earliest, now + timeout_ / looks_in_a_timeout));
    }

    steady_clock::duration const timeout_;
    shedders shedders_;
    std::function<std::string()> const page_;
    std::mutex mutable mutex_;              // protects what follows
    asio::steady_timer timer_;
    boost::intrusive::list<watched> open_;
    std::uint64_t served_ = 0;
    bool watching_ = false;                 // the timer is set
    bool draining_ = false;
};

}

#endif
