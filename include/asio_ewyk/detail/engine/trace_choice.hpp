// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_TRACE_CHOICE_HPP
#define ASIO_EWYK_DETAIL_ENGINE_TRACE_CHOICE_HPP

#include <asio_ewyk/detail/engine/choose.hpp>
#include <asio_ewyk/detail/observe/trace_point.hpp>

#include <cstdint>

namespace asio_ewyk::detail {

// What was decided for a task, as the detail of a record:
// [leases 1 bit][strategy_t::kind 8 bits][sub_strategy 8 bits]
struct traced_choice
{
    strategy_t strategy;
    sub_strategy sub;
    bool leases;

    static constexpr traced_choice unpack(std::uint32_t word) noexcept
    {
        return {strategy_t(static_cast<strategy_t::kind>(word >> 8 & 0xff)),
            static_cast<sub_strategy>(word & 0xff), (word >> 16) != 0};
    }

    constexpr std::uint32_t pack() const noexcept
    {
        return static_cast<std::uint32_t>(sub)
            | static_cast<std::uint32_t>(strategy.value()) << 8 | std::uint32_t{leases} << 16;
    }
};

// `t`: the task; null: the next one that this thread runs.
inline void trace_choice(void const* t, strategy_t s, sub_strategy sub, bool leases) noexcept
{
    trace_point(trace_event::choose, t, traced_choice{s, sub, leases}.pack());
}

} // namespace asio_ewyk::detail

#endif
