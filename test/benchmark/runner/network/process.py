# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""A server as a process of its own, and what it has used so far, as /proc tells."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

GREETING = re.compile(r"listening on \S+:(\d+)\b")
TIMEOUT = 60  # seconds that a connection may take


def process_clock(pid: int) -> int:
    """The clock of a process's CPU time; see clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def field(path: Path, name: str) -> int:
    """Of a file such as /proc/<pid>/status: what follows `<name>:`."""
    for line in path.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise LookupError(f"{path} has no {name}")


@dataclass(frozen=True)
class Usage:
    """What a process had used at a time."""

    time: float
    cpu_seconds: float
    # By thread: the kernel does not add those up that have ended.
    switches: dict[str, tuple[int, int]]
    allocations: int | None = None

    def since(self, before: "Usage") -> dict[str, Any]:
        """The difference; without the last switches of threads that ended meanwhile."""
        by_thread = [
            (mine - then for mine, then in zip(now, before.switches.get(tid, (0, 0))))
            for tid, now in self.switches.items()
        ]
        voluntary, involuntary = (sum(counts) for counts in zip(*by_thread))
        used = {
            "seconds": self.time - before.time,
            "cpu_seconds": self.cpu_seconds - before.cpu_seconds,
            "voluntary_switches": voluntary,
            "involuntary_switches": involuntary,
            "futex_calls": None,
        }
        if self.allocations is not None and before.allocations is not None:
            used["allocations"] = self.allocations - before.allocations
        return used


class Server:
    """Runs from the beginning to the end of a `with`, on some of the processors.

    `allocations`: a file in which the server counts them.
    """

    def __init__(
        self, command: Sequence[str | Path], processors: Collection[int],
        allocations: Path | None = None,
    ):
        self.command = command
        self.processors = processors
        self.allocations = allocations

    def __enter__(self) -> "Server":
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, self.processors),
        )
        try:
            self.port = self.greeted()
        except BaseException:
            self.end()
            raise
        return self

    def greeted(self) -> int:
        """The port that it says it listens at."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        said = GREETING.match(line)
        if not said:
            raise RuntimeError(f"{self.command[0]} does not say where it listens: {line!r}")
        return int(said[1])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        ended = self.process.poll()
        self.end()
        # What failed because of it is its context; an interrupt ends both, and goes on.
        if ended is not None and (kind is None or issubclass(kind, Exception)):
            raise RuntimeError(f"{self.command[0]} ended by itself, with {ended}")

    def end(self) -> None:
        """It has no more to say, so it need not end in good order."""
        self.process.kill()
        self.process.communicate()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)

    def usage(self) -> Usage:
        pid = self.process.pid
        now = time.monotonic()
        cpu = time.clock_gettime(process_clock(pid))
        switches = {}
        for task in Path(f"/proc/{pid}/task").iterdir():
            try:
                status = task / "status"
                switches[task.name] = (
                    field(status, "voluntary_ctxt_switches"),
                    field(status, "nonvoluntary_ctxt_switches"),
                )
            except (FileNotFoundError, ProcessLookupError):
                pass  # the thread has just ended
        counted = self.allocations and int.from_bytes(self.allocations.read_bytes(), sys.byteorder)
        return Usage(now, cpu, switches, counted)

    def memory_kib(self, peak: bool = True) -> int:
        """Resident memory."""
        status = Path(f"/proc/{self.process.pid}/status")
        return field(status, "VmHWM" if peak else "VmRSS")

    def threads(self) -> int:
        return field(Path(f"/proc/{self.process.pid}/status"), "Threads")
