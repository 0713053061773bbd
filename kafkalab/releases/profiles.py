"""PROFILES: the Profile of every client release, made from the pages; profile_of reads a version as
people write it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pkgutil import get_data

from kafkalab.releases import client_2_1, lineage
from kafkalab.releases.page import Page, client_page
from kafkalab.releases.profile import Profile


@cache
def page_of(release: str) -> Page:
    """The page of a client release. The oldest release has none, because the others are compared
    with it. Raises UnknownRelease."""
    lineage.since(release)
    file = f"pages/client_{release.replace('.', '_')}.txt"
    try:
        text = (get_data(__package__, file) or b"").decode("utf-8")
    except OSError:
        raise lineage.UnknownRelease(
            f"release {release} is in the lineage and has no page: write kafkalab/releases/{file}"
        ) from None
    return client_page(release, file, text)


def _profiles() -> dict[str, Profile]:
    profile = client_2_1.PROFILE
    found = {profile.name: profile}
    for release in lineage.CLIENTS[1:]:
        profile = found[release.name] = page_of(release.name).applied_to(profile, release)
    return found


PROFILES = lineage.ByRelease(_profiles())
"""Release -> its Profile, oldest first. Another release raises UnknownRelease."""


def profile_of(version: str) -> tuple[Profile, str | None]:
    """The Profile of a version as people write it ("3.9", "3.9.2") and, where a patch release
    stands for another, a note saying so.

    Raises ValueError naming the versions there are.
    """
    parts = str(version).split(".")
    name = ".".join(parts[:2])
    if name not in PROFILES or not all(part.isdigit() for part in parts):
        raise lineage.unknown(version)
    profile = PROFILES[name]
    note = None
    if len(parts) > 2 and version != profile.release:
        note = (
            f"client {version} is played as {profile.release}, the recorded release of "
            f"{profile.name}"
        )
    return profile, note


def releases_with(has: Callable[[Profile], bool]) -> list[str]:
    """The client releases whose profile has something, oldest first: releases_with(lambda profile:
    profile.group.assigns_by_rack)."""
    return [name for name, profile in PROFILES.items() if has(profile)]
