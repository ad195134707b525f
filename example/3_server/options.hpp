// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_EXAMPLE_3_SERVER_OPTIONS_HPP
#define ASIO_EWYK_EXAMPLE_3_SERVER_OPTIONS_HPP

#include "watching.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/program_options.hpp>

#include <chrono>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace http_server {

namespace asio = boost::asio;

/// The command line makes no sense. what() is one line that says why.
struct usage_error : std::runtime_error
{
    using runtime_error::runtime_error;
};

/// The command line, read and checked.
struct options
{
    std::string strategy = "eat_what_you_kill";
    std::string model;                            ///< instead of the strategy, unless empty
    std::size_t threads = 0;                      ///< 0: what suits the strategy or the model
    std::chrono::microseconds grace{};
    asio::ip::tcp::endpoint where;
    std::chrono::milliseconds timeout{};
    std::chrono::milliseconds max_queue_delay{};  ///< 0: no request is refused
    bool turns_away = false;                      ///< clients that come in an overload
    watching watched;
    std::string trace;                            ///< file to write at the end, unless empty
    bool help = false;

    /// The strategy or the model, whichever it is.
    std::string const& arrangement() const { return model.empty() ? strategy : model; }
};

namespace detail {

/// The number, if it is within the range. Program_options itself takes -1 for an unsigned 65535.
template <class T>
T checked(char const* name, T value, T low, T high)
{
    if (value >= low && value <= high)    // false for a NaN, too
        return value;
    std::ostringstream what;
    what << "--" << name << " must be from " << low << " to " << high << ", not " << value;
    throw usage_error(what.str());
}

/// The model, if there is one of that name.
inline std::string const& known(std::string const& model)
{
    std::string all;
    for (auto name : {"redis", "tomcat", "netty", "kafka", "hadoop", "jetty"})
    {
        if (model == name)
            return model;
        all += std::string(all.empty() ? "" : ", ") + name;
    }
    throw usage_error("unknown model '" + model + "', known are: " + all);
}

inline boost::program_options::options_description describe()
{
    namespace po = boost::program_options;
    po::options_description text("Options", 100, 70);
    text.add_options()
        ("strategy,s", po::value<std::string>()->default_value("eat_what_you_kill"),
            "which thread runs the handlers, see above")
        ("model,m", po::value<std::string>(),
            "the threads of a known server, see above; excludes --strategy")
        ("threads,t", po::value<long>(),
            "how many threads there may be (default: 16, for io_context_per_thread one a core); "
            "with --model the threads of its pool, see above")
        ("grace,g", po::value<long>()->default_value(10),
            "microseconds that a handler may run before another thread waits for events; "
            "of the models only jetty takes it")
        ("address,a", po::value<std::string>()->default_value("127.0.0.1"),
            "the address to listen on")
        ("port,p", po::value<long>()->default_value(8080),
            "the port to listen on; 0 takes any that is free")
        ("timeout", po::value<double>()->default_value(10, "10"),
            "seconds that a client may take to send a request or to take an answer")
        ("max-queue-delay", po::value<long>()->default_value(0),
            "milliseconds that requests may wait where more come than can be answered; beyond "
            "twice that they get 503. 0: none does. Not for the model hadoop, which has no queue")
        ("shed", po::value<std::string>(),
            "503: clients that come while --max-queue-delay is exceeded are told so at once, and "
            "have to leave; without it each of their requests is looked at")
        ("stall-threshold", po::value<long>()->default_value(0),
            "milliseconds after which a handler is reported on stderr; 0: none is. "
            "Not for plain Asio, nor for the model hadoop, which runs it")
        ("timing", "measure delays and run times, for /metrics")
        ("trace", po::value<std::string>()->default_value("", ""),
            "a file for a trace of which thread did what, written at the end")
        ("help,h", "show this text");
    return text;
}

}

/// Reads the command line. Throws usage_error.
inline options parse_options(int argc, char const* const* argv)
{
    namespace po = boost::program_options;
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
        o.watched.timing = given.count("timing") != 0;
        o.watched.stall_threshold = std::chrono::milliseconds(detail::checked(
            "stall-threshold", given["stall-threshold"].as<long>(), 0L, 1'000'000L));
        o.max_queue_delay = std::chrono::milliseconds(detail::checked(
            "max-queue-delay", given["max-queue-delay"].as<long>(), 0L, 1'000'000L));
        if (given.count("shed"))
        {
            auto const& what = given["shed"].as<std::string>();
            if (what != "503")
                throw usage_error("--shed must be 503, not '" + what + "'");
            if (o.max_queue_delay == o.max_queue_delay.zero())
                throw usage_error("--shed has no meaning without --max-queue-delay");
            o.turns_away = true;
        }
        o.trace = given["trace"].as<std::string>();
        o.strategy = given["strategy"].as<std::string>();
        if (given.count("model"))
        {
            o.model = detail::known(given["model"].as<std::string>());
            if (!given["strategy"].defaulted())
                throw usage_error("--model and --strategy exclude each other");
            if (!given["grace"].defaulted() && o.model != "jetty")
                throw usage_error("--grace has no meaning for the model " + o.model);
            if (!given["max-queue-delay"].defaulted() && o.model == "hadoop")
                throw usage_error("--max-queue-delay has no meaning for the model hadoop");
        }
        if (given.count("threads"))
            o.threads = static_cast<std::size_t>(
                detail::checked("threads", given["threads"].as<long>(), 1L, 1000L));
        o.grace = std::chrono::microseconds(
            detail::checked("grace", given["grace"].as<long>(), 0L, 1'000'000L));
        auto const port = detail::checked("port", given["port"].as<long>(), 0L, 65535L);
        auto const seconds =
            detail::checked("timeout", given["timeout"].as<double>(), 0.01, 3600.0);
        o.timeout = std::chrono::milliseconds(static_cast<long>(seconds * 1000));

        boost::system::error_code error;
        auto const& address = given["address"].as<std::string>();
        o.where = {asio::ip::make_address(address, error), static_cast<unsigned short>(port)};
        if (error)
            throw usage_error("--address must be an IP address, not '" + address + "'");
        return o;
    }
    catch (po::error const& e)
    {
        throw usage_error(e.what());
    }
}

inline void print_help(std::ostream& out)
{
    out << R"(Usage: http_server [options]

An HTTP/1.1 server that shows what an execution strategy does to requests that block.

  GET /fast         answers at once
  GET /sleep/US     blocks its thread for that many microseconds, as a call to a database would
  GET /cpu/US       uses that much CPU time
  GET /metrics      tells what the server has done so far, in the text format of Prometheus

Strategies:
  produce_consume           one thread does everything, one handler after the other
  produce_execute_consume   one thread waits for events, other threads run the handlers
  execute_produce_consume   the thread that got an event runs its handler; if that takes long,
                            another thread goes on waiting for events
  eat_what_you_kill         chooses between these for each handler
and for comparison, plain Asio without a strategy:
  io_context                one context, all threads in its run()
  io_context_per_thread     a context for each thread, connections dealt round robin
  io_context_and_pool       one thread waits for events, a thread_pool runs all handlers

Models, which arrange their threads as known servers do:
  redis     one loop does everything, one handler after the other; --threads has no effect
  tomcat    a poller waits for events, a pool of --threads (16) runs the handlers
  netty     a loop for each core; /sleep and /cpu go to a pool of --threads (16) and back, /fast is
            answered in the loop: this is also the server tuned by hand, to compare others with
  kafka     3 loops read and write; all requests go through a queue, which has room for 500, to
            a pool of --threads (8) and back
  hadoop    a thread for each connection, at most --threads (256); beyond, clients are refused
  jetty     2 selectors with eat_what_you_kill and --grace share a pool of --threads (16)

)" << detail::describe()
        << R"(
Try:
  http_server --port 8080 &
  curl http://127.0.0.1:8080/fast
SIGINT (Ctrl-C) and SIGTERM end it: open requests are answered, then it says how many it served.
)";
}

}

#endif
