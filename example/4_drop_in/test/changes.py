# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What drop_in makes of sources that the apps beside it do not resemble.

usage: changes.py DROP_IN
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DROP_IN = str(pathlib.Path(sys.argv[1]).resolve())


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
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name):
        return (self.directory / name).read_text(encoding="utf-8")

    def changed(self, source, rung="3"):
        done = drop_in("--rung", rung, str(self.write("app.cpp", source)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def in_place(self, *options):
        done = drop_in(*options, "-i", str(self.directory))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def warnings(self, source, *options):
        self.write("main.cpp", source)
        return re.findall(r"main\.cpp:\d+: warning: .*", self.in_place(*options))

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
        # Lines are those of the file as it was.
        self.assertRegex(
            self.warnings("namespace boost { namespace asio {\nclass io_context;\n} }\n"
                          "app::asio::io_context* c;\n")[0], r"main\.cpp:4: .*app::asio")

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
                ("std::vector<std::shared_ptr<asio::io_context>> v;\n", "was a promise"),
                ("asio::io_context::strand s(c);\n", "make_strand"),
                ("asio::io_context c;\nauto s = asio::make_strand(c);\n"
                 "void f() { asio::post(s, [] { throw 1; }); }\n", r"leaves run\(\)"),
                ("class s : public asio::detail::service_base<s> { s(asio::io_context&); };\n",
                 "execution_context&"),
                ("class s : public asio::io_context::service { s(asio::io_context&); };\n",
                 "execution_context&"),
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

    def test_an_element_is_no_context_of_several_threads(self):
        for run in ("threads.emplace_back([&, i] { c[i]->run(); });",
                    "threads.emplace_back([&] { (*it)->run(); });",
                    "for (auto& each : c) threads.emplace_back([&each] { each->run(); });",
                    "threads.emplace_back(std::bind(&asio::io_context::run, c[i]));"):
            self.write("main.cpp", f"asio::io_context first;\n{run}\n")
            report = self.in_place()
            self.assertIn("rung 1: ", report)
            self.assertNotIn("rung 3: ", report)
        # Nor is what was taken out of a container.
        for container in ("std::vector<std::unique_ptr<asio::io_context>> all;",
                          "std::array<boost::asio::io_context, 4> all;"):
            report = self.warnings(
                f"{container}\nasio::io_context first;\nvoid f(asio::io_context& c)\n"
                "{ threads.emplace_back([&c] { c.run(); }); }\n")
            self.assertEqual(len(report), 1)
            self.assertRegex(report[0], "several contexts: .*promise.*produce_consume")
            self.assertIn("first{asio_ewyk::strategy.produce_consume}", self.read("main.cpp"))

    def test_another_asio_stays(self):
        for own in ("app::asio::io_context c;\n",
                    "namespace app { namespace asio { class io_context; } }\n"
                    "app::asio::io_context c;\n",
                    "using namespace sim;\nstd::unique_ptr<sim::asio::io_context> p;\n"
                    "asio::io_context c;\n",
                    "namespace asio = sim::asio;\nasio::io_context c;\n",
                    "namespace app { using app::net::tcp; net::io_context c; }\n"):
            own = f"#include <boost/asio.hpp>\n{own}"
            report = self.warnings(f"{own}boost::asio::io_context d(1);\n")
            self.assertEqual(len(report), 1)
            self.assertRegex(report[0], r"left as it is: [\w:]*(asio|net)::io_context is not")
            self.assertEqual(
                self.read("main.cpp"),
                f"#include <asio_ewyk.hpp>\n{own}"
                "asio_ewyk::strategy_context d{asio_ewyk::strategy.produce_consume};\n")
        # A header may bring it, too.
        self.write("sim.hpp", "using namespace sim;\nusing s = sim::asio::io_context;\n")
        self.write("main.cpp", '#include "sim.hpp"\nasio::io_context c;\n')
        self.write("other.cpp", "asio::io_context c{1};\n")
        report = self.in_place("--rung", "3")
        self.assertIn("1 files changed, 2 need nothing\n", report)
        self.assertRegex(report, r"main\.cpp:2: warning: left.* \(and 1 more files\)")

    def test_an_alias_in_a_namespace_is_boosts(self):
        self.assertEqual(
            self.changed("namespace app { namespace asio = boost::asio; asio::io_context a{1}; }\n"
                         "app::asio::io_context b{1};\n::app::asio::io_context& c = b;\n"),
            "#include <asio_ewyk.hpp>\n"
            "namespace app { namespace asio = boost::asio; asio_ewyk::strategy_context a{1}; }\n"
            "asio_ewyk::strategy_context b{1};\nasio_ewyk::strategy_context& c = b;\n")
        self.assertIn("\nasio_ewyk::strategy_context c{1};", self.changed(
            "#include <boost/beast.hpp>\nboost::beast::net::io_context c{1};\n"))

    def test_a_name_that_a_header_declares_anew(self):
        self.write("fwd.hpp", "namespace app { using boost::asio::io_context; }\n")
        self.write("a.cpp", '#include "fwd.hpp"\nauto c = std::make_shared<io_context>(1);\n')
        self.in_place()
        self.assertIn("<io_context>(asio_ewyk::strategy.produce_consume)", self.read("a.cpp"))
        # In a tree that was converted before, a new context is left to its author.
        self.write("b.cpp", '#include "fwd.hpp"\napp::io_context c;\n')
        self.assertIn("0 files changed", self.in_place())
        self.write("fwd.hpp", "namespace app { using boost::asio::io_context; }\n")
        self.in_place()
        self.assertIn("app::io_context c{asio_ewyk::strategy.pro", self.read("b.cpp"))

    def test_boosts_own_headers_stay(self):
        self.write("include/boost/process/async.hpp", "void f(boost::asio::io_context&);\n")
        self.write("main.cpp",
                   "#include <boost/process/async.hpp>\nboost::asio::io_context c{1};\n")
        report = self.in_place("--rung", "3")
        self.assertIn("1 files changed, 1 need nothing\n", report)
        self.assertRegex(report, r"async\.hpp:1: warning: left as it is: Boost's own")

    def test_each_program_has_a_rung(self):
        begin = '#include "session.hpp"\n'
        for name in ("server", "client"):
            self.write(f"{name}/main.cpp", f"{begin}int main() {{ asio::io_context c; }}\n")
            self.write(f"{name}/session.hpp", "#pragma once\n")
        self.write("server/session.cpp", f"{begin}auto s = asio::make_strand(c);\n")
        report = self.in_place()
        self.assertRegex(report, r"client/main\.cpp: rung 1, as no strand")
        self.assertRegex(report, r"server/main\.cpp: rung 3, as .* a strand, .*session\.cpp:2")
        self.assertIn("strategy_context c;", self.read("server/main.cpp"))
        self.assertIn("c{asio_ewyk::strategy.produce_consume};", self.read("client/main.cpp"))

    def test_what_programs_share_suits_all(self):
        self.write("shared.hpp", "#pragma once\nstruct shared { asio::io_context s; };\n")
        self.write("a.cpp", '#include "shared.hpp"\nint main() { }\n')
        self.write("b.cpp", '#include "shared.hpp"\nint main() { asio::make_strand(x); }\n')
        report = self.in_place()
        self.assertRegex(report, r"shared\.hpp:3: warning: .*a\.cpp; so for .*b\.cpp, too")
        self.assertIn("s{asio_ewyk::strategy.produce_consume};", self.read("shared.hpp"))

    def test_the_rung_of_a_program_may_be_told(self):
        for name in ("a.cpp", "b.cpp"):
            self.write(name, "int main() { asio::io_context c; }\n")
        report = self.in_place("--rung", "1", "--rung", f"3={self.directory / 'b.cpp'}")
        self.assertRegex(report, r"b\.cpp: rung 3, as told")
        self.assertIn("produce_consume", self.read("a.cpp"))
        self.assertIn("strategy_context c; }", self.read("b.cpp"))
        done = drop_in("--rung", "3=c.cpp", "-i", str(self.directory))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("c.cpp is no program here", done.stderr)

    def test_says_what_is_wrong_with_a_rung(self):
        for rung, message in (("2", "blocking_section"), ("4", "no rung 4")):
            done = drop_in("--rung", rung, str(self.write("app.cpp", "asio::io_context c;\n")))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)
            self.assertNotIn("usage", done.stderr)

    def test_says_where_rung_1_is_not_as_before(self):
        source = ("asio::io_context c;\n"
                  "void f() { threads.emplace_back([] { c.run(); }); }\n")
        warnings = self.warnings(source, "--rung", "1")
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], r"not as before.*execute_produce_consume")
        self.assertEqual(self.warnings(source), [])

    def test_a_dry_run_prints_a_diff(self):
        before = b"#include <boost/asio.hpp>\r\n// \xe4\r\nboost::asio::io_context c{1};"
        path = self.write("main.cpp", "")
        path.write_bytes(before)
        done = subprocess.run([DROP_IN, "--rung", "3", "--dry-run", "."], cwd=self.directory,
                              capture_output=True, timeout=60, check=True)
        self.assertEqual(path.read_bytes(), before)
        self.assertIn(b"1 files would be changed, 0 need nothing\n", done.stderr)
        subprocess.run(["git", "apply", "-"], cwd=self.directory, input=done.stdout, check=True)
        dry = path.read_bytes()
        self.assertIn(b"asio_ewyk::strategy_context c{1};", dry)
        path.write_bytes(before)
        self.in_place("--rung", "3")
        self.assertEqual(path.read_bytes(), dry)

    def test_a_suffix_keeps_what_was(self):
        before = "asio::io_context c;\n"
        self.write("main.cpp", before)
        self.write("other.cpp", "int i;\n")
        for source in (before, "asio::io_context d;\n"):
            self.write("main.cpp", source)
            drop_in("-i.orig", str(self.directory))
            self.assertIn("ewyk", self.read("main.cpp"))
            self.assertEqual(self.read("main.cpp.orig"), before)
        self.assertFalse((self.directory / "other.cpp.orig").exists())

    def test_no_needless_warning(self):
        for source in (
                # What is thrown elsewhere, or with one handler at a time, is as before.
                "asio::io_context c;\nasio::make_strand(c);\nvoid f() { throw 1; }\n",
                "asio::io_context c;\nvoid f() { asio::post(c, [] { throw 1; }); }\n",
                "asio::io_context c;\nasio::make_strand(c);\n"
                "void f() { asio::post(c, [] { try { throw 1; } catch (...) { } }); }\n",
                # What holds work is no context, nor what takes one.
                "asio::io_context c;\nstd::vector<asio::io_context::work> w;\n"
                "void f() { s.work = std::make_shared<asio::io_context::work>(c); }\n",
                "asio::io_context c;\n"
                "f(std::vector<std::shared_ptr<s>> const& v, asio::io_context&);\n",
                # Handed on to what is the app's own.
                "struct r { asio::io_context* io_context{}; };\nasio::io_context c;\n"
                "void f(r x) { x.io_context = &c; }\n",
                "struct s { s() : p(std::make_shared<asio::io_context>()) { }\n"
                "    std::shared_ptr<asio::io_context> p; };\n",
                # A reference that becomes another one makes no context.
                "void f() { asio::io_context c; }\n"
                "struct s { s(asio::io_context& x) : c(x) { } asio::io_context& c; };\n"):
            self.assertEqual(self.warnings(source), [], source)

    def test_warns_of_an_older_standard(self):
        self.write("src/main.cpp", "asio::io_context c;\n")
        for name, line in (
                ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 11)"),
                ("src/CMakeLists.txt", "target_compile_features(a PRIVATE cxx_std_17)"),
                ("Makefile", "CXXFLAGS += -std=c++14 -O2"),
                ("meson.build", "project('a', 'cpp', default_options : ['cpp_std=c++17'])"),
                ("Jamroot", "project : requirements <cxxstd>17 ;")):
            build = self.write(name, f"# C++\n{line}\n")
            done = drop_in("--dry-run", str(self.directory / "src"))
            self.assertRegex(done.stderr, rf"{name}:2: warning: the library needs C\+\+20")
            build.write_text(f"# {line}\n" + line.replace("11", "20").replace("14", "20")
                             .replace("17", "20"), encoding="utf-8")
            self.assertNotIn("C++20", drop_in("--dry-run", str(self.directory / "src")).stderr)
            build.unlink()

    def test_a_cast_for_process(self):
        begin = "#include <boost/process.hpp>\nnamespace bp = boost::process;\n"
        cast = "static_cast<boost::asio::io_context&>({})"
        for call, variable in (
                ("bp::child c(\"a\", {}, bp::on_exit = f);", "ioc"),
                ("auto c = bp::child(exe, g(x, 1), bp::std_out > p,\n    {});", "ioc"),
                ("bp::system(\"a\", {});", "ioc"),
                ("auto c = std::make_unique<bp::child>(\"a\", {});", "*this->p"),
                ("boost::process::spawn(\"a\", {});", "s.ioc")):
            changed = self.changed(
                f"{begin}asio::io_context ioc{{1}}; std::unique_ptr<asio::io_context> p;\n"
                + call.replace("{}", variable))
            self.assertIn(call.replace("{}", cast.format(variable)), changed)
        # They take it as a reference, or are Asio's.
        for call in ("bp::async_pipe p(ioc);", "bp::async_system(ioc, f, g);",
                     "bp::child c(\"a\", f(ioc));", "asio::spawn(ioc, f);"):
            self.assertNotIn(
                "static_cast", self.changed(f"{begin}asio::io_context ioc{{1}};\n{call}\n"))

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
        self.assertRegex(report, r"clock.cpp:1: warning: left as .*without.*and 2 more files")
        self.assertEqual(report.count("without Boost"), 1)
        for name in ("util/asio.h", "clock.h", "clock.cpp"):
            self.assertNotIn("ewyk", self.read(name))
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
