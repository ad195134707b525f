# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""A server under ten times its load, minute by minute, and how soon it answers all after that."""

import math
import re
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..case import NotAvailable, Result, Settings
from .load import Load, run
from .measuring import one_each
from .process import Server
from .servers import SHEDDING, Peer, overloaded

DEADLINE = 0.05  # seconds that a client waits
CLIENTS = {"computing": (300, "/cpu/1000")}
OPTIONS = ("--deadline", f"{1000 * DEADLINE:g}")
BEYOND = Load(CLIENTS, {"computing": 10_000}, OPTIONS)
BELOW = Load(CLIENTS, {"computing": 500}, OPTIONS)
REST = 5.0  # seconds of the load before, and of the one after

# What a server may have more at the end than after the first minute, and still be called flat.
FLAT_FACTOR = 1.05
FLAT_KIB = 1024
RECOVERED = 1.0  # seconds after the load has fallen

# Of glibc; others ignore it. Each thread has its own share of the heap otherwise, and the memory of
# sessions stays in that of the thread that accepted them: with new clients each minute, memory
# grows until each thread has accepted them once. That is the allocator's, and would hide a leak.
ONE_HEAP = ("env", "MALLOC_ARENA_MAX=1")

HEADING = "  minute  in time/s  p99 ms  refused/s  errors      KiB  threads"


@dataclass(frozen=True)
class Asked:
    """A request of the probe: when it was sent, and whether it was answered in time."""

    at: float
    good: bool


class Probe(threading.Thread):
    """One more client, which asks a hundred times a second and remembers what came of it."""

    REQUEST = b"GET /cpu/1000 HTTP/1.1\r\nHost: probe\r\n\r\n"

    def __init__(self, server: Server):
        super().__init__(daemon=True)
        self.socket: socket.socket = server.connect()
        self.asked: list[Asked] = []
        self.ends = threading.Event()

    def run(self) -> None:
        while not self.ends.wait(0.01):
            at = time.monotonic()
            try:
                self.socket.sendall(self.REQUEST)
                answer = self.socket.recv(4096)
            except OSError:
                return
            good = answer.startswith(b"HTTP/1.1 200 ") and time.monotonic() - at <= DEADLINE
            self.asked.append(Asked(at, good))

    def end(self) -> Sequence[Asked]:
        self.ends.set()
        self.join()
        self.socket.close()
        return self.asked


def recovery(asked: Sequence[Asked], fell: float) -> float:
    """Seconds from when the load fell until the probe had all its answers in time; for ever if it
    has none in the end."""
    if not asked or asked[-1].at < fell or not asked[-1].good:
        return math.inf
    return max([0.0, *(each.at - fell for each in asked if not each.good)])


def flat(first_kib: int, last_kib: int) -> bool:
    return last_kib <= max(first_kib * FLAT_FACTOR, first_kib + FLAT_KIB)


def line(name: str, result: Result, server: Server) -> str:
    return (
        f"{name:>8} {result['in_time'] / result['seconds']:10.0f}"
        f" {result['latency_us']['p99'] / 1000:7.1f} {result['refused'] / result['seconds']:10.0f}"
        f" {result['errors']:7} {server.memory_kib(peak=False):8} {server.threads():8}"
    )


def endure(peer: Peer, minutes: float, settings: Settings) -> bool:
    """Prints a line a minute. False if memory grew, or the server did not recover."""
    of_server, of_clients = one_each()

    def once(load: Load, warm_up: float, seconds: float) -> Result:
        return run(
            load, server, settings, warm_up=warm_up, seconds=seconds, processors=of_clients)

    with Server([*ONE_HEAP, *peer.command(settings)], of_server) as server:
        print(HEADING)
        print(line("before", once(BELOW, peer.warm_up[settings.full], REST), server), flush=True)
        probe = Probe(server)
        probe.start()
        memory = []
        # A part of a minute is a short one, for those who try it.
        each = min(60.0, 60 * minutes)
        for minute in range(1, max(1, round(minutes)) + 1):
            result = once(BEYOND, 1.0, each - 1)
            fell = time.monotonic()
            print(line(str(minute), result, server), flush=True)
            memory.append(server.memory_kib(peak=False))
        print(line("after", once(BELOW, 0.0, REST), server))
        took = recovery(probe.end(), fell)
    print(f"memory: {memory[-1] - memory[0]:+} KiB from the first minute to the last")
    print(f"all answers in time {1000 * took:.0f} ms after the load fell", flush=True)
    return flat(memory[0], memory[-1]) and took <= RECOVERED


def endure_all(minutes: float, only: re.Pattern[str] | None, settings: Settings) -> bool:
    """Those that refuse, or those that are asked for, one after the other."""
    good = True
    for name, peer in overloaded().items():
        if only.search(name) if only else name.endswith(SHEDDING):
            print(f"\n{name}")
            try:
                good = endure(peer, minutes, settings) and good
            except NotAvailable as reason:
                print(reason)
    return good
