# %% [markdown] items="G18"
# ### Exercise 07.5 · One of four is different
#
# Three teams, A, B and C. In each, four members should be the same program with the same settings:
# group `billing`, topics `orders` and `refunds`, strategy Range. In each team one member was started
# with something else, and the group suffers. "Three of us end at once", says one team. "We bill
# twice", says another. "One of us does hardly anything", says the third.
#
# Below are lines of the clients: some of the `ConsumerConfig values`, the topics, and what each
# member got. Some members also differ in settings that do no harm to the group. Which member is the
# odd one, and what differs: `"topics"`, `"strategy"` or `"group"`? Then the team mends it and starts
# all four again. How many partitions does the busiest member own? (You need the number of partitions
# of `orders`. `refunds` has three.)

# %%
shown = numbers("07.5")
for team, lines in shown.items():
    print(f"--- team {team}")
    print(*lines, sep="\n")

# %% answer
odd_one = {"A": ..., "B": ..., "C": ...}  # "m1", "m2", "m3" or "m4"
differs = {"A": ..., "B": ..., "C": ...}  # "topics", "strategy" or "group"
busiest = {"A": ..., "B": ..., "C": ...}  # a number


### BEGIN SOLUTION
import re


def odd_line(lines):
    rows = {"topics": "Subscribed", "strategy": "strategy =", "group": "group.id ="}
    for kind, words in rows.items():
        said = [line.split(" ", 1) for line in lines if words in line]
        for client, setting in said:
            if sum(other == setting for _, other in said) == 1:
                return client, kind


def most_owned(lines):
    orders = 1 + max(int(number) for line in lines for number in re.findall(r"orders-(\d+)", line))
    return -(-orders // 4) + 1


odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}
differs = {team: odd_line(lines)[1] for team, lines in shown.items()}
busiest = {team: most_owned(lines) for team, lines in shown.items()}
### END SOLUTION

# %% question
from functools import cache
from random import Random

from autograder.cell.kinds import LineReading
from kafkalab import KafkaException, Lab

FAULTS = ("topics", "strategy", "group")
PARTITIONS = (4, 5, 8, 9, 12, 13, 13, 13, 13, 16)


def planted(story: int) -> tuple[str, str, int]:
    """(what differs, which member, partitions of orders) in one of the 120 stories of 07.5."""
    return FAULTS[story % 3], f"m{story // 3 % 4 + 1}", PARTITIONS[story // 12]


SHOWN = (
    "fetch.min.bytes",
    "group.id",
    "max.partition.fetch.bytes",
    "max.poll.records",
    "partition.assignment.strategy",
    "receive.buffer.bytes",
)
"""The rows of `ConsumerConfig values` that are shown."""


def harmless(story: int) -> dict[str, dict]:
    """{member: settings} that differ between members of one team and do not touch the group.
    The odd member never has the first of them."""
    rng, (_, odd, _) = Random(story), planted(story)
    found: dict[str, dict] = {f"m{number}": {} for number in range(1, 5)}
    found[rng.choice([name for name in found if name != odd])]["max.poll.records"] = 100
    found[rng.choice(list(found))]["fetch.min.bytes"] = 512
    found[rng.choice(list(found))]["receive.buffer.bytes"] = 32_768
    return found


def starts(story: int) -> list[str]:
    """The members in the order in which they start. Where the strategy differs, that one starts
    first; where it is the group, a member with a harmless setting starts before it."""
    fault, odd, _ = planted(story)
    names = Random(story).sample(["m1", "m2", "m3", "m4"], 4)
    if fault == "strategy":
        names.sort(key=lambda name: name != odd)
    if fault == "group":
        other = next(
            name for name, config in harmless(story).items() if "max.poll.records" in config
        )
        places = sorted(map(names.index, (odd, other)))
        names[places[0]], names[places[1]] = other, odd
    return names


@cache
def start_lines(story: int) -> tuple[str, ...]:
    """What four members write when they start; one of them differs."""
    fault, odd, partitions = planted(story)
    lab = Lab(brokers=1, seed=40 + story, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=partitions)
    lab.create_topic("refunds", partitions=3)
    ended = []

    def program(lab, name):
        strategy = "CooperativeSticky" if (name, fault) == (odd, "strategy") else "Range"
        topics = ["refunds"] if (name, fault) == (odd, "topics") else ["orders", "refunds"]
        config = {
            "group.id": "billing-2" if (name, fault) == (odd, "group") else "billing",
            "partition.assignment.strategy": CLASS.format(strategy),
            **harmless(story)[name],
        }
        try:
            reader(lab, name, topics, config)
        except KafkaException as error:
            ended.append((lab.now_ms, f"{name} the program ended: {type(error).__name__}"))

    for name in starts(story):
        lab.spawn(program, name, name=name)
        lab.run_for(ms=200)
    lab.run_for(ms=7_000)
    lab.close()
    lines = list(ended)
    for event in lab.journal.of("line"):
        text = event.fields["message"]
        if "ConsumerConfig values" in text:
            rows = [row.strip() for row in text.split("\n")]
            lines += [
                (event.at_ms, f"{event.who} {row}")
                for row in rows
                if row.startswith(tuple(f"{name} =" for name in SHOWN))
            ]
        elif "Subscribed to topic" in text or "Adding newly assigned" in text:
            lines.append((event.at_ms, f"{event.who} {text.split('] ', 1)[-1]}"))
    return tuple(
        line.replace("org.apache.kafka.clients.consumer.", "")
        for _, line in sorted(lines, key=lambda each: each[0])
    )


LineReading(
    title="bug hunt: one of four is different",
    points=3,
    answers=("odd_one", "differs", "busiest"),
    draws=THREE,
    row="team",
    space={"story": tuple(range(120))},
    together=lambda teams: (
        {planted(n["story"])[0] for n in teams} == set(FAULTS)
        and {planted(n["story"])[1] for n in teams} != {"m1"}
        and any(starts(n["story"])[-1] == planted(n["story"])[1] for n in teams)
        # 13: one more than four can share, and a number of two digits; another that they can share
        and {planted(n["story"])[2] % 4 for n in teams} == {0, 1}
        and any(planted(n["story"])[2] == 13 for n in teams)
        # who blames the member with another max.poll.records does not always blame m1
        and any("max.poll.records" not in harmless(n["story"])["m1"] for n in teams)
    ),
    show=lambda numbers: {
        team: list(start_lines(story["story"])) for team, story in numbers.items()
    },
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _busiest(partitions: int) -> int:
    """How many partitions one of four like members owns at most."""
    lab = Lab(brokers=1, seed=3, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=partitions)
    lab.create_topic("refunds", partitions=3)
    config = {"group.id": "billing", "partition.assignment.strategy": CLASS.format("Range")}
    for name in ("m1", "m2", "m3", "m4"):
        lab.spawn(reader, name, ["orders", "refunds"], config, name=name)
    lab.run_for(ms=12_000)
    lab.close()
    last = max(shares_by_generation(lab).items())[1]
    return max(map(len, last.values()))


Judge(
    truth=lambda case: {
        "odd_one": planted(case["story"])[1],
        "differs": planted(case["story"])[0],
        "busiest": _busiest(planted(case["story"])[2]),
    },
    right="right: one setting in one program, and the whole group feels it.",
    otherwise={
        "odd_one": (
            '"{said}" is not it. Compare the members row by row. Three of them agree, and the row must '
            "be one that the group feels."
        ),
        "differs": (
            '"{said}" is not it. In which of the three rows does one member differ from the three '
            "others?"
        ),
        "busiest": (
            "{said} is not it. How many partitions has `orders`? The largest number in the lines is the "
            "last one, and they begin at 0. Range divides each topic for itself."
        ),
    },
)


# %% equivalent
# `sum((other == setting for _, other in said)) == 1` ->
# `sum((other == setting for _, other in said)) <= 1`: a row is always like itself.


# %% begin
def odd_line(lines):
    for kind, words in (
        ("topics", "Subscribed"),
        ("strategy", "strategy ="),
        ("group", "group.id ="),
    ):
        said = [line.split(" ", 1) for line in lines if words in line]
        for client, setting in said:
            if sum(other == setting for _, other in said) == 1:
                return client, kind


import re

odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}
differs = {team: odd_line(lines)[1] for team, lines in shown.items()}
orders = {
    team: 1 + max(int(number) for line in lines for number in re.findall(r"orders-(\d+)", line))
    for team, lines in shown.items()
}
busiest = {team: -(-count // 4) + 1 for team, count in orders.items()}

# %% wrong="orders only"
# The busiest member owns so many of `orders` alone. It reads `refunds`, too: three partitions, and the
# first three members get one each.
busiest = {team: -(-count // 4) for team, count in orders.items()}


# %% wrong="who dies is at fault"
# That one ended, but it has the settings of two others. The odd one was there first. The
# coordinator admits only members that share a strategy with it.
def blamed(lines, right):
    return next((line.split()[0] for line in lines if "ended" in line), right)


odd_one = {team: blamed(lines, odd_line(lines)[0]) for team, lines in shown.items()}
differs = {team: odd_line(lines)[1] for team, lines in shown.items()}

# %% wrong="it is always the topics"
# In this team all four members read the same topics. Compare the other rows.
differs = {team: "topics" for team in shown}

# %% wrong="it is always the group"
# In this team all four members have the same group.id. Compare the other rows.
differs = {team: "group" for team in shown}

# %% wrong="it is always the strategy"
# In this team all four members have the same strategy. Compare the other rows.
differs = {team: "strategy" for team in shown}

# %% wrong="m1 leads, so m1 is to blame"
# Member m1 has the same group, topics and strategy as two others. Find the member whose row differs
# from three others.
odd_one = {team: "m1" for team in shown}
differs = {team: odd_line(lines)[1] for team, lines in shown.items()}


# %% wrong="a setting that does no harm"
# That member reads in other portions (max.poll.records). Each member may choose this for itself. Only
# group.id, topics and strategy concern the group.
def portions(lines):
    said = [line.split(" ", 1) for line in lines if "max.poll.records" in line]
    return next(c for c, row in said if sum(other == row for _, other in said) == 1)


odd_one = {team: portions(lines) for team, lines in shown.items()}
differs = {team: odd_line(lines)[1] for team, lines in shown.items()}

# %% hint
# Which settings concern the group? Compare these rows of the four members. Three agree.

# %% hint
# The member that fails need not be the odd one. The first member sets which strategies the group
# can use. Members without one of them are refused.
