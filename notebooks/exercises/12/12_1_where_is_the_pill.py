# %% [markdown]
# ### Exercise 12.1 · Where is the pill?
#
# Your program must also run with client 2.8. There the error has only its text, `str(error)`. Write
# `place_of(text)`. It returns topic, partition and offset: `("prices", 0, 5)`. Topics may have
# hyphens, dots and digits in their names. The texts of 2.8 and of 3.9 differ in one word:

# %%
for version in ("2.8", "3.9"):
    ada = reader(market(version=version), "ada")
    try:
        for _ in range(5):
            ada.poll(timeout_ms=500)
    except SerializationException as error:
        print(error)


# %% answer
def place_of(text):
    """(topic, partition, offset) of the record in the text of a SerializationException."""
    ### BEGIN SOLUTION
    import re

    found = re.search(r"for partition (\S+)-(\d+) at offset (\d+)\.", text)
    return found[1], int(found[2]), int(found[3])
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

WHATS = ("key/value", "KEY", "VALUE")


def pill(topic, partition, offset, what="VALUE"):
    """The text of a client about one record, as a case."""
    return {
        "case": f"{what} of {topic}-{partition} at {offset}",
        "text": (
            f"Error deserializing {what} for partition {topic}-{partition} at offset {offset}. If "
            "needed, please seek past the record to continue consumption."
        ),
    }


Function(
    title="where is the pill",
    points=2,
    answers=("place_of",),
    probe=lambda names, case: names["place_of"](case["text"]),
    public_cases=(
        pill("prices", 0, 5),
        pill("prices", 12, 40, "key/value"),
        pill("eu-prices", 3, 17),
        pill("prices-2026", 1, 0, "KEY"),
        pill("shop.v2-at-night", 7, 123456, "key/value"),
    ),
)

# %% judge
from autograder.course.judge import Judge


def _place(case: dict) -> list:
    """The place, cut out of the text from its right end."""
    named = case["text"].split(" for partition ")[1].split(" at offset ")
    topic, _, partition = named[0].rpartition("-")
    return [topic, int(partition), int(named[1].split(".")[0])]


Judge(
    hidden_cases=lambda rng: [
        pill(
            rng.choice(("a-1", "x.y-2-z", "orders", "at-offset-9")),
            rng.randrange(40),
            rng.randrange(9_999),
            what,
        )
        for what in WHATS
    ],
    truth=_place,
    right="right: topic, partition and offset.",
    otherwise=(
        "you returned {said}. Compare it with the text, part by part: topic, partition and offset. The "
        "last hyphen divides topic and partition."
    ),
    unseen=(
        "a text that you have not seen names another place. Which hyphen divides topic and "
        "partition, and which number is the offset?"
    ),
)


# %% wrong="the first hyphen"
# You divided at the first hyphen. A topic's name may have hyphens; the last one divides.
def place_of(text):
    name, offset = text.split("for partition ")[1].split(" at offset ")
    topic, *rest = name.split("-")
    return topic, int(rest[-1]), int(offset.split(".")[0])


# %% wrong="texts in place of numbers"
# Partition and offset are numbers. You returned them as texts, and "5" + 1 is no offset.
def place_of(text):
    name, offset = text.split("for partition ")[1].split(" at offset ")
    topic, _, partition = name.rpartition("-")
    return topic, partition, offset.split(".")[0]


# %% wrong="the next offset"
# That is one more than the offset in the text. The text names the record that cannot be read.
def place_of(text):
    name, offset = text.split("for partition ")[1].split(" at offset ")
    topic, _, partition = name.rpartition("-")
    return topic, int(partition), int(offset.split(".")[0]) + 1


# %% hint
# Between "for partition " and " at offset " is the name of the partition. What is behind?

# %% hint
# `name.rpartition("-")` divides at the last hyphen. The offset ends at the full stop.
