"""Holds the colours, hatches, fonts and time formats of every picture. The page that plays has its
own colours in `play.css`.

Colours are Okabe and Ito's, which colour-blind readers can tell apart. A class of connection also
has its own hatch and line style, so that a picture printed in grey shows the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FONT = "DejaVu Sans"  # comes with matplotlib, so a picture has the same shape on every machine
MONO = "DejaVu Sans Mono"
FONT_PT = 10.5
# A page of JupyterLab that is 1280 pixels wide shows a picture at three quarters of its size: then
# these are four fifths of the 14 pixels of the text around it.
SMALL_PT = 10.0
WIDTH_IN = 10.0  # every picture is this wide; only the number of rows changes its height
DPI = 110

INK = "#222222"
# titles, names, and words upon a bar of full colour: INK on the green is too faint where a dark
# page dims the picture
BLACK = "#000000"
# 7 to 1 on white paper, and 6 to 1 where a dark page dims it: small print must be read
QUIET = "#595959"
RULE = "#d5d5d5"
PAPER = "#ffffff"  # pictures bring their own paper: readable in JupyterLab's dark theme too
ALERT = "#b00020"


@dataclass(frozen=True)
class Look:
    """The name, colour, hatch and line style of one class of connection."""

    name: str
    colour: str
    hatch: str
    line: Literal["-", "--", "-.", ":"]
    meaning: str


LOOKS = {
    "bootstrap": Look("bootstrap", "#E69F00", "////", "--", "made-up id: -1, -2, ..."),
    "coordinator": Look("coordinator", "#56B4E9", "....", "-.", "the group's coordinator"),
    "data": Look("data", "#009E73", "", "-", "a real broker id"),
}


def look_of(role: str) -> Look:
    """The look of a connection's class. An unknown class is grey."""
    return LOOKS.get(role) or Look(role, "#BBBBBB", "xx", ":", role)


def clock(at_ms: float) -> str:
    """A time of the lab for people: 0 ms, 95 ms, 3.2 s, 9 min 0.1 s."""
    if at_ms < 1_000:
        return f"{at_ms:.0f} ms"
    if at_ms < 60_000:
        return f"{at_ms / 1_000:.1f} s"
    minutes, rest_ms = divmod(at_ms, 60_000)
    return f"{minutes:.0f} min {rest_ms / 1_000:.1f} s"


def axis_unit(span_ms: float) -> tuple[float, str]:
    """(milliseconds per unit, name of the unit) for a time axis of that length."""
    if span_ms <= 2_000:
        return 1.0, "ms"
    if span_ms <= 180_000:
        return 1_000.0, "s"
    return 60_000.0, "min"
