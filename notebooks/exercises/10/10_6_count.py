# %% [markdown]
# ### Exercise 10.6 · Count
#
# How often did each service leave its group because it polled too late? Write 0 for one that never
# did. Look at one such moment first: several lines are about it. Then let Spark count over all four
# logs; each has thousands of lines.

# %% spark=true
lines = logsets.read(spark, str(folder / "services"))
late = lines.where("message like '%poll timeout%'").orderBy("client_id", "time")
late.select("time", "client_id", "level", "message").limit(3).toPandas()

# %% answer
times_left = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def warnings_of(name, service):
    texts = (
        twenty_minutes(name, service)[0].lines(f"service-{name}").query("level == 'WARN'").message
    )
    return sum("consumer poll timeout has expired" in text for text in texts)


times_left = {name: warnings_of(name, service) for name, service in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def _batch_ms(numbers) -> int:
    """What a batch takes on the average where so many of a hundred records take 20 s more."""
    return numbers["max_poll_records"] * (numbers["usual_ms"] + numbers["slow_percent"] * 200)


Value(
    title="Spark: who left, and how often",
    points=2,
    answers=("times_left",),
    draws=(*THREE, "D"),
    row="service",
    space={
        "max_poll_records": (100, 150, 200, 300),
        "usual_ms": (300, 500),
        "slow_percent": (1, 2, 3, 5),
    },
    where=lambda n: (
        n["max_poll_records"] * n["usual_ms"] < 120_000 and not 75_000 < _batch_ms(n) < 104_000
    ),
    together=lambda sets: sum(_batch_ms(n) > 104_000 for n in sets) >= 2,
)

# %% judge
from functools import cache
from random import Random

from autograder.course.judge import Judge
from kafkalab import CommitFailedException, Lab

TWENTY_MINUTES_MS = 1_200_000
SLOW_MS = 20_000


@cache
def _times_left(max_poll_records: int, usual_ms: int, slow_percent: int) -> int:
    """How often a service left its group in twenty minutes."""
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
    return sum(
        event.fields["level"] == "WARN" and "consumer poll timeout" in event.fields["message"]
        for event in lab.journal.of("line")
    )


def _left(case: dict) -> dict:
    return {
        "times_left": _times_left(case["max_poll_records"], case["usual_ms"], case["slow_percent"])
    }


Judge(
    truth=_left,
    right=(
        "right: one warning each time it left, and none where it stayed. The rare slow records "
        "decide this, not the usual ones."
    ),
    otherwise="not this often. Count the warnings of each service in the lines.",
)

# %% wrong="every line that speaks of it"
# Each time three lines are about it: the warning, and two about the LeaveGroup request. Count one
# level.
times_left = {
    a: sum(
        "consumer poll timeout" in text
        for text in twenty_minutes(a, x)[0].lines(f"service-{a}").message
    )
    for a, x in n.items()
}

# %% wrong="how often it joined"
# You counted how often it joined. It joined once before it ever left, and may be away at the end.
# Count the warnings.
times_left = {
    a: sum(
        "Successfully joined" in text
        for text in twenty_minutes(a, x)[0].lines(f"service-{a}").message
    )
    for a, x in n.items()
}

# %% wrong="whether, not how often"
# It left, and more than once: it came back with its next poll, and was late again. Count the
# warnings.
times_left = {
    a: int(
        any(
            "consumer poll timeout" in text
            for text in twenty_minutes(a, x)[0].lines(f"service-{a}").message
        )
    )
    for a, x in n.items()
}

# %% says
lambda case: {"times_left": min(1, _left(case)["times_left"])}

# %% wrong="usual times decide"
# You calculated with {usual_ms} ms for every record. {slow_percent} of a hundred take 20 s, and a
# batch of {max_poll_records} has some of them.
times_left = {
    a: 0
    if x.max_poll_records * x.usual_ms < 120_000
    else 1_200_000 // (x.max_poll_records * x.usual_ms)
    for a, x in n.items()
}

# %% equivalent
# `twenty_minutes(name, service)[0].lines(f'service-{name}')` ->
# `twenty_minutes(name, service)[0].lines()`: the service is the only client in its lab.
# `sum(('consumer poll timeout has expired' in text for text in texts))` ->
# `len(list(('consumer poll timeout has expired' in text for text in texts)))`: these services write
# no other warning.
# `'consumer poll timeout has expired' in text` -> `'' in text`: the same.

# %% hint
# Look at one time at which a service left: how many lines are about it, and at which levels?

# %% hint
# lines.where("level = 'WARN' and message like '%consumer poll
# timeout%'").groupBy("client_id").count(). A service without a line left 0 times.
