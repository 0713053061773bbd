# %% [markdown]
# ### Exercise 10.3 · Five nights
#
# On night A a script commits offset `n.A.script_commits` with the group id `n.A.script_group`.
# Group `stock` had one dynamic member, which had read and committed all `n.A.records` orders.
# `n.A.members` says what happened to that member. It still `"read"`s, or it has `"closed"` its
# consumer, or it was `"killed"`. The last two happened `n.A.ago_s` seconds ago. Its session timeout
# is `n.A.session_s` seconds.
#
# What is the result of the script's commit, `"committed"` or `"CommitFailedException"`? And which
# offset does group `stock` read next?

# %%
n = numbers("10.3")
n

# %% answer
outcome = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
stock_reads_next = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}


### BEGIN SOLUTION
def has_member(night):
    return night.members == "read" or (night.members == "killed" and night.ago_s < night.session_s)


def refused(night):
    return night.script_group == "stock" and has_member(night)


def reads_next(night):
    its_commit_counts = night.script_group == "stock" and not refused(night)
    return night.script_commits if its_commit_counts else night.records


outcome = {
    name: "CommitFailedException" if refused(night) else "committed" for name, night in n.items()
}
stock_reads_next = {name: reads_next(night) for name, night in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def story(n: dict) -> str:
    """Which of the five stories a night has, each with another reason; "" for none of them."""
    ago_s, session_s, members = n["ago_s"], n["session_s"], n["members"]
    if (ago_s == 0) != (members == "read"):
        return ""
    if n["script_group"] != "stock":
        return "another group" if members == "read" else ""
    if members == "killed":
        return "killed long ago" if ago_s > session_s else "killed just now"
    return members if ago_s < session_s else ""


Value(
    title="the script with the group's name",
    points=3,
    answers=("outcome", "stock_reads_next"),
    draws=FIVE,
    row="night",
    space={
        "script_group": ("stock", "repair"),
        "members": ("read", "closed", "killed"),
        "ago_s": (0, 5, 20, 70),
        "session_s": (10, 45),
        "records": (80, 130),
        "script_commits": (74, 77),
    },
    where=lambda n: story(n) != "",
    together=lambda nights: len({story(n) for n in nights}) == 5,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import CommitFailedException, KafkaConsumer, Lab, OffsetAndMetadata, TopicPartition

ORDERS = TopicPartition("orders", 0)


@cache
def _night(
    script_group: str, members: str, ago_s: int, session_s: int, records: int, script_commits: int
) -> tuple[str, int]:
    """What becomes of a standalone consumer's commit, and where group stock goes on."""
    lab = Lab(brokers=3, seed=2)
    _shop(lab, records)
    stop: list[bool] = []

    def program(lab):
        consumer = _member(lab, "ada", **{"session.timeout.ms": session_s * 1_000})
        while not stop:
            if len(consumer.poll(timeout_ms=200)):
                consumer.commit_sync()
        consumer.close()

    lab.spawn(program, name="ada")
    lab.run_for(ms=10_000)
    if members == "killed":
        lab.kill("ada")
    if members == "closed":
        stop.append(True)
    lab.run_for(ms=ago_s * 1_000)
    script = KafkaConsumer(lab, {"group.id": script_group}, name="script")
    script.assign([ORDERS])
    try:
        script.commit_sync({ORDERS: OffsetAndMetadata(script_commits)})
        outcome = "committed"
    except CommitFailedException as error:
        outcome = type(error).__name__
    lab.close()
    return outcome, lab.at(lab.now_ms)["groups"]["stock"]["offsets"]["orders-0"]["offset"]


def _script(case: dict) -> dict:
    outcome, next_offset = _night(
        case["script_group"],
        case["members"],
        case["ago_s"],
        case["session_s"],
        case["records"],
        case["script_commits"],
    )
    return {"outcome": outcome, "stock_reads_next": next_offset}


Judge(
    truth=_script,
    right="right: a group with members takes their commits only; an empty group takes any.",
    otherwise=(
        "not both. Has group stock a member at that moment? And whose committed offset does the "
        "script move?"
    ),
)

# %% wrong="the same name always fails"
# It fails only while group stock has members. Here the group is empty: LEAVE_GROUP was sent, or the
# session of {session_s} s has timed out.
outcome = {
    a: "CommitFailedException" if x.script_group == "stock" else "committed" for a, x in n.items()
}
stock_reads_next = {a: x.records for a, x in n.items()}

# %% wrong="assign() is free"
# assign() keeps the script out of the group, so the coordinator does not know it as a member.
# While others are members, it answers UNKNOWN_MEMBER_ID.
outcome = {a: "committed" for a, x in n.items()}
stock_reads_next = {
    a: x.script_commits if x.script_group == "stock" else x.records for a, x in n.items()
}

# %% wrong="killed is gone at once"
# A killed member has sent no LEAVE_GROUP. For the coordinator it is a member until its session of
# {session_s} s times out. Here {ago_s} s have passed.
outcome = {
    a: "CommitFailedException" if x.script_group == "stock" and x.members == "read" else "committed"
    for a, x in n.items()
}
stock_reads_next = {
    a: x.script_commits if x.script_group == "stock" and not x.members == "read" else x.records
    for a, x in n.items()
}

# %% wrong="the bookmark only goes forward"
# The outcome is right. But the coordinator saves any number: the committed offset goes back from
# {records} to {script_commits}, and the group reads these orders again.
outcome = {
    a: "CommitFailedException"
    if x.script_group == "stock"
    and (x.members == "read" or x.members == "killed" and x.ago_s < x.session_s)
    else "committed"
    for a, x in n.items()
}
stock_reads_next = {a: x.records for a, x in n.items()}

# %% wrong="the script has one bookmark for all groups"
# Group repair has a committed offset of its own. That of stock does not change.
outcome = {
    a: "CommitFailedException"
    if x.script_group == "stock"
    and (x.members == "read" or x.members == "killed" and x.ago_s < x.session_s)
    else "committed"
    for a, x in n.items()
}
stock_reads_next = {
    a: x.records
    if x.script_group == "stock"
    and (x.members == "read" or x.members == "killed" and x.ago_s < x.session_s)
    else x.script_commits
    for a, x in n.items()
}


# %% begin
def is_refused(x):
    is_member = x.members == "read" or (x.members == "killed" and x.ago_s < x.session_s)
    return x.script_group == "stock" and is_member


right_outcome = {a: "CommitFailedException" if is_refused(x) else "committed" for a, x in n.items()}

# %% wrong="a refused commit counts"
# The outcome is right. A refused commit changes nothing: group stock continues at {records}.
outcome = right_outcome
stock_reads_next = {
    a: x.script_commits if x.script_group == "stock" else x.records for a, x in n.items()
}

# %% wrong="one behind the committed offset"
# The outcome is right. A committed offset is the next one to read: do not add 1.
outcome = right_outcome
stock_reads_next = {
    a: 1 + (x.script_commits if x.script_group == "stock" and not is_refused(x) else x.records)
    for a, x in n.items()
}


# %% wrong="closed is a member until its session ends"
# A closed consumer has sent LEAVE_GROUP, so the group is empty at once. Only a killed one stays a
# member until its session times out.
def stays(x):
    return x.members == "read" or x.ago_s < x.session_s


kept_out = {a: x.script_group == "stock" and stays(x) for a, x in n.items()}
outcome = {a: "CommitFailedException" if kept_out[a] else "committed" for a in n}
stock_reads_next = {
    a: x.script_commits if x.script_group == "stock" and not kept_out[a] else x.records
    for a, x in n.items()
}

# %% equivalent
# `night.ago_s < night.session_s` -> `night.ago_s <= night.session_s`: no night is played at the very
# end of a session.

# %% hint
# Who is a member when the script commits? A group without members takes a commit from anybody.

# %% hint
# A closed consumer has sent LEAVE_GROUP. A killed one has not, and stays a member for n.A.session_s.
# A commit that is taken sets the offset, also when it lies further back.
