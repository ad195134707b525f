"""Workloads without a network: each measurement is a process of benchmark_workload."""

import functools
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from .case import Case, Result, Settings, Workload
from .column import CPU_NS, FUTEX_CALLS, MEMORY, RATE, SWITCHES, TIME_NS

TIMEOUT = 120  # seconds; far more than any measurement takes
DEFAULT_SECONDS = 0.3

_WORKLOADS = (
    Workload(
        "post",
        "empty functions: each chain posts itself again, or producers post from outside",
        (TIME_NS, CPU_NS, SWITCHES, FUTEX_CALLS, MEMORY),
        baselines=("io_context/1", "io_context/n"),
    ),
)

# The parameters that are measured, by workload: of the quick set, and what --full adds.
_QUICK: dict[str, Sequence[Mapping[str, float]]] = {
    "post": [{"producers": 0, "chains": 8}],
}
_MORE: dict[str, Sequence[Mapping[str, float]]] = {
    "post": [{"producers": 0, "chains": 1}],
}


def workloads() -> Sequence[Workload]:
    return _WORKLOADS


def program(settings: Settings) -> str:
    return str(settings.programs / "test" / "benchmark" / "benchmark_workload")


def ask(settings: Settings, *arguments: str):
    """What the program prints, as JSON."""
    done = subprocess.run(
        [program(settings), *arguments], check=True, capture_output=True, text=True,
        timeout=TIMEOUT,
    )
    return json.loads(done.stdout)


def measure(case_arguments: Sequence[str], settings: Settings) -> Result:
    seconds = settings.seconds or DEFAULT_SECONDS
    return ask(settings, *case_arguments, "--seconds", str(seconds))


def cases(settings: Settings) -> Iterator[Case]:
    known = {w["workload"]: w for w in ask(settings, "--list")}
    for workload in _WORKLOADS:
        scenarios = list(_QUICK[workload.name])
        if settings.full:
            scenarios += _MORE.get(workload.name, [])
        for parameters in scenarios:
            given = [f"--{name}={value}" for name, value in parameters.items()]
            for peer in known[workload.name]["peers"]:
                yield Case(
                    workload.name, peer, parameters,
                    functools.partial(measure, [workload.name, peer, *given]),
                )
