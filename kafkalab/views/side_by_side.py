"""Shows two lists of log lines next to each other and marks equal lines.

It compares lines of a real Java client with lines of the simulator. Equal lines are joined by
``=``. A line that only one side has is marked. Some parts differ in every run: a member's random
id, the correlation id of a request, the number of look-ups. The reader judges them, because nothing
is hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape

from .picture import columns
from .style import ALERT, MONO

SAME, LEFT_ONLY, RIGHT_ONLY = "=", "<", ">"


@dataclass(frozen=True, repr=False)
class SideBySide:
    """Pairs of lines: (left or None, mark, right or None)."""

    titles: tuple[str, str]
    pairs: tuple[tuple[str | None, str, str | None], ...]

    @property
    def same(self) -> int:
        """How many lines both sides have, in the same order."""
        return sum(mark == SAME for _, mark, _ in self.pairs)

    @property
    def text(self) -> str:
        """The pairs as text, one pair a line."""
        return columns(
            [(left or "", mark, right or "") for left, mark, right in self.pairs],
            (self.titles[0], " ", self.titles[1]),
        )

    def _repr_html_(self) -> str:
        cell = (
            f"font-family:'{MONO}',monospace;font-size:11px;text-align:left;vertical-align:top;"
            "white-space:pre-wrap;overflow-wrap:anywhere;padding:1px 6px"
        )
        rows = []
        for left, mark, right in self.pairs:
            edge = "" if mark == SAME else f";border-left:3px solid {ALERT}"
            cells = zip((left or "", mark, right or ""), (edge, "", ""))
            rows.append(
                "<tr>"
                + "".join(
                    f'<td style="{cell}{extra}">{_breakable(text)}</td>' for text, extra in cells
                )
                + "</tr>"
            )
        head = "".join(
            f'<th style="text-align:left">{escape(title)}</th>'
            for title in (self.titles[0], "", self.titles[1])
        )
        return (
            f"<table><caption>{self.same} of {len(self.pairs)} lines are the "
            f"same</caption><tr>{head}</tr>{''.join(rows)}</table>"
        )

    def __repr__(self) -> str:
        return f"{self.same} of {len(self.pairs)} lines are the same\n{self.text}"


def _breakable(text: str) -> str:
    """Text as HTML. A class's long name may break after a dot, and not in the middle of a word."""
    return re.sub(r"(?<=[a-z]\.)(?=[A-Za-z])", "<wbr>", escape(text))


def side_by_side(left: list[str], right: list[str], titles: tuple[str, str]) -> SideBySide:
    """Pair two lists of lines with as many equal pairs as possible."""
    pairs: list[tuple[str | None, str, str | None]] = []
    for what, l0, l1, r0, r1 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if what == "equal":
            pairs += [(a, SAME, b) for a, b in zip(left[l0:l1], right[r0:r1])]
        else:
            pairs += [(line, LEFT_ONLY, None) for line in left[l0:l1]]
            pairs += [(None, RIGHT_ONLY, line) for line in right[r0:r1]]
    return SideBySide(titles, tuple(pairs))
