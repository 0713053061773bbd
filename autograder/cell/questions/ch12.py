# Generated from notebooks/exercises/12; edit those files and run
# `python -m autograder course 12`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 12's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")


# %% 12.1
from autograder.cell.kinds import Function

WHATS = ("key/value", "KEY", "VALUE")


def place(names, case):
    """What the learner's function returns, as a list."""
    found = names["place_of"](case["text"])
    return list(found) if isinstance(found, (list, tuple)) else found


def pill(topic, partition, offset, what="VALUE"):
    """The text of a client about one record, as a case."""
    return {
        "case": f"{what} of {topic}-{partition} at {offset}",
        "text": (
            f"Error deserializing {what} for partition {topic}-{partition} at offset {offset}. If "
            "needed, please seek past the record to continue consumption."
        ),
    }


QUESTION_12_1 = Function(
    id="12.1",
    hints=(
        "Between \"for partition \" and \" at offset \" is the name of the partition. What is behind?",
        "`name.rpartition(\"-\")` divides at the last hyphen. The offset ends at the full stop.",
    ),
    title="where is the pill",
    points=2,
    answers=("place_of",),
    probe=place,
    public_cases=(
        pill("prices", 0, 5),
        pill("prices", 12, 40, "key/value"),
        pill("eu-prices", 3, 17),
        pill("prices-2026", 1, 0, "KEY"),
        pill("shop.v2-at-night", 7, 123456, "key/value"),
    ),
)


# %% 12.2
from autograder.cell.kinds import Function
from kafkalab.stories import errors

DAYS = (
    {"case": "no pill", "seed": 1, "pills": [], "kill_after": 0, "client": "3.9"},
    {
        "case": "a pill in the middle",
        "seed": 2,
        "pills": [[0, 7]],
        "kill_after": 0,
        "client": "3.9",
    },
    {
        "case": "two pills, one behind the other",
        "seed": 3,
        "pills": [[1, 4], [1, 5]],
        "kill_after": 0,
        "client": "4.4",
    },
    {
        "case": "the first and the last record, client 2.8",
        "seed": 4,
        "pills": [[0, 15], [1, 0]],
        "kill_after": 0,
        "client": "2.8",
    },
    {
        "case": "a pill in each partition, ada is killed at work after 6 records",
        "seed": 5,
        "pills": [[0, 3], [1, 9]],
        "kill_after": 6,
        "client": "3.9",
    },
    {
        "case": "a pill, ada is killed at work after 15 records, client 2.8",
        "seed": 6,
        "pills": [[0, 11]],
        "kill_after": 15,
        "client": "2.8",
    },
)


def play_day(case, part):
    """ada reads prices with pills; she may be killed, and then bo reads."""

    def on_duty(lab, consumer):
        part(lab, consumer, work_ms=errors.DAY_WORK_MS)

    return errors.day(on_duty, case["pills"], case["seed"], case["kill_after"], case["client"])


def went_wrong(case, lab):
    """What is wrong with a day: a record not finished, finished twice, or not committed."""
    went = errors.how_it_went(lab, case["pills"])
    if went["returned"]:
        who = went["returned"][0]
        return (
            f"the program of {who} ended. An exception went through your loop, or your loop "
            "stopped. Catch the error of poll(), and continue.",
            (),
        )
    if went["never"]:
        place, offset = went["never"][0]
        return (
            f"readable records were never finished: {len(went['never'])}. The first is {place} at "
            f"offset {offset}; the pills are {_places(case)}.",
            (),
        )
    most = 4 if case["kill_after"] else 0
    if len(went["twice"]) > most:
        place, offset = went["twice"][0]
        return (
            f"records finished twice: {len(went['twice'])}; at most {most} may be. The first is "
            f"{place} at offset {offset}.",
            (),
        )
    if went["committed"] != [errors.ON_A_DAY] * 2:
        return (
            f"each record is finished, but the committed offsets are {went['committed']}, and both "
            f"partitions end at {errors.ON_A_DAY}. The next reader meets a pill again.",
            (),
        )
    return None


def _places(case) -> str:
    return ", ".join(f"prices-{partition} at {offset}" for partition, offset in case["pills"])


def it_kept(case):
    """The sentence of a day on which the promises were kept."""
    if not case["pills"]:
        return "right: each record once. There was no pill here."
    if case["kill_after"]:
        return "right: bo began at the committed offset, and nobody lost a record to a pill."
    return "right: the pills are passed, all other records are finished once, and all is committed."


QUESTION_12_2 = Function(
    id="12.2",
    hints=(
        "poll() raises before it returns a record, so nothing is lost when you catch. Which call moves the position past one record of one partition?",
        "try: poll and finish. except SerializationException: take the place from `str(error)` and seek to its offset + 1. After both: commit_sync().",
    ),
    title="survive a pill",
    points=5,
    answers=("loop",),
    public_cases=DAYS,
    play=play_day,
    part="Loop",
    look=went_wrong,
    kept=it_kept,
)


# %% 12.3
from autograder.cell.kinds import Function


def asked(names, case):
    """What the learner's function returns, as a sorted list."""
    return sorted(names["parked"](list(case["keys"]), list(case["fails"])))


QUESTION_12_3 = Function(
    id="12.3",
    hints=(
        "Go through the records by offset. What must you remember of those that you have parked?",
        "A set of parked keys. A record is parked if it fails, or if its key is in the set; `None` never is.",
    ),
    title="who must wait",
    points=3,
    answers=("parked",),
    probe=asked,
    public_cases=(
        {"case": "milk fails once", "keys": ["milk", "tea", "milk", "tea", "milk"], "fails": [0]},
        {"case": "nothing fails", "keys": ["milk", "tea"], "fails": []},
        {"case": "the last one of milk", "keys": ["milk", "tea", "milk", "tea"], "fails": [2]},
        {"case": "two keys", "keys": ["a", "b", "c", "b", "a", "c"], "fails": [1, 4]},
        {"case": "no keys", "keys": [None, None, "a", None], "fails": [1]},
    ),
)


# %% 12.4
from autograder.cell.kinds import Value

QUESTION_12_4 = Value(
    id="12.4",
    hints=(
        "Each of the six steps is the answer once.",
        "Ask for each: does anybody know the outcome? Does this client still own its id, and is it still a member of the group?",
    ),
    title="what may it still call",
    points=3,
    answers=("next_step", "sends"),
    space={"away": tuple(range(3, 24))},
    scenery={"seed": 100_000},
)


# %% 12.6
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, SerializationException

SIDES = ("key.deserializer", "value.deserializer")
NUMBER = "org.apache.kafka.common.serialization.IntegerDeserializer"


def log_of_a_stuck_reader(numbers) -> list[str]:
    """Two settings and the last lines of a reader that cannot read a record."""
    return list(_stuck(numbers["side"], numbers["good"], numbers["seed"]))


@lru_cache(maxsize=256)
def _stuck(side: str, good: int, seed: int) -> tuple[str, ...]:
    lab = Lab(1, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("prices")
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for number in range(good + 9):
        part = "five5" if number == good else "four"
        record = {"key": "item", "value": "15"} | {side.split(".")[0]: part}
        producer.send(ProducerRecord("prices", **record)).get()
    config = {"group.id": "billing", "auto.offset.reset": "earliest", "max.poll.records": 7}
    reader = KafkaConsumer(lab, {**config, side: NUMBER}, name="reader")
    reader.subscribe(["prices"])
    raised = 0
    while raised < 3:
        try:
            reader.poll(timeout_ms=500)
        except SerializationException:
            raised += 1
    lines = lab.lines("reader")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines() + lines.message.iloc[1].splitlines()
        if line.strip().split(" =")[0] in SIDES
    ]
    said = [
        f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1][:150]}"
        for line in lines.itertuples()
        if line.level == "ERROR" or line.message.split("] ", 1)[-1].startswith("Returning ")
    ]
    return (*settings, *said[-5:])


QUESTION_12_6 = LineReading(
    id="12.6",
    hints=(
        "Read the ERROR line first. Does it say Key or Value?",
        "\"Returning 3 fetched records at offset … offset=20\": 20, 21 and 22 were read. Which is next?",
    ),
    title="bug hunt: the reader that is stuck",
    points=2,
    answers=("setting", "offset"),
    show=log_of_a_stuck_reader,
    space={"side": SIDES, "good": tuple(range(8, 60))},
    where=lambda n: n["good"] % 7 != 1,  # the last poll returned more than one record
    scenery={"seed": 100_000},
)


# %% 12.5
from autograder.cell.kinds import Value

QUESTION_12_5 = Value(
    id="12.5",
    hints=(
        "\"Returning 3 fetched records at offset 20\" means that 20, 21 and 22 were given. Which comes next?",
        "`F.max(F.col(\"position\") + F.col(\"count\"))`, for the lines that begin with \"Returning\".",
    ),
    title="Spark: stuck where",
    points=2,
    answers=("stuck_at",),
    draws=THREE,
    row="shop",
    space={"pill": tuple(range(17, 77, 3)), "found_s": (9, 11, 13, 15)},
)


# %% 12.open
from autograder.cell.kinds import Open

QUESTION_12_open = Open(
    id="12.open",
    title="When is a dead-letter topic the wrong answer to a record that cannot be processed?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_12_1,
    QUESTION_12_2,
    QUESTION_12_3,
    QUESTION_12_4,
    QUESTION_12_6,
    QUESTION_12_5,
    QUESTION_12_open,
)
