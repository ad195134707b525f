# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Workloads over a network: a server and its clients, each a process. A source, see case.py."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..case import Case, Result, Settings, Workload
from . import servers
from .load import Load
from .measuring import (
    measure, measure_allocations, measure_burnt, measure_idle, measure_in_time, measure_quiet,
    measure_twice, one_each, shared,
)
from .workloads import (
    ACCEPT, ALL, ECHO, HTTP, IDLE, MIXED, MIXED_RATE, OVERLOAD, POOLED, QUIET, REQUESTS,
    REQUESTS_BESIDE, REQUESTS_RATE, RESTINIO, STARVING, WEBSOCKET,
)

FAST = {"fast": (64, "/fast")}
BESIDE = {
    "nothing": FAST,
    "sleeping": {**FAST, "sleeping": (8, "/sleep/10000")},
    "computing": {**FAST, "computing": (4, "/cpu/1000")},
}
FAST_ONLY = Load(FAST)
ECHOED = Load({"echo": (64, "/")}, options=("--echo", "64"))
ACCEPTED = Load({"accept": (64, "/")}, options=("--echo", "64", "--reconnect"))
TALKING = {"fast": (28, "/fast")}
TALKING_BESIDE = {**TALKING, "sleeping": (4, "/sleep/10000")}
PAGES = Load(TALKING)
PAGES_BESIDE = Load(TALKING_BESIDE)
MESSAGES = Load(TALKING, options=("--websocket",))
MESSAGES_BESIDE = Load(TALKING_BESIDE, options=("--websocket",))

# Of those that compute: they need a quarter of one processor.
COMPUTING_RATE = 250

WITH_GRACE = "eat_what_you_kill+grace"
NATIVE = f"{WITH_GRACE} native"
EPC_WITH_GRACE = "execute_produce_consume+grace"
COVERED = ("hand_tuned", WITH_GRACE, NATIVE)


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


def echo(executor: str, quick: Sequence[str] = ()) -> Scenario:
    """With any_io_executor, which is Asio's default, or with the type that the context has."""
    return Scenario(
        ECHO, {"executor": executor}, functools.partial(measure, ECHOED, one_each),
        servers.echo(executor), quick,
    )


def requests(form: str, native: Sequence[str] = ()) -> Scenario:
    """In each form only peers of the same form are compared."""
    return Scenario(
        REQUESTS, {"form": form}, functools.partial(measure_allocations, FAST_ONLY, one_each),
        servers.requests(form),
        quick=("io_context/1", "produce_consume", WITH_GRACE, "event_loop", *native),
    )


def requests_beside(
    beside: str, rungs: Sequence[str] = (), *, burnt: bool = False
) -> Scenario:
    run = measure_burnt if burnt else measure
    return Scenario(
        REQUESTS_BESIDE, {"beside": beside, "burnt": int(burnt)},
        functools.partial(run, Load(BESIDE[beside]), shared), servers.requests("own"),
        quick=("io_context/1", f"io_context/{servers.THREADS}", *rungs, *COVERED),
    )


def requests_rate(beside: str, rate: float, quick: Sequence[str]) -> Scenario:
    return Scenario(
        REQUESTS_RATE, {"beside": beside, "rate": rate},
        functools.partial(measure, Load(BESIDE[beside], {"fast": rate}), shared),
        servers.requests("own"), quick,
    )


def overload(times: float, quick: Sequence[str] = ()) -> Scenario:
    """More clients than can be answered in time by one that answers each of them in turn."""
    load = Load(
        {"computing": (300, "/cpu/1000")}, {"computing": times * 1000},
        ("--deadline", "50"),
    )
    return Scenario(
        OVERLOAD, {"load": times}, functools.partial(measure_in_time, load, one_each),
        servers.overloaded(), quick,
    )


def quiet(after: str, before: Load | None) -> Scenario:
    return Scenario(
        QUIET, {"after": after}, functools.partial(measure_quiet, before, shared),
        servers.requests("own"),
        quick=("io_context/1", WITH_GRACE),
    )


SCENARIOS = (
    Scenario(
        HTTP, {"connections": 64}, functools.partial(measure, FAST_ONLY, one_each),
        {**servers.HTTP, **servers.shedding()},
        quick=("io_context/1", "produce_consume", "eat_what_you_kill", WITH_GRACE, "event_loops",
               "hand_tuned", "epoll", "Jetty", "Netty"),
    ),
    mixed("sleeping", ("io_context per core", POOLED, "eat_what_you_kill", WITH_GRACE,
                       "event_loops", "hand_tuned")),
    mixed("computing", ()),
    mixed_rate("sleeping", 20000, (POOLED, WITH_GRACE, "event_loops", "hand_tuned")),
    mixed_rate("sleeping", 5000),
    mixed_rate("sleeping", 40000),
    mixed_rate("computing", 5000),
    Scenario(
        STARVING, {"threads": 4, "sleepers": 8},
        functools.partial(measure, Load(BESIDE["sleeping"]), shared), servers.STARVING,
        quick=("hand_tuned", f"{EPC_WITH_GRACE} declared", f"{WITH_GRACE} declared", WITH_GRACE),
    ),
    echo("any"),
    echo("own", ("io_context/1", "produce_consume", WITH_GRACE, "event_loops")),
    Scenario(
        ACCEPT, {"clients": 64}, functools.partial(measure, ACCEPTED, one_each),
        servers.echo("any"), quick=("io_context/1", WITH_GRACE, "event_loops"),
    ),
    Scenario(
        IDLE, {"idle": 10000},
        functools.partial(measure_idle, FAST_ONLY, one_each, 10000), servers.HTTP,
        quick=("io_context/1", WITH_GRACE),
    ),
    requests("own", native=(NATIVE,)),
    requests("any", native=(NATIVE,)),
    requests("coroutine"),
    requests_beside("sleeping", rungs=("produce_consume", servers.SECTION, EPC_WITH_GRACE)),
    requests_beside("sleeping", burnt=True),
    requests_beside("computing"),
    requests_rate(
        "nothing", 1000, ("io_context/1", WITH_GRACE, NATIVE, "event_loop", servers.BUSY)
    ),
    requests_rate("sleeping", 10000, COVERED),
    overload(10, ("io_context/1", WITH_GRACE + servers.SHEDDING, "event_loop" + servers.SHEDDING)),
    overload(5),
    overload(2),
    overload(1),
    overload(0.5),
    Scenario(
        WEBSOCKET, {"beside": "sleeping"},
        functools.partial(measure_twice, MESSAGES_BESIDE, MESSAGES, shared), servers.WEBSOCKET,
        quick=("io_context/1", WITH_GRACE),
    ),
    Scenario(
        RESTINIO, {"beside": "sleeping"},
        functools.partial(measure_twice, PAGES_BESIDE, PAGES, shared), servers.RESTINIO,
        quick=("io_context/1", WITH_GRACE),
    ),
    quiet("nothing", None),
    quiet("load", Load(BESIDE["sleeping"])),
)


def measured(scenario: Scenario, peer: servers.Peer, settings: Settings) -> Result:
    result = scenario.measure(peer, settings)
    return {**result, "version": peer.version()} if peer.version else result


def workloads() -> Sequence[Workload]:
    return ALL


def cases(settings: Settings) -> Iterator[Case]:
    for scenario in SCENARIOS:
        for name, peer in scenario.peers.items():
            if settings.full or name in scenario.quick:
                yield Case(
                    scenario.workload.name, name, scenario.parameters,
                    functools.partial(measured, scenario, peer),
                    once=peer.slow and not settings.full,
                )
