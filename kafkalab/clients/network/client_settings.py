"""ClientSettings: what a NetworkClient needs from the settings of its producer, consumer or admin
client."""

from __future__ import annotations

from collections.abc import Mapping

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
