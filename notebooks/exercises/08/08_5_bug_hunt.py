# %% [markdown]
# Four groups, A to D, of ann, bob and cyd. Each group rebalances again and again, and in each one
# member is the cause. Each of these habits occurs once:
#
# - `"too slow"`: it works so long between two polls that the client gives up its membership.
# - `"crashes"`: its process is killed, and a supervisor starts it again.
# - `"closes"`: it closes its consumer, waits, and makes a new one.
# - `"subscribes again"`: it changes the topics that it wants to read.
#
# These are lines that the three members wrote in eighteen seconds. The number in front is the
# second. No line says a reason: each is cut before the words `due to`, and the warning about the
# poll timeout is left out. So one line is not enough. Take one group at a time. Which lines does
# one member write that the other two never write?

# %%
shown = numbers("08.5")
for name, lines in shown.items():
    print(f"group {name}\n" + "\n".join(lines) + "\n")

# %% answer
guilty = {"A": ..., "B": ..., "C": ..., "D": ...}  # "ann", "bob" or "cyd"
habit = {"A": ..., "B": ..., "C": ..., "D": ...}  # as above


### BEGIN SOLUTION
def read(lines):
    for name in ("ann", "bob", "cyd"):
        own = "".join(line for line in lines if line.split()[1] == name)
        left, started = "LeaveGroup" in own, "Kafka version" in own
        if left:
            return name, "closes" if started else "too slow"
        if "Subscribed" in own:
            return name, "crashes" if started else "subscribes again"


guilty = {name: read(lines)[0] for name, lines in shown.items()}
habit = {name: read(lines)[1] for name, lines in shown.items()}
### END SOLUTION

# %% question
import re
from functools import cache

from autograder.cell.kinds import LineReading


def told(numbers) -> dict[str, list[str]]:
    """By group, what its members wrote between the 14th and the 32nd second about the group and
    about themselves, without the reasons."""
    return {
        name: list(_lines_of(each["cause"], each["guilty"], each["seed"]))
        for name, each in numbers.items()
    }


@cache
def _lines_of(cause: str, guilty: str, seed: int) -> tuple[str, ...]:
    lab = troubled_group(cause, guilty, seed)
    wanted = (
        "Subscribed to topic",
        "Request joining group due to",
        "sending LeaveGroup",
        "Kafka version",
        "Adding newly assigned",
    )
    found = []
    for event in lab.journal.of("line"):
        text = event.message.partition("] ")[2] or event.message
        if (
            event.level in ("INFO", "WARN")
            and 14_000 <= event.at_ms <= 32_000
            and text.startswith(("Member", *wanted))
            and any(word in text for word in wanted)
            and "pro-actively" not in text
        ):
            client = re.split("[-/]", event.who)[0]
            found.append(f"{event.at_ms / 1_000:5.1f}  {client}  {_short(text)}")
    return tuple(found)


def _short(text: str) -> str:
    """A line without member ids and without its reason, not longer than a screen is wide."""
    text = text.partition(" due to")[0]
    text = re.sub(r" coordinator localhost.*?\)", " …", text)
    words = [
        word.split("-")[0] + "-…" if word.count("-") >= 5 else word
        for word in text.replace("'", " ' ").split()
    ]
    return " ".join(words).replace(" ' ", "'")[:92]


LineReading(
    title="bug hunt: who keeps the group busy",
    points=3,
    answers=("guilty", "habit"),
    draws=("A", "B", "C", "D"),
    row="group",
    space={"cause": HABITS, "guilty": NAMES, "seed": tuple(range(1, 6))},
    show=told,
    together=lambda groups: (
        len({n["cause"] for n in groups}) == 4 and {n["guilty"] for n in groups} == set(NAMES)
    ),
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"guilty": case["guilty"], "habit": case["cause"]},
    right="right: you found the member that began, from what it wrote and what it did not write.",
    otherwise="not this one. Read the lines of each member separately: did it leave, did it start?",
)


# %% equivalent
# `line.split()[1] == name` -> `line.split()[1] <= name`: the lines of a member that is not guilty have
# none of the three words.


# %% begin
def lines_of(name, member):
    return "".join(line for line in shown[name] if line.split()[1] == member)


def guilty_of(name):
    signs = ("LeaveGroup", "Subscribed")
    return next(
        member
        for member in ("ann", "bob", "cyd")
        if any(sign in lines_of(name, member) for sign in signs)
    )


def habit_of(name):
    own = lines_of(name, guilty_of(name))
    if "LeaveGroup" in own:
        return "closes" if "Kafka version" in own else "too slow"
    return "crashes" if "Kafka version" in own else "subscribes again"


def somebody_else(name):
    return next(member for member in ("cyd", "bob") if member != guilty_of(name))


# %% wrong="who joins is guilty"
# This member joins because it was told that the group rebalances. It never left and never
# subscribed in these seconds. Look for the one that did.
guilty = {name: somebody_else(name) for name in shown}
habit = {name: habit_of(name) for name in shown}

# %% wrong="the third is guilty"
# This member joins because it was told that the group rebalances. It never left and never
# subscribed in these seconds. Look for the one that did.
guilty = {
    name: next(
        each for each in ("ann", "bob") if each not in (guilty_of(name), somebody_else(name))
    )
    for name in shown
}
habit = {name: habit_of(name) for name in shown}

# %% wrong="every leave is a close"
# A LeaveGroup is there, but no new consumer starts: `Kafka version` is missing. The client gave up
# its membership, because the program did not poll in time.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "closes" if habit_of(name) == "too slow" else habit_of(name) for name in shown}

# %% wrong="every leave is too slow"
# A LeaveGroup is there, and a new consumer starts: `Kafka version`. The old one was closed.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "too slow" if habit_of(name) == "closes" else habit_of(name) for name in shown}

# %% wrong="back again means closed"
# A member that closes writes `sending LeaveGroup`. This one starts again and never wrote it.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "closes" if habit_of(name) == "crashes" else habit_of(name) for name in shown}

# %% wrong="closed means crashed"
# A process that is killed has no time for a LeaveGroup. This one sent it: the consumer was closed.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "crashes" if habit_of(name) == "closes" else habit_of(name) for name in shown}

# %% wrong="a change is a start"
# `Subscribed to topic(s)` is there again and again, and `Kafka version` is not. The same process
# asks for other topics each time.
guilty = {name: guilty_of(name) for name in shown}
habit = {
    name: "crashes" if habit_of(name) == "subscribes again" else habit_of(name) for name in shown
}

# %% wrong="a start is a change"
# `Subscribed to topic(s)` comes together with `Kafka version`: a new process asks for the topics for
# the first time.
guilty = {name: guilty_of(name) for name in shown}
habit = {
    name: "subscribes again" if habit_of(name) == "crashes" else habit_of(name) for name in shown
}

# %% wrong="a poll timeout is a crash"
# This process was alive all the time: it sent LeaveGroup itself, and no new client started.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "crashes" if habit_of(name) == "too slow" else habit_of(name) for name in shown}

# %% hint
# Two questions about the one who begins. Did it send LeaveGroup? Did a new client start, which writes
# `Kafka version`?

# %% hint
# Four habits, four answers: left and started, left only, started only, neither of the two. A process
# that is killed sends no LeaveGroup. A consumer that only gives up its membership does not start
# again.
