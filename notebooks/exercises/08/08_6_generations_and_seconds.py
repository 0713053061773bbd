# %% [markdown]
# ### Exercise 08.6 · Generations and seconds
#
# For each group: how many different generations did its members reach? How many seconds did its
# members wait in all, from `(Re-)joining` to `synced`, all three added up? Give whole seconds,
# rounded down.

# %% spark=true
heard = waits.groupBy("group", "client_id").agg(F.count("generation"))  # change this
heard.orderBy("group", "client_id").toPandas()

# %% answer
generations = {"A": ..., "B": ..., "C": ..., "D": ...}
waited_s = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def cost(lab):
    """(generations, seconds of waiting), read off the same lines without Spark."""
    seen, began, waited_ms = set(), {}, 0
    for event in lab.journal.of("line"):
        if "(Re-)joining group" in event.message:
            began.setdefault(event.who, event.at_ms)
        elif "Successfully synced group" in event.message:
            seen.add(event.message.split("generationId=")[1].split(",")[0])
            waited_ms += event.at_ms - began.pop(event.who)
    return len(seen), waited_ms // 1_000


generations = {name: cost(lab)[0] for name, lab in storms.items()}
waited_s = {name: cost(lab)[1] for name, lab in storms.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: what a storm costs",
    points=3,
    answers=("generations", "waited_s"),
    draws=("A", "B", "C", "D"),
    row="group",
    space={"cause": HABITS, "seed": (11, 12, 17), "rounds": (4, 5, 6, 7)},
    # each of these sums has a fraction below a half, so a rounded sum would be right, too
    where=lambda n: (
        n["cause"] != "too slow" or (n["seed"], n["rounds"]) not in ((11, 7), (12, 6), (17, 6))
    ),
    together=lambda groups: (
        len({n["cause"] for n in groups}) == 4 and len({n["rounds"] for n in groups}) > 2
    ),
)

# %% judge
import re
from functools import cache

from autograder.course.judge import Judge


@cache
def _cost(cause: str, seed: int, rounds: int) -> tuple[int, int]:
    """(generations, whole seconds that members spent between joining and
    their plan) in what a troubled group wrote."""
    lab = troubled_group(cause, "bob", seed, rounds)
    generations, begun, waited_ms = set(), {}, 0
    for event in lab.journal.of("line"):
        text = event.message.split("] ", 1)[-1]
        if text == "(Re-)joining group":
            begun.setdefault(
                event.client_id if "client_id" in event.fields else event.who, event.at_ms
            )
        elif match := re.match(
            r"Successfully joined group with generation Generation\{generationId=(\d+)", text
        ):
            generations.add(match[1])
        elif text.startswith("Successfully synced group"):
            who = event.client_id if "client_id" in event.fields else event.who
            waited_ms += event.at_ms - begun.pop(who, event.at_ms)
    return len(generations), waited_ms // 1_000


def _storm(case: dict) -> dict:
    generations, waited_s = _cost(case["cause"], case["seed"], case["rounds"])
    return {"generations": generations, "waited_s": waited_s}


Judge(
    truth=_storm,
    right="right: so many rounds, and so many seconds without reading.",
    otherwise={
        "generations": "{said} is not it. Count the different generations of the group.",
        "waited_s": (
            "{said} is not it. Add up what lies between each `(Re-)joining` and the next `synced`, of all "
            "members. Then leave out the fraction of the sum."
        ),
    },
)


# %% equivalent
# `(set(), {}, 0)` -> `(set(), {}, 1)`, `(set(), {}, -1)`: no sum is so near a whole second.
# `event.message.split('generationId=')[1].split(',')` ->
# `event.message.split('generationId=')[1].split()`: two generations differ up to the next blank, too.
# `waited_ms // 1000` -> `waited_ms // 1001`, `waited_ms // 999`: no sum is so near a whole second.


# %% begin
def waits_of(lab):
    began, found = {}, []
    for event in lab.journal.of("line"):
        if "(Re-)joining group" in event.message:
            began.setdefault(event.who, event.at_ms)
        elif "Successfully synced group" in event.message:
            found.append(
                (
                    event.who,
                    event.message.split("generationId=")[1].split(",")[0],
                    event.at_ms - began.pop(event.who),
                )
            )
    return found


told_by = {name: waits_of(lab) for name, lab in storms.items()}


def cost(name, whose=""):
    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000


# %% wrong="each member's generations"
# That counts a generation once for each member that reached it. One generation is one round of all
# members.
generations = {name: len(told_by[name]) for name in storms}
waited_s = {name: cost(name) for name in storms}

# %% wrong="without the first"
# The first generation counts as well, though nothing had gone wrong when it was made.
generations = {name: len({g for _, g, _ in told_by[name]}) - 1 for name in storms}
waited_s = {name: cost(name) for name in storms}

# %% wrong="one member's waiting"
# That is what ann waited. bob and cyd waited as well.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: cost(name, "ann") for name in storms}

# %% wrong="milliseconds"
# The generations are right. The waiting is in milliseconds; divide by 1000.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: sum(ms for _, _, ms in told_by[name]) for name in storms}

# %% wrong="rounded up"
# Very near. Add up first, and then leave out the fraction of a second: 7.9 gives 7.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: cost(name) + 1 for name in storms}

# %% wrong="not rounded"
# The sum is right. Whole seconds are asked for: leave out the fraction, 7.9 gives 7.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: sum(ms for _, _, ms in told_by[name]) / 1_000 for name in storms}

# %% hint
# Generations: each member writes the number of the generation that it reached. Waiting: each row of
# `waits` is one wait of one member.

# %% hint
# Group by `group` alone. One column counts what is different, the other adds up.
