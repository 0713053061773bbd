"""The small random stories on which the laws are checked. Each draws its clients and its faults
from the seed's own streams.

A story's clients name their records `who:number`, so that every record is found again in every log.
They note in the journal what no machine can know (`note`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import (
    IllegalStateException,
    InvalidProducerEpochException,
    KafkaException,
    ProducerFencedException,
)
from kafkalab.lab import Lab
from kafkalab.proof.laws.faults import TOPIC, Fault, Menu, draw
from kafkalab.proof.laws.laws import Scope
from kafkalab.proof.laws.reading import note
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.releases import broker_profile, newest, releases_with
from kafkalab.releases.lineage import BROKER_NAMES, NEWEST_BROKER, since
from kafkalab.sim.rng import Streams

GROUP = "inventory"
VERSIONS = ("2.3", "2.8", "3.9", newest())
"""The client releases that most stories draw from."""
FAULTS_END_MS = 5_500
"""Every fault is over by then. The time after it is for recovery and for the last reader."""
QUICK_BROKERS: dict[str, int] = {
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1_000,
    "min.insync.replicas": 2,
    "replica.lag.time.max.ms": 800,
    "replica.fetch.wait.max.ms": 100,
    "replica.fetch.backoff.ms": 200,
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 500,
}
QUICK_MEMBERS = {
    "group.consumer.session.timeout.ms": 1_500,
    "group.consumer.heartbeat.interval.ms": 400,
    "group.consumer.assignment.interval.ms": 100,
}
"""What a member of the new protocol is told by its broker (KIP-848)."""
BROKER_SESSION_MS = 600
ZOOKEEPER_SESSIONS = {"zookeeper.session.timeout.ms": BROKER_SESSION_MS}
QUORUM_SESSIONS = {
    "broker.session.timeout.ms": BROKER_SESSION_MS,
    "broker.heartbeat.interval.ms": 200,
    **QUICK_MEMBERS,
}
"""How soon a dead broker is noticed."""
QUICK_PRODUCER = {
    "request.timeout.ms": 1_500,
    "delivery.timeout.ms": 6_000,
    "linger.ms": 0,
    "metadata.max.age.ms": 3_000,
    "max.block.ms": 4_000,
}
MAX_BLOCK_MS = QUICK_PRODUCER["max.block.ms"]
QUICK_CONSUMER: dict[str, Any] = {
    "session.timeout.ms": 1_500,
    "heartbeat.interval.ms": 400,
    "max.poll.interval.ms": 2_500,
    "request.timeout.ms": 2_000,
    "auto.offset.reset": "earliest",
    "fetch.max.wait.ms": 500,
    "metadata.max.age.ms": 3_000,
    "default.api.timeout.ms": 3_000,
}


THE_BROKERS_IN_KIP_848 = ("session.timeout.ms", "heartbeat.interval.ms")

NO_SETTINGS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StoryKind:
    """A kind of story.

    menu   what may go wrong in it
    people  builds the lab's people: people(lab, rng, story), with chance for the cast
    scope   the limits it keeps
    settings, topic  what brokers and the topic are given beyond what every story gives them
    group   the settings of who joins the group when all is over; None where the story has no group
    """

    name: str
    menu: Menu
    people: Callable[[Lab, random.Random, StoryKind], None]
    scope: Scope = Scope()
    broker_versions: Sequence[str] = BROKER_NAMES
    versions: Sequence[str] = VERSIONS
    acks: Sequence[str] = ("all",)
    settings: tuple[tuple[str, object], ...] = ()
    topic: tuple[tuple[str, object], ...] = ()
    group: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One seed's story before it begins: which, and what goes wrong in it."""

    seed: int
    story: StoryKind
    faults: tuple[Fault, ...]

    def without(self, faults: Sequence[Fault]) -> Run:
        return replace(self, faults=tuple(fault for fault in self.faults if fault not in faults))


def run_of(seed: int, stories: Sequence[StoryKind] | None = None) -> Run:
    """The story of a seed and its faults."""
    rng = Streams(seed).stream("laws/story")
    story = rng.choice(STORIES if stories is None else stories)
    return Run(seed, story, draw(Streams(seed).stream("laws/faults"), story.menu))


def play_run(run: Run) -> Lab:
    """Plays the story from beginning to end and returns its lab with the whole journal."""
    rng = Streams(run.seed).stream("laws/cast")
    story = run.story
    version, release = rng.choice(story.versions), rng.choice(story.broker_versions)
    lab = Lab(
        brokers=3,
        seed=run.seed,
        version=version,
        broker_version=release,
        broker_config={
            **QUICK_BROKERS,
            **(QUORUM_SESSIONS if broker_profile(release).is_kraft else ZOOKEEPER_SESSIONS),
            **dict(story.settings),
        },
    )
    lab.create_topic(
        TOPIC, partitions=rng.randint(1, 2), replication_factor=3, config=dict(story.topic)
    )
    for fault in run.faults:
        fault.begin(lab)
    story.people(lab, rng, story)
    lab.run_for(ms=FAULTS_END_MS)
    come_to_life(lab, story)
    read_to_the_end(lab, "last reader")
    if any(event.fields.get("machine") == "transaction" for event in lab.journal.of("state")):
        read_to_the_end(lab, "last auditor", "read_committed")
    lab.close()
    return lab


# -- the people


def produce(
    lab: Lab,
    name: str,
    count: int,
    pause_ms: int,
    config: dict[str, object],
    keys: int | None = None,
) -> None:
    """Sends `count` records, one every `pause_ms` or so, waits for none, and in the end for all.
    keys: so many, in turn; None: a new one for each record."""
    rng = lab.streams.stream(f"{name}/habits")
    producer = KafkaProducer(lab, {**QUICK_PRODUCER, **config}, name=name)
    if config.get("enable.idempotence"):
        note(lab.journal, name, "idempotent")
    for number in range(count):
        if lab.now_ms >= FAULTS_END_MS:
            break
        try:
            producer.send(
                ProducerRecord(
                    TOPIC,
                    key=f"{name}:{number if keys is None else number % keys}",
                    value=f"tea {number}",
                )
            )
        except KafkaException:
            pass  # no metadata in time: this one was never sent
        lab.sleep(rng.randint(1, 2 * pause_ms))
    producer.flush()


def consume(lab: Lab, name: str, config: dict[str, object], lazy: float = 0.0) -> None:
    """Reads in the group, commits at random, and leaves at times. lazy: how often it works for
    longer than it may."""
    rng = lab.streams.stream(f"{name}/habits")
    while lab.now_ms < FAULTS_END_MS:
        who = lab.unused_name(name)
        consumer = KafkaConsumer(
            lab, {"group.id": GROUP, "client.id": who, **consumer_settings(config)}, name=who
        )
        consumer.subscribe([TOPIC])
        stays_ms = lab.now_ms + rng.randint(1_000, 4_000)
        while lab.now_ms < min(stays_ms, FAULTS_END_MS):
            try:
                consumer.poll(timeout_ms=rng.choice((100, 500)))
                whim = rng.random()
                if whim < 0.3:
                    consumer.commit_sync()
                elif whim < 0.6:
                    consumer.commit_async()
                elif whim < 0.7:
                    lab.sleep(rng.randint(10, 900))
                elif whim < 0.7 + lazy:
                    lab.sleep(rng.randint(3_700, 4_500))  # longer than max.poll.interval.ms
            except KafkaException:
                pass  # a lost membership, no coordinator in time: the next poll finds out
        consumer.close()


def consumer_settings(config: Mapping[str, object]) -> dict[str, object]:
    """A member's settings; in the new protocol the broker has session and heartbeat."""
    modern = config.get("group.protocol") == "consumer"
    return {
        **{
            key: value
            for key, value in QUICK_CONSUMER.items()
            if not modern or key not in THE_BROKERS_IN_KIP_848
        },
        **config,
    }


LONGEST_CALL_MS: int = max(
    QUICK_PRODUCER["delivery.timeout.ms"],
    QUICK_CONSUMER["default.api.timeout.ms"] + QUICK_CONSUMER["request.timeout.ms"],
    QUICK_CONSUMER["max.poll.interval.ms"] + QUICK_CONSUMER["session.timeout.ms"],
    MAX_BLOCK_MS,
)
"""How long a call may take that runs into its own timeout."""


def life_bound_ms(lab: Lab) -> int:
    """How long after the last fault everything may take to work again: a broker's session ends, its
    process is registered, its replicas catch up and join the ISR. During this time a call may run
    into its own timeout once, and the next call once more."""
    profile = lab.broker(0).profile
    session_ms = BROKER_SESSION_MS + profile.noticed_late_ms[1]
    back_ms = (
        profile.unfenced_after_ms[1]
        + profile.catches_up_ms[1]
        + 2 * QUICK_BROKERS["replica.lag.time.max.ms"]
    )
    return session_ms + back_ms + 2 * LONGEST_CALL_MS


def come_to_life(lab: Lab, story: StoryKind) -> None:
    """All faults are over: wait until everything lives again,
    then have somebody write and somebody join the group."""
    bound_ms, since_ms = life_bound_ms(lab), lab.now_ms
    lab.run_until(lambda: next(unfinished(lab), None) is None, timeout_ms=bound_ms)
    for what in unfinished(lab):
        note(
            lab.journal,
            "lab",
            "is not alive",
            sentence=f"{what}, {lab.now_ms - since_ms} ms after the last fault",
        )
    begin_ms = lab.now_ms
    probes = [lab.spawn(write_once_more, name="last writer")]
    if story.group is not None:
        probes.append(lab.spawn(join_once_more, story.group, bound_ms, name="last member"))
    lab.run_until(lambda: all(probe.done for probe in probes), timeout_ms=bound_ms)
    for probe in probes:
        if not (probe.done and probe.result):
            note(
                lab.journal,
                probe.name,
                "is not alive",
                sentence=(
                    f"the {probe.name} has not got through, {lab.now_ms - begin_ms} ms after it "
                    "began"
                ),
            )


def unfinished(lab: Lab) -> Iterator[str]:
    """What is not as it should be when all is quiet, a sentence each."""
    for app in lab.stage.apps:
        if not app.done:
            yield f"{app.name} still waits in a call"
    for id in lab.cluster.brokers:
        if not lab.broker(id).is_up:
            yield f"broker-{id} is down"
    for topic in lab.cluster.topics.values():
        for partition in topic.partitions:
            if partition.leader < 0 or len(partition.isr) < len(partition.replicas):
                yield (
                    f"of {topic.name}-{partition.index} only {list(partition.isr)} are in sync, "
                    f"and {partition.leader} leads"
                )
    if TOPIC not in lab.cluster.topics:
        yield f"there is no topic {TOPIC}"


def all_partitions(lab: Lab) -> list[TopicPartition]:
    """The partitions of the topic, as many as it has now."""
    return [
        TopicPartition(TOPIC, index) for index in range(len(lab.cluster.topics[TOPIC].partitions))
    ]


def write_once_more(lab: Lab) -> bool:
    """One record to each partition; says whether each was acknowledged."""
    producer = KafkaProducer(
        lab, {**QUICK_PRODUCER, "acks": "all", "enable.idempotence": False}, name="last writer"
    )
    written: list[bool] = []
    for _, index in all_partitions(lab):
        producer.send(
            ProducerRecord(TOPIC, key=f"last writer:{index}", value="tea", partition=index),
            callback=lambda metadata, error: written.append(error is None),
        )
    producer.flush()
    producer.close()
    return all(written) and bool(written)


def join_once_more(lab: Lab, config: Mapping[str, object], bound_ms: int) -> bool:
    """Join the group, get every partition, commit, and leave; says whether that went well."""
    member = KafkaConsumer(
        lab,
        {"group.id": GROUP, **consumer_settings(config), "enable.auto.commit": False},
        name="last member",
    )
    member.subscribe([TOPIC])
    until_ms, everything = lab.now_ms + bound_ms, len(all_partitions(lab))
    while lab.now_ms < until_ms:
        try:
            member.poll(timeout_ms=200)
            if len(member.assignment()) == everything:
                member.commit_sync()
                member.close()
                return True
        except KafkaException:
            pass
    return False


def read_to_the_end(lab: Lab, name: str, isolation: str = "read_uncommitted") -> None:
    """Somebody who belongs to no group reads everything that is there, when all is quiet."""
    note(lab.journal, name, "begins to read")
    partitions = all_partitions(lab)
    reader = KafkaConsumer(
        lab,
        {**QUICK_CONSUMER, "isolation.level": isolation, "enable.auto.commit": False},
        name=name,
    )
    reader.assign(partitions)
    if isolation == "read_committed":
        note(lab.journal, name, "reads committed")
    try:
        ends = reader.end_offsets(partitions)
        reader.seek_to_beginning(partitions)
        deadline_ms = lab.now_ms + 5_000
        while any(reader.position(tp) < ends[tp] for tp in partitions) and lab.now_ms < deadline_ms:
            reader.poll(timeout_ms=200)
        if all(reader.position(tp) >= ends[tp] for tp in partitions):
            note(
                lab.journal,
                name,
                "reads everything to the end"
                if isolation == "read_uncommitted"
                else "reads committed to the end",
            )
    except KafkaException as error:
        note(lab.journal, name, "cannot read", error=type(error).__name__)


# -- the stories


def writers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    for number in range(rng.randint(1, 2)):
        config = {
            "acks": rng.choice(story.acks),
            "enable.idempotence": rng.random() < 0.6 and story.acks == ("all",),
        }
        spawn_writer(lab, number, rng.randint(5, 14), rng.randint(50, 350), config)


def spawn_writer(lab: Lab, number: int, *habits: Any) -> None:
    """A writer of its own, with these habits of `produce`."""
    name = f"writer-{number}"
    lab.spawn(produce, name, *habits, name=name)


def group_readers(
    lab: Lab,
    rng: random.Random,
    story: StoryKind,
    lazy: float = 0.0,
    config: Mapping[str, object] = NO_SETTINGS,
    static: bool = False,
) -> None:
    """Two or three members of a group, and a writer. static: each has a group.instance.id."""
    lab.place_coordinator(GROUP, rng.randrange(3))
    for number in range(rng.randint(2, 3)):
        own = {"group.instance.id": f"reader-{number}"} if static else {}
        lab.spawn(
            consume,
            f"reader-{number}",
            {
                "enable.auto.commit": rng.random() < 0.5,
                "auto.commit.interval.ms": 1_500,
                **(story.group or {}),
                **config,
                **own,
            },
            lazy,
            name=f"reader-{number}",
        )
    spawn_writer(lab, 0, rng.randint(4, 8), 300, {"acks": "all"})


def slow_readers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """They refresh their metadata seldom: a LEAVE_GROUP that meets a refresh waits behind it
    until somebody polls again, in Kafka as here."""
    group_readers(lab, rng, story, lazy=0.25, config={"metadata.max.age.ms": 60_000})


def lazy_readers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    group_readers(lab, rng, story, lazy=0.1)


def static_readers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """Each has a name for ever (KIP-345); perhaps a second
    process comes up under the first one's."""
    group_readers(lab, rng, story, static=True)
    if rng.random() < 0.4:
        lab.spawn(namesake, rng.randint(500, 3_000), story.group or {}, name="namesake")


def namesake(lab: Lab, after_ms: int, config: Mapping[str, object]) -> None:
    lab.sleep(after_ms)
    consume(lab, "namesake", {**config, "group.instance.id": "reader-0"})


def dawdle(lab: Lab, name: str) -> None:
    """Belongs to no group and reads one record at a time, slowly,
    so that what it is to read next may be gone."""
    rng = lab.streams.stream(f"{name}/habits")
    config = {
        **QUICK_CONSUMER,
        "enable.auto.commit": False,
        "max.poll.records": 1,
        "max.partition.fetch.bytes": 100,
    }
    reader = KafkaConsumer(lab, config, name=name)
    reader.assign(all_partitions(lab))
    while lab.now_ms < FAULTS_END_MS:
        try:
            reader.poll(timeout_ms=200)
        except KafkaException:
            pass
        lab.sleep(rng.choice((10, 100, 900, 1_800)))


def keepers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """Writers of many records, a group that reads them, and somebody who dawdles.
    Brokers look soon for what may go."""
    for id in lab.cluster.brokers:
        lab.broker(id).machine.replicas.logs.first_look_ms = FIRST_LOOK_MS
    group_readers(lab, rng, story)
    for number in range(1, 3):
        spawn_writer(lab, number, rng.randint(20, 40), rng.randint(40, 100), {"acks": "all"})
    lab.spawn(dawdle, "dawdler", name="dawdler")


def rewriters(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """Writers who write the same few keys again and again, a group that reads them,
    and somebody who dawdles."""
    group_readers(lab, rng, story)
    config = {"acks": "all", "enable.idempotence": False}
    for number in range(1, 3):
        spawn_writer(lab, number, rng.randint(20, 40), rng.randint(40, 100), config, 3)
    lab.spawn(dawdle, "dawdler", name="dawdler")


def everybody(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """A group and a transactional producer."""
    group_readers(lab, rng, story)
    lab.place_transaction_coordinator("copier-0", rng.randrange(3))
    lab.spawn(transact, "copier-0", "copier-0", rng.randint(3, 6), name="copier-0")


def transact(lab: Lab, name: str, transactional_id: str, rounds: int, commits: float = 0.6) -> None:
    """Writes transaction after transaction; commits some, aborts some, and gives up where it is
    fenced or meets a fatal error."""
    rng = lab.streams.stream(f"{name}/habits")
    producer = KafkaProducer(
        lab,
        {
            **QUICK_PRODUCER,
            "transactional.id": transactional_id,
            "transaction.timeout.ms": 1_000,
            "client.id": name,
        },
        name=name,
    )
    note(lab.journal, name, "idempotent")
    try:
        producer.init_transactions()
        for number in range(rounds):
            if lab.now_ms >= FAULTS_END_MS:
                break
            producer.begin_transaction()
            keys: list[str] = []
            for _ in range(rng.randint(1, 3)):
                keys.append(f"{name}:{number}.{len(keys)}")
                note(lab.journal, name, "sends", key=keys[-1], transaction=number)
                producer.send(ProducerRecord(TOPIC, key=keys[-1], value="tea"))
                lab.sleep(rng.choice((0, 0, 20, 200)))
            if rng.random() < commits:
                note(lab.journal, name, "asks for commit", transaction=number)
                if _ended(producer.commit_transaction, producer):
                    note(lab.journal, name, "committed", keys=keys)
                else:
                    note(lab.journal, name, "aborted", transaction=number)
            else:
                _ended(producer.abort_transaction, producer)
            lab.sleep(rng.randint(1, 300))
    except (ProducerFencedException, InvalidProducerEpochException):
        note(lab.journal, name, "was fenced")
    except KafkaException:
        pass  # no coordinator in time, or a state from which only a new producer leads
    producer.close(timeout_ms=0)


def _ended(end: Callable[[], None], producer: KafkaProducer) -> bool:
    """Commit or abort; where a record came to nothing, abort what is left
    (as the javadoc of KafkaProducer shows)."""
    try:
        end()
        return True
    except (ProducerFencedException, InvalidProducerEpochException):
        raise
    except KafkaException as error:
        try:
            producer.abort_transaction()
        except IllegalStateException:
            # the call itself timed out: nobody knows how it ended, and only the same call again
            # would tell
            raise error from None
        return False


def read_committed(lab: Lab, name: str) -> None:
    """Belongs to no group, reads what is committed from the beginning,
    as long as the story goes."""
    partitions = all_partitions(lab)
    note(lab.journal, name, "reads committed")
    reader = KafkaConsumer(
        lab,
        {**QUICK_CONSUMER, "isolation.level": "read_committed", "enable.auto.commit": False},
        name=name,
    )
    reader.assign(partitions)
    reader.seek_to_beginning(partitions)
    while lab.now_ms < FAULTS_END_MS:
        try:
            reader.poll(timeout_ms=200)
        except KafkaException:
            pass


def copiers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """One or two transactional producers, perhaps a second one of the first's id,
    and somebody who reads what is committed."""
    for number in range(rng.randint(1, 2)):
        name = f"copier-{number}"
        lab.place_transaction_coordinator(name, rng.randrange(3))
        lab.spawn(transact, name, name, rng.randint(4, 9), name=name)
    if rng.random() < 0.5:
        lab.spawn(successor, rng.randint(500, 3_000), name="copier-0's successor")
    lab.spawn(read_committed, "auditor", name="auditor")


def successor(lab: Lab, after_ms: int) -> None:
    """Somebody starts a second process with the first one's transactional id,
    which fences the first."""
    lab.sleep(after_ms)
    transact(lab, "copier-0b", "copier-0", 4)


COPIERS = ("copier-0", "copier-1", "copier-0b")
TRANSACTION_FAULTS = (
    "crash",
    "stop",
    "freeze",
    "cut",
    "lose answer",
    "lose answer",
    "strand",
    "slow",
    "pause",
    "pause",
    "kill",
)
READERS = ("reader-0", "reader-1", "reader-2")
GROUP_FAULTS = ("crash", "stop", "freeze", "cut", "slow", "pause", "pause", "kill")
DISK_FAULTS = ("full disk", "full disk", "crash", "slow", "cut", "pause")
KEEPING_FAULTS = ("crash", "stop", "freeze", "island", "cut", "slow", "pause", "pause")
TOPIC_FAULTS = ("widen", "widen", "remake", "remake", "crash", "freeze", "cut", "slow", "pause")
FIRST_LOOK_MS = 200
"""log.initial.task.delay.ms, which Kafka has for its own tests:
half a minute would be longer than a story."""
KEEPING = (("log.retention.check.interval.ms", 400), ("log.cleaner.backoff.ms", 300))
SHORT = (("internal.segment.bytes", 300), ("retention.ms", 1_200), ("retention.bytes", 900))
COMPACT = (
    ("cleanup.policy", "compact"),
    ("internal.segment.bytes", 300),
    ("min.cleanable.dirty.ratio", 0.01),
)
BY_HAND = (("auto.create.topics.enable", False),)
MODERN = MappingProxyType({"group.protocol": "consumer"})
NEWEST: Mapping[str, Any] = MappingProxyType(
    {"versions": since("4.0"), "broker_versions": (NEWEST_BROKER,)}
)
"""Who speaks KIP-848."""
WITH_VERSION_2 = releases_with(lambda profile: profile.transacting.speaks_transaction_v2)
"""Clients that speak transaction.version 2 (KIP-890)."""

ISLAND_TOO = Menu((*GROUP_FAULTS, "island"), READERS)
GROUPS = StoryKind("groups", Menu(GROUP_FAULTS, READERS), group_readers, group=NO_SETTINGS)
STATIC = replace(GROUPS, name="static members", people=static_readers)
FULL_DISKS = StoryKind(
    "full disks",
    Menu(DISK_FAULTS, (*READERS, "writer-0", "copier-0")),
    everybody,
    Scope(verifies=False),
    group=NO_SETTINGS,
)
RETENTION = StoryKind(
    "retention",
    Menu(KEEPING_FAULTS, (*READERS, "dawdler", "writer-1")),
    keepers,
    group=NO_SETTINGS,
    settings=KEEPING,
    topic=SHORT,
)
TOPIC_CHANGES = StoryKind(
    "topic changes",
    Menu(TOPIC_FAULTS, (*READERS, "writer-0")),
    group_readers,
    group=NO_SETTINGS,
    settings=BY_HAND,
)


def kip_848(story: StoryKind, **other: Any) -> StoryKind:
    """The same story with members of the new protocol, and what else is another."""
    return replace(story, name=f"{story.name}, KIP-848", group=MODERN, **NEWEST, **other)


STORIES = (
    StoryKind(
        "copies",
        Menu(
            (
                "crash",
                "crash",
                "stop",
                "freeze",
                "island",
                "island",
                "cut",
                "lose answer",
                "lose answer",
                "slow",
                "kill",
            ),
            ("writer-0", "writer-1"),
        ),
        writers,
    ),
    GROUPS,
    StoryKind(
        "slow readers",
        Menu(("slow", "pause"), READERS, most=2, longest_ms=600),
        slow_readers,
        group=NO_SETTINGS,
    ),
    StoryKind(
        "transactions",
        Menu(TRANSACTION_FAULTS, COPIERS),
        copiers,
        Scope(verifies=False),
        versions=[release for release in VERSIONS if release not in WITH_VERSION_2],
    ),
    StoryKind(
        "transactions, version 2",
        Menu(TRANSACTION_FAULTS, COPIERS),
        copiers,
        versions=WITH_VERSION_2,
        broker_versions=[
            release for release in BROKER_NAMES if broker_profile(release).transaction_version >= 2
        ],
    ),
    kip_848(GROUPS, menu=ISLAND_TOO, people=lazy_readers),
    STATIC,
    kip_848(STATIC, menu=ISLAND_TOO),
    FULL_DISKS,
    kip_848(FULL_DISKS, scope=Scope()),
    RETENTION,
    kip_848(RETENTION),
    replace(
        RETENTION, name="compaction", people=rewriters, scope=Scope(compacts=True), topic=COMPACT
    ),
    TOPIC_CHANGES,
    kip_848(TOPIC_CHANGES),
)
