// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_PRIMITIVES_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PRIMITIVES_HPP

#include <boost/json/object.hpp>

namespace benchmark {

/** What the system asks for that all the peers are made of, in nanoseconds. Null: this process may use
    one core only.

    - `system_call`, one that does nothing; `clock`, a look at the clock;
    - `sleep_late`, by how much a sleep is too long, by default; `exact_sleep_late`, with timeouts
      that are as exact as the system has them;
    - `line_transfer`, until a core sees what another one has written;
    - `atomic`, a compare-and-swap on a word that no other core uses;
    - `wake_call`, a futex call that wakes a thread on another core; `wake_call_queued`, on the same
      one, where it waits; `interruption`, where it interrupts the caller, until it sleeps again;
    - `<by>_same_core` and `<by>_other_core`, from when a thread wakes another one until that runs,
      where `<by>` is `futex` or `eventfd`.

    Measures for some tens of milliseconds.
*/
boost::json::object measure_primitives();

} // namespace benchmark

#endif
