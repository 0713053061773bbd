"""Runs `kafkalab real`; on a system without Unix's processes it says one sentence instead."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kafkalab.real import readiness


def main(argv: Sequence[str]) -> int:
    """What `kafkalab.real.command` returns; 1 on Windows."""
    if not readiness.HAS_UNIX:
        print(readiness.WRONG_SYSTEM, file=sys.stderr)
        return 1
    from kafkalab.real.command import main as run

    return run(argv)
