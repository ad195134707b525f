# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Records each strategy and draws it; then what ewyk_timeline does with bad input.

usage: pictures.py EWYK_RECORD EWYK_TIMELINE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

RECORD, TIMELINE = sys.argv[1:3]
SVG = "{http://www.w3.org/2000/svg}"


def run(*command, **environment):
    return subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | environment)


class Pictures(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.trace = pathlib.Path(directory.name) / "trace.json"
        self.picture = pathlib.Path(directory.name) / "picture.svg"

    def record(self, strategy, grace=0):
        recorded = run(RECORD, strategy, grace, self.trace)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)

    def draw(self, *options):
        drawn = run(TIMELINE, "--output", self.picture, *options, self.trace)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        return xml.etree.ElementTree.parse(self.picture).getroot()

    @staticmethod
    def titles(root, tag):
        return [e.findtext(SVG + "title") or "" for e in root.iter(SVG + tag)]

    def test_each_task_is_drawn_once(self):
        for strategy, grace in (
            ("produce_consume", 0),
            ("produce_execute_consume", 0),
            ("execute_produce_consume", 0),
            ("eat_what_you_kill", 0),
            ("eat_what_you_kill", 3000),
        ):
            with self.subTest(strategy=strategy, grace=grace):
                self.record(strategy, grace)
                boxes = self.titles(self.draw(), "rect")
                for task in ("read_1", "query_2", "read_3", "query_4", "read_5", "read_6"):
                    self.assertEqual(sum(task in box for box in boxes), 1, task)

    def test_arrows_show_who_changes_threads(self):
        self.record("produce_consume")
        self.assertNotIn("switch", self.titles(self.draw(), "path"))
        self.record("produce_execute_consume")
        self.assertEqual(self.titles(self.draw(), "path").count("switch"), 6)
        self.record("execute_produce_consume")
        self.assertIn("hand-over", self.titles(self.draw(), "path"))

    def test_files_of_the_flight_recorder(self):
        kept = self.trace.parent / "kept"
        recorded = run(RECORD, "produce_consume", 0, self.trace,
            ASIO_EWYK_KEEP=f"{kept},queued=0,ran=7ms,every=0")
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        late = 0
        for self.trace in sorted(kept.iterdir()):
            late += sum(c["name"].startswith("(anonymous namespace)::query_")
                for c in json.loads(self.trace.read_text())["otherData"]["culprits"])
            boxes = self.titles(self.draw(), "rect")
            self.assertTrue(any(", ran " in box for box in boxes), boxes)
        self.assertEqual(late, 2)

    def test_the_culprit_is_framed_with_what_is_around(self):
        def span(tid, begin, end, name):
            return [{"ph": "B", "tid": tid, "ts": begin, "cat": "consume", "name": name},
                    {"ph": "E", "tid": tid, "ts": end}]

        events = span(1, 0, 1000, "long_ago") + span(1, 500_000, 600_000, "a.cpp:7 x::slow")
        events += span(2, 590_000, 595_000, "meanwhile") + [
            {"ph": "b", "tid": 1, "id": 1, "ts": 100, "cat": "span", "name": "request 1"},
            {"ph": "b", "tid": 1, "id": 2, "ts": 550_000, "cat": "span", "name": "request 2"},
            {"ph": "e", "tid": 2, "id": 1, "ts": 580_000, "cat": "span", "name": "request 1"},
            {"ph": "e", "tid": 2, "id": 2, "ts": 590_000, "cat": "span", "name": "request 2"}]
        culprits = [{"kind": "ran", "name": "slow", "tid": 1, "ts": 500_000, "end_ts": 600_000},
            {"kind": "stalled", "name": "elsewhere", "ts": 500_000, "end_ts": 600_000}]
        self.trace.write_text(json.dumps(
            {"otherData": {"culprits": culprits}, "traceEvents": events}), encoding="utf-8")
        root = self.draw()
        boxes = self.titles(root, "rect")
        self.assertIn("slow, ran 100.00 ms", boxes)
        for name, n in (("meanwhile", 1), ("x::slow", 1), ("request 1", 1), ("request 2", 1),
                ("long_ago", 0)):
            self.assertEqual(sum(name in box for box in boxes), n, name)
        texts = ["".join(e.itertext()) for e in root.iter(SVG + "text")]
        self.assertEqual(texts.count("spans"), 2)
        self.assertIn("a.cpp:7 x::slow", texts)
        self.assertTrue(
            any("long_ago" in box for box in self.titles(self.draw("--from", "0"), "rect")))

    def test_the_end_of_the_last_task_is_marked(self):
        def span(begin, end, name):
            return [{"ph": "B", "tid": 1, "ts": begin, "cat": "consume", "name": name},
                    {"ph": "E", "tid": 1, "ts": end}]

        events = span(2000, 3200, "short") + span(4000, 12_000, "a_long_one")
        self.trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
        one_axis = "--from", "0", "--to", "26"

        def texts(*options):
            root = self.draw(*one_axis, *options)
            return ["".join(e.itertext()) for e in root.iter(SVG + "text")]

        self.assertIn("all done at 12.0 ms", texts("--done"))
        self.assertNotIn("all done at 12.0 ms", texts())
        for name in ("short", "a_long_one"):
            self.assertEqual(texts().count(name), 1)

    def test_text_is_escaped(self):
        self.record("produce_consume")
        root = self.draw("--title", "<&>", "--from", "0", "--to", "3", "--width", "500", "--posts",
            "--all-threads")
        self.assertEqual(root.findtext(SVG + "title"), "<&>")
        self.assertEqual(root.get("width"), "500")

    def test_bad_input(self):
        for content, message in (
            ("", "no JSON"),
            ("{", "no JSON"),
            ("[]", "no trace of asio_ewyk"),
            ("{}", "no trace of asio_ewyk"),
            ('{"traceEvents": [1]}', "no trace of asio_ewyk"),
            ('{"traceEvents": []}', "nothing to draw"),
            ('{"traceEvents": [{"ph": "E", "tid": 1, "ts": 0}]}', "damaged"),
            ('{"traceEvents": [{"ph": "B", "tid": 1, "ts": 0, "name": "", "cat": ""}]}', "damaged"),
        ):
            with self.subTest(content=content):
                self.trace.write_text(content, encoding="utf-8")
                drawn = run(TIMELINE, self.trace)
                self.assertEqual(drawn.returncode, 1)
                self.assertIn(message, drawn.stderr)
                self.assertEqual(drawn.stdout, "")

    def test_what_cannot_be_read_or_written(self):
        self.assertEqual(run(TIMELINE, self.trace).returncode, 1)
        self.record("produce_consume")
        drawn = run(TIMELINE, "-o", "/nonexistent/picture.svg", self.trace)
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("cannot write", drawn.stderr)

    def test_bad_command_lines(self):
        for options in (
            [], ["--nonsense"], ["--width", "1", "x"], ["--from", "2", "--to", "1", "x"]):
            with self.subTest(options=options):
                drawn = run(TIMELINE, *options)
                self.assertEqual(drawn.returncode, 2)
                self.assertIn("--help", drawn.stderr)
        self.assertEqual(run(TIMELINE, "--help").returncode, 0)
        for arguments in (
            [], ["produce_consume", "soon", self.trace], ["produce_consume", "1x", self.trace],
            ["produce_consume", "-1", self.trace], ["produce_nothing", "0", self.trace],
            ["produce_consume", "0", self.trace, "more"]):
            with self.subTest(arguments=arguments):
                recorded = run(RECORD, *arguments)
                self.assertEqual(recorded.returncode, 2)
                self.assertEqual(recorded.stderr.count("\n"), 1)
        self.assertFalse(self.trace.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
