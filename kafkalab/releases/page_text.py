"""Reads the page of a release: what differs from the release before, each change with its source.

    KIP-714 (3.7) | Clients ask brokers for a metrics subscription.
        telemetry_after_refusal_ms = 300_000
        client enable.metrics.push = True
        newest GetTelemetrySubscriptions UNSEEN, PushTelemetry UNSEEN

The row of a change is its KIP, JIRA or how it was found ("recordings", "source of 3.6"), and one
plain sentence. The rows below are what it sets. A field of the profile has no word before it.
Before a key is whose key it is (CONFIGS), or `check` for the check of its values. The rows of
FLOWING name several things: `newest` an API's newest version, `prints_api_as` its printed name,
`stays_below` the newest version that a classic client uses, `admin_gets` methods that the admin
client has from this release on, `offers` a broker's oldest and newest version. GONE means that
from this release on there is none; UNSEEN is a version that no recorded broker offers. A value goes
on in the rows that are indented deeper.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from kafkalab.releases.api_names import API_NUMBERS
from kafkalab.releases.profile import UNSEEN


class _Gone:
    """The type of GONE."""

    def __repr__(self) -> str:
        return "GONE"

    def __reduce__(self) -> str:
        return "GONE"


GONE = _Gone()
"""As a default, an API version or a name: from this release on there is none."""


class Change(NamedTuple):
    """One difference from the release before: its source, one plain sentence, and what it sets as
    (section, name, value)."""

    source: str
    what: str
    settings: tuple[tuple[str, str, Any], ...]


CONFIGS = MappingProxyType(
    {
        "client": "client_config",
        "producer": "producer_config",
        "consumer": "consumer_config",
        "admin": "admin_config",
        "broker": "config",
        "topic": "topic_config",
        "check": "checks",
    }
)
"""The first word of a row -> the section of a change."""
FLOWING = frozenset(("newest", "prints_api_as", "stays_below", "admin_gets", "offers"))
WORDS: Mapping[str, Any] = MappingProxyType(
    {"True": True, "False": False, "None": None, "GONE": GONE, "UNSEEN": UNSEEN}
)
Makers = Mapping[str, Callable[[Any], Any]]
"""Field -> what makes its value from the plain one on the page."""
ROW = re.compile(r"\n(?!        )")


def read_page(
    file: str, text: str, sections: Mapping[str, str], makers: Makers
) -> tuple[Change, ...]:
    """The changes of a page.

    sections  field of a profile -> the section that it belongs to
    Raises ValueError with the number of the line that is wrong.
    """
    found: list[Change] = []
    number = 1
    for row in ROW.split(text):
        try:
            if row.startswith("    "):
                if not found:
                    raise ValueError("a setting stands below its change")
                set_here = tuple(_settings(row, sections, makers))
                found[-1] = found[-1]._replace(settings=found[-1].settings + set_here)
            elif row and not row.startswith("#"):
                source, bar, what = row.partition(" | ")
                if not bar:
                    raise ValueError("a change has a bar between its source and its sentence")
                found.append(Change(source, what, ()))
        except ValueError as wrong:
            raise ValueError(f"{file}, line {number}: {wrong}") from None
        number += row.count("\n") + 1
    return tuple(found)


def _settings(
    row: str, sections: Mapping[str, str], makers: Makers
) -> Iterator[tuple[str, str, Any]]:
    word, _, rest = row.strip().partition(" ")
    if word in FLOWING:
        for pair in rest.split(","):
            name, *version = pair.split()
            if word != "admin_gets" and name not in API_NUMBERS:
                raise ValueError(f"there is no API {name}; kafkalab/releases/api_names.py has them")
            yield word, name, _flowing(word, "".join(version))
        return
    name, bar, value = row.strip().partition(" = ")
    if not bar:
        raise ValueError(f"{name} has a value: write `{name} = ...`")
    kind, _, key = name.partition(" ")
    if key:
        if kind not in CONFIGS:
            raise ValueError(f"{kind} has no keys; choose one of {', '.join(CONFIGS)}")
        yield CONFIGS[kind], key, _value(value)
    elif name not in sections:
        raise ValueError(f"no profile has a field {name}")
    else:
        plain = _value(value)
        yield sections[name], name, makers[name](plain) if name in makers else plain


def _flowing(word: str, value: str) -> Any:
    if word == "admin_gets":
        return True
    if word == "prints_api_as" or value in WORDS:
        return WORDS.get(value, value)
    low, bar, high = value.partition("-")
    return (_value(low), _value(high)) if bar else _value(value)


def _value(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    try:
        return int(text) if text.isdigit() else ast.literal_eval(text)
    except (SyntaxError, ValueError):
        raise ValueError(
            f"{text} is no value: write a number, a text in quotes or a tuple"
        ) from None


def settings_of(release: str, changes: Iterable[Change]) -> dict[tuple[str, str], Any]:
    """(section, name) -> value, over all changes. Raises ValueError where two changes set the
    same."""
    found: dict[tuple[str, str], Any] = {}
    for change in changes:
        for section, name, value in change.settings:
            if (section, name) in found:
                raise ValueError(
                    f"the page of {release} sets {section}.{name} twice: keep one of the changes"
                )
            found[section, name] = value
    return found
