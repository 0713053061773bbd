# %% [markdown]
# ### Exercise 16.1 · Where does the window begin?
#
# Three share groups, A, B and C. In each, ada got six records, offsets 0 to 5, and nothing was read
# before. `n.A.says` has what she said of each, in the order of the offsets; "hold" means that she has
# said nothing yet. All her words have reached the broker. What is the start offset now? bo joins the
# group and polls for ten seconds; the lock is 30 seconds. Which offsets does he get? Write them in
# order.

# %%
n = numbers("16.1")
n

# %% answer
start = {"A": ..., "B": ..., "C": ...}
bo_gets = {"A": [...], "B": [...], "C": [...]}


### BEGIN SOLUTION
def window_of(says):
    words = says.split()
    left = [place for place, word in enumerate(words) if word in ("release", "hold")]
    return min(left), [p for p in left if words[p] == "release"]


start = {name: window_of(case.says)[0] for name, case in n.items()}
bo_gets = {name: window_of(case.says)[1] for name, case in n.items()}
### END SOLUTION

# %% question
from itertools import product

from autograder.cell.kinds import Value

WORDS = ("accept", "release", "reject", "hold")
SAYS = tuple(
    " ".join(words)
    for place, words in enumerate(product(WORDS, repeat=6))
    if place % 23 == 11 and len(set(words)) > 2
)


def tells_words_apart(cases: list[dict]) -> bool:
    """Whether one begins with accepted and rejected records, one with a held one before a released
    one, one has an accepted record behind a first one that is not at its end, one released the last
    record, and one the first that is not at its end."""
    says = [case["says"].split() for case in cases]
    return (
        any(set(words[:2]) == {"accept", "reject"} for words in says)
        and any(words[0] == "hold" and "release" in words for words in says)
        and any(words[0] in {"hold", "release"} and "accept" in words for words in says)
        and any(words[-1] == "release" for words in says)
        and any(
            set(words[: words.index("release")]) <= {"accept", "reject"}
            for words in says
            if "release" in words
        )
    )


Value(
    title="where the window begins",
    points=3,
    answers=("start", "bo_gets"),
    draws=("A", "B", "C"),
    row="share group",
    space={"says": SAYS},
    together=tells_words_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import said_of_six, share_state, worker


def _in_ten_seconds(bo) -> list:
    """The first records that bo gets."""
    for _ in range(10):
        if records := bo.poll(timeout_ms=1_000):
            return list(records)
    return []


@cache
def _window(says: str) -> dict:
    """The start offset, and what bo's polls bring in ten seconds."""
    lab = said_of_six(says.split())
    start = share_state(lab)["start_offset"]
    bo = worker(lab, "bo", max_poll_records=6)
    got = [record.offset for record in _in_ten_seconds(bo)]
    return {"start": start, "bo_gets": sorted(got)}


Judge(
    truth=lambda case: _window(case["says"]),
    right="right: the first record that is not at its end, and all that are available.",
    otherwise={
        "start": (
            "{said} is not it. Go from offset 0 on: accept and reject end a record, release and hold "
            "do not."
        ),
        "bo_gets": (
            "{said} is not it. Only released records are available to bo. accept and reject end a "
            "record, and hold leaves it with ada."
        ),
    },
)

# %% begin
cases = {name: case.says.split() for name, case in n.items()}
left = {
    name: [p for p, word in enumerate(words) if word in ("release", "hold")]
    for name, words in cases.items()
}
start = {name: min(places) for name, places in left.items()}
bo_gets = {
    name: [p for p in places if cases[name][p] == "release"] for name, places in left.items()
}

# %% wrong="like a committed offset"
# That is the offset after the last accepted record. A consumer group would commit it. The start
# offset is the first record that is not at its end.
start = {
    name: max((p + 1 for p, word in enumerate(words) if word == "accept"), default=0)
    for name, words in cases.items()
}

# %% wrong="only accept ends a record"
# reject ends a record too: it is archived, nobody gets it, and the window moves past it.
start = {
    name: min((p for p, word in enumerate(words) if word != "accept"), default=6)
    for name, words in cases.items()
}

# %% wrong="rejected ones come again"
# A rejected record is archived. Only released records come again.
bo_gets = {
    name: [p for p, word in enumerate(words) if word in ("release", "reject")]
    for name, words in cases.items()
}

# %% wrong="held ones come too"
# ada holds some records, and her lock has not ended. Nobody else gets them.
bo_gets = left

# %% wrong="the window passes what ada holds"
# A record that ada holds is not at its end. The window cannot begin behind it.
start = {
    name: min((p for p, word in enumerate(words) if word == "release"), default=6)
    for name, words in cases.items()
}

# %% hint
# Write under each offset: at its end, available, or with ada. Which one is the first that has not
# come to its end?

# %% hint
# accept and reject: at its end. release: available, so bo gets it. hold: with ada.
