# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Charts by gnuplot, as SVG to be put into a page."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from .case import Case, Curve, Workload
from .rounds import Results
from .summary import Summary, of_column, ratio, summarize
from .table import Rounds, family, grouped

COLOURS = (
    "#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#9c755f", "#76b7b2", "#ff9da7", "#e15759",
    "#edc948", "#bab0ac", "#1f1f1f",
)
QUANTILES = ("p50", "p90", "p99", "p99.9", "max")
TIMEOUT = 30  # seconds


@dataclass(frozen=True)
class Chart:
    title: str
    svg: str


@dataclass(frozen=True)
class Line:
    """Of one peer: where it is on the x axis, and the figure there."""

    peer: str
    points: Sequence[tuple[float, Summary]]


def gnuplot(script: str) -> str:
    done = subprocess.run(
        ["gnuplot"], input=script, capture_output=True, text=True, check=True, timeout=TIMEOUT
    )
    # Without what stands before the element: it goes into a page.
    return done.stdout[done.stdout.index("<svg"):]


def quoted(text: str) -> str:
    """As gnuplot wants it in data and options; it knows no escape in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def block(name: str, lines: Sequence[str]) -> str:
    return "\n".join([f"${name} << EOD", *lines, "EOD"])


def begin(width: int, height: int) -> str:
    return (
        f"set terminal svg size {width},{height} fixed noenhanced font 'sans-serif,12' "
        "background 'white'\nset border 3 lc rgb '#888888'\n"
        "set tics nomirror textcolor rgb 'black'\n"
        "set grid lc rgb '#dddddd' lt 1\n"
    )


def colour_of(peer: str, peers: Sequence[str]) -> str:
    return quoted(COLOURS[peers.index(peer) % len(COLOURS)])


def bars(heading: str, figures: Sequence[tuple[str, Summary]], peers: Sequence[str]) -> str:
    """A bar to the right for each peer, with its least and most."""
    lines = [
        f'"{peer}" {s.median} {s.least} {s.most} {len(figures) - i}'
        for i, (peer, s) in enumerate(figures)
    ]
    drawn = ", ".join(
        f"$data every ::{i}::{i} using (0):5:(0):2:($5-0.35):($5+0.35):ytic(1) "
        f"with boxxyerror fs solid 0.8 lc rgb {colour_of(peer, peers)} notitle"
        for i, (peer, _) in enumerate(figures)
    )
    return gnuplot(
        begin(760, 60 + 26 * len(figures)) + block("data", lines) + "\n"
        f"set xlabel {quoted(heading)}\nset xrange [0:*]\n"
        f"set yrange [0.4:{len(figures) + 0.6}]\nset format x '%.1s%c'\n"
        f"plot {drawn}, $data using 2:5:3:4 with xerrorbars pt 0 lc rgb 'black' notitle\n"
    )


def lines(axes: str, of_peers: Sequence[Line], peers: Sequence[str]) -> str:
    """A line for each peer, with the least and most at each point."""
    blocks, drawn = [], []
    for i, line in enumerate(of_peers):
        blocks.append(block(f"data{i}", [
            f"{x} {s.median} {s.least} {s.most}" for x, s in line.points
        ]))
        colour = colour_of(line.peer, peers)
        drawn.append(
            f"$data{i} using 1:2 with lines lw 2 lc rgb {colour} title {quoted(line.peer)}, "
            f"$data{i} using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb {colour} notitle"
        )
    return gnuplot(
        begin(760, 460) + "\n".join(blocks) + "\nset key below maxcols 4\n" + axes
        + "\nplot " + ", ".join(drawn) + "\n"
    )


def curve_chart(
    workload: Workload, curve: Curve, measured: list[tuple[Case, Rounds]], peers: Sequence[str]
) -> str:
    compared = workload.compared
    rounds_of = {(case.parameters[curve.parameter], case.peer): r for case, r in measured}
    drawn = []
    for peer in dict.fromkeys(case.peer for case, _ in measured):
        points = []
        for value in sorted(v for v, p in rounds_of if p == peer):
            rounds = rounds_of[value, peer]
            figure = of_column(compared, rounds)
            if curve.relative_to:
                figure = ratio(compared, rounds, rounds_of.get((value, curve.relative_to), []))
            if figure:
                points.append((float(value), figure))
        if points:
            drawn.append(Line(peer, points))
    what = f"{compared.heading}, times {curve.relative_to}" if curve.relative_to \
        else compared.heading
    axes = (
        f"set logscale xy\nset xlabel {quoted(curve.parameter)}\nset ylabel {quoted(what)}\n"
        "set format x '%g'\nset format y '%g'"
    )
    return lines(axes, drawn, peers) if drawn else ""


def latency_chart(measured: list[tuple[Case, Rounds]], peers: Sequence[str]) -> str:
    """Over the quantiles; nothing if no latency was measured."""
    drawn = []
    for case, rounds in measured:
        known = [result["latency_us"] for result in rounds if result.get("latency_us")]
        if known and len(known) == len(rounds):
            points = []
            for i, quantile in enumerate(QUANTILES):
                points.append((i, summarize([latencies[quantile] for latencies in known])))
            drawn.append(Line(case.peer, points))
    marks = ", ".join(f"{quoted(quantile)} {i}" for i, quantile in enumerate(QUANTILES))
    axes = (
        f"set logscale y\nset xtics ({marks})\nset xrange [-0.3:{len(QUANTILES) - 0.7}]\n"
        "set ylabel 'latency, us'\nset format y '%g'"
    )
    return lines(axes, drawn, peers) if drawn else ""


def charts(workload: Workload, results: Results) -> list[Chart]:
    """All of a workload. A peer has the same colour in all that are made from these results."""
    peers = list(dict.fromkeys(case.peer for case, _ in results))
    curve = workload.chart
    if curve is not None:
        groups = grouped(results, workload.name, family(curve))
        made = [(title, curve_chart(workload, curve, of, peers)) for title, of in groups.items()]
        return [Chart(title, svg) for title, svg in made if svg]
    made = []
    for title, measured in grouped(results, workload.name, lambda c: c.scenario).items():
        figures = [(case.peer, of_column(workload.compared, r)) for case, r in measured]
        known = [(peer, figure) for peer, figure in figures if figure]
        if known:
            made.append((title, bars(workload.compared.heading, known, peers)))
        made.append((f"{title}: latency", latency_chart(measured, peers)))
    return [Chart(title, svg) for title, svg in made if svg]
