"""Gives each client and broker its own named stream of random numbers, made from one seed.

A stream depends on the seed and its own name. So a new client never changes another client's
numbers.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping


def below(rng: random.Random, limit: int) -> int:
    """A random number from 0 to `limit` - 1.

    It is the number that randrange(limit) and choice draw, with fewer Python calls.
    """
    bits, draw = limit.bit_length(), rng.getrandbits
    number = draw(bits)
    while number >= limit:
        number = draw(bits)
    return number


class Streams:
    """Named random streams.

    seed   one number for the whole lab, or a mapping from a client's name to its number (the key ""
           is for everything else and is 0 when left out). A stream's owner is the part of its name
           before the first "/".

    Raises ValueError for any other seed.
    """

    def __init__(self, seed: int | Mapping[str, int] = 0) -> None:
        numbers = [seed] if not isinstance(seed, Mapping) else list(seed.values())
        if not all(isinstance(number, int) for number in numbers):
            raise ValueError(
                "a seed is a whole number, or a mapping from client names to whole numbers, not "
                f"{seed!r}"
            )
        self._seed = seed
        self._streams: dict[str, random.Random] = {}

    def seed_of(self, owner: str) -> int:
        return (
            self._seed
            if isinstance(self._seed, int)
            else self._seed.get(owner, self._seed.get("", 0))
        )

    def stream(self, name: str) -> random.Random:
        """The stream of that name; the same object each time.
        `hash()` is not used: it differs between processes."""
        if name not in self._streams:
            text = f"{self.seed_of(name.split('/', 1)[0])}\x1f{name}"
            self._streams[name] = random.Random(
                int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            )
        return self._streams[name]
