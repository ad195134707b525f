"""The table of a workload, one row for each peer of each scenario."""

from collections.abc import Sequence
from dataclasses import dataclass

from .case import Case, Result, Workload
from .rounds import Results
from .summary import Summary, of_column, ratio


@dataclass(frozen=True)
class Table:
    """The rows of one scenario; all cells are text."""

    scenario: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def spread(summary: Summary | None, form: str) -> str:
    if summary is None:
        return "-"
    return f"{summary.least:{form}} - {summary.most:{form}}"


def by_scenario(results: Results, workload: str) -> dict[str, list[tuple[Case, list[Result]]]]:
    groups: dict[str, list[tuple[Case, list[Result]]]] = {}
    for case, rounds in results:
        if case.workload == workload:
            groups.setdefault(case.scenario, []).append((case, rounds))
    return groups


def tables(workload: Workload, results: Results) -> list[Table]:
    compared = workload.compared
    made = []
    for scenario, measured in by_scenario(results, workload.name).items():
        rounds_of = {case.peer: rounds for case, rounds in measured}
        baselines = [peer for peer in workload.baselines if peer in rounds_of]
        headings = ["", compared.heading, "least - most"]
        headings += [column.heading for column in workload.columns]
        headings += [f"x {peer}" for peer in baselines]
        rows = []
        for peer, rounds in rounds_of.items():
            rate = of_column(compared, rounds)
            row = [peer, compared.text(rate and rate.median), spread(rate, compared.form)]
            for column in workload.columns:
                figure = of_column(column, rounds)
                row.append(column.text(figure and figure.median))
            for baseline in baselines:
                times = ratio(compared, rounds, rounds_of[baseline])
                row.append(f"{times.median:.2f}" if times else "-")
            rows.append(row)
        made.append(Table(scenario, headings, rows))
    return made


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
