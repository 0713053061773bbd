# %% [markdown]
# ### Exercise 15.4 · Who may leave the purgatory?
#
# Write `may_complete(request, state)`. It returns True when the request may be answered now, else
# False. The broker calls it when the request arrives, and each time when one of its partitions
# changes.
#
# - `request.kind` is `"PRODUCE"` (with acks=all) or `"FETCH"`.
# - `request.needs` is a dict, partition -> offset, such as `{"orders-0": 7}`. For PRODUCE it is the
#   offset after its last record. For FETCH it is the offset to read from.
# - `request.min_bytes` is what a FETCH wants in all.
# - `state` is a dict, too: partition -> how this broker sees it. `state["orders-0"].is_leader` is True
#   or False. `.log_end` and `.high_watermark` are offsets. For FETCH, `.bytes_written` counts the bytes
#   from the offset to read up to the log end, and `.bytes_readable` up to the high watermark.
#
# Sometimes this broker does not lead a partition any more. Then the client gets an error for it and
# asks the new leader. A FETCH with such a partition is answered at once. A PRODUCE has nothing more to
# wait for in such a partition, but it still waits for its others.
#
# Three promises, for every seed. No order that was acknowledged is lost. Nobody waits longer than with
# Kafka's rule. No reader asks again and again for nothing.

# %% answer items="N104"
def may_complete(request, state):
    """Whether the waiting request may be answered now."""
    ### BEGIN SOLUTION
    if request.kind == "PRODUCE":
        return all(
            not state[name].is_leader or state[name].high_watermark >= end
            for name, end in request.needs.items()
        )
    if not all(partition.is_leader for partition in state.values()):
        return True
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes
    ### END SOLUTION


# %% question
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked, plain
from autograder.cell.kinds import Function
from kafkalab.stories.broker import harm, kafkas_night, seen_at_night, waiting_night

NIGHTS = (
    {"case": "slow followers, and the leader dies", "seed": 3, "kind": "leader dies"},
    {"case": "a request for two topics, and the leader dies", "seed": 3, "kind": "two topics"},
    {"case": "the leader is cut off, another one leads", "seed": 5, "kind": "leader moves"},
    {"case": "a reader of a quiet topic", "seed": 6, "kind": "reader"},
    {"case": "a reader who wants 500 bytes", "seed": 7, "kind": "minimum"},
    {"case": "a reader, and slow followers", "seed": 8, "kind": "slow followers"},
)
MOMENTS = (
    {
        "case": "a PRODUCE for two partitions: one leads elsewhere now, the other is not copied yet",
        "kind": "PRODUCE",
        "needs": {"orders-0": 7, "orders-1": 5},
        "state": {"orders-0": [False, 7, 6, 0, 0], "orders-1": [True, 5, 4, 0, 0]},
    },
    {
        "case": "a PRODUCE for two partitions: one leads elsewhere now, the other is copied",
        "kind": "PRODUCE",
        "needs": {"orders-0": 7, "orders-1": 5},
        "state": {"orders-0": [False, 7, 6, 0, 0], "orders-1": [True, 6, 6, 0, 0]},
    },
    {
        "case": "a PRODUCE for two partitions: the first one is copied",
        "kind": "PRODUCE",
        "needs": {"orders-0": 7, "orders-1": 5},
        "state": {"orders-0": [True, 9, 9, 0, 0], "orders-1": [True, 5, 4, 0, 0]},
    },
    {
        "case": "a PRODUCE for two partitions: the second one is copied",
        "kind": "PRODUCE",
        "needs": {"orders-0": 7, "orders-1": 5},
        "state": {"orders-0": [True, 7, 6, 0, 0], "orders-1": [True, 8, 8, 0, 0]},
    },
    {
        "case": "a PRODUCE that is copied, and newer records are not",
        "kind": "PRODUCE",
        "needs": {"orders-0": 7},
        "state": {"orders-0": [True, 9, 8, 0, 0]},
    },
    {
        "case": "a FETCH for two partitions: only together they have what it wants",
        "kind": "FETCH",
        "needs": {"orders-0": 3, "orders-1": 4},
        "min_bytes": 500,
        "state": {"orders-0": [True, 5, 5, 300, 300], "orders-1": [True, 6, 6, 250, 250]},
    },
    {
        "case": "a FETCH with exactly the bytes that it wants",
        "kind": "FETCH",
        "needs": {"orders-0": 3},
        "min_bytes": 500,
        "state": {"orders-0": [True, 5, 5, 500, 500]},
    },
    {
        "case": "a FETCH that lacks one byte",
        "kind": "FETCH",
        "needs": {"orders-0": 3, "orders-1": 4},
        "min_bytes": 500,
        "state": {"orders-0": [True, 5, 5, 300, 300], "orders-1": [True, 6, 6, 199, 199]},
    },
    {
        "case": "a FETCH for two partitions: the second one leads elsewhere now",
        "kind": "FETCH",
        "needs": {"orders-0": 3, "orders-1": 4},
        "min_bytes": 500,
        "state": {"orders-0": [True, 3, 3, 0, 0], "orders-1": [False, 4, 4, 0, 0]},
    },
    {
        "case": "a FETCH for two partitions: one leads elsewhere now",
        "kind": "FETCH",
        "needs": {"orders-0": 3, "orders-1": 4},
        "min_bytes": 500,
        "state": {"orders-0": [False, 3, 3, 0, 0], "orders-1": [True, 4, 4, 0, 0]},
    },
)
KEPT = {
    "leader dies": "right: nothing was acknowledged that only the dead leader had.",
    "two topics": "right: the request waited for each of its partitions.",
    "leader moves": "right: the old leader gave the waiting request back at once.",
    "reader": "right: the reader waited without asking, and got each order in time.",
    "minimum": "right: the fetch waited for its 500 bytes.",
    "slow followers": "right: what is not below the high watermark did not end the wait.",
}


def one_night(case, part):
    """Orders, waiting requests, and something that breaks."""
    return waiting_night(part, case["kind"], case["seed"])


def better_than_kafkas(case, lab) -> tuple[str, tuple] | None:
    """What the rule did worse than Kafka's own in the same night."""
    return harm(seen_at_night(lab), kafkas_night(case["kind"], case["seed"]))


def at_one_moment(names, case):
    """What the learner's rule says of one request at one moment."""
    request = SimpleNamespace(
        kind=case["kind"], needs=dict(case["needs"]), min_bytes=case.get("min_bytes", 0)
    )
    fields = ("is_leader", "log_end", "high_watermark", "bytes_written", "bytes_readable")
    state = {
        name: SimpleNamespace(**dict(zip(fields, seen))) for name, seen in case["state"].items()
    }
    said = plain(names["may_complete"](request, state))
    if type(said) is not bool:
        raise NotAsAsked(f"`may_complete` returns True or False; yours returned {said!r}"[:120])
    return said


Function(
    title="who may leave the purgatory",
    points=4,
    answers=("may_complete",),
    probe=at_one_moment,
    public_cases=(*NIGHTS, *MOMENTS),
    play=one_night,
    look=better_than_kafkas,
    kept=lambda case: KEPT[case["kind"]],
)

# %% judge
from autograder.course.judge import Judge
from kafkalab.stories.broker import KINDS


def _may_leave(case: dict) -> bool:
    """A PRODUCE waits for the copies of all that this broker leads, a FETCH for its bytes or for the
    loss of a leader."""
    seen = case["state"]
    if case["kind"] == "FETCH":
        lost = any(not leads for leads, *_ in seen.values())
        return lost or sum(row[4] for row in seen.values()) >= case["min_bytes"]
    open_ones = [name for name, (leads, *_) in seen.items() if leads]
    return not any(seen[name][2] < case["needs"][name] for name in open_ones)


def _more_nights(rng) -> list[dict]:
    return [{"seed": rng.randrange(10, 900), "kind": kind} for kind in (*KINDS, "two topics")]


Judge(
    truth=_may_leave,
    hidden_cases=_more_nights,
    right="right: so does Kafka's rule.",
    otherwise="your rule says {said} at this moment, and Kafka's says the opposite.",
    unseen=(
        "a promise was broken on a night of ours. What does a PRODUCE wait for, and what a FETCH? "
        "And what if this broker leads no more?"
    ),
)


# %% wrong="one partition is enough"
# The request has records for two partitions. One of them is led here, and its high watermark is below
# the need. The request waits for it.
def may_complete(request, state):
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return any(state[name].high_watermark >= end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes


# %% wrong="written at the leader"
# log_end says what the leader has written. With acks=all the answer waits for the in-sync replicas:
# for the high watermark.
def may_complete(request, state):
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return all(state[name].log_end >= end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes


# %% wrong="the old leader keeps it"
# The broker led no more, and the request stayed until its time was over. Answer it at once: the client
# has to ask the new leader.
def may_complete(request, state):
    if request.kind == "PRODUCE":
        return all(state[name].high_watermark >= end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes


# %% wrong="what is written can be read"
# You counted bytes above the high watermark. The answer may not hold them, so it was empty, and the
# reader asked again at once.
def may_complete(request, state):
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return all(state[name].high_watermark >= end for name, end in request.needs.items())
    return sum(partition.bytes_written for partition in state.values()) >= request.min_bytes


# %% wrong="any byte"
# This reader wanted 500 bytes, and you answered with fewer. fetch.min.bytes exists to save requests.
def may_complete(request, state):
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return all(state[name].high_watermark >= end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) > 0


# %% wrong="one more than needed"
# The need is the offset after the last record. A high watermark that is equal to it is enough: then
# all records below it are safe.
def may_complete(request, state):
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return all(state[name].high_watermark > end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes


# %% wrong="a lost leader ends it"
# One partition of the PRODUCE is led elsewhere. The request still waits for its other partitions: their
# records are not safe yet.
def may_complete(request, state):
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return all(state[name].high_watermark >= end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes


# %% wrong="each for itself"
# min_bytes is for the whole answer. Add the bytes of all partitions.
# -     return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes
# +     return any(partition.bytes_readable >= request.min_bytes for partition in state.values())


# %% wrong="a FETCH stays at the old leader"
# A partition of the FETCH is led elsewhere. Answer at once, so that the client asks the new leader.
# -     if not all(partition.is_leader for partition in state.values()):
# -         return True


# %% wrong="more than the minimum"
# Exactly min_bytes are enough.
# -     return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes
# +     return sum(partition.bytes_readable for partition in state.values()) > request.min_bytes


# %% wrong="answer at once"
# The answer came at once. An order was acknowledged that only the leader had, and the leader died.
def may_complete(request, state):
    return True


# %% equivalent
# `return True` -> `return all((not state[name].is_leader or state[name].high_watermark >= end for name, end in request.needs.items()))`: nobody
# reads from above the high watermark, so this is always True for a FETCH.

# %% hint
# Treat the two kinds apart. For each, begin with the partitions that the broker does not lead.

# %% hint
# PRODUCE: compare the high watermark with the need, for every partition. FETCH: add what may be read
# in all partitions, and compare the sum.
