#ifndef ASIO_EWYK_DETAIL_PRODUCTION_RIGHT_HPP
#define ASIO_EWYK_DETAIL_PRODUCTION_RIGHT_HPP

#include <asio_ewyk/detail/production.hpp>
#include <asio_ewyk/detail/trace_point.hpp>

#include <atomic>
#include <cstdint>

namespace asio_ewyk::detail {

// The word of production.hpp, and its transitions by compare-and-swap. Any thread.
//
// Sequentially consistent: a thread that gives up the right next looks whether another one waits
// for it, and a thread that waits has said so before it looked who has it.
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

private:
    alignas(64) std::atomic<std::uint32_t> word_{production{}.pack()};
};

} // namespace asio_ewyk::detail

#endif
