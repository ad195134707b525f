# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import unittest

from runner.column import CPU_US, FUTEX_CALLS, P99, RATE
from runner.summary import Summary, of_column, ratio, summarize

ROUNDS = [
    {"operations": 100, "seconds": 2.0, "cpu_seconds": 1e-3, "latency_us": {"p99": 7.0}},
    {"operations": 400, "seconds": 2.0, "cpu_seconds": 1e-3, "latency_us": {"p99": 9.0}},
    {"operations": 300, "seconds": 2.0, "cpu_seconds": 1e-3, "latency_us": {"p99": 5.0}},
]


class OfSeveralRounds(unittest.TestCase):
    def test_median_least_and_most(self):
        self.assertEqual(summarize([3, 1, 2]), Summary(2, 1, 3))
        self.assertEqual(summarize([4, 1, 2, 3]), Summary(2.5, 1, 4))

    def test_of_a_column(self):
        self.assertEqual(of_column(RATE, ROUNDS), Summary(150, 50, 200))
        self.assertEqual(of_column(P99, ROUNDS), Summary(7, 5, 9))
        self.assertAlmostEqual(of_column(CPU_US, ROUNDS).most, 10)

    def test_what_one_round_lacks_is_unknown(self):
        self.assertIsNone(of_column(FUTEX_CALLS, ROUNDS))
        self.assertIsNone(of_column(P99, [*ROUNDS, {"operations": 1, "seconds": 1}]))
        self.assertIsNone(of_column(RATE, []))

    def test_without_operations_nothing_is_known_of_one(self):
        self.assertIsNone(of_column(CPU_US, [{"operations": 0, "cpu_seconds": 1.0}]))

    def test_ratio_is_taken_round_by_round(self):
        # Half as fast as the baseline in each round, though not in the medians of all.
        baseline = [{**r, "operations": 2 * r["operations"]} for r in ROUNDS]
        self.assertEqual(ratio(RATE, ROUNDS, baseline), Summary(0.5, 0.5, 0.5))

    def test_ratio_to_nothing_is_unknown(self):
        self.assertIsNone(ratio(RATE, ROUNDS, []))
        self.assertIsNone(ratio(RATE, ROUNDS[:1], [{"operations": 0, "seconds": 1}]))


if __name__ == "__main__":
    unittest.main()
