# %% [markdown]
# ### Exercise 14.3 · Write the high watermark
#
# Write `watermark(ends, in_sync)`. The leader calls it each time when it writes a record or a
# follower fetches. It returns the high watermark.
#
# - `ends` is a dict: broker -> the log end of its replica, as the leader knows it. The leader itself
#   is in it. A follower that is down is in it too, with its last number.
# - `in_sync` is a tuple of the brokers that are in sync, the leader among them.
#
# Two promises, for every seed. A record that the reader got is in the log at the end, with any
# leader. And a record that is safe becomes readable: at the end the reader has all that is in the log.

# %% answer items="N87"
def watermark(ends, in_sync):
    """The offset below which readers may read."""
    ### BEGIN SOLUTION
    return min(ends[broker] for broker in in_sync)
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab.stories.replicas import night, seen_by_the_reader

NIGHTS = (
    {"case": "the leader is cut off, and dies", "seed": 3, "happens": "cut off"},
    # here the leader is not broker 0, and broker 0 takes over
    {"case": "a follower is cut off, and takes over", "seed": 4, "happens": "heir", "leader": 3},
    # two are left in sync, and they differ
    {"case": "one follower dies, and the other takes over", "seed": 8, "happens": "last heir"},
    {"case": "one follower dies", "seed": 5, "happens": "follower down"},
    {"case": "both followers die", "seed": 6, "happens": "two down"},
    {"case": "one follower has a slow disk", "seed": 7, "happens": "slow"},
)
KEPT = {
    "cut off": "right: what only the old leader had was never shown.",
    "heir": "right: the follower lacked the late orders, and nobody had seen them.",
    "last heir": "right: the last follower in sync lacked orders, and nobody had seen them.",
    "follower down": "right: nobody waited for the dead follower.",
    "two down": "right: the leader alone was in sync, and its records were shown.",
    "slow": "right: a slow follower delays a record, and does not hide it.",
}


def one_night(case, part):
    """Orders with acks=1, a reader, and something that breaks."""
    return night(part, case["happens"], case["seed"], case.get("leader", 0))


def shown_and_kept(case, lab) -> tuple[str, tuple] | None:
    """What is wrong in a night: a record that vanished, or one that is never shown."""
    found = seen_by_the_reader(lab)
    vanished = [order for order in found.seen if order not in found.kept]
    if vanished:
        return (
            f"the reader got {vanished[0]!r}, and it is not in the log any more. The next leader "
            "did not have it.",
            tuple(f"seen and gone: {order}" for order in vanished),
        )
    if found.waiting:
        return (
            f"{found.waiting[0]!r} is safe in the log, and the reader never got it. Your high "
            "watermark does not move, or stops short of it.",
            tuple(f"in the log and never shown: {order}" for order in found.waiting),
        )
    return None


Function(
    title="write the high watermark",
    points=4,
    answers=("watermark",),
    public_cases=NIGHTS,
    play=one_night,
    look=shown_and_kept,
    kept=lambda case: KEPT[case["happens"]],
)

# %% judge
from autograder.course.judge import Judge


def _more_nights(rng) -> list[dict]:
    return [
        {"seed": rng.randrange(10, 900), "happens": happens}
        for happens in ("cut off", "heir", "follower down", "two down", "slow", "last heir")
    ]


Judge(
    hidden_cases=_more_nights,
    unseen=(
        "a promise was broken on a night of ours. Which replicas may become leader, and what has "
        "each of them?"
    ),
)


# %% wrong="the leader's log end"
# You showed what the leader has. Then the leader died, and the next leader lacked orders that the
# reader had got.
def watermark(ends, in_sync):
    return max(ends.values())


# %% wrong="all replicas"
# You waited for a replica that is down. The high watermark did not move, and the reader got nothing
# more. Only those in sync count.
def watermark(ends, in_sync):
    return min(ends.values())


# %% wrong="a majority"
# You took what most replicas have. Kafka's leader need not be one of them: each replica in sync may
# become leader, also the one that has the fewest records.
def watermark(ends, in_sync):
    return sorted(ends.values(), reverse=True)[len(ends) // 2]


# %% wrong="the fastest follower"
# One copy more is not enough. Another replica in sync became leader and lacked the record.
def watermark(ends, in_sync):
    others = [ends[broker] for broker in in_sync if ends[broker] < max(ends.values())]
    return max(others, default=max(ends.values()))


# %% wrong="followers only"
# When the leader was alone in sync, your mark did not move on. The leader is one of the replicas in
# sync. When it is the only one, its own log end is the mark.
def watermark(ends, in_sync):
    return min([ends[broker] for broker in in_sync[1:]] or [0])


# %% wrong="broker 0 is the leader"
# In this night broker 0 followed, lacked orders that the reader had got, and took over. Does your rule
# leave broker 0 out, or look at one broker of `in_sync` only?
def watermark(ends, in_sync):
    return min([ends[broker] for broker in in_sync if broker != 0] or [ends[0]])


# %% wrong="one less"
# The high watermark is the offset after the last readable record. You took one less, so the last
# order is never shown.
def watermark(ends, in_sync):
    return max(0, min(ends[broker] for broker in in_sync) - 1)


# %% hint
# Each replica in sync may be the leader a moment later. Which records do all of them have?

# %% hint
# Collect the log ends of the brokers in `in_sync`. One function of Python takes the right one.
