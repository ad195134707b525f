# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The columns of result tables: each computes a figure from a result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Column:
    """A figure of each measurement."""

    heading: str
    value: Callable[[Mapping[str, Any]], float | None]  # None: not known
    form: str = ".0f"
    more_is_better: bool = False

    def text(self, value: float | None) -> str:
        return "-" if value is None else format(value, self.form)


def per_operation(field: str, factor: float) -> Callable[[Mapping[str, Any]], float | None]:
    """So many of `field` for each operation."""

    def value(result: Mapping[str, Any]) -> float | None:
        total = result.get(field)
        operations = result["operations"]
        return None if total is None or not operations else factor * total / operations

    return value


def latency(quantile: str) -> Column:
    """A quantile of the latency, in microseconds."""

    def value(result: Mapping[str, Any]) -> float | None:
        latencies = result.get("latency_us")
        return latencies.get(quantile) if latencies else None

    return Column(f"{quantile} us", value, ".1f")


RATE = Column(
    "per second", lambda r: r["operations"] / r["seconds"], ".0f", more_is_better=True
)
TIME_NS = Column("ns each", per_operation("seconds", 1e9), ".0f")
CPU_NS = Column("CPU ns each", per_operation("cpu_seconds", 1e9), ".0f")
CPU_US = Column("CPU us each", per_operation("cpu_seconds", 1e6), ".2f")
SWITCHES = Column("switches each", per_operation("voluntary_switches", 1), ".4f")
PREEMPTIONS = Column("preempted each", per_operation("involuntary_switches", 1), ".4f")
FUTEX_CALLS = Column("futex each", per_operation("futex_calls", 1), ".4f")
MEMORY = Column("MiB", lambda r: r["max_rss_kib"] / 1024 if r.get("max_rss_kib") else None, ".1f")
P50, P99, P999, MAX = (latency(q) for q in ("p50", "p99", "p99.9", "max"))
