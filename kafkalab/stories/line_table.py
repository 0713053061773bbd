"""Shows messages of a log as a table that a page leaves whole, each at the left edge of its cell.

Pandas cuts a text at 50 characters and a page sets it to the right. What a message says at its end,
such as a node's id, is then gone, and two messages side by side are hard to compare.
"""

from __future__ import annotations

import pandas

CELL = '<td style="text-align: left; vertical-align: top; overflow-wrap: anywhere">'
HEAD = '<th style="text-align: left">'

CLASS = "kafkalab-lines"
"""The name by which a style sheet knows such a table."""


class LineTable(pandas.DataFrame):  # type: ignore[misc]  # pandas comes without types
    """A DataFrame of messages. A notebook shows each message whole, without the row numbers.

    Of a long table it shows as many rows as of any other DataFrame.
    """

    @property
    def _constructor(self) -> type[LineTable]:
        """What a selection of these rows is."""
        return LineTable

    def _repr_html_(self) -> str:
        """The table for a page. Pandas has made `<` of a message safe, so each `<td>` is a cell."""
        with pandas.option_context("display.max_colwidth", None):
            most = pandas.get_option("display.max_rows")
            table = self.to_html(index=False, border=0, max_rows=most, classes=CLASS)
        return str(table).replace("<td>", CELL).replace("<th>", HEAD)
