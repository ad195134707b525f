// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_WRITER_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_WRITER_HPP

#include <asio_ewyk/detail/diagnostics/json_text.hpp>
#include <asio_ewyk/detail/diagnostics/trace_names.hpp>
#include <asio_ewyk/detail/diagnostics/trace_snapshot.hpp>
#include <asio_ewyk/detail/diagnostics/trace_text.hpp>
#include <asio_ewyk/detail/engine/trace_choice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <ios>
#include <iterator>
#include <locale>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace asio_ewyk::detail {

// Writes a trace as JSON in Chrome's trace event format, an event a line, one thread after another.
// Relations between events are left to the reader, who finds them by the addresses of tasks and
// contexts.
class trace_writer
{
public:
    trace_writer()
    {
        text_.imbue(std::locale::classic());
        text_.exceptions(std::ios::badbit);
    }

    // `more`: members of `otherData`, each with a comma before it. Throws std::bad_alloc.
    void write(std::ostream& out, trace_snapshot const& t, std::string_view more = {})
    {
        begin_ = t.begin;
        since_ = t.since;
        end_ = t.end;
        std::uint64_t dropped = since_ == 0 ? t.forgotten : 0;
        for (trace_lane const& l : t.lanes)
            dropped += dropped_of(l);
        text_ << R"({"displayTimeUnit": "ns",)" << '\n'
              << R"("otherData": {"dropped_events": )" << dropped
              << R"(, "threads_without_events": )" << t.without_ring << more << "},\n"
              << R"("traceEvents": [)" << '\n'
              << R"({"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "process_name", )"
              << R"("args": {"name": "asio_ewyk"}})";
        for (std::size_t i = 0; i != t.lanes.size(); ++i)
        {
            thread_ = i + 1;
            name_thread(t.lanes[i]);
            write(t.lanes[i].records);
            out << text_.str();
            text_.str({});
        }
        write_program_spans();
        out << text_.str() << "\n]}\n";
    }

private:
    // How an event is called, and what its subject is; an event without a name is not shown.
    struct kind
    {
        std::string_view name = {};
        std::string_view subject = {};
    };

    // A trace::span, which may begin on one thread and end on another.
    struct program_span
    {
        std::string name = {};
        std::size_t thread = 0; // 0: its beginning was overwritten
        std::uint64_t begin = 0;
        std::size_t end_thread = 0; // 0: it has not ended
        std::uint64_t end = 0;
    };

    static kind kind_of(trace_event e) noexcept
    {
        static constexpr kind kinds[] = {
            {}, {}, // a thread's life is as long as what it has recorded
            {"produce", "context"}, {}, {"wait"}, {}, {"round"}, {}, {"consume", "task"}, {},
            {"parked"}, {}, {"post", "task"}, {"switch", "task"}, {"chosen", "task"},
            {"hand-over", "context"}, {"hand-over failed", "context"}, {"taken over", "context"},
            {"given up", "context"}, {"superseded", "context"}, {"arrived", "context"},
            {"wake-up", "context"}, {}, {}, {}, {}}; // places and texts are parts of others
        static_assert(std::size(kinds) == static_cast<std::size_t>(trace_event::step));
        return kinds[static_cast<std::size_t>(e)];
    }

    // Where not all is wanted, those that are missing of what is, if any are: then all that were.
    std::uint64_t dropped_of(trace_lane const& l) const noexcept
    {
        return since_ != 0 && (l.records.empty() || l.records.front().time <= since_) ? 0
                                                                                      : l.dropped;
    }

    void name_thread(trace_lane const& l)
    {
        begin_line('M', begin_);
        text_ << R"(, "name": "thread_name", "args": {"name": )"
              << json_string(l.ring->name().empty() ? "thread" : l.ring->name())
              << R"(, "os_thread": )" << l.ring->thread()
              << R"(, "dropped_events": )" << dropped_of(l) << "}}";
    }

    void write(std::vector<trace_record> const& records)
    {
        std::vector<traced_span> const spans = spans_of(records);
        auto next = spans.begin();
        open_.clear();
        shown_ = 0;
        for (std::size_t i = 0; i != records.size(); ++i)
        {
            trace_record const& r = records[i];
            bool const wanted = r.time >= since_;
            if (r.event == trace_event::open_span)
                begin_program_span(records, i);
            else if (r.event == trace_event::close_span)
                end_program_span(r);
            else if (r.event >= trace_event::post)
            {
                if (wanted && !kind_of(r.event).name.empty())
                {
                    show_open();
                    write('i', r, kind_of(r.event).name);
                }
            }
            else if (static_cast<unsigned>(r.event) % 2 == 0)
            {
                open_.push_back({&r, name_of(records, *next++)});
                if (wanted)
                    show_open();
            }
            // Else it ends; not a span whose beginning was overwritten.
            else if (!open_.empty() && end_of(open_.back().began->event) == r.event)
            {
                if (wanted)
                    show_open();
                end_span(r.time);
            }
        }
        show_open();
        while (!open_.empty())
            end_span(end_);
    }

    // Empty for what is not shown: also a task that is no handler, by which a thread is asked to
    // produce.
    std::string name_of(std::vector<trace_record> const& records, traced_span const& s)
    {
        trace_event const e = records[s.begin].event;
        return e == trace_event::consume ? names_.of(records, s) : std::string(kind_of(e).name);
    }

    // Spans are held back until something in them is wanted.
    void show_open()
    {
        for (; shown_ < open_.size(); ++shown_)
            if (!open_[shown_].name.empty())
                write('B', *open_[shown_].began, open_[shown_].name);
    }

    void end_span(std::uint64_t time)
    {
        if (shown_ == open_.size())
        {
            --shown_;
            if (!open_.back().name.empty())
            {
                begin_line('E', time);
                text_ << '}';
            }
        }
        open_.pop_back();
    }

    void write(char phase, trace_record const& r, std::string_view name)
    {
        kind const what = kind_of(r.event);
        begin_line(phase, r.time);
        text_ << R"(, "cat": ")" << what.name << R"(", "name": )" << json_string(name);
        // The subject as dump() writes it.
        if (!what.subject.empty())
            text_ << R"(, "args": {")" << what.subject << R"(": "0x)" << std::hex
                  << reinterpret_cast<std::uintptr_t>(r.subject) << std::dec << '"';
        if (r.event == trace_event::choose)
        {
            static constexpr std::string_view names[] = {"PC", "PIC", "PEC", "EPC"};
            auto const choice = traced_choice::unpack(r.detail);
            text_ << R"(, "strategy": )" << json_string(to_string(choice.strategy))
                  << R"(, "as": ")" << names[static_cast<std::size_t>(choice.sub)]
                  << R"(", "on_lease": )" << (choice.leases ? "true" : "false");
        }
        if (r.event == trace_event::consume && r.detail != 0)
            text_ << R"(, "waited_us": )" << r.detail;
        if (r.event == trace_event::take_over)
            text_ << R"(, "late_os_thread": )" << r.detail;
        text_ << (what.subject.empty() ? "}" : "}}");
    }

    void begin_program_span(std::vector<trace_record> const& records, std::size_t i)
    {
        program_span& s = program_spans_[records[i].detail];
        s.name = trace_text::read(records, i);
        s.thread = thread_;
        s.begin = records[i].time;
    }

    void end_program_span(trace_record const& r)
    {
        program_span& s = program_spans_[r.detail];
        s.end_thread = thread_;
        s.end = r.time;
    }

    void write_program_spans()
    {
        for (auto& [number, s] : program_spans_)
        {
            if (s.thread == 0)
                continue;
            if (s.end_thread == 0)
            {
                s.end_thread = s.thread;
                s.end = end_;
            }
            if (s.end < since_)
                continue;
            for (char const phase : {'b', 'e'})
            {
                thread_ = phase == 'b' ? s.thread : s.end_thread;
                begin_line(phase, phase == 'b' ? s.begin : s.end);
                text_ << R"(, "cat": "span", "id": )" << number << R"(, "name": )"
                      << json_string(s.name) << '}';
            }
        }
    }

    // In microseconds since the trace began. An event that was under way then may be older.
    void begin_line(char phase, std::uint64_t time)
    {
        std::uint64_t const since = time - std::min(time, begin_);
        text_ << ",\n" << R"({"ph": ")" << phase << R"(", "pid": 1, "tid": )" << thread_
              << R"(, "ts": )" << since / 1000 << '.' << std::setw(3) << std::setfill('0')
              << since % 1000;
    }

    // A span of the thread whose records are written.
    struct open_span
    {
        trace_record const* began;
        std::string name;
    };

    std::uint64_t begin_ = 0; // of the trace, as the next
    std::uint64_t since_ = 0;
    std::uint64_t end_ = 0;
    std::size_t thread_ = 0; // whose records are written, as the next
    std::vector<open_span> open_;
    std::size_t shown_ = 0; // of open_, outer ones first
    trace_names names_;
    std::map<std::uint32_t, program_span> program_spans_; // by number
    std::ostringstream text_; // not written yet
};

} // namespace asio_ewyk::detail

#endif
