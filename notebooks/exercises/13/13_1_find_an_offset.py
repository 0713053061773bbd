# %% [markdown]
# ### Exercise 13.1 · Find an offset
#
# Three logs, A, B and C. `n.A.files` are the base offsets of the files of A. `n.A.index` has the
# entries of each file's index, as pairs: the offset in the entry, and a byte. Every batch of A has
# `n.A.per_batch` records, so the batches of a file begin at its base offset, then `per_batch`
# further, and so on. As in Kafka, an entry names the *last* offset of its batch. Where no entry is at
# the offset or before it, the broker begins at byte 0.
#
# A reader asks for offset `n.A.offset`. Give three numbers for each log:
#
# - `file`: the base offset of the file.
# - `byte`: the byte at which the broker begins to read.
# - `headers`: how many headers of batches it reads, the found one included.

# %%
n = numbers("13.1")
n.A

# %% answer
file = {"A": ..., "B": ..., "C": ...}
byte = {"A": ..., "B": ..., "C": ...}
headers = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
for name, log in n.items():
    file[name] = max(base for base in log.files if base <= log.offset)
    entries = [(file[name], 0), *log.index[file[name]]]
    entry = max(pair for pair in entries if pair[0] <= log.offset)
    byte[name] = entry[1]
    batch_of = lambda offset: (offset - file[name]) // log.per_batch
    headers[name] = batch_of(log.offset) - batch_of(entry[0]) + 1
### END SOLUTION

# %% question
from autograder.cell.kinds import Value
from kafkalab.stories.segments import log_with_index as made, steps_to

log_with_index = cache(made)


def wanted(number: int) -> int:
    """The offset that the reader asks for: the first one of a file, the one that an entry names, or
    the first one of a batch that no entry names."""
    log, chance = log_with_index(number), Random(f"offset {number}")
    if number % 3 == 0:
        return chance.choice(list(log.segments)[1:]).base_offset
    segment = chance.choice([each for each in log.segments if len(each.index) > 2])
    entry = chance.choice(segment.index[1:] if number % 3 == 1 else segment.index[1:-1])
    return entry[0] + (0 if number % 3 == 1 else 1 + 2 * len(log.batches()[0].records))


def ends(number: int) -> set[str]:
    """Which ends a search comes to: the first file, the last one, the newest entry of an index."""
    log, offset = log_with_index(number), wanted(number)
    files, segment = list(log.segments), log.segments.of(offset)
    entry = steps_to(log, offset).entry
    is_end = {
        "first file": segment is files[0],
        "last file": segment is files[-1],
        "newest entry": bool(segment.index) and entry == segment.index[-1],
    }
    return {name for name, is_one in is_end.items() if is_one}


def is_a_good_search(number: int) -> bool:
    """Whether it reads three headers or more where it neither begins at a file nor at an entry's
    own batch, and uses an entry that is not the newest."""
    log, offset = log_with_index(number), wanted(number)
    steps = steps_to(log, offset)
    segment = log.segments.of(offset)
    return number % 3 != 2 or (steps.entry in segment.index[1:-1] and len(steps.scanned) >= 3)


def seen_by_learner(drawn) -> dict:
    """Each log as a learner sees it: files, index, records in a batch, and the wanted offset."""

    def row(one) -> dict:
        log = log_with_index(one["log"])
        first = log.batches()[0]
        return type(one)(
            {
                "offset": wanted(one["log"]),
                "per_batch": len(first.records),
                "files": [segment.base_offset for segment in log.segments],
                "index": {
                    segment.base_offset: [tuple(pair) for pair in segment.index]
                    for segment in log.segments
                },
            }
        )

    return type(drawn)({name: row(one) for name, one in drawn.items()})


Value(
    title="find an offset",
    points=3,
    answers=("file", "byte", "headers"),
    draws=THREE,
    row="log",
    show=seen_by_learner,
    space={"log": tuple(range(360))},
    where=lambda n: is_a_good_search(n["log"]),
    together=lambda logs: (
        {n["log"] % 3 for n in logs} == {0, 1, 2}
        and len(set().union(*(ends(n["log"]) for n in logs))) == 3
    ),
)

# %% judge
from autograder.course.judge import Judge
from kafkalab.stories.segments import steps_to


def _steps(case: dict) -> dict:
    steps = steps_to(log_with_index(case["log"]), wanted(case["log"]))
    return {
        "file": int(steps.file.removesuffix(".log")),
        "byte": steps.entry[1],
        "headers": len(steps.scanned),
    }


Judge(
    truth=_steps,
    right="right: the file, one entry of its index, then batch after batch.",
    otherwise={
        "file": "{said} is not it. Files are named by the offset they begin with: which one holds it?",
        "byte": "{said} is not it. In the file's index take the nearest entry at the offset or before.",
        "headers": (
            "{said} is not it. Count the batches from the entry to the offset, the entry's own included."
        ),
    },
)

# %% begin
file = {a: max(base for base in x.files if base <= x.offset) for a, x in n.items()}
entry = {
    a: max(e for e in [(file[a], 0), *x.index[file[a]]] if e[0] <= x.offset) for a, x in n.items()
}
byte = {a: entry[a][1] for a in n}
place = lambda a, x, offset: (offset - file[a]) // x.per_batch
headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) + 1 for a, x in n.items()}

# %% wrong="the next file"
# That file begins after the offset. Take the largest base offset that is not beyond it.
file = {
    a: min((base for base in x.files if base > x.offset), default=x.offset + 1)
    for a, x in n.items()
}

# %% wrong="the next entry"
# This entry is beyond the offset, and the broker reads forward only. Take the entry before it.
byte = {
    a: min((e for e in x.index[file[a]] if e[0] > x.offset), default=entry[a])[1]
    for a, x in n.items()
}

# %% wrong="from the beginning of the file"
# That is the file's first byte. The index avoids it: begin at the entry's byte.
byte = {a: 0 for a in n}
headers = {a: place(a, x, x.offset) + 1 for a, x in n.items()}

# %% wrong="without the entry's own batch"
# One too few. The broker reads the header of the entry's own batch, and that of the batch with the
# offset.
headers = {a: place(a, x, x.offset) - place(a, x, entry[a][0]) for a, x in n.items()}

# %% wrong="records for batches"
# That counts records. The broker reads one header for each batch, and a batch has several records.
headers = {a: x.offset - entry[a][0] + 1 for a, x in n.items()}

# %% wrong="one header"
# An entry is not there for each batch. From the entry's byte on the broker reads header after header.
headers = {a: 1 for a in n}

# %% wrong="the file before"
# The offset is the first one of a file. That file has it, not the one before.
file = {a: max(base for base in x.files if base < x.offset) for a, x in n.items()}

# %% wrong="the entry before"
# The entry names exactly this offset. So its batch holds the record, and the broker begins there.
entry = {a: max(e for e in [(0, 0), *x.index[file[a]]] if e[0] < x.offset) for a, x in n.items()}
byte = {a: entry[a][1] for a in n}
headers = {
    a: place(a, x, x.offset) - place(a, x, max(file[a], entry[a][0])) + 1 for a, x in n.items()
}

# %% equivalent
# `log.files` -> `log.index`: the index has the same files.
# `[(file[name], 0), *log.index[file[name]]]` -> `[*log.index[file[name]], (file[name], 0)]`: the
# largest is taken, in any order.
# `(offset - file[name]) // log.per_batch` -> `(offset - file[name]) // log.per_batch + 1`: this adds one
# at both ends.
# `offset - file[name]` -> `offset + file[name]`, `offset`: each file begins after whole batches, so this
# adds the same at both ends.

# %% hint
# Write the batches of that file on paper: their first and last offsets. Which one does the entry
# name? Which one holds the offset?

# %% hint
# The number of a batch in its file is (offset - base) // per_batch, for the entry's offset and for the
# wanted one. Both ends are read.
