"""What must be said again in the next fetch, and what goes without saying? (org.apache.kafka.clients.FetchSessionHandler, KIP-227)

One handler per broker. The first fetch names every partition; when the broker answers with a session id, later ones name only
what changed, and partitions that are not named are implied.

    INVALID/INITIAL -> (id, 1) -> (id, 2) -> ...;  (id, FINAL) closes the session
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.clients.log_context import LogContext
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.messages import FetchPartition, FetchResponse, FetchTopic, ForgottenTopic
from kafkalab.records import TopicPartition

INVALID_SESSION, INITIAL_EPOCH, FINAL_EPOCH = 0, 0, -1


class FetchSessionHandler:
    def __init__(self, log: LogContext, node_id: str) -> None:
        self.node_id, self.session_id, self.epoch = node_id, INVALID_SESSION, INITIAL_EPOCH
        self.partitions: dict[TopicPartition, FetchPartition] = {}
        self._log = log

    def build(self, wanted: Mapping[TopicPartition, FetchPartition]) -> tuple[dict, tuple[FetchTopic, ...], tuple[ForgottenTopic, ...], str]:
        """The next request's session fields, topics, forgotten topics and how Java names it in its line."""
        if self.epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self.partitions = dict(wanted)
            to_send, shown = dict(wanted), _parenthesised(wanted)
            session, epoch = self.session_id or "INVALID", {INITIAL_EPOCH: "INITIAL", FINAL_EPOCH: "FINAL"}[self.epoch]
            self._log("FETCH_BUILT_FULL", session_id=session, session_epoch=epoch, node_id=self.node_id, partitions=shown)
            forgotten: tuple[ForgottenTopic, ...] = ()
            text = {"full": True, "to_send": shown}
        else:
            added = [tp for tp in wanted if tp not in self.partitions]
            altered = [tp for tp in wanted if tp in self.partitions and wanted[tp] != self.partitions[tp]]
            removed = [tp for tp in self.partitions if tp not in wanted]
            to_send = {tp: wanted[tp] for tp in (*added, *altered)}
            # What changed moves to the end, as in Java's linked map.
            kept = {tp: p for tp, p in self.partitions.items() if tp in wanted and tp not in altered}
            self.partitions = {**kept, **to_send}
            self._log("FETCH_BUILT_INCREMENTAL", session_id=self.session_id, session_epoch=self.epoch, node_id=self.node_id,
                      added=_parenthesised(added), altered=_parenthesised(altered), removed=_parenthesised(removed), replaced="()",
                      out_of=_parenthesised(self.partitions))
            topics: dict[str, list[int]] = {}
            for tp in removed:
                topics.setdefault(tp.topic, []).append(tp.partition)
            forgotten = tuple(ForgottenTopic(topic=t, partitions=tuple(ps)) for t, ps in topics.items())
            implied = [tp for tp in self.partitions if tp not in to_send]
            text = {"full": False, "to_send": _parenthesised(to_send), "to_forget": _parenthesised(removed), "implied": _parenthesised(implied)}
        by_topic: dict[str, list[FetchPartition]] = {}
        for tp, partition in to_send.items():
            by_topic.setdefault(tp.topic, []).append(partition)
        session = {"session_id": self.session_id, "session_epoch": self.epoch}
        return session, tuple(FetchTopic(topic=t, partitions=tuple(ps)) for t, ps in by_topic.items()), forgotten, text

    def handle(self, response: FetchResponse, answered: list[TopicPartition]) -> bool:
        """Take over what the broker made of the session; False when the answer is of no use."""
        if response.error_code != Errors.NONE.code:
            self._log("FETCH_SESSION_ERROR", node_id=self.node_id, error=error_for(response.error_code).name)
            self._restart()
            return False
        shown = _parenthesised(answered)
        if self.epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            if response.session_id == INVALID_SESSION:
                self._restart()
                return True
            self._log("FETCH_SESSION_CREATED", node_id=self.node_id, session_id=response.session_id, response=shown)
            self.session_id, self.epoch = response.session_id, 1
        else:
            implied = [tp for tp in self.partitions if tp not in answered]
            tail = f", implied={_parenthesised(implied)}" if implied else ""
            self._log("FETCH_SESSION_INCREMENTAL", node_id=self.node_id, session_id=self.session_id, response=shown, implied=tail, throttle=0)
            self.epoch += 1
        return True

    def handle_error(self, error: BaseException) -> None:
        """The request failed as a whole: the session goes on under its id, but begins anew (nextCloseExisting)."""
        epoch = "INITIAL" if self.epoch == INITIAL_EPOCH else self.epoch
        self._log("FETCH_REQUEST_FAILED", session_id=self.session_id or "INVALID", session_epoch=epoch, node_id=self.node_id,
                  error=getattr(error, "java_name", type(error).__name__), trace=getattr(error, "java_name", None))
        self.epoch = INITIAL_EPOCH

    def close_next(self) -> None:
        self._log("FETCH_SESSION_CLOSING", session_id=self.session_id)
        self.epoch = FINAL_EPOCH

    def _restart(self) -> None:
        self.session_id, self.epoch = INVALID_SESSION, INITIAL_EPOCH


def _parenthesised(partitions) -> str:
    return f"({', '.join(map(str, partitions))})"
