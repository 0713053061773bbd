"""BROKER_PROFILES: the BrokerProfile of every broker release, made from the pages."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data

from kafkalab.releases import broker_2_3, lineage
from kafkalab.releases.broker_profile import BrokerPage, BrokerProfile, broker_page


@cache
def broker_page_of(release: str) -> BrokerPage:
    """The page of a broker release. The oldest release has none, because the others are compared
    with it."""
    file = f"pages/broker_{release.replace('.', '_')}.txt"
    return broker_page(release, file, (get_data(__package__, file) or b"").decode("utf-8"))


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
