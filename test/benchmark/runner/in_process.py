# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Workloads without a network: each measurement is a process of benchmark_workload."""

import functools
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .case import Case, Curve, Result, Settings, Workload
from .column import (
    CPU_NS, CPU_US, FUTEX_CALLS, MAX, MEMORY, P50, P99, P999, RATE, SWITCHES, TIME_NS, Column,
    per_operation,
)

TIMEOUT = 120  # seconds; far more than any measurement takes
WARM_UP = 0.05  # seconds
COUNTING_FUTEX_CALLS = ("--count-futex-calls", "--warm-up=0.05", "--seconds=0.05")

Parameters = Mapping[str, float]

_GRACE = "eat_what_you_kill+grace"
_STRATEGIES = (
    "produce_consume", "produce_execute_consume", "execute_produce_consume", "eat_what_you_kill",
    _GRACE,
)
_PLAIN = ("io_context/1", "io_context/n", "io_context+thread_pool")


@dataclass(frozen=True)
class _Plan:
    """A workload and what of it is measured."""

    workload: Workload
    quick: Sequence[Parameters]
    peers: Sequence[str]  # of the quick set; --full has all
    more: Sequence[Parameters] = ()  # that --full adds
    seconds: float = 0.15


def _lengths(values: Sequence[float], **others: float) -> list[Parameters]:
    return [{**others, "length": value} for value in values]


_PLANS = (
    _Plan(
        Workload(
            "post",
            "functions that do nothing: chains of them submit themselves, or producers do it"
            " from outside",
            (TIME_NS, CPU_NS, SWITCHES, FUTEX_CALLS, MEMORY),
            baselines=("io_context/1", "io_context/n"),
        ),
        quick=[{"chains": 8}, {"producers": 1}, {"producers": 2}],
        more=[
            {"chains": 1}, {"chains": 64}, {"producers": 4},
            # As many threads as small machines have cores: few to wake for each function.
            {"producers": 2, "max_threads": 2},
        ],
        peers=(*_PLAIN, *_STRATEGIES, "event_loop"),
    ),
    _Plan(
        Workload(
            "bimodal",
            "of functions submitted at a fixed rate 99 % compute 1 us and 1 % sleep 10 ms;"
            " latency of the former",
            (P50, P99, P999, MAX, CPU_US, SWITCHES, FUTEX_CALLS,
             Column("other thread each", per_operation("thread_changes", 1), ".4f")),
            baselines=("io_context/n",),
        ),
        quick=[{"rate": 20000}],
        more=[{"rate": 1000}, {"rate": 50000}],
        peers=(*_PLAIN, *_STRATEGIES, "event_loop"),
        seconds=0.4,
    ),
    _Plan(
        Workload(
            "received_data",
            "production copies so many KiB, as the system does with what came for a socket, and a"
            " task adds them up; an operation is a KiB",
            (CPU_NS, SWITCHES),
            baselines=("thread_pool",),
            also_compared=(CPU_NS,),
        ),
        quick=[{"kib": kib} for kib in (1, 16, 256)],
        more=[{"kib": kib} for kib in (4, 64, 128, 1024)],
        peers=("thread_pool", *_STRATEGIES),
    ),
    _Plan(
        Workload(
            "strategy",
            "Jetty's own benchmark: submitters with a producer and a strategy each share a pool",
            (CPU_US, SWITCHES, FUTEX_CALLS, MEMORY),
            baselines=("produce_consume", "produce_execute_consume"),
        ),
        quick=[
            {"submitters": 1, "sleeps": 0}, {"submitters": 400, "sleeps": 0},
            {"submitters": 1, "sleeps": 1}, {"submitters": 400, "sleeps": 1},
        ],
        more=[
            *({"submitters": n, "sleeps": s} for s in (0, 1) for n in (4, 16, 64)),
            *({"submitters": n, "sleeps": s, "non_blocking": 1}
              for s in (0, 1) for n in (1, 400)),
        ],
        peers=_STRATEGIES,
    ),
    _Plan(
        Workload(
            "handler_length",
            "chains of handlers that all compute, or sleep, for the same time in us",
            (),
            chart=Curve("length", relative_to="produce_execute_consume"),
        ),
        quick=[
            *_lengths([0.1, 1, 10, 100], sleeps=0, chains=1),
            *_lengths([0.1, 10], sleeps=0, chains=16),
            *_lengths([1000], sleeps=1, chains=16),
        ],
        more=[
            *_lengths([0.3, 3, 30, 300, 1000, 3000, 10000], sleeps=0, chains=1),
            *_lengths([0.3, 1, 3, 30, 100, 300, 1000, 3000, 10000], sleeps=0, chains=16),
            *_lengths([100, 300, 3000, 10000], sleeps=1, chains=16),
            *_lengths([0.1, 1, 10, 100, 1000], sleeps=0, chains=16, max_threads=2),
        ],
        peers=("produce_execute_consume", "execute_produce_consume", "eat_what_you_kill", _GRACE),
    ),
    _Plan(
        Workload(
            "cpu_bound",
            "64 chains of handlers that compute for 1 ms: how many cores come into use",
            (CPU_US, SWITCHES, FUTEX_CALLS),
            baselines=("io_context/1", "io_context/n"),
        ),
        quick=[{"length": 1000}],
        more=[{"length": 10}, {"length": 100}],
        peers=("io_context/1", "io_context/n", "produce_consume", "eat_what_you_kill", _GRACE),
        seconds=0.3,
    ),
    _Plan(
        Workload(
            "mixed_chains",
            "chains of handlers that compute for 10 us, beside chains that sleep for 10 ms;"
            " the rate is that of the former",
            (Column("sleeping per second", lambda r: r.get("long_per_second")), CPU_US, SWITCHES),
            baselines=("io_context/n",),
        ),
        quick=[{"chains": 16, "long_chains": 8}],
        more=[{"chains": 1, "long_chains": 1}, {"chains": 64, "long_chains": 8}],
        peers=(*_PLAIN, *_STRATEGIES),
        seconds=0.3,
    ),
    _Plan(
        Workload(
            "changing_load",
            "16 chains of handlers that compute for 0.5 us, for 100 us, for 0.5 us again, beside 8"
            " chains that sleep for 10 ms, and alone; after how many ms the rate is steady again",
            (
                Column("longer ms", lambda r: r.get("longer_ms")),
                Column("shorter ms", lambda r: r.get("shorter_ms")),
                Column("sleepers ms", lambda r: r.get("sleepers_ms")),
                Column("awake ms", lambda r: r.get("awake_ms")),
            ),
        ),
        quick=[{}],
        peers=("io_context/1", "io_context/n", _GRACE),
        seconds=8,
    ),
    _Plan(
        Workload(
            "overload",
            "functions that compute for 1 ms, submitted at so many times the rate that the cores"
            " can run; the rate is of those done 50 ms after they should have been submitted, the"
            " latency of all that are done",
            (P50, P99),
            chart=Curve("load"),
        ),
        quick=[{"load": 10}],
        more=[{"load": load} for load in (0.5, 1, 2, 5)],
        peers=(
            "io_context/n", _GRACE, "worker_pool, bounded", "event_loop, bounded",
            _GRACE + ", shedding", "worker_pool, shedding", "event_loop, shedding",
        ),
        seconds=0.8,
    ),
    _Plan(
        Workload(
            "stalls",
            "a handler that does not return, with a threshold of 10 ms, alone and beside chains of"
            " functions that do nothing; latency from then on until it is reported",
            (P99, MAX),
            compared=P50,
        ),
        quick=[{"chains": 0}, {"chains": 8}],
        peers=(_GRACE, "event_loop"),
        seconds=0.9,
    ),
    _Plan(
        Workload(
            "io_ratio",
            "16 sockets that always have something to read, each handler 20 us, beside tasks of"
            " 5 us without end: the share that I/O gets of the loop's time",
            (Column("I/O %", lambda r: r.get("io_percent"), ".1f"),),
        ),
        quick=[{"ratio": ratio} for ratio in (20, 50, 80)],
        more=[{"ratio": ratio, "io": io} for ratio in (20, 50, 80) for io in (5, 200)],
        peers=("event_loop",),
        seconds=1,
    ),
    _Plan(
        Workload(
            "seldom",
            "contexts with a thread each, and in each a timer that expires so many times a second",
            (SWITCHES, RATE),
            baselines=("io_context/1",),
            compared=CPU_US,
        ),
        quick=[{"contexts": 1, "rate": 10}, {"contexts": 100, "rate": 10}],
        more=[{"contexts": 1, "rate": 100}, {"contexts": 1000, "rate": 1}],
        peers=("io_context/1", "produce_consume", _GRACE),
        seconds=3,
    ),
    _Plan(
        Workload(
            "lifetime",
            "contexts that are made, run one handler and are destroyed, one after the other",
            (CPU_US, SWITCHES),
            baselines=("io_context/1",),
            compared=TIME_NS,
        ),
        quick=[{}],
        peers=("io_context/1", "produce_consume", _GRACE),
    ),
)


def workloads() -> Sequence[Workload]:
    return [plan.workload for plan in _PLANS]


PROGRAM = "benchmark_workload"


def ask(settings: Settings, *arguments: str, program: str = PROGRAM) -> Any:
    """What the program prints, as JSON. `program`: a path in test/benchmark."""
    path = settings.programs / "test" / "benchmark" / program
    done = subprocess.run(
        [path, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT
    )
    return json.loads(done.stdout)


@functools.cache
def futex_calls_each(settings: Settings, *arguments: str) -> float | None:
    """How many there are for each operation, in a measurement of its own: counting takes time."""
    result = ask(settings, *arguments, *COUNTING_FUTEX_CALLS)
    calls, operations = result["futex_calls"], result["operations"]
    return calls / operations if calls is not None and operations else None


def measure(seconds: float, arguments: Sequence[str], settings: Settings) -> Result:
    seconds = settings.seconds or seconds
    result = ask(settings, *arguments, f"--warm-up={WARM_UP}", f"--seconds={seconds}")
    each = futex_calls_each(settings, *arguments)
    result["futex_calls"] = None if each is None else each * result["operations"]
    return result


def _cases(plan: _Plan, peers: Sequence[str], scenarios: Sequence[Parameters]) -> Iterator[Case]:
    name = plan.workload.name
    for parameters in scenarios:
        given = [f"--{parameter}={value}" for parameter, value in parameters.items()]
        for peer in peers:
            yield Case(
                name, peer, parameters,
                functools.partial(measure, plan.seconds, [name, peer, *given]),
            )


def cases(settings: Settings) -> Iterator[Case]:
    known = {each["workload"]: each["peers"] for each in ask(settings, "--list")}
    for plan in _PLANS:
        if settings.full:
            all_peers = known[plan.workload.name]
            yield from _cases(plan, all_peers, [*plan.quick, *plan.more])
        else:
            yield from _cases(plan, plan.peers, plan.quick)


def conditions(settings: Settings) -> dict[str, Any]:
    """How the programs were compiled, and what system calls cost."""
    return ask(settings, "--conditions")
