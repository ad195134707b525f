# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Measures one server under one load."""

import contextlib
import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator

from ..case import NotAvailable, Result, Settings
from .idle import IdleConnections, possible
from .load import Load, run
from .process import Server
from .servers import Peer

# Seconds of one measurement, in the quick set and in the full one.
DEFAULT_SECONDS = (0.3, 4.0)

# Seconds after which a server that has nothing to do has no thread left that ends what it did.
SETTLING = 0.5

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


def measure_in_time(
    load: Load, processors: Processors, peer: Peer, settings: Settings
) -> Result:
    """Counts what was answered before the deadline of the load only."""
    result = measure(load, processors, peer, settings)
    return {**result, "operations": result["in_time"]}


def measure_twice(
    load: Load, alone: Load, processors: Processors, peer: Peer, settings: Settings
) -> Result:
    """Measures under the load, and before and after it under the part of it that is alone."""
    of_server, of_clients = processors()
    with Server(peer.command(settings), of_server) as server:

        def rate(part: Load, warm_up: float) -> tuple[Result, float]:
            result = run(
                part, server, settings, warm_up=warm_up, seconds=seconds(settings) / 2,
                processors=of_clients,
            )
            return result, result["operations"] / result["seconds"]

        _, before = rate(alone, peer.warm_up[settings.full])
        both, _ = rate(load, 0.1)
        _, after = rate(alone, 0.1)
    return {**both, "alone_per_second": (before + after) / 2}


@contextlib.contextmanager
def burning(processor: int) -> Iterator[None]:
    """Another process wants all that the processor has."""
    process = subprocess.Popen(
        [sys.executable, "-c", "while True: pass"],
        preexec_fn=lambda: os.sched_setaffinity(0, [processor]),
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measure_burnt(load: Load, processors: Processors, peer: Peer, settings: Settings) -> Result:
    of_server, _ = processors()
    with burning(max(of_server)):
        return measure(load, processors, peer, settings)


@functools.cache
def allocations_each(
    load: Load, processors: Processors, peer: Peer, settings: Settings
) -> float:
    """How many there are for each operation, in a measurement of its own: counting takes time."""
    of_server, of_clients = processors()
    file = settings.scratch / "allocations"
    file.write_bytes(bytes(8))
    with Server([*peer.command(settings), file], of_server, allocations=file) as server:
        result = run(load, server, settings, warm_up=0.2, seconds=0.2, processors=of_clients)
    return result["allocations"] / result["operations"]


def measure_allocations(
    load: Load, processors: Processors, peer: Peer, settings: Settings
) -> Result:
    result = measure(load, processors, peer, settings)
    each = allocations_each(load, processors, peer, settings)
    return {**result, "allocations": each * result["operations"]}


def measure_quiet(
    before: Load | None, processors: Processors, peer: Peer, settings: Settings
) -> Result:
    """Measures a server without clients: since it began, or after a load."""
    of_server, of_clients = processors()
    done: Result = {"operations": 0, "errors": 0}
    with Server(peer.command(settings), of_server) as server:
        if before:
            done = run(
                before, server, settings, warm_up=0.1, seconds=0.3, processors=of_clients)
        time.sleep(SETTLING)
        begin = server.usage()
        time.sleep(seconds(settings))
        return {**done, **server.usage().since(begin)}


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
