// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_WRITER_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_WRITER_HPP

#include <asio_ewyk/detail/diagnostics/json_text.hpp>
#include <asio_ewyk/detail/diagnostics/trace_flows.hpp>

#include <boost/core/typeinfo.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace asio_ewyk::detail {

// A trace as JSON in Chrome's trace event format: one event a line.
class trace_writer
{
public:
    // Throws std::bad_alloc.
    explicit trace_writer(trace_content const& log)
        : without_ring_(log.without_ring)
        , lanes_(lanes_of(log))
        , dropped_(log.forgotten)
    {
        trace_flows(lanes_).find();
        for (trace_lane const& lane : lanes_)
        {
            dropped_ += lane.dropped;
            if (!lane.events.empty())
                end_ = std::max(end_, lane.events.back().time);
        }
    }

    void write(std::ostream& out)
    {
        text_ = "{\"displayTimeUnit\": \"ns\",\n\"otherData\": {";
        number("\"dropped_events\": ", dropped_);
        number(", \"threads_without_events\": ", without_ring_);
        text_ += "},\n\"traceEvents\": [\n";
        begin('M', 0, 0);
        text_ += ", \"name\": \"process_name\", \"args\": {\"name\": \"asio_ewyk\"}}";
        for (std::size_t l = 0; l != lanes_.size(); ++l)
        {
            lane(l);
            flush(out);
        }
        text_ += "\n]}\n";
        flush(out);
    }

private:
    using entry = trace_lane::entry;

    void flush(std::ostream& out)
    {
        out.write(text_.data(), static_cast<std::streamsize>(text_.size()));
        text_.clear();
    }

    void lane(std::size_t l)
    {
        trace_lane const& lane = lanes_[l];
        std::vector<entry const*> open;
        metadata(l, "thread_name", "name", lane.name.empty() ? std::string("thread") : lane.name);
        metadata(l, "thread_sort_index", "sort_index", l);
        metadata(l, "dropped_events", "dropped_events", lane.dropped);
        if (lane.thread != thread_id{})
            metadata(l, "os_thread", "id", lane.thread);
        for (entry const& e : lane.events)
        {
            if (is_begin(e.event))
            {
                open.push_back(&e);
                arrows_in(l, e);
                if (is_shown(e))
                    begin_span(l, e);
            }
            else if (is_end(e.event))
            {
                // The end of a span whose beginning was not recorded, or was overwritten.
                if (open.empty() || end_of(open.back()->event) != e.event)
                    continue;
                end_span(l, *open.back(), e.time);
                open.pop_back();
            }
            else
                moment(l, e, std::any_of(open.begin(), open.end(), [](entry const* o) {
                    return is_shown(*o);
                }));
        }
        for (; !open.empty(); open.pop_back())
            end_span(l, *open.back(), end_);
    }

    static bool is_begin(trace_event e) noexcept
    {
        return e < trace_event::post && static_cast<unsigned>(e) % 2 == 0;
    }
    static bool is_end(trace_event e) noexcept
    {
        return e < trace_event::post && static_cast<unsigned>(e) % 2 != 0;
    }

    // A thread's life is as long as its lane. A request to produce is not a handler.
    static bool is_shown(entry const& e)
    {
        return e.event != trace_event::thread
            && (e.event != trace_event::consume || handler_of(e) != nullptr);
    }

    // In the order of trace_event, and of what else is named; empty: not shown.
    static std::string_view category(trace_event e) noexcept
    {
        static constexpr std::string_view names[] = {"", "", "produce", "", "wait", "", "round",
            "", "consume", "", "parked", "", "post", "give", "", "hand-over",
            "hand-over failed", "taken over", "given up", "superseded", "", "wake-up"};
        static_assert(std::size(names) == static_cast<std::size_t>(trace_event::step));
        return names[static_cast<std::size_t>(e)];
    }

    static std::string_view category(trace_lane::flow f) noexcept
    {
        static constexpr std::string_view names[] = {"post", "switch", "hand-over"};
        return names[static_cast<std::size_t>(f)];
    }

    static std::string_view name(sub_strategy s) noexcept
    {
        static constexpr std::string_view names[] = {"PC", "PIC", "PEC", "EPC"};
        return names[static_cast<std::size_t>(s)];
    }

    std::string const& type_of(entry const& e)
    {
        std::string& name = types_[e.what];
        if (name.empty())
            name = boost::core::demangled_name(*handler_of(e));
        return name;
    }

    void begin_span(std::size_t l, entry const& e)
    {
        begin('B', l, e.time, category(e.event),
            e.event == trace_event::consume ? type_of(e) : category(e.event));
        if (e.choice)
        {
            text_ += ", \"args\": {\"strategy\": ";
            append_json(text_, to_string(e.choice->strategy));
            word("as", name(e.choice->sub));
            text_ += e.choice->leases ? ", \"on_lease\": true}" : ", \"on_lease\": false}";
        }
        else if (e.subject && e.event == trace_event::produce)
            context(e);
        text_ += '}';
    }

    void end_span(std::size_t l, entry const& began, std::uint64_t time)
    {
        if (!is_shown(began))
            return;
        begin('E', l, time);
        text_ += '}';
    }

    // An arrow begins inside of a span, so there must be one.
    void moment(std::size_t l, entry const& e, bool inside)
    {
        if (category(e.event).empty())
            return;
        bool const arrow = e.out.id != 0;
        if (arrow && !inside)
        {
            begin('B', l, e.time, category(e.event));
            text_ += '}';
        }
        arrows_in(l, e);
        if (arrow)
            arrow_end('s', l, e.time, e.out);
        if (arrow && !inside)
        {
            begin('E', l, e.time);
            text_ += '}';
        }
        if (arrow || e.event == trace_event::post || e.event == trace_event::give)
            return;
        begin('i', l, e.time, category(e.event));
        text_ += ", \"s\": \"t\"";
        if (e.subject)
            context(e);
        text_ += '}';
    }

    // Arrows end at the next span that the thread begins.
    void arrows_in(std::size_t l, entry const& e)
    {
        for (auto const& in : e.in)
            if (in.id != 0)
            {
                if (e.taken_from && in.kind == trace_lane::flow::hand_over)
                    arrow_end('s', e.taken_from->lane, e.taken_from->time, in);
                arrow_end('f', l, e.time, in);
            }
    }

    void arrow_end(char phase, std::size_t l, std::uint64_t time, trace_lane::end_of_flow const& f)
    {
        begin(phase, l, time, category(f.kind));
        number(", \"id\": ", f.id);
        text_ += '}';
    }

    // The engine that it produces for, as a number.
    void context(entry const& e)
    {
        auto const n = contexts_.emplace(e.subject, contexts_.size() + 1).first->second;
        number(", \"args\": {\"context\": ", n);
        text_ += '}';
    }

    void metadata(std::size_t l, std::string_view name, std::string_view key, auto const& is)
    {
        begin('M', l, 0);
        word("name", name);
        text_.append(", \"args\": {\"").append(key).append("\": ");
        if constexpr (std::is_integral_v<std::decay_t<decltype(is)>>)
            text_ += std::to_string(is);
        else
            append_json(text_, is);
        text_ += "}}";
    }

    // In microseconds.
    void begin(char phase, std::size_t l, std::uint64_t time)
    {
        text_ += first_ ? "" : ",\n";
        first_ = false;
        text_.append("{\"ph\": \"").append(1, phase).append("\", \"pid\": 1, \"tid\": ");
        text_ += std::to_string(l + 1);
        number(", \"ts\": ", time / 1000);
        std::string const rest = std::to_string(time % 1000);
        text_.append(".").append(3 - rest.size(), '0').append(rest);
    }

    void begin(char phase, std::size_t l, std::uint64_t time, std::string_view category,
        std::string_view name)
    {
        begin(phase, l, time);
        word("name", name);
        word("cat", category);
    }

    void begin(char phase, std::size_t l, std::uint64_t time, std::string_view category)
    {
        begin(phase, l, time, category, category);
    }

    void word(std::string_view key, std::string_view is)
    {
        text_.append(", \"").append(key).append("\": ");
        append_json(text_, is);
    }

    void number(std::string_view before, std::uint64_t n)
    {
        text_.append(before).append(std::to_string(n));
    }

    std::size_t const without_ring_;
    std::vector<trace_lane> lanes_;
    std::uint64_t dropped_;
    std::uint64_t end_ = 0; // of the trace
    std::map<task_action, std::string> types_;
    std::map<void const*, std::size_t> contexts_;
    std::string text_; // not written yet
    bool first_ = true;
};

} // namespace asio_ewyk::detail

#endif
