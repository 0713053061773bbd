"""The simulated releases of clients and brokers, and a page for each with what differs from the one
before."""

from __future__ import annotations

from kafkalab.releases.broker_profile import BrokerProfile
from kafkalab.releases.broker_profiles import BROKER_PROFILES, broker_profile
from kafkalab.releases.lineage import UnknownRelease, between, newest, since, until
from kafkalab.releases.profile import Profile
from kafkalab.releases.profiles import PROFILES, profile_of, releases_with

__all__ = [
    "BROKER_PROFILES",
    "PROFILES",
    "BrokerProfile",
    "Profile",
    "UnknownRelease",
    "between",
    "broker_profile",
    "newest",
    "profile_of",
    "releases_with",
    "since",
    "until",
]
