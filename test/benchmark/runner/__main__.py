# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The command line of the benchmark."""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import sources
from .case import Case, Settings, Workload
from .conditions import Primitives, as_lines, conditions, medians, primitives
from .document import document
from .network import endurance
from .overview import overview
from .page import page
from .record import as_json, from_json
from .rounds import Results, measure
from .table import as_text, tables

PAGE = Path(__file__).resolve().parents[3] / "doc" / "benchmarks.adoc"


def cpus(text: str) -> set[int]:
    """A list as that of taskset: 0,2-3."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen.update(range(int(first), int(last or first) + 1))
    return chosen


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error


def several(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def duration(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1000:
        raise argparse.ArgumentTypeError("more than 0, less than 1000")
    return seconds


def minutes(text: str) -> float:
    number = float(text)
    if not 0.05 <= number <= 10_000:
        raise argparse.ArgumentTypeError("at least 0.05, at most 10000")
    return number


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="test/benchmark/run",
        description="Compares the execution strategies with what one would use instead.",
    )
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="say what would be measured, and end")
    parser.add_argument(
        "--only", type=pattern, metavar="REGEX", help="what --list shows and REGEX is found in"
    )
    parser.add_argument("--full", action="store_true", help="everything; takes far longer")
    parser.add_argument("--rounds", type=several, default=3, help="(default: %(default)s)")
    parser.add_argument(
        "--seconds", type=duration, help="that each measurement lasts (default: what suits it)"
    )
    parser.add_argument("--cpus", type=cpus, metavar="LIST", help="to run on, as 0,2-3")
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="measure nothing, show what --json wrote"
    )
    parser.add_argument(
        "--overload", type=minutes, metavar="MINUTES",
        help="only this: for so long ten times the load that a server of HTTP can do; memory and"
        " goodput of each minute, and how soon all is answered after it. --only chooses among the"
        " peers of overload_http (default: those with a shedder)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to it")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a report with charts")
    parser.add_argument("--adoc", type=Path, metavar="FILE", help="write the tables as AsciiDoc")
    parser.add_argument(
        "--charts", type=Path, metavar="DIRECTORY",
        help="write the charts of doc/benchmarks.adoc, benchmark_*.svg; that of many cores is drawn"
        " from the table there",
    )
    return parser.parse_args()


def label(case: Case) -> str:
    return " ".join(filter(None, (case.workload, case.scenario, case.peer)))


def show(workloads: Sequence[Workload], results: Results) -> None:
    for workload in workloads:
        made = tables(workload, results)
        if made:
            print(f"\n{workload.name}: {workload.title}")
        for table in made:
            print(f"\n{table.title}\n{as_text(table)}")


def write(
    given: argparse.Namespace, known: dict[str, Any], workloads: Sequence[Workload],
    results: Results,
) -> None:
    shown = as_lines(known)
    if given.html:
        given.html.write_text(page(workloads, results, shown), encoding="utf-8")
    if given.adoc:
        given.adoc.write_text(document(workloads, results, shown), encoding="utf-8")
    if given.charts:
        given.charts.mkdir(parents=True, exist_ok=True)
        for name, chart in overview(known, results, PAGE.read_text(encoding="utf-8")).items():
            (given.charts / name).write_text(chart, encoding="utf-8")


def show_conditions(known: dict[str, Any]) -> None:
    for name, text in as_lines(known):
        print(f"{name + ':':13} {text}", flush=True)


def run(given: argparse.Namespace) -> tuple[dict[str, Any], Results] | None:
    """Measures; nothing with --list."""
    if given.cpus:
        try:
            os.sched_setaffinity(0, given.cpus)
        except OSError as error:
            sys.exit(f"test/benchmark/run: --cpus: {error.strerror}")
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(given.build, Path(scratch), given.seconds, given.full)
        cases = [
            case
            for case in sources.cases(settings)
            if not given.only or given.only.search(label(case))
        ]
        if given.list:
            print("\n".join(label(case) for case in cases))
            return None
        if not cases:
            sys.exit("test/benchmark/run: nothing matches --only")
        known = conditions(settings, given.rounds)
        show_conditions(known)
        each: list[Primitives] = []
        results = measure(
            cases, settings, given.rounds, lambda: each.append(primitives(settings)))
        return {**known, "primitives_ns": medians(each)}, results


def read(given: argparse.Namespace) -> tuple[dict[str, Any], Results]:
    try:
        known, results = from_json(given.show.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"test/benchmark/run: --show {given.show}: {error}")
    show_conditions(known)
    return known, results


def overload(given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(given.build, Path(scratch))
        if not endurance.endure_all(given.overload, given.only, settings):
            sys.exit("test/benchmark/run: memory grew, or the overload was not over in time")


def main() -> None:
    given = arguments()
    if given.overload:
        overload(given)
        return
    done = read(given) if given.show else run(given)
    if not done:
        return
    known, results = done
    workloads = list(sources.workloads().values())
    show(workloads, results)
    if given.json:
        given.json.write_text(as_json(known, results), encoding="utf-8")
    write(given, known, workloads, results)


if __name__ == "__main__":
    main()
