// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_LOAD_OPTIONS_HPP
#define ASIO_EWYK_EXAMPLE_LOAD_OPTIONS_HPP

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/program_options.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace load {

namespace asio = boost::asio;

/// The command line makes no sense. what() is one line that says why.
struct usage_error : std::runtime_error
{
    using runtime_error::runtime_error;
};

/// Connections that ask for the same path, and are reported together.
struct request_class
{
    std::string name;
    std::size_t connections = 0;
    std::string path;
    double rate = 0;    ///< requests per second of all its connections; 0: as fast as answered
};

/// The command line, read and checked.
struct options
{
    std::vector<request_class> classes;
    asio::ip::tcp::endpoint server;
    std::chrono::nanoseconds warmup{};
    std::chrono::nanoseconds measured{};
    std::size_t threads = 1;
    std::size_t echo = 0;       ///< bytes; 0: HTTP
    bool websocket = false;
    bool reconnect = false;
    std::chrono::nanoseconds deadline{};    ///< of a request; the longest if there is none
    bool announce = false;
    bool csv = false;
    bool help = false;
};

/// Reads `NAME:CONNECTIONS:PATH`. Throws usage_error.
inline request_class parse_class(std::string_view text)
{
    request_class c;
    auto const first = text.find(':');
    auto const second = first == text.npos ? first : text.find(':', first + 1);
    if (second != text.npos)
    {
        auto const number = text.substr(first + 1, second - first - 1);
        auto const end = number.data() + number.size();
        auto const [stopped, error] = std::from_chars(number.data(), end, c.connections);
        c.name = text.substr(0, first);
        c.path = text.substr(second + 1);
        auto const printable = [](char ch) { return ch > ' ' && ch < 127 && ch != ','; };
        auto const good = error == std::errc() && stopped == end && c.connections >= 1
            && c.connections <= 20000 && !c.name.empty() && c.path.starts_with('/')
            && std::all_of(text.begin(), text.end(), printable);
        if (good)
            return c;
    }
    throw usage_error("--class must be NAME:CONNECTIONS:PATH, such as fast:64:/fast, not '"
        + std::string(text) + "'");
}

/// Reads `NAME:REQUESTS_PER_SECOND` into the class of that name. Throws usage_error.
inline void parse_rate(std::string_view text, std::vector<request_class>& classes)
{
    auto const colon = text.find(':');
    auto const found = std::find_if(classes.begin(), classes.end(),
        [&](request_class const& c) { return c.name == text.substr(0, colon); });
    if (colon != text.npos && found != classes.end())
    {
        auto const end = text.data() + text.size();
        auto const [stopped, error] =
            std::from_chars(text.data() + colon + 1, end, found->rate, std::chars_format::fixed);
        if (error == std::errc() && stopped == end && found->rate >= 0.001 && found->rate <= 1e7)
            return;
    }
    throw usage_error("--rate must be NAME:REQUESTS_PER_SECOND with the name of a --class, such as"
        " fast:20000, not '" + std::string(text) + "'");
}

namespace detail {

template <class T>
T checked(char const* name, T value, T low, T high)
{
    if (value >= low && value <= high)    // false for a NaN, too
        return value;
    std::ostringstream what;
    what << "--" << name << " must be from " << low << " to " << high << ", not " << value;
    throw usage_error(what.str());
}

inline boost::program_options::options_description describe()
{
    namespace po = boost::program_options;
    po::options_description text("Options", 100, 70);
    text.add_options()
        ("class,c", po::value<std::vector<std::string>>()->composing(),
            "NAME:CONNECTIONS:PATH, what that many connections ask for; may be given again")
        ("rate,r", po::value<std::vector<std::string>>()->composing(),
            "NAME:REQUESTS_PER_SECOND, has the connections of that class send at this rate, "
            "whether or not answers come in time; the times count from when a request was due")
        ("host", po::value<std::string>()->default_value("127.0.0.1"), "the server's IP address")
        ("port,p", po::value<long>()->default_value(8080), "the server's port")
        ("warmup,w", po::value<double>()->default_value(0.5, "0.5"), "seconds before measuring")
        ("seconds,s", po::value<double>()->default_value(5, "5"), "seconds to measure")
        ("threads,t", po::value<long>()->default_value(1), "threads that share the connections")
        ("echo,e", po::value<long>(),
            "send that many bytes and expect them back, not HTTP; the paths have no effect")
        ("websocket", "send the path as a message of a WebSocket and expect it back, not HTTP")
        ("reconnect", "a connection for each request, ended by a reset; its time is part of the"
            " request's")
        ("deadline,d", po::value<double>(),
            "milliseconds after which an answer is of no use: how many came before is in the CSV")
        ("announce", "say when measuring begins and when it ends, in a line each")
        ("csv", "print one line of comma-separated values a class, below a line of names")
        ("help,h", "show this text");
    return text;
}

}

/// Reads the command line. Throws usage_error.
inline options parse_options(int argc, char const* const* argv)
{
    namespace po = boost::program_options;
    using detail::checked;
    try
    {
        po::variables_map given;
        // No positional ones: a word that belongs to no option is an error, not ignored.
        po::store(po::command_line_parser(argc, argv)
                      .options(detail::describe())
                      .positional({})
                      .run(),
            given);
        options o;
        o.help = given.count("help") != 0;
        o.reconnect = given.count("reconnect") != 0;
        o.announce = given.count("announce") != 0;
        o.csv = given.count("csv") != 0;
        if (given.count("class"))
            for (auto const& text : given["class"].as<std::vector<std::string>>())
                o.classes.push_back(parse_class(text));
        if (given.count("rate"))
            for (auto const& text : given["rate"].as<std::vector<std::string>>())
                parse_rate(text, o.classes);
        if (o.classes.empty() && !o.help)
            throw usage_error("nothing to do: give a --class NAME:CONNECTIONS:PATH");

        auto const seconds = [](double s) {
            return std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::duration<double>(s));
        };
        o.warmup = seconds(checked("warmup", given["warmup"].as<double>(), 0.0, 3600.0));
        o.measured = seconds(checked("seconds", given["seconds"].as<double>(), 0.1, 3600.0));
        o.threads = static_cast<std::size_t>(
            checked("threads", given["threads"].as<long>(), 1L, 256L));

        if (given.count("echo"))
            o.echo = static_cast<std::size_t>(
                checked("echo", given["echo"].as<long>(), 1L, 1L << 20));
        o.deadline = std::chrono::nanoseconds::max();
        if (given.count("deadline"))
            o.deadline =
                seconds(checked("deadline", given["deadline"].as<double>(), 0.001, 3.6e6) / 1000);
        o.websocket = given.count("websocket") != 0;
        if (o.websocket && o.echo != 0)
            throw usage_error("--echo and --websocket exclude each other");
        for (auto const& c : o.classes)
            if (o.websocket && c.path.size() > 125)    // longer ones have another frame
                throw usage_error("with --websocket a path must be shorter than 126 bytes");

        boost::system::error_code error;
        auto const port = checked("port", given["port"].as<long>(), 1L, 65535L);
        auto const& host = given["host"].as<std::string>();
        o.server = {asio::ip::make_address(host, error), static_cast<unsigned short>(port)};
        if (error)
            throw usage_error("--host must be an IP address, not '" + host + "'");
        return o;
    }
    catch (po::error const& e)
    {
        throw usage_error(e.what());
    }
}

inline void print_help(std::ostream& out)
{
    out << R"(Usage: load --class NAME:CONNECTIONS:PATH [--class ...] [options]

Loads an HTTP/1.1 server, or with --echo or --websocket one that sends back what it gets: every
connection sends a request, waits for the answer, checks it (status 200, a body as long as
announced), and sends the next. Says of each class how many requests per second were answered while
measuring, and how long they took. A wrong answer and a connection that ends are errors; it is
opened again. With --rate also says how many requests were due while measuring and still not
answered at the end; the times count them as answered then.

)" << detail::describe()
        << R"(
Example:
  load --port 8080 --class fast:64:/fast --class slow:8:/sleep/10000 --rate fast:20000
)";
}

}

#endif
