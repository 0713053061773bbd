# Generated from notebooks/exercises/14; edit those files and run
# `python -m autograder course 14`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 14's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% 14.1
from autograder.cell.kinds import Value


def tells_watermarks_apart(cases: list[dict]) -> bool:
    """Whether in one case both are in sync, and in another the slower follower does not count."""
    slower = [1 if n["broker_1"] < n["broker_2"] else 2 for n in cases]
    return any(n["out"] == 0 for n in cases) and any(
        n["out"] == slow for n, slow in zip(cases, slower)
    )


QUESTION_14_1 = Value(
    id="14.1",
    hints=(
        "Which replicas count? What does each of their fetches tell the leader?",
        "Write down the log ends of the replicas in sync, and the leader's own. The smallest one is the high watermark. What lies between it and the leader's log end is not answered yet.",
    ),
    title="how far a reader may read",
    points=3,
    answers=("high_watermark", "waiting"),
    draws=("A", "B", "C"),
    row="partition",
    space={
        "leader": (9, 10, 12),
        "broker_1": (3, 5, 8),
        "broker_2": (2, 6, 7),
        "out": (0, 1, 2),
    },
    together=tells_watermarks_apart,
)


# %% 14.2
from functools import cache

from autograder.cell.kinds import LineReading
from kafkalab.stories.replicas import ends_of, late_follower


@cache
def lines_of(lag_s: int, missing: int, caught_up_s: int) -> tuple[str, ...]:
    """The log ends before the link breaks, soon after it, and when the leader checks."""
    lab = late_follower(lag_s, missing, caught_up_s)
    cut_ms = lab.now_ms - caught_up_s * 1_000
    moments = (cut_ms, cut_ms + 900, lab.now_ms)
    lines = []
    for at_ms in moments:
        leader, follower = ends_of(lab, at_ms)
        lines.append(f"{at_ms / 1_000:5.1f} s  leader ends at {leader}, follower at {follower}")
    lines[-1] += f"; the leader checks, replica.lag.time.max.ms = {lag_s * 1_000}"
    return tuple(lines)


def tells_followers_apart(cases: list[dict]) -> bool:
    """Whether many records missing go with staying, one missing with leaving, none with a long time
    ago, and a time between the two limits with each limit."""
    late = [n for n in cases if n["caught_up_s"] > n["lag_s"]]
    return (
        any(n["missing"] == 400 and n["caught_up_s"] < n["lag_s"] for n in cases)
        and any(n["missing"] == 1 for n in late)
        and any(n["missing"] == 0 for n in late)
        and {n["lag_s"] for n in cases if n["caught_up_s"] == 20 and n["missing"]} == {10, 30}
    )


QUESTION_14_2 = LineReading(
    id="14.2",
    hints=(
        "Two questions at the last line: does the follower lack anything? If so, since when?",
        "It stays if it lacks nothing. It stays too if it had caught up within the limit. Else it leaves.",
    ),
    title="bug hunt: who falls out of sync",
    points=3,
    answers=("stays",),
    draws=("A", "B", "C", "D", "E"),
    row="cluster",
    space={
        "lag_s": (10, 30),
        "missing": (0, 1, 400),
        "caught_up_s": (4, 8, 20, 50, 90),
    },
    together=tells_followers_apart,
    show=lambda numbers: {
        name: list(lines_of(each["lag_s"], each["missing"], each["caught_up_s"]))
        for name, each in numbers.items()
    },
)


# %% 14.3
from autograder.cell.kinds import Function
from kafkalab.stories.replicas import night, seen_by_the_reader

NIGHTS = (
    {"case": "the leader is cut off, and dies", "seed": 3, "happens": "cut off"},
    {"case": "broker 1 is cut off, and takes over", "seed": 4, "happens": "heir"},
    {"case": "one follower dies", "seed": 5, "happens": "follower down"},
    {"case": "both followers die", "seed": 6, "happens": "two down"},
    {"case": "one follower has a slow disk", "seed": 7, "happens": "slow"},
)
KEPT = {
    "cut off": "right: what only the old leader had was never shown.",
    "heir": "right: broker 1 lacked the late orders, and nobody had seen them.",
    "follower down": "right: nobody waited for the dead follower.",
    "two down": "right: the leader alone was in sync, and its records were shown.",
    "slow": "right: a slow follower delays a record, and does not hide it.",
}


def one_night(case, part):
    """Orders with acks=1, a reader, and something that breaks."""
    return night(part, case["happens"], case["seed"])


def shown_and_kept(case, lab) -> tuple[str, tuple] | None:
    """What is wrong in a night: a record that vanished, or one that is never shown."""
    found = seen_by_the_reader(lab)
    vanished = [order for order in found.seen if order not in found.kept]
    if vanished:
        return (
            f"the reader got {vanished[0]!r}, and it is not in the log any more. The next leader "
            "did not have it.",
            tuple(f"seen and gone: {order}" for order in vanished),
        )
    if found.waiting:
        return (
            f"{found.waiting[0]!r} is safe in the log, and the reader never got it. Your high "
            "watermark does not move, or stops short of it.",
            tuple(f"in the log and never shown: {order}" for order in found.waiting),
        )
    return None


QUESTION_14_3 = Function(
    id="14.3",
    hints=(
        "Each replica in sync may be the leader a moment later. Which records do all of them have?",
        "Collect the log ends of the brokers in `in_sync`. One function of Python takes the right one.",
    ),
    title="write the high watermark",
    points=4,
    answers=("watermark",),
    public_cases=NIGHTS,
    play=one_night,
    look=shown_and_kept,
    kept=lambda case: KEPT[case["happens"]],
)


# %% 14.4
from autograder.cell.kinds import Value


def tells_cuts_apart(cases: list[dict]) -> bool:
    """Whether one follower has more than the leader, and another has less."""
    return any(n["leader_says"] < n["log_end"] for n in cases) and any(
        n["leader_says"] > n["log_end"] for n in cases
    )


QUESTION_14_4 = Value(
    id="14.4",
    hints=(
        "Two logs agree up to the end of the last epoch that both have. Where is that for the leader, and where for the follower?",
        "Today: the smaller one of the log end and what the leader says. Before: the high watermark. The difference of the two was thrown away for nothing.",
    ),
    title="where a follower cuts",
    points=3,
    answers=("cut_at", "old_cut_at", "thrown_away"),
    draws=("A", "B", "C"),
    row="follower",
    space={
        "log_end": (9, 11, 12, 13),
        "high_watermark": (4, 5, 6, 7),
        "leader_says": (8, 10, 14, 15),
    },
    together=tells_cuts_apart,
)


# %% 14.6
from autograder.cell.kinds import Value


def tells_releases_apart(nights: list[dict]) -> bool:
    """Whether the second of the three comes back on both releases, the first on 4.4, and once the
    last."""
    back = {
        (n["release"], "first" if n["back"] == n["first"] else "second")
        for n in nights
        if n["back"] in (n["first"], n["second"])
    }
    last = any(n["back"] not in (n["first"], n["second"]) for n in nights)
    return last and {("2.3", "second"), ("4.4", "second"), ("4.4", "first")} <= back


QUESTION_14_6 = Value(
    id="14.6",
    hints=(
        "For each replica: could the others accept a write with acks=all after it had left?",
        "After the first one left, two were in sync: writes were accepted. After the second one left, one was in sync: writes were refused. 2.3 only trusts the last one.",
    ),
    title="who leads when one comes back",
    points=3,
    answers=("leader",),
    draws=("A", "B", "C", "D", "E"),
    row="night",
    space={
        "release": ("2.3", "4.4"),
        "first": (0, 1, 2),
        "second": (0, 1, 2),
        "back": (0, 1, 2),
    },
    where=lambda n: n["first"] != n["second"],
    together=tells_releases_apart,
)


# %% 14.5
from autograder.cell.kinds import Value


def tells_racks_apart(shops: list[dict]) -> bool:
    """Whether one reads at the leader in its rack, one at a follower, and one has a wrong rack."""
    racks = {n["rack"] for n in shops}
    return "a" in racks and bool(racks & {"b", "c"}) and bool(racks & {"B", "d"})


QUESTION_14_5 = Value(
    id="14.5",
    hints=(
        "For each shop compare the column `rack` of its fetches with its own rack. Which shops have a rack that no broker has?",
        "Rack a: no fetch crosses. Rack b and c: how many went to rack a before the leader named a follower? All others: every fetch.",
    ),
    title="Spark: who crosses zones",
    points=2,
    answers=("crossing",),
    draws=("A", "B", "C", "D"),
    row="shop",
    space={"rack": ("a", "b", "c", "B", "d"), "seed": (1, 2, 3, 4, 5, 6)},
    together=tells_racks_apart,
)


# %% 14.open
from autograder.cell.kinds import Open

QUESTION_14_open = Open(
    id="14.open",
    title="All replicas in sync are down. One that is not in sync is up. Would you let it lead, for a topic with payments? For a topic with metrics? What do you gain and lose, and where do you set it?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_14_1,
    QUESTION_14_2,
    QUESTION_14_3,
    QUESTION_14_4,
    QUESTION_14_6,
    QUESTION_14_5,
    QUESTION_14_open,
)
