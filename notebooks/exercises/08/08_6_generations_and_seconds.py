# %% [markdown]
# ### Exercise 08.6 · Generations and seconds
#
# For each group: how many different generations reached their members? How many seconds did members
# wait in all, from `(Re-)joining` to `synced`, summed over everybody? Give whole seconds, rounded
# down.

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
    space={"cause": HABITS, "seed": tuple(range(11, 20))},
    together=lambda groups: len({n["cause"] for n in groups}) == 4,
)

# %% judge
import re
from functools import cache

from autograder.course.judge import Judge


@cache
def _cost(cause: str, seed: int) -> tuple[int, int]:
    """(generations, whole seconds that members spent between joining and
    their plan) in what a troubled group wrote."""
    lab = troubled_group(cause, "bob", seed)
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
    generations, waited_s = _cost(case["cause"], case["seed"])
    return {"generations": generations, "waited_s": waited_s}


Judge(
    truth=_storm,
    right="right: that is what a group pays for one restless member.",
    otherwise=(
        "not these two. Count different generations, and add up what lies between each "
        "`(Re-)joining` and the next `synced`: of all members, in seconds without their "
        "fraction."
    ),
)


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
# You counted a generation once for each member that reached it. One generation is one round of
# all.
generations = {name: len(told_by[name]) for name in storms}
waited_s = {name: cost(name) for name in storms}

# %% wrong="without the first"
# The first generation counts as well, though nothing had gone wrong when it was made.
generations = {name: len({g for _, g, _ in told_by[name]}) - 1 for name in storms}
waited_s = {name: cost(name) for name in storms}

# %% wrong="one member's waiting"
# That is what ann waited. Bob and cyd were standing still as well.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: cost(name, "ann") for name in storms}

# %% wrong="milliseconds"
# The generations are right. The waiting is in milliseconds; a thousand of them are one of what is
# asked for.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: sum(ms for _, _, ms in told_by[name]) for name in storms}

# %% wrong="rounded up"
# Very near. Add up first, and then cut off what is left of a second: 7.9 gives 7.
generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}
waited_s = {name: cost(name) + 1 for name in storms}

# %% hint
# For the first: how many different generations stand in `Successfully synced group`? For the
# second: pair each beginning with the next end of the same client.

# %% hint
# The frame `waits` has it all: count distinct generations of the group, and sum up the column
# seconds.
