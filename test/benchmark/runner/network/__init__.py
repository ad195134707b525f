"""Workloads over a network: a server and its clients, each a process. A source, see case.py."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..case import Case, Result, Settings, Workload
from . import servers
from .load import Load
from .measuring import measure, measure_idle, one_each, shared
from .workloads import ACCEPT, ALL, ECHO, HTTP, IDLE, MIXED, MIXED_RATE, POOLED

FAST = {"fast": (64, "/fast")}
BESIDE = {
    "sleeping": {**FAST, "sleeping": (8, "/sleep/10000")},
    "computing": {**FAST, "computing": (4, "/cpu/1000")},
}
ECHOED = Load({"echo": (64, "/")}, options=("--echo", "64"))
ACCEPTED = Load({"accept": (64, "/")}, options=("--echo", "64", "--reconnect"))

# Of those that compute: they need a quarter of one processor.
COMPUTING_RATE = 250

WITH_GRACE = "eat_what_you_kill+grace"


@dataclass(frozen=True)
class Scenario:
    """Some parameters of a workload, and who is measured under them."""

    workload: Workload
    parameters: Mapping[str, float | str]
    measure: Callable[[servers.Peer, Settings], Result]
    peers: Mapping[str, servers.Peer]
    quick: Sequence[str]  # those of the quick set; none: it is left to --full


def mixed(beside: str, quick: Sequence[str]) -> Scenario:
    load = Load(BESIDE[beside])
    return Scenario(
        MIXED, {"beside": beside}, functools.partial(measure, load, shared), servers.HTTP, quick
    )


def mixed_rate(beside: str, rate: float, quick: Sequence[str] = ()) -> Scenario:
    rates = {"fast": rate}
    if beside == "computing":
        rates["computing"] = COMPUTING_RATE
    load = Load(BESIDE[beside], rates)
    return Scenario(
        MIXED_RATE, {"beside": beside, "rate": rate}, functools.partial(measure, load, shared),
        servers.HTTP, quick,
    )


def echo(executor: str, quick: Sequence[str]) -> Scenario:
    """With any_io_executor, which is Asio's default, or with the type that the context has."""
    return Scenario(
        ECHO, {"executor": executor}, functools.partial(measure, ECHOED, one_each),
        servers.echo(executor), quick,
    )


SCENARIOS = (
    Scenario(
        HTTP, {"connections": 64}, functools.partial(measure, Load(FAST), one_each), servers.HTTP,
        quick=("io_context/1", "io_context per core", "io_context+thread_pool", "produce_consume",
               "eat_what_you_kill", WITH_GRACE, "event_loops", "epoll", "Jetty", "Netty"),
    ),
    mixed("sleeping", ("io_context per core", POOLED, "produce_execute_consume",
                       "eat_what_you_kill", WITH_GRACE, "event_loops")),
    mixed("computing", ()),
    mixed_rate("sleeping", 20000, (POOLED, "eat_what_you_kill", WITH_GRACE, "event_loops")),
    mixed_rate("sleeping", 5000),
    mixed_rate("sleeping", 40000),
    mixed_rate("computing", 5000),
    echo("any", ("io_context/1", "produce_consume", WITH_GRACE, "event_loops")),
    echo("own", ("io_context/1", "produce_consume", WITH_GRACE, "event_loops")),
    Scenario(
        ACCEPT, {"clients": 64}, functools.partial(measure, ACCEPTED, one_each),
        servers.echo("any"), quick=("io_context/1", WITH_GRACE, "event_loops"),
    ),
    Scenario(
        IDLE, {"idle": 10000},
        functools.partial(measure_idle, Load(FAST), one_each, 10000), servers.HTTP,
        quick=("io_context/1", WITH_GRACE, "event_loops"),
    ),
)


def workloads() -> Sequence[Workload]:
    return ALL


def cases(settings: Settings) -> Iterator[Case]:
    for scenario in SCENARIOS:
        for name, peer in scenario.peers.items():
            if settings.full or name in scenario.quick:
                yield Case(
                    scenario.workload.name, name, scenario.parameters,
                    functools.partial(scenario.measure, peer),
                )
