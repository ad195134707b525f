#ifndef ASIO_EWYK_DETAIL_PRODUCTION_RIGHT_HPP
#define ASIO_EWYK_DETAIL_PRODUCTION_RIGHT_HPP

#include <asio_ewyk/detail/production.hpp>
#include <asio_ewyk/detail/trace_point.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// The word of production.hpp, and its transitions by compare-and-swap. Any thread.
//
// Sequentially consistent: whoever leaves the right to produce next looks whether somebody waits
// for it, and whoever waits has said so before he looked who has it.
class production_right
{
public:
    production now() const noexcept { return production::unpack(word_.load()); }

    production_step apply(production_event event) noexcept
    {
        std::uint32_t word = word_.load();
        for (;;)
        {
            production_step const step = next_production(production::unpack(word), event);
            test_point();
            if (word_.compare_exchange_weak(word, step.next.pack()))
                return step;
        }
    }

    // Lends, if a thread stands by or is on its way. `occupies`: see production.
    bool lend(std::uint32_t& loan, bool occupies) noexcept
    {
        std::uint32_t word = word_.load();
        for (;;)
        {
            production const now = production::unpack(word);
            if (!now.pending)
                return false;
            production next = next_production(now, production_event::lend).next;
            next.occupies = occupies;
            loan = next.loan;
            test_point();
            if (word_.compare_exchange_weak(word, next.pack()))
                return true;
        }
    }

    // Ends that loan, by one of its events; false if it has ended already.
    bool end_loan(production_event event, std::uint32_t loan, production_step& step) noexcept
    {
        return apply_if(
            event,
            [loan](production p) { return p.state == production_state::lent && p.loan == loan; },
            step);
    }

    // The thread that stands by will do so no longer; false if somebody counts on it.
    bool stand_down() noexcept
    {
        production_step step;
        return apply_if(
            production_event::give_up,
            [](production p) {
                return p.state != production_state::idle && p.state != production_state::lent;
            },
            step);
    }

private:
    template <class Holds>
    bool apply_if(production_event event, Holds holds, production_step& step) noexcept
    {
        std::uint32_t word = word_.load();
        for (;;)
        {
            production const now = production::unpack(word);
            if (!holds(now))
                return false;
            step = next_production(now, event);
            test_point();
            if (word_.compare_exchange_weak(word, step.next.pack()))
                return true;
        }
    }

    alignas(64) std::atomic<std::uint32_t> word_{production{}.pack()};
};

} // namespace asio_ewyk::detail

#endif
