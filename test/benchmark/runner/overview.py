# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The charts at the top of doc/benchmarks.adoc, as SVG.

They are as wide as a phone, and have the background and the colour of text of the page that they
are put into; elsewhere text is grey enough for light and dark. Without gnuplot: the same figures
give the same file on each machine.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .case import Curve
from .column import P99, RATE, Column
from .network.workloads import CPU_OF_ALL
from .rounds import Results
from .summary import Summary, of_column, ratio, summarize
from .table import family, grouped

WIDTH, ROW, SMALL = 400, 17, 11
OURS = "eat_what_you_kill+grace"  # what a strategy_context does if nothing is said
BLUE, ORANGE, GREEN, GREY = "#1f83c4", "#d55e00", "#009e73", "#808080"
GRID = {"stroke": GREY, "stroke_opacity": 0.35}
# The first line is the one that matters. Who sees no colours tells the others by their dashes.
LINES: Sequence[Mapping[str, Any]] = (
    {"stroke": BLUE, "stroke_width": 3.5},
    {"stroke": ORANGE, "stroke_width": 2, "stroke_dasharray": "7 3"},
    {"stroke": GREEN, "stroke_width": 2, "stroke_dasharray": "2 2"},
    {"stroke": GREY, "stroke_width": 2, "stroke_dasharray": "9 3 2 3"},
)
Line = Sequence[tuple[float, Summary]]  # where it is on the x axis, and the figure there


@dataclass(frozen=True)
class Axis:
    """From the first of its ticks to the last."""

    title: str
    ticks: Sequence[float]
    logarithmic: bool = False

    def to(self, begin: float, end: float) -> Callable[[float], float]:
        """Where a value is, if the axis goes from `begin` to `end`."""
        scale = math.log if self.logarithmic else float
        first, last = scale(self.ticks[0]), scale(self.ticks[-1])
        return lambda value: begin + (scale(value) - first) / (last - first) * (end - begin)


@dataclass(frozen=True)
class Panel:
    """A row for each peer of one scenario."""

    title: str
    workload: str
    parameters: Mapping[str, float | str]
    column: Column
    base: int | None = None  # of the axis, if it is logarithmic


def thousands(column: Column) -> Column:
    def value(result: Mapping[str, Any]) -> float | None:
        figure = column.value(result)
        return None if figure is None else figure / 1000

    return Column("", value, ".1f")


SLEEPING = {"beside": "sleeping"}
MIXED = (
    Panel("thousand requests a second (more is better)", "mixed", SLEEPING, thousands(RATE)),
    Panel("CPU time of a request, µs (less is better)", "mixed", SLEEPING, CPU_OF_ALL),
)
LATENCY = (
    Panel("p99 at full load, ms (less is better)", "mixed", SLEEPING, thousands(P99), 10),
    Panel("p99 at 20 000 requests a second, ms (less is better)", "mixed_rate",
          {**SLEEPING, "rate": 20000}, thousands(P99), 10),
)


def axis(title: str, figures: Sequence[Summary], base: int | None = None) -> Axis:
    """Around all of them: powers of the base; without one, from 0 in at most five steps."""
    least, most = min(f.least for f in figures), max(f.most for f in figures)
    if base:
        first = math.floor(math.log(least, base))
        last = max(math.ceil(math.log(most, base)), first + 1)
        return Axis(title, [base ** i for i in range(first, last + 1)], True)
    whole = 10 ** math.ceil(math.log10(most))
    step = next(s for s in (whole / 10, whole / 5, whole / 2) if most <= 5 * s)
    return Axis(title, [i * step for i in range(math.ceil(most / step) + 1)])


def element(name: str, text: str = "", **attributes: Any) -> str:
    given = "".join(
        f' {key.replace("_", "-")}="{f"{value:.5g}" if isinstance(value, float) else value}"'
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{escape(text)}</{name}>"


def write(x: float, y: float, text: str, anchor: str = "start", **attributes: Any) -> str:
    return element("text", text, x=x, y=y, text_anchor=anchor, **attributes)


def bold(yes: bool) -> str:
    return "bold" if yes else "normal"


def draw(points: Sequence[tuple[float, float]], **attributes: Any) -> str:
    joined = "L".join(f"{x:.5g} {y:.5g}" for x, y in points)
    return element("path", d=f"M{joined}", fill="none", **attributes)


def svg(height: float, parts: Sequence[str], note: str = "") -> str:
    body = "\n".join([*parts, write(4, height - 6, note, font_size=SMALL)] if note else parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}" font-family="sans-serif" font-size="12" '
        f'fill="{GREY}">\n{body}\n</svg>\n'
    )


def rows(top: float, across: Axis, figures: Mapping[str, Summary], form: str) -> list[str]:
    """The median of each peer as a dot and as text, and a line from the least to the most."""
    begin, end = top + 24, top + 24 + ROW * len(figures)
    x = across.to(162, WIDTH - 60)
    parts = [write(4, top + 14, across.title, font_weight="bold")]
    for tick in across.ticks:
        parts.append(draw([(x(tick), begin), (x(tick), end)], **GRID))
        parts.append(write(x(tick), end + 13, f"{tick:g}", "middle"))
    for i, (peer, of) in enumerate(figures.items()):
        y, ours = begin + ROW * (i + 0.5), peer == OURS
        colour = BLUE if ours else GREY
        parts += [
            write(154, y + 4, peer, "end", font_weight=bold(ours)),
            draw([(x(of.least), y), (x(of.most), y)], stroke=colour, stroke_width=2),
            element("circle", cx=x(of.median), cy=y, r=5, fill=colour),
            write(WIDTH - 4, y + 4, f"{of.median:{form}}", "end", font_weight=bold(ours)),
        ]
    return parts


def peers(panels: Sequence[Panel], results: Results, note: str) -> str:
    """The panels, one below the other; nothing if none was measured."""
    parts: list[str] = []
    top = 0
    for panel in panels:
        figures = {
            case.peer: figure
            for case, rounds in results
            if case.workload == panel.workload and case.parameters == panel.parameters
            and (figure := of_column(panel.column, rounds))
        }
        if figures:
            across = axis(panel.title, list(figures.values()), panel.base)
            parts += rows(top, across, figures, panel.column.form)
            top += 48 + ROW * len(figures)
    return svg(top + 18, parts, note) if parts else ""


def legend(names: Sequence[str], top: float) -> list[str]:
    """In two columns."""
    parts = []
    for i, (name, style) in enumerate(zip(names, LINES)):
        x, y = 4 + i % 2 * WIDTH / 2, top + 12 + i // 2 * ROW
        parts.append(draw([(x, y - 4), (x + 26, y - 4)], **style))
        parts.append(write(x + 32, y, name, font_weight=bold(i == 0)))
    return parts


def curves(top: float, height: float, across: Axis, up: Axis, lines: Sequence[Line]) -> list[str]:
    """A line through the medians of each, and at each point one from the least to the most."""
    left, right, begin, end = 40, WIDTH - 16, top + 26, top + 26 + height
    x, y = across.to(left, right), up.to(end, begin)
    parts = [
        write(4, top + 14, up.title, font_weight="bold"),
        write((left + right) / 2, end + 29, across.title, "middle"),
    ]
    for tick in across.ticks:
        parts.append(draw([(x(tick), begin), (x(tick), end)], **GRID))
        parts.append(write(x(tick), end + 14, f"{tick:g}", "middle"))
    for tick in up.ticks:
        parts.append(draw([(left, y(tick)), (right, y(tick))], **GRID))
        parts.append(write(left - 6, y(tick) + 4, f"{tick:g}", "end"))
    # The first is above the others.
    for line, style in reversed(list(zip(lines, LINES))):
        parts.append(draw([(x(at), y(of.median)) for at, of in line], **style))
        for at, of in line:
            if of.least < of.most:
                spread = [(x(at), y(of.least)), (x(at), y(of.most))]
                parts.append(draw(spread, stroke=style["stroke"]))
            parts.append(element("circle", cx=x(at), cy=y(of.median), r=3, fill=style["stroke"]))
    return parts


def handler_length(results: Results, note: str) -> str:
    """Of one chain of handlers that compute; nothing if it was not measured."""
    baseline = "produce_execute_consume"
    groups = grouped(results, "handler_length", family(Curve("length")))
    measured = groups.get("sleeps 0, chains 1", [])
    rounds_of = {(float(case.parameters["length"]), case.peer): r for case, r in measured}
    lines: dict[str, list[tuple[float, Summary]]] = {OURS: []}
    for (length, peer), rounds in sorted(rounds_of.items()):
        times = ratio(RATE, rounds, rounds_of.get((length, baseline), []))
        if times and peer != baseline:
            lines.setdefault(peer, []).append((length, times))
    figures = [figure for line in lines.values() for _, figure in line]
    if not figures:
        return ""
    lengths = [summarize([length]) for length, _ in rounds_of]
    across = axis("µs that a handler computes", lengths, 10)
    up = axis(f"times the handlers that {baseline} runs", figures, 2)
    parts = [*legend(list(lines), 0), *curves(36, 200, across, up, list(lines.values()))]
    return svg(314, parts, note)


def many_cores(page: str) -> str:
    """Of the handlers of 10 µs in the table of doc/benchmarks.adoc."""
    head, *table = [
        line.strip("| ").split(" | ")
        for line in page.splitlines()
        if line.startswith("| virtual: cores, ") or re.match(r"\| \d+, of 10 µs", line)
    ]
    names = [name.split(",")[0] for name in head[:0:-1]]  # the strategy is the last column
    parts = [
        write(4, 13, "VIRTUAL: computed, not measured", font_weight="bold"),
        *legend(names, 18),
    ]
    for i, what in enumerate(("none sleeps", "8 sleep")):
        points = {
            # What the others are compared with is 1.
            float(first.split(",")[0]): [*map(float, reversed(ratios)), 1.0]
            for first, _, *ratios in table if first.endswith("sleep") == (i == 1)
        }
        lines = [
            [(cores, summarize([each[k]])) for cores, each in points.items()]
            for k in range(len(names))
        ]
        across = Axis("virtual cores", list(points), True)
        up = axis(
            f"times the handlers of n threads, {what}", [f for line in lines for _, f in line])
        parts += curves(56 + i * 164, 92, across, up, lines)
    return svg(374, parts)


def overview(known: Mapping[str, Any], results: Results, page: str) -> dict[str, str]:
    """The charts by the names of their files. `page`: the text of doc/benchmarks.adoc."""
    note = (
        f"revision {known['revision']}; medians of {known['rounds']} rounds, "
        "lines: least to most"
    )
    made = {
        "mixed": peers(MIXED, results, note),
        "latency": peers(LATENCY, results, note),
        "handler_length": handler_length(results, note),
        "many_cores": many_cores(page),
    }
    return {f"benchmark_{name}.svg": chart for name, chart in made.items() if chart}
