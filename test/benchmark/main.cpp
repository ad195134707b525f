// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Measures one peer under one workload, and says in one line of JSON what happened.

#include "primitives.hpp"
#include "workload.hpp"

#include <boost/config.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/program_options.hpp>
#include <boost/version.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using namespace benchmark;

json::array list()
{
    json::array all;
    for (workload const& w : workloads())
        all.push_back({
            {"workload", w.name},
            {"peers", json::array(w.peers.begin(), w.peers.end())},
            {"parameters", json::value_from(w.defaults)},
        });
    return all;
}

// How this program was made, and what it costs where it runs.
json::object conditions()
{
    return {
        {"compiler", BOOST_COMPILER},
        {"flags", ASIO_EWYK_FLAGS},
        {"boost", BOOST_LIB_VERSION},
        {"primitives_ns", measure_primitives()},
    };
}

workload const& find(std::string const& name)
{
    for (workload const& w : workloads())
        if (w.name == name)
            return w;
    throw std::invalid_argument("there is no workload '" + name + "', see --list");
}

po::options_description general_options()
{
    po::options_description text("Options", 100);
    text.add_options()
        ("list", "print the workloads with their peers and parameters")
        ("conditions", "print how this was compiled, and what system calls cost")
        ("seconds", po::value<double>()->default_value(1), "how long to measure")
        ("warm-up", po::value<double>()->default_value(0.1, "0.1"), "seconds before that")
        ("count-futex-calls", "where the system allows it; times are not comparable then")
        ("help,h", "show this text");
    return text;
}

// The command line of a measurement; the workload's parameters are options of it.
po::variables_map read(workload const& w, std::vector<std::string> const& words)
{
    po::options_description all = general_options();
    auto add = all.add_options();
    add("workload", po::value<std::string>())("peer", po::value<std::string>()->required());
    for (auto const& [name, value] : w.defaults)
        add(name.c_str(), po::value<double>()->default_value(value));

    po::variables_map given;
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(po::positional_options_description().add("workload", 1).add("peer", 1))
                  .run(),
        given);
    po::notify(given);
    return given;
}

double number(po::variables_map const& given, std::string const& name)
{
    double const value = given[name].as<double>();
    // Below 0, which has a meaning for some defaults, is not to be given.
    if (given[name].defaulted() || (value >= 0 && value <= 1e9)) // false for a NaN, too
        return value;
    throw std::invalid_argument("--" + name + " must be from 0 to 1e9");
}

json::object measure(workload const& w, po::variables_map const& given)
{
    auto const& peer = given["peer"].as<std::string>();
    if (std::ranges::find(w.peers, peer) == w.peers.end())
        throw std::invalid_argument("it has no peer '" + peer + "', see --list");

    auto values = w.defaults;
    for (auto& [name, value] : values)
        value = number(given, name);
    parameters with(std::move(values));
    with.seconds = std::chrono::duration<double>(number(given, "seconds"));
    with.warm_up = std::chrono::duration<double>(number(given, "warm-up"));
    with.counts_futex_calls = given.count("count-futex-calls") != 0;

    json::object line{
        {"workload", w.name}, {"peer", peer}, {"parameters", json::value_from(with.all())}};
    for (auto& [key, value] : w.measure(peer, with))
        line[key] = std::move(value);
    return line;
}

void run(std::vector<std::string> const& words)
{
    if (words.empty() || words[0] == "--help" || words[0] == "-h")
        std::cout << "Usage: benchmark_workload <workload> <peer> [options] "
                     "[--<parameter> <value>]...\n"
                     "       benchmark_workload --list | --conditions\n\n"
                  << general_options();
    else if (words[0] == "--list")
        std::cout << json::serialize(list()) << '\n';
    else if (words[0] == "--conditions")
        std::cout << json::serialize(conditions()) << '\n';
    else
    {
        workload const& w = find(words[0]);
        std::cout << json::serialize(measure(w, read(w, words))) << '\n';
    }
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
        std::cerr << "benchmark_workload: " << e.what() << '\n';
        return 2;
    }
}
