# %% [markdown]
# ### Exercise 17.5 · A detector for other nights
#
# Write `spells(lines)`. It takes lines as above: `time`, `client_id`, `message`. It returns a Spark
# DataFrame with one row for each spell. Its columns are `partition` (as the line names it,
# `stock-0`), `since` (the time of its first refusal) and `refused` (how many). A refusal is a line
# with the error `NOT_ENOUGH_REPLICAS` or `NOT_ENOUGH_REPLICAS_AFTER_APPEND`. Refusals of one
# partition belong to one spell, until more than 10 seconds pass without one. It does not matter
# which client was refused. The check runs your function on small tables of its own, and then on
# other nights.


# %% answer spark=true
def spells(lines):
    """One row for each spell of refusals: partition, since, refused."""
    ### BEGIN SOLUTION
    refused = lines.where("message like '%Error: NOT_ENOUGH_REPLICAS%'").withColumn(
        "partition", F.regexp_extract("message", r"topic-partition (\S+?),", 1)
    )
    in_time = Window.partitionBy("partition").orderBy("time")
    silence_ms = F.unix_millis("time") - F.unix_millis(F.lag("time").over(in_time))
    begins = F.when(silence_ms > 10_000, 1).otherwise(0)
    numbered = refused.withColumn("begins", begins).withColumn(
        "spell", F.sum("begins").over(in_time)
    )
    rows = numbered.groupBy("partition", "spell")
    return rows.agg(F.min("time").alias("since"), F.count("*").alias("refused")).drop("spell")
    ### END SOLUTION


# %% question
from autograder.cell.kinds import SparkAnswer


def refusal(time: str, client: str, partition: str, error: str = "NOT_ENOUGH_REPLICAS") -> list:
    """A line of a producer whose batch was refused."""
    return [
        f"2026-01-05 {time}",
        client,
        f"[Producer clientId={client}] Got error produce response with correlation id 7 on "
        f"topic-partition {partition}, retrying (2147483646 attempts left). Error: {error}",
    ]


NIGHTS = (
    {
        "case": "two spells of one partition",
        "rows": [
            refusal("03:15:39", "producer-1", "stock-0"),
            refusal("03:15:44", "producer-1", "stock-0"),
            refusal("03:16:02", "producer-1", "stock-0"),
        ],
    },
    {
        "case": "ten seconds, and a millisecond more",
        "rows": [
            refusal("03:15:39.000", "producer-1", "stock-0"),
            refusal("03:15:49.000", "producer-1", "stock-0"),
            refusal("03:15:59.001", "producer-1", "stock-0"),
        ],
    },
    {
        "case": "two clients, one partition",
        "rows": [
            refusal("03:15:39", "producer-1", "stock-0"),
            refusal("03:15:46", "producer-2", "stock-0"),
            refusal("03:15:54", "producer-1", "stock-0"),
            refusal("03:16:03", "producer-2", "stock-0", "NOT_ENOUGH_REPLICAS_AFTER_APPEND"),
        ],
    },
    {
        "case": "two partitions, and another error",
        "rows": [
            refusal("03:15:41", "producer-1", "stock-1"),
            refusal("03:15:39", "producer-1", "stock-0"),
            refusal("03:15:50", "producer-1", "stock-0"),
            refusal("03:15:40", "producer-1", "stock-0", "NOT_LEADER_OR_FOLLOWER"),
            ["2026-01-05 03:15:42", "producer-1", "[Producer clientId=producer-1] Sent"],
        ],
    },
)

SparkAnswer(
    title="Spark: a detector for refused writes",
    points=4,
    answers=("spells",),
    public_cases=NIGHTS,
    schema="time timestamp, client_id string, message string",
    gives=("partition", "since", "refused"),
)

# %% judge
import re
from datetime import datetime, timedelta
from random import Random

from autograder.cell.data import canonical
from autograder.course.judge import Judge
from kafkalab.stories.incident import told


def _spells(
    case: dict, gap_ms: int = 10_000, by_client: bool = False, errors=None, unit_ms: int = 1
) -> dict:
    """What spells() gives when a longer silence than gap_ms ends a spell, and times are cut to whole
    units."""
    errors = errors or ("NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND")
    found: dict[tuple, list[datetime]] = {}
    for time, client, message in case["rows"]:
        refused = re.search(r"topic-partition (\S+?),.* Error: (\S+)", message)
        if refused and refused[2] in errors:
            key = (refused[1], client if by_client else "")
            found.setdefault(key, []).append(datetime.fromisoformat(time))
    rows = []
    for (partition, _), times in found.items():
        spell: list[datetime] = []
        for time in sorted(times):
            if spell and (_units(time, unit_ms) - _units(spell[-1], unit_ms)) * unit_ms > gap_ms:
                rows.append([partition, _told(spell[0]), len(spell)])
                spell = []
            spell.append(time)
        rows.append([partition, _told(spell[0]), len(spell)])
    columns = {"partition": "text", "since": "moment", "refused": "whole number"}
    return {"columns": columns, "rows": sorted(rows, key=canonical)}


def _units(time: datetime, unit_ms: int) -> int:
    """The whole units of so many milliseconds up to a moment."""
    return (time - datetime(2026, 1, 1)) // timedelta(milliseconds=unit_ms)


def _told(time: datetime) -> str:
    """A moment as the rows of an answer write it."""
    return time.isoformat(" ", "milliseconds").removesuffix(".000")


def _other_nights(rng: Random) -> list[dict]:
    """The refusals of three played stories, with other lines and other errors among them."""
    cases = []
    for version in ("3.6", "3.9", "4.4"):
        rows = []
        for line in told(5, {"seed": rng.randrange(10_000), "version": version}):
            if " WARN " in line and len(rows) < 60:
                client = re.search(r"clientId=([\w-]+)", line)
                message = line[25:].split("] ", 1)[-1].rsplit(" (", 1)[0]
                if rng.random() < 0.2:
                    message = message.replace("NOT_ENOUGH_REPLICAS", "REQUEST_TIMED_OUT")
                if rng.random() < 0.3:
                    message = message.replace("jobs-0", "jobs-1")
                rows.append([f"{line[1:20]}.{line[21:24]}", client[1] if client else None, message])
        rng.shuffle(rows)
        cases.append({"rows": rows})
    return cases


Judge(
    truth=_spells,
    hidden_cases=_other_nights,
    right="right: it finds the spells of each partition, in this night and in others.",
    otherwise="not these rows. When does a spell end, and whose refusals belong together?",
    unseen=(
        "other rows were asked for in another night. Think of other errors, of two clients, and "
        "of lines that are not in order."
    ),
)


# %% wrong="no spells"
# You have one row for each partition. After more than 10 seconds without a refusal a new spell
# begins.
def spells(lines):
    refused = lines.where("message like '%Error: NOT_ENOUGH_REPLICAS%'").withColumn(
        "partition", F.regexp_extract("message", r"topic-partition (\S+?),", 1)
    )
    return refused.groupBy("partition").agg(
        F.min("time").alias("since"), F.count("*").alias("refused")
    )


# %% says
lambda case: _spells(case, gap_ms=10**12)


# %% wrong="each client for itself"
# The clients are apart. One partition without enough replicas refuses all of them: that is one
# spell.
def spells(lines):
    refused = lines.where("message like '%Error: NOT_ENOUGH_REPLICAS%'").withColumn(
        "partition", F.regexp_extract("message", r"topic-partition (\S+?),", 1)
    )
    in_time = Window.partitionBy("partition", "client_id").orderBy("time")
    silence_ms = F.unix_millis("time") - F.unix_millis(F.lag("time").over(in_time))
    begins = F.when(silence_ms > 10_000, 1).otherwise(0)
    numbered = refused.withColumn("spell", F.sum(begins).over(in_time))
    rows = numbered.groupBy("partition", "client_id", "spell")
    return rows.agg(F.min("time").alias("since"), F.count("*").alias("refused")).drop(
        "spell", "client_id"
    )


# %% says
lambda case: _spells(case, by_client=True)


# %% wrong="every error"
# Other errors are counted, too. Only the two with NOT_ENOUGH_REPLICAS say that replicas are missing.
# -     refused = lines.where("message like '%Error: NOT_ENOUGH_REPLICAS%'").withColumn(
# +     refused = lines.where("message like '%Got error produce response%'").withColumn(


# %% says
lambda case: _spells(
    case,
    errors=(
        "NOT_ENOUGH_REPLICAS",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NOT_LEADER_OR_FOLLOWER",
        "REQUEST_TIMED_OUT",
    ),
)


# %% wrong="the exact error only"
# NOT_ENOUGH_REPLICAS_AFTER_APPEND is a refusal, too: the leader has written the record, and then too
# few followers had it.
# -     refused = lines.where("message like '%Error: NOT_ENOUGH_REPLICAS%'").withColumn(
# +     refused = lines.where("message like '%Error: NOT_ENOUGH_REPLICAS'").withColumn(


# %% says
lambda case: _spells(case, errors=("NOT_ENOUGH_REPLICAS",))


# %% wrong="whole seconds"
# Between 03:15:49.000 and 03:15:59.001 there is more than 10 seconds of silence. Compare
# milliseconds, not whole seconds.
# -     silence_ms = F.unix_millis("time") - F.unix_millis(F.lag("time").over(in_time))
# -     begins = F.when(silence_ms > 10_000, 1).otherwise(0)
# +     silence_s = F.unix_timestamp("time") - F.unix_timestamp(F.lag("time").over(in_time))
# +     begins = F.when(silence_s > 10, 1).otherwise(0)


# %% says
lambda case: _spells(case, unit_ms=1_000)


# %% wrong="ten seconds end a spell"
# Ten seconds of silence are not more than 10 seconds. The spell continues.
# -     begins = F.when(silence_ms > 10_000, 1).otherwise(0)
# +     begins = F.when(silence_ms >= 10_000, 1).otherwise(0)


# %% says
lambda case: _spells(case, gap_ms=9_999)

# %% equivalent
# `F.when(silence_ms > 10000, 1).otherwise(0)` -> `F.when(silence_ms > 10000, 1)`: `sum` passes over
# nothing, and the first spell then has no number instead of 0.
# `F.when(silence_ms > 10000, 1)` -> `F.when(silence_ms > 10000, 2)`: the number only tells spells apart.
# `numbered.groupBy('partition', 'spell')` -> `numbered.groupBy('spell', 'partition')`: a group has no
# order.
# `rows.agg(F.min('time').alias('since'), F.count('*').alias('refused'))` ->
# `rows.agg(F.count('*').alias('refused'), F.min('time').alias('since'))`: nor have the columns.

# %% hint
# Three steps: keep the refusals, give each spell a number, and count. A spell begins where the
# refusal before it is more than 10 seconds old, or where there is none.

# %% hint
# `F.lag("time").over(in_time)` is the refusal before, and `F.unix_millis` makes a number of a time. Sum a column that is 1 where a spell begins and
# else 0: the sum so far is the number of the spell.
