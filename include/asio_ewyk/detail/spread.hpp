#ifndef ASIO_EWYK_DETAIL_SPREAD_HPP
#define ASIO_EWYK_DETAIL_SPREAD_HPP

#include <algorithm>
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
    bool lends_after(window const& w) noexcept
    {
        switch (state_)
        {
        case state::lending:
            if (!w.cpu)
                return true;
            if (*w.cpu * 10 < w.time * 9)
            {
                wait_ = pause_;
                if (++enough_ >= pause_)
                {
                    enough_ = 0;
                    wait_ = pause_ = std::max(pause_ / 2, 1);
                }
                return true;
            }
            enough_ = 0;
            if (--wait_ > 0 || *w.cpu < shortest * static_cast<duration::rep>(w.tasks))
                return true;
            before_ = w;
            state_ = state::starting;
            return false;
        case state::starting: // threads have to wake up first
            state_ = state::trying;
            return false;
        case state::trying:
            if (rate(w) > rate(before_) * (1 + gain))
            {
                state_ = state::spreading;
                return false;
            }
            wait_ = pause_ = std::min(2 * pause_, longest_pause);
            state_ = state::lending;
            return true;
        case state::spreading:
            if (w.ran * 4 >= w.time * 3)
                return false;
            wait_ = pause_ = 1;
            state_ = state::lending;
            return true;
        }
        return true;
    }

private:
    enum class state
    {
        lending,
        starting,
        trying,
        spreading,
    };

    static double rate(window const& w) noexcept
    {
        return static_cast<double>(w.tasks) / static_cast<double>(w.time.count());
    }

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

#endif
