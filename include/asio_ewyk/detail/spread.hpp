#ifndef ASIO_EWYK_DETAIL_SPREAD_HPP
#define ASIO_EWYK_DETAIL_SPREAD_HPP

#include <asio_ewyk/detail/config.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace asio_ewyk::detail {

// Whether tasks that are short enough to be run on loan are better given to several threads: while
// they are, a context has one thread at work, and that may not be enough.
//
// It decides after each window of time, by what it has measured and not by what tasks ought to
// cost: when the producer is out of CPU time, another window is spent with handing over before each
// task. If more tasks were run, it stays like that until one thread would do again; if not, it is
// tried again later, after twice as many windows each time, and soon again only when one thread has
// been enough for as long. It is not tried where a task costs less than any wake-up.
class spread
{
public:
    using duration = std::chrono::nanoseconds;

    // What happened in a window.
    struct window
    {
        duration time;
        std::size_t tasks;
        std::optional<duration> cpu; // that producing used, and tasks on loan, if it is known
        duration ran;                // CPU time of all tasks, while it handed over
    };

    // After a window: whether to lend in the next one.
    bool lends_after(window const& w) noexcept;

private:
    enum class state
    {
        lending,
        starting,
        trying,
        spreading,
    };

    static double rate(window const& w) noexcept; // of tasks

    // Less may be chance.
    static constexpr double gain = 0.125;

    // A system call at least.
    static constexpr duration shortest = std::chrono::microseconds(1);

    // In windows.
    static constexpr int longest_pause = 128;

    state state_ = state::lending;
    window before_{};
    int wait_ = 1;  // windows until the next try
    int pause_ = 1; // after the next one that was in vain: twice that
    int enough_ = 0; // windows in a row in which one thread was
};

} // namespace asio_ewyk::detail

#if !defined(ASIO_EWYK_SEPARATE_COMPILATION)
#include <asio_ewyk/detail/impl/spread.ipp>
#endif

#endif
