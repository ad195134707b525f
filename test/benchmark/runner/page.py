# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The report as one page of HTML that needs nothing else: no network, no script."""

from collections.abc import Sequence
from html import escape

from .case import Workload
from .chart import charts
from .rounds import Results
from .table import Table, tables

STYLE = """
body { font: 15px/1.45 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; }
th, td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 1em 0; }
figcaption { color: #555; }
svg { max-width: 100%; height: auto; }
"""


def cells(kind: str, texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{escape(text)}</{kind}>" for text in texts) + "</tr>"


def as_html(table: Table) -> str:
    rows = "\n".join(cells("td", row) for row in table.rows)
    return (
        f"<h3>{escape(table.title)}</h3>\n<table>\n{cells('th', table.headings)}\n{rows}\n"
        "</table>"
    )


def page(
    workloads: Sequence[Workload], results: Results, conditions: Sequence[tuple[str, str]],
) -> str:
    parts = [
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>",
        f"<title>asio_ewyk: benchmark</title><style>{STYLE}</style></head><body>",
        "<h1>asio_ewyk: benchmark</h1>\n<table>",
        *(cells("td", line) for line in conditions),
        "</table>\n<p>Medians of the rounds; the thin lines in the charts reach from the least to "
        "the most.</p>",
    ]
    for workload in workloads:
        shown = tables(workload, results)
        if not shown:
            continue
        parts.append(f"<h2>{escape(workload.name)}</h2>\n<p>{escape(workload.title)}</p>")
        parts += [
            f"<figure>{chart.svg}<figcaption>{escape(chart.title)}</figcaption></figure>"
            for chart in charts(workload, results)
        ]
        parts += map(as_html, shown)
    return "\n".join([*parts, "</body></html>\n"])
