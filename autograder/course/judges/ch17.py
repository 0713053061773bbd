# Generated from notebooks/exercises/17; edit those files and run
# `python -m autograder course 17`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 17's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
import re

from kafkalab.stories.incident import told


def story(part: int, case: dict, **settings: dict) -> list[str]:
    """The lines of a story that is played with these settings."""
    return told(part, {"seed": case["seed"], "version": case["version"]}, **settings)


def generations(part: int, case: dict, **settings: dict) -> int:
    """The last generation of the story's group."""
    marks = ("groupId=team] Successfully joined group", "generationId=")
    lines = [line for line in story(part, case, **settings) if all(mark in line for mark in marks)]
    return max(int(line.split(marks[1])[1].split(",")[0]) for line in lines)


def jumped(case: dict, kept_s: int = 20) -> int:
    """How many records the reader of story 3 jumped over, with this retention."""
    asked: dict[str, int] = {}
    total = 0
    for text in story(3, case, topic={"retention.ms": kept_s * 1_000}):
        if "is out of range for partition" in text:
            partition = text.split("out of range for partition ")[1].split(",")[0]
            asked[partition] = int(text.split("offset=")[1].split(",")[0])
        elif "Resetting offset for partition" in text:
            partition = text.split("Resetting offset for partition ")[1].split(" ")[0]
            if partition in asked:
                total += int(text.split("offset=")[1].split(",")[0]) - asked.pop(partition)
    return total


def read_again(case: dict, every_ms: int) -> int:
    """How many records of story 4 were asked for twice, with a commit every so often."""
    reached: dict[str, int] = {}
    total = 0
    for text in story(4, case, consumer={"auto.commit.interval.ms": every_ms}):
        found = re.search(r"fetch request for partition (\S+) at position .*?offset=(\d+)", text)
        if found and " Added " in text:
            total += max(reached.get(found[1], 0) - int(found[2]), 0)
            reached[found[1]] = int(found[2])
    return total


# %% 17.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge


@cache
def _put_out(seed: int, version: str) -> int:
    """How many WARN lines of an expired poll the clients of the story write."""
    lines = story(1, {"seed": seed, "version": version})
    return sum(line[26:30] == "WARN" and "poll timeout has expired" in line for line in lines)


@cache
def _settled(seed: int, version: str) -> int:
    settings = {"max.poll.interval.ms": 20_000}
    return generations(1, {"seed": seed, "version": version}, consumer=settings)


JUDGE_17_1 = Judge(
    id="17.1",
    wrong_answers=(
        WrongAnswer(
            name="all lines of an expiry",
            sentence="You counted all lines that speak of the poll timeout. One moment writes three of them; count the WARN lines.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "put_out = sum(\" WARN \" in line and \"poll timeout has expired\" in line for line in told(1, n1))\n"
                "setting = \"max.poll.interval.ms\"\n"
                "generation = last_generation(told(1, n1, consumer={setting: 20_000}))\n"
                "put_out = sum(\"poll timeout has expired\" in line for line in told(1, n1))"
            ),
        ),
        WrongAnswer(
            name="the session timeout",
            sentence="Heartbeats have a thread of their own, and it never stopped. So no session ended. Play the story with session.timeout.ms = 60,000: nothing changes.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "put_out = sum(\" WARN \" in line and \"poll timeout has expired\" in line for line in told(1, n1))\n"
                "setting = \"max.poll.interval.ms\"\n"
                "generation = last_generation(told(1, n1, consumer={setting: 20_000}))\n"
                "setting = \"session.timeout.ms\"\n"
                "generation = last_generation(told(1, n1, consumer={\"session.timeout.ms\": 60_000}))"
            ),
        ),
        WrongAnswer(
            name="fewer records",
            sentence="max.poll.records helps when each record costs time. Here the time goes to a poll, be it large or small. Play it with 1: the members are put out as before.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "put_out = sum(\" WARN \" in line and \"poll timeout has expired\" in line for line in told(1, n1))\n"
                "setting = \"max.poll.interval.ms\"\n"
                "generation = last_generation(told(1, n1, consumer={setting: 20_000}))\n"
                "setting = \"max.poll.records\"\n"
                "generation = last_generation(told(1, n1, consumer={\"max.poll.records\": 1}))"
            ),
        ),
        WrongAnswer(
            name="the generation of the night",
            sentence="That is the generation of the night itself. Play the story again with your setting, and count there.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "put_out = sum(\" WARN \" in line and \"poll timeout has expired\" in line for line in told(1, n1))\n"
                "setting = \"max.poll.interval.ms\"\n"
                "generation = last_generation(told(1, n1, consumer={setting: 20_000}))\n"
                "generation = last_generation(told(1, n1))"
            ),
        ),
    ),
    truth=lambda case: {
        "put_out": _put_out(case["seed"], case["version"]),
        "setting": "max.poll.interval.ms",
        "generation": _settled(case["seed"], case["version"]),
    },
    right="right: the work of one poll is longer than the time between two polls may be.",
    otherwise=(
        "not these three. Count WARN lines of this group only, and play story 1 with your setting "
        "at 20,000."
    ),
)


# %% 17.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge

OWN_NAME = {"group.instance.id": "worker-{number}"}


@cache
def _storm(seed: int, version: str) -> tuple[int, int, int]:
    """The last generation of the night, with static members, and with a short session, too."""
    n = {"seed": seed, "version": version}
    return (
        generations(2, n),
        generations(2, n, consumer=OWN_NAME),
        generations(2, n, consumer={**OWN_NAME, "session.timeout.ms": 6_000}),
    )


def _truth_of_a_storm(case: dict) -> dict:
    night, static, short = _storm(case["seed"], case["version"])
    assert static < short < night
    return {"generation": night, "setting": "group.instance.id", "short_session": short}


JUDGE_17_2 = Judge(
    id="17.2",
    wrong_answers=(
        WrongAnswer(
            name="each member's line",
            sentence="You counted lines. Each member writes one for each generation, so take the highest generation in them.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "own_name = {\"group.instance.id\": \"worker-{number}\"}\n"
                "generation = last_generation(told(2, n2))\n"
                "setting = \"group.instance.id\"\n"
                "short_session = last_generation(told(2, n2, consumer={**own_name, \"session.timeout.ms\": 6_000}))\n"
                "generation = sum(\"Successfully joined group\" in line for line in told(2, n2))"
            ),
        ),
        WrongAnswer(
            name="the long session",
            sentence="That is the number with your setting alone. With a session of 6 seconds as well, the member is often back too late, and its place is gone.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "own_name = {\"group.instance.id\": \"worker-{number}\"}\n"
                "generation = last_generation(told(2, n2))\n"
                "setting = \"group.instance.id\"\n"
                "short_session = last_generation(told(2, n2, consumer={**own_name, \"session.timeout.ms\": 6_000}))\n"
                "short_session = last_generation(told(2, n2, consumer=own_name))"
            ),
        ),
        WrongAnswer(
            name="a longer session",
            sentence="A member that is closed leaves the group at once. No session timeout is waited for. Play it: the number stays.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "own_name = {\"group.instance.id\": \"worker-{number}\"}\n"
                "generation = last_generation(told(2, n2))\n"
                "setting = \"group.instance.id\"\n"
                "short_session = last_generation(told(2, n2, consumer={**own_name, \"session.timeout.ms\": 6_000}))\n"
                "setting = \"session.timeout.ms\""
            ),
        ),
        WrongAnswer(
            name="cooperative",
            sentence="The cooperative assignor makes a rebalance gentler, and not rarer. It often needs two. Play it, and the generation is higher.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def last_generation(lines):\n"
                "    found = [re.search(r\"joined group with generation .*?generationId=(\\d+)\", x) for x in lines]\n"
                "    return max(int(each[1]) for each in found if each)\n"
                "\n"
                "\n"
                "own_name = {\"group.instance.id\": \"worker-{number}\"}\n"
                "generation = last_generation(told(2, n2))\n"
                "setting = \"group.instance.id\"\n"
                "short_session = last_generation(told(2, n2, consumer={**own_name, \"session.timeout.ms\": 6_000}))\n"
                "setting = \"partition.assignment.strategy\""
            ),
        ),
    ),
    truth=_truth_of_a_storm,
    right="right: a static member keeps its place, as long as it is back within its session.",
    otherwise=(
        "not these three. Look for the highest generation of the group, and play story 2 with both "
        "settings."
    ),
)


# %% 17.3
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge


@cache
def _never_read(seed: int, version: str) -> int:
    return jumped({"seed": seed, "version": version})


@cache
def _least_s(seed: int, version: str) -> int:
    """The shortest retention with which no position is out of range, in steps of 10 seconds."""
    case = {"seed": seed, "version": version}
    return next(seconds for seconds in range(20, 101, 10) if not jumped(case, seconds))


JUDGE_17_3 = Judge(
    id="17.3",
    wrong_answers=(
        WrongAnswer(
            name="partitions",
            sentence="That is the number of partitions. Each jumped over many records: offset after the reset minus offset before it.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def jumps(lines):\n"
                "    at, moved = {}, {}\n"
                "    for line in lines:\n"
                "        if found := re.search(r\"offset=(\\d+).* is out of range for partition (\\S+?),\", line):\n"
                "            at[found[2]] = int(found[1])\n"
                "        if found := re.search(r\"Resetting offset for partition (\\S+) to .*?offset=(\\d+)\", line):\n"
                "            moved[found[1]] = int(found[2]) - at.get(found[1], int(found[2]))\n"
                "    return moved\n"
                "\n"
                "\n"
                "def is_out(seconds):\n"
                "    lines = told(3, n3, topic={\"retention.ms\": seconds * 1_000})\n"
                "    return any(\"out of range\" in line for line in lines)\n"
                "\n"
                "\n"
                "never_read = sum(jumps(told(3, n3)).values())\n"
                "setting = \"retention.ms\"\n"
                "least_s = next(seconds for seconds in range(20, 101, 10) if not is_out(seconds))\n"
                "never_read = len([each for each in jumps(told(3, n3)).values() if each])"
            ),
        ),
        WrongAnswer(
            name="one partition",
            sentence="That is one partition. Add up all four.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def jumps(lines):\n"
                "    at, moved = {}, {}\n"
                "    for line in lines:\n"
                "        if found := re.search(r\"offset=(\\d+).* is out of range for partition (\\S+?),\", line):\n"
                "            at[found[2]] = int(found[1])\n"
                "        if found := re.search(r\"Resetting offset for partition (\\S+) to .*?offset=(\\d+)\", line):\n"
                "            moved[found[1]] = int(found[2]) - at.get(found[1], int(found[2]))\n"
                "    return moved\n"
                "\n"
                "\n"
                "def is_out(seconds):\n"
                "    lines = told(3, n3, topic={\"retention.ms\": seconds * 1_000})\n"
                "    return any(\"out of range\" in line for line in lines)\n"
                "\n"
                "\n"
                "never_read = sum(jumps(told(3, n3)).values())\n"
                "setting = \"retention.ms\"\n"
                "least_s = next(seconds for seconds in range(20, 101, 10) if not is_out(seconds))\n"
                "never_read = max(jumps(told(3, n3)).values())"
            ),
        ),
        WrongAnswer(
            name="the reset rule",
            sentence="auto.offset.reset decides where to continue when the records are gone. It brings none of them back.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def jumps(lines):\n"
                "    at, moved = {}, {}\n"
                "    for line in lines:\n"
                "        if found := re.search(r\"offset=(\\d+).* is out of range for partition (\\S+?),\", line):\n"
                "            at[found[2]] = int(found[1])\n"
                "        if found := re.search(r\"Resetting offset for partition (\\S+) to .*?offset=(\\d+)\", line):\n"
                "            moved[found[1]] = int(found[2]) - at.get(found[1], int(found[2]))\n"
                "    return moved\n"
                "\n"
                "\n"
                "def is_out(seconds):\n"
                "    lines = told(3, n3, topic={\"retention.ms\": seconds * 1_000})\n"
                "    return any(\"out of range\" in line for line in lines)\n"
                "\n"
                "\n"
                "never_read = sum(jumps(told(3, n3)).values())\n"
                "setting = \"retention.ms\"\n"
                "least_s = next(seconds for seconds in range(20, 101, 10) if not is_out(seconds))\n"
                "setting = \"auto.offset.reset\""
            ),
        ),
        WrongAnswer(
            name="a step too early",
            sentence="With so many seconds one position is still out of range. Deletion is late and by whole segments, but it came.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "\n"
                "def jumps(lines):\n"
                "    at, moved = {}, {}\n"
                "    for line in lines:\n"
                "        if found := re.search(r\"offset=(\\d+).* is out of range for partition (\\S+?),\", line):\n"
                "            at[found[2]] = int(found[1])\n"
                "        if found := re.search(r\"Resetting offset for partition (\\S+) to .*?offset=(\\d+)\", line):\n"
                "            moved[found[1]] = int(found[2]) - at.get(found[1], int(found[2]))\n"
                "    return moved\n"
                "\n"
                "\n"
                "def is_out(seconds):\n"
                "    lines = told(3, n3, topic={\"retention.ms\": seconds * 1_000})\n"
                "    return any(\"out of range\" in line for line in lines)\n"
                "\n"
                "\n"
                "never_read = sum(jumps(told(3, n3)).values())\n"
                "setting = \"retention.ms\"\n"
                "least_s = next(seconds for seconds in range(20, 101, 10) if not is_out(seconds))\n"
                "least_s -= 10"
            ),
        ),
    ),
    truth=lambda case: {
        "never_read": _never_read(case["seed"], case["version"]),
        "setting": "retention.ms",
        "least_s": _least_s(case["seed"], case["version"]),
    },
    right="right: a topic must keep its records for longer than its slowest reader may stop.",
    otherwise=(
        "not these three. Subtract the two offsets of each partition, and add up. Then try one "
        "retention after the other."
    ),
)


# %% 17.4
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge


@cache
def _twice(seed: int, version: str, every_ms: int) -> int:
    return read_again({"seed": seed, "version": version}, every_ms)


def _truth_of_repeats(case: dict) -> dict:
    night, five = (_twice(case["seed"], case["version"], every) for every in (15_000, 5_000))
    assert five < night
    return {"read_twice": night, "setting": "auto.commit.interval.ms", "with_five": five}


JUDGE_17_4 = Judge(
    id="17.4",
    wrong_answers=(
        WrongAnswer(
            name="one partition",
            sentence="That is one partition. The silent member had two; add both.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "ASKED = r\"Added \\w+ fetch request for partition (\\S+) at position FetchPosition\\{offset=(\\d+)\"\n"
                "\n"
                "\n"
                "def back(lines):\n"
                "    reached, again = {}, {}\n"
                "    for found in filter(None, (re.search(ASKED, line) for line in lines)):\n"
                "        partition, offset = found[1], int(found[2])\n"
                "        again[partition] = again.get(partition, 0) + max(0, reached.get(partition, 0) - offset)\n"
                "        reached[partition] = offset\n"
                "    return again\n"
                "\n"
                "\n"
                "read_twice = sum(back(told(4, n4)).values())\n"
                "setting = \"auto.commit.interval.ms\"\n"
                "with_five = sum(back(told(4, n4, consumer={setting: 5_000})).values())\n"
                "read_twice = max(back(told(4, n4)).values())"
            ),
        ),
        WrongAnswer(
            name="the session timeout",
            sentence="A longer session only delays the moment when another member takes over. The same records are read again. Play it with 30,000.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "ASKED = r\"Added \\w+ fetch request for partition (\\S+) at position FetchPosition\\{offset=(\\d+)\"\n"
                "\n"
                "\n"
                "def back(lines):\n"
                "    reached, again = {}, {}\n"
                "    for found in filter(None, (re.search(ASKED, line) for line in lines)):\n"
                "        partition, offset = found[1], int(found[2])\n"
                "        again[partition] = again.get(partition, 0) + max(0, reached.get(partition, 0) - offset)\n"
                "        reached[partition] = offset\n"
                "    return again\n"
                "\n"
                "\n"
                "read_twice = sum(back(told(4, n4)).values())\n"
                "setting = \"auto.commit.interval.ms\"\n"
                "with_five = sum(back(told(4, n4, consumer={setting: 5_000})).values())\n"
                "setting = \"session.timeout.ms\"\n"
                "with_five = sum(back(told(4, n4, consumer={\"session.timeout.ms\": 30_000})).values())"
            ),
        ),
        WrongAnswer(
            name="no automatic commit",
            sentence="This program has no commit of its own. Without the automatic one nothing is committed, and all is read again. Play it with False.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "ASKED = r\"Added \\w+ fetch request for partition (\\S+) at position FetchPosition\\{offset=(\\d+)\"\n"
                "\n"
                "\n"
                "def back(lines):\n"
                "    reached, again = {}, {}\n"
                "    for found in filter(None, (re.search(ASKED, line) for line in lines)):\n"
                "        partition, offset = found[1], int(found[2])\n"
                "        again[partition] = again.get(partition, 0) + max(0, reached.get(partition, 0) - offset)\n"
                "        reached[partition] = offset\n"
                "    return again\n"
                "\n"
                "\n"
                "read_twice = sum(back(told(4, n4)).values())\n"
                "setting = \"auto.commit.interval.ms\"\n"
                "with_five = sum(back(told(4, n4, consumer={setting: 5_000})).values())\n"
                "setting = \"enable.auto.commit\"\n"
                "with_five = sum(back(told(4, n4, consumer={\"enable.auto.commit\": False})).values())"
            ),
        ),
        WrongAnswer(
            name="the night's number again",
            sentence="That is the night's number. Play the story again with your setting at 5,000.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab.stories.incident import told\n"
                "\n"
                "ASKED = r\"Added \\w+ fetch request for partition (\\S+) at position FetchPosition\\{offset=(\\d+)\"\n"
                "\n"
                "\n"
                "def back(lines):\n"
                "    reached, again = {}, {}\n"
                "    for found in filter(None, (re.search(ASKED, line) for line in lines)):\n"
                "        partition, offset = found[1], int(found[2])\n"
                "        again[partition] = again.get(partition, 0) + max(0, reached.get(partition, 0) - offset)\n"
                "        reached[partition] = offset\n"
                "    return again\n"
                "\n"
                "\n"
                "read_twice = sum(back(told(4, n4)).values())\n"
                "setting = \"auto.commit.interval.ms\"\n"
                "with_five = sum(back(told(4, n4, consumer={setting: 5_000})).values())\n"
                "with_five = read_twice"
            ),
        ),
    ),
    truth=_truth_of_repeats,
    right="right: what was read since the last commit is read again. More commits, fewer repeats.",
    otherwise=(
        "not these three. logsets.reprocessed(lines) has a row for each range; take its column "
        "records."
    ),
)


# %% 17.5
from autograder.course.judge import WrongAnswer
import re
from datetime import datetime
from random import Random

from autograder.cell.data import canonical
from autograder.course.judge import Judge
from kafkalab.stories.incident import told


def _spells(case: dict, gap_s: float = 10, by_client: bool = False, errors=None) -> dict:
    """What spells() gives when a longer silence than gap_s ends a spell."""
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
            if spell and (time - spell[-1]).total_seconds() > gap_s:
                rows.append([partition, str(spell[0]), len(spell)])
                spell = []
            spell.append(time)
        rows.append([partition, str(spell[0]), len(spell)])
    columns = {"partition": "text", "since": "moment", "refused": "whole number"}
    return {"columns": columns, "rows": sorted(rows, key=canonical)}


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
                rows.append([line[1:20], client[1] if client else None, message])
        rng.shuffle(rows)
        cases.append({"rows": rows})
    return cases


JUDGE_17_5 = Judge(
    id="17.5",
    wrong_answers=(
        WrongAnswer(
            name="no spells",
            sentence="You have one row for each partition. After more than 10 seconds without a refusal a new spell begins.",
            source=(
                "def spells(lines):\n"
                "    refused = lines.where(\"message like '%Error: NOT_ENOUGH_REPLICAS%'\").withColumn(\n"
                "        \"partition\", F.regexp_extract(\"message\", r\"topic-partition (\\S+?),\", 1)\n"
                "    )\n"
                "    return refused.groupBy(\"partition\").agg(\n"
                "        F.min(\"time\").alias(\"since\"), F.count(\"*\").alias(\"refused\")\n"
                "    )"
            ),
            says=(
lambda case: _spells(case, gap_s=10**9)
            ),
        ),
        WrongAnswer(
            name="each client for itself",
            sentence="You kept the clients apart. One partition without enough replicas refuses all of them: that is one spell.",
            source=(
                "def spells(lines):\n"
                "    refused = lines.where(\"message like '%Error: NOT_ENOUGH_REPLICAS%'\").withColumn(\n"
                "        \"partition\", F.regexp_extract(\"message\", r\"topic-partition (\\S+?),\", 1)\n"
                "    )\n"
                "    in_time = Window.partitionBy(\"partition\", \"client_id\").orderBy(\"time\")\n"
                "    silence_s = F.unix_timestamp(\"time\") - F.unix_timestamp(F.lag(\"time\").over(in_time))\n"
                "    begins = F.when(silence_s.isNull() | (silence_s > 10), 1).otherwise(0)\n"
                "    numbered = refused.withColumn(\"spell\", F.sum(begins).over(in_time))\n"
                "    rows = numbered.groupBy(\"partition\", \"client_id\", \"spell\")\n"
                "    return rows.agg(F.min(\"time\").alias(\"since\"), F.count(\"*\").alias(\"refused\")).drop(\n"
                "        \"spell\", \"client_id\"\n"
                "    )"
            ),
            says=(
lambda case: _spells(case, by_client=True)
            ),
        ),
        WrongAnswer(
            name="every error",
            sentence="You counted every error of a produce request. Only the two with NOT_ENOUGH_REPLICAS say that replicas are missing.",
            source=(
                "def spells(lines):\n"
                "    refused = lines.where(\"message like '%Got error produce response%'\").withColumn(\n"
                "        \"partition\", F.regexp_extract(\"message\", r\"topic-partition (\\S+?),\", 1)\n"
                "    )\n"
                "    in_time = Window.partitionBy(\"partition\").orderBy(\"time\")\n"
                "    silence_s = F.unix_timestamp(\"time\") - F.unix_timestamp(F.lag(\"time\").over(in_time))\n"
                "    begins = F.when(silence_s.isNull() | (silence_s > 10), 1).otherwise(0)\n"
                "    numbered = refused.withColumn(\"begins\", begins).withColumn(\n"
                "        \"spell\", F.sum(\"begins\").over(in_time)\n"
                "    )\n"
                "    rows = numbered.groupBy(\"partition\", \"spell\")\n"
                "    return rows.agg(F.min(\"time\").alias(\"since\"), F.count(\"*\").alias(\"refused\")).drop(\"spell\")"
            ),
            says=(
lambda case: _spells(
    case,
    errors=(
        "NOT_ENOUGH_REPLICAS",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NOT_LEADER_OR_FOLLOWER",
        "REQUEST_TIMED_OUT",
    ),
)
            ),
        ),
        WrongAnswer(
            name="the exact error only",
            sentence="NOT_ENOUGH_REPLICAS_AFTER_APPEND is a refusal, too: the leader has written the record, and then too few followers had it.",
            source=(
                "def spells(lines):\n"
                "    refused = lines.where(\"message like '%Error: NOT_ENOUGH_REPLICAS'\").withColumn(\n"
                "        \"partition\", F.regexp_extract(\"message\", r\"topic-partition (\\S+?),\", 1)\n"
                "    )\n"
                "    in_time = Window.partitionBy(\"partition\").orderBy(\"time\")\n"
                "    silence_s = F.unix_timestamp(\"time\") - F.unix_timestamp(F.lag(\"time\").over(in_time))\n"
                "    begins = F.when(silence_s.isNull() | (silence_s > 10), 1).otherwise(0)\n"
                "    numbered = refused.withColumn(\"begins\", begins).withColumn(\n"
                "        \"spell\", F.sum(\"begins\").over(in_time)\n"
                "    )\n"
                "    rows = numbered.groupBy(\"partition\", \"spell\")\n"
                "    return rows.agg(F.min(\"time\").alias(\"since\"), F.count(\"*\").alias(\"refused\")).drop(\"spell\")"
            ),
            says=(
lambda case: _spells(case, errors=("NOT_ENOUGH_REPLICAS",))
            ),
        ),
    ),
    truth=_spells,
    hidden_cases=_other_nights,
    right="right: it finds the spells of each partition, in this night and in others.",
    otherwise="not these rows. When does a spell end, and whose refusals belong together?",
    unseen=(
        "other rows were asked for in another night. Think of other errors, of two clients, and "
        "of lines that are not in order."
    ),
)


# %% all
JUDGES = (
    JUDGE_17_1,
    JUDGE_17_2,
    JUDGE_17_3,
    JUDGE_17_4,
    JUDGE_17_5,
)
