"""ShareSessionHandler: one member's share session with one broker (internals.ShareSessionHandler).

Each request names only the partitions that are new or gone, and the next epoch.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.clients.consumer.share.acknowledgements import acknowledgement_batches
from kafkalab.clients.consumer.share.share_fetch import Said
from kafkalab.clients.network.log_context import LogContext
from kafkalab.protocol import messages as m
from kafkalab.protocol.share_messages import FINAL_EPOCH, OPENING_EPOCH, RENEW
from kafkalab.records import TopicPartition

NOTHING = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 0, "max_records": 0, "batch_size": 0}
"""The limits of a fetch that renews a lock (KIP-1222, newShareFetchBuilder in kafka-clients
4.4.0)."""


class ShareSessionHandler:
    """The session with one broker. epoch: that of the next request."""

    def __init__(self, node_id: int, group_id: str, member_id: str, log: LogContext) -> None:
        self.epoch = OPENING_EPOCH
        self._node_id = node_id
        self._group_id = group_id
        self._member_id = member_id
        self._log = log
        self._known: dict[TopicPartition, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether the broker has the session."""
        return self.epoch > OPENING_EPOCH

    def reset(self) -> None:
        """The broker has lost the session: the next request opens one."""
        self.epoch = OPENING_EPOCH
        self._known.clear()

    def fetch(
        self,
        wanted: Mapping[TopicPartition, str],
        said: Said,
        settings: Mapping[str, int],
    ) -> m.ShareFetchRequest:
        """The next fetch. wanted: partition -> topic id. settings: limits of the request."""
        added = [tp for tp in wanted if tp not in self._known]
        gone = [tp for tp in self._known if tp not in wanted]
        self._log(
            "SHARE_FETCH_BUILT",
            member_id=self._member_id,
            epoch=self.epoch or "INITIAL",
            node_id=self._node_id,
            added=self._text(added, wanted),
            removed=self._text(gone, self._known),
            all=self._text(list(wanted), wanted),
        )
        topics: dict[str, list[m.ShareFetchPartition]] = {}
        for tp in [*added, *(tp for tp in said if tp not in added)]:
            batches = acknowledgement_batches(said[tp].said) if tp in said else ()
            topics.setdefault(wanted.get(tp) or said[tp].topic_id, []).append(
                m.ShareFetchPartition(partition_index=tp.partition, acknowledgement_batches=batches)
            )
        forgotten: dict[str, list[int]] = {}
        for tp in gone:
            forgotten.setdefault(self._known[tp], []).append(tp.partition)
        self._known = dict(wanted)
        renews = _renews(said)
        if renews:  # such a request brings no records; the broker refuses it otherwise
            settings = {**settings, **NOTHING}
        return m.ShareFetchRequest(
            group_id=self._group_id,
            member_id=self._member_id,
            share_session_epoch=self._next(),
            topics=tuple(
                m.ShareFetchTopic(topic_id=topic_id, partitions=tuple(parts))
                for topic_id, parts in topics.items()
            ),
            forgotten_topics_data=tuple(
                m.ShareForgottenTopic(topic_id=topic_id, partitions=tuple(numbers))
                for topic_id, numbers in forgotten.items()
            ),
            is_renew_ack=renews,
            **settings,
        )

    def acknowledge(self, said: Said, closes: bool) -> m.ShareAcknowledgeRequest:
        """The next request that only acknowledges. closes: it ends the session."""
        if closes:
            self._log("SHARE_SESSION_CLOSES", member_id=self._member_id)
        topics: dict[str, list[m.AcknowledgePartition]] = {}
        for tp, batch in said.items():
            topics.setdefault(batch.topic_id, []).append(
                m.AcknowledgePartition(
                    partition_index=tp.partition,
                    acknowledgement_batches=acknowledgement_batches(batch.said),
                )
            )
        return m.ShareAcknowledgeRequest(
            group_id=self._group_id,
            member_id=self._member_id,
            share_session_epoch=FINAL_EPOCH if closes else self._next(),
            is_renew_ack=_renews(said),
            topics=tuple(
                m.AcknowledgeTopic(topic_id=topic_id, partitions=tuple(parts))
                for topic_id, parts in topics.items()
            ),
        )

    def _next(self) -> int:
        epoch, self.epoch = self.epoch, self.epoch + 1
        return epoch

    def _text(self, partitions: list[TopicPartition], ids: Mapping[TopicPartition, str]) -> str:
        return ", ".join(f"{ids[tp]}:{tp}" for tp in partitions)


def _renews(said: Said) -> bool:
    return any(
        kind is not None and kind.value == RENEW
        for batch in said.values()
        for kind in batch.said.values()
    )
