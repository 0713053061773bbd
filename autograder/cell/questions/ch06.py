# Generated from notebooks/exercises/06; edit those files and run
# `python -m autograder course 06`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 06's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")


# %% 06.1
import itertools
from collections import Counter
from random import Random
from types import SimpleNamespace

from autograder.cell.kinds import Function
from kafkalab import KafkaException, KafkaProducer, Lab, ProducerRecord


def asked(title: str, known: tuple | None, batch: tuple) -> dict:
    """One batch before a leader. known: (epoch, its last batches), or None; batch:
    (epoch, first, last)."""
    return {
        "case": title,
        "known": None if known is None else [known[0], [list(pair) for pair in known[1]]],
        "batch": list(batch),
    }


FIVE = ((10, 12), (13, 13), (14, 19), (20, 20), (21, 24))
BATCHES = (
    asked("a producer nobody knows", None, (0, 0, 3)),
    asked("a producer nobody knows, in the middle of its numbers", None, (0, 40, 41)),
    asked("the next one", (0, ((0, 3),)), (0, 4, 6)),
    asked("the last one once more", (0, ((0, 3), (4, 6))), (0, 4, 6)),
    asked("the oldest that is remembered, once more", (2, FIVE), (2, 10, 12)),
    asked("older than what is remembered", (2, FIVE), (2, 7, 9)),
    asked("one is missing in between", (2, FIVE), (2, 28, 30)),
    asked("it begins like the last one and is longer", (2, FIVE), (2, 21, 25)),
    asked("an old epoch", (3, ((0, 0),)), (2, 25, 25)),
    asked("an old epoch, and the number would fit", (3, ((0, 4),)), (2, 5, 5)),
    asked("a zombie repeats a batch that is remembered", (3, FIVE), (2, 13, 13)),
    asked("a new epoch begins at 0", (2, FIVE), (3, 0, 1)),
    asked("a new epoch does not begin at 0", (2, FIVE), (3, 25, 25)),
    asked("a marker alone has raised the epoch", (4, ()), (4, 0, 0)),
)
STORIES = (
    {"case": "answers are lost", "seed": 1, "story": "answers"},
    {"case": "the first batch is refused, the next are not", "seed": 6, "story": "gap"},
    {"case": "a zombie writes after its heir", "seed": 3, "story": "zombie"},
)
VERDICTS = ("append", "duplicate", "out of order", "fenced")


def verdict_of(names, case):
    """What the learner's rule says to one batch. ValueError where
    that is none of the four verdicts."""
    known, (epoch, first, last) = case["known"], case["batch"]
    remembered = (
        None
        if known is None
        else SimpleNamespace(epoch=known[0], batches=tuple(tuple(pair) for pair in known[1]))
    )
    said = names["verdict"](
        remembered, SimpleNamespace(producer_id=7, epoch=epoch, first=first, last=last)
    )
    if said not in VERDICTS:
        raise ValueError(
            f"verdict gives {said!r}; the four verdicts are {', '.join(map(repr, VERDICTS))}"
        )
    return said


def led_by(case, part) -> Lab:
    """A lab whose leader judges batches by the learner's rule,
    and a story that puts it to the test."""
    return {"answers": lost_answers, "gap": refused_then_not, "zombie": two_of_one_name}[
        case["story"]
    ](case["seed"], part)


def lost_answers(seed: int, part) -> Lab:
    """Forty orders; four times the connection breaks before the answer comes."""
    rng = Random(seed)
    lab = Lab(brokers=1, seed=seed, version="2.8")
    lab.create_topic("orders")
    lab.broker(0).judge_batches(part)
    shop = KafkaProducer(
        lab,
        {
            "client.id": "shop",
            "enable.idempotence": True,
            "linger.ms": 2,
            "delivery.timeout.ms": 20_000,
            "request.timeout.ms": 3_000,
        },
        name="shop",
    )
    shop.partitions_for("orders")
    for number in sorted(rng.sample(range(3, 40), 4)):
        lab.clock.at(
            lab.now_ms + number * 40, lambda: lab.link(0, "shop").cut_before_reply("PRODUCE")
        )
    return _sell(lab, shop, 40, 40)


def refused_then_not(seed: int, part) -> Lab:
    """The first orders are refused, for a follower is away;
    it comes back, and the next ones could pass them."""
    lab = Lab(
        brokers=3,
        seed=seed,
        version="2.8",
        broker_config={"min.insync.replicas": 2, "broker.session.timeout.ms": 6_000},
    )
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    lab.broker(0).judge_batches(part)
    shop = KafkaProducer(
        lab,
        {
            "client.id": "shop",
            "enable.idempotence": True,
            "linger.ms": 0,
            "delivery.timeout.ms": 20_000,
            "request.timeout.ms": 5_000,
        },
        name="shop",
    )
    # so that the leader knows this producer
    shop.send(ProducerRecord("orders", key="order -1", value="tea")).get()
    lab.broker(1).crash()
    lab.run_for(ms=10_000)
    lab.broker(1).restart()
    lab.link(0, "shop").set_latency(ms=40)
    # it is in sync again while the first orders are on their way
    lab.run_for(ms=5 * seed)
    return _sell(lab, shop, 80, 10)


def _sell(lab: Lab, shop: KafkaProducer, count: int, pace_ms: int) -> Lab:
    for number in range(count):
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea", partition=0))
        lab.sleep(pace_ms)
    lab.run_for(ms=45_000)
    return lab


def two_of_one_name(seed: int, part) -> Lab:
    """One producer stands still in its transaction, another takes its transactional.id,
    the first wakes up and goes on."""
    lab = Lab(brokers=1, seed=seed, version="2.8", broker_version="2.3")
    lab.create_topic("orders")
    lab.broker(0).judge_batches(part)

    def till(name: str) -> KafkaProducer:
        producer = KafkaProducer(
            lab,
            {
                "client.id": name,
                "transactional.id": "till",
                "linger.ms": 0,
                "delivery.timeout.ms": 9_000,
                "request.timeout.ms": 3_000,
            },
            name=name,
        )
        producer.init_transactions()
        producer.begin_transaction()
        return producer

    try:
        old = till("old")
        old.send(ProducerRecord("orders", key="old 0", value="tea")).get()
        heir = till("heir")
        heir.send(ProducerRecord("orders", key="heir 0", value="tea")).get()
        heir.commit_transaction()
        heir.begin_transaction()
        old.send(ProducerRecord("orders", key="old 1", value="tea"))
        lab.run_for(ms=500)
        heir.send(ProducerRecord("orders", key="heir 1", value="tea")).get()
        heir.commit_transaction()
    except KafkaException:
        # a rule that errs can break the story anywhere; what was written tells
        pass
    lab.run_for(ms=12_000)
    return lab


def seen_in_the_log(case: dict, lab: Lab) -> tuple[str, list] | None:
    """What is wrong in the leader's log, with the rows that show it:
    twice, out of turn, by a zombie, or not there at all."""
    log = [
        (event, record.key)
        for event in lab.journal.of("record.appended")
        if event.topic == "orders"
        for record in event.records
    ]
    rows = lambda *keys: [
        (
            f"offset {event.base_offset}: {key}, producer id {event.producer_id}, epoch "
            f"{event.producer_epoch}"
        )
        for event, key in log
        if key in keys
    ][:6]
    twice = next((key for key, count in Counter(key for _, key in log).items() if count > 1), None)
    if twice is not None:
        return f"{twice} was sent once and is in the log twice.", rows(twice)
    if case["story"] == "zombie":
        keys = [key for _, key in log]
        if "old 1" in keys:
            return "the old producer wrote after another had taken its transactional.id.", rows(
                "old 1", "heir 0", "heir 1"
            )
        if "heir 1" not in keys:
            return "the new owner of the transactional.id could not write, and it may.", rows(
                "heir 0", "old 0"
            )
        return None
    numbers = [int(key.split()[1]) for _, key in log]
    for earlier, later in itertools.pairwise(numbers):
        if later < earlier:
            return (
                f"order {later} is behind order {earlier} in the log, but it was sent before.",
                rows(f"order {earlier}", f"order {later}"),
            )
    refused = [event.key for event in lab.journal.of("record.completed") if event.error]
    acknowledged = [event.key for event in lab.journal.of("record.completed") if not event.error]
    missing = [key for key in acknowledged if key not in {key for _, key in log}]
    if missing:
        return f"{missing[0]} was answered as written, and is not in the log.", rows(missing[0])
    if refused:
        return (
            (
                f"{len(refused)} orders failed until the end, for example {refused[0]}. The "
                "producer did nothing wrong."
            ),
            rows(refused[0]),
        )
    return None


QUESTION_06_1 = Function(
    id="06.1",
    hints=(
        "Epochs first: a lower one, a higher one, the same. Only then look at the numbers.",
        "(batch.first, batch.last) in known.batches is a repeat. Otherwise batch.first must follow the last number of known.batches[-1].",
    ),
    title="the leader's verdict",
    points=4,
    answers=("verdict",),
    public_cases=BATCHES + STORIES,
    probe=verdict_of,
    play=led_by,
    look=seen_in_the_log,
    kept=lambda case: {
        "answers": "lost answers did no harm: each order is in the log once.",
        "gap": "no batch overtook another: the orders are in the log in their turn.",
        "zombie": "the zombie's batch was refused, and the new owner could write.",
    }[case["story"]],
    first_only=True,
)


# %% 06.2
from autograder.cell.kinds import Value

QUESTION_06_2 = Value(
    id="06.2",
    hints=(
        "Count offsets first, and do not forget what takes one and is no record.",
        "The two transactions that ended left a marker each. The stable part ends where the unfinished one begins, whatever comes behind it.",
    ),
    title="what two readers get",
    points=3,
    answers=("high_watermark", "last_stable", "uncommitted", "committed"),
    draws=THREE,
    row="partition",
    space={
        "before": (2, 3, 5),
        "good": (2, 4, 6),
        "bad": (1, 3, 4),
        "unfinished": (1, 2),
        "after": (1, 3, 4),
    },
)


# %% 06.3
from autograder.cell.kinds import Value

QUESTION_06_3 = Value(
    id="06.3",
    hints=(
        "The first start gets epoch 0. What adds to it: a start, a transaction, both?",
        "epoch_after(client, transactions, starts, ends_by) runs it.",
    ),
    title="the epoch of the last start",
    points=3,
    answers=("epoch",),
    draws=THREE,
    row="program",
    space={
        "client": ("3.9", "4.4"),
        "transactions": (2, 3, 4, 5, 6, 7, 8),
        "starts": (3, 4, 5),
        "ends_by": ("close", "kill -9"),
    },
    together=lambda rows: (
        len({n["client"] for n in rows}) == 2
        and len({n["ends_by"] for n in rows}) == 2
        and ("3.9", "kill -9") in {(n["client"], n["ends_by"]) for n in rows}
    ),
)


# %% 06.4
import re
from functools import cache
from random import Random

from autograder.cell.kinds import LineReading
from kafkalab import KafkaException, KafkaProducer, Lab, ProducerRecord


def workers(shift: int) -> Lab:
    """Four workers copy in transactions; one has been given the transactional.id of another. One
    aborts once, for reasons of its own."""
    rng = Random(shift)
    names = [f"worker-{letter}" for letter in rng.sample("abcdefgh", 4)]
    old, new, clumsy = rng.sample(range(4), 3)
    ids = {name: f"packing-{number}" for number, name in enumerate(names, 1)}
    ids[names[new]] = ids[names[old]]
    start_ms = {name: rng.randrange(0, 900) for name in names}
    start_ms[names[new]] = rng.randrange(2_500, 3_500)
    lab = Lab(brokers=1, seed=shift, version="4.4")
    lab.create_topic("parcels")

    def work(lab, name, pace_ms):
        lab.sleep(start_ms[name])
        producer = KafkaProducer(
            lab, {"client.id": name, "transactional.id": ids[name], "linger.ms": 0}, name=name
        )
        producer.init_transactions()
        for turn in range(12):
            try:
                producer.begin_transaction()
                producer.send(ProducerRecord("parcels", key=f"{name} {turn}", value="tea"))
                lab.sleep(pace_ms)
                if name == names[clumsy] and turn == 2:
                    producer.abort_transaction()
                else:
                    producer.commit_transaction()
            except KafkaException:
                return producer.close()

    for place, name in enumerate(names):
        lab.spawn(work, name, 400 + 40 * place, name=name)
    lab.run_for(ms=9_000)
    lab.close()
    return lab


@cache
def lines_of(shift: int) -> tuple[str, ...]:
    """A shift's lines about identities and aborts: time, client and message, without the
    transactional ids."""
    lines = workers(shift).lines()
    wanted = lines[
        lines.level.isin(["INFO", "WARN", "ERROR"])
        & lines.message.str.contains("ProducerId set|Aborting|Instantiated")
    ]
    return tuple(
        f"{line.time[-12:]} {re.sub(', transactionalId=[^]]+', '', line.message)}"
        for line in wanted.itertuples()
    )


QUESTION_06_4 = LineReading(
    id="06.4",
    hints=(
        "The transaction coordinator gives one producer id to each transactional id. Which producer id was given twice?",
        "Of the two clients with this producer id, the one with the lower epoch is fenced.",
    ),
    title="bug hunt: two of one name",
    points=3,
    answers=("fenced", "heir", "producer_id"),
    draws=THREE,
    row="shift",
    space={"shift": tuple(range(1, 61))},
    show=lambda numbers: {
        place: list(lines_of(drawn["shift"])) for place, drawn in numbers.items()
    },
)


# %% 06.5
from collections import Counter

from autograder.cell.kinds import Function
from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)


class Died(BaseException):
    """The process ends here. No `except Exception` catches that."""


NETWORK_AWAY_MS = 6_000


class Mortal:
    """A producer whose process dies at an appointed call: death is ("after", "commit_transaction",
    2). With ("network away", "send", 4) it lives, and its fourth record cannot be delivered."""

    def __init__(self, lab: Lab, producer: KafkaProducer, name: str, death: list | None):
        self._lab, self._producer, self._name = lab, producer, name
        self._death, self._counts = death, Counter()

    def __getattr__(self, method: str):
        real = getattr(self._producer, method)

        def call(*args, **named):
            self._counts[method] += 1
            here = [method, self._counts[method]]
            if self._death == ["before", *here]:
                self._die()
            if self._death == ["network away", *here]:
                self._cut()
            answer = real(*args, **named)
            if self._death == ["after", *here]:
                self._die()
            return answer

        return call

    def _cut(self):
        for broker in range(3):
            link = self._lab.link(broker, f"{self._name}-producer")
            link.cut()
            self._lab.clock.at(self._lab.now_ms + NETWORK_AWAY_MS, link.heal)

    def _die(self):
        self._lab.run_for(ms=20)
        end_process(self._lab, self._name)
        raise Died


def end_process(lab: Lab, name: str) -> None:
    for client in (name, f"{name}-producer"):
        lab.kill(client)


def life(title: str, seed: int, *deaths: tuple) -> dict:
    return {
        "case": title,
        "seed_of_lab": seed,
        "orders": 12,
        "deaths": [list(death) for death in deaths],
    }


LIVES = (
    life("nobody dies", 1),
    life("it dies when it has just committed", 2, ("after", "commit_transaction", 2)),
    life("it dies after its fourth record", 3, ("after", "send", 4)),
    life("it dies just before it commits", 4, ("before", "commit_transaction", 3)),
    life("it dies twice", 5, ("after", "send", 4), ("after", "commit_transaction", 1)),
    {
        **life(
            "one poll has brought records of both partitions, and then it dies",
            6,
            ("after", "commit_transaction", 3),
        ),
        "orders": 11,
    },
    {
        **life(
            "nobody dies, but a record cannot be delivered and the commit fails",
            7,
            ("network away", "send", 4),
        ),
        "orders": 24,
    },
)


def copied(names, case) -> dict:
    """Orders become parcels by the learner's function, which dies and is started again. What a
    reader of committed records finds."""
    lab = Lab(brokers=3, seed=case["seed_of_lab"], version="3.9")
    for topic in ("orders", "parcels"):
        lab.create_topic(topic, partitions=2)
    shop = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    for number in range(case["orders"]):
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    shop.flush()
    for number, death in enumerate([*case["deaths"], None]):
        name = f"packer-{number}"
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "packing",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "max.poll.records": 3,
                "session.timeout.ms": 6_000,
                "isolation.level": "read_committed",
            },
            name=name,
        )
        producer = KafkaProducer(
            lab,
            {
                "client.id": name,
                "transactional.id": "packing",
                "linger.ms": 0,
                "request.timeout.ms": 1_000,
                "delivery.timeout.ms": 3_000,
            },
            name=f"{name}-producer",
        )
        producer.init_transactions()
        consumer.subscribe(["orders"])
        mortal = Mortal(lab, producer, name, death)
        try:
            for _ in range(25):
                names["copy"](consumer, mortal)
            end_process(lab, name)
        except Died:
            pass
        except KafkaException:
            end_process(lab, name)  # a program that raises ends
        lab.run_for(ms=8_000)
    reader = KafkaConsumer(
        lab, {"isolation.level": "read_committed", "auto.offset.reset": "earliest"}, name="reader"
    )
    reader.assign([TopicPartition("parcels", number) for number in range(2)])
    parcels = [record.key for _ in range(5) for record in reader.poll(timeout_ms=400)]
    written = [
        record.key
        for event in lab.journal.of("record.appended")
        if event.topic == "parcels"
        for record in event.records
    ]
    asked_to_end = any(event.name == "commit_transaction" for event in lab.journal.of("call"))
    return {"parcels": parcels, "written": len(written), "ended": asked_to_end}


def each_once(case: dict, data) -> tuple[bool, str]:
    """Whether every order became one parcel."""
    counts = Counter(data["parcels"])
    twice = [key for key, count in counts.items() if count > 1]
    missing = [key for number in range(case["orders"]) if (key := f"order {number}") not in counts]
    if data["written"] and not data["ended"]:
        return (
            False,
            "no transaction was ever committed, so a reader of committed records sees nothing.",
        )
    so_many = lambda keys: (
        f"{keys[0]} was" if len(keys) == 1 else f"{len(keys)} orders, such as {keys[0]}, were"
    )
    if twice:
        return (
            False,
            (
                f"{so_many(twice)} packed twice. The parcels were committed, and the program died "
                "before the offsets were."
            ),
        )
    if missing:
        return False, (
            (
                f"{so_many(missing)} never packed. The group's committed offset is behind them, and "
                "their parcels were not committed."
            )
            if case["deaths"]
            else f"{so_many(missing)} never packed."
        )
    return True, (
        "the network was away, and every order became one parcel."
        if any(death[0] == "network away" for death in case["deaths"])
        else "the process died, and every order became one parcel."
        if case["deaths"]
        else "nothing failed here, and every order became one parcel."
    )


QUESTION_06_5 = Function(
    id="06.5",
    hints=(
        "A parcel and the offset of its order must be committed together. Which call takes the offsets into the transaction?",
        "Call send_offsets_to_transaction after the sends and before the commit. It takes the next offset of each partition, and consumer.group_metadata().",
    ),
    title="copy, and commit how far",
    points=4,
    answers=("copy",),
    public_cases=LIVES,
    probe=copied,
    public_judge=each_once,
    first_only=True,
)


# %% 06.6
from autograder.cell.kinds import Value

QUESTION_06_6 = Value(
    id="06.6",
    hints=(
        "A key that is in the log twice was written twice. Compare the two producer ids.",
        "Group by day and key, keep count > 1, and look at min and max of producer_id. Both -1: no producer id. Two different ids: two runs of a program. Then look at min and max of offset.",
    ),
    title="Spark: who wrote it twice",
    points=3,
    answers=("by_producer", "by_program", "memory"),
    draws=THREE,
    row="day",
    space={"day": tuple(range(1, 61))},
)


# %% 06.open
from autograder.cell.kinds import Open

QUESTION_06_open = Open(
    id="06.open",
    title="Does Kafka's exactly-once cover sending an e-mail for each record? Why or why not, and what would you do?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_06_1,
    QUESTION_06_2,
    QUESTION_06_3,
    QUESTION_06_4,
    QUESTION_06_5,
    QUESTION_06_6,
    QUESTION_06_open,
)
