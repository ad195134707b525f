// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_ENGINE_DESCRIBE_PRODUCTION_HPP
#define ASIO_EWYK_DETAIL_ENGINE_DESCRIBE_PRODUCTION_HPP

#include <asio_ewyk/detail/engine/production.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/strategy.hpp>

namespace asio_ewyk::detail {

inline char const* in_words(production_state s) noexcept
{
    switch (s)
    {
    case production_state::idle:
        return "no thread produces";
    case production_state::producing:
        return "a thread produces";
    case production_state::reproducing:
        return "a thread produces and was asked for more";
    }
    return "?";
}

template <class Engine>
void describe_production(text_sink& out, Engine const& engine) noexcept
{
    production const now = engine.now();
    out << to_string(engine.strategy()) << ", " << in_words(now.state);
    if (now.pending)
        out << ", another one is on its way";
    if (engine.watch().refused())
        out << ", the system refuses threads of idle priority";
    if (engine.watch().is_blind())
        out << ", the system does not tell what a thread does";
}

} // namespace asio_ewyk::detail

#endif
