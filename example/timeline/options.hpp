// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TIMELINE_OPTIONS_HPP
#define ASIO_EWYK_EXAMPLE_TIMELINE_OPTIONS_HPP

#include <boost/program_options.hpp>

#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace timeline {

/// The command line makes no sense. what() is one line that says why.
struct usage_error : std::runtime_error
{
    using runtime_error::runtime_error;
};

/// The command line, read and checked.
struct options
{
    std::string trace;
    std::string output; ///< empty: stdout
    std::string title;
    /// Milliseconds since the trace began; else what is around the culprit, or all that happened.
    std::optional<double> from;
    std::optional<double> to;
    int width = 900;
    bool posts = false;
    bool done = false;
    bool all_threads = false;
    bool help = false;
};

inline boost::program_options::options_description described(options& o)
{
    namespace po = boost::program_options;
    po::options_description d(
        "Draws a trace of asio_ewyk as an SVG: a lane for each thread, time to the right.\n\n"
        "usage: ewyk_timeline [options] TRACE\n\noptions");
    auto const number = [](std::optional<double>& to) {
        return po::value<double>()->notifier([&to](double v) { to = v; })->value_name("MS");
    };
    d.add_options()
        ("output,o", po::value(&o.output)->value_name("FILE"), "where to; default: stdout")
        ("title", po::value(&o.title)->value_name("TEXT"), "default: the name of the trace")
        ("from", number(o.from),
            "milliseconds of the trace; default: the first task, or in a file of the flight "
            "recorder shortly before the culprit")
        ("to", number(o.to),
            "likewise; default: the end of the last task, or shortly after the culprit")
        ("width", po::value(&o.width)->value_name("PIXELS"), "400 to 20000; default: 900")
        ("posts", po::bool_switch(&o.posts), "also arrows from where tasks were posted")
        ("done", po::bool_switch(&o.done), "also a line where the last task has ended")
        ("all-threads", po::bool_switch(&o.all_threads), "also threads that only posted")
        ("help,h", po::bool_switch(&o.help), "show this");
    return d;
}

/// Throws usage_error.
inline options parse_options(int argc, char const* const* argv)
{
    namespace po = boost::program_options;
    options o;
    auto visible = described(o);
    po::options_description all;
    all.add(visible).add_options()("trace", po::value(&o.trace));
    po::positional_options_description positions;
    positions.add("trace", 1);
    try
    {
        po::variables_map values;
        po::store(po::command_line_parser(argc, argv).options(all).positional(positions).run(),
            values);
        po::notify(values);
    }
    catch (po::error const& e)
    {
        throw usage_error(e.what());
    }
    if (o.help)
        return o;
    if (o.trace.empty())
        throw usage_error("which trace?");
    if (o.width < 400 || o.width > 20'000)
        throw usage_error("--width must be 400 to 20000");
    if (o.from && o.to && !(*o.from < *o.to))
        throw usage_error("--from must be less than --to");
    if (o.title.empty())
        o.title = o.trace;
    return o;
}

}

#endif
