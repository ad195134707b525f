#ifndef ASIO_EWYK_DETAIL_STALL_PACE_HPP
#define ASIO_EWYK_DETAIL_STALL_PACE_HPP

#include <asio_ewyk/detail/deadline.hpp>
#include <asio_ewyk/detail/thread_activity.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace asio_ewyk::detail {

// When the stall_monitor looks again, and what it asks of those that begin a handler meanwhile. No
// threads, no clock.
//
// | state    | when                          | asked for | looks                              |
// |----------|-------------------------------|-----------|------------------------------------|
// | ticking  | many handlers begin           | nothing   | every `tick`                       |
// | stamping | few do                        | stamp     | every half threshold, or `longest` |
// | drowsy   | none did for such an interval | wake      | once after an interval, then never |
//
// What a stalled handler is to be looked at for comes in between. With stamps it is known when it
// began. Without, it began at most one tick before it was seen: so `tick` is what reports may be
// late. A stamp costs some 25 ns, a look some microseconds: where handlers begin less often than
// `many`, stamps are the cheaper way, and both are noise.
class stall_pace
{
public:
    using duration = std::chrono::nanoseconds;
    using attention = thread_activity::attention;

    static constexpr duration tick = std::chrono::milliseconds(1);
    static constexpr duration longest = std::chrono::milliseconds(50);
    static constexpr duration window = std::chrono::milliseconds(25);

    // Changes of records in a second; there are two for a handler, and two more in a pool.
    static constexpr std::uint64_t many = 40'000;
    static constexpr std::uint64_t few = many / 2;

    explicit stall_pace(time_point now) noexcept
        : changed_(now)
        , began_window_(now)
    {
    }

    struct step
    {
        attention ask;
        time_point next; // at the latest
    };

    // After a look. `asked`: what was asked for all the time since the look before. `due`: when
    // a handler that runs is to be looked at. `threshold`: the least one.
    step after_look(time_point now, std::uint64_t changes, attention asked, time_point due,
        duration threshold) noexcept
    {
        duration const interval = std::clamp(threshold / 2, tick, longest);
        if (changes != 0)
        {
            changed_ = now;
            sum_ += changes;
        }
        else if (now - changed_ >= interval)
        {
            // What began before it was asked to wake us is seen by the next look, which is later
            // than what any machine needs to show it. Only then there is no other look.
            bool const sleeps = asked == attention::wake;
            begin_window(now);
            ticking_ = false;
            return {attention::wake, sleeps ? due : std::min(due, now + interval)};
        }
        bool const stamped = asked != attention::none;
        if (duration const time = now - began_window_; time >= window)
        {
            std::chrono::duration<double> const seconds = time;
            auto const rate = static_cast<double>(sum_) / seconds.count();
            ticking_ = rate > static_cast<double>(ticking_ ? few : many);
            begin_window(now);
        }
        if (ticking_)
            return {attention::none, std::min(due, now + tick)};
        // What began before stamps were asked for is seen a tick later, as ever.
        return {attention::stamp, std::min(due, now + (stamped ? interval : tick))};
    }

private:
    void begin_window(time_point now) noexcept
    {
        began_window_ = now;
        sum_ = 0;
    }

    time_point changed_; // the last look that saw a change
    time_point began_window_;
    std::uint64_t sum_ = 0; // changes in this window
    bool ticking_ = false;
};

} // namespace asio_ewyk::detail

#endif
