"""Shows messages of a log as a table on a page, whole and at the left edge of their cells.

Pandas cuts a text at 50 characters and a page sets it to the right. What a message says at its end,
such as a node's id, is then gone, and two messages side by side are hard to compare.
"""

from __future__ import annotations

import re

import pandas

SHORT = re.compile(r"<td>([^<]{0,30})</td>")
"""A cell that is not broken, such as a time."""
ONE_LINE = r'<td style="text-align: left; vertical-align: top; white-space: nowrap">\1</td>'
CELL = '<td style="text-align: left; vertical-align: top; overflow-wrap: anywhere">'
HEAD = '<th style="text-align: left">'
CLASS = "kafkalab-lines"
"""The name by which a style sheet knows such a table."""
MOST_COLUMNS = 5
"""Of more columns a page has no room for whole messages: then it shows what pandas shows."""


class LineTable(pandas.DataFrame):  # type: ignore[misc]  # pandas comes without types
    """A DataFrame of lines. A notebook shows each message whole.

    It leaves out row numbers that only count, and as many rows of a long table as pandas does.
    """

    @property
    def _constructor(self) -> type[LineTable]:
        """What a selection of these rows is."""
        return LineTable

    def _repr_html_(self) -> str | None:
        """The table for a page. Pandas has made `<` of a message safe, so each `<td>` is a cell."""
        if len(self.columns) > MOST_COLUMNS:
            found: str | None = super()._repr_html_()
            return found
        with pandas.option_context("display.max_colwidth", None):
            counted = self.index.equals(pandas.RangeIndex(len(self)))
            most = pandas.get_option("display.max_rows")
            table = self.to_html(index=not counted, border=0, max_rows=most, classes=CLASS)
        return SHORT.sub(ONE_LINE, str(table)).replace("<td>", CELL).replace("<th>", HEAD)
