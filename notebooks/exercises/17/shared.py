# %% question
SEEDS = tuple(range(101, 113))
RELEASES = ("3.6", "3.9", "4.4")

# %% judge
import re
from collections.abc import Iterator

from kafkalab.stories.incident import played


def lines_of(part: int, case: dict, **settings: dict) -> Iterator[tuple[str, str]]:
    """The level and the text of each line of a story that is played with these settings."""
    lab, _ = played(part, {"seed": case["seed"], "version": case["version"]}, **settings)
    for event in lab.journal.of("line"):
        yield event.fields["level"], lab.line_text(event)
    lab.close()


def generations(part: int, case: dict, **settings: dict) -> int:
    """The last generation of the story's group, as its coordinator counts."""
    lab, _ = played(part, {"seed": case["seed"], "version": case["version"]}, **settings)
    last = max(event.fields["generation"] for event in lab.journal.of("group.assigned"))
    lab.close()
    return last


def jumped(case: dict, kept_s: int = 20) -> int:
    """How many records the reader of story 3 jumped over, with this retention."""
    asked: dict[str, int] = {}
    total = 0
    for _, text in lines_of(3, case, topic={"retention.ms": kept_s * 1_000}):
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
    for _, text in lines_of(4, case, consumer={"auto.commit.interval.ms": every_ms}):
        found = re.search(r"fetch request for partition (\S+) at position .*?offset=(\d+)", text)
        if found and " Added " in text:
            total += max(reached.get(found[1], 0) - int(found[2]), 0)
            reached[found[1]] = int(found[2])
    return total
