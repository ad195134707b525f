// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_STRATEGY_VIEW_IPP
#define ASIO_EWYK_IMPL_STRATEGY_VIEW_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/engine/describe_production.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/strategy_service.hpp>

#include <cstdint>

namespace asio_ewyk {

// What a strategy_service shows of itself.

ASIO_EWYK_DECL std::size_t strategy_service::waiting() const noexcept
{
    return static_cast<std::size_t>(reactor_.depth().waiting()) + threads_.pool().client().size();
}

ASIO_EWYK_DECL bool strategy_service::serves() const noexcept
{
    return !shut_down_.load() && threads_.runners() != 0;
}

ASIO_EWYK_DECL std::size_t strategy_service::taken() const noexcept
{
    return static_cast<std::size_t>(reactor_.depth().taken()) + threads_.pool().client().taken();
}

ASIO_EWYK_DECL void strategy_service::tell_state(detail::text_sink& out) const noexcept
{
    out << "strategy_context " << static_cast<void const*>(&ioc_) << ' ' << pool_.options().name
        << ": ";
    detail::describe_production(out, engine_);
    out << ", " << std::uint64_t{threads_.runners()} << " callers inside run(), "
        << reactor_.depth().waiting() << " tasks wait for it, "
        << std::uint64_t{threads_.pool().client().size()} << " for a thread";
    if (reactor_.sleeps())
        out << "; whoever submits wakes it";
}

} // namespace asio_ewyk

#endif
