# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What benchmark_simulate prints: command_line.py <program>."""

import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)


class CommandLine(unittest.TestCase):
    def ask(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_each_listed_peer_gives_a_result(self):
        for peer in self.ask("--list"):
            with self.subTest(peer):
                result = self.ask(peer, "--cores=4", "--long_chains=2", "--seconds=0.05")
                self.assertEqual((result["peer"], result["seconds"]), (peer, 0.05))
                self.assertGreater(result["operations"], 0)
                self.assertGreater(result["long_per_second"], 0)

    def test_costs_are_taken_from_it(self):
        cheap, dear = (
            self.ask("io_context/1", "--computes=0", f"--asio_task={ns}")["operations"]
            for ns in (100, 10000)
        )
        self.assertGreater(cheap, 20 * dear)

    def test_misuse_is_said_in_a_line(self):
        for wrong in (
            ["none"], ["io_context/1", "--cores=0"], ["io_context/1", "--chains=nan"],
            ["io_context/1", "--max_threads=2"], ["io_context/1", "--no_such=1"],
        ):
            with self.subTest(wrong):
                done = run(*wrong)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^benchmark_simulate: .*\n$")


if __name__ == "__main__":
    unittest.main()
