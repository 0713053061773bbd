# %% [markdown]
# ### Exercise 03.7 · A bug to hunt
#
# A consumer commits slowly, and its log grows by megabytes. Last week somebody tidied up its
# settings and wrote a time in seconds where milliseconds are asked for. Nothing is wrong with the
# network, and other settings were always a little odd. `shown` has some of its settings, and a few seconds of its log. Which setting is it, and
# which number, in milliseconds, was meant?

# %%
shown = numbers("03.7")
shown

# %% answer
setting = ...  # its name, a text
should_be = ...  # a whole number
### BEGIN SOLUTION
setting = "connections.max.idle.ms"
written = next(line for line in shown if line.startswith(setting))
should_be = 1_000 * int(written.split("=")[1])
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, Lab

TIMES = (
    "auto.commit.interval.ms",
    "connections.max.idle.ms",
    "fetch.max.wait.ms",
    "heartbeat.interval.ms",
    "reconnect.backoff.ms",
    "retry.backoff.ms",
    "session.timeout.ms",
)


def log_of_a_tidy_mind(numbers) -> list[str]:
    """Settings and lines of a consumer whose idle limit was meant in seconds."""
    return list(_tidied(numbers["minutes"], numbers["seed"]))


@lru_cache(maxsize=256)
def _tidied(minutes: int, seed: int) -> tuple[str, ...]:
    lab = Lab(brokers=3, seed=minutes + 1_000 * seed, version="2.3", broker_version="2.3")
    lab.create_topic("t4", partitions=3, leaders=[0, 1, 2])
    lab.place_coordinator("test", broker=2)
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "test",
            "connections.max.idle.ms": minutes * 60,
            # as odd, and harmless: only the lines tell which of the three it is
            "fetch.max.wait.ms": minutes * 60 + 60,
            "retry.backoff.ms": minutes * 60 - 60,
        },
        name="reader",
    )
    consumer.subscribe(["t4"])
    while lab.now_ms < 9_000:
        consumer.poll(timeout_ms=200)
    lines = lab.lines("reader")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines()
        if line.strip().split(" =")[0] in TIMES
    ]
    told = [
        line for line in lines[lines.at_ms > 6_000].itertuples() if "2147483645" in line.message
    ]
    said = [f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1]}" for line in told]
    return tuple(
        settings
        + [
            line
            for line in said
            if any(
                words in line
                for words in (
                    "Initiating connection",
                    "disconnected",
                    "oordinator localhost",
                    "for HEARTBEAT",
                )
            )
        ][:14]
    )


LineReading(
    title="bug hunt: a time in seconds",
    points=2,
    answers=("setting", "should_be"),
    space={"minutes": (6, 7, 8, 10, 11, 12, 14, 15, 16)},
    scenery={"seed": 100_000},
    show=log_of_a_tidy_mind,
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {
        "setting": "connections.max.idle.ms",
        "should_be": case["minutes"] * 60_000,
    },
    right=(
        "right: between two heartbeats the connection was idle for too long, and the client "
        "closed it itself."
    ),
    otherwise={
        "setting": (
            '"{said}" is not it. Find the connection that is opened again and again, and what the '
            "client says just before."
        ),
        "should_be": (
            "{said} is not it. Read the number of this setting as seconds, and write the same time in "
            "milliseconds."
        ),
    },
)

# %% wrong="the number as it is"
# The setting is right. {minutes} minutes were meant. How many milliseconds are that?
setting = "connections.max.idle.ms"
written = int(next(line for line in shown if line.startswith(setting)).split("=")[1])
should_be = written

# %% wrong="Kafka's own default"
# The setting is right. 540000 is Kafka's default, nine minutes; here {minutes} minutes were meant.
setting = "connections.max.idle.ms"
should_be = 540_000

# %% wrong="the wait of a fetch"
# That is how long a broker keeps a fetch that finds nothing. It closes no connection.
setting = "fetch.max.wait.ms"
written = int(next(line for line in shown if line.startswith(setting)).split("=")[1])
should_be = 1_000 * written

# %% wrong="the pause"
# That is the pause before a request is tried again. It closes no connection.
setting = "retry.backoff.ms"
written = int(next(line for line in shown if line.startswith(setting)).split("=")[1])
should_be = 1_000 * written

# %% wrong="the heartbeat"
# Heartbeats every 3000 ms are as they should be. Something closes their connection in between.
setting = "heartbeat.interval.ms"
should_be = 3_000_000

# %% wrong="the session"
# Ten seconds of session are the default of 2.3. Nobody was thrown out of the group: it is a
# connection that ends.
setting = "session.timeout.ms"
should_be = 10_000_000

# %% wrong="the commit"
# Five seconds between commits are the default. They are slow because their connection has to be
# made each time.
setting = "auto.commit.interval.ms"
should_be = 5_000_000

# %% equivalent
# `next((line for line in shown if line.startswith(setting)))` -> `list((line for line in shown if
# line.startswith(setting)))[-1]`: one line only begins with the setting.

# %% hint
# Which connection is opened again and again, though it is needed every three seconds? Something
# ends it in between.

# %% hint
# The client itself closes what has been idle for too long. How long is that here, and how long was
# it meant to be?
