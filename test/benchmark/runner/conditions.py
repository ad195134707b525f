# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What a figure is worth depends on where and how it was measured."""

import os
import platform
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import in_process
from .case import Settings

Primitives = Mapping[str, float | None]


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def revision() -> str:
    """Of the sources; empty where there is no git."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=Path(__file__).parent,
            capture_output=True, text=True, check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def conditions(settings: Settings, rounds: int) -> dict[str, Any]:
    """To be asked before the measurements, as they are the load themselves."""
    made = in_process.conditions(settings)
    primitives = made.pop("primitives_ns")
    return {
        "cpu": cpu_model(),
        "cpus_in_use": sorted(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()}",
        **made,
        "revision": revision(),
        "load_average": os.getloadavg()[0],
        "rounds": rounds,
        "set": "full" if settings.full else "quick",
        "primitives_ns": primitives,
    }


def primitives(settings: Settings) -> Primitives:
    """In nanoseconds, as they are now: they vary like all else on a machine that is shared."""
    return in_process.conditions(settings)["primitives_ns"]


def medians(several: Sequence[Primitives]) -> Primitives:
    """Of each primitive that all of them have."""
    return {
        name: None
        if any(each[name] is None for each in several)
        else statistics.median(each[name] for each in several)
        for name in several[0]
    }


def as_lines(known: dict[str, Any]) -> list[tuple[str, str]]:
    """For people: a name and a text each."""
    costs = {
        name.replace("_", " "): "-" if value is None else f"{value:.0f} ns"
        for name, value in known["primitives_ns"].items()
    }
    return [
        ("CPU", f"{len(known['cpus_in_use'])} x {known['cpu']}"),
        ("kernel", known["kernel"]),
        ("compiler", f"{known['compiler']}, {known['flags']}, Boost {known['boost'].replace('_', '.')}"),
        ("revision", known["revision"] or "unknown"),
        ("load before", f"{known['load_average']:.2f}"),
        ("rounds", f"{known['rounds']}, of the {known['set']} set; medians of them"),
        ("system call", costs.pop("system call")),
        ("wake-up", ", ".join(
            f"{name} {value}" for name, value in costs.items() if name.endswith("core")
        )),
    ]
