// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_WRITER_HPP
#define ASIO_EWYK_DETAIL_DIAGNOSTICS_TRACE_WRITER_HPP

#include <asio_ewyk/detail/diagnostics/handler_name.hpp>
#include <asio_ewyk/detail/diagnostics/json_text.hpp>
#include <asio_ewyk/detail/diagnostics/trace_log.hpp>
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

    // Throws std::bad_alloc.
    void write(std::ostream& out, trace_content const& log)
    {
        begin_ = log.begin;
        std::uint64_t dropped = log.forgotten;
        std::vector<lane> lanes(log.all.size());
        for (std::size_t i = 0; i != lanes.size(); ++i)
        {
            lanes[i].dropped = log.all[i]->copy_to(lanes[i].records);
            dropped += lanes[i].dropped;
            if (!lanes[i].records.empty())
                end_ = std::max(end_, lanes[i].records.back().time);
        }
        text_ << R"({"displayTimeUnit": "ns",)" << '\n'
              << R"("otherData": {"dropped_events": )" << dropped
              << R"(, "threads_without_events": )" << log.without_ring << "},\n"
              << R"("traceEvents": [)" << '\n'
              << R"({"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "process_name", )"
              << R"("args": {"name": "asio_ewyk"}})";
        for (std::size_t i = 0; i != lanes.size(); ++i)
        {
            thread_ = i + 1;
            name_thread(*log.all[i], lanes[i].dropped);
            write(lanes[i].records);
            out << text_.str();
            text_.str({});
        }
        out << text_.str() << "\n]}\n";
    }

private:
    // What one thread has recorded.
    struct lane
    {
        std::vector<trace_record> records;
        std::uint64_t dropped = 0;
    };

    // How an event is called, and what its subject is; an event without a name is not shown.
    struct kind
    {
        std::string_view name = {};
        std::string_view subject = {};
    };

    static kind kind_of(trace_event e) noexcept
    {
        static constexpr kind kinds[] = {
            {}, {}, // a thread's life is as long as what it has recorded
            {"produce", "context"}, {}, {"wait"}, {}, {"round"}, {}, {"consume", "task"}, {},
            {"parked"}, {}, {"post", "task"}, {"switch", "task"}, {"chosen", "task"},
            {"hand-over", "context"}, {"hand-over failed", "context"}, {"taken over", "context"},
            {"given up", "context"}, {"superseded", "context"}, {"arrived", "context"},
            {"wake-up", "context"}};
        static_assert(std::size(kinds) == static_cast<std::size_t>(trace_event::step));
        return kinds[static_cast<std::size_t>(e)];
    }

    void name_thread(trace_ring const& ring, std::uint64_t dropped)
    {
        begin_line('M', begin_);
        text_ << R"(, "name": "thread_name", "args": {"name": )"
              << json_string(ring.name().empty() ? "thread" : ring.name())
              << R"(, "os_thread": )" << ring.thread()
              << R"(, "dropped_events": )" << dropped << "}}";
    }

    void write(std::vector<trace_record> const& records)
    {
        std::vector<trace_record const*> open;
        for (trace_record const& r : records)
        {
            if (r.event >= trace_event::post)
                write('i', r);
            else if (static_cast<unsigned>(r.event) % 2 == 0)
            {
                open.push_back(&r);
                if (!name_of(r).empty())
                    write('B', r);
            }
            // Else it ends; not a span whose beginning was overwritten.
            else if (!open.empty() && end_of(open.back()->event) == r.event)
            {
                end_span(*open.back(), r.time);
                open.pop_back();
            }
        }
        for (; !open.empty(); open.pop_back())
            end_span(*open.back(), end_);
    }

    // Empty for what is not shown: also a task that is no handler, by which a thread is asked to
    // produce.
    std::string_view name_of(trace_record const& r)
    {
        if (r.event != trace_event::consume)
            return kind_of(r.event).name;
        auto const [found, is_new] = handlers_.try_emplace(r.what);
        if (is_new)
            found->second = handler_name(r.what);
        return found->second;
    }

    void write(char phase, trace_record const& r)
    {
        kind const what = kind_of(r.event);
        begin_line(phase, r.time);
        text_ << R"(, "cat": ")" << what.name << R"(", "name": )" << json_string(name_of(r));
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
        if (r.event == trace_event::take_over)
            text_ << R"(, "late_os_thread": )" << r.detail;
        text_ << (what.subject.empty() ? "}" : "}}");
    }

    void end_span(trace_record const& began, std::uint64_t time)
    {
        if (name_of(began).empty())
            return;
        begin_line('E', time);
        text_ << '}';
    }

    // In microseconds since the trace began. An event that was under way then may be older.
    void begin_line(char phase, std::uint64_t time)
    {
        std::uint64_t const since = time - std::min(time, begin_);
        text_ << ",\n" << R"({"ph": ")" << phase << R"(", "pid": 1, "tid": )" << thread_
              << R"(, "ts": )" << since / 1000 << '.' << std::setw(3) << std::setfill('0')
              << since % 1000;
    }

    std::uint64_t begin_ = 0; // of the trace, as the next
    std::uint64_t end_ = 0;
    std::size_t thread_ = 0; // whose records are written
    std::map<task_action, std::string> handlers_; // their names
    std::ostringstream text_; // not written yet
};

} // namespace asio_ewyk::detail

#endif
