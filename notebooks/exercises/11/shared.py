# %% question
from kafkalab import KafkaProducer, ProducerRecord

MINUTE = 60_000
THREE = ("A", "B", "C")


def wrote(lab, partition: int, records: int, shop=None) -> KafkaProducer:
    """Records in a partition of orders, and who wrote them."""
    shop = shop or KafkaProducer(lab, {"client.id": "shop"})
    for _ in range(records):
        shop.send(ProducerRecord("orders", value="an order", partition=partition))
    shop.flush()
    return shop


def tells_ideas_apart(stories: list[dict]) -> bool:
    """Whether both rules of auto.offset.reset are among them."""
    return len({n["reset"] for n in stories}) == 2


STORIES = {
    "arrive": (30, 40, 50),
    "work": (20, 30),
    "keep": (5, 6, 8, 10),
    "reset": ("earliest", "latest"),
}


def overrun(n: dict) -> bool:
    """Whether retention reaches the reader in such a story, within half an hour."""
    return n["arrive"] > n["work"] and n["keep"] * n["arrive"] // (n["arrive"] - n["work"]) <= 30


# %% judge
from functools import cache

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


@cache
def _overrun(arrive: int, work: int, keep: int, reset: str) -> dict:
    """A member that is slower than its topic: when it first finds its position gone, its lag
    after that, and what it never got. A member that loses nothing has no first loss."""
    lab = Lab(brokers=1, seed=11, broker_config={"log.retention.check.interval.ms": 10_000})
    lab.create_topic("orders", config={"retention.ms": keep * MINUTE, "segment.ms": 30_000})
    shop = KafkaProducer(lab, {"client.id": "shop"})
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "auto.offset.reset": reset,
            "enable.auto.commit": False,
            "max.poll.records": 10,
            "max.partition.fetch.bytes": 500,
            "heartbeat.interval.ms": 15_000,
            "retry.backoff.ms": 1_000,
        },
        name="m1",
    )
    member.subscribe(["orders"])
    member.poll(timeout_ms=4_000)
    got = []
    for minute in range(1, 41):
        lab.run_for(ms=MINUTE * minute - lab.now_ms)
        for _ in range(arrive):
            shop.send(ProducerRecord("orders", value="an order"))
        shop.flush()
        for _ in range(work // 10):
            got += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
    gone = [
        int(line.at_ms // MINUTE)
        for line in lab.lines("m1").itertuples()
        if "out of range" in line.message
    ]
    if not gone:
        return {"first_loss": None}
    bookmark = int(lab.describe_group("billing").current_offset.iloc[0])
    # a member with one poll a minute asks for its new position in the next minute
    then = gone[0] * MINUTE + MINUTE * 3 // 2
    left = int(lab.describe_group("billing", then).lag.iloc[0])
    return {
        "first_loss": gone[0],
        "dashboard": "zero" if left < arrive else "flat",
        "resets": len(gone),
        "skipped_records": bookmark - len(set(got)),
    }
