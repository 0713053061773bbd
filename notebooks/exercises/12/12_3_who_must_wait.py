# %% [markdown]
# ### Exercise 12.3 · Who must wait?
#
# A reader parks records in a retry topic. The order of each key must be kept. So a record of a key
# must not be done while an earlier one of the same key is parked. Nobody else should wait. Records
# without a key have no order.
#
# Write `parked(keys, fails)`. `keys` is a list: the key of each record, by offset; `None` is no
# key. `fails` is a list of offsets whose work fails. Return the offsets that are parked, in
# order.

# %% answer
def parked(keys, fails):
    """The offsets that go to the retry topic."""
    ### BEGIN SOLUTION
    waiting, found = set(), []
    for offset, key in enumerate(keys):
        if offset in fails or (key is not None and key in waiting):
            found.append(offset)
            waiting.add(key)
    return found
    ### END SOLUTION


# %% question
from collections.abc import Iterable

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function


def asked(names, case):
    """What the learner's function returns, as a list; a set has no order of its own."""
    found = names["parked"](list(case["keys"]), list(case["fails"]))
    if not isinstance(found, Iterable):
        raise NotAsAsked(f"`parked` returns a list of offsets; yours returned {found!r}"[:120])
    return sorted(found) if isinstance(found, (set, frozenset)) else list(found)


Function(
    title="who must wait",
    points=3,
    answers=("parked",),
    probe=asked,
    public_cases=(
        {"case": "milk fails once", "keys": ["milk", "tea", "milk", "tea", "milk"], "fails": [0]},
        {"case": "nothing fails", "keys": ["milk", "tea"], "fails": []},
        {"case": "the last one of milk", "keys": ["milk", "tea", "milk", "tea"], "fails": [2]},
        {"case": "two keys", "keys": ["a", "b", "c", "b", "a", "c"], "fails": [1, 4]},
        {"case": "a key fails twice", "keys": ["a", "a", "b", "a", "a"], "fails": [0, 3]},
        {"case": "no keys", "keys": [None, None, "a", None], "fails": [1]},
        {"case": "an empty key is a key", "keys": ["", "a", "", None, "a"], "fails": [0, 1]},
    ),
)

# %% judge
from autograder.course.judge import Judge


def _parked(case: dict) -> list:
    """Each record for which there is an equal key among the failed ones before it, or itself."""
    keys, fails = case["keys"], set(case["fails"])
    return [
        offset
        for offset, key in enumerate(keys)
        if offset in fails
        or (key is not None and any(keys[other] == key for other in fails if other < offset))
    ]


def _more(rng) -> list[dict]:
    return [
        {
            "keys": [rng.choice(("a", "b", "c", None)) for _ in range(14)],
            "fails": sorted(rng.sample(range(14), rng.randrange(1, 4))),
        }
        for _ in range(6)
    ]


Judge(
    hidden_cases=_more,
    truth=_parked,
    right="right: what failed, and what came after it with the same key.",
    otherwise="not these. For each record: was an earlier one of its key parked?",
    unseen="in a case that you have not seen, others are parked. What about records without a key?",
)


# %% wrong="an empty key is none"
# You treated the empty key as no key. It is a text without letters, and its order must be kept, too.
# Only `None` is no key.
def parked(keys, fails):
    return [
        o
        for o, key in enumerate(keys)
        if o in fails or (key and any(keys[each] == key for each in fails if each < o))
    ]


# %% wrong="only what fails"
# You parked only what failed. A later record of the same key is then done first, and the old one
# wins in the end.
def parked(keys, fails):
    return sorted(fails)


# %% wrong="everything behind"
# You parked everything behind the first failure. Order is kept, but the other keys wait for
# nothing.
def parked(keys, fails):
    return list(range(min(fails), len(keys))) if fails else []


# %% wrong="the whole key"
# You also parked earlier records of the key. They are done before the failure, so they need not
# wait.
def parked(keys, fails):
    bad = {keys[each] for each in fails} - {None}
    return [o for o, key in enumerate(keys) if o in fails or key in bad]


# %% wrong="no key is a key"
# You treated records without a key as one key. They have no order among them, so none waits for
# another.
def parked(keys, fails):
    return [
        o
        for o, key in enumerate(keys)
        if o in fails or any(keys[each] == key for each in fails if each < o)
    ]


# %% wrong="from the last failure"
# You let a key wait from its last failure on. It waits from its first one on: what comes between the
# two is later than the first.
def parked(keys, fails):
    last = {keys[each]: each for each in fails}
    return [
        o
        for o, key in enumerate(keys)
        if o in fails or (key is not None and o > last.get(key, len(keys)))
    ]


# %% wrong="not in order"
# These are the right offsets, and they are not in order. The one that failed last is not the last one
# that is parked: sort them.
def parked(keys, fails):
    behind = [
        o
        for o, key in enumerate(keys)
        if o not in fails and key is not None and any(keys[e] == key for e in fails if e < o)
    ]
    return list(fails) + behind


# %% equivalent
# `return found` -> `return sorted(found)`: the offsets are found in order.

# %% hint
# Go through the records by offset. What must you remember of those that you have parked?

# %% hint
# A set of parked keys. A record is parked if it fails, or if its key is in the set; `None` never is.
