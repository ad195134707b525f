# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The results as a part of doc/benchmark_tables.adoc."""

from collections.abc import Sequence

from .case import Workload
from .rounds import Results
from .table import Table, tables


def cell(text: str) -> str:
    # A bar would begin another cell, a plus sign could begin a passthrough.
    return "| " + text.replace("|", "{vbar}").replace("+", "{plus}")


def as_adoc(table: Table) -> str:
    columns = ",".join(["<3", *[">2"] * (len(table.headings) - 1)])
    rows = "\n".join(" ".join(map(cell, row)) for row in table.rows)
    headings = " ".join(map(cell, table.headings))
    return (
        f".{table.title}\n[cols=\"{columns}\",options=\"header\"]\n|===\n{headings}\n{rows}\n"
        "|===\n"
    )


def document(
    workloads: Sequence[Workload], results: Results, conditions: Sequence[tuple[str, str]],
) -> str:
    """Sections of level 1, which a page that includes them may lower."""
    parts = ["== Conditions\n", *(f"{name}:: {text}" for name, text in conditions), ""]
    for workload in workloads:
        shown = tables(workload, results)
        if shown:
            parts += [f"== `{workload.name}`\n", f"{workload.title}.\n", *map(as_adoc, shown)]
    return "\n".join(parts)
