"""ClientSettings: what a NetworkClient needs to know of the producer,
consumer or admin client that it serves."""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.protocol.frozen import message


@message
class ClientSettings:
    """What a NetworkClient needs to know of its owner, a "consumer" or a "producer"; all times in
    milliseconds.

    rebootstraps  begins again with the bootstrap addresses when no known node can be asked
                  (metadata.recovery.strategy, KIP-899)
    rebootstrap_trigger_ms  ... or when no METADATA answer came for this long; None: never for that
                            reason (KIP-1102)
    topic_ids     offsets are committed and fetched by topic id (the KIP-848 consumer)
    first_use_ms  what -> (least, most): how long a client takes over what it does for the first
                  time; empty for a warm one
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
