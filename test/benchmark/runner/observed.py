# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What it costs to be seen: the chains of `post` with each part of the library on and off.

A source, see case.py.
"""

import functools
from collections.abc import Iterator, Sequence

from . import in_process
from .case import Case, Result, Settings, Workload
from .column import CPU_NS, RATE, TIME_NS

SECONDS = 0.2
NO_REPORTS = "--stall_threshold=0"
REPORTS = "--stall_threshold=100000"

TRACKED = "tracked/benchmark_tracked"

# What is seen: the program that shows just that, and how it is called.
PARTS = {
    "nothing": ("uncounted/benchmark_uncounted", [NO_REPORTS]),
    "metrics": (in_process.PROGRAM, [NO_REPORTS]),
    "metrics, stalls": (in_process.PROGRAM, [REPORTS]),
    "metrics, timing": (in_process.PROGRAM, [NO_REPORTS, "--timing=1"]),
    "metrics, trace": (in_process.PROGRAM, [NO_REPORTS, "--trace=1"]),
    "metrics, recorder": (in_process.PROGRAM, [NO_REPORTS, "--recorder=1"]),
    "metrics, tracking": (TRACKED, [NO_REPORTS]),
    "everything": (in_process.PROGRAM, [REPORTS, "--timing=1", "--trace=1"]),
}

# Of an io_context alone there is nothing else to see.
PLAIN = {"nothing": (in_process.PROGRAM, []), "tracking": (TRACKED, [])}

QUICK = ("io_context/1", "produce_consume", "eat_what_you_kill+grace", "event_loop")
MORE = ("produce_execute_consume", "execute_produce_consume", "eat_what_you_kill")

WORKLOAD = Workload(
    "observed",
    "functions that do nothing, as in `post`, and how much of them can be seen from outside;"
    " \"metrics\" is what a context has without saying anything, with \"stalls\" an event loop",
    (CPU_NS, RATE),
    baselines=("nothing", "metrics"),
    compared=TIME_NS,
)


def workloads() -> Sequence[Workload]:
    return [WORKLOAD]


def measure(program: str, arguments: Sequence[str], settings: Settings) -> Result:
    seconds = settings.seconds or SECONDS
    return in_process.ask(
        settings, *arguments, f"--warm-up={in_process.WARM_UP}", f"--seconds={seconds}",
        program=program,
    )


def cases(settings: Settings) -> Iterator[Case]:
    for runs in (*QUICK, *MORE) if settings.full else QUICK:
        parts = PLAIN if runs == "io_context/1" else PARTS
        for part, (program, options) in parts.items():
            yield Case(
                WORKLOAD.name, part, {"by": runs},
                functools.partial(measure, program, ["post", runs, *options]),
            )
