"""Draws the time axis of a picture: labels at the bottom edge and faint lines up from its ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .style import RULE, SMALL_PT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_time_axis(axes: Axes, unit: str) -> None:
    """Label the time axis in `unit` ("ms", "s" or "min", of `style.axis_unit`)."""
    axes.set_yticks([])
    axes.set_xlabel(f"time of the lab, {unit}", fontsize=SMALL_PT)
    axes.tick_params(axis="x", labelsize=SMALL_PT)
    axes.grid(axis="x", color=RULE, linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
