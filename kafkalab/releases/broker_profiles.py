"""BROKER_PROFILES: the BrokerProfile of every broker release, made from the pages."""

from __future__ import annotations

from importlib import import_module

from kafkalab.releases import broker_2_3, lineage
from kafkalab.releases.broker_profile import BrokerPage, BrokerProfile


def broker_page_of(release: str) -> BrokerPage:
    """The page of a broker release. The oldest release has none, because the others are compared
    with it."""
    page: BrokerPage = import_module(f"kafkalab.releases.broker_{release.replace('.', '_')}").PAGE
    return page


def _profiles() -> dict[str, BrokerProfile]:
    profile = broker_2_3.PROFILE
    found = {profile.name: profile}
    for name in lineage.BROKER_NAMES[1:]:
        profile = found[name] = broker_page_of(name).applied_to(profile)
    return found


BROKER_PROFILES = lineage.ByRelease(_profiles(), "broker")
"""Release -> its BrokerProfile, oldest first. Another release raises UnknownRelease."""


def broker_profile(release: str) -> BrokerProfile:
    """The profile of a broker release. Raises UnknownRelease, a ValueError, with the known ones for
    any other."""
    return BROKER_PROFILES[release]
