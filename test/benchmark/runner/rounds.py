# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Measures cases in rounds: in each round each case once, in an order that turns."""

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence

from .case import Case, NotAvailable, Result, Settings

# The results of the rounds, for each case that can be measured.
Results = list[tuple[Case, list[Result]]]


def scenarios(cases: Sequence[Case]) -> list[list[Case]]:
    """The cases that are compared with each other, together, in the order of their first."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.workload, case.scenario), []).append(case)
    return list(groups.values())


def turned(cases: Sequence[Case], by: int) -> Iterator[Case]:
    """All of them, those first that are `by` places on."""
    by %= len(cases)
    return itertools.chain(cases[by:], cases[:by])


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(
    cases: Sequence[Case], settings: Settings, rounds: int,
    after_round: Callable[[], None] = lambda: None,
) -> Results:
    """What cannot be measured here is said in one line, and left out."""
    found: dict[int, list[Result]] = {id(case): [] for case in cases}
    missing: set[tuple[str, str]] = set()
    for number in range(rounds):
        for group in scenarios(cases):
            say(f"round {number + 1} of {rounds}: {group[0].workload} {group[0].scenario}")
            for case in turned(group, number * max(1, len(group) // rounds)):
                if (case.workload, case.peer) in missing or (case.once and number > 0):
                    continue
                try:
                    found[id(case)].append(case.measure(settings))
                except NotAvailable as reason:
                    missing.add((case.workload, case.peer))
                    say(f"left out: {case.workload} {case.peer}: {reason}")
                except Exception:
                    say(f"failed: {case.workload} {case.scenario} {case.peer}")
                    raise
        after_round()
    return [(case, found[id(case)]) for case in cases if found[id(case)]]
