"""Five stories that show the whole simulator at work, each with its picture beside it.

    python -m kafkalab.tests.scenarios.rebalance_storm

prints what happened and draws the picture anew. `test_scenarios` holds each to what it claims.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def show(name: str, tell: Callable[[], Any], draw: Callable[[Any], Any]) -> None:
    """Tell the story, print its account and the picture's text, and draw the picture."""
    told = tell()
    picture = draw(told)
    print(
        told.account, picture.text, f"drawn: {picture.save(HERE / f'{name}.png').name}", sep="\n\n"
    )
