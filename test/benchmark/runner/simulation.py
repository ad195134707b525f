# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What is measured here compared with its simulation, and what that says of other machines."""

import concurrent.futures
import functools
import json
import os
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .case import Case, Curve, NotAvailable, Result, Settings, Workload
from .column import RATE, TIME_NS
from .rounds import Results
from .summary import of_column
from .table import Table

TIMEOUT = 120  # seconds; far more than any simulation takes
TOLERANCE = 0.15  # of what is measured
WARM_UP = 0.1  # seconds, simulated
SECONDS = 0.1  # likewise
CORES = (1, 2, 4, 8, 16, 32, 64)
LEAST_POOL = 3  # threads; the simulation keeps none of them for tasks, as a smaller pool has to

# The cost of a task is what remains of that of a function that does nothing. It is taken from one
# case for each kind of peer, and is the same for all others.
BASE = {"post": {"chains": 8}}
BASE_PEERS = {"asio_task": "io_context/1", "strategy_task": "produce_consume"}

COMPARED = ("handler_length", "cpu_bound", "mixed_chains")
PRIMITIVES = {
    "system_call": "system_call",
    "clock": "clock",
    "line_transfer": "line_transfer",
    "wake_call": "wake_call",
    "wake_call_queued": "wake_call_queued",
    "interruption": "interruption",
    "atomic": "atomic",
    "sleep_late": "sleep_late",
    "exact_sleep_late": "exact_sleep_late",
    "wake_same_core": "futex_same_core",
    "wake_other_core": "futex_other_core",
}

# For records that were made before these were measured: so many times another one, as on the machine
# where they were added.
LATER_PRIMITIVES = {
    "wake_call_queued": ("futex_same_core", 0.4),
    "interruption": ("futex_same_core", 2),
    "atomic": ("clock", 0.35),
}

Options = Mapping[str, float]


@dataclass(frozen=True)
class _Load:
    workload: Workload
    options: Options


def _load(name: str, title: str, **options: float) -> _Load:
    return _Load(
        Workload(f"simulated {name}", f"simulated: {title}", (), chart=Curve("cores")), options
    )


_LOADS = (
    _load("short", "256 chains of handlers that compute for 10 us", chains=256, computes=10),
    _load("cpu_bound", "256 chains of handlers that compute for 1 ms", chains=256, computes=1000),
    _load("sleeping", "256 chains of handlers that sleep for 1 ms",
          chains=256, computes=0, sleeps=1000),
    _load("mixed_chains", "256 chains of handlers that compute for 10 us, beside 16 chains that"
          " sleep for 10 ms; the rate is that of the former",
          chains=256, computes=10, long_chains=16, long_sleeps=10000),
)


def workloads() -> Sequence[Workload]:
    return [load.workload for load in _LOADS]


def _ask(settings: Settings, *arguments: str) -> Any:
    program = settings.programs / "test" / "benchmark" / "simulation" / "benchmark_simulate"
    done = subprocess.run(
        [program, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT
    )
    return json.loads(done.stdout)


def _simulate(peer: str, options: Options, settings: Settings) -> Result:
    return _ask(settings, peer, *(f"--{name}={value}" for name, value in options.items()))


def costs(
    known: Mapping[str, Any], results: Results, measured: Mapping[str, float | None],
) -> dict[str, float]:
    """One set for all, with these primitives. Raises NotAvailable if it cannot be told."""
    primitives = dict(measured)
    for name, (other, times) in LATER_PRIMITIVES.items():
        if primitives.get(other) is not None:
            primitives.setdefault(name, times * primitives[other])
    if len(known["cpus_in_use"]) == 1:
        # No other core is ever woken.
        primitives |= {"wake_call": 0, "futex_other_core": 0, "line_transfer": 0}
    if any(primitives.get(name) is None for name in PRIMITIVES.values()):
        raise NotAvailable("--simulate needs figures that an earlier version did not measure")
    found = {cost: primitives[name] for cost, name in PRIMITIVES.items()}
    for cost, peer in BASE_PEERS.items():
        base = [
            rounds for case, rounds in results
            if case.peer == peer and BASE.get(case.workload) == dict(case.parameters)
        ]
        time = of_column(TIME_NS, base[0]) if base else None
        if time is None:
            raise NotAvailable(f"--simulate needs the results of 'post chains 8 {peer}'")
        found[cost] = time.median
    # An io_context polls whenever its queue has been gone through.
    found["asio_task"] -= found["system_call"] / BASE["post"]["chains"]
    return {cost: max(value, 1) for cost, value in found.items()}


def _options(parameters: Options) -> Options:
    """Of a measured case, as the simulation names them."""
    sleeps = parameters.get("sleeps", 0) != 0
    return {
        "chains": parameters["chains"],
        "computes": 0 if sleeps else parameters["length"],
        "sleeps": parameters["length"] if sleeps else 0,
        "long_chains": parameters.get("long_chains", 0),
        "long_sleeps": parameters.get("long_length", 0),
        **{name: parameters[name] for name in ("threads", "max_threads", "grace")},
    }


def _of_each_round(known: Mapping[str, Any], results: Results) -> list[dict[str, float]]:
    """Older records have one set of primitives."""
    several = known.get("primitives_of_rounds_ns", [known["primitives_ns"]])
    return [costs(known, results, primitives) for primitives in several]


def compare(settings: Settings, known: Mapping[str, Any], results: Results) -> Table:
    """A row for each measured case that can be simulated, and how many of them are alike.

    A median is compared with a median: of the rounds as they were, and of them simulated, each with
    what system calls cost in it. What the rounds themselves differ by is no error of the simulation.
    """
    several = _of_each_round(known, results)
    peers = _ask(settings, "--list")
    rows = []
    alike = among = 0
    for case, rounds in results:
        given = rounds[0].get("parameters", {})
        if (case.workload not in COMPARED or case.peer not in peers
                or given["max_threads"] < LEAST_POOL):
            continue
        measured = of_column(RATE, rounds)
        if measured is None or not measured.median:
            continue
        options = {
            **_options(given), "cores": len(known["cpus_in_use"]),
            "warm-up": WARM_UP, "seconds": rounds[0]["seconds"],
        }
        simulated = statistics.median(
            RATE.value(_simulate(case.peer, {**options, **cost}, settings)) for cost in several)
        error = simulated / measured.median - 1
        hit = abs(error) <= TOLERANCE
        possible = measured.least <= simulated <= measured.most
        alike += hit
        among += hit or possible
        rows.append([
            f"{case.workload} {case.scenario}", case.peer, f"{measured.median:.0f}",
            f"{measured.least:.0f} - {measured.most:.0f}", f"{simulated:.0f}", f"{error:+.0%}",
            "yes" if hit else "in range" if possible else "no",
        ])
    within = f"within {TOLERANCE:.0%}"
    return Table(
        f"simulated as measured, {within} of the median: {alike} of {len(rows)};"
        f" or between the least and the most: {among}",
        ["", "peer", "per second", "least - most", "simulated", "error", within], rows,
    )


def _cases(load: _Load, peer: str, cost: Options) -> list[Case]:
    made = []
    for cores in CORES:
        # A context each: for each core. Several threads: as many as there are cores, and so many
        # more as may sleep in `simulated mixed_chains`.
        threads = cores if peer == "io_context each" else cores + 16
        options = {
            **load.options, **cost, "cores": cores, "threads": threads, "max_threads": 200,
            "warm-up": WARM_UP, "seconds": SECONDS,
        }
        made.append(Case(
            load.workload.name, peer, {"cores": cores},
            functools.partial(_simulate, peer, options),
        ))
    return made


def extrapolate(settings: Settings, known: Mapping[str, Any], results: Results) -> Results:
    """Each peer under each load, on machines with 1 to 64 cores; nothing if what it costs to wake
    another core is not known."""
    if len(known["cpus_in_use"]) == 1:
        return []
    cost = costs(known, results, known["primitives_ns"])
    peers = _ask(settings, "--list")
    cases = [case for load in _LOADS for peer in peers for case in _cases(load, peer, cost)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as several:
        return [
            (case, [result])
            for case, result in zip(cases, several.map(lambda c: c.measure(settings), cases))
        ]
