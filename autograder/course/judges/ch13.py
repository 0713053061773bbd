# Generated from notebooks/exercises/13; edit those files and run
# `python -m autograder course 13`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 13's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from random import Random


# %% 13.1
from autograder.cell.questions.ch13 import log_with_index
from autograder.cell.questions.ch13 import wanted
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge
from kafkalab.stories.segments import steps_to


def _steps(case: dict) -> dict:
    steps = steps_to(log_with_index(case["log"]), wanted(case["log"]))
    return {
        "file": int(steps.file.removesuffix(".log")),
        "byte": steps.entry[1],
        "headers": len(steps.scanned),
    }


JUDGE_13_1 = Judge(
    id="13.1",
    wrong_answers=(
        WrongAnswer(
            name="the next file",
            sentence="That file begins after the offset. Take the largest base offset that is not beyond it.",
            source=(
                "file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}\n"
                "entry = {a: max(e for e in x.index[file[a]] if e[0] <= x.offset) for a, x in n.items()}\n"
                "byte = {a: entry[a][1] for a in n}\n"
                "place = lambda a, x, offset: (offset - file[a]) // x.per_batch\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}\n"
                "file = {a: min(base for base in x.files if base > x.offset) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the next entry",
            sentence="This entry is beyond the offset, and the broker reads forward only. Take the entry before it.",
            source=(
                "file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}\n"
                "entry = {a: max(e for e in x.index[file[a]] if e[0] <= x.offset) for a, x in n.items()}\n"
                "byte = {a: entry[a][1] for a in n}\n"
                "place = lambda a, x, offset: (offset - file[a]) // x.per_batch\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}\n"
                "byte = {a: min(e for e in x.index[file[a]] if e[0] > x.offset)[1] for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="from the beginning of the file",
            sentence="You began at the file's first byte. That is what the index avoids: begin at the entry's byte.",
            source=(
                "file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}\n"
                "entry = {a: max(e for e in x.index[file[a]] if e[0] <= x.offset) for a, x in n.items()}\n"
                "byte = {a: entry[a][1] for a in n}\n"
                "place = lambda a, x, offset: (offset - file[a]) // x.per_batch\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}\n"
                "byte = {a: 0 for a in n}\n"
                "headers = {a: place(a, x, x.offset) + 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="without the entry's own batch",
            sentence="One too few. The entry points to the beginning of its own batch, so that header is read, too.",
            source=(
                "file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}\n"
                "entry = {a: max(e for e in x.index[file[a]] if e[0] <= x.offset) for a, x in n.items()}\n"
                "byte = {a: entry[a][1] for a in n}\n"
                "place = lambda a, x, offset: (offset - file[a]) // x.per_batch\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="records for batches",
            sentence="You counted records. The broker reads one header for each batch, and a batch has several records.",
            source=(
                "file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}\n"
                "entry = {a: max(e for e in x.index[file[a]] if e[0] <= x.offset) for a, x in n.items()}\n"
                "byte = {a: entry[a][1] for a in n}\n"
                "place = lambda a, x, offset: (offset - file[a]) // x.per_batch\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}\n"
                "headers = {a: x.offset - entry[a][0] + 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one header",
            sentence="An entry is not there for each batch. From the entry's byte on the broker reads header after header.",
            source=(
                "file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}\n"
                "entry = {a: max(e for e in x.index[file[a]] if e[0] <= x.offset) for a, x in n.items()}\n"
                "byte = {a: entry[a][1] for a in n}\n"
                "place = lambda a, x, offset: (offset - file[a]) // x.per_batch\n"
                "headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}\n"
                "headers = {a: 1 for a in n}"
            ),
        ),
    ),
    truth=_steps,
    right="right: the file, one entry of its index, then batch after batch.",
    otherwise=(
        "not these. First the file. Then, in its index, the nearest entry at the offset or before. "
        "Then count batches, the entry's own included."
    ),
)


# %% 13.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _more_days(rng) -> list[dict]:
    return [
        {"seed": rng.randrange(10, 900), "keeps": keeps}
        for keeps in ("time", "size", "both", "clock", "crash")
    ]


JUDGE_13_2 = Judge(
    id="13.2",
    wrong_answers=(
        WrongAnswer(
            name="until it is below the limit",
            sentence="You deleted until the log was smaller than the limit. A file goes only if the log without it is still at least as large as the limit.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes\n"
                "    for each in segments:\n"
                "        old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms\n"
                "        if not (old or (keep_bytes >= 0 and over > 0)):\n"
                "            break\n"
                "        gone.append(each.base_offset)\n"
                "        over -= each.size_bytes\n"
                "    return gone"
            ),
        ),
        WrongAnswer(
            name="only above the limit",
            sentence="The log without the file is exactly as large as the limit, and you kept the file. Kafka deletes it.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes\n"
                "    for each in segments:\n"
                "        old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms\n"
                "        if not (old or (keep_bytes >= 0 and over > each.size_bytes)):\n"
                "            break\n"
                "        gone.append(each.base_offset)\n"
                "        over -= each.size_bytes\n"
                "    return gone"
            ),
        ),
        WrongAnswer(
            name="never the active one",
            sentence="You never delete the active segment. When its newest record is too old, it goes as well: the broker rolls an empty one first.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes\n"
                "    for each in segments[:-1]:\n"
                "        old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms\n"
                "        if not (old or (keep_bytes >= 0 and over >= each.size_bytes)):\n"
                "            break\n"
                "        gone.append(each.base_offset)\n"
                "        over -= each.size_bytes\n"
                "    return gone"
            ),
        ),
        WrongAnswer(
            name="minus one is a limit",
            sentence="You took -1 as a limit, and everything is larger than -1. It means: no limit.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes\n"
                "    for each in segments:\n"
                "        if not (now_ms - each.newest_ms > keep_ms or over >= each.size_bytes):\n"
                "            break\n"
                "        gone.append(each.base_offset)\n"
                "        over -= each.size_bytes\n"
                "    return gone"
            ),
        ),
        WrongAnswer(
            name="both limits at once",
            sentence="You wait until both limits are passed. Either one is enough.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes\n"
                "    for each in segments:\n"
                "        young = keep_ms >= 0 and now_ms - each.newest_ms <= keep_ms\n"
                "        small = keep_bytes >= 0 and over < each.size_bytes\n"
                "        if young or small or (keep_ms < 0 and keep_bytes < 0):\n"
                "            break\n"
                "        gone.append(each.base_offset)\n"
                "        over -= each.size_bytes\n"
                "    return gone"
            ),
        ),
        WrongAnswer(
            name="only time",
            sentence="You look at the time only. `retention.bytes` is a limit, too.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    gone = []\n"
                "    for each in segments:\n"
                "        if keep_ms < 0 or now_ms - each.newest_ms <= keep_ms:\n"
                "            break\n"
                "        gone.append(each.base_offset)\n"
                "    return gone"
            ),
        ),
        WrongAnswer(
            name="only the first",
            sentence="One file at each check is not enough. All old ones go at once, as long as they are in a row.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    over = sum(each.size_bytes for each in segments) - keep_bytes\n"
                "    for each in segments[:1]:\n"
                "        old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms\n"
                "        if old or (keep_bytes >= 0 and over >= each.size_bytes):\n"
                "            return [each.base_offset]\n"
                "    return []"
            ),
        ),
        WrongAnswer(
            name="nothing goes",
            sentence="Nothing was deleted. Then no limit holds, and the disk fills.",
            source=(
                "def goes(segments, now_ms, keep_ms, keep_bytes):\n"
                "    return []"
            ),
        ),
    ),
    hidden_cases=_more_days,
    unseen=(
        "on a day that you have not seen, other files went than in Kafka. Check both limits, the "
        "-1 of each, and where the row of files ends."
    ),
)


# %% 13.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _bound(case: dict) -> dict:
    """Retention, a whole segment, one check (300 s), one delay of deletion (60 s)."""
    seconds = 3_600 * case["keep_hours"] + 3_600 * case["roll_hours"] + 300 + 60
    return {
        "oldest_minutes_most": seconds // 60,
        "gb_most": case["gb_per_hour"] * seconds * case["replicas"] / 3_600,
    }


JUDGE_13_3 = Judge(
    id="13.3",
    wrong_answers=(
        WrongAnswer(
            name="what the setting says",
            sentence="{keep_hours} hours is the least that a record stays. Its file is {roll_hours} hours long, and the newest record in it decides.",
            source=(
                "minutes_of = lambda x: 60 * (x.keep_hours + x.roll_hours) + 6\n"
                "oldest_minutes_most = {a: minutes_of(x) for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas for a, x in n.items()}\n"
                "oldest_minutes_most = {a: 60 * x.keep_hours for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * x.keep_hours * x.replicas for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="without check and deletion",
            sentence="Nearly. The broker looks every five minutes, and the file leaves the disk a minute after that.",
            source=(
                "minutes_of = lambda x: 60 * (x.keep_hours + x.roll_hours) + 6\n"
                "oldest_minutes_most = {a: minutes_of(x) for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas for a, x in n.items()}\n"
                "oldest_minutes_most = {a: 60 * (x.keep_hours + x.roll_hours) for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * (x.keep_hours + x.roll_hours) * x.replicas for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="without the deletion of the file",
            sentence="One minute is missing. A deleted file is renamed first, and uses the disk for another minute.",
            source=(
                "minutes_of = lambda x: 60 * (x.keep_hours + x.roll_hours) + 6\n"
                "oldest_minutes_most = {a: minutes_of(x) for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas for a, x in n.items()}\n"
                "oldest_minutes_most = {a: minutes_of(x) - 1 for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * (minutes_of(x) - 1) / 60 * x.replicas for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="times partitions",
            sentence="The minutes are right. But {gb_per_hour} GB an hour go into the whole topic, so the number of partitions does not matter.",
            source=(
                "minutes_of = lambda x: 60 * (x.keep_hours + x.roll_hours) + 6\n"
                "oldest_minutes_most = {a: minutes_of(x) for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas * x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="without replicas",
            sentence="The minutes are right. But each of the {replicas} replicas has the whole log on a disk of its own.",
            source=(
                "minutes_of = lambda x: 60 * (x.keep_hours + x.roll_hours) + 6\n"
                "oldest_minutes_most = {a: minutes_of(x) for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas for a, x in n.items()}\n"
                "gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 for a, x in n.items()}"
            ),
        ),
    ),
    truth=_bound,
    right="right: {keep_hours} + {roll_hours} hours, a check and a delay, and that on each replica.",
    otherwise=(
        "not these. The first record of a file waits for the last one, then for retention.ms, then "
        "for the next check, and then for the deletion of the file. Each replica has a copy."
    ),
)


# %% 13.6
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge
from kafkalab.stories.segments import stale_log


def _stale(case: dict) -> dict:
    """From the segment itself: its newest timestamp, and the record that has it."""
    lab, reason = stale_log(case["log"])
    log = lab.broker(0).machine.replicas.replica(("orders", 0)).log
    newest_ms = log.segments.all[0].largest_ms
    found = [
        batch.base_offset for batch in log.batches() if batch.records[0].timestamp_ms == newest_ms
    ]
    return {"holds": found[0], "why": reason}


JUDGE_13_6 = Judge(
    id="13.6",
    wrong_answers=(
        WrongAnswer(
            name="the oldest record",
            sentence="You named the oldest record. Its age does not matter: the newest record of a file decides.",
            source=(
                "words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]\n"
                "times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}\n"
                "holds = {a: max(times[a], key=times[a].get) for a in n}\n"
                "age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}\n"
                "why = {\n"
                "    a: \"clock\" if age[a] < 0 else \"check\" if age[a] > x.retention_ms else \"segment\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "holds = {a: min(times[a], key=times[a].get) for a in n}"
            ),
        ),
        WrongAnswer(
            name="the last offset",
            sentence="You named the last record of the file. Look at the times: the newest one need not be the last.",
            source=(
                "words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]\n"
                "times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}\n"
                "holds = {a: max(times[a], key=times[a].get) for a in n}\n"
                "age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}\n"
                "why = {\n"
                "    a: \"clock\" if age[a] < 0 else \"check\" if age[a] > x.retention_ms else \"segment\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "holds = {a: max(times[a]) for a in n}"
            ),
        ),
        WrongAnswer(
            name="always the check",
            sentence="The next check would not delete it. Compare the newest CreateTime with retention.ms first.",
            source=(
                "words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]\n"
                "times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}\n"
                "holds = {a: max(times[a], key=times[a].get) for a in n}\n"
                "age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}\n"
                "why = {\n"
                "    a: \"clock\" if age[a] < 0 else \"check\" if age[a] > x.retention_ms else \"segment\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "why = {a: \"check\" for a in n}"
            ),
        ),
        WrongAnswer(
            name="always the segment",
            sentence="The newest record is older than retention.ms here, or it is from the future. Which of the two?",
            source=(
                "words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]\n"
                "times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}\n"
                "holds = {a: max(times[a], key=times[a].get) for a in n}\n"
                "age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}\n"
                "why = {\n"
                "    a: \"clock\" if age[a] < 0 else \"check\" if age[a] > x.retention_ms else \"segment\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "why = {a: \"segment\" for a in n}"
            ),
        ),
        WrongAnswer(
            name="a fast clock for all",
            sentence="No record of this file is from the future. Compare the largest CreateTime with now_ms.",
            source=(
                "words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]\n"
                "times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}\n"
                "holds = {a: max(times[a], key=times[a].get) for a in n}\n"
                "age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}\n"
                "why = {\n"
                "    a: \"clock\" if age[a] < 0 else \"check\" if age[a] > x.retention_ms else \"segment\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "why = {a: \"clock\" for a in n}"
            ),
        ),
        WrongAnswer(
            name="check and segment exchanged",
            sentence="These two are exchanged. Subtract the newest CreateTime from now_ms: is that more than retention.ms?",
            source=(
                "words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]\n"
                "times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}\n"
                "holds = {a: max(times[a], key=times[a].get) for a in n}\n"
                "age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}\n"
                "why = {\n"
                "    a: \"clock\" if age[a] < 0 else \"check\" if age[a] > x.retention_ms else \"segment\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "why = {a: {\"check\": \"segment\", \"segment\": \"check\"}.get(w, w) for a, w in why.items()}"
            ),
        ),
    ),
    truth=_stale,
    right="right: the newest timestamp of the file decides, and when the broker looks.",
    otherwise=(
        "not these. Find the largest CreateTime of the file, and compare it with the time of the "
        "dump and with retention.ms."
    ),
)


# %% 13.4
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_13_4 = Judge(
    id="13.4",
    wrong_answers=(
        WrongAnswer(
            name="no tombstones",
            sentence="You removed the tombstones at once. The slow reader had read the old price before, and never learned that the key is deleted.",
            source=(
                "def left(records):\n"
                "    last = {each.key: each.offset for each in records}\n"
                "    return [\n"
                "        each.offset for each in records if last[each.key] == each.offset and each.value is not None\n"
                "    ]"
            ),
        ),
        WrongAnswer(
            name="the last value",
            sentence="You took the last record with a value. A tombstone is the newest record of its key, so the values before it must go. You brought deleted keys back.",
            source=(
                "def left(records):\n"
                "    last = {each.key: each.offset for each in records if each.value is not None}\n"
                "    return [\n"
                "        each.offset\n"
                "        for each in records\n"
                "        if last.get(each.key) == each.offset or (each.value is None and not each.may_forget)\n"
                "    ]"
            ),
        ),
        WrongAnswer(
            name="tombstones for ever",
            sentence="Your tombstones stay for ever. When their time is over, `may_forget`, every reader has seen them.",
            source=(
                "def left(records):\n"
                "    last = {each.key: each.offset for each in records}\n"
                "    return [each.offset for each in records if last[each.key] == each.offset]"
            ),
        ),
        WrongAnswer(
            name="the first of each key",
            sentence="You kept the first record of each key. The last one is the price of today.",
            source=(
                "def left(records):\n"
                "    first = {}\n"
                "    for each in records:\n"
                "        first.setdefault(each.key, each.offset)\n"
                "    return [each.offset for each in records if first[each.key] == each.offset]"
            ),
        ),
        WrongAnswer(
            name="the largest value",
            sentence="The cleaner does not compare values. The last record counts, also when its price is lower.",
            source=(
                "def left(records):\n"
                "    best = {}\n"
                "    for each in records:\n"
                "        if each.key not in best or (each.value or \"0\") >= (best[each.key].value or \"0\"):\n"
                "            best[each.key] = each\n"
                "    return [each.offset for each in best.values() if not each.may_forget]"
            ),
        ),
        WrongAnswer(
            name="nothing goes",
            sentence="All records are left. The tables are right, but the log grows without end.",
            source=(
                "def left(records):\n"
                "    return [each.offset for each in records]"
            ),
        ),
    ),
    hidden_cases=lambda rng: [{"seed": rng.randrange(10, 900)} for _ in range(4)],
    unseen=(
        "in an hour that you have not seen, a table was wrong, or too many records were left. "
        "Which record of a key stays, and when does a tombstone go?"
    ),
)


# %% 13.5
from autograder.course.judge import WrongAnswer
from autograder.cell.data import canonical
from autograder.course.judge import Judge


def _tables(rng: Random) -> list[dict]:
    """Random tables with deleted keys, keys that come back, holes, and rows in any order."""
    cases = []
    for _ in range(3):
        rows, offset = [], 0
        for _ in range(14):
            offset += rng.randrange(1, 4)
            value = None if rng.random() < 0.3 else str(rng.randrange(1, 10))
            rows.append([offset, rng.choice(("tea", "milk", "jam", "salt")), value])
        rng.shuffle(rows)
        cases.append({"rows": rows})
    return cases


def _told(rows) -> dict:
    return {
        "columns": {"offset": "whole number", "key": "text", "value": "text"},
        "rows": sorted(([offset, key, value] for offset, key, value in rows), key=canonical),
    }


def _last(case: dict, of=lambda row: True, by=lambda row: row[0], pick=max) -> list:
    """One row of each key: of the rows that count, the one with the largest (or smallest) `by`."""
    found: dict = {}
    for row in filter(of, case["rows"]):
        found[row[1]] = pick(found.get(row[1], row), row, key=by)
    return list(found.values())


def _left(case: dict) -> dict:
    return _told(row for row in _last(case) if row[2] is not None)


JUDGE_13_5 = Judge(
    id="13.5",
    wrong_answers=(
        WrongAnswer(
            name="tombstones first",
            sentence="You removed the tombstones first. Then an older value is the last one, and a deleted key comes back.",
            source=(
                "def left_of(changes):\n"
                "    kept = changes.where(\"value is not null\")\n"
                "    return kept.groupBy(\"key\").agg(\n"
                "        F.max(\"offset\").alias(\"offset\"), F.max_by(\"value\", \"offset\").alias(\"value\")\n"
                "    )"
            ),
            says=(
lambda case: _told(_last(case, of=lambda row: row[2] is not None))
            ),
        ),
        WrongAnswer(
            name="tombstones stay",
            sentence="The tombstones are still there. Their time is over, so they go, too.",
            source=(
                "def left_of(changes):\n"
                "    return changes.groupBy(\"key\").agg(\n"
                "        F.max(\"offset\").alias(\"offset\"), F.max_by(\"value\", \"offset\").alias(\"value\")\n"
                "    )"
            ),
            says=(
lambda case: _told(_last(case))
            ),
        ),
        WrongAnswer(
            name="the first of each key",
            sentence="You kept the first record of each key. The last one stays.",
            source=(
                "def left_of(changes):\n"
                "    first = changes.groupBy(\"key\").agg(\n"
                "        F.min(\"offset\").alias(\"offset\"), F.min_by(\"value\", \"offset\").alias(\"value\")\n"
                "    )\n"
                "    return first.where(\"value is not null\")"
            ),
            says=(
lambda case: _told(row for row in _last(case, pick=min) if row[2] is not None)
            ),
        ),
        WrongAnswer(
            name="nothing is cleaned",
            sentence="All values are still there. Of each key one row stays, the last one.",
            source=(
                "def left_of(changes):\n"
                "    return changes.where(\"value is not null\")"
            ),
            says=(
lambda case: _told(row for row in case["rows"] if row[2] is not None)
            ),
        ),
    ),
    truth=_left,
    hidden_cases=_tables,
    right="right: the last of each key, and then no tombstones.",
    otherwise="not these rows. Which record is the last of its key, and does it have a value?",
    unseen="other rows were asked for. Think of keys that were deleted, and of those that came back.",
)


# %% all
JUDGES = (
    JUDGE_13_1,
    JUDGE_13_2,
    JUDGE_13_3,
    JUDGE_13_6,
    JUDGE_13_4,
    JUDGE_13_5,
)
