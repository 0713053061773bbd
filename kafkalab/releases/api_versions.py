"""Finds the version of a request that a client and a broker agree on.

KIP-35: the first request on a connection asks for the broker's versions; every later request uses
the newest version that both sides know. Kafka's classes are `ApiVersionsResponse` and
`NodeApiVersions`. The versions that each release knows are on its page. The numbers were read from
real clients (2.1.1, 2.2.2, 2.3.0, 2.8.2, 3.6.2, 3.9.2, 4.0.2, 4.4.0) on real brokers (2.3.1,
4.4.0): what a broker answered, and what the client then called usable.
"""

from __future__ import annotations

from functools import lru_cache

from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.messages import ApiVersion, ApiVersionsResponse
from kafkalab.releases.broker_profiles import broker_profile
from kafkalab.releases.profile import UNSEEN
from kafkalab.releases.profiles import PROFILES


def api_versions_response(
    broker_version: str, *, finalized_features_epoch: int = -1
) -> ApiVersionsResponse:
    """What a broker of `broker_version` answers. The epoch is that of the cluster's features, -1
    where it has none."""
    profile = broker_profile(broker_version)
    return ApiVersionsResponse(
        api_keys=profile.apis,
        supported_features=profile.supported_features,
        finalized_features=profile.finalized_features,
        finalized_features_epoch=finalized_features_epoch if profile.finalized_features else -1,
    )


def newest_known(client_version: str, api: ApiKeys) -> int:
    """The newest version the client knows of an API; KeyError where it does not know the API.

    A client sends API_VERSIONS in this version, before it knows the broker's versions.
    """
    return PROFILES[client_version].latest(api)


def version_to_use(
    client_version: str, api: ApiKeys, offered: tuple[ApiVersion, ...], *, topic_ids: bool = False
) -> int | None:
    """The version of a request: the newest that both sides know. None where there is none and the
    request cannot be sent.

    offered: the ranges from the broker's ApiVersionsResponse.
    topic_ids: the client commits and fetches offsets by topic id, as the KIP-848 consumer does.
    """
    known = PROFILES[client_version].apis
    name = known.names.get(api.id)
    span = {span.api_key: span for span in offered}.get(api.id)
    if name is None or span is None:
        return None
    held_back = {} if topic_ids else known.below_newest
    version = min(known.newest[name], span.max_version, held_back.get(name, UNSEEN))
    return version if version >= span.min_version else None


def usable_versions(
    client_version: str, response: ApiVersionsResponse, *, topic_ids: bool = False
) -> dict[ApiKeys, int]:
    """The usable APIs of a connection: API -> version to send, for every simulated API that both
    sides know."""
    return dict(_usable(client_version, response.api_keys, topic_ids))


@lru_cache(maxsize=64)
def _usable(
    client_version: str, offered: tuple[ApiVersion, ...], topic_ids: bool
) -> tuple[tuple[ApiKeys, int], ...]:
    # a lab opens many connections between the same two releases
    versions = [
        (api, version_to_use(client_version, api, offered, topic_ids=topic_ids)) for api in ApiKeys
    ]
    return tuple((api, version) for api, version in versions if version is not None)
