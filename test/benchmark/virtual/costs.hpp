// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_COSTS_HPP
#define ASIO_EWYK_TEST_BENCHMARK_VIRTUAL_COSTS_HPP

#include <array>
#include <chrono>
#include <utility>

namespace virtual_time {

using duration = std::chrono::nanoseconds;

/** What simulated threads and cores pay. The defaults are the medians of eight runs of measured_costs()
    on a virtual machine of two cores, which did something else as well.
*/
struct costs
{
    duration atomic{2};          ///< an atomic change of a word that no other core has changed
    duration line_transfer{61};  ///< until a core has what another one has written
    duration system_call{164};   ///< that does nothing
    duration wake_call{6000};    ///< a call that wakes a thread on another core
    duration wake_up{49000};     ///< from when that begins until the thread runs, on an idle core
    duration context_switch{1360}; ///< until a core runs another thread
    duration timer_late{26000};  ///< by which a sleep is too long, beside the wake-up
    duration poll{171};          ///< to ask for I/O, where there is none
    duration handler{12};        ///< what Asio does for a handler, beside its locks and counts
    duration probe{1670};        ///< to ask the system what another thread does
    duration thread_start{32000}; ///< until the thread that starts another one goes on
};

/// The names of the costs, for options and for what is printed.
inline constexpr std::array<std::pair<char const*, duration costs::*>, 11> cost_names{{
    {"atomic", &costs::atomic},
    {"line_transfer", &costs::line_transfer},
    {"system_call", &costs::system_call},
    {"wake_call", &costs::wake_call},
    {"wake_up", &costs::wake_up},
    {"context_switch", &costs::context_switch},
    {"timer_late", &costs::timer_late},
    {"poll", &costs::poll},
    {"handler", &costs::handler},
    {"probe", &costs::probe},
    {"thread_start", &costs::thread_start},
}};

/** What this machine takes. Measures for some hundred milliseconds; what needs a second core keeps its
    default where there is one only.
*/
costs measured_costs();

} // namespace virtual_time

#endif
