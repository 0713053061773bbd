"""Chapter 08, the state machine of a group: the judges' half. Truths come from running labs and
from a coordinator that is asked, not from a formula."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from autograder.cell.questions.ch08 import troubled_group
from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from autograder.course.walks import states_of
from kafkalab import KafkaConsumer, Lab
from kafkalab.stories.group_case import GroupCase

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Dead",
)
MOVES = {
    (EMPTY, "join"): PREPARING,
    (EMPTY, "expire"): DEAD,
    (PREPARING, "join"): PREPARING,
    (PREPARING, "gone"): PREPARING,
    (PREPARING, "heartbeat"): PREPARING,
    (PREPARING, "all in"): COMPLETING,
    (PREPARING, "none left"): EMPTY,
    (COMPLETING, "join"): PREPARING,
    (COMPLETING, "gone"): PREPARING,
    (COMPLETING, "heartbeat"): COMPLETING,
    (COMPLETING, "plan"): STABLE,
    (STABLE, "join"): PREPARING,
    (STABLE, "gone"): PREPARING,
    (STABLE, "heartbeat"): STABLE,
}


def _walked(case: dict) -> list:
    """The states of a walk, None where an event cannot be.
    A test holds MOVES against what coordinators do."""
    return states_of(MOVES, EMPTY, case["walk"])


def lived(seed: int, broker_version: str = "4.4") -> list[tuple[str, str, str]]:
    """A real group's days under random comings and goings: (state before, event, state after), read
    off the coordinator's journal. At most two heartbeats in a row are told."""
    chance = Random(f"group {seed}")
    lab = Lab(
        brokers=1,
        seed=seed,
        broker_version=broker_version,
        broker_config={"group.initial.rebalance.delay.ms": 500},
    )
    lab.create_topic("orders", partitions=4)
    ends: dict[str, int] = {}

    def member(lab, name, work_ms):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "g",
                "client.id": name,
                "session.timeout.ms": 6_000,
                "heartbeat.interval.ms": 1_500,
                "fetch.max.wait.ms": 2_000,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while lab.now_ms < ends.get(name, 1 << 40):
            consumer.poll(timeout_ms=300)
            lab.sleep(work_ms)
        consumer.close()

    alive: list[str] = []
    for number in range(7):
        act = chance.choice(("join", "join", "close", "kill")) if alive else "join"
        if act == "join":
            alive.append(f"m{number}")
            lab.spawn(member, alive[-1], chance.choice((0, 0, 1_500)), name=alive[-1])
        else:
            who = alive.pop(chance.randrange(len(alive)))
            if act == "close":
                ends[who] = lab.now_ms
            else:
                lab.kill(who)
        lab.run_for(ms=chance.choice((200, 900, 4_000, 9_000)))
    for who in alive:
        ends[who] = lab.now_ms
    lab.run_for(ms=20_000)
    if chance.random() < 0.5:
        lab.run_for(ms=8 * 24 * 3_600_000)
    lab.close()
    return _told(lab)


def _told(lab) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    known, state, milestones = (
        set(),
        EMPTY,
        {COMPLETING: "all in", STABLE: "plan", EMPTY: "none left", DEAD: "expire"},
    )

    def add(event: str) -> None:
        if event != "heartbeat" or [each[1] for each in found[-2:]] != ["heartbeat"] * 2:
            found.append((state, event, state))

    for event in lab.journal.of("state", "group.member", "group.left", "request.received"):
        if event.kind == "group.member" and event.member not in known:
            known.add(event.member)
            add("join")
        elif event.kind == "group.left" and event.member in known:
            known.discard(event.member)
            add("gone")
        elif event.kind == "request.received" and event.api == "HEARTBEAT" and known:
            add("heartbeat")
        elif event.kind == "state" and event.machine == "group":
            if event.after in milestones:
                add(milestones[event.after])
            before, what, _ = found[-1]
            found[-1] = (before, what, event.after)
            state = event.after
    return found


def _days(rng: Random) -> list[dict]:
    """What happened to real groups, and now and then something
    that cannot happen at the end of it."""
    cases = []
    for _ in range(4):
        walk = [event for _, event, _ in lived(rng.randrange(10_000))][:24]
        cases.append({"walk": walk, "last": walk[-1]})
    state, stray = EMPTY, []
    for event in cases[0]["walk"][: rng.randrange(2, 6)]:
        state, stray = MOVES[state, event], [*stray, event]
    stray.append(
        rng.choice(
            [
                event
                for event in ("none left", "plan", "all in", "expire")
                if (state, event) not in MOVES
            ]
        )
    )
    return [*cases, {"walk": stray, "last": stray[-1]}]


@cache
def _ending(how: str, interval_s: int, session_s: int, at_s: int) -> tuple[int, int]:
    """Seconds from bob's end until the coordinator begins to rebalance, and until ann knows."""
    lab = Lab(brokers=1, seed=4, version="3.9")
    lab.create_topic("orders", partitions=2)
    end_ms = [1 << 40]

    def member(lab, name, **config):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "g",
                "session.timeout.ms": session_s * 1_000,
                "heartbeat.interval.ms": interval_s * 1_000,
                "enable.auto.commit": False,
                "client.id": name,
                "fetch.max.wait.ms": 4_000,
                **config,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while name == "ann" or lab.now_ms < end_ms[-1]:
            consumer.poll(timeout_ms=min(500, end_ms[-1] - lab.now_ms) if name == "bob" else 500)
        consumer.close()

    def moved(after: str, since_ms: int):
        return next(
            (
                event.at_ms
                for event in lab.journal.of("state")
                if event.machine == "group" and event.after == after and event.at_ms > since_ms
            ),
            None,
        )

    lab.spawn(member, "ann", name="ann")
    lab.spawn(
        lambda lab: member(
            lab, "bob", **({"group.instance.id": "till-2"} if "static" in how else {})
        ),
        name="bob",
    )
    lab.run_until(lambda: moved(STABLE, 0) is not None)
    bobs_end_ms = lab.now_ms + at_s * 1_000
    if how == "kill -9":
        lab.clock.at(bobs_end_ms, lambda: lab.kill("bob"))
    else:
        end_ms.append(bobs_end_ms)
    lab.run_for(ms=at_s * 1_000)
    lab.run_until(lambda: moved(STABLE, bobs_end_ms) is not None)
    lab.close()
    noticed_ms = moved(PREPARING, bobs_end_ms)
    told_ms = next(
        event.at_ms
        for event in lab.journal.of("state")
        if event.who == "ann" and event.machine == "member of g" and event.at_ms >= noticed_ms
    )
    return round((noticed_ms - bobs_end_ms) / 1_000), round((told_ms - bobs_end_ms) / 1_000)


def _noticed(case: dict) -> dict:
    noticed, told = _ending(case["how"], case["interval_s"], case["session_s"], case["at_s"])
    return {"noticed_after_s": noticed, "told_after_s": told}


@cache
def _answered(state: str, request: str, generation: str, broker: str) -> str:
    """What a coordinator really answers alice."""
    group = GroupCase(broker).bring_to(state)
    number = group.group.generation - (generation == "old")
    if request == "sync":
        return group.sync("alice", number).name
    return (group.beat if request == "heartbeat" else group.commit)(group.ids["alice"], number).name


JAVAS = {
    "NONE": "alive",
    "REBALANCE_IN_PROGRESS": "rejoin",
    "UNKNOWN_MEMBER_ID": "start over",
    "ILLEGAL_GENERATION": "start over",
    "NOT_COORDINATOR": "find coordinator",
    "COORDINATOR_NOT_AVAILABLE": "find coordinator",
    "FENCED_INSTANCE_ID": "stop",
}


def _more_days(rng: Random) -> list[dict]:
    plays = [
        {"seed": rng.randrange(20, 900), "cut_s": cut_s, "kill": kill}
        for cut_s, kill in ((0, False), (rng.randrange(10, 15), False), (0, True))
    ]
    return [
        {"error": "COORDINATOR_LOAD_IN_PROGRESS"},
        {"error": "GROUP_AUTHORIZATION_FAILED"},
        *plays,
    ]


@cache
def _cost(cause: str, seed: int) -> tuple[int, int]:
    """(generations, whole seconds that members spent between joining and
    their plan) in what a troubled group wrote."""
    lab = troubled_group(cause, "bob", seed)
    generations, begun, waited_ms = set(), {}, 0
    for event in lab.journal.of("line"):
        text = event.message.split("] ", 1)[-1]
        if text == "(Re-)joining group":
            begun.setdefault(
                event.client_id if "client_id" in event.fields else event.who, event.at_ms
            )
        elif match := re.match(
            r"Successfully joined group with generation Generation\{generationId=(\d+)", text
        ):
            generations.add(match[1])
        elif text.startswith("Successfully synced group"):
            who = event.client_id if "client_id" in event.fields else event.who
            waited_ms += event.at_ms - begun.pop(who, event.at_ms)
    return len(generations), waited_ms // 1_000


def _storm(case: dict) -> dict:
    generations, waited_s = _cost(case["cause"], case["seed"])
    return {"generations": generations, "waited_s": waited_s}


TABLE = """
group = {{
    "Empty": {{"join": "PreparingRebalance", "expire": {expire}{empty}}},
    "PreparingRebalance": {{"join": "PreparingRebalance", "gone": {gone}, "heartbeat": "PreparingRebalance",
                           "all in": {all_in}, "none left": "Empty"}},
    "CompletingRebalance": {{"join": {late}, "gone": {late}, "heartbeat": "CompletingRebalance", "plan": "Stable"}},
    "Stable": {{"join": "PreparingRebalance", "gone": {left}, "heartbeat": {beat}{stable}}},
    "Dead": {{{dead}}},
}}
"""  # noqa: E501


def _table(**changes) -> str:
    """The right table with some of its places written otherwise."""
    right = {
        "expire": '"Dead"',
        "empty": "",
        "gone": '"PreparingRebalance"',
        "all_in": '"CompletingRebalance"',
        "late": '"PreparingRebalance"',
        "left": '"PreparingRebalance"',
        "beat": '"Stable"',
        "stable": "",
        "dead": "",
    }
    return TABLE.format(**{**right, **changes})


_NOTICED = "noticed_after_s told_after_s"
LAST = "x.at_s // x.interval_s * x.interval_s"
NEXT = "x.interval_s - x.at_s % x.interval_s"
SILENT = "x.how != 'close'"
AT_COORDINATOR = f"{LAST} + x.session_s - x.at_s"
RULE = "def on_heartbeat(error):\n    "


def _rule(**otherwise) -> str:
    """Java's rule with some answers taken otherwise."""
    table = {**JAVAS, **otherwise}
    return f"{RULE}return {table!r}.get(error, {otherwise.get('rest', 'try later')!r})"


STORY = """
def waits_of(lab):
    began, found = {}, []
    for event in lab.journal.of("line"):
        if "(Re-)joining group" in event.message:
            began.setdefault(event.who, event.at_ms)
        elif "Successfully synced group" in event.message:
            found.append((event.who, event.message.split("generationId=")[1].split(",")[0], event.at_ms - began.pop(event.who)))
    return found

told_by = {name: waits_of(lab) for name, lab in storms.items()}
def cost(name, whose=""):
    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000
"""  # noqa: E501
WHO = """
def habit_of(name):
    lines = "\\n".join(shown[name])
    if "poll timeout" in lines:
        return "too slow"
    if "subscription has changed" in lines:
        return "subscribes anew"
    return "closes" if "being closed" in lines else "crashes"

def guilty_of(name):
    word = {"too slow": "poll timeout", "subscribes anew": "subscription has changed", "closes": "being closed", "crashes": "Subscribed"}[habit_of(name)]
    return next((line.split()[1] for line in shown[name] if word in line), "ann")
"""  # noqa: E501

JUDGES = (
    Judge(
        id="08.1",
        truth=_walked,
        hidden_cases=_days,
        right="right.",
        otherwise="your table leads through {said}. The last step is not what a coordinator does.",
        unseen=(
            "the days of another group lead your table astray. Write down a day by hand: join, all "
            "in, plan, gone, none left, expire."
        ),
        wrong_answers=(
            WrongAnswer(
                "stable when all are in",
                _table(all_in='"Stable"'),
                "When all are in, nobody knows yet who gets what. The group waits for the leader's "
                "plan first, and that is a state of its own.",
            ),
            WrongAnswer(
                "from stable to empty",
                _table(stable=', "none left": "Empty"'),
                "No way leads from Stable to Empty. The last one who goes is a `gone` like any "
                "other; the coordinator prepares a rebalance, and only then finds nobody.",
            ),
            WrongAnswer(
                "gone and empty",
                _table(left='"Empty"'),
                "Stable never turns Empty at once. Whoever goes, the coordinator prepares a "
                "rebalance first, and only then finds out who is left.",
            ),
            WrongAnswer(
                "old offsets end a group at work",
                _table(stable=', "expire": "Dead"'),
                "While a group has members, its last offset does not expire. Only an Empty group "
                "can be forgotten.",
            ),
            WrongAnswer(
                "a going is nothing",
                _table(left='"Stable"'),
                "Somebody is gone, and their partitions have no owner. That is as good a reason "
                "for a rebalance as a newcomer.",
            ),
            WrongAnswer(
                "a latecomer waits",
                _table(late='"CompletingRebalance"'),
                "The plan that the leader is making knows nothing of this change. The group "
                "gathers once more.",
            ),
            WrongAnswer(
                "empty is dead",
                _table(expire='"Empty"', gone='"PreparingRebalance"'),
                "Nobody is there and nothing is kept: then nothing is left of the group, and its "
                "state says so.",
            ),
            WrongAnswer(
                "a heartbeat makes stable",
                _table(beat='"PreparingRebalance"'),
                "A heartbeat moves no group. It keeps its member alive and brings back news.",
            ),
            WrongAnswer(
                "the dead come back",
                _table(dead='"join": "PreparingRebalance"'),
                "Dead is the end of this group. Who joins the same name later begins with a new "
                "one, which is Empty.",
            ),
        ),
    ),
    Judge(
        id="08.2",
        truth=_noticed,
        right="right: the session says who is alive, the interval says when the others hear of it.",
        otherwise=(
            "not these two. When was the last heartbeat before the end, and when is the first one "
            "after the coordinator has noticed?"
        ),
        wrong_answers=(
            WrongAnswer(
                "at once, both",
                each(_NOTICED, "0", "0"),
                "Nobody calls a member. It learns of a rebalance from the answer to its own next "
                "heartbeat.",
            ),
            WrongAnswer(
                "the interval decides",
                each(_NOTICED, f"0 if x.how == 'close' else {NEXT}", NEXT),
                "One missing heartbeat means nothing. The coordinator waits until the session of "
                "{session_s} s is over.",
            ),
            WrongAnswer(
                "the session from the end",
                each(
                    _NOTICED,
                    f"x.session_s if {SILENT} else 0",
                    "x.session_s + x.interval_s - (x.at_s + x.session_s) % x.interval_s if "
                    f"{SILENT} else {NEXT}",
                ),
                "The session does not count from the end. It counts from the last heartbeat, and "
                "that was a little before.",
            ),
            WrongAnswer(
                "everybody says goodbye",
                each(
                    _NOTICED,
                    f"0 if 'close' in x.how else {AT_COORDINATOR}",
                    f"{NEXT} if 'close' in x.how else ({AT_COORDINATOR}) + x.interval_s - ({LAST} "
                    "+ x.session_s) % x.interval_s",
                ),
                "A member with a group.instance.id sends no LEAVE_GROUP when it closes: it may "
                "come back in a minute. So its session has to run out.",
            ),
            WrongAnswer(
                "the others know at once",
                each(
                    _NOTICED,
                    f"{AT_COORDINATOR} if {SILENT} else 0",
                    f"{AT_COORDINATOR} if {SILENT} else 0",
                ),
                "The coordinator knows by then. The other one hears of it with the answer to its "
                "next heartbeat.",
            ),
            WrongAnswer(
                "a whole interval more",
                each(
                    _NOTICED,
                    f"{AT_COORDINATOR} if {SILENT} else 0",
                    f"({AT_COORDINATOR} if {SILENT} else 0) + x.interval_s",
                ),
                "An interval is the most that it can take. Here the next heartbeat is nearer: they "
                "come every {interval_s} s since the start.",
            ),
        ),
    ),
    Judge(
        id="08.3",
        truth=lambda case: {
            "answered": _answered(
                case["state"], case["request"], case["generation"], case["broker"]
            )
        },
        right="right: who you are, of which generation, and only then the state.",
        otherwise=(
            "not this answer. Who is asking, of which generation, and what is the group doing?"
        ),
        wrong_answers=(
            WrongAnswer(
                "no commits in a rebalance",
                each(
                    "answered",
                    "'REBALANCE_IN_PROGRESS' if x.request == 'commit' and x.state == "
                    "'PreparingRebalance' and x.generation == 'current' else asked(x.state, "
                    "x.request, x.generation, x.broker)",
                ),
                "PreparingRebalance is the time of grace: members still hold their partitions, and "
                "their commits are taken.",
            ),
            WrongAnswer(
                "commits until the end",
                each(
                    "answered",
                    "'NONE' if x.request == 'commit' and x.state == 'CompletingRebalance' and "
                    "x.generation == 'current' else asked(x.state, x.request, x.generation, "
                    "x.broker)",
                ),
                "In CompletingRebalance the new generation has begun. Who commits now does not yet "
                "know what belongs to it.",
            ),
            WrongAnswer(
                "a heartbeat is a heartbeat",
                each(
                    "answered",
                    "'NONE' if x.request == 'heartbeat' and x.state == 'PreparingRebalance' and "
                    "x.generation == 'current' else asked(x.state, x.request, x.generation, "
                    "x.broker)",
                ),
                "This is how the news travels: the answer to a heartbeat says that the group is "
                "gathering.",
            ),
            WrongAnswer(
                "old means rebalance",
                each(
                    "answered",
                    "'REBALANCE_IN_PROGRESS' if x.generation == 'old' and x.state != 'Empty' else "
                    "asked(x.state, x.request, x.generation, x.broker)",
                ),
                "The generation is looked at before the state. An old one has an answer of its "
                "own.",
            ),
            WrongAnswer(
                "old means unknown",
                each(
                    "answered",
                    "'UNKNOWN_MEMBER_ID' if x.generation == 'old' else asked(x.state, x.request, "
                    "x.generation, x.broker)",
                ),
                "The coordinator knows alice very well. It is her generation that is over.",
            ),
            WrongAnswer(
                "nobody is there, all is well",
                each(
                    "answered",
                    "'NONE' if x.state == 'Empty' else asked(x.state, x.request, x.generation, "
                    "x.broker)",
                ),
                "Alice has left. To the coordinator she is nobody now, whatever she asks.",
            ),
        ),
    ),
    Judge(
        id="08.4",
        truth=lambda case: JAVAS.get(case["error"], "try later"),
        hidden_cases=_more_days,
        right="right.",
        otherwise=(
            "not this. What does the coordinator know when it answers so, and what has it "
            "forgotten?"
        ),
        unseen=(
            "another error or another day goes wrong. What you do not know is no reason to leave."
        ),
        wrong_answers=(
            WrongAnswer(
                "a rebalance makes strangers",
                _rule(REBALANCE_IN_PROGRESS="start over"),
                "Who starts over is somebody new, and the group waits for the one you were, until "
                "your session is over. You are known: `rejoin`.",
            ),
            WrongAnswer(
                "news are not for me",
                _rule(REBALANCE_IN_PROGRESS="alive"),
                "The answer asks you to join again. If you do not, all others wait for you, and "
                "then you are thrown out.",
            ),
            WrongAnswer(
                "the unknown rejoin",
                _rule(UNKNOWN_MEMBER_ID="rejoin"),
                "The coordinator does not know your id any more, and `rejoin` keeps it. Forget it: "
                "`start over`.",
            ),
            WrongAnswer(
                "a lost coordinator ends it",
                _rule(NOT_COORDINATOR="start over", COORDINATOR_NOT_AVAILABLE="start over"),
                "Only the broker is the wrong one. Your membership is kept in __consumer_offsets; "
                "find who has the group now, and go on.",
            ),
            WrongAnswer(
                "whatever is new ends it",
                _rule(rest="stop"),
                "An error you do not know may pass. Rest a little and send the next heartbeat: "
                "`try later`.",
            ),
            WrongAnswer(
                "whatever is new is well",
                _rule(rest="alive"),
                "`alive` means that all is well, and this answer did not say so. Nor did it say "
                "that you must go. It may be over by the next heartbeat: `try later`.",
            ),
            WrongAnswer(
                "two with one name",
                _rule(FENCED_INSTANCE_ID="start over"),
                "Somebody else has joined with your group.instance.id. If you start over you throw "
                "them out, and they you, for ever. `stop`.",
            ),
        ),
    ),
    Judge(
        id="08.5",
        truth=lambda case: {"guilty": case["guilty"], "habit": case["cause"]},
        right="right: the lines say it, when one reads whose they are.",
        otherwise="not this one. Read the lines of each member for itself.",
        wrong_answers=(
            WrongAnswer(
                "who joins is guilty",
                WHO
                + (
                    "guilty = {name: next((line.split()[1] for line in shown[name] if 'already "
                    "rebalancing' in line), 'ann') for name in shown}\n"
                    "habit = {name: habit_of(name) for name in shown}"
                ),
                "Whoever says `group is already rebalancing` was told so by the coordinator. Look "
                "who was not told and began it.",
            ),
            WrongAnswer(
                "goodbye is goodbye",
                WHO
                + (
                    "guilty = {name: guilty_of(name) for name in shown}\n"
                    "habit = {name: 'closes' if habit_of(name) == 'too slow' else habit_of(name) "
                    "for name in shown}"
                ),
                "A LeaveGroup is there, and the line before it says why: the program did not poll "
                "in time.",
            ),
            WrongAnswer(
                "back again means closed",
                WHO
                + (
                    "guilty = {name: guilty_of(name) for name in shown}\n"
                    "habit = {name: 'closes' if habit_of(name) == 'crashes' else habit_of(name) "
                    "for name in shown}"
                ),
                "Who closes says goodbye: `sending LeaveGroup`. This one starts again and never "
                "said it.",
            ),
            WrongAnswer(
                "closed means crashed",
                WHO
                + (
                    "guilty = {name: guilty_of(name) for name in shown}\n"
                    "habit = {name: 'crashes' if habit_of(name) == 'closes' else habit_of(name) "
                    "for name in shown}"
                ),
                "Who crashes has no time for a LeaveGroup. This one sent it: the consumer is being "
                "closed.",
            ),
            WrongAnswer(
                "a change is a start",
                WHO
                + (
                    "guilty = {name: guilty_of(name) for name in shown}\n"
                    "habit = {name: 'crashes' if habit_of(name) == 'subscribes anew' else "
                    "habit_of(name) for name in shown}"
                ),
                "`Subscribed to topic(s)` is there again and again, and `Kafka version` is not: "
                "the same process asks for other topics each time.",
            ),
        ),
    ),
    Judge(
        id="08.6",
        truth=_storm,
        right="right: that is what a group pays for one restless member.",
        otherwise=(
            "not these two. Count different generations, and add up what lies between each "
            "`(Re-)joining` and the next `synced`: of all members, in seconds without their "
            "fraction."
        ),
        wrong_answers=(
            WrongAnswer(
                "each member's generations",
                STORY
                + (
                    "generations = {name: len(told_by[name]) for name in storms}\n"
                    "waited_s = {name: cost(name) for name in storms}"
                ),
                "You counted a generation once for each member that reached it. One generation is "
                "one round of all.",
            ),
            WrongAnswer(
                "without the first",
                STORY
                + (
                    "generations = {name: len({g for _, g, _ in told_by[name]}) - 1 for name in "
                    "storms}\nwaited_s = {name: cost(name) for name in storms}"
                ),
                "The first generation counts as well, though nothing had gone wrong when it was "
                "made.",
            ),
            WrongAnswer(
                "one member's waiting",
                STORY
                + (
                    "generations = {name: len({g for _, g, _ in told_by[name]}) for name in "
                    "storms}\nwaited_s = {name: cost(name, 'ann') for name in storms}"
                ),
                "That is what ann waited. Bob and cyd were standing still as well.",
            ),
            WrongAnswer(
                "milliseconds",
                STORY
                + (
                    "generations = {name: len({g for _, g, _ in told_by[name]}) for name in "
                    "storms}\nwaited_s = {name: sum(ms for _, _, ms in told_by[name]) for name in "
                    "storms}"
                ),
                "The generations are right. The waiting is in milliseconds; a thousand of them are "
                "one of what is asked for.",
            ),
            WrongAnswer(
                "rounded up",
                STORY
                + (
                    "generations = {name: len({g for _, g, _ in told_by[name]}) for name in "
                    "storms}\nwaited_s = {name: cost(name) + 1 for name in storms}"
                ),
                "Very near. Add up first, and then cut off what is left of a second: 7.9 gives 7.",
            ),
        ),
    ),
    Judge(id="08.open"),
)
