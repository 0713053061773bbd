# %% [markdown] items="P15"
# ### Exercise 02.6 · Find the zombies
#
# The log set ends after the idle limit. Healthy clients have closed their bootstrap connection by
# then. Guess: how many **producers** of the set still have one at the end?

# %%
predict("02 zombie producers", zombies=None)

# %% [markdown]
# Now write `zombies(sockets)`. It takes a table such as the one above. It returns a Spark DataFrame
# with one row for each producer that has a zombie: its `client_id`, and `since`, the time at which
# its oldest zombie was opened. A producer's `client_id` begins with `producer-`. The check runs your
# function on small tables of its own.


# %% answer spark=true
def zombies(sockets):
    """One row for each producer that still holds a bootstrap connection: client_id, since."""
    ### BEGIN SOLUTION
    held = sockets.where("class = 'bootstrap' and closed_at is null and client_id like 'producer%'")
    return held.groupBy("client_id").agg(F.min("opened_at").alias("since"))
    ### END SOLUTION


# %% question
from autograder.cell.kinds import SparkAnswer

SOCKETS = (
    "client_id string, node_id string, class string, opened_at timestamp, closed_at timestamp, how "
    "string"
)
ZOMBIES = (
    {
        "case": "one zombie among healthy ones",
        "rows": [
            ["producer-1", "-1", "bootstrap", "2026-01-05 09:00:00", None, None],
            ["producer-1", "0", "data", "2026-01-05 09:00:01", None, None],
            ["producer-2", "-1", "bootstrap", "2026-01-05 09:00:02", "2026-01-05 09:09:02", "idle"],
            ["producer-2", "1", "data", "2026-01-05 09:00:03", None, None],
            ["consumer-a-1", "-1", "bootstrap", "2026-01-05 09:00:04", None, None],
            ["consumer-producer-1", "-1", "bootstrap", "2026-01-05 09:00:05", None, None],
            ["adminclient-1", "-1", "bootstrap", "2026-01-05 09:00:06", None, None],
        ],
    },
    {
        "case": "one producer, two of its addresses",
        "rows": [
            ["producer-7", "-2", "bootstrap", "2026-01-05 09:00:05", None, None],
            ["producer-7", "-1", "bootstrap", "2026-01-05 09:00:03", None, None],
            [
                "producer-7",
                "-3",
                "bootstrap",
                "2026-01-05 09:00:01",
                "2026-01-05 09:00:02",
                "failed",
            ],
        ],
    },
    {
        "case": "the first address failed, the second one was used",
        "rows": [
            [
                "producer-4",
                "-1",
                "bootstrap",
                "2026-01-05 09:00:01",
                "2026-01-05 09:00:02",
                "failed",
            ],
            ["producer-4", "-2", "bootstrap", "2026-01-05 09:00:03", None, None],
            ["producer-4", "0", "data", "2026-01-05 09:00:04", None, None],
        ],
    },
    {
        "case": "no zombie at all",
        "rows": [
            ["producer-3", "-1", "bootstrap", "2026-01-05 09:00:00", "2026-01-05 09:10:00", "peer"],
            ["producer-3", "2", "data", "2026-01-05 09:00:01", None, None],
        ],
    },
)

SparkAnswer(
    title="Spark: zombie producers",
    points=3,
    answers=("zombies",),
    public_cases=ZOMBIES,
    schema=SOCKETS,
    gives=("client_id", "since"),
)

# %% judge
from random import Random

from autograder.cell.data import canonical
from autograder.course.judge import Judge


def _since(keep, since=min):
    """rows -> what zombies() gives when it keeps rows by this rule and takes, of a client's
    moments, that one (None: each row)."""

    def said(case: dict) -> dict:
        moments: dict[str, list[str]] = {}
        for client_id, node_id, kind, opened_at, closed_at, _how in case["rows"]:
            if keep(client_id, node_id, kind, closed_at):
                moments.setdefault(client_id, []).append(opened_at)
        rows = (
            [[client, since(own)] for client, own in moments.items()]
            if since
            else [[client, each] for client, own in moments.items() for each in own]
        )
        return {
            "columns": {"client_id": "text", "since": "moment"},
            "rows": sorted(rows, key=canonical),
        }

    return said


def _tables_of_sockets(rng: Random) -> list[dict]:
    """Random tables in which every trap occurs: consumers, closed and failed ones, two addresses,
    data connections left open."""
    cases = []
    for _ in range(3):
        rows = []
        for number in range(1, 7):
            client = f"{'producer' if rng.random() < 0.7 else 'consumer-g'}-{number}"
            for address in range(rng.randrange(1, 4)):
                how = rng.choice((None, None, "idle", "peer", "failed"))
                rows.append(
                    [
                        client,
                        str(-1 - address),
                        "bootstrap",
                        f"2026-01-05 09:00:{rng.randrange(60):02}",
                        None if how is None else f"2026-01-05 09:{rng.randrange(1, 60):02}:00",
                        how,
                    ]
                )
            rows.append(
                [
                    client,
                    str(rng.randrange(3)),
                    "data",
                    f"2026-01-05 09:01:{rng.randrange(60):02}",
                    None,
                    None,
                ]
            )
        rng.shuffle(rows)
        cases.append({"rows": rows})
    return cases


def _is_zombie(client_id, node_id, kind, closed_at) -> bool:
    return client_id.startswith("producer") and kind == "bootstrap" and closed_at is None


Judge(
    truth=_since(_is_zombie),
    hidden_cases=_tables_of_sockets,
    right="right: bootstrap, still open, of a producer, and one row for each.",
    otherwise=(
        "not these rows. Which connections does a healthy producer have at the end, and which not?"
    ),
    unseen=(
        "other rows were asked for. Think of consumers, of connections that were closed, and "
        "of a producer with two addresses."
    ),
)


# %% wrong="whose name contains producer"
# consumer-producer-1 is a consumer, of the group producer. The client_id of a producer *begins* with
# producer.
def zombies(sockets):
    held = sockets.where(
        "class = 'bootstrap' and closed_at is null and client_id like '%producer%'"
    )
    return held.groupBy("client_id").agg(F.min("opened_at").alias("since"))


# %% says
_since(
    lambda client_id, node_id, kind, closed_at: (
        kind == "bootstrap" and closed_at is None and "producer" in client_id
    )
)


# %% wrong="all that are no consumers"
# There are other clients than producers and consumers: adminclient-1 is one. The client_id of a
# producer begins with producer.
def zombies(sockets):
    held = sockets.where(
        "class = 'bootstrap' and closed_at is null and client_id not like 'consumer%'"
    )
    return held.groupBy("client_id").agg(F.min("opened_at").alias("since"))


# %% says
_since(
    lambda client_id, node_id, kind, closed_at: (
        kind == "bootstrap" and closed_at is None and not client_id.startswith("consumer")
    )
)


# %% wrong="consumers too"
# You counted clients that are no producers, too. The question is about producers.
def zombies(sockets):
    return (
        sockets.where("class = 'bootstrap' and closed_at is null")
        .groupBy("client_id")
        .agg(F.min("opened_at").alias("since"))
    )


# %% says
_since(lambda client_id, node_id, kind, closed_at: kind == "bootstrap" and closed_at is None)


# %% wrong="closed ones too"
# These are all producers that ever had such a connection. A zombie still has it: closed_at is
# null.
def zombies(sockets):
    return (
        sockets.where("class = 'bootstrap' and client_id like 'producer%'")
        .groupBy("client_id")
        .agg(F.min("opened_at").alias("since"))
    )


# %% says
_since(
    lambda client_id, node_id, kind, closed_at: (
        kind == "bootstrap" and client_id.startswith("producer")
    )
)


# %% wrong="data connections too"
# A data connection that is open is in use. Zombies are of class bootstrap.
def zombies(sockets):
    return (
        sockets.where("closed_at is null and client_id like 'producer%'")
        .groupBy("client_id")
        .agg(F.min("opened_at").alias("since"))
    )


# %% says
_since(
    lambda client_id, node_id, kind, closed_at: (
        closed_at is None and client_id.startswith("producer")
    )
)


# %% wrong="node -1 only"
# Here the zombie has the node id -2, the second address. A bootstrap connection can have any
# negative id: ask for its class.
def zombies(sockets):
    return (
        sockets.where("node_id = '-1' and closed_at is null and client_id like 'producer%'")
        .groupBy("client_id")
        .agg(F.min("opened_at").alias("since"))
    )


# %% says
_since(
    lambda client_id, node_id, kind, closed_at: (
        node_id == "-1" and closed_at is None and client_id.startswith("producer")
    )
)


# %% wrong="one row for each connection"
# A producer with two zombies has two rows here. One row for each producer was asked for, with the
# earlier moment.
def zombies(sockets):
    return sockets.where(
        "class = 'bootstrap' and closed_at is null and client_id like 'producer%'"
    ).select("client_id", F.col("opened_at").alias("since"))


# %% says
_since(_is_zombie, None)


# %% wrong="the later moment"
# `since` is the earliest moment: from then on the producer has had a zombie.
def zombies(sockets):
    return (
        sockets.where("class = 'bootstrap' and closed_at is null and client_id like 'producer%'")
        .groupBy("client_id")
        .agg(F.max("opened_at").alias("since"))
    )


# %% says
_since(_is_zombie, max)

# %% hint
# A zombie's row has class bootstrap and no closed_at. And you want producers only.

# %% hint
# sockets.where(...).groupBy("client_id").agg(F.min("opened_at").alias("since"))
