# %% question
SEEDS = (101, 102, 103, 105, 107, 112)
RELEASES = ("3.9", "4.4")

# %% judge
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
