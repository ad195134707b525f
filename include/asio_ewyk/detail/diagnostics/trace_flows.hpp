// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_FLOWS_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_FLOWS_HPP

#include <asio_ewyk/detail/diagnostics/trace_log.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace asio_ewyk::detail {

// What one thread has recorded, and what trace_flows finds out from it.
struct trace_lane
{
    // An arrow from what one thread did to what it caused, perhaps on another one.
    enum class flow : std::uint8_t
    {
        post,      // from where a task was submitted, or its operation completed, to where it runs
        give,      // from the thread that gave a task away to the one that runs it
        hand_over, // of the right to produce
    };

    struct end_of_flow
    {
        flow kind;
        std::uint64_t id; // 0: none
    };

    // The thread from which the right to produce was taken, and when.
    struct late_place
    {
        std::size_t lane;
        std::uint64_t time;
    };

    struct entry : trace_record
    {
        std::array<end_of_flow, 2> in{};
        end_of_flow out{};
        std::optional<late_place> taken_from; // where its hand_over begins, if on another thread
        std::optional<traced_choice> choice;
    };

    std::vector<entry> events; // their times are since the beginning
    std::uint64_t dropped = 0;
    std::string name;
    thread_id thread{};
};

// The type of handler that is consumed; null if it is none.
inline boost::core::typeinfo const* handler_of(trace_record const& r)
{
    return r.what ? r.what(nullptr, task_purpose::describe) : nullptr;
}

// The lanes of a trace.
inline std::vector<trace_lane> lanes_of(trace_content const& log)
{
    std::vector<trace_lane> lanes;
    std::vector<trace_record> records;
    for (auto const& ring : log.all)
    {
        trace_lane& lane = lanes.emplace_back();
        lane.name = ring->name();
        lane.thread = ring->thread();
        lane.dropped = ring->copy_to(records);
        for (trace_record& r : records)
        {
            // An event that was under way may be older than the trace.
            r.time -= std::min(r.time, log.begin);
            lane.events.push_back({r, {}, {}, {}, {}});
        }
    }
    return lanes;
}

// Finds out which events belong together, by their order: a task keeps its address from before it
// is posted until its run has begun; only then can another task have that address.
class trace_flows
{
public:
    explicit trace_flows(std::vector<trace_lane>& lanes)
        : lanes_(lanes)
    {
    }

    void find()
    {
        for (auto const& at : in_order())
            visit(at);
    }

private:
    using flow = trace_lane::flow;
    using place = std::pair<std::size_t, std::size_t>; // a lane, and an event there

    trace_lane::entry& entry(place at) { return lanes_[at.first].events[at.second]; }

    std::vector<place> in_order()
    {
        std::vector<place> all;
        for (std::size_t l = 0; l != lanes_.size(); ++l)
            for (std::size_t i = 0; i != lanes_[l].events.size(); ++i)
                all.emplace_back(l, i);
        std::stable_sort(all.begin(), all.end(),
            [this](place a, place b) { return entry(a).time < entry(b).time; });
        return all;
    }

    void visit(place at)
    {
        trace_lane::entry& e = entry(at);
        switch (e.event)
        {
        case trace_event::post:
            posted_[e.subject] = at;
            break;
        case trace_event::give:
            given_[e.subject] = at;
            break;
        case trace_event::release:
            forget_late(e.subject);
            handed_over_[e.subject] = at;
            break;
        case trace_event::choose:
            chosen_[{e.subject, e.subject ? 0 : at.first}] = e.detail;
            break;
        case trace_event::consume:
            consume(at, e);
            break;
        case trace_event::hand_over:
            forget_late(e.subject);
            break;
        case trace_event::take_over:
            forget_late(e.subject);
            if (auto const lane = lane_of(static_cast<thread_id>(e.detail), e.time))
                taken_[e.subject] = {*lane, e.time};
            break;
        default:
            break;
        }
    }

    void consume(place at, trace_lane::entry& e)
    {
        if (e.subject)
            connect(posted_, e.subject, flow::post, e, 0);
        if (handler_of(e))
        {
            if (e.subject)
                connect(given_, e.subject, flow::give, e, 1);
            auto const choice = chosen_.find({e.subject, e.subject ? 0 : at.first});
            if (choice != chosen_.end())
            {
                e.choice = traced_choice::unpack(choice->second);
                chosen_.erase(choice);
            }
        }
        else
            arrive(at, e);
    }

    // A thread comes to produce: an arrow from the late thread, or else from the one that asked.
    void arrive(place at, trace_lane::entry& e)
    {
        auto const& events = lanes_[at.first].events;
        void const* const whose
            = at.second + 1 < events.size() && events[at.second + 1].event == trace_event::arrive
            ? events[at.second + 1].subject
            : nullptr;
        if (auto const late = taken_.find(whose); late != taken_.end())
        {
            e.taken_from = late->second;
            e.in[1] = {flow::hand_over, ++last_id_};
        }
        else
            connect(handed_over_, whose, flow::hand_over, e, 1);
        if (e.in[1].id == 0)
            connect(given_, e.subject, flow::hand_over, e, 1);
        given_.erase(e.subject);
        forget_late(whose);
    }

    // The right is no longer the one taken from the late thread.
    void forget_late(void const* whose)
    {
        taken_.erase(whose);
        handed_over_.erase(whose);
    }

    void connect(std::map<void const*, place>& sources, void const* subject, flow kind,
        trace_lane::entry& to, std::size_t which)
    {
        auto const from = sources.find(subject);
        if (from == sources.end())
            return;
        to.in[which] = entry(from->second).out = {kind, ++last_id_};
        sources.erase(from);
    }

    // The lane of the thread that had that number at that time.
    std::optional<std::size_t> lane_of(thread_id thread, std::uint64_t time) const
    {
        std::optional<std::size_t> found;
        for (std::size_t l = 0; l != lanes_.size(); ++l)
            if (thread != thread_id{} && lanes_[l].thread == thread && !lanes_[l].events.empty()
                && lanes_[l].events.front().time <= time)
                found = l;
        return found;
    }

    std::vector<trace_lane>& lanes_;
    std::uint64_t last_id_ = 0;
    std::map<void const*, place> posted_;
    std::map<void const*, place> given_;
    std::map<void const*, place> handed_over_; // by the engine, as is the next
    std::map<void const*, trace_lane::late_place> taken_;
    std::map<std::pair<void const*, std::size_t>, std::uint32_t> chosen_; // by task, or by lane
};

} // namespace asio_ewyk::detail

#endif
