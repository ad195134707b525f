# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Tables that can be read on any width: doc/site/assemble calls readable().

The digits of a large number are in groups of three. Of a table with many columns of figures the
main ones stay, and the others are folded away below it. Each cell knows the header of its column,
which style.css shows on a phone, where a row becomes a block.
"""

import html
import re

MOST_COLUMNS = 9  # of figures; more do not fit beside the contents, 1400 pixels wide
MINOR = re.compile(
    r"least - most|(switches|preempted|futex|other thread) each|MiB|errors|unanswered|max us"
    r"|others p\d+ us|alone per second|CPU us alone")
TABLE = re.compile(r'<table class="tableblock.*?</table>', re.DOTALL)
ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<(t[dh]) ([^>]*)>(.*?)</\1>", re.DOTALL)
SPAN = re.compile(r'(row|col)span="(\d+)"')
# Not a part of a name or of a fraction.
LARGE = re.compile(r"(?<![\w.])\d{5,}(?!\w)")
THIN, FIRM = "\u202f", "\u00a0"  # spaces where no line ends


class Cell:
    def __init__(self, match, column):
        self.tag, self.attributes, self.content = match.groups()
        self.column = column
        spans = {what: int(count) for what, count in SPAN.findall(self.attributes)}
        self.rows, self.columns = spans.get("row", 1), spans.get("col", 1)
        self.is_figure = "halign-right" in self.attributes

    @property
    def text(self):
        return html.unescape(re.sub(r"<[^>]+>", "", self.content)).strip()


def rows(part):
    """The cells of each row of a head or a body, with the columns in which they stand."""
    out, taken = [], {}  # by column: for how many rows a cell above reaches down
    for row in ROW.findall(part):
        cells, column = [], 0
        for match in CELL.finditer(row):
            while taken.get(column):
                column += 1
            cells.append(Cell(match, column))
            column += cells[-1].columns
        taken = {at: left - 1 for at, left in taken.items() if left}
        for cell in cells:
            for at in range(cell.column, cell.column + cell.columns):
                taken[at] = taken.get(at, 0) + cell.rows - 1
        out.append(cells)
    return out


def grouped(content):
    """With large numbers in groups of three digits, but not in code."""
    parts = re.split(r"(<code>.*?</code>|<[^>]+>)", content, flags=re.DOTALL)
    for at in range(0, len(parts), 2):
        parts[at] = LARGE.sub(lambda number: f"{int(number[0]):,}".replace(",", THIN)
                              if number[0][0] != "0" else number[0], parts[at])
    return "".join(parts)


def breakable(content):
    """Names may be broken after ::, _, + and /, but not io_context/1 or I/O: this saves columns."""
    parts = re.split(r"(<[^>]+>)", content)
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"(::|(?<=[^\W_])_|(?<=\w\w)(?:&#43;|/))(?=\w\w)", r"\1<wbr>", parts[at])
    return "".join(parts)


def firm(content):
    """A figure, whose parts stay on one line, but for what stands in brackets behind it."""
    parts = re.split(r"(<[^>]+>)", content)
    for at in range(0, len(parts), 2):
        parts[at] = parts[at].replace(" ", FIRM).replace(FIRM + "(", " (")
    return "".join(parts)


def cell_html(cell, heads):
    content, attributes = grouped(cell.content), cell.attributes
    if cell.is_figure and cell.tag == "td":
        content = firm(content)
    else:
        content = breakable(content)
    if cell.column == 0:
        attributes = attributes.replace('class="', 'class="first ', 1)
    elif heads and cell.tag == "td":
        attributes += f' data-label="{html.escape(heads[cell.column])}"'
    return f"<{cell.tag} {attributes}>{content}</{cell.tag}>"


def part_html(tag, part, heads, columns):
    out = ["<tr>\n{}\n</tr>".format("\n".join(
        cell_html(cell, heads) for cell in row if cell.column in columns)) for row in part]
    return "<{0}>\n{1}\n</{0}>".format(tag, "\n".join(out)) if out else ""


def readable_table(match):
    table = match[0]
    widths = re.findall(r"<col\b[^>]*>", table)
    head, body = (rows("".join(re.findall(rf"<{tag}>.*?</{tag}>", table, re.DOTALL)))
                  for tag in ("thead", "tbody"))
    heads = [cell.text for cell in head[0]] if head else []
    count = len(widths)
    figures = sum(cell.is_figure for cell in body[0]) > count / 2
    columns, minor = list(range(count)), []
    if count > MOST_COLUMNS and figures:
        minor = [at for at in columns if MINOR.fullmatch(heads[at])]
        columns = [at for at in columns if at not in minor]
    kind = "rows" * (count > 2) + " figures" * figures + " symptoms" * (heads[:1] == ["symptom"])

    def made(columns, caption):
        # Of figures, each column is as wide as they are.
        group = "" if figures else "<colgroup>\n{}\n</colgroup>\n".format("\n".join(widths))
        return ('<div class="scroll"><table class="tableblock {}">\n{}{}{}\n{}\n</table></div>'
                .format(kind, caption, group, part_html("thead", head, None, columns),
                        part_html("tbody", body, heads, columns)))

    caption = re.search(r"<caption.*?</caption>\n?", table, re.DOTALL)
    out = made(columns, caption[0] if caption else "")
    if minor:
        out += ('\n<details class="more"><summary>Further columns: {}</summary>\n{}\n</details>'
                .format(html.escape(", ".join(heads[at] for at in minor)),
                        made([0, *minor], "")))
    return out


def readable(body):
    body = re.sub(r"(<table>.*?</table>)", r'<div class="scroll">\1</div>', body, flags=re.DOTALL)
    return TABLE.sub(readable_table, body)
