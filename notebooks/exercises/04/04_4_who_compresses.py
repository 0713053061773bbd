# %% [markdown] items="N12 N13 N15"
# ### Exercise 04.4 · Who compresses?
#
# Write the rule as a function, `who_compresses(producer, topic)`. `producer` is the producer's
# `compression.type`: a codec, or `"none"` for no compression. `topic` is the topic's
# `compression.type`: `"producer"`, `"uncompressed"` or a codec. Return who compresses records:
# `"producer"`, `"broker"`, `"both"` or `"nobody"`.
#
# Reading through a batch is not compressing. Decompressing is not compressing either. `work_on`
# shows any pair of codecs. The check tries your rule on many pairs and compares it with the work in
# a lab.

# %% answer
def who_compresses(producer, topic):
    """ "producer", "broker", "both" or "nobody": who compresses records with these settings."""
    ### BEGIN SOLUTION
    by_producer = producer != "none"
    by_broker = topic not in ("producer", "uncompressed", producer)
    if by_producer and by_broker:
        return "both"
    return "producer" if by_producer else "broker" if by_broker else "nobody"
    ### END SOLUTION


# %% question
from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function

PAIRS = (
    ("gzip", "producer"),
    ("none", "producer"),
    ("gzip", "gzip"),
    ("gzip", "snappy"),
    ("none", "zstd"),
    ("lz4", "uncompressed"),
    ("none", "uncompressed"),
)
WORDS = ("producer", "broker", "both", "nobody")


def named(names, case) -> str:
    """The word that the learner's rule returns for this pair."""
    word = names["who_compresses"](case["producer"], case["topic"])
    if word not in WORDS:
        raise NotAsAsked(f"`who_compresses` returned {word!r}; it returns {', '.join(WORDS)}")
    return word


Function(
    title="who compresses",
    points=2,
    answers=("who_compresses",),
    public_cases=tuple(
        {
            "case": f"producer {producer}, topic {topic}",
            "producer": producer,
            "topic": topic,
        }
        for producer, topic in PAIRS
    ),
    probe=named,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord

CODECS = ("gzip", "snappy", "lz4", "zstd")


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


RIGHT = {
    "producer": "right: the producer compresses, and the broker compresses nothing.",
    "broker": "right: plain records came, so the broker compresses all of them.",
    "both": "right: the topic asks for another codec than the one that came.",
    "nobody": "right: plain records came, and the topic is content with them.",
}

Judge(
    truth=lambda case: _packer(case["producer"], case["topic"]),
    hidden_cases=lambda rng: [
        {"producer": producer, "topic": topic}
        for producer in ("none", *CODECS)
        for topic in ("producer", "uncompressed", *rng.sample(CODECS, 3))
    ],
    right=lambda case: RIGHT[_packer(case["producer"], case["topic"])],
    otherwise="not {said}. work_on(producer, topic) shows who did what.",
    unseen="for another pair of codecs your rule names somebody else than the lab.",
)


# %% wrong="the topic's codec replaces the producer's"
# The producer does not know the topic's setting. It compresses with its own codec all the same.
def who_compresses(producer, topic):
    if topic not in ("producer", "uncompressed", producer):
        return "broker"
    return "nobody" if producer == "none" else "producer"


# %% wrong="the broker packs"
# You gave the work to the broker. With these settings the producer compresses, and the broker
# compresses nothing.
def who_compresses(producer, topic):
    if producer == "none" and topic in ("producer", "uncompressed"):
        return "nobody"
    return "broker"


# %% wrong="both, whenever the topic has a setting"
# The broker compresses nothing here: the topic wants the codec that came, or plain records. To
# decompress is not to compress.
def who_compresses(producer, topic):
    if topic == "producer":
        return "nobody" if producer == "none" else "producer"
    return "broker" if producer == "none" else "both"


# %% wrong="only the producer ever packs"
# A topic with a codec of its own compresses what comes in another form: the broker does it.
def who_compresses(producer, topic):
    return "nobody" if producer == "none" else "producer"


# %% hint
# work_on(producer, topic) shows who did what. `compress` and `recompress` into a codec count,
# `validate` does not.

# %% hint
# Ask two questions, one after the other. Does the producer have a codec? Does the topic name a
# codec other than the one that came?
