# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Records each strategy and draws it; then what ewyk_timeline does with bad input.

usage: pictures.py EWYK_RECORD EWYK_TIMELINE
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

RECORD, TIMELINE = sys.argv[1:3]
SVG = "{http://www.w3.org/2000/svg}"


def run(*command):
    return subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=120, check=False)


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
