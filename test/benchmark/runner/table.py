# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The tables of a workload: what was measured of each peer, and how that compares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .case import Case, Curve, Result, Workload
from .rounds import Results
from .summary import Summary, of_column, ratio

Rounds = list[Result]


@dataclass(frozen=True)
class Table:
    """All cells are text; the first of a row says what it is about."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def grouped(
    results: Results, workload: str, key: Callable[[Case], str]
) -> dict[str, list[tuple[Case, Rounds]]]:
    """Those of a workload, those with the same key together."""
    groups: dict[str, list[tuple[Case, Rounds]]] = {}
    for case, rounds in results:
        if case.workload == workload:
            groups.setdefault(key(case), []).append((case, rounds))
    return groups


def family(curve: Curve) -> Callable[[Case], str]:
    """The parameters as text but the one that the curve is over."""
    return lambda case: ", ".join(
        f"{name} {value}" for name, value in case.parameters.items() if name != curve.parameter
    )


def spread(summary: Summary | None, form: str) -> str:
    if summary is None:
        return "-"
    return f"{summary.least:{form}} - {summary.most:{form}}"


def median(summary: Summary | None, form: str) -> str:
    return "-" if summary is None else f"{summary.median:{form}}"


def name(peer: str, rounds: Rounds) -> str:
    """With the version that was measured, where that is not the one of these sources."""
    return " ".join(filter(None, (peer, rounds[0].get("version") if rounds else None)))


def peers_table(workload: Workload, title: str, measured: list[tuple[Case, Rounds]]) -> Table:
    """A row for each peer."""
    compared = workload.compared
    rounds_of = {case.peer: rounds for case, rounds in measured}
    baselines = [peer for peer in workload.baselines if peer in rounds_of]
    headings = ["", compared.heading, "least - most"]
    headings += [column.heading for column in workload.columns]
    headings += [f"x {peer}" for peer in baselines]
    headings += [f"{c.heading} x {peer}" for c in workload.also_compared for peer in baselines]
    rows = []
    for peer, rounds in rounds_of.items():
        figure = of_column(compared, rounds)
        row = [name(peer, rounds), median(figure, compared.form), spread(figure, compared.form)]
        row += [median(of_column(c, rounds), c.form) for c in workload.columns]
        for column in (compared, *workload.also_compared):
            row += [median(ratio(column, rounds, rounds_of[b]), ".2f") for b in baselines]
        rows.append(row)
    return Table(title, headings, rows)


def curve_table(
    workload: Workload, curve: Curve, title: str, measured: list[tuple[Case, Rounds]]
) -> Table:
    """A row for each value of the parameter, and columns for each peer."""
    compared = workload.compared
    peers = list(dict.fromkeys(case.peer for case, _ in measured))
    rounds_of = {(case.parameters[curve.parameter], case.peer): r for case, r in measured}
    others = [p for p in peers if curve.relative_to in peers and p != curve.relative_to]
    headings = [curve.parameter, *peers, *(f"{peer} x {curve.relative_to}" for peer in others)]
    rows = []
    for value in sorted({value for value, _ in rounds_of}):
        row = [f"{value:g}"]
        for peer in peers:
            rounds = rounds_of.get((value, peer), [])
            row.append(median(of_column(compared, rounds), compared.form))
        for peer in others:
            baseline = rounds_of.get((value, curve.relative_to), [])
            times = ratio(compared, rounds_of.get((value, peer), []), baseline)
            row.append(
                "-" if times is None else f"{times.median:.2f} ({spread(times, '.2f')})"
            )
        rows.append(row)
    return Table(title, headings, rows)


def tables(workload: Workload, results: Results) -> list[Table]:
    curve = workload.chart
    if curve is None:
        groups = grouped(results, workload.name, lambda case: case.scenario)
        return [peers_table(workload, title, of) for title, of in groups.items()]
    groups = grouped(results, workload.name, family(curve))
    return [curve_table(workload, curve, title, of) for title, of in groups.items()]


def as_text(table: Table) -> str:
    """In columns, the first to the left, the others to the right."""
    lines = [table.headings, *table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.headings))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )
