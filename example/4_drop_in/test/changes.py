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
                "threads.emplace_back([&c] { c.run(); });\n",
                "threads.emplace_back([&c] { name(); while (!c.stopped()) { c.run(); } });\n",
                "std::thread t{[&c] { name(); c.run(); }};\nthreads.emplace_back(std::move(t));\n",
                "threads[i] = std::thread([&c] { c.run(); });\n"):
            self.write("main.cpp", "asio::io_context c;\n" + sign)
            self.assertIn("rung 3: ", self.in_place())
            self.assertIn("asio_ewyk::strategy_context c;\n", self.read("main.cpp"))
        # One thread beside main() is none of several.
        for other in ("std::thread t([&c] { c.run(); });\n", "v.push_back(1); c.run();\n"):
            self.write("main.cpp", "asio::io_context c;\n" + other)
            self.assertIn("rung 1: ", self.in_place())

    def test_warns(self):
        for source, warning in (
                ("std::vector<std::shared_ptr<asio::io_context>> v;\n", "should share a pool"),
                ("asio::io_context::strand s(c);\n", "make_strand"),
                ("asio::io_context c;\nvoid f() {\n    throw 1;\n}\n", "leaves run()"),
                ("auto e = x.target<asio::io_context::executor_type>();\n", "null if another"),
                ("asio_ewyk::strategy_context c;\nstd::unique_ptr<io_context> p;\n",
                 "destructor is not virtual"),
                ("#include <asio.hpp>\n#include <boost/asio.hpp>\nasio::io_context c;\n",
                 "also includes Asio without Boost"),
                ("#include <asio.hpp>\nasio::io_context c;\n", "without Boost")):
            self.write("main.cpp", source)
            self.assertRegex(self.in_place(), r"main\.cpp:\d+: warning: .*" + warning)

    def test_one_handler_at_a_time_without_a_variable(self):
        for made, becomes in (
                ("std::make_shared<asio::io_context>()",
                 "std::make_shared<asio_ewyk::strategy_context>(asio_ewyk::strategy"
                 ".produce_consume)"),
                ("new asio::io_context",
                 "new asio_ewyk::strategy_context{asio_ewyk::strategy.produce_consume}"),
                ("p{new asio::io_context()}",
                 "p{new asio_ewyk::strategy_context{asio_ewyk::strategy.produce_consume}}")):
            self.assertIn(f"auto c = {becomes};\n", self.changed(f"auto c = {made};\n", "1"))

    def test_warns_if_the_strategy_could_not_be_said(self):
        for source in ("asio::io_context c(hint);\n",
                       "auto c = std::make_shared<asio::io_context>(n);\n"):
            self.write("main.cpp", source)
            report = self.in_place()
            self.assertRegex(report, r"main\.cpp:2: warning: .*construct the context with")
            # That is what they get.
            self.assertIn("rung 3: ", report)
            self.assertNotIn("rung 1: ", report)
        self.write("main.cpp", "void f(asio::io_context&);\n")
        self.assertIn("no context found", self.in_place())

    def test_a_constructors_list_makes_the_context(self):
        self.write("a.hpp", "struct a {\n    a();\n    a(int);\n    asio::io_context c_;\n};\n")
        self.write("a.cpp", '#include "a.hpp"\na::a() : c_() {}\na::a(int n)\n    : c_(n)\n{}\n')
        report = self.in_place()
        self.assertIn(": c_{asio_ewyk::strategy.produce_consume} {}\n", self.read("a.cpp"))
        self.assertIn(" c_{asio_ewyk::strategy.produce_consume};\n", self.read("a.hpp"))
        self.assertRegex(report, r"a\.cpp:4: warning: .*construct the context with")
        self.assertIn("rung 1: ", report)
        self.assertIn("rung 3: ", report)

    def test_says_the_rung_that_contexts_get(self):
        for hint in ("(1)", "{1}", "(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE)"):
            self.write("main.cpp", f"asio::io_context c{hint};\nauto s = asio::make_strand(c);\n")
            report = self.in_place()
            self.assertRegex(report, r"main\.cpp:2: warning: runs one handler at a time")
            self.assertIn("rung 1: ", report)
            self.assertNotIn("rung 3: ", report)
            self.assertIn(f"strategy_context c{hint};\n", self.read("main.cpp"))

    def test_comments_and_literals_stay(self):
        for kept in ("// asio::io_context c;", "/* an asio::io_context\n   asio::io_context c; */",
                     '"asio::io_context \\" asio::io_context"', 'R"x(" asio::io_context)x"',
                     "'\"' /* asio::io_context */ + 1'000'000"):
            self.assertIn(
                f"{kept}\n;asio_ewyk::strategy_context c{{1}};",
                self.changed(f"{kept}\n;asio::io_context c{{1}};\n"))
        # What they say decides nothing.
        self.write("main.cpp", "asio::io_context c; // no asio::make_strand(c)\n")
        self.assertIn("rung 1: ", self.in_place())
        self.write("main.cpp", "// asio::io_context\n")
        self.assertIn("0 files changed", self.in_place())

    def test_asio_without_boost_stays(self):
        self.write("util/asio.h", "#include <asio.hpp>\n")
        self.write("clock.h", '#include "util/asio.h"\nclass clock { asio::io_context c; };\n')
        self.write("clock.cpp", '#include "./clock.h"\nvoid f(asio::io_context&) {}\n')
        self.write("other.cpp", '#include "clock.h"\n')
        self.write("both.cpp", '#include "clock.h"\n#include <boost/asio.hpp>\n'
                   "void f(boost::asio::io_context&) {}\n")
        report = self.in_place()
        for name in ("util/asio.h", "clock.h", "clock.cpp"):
            self.assertRegex(report, rf"{name}:1: warning: left as it is: .*without Boost")
        self.assertEqual(report.count("without Boost"), 3)
        self.assertIn("1 files changed, 4 need nothing\n", report)
        self.assertIn("f(asio_ewyk::strategy_context&)", self.read("both.cpp"))

    def test_warns_of_a_context_that_is_kept_as_its_base(self):
        self.write("server.hpp", "struct server { std::shared_ptr<io_service> io_service; };\n")
        for handed_on in ("s.io_service = c;",
                          "s.it = std::make_shared<boost::asio::io_context>();",
                          "f(std::make_shared<boost::asio::io_context>());"):
            self.write("main.cpp", f"boost::asio::io_context d;\n{handed_on}\n")
            report = self.in_place()
            self.assertRegex(report, r"server\.hpp:1: warning: .*base class")
            self.assertRegex(report, r"main\.cpp:3: warning: .*base's run\(\)")
        # There it is a strategy_context.
        self.write("asio.hpp", "using boost::asio::io_service;\n")
        self.assertNotRegex(self.in_place(), r"server\.hpp:1: ")

    def test_warns_of_a_tree_that_is_converted_by_half(self):
        self.write("a.cpp", "asio_ewyk::strategy_context c;\n")
        self.write("b.cpp", "void f(asio::io_context&);\n")
        self.assertIn("converted by half", self.in_place())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
