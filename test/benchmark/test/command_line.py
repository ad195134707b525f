# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The benchmark as it is used, over programs that are built: command_line.py <build folder>."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = sys.argv.pop()
ONE = ("--only", "^post chains 8 (event_loop|produce_consume)$")
SHORT = ("--seconds", "0.01", "--rounds", "2")


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "runner", "--build", BUILD, *arguments],
        capture_output=True, text=True, timeout=100,
    )


class CommandLine(unittest.TestCase):
    def succeed(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_lists_what_only_leaves(self):
        self.assertEqual(
            self.succeed("--list", *ONE), "post chains 8 produce_consume\npost chains 8 event_loop\n"
        )

    def test_the_full_set_has_more(self):
        quick, full = set(self.succeed("--list").split("\n")), self.succeed("--list", "--full")
        self.assertLess(quick, set(full.split("\n")))

    def test_misuse_is_said_in_a_line(self):
        for wrong in (
            ["--only", "no such thing"], ["--only", "("], ["--rounds", "0"], ["--seconds", "nan"],
            ["--show", "no such file"], ["--show", __file__], ["--cpus", "a"], ["--cpus", "9999"], ["--no-such-option"],
            ["--overload", "0"], ["--overload", "soon"],
        ):
            with self.subTest(wrong):
                done = run(*wrong)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("Traceback", done.stderr)
                self.assertIn("test/benchmark/run: ", done.stderr)

    def test_prints_a_table_with_the_conditions(self):
        text = self.succeed(*ONE, *SHORT)
        self.assertRegex(text, r"(?m)^CPU: .*\n")
        self.assertRegex(text, r"(?m)^event_loop +[1-9]\d* +\d+ - \d+")

    def test_runs_on_the_chosen_cpus(self):
        self.assertRegex(self.succeed(*ONE, *SHORT, "--cpus", "0"), r"(?m)^CPU: +1 x")

    def test_writes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [Path(folder, f"results.{suffix}") for suffix in ("json", "adoc")]
            self.succeed(*ONE, *SHORT, "--json", names[0], "--adoc", names[1])
            known = json.loads(names[0].read_text(encoding="utf-8"))
            self.assertEqual(known["conditions"]["rounds"], 2)
            self.assertEqual([len(r["rounds"]) for r in known["results"]], [2, 2])
            document = names[1].read_text(encoding="utf-8")
            self.assertIn("| event_loop | ", document)

            charts = Path(folder, "charts")
            self.succeed("--show", names[0], "--adoc", names[1], "--charts", charts)
            self.assertEqual(names[1].read_text(encoding="utf-8"), document)
            # What is drawn from the page: nothing else was measured.
            self.assertEqual(
                [each.name for each in charts.iterdir()], ["benchmark_many_cores.svg"])


if __name__ == "__main__":
    unittest.main()
