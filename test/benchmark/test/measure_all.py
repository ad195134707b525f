# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Each peer of each workload of benchmark_workload gives a result: measure_all.py <program>."""

import json
import subprocess
import sys
import unittest

LONGEST = 8  # seconds of a measurement; far more than the slowest operation takes
PROGRAM = sys.argv.pop()


def ask(*arguments):
    done = subprocess.run(
        [PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=60
    )
    return json.loads(done.stdout)


class EachPeer(unittest.TestCase):
    maxDiff = None

    def check(self, workload, peer, parameters):
        seconds = 0.02
        while True:
            given = [f"--{name}={value}" for name, value in parameters.items()]
            result = ask(workload, peer, "--warm-up=0", f"--seconds={seconds}", *given)
            whole = result["seconds"] >= 0.9 * seconds
            if result["operations"] > 0 and whole or seconds > LONGEST:
                break
            seconds *= 4  # the machine is busy, and what runs at a fixed rate began late
        self.assertGreater(result["operations"], 0)
        self.assertTrue(whole)
        self.assertGreater(result["cpu_seconds"], 0)
        self.assertGreater(result["max_rss_kib"], 0)
        self.assertEqual((result["workload"], result["peer"]), (workload, peer))
        for name, value in parameters.items():
            self.assertEqual(result["parameters"][name], value)
        return result

    def test_works_under_each_workload(self):
        for listed in ask("--list"):
            for peer in listed["peers"]:
                with self.subTest(workload=listed["workload"], peer=peer):
                    self.check(listed["workload"], peer, {})

    def test_is_posted_to_from_outside(self):
        posted = next(listed for listed in ask("--list") if listed["workload"] == "post")
        for peer in posted["peers"]:
            with self.subTest(peer=peer):
                self.check("post", peer, {"producers": 2, "window": 10})

    def test_has_a_latency(self):
        latency = self.check("bimodal", "eat_what_you_kill", {"long_percent": 0})["latency_us"]
        self.assertGreater(latency["p50"], 0)
        self.assertEqual(sorted(latency.values()), list(latency.values()))

    def test_sleeps_as_long_as_it_is_told(self):
        result = self.check("handler_length", "io_context/n",
            {"length": 1000, "sleeps": 1, "chains": 1})
        # 1 ms each, one after the other.
        self.assertLessEqual(result["operations"], result["seconds"] * 1000 + 1)


class Misuse(unittest.TestCase):
    def fails(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_is_said(self):
        self.assertIn("nowork", self.fails("nowork", "io_context/1"))
        self.assertIn("nopeer", self.fails("post", "nopeer"))
        self.assertIn("seconds", self.fails("post", "io_context/1", "--seconds=-1"))
        self.assertIn("chains", self.fails("post", "io_context/1", "--chains=nan"))
        self.assertIn("rate", self.fails("bimodal", "io_context/1", "--rate=0"))
        self.assertIn("no_such", self.fails("post", "io_context/1", "--no_such=1"))


if __name__ == "__main__":
    unittest.main()
