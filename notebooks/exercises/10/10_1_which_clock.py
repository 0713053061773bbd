# %% [markdown] items="N49"
# ### Exercise 10.1 · Which clock?
#
# Six programs, A to F, are dynamic members. `n.A.what` says what happens to A right after a
# `poll()`. It `"works"` for `n.A.seconds` seconds, or it `"freezes"` for that time, or it
# `"is killed"` and never comes back. (Then `n.A.seconds` is 0 and has no meaning.) Its session
# timeout is `n.A.session_s` seconds, its poll interval `n.A.poll_limit_s`.
#
# Which clock ends its membership: `"poll"`, `"session"` or `"none"`? And after how many seconds?
# Count from its last `poll()` for the poll clock, from its last heartbeat for the session clock.
# For `"none"` the answer is 0.

# %%
n = numbers("10.1")
n

# %% answer
clock = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ..., "F": ...}
after_s = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ..., "F": ...}


### BEGIN SOLUTION
def clock_of(program):
    if program.what == "works":
        late = program.seconds > program.poll_limit_s
        return ("poll", program.poll_limit_s) if late else ("none", 0)
    silent = program.what == "is killed" or program.seconds > program.session_s
    return ("session", program.session_s) if silent else ("none", 0)


clock = {name: clock_of(program)[0] for name, program in n.items()}
after_s = {name: clock_of(program)[1] for name, program in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def fate(n: dict) -> str:
    """Which of the six stories a program has, each with another reason; "" for none of them."""
    seconds, session_s, poll_limit_s = n["seconds"], n["session_s"], n["poll_limit_s"]
    if n["what"] == "is killed":
        return "killed" if seconds == 0 and session_s > poll_limit_s else ""
    if seconds == 0:
        return ""
    if n["what"] == "freezes":
        if seconds < session_s < poll_limit_s:
            return "a short pause"
        if seconds <= session_s + 5 or seconds == poll_limit_s:
            return ""
        if seconds > poll_limit_s:
            # no thread of a frozen process runs that could see the poll limit
            return "a pause longer than both"
        # as long as the short pause: the session timeout alone tells them apart
        return "a long pause" if seconds == 20 else ""
    if session_s + 5 < seconds < poll_limit_s:
        return "long work"
    return "too long work" if seconds > poll_limit_s > session_s else ""


Value(
    title="two clocks",
    points=3,
    answers=("clock", "after_s"),
    draws=(*FIVE, "F"),
    row="program",
    space={
        "what": ("works", "freezes", "is killed"),
        "seconds": (0, 20, 70, 130, 200),
        "session_s": (10, 30, 45),
        "poll_limit_s": (20, 40, 100, 160, 300),
    },
    where=lambda n: fate(n) != "",
    together=lambda programs: len({fate(n) for n in programs}) == 6,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _clock(what: str, seconds: int, session_s: int, poll_limit_s: int) -> tuple[str, int]:
    """Which clock ends a membership, and after how many seconds from
    the last poll or the last heartbeat."""
    lab = Lab(brokers=3, seed=7)
    _shop(lab, 1)
    trouble: list[int] = []

    def program(lab):
        consumer = _member(
            lab,
            "ada",
            **{
                "session.timeout.ms": session_s * 1_000,
                "max.poll.interval.ms": poll_limit_s * 1_000,
            },
        )
        while True:
            if len(consumer.poll(timeout_ms=500)):
                trouble.append(lab.now_ms)
                if what == "works":
                    lab.sleep(seconds * 1_000)

    app = lab.spawn(program, name="ada")
    lab.run_until(lambda: bool(trouble))
    if what == "freezes":
        app.pause(seconds * 1_000)
    if what == "is killed":
        lab.kill("ada")
    lab.run_for(ms=max(seconds, session_s + 5) * 1_000 + 2_000)
    lab.close()
    own = _expired(lab)
    left = next((event.at_ms for event in lab.journal.of("group.left")), None)
    if left is None:
        return "none", 0
    if own is not None and own <= left:
        return "poll", (own - trouble[0]) // 1_000
    heard = [
        event.at_ms
        for event in lab.journal.of("request.received")
        if event.fields["api"] in ("HEARTBEAT", "SYNC_GROUP") and event.at_ms < left
    ]
    return "session", round((left - heard[-1]) / 1_000)


def _two_clocks(case: dict) -> dict:
    clock, after_s = _clock(case["what"], case["seconds"], case["session_s"], case["poll_limit_s"])
    return {"clock": clock, "after_s": after_s}


Judge(
    truth=_two_clocks,
    right="right: a busy program still sends heartbeats; a stopped or dead one does not.",
    otherwise="not both. Which threads of this program still run?",
)


# %% begin
def clock_that_ends(x):
    if x.what == "works":
        return "poll" if x.seconds > x.poll_limit_s else "none"
    return "session" if x.what == "is killed" or x.seconds > x.session_s else "none"


limits = {a: {"none": 0, "poll": x.poll_limit_s, "session": x.session_s} for a, x in n.items()}

# %% wrong="work stops the heartbeats"
# You stopped the heartbeats of a program that works. Since 0.10.1 a thread of the client sends them,
# also while the program works.
away = {a: x.seconds > x.session_s or x.what == "is killed" for a, x in n.items()}
clock = {a: "session" if away[a] else "none" for a in n}
after_s = {a: x.session_s if away[a] else 0 for a, x in n.items()}

# %% wrong="everything by the poll clock"
# The poll clock runs in the client, in the heartbeat thread. Where that thread does not run, the
# coordinator has only its session timeout of {session_s} s.
late = {a: x.seconds > x.poll_limit_s or x.what == "is killed" for a, x in n.items()}
clock = {a: "poll" if late[a] else "none" for a in n}
after_s = {a: x.poll_limit_s if late[a] else 0 for a, x in n.items()}

# %% wrong="killed is known at once"
# The clock is right. But a killed program sends no LEAVE_GROUP. The coordinator waits for the session
# timeout of {session_s} s.
clock = {a: clock_that_ends(x) for a, x in n.items()}
after_s = {a: 0 if x.what == "is killed" else limits[a][clock[a]] for a, x in n.items()}

# %% wrong="the end of the trouble"
# The clock is right. It ends the membership when its own limit is over, and does not wait for the end
# of the {seconds} s.
clock = {a: clock_that_ends(x) for a, x in n.items()}
after_s = {a: x.seconds if clock[a] != "none" else 0 for a, x in n.items()}

# %% wrong="the limit of the other clock"
# The clock is right. But the seconds are those of the other one: the session timeout is
# {session_s} s, the poll interval {poll_limit_s} s.
clock = {a: clock_that_ends(x) for a, x in n.items()}
after_s = {
    a: {"none": 0, "poll": x.session_s, "session": x.poll_limit_s}[clock[a]] for a, x in n.items()
}

# %% wrong="a limit where nothing ends"
# The clock is right. Nothing ends this membership, so there are no seconds to count: write 0.
clock = {a: clock_that_ends(x) for a, x in n.items()}
after_s = {a: limits[a][clock[a]] or x.poll_limit_s for a, x in n.items()}

# %% wrong="None is no text"
# No clock ends it, and that is right. Write the word in quotation marks: "none".
clock = {a: None if clock_that_ends(x) == "none" else clock_that_ends(x) for a, x in n.items()}
after_s = {a: limits[a][clock_that_ends(x)] for a, x in n.items()}

# %% wrong="the heartbeat clock"
# The clock that waits for heartbeats has the name "session" here.
clock = {a: clock_that_ends(x).replace("session", "heartbeat") for a, x in n.items()}
after_s = {a: limits[a][clock_that_ends(x)] for a, x in n.items()}

# %% wrong="a frozen one is always out"
# This program was frozen for {seconds} s only, and its session timeout is {session_s} s. It sends
# heartbeats again before that.
clock = {a: "session" if x.what == "freezes" else clock_that_ends(x) for a, x in n.items()}
after_s = {a: limits[a][clock[a]] for a in n}

# %% equivalent
# `program.seconds > program.poll_limit_s` -> `program.seconds >= program.poll_limit_s`: no program
# works exactly as long as its limit.
# `program.seconds > program.session_s` -> `program.seconds >= program.session_s`: the same.

# %% hint
# Ask which threads still run. A busy program has a heartbeat thread beside it; one that is
# frozen or dead has none.

# %% hint
# Busy: only the poll clock can run out, and only when n.A.seconds is longer. Silent: the session
# clock runs out after n.A.session_s.
