// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_OVERLOAD_SHEDDING_HPP
#define ASIO_EWYK_DETAIL_OVERLOAD_SHEDDING_HPP

#include <asio_ewyk/detail/metrics/counter.hpp>
#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/overload/delay_limit.hpp>
#include <asio_ewyk/detail/overload/io_delay.hpp>
#include <asio_ewyk/metrics.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace asio_ewyk::detail {

namespace asio = boost::asio;

// What a load_shedder does when a task begins. Any thread.
class shedding
{
public:
    shedding(std::chrono::nanoseconds target, std::chrono::nanoseconds interval) noexcept
        : target_(target)
        , interval_(interval)
    {
    }

    // Before it is used by several threads.
    void observe(asio::io_context& context) { io_ = io_delay::of(context); }

    // Of a task that begins: what it is told, as load_shedder::async_admit says.
    boost::system::error_code judge(
        time_point submitted, time_point deadline, time_point now) noexcept
    {
        std::chrono::nanoseconds const delay = now - submitted;
        bool const admitted = limit_.admits(delay, now);
        if (!io_admits(delay, now) || !admitted)
        {
            refused_.add();
            return asio::error::try_again;
        }
        if (now > deadline)
        {
            late_.add();
            return asio::error::timed_out;
        }
        return {};
    }

    bool overloaded(time_point now) const noexcept
    {
        if (limit_.exceeded(now) || io_limit_.exceeded(now))
            return true;
        // Where all threads block nothing is judged.
        auto const age = io_ ? io_->age(now) : target_.zero();
        return age > target_ && age - target_ > interval_;
    }

    shed_metrics metrics() const noexcept
    {
        auto const last = limit_.last() + (io_ ? io_->last() : target_.zero());
        return {.refused = refused_.get(),
            .late = late_.get(),
            .queue_delay = last,
            .overloaded = overloaded(std::chrono::steady_clock::now())};
    }

private:
    // Whether what came by way of the io_context has not waited for too long there and in the queue
    // together. A byte that arrives late tells that what has come after it is late as well: so all
    // of that is, until a byte is in time that was sent after it, or nothing is known any more.
    bool io_admits(std::chrono::nanoseconds delay, time_point now) noexcept
    {
        if (!io_)
            return true;
        auto const before = io_->delay(now, std::max(interval_, target_));
        // So seldom that it costs next to nothing.
        io_->ask(now, before > target_ ? target_.zero() : target_ / 8);
        return before <= target_
            || io_limit_.admits(before + delay, now, delay_limit::ends::without_long_delays);
    }

    std::chrono::nanoseconds const target_;
    std::chrono::nanoseconds const interval_;
    delay_limit limit_{target_, interval_};    // of the queue, whose delays are known
    delay_limit io_limit_{target_, interval_}; // of the way to it
    std::shared_ptr<io_delay> io_; // null if no io_context is observed
    shared_counter refused_;
    shared_counter late_;
};

} // namespace asio_ewyk::detail

#endif
