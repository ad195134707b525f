# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Has example/load ask a server, and looks at the server when measuring begins and ends."""

import csv
import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..case import Result, Settings
from .process import Server


@dataclass(frozen=True, eq=False)
class Load:
    """What the clients do; see example/load --help. No two are alike, for measurements are cached."""

    # By name: connections and path. What is said of latency and operations is the first's.
    classes: Mapping[str, tuple[int, str]]
    rates: Mapping[str, float] | None = None  # requests per second; without one a closed loop
    options: Sequence[str] = ()

    def arguments(self) -> list[str]:
        made = list(self.options)
        for name, (connections, path) in self.classes.items():
            made += ["--class", f"{name}:{connections}:{path}"]
        for name, rate in (self.rates or {}).items():
            made += ["--rate", f"{name}:{rate:g}"]
        return made


def as_result(rows: Sequence[Mapping[str, str]], used: Mapping[str, Any]) -> Result:
    def latency(row: Mapping[str, str]) -> dict[str, float]:
        names = {
            "p50": "p50_us", "p90": "p90_us", "p99": "p99_us", "p99.9": "p999_us", "max": "max_us"
        }
        return {name: float(row[column]) for name, column in names.items()}

    first, *others = rows
    result = {
        **used,
        "operations": int(first["requests"]),
        "all_operations": sum(int(row["requests"]) for row in rows),
        "latency_us": latency(first),
        "errors": sum(int(row["errors"]) for row in rows),
        "unanswered": int(first["unanswered"]),
        "in_time": int(first["in_time"]),
        "refused": int(first["refused"]),
    }
    for row in others:
        result["beside"] = {
            "operations": int(row["requests"]),
            "latency_us": latency(row),
        }
    return result


def run(
    load: Load,
    server: Server,
    settings: Settings,
    *,
    warm_up: float,
    seconds: float,
    processors: Collection[int],
) -> Result:
    """Measures the server for that many seconds, after the warm-up."""
    command = [
        settings.programs / "example" / "load" / "load",
        *("--csv", "--announce", "--port", str(server.port)),
        *("--warmup", str(warm_up), "--seconds", str(seconds)),
        *load.arguments(),
    ]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    ) as process:
        assert process.stdout
        try:
            moments = []
            for awaited in ("measuring\n", "measured\n"):
                if process.stdout.readline() != awaited:
                    raise RuntimeError("the load generator fails")
                moments.append(server.usage())
            memory = server.memory_kib()
            table = process.stdout.read()
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise RuntimeError(f"the load generator fails, with {process.returncode}")
    begin, end = moments
    rows = list(csv.DictReader(table.splitlines()))
    return as_result(rows, {**end.since(begin), "max_rss_kib": memory})
