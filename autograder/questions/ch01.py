"""Chapter 01, a log and its readers: the learner's half of its questions."""
from __future__ import annotations

from autograder.questions.kinds import Function, LineReading, Open, Value

THREE = ("A", "B", "C")


def bookmark(case: str, committed: int | None, log_start: int, log_end: int, reset: str) -> dict:
    """One start of a reader, as plain data."""
    return {"case": case, "committed": committed, "log_start": log_start, "log_end": log_end, "reset": reset}


STARTS = (
    bookmark("it goes on where it stopped", 5, 0, 12, "earliest"),
    bookmark("a new group, earliest", None, 4, 12, "earliest"),
    bookmark("a new group, latest", None, 4, 12, "latest"),
    bookmark("retention has passed the bookmark, earliest", 2, 6, 12, "earliest"),
    bookmark("retention has passed the bookmark, latest", 2, 6, 12, "latest"),
    bookmark("nothing new since", 12, 3, 12, "earliest"),
)

QUESTIONS = (
    Value(
        id="01.1", title="who gets how many records", points=2, answers=("first_group", "second_group", "no_group", "in_the_topic"),
        draws=THREE, row="topic", space={"records": (18, 24, 30, 36, 42, 48, 54, 60, 66, 72), "members": (2, 3, 4, 5, 6)},
        hints=("Which of these readers shares a bookmark with somebody? Only they share records.",
               "A group as a whole gets every record once, however many members it has. Reading removes nothing.")),
    Value(
        id="01.2", title="who owns what", points=3, answers=("owned_by_m2", "idle_in_the_crowd"),
        draws=THREE, row="group", space={"partitions": (3, 4, 5, 6, 7, 8, 9, 10, 11), "members": (2, 3, 4, 5, 6, 7), "crowd": (12, 13, 14, 15, 17)},
        where=lambda n: n["partitions"] > n["members"] and n["partitions"] % n["members"] and n["crowd"] % n["partitions"] != n["crowd"] - n["partitions"],
        hints=("Divide the partitions by the members: so many for each, and some left over. Who takes those?",
               "In each group m1 has the first block. m2's block begins where it ends; it is one longer when two or more are left over.")),
    Value(
        id="01.3", title="how many members are of use", points=2, answers=("busy_with_range", "busy_with_round_robin"),
        draws=THREE, row="group", space={"a": (1, 2, 3, 8), "b": (2, 4, 5, 9), "c": (3, 6, 7)},
        hints=("Range deals each topic on its own and begins with m1 every time. When does the last busy member get its first partition?",
               "Range: the largest topic decides. RoundRobin: every partition can have a member of its own.")),
    Function(
        id="01.4", title="where a reader begins", points=3, answers=("first_offset",), public_cases=STARTS,
        probe=lambda names, case: names["first_offset"](case["committed"], case["log_start"], case["log_end"], case["reset"]),
        hints=("Three ways to have no good bookmark: none at all, one before the log's start, one beyond its end.",
               "One condition says whether the bookmark counts: there is one, and it lies between the two ends, both included. Else reset picks an end.")),
    LineReading(
        id="01.5", title="two teams, one group", points=2, answers=("guilty_line", "right_group"),
        hints=("Each line begins with the program's client id and its group. Which program stands in a group it does not belong to?",
               "Look for clientId=search-1 and read the groupId beside it.")),
    Value(
        id="01.6", title="Spark: the busiest partition", points=2, answers=("busiest", "records_in_it"),
        draws=("A", "B"), row="shop", space={"busy": tuple(range(13, 1_000, 23)), "partitions": (5, 7, 8, 9, 10, 11, 13, 14)},
        hints=("per_partition takes your two numbers. Sort by records, the largest first.",
               "per_partition(busy=n.A.busy, partitions=n.A.partitions).orderBy(F.desc(\"records\")).toPandas()")),
    Open(id="01.open", points=4, title="How can one system be both a queue and publish/subscribe?"),
)
