# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import re
import unittest
from pathlib import Path
from xml.etree import ElementTree

from runner.case import Case
from runner.overview import Axis, axis, many_cores, overview
from runner.summary import Summary

DOC = Path(__file__).resolve().parents[3] / "doc"
PAGE = (DOC / "benchmarks.adoc").read_text(encoding="utf-8")
KNOWN = {"revision": "abc", "rounds": 2}
OURS, OTHER = "eat_what_you_kill+grace", "<other>"


def result(operations, p99=2000):
    return {"operations": operations, "all_operations": operations, "seconds": 1.0,
            "cpu_seconds": 1.0, "latency_us": {"p99": p99}}


def case(workload, peer, **parameters):
    return Case(workload, peer, parameters, lambda settings: {})


RESULTS = [
    (case("mixed", OURS, beside="sleeping"), [result(3000), result(5000)]),
    (case("mixed", OTHER, beside="sleeping"), [result(1000), result(90000)]),
    (case("mixed", "not drawn", beside="computing"), [result(7000), result(7000)]),
    (case("mixed_rate", OURS, beside="sleeping", rate=20000), [result(20000), result(20000, 300)]),
]
for length in (1, 10):
    for peer, rate in (("produce_execute_consume", 100), (OURS, 400)):
        RESULTS.append((
            case("handler_length", peer, sleeps=0, chains=1, length=length), [result(rate)] * 2))


def texts(chart):
    return [each.text for each in ElementTree.fromstring(chart) if each.text]


class Measured(unittest.TestCase):
    CHARTS = overview(KNOWN, RESULTS, PAGE)

    def test_is_of_a_revision(self):
        for name in ("mixed", "latency", "handler_length"):
            self.assertIn("revision abc; medians of 2 rounds", self.CHARTS[f"benchmark_{name}.svg"])

    def test_has_a_row_for_each_peer_of_the_scenario(self):
        shown = texts(self.CHARTS["benchmark_mixed.svg"])
        self.assertEqual([shown.count(peer) for peer in (OURS, OTHER, "not drawn")], [2, 2, 0])
        self.assertIn("4.0", shown)
        self.assertIn("45.5", shown)
        self.assertEqual(texts(self.CHARTS["benchmark_latency.svg"]).count(OTHER), 1)

    def test_compares_lengths_within_the_rounds(self):
        shown = texts(self.CHARTS["benchmark_handler_length.svg"])
        self.assertEqual(shown[0], OURS)
        self.assertIn("4", shown)
        self.assertNotIn("produce_execute_consume", shown)

    def test_is_left_out_where_nothing_was(self):
        self.assertEqual(list(overview(KNOWN, [], PAGE)), ["benchmark_many_cores.svg"])


class Virtual(unittest.TestCase):
    def test_is_of_the_table_of_the_page(self):
        drawn = (DOC / "images" / "benchmark_many_cores.svg").read_text(encoding="utf-8")
        self.assertEqual(
            drawn, many_cores(PAGE), "draw it again: test/benchmark/run --show FILE --charts DIR")

    def test_says_that_it_is(self):
        self.assertTrue(texts(many_cores(PAGE))[0].startswith("VIRTUAL"))

    def test_differs_where_the_table_does(self):
        other = re.sub(r"\| 4\.18 \|", "| 3.18 |", PAGE, count=1)
        self.assertNotEqual(other, PAGE)
        self.assertNotEqual(many_cores(other), many_cores(PAGE))


class Axes(unittest.TestCase):
    def test_reach_around_all_figures(self):
        self.assertEqual(axis("", [Summary(5, 2, 146)]).ticks, [0, 100, 200])
        self.assertEqual(axis("", [Summary(5, 2, 9), Summary(5, 0.3, 4)], 10).ticks, [0.1, 1, 10])
        self.assertEqual(axis("", [Summary(8, 8, 8)], 2).ticks, [8, 16])

    def test_have_equal_steps_for_equal_factors_if_logarithmic(self):
        x = Axis("", [1, 10, 100], True).to(0, 8)
        self.assertAlmostEqual(x(10), 4)
        self.assertAlmostEqual(Axis("", [1, 10, 100]).to(99, 0)(100), 0)


if __name__ == "__main__":
    unittest.main()
