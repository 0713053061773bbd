"""Plays the stories of a log set: one Kafka client, or an incident's clients, on a Lab.

Each story has a Lab of its own.

A story is played once for each version and variant. Its text has gaps for the names, which the
copies fill in (scripts.py). The simulator's sockets, groups and incidents are the story's truth.
Incidents are in scenes.py.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.lines.layout import text_of
from kafkalab.logsets.generate import lookalikes, names, scenes
from kafkalab.logsets.generate.manifest import Manifest, ManifestError, Wanted
from kafkalab.logsets.generate.scenes import AnswerKey
from kafkalab.logsets.generate.scripts import Script, script
from kafkalab.logsets.generate.socket_times import SocketTimes

CLIENT, GROUP = names.client_mark(0), names.GROUP
TOPIC = "orders"
TOPICS = (
    "payments", "shipments", "returns", "invoices", "prices", "stock", "clicks", "visits", "carts",
    "reviews", "mails", "logins", "alerts", "sensors",
    "trips", "rides", "tickets", "claims", "accounts", "transfers", "quotes", "trades", "menus",
    "tables", "rooms", "parcels", "routes", "readings",
)  # fmt: skip
NOBODY = "localhost:9999"  # No broker listens there.
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
AFTER_MS = 60_000  # Times inside lines may be a little after the end.


@dataclass(frozen=True)
class StorySocket:
    """A socket as the simulator knows it, with times in milliseconds after the story's start."""

    node_id: str
    broker: int | None
    role: str
    opened_at_ms: int
    closed_at_ms: int | None
    how: str | None


@dataclass(frozen=True)
class Member:
    """One client of a story: its lines, and the sockets of all its processes."""

    kind: str
    version: str
    in_group: bool
    script: Script
    sockets: tuple[StorySocket, ...]


@dataclass(frozen=True)
class GroupRebalance:
    """A rebalance of the story's group: the time of the new assignment, and the clients that caused
    it.
    """

    number: int
    at_ms: int
    because: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class PlayedStory:
    """A played story: its clients, the number of their UUIDs, and the truth about groups and
    incidents.

    brokers: what each of its brokers wrote, where the manifest asks for it.
    """

    name: str
    version: str
    lasts_ms: int
    members: tuple[Member, ...]
    identities: int
    generations: tuple[GroupRebalance, ...] = ()
    keys: tuple[AnswerKey, ...] = ()
    brokers: tuple[Script, ...] = ()


class StoryLab:
    """A Lab with one topic, and the settings of one client."""

    def __init__(self, manifest: Manifest, version: str, seed: int):
        self.manifest, self.version = manifest, version
        self.lab = Lab(
            brokers=manifest.brokers,
            seed=seed,
            version=version,
            epoch=manifest.start,
            gaps=manifest.gaps,
        )
        leaders = list(range(manifest.brokers))
        topics = manifest.topics or {TOPIC: manifest.brokers}
        self.topic = sorted(topics)[random.Random(seed + 2).randrange(len(topics))]
        self.partitions = topics[self.topic]
        self.lab.create_topic(
            self.topic,
            partitions=self.partitions,
            leaders=[n % manifest.brokers for n in range(self.partitions)],
        )
        self.lab.place_coordinator(GROUP, random.Random(seed).choice(leaders))
        self.servers = [f"localhost:{9092 + random.Random(seed + 1).choice(leaders)}"]

    def consumer(self, **settings: object) -> KafkaConsumer:
        own: dict[str, object] = {
            "client.id": CLIENT,
            "group.id": GROUP,
            "bootstrap.servers": ",".join(self.servers),
        }
        own |= dict(self.manifest.config.get("consumer", {})) | names.with_dots(settings)
        return KafkaConsumer(
            self.lab,
            {k: v for k, v in own.items() if v is not None},
            version=self.version,
            name="client",
        )

    def producer(self, **settings: object) -> KafkaProducer:
        own: dict[str, object] = {"client.id": CLIENT, "bootstrap.servers": ",".join(self.servers)}
        own |= dict(self.manifest.config.get("producer", {})) | names.with_dots(settings)
        return KafkaProducer(self.lab, own, version=self.version, name="client")

    def poll_until(self, consumer: KafkaConsumer, share: float = 1.0) -> None:
        while self.lab.now_ms < share * self.manifest.duration_ms:
            consumer.poll(timeout_ms=min(5_000, self.manifest.duration_ms))

    def send_until(
        self, producer: KafkaProducer, share: float = 1.0, every_ms: int = 20_000
    ) -> None:
        while self.lab.now_ms < share * self.manifest.duration_ms:
            for partition in range(self.partitions):
                order = f"order {self.lab.now_ms}"
                producer.send(ProducerRecord(self.topic, value=order, partition=partition))
            self.lab.run_for(ms=every_ms)


def consumer(play: StoryLab) -> None:
    """Subscribes and polls: one bootstrap socket that idles out, one to the coordinator,
    one to each leader."""
    client = play.consumer()
    client.subscribe([play.topic])
    play.poll_until(client)


def zombie_consumer(play: StoryLab) -> None:
    """Subscribes and polls, but never closes an idle socket: the bootstrap socket stays open."""
    client = play.consumer(connections_max_idle_ms=-1)
    client.subscribe([play.topic])
    play.poll_until(client)


def closed_consumer(play: StoryLab) -> None:
    """Is closed after two thirds of the time."""
    client = play.consumer()
    client.subscribe([play.topic])
    play.poll_until(client, share=2 / 3)
    client.close()


def standalone_consumer(play: StoryLab) -> None:
    """Assigns itself all partitions and has no group and no coordinator."""
    client = play.consumer(group_id=None)
    client.assign([TopicPartition(play.topic, partition) for partition in range(play.partitions)])
    play.poll_until(client)


def misled_consumer(play: StoryLab) -> None:
    """The first of its two bootstrap servers refuses the connection."""
    play.servers.insert(0, NOBODY)
    client = play.consumer()
    client.subscribe([play.topic])
    play.poll_until(client)


def shaken_consumer(play: StoryLab) -> None:
    """One broker dies for half a minute: its socket is closed by the peer,
    and tried again and again."""
    client = play.consumer()
    client.subscribe([play.topic])
    play.poll_until(client, share=0.4)
    lost = next(
        broker
        for broker in range(play.manifest.brokers)
        if broker != play.lab.coordinator_of(GROUP)
    )
    play.lab.broker(lost).crash()
    until_ms = play.lab.now_ms + 30_000
    while play.lab.now_ms < until_ms:
        client.poll(timeout_ms=1_000)
    play.lab.broker(lost).restart()
    play.poll_until(client)


def busy_consumer(play: StoryLab) -> None:
    """Fetches again after each answer, twenty times a second: it can write most lines of a set."""
    client = play.consumer(fetch_max_wait_ms=50)
    client.subscribe([play.topic])
    play.poll_until(client)


def producer(play: StoryLab) -> None:
    """Sends to every partition now and then: one bootstrap socket that idles out,
    one to each leader."""
    client = play.producer()
    play.send_until(client)


def zombie_producer(play: StoryLab) -> None:
    """Sends to every partition now and then, and never closes an idle socket."""
    client = play.producer(connections_max_idle_ms=-1)
    play.send_until(client)


def closed_producer(play: StoryLab) -> None:
    """Is closed halfway."""
    client = play.producer()
    play.send_until(client, share=0.5)
    client.close()


STORIES: Mapping[str, Callable[[StoryLab], None]] = {
    story.__name__: story
    for story in (
        consumer, zombie_consumer, closed_consumer, standalone_consumer, misled_consumer,
        shaken_consumer, busy_consumer,
        producer, zombie_producer, closed_producer,
    )
}  # fmt: skip


def play_story(manifest: Manifest, want: Wanted, variant: int) -> PlayedStory:
    """Play one story on the simulator. Raises ManifestError for an unknown story."""
    if want.is_incident:
        return _scene(manifest, want, variant)
    if want.story not in STORIES:
        raise ManifestError(f"There is no story {want.story}; there are {', '.join(STORIES)}.")
    play = StoryLab(manifest, want.version, seed=manifest.seed * 1_000 + variant)
    STORIES[want.story](play)
    kind = "producer" if want.story.endswith("producer") else "consumer"
    identities: dict[str, int] = {}
    member = _member(manifest, play.lab, kind, ["client"], identities, play.servers, in_group=None)
    brokers = _broker_scripts(manifest, play.lab, identities)
    return PlayedStory(
        want.story,
        want.version,
        manifest.duration_ms,
        (member,),
        len(identities),
        _generations(play.lab),
        brokers=brokers,
    )


def _scene(manifest: Manifest, want: Wanted, variant: int) -> PlayedStory:
    known = {**scenes.SCENES, **lookalikes.LOOKALIKES}
    if want.story not in known:
        raise ManifestError(f"There is no incident {want.story}; there are {', '.join(known)}.")
    place = want.first + variant
    # The seed differs from the stories' and from every other incident's.
    seed = manifest.seed * 1_000 + 500 + place if want.seed is None else want.seed + variant
    scene = known[want.story](want.version, seed, _topic_of(manifest, place), manifest)
    identities: dict[str, int] = {}
    members = tuple(
        _member(
            manifest,
            scene.lab,
            scene.kinds[number],
            scene.lives[number],
            identities,
            ["localhost:9092"],
            in_group=scene.kinds[number] == "consumer",
        )
        for number in sorted(scene.lives)
    )
    brokers = _broker_scripts(manifest, scene.lab, identities)
    scene.lab.close()
    return PlayedStory(
        want.story,
        want.version,
        scene.lab.now_ms,
        members,
        len(identities),
        _generations(scene.lab),
        tuple(scene.keys),
        brokers,
    )


def _topic_of(manifest: Manifest, place: int) -> str:
    """The topic of the incident at that index in the manifest.

    Its name gives no hint of the incident, and no other client of the set uses it.
    """
    taken = {TOPIC, *(manifest.topics or {})}
    words = [word for word in TOPICS if not any(name.startswith(word) for name in taken)] or [
        max(taken, key=len) + "-too"
    ]
    count = sum(want.copies for want in manifest.wanted if want.is_incident)
    number = random.Random(manifest.seed).sample(range(count), count)[place]
    again = number // len(words)
    return words[number % len(words)] + (f"-{again}" if again else "")


def _member(
    manifest: Manifest,
    lab: Lab,
    kind: str,
    lives: list[str],
    identities: dict[str, int],
    servers: list[str],
    in_group: bool | None,
) -> Member:
    """The client with these processes."""
    spots = _written(manifest.levels, lab, lives)
    scripted = _script(manifest, lab, spots, identities)
    if in_group is None:
        in_group = any(GROUP in text for _, text in spots)
    sockets = tuple(
        sorted(
            (socket for life in lives for socket in _sockets(lab, life, servers)),
            key=lambda socket: socket.opened_at_ms,
        )
    )
    return Member(kind, lab.version, in_group, scripted, sockets)


def _broker_scripts(manifest: Manifest, lab: Lab, identities: dict[str, int]) -> tuple[Script, ...]:
    """What each broker of the lab wrote, by its id. Nothing where no broker's log is wanted."""
    if not manifest.broker_logs:
        return ()
    found = []
    for broker in sorted(lab.cluster.brokers):
        spots = [
            (row.at_ms - lab.epoch_ms, text_of(row))
            for row in lab.server_rows(broker)
            if _is_written(manifest.levels, row.logger, row.level)
        ]
        found.append(_script(manifest, lab, spots, identities))
    return tuple(found)


def _script(
    manifest: Manifest, lab: Lab, spots: list[tuple[int, str]], identities: dict[str, int]
) -> Script:
    last_ms = manifest.duration_ms + AFTER_MS
    return script(spots, lab.epoch_ms, last_ms, manifest.client_room, identities)


def _written(levels: Mapping[str, str], lab: Lab, lives: list[str]) -> list[tuple[int, str]]:
    """(at_ms, text) of each line of these clients that log4j writes at these levels."""
    found, known = [], {}
    for event in lab.line_events():
        if event.who in lives:
            # Most lines are TRACE or DEBUG: the text of one that nobody writes is never made.
            place = event.shared("logger"), event.shared("level")
            if place not in known:
                known[place] = _is_written(levels, *place)
            if known[place]:
                found.append((event.at_ms, lab.line_text(event)))
    return found


def _is_written(levels: Mapping[str, str], logger: str, level: str) -> bool:
    while logger not in levels:
        logger = logger.rpartition(".")[0]
    return LEVELS.index(level) >= LEVELS.index(levels[logger])


def _sockets(lab: Lab, client: str, servers: list[str]) -> list[StorySocket]:
    """The lab's sockets, at the times that lines tell. A bootstrap socket gets the broker that
    listens at its address."""
    found, told = [], SocketTimes(lab, client)
    for socket in lab.sockets(client):
        broker = socket.broker
        if socket.role == "bootstrap":
            port = int(servers[-1 - int(socket.node_id)].rpartition(":")[2])
            broker = port - 9092 if port < 9999 else None
        found.append(
            StorySocket(
                str(socket.node_id),
                broker,
                socket.role,
                told.opened_ms(socket.event_id, socket.opened_at_ms),
                told.closed_ms(socket.event_id, socket.node_id, socket.closed_at_ms),
                socket.how,
            )
        )
    return found


def _generations(lab: Lab) -> tuple[GroupRebalance, ...]:
    """The rebalances of the group, each with the members that joined or left since the one
    before.
    """
    found, because, owner = [], [], {}
    for event in lab.journal.of("group.member", "group.left", "group.removed", "group.assigned"):
        told = event.fields
        if told["group"] != GROUP:
            continue
        if event.kind == "group.member":
            owner[told["member"]] = names.number_of(told["client_id"][0])
            because.append(("joined", owner[told["member"]]))
        elif event.kind == "group.assigned":
            found.append(GroupRebalance(told["generation"], event.at_ms, tuple(because)))
            because = []
        else:
            because.append((event.kind.removeprefix("group."), owner.get(told["member"], 0)))
    return tuple(found)
