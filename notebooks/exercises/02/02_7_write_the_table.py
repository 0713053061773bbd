# %% [markdown]
# ### Exercise 02.7 · Write the table
#
# Five things happen to a connection. The client wants it: `connect`. The broker takes it:
# `accepted`, or not: `refused`. The question about versions is answered: `versions`. And somebody
# ends it, or the idle limit does: `closed`. Write `connection`, a dict
# `{state: {event: next state}}`, as a door would be `{"shut": {"push": "open"}}`, for the states
# `DISCONNECTED`, where each begins, `CONNECTING`, `CHECKING_API_VERSIONS` and `READY`. What cannot
# happen in a state, leave out: a connection that does not stand cannot be closed. The check walks
# through your table and tells the first walk that goes astray.

# %% answer
connection = ...
### BEGIN SOLUTION
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "CHECKING_API_VERSIONS", "refused": "DISCONNECTED"},
    "CHECKING_API_VERSIONS": {"versions": "READY", "closed": "DISCONNECTED"},
    "READY": {"closed": "DISCONNECTED"},
}
### END SOLUTION

# %% question
from autograder.cell.kinds import StateMachine, walks

CONNECTION = ("DISCONNECTED", "CONNECTING", "CHECKING_API_VERSIONS", "READY")
LIVES = walks(
    (
        ("connect", "accepted", "versions", "closed", "connect"),
        ("connect", "accepted", "closed", "connect"),
        ("connect", "refused", "connect", "accepted"),
        ("connect", "connect"),
        ("connect", "versions"),
        ("connect", "closed"),
        ("connect", "accepted", "versions", "accepted"),
        ("connect", "accepted", "refused"),
        ("connect", "accepted", "versions", "versions"),
        ("accepted",),
        ("closed",),
        ("versions",),
        ("refused",),
    )
)

StateMachine(
    title="the life of a connection",
    points=3,
    answers=("connection",),
    public_cases=LIVES,
    start="DISCONNECTED",
    states=CONNECTION,
)

# %% judge
from random import Random

from autograder.course.judge import Judge
from autograder.course.walks import states_of

MOVES = {
    ("DISCONNECTED", "connect"): "CONNECTING",
    ("CONNECTING", "accepted"): "CHECKING_API_VERSIONS",
    ("CONNECTING", "refused"): "DISCONNECTED",
    ("CHECKING_API_VERSIONS", "versions"): "READY",
    ("CHECKING_API_VERSIONS", "closed"): "DISCONNECTED",
    ("READY", "closed"): "DISCONNECTED",
}
EVENTS = ("connect", "accepted", "refused", "versions", "closed")


def _walked(case: dict) -> list:
    """The states of a walk, None where an event cannot be.
    A test holds MOVES against the simulator's own table."""
    return states_of(MOVES, "DISCONNECTED", case["walk"])


def _long_walks(rng: Random) -> list[dict]:
    """Random lives of nine events; now and then one that cannot be ends them."""
    found = []
    for _ in range(8):
        state, walk = "DISCONNECTED", []
        while len(walk) < 9:
            possible = [event for event in EVENTS if (state, event) in MOVES]
            walk.append(rng.choice(possible if rng.random() < 0.93 else EVENTS))
            state = MOVES.get((state, walk[-1]))
            if state is None:
                break
        found.append({"walk": walk, "last": walk[-1]})
    return found


Judge(
    truth=_walked,
    hidden_cases=_long_walks,
    right="right.",
    otherwise="your table leads through {said}. The last step is not what a connection does.",
    unseen=(
        "a longer life leads your table astray. Walk through it by hand: connect, accepted, "
        "closed, connect, ..."
    ),
)

# %% wrong="ready at once"
# TCP stands, and nothing may be sent yet: first the client asks which versions the broker speaks.
# That is a state of its own.
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "READY", "refused": "DISCONNECTED"},
    "CHECKING_API_VERSIONS": {"versions": "READY", "closed": "DISCONNECTED"},
    "READY": {"closed": "DISCONNECTED"},
}

# %% wrong="refused for ever"
# A refused connection is DISCONNECTED, and after a while the client tries it again.
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "CHECKING_API_VERSIONS", "refused": None},
    "CHECKING_API_VERSIONS": {"versions": "READY", "closed": "DISCONNECTED"},
    "READY": {"closed": "DISCONNECTED"},
}

# %% wrong="only what is ready can break"
# A connection can break before its versions are known. It is DISCONNECTED then, like any other.
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "CHECKING_API_VERSIONS", "refused": "DISCONNECTED"},
    "CHECKING_API_VERSIONS": {"versions": "READY"},
    "READY": {"closed": "DISCONNECTED"},
}

# %% wrong="begun twice"
# A connection that is on its way is not begun a second time. Leave `connect` out there.
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {
        "accepted": "CHECKING_API_VERSIONS",
        "refused": "DISCONNECTED",
        "connect": "CONNECTING",
    },
    "CHECKING_API_VERSIONS": {"versions": "READY", "closed": "DISCONNECTED"},
    "READY": {"closed": "DISCONNECTED"},
}

# %% wrong="closed is a state"
# A connection that was closed is DISCONNECTED. It is opened again only when somebody wants it.
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "CHECKING_API_VERSIONS", "refused": "DISCONNECTED"},
    "CHECKING_API_VERSIONS": {"versions": "READY", "closed": "DISCONNECTED"},
    "READY": {"closed": "CONNECTING"},
}

# %% wrong="back to asking"
# READY has asked already. The answer about versions comes once in a connection's life.
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "CHECKING_API_VERSIONS", "refused": "DISCONNECTED"},
    "CHECKING_API_VERSIONS": {"versions": "READY", "closed": "DISCONNECTED"},
    "READY": {"closed": "DISCONNECTED", "versions": "READY"},
}

# %% hint
# For each state: which of the five events can happen there at all? Leave the others out.

# %% hint
# What ends a connection leads back to DISCONNECTED, from wherever it comes. There are six entries
# in all.
