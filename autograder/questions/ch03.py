"""Chapter 03, what a consumer connects to: the learner's half of its questions."""
from __future__ import annotations

from autograder.questions import Question

NODE_IDS = ("0", "-1", "2147483645", "+2", "2147483647", "7")
GROUPS = ("test", "inventory", "orders", "polygenelubricants")

QUESTIONS = (
    Question(
        id="03.1", title="opened and kept by one consumer", points=3, kind="value", answers=("opened", "kept"),
        space={"brokers": (4, 5, 6, 7, 8), "partitions": (5, 6, 7, 8, 9), "leaders": (3, 4, 5)},
        where=lambda n: n["leaders"] < min(n["brokers"] - 2, n["partitions"]) and n["brokers"] != n["partitions"],
        hints=("Count by class: one to ask, one to the coordinator, and then the data connections. How many brokers lead a partition?",
               "2 + n.leaders are opened. Kept: all but the one that was only needed to ask.")),
    Question(
        id="03.2", title="the broker behind a node id", points=2, kind="function", answers=("broker_of",),
        public_cases=tuple({"case": f"node id {text}", "node_id": text} for text in NODE_IDS),
        probe=lambda names, case: names["broker_of"](case["node_id"]),
        hints=("Four kinds: a real id, a made-up negative one, a very large one, and one with a plus sign.",
               "Very large: 2147483647 minus the number. Negative: the client does not know the broker, so None.")),
    Question(
        id="03.3", title="connection lines by class", points=2, kind="lines", answers=("labels",),
        hints=("The id stands behind `(id: `. It tells the class by itself.",
               "Negative: bootstrap. Larger than two thousand million, or with a plus: coordinator. Else: data.")),
    Question(
        id="03.4", title="from a group's name to its partition", points=2, kind="function", answers=("offsets_partition",),
        public_cases=tuple({"case": f"group {name}", "group": name} for name in GROUPS),
        probe=lambda names, case: names["offsets_partition"](case["group"]),
        hints=("Hash, make it positive, take the rest by 50. The order of the steps matters.",
               "abs(-2147483648) is 2147483648 in Python. In Kafka it is 0. Treat that one number first.")),
    Question(
        id="03.5", title="all leaders on one broker", points=2, kind="value", answers=("opened_one", "kept_one"),
        space={"brokers": (2, 3, 4, 5), "partitions": (2, 3, 4, 5, 6, 7)}, where=lambda n: n["brokers"] != n["partitions"],
        hints=("A connection is found by its node id. The id for coordination differs from the id for data, even on the same broker.",
               "One bootstrap, one coordinator, one data. How many leaders are there?")),
    Question(
        id="03.6", title="Spark: consumers without a coordinator", points=2, kind="value", answers=("without_coordinator",),
        hints=("`per_client` has a column coordinator. Which rows have 0 there?",
               "per_client.where(\"coordinator = 0\").count()")),
    Question(
        id="03.open", points=4, kind="open",
        title="Two brokers, one topic with five partitions, one consumer in a group, one bootstrap address, client 2.3. How many TCP "
              "connections does the consumer open, how many does it keep after the idle limit has passed, and why does the coordinator "
              "get a socket of its own?"),
)
