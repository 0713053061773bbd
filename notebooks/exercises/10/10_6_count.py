# %% [markdown]
# ### Exercise 10.6 · Count
#
# Each service found 1,000 orders. How often did it leave its group because it polled too late (0 if
# never)? And how many orders had it *saved* after the twenty minutes: at which offset would its
# successor begin? Look at one moment first: several lines are about it. Then let Spark read all
# four logs; each has thousands of lines.

# %% spark=true
lines = logsets.read(spark, str(folder / "services"))
late = lines.where("message like '%poll timeout%' or message like '%OffsetCommit request%'")
late.select("time", "client_id", "level", "message").orderBy("client_id", "time").limit(
    4
).toPandas()

# %% answer long=true
times_left = {"A": ..., "B": ..., "C": ..., "D": ...}
saved = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
times_left, saved = {}, {}
for name, service in n.items():
    told = twenty_minutes(name, service)[0].lines(f"service-{name}")
    late = told.query("level == 'WARN'").message
    times_left[name] = sum("consumer poll timeout has expired" in text for text in late)
    done = [text.split("Committed offset ")[1] for text in told.message if "Committed" in text]
    saved[name] = int(done[-1].split()[0]) if done else 0
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def _batch_ms(numbers) -> int:
    """What a batch takes on the average where so many of a hundred records take 20 s more."""
    return numbers["max_poll_records"] * (numbers["usual_ms"] + numbers["slow_percent"] * 200)


Value(
    title="Spark: who left, and how often",
    points=3,
    answers=("times_left", "saved"),
    draws=(*THREE, "D"),
    row="service",
    space={
        "max_poll_records": (100, 120, 150, 200, 300),
        "usual_ms": (300, 400, 500),
        "slow_percent": (1, 2, 3, 5),
    },
    where=lambda n: (
        n["max_poll_records"] * n["usual_ms"] < 120_000 and not 75_000 < _batch_ms(n) < 104_000
    ),
    # one service saves nothing at all: none of its batches is in time; one leaves and saves some
    together=lambda sets: (
        2 <= sum(_batch_ms(n) > 104_000 for n in sets) <= 3
        and any(_batch_ms(n) > 270_000 for n in sets)
        and any(_batch_ms(n) > 125_000 and n["max_poll_records"] < 200 for n in sets)
    ),
)

# %% judge
from functools import cache
from random import Random

from autograder.course.judge import Judge
from kafkalab import CommitFailedException, Lab

TWENTY_MINUTES_MS = 1_200_000
SLOW_MS = 20_000


@cache
def _day(max_poll_records: int, usual_ms: int, slow_percent: int) -> dict:
    """How often a service left its group in twenty minutes, and its committed offset after them."""
    lab = Lab(brokers=1, seed=11)
    _shop(lab, 1_000)
    chance = Random(f"{max_poll_records} {usual_ms} {slow_percent}")

    def service(lab):
        consumer = _member(
            lab,
            "service",
            **{
                "max.poll.records": max_poll_records,
                "max.poll.interval.ms": 120_000,
                "heartbeat.interval.ms": 15_000,
            },
        )
        while True:
            records = consumer.poll(timeout_ms=500)
            lab.sleep(
                sum(SLOW_MS if chance.random() * 100 < slow_percent else usual_ms for _ in records)
            )
            try:
                consumer.commit_sync()
            except CommitFailedException:
                pass

    lab.spawn(service, name="service")
    lab.run_for(ms=TWENTY_MINUTES_MS)
    lab.close()
    warned = sum(
        event.fields["level"] == "WARN" and "consumer poll timeout" in event.fields["message"]
        for event in lab.journal.of("line")
    )
    offsets = lab.at(TWENTY_MINUTES_MS)["groups"]["stock"]["offsets"]
    return {
        "times_left": warned,
        "saved": offsets["orders-0"]["offset"] if "orders-0" in offsets else 0,
    }


def _left(case: dict) -> dict:
    return dict(_day(case["max_poll_records"], case["usual_ms"], case["slow_percent"]))


Judge(
    truth=_left,
    right=(
        "right: one warning each time it left, and only commits that were answered save orders. The "
        "rare slow records decide this, not the usual ones."
    ),
    otherwise={
        "times_left": "not this often. Count the warnings of each service in the lines.",
        "saved": (
            "{said} is not it. A commit that fails saves nothing, and its orders are read again. Look "
            "for the last commit that was answered."
        ),
    },
)


# %% begin
def all_texts():
    return {a: list(twenty_minutes(a, x)[0].lines(f"service-{a}").message) for a, x in n.items()}


def saved_in(texts):
    done = [text.split("Committed offset ")[1] for text in texts if "Committed offset" in text]
    return int(done[-1].split()[0]) if done else 0


# %% wrong="every line that speaks of it"
# `saved` is right. Each time three lines are about it: the warning, and two about the LeaveGroup
# request. Count one level.
texts = all_texts()
times_left = {a: sum("consumer poll timeout" in text for text in texts[a]) for a in n}
saved = {a: saved_in(texts[a]) for a in n}

# %% wrong="how often it joined"
# `saved` is right. That is how often it joined. It joined once before it ever left, and may be away
# at the end. Count the warnings.
texts = all_texts()
times_left = {a: sum("Successfully joined" in text for text in texts[a]) for a in n}
saved = {a: saved_in(texts[a]) for a in n}

# %% wrong="whether, not how often"
# `saved` is right. It left, and more than once: it came back with its next poll, and was late again.
# Count the warnings.
texts = all_texts()
times_left = {a: int(any("consumer poll timeout" in text for text in texts[a])) for a in n}
saved = {a: saved_in(texts[a]) for a in n}

# %% says
lambda case: {**_left(case), "times_left": min(1, _left(case)["times_left"])}

# %% wrong="usual times decide"
# So it would be with {usual_ms} ms for every record. But {slow_percent} of a hundred take 20 s, and a
# batch of {max_poll_records} has some of them.
times_left = {a: 0 for a in n}
saved = {a: 1_000 for a in n}

# %% wrong="late work counts"
# The times are right. A batch that was late is done, but its commit failed: nothing of it is saved,
# and the service begins with it again.
texts = all_texts()
times_left = {a: sum("timeout has expired. This means" in text for text in texts[a]) for a in n}
saved = {
    a: min(1_000, saved_in(texts[a]) + times_left[a] * x.max_poll_records) for a, x in n.items()
}

# %% says
lambda case: {
    **_left(case),
    "saved": min(
        1_000, _left(case)["saved"] + _left(case)["times_left"] * case["max_poll_records"]
    ),
}

# %% equivalent
# `twenty_minutes(name, service)[0].lines(f'service-{name}')` ->
# `twenty_minutes(name, service)[0].lines()`: the service is the only client in its lab.
# `sum(('consumer poll timeout has expired' in text for text in late))` ->
# `len(list(('consumer poll timeout has expired' in text for text in late)))`: these services write
# no other warning.
# `'consumer poll timeout has expired' in text` -> `'' in text`: the same.
# `told.message` -> `list(told.message)[1:]`, `list(told.message)[:-1]`: a log neither begins nor ends
# with a commit.

# %% hint
# Look at one time at which a service left: how many lines are about it, and at which levels? Was
# the commit after it sent?

# %% hint
# lines.where("level = 'WARN' and message like '%consumer poll
# timeout%'").groupBy("client_id").count(). For the other number take the largest offset in
# `Committed offset … for partition`. A service without such a line has 0.
