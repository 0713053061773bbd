# Generated from notebooks/exercises/14; edit those files and run
# `python -m autograder course 14`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 14's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 14.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import cluster, till, write


@cache
def _readable(leader: int, broker_1: int, broker_2: int, out: int) -> int:
    """The high watermark in a lab whose followers stop fetching at these offsets."""
    lab = cluster(brokers=4, seed=4)
    shop, written = till(lab), 0
    for end, follower in (*sorted(((broker_1, 1), (broker_2, 2))), (leader, 0)):
        while written < end:
            write(shop, f"order {written}")
            lab.run_for(ms=20)
            written += 1
        lab.run_for(ms=600)
        if follower and follower == out:
            lab.broker(follower).crash()
        elif follower:
            lab.broker(follower).disk.slow(100_000)
    if out:
        lab.run_until(lambda: out not in lab.cluster.partition("orders", 0).isr)
    return lab.at(lab.now_ms)["partitions"]["orders-0"]["high_watermark"]


def _how_far(case: dict) -> dict:
    offset = _readable(case["leader"], case["broker_1"], case["broker_2"], case["out"])
    return {"high_watermark": offset, "waiting": case["leader"] - offset}


JUDGE_14_1 = Judge(
    id="14.1",
    wrong_answers=(
        WrongAnswer(
            name="the leader's log end",
            sentence="The leader has its records up to {leader}, but a crash could take back those that no other replica has. A reader does not get them yet.",
            source=(
                "high_watermark = {name: x.leader for name, x in n.items()}\n"
                "waiting = {name: 0 for name in n}"
            ),
        ),
        WrongAnswer(
            name="all replicas count",
            sentence="A replica that is out of sync does not count. Nobody waits for broker {out}.",
            source=(
                "high_watermark = {name: min(x.leader, x.broker_1, x.broker_2) for name, x in n.items()}\n"
                "waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one copy is enough",
            sentence="You took the fastest follower. The others in sync may become leader too, and they lack records.",
            source=(
                "high_watermark = {\n"
                "    name: max(end for end, id in ((x.broker_1, 1), (x.broker_2, 2)) if id != x.out)\n"
                "    for name, x in n.items()\n"
                "}\n"
                "waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one less",
            sentence="A fetch from offset 7 means that records 0 to 6 are there. The high watermark is the offset after the last readable record, so it is 7 as well.",
            source=(
                "high_watermark = {\n"
                "    name: min(\n"
                "        x.leader,\n"
                "        *(end for end, id in ((x.broker_1, 1), (x.broker_2, 2)) if id != x.out),\n"
                "    )\n"
                "    - 1\n"
                "    for name, x in n.items()\n"
                "}\n"
                "waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}"
            ),
        ),
    ),
    truth=_how_far,
    right="right: the smallest log end of those in sync. What is above it waits.",
    otherwise=(
        "not this. A fetch from offset 7 says: I have all below 7. Take the smallest of these "
        "numbers over the replicas in sync, the leader among them."
    ),
)


# %% 14.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import late_follower


@cache
def _stays(lag_s: int, missing: int, caught_up_s: int) -> bool:
    """Whether the follower is in sync in the lab, so long after it was cut off."""
    return 1 in late_follower(lag_s, missing, caught_up_s).cluster.partition("orders", 0).isr


JUDGE_14_2 = Judge(
    id="14.2",
    wrong_answers=(
        WrongAnswer(
            name="the number of records decides",
            sentence="How many records are missing does not matter (here: {missing}). It had caught up {caught_up_s} seconds ago, and the limit is {lag_s}.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def facts(lines):\n"
                "    \"\"\"(records missing, seconds since it had all, the limit in seconds)\"\"\"\n"
                "    first = [float(word) for word in re.findall(r\"[\\d.]*\\d\", lines[0])]\n"
                "    second, leader, follower, limit_ms = map(float, re.findall(r\"[\\d.]*\\d\", lines[-1]))\n"
                "    return leader - follower, second - first[0], limit_ms / 1_000\n"
                "\n"
                "\n"
                "read = {name: facts(lines) for name, lines in n.items()}\n"
                "stays = {name: missing < 100 for name, (missing, late_s, limit_s) in read.items()}"
            ),
        ),
        WrongAnswer(
            name="it must lack nothing",
            sentence="Many healthy followers lack some records at any moment. Only the time since it had caught up counts, and only when something is missing.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def facts(lines):\n"
                "    \"\"\"(records missing, seconds since it had all, the limit in seconds)\"\"\"\n"
                "    first = [float(word) for word in re.findall(r\"[\\d.]*\\d\", lines[0])]\n"
                "    second, leader, follower, limit_ms = map(float, re.findall(r\"[\\d.]*\\d\", lines[-1]))\n"
                "    return leader - follower, second - first[0], limit_ms / 1_000\n"
                "\n"
                "\n"
                "read = {name: facts(lines) for name, lines in n.items()}\n"
                "stays = {name: missing == 0 for name, (missing, late_s, limit_s) in read.items()}"
            ),
        ),
        WrongAnswer(
            name="time alone",
            sentence="A follower that lacks nothing stays, however long ago its last fetch was counted. No record came in this time.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def facts(lines):\n"
                "    \"\"\"(records missing, seconds since it had all, the limit in seconds)\"\"\"\n"
                "    first = [float(word) for word in re.findall(r\"[\\d.]*\\d\", lines[0])]\n"
                "    second, leader, follower, limit_ms = map(float, re.findall(r\"[\\d.]*\\d\", lines[-1]))\n"
                "    return leader - follower, second - first[0], limit_ms / 1_000\n"
                "\n"
                "\n"
                "read = {name: facts(lines) for name, lines in n.items()}\n"
                "stays = {name: late_s <= limit_s for name, (missing, late_s, limit_s) in read.items()}"
            ),
        ),
        WrongAnswer(
            name="always thirty seconds",
            sentence="The limit here is {lag_s} seconds. 30 is the default since 2.5; before, it was 10.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def facts(lines):\n"
                "    \"\"\"(records missing, seconds since it had all, the limit in seconds)\"\"\"\n"
                "    first = [float(word) for word in re.findall(r\"[\\d.]*\\d\", lines[0])]\n"
                "    second, leader, follower, limit_ms = map(float, re.findall(r\"[\\d.]*\\d\", lines[-1]))\n"
                "    return leader - follower, second - first[0], limit_ms / 1_000\n"
                "\n"
                "\n"
                "read = {name: facts(lines) for name, lines in n.items()}\n"
                "stays = {name: missing == 0 or late_s <= 30 for name, (missing, late_s, limit_s) in read.items()}"
            ),
        ),
    ),
    truth=lambda case: {"stays": _stays(case["lag_s"], case["missing"], case["caught_up_s"])},
    right="right: time decides, and a follower with all records never leaves.",
    otherwise=(
        "not so. Compare the time since it had caught up with replica.lag.time.max.ms. A follower "
        "that lacks nothing stays in any case."
    ),
)


# %% 14.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _more_nights(rng) -> list[dict]:
    return [
        {"seed": rng.randrange(10, 900), "happens": happens}
        for happens in ("cut off", "heir", "follower down", "two down", "slow", "heir")
    ]


JUDGE_14_3 = Judge(
    id="14.3",
    wrong_answers=(
        WrongAnswer(
            name="the leader's log end",
            sentence="You showed what the leader has. When the leader was cut off and died, the reader had got orders that no other replica had.",
            source=(
                "def watermark(ends, in_sync):\n"
                "    return max(ends.values())"
            ),
        ),
        WrongAnswer(
            name="all replicas",
            sentence="You waited for all replicas, also for one that is down. The high watermark did not move, and the reader got nothing more. Only those in sync count.",
            source=(
                "def watermark(ends, in_sync):\n"
                "    return min(ends.values())"
            ),
        ),
        WrongAnswer(
            name="a majority",
            sentence="You took what most replicas have. Kafka's leader need not be one of them: each replica in sync may become leader, also the one that has the fewest records.",
            source=(
                "def watermark(ends, in_sync):\n"
                "    return sorted(ends.values(), reverse=True)[len(ends) // 2]"
            ),
        ),
        WrongAnswer(
            name="the fastest follower",
            sentence="One copy more is not enough. Another replica in sync became leader and lacked the record.",
            source=(
                "def watermark(ends, in_sync):\n"
                "    others = [ends[broker] for broker in in_sync if ends[broker] < max(ends.values())]\n"
                "    return max(others, default=max(ends.values()))"
            ),
        ),
        WrongAnswer(
            name="followers only",
            sentence="You left out the leader, and when it was alone in sync, nobody was left to ask. The leader is one of the replicas in sync.",
            source=(
                "def watermark(ends, in_sync):\n"
                "    return min([ends[broker] for broker in in_sync[1:]] or [0])"
            ),
        ),
        WrongAnswer(
            name="one less",
            sentence="The high watermark is the offset after the last readable record. You took one less, so the last order is never shown.",
            source=(
                "def watermark(ends, in_sync):\n"
                "    return max(0, min(ends[broker] for broker in in_sync) - 1)"
            ),
        ),
    ),
    hidden_cases=_more_nights,
    unseen=(
        "a promise was broken on a night of ours. Which replicas may become leader, and what has "
        "each of them?"
    ),
)


# %% 14.4
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import ProducerRecord
from kafkalab.stories.replicas import cluster, till


def _batch(lab, shop, first: int, end: int) -> None:
    """Write the orders from `first` to `end` in one batch."""
    for number in range(first, end):
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea", partition=0))
    shop.flush()
    lab.run_for(ms=200)


@cache
def _cut(log_end: int, high_watermark: int, leader_says: int) -> int:
    """Where a replica cut its log in a lab: the old leader, or a follower that has less than the
    new one. A slow disk keeps a follower from its next fetch, so the high watermark stops."""
    lab = cluster(brokers=4, seed=4)
    shop = till(lab, **{"linger.ms": 20})
    _batch(lab, shop, 0, high_watermark)
    lab.run_for(ms=1_500)
    back = 0 if log_end > leader_says else 2
    lab.broker(2).disk.slow(100_000)
    if back == 0:
        lab.broker(1).disk.slow(100_000)
    _batch(lab, shop, high_watermark, min(log_end, leader_says))
    lab.broker(1).disk.slow(100_000)
    _batch(lab, shop, min(log_end, leader_says), max(log_end, leader_says))
    before = lab.at(lab.now_ms)["partitions"]["orders-0"]["logs"]
    for broker in {0, back}:
        lab.broker(broker).crash()
    lab.run_until(lambda: lab.leader("orders", 0) == 1)
    lab.broker(back).restart()
    lab.run_for(ms=20_000)
    cuts = [
        event.log_end_offset
        for event in lab.journal.of("replica.truncated")
        if event.who == f"broker-{back}" and event.topic == "orders"
    ]
    return cuts[0] if cuts else before[back]["log_end_offset"]


def _where_to_cut(case: dict) -> dict:
    cut_at = _cut(case["log_end"], case["high_watermark"], case["leader_says"])
    old_cut_at = case["high_watermark"]
    return {"cut_at": cut_at, "old_cut_at": old_cut_at, "thrown_away": cut_at - old_cut_at}


JUDGE_14_4 = Judge(
    id="14.4",
    wrong_answers=(
        WrongAnswer(
            name="at the high watermark",
            sentence="A follower's high watermark may be late. Today it cuts where the leader's epoch ended, at {leader_says}, or keeps its log if it is shorter.",
            source=(
                "cut_at = {name: x.high_watermark for name, x in n.items()}\n"
                "old_cut_at = {name: x.high_watermark for name, x in n.items()}\n"
                "thrown_away = {name: 0 for name in n}"
            ),
        ),
        WrongAnswer(
            name="beyond its own end",
            sentence="The log ends at {log_end}. There is nothing to cut beyond: the follower copies more from the leader.",
            source=(
                "cut_at = {name: x.leader_says for name, x in n.items()}\n"
                "old_cut_at = {name: x.high_watermark for name, x in n.items()}\n"
                "thrown_away = {name: x.leader_says - x.high_watermark for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="nothing is cut",
            sentence="What only this follower has, from offset {leader_says} on, must go: at these offsets the leader has other records.",
            source=(
                "cut_at = {name: x.log_end for name, x in n.items()}\n"
                "old_cut_at = {name: x.high_watermark for name, x in n.items()}\n"
                "thrown_away = {name: x.log_end - x.high_watermark for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="all above the high watermark",
            sentence="You counted all records above the high watermark. Some of them the leader does not have; those go today, too.",
            source=(
                "cut_at = {name: min(x.log_end, x.leader_says) for name, x in n.items()}\n"
                "old_cut_at = {name: x.high_watermark for name, x in n.items()}\n"
                "thrown_away = {name: x.log_end - x.high_watermark for name, x in n.items()}"
            ),
        ),
    ),
    truth=_where_to_cut,
    right="right: what the leader has too is kept, whatever the follower's high watermark says.",
    otherwise=(
        "not here. The leader says where its epoch 3 ended. A follower keeps what is below, as far "
        "as it has it."
    ),
)


# %% 14.6
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import cluster, till, write


@cache
def _leader(release: str, first: int, second: int, back: int) -> int:
    lab = cluster(brokers=4, release=release, seed=7, min_insync_replicas=2)
    write(till(lab, acks="all"), *(f"order {number}" for number in range(5)))
    lab.run_for(ms=1_000)
    for broker in (first, second, 3 - first - second):
        lab.broker(broker).stop()
        lab.run_for(ms=30_000)
    lab.broker(back).restart()
    lab.run_for(ms=40_000)
    return lab.leader("orders", 0)


JUDGE_14_6 = Judge(
    id="14.6",
    wrong_answers=(
        WrongAnswer(
            name="only the last one",
            sentence="On 4.4 a replica that leaves an ISR of two stays eligible: since then no write with acks=all was accepted, so it has every acknowledged record.",
            source=(
                "leader = {name: x.back if x.back == 3 - x.first - x.second else -1 for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the second one on 2.3 too",
            sentence="Release 2.3 knows no eligible replicas. Only the last member of the ISR may lead there.",
            source=(
                "leader = {name: -1 if x.back == x.first else x.back for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="anyone leads",
            sentence="Unclean election is off. Broker {first} left when two were still in sync, and writes with acks=all continued without it. It may lack some of them.",
            source=(
                "leader = {name: x.back for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="nobody",
            sentence="A replica that has every acknowledged record may lead when it comes back. Find out which ones have.",
            source=(
                "leader = {name: -1 for name in n}"
            ),
        ),
        WrongAnswer(
            name="broker 0, the first of the list",
            sentence="Broker 0 can lead only when it is up. Only broker {back} came back.",
            source=(
                "leader = {name: 0 for name in n}"
            ),
        ),
    ),
    truth=lambda case: {
        "leader": _leader(case["release"], case["first"], case["second"], case["back"])
    },
    right="right: who may lead has every acknowledged record.",
    otherwise=(
        "not this broker. Which replica was the last in sync? On 4.4 also ask: who left when fewer "
        "than two would remain?"
    ),
)


# %% 14.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import RACKS, reading_in


@cache
def _fetched(rack: str, seed: int) -> tuple[int, ...]:
    """The brokers that a reader in this rack sent its fetches to."""
    lab = reading_in(rack, seed)
    return tuple(
        int(lab.line_text(event).rpartition("(id: ")[2][0])
        for event in lab.journal.of("line")
        if event.who == "reader" and "FetchRequest(" in lab.line_text(event)
    )


JUDGE_14_5 = Judge(
    id="14.5",
    wrong_answers=(
        WrongAnswer(
            name="who has a rack reads near",
            sentence="A rack is a name, compared letter by letter. No broker has the rack {rack}, so the leader served every fetch.",
            source=(
                "crossing = {name: 0 if x.rack == \"a\" else 1 for name, x in shops.items()}"
            ),
        ),
        WrongAnswer(
            name="nobody crosses",
            sentence="The first fetch of a shop outside the leader's rack always goes to the leader: only the leader can name a near replica.",
            source=(
                "crossing = {name: 0 for name in shops}"
            ),
        ),
        WrongAnswer(
            name="everybody outside rack a",
            sentence="You counted all fetches of a shop that is not in the leader's rack. Once the leader has named a follower in rack {rack}, the fetches go there.",
            source=(
                "import re\n"
                "\n"
                "crossing = {\n"
                "    name: 0 if x.rack == \"a\" else len(re.findall(r\"FetchRequest\\(\", logs[name]))\n"
                "    for name, x in shops.items()\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: {
        "crossing": sum(
            RACKS[broker] != case["rack"] for broker in _fetched(case["rack"], case["seed"])
        )
    },
    right="right: one fetch to be sent away is the normal price; all of them are a wrong rack.",
    otherwise=(
        "not this number. Count the fetches whose broker's rack is not the shop's own rack, letter "
        "by letter."
    ),
)


# %% all
JUDGES = (
    JUDGE_14_1,
    JUDGE_14_2,
    JUDGE_14_3,
    JUDGE_14_4,
    JUDGE_14_6,
    JUDGE_14_5,
)
