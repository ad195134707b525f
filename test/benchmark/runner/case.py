# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What is measured, and how: the interface between the runner and those who measure.

A source is a module with `workloads() -> Sequence[Workload]` and
`cases(settings: Settings) -> Iterable[Case]`; sources.py lists them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .column import RATE, Column

# What one measurement gave:
#
#   operations, seconds       how many, and in which time on the clock
#   cpu_seconds               user and system time of what is measured
#   voluntary_switches, involuntary_switches, futex_calls, max_rss_kib    of the same; or null
#   latency_us                {"p50", "p90", "p99", "p99.9", "max"}, or missing
#
#   version                   of a peer that is not of these sources, or missing
#
# and whatever else a column of the workload asks for.
Result = dict[str, Any]


class NotAvailable(Exception):
    """This peer cannot be measured here; the text is one line that says why."""


@dataclass(frozen=True)
class Settings:
    """How to measure; the same for all cases of a run."""

    programs: Path  # the folder of CMake's build
    scratch: Path  # a folder for files, removed after the run
    seconds: float | None = None  # of one measurement, without its warm-up; None: what suits it
    full: bool = False  # whether all parameters are wanted, not only those of the quick set


@dataclass(frozen=True)
class Case:
    """One peer under one workload, with certain parameters."""

    workload: str
    peer: str
    parameters: Mapping[str, float | str]
    # Measures once, warm-up first; at any time no other case runs. Raises NotAvailable, or
    # anything else if the measurement failed. Leaves no process behind.
    measure: Callable[[Settings], Result]
    once: bool = False  # whether to measure it in the first round only, as it takes so long

    @property
    def scenario(self) -> str:
        """The parameters as text: the peers of one scenario are compared with each other."""
        return ", ".join(f"{name} {value}" for name, value in self.parameters.items())


@dataclass(frozen=True)
class Curve:
    """A chart of one line for each peer: the compared figure over a parameter."""

    parameter: str  # on the x axis, which is logarithmic
    relative_to: str | None = None  # the peer whose value is 1; None: absolute values


@dataclass(frozen=True)
class Workload:
    """What the cases of one workload have in common, and how their results are shown."""

    name: str
    title: str  # one sentence: what happens
    columns: Sequence[Column]  # of its table
    baselines: Sequence[str] = ()  # the peers that the others are compared with
    compared: Column = RATE  # by this
    also_compared: Sequence[Column] = ()  # and by these; their ratios come last in the table
    chart: Curve | None = None  # None: a bar for each peer
