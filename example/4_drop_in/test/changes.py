# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What drop_in makes of sources that the apps beside it do not resemble.

usage: changes.py DROP_IN
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

DROP_IN = sys.argv[1]


def drop_in(source):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "app.cpp"
        path.write_text(source, encoding="utf-8")
        return subprocess.run(
            [DROP_IN, str(path)], capture_output=True, text=True, timeout=60, check=False)


class Changes(unittest.TestCase):
    def changed(self, source):
        done = drop_in(source)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_header_comes_before_asios(self):
        self.assertEqual(
            self.changed("#include <map>\n#include <boost/asio/ip/tcp.hpp>\nasio::io_context c;\n"),
            "#include <map>\n#include <asio_ewyk.hpp>\n#include <boost/asio/ip/tcp.hpp>\n"
            "asio_ewyk::strategy_context c;\n")

    def test_with_headers_of_beast_only(self):
        self.assertEqual(
            self.changed("#include <boost/beast.hpp>\nnet::io_context c{1};\n"),
            "#include <asio_ewyk.hpp>\n#include <boost/beast.hpp>\n"
            "asio_ewyk::strategy_context c{1};\n")

    def test_with_headers_of_its_own_only(self):
        self.assertEqual(
            self.changed('// An app.\n#include "app.hpp"\n::boost::asio::io_context c;\n'),
            '// An app.\n#include <asio_ewyk.hpp>\n#include "app.hpp"\n'
            "asio_ewyk::strategy_context c;\n")

    def test_what_is_included_and_variables_stay(self):
        text = self.changed(
            "#include <boost/asio/io_context.hpp>\nboost::asio::io_context io_context;\n")
        self.assertIn("#include <boost/asio/io_context.hpp>\n", text)
        self.assertIn("asio_ewyk::strategy_context io_context;\n", text)

    def test_a_source_without_the_qualified_name_is_refused(self):
        done = drop_in("#include <boost/asio.hpp>\nusing namespace boost::asio;\nio_context c;\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn("names no asio::io_context", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
