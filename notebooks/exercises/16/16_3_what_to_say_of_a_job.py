# %% [markdown]
# ### Exercise 16.3 · What to say of a job
#
# Write `verdict(went, delivery)`. Two workers call it after each try of a job. It returns "accept",
# "release", "reject" or "renew". After "renew" a worker commits, waits two seconds and tries the same
# job again. `delivery` is the delivery count. `went` is one of four words:
#
# - "done": the job is done.
# - "broken": this job can never be done, by anybody.
# - "busy": the bank is away. It comes back after up to 90 seconds.
# - "failed": nobody knows why. Some of these jobs are done with a second to fifth try, some never.
#
# The lock is 15 seconds, and the delivery limit is 5. Four promises, for every seed. Each job that can
# be done is done. A broken job is tried once. No job waits for ever: in the end the window is empty.
# What is accepted was done, and what is done is accepted. In some cases a worker is killed.


# %% answer
def verdict(went, delivery):
    """What to say of a record after a try."""
    ### BEGIN SOLUTION
    return {"done": "accept", "broken": "reject", "busy": "renew", "failed": "release"}[went]
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab.stories import share_groups

DAYS = (
    {"case": "a calm day", "seed": 1, "happens": "calm"},
    {"case": "two broken jobs", "seed": 2, "happens": "broken"},
    {"case": "the bank is away", "seed": 3, "happens": "busy"},
    {"case": "jobs that fail", "seed": 4, "happens": "failed"},
    {"case": "a worker is killed", "seed": 5, "happens": "killed"},
    {"case": "all of it", "seed": 6, "happens": "all"},
)
KEPT = {
    "calm": "right: sixteen jobs, each done and accepted.",
    "broken": "right: each broken job cost one try.",
    "busy": "right: the good jobs stayed with their workers until the bank was back.",
    "failed": "right: the job that needed all five tries was done, and the group gave up the other.",
    "killed": "right: the other worker got the dead one's jobs.",
    "all": "right: all of it in one day, and no good job was lost.",
}
WRONG = {
    "waits": "{} is not at its end after 150 seconds, and the window begins there. Somebody keeps it "
    "for ever, and nobody counts the tries.",
    "lost": "{} could be done and never was: it is archived. After five quick deliveries the group "
    "gives up, and a rejected job is given up at once.",
    "called done": "{} was accepted, and nobody has done it.",
    "not accepted": "{} was done, and nobody accepted it. For the group it is archived, not done.",
    "tried again": "{} is broken, and was tried more than once. Each try takes time from the others.",
    "done twice": "{} was done twice, and no worker was killed.",
}


def one_day(case, part):
    """Sixteen jobs, two workers, and trouble."""
    return share_groups.day(part, case["happens"], case["seed"])


def went_wrong(case, lab) -> tuple[str, tuple] | None:
    """The first promise that was broken on this day."""
    found = share_groups.wrong_on_a_day(lab, case["happens"], case["seed"])
    if found is None:
        return None
    name, numbers = found
    tries = [
        f"{event.at_ms / 1_000:5.1f} s  {event.who} tried job {event.offset}: {event.went}"
        for event in lab.journal.of("tried")
        if event.offset == numbers[0]
    ]
    return WRONG[name].format(f"job {numbers[0]}"), tuple(tries[:6])


Function(
    title="what to say of a job",
    points=4,
    answers=("verdict",),
    public_cases=DAYS,
    play=one_day,
    look=went_wrong,
    kept=lambda case: KEPT[case["happens"]],
)

# %% judge
from autograder.course.judge import Judge


def _more_days(rng) -> list[dict]:
    return [
        {"seed": rng.randrange(10, 900), "happens": happens}
        for happens in ("broken", "busy", "failed", "all")
    ]


Judge(
    hidden_cases=_more_days,
    unseen=(
        "a promise was broken on a day of ours. Which of the four words fits each of the four "
        "outcomes? Try `survive(verdict, seeds=10)`."
    ),
)


# %% wrong="reject at the last delivery"
# The bank was away at the fifth delivery, and you gave up a job that can be done. A renewal is no new
# delivery: renew, however often the job was delivered.
def verdict(went, delivery):
    if went == "busy":
        return "renew" if delivery < 5 else "reject"
    return {"done": "accept", "broken": "reject"}.get(went, "release")


# %% wrong="release when the bank is away"
# You released the job while the bank was away. It came back five times within seconds, and the group
# archived a good job.
def verdict(went, delivery):
    return {"done": "accept", "broken": "reject"}.get(went, "release")


# %% wrong="reject what failed"
# You rejected a job that failed once. A second try would have done it.
def verdict(went, delivery):
    return {"done": "accept", "broken": "reject", "busy": "renew"}.get(went, "reject")


# %% wrong="renew what failed"
# You renewed a job that always fails. A renewal is no new delivery, so the limit of five never ends
# it, and the window waits for it.
def verdict(went, delivery):
    return {"done": "accept", "broken": "reject"}.get(went, "renew")


# %% wrong="release the broken"
# A broken job cannot be done. Released, it comes five times. Say reject.
def verdict(went, delivery):
    return {"done": "accept", "busy": "renew"}.get(went, "release")


# %% wrong="accept the broken"
# You accepted a job that nobody has done, so the group counts it as done. Say reject.
def verdict(went, delivery):
    return {"busy": "renew", "failed": "release"}.get(went, "accept")


# %% wrong="reject when the bank is away"
# The bank comes back. You rejected good jobs, and the group never delivers them again.
def verdict(went, delivery):
    return {"done": "accept", "failed": "release"}.get(went, "reject")


# %% wrong="reject the done"
# You rejected a job that was done. The group archives it as one that nobody can do. Say accept.
def verdict(went, delivery):
    return {"busy": "renew", "failed": "release"}.get(went, "reject")


# %% wrong="release the done"
# You released a job that was done. It came again, and was done again, until the group gave it up.
def verdict(went, delivery):
    return {"broken": "reject", "busy": "renew"}.get(went, "release")


# %% wrong="give up after two"
# You rejected a job before its fifth delivery. One job is done only then. The group counts the tries.
def verdict(went, delivery):
    if went == "failed" and delivery >= 3:
        return "reject"
    return {"done": "accept", "broken": "reject", "busy": "renew", "failed": "release"}[went]


# %% wrong="renew only at last"
# You released the job while the bank was away, and renewed it only at its last deliveries. Then no
# delivery was left for the tries that fail. Renew it from the first.
def verdict(went, delivery):
    if went == "busy" and delivery < 4:
        return "release"
    return {"done": "accept", "broken": "reject", "busy": "renew", "failed": "release"}[went]


# %% wrong="accept everything"
# You accepted all jobs, as `implicit` does. The jobs that failed or met no bank are lost.
def verdict(went, delivery):
    return "accept"


# %% hint
# Which outcome shall count as a try, and which not? "release" and "renew" differ in this.

# %% hint
# A good job that must wait: keep it. A job that may be good: let the group count its tries. A job that
# is bad: end it at once.
