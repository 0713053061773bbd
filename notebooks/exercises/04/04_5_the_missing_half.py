# %% [markdown]
# ### Exercise 04.5 · The missing half: a partitioner of your own
#
# One customer, `mega`, writes as much as all others together. A **partitioner** (分区器) is a
# function that the producer calls for each record. It returns the number of a partition. Write one
# with these rules:
#
# - The key `mega`, and no other, goes to the last partition.
# - Any other key goes where Kafka's rule (section 2) puts it in a topic without that last
#   partition.
# - A record without a key, `None`, goes anywhere but to the last partition.
#
# `cluster.partition_count_for_topic(topic)` returns the number of partitions, at least two. The
# check puts your function into a producer and looks where the records are. In some runs a broker
# crashes and comes back. Until then its partitions have no leader. A key stays in its partition all
# the same: its records wait.

# %% answer
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    """The partition for a record. key is a text or None, key_bytes its bytes."""
    ### BEGIN SOLUTION
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return partitions - 1
    if key is None:
        return to_positive(murmur2(value_bytes)) % (partitions - 1)
    return to_positive(murmur2(key_bytes)) % (partitions - 1)
    ### END SOLUTION


# %% question
from functools import cache

from autograder.cell.data import NotAsAsked, plain
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord

OTHERS = (*(f"customer-{number}" for number in range(36)), "mega-2", "Mega", "", "茶", "meg")
TOPICS = tuple(
    {
        "case": f"{partitions} partitions, seed {seed}{', a leader crashes' if crash else ''}",
        "partitions": partitions,
        "seed": seed,
        "crash": crash,
    }
    for partitions, seed, crash in ((3, 1, False), (6, 2, True), (2, 3, True))
)


def placed(names, case) -> list:
    """Where a producer with the learner's partitioner puts records: (key, partition) of each. In
    the middle the broker of some of the partitions may crash and come back: until then these have
    no leader."""
    lab = Lab(
        brokers=3,
        seed=case["seed"],
        version="3.9",
        broker_config={"broker.session.timeout.ms": 1_000},
    )
    lab.create_topic(
        "orders",
        partitions=case["partitions"],
        leaders=[number % 3 for number in range(case["partitions"])],
    )
    producer = KafkaProducer(
        lab,
        {
            "partitioner.class": _one_that_is_there(names["mega_partitioner"], case["partitions"]),
            "bootstrap.servers": "localhost:9093,localhost:9094",
        },
        name="learner",
    )
    keys = [
        None
        if number % 5 == 0
        else "mega"
        if number % 3 == 0
        else OTHERS[(number * 7 + case["seed"]) % len(OTHERS)]
        for number in range(180)
    ]
    futures = []
    for number, key in enumerate(keys):
        if number == 40 and case["crash"]:
            lab.broker(0).crash()
        if number == 90 and case["crash"]:
            lab.broker(0).restart()
        if number % 10 == 0:
            lab.run_for(ms=1_000)
        futures.append(producer.send(ProducerRecord("orders", key=key, value=f"order {number}")))
    producer.close()
    return [[key, future.get().partition] for key, future in zip(keys, futures)]


def _one_that_is_there(rule, partitions: int):
    """The learner's rule, stopped at the first number that is no partition: Kafka would keep
    that record for two minutes and then say little."""

    def partitioner(topic, key, *rest):
        try:
            chosen = rule(topic, key, *rest)
        except Exception as wrong:
            raise NotAsAsked(
                f"for the key {key!r} `mega_partitioner` raised {type(wrong).__name__}: {wrong}"
            ) from None
        chosen = plain(chosen)
        if type(chosen) is not int or not 0 <= chosen < partitions:
            raise NotAsAsked(
                f"`mega_partitioner` returned {chosen!r} for the key {key!r}; with {partitions} "
                f"partitions it returns a whole number from 0 to {partitions - 1}"
            )
        return chosen

    return partitioner


@cache
def without_the_last(partitions: int) -> dict[str, int]:
    """key -> its partition in a topic that has one partition less, by a producer's own rule."""
    lab = Lab(brokers=1, seed=1, version="3.9")
    lab.create_topic("orders", partitions=partitions - 1)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    futures = {key: producer.send(ProducerRecord("orders", key=key, value="v")) for key in OTHERS}
    producer.close()
    return {key: future.get().partition for key, future in futures.items()}


def keeps_the_rule(case: dict, data) -> tuple[bool, str]:
    """Whether mega is alone on the last partition, each other key where Kafka's rule has it, and
    no record without a key on the last."""
    last, home = case["partitions"] - 1, {}
    kafkas = without_the_last(case["partitions"])
    for key, partition in data:
        if key == "mega" and partition != last:
            return False, f"a record of mega is in partition {partition}; the last one is {last}."
        if key is None and partition == last:
            return False, f"a record without a key is in partition {last}, which belongs to mega."
        if key is not None and key != "mega" and partition == last:
            return False, f"the key {key!r} is in partition {last}, which belongs to mega."
        if key is not None and home.setdefault(key, partition) != partition:
            return (
                False,
                (
                    f"the key {key!r} is in partition {home[key]} and in {partition}. A key must "
                    "stay in one partition."
                ),
            )
    for key, partition in data:
        if key in kafkas and partition != kafkas[key]:
            return (
                False,
                (
                    f"the key {key!r} is in partition {partition}. Kafka's rule over the first "
                    f"{last} partitions puts it into {kafkas[key]}."
                ),
            )
    if case["crash"]:
        return True, "right: a leader was away, and every key stayed in its partition."
    return True, "right: mega is alone, and every other key is where Kafka's rule has it."


Function(
    title="a partitioner of your own",
    points=3,
    answers=("mega_partitioner",),
    public_cases=TOPICS,
    probe=placed,
    public_judge=keeps_the_rule,
)

# %% judge
from autograder.course.judge import Judge, Verdict


def _mega(case: dict, data) -> Verdict:
    ok, sentence = keeps_the_rule(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


Judge(
    judge=_mega,
    hidden_cases=lambda rng: [
        {"partitions": rng.randrange(2, 9), "seed": rng.randrange(10, 999), "crash": crash}
        for crash in (True, False, True, True)
    ],
)


# %% wrong="others share all"
# You used Kafka's rule over all {partitions} partitions. So it puts other keys into the last one,
# which belongs to mega.
# -         return to_positive(murmur2(value_bytes)) % (partitions - 1)
# -     return to_positive(murmur2(key_bytes)) % (partitions - 1)
# +         return 0
# +     return to_positive(murmur2(key_bytes)) % partitions


# %% wrong="mega is the first"
# You gave mega the first partition. It gets the last one, and nobody else may go there.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return 0
    if key is None:
        return partitions - 1
    return 1 + to_positive(murmur2(key_bytes)) % (partitions - 1)


# %% wrong="only those with a leader"
# You chose among the partitions that have a leader just now. When a broker is down, a key's next
# records go to another partition, and their order is lost.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return partitions - 1
    led = [
        each.partition
        for each in cluster.available_partitions_for_topic(topic)
        if each.partition < partitions - 1
    ] or [0]
    return led[to_positive(murmur2(value_bytes if key is None else key_bytes)) % len(led)]


# %% wrong="one for everybody else"
# You put all other keys into partition 0. They share all partitions but the last.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    return partitions - 1 if key == "mega" else 0


# %% wrong="the last one's keys go to 0"
# You used Kafka's rule over all {partitions} partitions and moved the keys of the last one to 0. The
# rule is over one partition less, so most keys belong elsewhere.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return partitions - 1
    home = to_positive(murmur2(value_bytes if key is None else key_bytes)) % partitions
    return 0 if home == partitions - 1 else home


# %% wrong="the absolute value"
# You took the absolute value of the hash. Kafka clears the sign bit, as in section 2, and a negative
# number becomes another one that way.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return partitions - 1
    return abs(murmur2(value_bytes if key is None else key_bytes)) % (partitions - 1)


# %% wrong="all that begin with mega"
# Your function gives the last partition to all keys that begin with mega. The key mega-2 is another
# customer.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key and key.startswith("mega"):
        return partitions - 1
    return to_positive(murmur2(value_bytes if key is None else key_bytes)) % (partitions - 1)


# %% wrong="the empty key is no key"
# You treat the empty text as if there were no key. It is a key like any other: only None means that
# there is none.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return partitions - 1
    return to_positive(murmur2(key_bytes if key else value_bytes)) % (partitions - 1)


# %% equivalent
# `to_positive(murmur2(value_bytes)) % (partitions - 1)` changed: a record without a key may go to any
# partition but the last.

# %% hint
# Three kinds of records: mega, no key, all others. For the last two there is one partition less.

# %% hint
# For the others use Kafka's rule over partitions - 1. Without a key there are no key_bytes: hash
# the value's bytes instead, or count.
