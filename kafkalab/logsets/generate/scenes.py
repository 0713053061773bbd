"""Plays the incidents of a log set: several Kafka clients on a Lab, from before to after the
incident.

A scene is played as the stories are: client and group names are gaps that each copy fills in. Each
copy has its own simulation, seed and topic. So two copies at one time stay two incidents. The
answer key of a scene has the kind, the clients, and the begin and the end.
kafkalab.logsets.incidents finds incidents from the lines alone. Scenes that only look like an
incident are in lookalikes.py and have no key.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkalab import (
    CommitFailedException,
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
)
from kafkalab.logsets.generate.manifest import Manifest
from kafkalab.logsets.generate.names import GROUP, client_mark, with_dots

SECOND, MINUTE = 1_000, 60_000


@dataclass(frozen=True)
class AnswerKey:
    """One incident as the simulator knows it.

    It has the clients by number within the scene, the times in milliseconds after the scene's
    start, and the broker that caused it.
    """

    kind: str
    clients: tuple[int, ...]
    first_ms: int
    last_ms: int
    told: str
    broker: int | None = None


@dataclass
class Scene:
    """A Lab, its clients by number, and the answer keys of its incidents. partitions: of the topic;
    None: as many as there are brokers."""

    manifest: Manifest
    version: str
    seed: int
    topic: str
    partitions: int | None = 4
    replicas: int = 1
    topic_config: Mapping[str, object] = field(default_factory=dict)
    broker_config: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.brokers = max(3, self.manifest.brokers)
        self.lab = Lab(
            brokers=self.brokers,
            seed=self.seed,
            version=self.version,
            epoch=self.manifest.start,
            broker_config={**self.broker_config, **self._instead("broker")},
            gaps=self.manifest.gaps,
        )
        self.lab.create_topic(
            self.topic,
            partitions=self.partitions or self.brokers,
            replication_factor=self.replicas,
            config={**self.topic_config, **self._instead("topic")},
        )
        self.coordinator = self.chance.randrange(self.brokers)
        self.lab.place_coordinator(GROUP, self.coordinator)
        self.kinds: dict[int, str] = {}
        self.lives: dict[int, list[str]] = {}
        self.keys: list[AnswerKey] = []

    def consumer(
        self, number: int, version: str | None = None, **settings: object
    ) -> KafkaConsumer:
        """The client with that number, or its next process with the same client.id."""
        own = {
            "client.id": client_mark(number),
            "group.id": GROUP,
            "auto.offset.reset": "earliest",
            "fetch.max.wait.ms": 2_000,
        }
        own |= with_dots(settings) | self._instead("consumer", number)
        own = {key: value for key, value in own.items() if value is not None}
        return KafkaConsumer(
            self.lab, own, version=version or self.version, name=self._born(number, "consumer")
        )

    def subscribed(self, consumer: KafkaConsumer) -> KafkaConsumer:
        consumer.subscribe([self.topic])
        return consumer

    def producer(self, number: int, **settings: object) -> KafkaProducer:
        own = {"client.id": client_mark(number)} | with_dots(settings)
        own |= self._instead("producer", number)
        return KafkaProducer(
            self.lab, own, version=self.version, name=self._born(number, "producer")
        )

    def _instead(self, what: str, number: int = 0) -> dict[str, Any]:
        """The manifest's settings for an incident's clients, topic or brokers.

        "{number}" in a text becomes the client's number.
        """
        settings: Any = self.manifest.config.get("incident", {}).get(what, {})
        return {
            key: value.replace("{number}", str(number)) if isinstance(value, str) else value
            for key, value in settings.items()
        }

    def _born(self, number: int, kind: str) -> str:
        self.kinds[number] = kind
        lives = self.lives.setdefault(number, [])
        lives.append(f"{kind}{number}-{len(lives)}")
        return lives[-1]

    def reads(
        self,
        number: int,
        until_ms: int,
        work_ms: Callable[[], int] = lambda: 0,
        commit: bool = False,
        **settings: Any,
    ) -> None:
        """Run the consumer with that number as an app beside the others. It polls and processes
        until `until_ms`, then closes."""
        consumer = self.subscribed(self.consumer(number, **settings))

        def app(lab: Lab) -> None:
            polls_until(lab, consumer, until_ms, work_ms, commit)
            consumer.close()

        self.lab.spawn(app, name=consumer.name)

    def sends(
        self,
        number: int,
        until_ms: int,
        every_ms: int,
        partition: Callable[[int], int | None] = lambda n: None,
        key: Callable[[int], str | None] = lambda n: None,
        **settings: object,
    ) -> None:
        """Run the producer with that number as an app beside the others. It sends a record every
        `every_ms` until `until_ms`, then closes."""
        producer = self.producer(number, **settings)

        def app(lab: Lab) -> None:
            number = 0
            while lab.now_ms < until_ms:
                of, to = key(number), partition(number)
                order = ProducerRecord(self.topic, key=of, value=f"order {number}", partition=to)
                try:
                    producer.send(order)
                except KafkaException:
                    pass  # The producer has written a line about it, and more records follow.
                number += 1
                lab.sleep(every_ms)
            producer.close()

        self.lab.spawn(app, name=producer.name)

    def until(self, at_ms: int) -> None:
        if at_ms > self.lab.now_ms:
            self.lab.run_for(at_ms - self.lab.now_ms)

    def key(
        self,
        kind: str,
        clients: Iterable[int],
        first_ms: int,
        last_ms: int,
        told: str,
        broker: int | None = None,
    ) -> None:
        self.keys.append(AnswerKey(kind, tuple(clients), first_ms, last_ms, told, broker))


def polls_until(
    lab: Lab,
    consumer: KafkaConsumer,
    until_ms: int,
    work_ms: Callable[[], int] = lambda: 0,
    commit: bool = False,
) -> None:
    """Poll and process until then, as an app does."""
    while lab.now_ms < until_ms:
        if not consumer.poll(timeout_ms=1_000).count():
            continue
        if busy_ms := work_ms():
            lab.sleep(busy_ms)
        if commit:
            _committed(consumer)


def _committed(consumer: KafkaConsumer) -> None:
    try:
        consumer.commit_sync()
    except (CommitFailedException, KafkaException):
        pass  # The consumer is no member now. Its next poll joins again.


Played = Callable[[str, int, str, Manifest], Scene]
SCENES: dict[str, Played] = {}
"""Kind of incident -> what plays it: from version, seed, topic and manifest."""


def scene_of(
    scenes: dict[str, Played], **settings: Any
) -> Callable[[Callable[[Scene], None]], Played]:
    """Keep a function that plays a scene among `scenes`, under its name. settings: the Scene's."""

    def keep(play: Callable[[Scene], None]) -> Played:
        def played(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
            scene = Scene(manifest, version, seed, topic, **settings)
            play(scene)
            return scene

        scenes[play.__name__] = played
        return played

    return keep


KEEPS_LITTLE: dict[str, Any] = {
    "topic_config": {"retention.ms": 20_000, "segment.ms": 5_000},
    "broker_config": {"log.retention.check.interval.ms": 5_000},
}
LEAVES_ISR_SOON: dict[str, Any] = {
    "partitions": 1,
    "replicas": 3,
    "topic_config": {"min.insync.replicas": 2},
    "broker_config": {"replica.lag.time.max.ms": 3_000},
}
QUIET: dict[str, Any] = {
    "fetch_max_wait_ms": 20_000,
    "heartbeat_interval_ms": 15_000,
    "session_timeout_ms": 60_000,
}
"""A consumer that needs its sockets seldom."""
SOON_DEAD: dict[str, Any] = {
    "session_timeout_ms": 10_000,
    "heartbeat_interval_ms": 3_000,
    "fetch_max_wait_ms": 500,
}
"""A consumer whose death its group notices soon."""


@scene_of(SCENES)
def rebalance_storm(scene: Scene) -> None:
    """One of four members restarts again and again, and each time the other three stop reading."""
    end_ms = 3 * MINUTE
    for number in range(3):
        scene.reads(number, end_ms)
    scene.until(20 * SECOND)
    first_ms = scene.lab.now_ms
    lives = 6 + scene.chance.randrange(3)
    for _ in range(lives):
        begins_ms = scene.lab.now_ms
        scene.reads(3, begins_ms + 7 * SECOND)
        scene.until(begins_ms + 12 * SECOND + scene.chance.randrange(2 * SECOND))
    told = f"one member joined and left {lives} times"
    scene.key("rebalance storm", (3,), first_ms, scene.lab.now_ms, told)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES)
def slow_member(scene: Scene) -> None:
    """One of three members processes longer than max.poll.interval.ms, so it leaves the group."""
    end_ms = 2 * MINUTE
    scene.sends(3, 50 * SECOND, 2_000, partition=lambda n: n % 4)
    for number in range(2):
        scene.reads(number, end_ms, commit=True, enable_auto_commit=False)
    slow = scene.subscribed(
        scene.consumer(2, max_poll_interval_ms=15_000, enable_auto_commit=False)
    )
    works_ms = 24_000 + scene.chance.randrange(10_000)

    def app(lab: Lab) -> None:
        polls_until(lab, slow, 30 * SECOND, commit=True)
        told = f"worked {works_ms} ms between two polls, allowed are 15000"
        first_ms, last_ms = lab.now_ms + 15 * SECOND, lab.now_ms + works_ms
        scene.key("slow member evicted", (2,), first_ms, last_ms, told)
        lab.sleep(works_ms)
        polls_until(lab, slow, end_ms, commit=True)
        slow.close()

    scene.lab.spawn(app, name=slow.name)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES)
def zombie_sockets(scene: Scene) -> None:
    """Two of three clients never close an idle socket: their unused bootstrap sockets stay open."""
    end_ms = 12 * MINUTE
    for number in range(3):
        idle: dict[str, Any] = {"connections_max_idle_ms": -1} if number else {}
        scene.reads(number, end_ms, **idle, **QUIET)
    scene.until(end_ms + 20 * SECOND)
    for number in (1, 2):
        sockets = scene.lab.sockets(scene.lives[number][0])
        at_ms = min(socket.opened_at_ms for socket in sockets if socket.role == "bootstrap")
        scene.key(
            "zombie sockets", (number,), at_ms + 9 * MINUTE, end_ms, "connections.max.idle.ms is -1"
        )


@scene_of(SCENES, partitions=6)
def skewed_key(scene: Scene) -> None:
    """Nine of ten records have the same key, so one partition gets nearly all of them."""
    end_ms = 2 * MINUTE
    chance = scene.chance
    often = lambda n: "everybody" if chance.random() < 0.9 else f"customer {chance.randrange(1000)}"
    scene.sends(0, end_ms, 400, key=often)
    scene.sends(1, end_ms, 800, key=lambda n: f"customer {chance.randrange(1000)}")
    scene.reads(2, end_ms)
    scene.until(end_ms + 5 * SECOND)
    scene.key("skewed key", (0,), 0, end_ms, "nine of ten records have one key")


@scene_of(SCENES, partitions=None)
def slow_broker(scene: Scene) -> None:
    """One broker answers PRODUCE and METADATA much later than the others for a minute."""
    end_ms = 3 * MINUTE
    # Consecutive seeds give copies different brokers.
    slow = scene.seed % scene.brokers
    late_ms = 900 + scene.chance.randrange(1_200)
    for number in range(3):
        scene.sends(number, end_ms, 700, partition=lambda n: n % scene.brokers)
    scene.until(40 * SECOND)
    first_ms = scene.lab.now_ms
    scene.lab.broker(slow).delay("PRODUCE", late_ms)
    scene.until(first_ms + MINUTE + scene.chance.randrange(20 * SECOND))
    scene.lab.broker(slow).delay("PRODUCE", 0)
    told = f"broker {slow} answered {late_ms} ms late"
    scene.key("slow broker", range(3), first_ms, scene.lab.now_ms, told, broker=slow)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES)
def coordinator_lost(scene: Scene) -> None:
    """The broker that coordinates the group dies, and comes back."""
    end_ms = 2 * MINUTE
    for number in range(3):
        scene.reads(number, end_ms)
    scene.until(30 * SECOND + scene.chance.randrange(10 * SECOND))
    first_ms = scene.lab.now_ms
    scene.lab.broker(scene.coordinator).crash()
    scene.until(first_ms + 8 * SECOND + scene.chance.randrange(8 * SECOND))
    scene.lab.broker(scene.coordinator).restart()
    told = f"broker {scene.coordinator} died"
    scene.key("coordinator lost", range(3), first_ms, scene.lab.now_ms + 10 * SECOND, told)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES, **KEEPS_LITTLE)
def retention_bites(scene: Scene) -> None:
    """A consumer stops for longer than the topic's retention: records that it has not read are
    deleted.
    """
    end_ms = 3 * MINUTE
    scene.sends(1, end_ms, 250, partition=lambda n: n % 4)
    late = scene.subscribed(scene.consumer(0, enable_auto_commit=True, max_poll_records=20))
    stands_ms = 60_000 + scene.chance.randrange(20_000)

    def app(lab: Lab) -> None:
        polls_until(lab, late, 30 * SECOND)
        paused = late.assignment()
        late.pause(paused)
        polls_until(lab, late, lab.now_ms + stands_ms)
        told = f"read nothing for {stands_ms} ms, kept are 20000"
        scene.key("retention bites", (0,), lab.now_ms, lab.now_ms + 30 * SECOND, told)
        late.resume(paused)
        polls_until(lab, late, end_ms)
        late.close()

    scene.lab.spawn(app, name=late.name)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES)
def auto_commit_duplicates(scene: Scene) -> None:
    """A member that commits every fifteen seconds is killed in between.

    The next owner reads the uncommitted records again.
    """
    end_ms = 2 * MINUTE
    scene.sends(2, end_ms - 10 * SECOND, 300, partition=lambda n: n % 4)
    for number in range(2):
        scene.reads(number, end_ms, auto_commit_interval_ms=15_000, **SOON_DEAD)
    # The last commit was at 51 s or so.
    scene.until(57 * SECOND + scene.chance.randrange(6 * SECOND))
    first_ms = scene.lab.now_ms
    scene.lab.kill(scene.lives[0][0])
    told = "killed between two commits"
    scene.key("auto-commit duplicates", (0, 1), first_ms, first_ms + 30 * SECOND, told)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES, **LEAVES_ISR_SOON)
def flapping_isr(scene: Scene) -> None:
    """The followers of a topic leave and enter its ISR again and again; with acks=all writes
    fail.
    """
    end_ms = 3 * MINUTE
    # A follower that lacks nothing never leaves the ISR. So one producer writes first and waits.
    # Later producers are refused while the ISR is too small.
    for number in range(3):
        scene.until(4_000 * min(number, 1))
        scene.sends(number, end_ms, 5_000, partition=lambda n: 0, acks="all")
    scene.until(34 * SECOND + 500)
    first_ms = scene.lab.now_ms
    leader = scene.lab.leader(scene.topic, 0)
    followers = [broker for broker in range(3) if broker != leader]
    times = 3 + scene.chance.randrange(3)
    for _ in range(times):
        for follower in followers:
            scene.lab.broker(follower).pause(7_000 + scene.chance.randrange(1_500))
        last_ms = scene.lab.now_ms + 10 * SECOND
        scene.until(scene.lab.now_ms + 20 * SECOND)
    told = f"both followers fell behind {times} times"
    scene.key("flapping isr", (1, 2), first_ms, last_ms, told)
    scene.until(end_ms + 5 * SECOND)


@scene_of(SCENES)
def bad_deploy(scene: Scene) -> None:
    """All members restart in a new build, which exceeds max.poll.interval.ms in one batch of
    four.
    """
    end_ms = 3 * MINUTE + 30 * SECOND
    at_ms = 60 * SECOND + scene.chance.randrange(10 * SECOND)
    scene.sends(4, end_ms - 10 * SECOND, 300, partition=lambda n: n % 4)
    for number in range(4):
        scene.reads(number, at_ms + number * 800, commit=True, enable_auto_commit=False)
    scene.until(at_ms + 8 * SECOND)
    for number in range(4):
        scene.reads(
            number,
            end_ms,
            work_ms=lambda: 16_000 if scene.chance.random() < 0.25 else 500,
            commit=True,
            max_poll_interval_ms=12_000,
            enable_auto_commit=False,
        )
        scene.until(scene.lab.now_ms + 500)
    told = "since the restart one batch in four takes 16000 ms, allowed are 12000"
    scene.key("bad deploy", range(4), at_ms, end_ms, told)
    scene.until(end_ms + 40 * SECOND)
