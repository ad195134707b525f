// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_SNAPSHOT_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_SNAPSHOT_HPP

#include <asio_ewyk/detail/diagnostics/trace_log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// What one thread has recorded.
struct trace_lane
{
    std::shared_ptr<trace_ring> ring;
    std::vector<trace_record> records;
    std::uint64_t dropped = 0; // records before these
};

// A copy of a trace, for the thread that has made it. Each lane is true for a moment of its own.
struct trace_snapshot
{
    // Throws std::bad_alloc.
    explicit trace_snapshot(trace_content&& log)
        : begin(log.begin)
        , without_ring(log.without_ring)
        , forgotten(log.forgotten)
        , lanes(log.all.size())
    {
        for (std::size_t i = 0; i != lanes.size(); ++i)
        {
            trace_lane& l = lanes[i];
            l.ring = std::move(log.all[i]);
            l.dropped = l.ring->all().copy_to(l.records);
            if (!l.records.empty())
                end = std::max(end, l.records.back().time);
        }
    }

    std::uint64_t begin;   // trace_time(), as are all
    std::uint64_t end = 0; // of the last record
    std::uint64_t since = 0; // what is older is not wanted
    std::size_t without_ring; // threads
    std::uint64_t forgotten;  // events of threads that have ended
    std::vector<trace_lane> lanes;
};

// What a thread was doing, by the indices of records.
struct traced_span
{
    static constexpr std::size_t none = ~std::size_t{0};

    std::size_t begin;
    std::size_t end = none;   // none: it has not ended
    std::size_t place = none; // where the handler was last, or its operation
};

// In the order in which they began. A span whose beginning was overwritten is none of them. Throws
// std::bad_alloc.
inline std::vector<traced_span> spans_of(std::vector<trace_record> const& records)
{
    std::vector<traced_span> spans;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i != records.size(); ++i)
    {
        trace_event const e = records[i].event;
        if (e == trace_event::place)
        {
            auto const handler = std::find_if(open.rbegin(), open.rend(), [&](std::size_t s) {
                return records[spans[s].begin].event == trace_event::consume;
            });
            if (handler == open.rend())
                continue;
            // What the program says counts more.
            std::size_t& place = spans[*handler].place;
            if (place == traced_span::none || !traced_line::unpack(records[i].detail).of_operation)
                place = i;
        }
        else if (e >= trace_event::post)
            continue;
        else if (static_cast<unsigned>(e) % 2 == 0)
        {
            open.push_back(spans.size());
            spans.push_back({i});
        }
        else if (!open.empty() && end_of(records[spans[open.back()].begin].event) == e)
        {
            spans[open.back()].end = i;
            open.pop_back();
        }
    }
    return spans;
}

} // namespace asio_ewyk::detail

#endif
