# %% [markdown] items="N7"
# ### Exercise 13.2 · Which segments go?
#
# Write `goes(segments, now_ms, keep_ms, keep_bytes)`. A broker of the lab calls it at each
# retention check. `segments` is a list, the oldest first; the last one is the active segment. Each
# has `base_offset`, `size_bytes` and `newest_ms`, the time of its newest record. `keep_ms` is
# `retention.ms` and `keep_bytes` is `retention.bytes`; -1 means no limit. Times are milliseconds.
#
# Return a list: the base offsets of the segments that go. They must be the oldest ones, in a row.
# The check plays days with time limits, with size limits, with both, with a fast clock, and with a
# broker that crashes. It also asks for single checks. Each deletion is compared with Kafka's. There a
# segment goes when its newest record is *older* than the time limit. And it goes when the log without
# it is at least as large as the limit in bytes. A limit of 0 is a limit, too.

# %% answer
def goes(segments, now_ms, keep_ms, keep_bytes):
    """The base offsets of the segments that retention deletes now."""
    ### BEGIN SOLUTION
    gone = []
    over = sum(each.size_bytes for each in segments) - keep_bytes
    for each in segments:
        is_old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms
        is_too_much = keep_bytes >= 0 and over >= each.size_bytes
        if not (is_old or is_too_much):
            break
        gone.append(each.base_offset)
        over -= each.size_bytes
    return gone
    ### END SOLUTION


# %% question
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked, whole_numbers
from autograder.cell.kinds import Function
from kafkalab.stories.segments import deletions, retention_day

DAYS = (
    {"case": "thirty minutes or more", "seed": 1, "keeps": "time"},
    {"case": "a limit in bytes", "seed": 2, "keeps": "size"},
    {"case": "a limit of exactly three files", "seed": 5, "keeps": "exact"},
    {"case": "both limits", "seed": 4, "keeps": "both"},
    {"case": "one order from a fast clock", "seed": 3, "keeps": "clock"},
    {"case": "the broker is down for twenty minutes", "seed": 2, "keeps": "crash"},
)


CHECKS = (
    {
        "case": "the newest record is exactly as old as the time limit",
        "segments": [[0, 400, 100], [6, 300, 500]],
        "now_ms": 700,
        "keep_ms": 600,
        "keep_bytes": -1,
    },
    {
        "case": "the newest record is a millisecond older than the time limit",
        "segments": [[0, 400, 99], [6, 300, 500], [12, 300, 600]],
        "now_ms": 700,
        "keep_ms": 600,
        "keep_bytes": -1,
    },
    {
        "case": "a time limit of 0",
        "segments": [[0, 400, 100], [6, 300, 700], [12, 300, 720]],
        "now_ms": 700,
        "keep_ms": 0,
        "keep_bytes": -1,
    },
    {
        "case": "a limit of 0 bytes",
        "segments": [[0, 400, 600], [6, 300, 700]],
        "now_ms": 700,
        "keep_ms": -1,
        "keep_bytes": 0,
    },
    {
        "case": "an old file behind one that stays",
        "segments": [[0, 400, 100], [6, 300, 650], [12, 300, 150], [18, 200, 700]],
        "now_ms": 700,
        "keep_ms": 500,
        "keep_bytes": -1,
    },
    {
        "case": "an old file, and a limit that the bytes after it are below",
        "segments": [[0, 400, 50], [6, 300, 600], [12, 300, 650], [18, 200, 700]],
        "now_ms": 700,
        "keep_ms": 600,
        "keep_bytes": 600,
    },
)


def check_once(names, case):
    """Which segments the learner's function deletes at one check, in order."""
    fields = ("base_offset", "size_bytes", "newest_ms")
    segments = [SimpleNamespace(**dict(zip(fields, row))) for row in case["segments"]]
    gone = names["goes"](segments, case["now_ms"], case["keep_ms"], case["keep_bytes"])
    offsets = whole_numbers(gone)
    if offsets is None:
        raise NotAsAsked(f"`goes` returns a list of base offsets, not {gone!r}"[:120])
    return sorted(offsets)


def day(case, part):
    """A morning of orders; the learner's function decides at each retention check."""
    return retention_day(case["seed"], case["keeps"], part)


@cache
def starts_by_kafka(seed: int, keeps: str) -> tuple:
    """(minute, log start offset) of Kafka's deletions on that day."""
    return tuple(dict(deletions(retention_day(seed, keeps))).items())


def unlike_kafka(case, lab) -> tuple | None:
    """The first minute at which another log start is left than Kafka leaves, and why it matters."""
    own = dict(deletions(lab))
    kafkas = dict(starts_by_kafka(case["seed"], case["keeps"]))
    mine = theirs = 0
    for minute in sorted({*own, *kafkas}):
        mine, theirs = own.get(minute, mine), kafkas.get(minute, theirs)
        proof = (f"minute {minute}: your log begins at offset {mine}, Kafka's at {theirs}",)
        if mine > theirs:
            return (
                f"at minute {minute} you deleted offsets {theirs} to {mine - 1}, which Kafka "
                "keeps. Records that should be there are gone.",
                proof,
            )
        if mine < theirs:
            return (
                f"at minute {minute} Kafka deletes up to offset {theirs - 1}, and your log still "
                f"begins at {mine}. The disk fills.",
                proof,
            )
    return None


Function(
    title="which segments go",
    points=4,
    answers=("goes",),
    public_cases=(*DAYS, *CHECKS),
    probe=check_once,
    play=day,
    look=unlike_kafka,
    kept="right: at each check the same files went as in Kafka.",
)

# %% judge
from autograder.course.judge import Judge


def _gone(case: dict) -> list[int]:
    """The oldest segments, as long as each is too old, or the bytes after it are enough."""
    rows, gone = case["segments"], []
    for number, (base, _, newest_ms) in enumerate(rows):
        rest = sum(row[1] for row in rows[number + 1 :])
        by_time = case["keep_ms"] != -1 and newest_ms + case["keep_ms"] < case["now_ms"]
        if not by_time and (case["keep_bytes"] == -1 or rest < case["keep_bytes"]):
            return gone
        gone.append(base)
    return gone


def _more_days(rng) -> list[dict]:
    return [
        {"seed": rng.randrange(10, 900), "keeps": keeps}
        for keeps in ("time", "size", "both", "clock", "crash")
    ]


Judge(
    truth=_gone,
    hidden_cases=_more_days,
    right="right: at this check the same files go as in Kafka.",
    otherwise="you returned {said}, and Kafka deletes others at this check. Compare with both limits.",
    unseen=(
        "on a day that you have not seen, other files went than in Kafka. Check both limits, the "
        "-1 of each, and where the row of files ends."
    ),
)


# %% wrong="0 is no limit"
# A limit of 0 is a limit: only -1 switches it off.
# -         is_old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms
# -         is_too_much = keep_bytes >= 0 and over >= each.size_bytes
# +         is_old = keep_ms > 0 and now_ms - each.newest_ms > keep_ms
# +         is_too_much = keep_bytes > 0 and over >= each.size_bytes


# %% wrong="until it is below the limit"
# You deleted until the log was smaller than the limit. A file goes only if the log without it is
# still at least as large as the limit.
# -         is_too_much = keep_bytes >= 0 and over >= each.size_bytes
# +         is_too_much = keep_bytes >= 0 and over > 0


# %% wrong="only above the limit"
# The log without the file is exactly as large as the limit, and you kept the file. Kafka deletes it.
# -         is_too_much = keep_bytes >= 0 and over >= each.size_bytes
# +         is_too_much = keep_bytes >= 0 and over > each.size_bytes


# %% wrong="never the active one"
# The active segment stayed. When its newest record is too old, it goes as well: the
# broker rolls an empty one first.
# -     for each in segments:
# +     for each in segments[:-1]:


# %% wrong="minus one is a limit"
# Every file went. -1 means no limit; as a limit it is smaller than everything.
# -         is_old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms
# -         is_too_much = keep_bytes >= 0 and over >= each.size_bytes
# +         is_old = now_ms - each.newest_ms > keep_ms
# +         is_too_much = over >= each.size_bytes


# %% wrong="both limits at once"
# A file went only when both limits were passed. Either one is enough.
def goes(segments, now_ms, keep_ms, keep_bytes):
    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes
    for each in segments:
        young = keep_ms >= 0 and now_ms - each.newest_ms <= keep_ms
        small = keep_bytes >= 0 and over < each.size_bytes
        if young or small or (keep_ms < 0 and keep_bytes < 0):
            break
        gone.append(each.base_offset)
        over -= each.size_bytes
    return gone


# %% wrong="only time"
# No file went because of the bytes. `retention.bytes` is a limit, too.
# -         is_too_much = keep_bytes >= 0 and over >= each.size_bytes
# +         is_too_much = False


# %% wrong="the bytes of an old file count"
# A file that goes because of its time takes its bytes with it. Compare the bytes that are left.
# -         over -= each.size_bytes
# +         over -= 0 if is_old else each.size_bytes


# %% wrong="every old one"
# You deleted an old file behind one that stays. Files go from the oldest on, in a row: the first
# that stays protects all files behind it.
def goes(segments, now_ms, keep_ms, keep_bytes):
    old = [each for each in segments if keep_ms >= 0 and now_ms - each.newest_ms > keep_ms]
    gone, over = [each.base_offset for each in old], sum(each.size_bytes for each in segments)
    over -= keep_bytes + sum(each.size_bytes for each in old)
    for each in segments:
        if each in old:
            continue
        if keep_bytes < 0 or over < each.size_bytes:
            break
        gone.append(each.base_offset)
        over -= each.size_bytes
    return gone


# %% wrong="only the first"
# One file at each check is not enough. All old ones go at once, as long as they are in a row.
# -     for each in segments:
# +     for each in segments[:1]:


# %% wrong="nothing goes"
# Nothing was deleted. Then no limit holds, and the disk fills.
def goes(segments, now_ms, keep_ms, keep_bytes):
    return []


# %% wrong="as old as the limit"
# This record is exactly as old as retention.ms. A file goes only when its newest record is older.
# -         is_old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms
# +         is_old = keep_ms >= 0 and now_ms - each.newest_ms >= keep_ms


# %% equivalent
# `return gone` -> `return sorted(gone)`, `return list(reversed(gone))`: the order of the list is not
# asked.

# %% hint
# Go through the list from the oldest one, and stop at the first that stays. When may one go because
# of its time? When because of the bytes?

# %% hint
# over = all bytes - keep_bytes. A segment may go when over is at least its size; then subtract its
# size from over. And -1 switches a limit off.
