# %% [markdown]
# ### Exercise 02.7 · Write the table
#
# Five things can happen to a connection:
#
# - `connect`: the client begins it.
# - `accepted`: the broker takes it. `refused`: the broker does not.
# - `versions`: the question about versions is answered.
# - `closed`: one side ends it. The idle limit, `close()` or a crash can be the reason.
#
# Write `connection`, a dict `{state: {event: next state}}`. A door would be
# `{"shut": {"push": "open"}}`. The states are `DISCONNECTED`, where each begins, `CONNECTING`,
# `CHECKING_API_VERSIONS` and `READY`. Leave out what cannot happen in a state. Remember that the
# program can call `close()` at any moment. The check walks through your table and shows the first
# sequence of events that your table gets wrong.

# %% answer
connection = ...
### BEGIN SOLUTION
connection = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {
        "accepted": "CHECKING_API_VERSIONS",
        "refused": "DISCONNECTED",
        "closed": "DISCONNECTED",
    },
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
        ("connect", "closed", "connect"),
        ("connect", "accepted", "connect"),
        ("connect", "accepted", "versions", "connect"),
        ("connect", "accepted", "versions", "refused"),
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
    ("CONNECTING", "closed"): "DISCONNECTED",
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
    otherwise=(
        "your table leads through {said}, where None means that the event cannot happen. The last "
        "event, `{last}`, is wrong there."
    ),
    unseen=(
        "your table gets a longer sequence wrong. Walk through it on paper: connect, accepted, "
        "closed, connect, ..."
    ),
)

# %% begin solution

# %% wrong="ready at once"
# TCP is connected, but the client may not send other requests yet. First it asks which versions the
# broker speaks. That is a state of its own.
connection["CONNECTING"]["accepted"] = "READY"

# %% wrong="refused until the end"
# A refused connection is DISCONNECTED, and after a pause the client tries it again.
connection["CONNECTING"]["refused"] = None

# %% wrong="a connection on its way cannot be closed"
# A connection on its way can be closed: `close()` does it in every version. From 2.7 the client
# also gives up one that takes too long (KIP-601).
del connection["CONNECTING"]["closed"]

# %% wrong="only what is ready can break"
# A connection can be closed before its versions are known. Then it is DISCONNECTED.
del connection["CHECKING_API_VERSIONS"]["closed"]

# %% wrong="begun twice"
# A connection that is on its way is not begun a second time. Leave `connect` out there.
connection["CONNECTING"]["connect"] = "CONNECTING"

# %% wrong="begun while versions are asked"
# TCP is connected already, so nothing is left to begin. Leave `connect` out there.
connection["CHECKING_API_VERSIONS"]["connect"] = "CHECKING_API_VERSIONS"

# %% wrong="a ready one is connected again"
# A READY connection is there. `connect` begins a connection, so it happens in DISCONNECTED only.
connection["READY"]["connect"] = "READY"

# %% wrong="a ready one begins again"
# A READY connection stays until it is closed. The client does not begin it again.
connection["READY"]["connect"] = "CONNECTING"

# %% wrong="nothing to close"
# A DISCONNECTED connection is closed already. Leave `closed` out there.
connection["DISCONNECTED"]["closed"] = "DISCONNECTED"

# %% wrong="closed is a state"
# A connection that was closed is DISCONNECTED. The client opens it again only when it needs it.
connection["READY"]["closed"] = "CONNECTING"

# %% wrong="back to asking"
# READY has asked already. The question about versions is answered once in a connection's life.
connection["READY"]["versions"] = "READY"

# %% hint
# For each state: which of the five events can happen there at all? Leave the others out.

# %% hint
# What ends a connection leads back to DISCONNECTED, from each of the other three states. There are
# seven entries in all.
