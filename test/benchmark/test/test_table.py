# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import dataclasses
import unittest

from runner.case import Case, Curve, Workload
from runner.column import CPU_US, FUTEX_CALLS
from runner.document import as_adoc
from runner.page import as_html
from runner.table import Table, as_text, tables


def case(peer, **parameters):
    return Case("work", peer, parameters, lambda settings: {})


def rounds(*operations):
    return [{"operations": n, "seconds": 1.0, "cpu_seconds": n * 5e-6} for n in operations]


class OfPeers(unittest.TestCase):
    WORKLOAD = Workload("work", "", (CPU_US, FUTEX_CALLS), baselines=("plain", "absent"))
    RESULTS = [
        (case("plain", size=1), rounds(100, 120, 80)),
        (case("ours", size=1), rounds(200, 180, 240)),
        (case("plain", size=2), rounds(10)),
    ]

    def test_each_scenario_has_its_own(self):
        self.assertEqual(
            [t.title for t in tables(self.WORKLOAD, self.RESULTS)], ["size 1", "size 2"]
        )

    def test_figures_and_ratios(self):
        table = tables(self.WORKLOAD, self.RESULTS)[0]
        self.assertEqual(table.headings, [
            "", "per second", "least - most", "CPU us each", "futex each", "x plain"
        ])
        self.assertEqual(table.rows, [
            ["plain", "100", "80 - 120", "5.00", "-", "1.00"],
            ["ours", "200", "180 - 240", "5.00", "-", "2.00"],
        ])

    def test_ratios_of_further_columns_come_last(self):
        workload = dataclasses.replace(self.WORKLOAD, also_compared=(CPU_US,))
        table = tables(workload, self.RESULTS)[0]
        self.assertEqual(table.headings[-2:], ["x plain", "CPU us each x plain"])
        self.assertEqual(table.rows[1][-2:], ["2.00", "1.00"])

    def test_a_version_stands_beside_the_name(self):
        versioned = [{**each, "version": "1.2"} for each in rounds(100)]
        results = [(case("plain"), rounds(100)), (case("other"), versioned)]
        table = tables(self.WORKLOAD, results)[0]
        self.assertEqual([row[0] for row in table.rows], ["plain", "other 1.2"])
        self.assertEqual([row[-1] for row in table.rows], ["1.00", "1.00"])

    def test_another_workload_has_none(self):
        self.assertEqual(tables(Workload("other", "", ()), self.RESULTS), [])


class OverAParameter(unittest.TestCase):
    WORKLOAD = Workload("work", "", (), chart=Curve("length", relative_to="plain"))

    def test_has_a_row_for_each_value_and_a_table_for_each_rest(self):
        made = tables(self.WORKLOAD, [
            (case("plain", kind="a", length=10), rounds(2, 4)),
            (case("ours", kind="a", length=10), rounds(6, 8)),
            (case("plain", kind="a", length=0.5), rounds(50, 50)),
            (case("ours", kind="a", length=0.5), rounds(25, 50)),
            (case("plain", kind="b", length=1), rounds(1, 1)),
        ])
        self.assertEqual([t.title for t in made], ["kind a", "kind b"])
        self.assertEqual(made[0].headings, ["length", "plain", "ours", "ours x plain"])
        self.assertEqual(made[0].rows, [
            ["0.5", "50", "38", "0.75 (0.50 - 1.00)"],
            ["10", "3", "7", "2.50 (2.00 - 3.00)"],
        ])
        self.assertEqual(made[1].rows, [["1", "1"]])


class Written(unittest.TestCase):
    TABLE = Table("a title", ["", "first", "2"], [["a<b+c|d", "10", "-"], ["x", "1", "20"]])

    def test_as_text_in_columns(self):
        self.assertEqual(as_text(self.TABLE), (
            "         first   2\n"
            "a<b+c|d     10   -\n"
            "x            1  20"
        ))

    def test_as_html_escaped(self):
        self.assertIn("<td>a&lt;b+c|d</td><td>10</td>", as_html(self.TABLE))

    def test_as_adoc_with_nothing_that_it_would_take_for_markup(self):
        self.assertIn("| a<b{plus}c{vbar}d | 10 | -\n| x | 1 | 20\n|===", as_adoc(self.TABLE))


if __name__ == "__main__":
    unittest.main()
