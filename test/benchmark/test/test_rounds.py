# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import contextlib
import io
import unittest
from dataclasses import replace
from pathlib import Path

from runner.case import Case, NotAvailable, Settings
from runner.rounds import measure, turned

SETTINGS = Settings(Path(), Path())


class Measuring(unittest.TestCase):
    def setUp(self):
        self.order = []

    def case(self, workload, peer):
        def note(settings):
            self.order.append((workload, peer))
            if peer == "absent":
                raise NotAvailable("there is none here")
            return {"operations": len(self.order), "seconds": 1.0}

        return Case(workload, peer, {}, note)

    def measure(self, cases, rounds):
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return measure(cases, SETTINGS, rounds)

    def test_each_round_has_each_peer_once_and_begins_with_another(self):
        peers = ["a", "b", "c", "d"]
        self.measure([self.case("w", peer) for peer in peers], 4)
        rounds = [self.order[i : i + 4] for i in range(0, 16, 4)]
        for one in rounds:
            self.assertEqual(sorted(peer for _, peer in one), peers)
        self.assertEqual(len({one[0] for one in rounds}), 4)

    def test_scenarios_are_not_mixed(self):
        self.measure([self.case(w, p) for w, p in ("xa", "ya", "xb", "yb")], 2)
        self.assertEqual([w for w, _ in self.order], list("xxyyxxyy"))

    def test_what_takes_long_is_measured_once(self):
        once = replace(self.case("w", "slow"), once=True)
        results = self.measure([self.case("w", "a"), once], 3)
        self.assertEqual([len(rounds) for _, rounds in results], [3, 1])

    def test_results_are_in_the_order_of_the_cases_and_of_the_rounds(self):
        results = self.measure([self.case("w", peer) for peer in "ab"], 2)
        self.assertEqual([case.peer for case, _ in results], ["a", "b"])
        for _, rounds in results:
            self.assertEqual(len(rounds), 2)
            self.assertLess(rounds[0]["operations"], rounds[1]["operations"])

    def test_is_told_when_a_round_has_ended(self):
        with contextlib.redirect_stderr(io.StringIO()):
            measure([self.case("w", peer) for peer in "ab"], SETTINGS, 2,
                    lambda: self.order.append("ended"))
        self.assertEqual([i for i, each in enumerate(self.order) if each == "ended"], [2, 5])

    def test_what_is_not_available_is_said_once_and_left_out(self):
        results = self.measure([self.case("w", "a"), self.case("w", "absent")], 3)
        self.assertEqual([case.peer for case, _ in results], ["a"])
        self.assertEqual(self.order.count(("w", "absent")), 1)
        self.assertEqual(self.said.getvalue().count("there is none here"), 1)

    def test_what_is_not_available_under_one_workload_may_be_under_another(self):
        def fail(settings):
            raise NotAvailable("x needs more")

        results = self.measure([Case("x", "p", {}, fail), self.case("y", "p")], 2)
        self.assertEqual([(case.workload, len(rounds)) for case, rounds in results], [("y", 2)])

    def test_a_measurement_that_fails_is_not_left_out(self):
        def fail(settings):
            raise ValueError

        with self.assertRaises(ValueError):
            self.measure([Case("w", "p", {"n": 1}, fail)], 1)
        self.assertIn("failed: w n 1 p\n", self.said.getvalue())


class Turning(unittest.TestCase):
    def test_goes_round(self):
        self.assertEqual("".join(turned("abc", 2)), "cab")
        self.assertEqual("".join(turned("abc", 3)), "abc")


if __name__ == "__main__":
    unittest.main()
