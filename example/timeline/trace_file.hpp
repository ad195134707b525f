// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TIMELINE_TRACE_FILE_HPP
#define ASIO_EWYK_EXAMPLE_TIMELINE_TRACE_FILE_HPP

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <istream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace timeline {

namespace json = boost::json;

/// What a thread did from then to then; times are milliseconds since the trace began.
struct span
{
    std::string kind; ///< "produce", "consume" and so on
    std::string name;
    double begin = 0;
    double end = 0;
};

/// A thread.
struct lane
{
    std::string name;
    std::vector<span> spans; ///< outer ones first
};

/// From what one thread did to what it caused.
struct arrow
{
    struct place
    {
        std::size_t lane = 0;
        double time = 0;
    };
    std::string kind;
    place from;
    place to;
};

/// What a file of the flight recorder was written for.
struct culprit
{
    std::string kind; ///< "ran", "queued" or "stalled"
    std::string name;
    double begin = 0;
    double end = 0;
    std::optional<std::size_t> lane = {};
};

/// A recorded trace.
struct trace
{
    std::vector<lane> lanes; ///< those of the program's own spans come first
    std::vector<arrow> arrows;
    std::vector<culprit> culprits; ///< the worst first; most traces have none
    std::int64_t dropped = 0;
};

/// What asio_ewyk::trace::write() has written. Throws std::runtime_error, which says what is wrong.
class trace_file
{
public:
    static trace read(std::istream& in)
    {
        std::string const text(std::istreambuf_iterator<char>(in), {});
        boost::system::error_code error;
        json::value const file = json::parse(text, error);
        if (error)
            throw std::runtime_error("it is no JSON: " + error.message());
        trace_file reader;
        try
        {
            json::object const& all = file.as_object();
            for (json::value const& e : all.at("traceEvents").as_array())
                reader.event(e.as_object());
            if (json::value const* const other = all.if_contains("otherData"))
                reader.other(other->as_object());
        }
        catch (std::runtime_error const&)
        {
            throw;
        }
        catch (std::exception const& e)
        {
            throw std::runtime_error(std::string("it is no trace of asio_ewyk: ") + e.what());
        }
        return reader.finish();
    }

private:
    void other(json::object const& o)
    {
        if (json::value const* const n = o.if_contains("dropped_events"))
            result_.dropped = n->to_number<std::int64_t>();
        json::value const* const culprits = o.if_contains("culprits");
        if (!culprits)
            return;
        for (json::value const& v : culprits->as_array())
        {
            json::object const& c = v.as_object();
            culprit& to = result_.culprits.emplace_back();
            to.kind = string(c.at("kind"));
            to.name = string(c.at("name"));
            to.begin = c.at("ts").to_number<double>() / 1000;
            to.end = c.at("end_ts").to_number<double>() / 1000;
            if (json::value const* const thread = c.if_contains("tid"))
                to.lane = lane_of(thread->to_number<std::int64_t>());
        }
    }

    void event(json::object const& e)
    {
        std::string_view const phase = e.at("ph").as_string();
        std::size_t const l = lane_of(e.at("tid").to_number<std::int64_t>());
        lane& on = result_.lanes[l];
        if (phase == "M")
            return metadata(e, on);
        double const time = e.at("ts").to_number<double>() / 1000;
        if (phase == "B")
        {
            open_[l].push_back(on.spans.size());
            on.spans.push_back({string(e.at("cat")), string(e.at("name")), time, time});
        }
        else if (phase == "E")
        {
            if (open_[l].empty())
                throw std::runtime_error("it is damaged: a span ends that has not begun");
            on.spans[open_[l].back()].end = time;
            open_[l].pop_back();
        }
        else if (phase == "b")
            program_spans_[e.at("id").to_number<std::int64_t>()]
                = {"span", string(e.at("name")), time, time};
        else if (phase == "e")
            program_spans_[e.at("id").to_number<std::int64_t>()].end = time;
        if (phase == "B" || phase == "i")
            if (json::value const* const found = e.if_contains("args"))
                moment(string(e.at("cat")), {l, time}, found->as_object());
    }

    void moment(std::string kind, arrow::place at, json::object const& args)
    {
        char const* const subject = args.contains("task") ? "task" : "context";
        std::int64_t late = 0;
        if (json::value const* const thread = args.if_contains("late_os_thread"))
            late = thread->to_number<std::int64_t>();
        moments_.push_back({std::move(kind), at, string(args.at(subject)), late});
    }

    void metadata(json::object const& e, lane& on)
    {
        std::string_view const what = e.at("name").as_string();
        json::object const& args = e.at("args").as_object();
        if (what != "thread_name")
            return;
        on.name = string(args.at("name"));
        // A number may be that of several threads, one after another.
        os_threads_[args.at("os_thread").to_number<std::int64_t>()].push_back(
            static_cast<std::size_t>(&on - result_.lanes.data()));
    }

    static std::string string(json::value const& v) { return std::string(v.as_string()); }

    std::size_t lane_of(std::int64_t thread)
    {
        auto const [found, is_new] = lanes_.emplace(thread, result_.lanes.size());
        if (is_new)
        {
            result_.lanes.emplace_back().name = "thread " + std::to_string(thread);
            open_.emplace_back();
        }
        return found->second;
    }

    trace finish()
    {
        for (auto const& open : open_)
            if (!open.empty())
                throw std::runtime_error("it is damaged: a span has no end");
        draw_arrows();
        add_program_spans();
        return std::move(result_);
    }

    // Each in the first lane that is free then. They belong to no thread.
    void add_program_spans()
    {
        std::vector<span> all;
        for (auto& [id, s] : program_spans_)
            all.push_back(std::move(s));
        std::sort(all.begin(), all.end(),
            [](span const& a, span const& b) { return a.begin < b.begin; });
        std::vector<lane> lanes;
        for (span& s : all)
        {
            auto free = std::find_if(lanes.begin(), lanes.end(),
                [&](lane const& l) { return l.spans.back().end <= s.begin; });
            if (free == lanes.end())
                free = lanes.insert(free, lane{"spans", {}});
            free->spans.push_back(std::move(s));
        }
        result_.lanes.insert(result_.lanes.begin(), lanes.begin(), lanes.end());
        for (arrow& a : result_.arrows)
        {
            a.from.lane += lanes.size();
            a.to.lane += lanes.size();
        }
        for (culprit& c : result_.culprits)
            if (c.lane)
                *c.lane += lanes.size();
    }

    // A task keeps its address until its run has begun; only then another may have it. So its post
    // and the thread that gave it away are the last ones before.
    void draw_arrows()
    {
        std::stable_sort(moments_.begin(), moments_.end(),
            [](event_of const& a, event_of const& b) { return a.at.time < b.at.time; });
        std::map<std::string, arrow::place> posted, given, produced;
        for (event_of const& m : moments_)
        {
            if (m.kind == "post")
                posted[m.subject] = m.at;
            else if (m.kind == "switch")
                given[m.subject] = m.at;
            else if (m.kind == "consume")
            {
                connect(posted, m, "post");
                connect(given, m, "switch");
            }
            else if (m.kind == "hand-over" || m.kind == "given up")
                produced[m.subject] = m.at;
            else if (m.kind == "taken over")
                produced[m.subject] = {late_lane(m), m.at.time};
            else if (m.kind == "hand-over failed")
                produced.erase(m.subject);
            else if (m.kind == "arrived")
                connect(produced, m, "hand-over");
        }
    }

    struct event_of
    {
        std::string kind;
        arrow::place at;
        std::string subject; // the address of a task or of a context
        std::int64_t late;   // the system's number of the thread that was late
    };

    void connect(
        std::map<std::string, arrow::place>& from, event_of const& to, char const* kind)
    {
        auto const found = from.find(to.subject);
        if (found == from.end())
            return;
        result_.arrows.push_back({kind, found->second, to.at});
        from.erase(found);
    }

    // The lane of the thread that was late, if it is known: the last that had begun by then.
    std::size_t late_lane(event_of const& m) const
    {
        std::size_t found = m.at.lane;
        if (auto const lanes = os_threads_.find(m.late); m.late != 0 && lanes != os_threads_.end())
            for (std::size_t const l : lanes->second)
                if (auto const& spans = result_.lanes[l].spans;
                    !spans.empty() && spans.front().begin <= m.at.time)
                    found = l;
        return found;
    }

    trace result_;
    std::map<std::int64_t, std::size_t> lanes_; // by thread
    std::vector<std::vector<std::size_t>> open_; // by lane
    std::vector<event_of> moments_;
    std::map<std::int64_t, span> program_spans_; // by their numbers
    std::map<std::int64_t, std::vector<std::size_t>> os_threads_; // lanes, by the system's number
};

}

#endif
