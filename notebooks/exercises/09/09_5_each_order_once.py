# %% [markdown] items="G9 G13"
# ### Exercise 09.5 · Each order once
#
# `store` is a small database with four methods. `insert(key)` writes a result.
# `set_offset(partition, offset)` writes an offset. `commit()` keeps all that was written since the
# last commit, or nothing of it. `offset_of(partition)` gives the offset that is kept, `None` for
# none. A partition is a number here.
#
# Write two functions. `keep(store, record)` is called for each record.
# `take_over(store, consumer, partitions)` is called by a listener's `on_partitions_assigned`, with
# a list of `TopicPartition`. The check lets the power fail at every fourth, fifth, sixth, seventh
# call of the store. A new process takes over each time. In the end each order must be in the store
# once.

# %% answer items="G9 G13"
def keep(store, record):
    """Put the record's key and the next offset into the store."""
    ### BEGIN SOLUTION
    store.insert(record.key)
    store.set_offset(record.partition, record.offset + 1)
    store.commit()
    ### END SOLUTION


def take_over(store, consumer, partitions):
    """Begin where the store says."""
    ### BEGIN SOLUTION
    for each in partitions:
        known = store.offset_of(each.partition)
        if known is not None:
            consumer.seek(each, known)
    ### END SOLUTION


# %% question
from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, KafkaException, KafkaProducer, Lab, ProducerRecord


class PowerCut(BaseException):
    """The process is gone in the middle of a call; no `except Exception` helps."""


class Store:
    """A small database. What was written counts when `commit()` has returned; a process that dies
    before takes it along.

    dies_after  the process that uses it dies at this many-th call of insert, set_offset or commit,
                0: never
    """

    def __init__(self):
        self.rows, self.offsets, self.dies_after, self._calls = [], {}, 0, 0
        self._rows, self._offsets = [], {}

    def open(self, dies_after: int = 0) -> None:
        """A new process opens the database: what the last one had not committed is gone."""
        self.dies_after, self._calls, self._rows, self._offsets = dies_after, 0, [], {}

    def insert(self, key: str) -> None:
        """Write one result."""
        self._call()
        self._rows.append(key)

    def set_offset(self, partition: int, offset: int) -> None:
        """Write where to continue in a partition."""
        self._call()
        self._offsets[partition] = offset

    def commit(self) -> None:
        """Keep everything written since the last commit: all of it, or nothing."""
        self._call()
        self.rows += self._rows
        self.offsets.update(self._offsets)
        self._rows, self._offsets = [], {}

    def offset_of(self, partition: int) -> int | None:
        """Where to continue in a partition, None where nothing was ever kept."""
        if type(partition) is not int:
            raise NotAsAsked(
                f"offset_of takes a partition's number, such as 0, not {partition!r}"[:120]
            )
        return self.offsets.get(partition)

    def _call(self) -> None:
        self._calls += 1
        if self._calls == self.dies_after:
            raise PowerCut


CUTS = tuple(
    {
        "case": f"the power fails at every {after}th call of the store"
        if after
        else "the power never fails",
        "dies_after": after,
        "orders": 12,
    }
    for after in (0, 7, 4, 5, 6)
)
MOST_LIVES = 30


def kept_in(names, case) -> dict:
    """What the learner's two functions left in the store, after as many lives as it took."""
    lab, store, lives = Lab(brokers=1, seed=8, broker_config=AT_ONCE), Store(), []
    lab.create_topic("orders", partitions=2)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(case["orders"]):
        producer.send(
            ProducerRecord("orders", partition=number % 2, key=f"order {number}", value="tea")
        )
    producer.close()
    lab.run_for(ms=100)

    def life(lab, name, gone):
        reader = KafkaConsumer(
            lab, {**READER, "group.id": "stock", "max.poll.records": 4}, name=name
        )

        class Listener:
            def on_partitions_assigned(self, partitions):
                names["take_over"](store, reader, partitions)

            def on_partitions_revoked(self, partitions):
                pass

        reader.subscribe(["orders"], Listener())
        try:
            while True:
                for record in reader.poll(timeout_ms=500):
                    names["keep"](store, record)
        except PowerCut:
            gone.append(name)
            lab.sleep(10**9)
        except KafkaException as told:
            # what went wrong in `take_over` says more than the consumer around it
            raise told.__cause__ or told from None

    while len(lives) < MOST_LIVES:
        gone: list[str] = []
        store.open(case["dies_after"])
        lives.append(f"life-{len(lives) + 1}")
        lab.spawn(life, lives[-1], gone, name=lives[-1])
        if not lab.run_until(lambda gone=gone: gone, 14_000):
            break
        lab.kill(lives[-1])
    lab.close()
    if not all(isinstance(row, str) for row in store.rows):
        raise NotAsAsked("insert takes the record's key, a text")
    return {"rows": list(store.rows), "lives": len(lives)}


def each_once(case: dict, data) -> tuple[bool, str]:
    """Whether every order is in the store exactly once."""
    rows = data["rows"]
    wanted = [f"order {number}" for number in range(case["orders"])]
    twice = next((row for row in rows if rows.count(row) > 1), None)
    never = next((order for order in wanted if order not in rows), None)
    if twice is not None:
        why = (
            "Where did each next reader begin?"
            if data["lives"] >= MOST_LIVES
            else "Between which two calls did the power fail?"
        )
        return False, f"{twice} is in the store {rows.count(twice)} times. {why}"
    if not rows:
        return False, "the store is empty. What you insert is kept only with `store.commit()`."
    if data["lives"] >= MOST_LIVES:
        return (
            False,
            (
                f"after {MOST_LIVES} lives the readers are still at work, and the store has "
                f"{len(rows)} of {len(wanted)} orders."
            ),
        )
    if never is not None:
        return (
            False,
            (
                f"{never} is not in the store, and no reader will come back to it. Was its offset "
                "kept before it, or did the next reader begin behind it?"
            ),
        )
    if set(rows) != set(wanted):
        return (
            False,
            "there are rows in the store that are no orders. insert takes the record's key.",
        )
    return True, "right: each order once, wherever the power fails."


Function(
    title="keep the offset yourself",
    points=3,
    answers=("keep", "take_over"),
    public_cases=CUTS,
    probe=kept_in,
    public_judge=each_once,
)

# %% judge
from autograder.course.judge import Judge, Verdict


def _once(case: dict, data) -> Verdict:
    ok, sentence = each_once(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


Judge(
    judge=_once,
    hidden_cases=lambda rng: [
        {"dies_after": rng.randrange(4, 12), "orders": rng.randrange(8, 16)} for _ in range(3)
    ],
)


# %% begin
def take_over(store, consumer, partitions):
    for place in partitions:
        if store.offset_of(place.partition) is not None:
            consumer.seek(place, store.offset_of(place.partition))


# %% wrong="two commits"
# An order is in the store twice. Where did the power fail, and where did the next reader begin?
def keep(store, record):
    store.insert(record.key)
    store.commit()
    store.set_offset(record.partition, record.offset + 1)
    store.commit()


# %% wrong="the offset first"
# An order is missing, and no reader will come back to it. The offset was kept before the order;
# keep both with one commit.
def keep(store, record):
    store.set_offset(record.partition, record.offset + 1)
    store.commit()
    store.insert(record.key)
    store.commit()


# %% wrong="without + 1"
# The next readers began with an order that was done already. Which offset did the store keep, and
# did `take_over` seek there?
def keep(store, record):
    store.insert(record.key)
    store.set_offset(record.partition, record.offset)
    store.commit()


# %% begin


# %% wrong="no seek"
# The store knows where to continue, and nobody asked it. Without a `seek` each next reader begins
# where Kafka says.
def take_over(store, consumer, partitions):
    known = [store.offset_of(place.partition) for place in partitions]


def keep(store, record):
    store.insert(record.key)
    store.set_offset(record.partition, record.offset + 1)
    store.commit()


# %% equivalent
# `known is not None` -> `known`: the store has the offset after a record, so it never has 0.

# %% hint
# The result and the offset must be kept together or not at all. How many commits is that
# for a record?

# %% hint
# keep: insert, set_offset with the offset after this one, one commit. take_over: seek where the
# store knows an offset, else leave it.
