// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_IMPL_TRACKING_IPP
#define ASIO_EWYK_IMPL_TRACKING_IPP

#include <asio_ewyk/detail/config.hpp>
#include <asio_ewyk/detail/observe/handler_name.hpp>
#include <asio_ewyk/detail/os/text_sink.hpp>
#include <asio_ewyk/detail/os/tick_clock.hpp>
#include <asio_ewyk/detail/tracking/handler_hooks.hpp>
#include <asio_ewyk/detail/tracking/operation_record.hpp>
#include <asio_ewyk/detail/tracking/operation_site.hpp>
#include <asio_ewyk/diagnostics/tracking.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace asio_ewyk {

namespace detail {

inline std::optional<boost::source_location> location_of(site_key const& k)
{
    if (!k.file)
        return std::nullopt;
    return boost::source_location(k.file, k.line, k.function ? k.function : "");
}

inline tracking::operation_state state_of(operation_step s) noexcept
{
    switch (s)
    {
    case operation_step::ready:
        return tracking::operation_state::ready;
    case operation_step::running:
        return tracking::operation_state::running;
    case operation_step::destroyed:
        return tracking::operation_state::destroyed;
    default:
        return tracking::operation_state::pending;
    }
}

inline std::chrono::nanoseconds time_of(
    std::uint64_t ticks, tick_clock::scale const& scale) noexcept
{
    return scale(static_cast<tick_clock::ticks>(ticks));
}

inline std::uint64_t microseconds(std::uint64_t ticks, tick_clock::scale const& scale) noexcept
{
    return static_cast<std::uint64_t>(time_of(ticks, scale).count()) / 1000;
}

inline void describe_operation(text_sink& out, operation_record::snapshot const& s,
    tick_clock::ticks now, tick_clock::scale const& scale) noexcept
{
    site_key const& k = s.from.site->key;
    out << "handler " << s.from.number << ": " << k.kind << ' ' << s.from.object;
    if (s.from.descriptor != 0)
        out << ", descriptor " << s.from.descriptor;
    out << ", " << k.name;
    if (char const* const begun = k.begun())
        out << " in " << begun;
    out << ", " << to_string(state_of(s.step));
    if (s.step == operation_step::running)
        out << " on thread " << static_cast<std::uint64_t>(s.thread);
    auto const ms = static_cast<std::uint64_t>(scale(now - s.since).count()) / 1'000'000;
    if (s.step == operation_step::destroyed)
        out << " without having been called " << ms << " ms ago";
    else
        out << " for " << ms << " ms";
    out << ", created";
    if (k.file)
        out << " at " << k.file << ':' << std::uint64_t{k.line};
    if (s.from.parent != 0)
        out << " by handler " << s.from.parent;
    else
        out << " by no handler";
    out << " for context " << s.from.context << '\n';
}

inline void describe_profile(text_sink& out, tick_clock::scale const& scale) noexcept
{
    site_table::for_each([&](operation_site const& site) {
        site_totals const t = site.read();
        if (t.handlers == 0 && t.destroyed == 0)
            return;
        site_key const& k = site.key;
        out << "site " << k.kind << ", " << k.name;
        if (char const* const begun = k.begun())
            out << " in " << begun;
        if (k.file)
            out << " at " << k.file << ':' << std::uint64_t{k.line};
        else if (k.type)
            out << " of " << k.type->name();
        out << ": " << t.handlers << " handlers";
        if (t.handlers != 0)
            out << ", ran " << microseconds(t.ran / t.handlers, scale) << " us on average, "
                << microseconds(t.longest_run, scale) << " at most";
        if (t.waits != 0)
            out << "; " << t.waits << " waited " << microseconds(t.waited / t.waits, scale)
                << " us on average, " << microseconds(t.longest_wait, scale) << " at most";
        if (t.blocks != 0)
            out << "; " << t.blocks << " blocked for " << microseconds(t.blocked / t.blocks, scale)
                << " us on average, " << microseconds(t.longest_block, scale) << " at most";
        if (t.destroyed != 0)
            out << "; " << t.destroyed << " destroyed without having been called";
        out << '\n';
    });
}

ASIO_EWYK_DECL void describe_operations(text_sink& out) noexcept
{
    // For people: the others are in pending().
    static constexpr std::uint64_t most = 1000;
    tick_clock::scale const scale;
    tick_clock::ticks const now = tick_clock::now();
    std::uint64_t n = 0;
    operation_store::for_each([&](operation_record::snapshot const& s) {
        if (n++ < most)
            describe_operation(out, s, now, scale);
    });
    if (n > most)
        out << "and " << n - most << " more handlers\n";
    if (std::uint64_t const lost = handler_hooks::untracked())
        out << lost << " operations were not tracked, without memory\n";
    describe_profile(out, scale);
}

// Of a site without a location: what the program has given as the handler.
inline std::string type_of(site_key const& k)
{
    return k.file || !k.type ? std::string() : handler_name(*k.type);
}

// A program has a string once in each of its shared libraries.
inline auto text_of(site_key const& k)
{
    auto const text = [](char const* s) { return std::string_view(s ? s : ""); };
    return std::tuple(
        text(k.kind), text(k.name), text(k.begun()), text(k.file), k.line, type_of(k));
}

} // namespace detail

namespace tracking {

ASIO_EWYK_DECL std::vector<operation> pending()
{
    std::vector<operation> all;
    std::map<detail::operation_site const*, std::string> types;
    detail::tick_clock::scale const scale;
    detail::tick_clock::ticks const now = detail::tick_clock::now();
    detail::operation_store::for_each([&](detail::operation_record::snapshot const& s) {
        detail::site_key const& k = s.from.site->key;
        operation o;
        o.state = detail::state_of(s.step);
        o.handler = s.from.number;
        o.created_by = s.from.parent;
        o.kind = k.kind;
        o.name = k.name;
        o.composed = k.begun();
        o.object = s.from.object;
        o.context = s.from.context;
        o.descriptor = s.from.descriptor;
        o.location = detail::location_of(k);
        auto const [known, is_new] = types.try_emplace(s.from.site);
        if (is_new)
            known->second = detail::type_of(k);
        o.type = known->second;
        o.age = scale(now - s.from.created);
        o.in_state = scale(now - s.since);
        if (o.state == operation_state::running)
            o.thread_id = s.thread;
        all.push_back(std::move(o));
    });
    std::sort(all.begin(), all.end(),
        [](operation const& a, operation const& b) { return a.age > b.age; });
    return all;
}

ASIO_EWYK_DECL std::vector<site> profile()
{
    std::map<decltype(detail::text_of({})), std::pair<detail::site_key, detail::site_totals>> by;
    detail::site_table::for_each([&](detail::operation_site const& s) {
        detail::site_totals const t = s.read();
        if (t.handlers != 0 || t.destroyed != 0)
            by.try_emplace(detail::text_of(s.key), s.key, detail::site_totals{})
                .first->second.second.add(t);
    });
    detail::tick_clock::scale const scale;
    std::vector<site> all;
    for (auto const& [text, of] : by)
    {
        auto const& [k, t] = of;
        site s;
        s.kind = k.kind;
        s.name = k.name;
        s.composed = k.begun();
        s.location = detail::location_of(k);
        s.type = std::get<std::string>(text);
        s.handlers = t.handlers;
        s.destroyed = t.destroyed;
        s.waits = t.waits;
        s.waited = detail::time_of(t.waited, scale);
        s.longest_wait = detail::time_of(t.longest_wait, scale);
        s.ran = detail::time_of(t.ran, scale);
        s.longest_run = detail::time_of(t.longest_run, scale);
        s.blocks = t.blocks;
        s.blocked = detail::time_of(t.blocked, scale);
        s.longest_block = detail::time_of(t.longest_block, scale);
        all.push_back(std::move(s));
    }
    std::sort(all.begin(), all.end(), [](site const& a, site const& b) { return a.ran > b.ran; });
    return all;
}

ASIO_EWYK_DECL void reset_profile() noexcept
{
    detail::site_counters::reset();
}

ASIO_EWYK_DECL std::uint64_t untracked() noexcept
{
    return detail::handler_hooks::untracked();
}

} // namespace tracking

} // namespace asio_ewyk

#endif
