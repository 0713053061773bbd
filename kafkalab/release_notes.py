"""Makes the table of what differs between two releases of the client or the broker from their
pages.

Each row has the KIP, JIRA or source of the difference, as `kafkalab/releases` names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkalab.config.broker_keys import BROKER_KEYS, TOPIC_KEYS
from kafkalab.config.client_config import AdminClientConfig, ConsumerConfig, ProducerConfig
from kafkalab.config.keys import ConfigKey
from kafkalab.lines.catalog import CATALOG
from kafkalab.releases import BROKER_PROFILES, PROFILES
from kafkalab.releases.api_names import API_NUMBERS
from kafkalab.releases.broker_profiles import broker_page_of
from kafkalab.releases.lineage import BROKER_NAMES, CLIENT_NAMES, unknown
from kafkalab.releases.page import GONE, PARTS, UNSEEN
from kafkalab.releases.page_text import Change
from kafkalab.releases.profiles import page_of

if TYPE_CHECKING:
    import pandas

WIDEST = 48
"""A longer value is cut in the text form, so that a row is one line."""
CONFIGS: Mapping[str, Mapping[str, ConfigKey]] = {
    "client_config": ProducerConfig.keys_known,
    "producer_config": ProducerConfig.keys_known,
    "consumer_config": ConsumerConfig.keys_known,
    "admin_config": AdminClientConfig.keys_known,
}
"""Section of a Change -> where the keys are looked up."""
BROKER_CONFIGS: Mapping[str, tuple[str, Mapping[str, ConfigKey]]] = {
    "config": ("broker config", BROKER_KEYS),
    "topic_config": ("topic config", TOPIC_KEYS),
}


class ReleaseDifference(NamedTuple):
    """One difference between two releases.

    release  whose page has it      source  its KIP, JIRA or how it was found
    what     one plain sentence     area    the part of the profile, "producer config", "newest API
             version", "lines" ...
    name     the field, key or API  before, after  the two values, as text
    """

    release: str
    source: str
    what: str
    area: str
    name: str
    before: str
    after: str


def changes(
    before: str,
    after: str,
    *,
    of: str = "client",
    area: str | None = None,
    lines: bool = False,
) -> pandas.DataFrame:
    """What differs between two releases, page by page: a pandas DataFrame with the fields of a
    ReleaseDifference as columns.

    :param before: the older release, as "2.2"
    :param after: the newer release
    :param of: "client" or "broker"
    :param area: only the rows of one area: "connecting", "group", "consumer config" ...
    :param lines: list every line of the log that is new, gone or worded otherwise, instead of
    counting them
    :return: the table; `table.attrs["text"]` is the same as plain text

    Raises UnknownRelease for a release that is not simulated, ValueError where `after` is not the
    newer one or where no row is of that area.
    """
    import pandas  # Here and not above, so that `import kafkalab` stays light.

    rows = list(
        _client_rows(_steps(before, after, CLIENT_NAMES, of), lines)
        if of == "client"
        else _broker_rows(_steps(before, after, BROKER_NAMES, of))
    )
    if area is not None:
        areas = sorted({row.area for row in rows})
        rows = [row for row in rows if row.area == area]
        if not rows:
            raise ValueError(
                f"nothing of the area {area!r} differs between {before} and {after}; "
                f"the areas are {', '.join(areas)}"
            )
    table = pandas.DataFrame(rows, columns=list(ReleaseDifference._fields))
    table.attrs["text"] = _text(rows)
    return table


def _steps(before: str, after: str, names: tuple[str, ...], of: str) -> list[tuple[str, str]]:
    """The releases from one to the other, each with the one before it."""
    if of not in ("client", "broker"):
        raise ValueError(f'of={of!r}: changes() compares releases of a "client" or a "broker"')
    for name in (before, after):
        if name not in names:
            raise unknown(name, of)
    first, last = names.index(before), names.index(after)
    if first >= last:
        raise ValueError(
            f"{of} {after} is not newer than {of} {before}: name the older release first"
        )
    return list(zip(names[first:last], names[first + 1 : last + 1], strict=True))


def _client_rows(steps: list[tuple[str, str]], lines: bool) -> Iterator[ReleaseDifference]:
    for before, after in steps:
        for change in page_of(after).changes:
            for section, name, value in change.settings:
                if section == "admin_gets":
                    yield ReleaseDifference(
                        after, change.source, change.what, "admin client", name, "missing", "there"
                    )
                    continue
                old = _value_before(section, name, before)
                area = _area(section)
                if old != value:
                    yield _difference(after, change, area, name, old, value)
        yield from _worded(before, after, lines)


def _value_before(section: str, name: str, before: str) -> Any:
    """What a setting of a page was in the release before."""
    profile = PROFILES[before]
    if section in PARTS:
        return getattr(getattr(profile, section), name)
    if section in CONFIGS:
        return CONFIGS[section][name].default(before)
    if section == "checks":
        return profile.checks.get(name, "as in 2.1")
    number = API_NUMBERS[name]
    printed = profile.apis.names.get(number, name)
    if section == "prints_api_as":
        return printed
    versions = profile.apis.newest if section == "newest" else profile.apis.below_newest
    return versions.get(printed, GONE)


def _area(section: str) -> str:
    return {
        "newest": "newest API version",
        "prints_api_as": "printed API name",
        "stays_below": "newest version in use",
        "checks": "check of a config",
    }.get(section, section.replace("_", " "))


def _worded(before: str, after: str, each: bool) -> Iterator[ReleaseDifference]:
    """The lines that a release words differently; one row for all of them unless `each` is
    wanted."""
    new, gone, other = [], [], []
    for entry in CATALOG.values():
        old, now = entry.wording(before), entry.wording(after)
        if old is None and now is not None:
            new.append((entry, "", f"{now.level} {now.template}"))
        elif old is not None and now is None:
            gone.append((entry, f"{old.level} {old.template}", ""))
        elif (
            old is not None
            and now is not None
            and (old.level, old.template) != (now.level, now.template)
        ):
            other.append((entry, f"{old.level} {old.template}", f"{now.level} {now.template}"))
    if each:
        for found, what in (
            (new, "A line that is new."),
            (gone, "A line that is gone."),
            (other, "A line in other words."),
        ):
            for entry, said, says in found:
                yield ReleaseDifference(after, "recordings", what, "lines", entry.name, said, says)
    elif new or gone or other:
        yield ReleaseDifference(
            after,
            "recordings",
            f"{len(new)} lines are new, {len(gone)} are gone, {len(other)} have other words.",
            "lines",
            "wordings",
            f"{_spoken(before)} lines",
            f"{_spoken(after)} lines",
        )


def _spoken(release: str) -> int:
    return sum(entry.wording(release) is not None for entry in CATALOG.values())


def _broker_rows(steps: list[tuple[str, str]]) -> Iterator[ReleaseDifference]:
    for before, after in steps:
        for change in broker_page_of(after).changes:
            yield from _broker_change(change, before, after)


def _broker_change(change: Change, before: str, after: str) -> Iterator[ReleaseDifference]:
    profile = BROKER_PROFILES[before]
    offered = {span.api_key: f"{span.min_version}-{span.max_version}" for span in profile.apis}
    rows: list[tuple[str, str, Any, Any]] = []
    for section, name, value in change.settings:
        if section == "offers":
            old: Any = offered.get(API_NUMBERS[name], GONE)
            now = value if value is GONE else f"{value[0]}-{value[1]}"
            rows.append(("API versions", name, old, now))
        elif section == "sets":
            rows.append(("broker", name, getattr(profile, name), value))
        else:
            area, keys = BROKER_CONFIGS[section]
            rows.append((area, name, keys[name].default(before), value))
    for area, name, old, value in rows:
        if old != value:
            yield _difference(after, change, area, name, old, value)


def _difference(
    after: str, change: Change, area: str, name: str, old: Any, value: Any
) -> ReleaseDifference:
    return ReleaseDifference(
        after, change.source, change.what, area, name, _shown(old, area), _shown(value, area)
    )


def _shown(value: Any, area: str) -> str:
    """A value as a table shows it; the values of configs as Kafka writes them."""
    if value is GONE:
        return "no such key" if area.endswith("config") else "none"
    if area == "newest API version":
        return "not seen" if value == UNSEEN else str(value)
    if isinstance(value, bool):
        words = ("true", "false") if area.endswith("config") else ("yes", "no")
        return words[0] if value else words[1]
    if isinstance(value, (frozenset, tuple)):
        return (
            ", ".join(map(str, sorted(value) if isinstance(value, frozenset) else value)) or "none"
        )
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(one, area)}" for name, one in value.items()) or "none"
    return "null" if value is None else str(value) or '""'


def _text(rows: list[ReleaseDifference]) -> str:
    """The text form of the table: a heading for each change, below it a line for each value."""
    found: list[str] = []
    heading = ""
    for row in rows:
        if heading != (heading := f"{row.release}  {row.source}: {row.what}"):
            found.append(heading)
        found.append(f"    {row.area:22} {row.name}: {_cut(row.before)} -> {_cut(row.after)}")
    return "\n".join(found) + "\n" if found else "nothing differs\n"


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 4]} ..."
