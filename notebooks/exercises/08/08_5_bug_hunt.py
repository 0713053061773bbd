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
# second. Long lines are cut. There are about 55 lines, so take one group at a time. Ask of each
# line: did this member begin the rebalance, or was it told?

# %%
shown = numbers("08.5")
for name, lines in shown.items():
    print(f"group {name}\n" + "\n".join(lines) + "\n")

# %% answer
guilty = {"A": ..., "B": ..., "C": ..., "D": ...}  # "ann", "bob" or "cyd"
habit = {"A": ..., "B": ..., "C": ..., "D": ...}  # as above
### BEGIN SOLUTION
signs = {
    "too slow": "poll timeout has expired",
    "closes": "consumer is being closed",
    "subscribes again": "subscription has changed",
    "crashes": "Kafka version",
}


def read(lines):
    for what, sign in signs.items():
        for line in lines:
            if sign in line:
                return line.split()[1], what


guilty = {name: read(lines)[0] for name, lines in shown.items()}
habit = {name: read(lines)[1] for name, lines in shown.items()}
### END SOLUTION

# %% question
import re
from functools import cache

from autograder.cell.kinds import LineReading


def told(numbers) -> dict[str, list[str]]:
    """By group, what its members wrote between the 14th and the 32nd second about the group and
    about themselves, shortened."""
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
        "consumer poll timeout",
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
        ):
            client = re.split("[-/]", event.who)[0]
            found.append(f"{event.at_ms / 1_000:5.1f}  {client}  {_short(text)}")
    return tuple(found)


def _short(text: str) -> str:
    """A line without member ids, and not longer than a screen is wide."""
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
    together=lambda groups: len({n["cause"] for n in groups}) == 4,
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"guilty": case["guilty"], "habit": case["cause"]},
    right="right: you found the member that began, and its line that says why.",
    otherwise="not this one. Read the lines of each member separately.",
)


# %% begin
def habit_of(name):
    lines = "\n".join(shown[name])
    if "poll timeout" in lines:
        return "too slow"
    if "subscription has changed" in lines:
        return "subscribes again"
    return "closes" if "being closed" in lines else "crashes"


def guilty_of(name):
    word = {
        "too slow": "poll timeout",
        "subscribes again": "subscription has changed",
        "closes": "being closed",
        "crashes": "Subscribed",
    }[habit_of(name)]
    return next((line.split()[1] for line in shown[name] if word in line), "ann")


# %% wrong="who joins is guilty"
# A member that says `group is already rebalancing` was told so by the coordinator. Look for the one
# that began it.
guilty = {
    name: next((line.split()[1] for line in shown[name] if "already rebalancing" in line), "ann")
    for name in shown
}
habit = {name: habit_of(name) for name in shown}

# %% wrong="every leave is a close"
# A LeaveGroup is there, and the line before it says why: the program did not poll in time.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "closes" if habit_of(name) == "too slow" else habit_of(name) for name in shown}

# %% wrong="back again means closed"
# A member that closes writes `sending LeaveGroup`. This one starts again and never wrote it.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "closes" if habit_of(name) == "crashes" else habit_of(name) for name in shown}

# %% wrong="closed means crashed"
# A process that is killed has no time for a LeaveGroup. This one sent it: the consumer is being
# closed.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "crashes" if habit_of(name) == "closes" else habit_of(name) for name in shown}

# %% wrong="a change is a start"
# `Subscribed to topic(s)` is there again and again, and `Kafka version` is not. The same process
# asks for other topics each time.
guilty = {name: guilty_of(name) for name in shown}
habit = {
    name: "crashes" if habit_of(name) == "subscribes again" else habit_of(name) for name in shown
}

# %% wrong="a poll timeout is a crash"
# This process was alive all the time. It sent LeaveGroup itself, because it had not polled for too
# long.
guilty = {name: guilty_of(name) for name in shown}
habit = {name: "crashes" if habit_of(name) == "too slow" else habit_of(name) for name in shown}

# %% hint
# `group is already rebalancing` is what a member writes that was told. Who writes something else
# just before?

# %% hint
# Look for a LeaveGroup and its reason, for a warning, and for `Subscribed` in the middle of the day.
# Who starts again without a LeaveGroup line?
