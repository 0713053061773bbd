"""Makes Kafka's random ids from a named stream: topic ids, cluster ids (Uuid) and member ids."""

from __future__ import annotations

import base64
import random


def kafka_uuid(rng: random.Random) -> str:
    """22 characters of URL-safe base64 over 16 random bytes, as org.apache.kafka.common.Uuid prints
    itself.

    An id that begins with a dash is drawn again, as Uuid.randomUuid does: on a command line it
    would look like an option.
    """
    while True:
        text = base64.urlsafe_b64encode(_version_4(rng)).decode("ascii").rstrip("=")
        if not text.startswith("-"):
            return text


def java_uuid(rng: random.Random) -> str:
    """Five groups of hexadecimal digits, as java.util.UUID prints itself:
    the tail of every member id."""
    digits = _version_4(rng).hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _version_4(rng: random.Random) -> bytes:
    """16 bytes with the version and variant bits of a random UUID (RFC 9562)."""
    bits = rng.getrandbits(128)
    bits = bits & ~(0xF << 76) | 4 << 76
    bits = bits & ~(0x3 << 62) | 2 << 62
    return bits.to_bytes(16, "big")
