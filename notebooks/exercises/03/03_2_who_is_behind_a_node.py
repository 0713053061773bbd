# %% [markdown] items="C18 C19"
# ### Exercise 03.2 · Who is behind a node id?
#
# Write `broker_of(node_id)`. It gets a node id as the line prints it, a text. It returns the number
# of the broker, a whole number, or `None` when the client does not know the broker. Think of `"0"`,
# `"-1"`, `"-2"`, `"2147483645"` and of version 4.4's `"+2"`. Brokers may have ids such as 1001: older
# clusters number them from there, and many clusters have more than ten brokers.

# %% answer
def broker_of(node_id):
    """The broker behind a printed node id, or None."""
    ### BEGIN SOLUTION
    if node_id.startswith("+"):
        return int(node_id[1:])
    number = int(node_id)
    if number < 0:
        return None
    return 2147483647 - number if number > 2_000_000_000 else number
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

NODE_IDS = (
    *("0", "-1", "-2", "2147483645", "+2", "+12", "2147483647", "7", "1001", "1500"),
    *("2147482646", "-10"),
)

Function(
    title="the broker behind a node id",
    points=2,
    answers=("broker_of",),
    public_cases=tuple({"case": f"node id {text}", "node_id": text} for text in NODE_IDS),
    probe=lambda names, case: names["broker_of"](case["node_id"]),
)

# %% judge
from autograder.course.judge import Judge


def _broker(case: dict) -> int | None:
    """Told apart by how the client makes the ids: MAX_VALUE - id up to 4.0, "+id" from 4.4,
    -1 - position for addresses."""
    text = case["node_id"]
    made = {str(2**31 - 1 - broker): broker for broker in range(2_000)} | {
        f"+{broker}": broker for broker in range(2_000)
    }
    return None if text.startswith("-") else made.get(text, int(text))


Judge(
    truth=_broker,
    hidden_cases=lambda rng: [
        {"node_id": text}
        for broker in (*rng.sample(range(900), 3), rng.randrange(1_001, 1_900))
        for text in (str(broker), str(2147483647 - broker), f"+{broker}", str(-1 - broker % 5))
    ],
    right=lambda case: (
        "right: a made-up id of an address; the client does not know the broker."
        if case["node_id"].startswith("-")
        else f"right: the coordinator's connection to broker {_broker(case)}."
        if len(case["node_id"]) > 6 or case["node_id"].startswith("+")
        else "right: the broker's own id."
    ),
    otherwise="not {said}. Is {node_id} an address, a broker's own id or a coordinator's?",
    unseen="for another node id your function returns another broker, or none.",
)


# %% wrong="off by one"
# One too many: the largest int is 2147483647, so broker 0 has exactly that id.
def broker_of(node_id):
    number = int(node_id)
    if number < 0:
        return None
    return 2147483648 - number if number > 2_000_000_000 else number


# %% wrong="-1 is broker 1"
# A negative id is only a place in the list of addresses. Which broker answers there, the client
# cannot tell: None.
def broker_of(node_id):
    number = abs(int(node_id))
    return 2147483647 - number if number > 2_000_000_000 else number


# %% wrong="the id as it is"
# {node_id} is no broker's own number. Subtract it from 2147483647: that gives the broker.
def broker_of(node_id):
    return int(node_id) if int(node_id) >= 0 else None


# %% wrong="the number as a text"
# The number is right, but it is a text. Return a whole number: int(...).
def broker_of(node_id):
    if node_id.startswith("-"):
        return None
    number = int(node_id)
    return str(2147483647 - number if number > 2_000_000_000 else number)


# %% wrong="brokers end at 1000"
# A broker's own id may be 1001 or more. The coordinators' ids are near 2147483647.
# -     return 2147483647 - number if number > 2_000_000_000 else number
# +     return 2147483647 - number if number > 1_000 else number


# %% wrong="brokers end at 1001"
# A broker's own id may be larger than 1001. The coordinators' ids are near 2147483647.
# -     return 2147483647 - number if number > 2_000_000_000 else number
# +     return 2147483647 - number if number > 1_001 else number


# %% wrong="only -1 is an address"
# {node_id} is an address, too. The first address of bootstrap.servers has the id -1, the second -2,
# and so on. The client knows the broker of none of them: None for every negative id.
# -     if number < 0:
# +     if number == -1:


# %% wrong="one digit after the sign"
# You read one digit after the sign. A broker's number can have more: take all of them.
def broker_of(node_id):
    if node_id.startswith("+"):
        return int(node_id[1])
    if node_id.startswith("-"):
        return None
    number = int(node_id)
    return 2147483647 - number if number > 2_000_000_000 else number


# %% wrong="the plus is dropped from none"
# The plus marks a coordinator's connection, and the number behind it is the broker.
def broker_of(node_id):
    if node_id.startswith(("+", "-")):
        return None
    number = int(node_id)
    return 2147483647 - number if number > 2_000_000_000 else number


# %% equivalent
# `node_id.startswith('+')` -> `False`, `node_id.endswith('+')`: int("+2") is 2 in Python.
# `node_id[1:]` -> `node_id[:]`, `node_id[0:]`: int("+2") is 2 in Python.
# `number > 2000000000` -> `number >= 2000000000`, `number > 2000000001`, `number > 1999999999`: no
# id of a broker or a coordinator is near two thousand million.

# %% hint
# Four kinds: a real id, a made-up negative one, a very large one, and one with a plus sign.

# %% hint
# Very large: 2147483647 minus the number. Negative: the client does not know the broker, so None.
