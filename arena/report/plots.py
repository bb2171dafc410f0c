"""Plots as SVG, by Vega-Lite; the only module that knows the library.

How it works: a plot is drawn when the site is written, so that a page needs no plotting code, no permission to run
any, and prints as it looks. Colors are the style sheet's variables, so that one drawing serves light and dark. Names
are cut and stripped of marks that turn text around: a label must not reach into its neighbors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import vl_convert
from markupsafe import Markup

from arena.report.wording import plain

SERIES = tuple([f"var(--s{number})" for number in range(8)])
_DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [6, 2, 2, 2, 2, 2])
_CONFIG = {
    "background": None,
    "padding": {"left": 10, "right": 14, "top": 5, "bottom": 5},
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)",
        "titleColor": "var(--soft)",
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domainColor": "var(--rule)",
        "tickColor": "var(--rule)",
        "labelFontSize": 13,  # the style sheet says at most 12: a margin, since fonts differ
        "titleFontSize": 13,
        "labelLimit": 170,
    },
    "legend": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--soft)",
        "labelFontSize": 13,
        "labelLimit": 170,
        "columnPadding": 18,
    },
    "text": {"color": "var(--ink)", "fontSize": 12},
}
_UNITS = "datum.value < 1000 ? datum.value + ' ms' : datum.value / 1000 + ' s'"
_WIDTH = 250  # with the names, as wide as a phone; a wider page shows it larger, in smaller type
_ROW = 18
_LARGER = 1.4
Row = Mapping[str, Any]


def intervals(rows: Sequence[Row], title: str) -> Markup:
    """Draw a value and its interval for each name; rows have name, value, low, high."""
    x = {"type": "quantitative", "scale": {"zero": False, "nice": True}, "axis": {"title": title, "tickCount": 6}}
    line = {"type": "rule", "strokeWidth": 2.2, "strokeCap": "round", "color": SERIES[0], "opacity": 0.45}
    dot = {"type": "point", "filled": True, "size": 38, "opacity": 1, "color": SERIES[0]}
    return _by_name(rows, _range(line, "low", "high", x), _at(dot, "value", x))


def boxes(rows: Sequence[Row], title: str) -> Markup:
    """Draw a distribution for each name; rows have name, p5, p25, p50, p75, p95."""
    x = {"type": "quantitative", "axis": {"title": title, "tickCount": 6}}
    line = {"type": "rule", "color": SERIES[0]}
    box = {"type": "bar", "size": 9, "color": SERIES[0], "opacity": 0.45}
    middle = {"type": "tick", "thickness": 2.2, "size": 12, "color": "var(--ink)"}
    return _by_name(rows, _range(line, "p5", "p95", x), _range(box, "p25", "p75", x), _at(middle, "p50", x))


def _range(mark: Row, low: str, high: str, x: Row) -> Row:
    return {"mark": mark, "encoding": {"x": {"field": low, **x}, "x2": {"field": high}}}


def _at(mark: Row, value: str, x: Row) -> Row:
    return {"mark": mark, "encoding": {"x": {"field": value, **x}}}


def stacks(rows: Sequence[Row], kinds: Sequence[str], title: str) -> Markup:
    """Draw counts as bars in parts; rows have name, kind, count, and the number of the kind as nth."""
    sums: Counter[str] = Counter()
    for row in rows:
        sums[row["name"]] += row["count"]
    step = -(-max(sums.values(), default=1) // 8)
    ticks = list(range(0, max(sums.values(), default=1) + step, step))
    axis = {"title": title, "values": ticks, "format": "d"}
    encoding = {
        "x": {"field": "count", "type": "quantitative", "axis": axis},
        "color": {
            "field": "kind",
            "type": "nominal",
            "scale": {"domain": list(kinds), "range": list(SERIES[: len(kinds)])},
            "legend": {"title": None, "orient": "bottom", "columns": 4},
        },
        "order": {"field": "nth", "type": "quantitative"},
    }
    bar = {"type": "bar", "size": 11, "stroke": "var(--paper)", "strokeWidth": 1.5}
    return _by_name(rows, {"mark": bar, "encoding": encoding})


def lines(rows: Sequence[Row], names: Sequence[str], x_title: str, y_title: str, *, is_log: bool = False) -> Markup:
    """Draw a line a name; rows have name, x, y. Names beyond the eighth share one thin gray style."""
    known = min(len(names), len(SERIES))
    domain = _apart([_label(name) for name in names[:known]] + ["others"] * (len(names) > known))
    label_of = dict(zip(names[:known], domain, strict=False))
    values = [{**row, "series": label_of.get(row["name"], domain[-1])} for row in rows]
    values.sort(key=lambda row: row["name"] in label_of)  # those in gray are drawn first, and lie below
    y_axis: dict[str, Any] = {"title": y_title, "tickCount": 5}
    if is_log:
        y_axis = {"title": y_title, "labelExpr": _UNITS, "values": _powers([row["y"] for row in rows])}
    spec: dict[str, Any] = {
        "width": _WIDTH + 60,
        "height": 190,
        "data": {"values": values},
        "mark": "line",
        "encoding": {
            "x": {"field": "x", "scale": {"nice": False}, "axis": {"title": x_title, "grid": False, "tickCount": 5}},
            "y": {"field": "y", "scale": {"type": "log"} if is_log else {"zero": False}, "axis": y_axis},
            "detail": {"field": "name"},
            **_styles(domain, known),
        },
    }
    for side in ("x", "y"):
        spec["encoding"][side]["type"] = "quantitative"
    return _draw(spec)


def _styles(domain: Sequence[str], known: int) -> dict[str, Row]:
    """Return what tells lines apart: color, dashes, and gray for the rest."""
    extra = len(domain) - known
    legend = {"title": None, "orient": "bottom", "columns": 3, "symbolType": "stroke", "symbolSize": 300}
    ranges: dict[str, list[Any]] = {
        "color": [*SERIES[:known], *["var(--rule)"] * extra],
        "strokeDash": [*_DASHES[:known], *[[1, 0]] * extra],
        "strokeWidth": [*[1.5] * known, *[0.8] * extra],
    }
    return {
        channel: {
            "field": "series",
            "type": "nominal",
            "sort": list(domain),
            "scale": {"domain": list(domain), "range": styles},
            "legend": None if channel == "strokeWidth" else legend,
        }
        for channel, styles in ranges.items()
    }


def _powers(values: Sequence[float]) -> list[float]:
    """Return the ticks of a scale by powers of ten: with steps between them where there are few."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1, 2, 5) if high - low <= 2 else (1,)
    return [round(step * 10.0**power, 6) for power in range(low, high + 1) for step in steps]


def _by_name(rows: Sequence[Row], *layers: Row) -> Markup:
    """Draw layers with a line for each name, in the order of the rows."""
    order = list(dict.fromkeys(row["name"] for row in rows))
    labels = dict(zip(order, _apart([_label(name) for name in order]), strict=True))
    values = [{**row, "name": labels[row["name"]]} for row in rows]
    axis = {"title": None, "domain": False, "ticks": False, "labelColor": "var(--ink)", "labelPadding": 8}
    y = {"field": "name", "type": "nominal", "sort": list(labels.values()), "axis": axis}
    size = {"width": _WIDTH, "height": {"step": _ROW}}
    return _draw({**size, "data": {"values": values}, "encoding": {"y": y}, "layer": list(layers)})


def _label(name: str) -> str:
    """Return a name as a short label of printable characters."""
    clean = plain(name)
    return f"{clean[:19]}…" if len(clean) > 20 else clean or "?"


def _apart(labels: Sequence[str]) -> list[str]:
    """Return labels that differ, so that equal ones do not share a line."""
    found: list[str] = []
    for label in labels:
        other, nth = label, 1
        while other in found:
            nth += 1
            other = f"{label} ({nth})"
        found.append(other)
    return found


_NOISE = re.compile(r' (?:class|role|aria-[a-z]+|pointer-events|xmlns:xlink|version|xlink:href|style)="[^"]*"')
_SIZE = re.compile(r'\b(width|height)="([\d.]+)"')  # those of the svg element come first
_EMPTY = re.compile(r'<path d="[^"]*" ?(?:display="none")?/>(?=<g>|</g>)|<g></g>')


def _draw(spec: dict[str, Any]) -> Markup:
    full = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": _CONFIG, **spec}
    svg: str = vl_convert.vegalite_to_svg(full)
    svg = _NOISE.sub("", svg)
    svg = _EMPTY.sub("", svg)
    svg = _SIZE.sub(lambda found: f'{found[1]}="{float(found[2]) * _LARGER:.0f}"', svg, count=2)
    # what surrounds it names it; its own text would be read out number by number
    return Markup(svg.replace("<svg ", '<svg class="plot" aria-hidden="true" ', 1))  # noqa: S704
