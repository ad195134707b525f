"""Measures one server under one load."""

import os
from collections.abc import Callable, Collection

from ..case import NotAvailable, Result, Settings
from .idle import IdleConnections, possible
from .load import Load, run
from .process import Server
from .servers import Peer

# Seconds of one measurement, in the quick set and in the full one.
DEFAULT_SECONDS = (0.6, 4.0)

# Which processors the server has, and which the clients have.
Processors = Callable[[], tuple[Collection[int], Collection[int]]]


def one_each() -> tuple[Collection[int], Collection[int]]:
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        raise NotAvailable("this takes two processors")
    return mine[:1], mine[1:2]


def shared() -> tuple[Collection[int], Collection[int]]:
    """The same two for both."""
    server, clients = one_each()
    both = {*server, *clients}
    return both, both


def seconds(settings: Settings) -> float:
    return settings.seconds or DEFAULT_SECONDS[settings.full]


def measure(load: Load, processors: Processors, peer: Peer, settings: Settings) -> Result:
    of_server, of_clients = processors()
    with Server(peer.command(settings), of_server) as server:
        return run(
            load, server, settings, warm_up=peer.warm_up[settings.full],
            seconds=seconds(settings), processors=of_clients,
        )


def cpu_of_one(result: Result) -> float:
    return result["cpu_seconds"] / result["operations"]


def measure_idle(
    load: Load, processors: Processors, wanted: int, peer: Peer, settings: Settings
) -> Result:
    """Measures beside so many idle connections, and without them before and after."""
    number = possible(wanted)
    of_server, of_clients = processors()
    with Server(peer.command(settings), of_server) as server:

        def once(warm_up: float) -> Result:
            return run(
                load, server, settings, warm_up=warm_up, seconds=seconds(settings) / 2,
                processors=of_clients,
            )

        before = once(peer.warm_up[settings.full])
        memory = server.memory_kib(peak=False)
        with IdleConnections(server, number):
            beside = once(0.1)
            added = server.memory_kib(peak=False) - memory
        after = once(0.1)
    return {
        **beside,
        "idle": number,
        "alone_cpu_seconds_each": (cpu_of_one(before) + cpu_of_one(after)) / 2,
        "kib_per_idle": added / number,
    }
