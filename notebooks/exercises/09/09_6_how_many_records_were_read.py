# %% [markdown]
# ### Exercise 09.6 · How many records were read twice?
#
# Count them for each shop, both crashes together. `F.lag("came_to", 1, 0).over(window)` gives each
# life the `came_to` of the life before it, and 0 to the first.

# %% spark=true
from pyspark.sql import Window

before = Window.partitionBy("shop").orderBy("life")
beside = lives.withColumn("came_before", F.lag("came_to", 1, 0).over(before))
beside.orderBy("shop", "life").toPandas()  # continue here

# %% answer
read_twice = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
import re


def gaps_of(shop):
    told, gaps, came_to = three_lives(**dict(shop)), 0, 0
    for text in told.values():
        mark = re.search(r"Setting offset .*?offset=(\d+)", text)
        gaps += came_to - (int(mark[1]) if mark else 0)
        returned = r"Returning (\d+) .*?offset=(\d+)"
        came_to = max([int(count) + int(at) for count, at in re.findall(returned, text)], default=0)
    return gaps


read_twice = {name: gaps_of(shop) for name, shop in shops.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

UNEVEN = {
    160: ((3, 11), (4, 7), (4, 8), (4, 11), (4, 12), (5, 7)),
    170: ((2, 8), (3, 8), (3, 11), (3, 12), (4, 8), (4, 12), (5, 8)),
}
"""By `pace_ms`: with these `interval_s` and `life_s` the second crash repeats one record more than the
first. With all others it repeats as many, so twice the first is the answer."""


def needs_both_crashes(shops: list[dict]) -> bool:
    """Whether the crashes of one shop differ, and the orders of another one come each 100 ms. There
    the time since the last commit does not give the number."""
    uneven = any((n["interval_s"], n["life_s"]) in UNEVEN.get(n["pace_ms"], ()) for n in shops)
    return uneven and any(n["pace_ms"] == 100 for n in shops)


Value(
    title="Spark: read twice",
    points=2,
    answers=("read_twice",),
    draws=THREE,
    row="shop",
    space={
        "interval_s": (2, 3, 4, 5),
        "life_s": (7, 8, 9, 10, 11, 12, 13),
        "pace_ms": (100, 160, 170),
    },
    together=needs_both_crashes,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, ProducerRecord


@cache
def _read_twice(interval_s: int, life_s: int, pace_ms: int) -> int:
    """How many records the second and third reader of a shop were given
    although the one before had had them."""
    lab = _cluster(0, seed=9)

    def sell(lab):
        producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
        for number in range(40_000 // pace_ms):
            producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
            lab.sleep(pace_ms)

    def read(lab, name):
        reader = _member(
            lab, name, **{"enable.auto.commit": True, "auto.commit.interval.ms": interval_s * 1_000}
        )
        while True:
            reader.poll(timeout_ms=500)

    lab.spawn(sell, name="selling")
    for name, ms in (("life 1", life_s * 1_000), ("life 2", life_s * 1_000), ("life 3", 4_000)):
        lab.spawn(read, name, name=name)
        lab.run_for(ms=ms)
        lab.kill(name)
        lab.run_for(ms=7_000)
    given = [event.offset for event in lab.journal.of("record.delivered")]
    return len(given) - len(set(given))


Judge(
    truth=lambda case: {
        "read_twice": _read_twice(case["interval_s"], case["life_s"], case["pace_ms"])
    },
    right="right: from the last commit to the crash, twice.",
    otherwise=(
        "not this number. For each life after the first: `came_to` of the life before, minus "
        "`began_at` of this one."
    ),
)

# %% wrong="automatic commits repeat nothing"
# These readers were killed. What they read after their last automatic commit was read again.
read_twice = {a: 0 for a, x in shops.items()}

# %% wrong="a full interval each time"
# So it would be with {interval_s} full seconds for each crash. That is the most it can be; the lines
# say how much it was.
read_twice = {a: 2 * x.interval_s * 1000 // x.pace_ms for a, x in shops.items()}

# %% wrong="everything"
# Not everything was read again: the automatic commits had saved a part.
read_twice = {a: 2 * x.life_s * 1000 // x.pace_ms for a, x in shops.items()}

# %% wrong="one crash"
# That is what one crash cost. There were two: add up what life 2 and life 3 read again.
import re


def again(shop):
    found = []
    for text in three_lives(**dict(shop)).values():
        mark = re.search(r"Setting offset .*?offset=(\d+)", text)
        came = re.findall(r"Returning (\d+) .*?offset=(\d+)", text)
        found.append(
            (
                int(mark[1]) if mark else 0,
                max([int(count) + int(at) for count, at in came], default=0),
            )
        )
    return [to - at for (_, to), (at, _) in zip(found, found[1:])]


read_twice = {a: again(x)[0] for a, x in shops.items()}

# %% says
lambda case: {"read_twice": _read_twice(case["interval_s"], case["life_s"], case["pace_ms"]) // 2}

# %% equivalent
# `dict(shop)` -> `shop`: the numbers are a dict already.
# `max([int(count) + int(at) for count, at in re.findall(returned, text)], default=0)` ->
# `max([int(count) + int(at) for count, at in re.findall(returned, text)])`,
# `max([int(count) + int(at) for count, at in re.findall(returned, text)], default=1)`,
# `max([int(count) + int(at) for count, at in re.findall(returned, text)], default=-1)`: every life has
# read something.
# `re.findall(returned, text)` -> `list(re.findall(returned, text))[1:]`: every life has read more than
# once.

# %% hint
# Each life has two numbers: where it began, and where it had come to. What is between the end of
# one and the start of the next?

# %% hint
# `beside` has both in one row. Leave out life 1. What does a difference of two columns tell you?
