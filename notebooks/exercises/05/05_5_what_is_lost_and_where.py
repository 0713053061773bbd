# %% [markdown]
# ### Exercise 05.5 · What is lost, and where?
#
# How many acknowledged orders did each shop lose, and which is the number of the first lost one? In
# `"order 17"` the number is 17. The auditor has `told_written` and `can_be_read`. Write the join
# that keeps the rows of the one without a partner in the other.

# %% spark=true
told_written.limit(3).toPandas()  # your join comes here; count its rows by shop

# %% answer
orders_lost = {"A": ..., "B": ..., "C": ...}
first_lost = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def lost_by(shop):
    written, read = shop_with_crash(shop)
    return sorted(int(key.split()[1]) for key in set(written) - set(read))


orders_lost = {name: len(lost_by(shop)) for name, shop in n.items()}
first_lost = {name: lost_by(shop)[0] for name, shop in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: the loss report",
    points=2,
    answers=("orders_lost", "first_lost"),
    draws=THREE,
    row="shop",
    space={"acks": ("0", "1"), "asleep_after_ms": tuple(range(30, 960, 20))},
    # one shop loses an order of one digit: there the least text is not the least number
    together=lambda shops: any(n["asleep_after_ms"] < 100 for n in shops),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _lost(acks: str, asleep_after_ms: int) -> tuple[int, ...]:
    """The numbers of acknowledged orders that nobody can read after the leader's crash."""
    lab = Lab(
        brokers=4,
        seed=4,
        broker_config={
            "min.insync.replicas": 1,
            "unclean.leader.election.enable": False,
            "broker.session.timeout.ms": 6_000,
        },
    )
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    for follower in (1, 2):
        lab.clock.at(asleep_after_ms, lambda follower=follower: lab.broker(follower).pause(4_500))
    producer = KafkaProducer(
        lab,
        {
            "client.id": "shop",
            "acks": acks,
            "bootstrap.servers": "localhost:9095",
            "delivery.timeout.ms": 20_000,
            "request.timeout.ms": 3_000,
            "linger.ms": 0,
            "enable.idempotence": False,
        },
    )
    producer.partitions_for("orders")
    written = []
    for number in range(100):
        producer.send(
            ProducerRecord("orders", key=f"order {number}", value="tea"),
            lambda metadata, error, number=number: error or written.append(f"order {number}"),
        )
        lab.sleep(10)
    lab.broker(0).crash()
    lab.run_for(ms=40_000)
    reader = KafkaConsumer(
        lab, {"auto.offset.reset": "earliest", "bootstrap.servers": "localhost:9095"}, name="reader"
    )
    reader.assign([TopicPartition("orders", 0)])
    lost = set(written) - {record.key for record in reader.poll(timeout_ms=5_000)}
    return tuple(sorted(int(key.split()[1]) for key in lost))


Judge(
    truth=lambda case: {
        "orders_lost": len(_lost(case["acks"], case["asleep_after_ms"])),
        "first_lost": _lost(case["acks"], case["asleep_after_ms"])[0],
    },
    right="right: acknowledged by a leader alone, and gone with it.",
    otherwise={
        "orders_lost": (
            "{said} is not it. Join what was acknowledged with what can be read, by shop and key: each "
            "shop has an order 0. Keep the rows without a partner, and count them by shop."
        ),
        "first_lost": (
            "{said} is not it. Take the rows of this shop without a partner. Which is the least of "
            "their numbers?"
        ),
    },
)

# %% equivalent
# `return sorted((int(key.split()[1]) for key in set(written) - set(read)))` ->
# `return sorted(sorted((int(key.split()[1]) for key in set(written) - set(read))))`: it is sorted
# already.

# %% wrong="those that can be read"
# So many can be read. Take what was acknowledged on the left side, and keep what has no partner.
orders_lost = {a: x.asleep_after_ms // 10 - 1 for a, x in n.items()}
first_lost = {a: 0 for a, x in n.items()}

# %% wrong="the least text"
# That is the least text: "order 10" comes before "order 9". Take the numbers out of the keys first,
# and then the least of them.
orders_lost = {a: 101 - x.asleep_after_ms // 10 for a, x in n.items()}
first_lost = {
    a: int(min(str(number) for number in range(x.asleep_after_ms // 10 - 1, 100)))
    for a, x in n.items()
}

# %% wrong="everything after the leader's crash"
# Not all is lost: what the followers had copied before they fell asleep is there.
orders_lost = {a: 100 for a, x in n.items()}
first_lost = {a: 0 for a, x in n.items()}

# %% wrong="acknowledged is safe"
# Each shop was told that all its orders are written, by the leader alone. The leader crashed, and
# only it had the last ones.
orders_lost = {a: 0 for a, x in n.items()}
first_lost = {a: None for a, x in n.items()}

# %% hint
# Acknowledged on the left, readable on the right. Spark has a kind of join that keeps the rows of
# the left side without a partner.

# %% hint
# It is called "left_anti". For the first number: F.min of split(key, " ")[1], cast to int.
