"""Draws requests in a broker: one row a request, one bar from read to answered, by stage.

The colours are the stages of Kafka's RequestMetrics. Each has its own hatch, so that a picture
printed in grey still shows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .picture import Picture
from .sheet import Sheet
from .style import QUIET, SMALL_PT

STAGES: Mapping[str, tuple[str, str, str]] = {
    "socket": ("socket_ms", "#ffffff", "...."),
    "request queue": ("request_queue_ms", "#E69F00", "////"),
    "local": ("local_ms", "#009E73", ""),
    "remote": ("remote_ms", "#cfe8f7", "----"),
    "response queue": ("response_queue_ms", "#CC79A7", "xxxx"),
    "send": ("send_ms", "#222222", ""),
}
"""Stage -> (column of `request_times()`, colour, hatch), in the order that a request passes them.
"""
MOST_ROWS = 24


def request_gantt(
    requests: Sequence[Mapping[str, Any]], *, title: str, since_ms: float = 0
) -> Picture:
    """Draw rows of `lab.broker(0).request_times()`; the time axis begins at `since_ms`.

    Raises IllegalArgumentException for no request, and for more than fit into a picture.
    """
    if not 0 < len(requests) <= MOST_ROWS:
        raise IllegalArgumentException(
            f"request_gantt() draws 1 to {MOST_ROWS} requests, not {len(requests)}; choose some of "
            "the rows of lab.broker(0).request_times()"
        )
    rows = sorted(requests, key=lambda row: row["read_at_ms"] - row["socket_ms"])
    sheet = Sheet(title, 1.35 + 0.30 * len(rows))
    field = sheet.field(0.20, 0.70, 0.55, 0.80)
    told, last = [], 0.0
    for place, row in enumerate(rows):
        at = row["read_at_ms"] - row["socket_ms"] - since_ms
        name = f"{row['client']} {row['api']}"
        told.append((name, f"{at:.1f}", *(f"{row[key]:.2f}" for key, *_ in STAGES.values())))
        for key, colour, hatch in STAGES.values():
            pen = 0.4 if row[key] else 0
            field.block(at, place, row[key], 0.66, colour=colour, edge=QUIET, hatch=hatch, pen=pen)
            at += row[key]
        last = max(last, at)
        field.words(at, place, f" {row['total_ms']:.1f} ms", "left")
    field.scale("ms")
    field.row_names([name for name, *_ in told], SMALL_PT + 1)
    left = min(0.0, *(float(row[1]) for row in told))
    field.limits((left, last * 1.08), (len(rows) - 0.4, -0.6))
    for name, (_, colour, hatch) in STAGES.items():
        sheet.key_block(name, colour, hatch=hatch, edge=QUIET)
    sheet.legend(0.34, left=0.19, ncols=len(STAGES))
    return sheet.picture("Requests in a broker by stage", told, ("request", "at ms", *STAGES))
