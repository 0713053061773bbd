# %% [markdown] items="N54 N55"
# ### Exercise 13.4 · What the cleaner leaves
#
# Write `left(records)`. A broker of the lab calls it when it cleans the topic of prices. `records`
# is a list in the order of offsets, all below the active segment. Each has `offset`, `key`, `value`
# (None in a tombstone) and `may_forget`. That is True for a tombstone whose time,
# `delete.retention.ms`, is over. Return a list: the offsets of the records that stay.
#
# Two readers build a table of prices from the log. `slow` reads a part, waits, and reads on after a
# cleaning. `new` reads what is left in the end. The check compares, for many seeds:
#
# 1. Each table is the right one: the last price of each key, and no key that was deleted.
# 2. No record is left that Kafka's cleaner would remove.
#
# It also asks for single cleanings.


# %% answer
def left(records):
    """The offsets of the records that stay after a cleaning."""
    ### BEGIN SOLUTION
    last = {each.key: each.offset for each in records}
    return [
        each.offset for each in records if last[each.key] == each.offset and not each.may_forget
    ]
    ### END SOLUTION


# %% question
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked, whole_numbers
from autograder.cell.kinds import Function
from kafkalab.stories.segments import cleaning_hour, offsets_left, prices_of, table_of

HOURS = tuple({"case": f"an hour of prices, number {seed}", "seed": seed} for seed in (1, 2, 3, 5))
# each record is [offset, key, value, may_forget]
CLEANINGS = (
    {
        "case": "a deleted key comes back",
        "records": [
            [2, "milk", "13", False],
            [3, "tea", "20", False],
            [5, "milk", None, False],
            [6, "milk", "12", False],
        ],
    },
    {
        "case": "one of two tombstones may be forgotten",
        "records": [
            [1, "tea", None, True],
            [4, "milk", "13", False],
            [5, "milk", None, False],
            [7, "jam", "30", False],
        ],
    },
    {
        "case": "an old price before a tombstone that may be forgotten",
        "records": [
            [2, "tea", "20", False],
            [3, "tea", None, True],
            [6, "jam", "31", False],
        ],
    },
    {
        "case": "the same price again, and an empty value, which is no tombstone",
        "records": [
            [1, "tea", "20", False],
            [2, "milk", "", False],
            [4, "tea", "20", False],
            [6, "jam", "31", False],
        ],
    },
    {
        "case": "two tombstones of a key, and one at the end",
        "records": [
            [1, "tea", None, True],
            [3, "tea", None, False],
            [5, "jam", None, True],
        ],
    },
)


def cleaned_once(names, case):
    """Which records the learner's function leaves at one cleaning, in order."""
    fields = ("offset", "key", "value", "may_forget")
    records = [SimpleNamespace(**dict(zip(fields, row))) for row in case["records"]]
    stays = names["left"](records)
    offsets = whole_numbers(stays)
    if offsets is None:
        raise NotAsAsked(f"`left` returns a list of offsets, not {stays!r}"[:120])
    return sorted(offsets)


def hour(case, part):
    """Prices change; the learner's function decides what each cleaning leaves."""
    return cleaning_hour(case["seed"], part)


@cache
def left_by_kafka(seed: int) -> tuple[int, ...]:
    """What Kafka's cleaner leaves of that hour."""
    return tuple(offsets_left(cleaning_hour(seed)))


def right_table(seed: int) -> dict:
    """The table of all prices that were written, in order."""
    known: dict = {}
    for key, value in [*prices_of(seed), ("last", "1")]:
        known.pop(key, None)
        if value is not None:
            known[key] = value
    return known


def wrong_table(case, lab) -> tuple | None:
    """The first reader whose table is wrong, or the records that are too many."""
    wanted = right_table(case["seed"])
    for reader in ("new", "slow"):
        known = table_of(lab, reader, case["seed"])
        for key in sorted({*wanted, *known}):
            if known.get(key) == wanted.get(key):
                continue
            proof = (f"{reader}: {key} = {known.get(key, '-')}; right: {wanted.get(key, '-')}",)
            if key not in known:
                return (
                    f"the reader `{reader}` does not know the price of {key}. Its last record is "
                    "gone.",
                    proof,
                )
            if key not in wanted:
                return (
                    f"the reader `{reader}` still has a price for {key}, which was deleted. It "
                    "never saw the last record of this key.",
                    proof,
                )
            return f"the reader `{reader}` has an old price for {key}.", proof
    own, kafkas = offsets_left(lab), list(left_by_kafka(case["seed"]))
    more = [offset for offset in own if offset not in kafkas]
    if more:
        return (
            f"the tables are right, but {len(more)} records are left that Kafka removes: offsets "
            f"{more[:5]}.",
            (f"left: {own}", f"Kafka leaves: {kafkas}"),
        )
    return None


Function(
    title="what the cleaner leaves",
    points=4,
    answers=("left",),
    public_cases=(*HOURS, *CLEANINGS),
    probe=cleaned_once,
    play=hour,
    look=wrong_table,
    kept="right: both readers have the right table, and no record is left too many.",
)

# %% judge
from autograder.course.judge import Judge


def _left_at_once(case: dict) -> list[int]:
    """Of each key its last record, unless that is a tombstone whose time is over."""
    newest: dict = {}
    for offset, key, _, may_forget in case["records"]:
        newest[key] = None if may_forget else offset
    return sorted(offset for offset in newest.values() if offset is not None)


Judge(
    truth=_left_at_once,
    right="right: Kafka's cleaner leaves the same records.",
    otherwise="you left {said}, and Kafka's cleaner leaves others. Which is the last record of each key?",
    hidden_cases=lambda rng: [{"seed": rng.randrange(10, 900)} for _ in range(4)],
    unseen=(
        "in an hour that you have not seen, a table was wrong, or too many records were left. "
        "Which record of a key stays, and when does a tombstone go?"
    ),
)


# %% wrong="no tombstones"
# You removed the tombstones at once. The slow reader had read the old price before, and never learned
# that the key is deleted.
def left(records):
    last = {each.key: each.offset for each in records}
    return [
        each.offset for each in records if last[each.key] == each.offset and each.value is not None
    ]


# %% wrong="every tombstone"
# You kept a tombstone with a later record of its key behind it. Only the last record of a key stays:
# who reads it needs no word about the time before.
# -         each.offset for each in records if last[each.key] == each.offset and not each.may_forget
# +         each.offset
# +         for each in records
# +         if not each.may_forget and (last[each.key] == each.offset or each.value is None)


# %% wrong="the last value"
# Deleted keys come back: a value stays whose key has a tombstone behind it. The tombstone is the
# newest record of its key, so the values before it must go.
def left(records):
    last = {each.key: each.offset for each in records if each.value is not None}
    return [
        each.offset
        for each in records
        if last.get(each.key) == each.offset or (each.value is None and not each.may_forget)
    ]


# %% wrong="tombstones for ever"
# Your tombstones stay for ever. When their time is over, `may_forget`, every reader has seen them.
def left(records):
    last = {each.key: each.offset for each in records}
    return [each.offset for each in records if last[each.key] == each.offset]


# %% wrong="the first of each key"
# You kept the first record of each key. The last one is the price of today.
def left(records):
    first = {}
    for each in records:
        first.setdefault(each.key, each.offset)
    return [each.offset for each in records if first[each.key] == each.offset]


# %% wrong="the largest value"
# You kept an older record of a key. The cleaner does not compare values: the last record counts, also
# when its price is lower.
def left(records):
    best = {}
    for each in records:
        if each.key not in best or (each.value or "0") >= (best[each.key].value or "0"):
            best[each.key] = each
    return [each.offset for each in best.values() if not each.may_forget]


# %% wrong="nothing goes"
# All records are left. The tables are right, but the log grows without end.
def left(records):
    return [each.offset for each in records]


# %% equivalent
# `return [each.offset for each in records if last[each.key] == each.offset and (not each.may_forget)]`
# -> `return sorted([each.offset for each in records if last[each.key] == each.offset and (not each.may_forget)])`,
# `return list(reversed([each.offset for each in records if last[each.key] == each.offset and (not each.may_forget)]))`:
# the order of the list is not asked.
# `last[each.key] == each.offset` -> `last[each.key] <= each.offset`: no record of a key is behind its
# last one.

# %% hint
# First find the last offset of each key, tombstones included. Then go through the records again.
# Which of them stay?

# %% hint
# last = {each.key: each.offset for each in records}. A record stays when it is the last of its key and
# not may_forget.
