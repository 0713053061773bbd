# %% [markdown] items="N12 N13 N15"
# ### Exercise 04.4 · Who packs?
#
# Four topics, A to D. In A the producer's `compression.type` is `n.A.producer`, where `none` means
# that it does not pack, and the topic's is `n.A.topic`. Who packs records: `"producer"`,
# `"broker"`, `"both"` or `"nobody"`? The function `packed` shows it. A broker that only reads
# through a batch does not pack, and neither does one that only unpacks.

# %%
n = numbers("04.4")
n

# %% answer
packers = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def packer(topic):
    table = packed(topic.producer, topic.topic)
    producer = (table.work == "compress").any()
    broker = ((table.work == "recompress") & (table.codec != "none")).any()
    if producer and broker:
        return "both"
    return "producer" if producer else "broker" if broker else "nobody"


packers = {name: packer(topic) for name, topic in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_ideas_apart(topics: list[dict]) -> bool:
    """Whether every usual idea about who packs goes wrong on one of these pairs of codecs: the
    broker must pack, and the broker gets packed records that it keeps, or only unpacks."""
    must = [n["topic"] not in ("producer", "uncompressed", n["producer"]) for n in topics]
    only_seems = [
        n["producer"] != "none" and n["topic"] in ("uncompressed", n["producer"]) for n in topics
    ]
    return any(must) and any(only_seems)


Value(
    title="who packs",
    points=2,
    answers=("packers",),
    draws=("A", "B", "C", "D"),
    row="topic",
    together=tells_ideas_apart,
    space={
        "producer": ("none", "gzip", "snappy", "lz4", "zstd"),
        "topic": ("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"),
    },
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _packer(producer_codec: str, topic_codec: str) -> str:
    """Who packed records, with these two codecs: read off the work that a lab's machines did."""
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("t", partitions=1, config={"compression.type": topic_codec})
    producer = KafkaProducer(lab, {"compression.type": producer_codec, "linger.ms": 20})
    for number in range(200):
        producer.send(ProducerRecord("t", value=f"order {number}: one cup of tea"))
    producer.close()
    works = {event.work for event in lab.journal.of("cpu") if event.codec != "none"}
    return {(True, True): "both", (True, False): "producer", (False, True): "broker"}.get(
        ("compress" in works, "recompress" in works), "nobody"
    )


Judge(
    truth=lambda case: {"packers": _packer(case["producer"], case["topic"])},
    right=(
        "right: the producer packs; the broker only where the topic asks for another codec "
        "than the one that came."
    ),
    otherwise="not so. packed(producer_codec, topic_codec) shows who did what.",
)

# %% wrong="the broker packs"
# You gave the packing to the broker. The producer packs; a broker with nothing else to do keeps
# what it gets.
packers = {a: "nobody" if x.producer == "none" else "broker" for a, x in n.items()}

# %% wrong="both, whenever the topic has a codec"
# Does the broker pack here? Not when what came has the codec that is wanted, and not when the
# topic wants plain records: unpacking is not packing.
packers = {
    a: "both"
    if x.producer != "none" and x.topic != "producer"
    else "nobody"
    if x.topic == "producer" and x.producer == "none"
    else "producer"
    if x.producer != "none"
    else "broker"
    for a, x in n.items()
}

# %% wrong="only the producer ever packs"
# A topic with a codec of its own packs what comes in another form: the broker does it.
packers = {a: "nobody" if x.producer == "none" else "producer" for a, x in n.items()}

# %% hint
# packed(producer_codec, topic_codec) shows who did what. Compress and recompress are packing,
# validate is only reading.

# %% hint
# A producer packs unless its codec is none. A broker packs when the topic asks for a codec other
# than the one that came.
