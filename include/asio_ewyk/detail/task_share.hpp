#ifndef ASIO_EWYK_DETAIL_TASK_SHARE_HPP
#define ASIO_EWYK_DETAIL_TASK_SHARE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>

namespace asio_ewyk::detail {

// How long the tasks of an event loop may run in a round, between two rounds of I/O: a deficit
// round robin of two. I/O comes in rounds whose length nobody can limit; tasks get their share
// afterwards, and what they take too much they miss in the next round.
//
// Where a round of I/O was too short to count, or there was none, a number limits the tasks.
class task_share
{
public:
    using duration = std::chrono::nanoseconds;

    explicit task_share(int io_ratio)
        : io_ratio_(io_ratio)
    {
        if (io_ratio < 1 || io_ratio > 100)
            throw std::invalid_argument("io_ratio must be from 1 to 100");
    }

    // A round of tasks begins, that long after the last one; 0 if the loop may have waited since.
    void begin(duration io) noexcept
    {
        contended_ = io >= least;
        if (contended_)
            credit_ = std::min(credit_ + io * (100 - io_ratio_) / io_ratio_, most);
        else
            credit_ = duration::zero();
    }

    // How many tasks may run before the next look at the clock; 0: none in this round.
    std::size_t tasks() const noexcept
    {
        if (!contended_)
            return round;
        return credit_ > duration::zero() || io_ratio_ == 100 ? between_looks : 0;
    }

    // After that many, which took that long in this round: whether there may be as many again.
    bool more(duration time) const noexcept { return contended_ && time < credit_; }

    // The round took that long.
    void end(duration time) noexcept
    {
        if (contended_ && io_ratio_ != 100)
            credit_ = std::max(credit_ - time, -most);
    }

private:
    // Less is what a look for I/O takes that finds none.
    static constexpr duration least = std::chrono::microseconds(10);

    // What one round may owe to the next, either way: a task that takes for ever must not keep
    // those after it from running for ever.
    static constexpr duration most = std::chrono::seconds(1);

    static constexpr std::size_t between_looks = 64; // Netty's figure
    static constexpr std::size_t round = 1024;

    int io_ratio_;
    bool contended_ = false;
    duration credit_{};
};

} // namespace asio_ewyk::detail

#endif
