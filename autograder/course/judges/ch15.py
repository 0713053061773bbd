# Generated from notebooks/exercises/15; edit those files and run
# `python -m autograder course 15`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 15's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 15.1
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge
from kafkalab.stories.broker import last_order

STAGES_ASKED = {
    "queue_ms": "request_queue_ms",
    "local_ms": "local_ms",
    "remote_ms": "remote_ms",
}


def _times(case: dict) -> dict:
    """The stages of the last order in the modelled threads and queues."""
    copied_ms = case["copied_ms"] if case["acks"] == "acks=all" else 0
    row = last_order(case["ahead"], case["threads"], case["work_ms"], copied_ms)
    return {name: round(row[column]) for name, column in STAGES_ASKED.items()}


JUDGE_15_1 = Judge(
    id="15.1",
    wrong_answers=(
        WrongAnswer(
            name="one thread for all",
            sentence="There are {threads} I/O threads. So that many orders begin at the same time.",
            source=(
                "queue_ms = {name: x.ahead * x.work_ms for name, x in n.items()}\n"
                "local_ms = {name: x.work_ms for name, x in n.items()}\n"
                "remote_ms = {name: x.copied_ms if x.acks == \"acks=all\" else 0 for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="everybody waits for followers",
            sentence="With acks=1 nobody waits for the followers. The answer goes out when the leader has written.",
            source=(
                "queue_ms = {name: x.ahead // x.threads * x.work_ms for name, x in n.items()}\n"
                "local_ms = {name: x.work_ms for name, x in n.items()}\n"
                "remote_ms = {name: x.copied_ms for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the wait is local",
            sentence="LocalTimeMs ends when the I/O thread is done. The wait for followers is RemoteTimeMs: no thread is used for it.",
            source=(
                "queue_ms = {name: x.ahead // x.threads * x.work_ms for name, x in n.items()}\n"
                "local_ms = {name: x.work_ms + (x.copied_ms if x.acks == \"acks=all\" else 0) for name, x in n.items()}\n"
                "remote_ms = {name: 0 for name in n}"
            ),
        ),
        WrongAnswer(
            name="the queue time holds my work",
            sentence="The queue time ends when an I/O thread takes your order. Your own {work_ms} ms are LocalTimeMs.",
            source=(
                "queue_ms = {name: (x.ahead // x.threads + 1) * x.work_ms for name, x in n.items()}\n"
                "local_ms = {name: x.work_ms for name, x in n.items()}\n"
                "remote_ms = {name: x.copied_ms if x.acks == \"acks=all\" else 0 for name, x in n.items()}"
            ),
        ),
    ),
    truth=_times,
    right="right: others' work is your queue time, your own work is local, the followers are remote.",
    otherwise=(
        "not these. Orders begin in groups of {threads}, and each group takes {work_ms} ms. Then "
        "comes your own work, and then what acks asks for."
    ),
)


# %% 15.3
from autograder.cell.questions.ch15 import WRITES
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import four_writes


@cache
def _completed(min_bytes: int, wait_ms: int, partitions: tuple[int, ...]) -> int:
    return four_writes(min_bytes, wait_ms, partitions)[1]


JUDGE_15_3 = Judge(
    id="15.3",
    wrong_answers=(
        WrongAnswer(
            name="the first write",
            sentence="A write to partition 2 wakes nobody who reads 0 and 1, and one batch has 300 bytes. Is that enough?",
            source=(
                "completed_by = {name: 1 for name in n}"
            ),
        ),
        WrongAnswer(
            name="every partition counts",
            sentence="The fetch is on the lists of its own partitions, 0 and 1. A write to partition 2 does not count.",
            source=(
                "completed_by = {\n"
                "    name: number if 100 * (number := -(-x.min_bytes // 300)) <= x.wait_ms else 0\n"
                "    for name, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="each partition for itself",
            sentence="fetch.min.bytes is for the whole fetch: the bytes of all its partitions are added.",
            source=(
                "def alone(x):\n"
                "    got = {0: 0, 1: 0, 2: 0}\n"
                "    for number, partition in enumerate((x.first, x.second, x.third, x.fourth), 1):\n"
                "        got[partition] += 300\n"
                "        if 100 * number <= x.wait_ms and max(got[0], got[1]) >= x.min_bytes:\n"
                "            return number\n"
                "    return 0\n"
                "\n"
                "\n"
                "completed_by = {name: alone(x) for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="without a clock",
            sentence="This fetch waits for {wait_ms} ms only. Then it is answered with what there is.",
            source=(
                "def patient(x):\n"
                "    got = 0\n"
                "    for number, partition in enumerate((x.first, x.second, x.third, x.fourth), 1):\n"
                "        got += 300 if partition in (0, 1) else 0\n"
                "        if got >= x.min_bytes:\n"
                "            return number\n"
                "    return 0\n"
                "\n"
                "\n"
                "completed_by = {name: patient(x) for name, x in n.items()}"
            ),
        ),
    ),
    truth=lambda case: {
        "completed_by": _completed(
            case["min_bytes"], case["wait_ms"], tuple(case[name] for name in WRITES)
        )
    },
    right="right: a fetch is on the lists of its own partitions, and needs all its bytes, or the time.",
    otherwise=(
        "not this one. Only writes to partitions 0 and 1 count. Add their bytes until there are "
        "{min_bytes}, and stop after {wait_ms} ms."
    ),
)


# %% 15.4
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge
from kafkalab.stories.broker import KINDS


def _more_nights(rng) -> list[dict]:
    return [{"seed": rng.randrange(10, 900), "kind": kind} for kind in (*KINDS, "two topics")]


JUDGE_15_4 = Judge(
    id="15.4",
    wrong_answers=(
        WrongAnswer(
            name="answer at once",
            sentence="You answered at once. The order was acknowledged, and only the leader had it. Then the leader died.",
            source=(
                "def may_complete(request, state):\n"
                "    return True"
            ),
        ),
        WrongAnswer(
            name="written at the leader",
            sentence="log_end says what the leader has written. With acks=all the answer waits for the in-sync replicas: for the high watermark.",
            source=(
                "def may_complete(request, state):\n"
                "    if not all(partition.is_leader for partition in state.values()):\n"
                "        return True\n"
                "    if request.kind == \"PRODUCE\":\n"
                "        return all(state[name].log_end >= end for name, end in request.needs.items())\n"
                "    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes"
            ),
        ),
        WrongAnswer(
            name="one partition is enough",
            sentence="The request had records for two partitions. You answered when one of them was safe. It has to wait for all of them.",
            source=(
                "def may_complete(request, state):\n"
                "    if not all(partition.is_leader for partition in state.values()):\n"
                "        return True\n"
                "    if request.kind == \"PRODUCE\":\n"
                "        return any(state[name].high_watermark >= end for name, end in request.needs.items())\n"
                "    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes"
            ),
        ),
        WrongAnswer(
            name="the old leader keeps it",
            sentence="The broker led no more, and the request stayed until its time was over. Answer it at once: the client has to ask the new leader.",
            source=(
                "def may_complete(request, state):\n"
                "    if request.kind == \"PRODUCE\":\n"
                "        return all(state[name].high_watermark >= end for name, end in request.needs.items())\n"
                "    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes"
            ),
        ),
        WrongAnswer(
            name="what is written can be read",
            sentence="You counted bytes above the high watermark. The answer may not hold them, so it was empty, and the reader asked again at once.",
            source=(
                "def may_complete(request, state):\n"
                "    if not all(partition.is_leader for partition in state.values()):\n"
                "        return True\n"
                "    if request.kind == \"PRODUCE\":\n"
                "        return all(state[name].high_watermark >= end for name, end in request.needs.items())\n"
                "    return sum(partition.bytes_written for partition in state.values()) >= request.min_bytes"
            ),
        ),
        WrongAnswer(
            name="any byte",
            sentence="This reader wanted 500 bytes, and you answered with fewer. fetch.min.bytes exists to save requests.",
            source=(
                "def may_complete(request, state):\n"
                "    if not all(partition.is_leader for partition in state.values()):\n"
                "        return True\n"
                "    if request.kind == \"PRODUCE\":\n"
                "        return all(state[name].high_watermark >= end for name, end in request.needs.items())\n"
                "    return sum(partition.bytes_readable for partition in state.values()) > 0"
            ),
        ),
        WrongAnswer(
            name="one more than needed",
            sentence="The need is the offset after the last record. A high watermark that is equal to it is enough: then all records below it are safe.",
            source=(
                "def may_complete(request, state):\n"
                "    if not all(partition.is_leader for partition in state.values()):\n"
                "        return True\n"
                "    if request.kind == \"PRODUCE\":\n"
                "        return all(state[name].high_watermark > end for name, end in request.needs.items())\n"
                "    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes"
            ),
        ),
    ),
    hidden_cases=_more_nights,
    unseen=(
        "a promise was broken on a night of ours. What does a PRODUCE wait for, and what a FETCH? "
        "And what if this broker leads no more?"
    ),
)


# %% 15.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import burst, orders_a_second, places


@cache
def _places(tills: int, threads: int, queue: int, work_ms: int) -> dict[str, int]:
    return places(burst(tills, threads, queue, network_threads=3, work_ms=work_ms)[0])


def _fits(case: dict) -> dict:
    found = _places(case["tills"], case["threads"], case["queue"], case["work_ms"])
    return {
        "per_second": orders_a_second(case["threads"], case["work_ms"]),
        "in_queue": found.get("request queue", 0),
        "outside": found.get("socket", 0) + found.get("network threads", 0),
    }


JUDGE_15_2 = Judge(
    id="15.2",
    wrong_answers=(
        WrongAnswer(
            name="the threads are in the queue",
            sentence="An order that an I/O thread has taken is not in the queue any more. This broker has {threads} of these threads.",
            source=(
                "per_second = {name: x.threads * 1000 // x.work_ms for name, x in n.items()}\n"
                "in_queue = {name: min(x.tills, x.queue) for name, x in n.items()}\n"
                "outside = {name: max(x.tills - x.queue, 0) for name, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the queue has no end",
            sentence="The queue has {queue} places (queued.max.requests). What does not fit stays outside.",
            source=(
                "per_second = {name: x.threads * 1000 // x.work_ms for name, x in n.items()}\n"
                "in_queue = {name: max(x.tills - x.threads, 0) for name, x in n.items()}\n"
                "outside = {name: 0 for name in n}"
            ),
        ),
        WrongAnswer(
            name="one thread's speed",
            sentence="One thread does 1000 / {work_ms} orders a second. This broker has {threads}, and they work at the same time.",
            source=(
                "per_second = {name: 1000 // x.work_ms for name, x in n.items()}\n"
                "in_queue = {name: min(max(x.tills - x.threads, 0), x.queue) for name, x in n.items()}\n"
                "outside = {name: max(x.tills - x.threads - x.queue, 0) for name, x in n.items()}"
            ),
        ),
    ),
    truth=_fits,
    right="right: first the threads are taken, then the queue fills, then clients wait in sockets.",
    otherwise=(
        "not these. The I/O threads take up to {threads} orders. Up to {queue} wait in the queue. "
        "The others are outside."
    ),
)


# %% 15.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import STAGES, p99, requests_since, slow_day

ASKED = ("RequestQueueTimeMs", "LocalTimeMs", "RemoteTimeMs")


@cache
def _stage(day: int) -> str:
    """The stage with the largest 99th percentile of PRODUCE, by the lab's own clock."""
    times = p99(requests_since(slow_day(day), 0, "PRODUCE"))
    assert set(ASKED) <= set(STAGES.values())
    return max(ASKED, key=times.__getitem__)


JUDGE_15_5 = Judge(
    id="15.5",
    wrong_answers=(
        WrongAnswer(
            name="all APIs in one",
            sentence="You mixed PRODUCE with FETCH. The fetches of bo wait for records and have 500 ms of remote time. That is healthy, and hides the orders.",
            source=(
                "stage = {name: \"RemoteTimeMs\" for name in days}"
            ),
        ),
        WrongAnswer(
            name="slow is local",
            sentence="A slow order is not always slow work. Here the I/O thread had the order for a short time only.",
            source=(
                "stage = {name: \"LocalTimeMs\" for name in days}"
            ),
        ),
        WrongAnswer(
            name="slow is the queue",
            sentence="The request queue of this broker was nearly empty. The order waited later.",
            source=(
                "stage = {name: \"RequestQueueTimeMs\" for name in days}"
            ),
        ),
    ),
    truth=lambda case: {"stage": _stage(case["day"])},
    right="right: the stage names the cure: threads or the slow API, the own disk, the followers.",
    otherwise="not this stage. Take the rows of PRODUCE only, and compare the three columns.",
)


# %% all
JUDGES = (
    JUDGE_15_1,
    JUDGE_15_3,
    JUDGE_15_4,
    JUDGE_15_2,
    JUDGE_15_5,
)
