"""Tells a story: makes its lab, starts its programs, lets its faults happen and its time pass.

This is the only place that does. The page, a cell and the tests call the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.consumer.kafka_share_consumer import KafkaShareConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import IllegalArgumentException, IllegalStateException, KafkaException
from kafkalab.lab import FIRST_PORT, Lab
from kafkalab.play.story import GROUP, Story, read, read_pairs
from kafkalab.proof.laws.faults import KINDS, TOPIC
from kafkalab.records import ProducerRecord

SLICE_MS = 1_000
"""The lab's time passes in pieces of this length; between two of them `watch` is called."""
POLL_MS = 500
CLIENTS_OWN = (KafkaException, IllegalArgumentException, IllegalStateException)
"""What a client raises for itself. Any other exception is a fault of the simulator."""
MOST_EVENTS = 400_000
"""A story with more events is stopped: a page would be out of memory."""


class RanAway(Exception):
    """Raised inside a story that has written more events than a page can hold."""


@dataclass
class Told:
    """A story that was told.

    ended      for each program that ended by an exception: the time in ms, its name, what it raised
    cut_short  why the story ended before its time; "" where it did not
    """

    lab: Lab
    story: Story
    ended: list[tuple[int, str, str]] = field(default_factory=list)
    cut_short: str = ""


def tell(
    story: Story | None = None,
    *,
    watch: Callable[[int, int], object] = lambda now_ms, events: None,
    **settings: object,
) -> Told:
    """Tell a story, or the one that these settings make: `tell(client="2.3", members=1)`.

    watch(now_ms, events) is called as the time of the lab passes. Raises Unreadable for settings
    that cannot be read, and what a client or the lab raises for a setting that it refuses.
    """
    story = read(settings) if story is None else story
    lab = Lab(
        brokers=story.brokers,
        seed=story.seed,
        version=story.client,
        broker_version=story.broker,
        broker_config=read_pairs(story.cluster),
    )
    lab.create_topic(TOPIC, partitions=story.partitions, replication_factor=story.replicas)
    told = Told(lab, story)
    if story.protocol == "share":
        lab.configure_group(GROUP, {"share.auto.offset.reset": "earliest"})
    for fault in story.planned_faults():
        kind = KINDS[fault.what]
        lab.clock.at(fault.at_ms, kind.begin, lab, fault)
        if kind.end is not None and fault.for_ms:
            lab.clock.at(fault.at_ms + fault.for_ms, kind.end, lab, fault)
    play = _Play(told, watch)
    try:
        if story.needs_apps:
            for name in story.programs:
                lab.spawn(play.run, name, name=name)
        else:
            # one program needs no stack of its own: the lab's time passes while it waits
            for name in story.programs:
                play.run(lab, name)
        play.wait_until_end()
    except RanAway as error:
        told.cut_short = str(error)
    finally:
        lab.close()  # the programs end with the story
    return told


class _Play:
    """The programs of one story, and the clock over them."""

    def __init__(self, told: Told, watch: Callable[[int, int], object]) -> None:
        self.told, self.story, self.lab = told, told.story, told.lab
        self.watch = watch
        self.end_ms = told.story.seconds * 1_000

    def wait_until_end(self) -> None:
        """Let the remaining time of the story pass."""
        while self.goes_on():
            self.lab.run_for(ms=min(SLICE_MS, self.end_ms - self.lab.now_ms))

    def goes_on(self) -> bool:
        """Whether there is time left. Raises RanAway where there are too many events."""
        now_ms, events = self.lab.now_ms, len(self.lab.journal.kept)
        if events > MOST_EVENTS:
            raise RanAway(
                f"The story was stopped at {now_ms / 1_000:.1f} s: it had {events:,} events, and a "
                f"page holds {MOST_EVENTS:,}. Give it fewer seconds, records or members."
            )
        self.watch(now_ms, events)
        return now_ms < self.end_ms

    def run(self, lab: Lab, name: str) -> None:
        """Run the program of this name. What Kafka raises later than at its start ends it."""
        kind, _, number = name.partition("-")
        self.sleep(self.story.apart_s * 1_000 * (int(number) - 1) if kind == "member" else 0)
        program = self.member(name) if kind == "member" else self.shop(name)
        try:
            program()
        except CLIENTS_OWN as error:
            words = f"{type(error).__name__}: {error}"
            self.told.ended.append((lab.now_ms, name, words))

    def shop(self, name: str) -> Callable[[], None]:
        """A producer that sends records, one after a pause each, in transactions if it is told
        to."""
        story, lab = self.story, self.lab
        in_one = story.in_transaction
        producer = KafkaProducer(
            lab,
            {
                **self.shared(name),
                **_given({"acks": story.acks, "transactional.id": name if in_one else ""}),
                **read_pairs(story.producer),
            },
            name=name,
        )

        def program() -> None:
            if in_one:
                producer.init_transactions()
            for number in range(story.records):
                if not self.goes_on():
                    return
                if in_one and number % in_one == 0:
                    producer.begin_transaction()
                key = f"order {number}" if story.producers == 1 else f"{name} order {number}"
                producer.send(ProducerRecord(TOPIC, key=key, value="tea"))
                self.sleep(story.every_ms)
                if in_one and (number + 1 == story.records or (number + 1) % in_one == 0):
                    producer.commit_transaction()

        return program

    def member(self, name: str) -> Callable[[], None]:
        """A member of the group, which polls and works on what it gets."""
        story, lab = self.story, self.lab
        settings = {**self.shared(name), "group.id": GROUP}
        consumer: KafkaConsumer | KafkaShareConsumer
        if story.protocol == "share":
            consumer = KafkaShareConsumer(lab, settings | read_pairs(story.consumer), name=name)
        else:
            consumer = KafkaConsumer(
                lab,
                {
                    **settings,
                    "auto.offset.reset": "earliest",
                    **({"group.protocol": "consumer"} if story.protocol == "consumer" else {}),
                    **_given({"max.poll.interval.ms": story.poll_ms}),
                    **_given({"partition.assignment.strategy": story.assignor}),
                    **read_pairs(story.consumer),
                },
                name=name,
            )
        consumer.subscribe([TOPIC])

        def program() -> None:
            while self.goes_on():
                records = consumer.poll(timeout_ms=POLL_MS)
                self.sleep(story.work_ms * len(list(records)))

        return program

    def sleep(self, ms: int) -> None:
        """Let the program sleep, at most until the story ends."""
        if ms:
            self.lab.sleep(max(0, min(ms, self.end_ms - self.lab.now_ms)))

    def shared(self, name: str) -> dict[str, Any]:
        """The settings of every client of the story."""
        ports = range(FIRST_PORT, FIRST_PORT + min(self.story.addresses, self.story.brokers))
        return {
            "client.id": name,
            "bootstrap.servers": ",".join(f"localhost:{port}" for port in ports),
            **_given({"connections.max.idle.ms": self.story.idle_ms}),
        }


def _given(settings: dict[str, str]) -> dict[str, str]:
    """The settings that have a text; without one the release's default stands."""
    return {name: value for name, value in settings.items() if value}
