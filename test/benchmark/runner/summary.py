# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Figures of several rounds in one: the median, the least and the most."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .column import Column


@dataclass(frozen=True)
class Summary:
    median: float
    least: float
    most: float


def summarize(values: Sequence[float]) -> Summary:
    return Summary(statistics.median(values), min(values), max(values))


def of_column(column: Column, rounds: Sequence[Mapping[str, Any]]) -> Summary | None:
    """None if a round does not have the figure."""
    values = [column.value(result) for result in rounds]
    known = [value for value in values if value is not None]
    return summarize(known) if known and len(known) == len(values) else None


def ratio(
    column: Column, rounds: Sequence[Mapping[str, Any]], baseline: Sequence[Mapping[str, Any]]
) -> Summary | None:
    """How many times the baseline's figure, round by round: what both shared cancels out."""
    pairs = [(column.value(a), column.value(b)) for a, b in zip(rounds, baseline)]
    known = [a / b for a, b in pairs if a is not None and b]
    return summarize(known) if known and len(known) == len(pairs) else None
