# %% [markdown]
# ### Exercise 12.6 · A bug to hunt
#
# Three readers, A to C, run the same program. When a record cannot be read, it seeks past it and
# polls again. "Nothing stops, and orders are missing", say two of the teams. `shown.A` holds two
# settings of A and its lines from the first error on.
#
# - `setting`: which of the two settings does not fit what was written?
# - `kind`: `"pill"` if single records are bad. The others are read. `"format"` if the records are all
#   written in another way from some offset on. Then the program must stop, and not seek.
# - `lost`: how many records has the reader jumped over in these lines?

# %%
shown = numbers("12.6")
for name, lines in shown.items():
    print(name, *lines, "", sep="\n")

# %% answer
setting = {"A": ..., "B": ..., "C": ...}  # the name of the setting, a text
kind = {"A": ..., "B": ..., "C": ...}  # "pill" or "format"
lost = {"A": ..., "B": ..., "C": ...}  # a number
### BEGIN SOLUTION
for name, lines in shown.items():
    failed = next(line for line in lines if "Deserializers with error" in line)
    setting[name] = "key.deserializer" if "Key Deserializers" in failed else "value.deserializer"
    jumps = [place for place, line in enumerate(lines) if "Seeking to offset" in line]
    reads_on = any("Returning " in line for line in lines[jumps[0] :])
    kind[name] = "pill" if reads_on else "format"
    lost[name] = len(jumps)
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, SerializationException

SIDES = ("key.deserializer", "value.deserializer")
NUMBER = "org.apache.kafka.common.serialization.IntegerDeserializer"


def logs_of_readers(numbers) -> dict[str, list[str]]:
    """Of each reader two settings, and its lines from the first error on."""
    return type(numbers)({name: list(_jumping(**each)) for name, each in numbers.items()})


@lru_cache(maxsize=256)
def _jumping(side: str, kind: str, good: int, lost: int) -> tuple[str, ...]:
    """What a reader writes that seeks past each record which it cannot read."""
    lab = Lab(1, seed=good, version="3.9", broker_version="4.4")
    lab.create_topic("prices")
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    bad = range(good, good + 3 * lost, 3) if kind == "pill" else range(good, good + lost)
    for number in range(bad[-1] + 3):
        is_bad = number in bad or (kind == "format" and number > bad[-1])
        record = {"key": "item", "value": "15"} | {
            side.split(".")[0]: "five5" if is_bad else "four"
        }
        producer.send(ProducerRecord("prices", **record)).get()
    config = {"group.id": "billing", "auto.offset.reset": "earliest", "max.poll.records": 7}
    reader = KafkaConsumer(lab, {**config, side: NUMBER}, name="reader")
    reader.subscribe(["prices"])
    jumps, read = 0, []
    while jumps < lost or (kind == "pill" and bad[-1] + 2 not in read):
        try:
            read += [record.offset for record in reader.poll(timeout_ms=500)]
        except SerializationException as error:
            jumps += 1
            reader.seek(error.topic_partition, error.offset + 1)
    lines = lab.lines("reader")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines() + lines.message.iloc[1].splitlines()
        if line.strip().split(" =")[0] in SIDES
    ]
    said = [
        f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1][:100]}"
        for line in lines.itertuples()
        if line.level == "ERROR"
        or line.message.split("] ", 1)[-1].startswith(("Returning ", "Seeking to offset"))
    ]
    first = next(place for place, line in enumerate(said) if " ERROR " in line)
    return (*settings, *said[first:])


LineReading(
    title="bug hunt: the readers that jump",
    points=2,
    answers=("setting", "kind", "lost"),
    draws=THREE,
    row="reader",
    show=logs_of_readers,
    together=lambda readers: (
        len({n["side"] for n in readers}) == 2 and len({n["kind"] for n in readers}) == 2
    ),
    space={
        "side": SIDES,
        "kind": ("pill", "format"),
        # A poll returns at most 7 records, so each reader returns some after its first error.
        "good": tuple(number for number in range(17, 60) if number % 7),
        "lost": (2, 3, 4, 5),
    },
    # Who counts errors, or is one off, never comes to the number of the returned records.
    where=lambda n: abs(n["good"] % 7 - n["lost"]) > 2,
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"setting": case["side"], "kind": case["kind"], "lost": case["lost"]},
    right="right: after a pill the records can be read again. After a new format none can.",
    otherwise={
        "setting": '"{said}" is not it. The ERROR line says which side has failed: Key or Value.',
        "kind": (
            '"{said}" is not it. Does the reader return records again after its first `Seeking`? Look '
            "for `Returning` there."
        ),
        "lost": "{said} is not it. Each `Seeking to offset` jumps over one record that nobody has read.",
    },
)

# %% begin
setting, kind, lost = {}, {}, {}
for name, lines in shown.items():
    failed = next(line for line in lines if "Deserializers with error" in line)
    setting[name] = "key.deserializer" if "Key Deserializers" in failed else "value.deserializer"
    words = "\n".join(lines).split("Seeking to offset")
    kind[name] = "pill" if any("Returning " in each for each in words[1:]) else "format"
    lost[name] = len(words) - 1

# %% wrong="the other setting"
# You took the other one of the two. Read the word before `Deserializers` in the ERROR line.
other = {"key.deserializer": "value.deserializer", "value.deserializer": "key.deserializer"}
setting = {name: other[each] for name, each in setting.items()}

# %% wrong="the setting without its end"
# Write the whole name of the setting, as in the first two lines.
setting = {name: each.split(".")[0] for name, each in setting.items()}

# %% wrong="always a pill"
# Single records are bad only where the reader returns others in between. Here it returns none after
# its first `Seeking`. (What it returns before that was read before the bad record.)
kind = {name: "pill" for name in kind}

# %% wrong="many errors are a format"
# Here the reader returns records after it has jumped. So only single ones are bad.
kind = {name: "format" for name in kind}

# %% wrong="what was returned"
# Records that were returned are not lost. Those that the program seeks past are.
lost = {
    name: sum(int(line.split("Returning ")[1].split()[0]) for line in lines if "Returning " in line)
    for name, lines in shown.items()
}

# %% equivalent
# `next((line for line in lines if 'Deserializers with error' in line))` ->
# `list((line for line in lines if 'Deserializers with error' in line))[-1]`: all errors of a reader
# are of one side.
# `lines[jumps[0]:]` -> `lines[jumps[0] + 1:]`: the line of a jump returns nothing.
# `jumps[0]` -> `jumps[-1]`, `jumps[1]`: a reader of pills reads on after each jump, one of a new
# format after none.

# %% hint
# Read the lines in order. What comes after the first `Seeking to offset`: records, or the next error?

# %% hint
# "Returning 2 fetched records" after a jump: the records behind it can be read. Before the first jump
# it says nothing. Count the lines "Seeking to offset".
