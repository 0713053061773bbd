# %% [markdown]
# ### Exercise 05.5 · What is lost, and where?
#
# How many acknowledged orders did each shop lose? A *left anti join* keeps the rows of the left
# side that have no partner on the right.

# %% spark=true
not_there = told_written.join(can_be_read, ["shop", "key"], "left_anti")
not_there.limit(3).toPandas()  # count these by shop

# %% answer
orders_lost = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def lost_by(shop):
    told_and_left = shop_with_crash(shop)
    return len(set(told_and_left[0]) - set(told_and_left[1]))


orders_lost = {name: lost_by(shop) for name, shop in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: the loss report",
    points=2,
    answers=("orders_lost",),
    draws=THREE,
    row="shop",
    space={"acks": ("0", "1"), "asleep_after_ms": tuple(range(110, 960, 30))},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _lost(acks: str, asleep_after_ms: int) -> int:
    """Acknowledged orders of one shop that nobody can read after its leader's crash."""
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
    return len(set(written) - {record.key for record in reader.poll(timeout_ms=5_000)})


Judge(
    truth=lambda case: {"orders_lost": _lost(case["acks"], case["asleep_after_ms"])},
    right="right: acknowledged by a leader alone, and gone with it.",
    otherwise=(
        "not this number. Join what was acknowledged with what can be read, left anti, and "
        "count by shop."
    ),
)

# %% wrong="those that can be read"
# These can be read, or nearly. Take what was acknowledged on the left side, and keep what has no
# partner.
orders_lost = {a: min(100, x.asleep_after_ms // 10 - 1) for a, x in n.items()}

# %% wrong="everything after the leader's crash"
# Not all is lost: what the followers had copied before they fell asleep is there.
orders_lost = {a: 100 for a, x in n.items()}

# %% wrong="acknowledged is safe"
# Each shop was told that all its orders are written, by the leader alone. It died with what only
# it had.
orders_lost = {a: 0 for a, x in n.items()}

# %% hint
# Acknowledged on the left, readable on the right: what has no partner is lost.

# %% hint
# told_written.join(can_be_read, ["shop", "key"], "left_anti").groupBy("shop").count()
