// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_TOP_OPTIONS_HPP
#define ASIO_EWYK_EXAMPLE_TOP_OPTIONS_HPP

#include "view.hpp"

#include <boost/program_options.hpp>

#include <chrono>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace top {

/// The command line makes no sense. what() is one line that says why.
struct usage_error : std::runtime_error
{
    using runtime_error::runtime_error;
};

/// The command line, read and checked.
struct options
{
    std::string host;
    std::string port;
    std::string path;
    std::chrono::nanoseconds interval{};
    long count = 0;    ///< 0: until the end
    site_order sort = site_order::ran;
    bool help = false;
};

namespace detail {

inline boost::program_options::options_description describe()
{
    namespace po = boost::program_options;
    po::options_description text("Options", 100, 70);
    text.add_options()
        ("host", po::value<std::string>()->default_value("127.0.0.1"), "the server")
        ("port,p", po::value<long>()->default_value(8080), "the server's port")
        ("path", po::value<std::string>()->default_value("/metrics"), "where its metrics are")
        ("interval,i", po::value<double>()->default_value(1, "1"), "seconds between two looks")
        ("count,n", po::value<long>()->default_value(0), "how often to show something; 0: always")
        ("once", "the same as --count 1")
        ("sort,s", po::value<std::string>()->default_value("ran"),
            "sites by the time that their handlers `ran`, `waited` or `blocked`, or the number of "
            "`handlers`")
        ("help,h", "show this text");
    return text;
}

template <class T>
T checked(char const* name, T value, T low, T high)
{
    if (value >= low && value <= high)    // false for a NaN, too
        return value;
    std::ostringstream what;
    what << "--" << name << " must be from " << low << " to " << high << ", not " << value;
    throw usage_error(what.str());
}

}

namespace detail {

inline site_order order_of(std::string const& name)
{
    if (name == "ran")
        return site_order::ran;
    if (name == "waited")
        return site_order::waited;
    if (name == "blocked")
        return site_order::blocked;
    if (name == "handlers")
        return site_order::handlers;
    throw usage_error("--sort must be ran, waited, blocked or handlers, not '" + name + "'");
}

}

/// Reads the command line. Throws usage_error.
inline options parse_options(int argc, char const* const* argv)
{
    namespace po = boost::program_options;
    try
    {
        po::variables_map given;
        po::store(po::command_line_parser(argc, argv)
                      .options(detail::describe())
                      .positional({})
                      .run(),
            given);
        options o;
        o.help = given.count("help") != 0;
        o.host = given["host"].as<std::string>();
        o.port = std::to_string(detail::checked("port", given["port"].as<long>(), 1L, 65535L));
        o.path = given["path"].as<std::string>();
        if (!o.path.starts_with('/') || o.path.find_first_of(" \r\n") != o.path.npos)
            throw usage_error("--path must begin with / and have no spaces, not '" + o.path + "'");
        o.interval = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(
                detail::checked("interval", given["interval"].as<double>(), 0.01, 3600.0)));
        o.count = detail::checked("count", given["count"].as<long>(), 0L, 1'000'000'000L);
        o.sort = detail::order_of(given["sort"].as<std::string>());
        if (given.count("once"))
        {
            if (!given["count"].defaulted())
                throw usage_error("--once and --count exclude each other");
            o.count = 1;
        }
        return o;
    }
    catch (po::error const& e)
    {
        throw usage_error(e.what());
    }
}

inline void print_help(std::ostream& out)
{
    out << R"(Usage: top [options]

Shows what the contexts, pools and loops of a running server do, each second: tasks by the
sub-strategy that ran them, hand-overs, threads by state, queues, delays. The server is one that
has a page of metrics, such as example/3_server; with its option --timing also the delays are known.

)" << detail::describe()
        << R"(
Columns, per second unless said otherwise:
  PC, PIC, PEC, EPC, lease  tasks by sub-strategy
  eager, lazy               hand-overs of production before a task, and of one that was late
  late/s                    threads that came back and were not needed to produce
  queued                    tasks that wait now
  start, park, prod, run    threads by state now, `of` so many at most
  delay, run                from the submission of a task until it began, and how long it ran;
                            completions that run in place have no delay that is known
  poll                      how long a round of a loop's tasks kept I/O waiting
Of a server that is compiled with Asio's hook, and has pending() and profile() on its page:
  operations                of Asio that have not ended now, and the last that were destroyed
  site                      the ten that come first by --sort; CPUs is for how many threads the
                            handlers ran all the time; longest is since the server began;
                            blocks are handlers from whose thread another one took over, and
                            mean block is how long they ran after that
)";
}

}

#endif
