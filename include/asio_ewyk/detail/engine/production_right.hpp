// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_RIGHT_HPP
#define ASIO_EWYK_DETAIL_ENGINE_PRODUCTION_RIGHT_HPP

#include <asio_ewyk/detail/engine/production.hpp>
#include <asio_ewyk/detail/frame/lease.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace asio_ewyk::detail {

// The word of production.hpp, and its transitions by compare-and-swap. Any thread.
//
// Layout of the word: [settled 61 bits][word of production.hpp 3 bits]
//
// settled: the last settled lease, plus 1. A lease that another thread than the producer has ended
// is settled when it is decided which thread produces next. The thread that ended it has the right
// then, but does not produce: it passes the right on. It may be of the idle class, and not run for
// long. The late thread, which comes back meanwhile, must not leave, since there may be no other to
// pass the right on to. So the first of the two that changes the word settles it:
//
// | the lease           | the thread that ended it        | the late thread                  |
// |---------------------|---------------------------------|----------------------------------|
// | ended, not settled  | pass_on(): hand_over            | reclaim(): it is the producer    |
// | settled by the one  | gets the pending thread         | resume, as after each hand_over  |
// | settled by the late | does nothing                    | produces                         |
//
// Until then no other can have the right. So leases are settled in the order of their numbers, and
// all below `settled` have been. No wake-up is lost: what is asked for meanwhile
// makes the state `reproducing`, which hand_over and the producer see.
//
// Sequentially consistent: Dekker with what a thread that waits has asked for. Otherwise one could
// wait for ever for a right that is free.
class production_right
{
public:
    production now() const noexcept { return unpack(word_.load()); }

    production_step apply(production_event event) noexcept
    {
        std::uint64_t word = word_.load();
        for (;;)
        {
            production_step const step = next_production(unpack(word), event);
            test_point();
            if (word_.compare_exchange_weak(word, (word & ~std::uint64_t{7}) | step.next.pack()))
                return step;
        }
    }

    // The thread that has ended that lease. Empty if the late thread has the right again.
    std::optional<production_verdict> pass_on(lease::number n) noexcept
    {
        std::uint64_t word = word_.load();
        while (word >> 3 <= n)
        {
            production_step const step
                = next_production(unpack(word), production_event::hand_over);
            test_point();
            if (word_.compare_exchange_weak(word, (n + 1) << 3 | step.next.pack()))
                return step.verdict;
        }
        return {};
    }

    // The thread of that lease, which another one has ended. False if it has been passed on.
    bool reclaim(lease::number n) noexcept
    {
        std::uint64_t word = word_.load();
        while (word >> 3 <= n)
        {
            test_point();
            if (word_.compare_exchange_weak(word, (n + 1) << 3 | (word & 7)))
                return true;
        }
        return false;
    }

private:
    static production unpack(std::uint64_t word) noexcept
    {
        return production::unpack(static_cast<std::uint32_t>(word & 7));
    }

    alignas(64) std::atomic<std::uint64_t> word_{production{}.pack()};
};

} // namespace asio_ewyk::detail

#endif
