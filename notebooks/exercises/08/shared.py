# %% question
from kafkalab import KafkaConsumer, Lab

STATES = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead")
CAUSES = ("too slow", "crashes", "closes", "subscribes anew")
NAMES = ("ann", "bob", "cyd")


def troubled_group(cause: str, guilty: str, seed: int) -> Lab:
    """Fifty seconds of a group of three in which one member has a bad habit."""
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=6)
    lab.create_topic("returns", partitions=1)
    usual = {
        "group.id": "inventory",
        "session.timeout.ms": 10_000,
        "enable.auto.commit": False,
        "fetch.max.wait.ms": 2_000,
    }

    def read(lab, name, until_ms=None, work_ms=0, **config):
        consumer = KafkaConsumer(
            lab,
            {**usual, "client.id": name.split("/")[0], **config},
            name=name if "/" in name else None,
        )
        consumer.subscribe(["orders"])
        while until_ms is None or lab.now_ms < until_ms:
            consumer.poll(timeout_ms=500)
            lab.sleep(work_ms)
        consumer.close()

    def close_and_come_back(lab, name):
        while True:
            read(lab, name, until_ms=lab.now_ms + 12_000)
            lab.sleep(3_000)

    def change_its_mind(lab, name):
        consumer = KafkaConsumer(lab, {**usual, "client.id": name})
        while True:
            for topics in (["orders"], ["orders", "returns"]):
                consumer.subscribe(topics)
                until_ms = lab.now_ms + 9_000
                while lab.now_ms < until_ms:
                    consumer.poll(timeout_ms=500)

    for name in NAMES:
        if name != guilty:
            lab.spawn(read, name, name=name)
    if cause == "too slow":
        lab.spawn(
            lambda lab: read(lab, guilty, work_ms=9_000, **{"max.poll.interval.ms": 6_000}),
            name=guilty,
        )
    elif cause == "closes":
        lab.spawn(close_and_come_back, guilty, name=guilty)
    elif cause == "subscribes anew":
        lab.spawn(change_its_mind, guilty, name=guilty)
    for life in range(4):
        if cause == "crashes":
            lab.spawn(read, f"{guilty}/{life}", name=f"{guilty}/{life}")
            lab.run_for(ms=11_000)
            lab.kill(f"{guilty}/{life}")
            lab.run_for(ms=1_500)
        else:
            lab.run_for(ms=12_500)
    lab.close()
    return lab


# %% judge
EMPTY, PREPARING, COMPLETING, STABLE, DEAD = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Dead",
)
