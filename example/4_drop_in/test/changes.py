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


def drop_in(*arguments):
    return subprocess.run(
        [DROP_IN, *arguments], capture_output=True, text=True, timeout=60, check=False)


class Changes(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def write(self, name, text):
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name):
        return (self.directory / name).read_text(encoding="utf-8")

    def changed(self, source, rung="3"):
        done = drop_in("--rung", rung, str(self.write("app.cpp", source)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def in_place(self):
        done = drop_in("-i", str(self.directory))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
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

    def test_without_any_include_the_header_comes_after_the_guard(self):
        for guard in ("#pragma once\n", "#ifndef A_HPP\n#define A_HPP\n"):
            self.assertEqual(
                self.changed(guard + "void f(boost::asio::io_context&);\n"),
                guard + "#include <asio_ewyk.hpp>\nvoid f(asio_ewyk::strategy_context&);\n")

    def test_what_is_included_and_variables_stay(self):
        text = self.changed(
            "#include <boost/asio/io_context.hpp>\nboost::asio::io_context io_context;\n")
        self.assertIn("#include <boost/asio/io_context.hpp>\n", text)
        self.assertIn("asio_ewyk::strategy_context io_context;\n", text)

    def test_after_a_using(self):
        text = self.changed(
            "#include <boost/asio.hpp>\nusing namespace boost::asio;\nio_context io_context;\n"
            "void f(io_context& c, io_context::executor_type) { c.run(); io_context.run(); }\n")
        self.assertIn(
            "asio_ewyk::strategy_context io_context;\n"
            "void f(asio_ewyk::strategy_context& c, asio_ewyk::strategy_context::executor_type)"
            " { c.run(); io_context.run(); }\n", text)
        self.assertIn(
            "using io_context = asio_ewyk::strategy_context;\nio_context c;\n",
            self.changed("using boost::asio::io_context;\nio_context c;\n"))

    def test_aliases_and_the_old_name(self):
        self.assertIn(
            "asio_ewyk::strategy_context c; asio_ewyk::strategy_context d;",
            self.changed("namespace ba = boost::asio;\nba::io_service c; ba::io_context d;\n"))

    def test_forward_declarations_need_no_header(self):
        for declaration in (
                "namespace boost { namespace asio { class io_context; } }",
                "namespace boost::asio { class io_context; }"):
            self.assertEqual(
                self.changed(declaration + "\n"),
                "namespace asio_ewyk { class strategy_context; }\n")

    def test_one_handler_at_a_time_is_said_where_it_is_made(self):
        for variable in ("c", "c{1}", "c(1)", "c{}"):
            self.assertIn(
                "asio_ewyk::strategy_context c{asio_ewyk::strategy.produce_consume};\n",
                self.changed(f"asio::io_context {variable};\n", "1"))
        self.assertIn(
            "strategy_context& c;", self.changed("asio::io_context& c;\n", "1"))

    def test_a_source_that_names_none_is_refused(self):
        for source in ("int io_context;\n", "#include <asio.hpp>\nasio::io_context c;\n"):
            done = drop_in(str(self.write("app.cpp", source)))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("names no io_context", done.stderr)

    def test_a_tree_with_headers(self):
        self.write("server/server.hpp", "#pragma once\nusing namespace boost::asio;\n")
        self.write("server/server.cpp", '#include "server.hpp"\nvoid f(io_context& c) {}\n')
        self.write("main.cpp", "#include <boost/asio.hpp>\r\nboost::asio::io_context c;\r\n")
        self.write("other.h", "struct other {};\n")
        self.write(".hidden/a.cpp", "asio::io_context c;\n")
        report = self.in_place()
        self.assertIn("2 files changed, 2 need nothing\n", report)
        self.assertIn("rung 1: ", report)
        self.assertIn("void f(asio_ewyk::strategy_context& c)", self.read("server/server.cpp"))
        self.assertIn("{asio_ewyk::strategy.produce_consume};", self.read("main.cpp"))
        self.assertEqual(self.read(".hidden/a.cpp"), "asio::io_context c;\n")
        # Once more, it has nothing to do.
        self.assertIn("0 files changed, 4 need nothing\n", self.in_place())

    def test_strands_or_threads_let_handlers_run_concurrently(self):
        for sign in (
                "auto s = asio::make_strand(c);\n",
                "threads.emplace_back([&c] { c.run(); });\n"):
            self.write("main.cpp", "asio::io_context c;\n" + sign)
            self.assertIn("rung 3: ", self.in_place())
            self.assertIn("asio_ewyk::strategy_context c;\n", self.read("main.cpp"))
        # One thread beside main() is none of several.
        self.write("main.cpp", "asio::io_context c;\nstd::thread t([&c] { c.run(); });\n")
        self.assertIn("rung 1: ", self.in_place())

    def test_warns(self):
        for source, warning in (
                ("std::vector<std::shared_ptr<asio::io_context>> v;\n", "should share a pool"),
                ("asio::io_context::strand s(c);\n", "make_strand"),
                ("asio::io_context c;\nvoid f() {\n    throw 1;\n}\n", "leaves run()"),
                ("asio_ewyk::strategy_context c;\nstd::unique_ptr<io_context> p;\n",
                 "destructor is not virtual"),
                ("#include <asio.hpp>\nasio::io_context c;\n", "without Boost")):
            self.write("main.cpp", source)
            self.assertRegex(self.in_place(), r"main\.cpp:\d+: warning: .*" + warning)

    def test_warns_if_the_strategy_could_not_be_said(self):
        self.write("main.cpp", "auto c = std::make_shared<asio::io_context>();\n")
        self.assertIn("construct the context with", self.in_place())

    def test_warns_of_a_tree_that_is_converted_by_half(self):
        self.write("a.cpp", "asio_ewyk::strategy_context c;\n")
        self.write("b.cpp", "void f(asio::io_context&);\n")
        self.assertIn("converted by half", self.in_place())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
