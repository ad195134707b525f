# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

import unittest
from pathlib import Path
from unittest import mock

from runner import simulation
from runner.case import Case, NotAvailable, Settings

SETTINGS = Settings(Path(), Path())
PRIMITIVES = {
    "system_call": 80, "clock": 20, "atomic": 9, "wake_call": 900, "wake_call_queued": 500,
    "interruption": 1900, "line_transfer": 60, "sleep_late": 60000, "exact_sleep_late": 5000,
    "futex_same_core": 1500, "futex_other_core": 5000,
}
KNOWN = {"cpus_in_use": [0, 1], "primitives_ns": PRIMITIVES}
MEASURED = {
    "length": 1000, "chains": 64, "threads": 2, "max_threads": 16, "grace": 50,
}


def rounds(operations, parameters=None):
    return [{"operations": operations, "seconds": 1.0, "parameters": parameters or {}}]


def case(workload, peer, **parameters):
    return Case(workload, peer, parameters, lambda settings: {})


BASE = [
    (case("post", "io_context/1", chains=8), rounds(20_000_000)),
    (case("post", "produce_consume", chains=8), rounds(10_000_000)),
]


class Costs(unittest.TestCase):
    def test_are_the_primitives_and_what_remains_of_the_base_cases(self):
        found = simulation.costs(KNOWN, BASE, PRIMITIVES)
        self.assertEqual(found["wake_other_core"], 5000)
        self.assertEqual(found["strategy_task"], 100)
        self.assertEqual(found["asio_task"], 50 - 80 / 8)

    def test_that_older_records_lack_are_guessed(self):
        old = {name: PRIMITIVES[name] for name in PRIMITIVES
               if name not in ("atomic", "wake_call_queued", "interruption")}
        found = simulation.costs(KNOWN, BASE, old)
        self.assertEqual(found["interruption"], 2 * 1500)
        self.assertEqual(found["wake_call_queued"], 0.4 * 1500)
        self.assertEqual(found["atomic"], 0.35 * 20)
        self.assertEqual(simulation.costs(KNOWN, BASE, PRIMITIVES)["interruption"], 1900)

    def test_are_not_known_without_a_base_case(self):
        with self.assertRaisesRegex(NotAvailable, "post chains 8 produce_consume"):
            simulation.costs(KNOWN, BASE[:1], PRIMITIVES)

    def test_are_not_known_without_a_primitive(self):
        with self.assertRaises(NotAvailable):
            simulation.costs(KNOWN, BASE, {**PRIMITIVES, "clock": None})


class Comparison(unittest.TestCase):
    def compare(self, results, *simulated, known=KNOWN):
        def ask(settings, *arguments):
            if arguments == ("--list",):
                return ["io_context/1", "produce_consume"]
            self.asked.append(arguments)
            operations = simulated[(len(self.asked) - 1) % len(simulated)]
            return {"operations": operations, "seconds": 1.0}

        self.asked = []
        with mock.patch.object(simulation, "_ask", ask):
            return simulation.compare(SETTINGS, known, BASE + results)

    def test_says_what_is_alike_and_what_is_not(self):
        table = self.compare([
            (case("cpu_bound", "io_context/1", length=1000), rounds(1000, MEASURED)),
            (case("cpu_bound", "produce_consume", length=1000), rounds(800, MEASURED)),
            (case("cpu_bound", "produce_consume", length=10),
             rounds(800, MEASURED) + rounds(790, MEASURED) + rounds(1000, MEASURED)),
        ], 1000)
        self.assertEqual(table.title, "simulated as measured, within 15% of the median: 1 of 3;"
                                      " or between the least and the most: 2")
        self.assertEqual([row[1:3] + row[4:] for row in table.rows], [
            ["io_context/1", "1000", "1000", "+0%", "yes"],
            ["produce_consume", "800", "1000", "+25%", "no"],
            ["produce_consume", "800", "1000", "+25%", "in range"],
        ])

    def test_simulates_each_round_with_its_costs(self):
        several = [{**PRIMITIVES, "futex_other_core": cost} for cost in (5000, 2000, 3000)]
        table = self.compare(
            [(case("cpu_bound", "io_context/1", length=1000), rounds(1000, MEASURED))],
            900, 5000, 950, known={**KNOWN, "primitives_of_rounds_ns": several},
        )
        self.assertEqual(table.rows[0][4], "950")
        for number, cost in enumerate((5000, 2000, 3000)):
            self.assertIn(f"--wake_other_core={cost}", self.asked[number])

    def test_simulates_what_was_measured(self):
        self.compare([
            (case("handler_length", "io_context/1"), rounds(9, {**MEASURED, "sleeps": 1})),
        ], 9)
        self.assertEqual(self.asked[0][0], "io_context/1")
        for argument in ("--cores=2", "--computes=0", "--sleeps=1000", "--chains=64"):
            self.assertIn(argument, self.asked[0])

    def test_leaves_out_what_it_cannot_simulate(self):
        table = self.compare([
            (case("cpu_bound", "event_loop"), rounds(1000, MEASURED)),
            (case("cpu_bound", "io_context/1"), rounds(1000, {**MEASURED, "max_threads": 2})),
            (case("echo", "io_context/1"), rounds(1000, MEASURED)),
        ], 1000)
        self.assertEqual(table.rows, [])


if __name__ == "__main__":
    unittest.main()
