"""FetchSessionHandler: decides which partitions the next fetch must name
(org.apache.kafka.clients.FetchSessionHandler, KIP-227).

There is one handler per broker. The first fetch names every partition; when the broker answers with
a session id, later ones name only what changed, and partitions that are not named are implied.

    INVALID/INITIAL -> (id, 1) -> (id, 2) -> ...;  (id, FINAL) closes the session
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.frozen import record
from kafkalab.protocol.messages import FetchPartition, FetchResponse, FetchTopic, ForgottenTopic
from kafkalab.records import TopicPartition, by_topic

INVALID_SESSION, INITIAL_EPOCH, FINAL_EPOCH = 0, 0, -1


EPOCH_NAMES = {INITIAL_EPOCH: "INITIAL", FINAL_EPOCH: "FINAL"}
"""FetchMetadata.toString; other epochs are printed as numbers."""


@record
class ShownFetch:
    """The named and the implied partitions of a fetch in Java's lines: lists of partitions in
    parentheses."""

    full: bool
    to_send: str | Later
    to_forget: str = "()"
    implied: str | Later = "()"


class FetchSessionData(NamedTuple):
    """The session's fields in the next FETCH (FetchSessionHandler.FetchRequestData).

    session  its id and epoch, as fields of the request; shown: how the lines name the other
             partitions
    """

    session: dict[str, int]
    topics: tuple[FetchTopic, ...]
    forgotten: tuple[ForgottenTopic, ...]
    shown: ShownFetch


class FetchSessionHandler:
    """This client's side of its session with one broker.

    session_id  0 while there is none
    epoch       counts the requests of the session; 0 begins it, -1 ends it
    partitions  the partitions the broker remembers, in its order
    topic_id    gives a topic's id where the version's lines name changes with it
                (TopicIdPartition); None where they do not
    """

    def __init__(
        self, log: LogContext, node_id: str, topic_id: Callable[[str], str | None] | None = None
    ) -> None:
        self._topic_id = topic_id
        self.node_id, self.session_id, self.epoch = node_id, INVALID_SESSION, INITIAL_EPOCH
        self.partitions: dict[TopicPartition, FetchPartition] = {}
        self._log = log
        self._names: tuple[TopicPartition, ...] = ()
        self._names_of: Mapping[TopicPartition, FetchPartition] | None = None

    @property
    def is_ending(self) -> bool:
        """Whether the last fetch closed the session, or the next one will."""
        return self.epoch == FINAL_EPOCH

    def build(self, wanted: Mapping[TopicPartition, FetchPartition]) -> FetchSessionData:
        """The next request: all partitions when a session begins or ends, otherwise the changed
        ones."""
        session = {"session_id": self.session_id, "session_epoch": self.epoch}
        if self.epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self.partitions = dict(wanted)
            everyone = _parenthesised(wanted)
            self._log(
                "FETCH_BUILT_FULL",
                session_id=self.session_id or "INVALID",
                session_epoch=EPOCH_NAMES[self.epoch],
                node_id=self.node_id,
                partitions=everyone,
            )
            return FetchSessionData(
                session, _fetch_topics(wanted), (), ShownFetch(full=True, to_send=everyone)
            )
        if self._goes_without_saying(wanted):
            everything = Later(_parenthesised, self._names)
            self._log(
                "FETCH_BUILT_INCREMENTAL",
                session_id=self.session_id,
                session_epoch=self.epoch,
                node_id=self.node_id,
                added="()",
                altered="()",
                removed="()",
                replaced="()",
                out_of=everything,
            )
            return FetchSessionData(
                session, (), (), ShownFetch(full=False, to_send="()", implied=everything)
            )
        added = [tp for tp in wanted if tp not in self.partitions]
        altered = [
            tp
            for tp in wanted
            if tp in self.partitions and _differ(wanted[tp], self.partitions[tp])
        ]
        removed = [tp for tp in self.partitions if tp not in wanted]
        to_send = {tp: wanted[tp] for tp in (*added, *altered)}
        # What changed moves to the end, as in Java's linked map.
        kept = {tp: p for tp, p in self.partitions.items() if tp in wanted and tp not in to_send}
        self.partitions = {**kept, **to_send}
        self._log(
            "FETCH_BUILT_INCREMENTAL",
            session_id=self.session_id,
            session_epoch=self.epoch,
            node_id=self.node_id,
            added=self._with_ids(added),
            altered=self._with_ids(altered),
            removed=self._with_ids(removed),
            replaced="()",
            out_of=Later(_parenthesised, tuple(self.partitions)),
        )
        shown = ShownFetch(
            full=False,
            to_send=Later(_parenthesised, tuple(to_send)),
            to_forget=self._with_ids(removed),
            implied=Later(_parenthesised, tuple(kept)),
        )
        return FetchSessionData(session, _fetch_topics(to_send), _forgotten_topics(removed), shown)

    def _goes_without_saying(self, wanted: Mapping[TopicPartition, FetchPartition]) -> bool:
        """Whether every partition is as the broker remembers it."""
        known = self.partitions
        if len(wanted) != len(known):
            return False
        for tp, partition in wanted.items():
            if known.get(tp) is not partition:
                return False
        if self._names_of is not known:
            self._names_of, self._names = known, tuple(known)
        return True

    def handle(self, response: FetchResponse, answered: list[TopicPartition]) -> bool:
        """Takes over the broker's answer about the session; False when the answer is of no use."""
        if response.error_code != Errors.NONE.code:
            epoch = {INITIAL_EPOCH: "INITIAL", FINAL_EPOCH: "FINAL"}.get(self.epoch, self.epoch)
            self._log(
                "FETCH_SESSION_ERROR",
                node_id=self.node_id,
                session_id=self.session_id or "INVALID",
                session_epoch=epoch,
                error=error_for(response.error_code).name,
            )
            self._restart()
            return False
        shown = Later(_parenthesised, tuple(answered)) if answered else "()"
        if self.epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            if not answered and response.throttle_time_ms:  # KIP-219: the session begins later
                self._log(
                    "FETCH_SESSION_THROTTLED",
                    node_id=self.node_id,
                    throttle=response.throttle_time_ms,
                    missing=", ".join(map(str, self.partitions)),
                )
                self._restart()
                return False
            if response.session_id == INVALID_SESSION:
                self._restart()
                return True
            self._log(
                "FETCH_SESSION_CREATED",
                node_id=self.node_id,
                session_id=response.session_id,
                response=shown,
            )
            self.session_id, self.epoch = response.session_id, 1
        else:
            implied = (
                tuple(tp for tp in self.partitions if tp not in answered)
                if answered
                else tuple(self.partitions)
            )
            tail = Later(_implied, implied) if implied else ""
            self._log(
                "FETCH_SESSION_INCREMENTAL",
                node_id=self.node_id,
                session_id=self.session_id,
                response=shown,
                implied=tail,
                throttle=response.throttle_time_ms,
            )
            self.epoch += 1
        return True

    def handle_error(self, error: BaseException) -> None:
        """The request failed as a whole: the session goes on under its id,
        but begins again (nextCloseExisting)."""
        epoch = "INITIAL" if self.epoch == INITIAL_EPOCH else self.epoch
        self._log(
            "FETCH_REQUEST_FAILED",
            session_id=self.session_id or "INVALID",
            session_epoch=epoch,
            node_id=self.node_id,
            error=getattr(error, "java_name", type(error).__name__),
            trace=getattr(error, "java_name", None),
        )
        self.epoch = INITIAL_EPOCH

    def close_next(self) -> None:
        """The next request ends the session (notifyClose)."""
        self._log("FETCH_SESSION_CLOSING", session_id=self.session_id)
        self.epoch = FINAL_EPOCH

    def _with_ids(self, partitions: list[TopicPartition]) -> str:
        if not partitions:
            return "()"
        if self._topic_id is None:
            return _parenthesised(partitions)
        return f"({', '.join(f'{self._topic_id(tp.topic)}:{tp}' for tp in partitions)})"

    def _restart(self) -> None:
        self.session_id, self.epoch = INVALID_SESSION, INITIAL_EPOCH


def _fetch_topics(partitions: Mapping[TopicPartition, FetchPartition]) -> tuple[FetchTopic, ...]:
    topics: dict[str, list[FetchPartition]] = {}
    for tp, partition in partitions.items():
        topics.setdefault(tp.topic, []).append(partition)
    return tuple(
        FetchTopic(topic=topic, partitions=tuple(parts)) for topic, parts in topics.items()
    )


def _forgotten_topics(partitions: Iterable[TopicPartition]) -> tuple[ForgottenTopic, ...]:
    return tuple(
        ForgottenTopic(topic=topic, partitions=numbers)
        for topic, numbers in by_topic(partitions).items()
    )


def _differ(one: FetchPartition, other: FetchPartition) -> bool:
    return one is not other and one != other


def _implied(partitions: Iterable[TopicPartition]) -> str:
    return f", implied={_parenthesised(partitions)}"


def _parenthesised(partitions: Iterable[TopicPartition]) -> str:
    return f"({', '.join(map(str, partitions))})"
