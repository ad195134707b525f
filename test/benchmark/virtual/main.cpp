// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Runs handlers in virtual time, on more cores than there are, and prints how many.

#include "arrangement.hpp"
#include "check.hpp"
#include "costs.hpp"
#include "real.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace po = boost::program_options;
using namespace virtual_time;

po::options_description known_options()
{
    po::options_description text("Options", 100);
    auto add = text.add_options();
    add("cores", po::value<std::vector<int>>()->multitoken(), "of 1 2 4 16 64");
    add("lengths", po::value<std::vector<double>>()->multitoken(), "of handlers, in us: 1 10 100 1000");
    add("sleepers", po::value<std::vector<std::size_t>>()->multitoken(),
        "chains whose handlers sleep for 10 ms: 0 8");
    add("chains", po::value<std::size_t>()->default_value(0), "0: four for each core, and 16 at least");
    add("seconds", po::value<double>()->default_value(0.7, "0.7"), "that are simulated, after 0.2");
    add("only", po::value<std::string>()->default_value(""), "arrangements, a regular expression");
    add("helpers", po::value<std::vector<int>>()->multitoken(),
        "as well with so many helpers that are awake, in each way to wait");
    add("concurrency", po::value<std::vector<int>>()->multitoken(),
        "as well with that option of the context");
    add("real", "run the same on one CPU and on two, and print the error");
    add("check", "check the model, and nothing else");
    add("defaults", "do not measure what things cost on this machine");
    add("help,h", "show this text");
    po::options_description each("What things cost, in ns", 100);
    auto add_cost = each.add_options();
    for (auto const& [name, member] : cost_names)
        add_cost(name, po::value<long>(), std::to_string((costs{}.*member).count()).c_str());
    text.add(each);
    return text;
}

template <class T>
std::vector<T> several(po::variables_map const& with, char const* name, std::vector<T> otherwise)
{
    return with.count(name) ? with[name].as<std::vector<T>>() : otherwise;
}

costs chosen_costs(po::variables_map const& with)
{
    costs c = with.count("defaults") ? costs{} : measured_costs();
    for (auto const& [name, member] : cost_names)
        if (with.count(name))
            c.*member = duration(with[name].as<long>());
    return c;
}

// The first one is what the others are compared with.
std::vector<arrangement> chosen_arrangements(po::variables_map const& with)
{
    auto all = arrangements();
    for (int const n : several<int>(with, "helpers", {}))
        for (auto const waits : {strategy_context::wait::naps, strategy_context::wait::asio})
        {
            bool const naps = waits == strategy_context::wait::naps;
            all.push_back({std::string(naps ? "strategy, " : "strategy, in run_one(), ")
                    + std::to_string(n) + " helpers",
                arrangement::kind::strategy, 0, {.waits = waits, .helpers = n}});
        }
    for (int const n : several<int>(with, "concurrency", {}))
        all.push_back({"strategy, concurrency " + std::to_string(n), arrangement::kind::strategy, 0,
            {.concurrency = n}});
    std::regex const only(with["only"].as<std::string>());
    std::erase_if(all, [&](arrangement const& a) {
        return a.name != all.front().name && !std::regex_search(a.name, only);
    });
    return all;
}

std::vector<workload> chosen_loads(po::variables_map const& with, std::vector<int> const& cores)
{
    std::vector<workload> all;
    for (int const n : cores)
        for (double const length : several<double>(with, "lengths", {1, 10, 100, 1000}))
            for (std::size_t const sleepers : several<std::size_t>(with, "sleepers", {0, 8}))
            {
                workload load;
                load.cores = n;
                load.length = duration(static_cast<duration::rep>(1000 * length));
                load.sleepers = sleepers;
                load.chains = with["chains"].as<std::size_t>();
                if (load.chains == 0)
                    load.chains = std::max<std::size_t>(16, 4 * static_cast<std::size_t>(n));
                load.time = std::chrono::duration_cast<duration>(
                    std::chrono::duration<double>(with["seconds"].as<double>()));
                all.push_back(load);
            }
    return all;
}

void print_conditions(costs const& c)
{
    double load[1] = {};
    if (::getloadavg(load, 1) == 1)
        std::cout << "load before: " << load[0] << '\n';
    std::cout << "ns:";
    for (auto const& [name, member] : cost_names)
        std::cout << ' ' << name << ' ' << (c.*member).count();
    std::cout << "\n\n";
}

std::ostream& begin_row(workload const& load, arrangement const& by)
{
    return std::cout << std::fixed << "| " << load.cores << " | " << load.length.count() / 1000 << " | "
                     << load.sleepers << " | `" << by.name << "` | ";
}

void print_virtual(std::vector<workload> const& loads, std::vector<arrangement> const& all, costs const& c)
{
    std::cout << "virtual: | cores | us | sleepers | arrangement | thousands/s | of the first | slept/s "
                 "| cores busy | threads | together | taken over/s\n";
    for (workload const& load : loads)
    {
        double first = 0;
        for (arrangement const& by : all)
        {
            auto const r = simulate(load, by, c);
            if (first == 0)
                first = r.per_second;
            begin_row(load, by) << std::setprecision(1) << r.per_second / 1000 << " | "
                                << std::setprecision(2) << r.per_second / first << " | "
                                << std::setprecision(0) << r.long_per_second << " | "
                                << std::setprecision(2) << r.busy << " | " << r.threads << " | "
                                << r.together << " | " << std::setprecision(0) << r.taken_over
                                << std::endl;
        }
    }
}

void print_errors(std::vector<workload> const& loads, std::vector<arrangement> const& all, costs const& c)
{
    std::cout << "| CPUs | us | sleepers | arrangement | real, thousands/s | virtual | error, % "
                 "| CPUs busy, real | virtual | error of handlers for each CPU second, % "
                 "| slept/s, real | virtual\n";
    for (workload const& load : loads)
        for (arrangement const& by : all)
        {
            // What the program does not ship can only be simulated.
            if (by.is == arrangement::kind::strategy && !by.options.is_shipped())
                continue;
            auto const real = run_really(load, by);
            auto const r = simulate(load, by, c);
            begin_row(load, by) << std::setprecision(1) << real.per_second / 1000 << " | "
                                << r.per_second / 1000 << " | " << std::setprecision(0)
                                << 100 * (r.per_second / real.per_second - 1) << " | "
                                << std::setprecision(2) << real.busy << " | " << r.busy << " | "
                                << std::setprecision(0)
                                << 100 * (r.per_second / r.busy / (real.per_second / real.busy) - 1)
                                << " | " << real.long_per_second << " | " << r.long_per_second << std::endl;
        }
}

} // namespace

int main(int argc, char* argv[])
try
{
    po::variables_map with;
    auto const options = known_options();
    po::store(po::parse_command_line(argc, argv, options), with);
    po::notify(with);
    if (with.count("help"))
    {
        std::cout << options;
        return 0;
    }
    if (with.count("check"))
    {
        check_model();
        return 0;
    }
    bool const real = with.count("real") != 0;
    auto const all = chosen_arrangements(with);
    auto const loads = chosen_loads(with,
        several<int>(with, "cores", real ? std::vector<int>{1, 2} : std::vector<int>{1, 2, 4, 16, 64}));
    auto const c = chosen_costs(with);
    print_conditions(c);
    (real ? print_errors : print_virtual)(loads, all, c);
}
catch (std::exception const& error)
{
    std::cerr << error.what() << '\n';
    return 1;
}
