"""Stories of the words that clients write into their logs, release by release."""

from __future__ import annotations

import re
from typing import Any

from kafkalab.real.proof.claim import Side, settled, story
from kafkalab.records import ProducerRecord

SETTINGS = re.compile(r"^\s*(partition\.assignment\.strategy|session\.timeout\.ms) = (.*)$", re.M)
FOUND = re.compile(r"(Sending FIND_COORDINATOR (?:request|\{))")
CLIENT_ID = re.compile(r"clientId=([^,\]]+)")


@story(
    "03 what the lines say",
    brokers=1,
    releases=("2.3", "2.8", "3.9", "4.4"),
    claims={
        "client_id": "A consumer without a client.id, in the group test: its name in its lines.",
        "asks": "The line about the request for the coordinator begins so.",
        "strategy": "partition.assignment.strategy by default.",
        "session": "session.timeout.ms by default.",
    },
)
def what_lines_say(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("t4")
    consumer = side.consumer(lab, group_id="test", client_id=None)
    consumer.subscribe(["t4"])
    settled(lab, [consumer], 1_500)
    text = lab.log_text("reader")
    said = dict(SETTINGS.findall(text))
    names, asked = CLIENT_ID.search(text), FOUND.search(text)
    return {
        "client_id": names[1] if names else "none",
        "asks": asked[1] if asked else "nothing",
        "strategy": said.get("partition.assignment.strategy"),
        "session": said.get("session.timeout.ms"),
    }


@story(
    "10 what a late member says",
    brokers=1,
    releases=("2.3", "2.8", "3.6", "3.9", "4.4"),
    claims={
        "lines": "Longer between two polls than max.poll.interval.ms: so many lines name the poll "
        "timeout.",
        "words": "They have these levels and words.",
    },
)
def late_member_says(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    slow = side.consumer(
        lab, "slow", group_id="billing", max_poll_interval_ms=4_000, enable_auto_commit=False
    )
    slow.subscribe(["orders"])
    settled(lab, [slow], 5_000)
    lab.run_for(6_000)
    lines = lab.lines("slow")
    named = lines[lines.message.str.contains("poll timeout")]
    return {
        "lines": len(named),
        "words": [
            f"{row.level} ...{row.message[max(0, at - 28) : at + 24]}"
            for row in named.itertuples()
            for at in [row.message.index("poll timeout")]
        ],
    }


@story(
    "04 RoundRobinPartitioner",
    brokers=1,
    releases=("2.8", "3.9", "4.4"),
    claims={
        "used": "Twelve records, each a batch of its own, and six partitions: so many get records."
    },
)
def partitions_in_turn(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=6)
    partitioner = "org.apache.kafka.clients.producer.RoundRobinPartitioner"
    producer = side.producer(lab, partitioner_class=partitioner, linger_ms=0)
    used = {producer.send(ProducerRecord("orders", "tea")).get().partition for _ in range(12)}
    return {"used": len(used)}
