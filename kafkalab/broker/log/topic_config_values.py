"""Types and bounds of the simulated topic configs, with Kafka's messages for wrong values.

Kafka's class is LogConfig. A topic keeps the text of its own configs only; `topic_config` holds the
broker setting behind each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from kafkalab.broker.log.topic_config import DEAD_LETTERS, refusal
from kafkalab.errors import InvalidConfigurationException

LONG_MAX = 2**63 - 1
INT_MAX = 2**31 - 1


def _whole(lowest: int, highest: int = LONG_MAX) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        if isinstance(value, str) and value.lstrip("-").isdigit():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidConfigurationException(
                f"Invalid value {value} for configuration {name}: Not a number of type LONG"
            )
        if value < lowest:
            raise InvalidConfigurationException(
                f"Invalid value {value} for configuration {name}: Value must be at least {lowest}"
            )
        if value > highest:
            raise InvalidConfigurationException(
                f"Invalid value {value} for configuration {name}: Value must be no more than "
                f"{highest}"
            )
        return value

    return read


def _ratio(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidConfigurationException(
            f"Invalid value {value} for configuration {name}: Not a number of type DOUBLE"
        ) from None
    if not 0 <= number <= 1:
        bound = "at least 0" if number < 0 else "no more than 1"
        raise InvalidConfigurationException(
            f"Invalid value {value} for configuration {name}: Value must be {bound}"
        )
    return number


def _truth(name: str, value: Any) -> bool:
    if value in (True, False):
        return bool(value)
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise InvalidConfigurationException(
        f"Invalid value {value} for configuration {name}: Expected value to be either true or false"
    )


def _policies(name: str, value: Any) -> tuple[str, ...]:
    policies = (
        tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else tuple(value)
    )
    for policy in policies:
        if policy not in ("delete", "compact"):
            raise InvalidConfigurationException(
                f"Invalid value {policy} for configuration {name}: String must be one of: compact, "
                "delete"
            )
    return policies


def _one_of(*names: str) -> Callable[[str, Any], str]:
    def read(name: str, value: Any) -> str:
        text: str = value
        if text not in names:
            raise InvalidConfigurationException(
                f"Invalid value {value} for configuration {name}: String must be one of: "
                f"{', '.join(names)}"
            )
        return text

    return read


KEYS: Mapping[str, Callable[[str, Any], Any]] = MappingProxyType(
    {
        "cleanup.policy": _policies,
        "compression.type": _one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
        "delete.retention.ms": _whole(0),
        DEAD_LETTERS: _truth,
        "index.interval.bytes": _whole(0, INT_MAX),
        "max.compaction.lag.ms": _whole(1),
        "max.message.bytes": _whole(0, INT_MAX),
        "message.timestamp.type": _one_of("CreateTime", "LogAppendTime"),
        "min.cleanable.dirty.ratio": _ratio,
        "min.compaction.lag.ms": _whole(0),
        "min.insync.replicas": _whole(1, INT_MAX),
        "retention.bytes": _whole(-1),
        "retention.ms": _whole(-1),
        "internal.segment.bytes": _whole(1, INT_MAX),
        "segment.bytes": _whole(14, INT_MAX),
        "segment.jitter.ms": _whole(0),
        "segment.ms": _whole(1),
        "unclean.leader.election.enable": _truth,
    }
)
"""Simulated topic config -> the function that checks and types its value."""


def read_setting(key: str, text: str) -> Any:
    """A topic config's value, typed. Raises InvalidConfigurationException for a value that Kafka
    refuses."""
    return KEYS[key](key, text)


def checked(given: Mapping[str, Any] | None, smallest_segment_bytes: int = 14) -> dict[str, str]:
    """A topic's configs as text, the form in which Kafka keeps them. Raises
    InvalidConfigurationException for a name or value that Kafka refuses or the lab does not
    simulate.

    smallest_segment_bytes: the smallest segment.bytes of the release (KIP-1030). A lab sets
    internal.segment.bytes for smaller segments, as Kafka's own tests do.
    """
    texts: dict[str, str] = {}
    for name, value in (given or {}).items():
        text = _as_text(value)
        if name in ("segment.bytes", "internal.segment.bytes"):
            _whole(smallest_segment_bytes if name == "segment.bytes" else 1, INT_MAX)(name, text)
        elif (reason := refusal(name, text)) is not None:
            raise InvalidConfigurationException(
                f"{reason.rstrip('.')}. Known are: {', '.join(KEYS)}."
            )
        if name in KEYS:
            read_setting(name, text)
            texts[name] = text
    if (found := conflict(texts)) is not None:
        raise InvalidConfigurationException(found)
    return texts


def conflict(texts: Mapping[str, str | None]) -> str | None:
    """Why Kafka refuses these values together (LogConfig.validateValues); None where it takes
    them."""
    least, most = (texts.get(f"{limit}.compaction.lag.ms") for limit in ("min", "max"))
    if least is None or most is None or int(least) <= int(most):
        return None
    return (
        f"conflict topic config setting min.compaction.lag.ms ({least}) > "
        f"max.compaction.lag.ms ({most})"
    )


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)
