#ifndef ASIO_EWYK_TEST_BENCHMARK_SIMULATION_SHARED_LINE_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SIMULATION_SHARED_LINE_HPP

#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace benchmark::simulation {

/** What the threads of a context share: a queue with its lock, or the words of a lock-free one.

    Who used it last has it in his cache. For others it takes the time of a transfer between cores,
    and they get it one after the other: no context can be faster than that, on however many cores.
*/
class shared_line
{
public:
    void use(machine const& on, thread& by)
    {
        if (std::exchange(last_, &by) == &by)
            return;
        free_at_ = std::max(free_at_, on.now()) + on.cost().line_transfer;
        by.pay(free_at_ - on.now());
    }

private:
    thread const* last_ = nullptr;
    duration free_at_{};
};

} // namespace benchmark::simulation

#endif
