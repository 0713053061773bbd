"""The settings of brokers and topics as keys: name, type, default of each release, and a check.

Kafka's classes are KafkaConfig and LogConfig. A `ConfigKey` here is the same as for clients, but
its releases are those of brokers.
"""

import re
from collections.abc import Iterator, Mapping

from kafkalab.config.broker_table import BROKER_TABLE, SECURITY_NAMES, TOPIC_TABLE
from kafkalab.config.keys import (
    LATER,
    Check,
    ConfigKey,
    Effect,
    Type,
    at_least,
    each_one_of,
    gzip_level,
    number_between,
    one_of_strings,
)

ROW = re.compile(
    r"(?P<name>\S+)\s+(?P<type>[A-Z]+)\s+(?P<default>\S+)(?:  \[(?P<check>[^\]]*)\])?$"
)


def _check(text: str | None, kind: Type) -> Check | None:
    if not text:
        return None
    if kind is Type.LIST:
        return each_one_of(*text.split("|"))
    if text == "gzip":
        return gzip_level
    lowest, dots, highest = text.partition("..")
    if not dots:
        return one_of_strings(*text.split("|"))
    number: type[float] = float if kind is Type.DOUBLE else int
    return number_between(number(lowest), number(highest)) if highest else at_least(number(lowest))


def _default(kind: Type, text: str) -> object:
    """The typed default; None also where the key has none and must be given."""
    if text == "-":
        return LATER
    if text in ("null", "required"):
        return None
    if text == '""':
        return () if kind is Type.LIST else ""
    if kind is Type.LIST:
        return tuple(text.split(","))
    if kind is Type.BOOLEAN:
        return text == "true"
    return (
        float(text)
        if kind is Type.DOUBLE
        else int(text)
        if kind in (Type.SHORT, Type.INT, Type.LONG)
        else text.replace("~", " ")
    )


def _read(line: str, kind_of_owner: str) -> ConfigKey:
    row = ROW.match(line)
    assert row is not None, f"the table has a row that cannot be read: {line!r}"
    kind = Type[row["type"]]
    return ConfigKey(
        name=row["name"],
        type=kind,
        base=_default(kind, row["default"]),
        doc="",
        check=_check(row["check"], kind),
        effect=Effect.SIMULATED,
        of=kind_of_owner,
    )


class Keys(Mapping[str, ConfigKey]):
    """A table's keys by name. A row is parsed when it is asked for: a lab asks for a few of
    hundreds, an import for none."""

    def __init__(self, table: str, kind_of_owner: str) -> None:
        self._table, self._owner = table, kind_of_owner
        self._lines: dict[str, str] = {}
        self._keys: dict[str, ConfigKey] = {}

    def _rows(self) -> dict[str, str]:
        if not self._lines:
            self._lines = {
                line.partition(" ")[0]: line for line in self._table.strip().splitlines()
            }
        return self._lines

    def __getitem__(self, name: str) -> ConfigKey:
        if name not in self._keys:
            self._keys[name] = _read(self._rows()[name], self._owner)
        return self._keys[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())


BROKER_KEYS = Keys(BROKER_TABLE, "broker")
TOPIC_KEYS = Keys(TOPIC_TABLE, "topic")
SECURITY = frozenset(SECURITY_NAMES.split())
