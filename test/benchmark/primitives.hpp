#ifndef ASIO_EWYK_TEST_BENCHMARK_PRIMITIVES_HPP
#define ASIO_EWYK_TEST_BENCHMARK_PRIMITIVES_HPP

#include <boost/json/object.hpp>

namespace benchmark {

/** What the system asks for that all the peers are made of, in nanoseconds: `system_call`, and from
    when a thread wakes another one until that runs, `<by>_same_core` and `<by>_other_core`, where
    `<by>` is `futex` or `eventfd`. Null: this process may use one core only.

    Measures for some tens of milliseconds.
*/
boost::json::object measure_primitives();

} // namespace benchmark

#endif
