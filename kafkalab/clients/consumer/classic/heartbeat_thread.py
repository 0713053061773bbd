"""HeartbeatThread: keeps a member alive while its application works
(AbstractCoordinator.HeartbeatThread, KIP-62).

The thread runs beside the application's. It sends HEARTBEAT when one is due and checks two
deadlines: the coordinator's (session.timeout.ms) and the application's (max.poll.interval.ms). It
polls the network only while the application does not. Here it is a loop that yields until when it
sleeps; see `kafkalab.sim.apps`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from kafkalab.clients.consumer.classic.coordinator_lookup import CoordinatorLookup
from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.consumer.classic.heartbeat_responses import (
    ALIVE,
    FIND_COORDINATOR,
    REJOIN,
    START_OVER,
    STOP,
    Choice,
    javas_choice,
)
from kafkalab.clients.consumer.classic.membership import ClassicMemberState, Generation
from kafkalab.clients.consumer.reading.request_future import Story, begin
from kafkalab.errors import Errors, KafkaException, error_for
from kafkalab.protocol.messages import HeartbeatRequest
from kafkalab.sim.apps import FOREVER_MS, Signal

WAKES_AFTER_MS = 2
"""A thread that has waited for another one needs a moment before it runs."""


class HeartbeatThread(GroupPart):
    """The thread of one consumer. It starts with the first join, is enabled while there is a
    membership to keep, and closes with the consumer.

    leave   leave(reason) gives the membership up and yields like the thread itself: the application
            did not poll in time
    choice  the action on an answer; see heartbeat_responses
    """

    def __init__(
        self,
        shared: GroupShared,
        lookup: CoordinatorLookup,
        leave: Callable[[str], Iterator[int]],
        choice: Choice = javas_choice,
    ) -> None:
        super().__init__(shared)
        self._lookup = lookup
        self._leave = leave
        self._choice = choice
        self._signal = Signal()
        self._started = self._enabled = self._closed = False
        self._failure: BaseException | None = None
        lookup.on_released = self._have_a_turn

    def start(self) -> None:
        if not self._started:
            self._started = True
            # Real threads write this line while their starter goes on, at most a few lines later.
            self._log("HEARTBEAT_THREAD_STARTED")
            self._stage.loop(self._run(), self._signal, self._log.who, told=True)

    def enable(self) -> None:
        self._log("ENABLING_HEARTBEAT")
        self._enabled = True
        self._heartbeat.reset_timeouts(self._clock.now_ms)
        self._signal.set()

    def disable(self) -> None:
        if self._started:
            self._log("DISABLING_HEARTBEAT")
            self._enabled = False

    def raise_failure(self) -> None:
        """Raises, once, the error that ended the thread: another member took over this one's
        group.instance.id (pollHeartbeat)."""
        if self._failure is not None:
            error, self._failure = self._failure, None
            raise error

    def close(self) -> None:
        if self._started:
            self._closed = True
            self._signal.set()
            self._log("HEARTBEAT_THREAD_CLOSED")

    def _run(self) -> Generator[int, None, None]:
        """HeartbeatThread.run: checks every retry.backoff.ms what is due, or sooner when the next
        heartbeat is nearer."""
        while not self._closed:
            self._signal.clear()
            if not self._enabled:
                yield FOREVER_MS
                continue
            if not self._membership.owes_heartbeats:
                self.disable()
                continue
            if self._lookup.is_looking:
                yield FOREVER_MS
                yield self._clock.now_ms + WAKES_AFTER_MS
                continue
            if not self._client.is_polling:
                yield from self._client.poll_in_thread()
            if self._enabled and not self._closed:
                now_ms = self._clock.now_ms
                idle_ms = 0 if self._lookup.unknown else self._heartbeat.idle_ms(now_ms)
                if idle_ms > 0:
                    # An application that is inside poll() may wake up at any moment; Java's wait()
                    # is then cut short by notify().
                    yield now_ms + (
                        min(self._retry_backoff_ms, idle_ms)
                        if self._client.is_polling
                        else self._retry_backoff_ms
                    )
                else:
                    yield from self._keep_alive(now_ms)

    def _keep_alive(self, now_ms: int) -> Iterator[int]:
        heartbeat = self._heartbeat
        if self._lookup.is_looking:
            return
        if self._lookup.unknown:
            self._look_up()
            yield now_ms + self._retry_backoff_ms
        elif heartbeat.session_expired(now_ms):
            self._lookup.mark_unknown(
                "session timed out without receiving a heartbeat response", disconnected=False
            )
        elif heartbeat.poll_expired(now_ms):
            self._log("POLL_TIMEOUT_EXPIRED")
            yield from self._leave("consumer poll timeout has expired.")
        else:
            self._beat(now_ms)
            if self._client.is_polling:
                yield now_ms + 1

    def _look_up(self) -> None:
        """Looks up the coordinator. Since KAFKA-10793 this thread forgets a request that is under
        way, its own too, so that several may be under way at a time."""
        if not self._profile.group.keeps_answered_lookup:
            self._lookup.find()
        elif self._lookup.has_asked:
            self._lookup.forget_lookup()
        else:
            self._lookup.find()
            if not self._profile.group.rests_after_lookup:
                self._lookup.forget_lookup()

    def _have_a_turn(self) -> None:
        """The application's thread releases the coordinator. If this thread has waited for it with
        a heartbeat that is due, it may run before the next step of the application's thread:
        recordings have both orders."""
        now_ms, heartbeat = self._clock.now_ms, self._heartbeat
        if not self._started or not self._enabled or self._closed:
            return
        self._signal.set()
        if (
            self._membership.owes_heartbeats
            and not self._lookup.unknown
            and heartbeat.time_to_next_ms(now_ms) == 0
            and not heartbeat.session_expired(now_ms)
            and not heartbeat.poll_expired(now_ms)
            and self._rng.random() < 0.5
        ):
            self._beat(now_ms)

    def _beat(self, now_ms: int) -> None:
        self._heartbeat.sent(now_ms)
        self._log(
            "HEARTBEAT_TIMER",
            group=self._membership.group_id,
            remaining_ms=self._heartbeat.interval_ms,
        )
        begin(self._ask())

    def _ask(self) -> Story:
        """HEARTBEAT and its answer."""
        membership, node = self._membership, self._lookup.node
        self._log(
            "SENDING_HEARTBEAT",
            generation=membership.generation.id,
            member_id=membership.member_id,
            node=node,
        )
        request = HeartbeatRequest(
            group_id=membership.group_id,
            generation_id=membership.generation.id,
            member_id=membership.member_id,
            group_instance_id=membership.instance_id,
        )
        assert node is not None, "a heartbeat is sent to a known coordinator"
        asked = membership.generation
        try:
            sent = yield self._client.send(node, request)
        except KafkaException:
            self._failed(self._clock.now_ms)
        else:
            self._act_on(error_for(sent.message.error_code), asked, self._clock.now_ms)

    def _act_on(self, error: Errors, asked: Generation, now_ms: int) -> None:
        """The answer to the heartbeat of a generation."""
        action = self._choice(error.name)
        if action == ALIVE:
            self._log("HEARTBEAT_RESPONSE")
            self._heartbeat.received(now_ms)
        elif action == REJOIN:
            # KIP-62: the member is alive and must rejoin in its next poll.
            self._heartbeat.received(now_ms)
            if (
                self._profile.group.heartbeats_from_join
                and self._membership.state is not ClassicMemberState.STABLE
            ):
                # It is about to end its join.
                self._log("HEARTBEAT_IGNORED", error=error.name, state=self._membership.state.name)
                return
            self._log("HEARTBEAT_REBALANCING")
            if self._profile.group.states_rejoin_reason:
                self._membership.request_rejoin("group is already rebalancing")
            self._membership.rejoin_needed = True
        elif action in (START_OVER, STOP):
            if asked != self._membership.generation:
                self._log(
                    "HEARTBEAT_OF_STALE_GENERATION",
                    generation=asked,
                    instance=self._instance,
                    error=error.name,
                )
                return
            if error is Errors.ILLEGAL_GENERATION:
                self._log("HEARTBEAT_OF_OLD_GENERATION", generation=asked.id)
            elif error is Errors.UNKNOWN_MEMBER_ID:
                self._log("HEARTBEAT_OF_STRANGER", member_id=asked.member_id)
            self._log(
                "HEARTBEAT_REFUSED", generation=asked, instance=self._instance, error=error.name
            )
            keeps = action == STOP and self._profile.group.stays_member_when_fenced
            if not keeps:
                self._membership.refused("HEARTBEAT", error)
            if action == STOP:
                self._log("HEARTBEAT_FENCED")
                if error is Errors.FENCED_INSTANCE_ID:
                    self._log("INSTANCE_FENCED", instance=self._instance)
                stopped = (
                    KafkaException("on_heartbeat stopped this member")
                    if error is Errors.NONE
                    else error.exception()
                )
                self._enabled, self._failure = False, stopped
        else:
            if action == FIND_COORDINATOR:
                self._log("HEARTBEAT_COORDINATOR_INVALID", node=self._lookup.node)
                self._lookup.mark_unknown(f"error response {error.name}", disconnected=False)
            self._failed(now_ms)

    @property
    def _instance(self) -> str:
        instance_id = self._membership.instance_id
        return "Optional.empty" if instance_id is None else f"Optional[{instance_id}]"

    def _failed(self, now_ms: int) -> None:
        self._heartbeat.failed(now_ms)
        self._log(
            "HEARTBEAT_FAILED",
            group=self._membership.group_id,
            remaining_ms=self._heartbeat.retry_backoff_ms,
        )
