# %% [markdown] items="N9"
# ### Exercise 04.2 · Count the movers
#
# Three topics, A, B and C. A has 200 keys: the word `n.A.name`, a hyphen, and a number from 0 to
# 199, as in `customer-0`. A grows from `n.A.before` to `n.A.after` partitions.
#
# - `movers`: how many of the 200 keys get another partition?
# - `first_stayer`: which is the first key that stays where it is? Write its number alone, 0 and not
#   `"customer-0"`.
# - `fewest`: you may choose any number of partitions from `n.A.before + 1` to
#   `2 * n.A.before + 2`. With which number do the fewest of the 200 keys move?

# %%
n = numbers("04.2")
n

# %% answer
movers = {"A": ..., "B": ..., "C": ...}
first_stayer = {"A": ..., "B": ..., "C": ...}
fewest = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def moving(topic, after):
    place = lambda number, partitions: (
        to_positive(murmur2(f"{topic.name}-{number}".encode())) % partitions
    )
    return [number for number in range(200) if place(number, topic.before) != place(number, after)]


for name, topic in n.items():
    moved_numbers = moving(topic, topic.after)
    movers[name] = len(moved_numbers)
    first_stayer[name] = next(number for number in range(200) if number not in moved_numbers)
    choices = range(topic.before + 1, 2 * topic.before + 3)
    fewest[name] = min(choices, key=lambda after: len(moving(topic, after)))
### END SOLUTION

# %% question
from autograder.cell.kinds import Value
from kafkalab.hashing import murmur2, to_positive


def first_stays(n: dict) -> bool:
    """Whether key 0 has the same place after the topic has grown."""
    key = f"{n['name']}-0".encode()
    hashed = to_positive(murmur2(key))
    return hashed % n["before"] == hashed % n["after"]


Value(
    title="keys that move",
    points=2,
    answers=("movers", "first_stayer", "fewest"),
    draws=THREE,
    row="topic",
    space={
        "name": ("customer", "user", "device", "sensor", "order", "card"),
        "before": (3, 4, 5, 6, 7, 8),
        "after": (9, 10, 11, 12),
    },
    # a multiple moves keys into new partitions only
    where=lambda n: n["after"] % n["before"] != 0,
    # one of them keeps its first key
    together=lambda topics: (
        len({(n["name"], n["before"]) for n in topics}) == len(topics)
        and any(first_stays(n) for n in topics)
    ),
)

# %% judge
from autograder.course.judge import Judge


def _moves(case: dict) -> dict:
    keys = tuple(f"{case['name']}-{number}" for number in range(200))
    old = _homes(keys, case["before"])

    def moved(after: int) -> list[bool]:
        return [was != now for was, now in zip(old, _homes(keys, after))]

    grown = moved(case["after"])
    # the largest one is not the answer
    choices = range(case["before"] + 1, 2 * case["before"] + 3)
    return {
        "movers": sum(grown),
        "first_stayer": grown.index(False),
        "fewest": min(choices, key=lambda after: sum(moved(after))),
    }


Judge(
    truth=_moves,
    right=(
        "right: {before} to {after} partitions move most keys. Twice as many partitions move the "
        "fewest, about half."
    ),
    otherwise={
        "movers": (
            "{said} is not it. A key moves when its partition among {before} differs from its partition "
            "among the new number."
        ),
        "first_stayer": (
            "{said} is not it. Take the keys from 0 on. Which is the first one whose partition stays?"
        ),
        "fewest": (
            "{said} is not it. Count the movers for each of the numbers that the question names, and take "
            "the number with the fewest."
        ),
    },
)

# %% begin
from kafkalab.hashing import murmur2, to_positive

place = lambda x, i, partitions: to_positive(murmur2(f"{x.name}-{i}".encode())) % partitions
moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)
movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}
first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}
fewest = {a: 2 * x.before for a, x in n.items()}

# %% wrong="only the new share moves"
# You let only as many move as the new partitions need. That is consistent hashing; Kafka takes the
# remainder of a division, and most keys change.
movers = {a: 200 * (x.after - x.before) // x.after for a, x in n.items()}
fewest = {a: x.before + 1 for a, x in n.items()}

# %% wrong="who stays"
# You counted the keys that stay. A mover is a key whose two partitions differ.
movers = {a: len([i for i in range(200) if not moves(x, i)]) for a, x in n.items()}

# %% wrong="only into the new ones"
# You counted the keys that move into a new partition. Many movers go from one old partition to
# another.
movers = {a: sum(place(x, i, x.after) >= x.before for i in range(200)) for a, x in n.items()}

# %% wrong="the first mover"
# That key moves. Asked is the first key whose partition is the same before and after.
first_stayer = {a: [i for i in range(200) if moves(x, i)][0] for a, x in n.items()}

# %% wrong="the whole key"
# The key is right. Write its number alone, without {name} and the hyphen.
first_stayer = {
    a: f"{x.name}-{[i for i in range(200) if not moves(x, i)][0]}" for a, x in n.items()
}

# %% wrong="counted from 1"
# The first number is 0, so the key is one less than you say.
first_stayer = {a: 1 + [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}

# %% wrong="one partition more"
# One more partition moves nearly all keys. Try every number that you may choose, and count.
fewest = {a: x.before + 1 for a, x in n.items()}

# %% wrong="as many as allowed"
# The largest number moves nearly all keys. Try every number that you may choose, and count.
fewest = {a: 2 * x.before + 2 for a, x in n.items()}

# %% wrong="one partition less than twice"
# Count again with twice as many partitions, 2 times {before}: fewer keys move.
fewest = {a: 2 * x.before - 1 for a, x in n.items()}

# %% wrong="all of them"
# Not all keys move: where both divisions have the same remainder, a key stays.
movers = {a: 200 for a, x in n.items()}

# %% wrong="nobody"
# The records that are written stay. But the next record of a key is placed by the new number of
# partitions.
movers = {a: 0 for a, x in n.items()}

# %% begin

# %% equivalent
# `return [number for number in range(200) if place(number, topic.before) != place(number, after)]` ->
# `return sorted([number for number in range(200) if place(number, topic.before) != place(number,
# after)])`, `return list(reversed([number for number in range(200) if place(number, topic.before) !=
# place(number, after)]))`: only its length, and what is in it, are asked.
# `(number for number in range(200) if number not in moved_numbers)` -> `(number for number in
# range(201) if number not in moved_numbers)`, `(number for number in range(199) if number not in
# moved_numbers)`: the first one that stays is far below 199.
# `range(topic.before + 1, 2 * topic.before + 3)` -> `range(topic.before + 1, 2 * topic.before + 3 +
# 1)`, `range(topic.before + 1, 2 * topic.before + 3 - 1)`: the fewest keys move when the number is
# doubled.
# `topic.before + 1` -> `topic.before + 2`: one partition more moves nearly all keys.
# `2 * topic.before` -> `3 * topic.before`, `2 * topic.after`: with more than twice as many, more keys
# move.
# `2 * topic.before + 3` -> `2 * topic.before + 4`, `2 * topic.before + 2`, `2 * topic.before + 1`: with
# more than twice as many, more keys move.

# %% hint
# home(key, partitions) returns a key's partition. Compare the two numbers of partitions, name by
# name.

# %% hint
# Write a function that counts the movers for any new number of partitions. For `fewest` call it for
# each number that is allowed.
