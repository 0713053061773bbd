"""Page: what differs between one client release and the one before, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from kafkalab.protocol.consumer_protocol import ProtocolStyle
from kafkalab.releases.api_names import API_NUMBERS
from kafkalab.releases.lineage import Release
from kafkalab.releases.page_text import GONE, Change, Makers, read_page, settings_of
from kafkalab.releases.profile import (
    UNSEEN,
    Apis,
    Connecting,
    Fetching,
    Group,
    Printing,
    Producing,
    Profile,
    Transacting,
)

PART_CLASSES = {
    "connecting": Connecting,
    "group": Group,
    "fetching": Fetching,
    "producing": Producing,
    "transacting": Transacting,
    "printing": Printing,
}
PARTS = tuple(PART_CLASSES)
FIELDS = {each.name: part for part, kind in PART_CLASSES.items() for each in fields(kind)}
"""Field of a profile -> its part."""
MAKERS: Makers = {
    "subscription_style": lambda given: ProtocolStyle(**given),
    "old_objects": frozenset,
    "metrics_without": frozenset,
}
KINDS = ("client", "producer", "consumer", "admin")

__all__ = ["GONE", "KINDS", "PARTS", "UNSEEN", "Page", "client_page"]


def client_page(release: str, file: str, text: str) -> Page:
    """The page of a client release, read from the text of its file."""
    return Page(release, read_page(file, text, FIELDS, MAKERS))


@dataclass(frozen=True, slots=True)
class Page:
    """What differs between `release` and the release before it in the lineage."""

    release: str
    changes: tuple[Change, ...]

    def settings(self) -> dict[tuple[str, str], Any]:
        """(section, name) -> value, over all changes. Raises ValueError where two changes set the
        same."""
        return settings_of(self.release, self.changes)

    def applied_to(self, before: Profile, release: Release) -> Profile:
        """The profile of `release`: as the one before, with this page's changes. Raises ValueError
        for what no profile has."""
        if self.release != release.name:
            raise ValueError(
                f"the page of {release.name} says that it is the page of {self.release}"
            )
        of: dict[str, dict[str, Any]] = {}
        for (section, name), value in self.settings().items():
            of.setdefault(section, {})[name] = value
        parts = {part: replace(getattr(before, part), **of.get(part, {})) for part in PARTS}
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
            admin_lacks={
                name: why
                for name, why in before.admin_lacks.items()
                if name not in of.get("admin_gets", {})
            },
            config={
                kind: {**before.config[kind], **of.get(f"{kind}_config", {})} for kind in KINDS
            },
            checks={**before.checks, **of.get("checks", {})},
        )


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
