# %% [markdown]
# ### Exercise 04.5 · The missing half: a partitioner of your own
#
# One customer, `mega`, writes as much as all others together. A **partitioner** is a function that
# the producer calls for each record, and that returns the number of a partition. Write one that
# gives the key `mega` the last partition for itself. All other keys share the remaining partitions
# by Kafka's rule for keys (section 2), as if the last one did not exist. Records without a key,
# `None`, go anywhere but to the last partition. `cluster.partition_count_for_topic(topic)` tells
# how many partitions there are, at least two. The check puts your function into a producer and
# looks where the records are. In some of its runs a broker crashes and comes back. Its partitions
# have no leader meanwhile, and a key must stay where it is all the same: its records wait.

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
from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord

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
    the middle the broker of some of the partitions may crash and come back: meanwhile these have no
    leader."""
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
        else f"customer-{(number * 7 + case['seed']) % 40}"
        for number in range(120)
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
        chosen = rule(topic, key, *rest)
        if not hasattr(chosen, "__index__") or not 0 <= chosen < partitions:
            raise NotAsAsked(
                f"`mega_partitioner` returned {chosen!r} for the key {key!r}; with {partitions} "
                f"partitions it returns a whole number from 0 to {partitions - 1}"
            )
        return chosen

    return partitioner


def keeps_the_rule(case: dict, data) -> tuple[bool, str]:
    """Whether mega is alone on the last partition, everybody else elsewhere,
    and each key in one place."""
    last, home = case["partitions"] - 1, {}
    for key, partition in data:
        if key == "mega" and partition != last:
            return False, f"a record of mega is in partition {partition}; the last one is {last}."
        if key is None and partition == last:
            return False, f"a record without a key is in partition {last}, which belongs to mega."
        if key is not None and key != "mega" and partition == last:
            return False, f"{key} is in partition {last}, which belongs to mega."
        if key is not None and home.setdefault(key, partition) != partition:
            return (
                False,
                (
                    f"{key} is in partition {home[key]} and in {partition}. A key must stay in one "
                    "place."
                ),
            )
    used = {partition for _, partition in data}
    if len(used) < case["partitions"]:
        return (
            False,
            (
                f"only {len(used)} of {case['partitions']} partitions are used. The others are to "
                "share all the rest."
            ),
        )
    return True, "right: mega has a partition of its own, and every key stays where it is."


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
# Kafka's rule over all {partitions} partitions puts other keys into the last one, which belongs to
# mega.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    if key == "mega":
        return partitions - 1
    if key is None:
        return 0
    return to_positive(murmur2(key_bytes)) % partitions


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
# You put everybody else into partition 0. They are to share all partitions but the last.
def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):
    partitions = cluster.partition_count_for_topic(topic)
    return partitions - 1 if key == "mega" else 0


# %% hint
# Three kinds of records: mega, no key, all others. The last two share one partition less than
# there are.

# %% hint
# For the others, Kafka's rule over partitions - 1. Without a key, take the value's bytes instead,
# by the same rule.
