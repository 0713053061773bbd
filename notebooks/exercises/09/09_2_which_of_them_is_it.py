# %% [markdown]
# ### Exercise 09.2 · Which of them is it?
#
# Three programs, A, B and C, each with its lines. A should commit after every `programs.A.every`
# records. It was killed when it had done `programs.A.worked` records. Its lines say where it began,
# and each commit. One of the programs is right. One counts after it asks, as above. One forgot the
# `+ 1`. For each: which is it, `"right"`, `"counts late"` or `"no + 1"`? Which offset does the next
# reader read first? How many records are done twice?

# %%
programs = numbers("09.2")
for name, each in programs.items():
    print(f"{name}: every = {each.every}, worked = {each.worked}")
    print(*[line.split(",")[0] for line in each.lines], "", sep="\n")

# %% answer items="N64"
program = {"A": ..., "B": ..., "C": ...}
next_first = {"A": ..., "B": ..., "C": ...}
twice = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
import re


def read_lines(each):
    start = int(re.search(r"offset=(\d+)", each.lines[0])[1])
    marks = [int(re.search(r"offset (\d+)", line)[1]) for line in each.lines[1:]]
    slip = marks[0] - start - each.every
    which = "right" if slip == 0 else "no + 1" if slip == -1 else "counts late"
    return which, marks[-1], start + each.worked - marks[-1]


heard = {name: read_lines(each) for name, each in programs.items()}
program = {name: each[0] for name, each in heard.items()}
next_first = {name: each[1] for name, each in heard.items()}
twice = {name: each[2] for name, each in heard.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import LineReading

PROGRAMS = ("right", "no + 1", "counts late")
BEGAN = (
    "Setting offset for partition orders-0 to the committed offset FetchPosition{{offset={at}, "
    "offsetEpoch=Optional.empty, currentLeader=LeaderAndEpoch{{leader=localhost:9092 (id: 0 rack: "
    "null), epoch=0}}}}"
)
COMMITTED = "Committed offset {at} for partition orders-0"


def batch_commits(program: str, every: int, start: int, worked: int) -> list[str]:
    """What a reader's log says of the bookmark: where it began, and each commit,
    as a 2.3 client writes it."""
    told = [BEGAN.format(at=start)]
    for done in range(worked):
        count = done if program == "counts late" else done + 1
        if count % every == 0:
            told.append(COMMITTED.format(at=start + done + (program != "no + 1")))
    return told


def with_lines(numbers) -> dict:
    """Of each program what a learner sees: its numbers and its lines."""
    of_one = lambda n: {
        "every": n["every"],
        "worked": n["worked"],
        "lines": batch_commits(n["program"], n["every"], n["start"], n["worked"]),
    }
    # n.A.lines works as n["A"]["lines"] does
    return type(numbers)({name: type(n)(of_one(n)) for name, n in numbers.items()})


LineReading(
    title="bug hunt: the batch commit",
    points=3,
    answers=("program", "next_first", "twice"),
    draws=THREE,
    row="program",
    show=with_lines,
    together=lambda programs: {n["program"] for n in programs} == set(PROGRAMS),
    space={
        "program": PROGRAMS,
        "every": (4, 5, 6, 7),
        "start": (20, 40, 57),
        "worked": (18, 22, 27),
    },
    where=lambda n: n["worked"] % n["every"] > 1,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, OffsetAndMetadata, TopicPartition

PLACE = TopicPartition("orders", 0)


@cache
def _went_on_at(program: str, every: int, start: int, worked: int) -> int:
    """The first offset that the next reader is given, after a program with this slip was killed."""
    lab = _cluster(start + worked + 10, seed=4)
    before = KafkaConsumer(lab, {"group.id": "billing"}, name="before")
    before.assign([PLACE])
    before.commit_sync({PLACE: OffsetAndMetadata(start)})
    before.close()
    ada, asked = _member(lab, "ada", **{"max.poll.records": 1}), 0
    for number in range(1, worked + 1):
        (offset,) = _polled(ada)
        asked = number - 1 if program == "counts late" else number
        if asked % every == 0:
            ada.commit_sync(
                {PLACE: OffsetAndMetadata(offset if program == "no + 1" else offset + 1)}
            )
    lab.kill("ada")
    return _polled(_member(lab, "bo"))[0]


def _slip(case: dict) -> dict:
    first = _went_on_at(case["program"], case["every"], case["start"], case["worked"])
    return {
        "program": case["program"],
        "next_first": first,
        "twice": case["start"] + case["worked"] - first,
    }


Judge(
    truth=_slip,
    right="right: the distance from the start to the first commit shows the mistake.",
    otherwise={
        "program": (
            '"{said}" is not it. How far is the first commit from where the reader began? It should '
            "be {every}."
        ),
        "next_first": (
            "{said} is not it. The next reader begins at the offset that the last line names."
        ),
        "twice": (
            "{said} is not it. Where the reader began, plus {worked}, is where it was killed. Subtract "
            "the last commit."
        ),
    },
)

# %% begin
import re

start = lambda x: int(re.search(r"offset=(\d+)", x.lines[0])[1])
last = lambda x: int(re.search(r"offset (\d+)", x.lines[-1])[1])
first = lambda x: int(re.search(r"offset (\d+)", x.lines[1])[1])
kind = lambda x: {0: "right", -1: "no + 1"}.get(first(x) - start(x) - x.every, "counts late")


# %% wrong="committed means read"
# That is one after the last commit. A committed offset is the next one to read itself.
program = {a: kind(x) for a, x in programs.items()}
next_first = {a: last(x) + 1 for a, x in programs.items()}
twice = {a: start(x) + x.worked - last(x) - 1 for a, x in programs.items()}

# %% wrong="the slips swapped"
# The two mistakes are exchanged. Without + 1 each commit is one too low; a program that counts late
# commits first after a single record.
program = {
    a: {"no + 1": "counts late", "counts late": "no + 1"}.get(kind(x), "right")
    for a, x in programs.items()
}
next_first = {a: last(x) for a, x in programs.items()}
twice = {a: start(x) + x.worked - last(x) for a, x in programs.items()}

# %% wrong="as it was meant"
# There it should have committed. Read where it did.
program = {a: "right" for a, x in programs.items()}
next_first = {a: start(x) + x.worked // x.every * x.every for a, x in programs.items()}
twice = {a: x.worked % x.every for a, x in programs.items()}

# %% wrong="every distance is right"
# The commits are {every} apart in each program. Look at the first one: how far is it from
# the beginning?
program = {a: "right" for a, x in programs.items()}
next_first = {a: last(x) for a, x in programs.items()}
twice = {a: start(x) + x.worked - last(x) for a, x in programs.items()}

# %% equivalent
# `slip == 0` -> `slip >= 0`: none of these programs commits more than it has read.
# `slip == -1` -> `slip >= -1`: the same, and 0 is asked for before.

# %% hint
# The first line says where the reader began. How many records later should the first commit be, and
# where is it?

# %% hint
# A committed offset names the next record. Five records from 40 on give 45: not 44, and not 41.
