# Generated from notebooks/exercises/16; edit those files and run
# `python -m autograder course 16`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 16's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% 16.1
from itertools import product

from autograder.cell.kinds import Value

WORDS = ("accept", "release", "reject", "hold")
SAYS = tuple(
    " ".join(words)
    for place, words in enumerate(product(WORDS, repeat=6))
    if place % 31 == 11 and len(set(words)) > 2
)


def tells_words_apart(cases: list[dict]) -> bool:
    """Whether one begins with accepted and rejected records, one with a held one before a released
    one, and one has an accepted record behind a first one that is not at its end."""
    says = [case["says"].split() for case in cases]
    return (
        any(set(words[:2]) == {"accept", "reject"} for words in says)
        and any(words[0] == "hold" and "release" in words for words in says)
        and any(words[0] in {"hold", "release"} and "accept" in words for words in says)
    )


QUESTION_16_1 = Value(
    id="16.1",
    hints=(
        "Write under each offset: at its end, available, or with ada. Which one is the first that has not come to its end?",
        "accept and reject: at its end. release: available, so bo gets it. hold: with ada.",
    ),
    title="where the window begins",
    points=3,
    answers=("start", "bo_gets"),
    draws=("A", "B", "C"),
    row="share group",
    space={"says": SAYS},
    together=tells_words_apart,
)


# %% 16.2
from autograder.cell.kinds import Value


def makes_sense(case: dict) -> bool:
    """Whether no two things happen within two seconds, and a renewal comes in time."""
    seconds, lock_s = case["seconds"], case["lock_s"]
    if case["how"] == "renews":
        return lock_s / 2 < seconds < lock_s - 1
    if case["how"] == "killed":
        return seconds < lock_s - 1
    return seconds > 0.7 * lock_s and abs(seconds - lock_s) > 1 and abs(seconds - lock_s - 5) > 1


def tells_ends_apart(cases: list[dict]) -> bool:
    """Whether one is killed before the lock ends, one is late, one is very late, one is in time or
    renews."""
    late = [c["seconds"] - c["lock_s"] for c in cases if c["how"] == "works"]
    return (
        any(c["how"] == "killed" and c["seconds"] < c["lock_s"] for c in cases)
        and any(0 < each < 5 for each in late)
        and any(each > 5 for each in late)
        and any(c["how"] == "renews" for c in cases)
    )


QUESTION_16_2 = Value(
    id="16.2",
    hints=(
        "Draw a line of time for each: when does ada's lock end, and when is bo done?",
        "killed: bo gets it at once, if ada still held it. works: bo gets it when the lock ends. She hears \"refused\" while bo works, and \"ok\" when he is done.",
    ),
    title="who gets the job, and what ada hears",
    points=4,
    answers=("bo_after", "ada_hears"),
    draws=("A", "B", "C", "D"),
    row="share group",
    space={
        "how": ("works", "killed", "renews"),
        "lock_s": (15, 20, 30, 40),
        "seconds": (12, 17, 18, 22, 23, 28, 32, 33, 38, 42, 43, 48),
    },
    where=makes_sense,
    together=tells_ends_apart,
)


# %% 16.3
from autograder.cell.kinds import Function
from kafkalab.stories import share_groups

DAYS = (
    {"case": "a calm day", "seed": 1, "happens": "calm"},
    {"case": "two broken jobs", "seed": 2, "happens": "broken"},
    {"case": "the bank is away", "seed": 3, "happens": "busy"},
    {"case": "jobs that fail", "seed": 4, "happens": "failed"},
    {"case": "a worker is killed", "seed": 5, "happens": "killed"},
    {"case": "all of it", "seed": 6, "happens": "all"},
)
KEPT = {
    "calm": "right: sixteen jobs, each done and accepted.",
    "broken": "right: each broken job cost one try.",
    "busy": "right: the good jobs stayed with their workers until the bank was back.",
    "failed": "right: who could be done with another try was done, and the group gave up the other.",
    "killed": "right: the other worker got the dead one's jobs.",
    "all": "right: all of it in one day, and no good job was lost.",
}
WRONG = {
    "waits": "{} is not at its end after 150 seconds, and the window begins there. Somebody keeps it "
    "for ever, and nobody counts the tries.",
    "lost": "{} could be done and never was: it is archived. After five quick deliveries the group "
    "gives up, and a rejected job is given up at once.",
    "called done": "{} was accepted, and nobody has done it.",
    "tried again": "{} is broken, and was tried more than once. Each try takes time from the others.",
    "done twice": "{} was done twice, and no worker was killed.",
}


def one_day(case, part):
    """Sixteen jobs, two workers, and trouble."""
    return share_groups.day(part, case["happens"], case["seed"])


def went_wrong(case, lab) -> tuple[str, tuple] | None:
    """The first promise that was broken on this day."""
    found = share_groups.wrong_on_a_day(lab, case["happens"], case["seed"])
    if found is None:
        return None
    name, numbers = found
    tries = [
        f"{event.at_ms / 1_000:5.1f} s  {event.who} tried job {event.offset}: {event.went}"
        for event in lab.journal.of("tried")
        if event.offset == numbers[0]
    ]
    return WRONG[name].format(f"job {numbers[0]}"), tuple(tries[:6])


QUESTION_16_3 = Function(
    id="16.3",
    hints=(
        "Which outcome shall count as a try, and which not? \"release\" and \"renew\" differ in this.",
        "A good job that must wait: keep it. A job that may be good: let the group count its tries. A job that is bad: end it at once.",
    ),
    title="what to say of a job",
    points=4,
    answers=("verdict",),
    public_cases=DAYS,
    play=one_day,
    look=went_wrong,
    kept=lambda case: KEPT[case["happens"]],
)


# %% 16.4
from autograder.cell.kinds import LineReading

ORDER = {True: "each customer's changes are done in their order", False: "any order will do"}


def need_of(numbers) -> str:
    """What a team says."""
    parts = numbers["partitions"]
    count = f"{parts} partition" + ("s" if parts > 1 else "")
    order = ORDER[numbers["order"]]
    return f"{count}, {numbers['workers']} workers; {order}; all within {numbers['limit_s']} s"


def tells_needs_apart(cases: list[dict]) -> bool:
    """Whether one partition comes with order and haste, and with haste alone, and much time comes
    with order, and without."""
    hasty = {n["order"] for n in cases if n["partitions"] == 1 and n["limit_s"] < 20}
    patient = {n["order"] for n in cases if n["limit_s"] == 20}
    shared = any(
        n["partitions"] == 1 and n["workers"] == 4 and n["limit_s"] < 20 and not n["order"]
        for n in cases
    )
    return len(hasty) == len(patient) == 2 and shared


QUESTION_16_4 = LineReading(
    id="16.4",
    hints=(
        "Ask two questions for each group: how many workers have work? Is the order kept?",
        "A consumer group keeps the order and has at most as many busy workers as partitions. A share group has all workers and no order. One worker needs 12 seconds, two 6, four 3, and half a second more for the failed change.",
    ),
    title="which group for which job",
    points=2,
    answers=("group",),
    draws=("A", "B", "C", "D", "E"),
    row="topic",
    space={
        "partitions": (1, 2, 4),
        "workers": (2, 4),
        "order": (True, False),
        "limit_s": (5, 9, 20),
    },
    together=tells_needs_apart,
    show=lambda numbers: {name: need_of(each) for name, each in numbers.items()},
)


# %% 16.5
from autograder.cell.kinds import Value

QUESTION_16_5 = Value(
    id="16.5",
    hints=(
        "Join `given` and `said` on worker and offset, and subtract the times. The lock is 30 seconds.",
        "Only one worker has rows with more than 30 seconds. Count its rows there. For the rejected, count different offsets with word 3.",
    ),
    title="bug hunt with Spark: who did it twice",
    points=2,
    answers=("slow", "expired", "rejected"),
    space={"slow": ("ada", "bo", "cy", "di"), "poll": (4, 5), "bad": (2, 3, 4)},
    scenery={"seed": 100_000},
)


# %% 16.open
from autograder.cell.kinds import Open

QUESTION_16_open = Open(
    id="16.open",
    title="A topic with 12 partitions holds the events of customers. The key is the customer, and a customer's events must be processed in their order. Each event takes two seconds. A colleague says: \"Take a share group with 200 workers; it is a queue, so it is faster.\" What do you answer? What would you do instead, and what would a share group do with a slow or a failed event?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_16_1,
    QUESTION_16_2,
    QUESTION_16_3,
    QUESTION_16_4,
    QUESTION_16_5,
    QUESTION_16_open,
)
