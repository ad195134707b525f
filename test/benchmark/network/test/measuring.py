# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The runner's package `network` measures what it says: measuring.py <folder of CMake's build>."""

import dataclasses
import math
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[2]))

from runner.case import NotAvailable, Result, Settings  # noqa: E402
from runner.network import FAST_ONLY, SCENARIOS, Scenario, cases, process, servers  # noqa: E402
from runner.network.endurance import Asked, flat, recovery  # noqa: E402
from runner.network.idle import IdleConnections, possible  # noqa: E402
from runner.network.load import Load, as_result  # noqa: E402
from runner.network.measuring import allocations_each, one_each  # noqa: E402

PROGRAMS = Path(sys.argv.pop())
# They answer under each load: the first of these that a scenario has is measured.
ANSWERING = ("event_loops", "hand_tuned", "event_loop", "io_context/1")
LATENCIES = {"p50_us": "1.0", "p90_us": "2.0", "p99_us": "3.0", "p999_us": "4.0", "max_us": "5.0"}


def row(requests: int, errors: int = 0, unanswered: int = 0) -> dict[str, str]:
    return {
        "requests": str(requests), "errors": str(errors), "unanswered": str(unanswered),
        "in_time": str(requests), "refused": "0",
        **LATENCIES,
    }


class TestEndurance(unittest.TestCase):
    def test_recovery_is_until_the_last_that_was_refused_or_late(self) -> None:
        asked = [Asked(1.0, False), Asked(2.0, True), Asked(2.25, False), Asked(2.5, True)]
        self.assertEqual(recovery(asked, 2.0), 0.25)
        self.assertEqual(recovery(asked, 2.3), 0.0)
        # It has had no answer since, or the last one was no good.
        self.assertEqual(recovery(asked, 3.0), math.inf)
        self.assertEqual(recovery(asked[:3], 2.0), math.inf)
        self.assertEqual(recovery([], 2.0), math.inf)

    def test_flat_is_a_little_more_at_most(self) -> None:
        self.assertTrue(flat(10_000, 9_000))
        self.assertTrue(flat(10_000, 11_000))
        self.assertFalse(flat(10_000, 11_100))
        self.assertTrue(flat(100_000, 105_000))
        self.assertFalse(flat(100_000, 105_100))


class WithPrograms(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.settings = Settings(PROGRAMS, Path(scratch.name))


class TestUsage(unittest.TestCase):
    def test_switches_of_threads_that_began_or_ended(self) -> None:
        before = process.Usage(10.0, 1.0, {"1": (5, 1), "2": (100, 100)}, 1000)
        after = process.Usage(12.0, 1.5, {"1": (7, 2), "3": (10, 20)}, 1003)
        used = after.since(before)
        self.assertEqual((used["voluntary_switches"], used["involuntary_switches"]), (12, 21))
        self.assertEqual((used["seconds"], used["cpu_seconds"]), (2.0, 0.5))
        self.assertEqual(used["allocations"], 3)

    def test_the_clock_is_that_of_the_process(self) -> None:
        clock = process.process_clock(os.getpid())
        begin = time.process_time()
        seen = time.clock_gettime(clock)
        self.assertLessEqual(begin, seen)
        self.assertLessEqual(seen, time.process_time())


class TestLoad(unittest.TestCase):
    def test_arguments(self) -> None:
        load = Load({"a": (64, "/fast"), "b": (8, "/cpu/1")}, {"a": 0.5}, ("--echo", "1"))
        self.assertEqual(
            load.arguments(),
            "--echo 1 --class a:64:/fast --class b:8:/cpu/1 --rate a:0.5".split(),
        )

    def test_the_first_class_is_the_one_that_counts(self) -> None:
        result = as_result([row(10, 1, 3), row(20, 2, 0)], {"cpu_seconds": 1.0})
        self.assertEqual(result["operations"], 10)
        self.assertEqual(result["all_operations"], 30)
        self.assertEqual(result["errors"], 3)
        self.assertEqual(result["unanswered"], 3)
        self.assertEqual(result["cpu_seconds"], 1.0)
        self.assertEqual(result["beside"]["operations"], 20)
        self.assertEqual(list(result["latency_us"].values()), [1.0, 2.0, 3.0, 4.0, 5.0])


class TestCases(WithPrograms):
    def test_the_quick_set_names_only_peers_that_there_are(self) -> None:
        for scenario in SCENARIOS:
            self.assertLessEqual(set(scenario.quick), set(scenario.peers))

    def test_all_cases_differ(self) -> None:
        full = Settings(PROGRAMS, self.settings.scratch, full=True)
        names = [(case.workload, case.scenario, case.peer) for case in cases(full)]
        self.assertEqual(len(names), len(set(names)))
        quick = {(case.workload, case.scenario, case.peer) for case in cases(self.settings)}
        self.assertLess(quick, set(names))

    def test_what_columns_show_is_known(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("this takes two processors")
        # The last of each workload: the one of `overload_http` at which all answer in time.
        for scenario in {scenario.workload.name: scenario for scenario in SCENARIOS}.values():
            with self.subTest(scenario.workload.name):
                result = self.answered(scenario)
                self.assertEqual(result["errors"], 0)
                for column in (scenario.workload.compared, *scenario.workload.columns):
                    self.assertIsNotNone(column.value(result), column.heading)

    def test_allocations_are_counted(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("this takes two processors")
        peer = servers.requests("own")["io_context/1"]
        settings = dataclasses.replace(self.settings, seconds=0.3)
        each = allocations_each(FAST_ONLY, one_each, peer, settings)
        self.assertLess(each, 1)  # what Asio needs for handlers it uses again
        connecting = Load({"new": (8, "/fast")}, options=("--reconnect",))
        self.assertGreater(allocations_each(connecting, one_each, peer, settings), 1)

    def answered(self, scenario: Scenario) -> Result:
        """What was measured; a busy machine may need more time for the first answer."""
        for seconds in (0.3, 3.0, 30.0):
            try:
                settings = dataclasses.replace(self.settings, seconds=seconds)
                name = next(each for each in ANSWERING if each in scenario.peers)
                result = scenario.measure(scenario.peers[name], settings)
                if result["operations"]:
                    return result
            except NotAvailable as reason:
                self.skipTest(str(reason))
            except RuntimeError:
                pass  # the load generator had no answer at all
        self.fail("no request was answered")


class TestServers(WithPrograms):
    def test_one_that_does_not_start(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "where it listens"):
            with process.Server(["/bin/true"], os.sched_getaffinity(0)):
                pass

    def test_one_that_ends_by_itself(self) -> None:
        command = ["/bin/sh", "-c", "echo listening on 127.0.0.1:1"]
        with self.assertRaisesRegex(RuntimeError, "by itself"):
            with process.Server(command, os.sched_getaffinity(0)) as server:
                server.process.wait()
                raise ValueError("and so this failed")

    def test_idle_connections(self) -> None:
        self.assertEqual(possible(10), 10)
        command = servers.HTTP["epoll"].command(self.settings)
        with process.Server(command, os.sched_getaffinity(0)) as server:
            with IdleConnections(server, 10):
                descriptors = os.listdir(f"/proc/{server.process.pid}/fd")
                self.assertGreaterEqual(len(descriptors), 3 + 2 + 10)

    def test_those_in_java(self) -> None:
        for name in ("Jetty", "Netty"):
            with self.subTest(name):
                try:
                    command = servers.HTTP[name].command(self.settings)
                except NotAvailable as reason:
                    self.skipTest(str(reason))
                version = servers.HTTP[name].version
                self.assertRegex(version() if version else "", r"^[0-9]+\.[0-9]+")
                with process.Server(command, os.sched_getaffinity(0)) as server:
                    self.answers(server, "/fast", b"200 OK", b"fast\n")
                    self.answers(server, "/sleep/1", b"200 OK", b"slept\n")
                    self.answers(server, "/cpu/1", b"200 OK", b"burnt\n")
                    self.answers(server, "/nothing", b"404 Not Found", b"")

    def answers(self, server: process.Server, path: str, status: bytes, body: bytes) -> None:
        with server.connect() as client:
            request = f"GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
            client.sendall(request.encode())
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 " + status), answer)
        self.assertTrue(answer.endswith(b"\r\n\r\n" + body), answer)


if __name__ == "__main__":
    unittest.main()
