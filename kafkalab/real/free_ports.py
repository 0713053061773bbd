"""Chooses ports of this machine that nobody uses.

The kernel gives numbers from 32768 on to outgoing connections. A broker that was crashed must find
its port again, so the ports come from below that range, and by chance, so that two labs that start
in the same moment hardly meet. A broker that finds its port taken does not start, and the lab tries
others.
"""

from __future__ import annotations

import random
import socket

FIRST, LAST = 20_000, 31_999
"""The range to choose from."""
LOOPBACK = "127.0.0.1"


def free_ports(count: int, chance: random.Random | None = None) -> list[int]:
    """`count` different ports on the loopback address that nobody listens on.

    Raises OSError where there are not so many.
    """
    draw = chance or random.SystemRandom()
    found: list[int] = []
    for port in draw.sample(range(FIRST, LAST + 1), LAST + 1 - FIRST):
        if len(found) == count:
            return found
        if is_free(port):
            found.append(port)
    raise OSError(f"there are not {count} free ports between {FIRST} and {LAST}")


def is_free(port: int) -> bool:
    """Whether a server could listen on this port of the loopback address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # as Java's servers do: a connection that has just ended does not block its port
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def is_answering(port: int, timeout_s: float = 0.5) -> bool:
    """Whether somebody listens on this port of the loopback address."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout_s):
            return True
    except OSError:
        return False
