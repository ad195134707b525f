// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_REPORT_CULPRITS_HPP
#define ASIO_EWYK_DETAIL_REPORT_CULPRITS_HPP

#include <asio_ewyk/detail/diagnostics/trace_names.hpp>
#include <asio_ewyk/detail/diagnostics/trace_snapshot.hpp>
#include <asio_ewyk/detail/os/this_thread.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// The worst first: the others may be consequences.
enum class culprit_kind
{
    stalled, // a handler that was reported as a stall, and still runs
    ran,     // one that ran for too long
    queued,  // one that waited for too long
};

// What a file of the flight recorder is about.
struct culprit
{
    culprit_kind kind;
    std::string name;
    std::uint64_t begin; // trace_time() of the wait or the run
    std::uint64_t end;
    thread_id thread = 0;
    std::shared_ptr<trace_ring> ring = {}; // of its thread; null: that is not known

    std::string_view kind_name() const noexcept
    {
        constexpr std::string_view names[] = {"stalled", "ran", "queued"};
        return names[static_cast<std::size_t>(kind)];
    }

    std::uint64_t milliseconds() const noexcept { return (end - begin) / 1'000'000; }

    // Whether that span of that thread is the handler that has stalled: the report is of a time at
    // which the handler ran.
    bool is_of(thread_id t, std::uint64_t began, std::uint64_t ended) const noexcept
    {
        std::uint64_t const middle = begin + (end - begin) / 2;
        return t != 0 && thread == t && began <= middle && middle <= ended;
    }

    bool is_worse_than(culprit const& c) const noexcept
    {
        return kind != c.kind ? kind < c.kind : end - begin > c.end - c.begin;
    }
};

// Finds culprits in the rings of a trace, when it is asked to, each of them once.
//
// A handler that was late is found when it has ended, as the thread keeps it then; one that was
// reported as a stall at once, in the events of its thread, and not again when it ends.
class culprit_finder
{
public:
    explicit culprit_finder(trace_limits const& l) noexcept
        : limits_(l)
    {
    }

    // `stalled`: handlers that were reported, which may have ended since. Throws std::bad_alloc;
    // then those since the last time may be lost.
    void find(std::vector<std::shared_ptr<trace_ring>> const& rings, std::uint64_t now,
        std::vector<culprit> stalled)
    {
        decltype(seen_) seen;
        for (std::shared_ptr<trace_ring> const& ring : rings)
        {
            position& to = seen[ring];
            if (auto const before = seen_.find(ring); before != seen_.end())
                to = before->second;
            find_late(ring, to, stalled);
            if (!stalled.empty())
                find_stalled(ring, now, to, stalled);
        }
        seen_.swap(seen);
        for (culprit& c : stalled)
            keep(std::move(c)); // not in the trace
    }

    bool has_any() const noexcept { return !found_.empty(); }

    // All that were found since the last time, up to a number; the worst is the first.
    std::vector<culprit> take()
    {
        std::stable_sort(found_.begin(), found_.end(),
            [](culprit const& a, culprit const& b) { return a.is_worse_than(b); });
        return std::exchange(found_, {});
    }

    // How many more there were.
    std::uint64_t take_left_out() noexcept { return std::exchange(left_out_, 0); }

private:
    static constexpr std::size_t most = 1000;
    static constexpr std::size_t most_stalled = 16; // of a thread

    struct position
    {
        std::uint64_t end = 0; // records of late handlers that were looked at
        std::vector<std::uint64_t> stalled = {}; // when handlers began that were found as stalls
    };

    void keep(culprit&& c)
    {
        if (c.name.empty())
            return; // no handler
        if (found_.size() == most)
            ++left_out_;
        else
            found_.push_back(std::move(c));
    }

    // Handlers that have ended.
    void find_late(std::shared_ptr<trace_ring> const& ring, position& seen,
        std::vector<culprit>& stalled)
    {
        constexpr std::uint64_t each = trace_ring::records_of_late;
        if (ring->late().recorded() == seen.end)
            return;
        std::vector<trace_record> records;
        std::uint64_t const dropped = ring->late().copy_to(records);
        // The thread may keep another one meanwhile: not all records of the first or the last.
        std::uint64_t const begin = std::max((dropped + each - 1) / each * each, seen.end);
        std::uint64_t const end = (dropped + records.size()) / each * each;
        left_out_ += (begin - seen.end) / each;
        seen.end = std::max(begin, end);
        for (std::uint64_t n = begin; n < end; n += each)
        {
            auto const i = static_cast<std::size_t>(n - dropped);
            trace_record const& began = records[i];
            std::uint64_t const ended = records[i + 2].time;
            bool const placed = records[i + 1].event == trace_event::place;
            traced_span const run{i, i + 2, placed ? i + 1 : traced_span::none};
            std::string const name = names_.of(records, run);
            if (limits_.has_waited(began.detail))
                keep({culprit_kind::queued, name,
                    began.time - std::uint64_t{began.detail} * 1000, began.time, ring->thread(),
                    ring});
            if (std::erase(seen.stalled, began.time) != 0)
                continue;
            if (auto const reported = reported_as(stalled, *ring, began.time, ended);
                reported != stalled.end())
            {
                stalled.erase(reported);
                keep({culprit_kind::stalled, name, began.time, ended, ring->thread(), ring});
            }
            else if (limits_.has_run(began.time, ended))
                keep({culprit_kind::ran, name, began.time, ended, ring->thread(), ring});
        }
    }

    // Handlers that have not, or have not run for too long. Of several that run inside of each
    // other, the inner one is the one that has stalled.
    void find_stalled(std::shared_ptr<trace_ring> const& ring, std::uint64_t now, position& seen,
        std::vector<culprit>& stalled)
    {
        if (std::none_of(stalled.begin(), stalled.end(),
                [&](culprit const& c) { return c.thread == ring->thread(); }))
            return;
        std::vector<trace_record> records;
        ring->all().copy_to(records);
        std::vector<traced_span> const spans = spans_of(records);
        for (auto s = spans.rbegin(); s != spans.rend() && !stalled.empty(); ++s)
        {
            trace_record const& began = records[s->begin];
            if (began.event != trace_event::consume)
                continue;
            std::uint64_t const ended = s->end == traced_span::none ? now : records[s->end].time;
            auto const reported = reported_as(stalled, *ring, began.time, ended);
            if (reported == stalled.end())
                continue;
            std::string name = names_.of(records, *s);
            if (name.empty())
                continue;
            stalled.erase(reported);
            if (seen.stalled.size() == most_stalled)
                seen.stalled.erase(seen.stalled.begin());
            seen.stalled.push_back(began.time);
            keep({culprit_kind::stalled, std::move(name), began.time, ended, ring->thread(), ring});
        }
    }

    static std::vector<culprit>::iterator reported_as(std::vector<culprit>& stalled,
        trace_ring const& ring, std::uint64_t began, std::uint64_t ended)
    {
        return std::find_if(stalled.begin(), stalled.end(),
            [&](culprit const& c) { return c.is_of(ring.thread(), began, ended); });
    }

    trace_limits const limits_;
    std::map<std::shared_ptr<trace_ring>, position> seen_;
    std::vector<culprit> found_;
    std::uint64_t left_out_ = 0;
    trace_names names_;
};

} // namespace asio_ewyk::detail

#endif
