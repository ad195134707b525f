// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_CONTEXT_RUN_CALL_HPP
#define ASIO_EWYK_DETAIL_CONTEXT_RUN_CALL_HPP

#include <asio_ewyk/detail/os/deadline.hpp>
#include <asio_ewyk/detail/os/passed_exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>

namespace asio_ewyk::detail {

// One call of run() or one of its siblings: what it may do, and what it has done. Only the calling
// thread touches it.
class run_call
{
public:
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    enum class waiting
    {
        allowed,
        none,      // take what is ready
        no_reactor // take what is queued, and leave the reactor alone
    };

    constexpr run_call(
        std::size_t limit, waiting wait, time_point deadline, bool stepping) noexcept
        : limit_(limit)
        , wait_(wait)
        , deadline_(deadline)
        , stepping_(stepping)
    {
    }

    void count() noexcept { ++executed_; }
    void count(std::size_t n) noexcept { executed_ += n; }
    std::size_t executed() const noexcept { return executed_; }

    // Has it end then at the latest.
    void end_at(time_point t) noexcept { deadline_ = std::min(deadline_, t); }

    bool limit_reached() const noexcept { return executed_ >= limit_; }

    // Whether it is over by its own limit or deadline.
    bool done() const noexcept
    {
        return limit_reached()
            || (deadline_ != forever && std::chrono::steady_clock::now() >= deadline_);
    }

    // Before it begins: whether it is to look for what was thrown elsewhere.
    void take_from(passed_exceptions const& thrown) noexcept { thrown_ = &thrown; }

    // Something was thrown elsewhere, so the thread is to stop.
    bool interrupted() const noexcept { return thrown_ && thrown_->any(); }

    // Whether it ends only when there is nothing left to do, or by stop().
    bool endless() const noexcept
    {
        return limit_ == unlimited && wait_ == waiting::allowed && deadline_ == forever
            && !stepping_;
    }

    // It ran nothing, and let a handler go on that waited at the end of a blocking_section.
    void gave_way() noexcept { gave_way_ = true; }
    bool has_given_way() const noexcept { return gave_way_; }

    waiting wait() const noexcept { return wait_; }
    time_point deadline() const noexcept { return deadline_; }
    bool stepping() const noexcept { return stepping_; }

private:
    std::size_t limit_;
    waiting wait_;
    time_point deadline_;
    bool stepping_;
    passed_exceptions const* thrown_ = nullptr;
    std::size_t executed_ = 0;
    bool gave_way_ = false;
};

} // namespace asio_ewyk::detail

#endif
