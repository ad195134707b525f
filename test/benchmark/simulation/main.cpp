// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Simulates one peer under chains of handlers, and says in one line of JSON what happened.

#include "simulate.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using namespace benchmark::simulation;
using microseconds = std::chrono::duration<double, std::micro>;
using seconds = std::chrono::duration<double>;

po::options_description options()
{
    po::options_description text("Options", 100);
    auto add = text.add_options();
    auto const number = [&](char const* name, double value, char const* meaning) {
        add(name, po::value<double>()->default_value(value), meaning);
    };
    auto const nanoseconds = [&](char const* name, duration value, char const* meaning) {
        number(name, static_cast<double>(value.count()), meaning);
    };
    number("cores", 2, "of the machine, at least 1");
    number("seconds", 0.2, "how long to measure, in simulated time");
    number("warm-up", 0.1, "seconds before that");
    number("chains", 16, "how many there are");
    number("computes", 1, "us, for which each of their handlers computes");
    number("sleeps", 0, "us, for which it sleeps then");
    number("long_chains", 0, "more chains, with handlers that sleep");
    number("long_sleeps", 10'000, "us, for which each of these sleeps");
    number("threads", 16, "of io_context/n, or contexts of io_context each");
    number("max_threads", 16, "of a pool");
    number("grace", 50, "us, of the strategies with one");
    costs const usual;
    nanoseconds("system_call", usual.system_call, "ns; these as --conditions measures them");
    nanoseconds("wake_same_core", usual.wake_same_core, "ns");
    nanoseconds("wake_other_core", usual.wake_other_core, "ns");
    nanoseconds("wake_call", usual.wake_call, "ns");
    nanoseconds("wake_call_queued", usual.wake_call_queued, "ns");
    nanoseconds("interruption", usual.interruption, "ns");
    nanoseconds("sleep_late", usual.sleep_late, "ns");
    nanoseconds("exact_sleep_late", usual.exact_sleep_late, "ns");
    nanoseconds("clock", usual.clock, "ns");
    nanoseconds("line_transfer", usual.line_transfer, "ns");
    nanoseconds("atomic", usual.atomic, "ns");
    nanoseconds("asio_task", usual.asio_task, "ns for each handler, besides these");
    nanoseconds("strategy_task", usual.strategy_task, "ns, likewise");
    add("list", "print the peers");
    add("help,h", "show this text");
    return text;
}

double number(po::variables_map const& given, char const* name)
{
    double const value = given[name].as<double>();
    if (value >= 0 && value <= 1e9) // false for a NaN, too
        return value;
    throw std::invalid_argument("--" + std::string(name) + " must be from 0 to 1e9");
}

template <class Unit>
duration time(po::variables_map const& given, char const* name)
{
    return std::chrono::round<duration>(Unit(number(given, name)));
}

std::size_t count(po::variables_map const& given, char const* name, double least = 0)
{
    if (number(given, name) < least)
        throw std::invalid_argument("--" + std::string(name) + " is too small");
    return static_cast<std::size_t>(number(given, name));
}

costs costs_of(po::variables_map const& given)
{
    using unit = std::chrono::duration<double, std::nano>;
    return {
        .system_call = time<unit>(given, "system_call"),
        .wake_same_core = time<unit>(given, "wake_same_core"),
        .wake_other_core = time<unit>(given, "wake_other_core"),
        .wake_call = time<unit>(given, "wake_call"),
        .wake_call_queued = time<unit>(given, "wake_call_queued"),
        .interruption = time<unit>(given, "interruption"),
        .sleep_late = time<unit>(given, "sleep_late"),
        .exact_sleep_late = time<unit>(given, "exact_sleep_late"),
        .clock = time<unit>(given, "clock"),
        .line_transfer = time<unit>(given, "line_transfer"),
        .atomic = time<unit>(given, "atomic"),
        .asio_task = time<unit>(given, "asio_task"),
        .strategy_task = time<unit>(given, "strategy_task"),
    };
}

std::vector<task> chains_of(po::variables_map const& given)
{
    std::vector<task> chains(count(given, "chains"),
        {time<microseconds>(given, "computes"), time<microseconds>(given, "sleeps")});
    chains.resize(chains.size() + count(given, "long_chains"),
        {duration::zero(), time<microseconds>(given, "long_sleeps")});
    return chains;
}

json::object simulate(std::string const& name, po::variables_map const& given)
{
    machine on(count(given, "cores", 1), costs_of(given));
    auto const peer = make_peer(name, on,
        {count(given, "threads", 1), count(given, "max_threads", 3),
            time<microseconds>(given, "grace")});
    bool const are_two_kinds = count(given, "long_chains") != 0;
    outcome const o = simulate(on, *peer, chains_of(given), time<seconds>(given, "warm-up"),
        time<seconds>(given, "seconds"));
    return {
        {"peer", name},
        {"operations", are_two_kinds ? o.counted.computed : o.counted.run()},
        {"long_per_second",
            are_two_kinds ? static_cast<double>(o.counted.slept) / seconds(o.time).count() : 0},
        {"seconds", seconds(o.time).count()},
        {"cpu_seconds", seconds(o.cpu).count()},
        {"voluntary_switches", o.switches},
        {"threads", o.threads},
    };
}

void run(std::vector<std::string> const& words)
{
    po::options_description all = options();
    all.add_options()("peer", po::value<std::string>());
    po::variables_map given;
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(po::positional_options_description().add("peer", 1))
                  .run(),
        given);
    po::notify(given);
    if (given.count("list"))
    {
        auto const& peers = simulated_peers();
        std::cout << json::serialize(json::array(peers.begin(), peers.end())) << '\n';
    }
    else if (given.count("help") || !given.count("peer"))
        std::cout << "Usage: benchmark_simulate <peer> [options]\n\n" << options();
    else
        std::cout << json::serialize(simulate(given["peer"].as<std::string>(), given)) << '\n';
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        run({argv + 1, argv + argc});
        return 0;
    }
    catch (std::exception const& e)
    {
        std::cerr << "benchmark_simulate: " << e.what() << '\n';
        return 2;
    }
}
