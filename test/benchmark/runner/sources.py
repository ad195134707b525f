# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""All that there is to measure."""

from collections.abc import Iterator

from . import in_process, network, observed
from .case import Case, Settings, Workload

SOURCES = (in_process, observed, network)


def workloads() -> dict[str, Workload]:
    """By name, in the order in which they are measured and shown."""
    return {w.name: w for source in SOURCES for w in source.workloads()}


def cases(settings: Settings) -> Iterator[Case]:
    for source in SOURCES:
        yield from source.cases(settings)
