// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Reads what trace::write() has written.

#ifndef ASIO_EWYK_TEST_UNIT_TRACE_SUPPORT_HPP
#define ASIO_EWYK_TEST_UNIT_TRACE_SUPPORT_HPP

#include "../support.hpp"
#include <asio_ewyk/diagnostics/trace.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace support {

struct trace_event
{
    char phase;
    std::int64_t thread;
    double time;
    std::string name;
    std::string category;
    std::string task;       // its address, as is the next
    std::string context;
    std::string as;         // the sub-strategy
    bool on_lease = false;
    std::int64_t late = 0;  // the system's number of the thread that is late
};

struct written_trace
{
    std::vector<trace_event> events; // without metadata
    std::map<std::int64_t, std::string> threads;
    std::map<std::int64_t, std::int64_t> os_threads; // by the system's number
    std::int64_t dropped = 0;
    std::int64_t threads_without_events = 0;

    std::size_t count(char phase, std::string const& category) const
    {
        return static_cast<std::size_t>(
            std::count_if(events.begin(), events.end(), [&](trace_event const& e) {
                return e.phase == phase && e.category == category;
            }));
    }
};

/// Throws if it is no JSON, or does not have what each event must have.
inline written_trace read_trace(std::string const& text)
{
    namespace json = boost::json;
    json::value const parsed = json::parse(text);
    json::object const& whole = parsed.as_object();
    written_trace result;
    json::object const& other = whole.at("otherData").as_object();
    result.dropped = other.at("dropped_events").to_number<std::int64_t>();
    result.threads_without_events = other.at("threads_without_events").to_number<std::int64_t>();
    for (json::value const& v : whole.at("traceEvents").as_array())
    {
        json::object const& e = v.as_object();
        auto const string = [](json::object const& in, char const* key) {
            json::value const* const found = in.if_contains(key);
            return found ? std::string(found->as_string()) : std::string();
        };
        trace_event event{e.at("ph").as_string().at(0), e.at("tid").to_number<std::int64_t>(),
            e.at("ts").to_number<double>(), string(e, "name"), string(e, "cat"), {}, {}, {}};
        static_cast<void>(e.at("pid").to_number<std::int64_t>());
        if (event.phase == 'M')
        {
            json::object const& args = e.at("args").as_object();
            if (event.name == "thread_name")
            {
                result.threads[event.thread] = string(args, "name");
                result.os_threads[args.at("os_thread").to_number<std::int64_t>()] = event.thread;
            }
            continue;
        }
        if (json::value const* const found = e.if_contains("args"))
        {
            json::object const& args = found->as_object();
            event.task = string(args, "task");
            event.context = string(args, "context");
            event.as = string(args, "as");
            if (json::value const* const lease = args.if_contains("on_lease"))
                event.on_lease = lease->as_bool();
            if (json::value const* const late = args.if_contains("late_os_thread"))
                event.late = late->to_number<std::int64_t>();
        }
        result.events.push_back(event);
    }
    return result;
}

inline written_trace write_and_read()
{
    std::ostringstream out;
    asio_ewyk::trace::write(out);
    return read_trace(out.str());
}

/// What holds for each trace: on each thread time goes forward, and each span ends after all that
/// have begun in it.
inline void check(written_trace const& t)
{
    std::map<std::int64_t, std::size_t> open;
    std::map<std::int64_t, double> time;
    for (trace_event const& e : t.events)
    {
        BOOST_TEST(e.time >= time[e.thread]);
        time[e.thread] = e.time;
        if (e.phase == 'E')
        {
            BOOST_TEST_REQUIRE(open[e.thread] != 0u);
            --open[e.thread];
            continue;
        }
        BOOST_TEST((e.phase == 'B' || e.phase == 'i'));
        BOOST_TEST(!e.name.empty());
        BOOST_TEST(!e.category.empty());
        if (e.phase == 'B')
            ++open[e.thread];
    }
    for (auto const& [thread, n] : open)
        BOOST_TEST(n == 0u);
}

}

#endif
