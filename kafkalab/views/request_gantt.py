"""Draws requests in a broker: one row a request, one bar from read to answered, by stage.

The colours are the stages of Kafka's RequestMetrics. Each has its own hatch, so that a picture
printed in grey still shows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .picture import Picture, blank_figure, columns
from .style import INK, QUIET, SMALL_PT, WIDTH_IN

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
    from matplotlib.patches import Patch

    rows = sorted(requests, key=lambda row: row["read_at_ms"] - row["socket_ms"])
    height_in = 1.35 + 0.30 * len(rows)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.20, 0.55 / height_in, 0.70, 1 - 1.35 / height_in))
    told, last = [], 0.0
    for place, row in enumerate(rows):
        at = row["read_at_ms"] - row["socket_ms"] - since_ms
        name = f"{row['client']} {row['api']}"
        told.append((name, f"{at:.1f}", *(f"{row[key]:.2f}" for key, *_ in STAGES.values())))
        for key, colour, hatch in STAGES.values():
            axes.barh(
                [place],
                [row[key]],
                left=at,
                height=0.66,
                color=colour,
                edgecolor=QUIET,
                hatch=hatch,
                linewidth=0.4 if row[key] else 0,
            )
            at += row[key]
        last = max(last, at)
        axes.text(
            at, place, f" {row['total_ms']:.1f} ms", va="center", fontsize=SMALL_PT, color=INK
        )
    axes.set_yticks(
        range(len(rows)), [f"{row['client']} {row['api']}" for row in rows], fontsize=SMALL_PT + 1
    )
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(left=min(0.0, *(float(row[1]) for row in told)), right=last * 1.08)
    axes.tick_params(axis="x", labelsize=SMALL_PT)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("ms", fontsize=SMALL_PT)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(
        handles=[
            Patch(facecolor=colour, hatch=hatch, edgecolor=QUIET, label=name)
            for name, (_, colour, hatch) in STAGES.items()
        ],
        loc="upper left",
        bbox_to_anchor=(0.19, 1 - 0.34 / height_in),
        ncols=len(STAGES),
        fontsize=SMALL_PT,
        frameon=False,
    )
    figure.text(0.012, 1 - 0.10 / height_in, title, fontsize=12, weight="bold", va="top")
    return Picture(
        figure,
        columns(told, ("request", "at ms", *STAGES)),
        f"Requests in a broker by stage: {title}.",
    )
