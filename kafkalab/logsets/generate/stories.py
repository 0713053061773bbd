"""What did a client live through? Each story is one client on a Lab of its own, from its first line to the end of the set.

A story is told once for each version and seed, in text with gaps: client id and group id are single private characters, which the
copies replace by names of their own. What the simulator knew of the sockets is the story's truth.
"""
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.logsets.generate.manifest import Manifest, ManifestError

# Unicode's private use area: no client writes these.
CLIENT, GROUP = "\ue000", "\ue001"
IDENTITIES = "\ue010\ue011"  # UUIDs in the text: member ids. A copy is another member.
TOPIC = "orders"
NOBODY = "localhost:9999"  # Nothing listens there.
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
JITTER_MS = 3


@dataclass(frozen=True)
class Spot:
    """One line of a story: `text` from the level on, at `at_ms` after the client's start; `room_ms`: how much later it could be."""

    at_ms: int
    room_ms: int
    text: str


@dataclass(frozen=True)
class StorySocket:
    """A socket as the simulator knew it; times in milliseconds after the client's start."""

    node_id: str
    broker: int | None
    role: str
    opened_at_ms: int
    closed_at_ms: int | None
    how: str | None


@dataclass(frozen=True)
class Story:
    name: str
    version: str
    kind: str
    lines: tuple[Spot, ...]
    sockets: tuple[StorySocket, ...]

    @property
    def in_group(self) -> bool:
        return any(GROUP in line.text for line in self.lines)


class Play:
    """A Lab with a topic that every broker leads a part of, and the settings of one client."""

    def __init__(self, manifest: Manifest, version: str, seed: int):
        self.manifest, self.version = manifest, version
        self.lab = Lab(brokers=manifest.brokers, seed=seed, version=version, epoch=manifest.start)
        leaders = list(range(manifest.brokers))
        self.lab.create_topic(TOPIC, partitions=manifest.brokers, leaders=leaders)
        self.lab.place_coordinator(GROUP, random.Random(seed).choice(leaders))
        self.servers = [f"localhost:{9092 + random.Random(seed + 1).choice(leaders)}"]

    def consumer(self, **settings) -> KafkaConsumer:
        own = {"client.id": CLIENT, "group.id": GROUP, "bootstrap.servers": ",".join(self.servers)}
        own |= self.manifest.config.get("consumer", {}) | {key.replace("_", "."): value for key, value in settings.items()}
        return KafkaConsumer(self.lab, {k: v for k, v in own.items() if v is not None}, version=self.version, name="client")

    def producer(self, **settings) -> KafkaProducer:
        own = {"client.id": CLIENT, "bootstrap.servers": ",".join(self.servers)}
        own |= self.manifest.config.get("producer", {}) | {key.replace("_", "."): value for key, value in settings.items()}
        return KafkaProducer(self.lab, own, version=self.version, name="client")

    def poll_until(self, consumer: KafkaConsumer, share: float = 1.0) -> None:
        while self.lab.now_ms < share * self.manifest.duration_ms:
            consumer.poll(timeout_ms=min(5_000, self.manifest.duration_ms))

    def send_until(self, producer: KafkaProducer, share: float = 1.0, every_ms: int = 20_000) -> None:
        while self.lab.now_ms < share * self.manifest.duration_ms:
            for partition in range(self.manifest.brokers):
                producer.send(ProducerRecord(TOPIC, value=f"order {self.lab.now_ms}", partition=partition))
            self.lab.run_for(ms=every_ms)


def consumer(play: Play) -> None:
    """Subscribes and polls: one bootstrap socket that idles out, one to the coordinator, one to each leader."""
    client = play.consumer()
    client.subscribe([TOPIC])
    play.poll_until(client)


def zombie_consumer(play: Play) -> None:
    """The same, but told never to close an idle socket: the bootstrap socket stays, of no use to anybody."""
    client = play.consumer(connections_max_idle_ms=-1)
    client.subscribe([TOPIC])
    play.poll_until(client)


def closed_consumer(play: Play) -> None:
    """Is closed after two thirds of the time."""
    client = play.consumer()
    client.subscribe([TOPIC])
    play.poll_until(client, share=2 / 3)
    client.close()


def standalone_consumer(play: Play) -> None:
    """Assigns itself all partitions and has no group: nobody coordinates it."""
    client = play.consumer(group_id=None)
    client.assign([TopicPartition(TOPIC, partition) for partition in range(play.manifest.brokers)])
    play.poll_until(client)


def misled_consumer(play: Play) -> None:
    """The first of its two bootstrap servers refuses."""
    play.servers.insert(0, NOBODY)
    client = play.consumer()
    client.subscribe([TOPIC])
    play.poll_until(client)


def shaken_consumer(play: Play) -> None:
    """One broker dies for half a minute: its socket is closed by the peer, and tried again and again."""
    client = play.consumer()
    client.subscribe([TOPIC])
    play.poll_until(client, share=0.4)
    lost = next(broker for broker in range(play.manifest.brokers) if broker != play.lab.coordinator_of(GROUP))
    play.lab.broker(lost).crash()
    until_ms = play.lab.now_ms + 30_000
    while play.lab.now_ms < until_ms:
        client.poll(timeout_ms=1_000)
    play.lab.broker(lost).restart()
    play.poll_until(client)


def producer(play: Play) -> None:
    """Sends to every partition now and then: one bootstrap socket that idles out, one to each leader."""
    client = play.producer()
    play.send_until(client)


def zombie_producer(play: Play) -> None:
    """The same, and never closes an idle socket."""
    client = play.producer(connections_max_idle_ms=-1)
    play.send_until(client)


def closed_producer(play: Play) -> None:
    """Is closed halfway."""
    client = play.producer()
    play.send_until(client, share=0.5)
    client.close()


STORIES: Mapping[str, Callable[[Play], None]] = {
    story.__name__: story
    for story in (
        consumer, zombie_consumer, closed_consumer, standalone_consumer, misled_consumer, shaken_consumer,
        producer, zombie_producer, closed_producer,
    )
}  # fmt: skip


def tell(manifest: Manifest, name: str, version: str, variant: int) -> Story:
    """Play one story on the simulator. Raises ManifestError for a story nobody knows."""
    if name not in STORIES:
        raise ManifestError(f"There is no story {name}; there are {', '.join(STORIES)}.")
    play = Play(manifest, version, seed=manifest.seed * 1_000 + variant)
    STORIES[name](play)
    kind = "producer" if name.endswith("producer") else "consumer"
    return Story(name, version, kind, tuple(_lines(play)), tuple(_sockets(play)))


def _lines(play: Play) -> Iterator[Spot]:
    epoch = len(f"[{play.manifest.start},000] ")
    identities: dict[str, str] = {}

    def identity(found: re.Match) -> str:
        return identities.setdefault(found[0], IDENTITIES[min(len(identities), len(IDENTITIES) - 1)])

    rows = play.lab.lines()
    wanted = [_is_written(play.manifest.levels, *row) for row in zip(rows["logger"], rows["level"])]
    rows = rows[wanted]
    times = rows["at_ms"].tolist()
    for at_ms, after_ms, level, text in zip(times, [*times[1:], times[-1] if times else 0], rows["level"], rows["text"]):
        # Only TRACE lines waver: the truth has the times of the others.
        room_ms = min(JITTER_MS, after_ms - at_ms) if level == "TRACE" else 0
        yield Spot(at_ms, room_ms, UUID.sub(identity, text[epoch:].removesuffix("\n")))


def _is_written(levels: Mapping[str, str], logger: str, level: str) -> bool:
    while logger not in levels:
        logger = logger.rpartition(".")[0]
    return LEVELS.index(level) >= LEVELS.index(levels[logger])


def _sockets(play: Play) -> Iterator[StorySocket]:
    """The lab's sockets; a bootstrap socket leads to the broker that listens at the address."""
    listening = {f"localhost:{9092 + broker}": broker for broker in range(play.manifest.brokers)}
    for socket in play.lab.sockets("client"):
        broker = socket.broker
        if socket.role == "bootstrap":
            broker = listening.get(play.servers[-1 - int(socket.node_id)])
        yield StorySocket(str(socket.node_id), broker, socket.role, socket.opened_at_ms, socket.closed_at_ms, socket.how)
