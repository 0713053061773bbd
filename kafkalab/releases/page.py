"""Page and ClientChange: what differs between one client release and the one before, each with its
source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kafkalab.releases.api_names import API_NUMBERS
from kafkalab.releases.lineage import Release
from kafkalab.releases.profile import UNSEEN, Apis, Profile

PARTS = ("connecting", "group", "fetching", "producing", "transacting", "printing")
KINDS = ("client", "producer", "consumer", "admin")

__all__ = ["GONE", "KINDS", "PARTS", "UNSEEN", "ClientChange", "Page"]


class _Gone:
    """The type of GONE."""

    def __repr__(self) -> str:
        return "GONE"

    def __reduce__(self) -> str:
        return "GONE"


GONE = _Gone()
"""As a default, an API version or a name: from this release on there is none."""


@dataclass(frozen=True, slots=True)
class ClientChange:
    """One difference from the release before.

    source          the KIP or JIRA with the release that brought it, or how it was found
                    ("recordings", "source of 3.6")
    what            one plain sentence
    connecting ...  fields of that part of the Profile -> value
    *_config        keys of every client, of producers, consumers, admin clients -> default; GONE:
                    the key is gone
    checks          key -> the name of the check of its values
    newest          API -> newest version; UNSEEN: no recorded broker offers it; GONE: the client
                    does not know it any more
    prints_api_as   API -> the name it is printed with
    stays_below     API -> the newest version that a classic client uses; GONE: the newest it knows
    admin_gets      methods that the admin client has from this release on
    """

    source: str
    what: str
    connecting: Mapping[str, Any] = field(default_factory=dict)
    group: Mapping[str, Any] = field(default_factory=dict)
    fetching: Mapping[str, Any] = field(default_factory=dict)
    producing: Mapping[str, Any] = field(default_factory=dict)
    transacting: Mapping[str, Any] = field(default_factory=dict)
    printing: Mapping[str, Any] = field(default_factory=dict)
    client_config: Mapping[str, Any] = field(default_factory=dict)
    producer_config: Mapping[str, Any] = field(default_factory=dict)
    consumer_config: Mapping[str, Any] = field(default_factory=dict)
    admin_config: Mapping[str, Any] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    newest: Mapping[str, Any] = field(default_factory=dict)
    prints_api_as: Mapping[str, str] = field(default_factory=dict)
    stays_below: Mapping[str, Any] = field(default_factory=dict)
    admin_gets: tuple[str, ...] = ()

    def settings(self) -> Iterator[tuple[str, str, Any]]:
        """(section, name, value) of all that the change sets."""
        for section in fields(self)[2:-1]:
            for name, value in getattr(self, section.name).items():
                yield section.name, name, value


@dataclass(frozen=True, slots=True)
class Page:
    """What differs between `release` and the release before it in the lineage."""

    release: str
    changes: tuple[ClientChange, ...]

    def settings(self) -> dict[tuple[str, str], Any]:
        """(section, name) -> value, over all changes. Raises ValueError where two changes set the
        same."""
        found: dict[tuple[str, str], Any] = {}
        for change in self.changes:
            for section, name, value in change.settings():
                if (section, name) in found:
                    raise ValueError(
                        f"the page of {self.release} sets {section}.{name} twice: keep one of the "
                        "two changes"
                    )
                found[section, name] = value
        return found

    def applied_to(self, before: Profile, release: Release) -> Profile:
        """The profile of `release`: as the one before, with this page's changes. Raises ValueError
        for what no profile has."""
        if self.release != release.name:
            raise ValueError(
                f"the page of {release.name} says that it is the page of {self.release}"
            )
        found = self.settings()
        of = {
            section: {name: value for (at, name), value in found.items() if at == section}
            for section, _ in found
        }
        parts = {part: self._part(getattr(before, part), part, of.get(part, {})) for part in PARTS}
        got = {name for change in self.changes for name in change.admin_gets}
        return Profile(
            name=release.name,
            release=release.recorded,
            commit_id=release.commit_id,
            **parts,
            apis=_apis(
                before.apis,
                of.get("newest", {}),
                of.get("prints_api_as", {}),
                of.get("stays_below", {}),
            ),
            admin_lacks={name: why for name, why in before.admin_lacks.items() if name not in got},
            config={
                kind: {**before.config[kind], **of.get(f"{kind}_config", {})} for kind in KINDS
            },
            checks={**before.checks, **of.get("checks", {})},
        )

    def _part(self, before: Any, part: str, changed: Mapping[str, Any]) -> Any:
        strange = changed.keys() - {one.name for one in fields(before)}
        if strange:
            raise ValueError(
                f"the page of {self.release} sets {part}.{min(strange)}, which Profile does not "
                "have"
            )
        return replace(before, **changed)


def _apis(
    before: Apis, newest: Mapping[str, Any], printed: Mapping[str, str], below: Mapping[str, Any]
) -> Apis:
    """What a release knows of the APIs after these changes."""
    printed_before = {api: before.names.get(number, api) for api, number in API_NUMBERS.items()}
    known = {
        api: before.newest[printed_before[api]]
        for api, number in API_NUMBERS.items()
        if number in before.names
    }
    held = {
        api: before.below_newest[printed_before[api]]
        for api in known
        if printed_before[api] in before.below_newest
    }
    strange = (newest.keys() | printed.keys() | below.keys()) - API_NUMBERS.keys()
    if strange:
        raise ValueError(
            f"there is no API {min(strange)}; the names are those of kafkalab/releases/api_names.py"
        )
    known = {api: version for api, version in {**known, **newest}.items() if version is not GONE}
    held = {api: version for api, version in {**held, **below}.items() if version is not GONE}
    names = {**printed_before, **printed}
    return apis_of(known, names, held)


def apis_of(known: Mapping[str, int], names: Mapping[str, str], held: Mapping[str, int]) -> Apis:
    """Apis from Kafka's names: API -> newest version, API -> printed name, API -> the newest that a
    classic client uses."""
    ordered = sorted(known, key=API_NUMBERS.__getitem__)
    return Apis(
        names={API_NUMBERS[api]: names.get(api, api) for api in ordered},
        newest={names.get(api, api): known[api] for api in ordered},
        below_newest={names.get(api, api): version for api, version in held.items()},
    )
