# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import re
import shutil
import unittest

from runner.case import Case, Curve, Workload
from runner.chart import charts
from runner.document import document
from runner.page import page

LATENCY = {"p50": 1, "p90": 2, "p99": 3, "p99.9": 4, "max": 5}
RESULT = {"operations": 7, "seconds": 2.0, "latency_us": LATENCY}
WORKLOADS = [Workload("w", "it's <easy>", ()), Workload("c", "", (), chart=Curve("n", "a"))]
RESULTS = [
    (Case("w", "a's", {"size": 1}, lambda settings: {}), [RESULT, RESULT]),
    (Case("c", "a", {"n": 1}, lambda settings: {}), [RESULT]),
    (Case("c", "a", {"n": 10}, lambda settings: {}), [RESULT]),
]


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Page(unittest.TestCase):
    def test_needs_neither_the_network_nor_a_script(self):
        text = page(WORKLOADS, RESULTS, [("CPU", "a & b")])
        self.assertEqual(text.count("<svg"), 3)
        self.assertNotIn("<script", text)
        self.assertNotRegex(text, r"(src|href)=['\"](?!#)")
        self.assertIn("a &amp; b", text)
        self.assertIn("it&#x27;s &lt;easy&gt;", text)

    def test_draws_a_bar_and_a_line_for_each_peer(self):
        bar, latency = charts(WORKLOADS[0], RESULTS)
        self.assertIn("a's", bar.svg)
        self.assertIn("a's", latency.svg)
        self.assertEqual(latency.title, "size 1: latency")

    def test_says_which_value_has_no_place_on_a_chart(self):
        none = [{**RESULT, "operations": 0}]
        self.assertEqual(charts(WORKLOADS[1], [(RESULTS[1][0], none)]), [])


class Document(unittest.TestCase):
    def test_has_the_conditions_and_a_section_for_each_workload(self):
        text = document(WORKLOADS, RESULTS, [("CPU", "two")])
        self.assertEqual(
            re.findall(r"^== (.*)$", text, re.MULTILINE), ["Conditions", "`w`", "`c`"]
        )
        self.assertIn("CPU:: two", text)


if __name__ == "__main__":
    unittest.main()
