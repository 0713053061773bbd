"""ClientSettings: what a NetworkClient needs from the settings of its producer, consumer or admin
client."""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.protocol.frozen import message


@message
class ClientSettings:
    """The settings a NetworkClient takes from its owner, a "consumer" or a "producer". All times
    are in milliseconds.

    rebootstraps  begins again with the bootstrap addresses when no known node can be asked
                  (metadata.recovery.strategy, KIP-899)
    rebootstrap_trigger_ms  begins again also when no METADATA answer came for this long; None:
                            never for that reason (KIP-1102)
    topic_ids     offsets are committed and fetched by topic id (the KIP-848 consumer)
    first_use_ms  action -> (least, most): how long a client needs for its first use of something;
                  empty for a warm client
    """

    kind: str
    client_id: str
    request_timeout_ms: int
    reconnect_backoff_ms: int
    max_in_flight: int
    allow_auto_topic_creation: bool = True
    cluster_check: bool = False
    rebootstraps: bool = False
    rebootstrap_trigger_ms: int | None = None
    topic_ids: bool = False
    first_use_ms: Mapping[str, tuple[int, int]]


def network_settings(
    setup: ClientSetup, max_in_flight: int, auto_create: bool = True, topic_ids: bool = False
) -> ClientSettings:
    """The settings of one client. auto_create: METADATA may create a topic."""
    config, connecting, lab = setup.config, setup.profile.connecting, setup.lab
    rebootstraps = str(config.get("metadata.recovery.strategy", "none")).lower() == "rebootstrap"
    first_use_ms = dict(connecting.first_use_ms)
    if config.get("transactional.id") is not None:
        first_use_ms["producer connecting"] = setup.profile.transacting.transactional_connecting_ms
    return ClientSettings(
        kind=setup.kind,
        client_id=setup.client_id,
        request_timeout_ms=config["request.timeout.ms"],
        reconnect_backoff_ms=config["reconnect.backoff.ms"],
        max_in_flight=max_in_flight,
        allow_auto_topic_creation=auto_create,
        rebootstraps=rebootstraps,
        rebootstrap_trigger_ms=config.get("metadata.recovery.rebootstrap.trigger.ms")
        if rebootstraps
        else None,
        cluster_check=connecting.cluster_check
        and bool(config.get("metadata.cluster.check.enable", True)),
        topic_ids=topic_ids,
        first_use_ms=first_use_ms if lab.cold and lab.clock.work is None else {},
    )
