# %% [markdown] items="N9"
# ### Exercise 04.2 · Count the movers
#
# Three topics, A, B and C. A has 200 keys: the word `n.A.name`, a hyphen, and a number from 0 to
# 199, as in `customer-0`. A grows from `n.A.before` to `n.A.after` partitions. How many of the 200
# keys get another partition? And which is the first of them, in the order of the numbers? Write its
# number alone, 0 and not `"customer-0"`.

# %%
n = numbers("04.2")
n

# %% answer
movers = {"A": ..., "B": ..., "C": ...}
first_mover = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def moving(topic):
    place = lambda number, partitions: (
        to_positive(murmur2(f"{topic.name}-{number}".encode())) % partitions
    )
    return [
        number for number in range(200) if place(number, topic.before) != place(number, topic.after)
    ]


movers = {name: len(moving(topic)) for name, topic in n.items()}
first_mover = {name: moving(topic)[0] for name, topic in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="keys that move",
    points=2,
    answers=("movers", "first_mover"),
    draws=THREE,
    row="topic",
    space={
        "name": ("customer", "user", "device", "sensor", "order", "card"),
        "before": (3, 4, 5, 6, 7, 8),
        "after": (9, 10, 11, 12),
    },
    # a multiple moves keys into new partitions only
    where=lambda n: n["after"] % n["before"] != 0,
)

# %% judge
from autograder.course.judge import Judge


def _moves(case: dict) -> dict:
    keys = tuple(f"{case['name']}-{number}" for number in range(200))
    moving = [
        number
        for number, (old, new) in enumerate(
            zip(_homes(keys, case["before"]), _homes(keys, case["after"]))
        )
        if old != new
    ]
    return {"movers": len(moving), "first_mover": moving[0]}


Judge(
    truth=_moves,
    right="right: most keys move, and their order is broken at that moment.",
    otherwise=(
        "not these. A key moves when its home among {before} differs from its home among {after}."
    ),
)

# %% wrong="only the new share moves"
# You let only as many move as the new partitions need. That is consistent hashing; Kafka takes the
# rest of a division, and nearly all change.
movers = {a: 200 * (x.after - x.before) // x.after for a, x in n.items()}
first_mover = {a: 0 for a, x in n.items()}

# %% begin
from kafkalab.hashing import murmur2, to_positive

place = lambda x, i, partitions: to_positive(murmur2(f"{x.name}-{i}".encode())) % partitions
moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)


# %% wrong="who stays"
# These are the ones who stay.
movers = {a: len([i for i in range(200) if not moves(x, i)]) for a, x in n.items()}
first_mover = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}

# %% wrong="only into the new ones"
# You counted those who move into a new partition. Most movers go from one old partition to
# another.
movers = {a: sum(place(x, i, x.after) >= x.before for i in range(200)) for a, x in n.items()}
first_mover = {
    a: [i for i in range(200) if place(x, i, x.after) >= x.before][0] for a, x in n.items()
}

# %% wrong="the whole key"
# So many move, and that is the key of the first. Write its number alone, without {name} and the
# hyphen.
movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}
first_mover = {a: f"{x.name}-{[i for i in range(200) if moves(x, i)][0]}" for a, x in n.items()}

# %% wrong="counted from 1"
# So many move. But the first number is 0, and so the first mover is one less than you say.
movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}
first_mover = {a: 1 + [i for i in range(200) if moves(x, i)][0] for a, x in n.items()}

# %% begin

# %% wrong="all of them"
# Not all: where both divisions leave the same rest, a key stays.
movers = {a: 200 for a, x in n.items()}
first_mover = {a: 0 for a, x in n.items()}

# %% wrong="nobody"
# The records that are there stay. But the next record of a key is placed by the new number of
# partitions.
movers = {a: 0 for a, x in n.items()}
first_mover = {a: None for a, x in n.items()}

# %% hint
# home(key, partitions) tells where a key lives. Compare the two numbers of partitions, name by
# name.

# %% hint
# A list of the numbers whose two homes differ holds both answers: its length and its first entry.
