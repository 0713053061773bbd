# %% [markdown]
# ### Exercise 06.1 · The leader's verdict
#
# Write `verdict`. The check first tries it on sixteen single batches. Then a broker of the lab uses
# your function in three stories: answers are lost, batches are refused, a zombie comes back. The
# check tells the first case that goes wrong.

# %% answer
def verdict(known, batch):
    """ "append", "duplicate", "out of order" or "fenced" for one batch."""
    ### BEGIN SOLUTION
    if known is None:
        return "append"
    if batch.epoch < known.epoch:
        return "fenced"
    if batch.epoch > known.epoch:
        return "append" if batch.first == 0 else "out of order"
    if (batch.first, batch.last) in known.batches:
        return "duplicate"
    follows = known.batches[-1][1] + 1 if known.batches else 0
    return "append" if batch.first == follows else "out of order"
    ### END SOLUTION


# %% question
import itertools
from collections import Counter
from random import Random
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked
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
    asked("it is the end of one that is remembered", (2, FIVE), (2, 16, 19)),
    asked("an old epoch, and the number would fit", (3, ((0, 4),)), (2, 5, 5)),
    asked("a zombie repeats a batch that is remembered", (3, FIVE), (2, 13, 13)),
    asked("a new epoch begins at 0", (2, FIVE), (3, 0, 1)),
    asked("a new epoch does not begin at 0", (2, FIVE), (3, 25, 25)),
    asked("a marker alone has raised the epoch", (4, ()), (4, 0, 0)),
    asked("a marker alone has raised the epoch, and it does not begin at 0", (4, ()), (4, 7, 8)),
    asked("a marker alone has raised the epoch, and a zombie comes", (4, ()), (3, 0, 1)),
)
STORIES = (
    {"case": "answers are lost", "seed": 1, "story": "answers"},
    {"case": "the first batch is refused, the next are not", "seed": 6, "story": "gap"},
    {"case": "a zombie writes after its heir", "seed": 3, "story": "zombie"},
)
VERDICTS = ("append", "duplicate", "out of order", "fenced")


def verdict_of(names, case):
    """What the learner's rule says to one batch. NotAsAsked where
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
        raise NotAsAsked(
            f"`verdict` gave {said!r}; the four verdicts are {', '.join(map(repr, VERDICTS))}"
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


Function(
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

# %% judge
from random import Random

from autograder.course.judge import Judge

# seeds of the story in which a batch really comes before its turn
GAPS = (3, 4, 9, 10, 12, 15, 16)


def _verdict(case: dict) -> str:
    """What Kafka's leader says to one batch (a test holds this
    against the simulator's own leader)."""
    known, (epoch, first, last) = case["known"], case["batch"]
    if known is not None and epoch < known[0]:
        return "fenced"
    if known is None:
        return "append"
    remembered = [tuple(pair) for pair in known[1]] if epoch == known[0] else []
    if (first, last) in remembered:
        return "duplicate"
    return (
        "append" if first == max((end + 1 for _, end in remembered), default=0) else "out of order"
    )


def _batches(rng: Random) -> list[dict]:
    """Batches near what is remembered, and plays of each story."""
    cases = []
    for _ in range(24):
        epoch, at, pairs = rng.randrange(3), rng.choice((0, rng.randrange(1, 90))), []
        for _ in range(rng.choice((1, 3, 5, 5))):
            pairs.append((at, at + rng.randrange(4)))
            at = pairs[-1][1] + 1
        first, last = rng.choice(
            [
                *pairs,
                (at, at + rng.randrange(3)),
                (at + 1, at + 2),
                (max(0, pairs[0][0] - 3), max(0, pairs[0][0] - 1)),
                (0, rng.randrange(3)),
            ]
        )
        known = None if rng.random() < 0.08 else (epoch, pairs)
        cases.append(
            asked("a batch", known, (max(0, epoch + rng.choice((-1, 0, 0, 0, 0, 1))), first, last))
        )
    return [
        *cases,
        {"seed": rng.randrange(10, 900), "story": "answers"},
        {"seed": rng.choice(GAPS), "story": "gap"},
        {"seed": rng.randrange(10, 900), "story": "zombie"},
    ]


Judge(
    truth=_verdict,
    hidden_cases=_batches,
    right="right.",
    otherwise=(
        "not this verdict. Look at the epoch first, then whether exactly this batch is "
        "remembered, then whether it is the next."
    ),
    unseen=(
        "your rule misjudges a batch. Look at the epoch first, then whether exactly this batch "
        "is remembered, then whether it is the next."
    ),
)


# %% equivalent
# `known is None` -> `not known`: what a leader knows is an object, and an object is true.
# `batch.epoch > known.epoch` -> `batch.epoch != known.epoch`: a lower epoch was answered before.
# `batch.first == 0` -> `batch.first <= 0`: no sequence is negative.


# %% wrong="nothing remembered, so anything goes"
# The leader remembers no batch, but it knows the epoch. A lower one is fenced, and the numbers of
# this one or a higher one begin at 0.
def verdict(known, batch):
    if known is None or not known.batches:
        return "append"
    if batch.epoch < known.epoch:
        return "fenced"
    if batch.epoch > known.epoch:
        return "append" if batch.first == 0 else "out of order"
    if (batch.first, batch.last) in known.batches:
        return "duplicate"
    return "append" if batch.first == known.batches[-1][1] + 1 else "out of order"


# %% wrong="a gap is let through"
# You append a batch that does not follow the last one. With a gap before it, it has overtaken
# another, and the order would be lost.
# -     follows = known.batches[-1][1] + 1 if known.batches else 0
# -     return "append" if batch.first == follows else "out of order"
# +     return "append"


# %% wrong="a new epoch begins anywhere"
# You write any first batch of a new epoch. Its numbers begin at 0; any other number has a gap before
# it.
# -         return "append" if batch.first == 0 else "out of order"
# +         return "append"


# %% wrong="a new epoch goes on counting"
# With a new epoch the sequence begins again at 0. You continue where the old epoch stopped.
# -     if batch.epoch > known.epoch:
# -         return "append" if batch.first == 0 else "out of order"


# %% wrong="duplicate before epoch"
# You look at the batches before the epoch. A zombie that repeats an old batch then hears of success.
# Look at the epoch first.
# -         return "append"
# +         return "append"
# +     if (batch.first, batch.last) in known.batches:
# +         return "duplicate" if batch.epoch <= known.epoch else "append"
# -     if (batch.first, batch.last) in known.batches:
# -         return "duplicate"


# %% wrong="the epoch does not count"
# You never look at the epoch. With an older one it is a zombie, also when the number fits. A
# newer one counts from 0.
# -     if batch.epoch < known.epoch:
# -         return "fenced"
# -     if batch.epoch > known.epoch:
# -         return "append" if batch.first == 0 else "out of order"


# %% wrong="a repeat is an error"
# You refuse a repeat. Its record is safe in the log, and the producer only wants to hear so:
# success, not an error.
# -     if (batch.first, batch.last) in known.batches:
# -         return "duplicate"


# %% wrong="only the last number is compared"
# This batch ends like a remembered one and begins later: it is a part of it. Only exactly the same
# batch is a repeat.
def verdict(known, batch):
    if known is None:
        return "append"
    if batch.epoch < known.epoch:
        return "fenced"
    if batch.epoch > known.epoch:
        return "append" if batch.first == 0 else "out of order"
    if batch.last in [last for _, last in known.batches]:
        return "duplicate"
    follows = known.batches[-1][1] + 1 if known.batches else 0
    return "append" if batch.first == follows else "out of order"


# %% wrong="every known number is a repeat"
# The leader remembers five batches. It does not know the offset of an older one, so it cannot answer
# with success.
# -     if (batch.first, batch.last) in known.batches:
# +     if known.batches and batch.last <= known.batches[-1][1]:


# %% wrong="an unknown id must begin at 0"
# From 2.5 on a producer that the leader has never met may begin anywhere: its old batches may have
# been deleted.
# -         return "append"
# +         return "append" if batch.first == 0 else "out of order"


# %% wrong="any other epoch is fenced"
# A *higher* epoch is the new owner of the id. Only a lower one is fenced.
# -     if batch.epoch < known.epoch:
# +     if batch.epoch != known.epoch:
# -     if batch.epoch > known.epoch:
# -         return "append" if batch.first == 0 else "out of order"


# %% wrong="the last number and not the next"
# A batch follows when its first number is one *after* the last known number. You forgot the + 1.
# -     follows = known.batches[-1][1] + 1 if known.batches else 0
# +     follows = known.batches[-1][1] if known.batches else 0


# %% wrong="only the first number is compared"
# You compare only the first number. A batch that begins like a remembered one and is longer is not
# the same batch.
# -     if (batch.first, batch.last) in known.batches:
# +     if batch.first in [first for first, _ in known.batches]:


# %% wrong="everything is written"
# A leader that writes everything stores repeats, gaps and zombies. That is a broker from before 0.11.
def verdict(known, batch):
    return "append"


# %% hint
# Epochs first: a lower one, a higher one, the same. Only then look at the numbers.

# %% hint
# (batch.first, batch.last) in known.batches is a repeat. Otherwise batch.first must follow the
# last number of known.batches[-1].
