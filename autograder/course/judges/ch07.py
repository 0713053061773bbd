"""Chapter 07, the group protocol: the judges' half.
Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.cell.questions.ch07 import planted
from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from kafkalab import KafkaConsumer, Lab


def _member(lab, name: str, strategy: str, work_ms: int = 0, stays_ms: int = 900_000) -> None:
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": name,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": (
                f"org.apache.kafka.clients.consumer.{strategy}Assignor"
            ),
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    until = lab.now_ms + stays_ms
    while lab.now_ms < until:
        consumer.poll(timeout_ms=200)
        lab.sleep(work_ms)
    consumer.close()


@cache
def _joined(at_once: int, later: int, version: str) -> tuple[int, int, int]:
    """(place of the leader in the order of starting, JOIN_GROUP
    requests of all, last generation)."""
    lab = Lab(
        brokers=1,
        seed=21,
        version=version,
        broker_version="2.3" if version.startswith("2.") else "4.4",
    )
    lab.create_topic("orders", partitions=4)
    for place in range(at_once + later):
        lab.spawn(_member, f"p{place}", "Range", name=f"p{place}")
        lab.run_for(ms=200 if place < at_once - 1 else 15_000)
    group = lab.at(lab.now_ms)["groups"]["billing"]
    joins = sum(event.api == "JOIN_GROUP" for event in lab.journal.of("request.sent"))
    leader = group["members"][group["leader"]]["client_id"]
    lab.close()
    return int(leader[1:]), joins, group["generation"]


def _join_phase(case: dict) -> dict:
    starts = case["starts"].split()
    place, joins, generation = _joined(len(starts), case["later"], case["version"])
    return {"leader": starts[place], "joins": joins, "last_generation": generation}


@cache
def _moved(strategy: str, partitions: int, members: int) -> dict:
    """What changes its owner when one more member comes, and what is given up on the way."""
    lab = Lab(brokers=1, seed=22, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=partitions)
    for number in range(1, members + 1):
        lab.spawn(_member, f"m{number}", strategy, name=f"m{number}")
    lab.run_for(ms=8_000)
    before, begun_ms = _owners(lab), lab.now_ms
    lab.spawn(_member, f"m{members + 1}", strategy, name=f"m{members + 1}")
    lab.run_for(ms=12_000)
    after, has, lost = _owners(lab), {}, 0
    for event in lab.journal.of("assigned"):
        if event.at_ms >= begun_ms:
            lost += len(has.get(event.who, set()) - set(event.partitions))
        has[event.who] = set(event.partitions)
    lab.close()
    return {"moved_partitions": sum(before[tp] != after[tp] for tp in before), "given_up": lost}


def _owners(lab: Lab) -> dict[str, str]:
    return {
        tp: name
        for name, client in lab.at(lab.now_ms)["clients"].items()
        for tp in client["assignment"]
    }


@cache
def _gaps(strategy: str, work_ms: int) -> tuple[tuple[int, int], ...]:
    """(when it ended, milliseconds) of each time a partition had no owner, by what the consumers
    had; the lines are not looked at."""
    lab = Lab(brokers=1, seed=9, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=9)
    for number, busy_ms, stays_ms in ((1, 0, 45_000), (2, work_ms, 900_000), (3, 0, 900_000)):
        lab.spawn(_member, f"m{number}", strategy, busy_ms, stays_ms, name=f"m{number}")
    lab.run_for(ms=30_000)
    lab.spawn(_member, "m4", strategy, name="m4")
    lab.run_for(ms=45_000)
    has: dict[str, set] = {}
    free_since: dict[str, int] = {}
    gaps = []
    for event in lab.journal.of("assigned"):
        now, before = set(event.partitions), has.get(event.who, set())
        for tp in sorted(now - before):
            if tp in free_since:
                gaps.append((event.at_ms, event.at_ms - free_since.pop(tp)))
        for tp in sorted(before - now):
            free_since[tp] = event.at_ms
        has[event.who] = now
    lab.close()
    return tuple(gaps)


def _each_gap(case: dict, until_ms: int = 10**9) -> list[int]:
    return [ms for ended_ms, ms in _gaps(case["strategy"], case["work_ms"]) if ended_ms < until_ms]


def _groups(rng: Random) -> list[dict]:
    """Groups nobody has seen: some topics, members that read some of them,
    and something that happens."""
    cases = []
    for _ in range(3):
        topics = {
            name: rng.randrange(1, 9)
            for name in ("apples", "orders", "refunds")[: rng.randrange(1, 4)]
        }
        names = [f"m{number}" for number in range(1, rng.randrange(3, 6))]
        members = {
            name: sorted(rng.sample(sorted(topics), rng.randrange(1, len(topics) + 1)))
            for name in names
        }
        members[names[0]] = members[names[1]] = sorted(topics)
        event = rng.choice(("one comes", f"{names[0]} leaves", f"{names[-1]} crashes"))
        cases.append(
            {"seed": rng.randrange(10, 999), "topics": topics, "members": members, "event": event}
        )
    return cases


_JOINS, _MOVES = "leader joins last_generation", "moved_partitions given_up"
COUNT = """
def known(x): return len(x.starts.split())
def k(x): return 1 if x.version == "2.1" else 2
def again(x): return sum(known(x) + i for i in range(x.later))
"""
OWNERS = """
def owner(x, place, members):
    if x.strategy != "Range":
        return place % members
    each, over = divmod(x.partitions, members)
    edge = over * (each + 1)
    return place // (each + 1) if place < edge else over + (place - edge) // each
def share(x): return x.partitions // (x.members + 1)
def moves(x):
    if "Sticky" in x.strategy:
        return share(x)
    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))
def lost(x): return moves(x) if x.strategy == "CooperativeSticky" else x.partitions
"""
GAPS = """
def all_gaps(group, until=10**9):
    given_up, gaps = {}, []
    for line in shift(group).table("line").itertuples():
        found = re.search(r"(Revoke|Adding).* assigned partitions:? ?(.*)", line.message)
        for partition in filter(None, found[2].split(", ") if found else ()):
            if found[1] == "Revoke":
                given_up[partition] = line.at_ms
            elif partition in given_up and line.at_ms < until:
                gaps.append(line.at_ms - given_up.pop(partition))
    return gaps
"""
ODD = """
def odd_line(lines):
    for kind, words in (("topics", "Subscribed"), ("strategy", "strategy ="), ("group", "group.id =")):
        said = [line.split(" ", 1) for line in lines if words in line]
        for client, setting in said:
            if sum(other == setting for _, other in said) == 1:
                return client, kind
"""  # noqa: E501
RANGE = (
    "def range_assign(partitions, subscriptions):\n"
    "    dealt = {member: [] for member in subscriptions}\n    "
)
ROUND = (
    "def round_robin_assign(partitions, subscriptions):\n    ring = sorted(subscriptions)\n"
    "    dealt = {member: [] for member in ring}\n    "
)
PACK = "[(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]"
READERS = "readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n        "

JUDGES = (
    Judge(
        id="07.1",
        truth=_join_phase,
        right=(
            "right: the first one leads, each newcomer asks for its id first, and everybody who is "
            "there joins again."
        ),
        otherwise=(
            "not all of these three are right. How often does a newcomer of version {version} send "
            "JOIN_GROUP, and what do the others do each time?"
        ),
        wrong_answers=(
            WrongAnswer(
                "one join each",
                each(
                    _JOINS, "x.starts.split()[0]", "known(x) + x.later", "1 + x.later", before=COUNT
                ),
                "You gave each member one join. When one comes, all who are there join again, "
                "since a generation begins with everybody.",
            ),
            WrongAnswer(
                "the others do not join again",
                each(
                    _JOINS,
                    "x.starts.split()[0]",
                    "k(x) * (known(x) + x.later)",
                    "1 + x.later",
                    before=COUNT,
                ),
                "You counted the newcomers' own way in. Those who are there hear of it in a "
                "heartbeat's answer, and join again, too.",
            ),
            WrongAnswer(
                "no id is asked for",
                each(
                    _JOINS,
                    "x.starts.split()[0]",
                    "known(x) + x.later + again(x)",
                    "1 + x.later",
                    before=COUNT,
                ),
                "From 2.2 on a newcomer's first JOIN_GROUP only fetches its member id. Clients "
                "{version} send it twice.",
            ),
            WrongAnswer(
                "an old client asks for its id",
                each(
                    _JOINS,
                    "x.starts.split()[0]",
                    "2 * (known(x) + x.later) + again(x)",
                    "1 + x.later",
                    before=COUNT,
                ),
                "MEMBER_ID_REQUIRED came with 2.2. A client {version} is let in at its first try.",
            ),
            WrongAnswer(
                "everybody asks for an id each time",
                each(
                    _JOINS,
                    "x.starts.split()[0]",
                    "k(x) * (known(x) + x.later + again(x))",
                    "1 + x.later",
                    before=COUNT,
                ),
                "A member keeps its id. Who joins again sends one request, not two.",
            ),
            WrongAnswer(
                "the alphabet leads",
                each(
                    _JOINS,
                    "min(x.starts.split())",
                    "k(x) * (known(x) + x.later) + again(x)",
                    "1 + x.later",
                    before=COUNT,
                ),
                "Names decide nothing here. The coordinator takes the member that it added first: "
                "read {starts} from the left.",
            ),
            WrongAnswer(
                "the last one leads",
                each(
                    _JOINS,
                    "x.starts.split()[-1]",
                    "k(x) * (known(x) + x.later) + again(x)",
                    "1 + x.later",
                    before=COUNT,
                ),
                "A leader stays one while it is there. The first that the coordinator added leads, "
                "and nobody left.",
            ),
            WrongAnswer(
                "counted from 0",
                each(
                    _JOINS,
                    "x.starts.split()[0]",
                    "k(x) * (known(x) + x.later) + again(x)",
                    "x.later",
                    before=COUNT,
                ),
                "Leader and requests are right. What {starts} agree on when they start has the "
                "number 1 and not 0; every newcomer makes one more.",
            ),
            WrongAnswer(
                "a generation for each member",
                each(
                    _JOINS,
                    "x.starts.split()[0]",
                    "k(x) * (known(x) + x.later) + again(x)",
                    "known(x) + x.later",
                    before=COUNT,
                ),
                "Those who start within the first seconds are gathered into one generation: a "
                "group that was empty waits for more.",
            ),
        ),
    ),
    Judge(
        id="07.2",
        hidden_cases=_groups,
        unseen=(
            "in a group you have not seen, Kafka's class deals differently. Mind members that read "
            "other topics than their neighbours."
        ),
        wrong_answers=(
            WrongAnswer(
                "round robin",
                RANGE
                + "for topic in sorted(partitions):\n        "
                + READERS
                + "for number in range(partitions[topic]):\n            "
                "dealt[readers[number % len(readers)]].append((topic, number))\n    return dealt",
                "You deal one partition at a time, as with cards. Range gives each member a block "
                "of neighbours: 0 1 2, then 3 4.",
            ),
            WrongAnswer(
                "what is left over is dropped",
                RANGE
                + "for topic in sorted(partitions):\n        "
                + READERS
                + (
                    "each = partitions[topic] // len(readers)\n        "
                    "for place, m in enumerate(readers):\n"
                    "            dealt[m] += [(topic, n) for n in range(place * each, place * each "
                    "+ each)]\n    return dealt"
                ),
                "The rest of the division belongs to nobody, and no member reads it. The first "
                "members take one more each.",
            ),
            WrongAnswer(
                "the last one takes the rest",
                RANGE
                + "for topic in sorted(partitions):\n        "
                + READERS
                + (
                    "each = partitions[topic] // len(readers)\n        "
                    "for place, m in enumerate(readers):\n"
                    "            end = partitions[topic] if place == len(readers) - 1 else place * "
                    "each + each\n            dealt[m] += [(topic, n) for n in range(place * each, "
                    "end)]\n    return dealt"
                ),
                "Your last member takes all that is left over. Kafka gives it to the first ones, "
                "one each.",
            ),
            WrongAnswer(
                "the last ones take one more",
                RANGE
                + "for topic in sorted(partitions):\n        "
                + READERS
                + (
                    "each, over = divmod(partitions[topic], len(readers))\n        "
                    "start = 0\n        for place, m in enumerate(readers):\n"
                    "            size = each + (place >= len(readers) - over)\n            "
                    "dealt[m] += [(topic, n) for n in range(start, start + size)]\n"
                    "            start += size\n    return dealt"
                ),
                "You give the extras to the last members. Kafka gives them to the first.",
            ),
            WrongAnswer(
                "all topics as one pack",
                RANGE
                + "pack = "
                + PACK
                + (
                    "\n    ring = sorted(subscriptions)\n"
                    "    each, over = divmod(len(pack), len(ring))\n    start = 0\n    "
                    "for place, m in enumerate(ring):\n        size = each + (place < over)\n"
                    "        dealt[m] = [tp for tp in pack[start:start + size] if tp[0] in "
                    "subscriptions[m]]\n        start += size\n    return dealt"
                ),
                "You cut the partitions of all topics into blocks. Range deals each topic on its "
                "own and begins with the first member again.",
            ),
            WrongAnswer(
                "divided by all members",
                RANGE
                + (
                    "ring = sorted(subscriptions)\n    for topic in sorted(partitions):\n"
                    "        each, over = divmod(partitions[topic], len(ring))\n        "
                    "start = 0\n        for place, m in enumerate(ring):\n"
                    "            size = each + (place < over)\n"
                    "            dealt[m] += [(topic, n) for n in range(start, start + size) if "
                    "topic in subscriptions[m]]\n            start += size\n    return dealt"
                ),
                "You divide by all members, also by those that did not subscribe to the topic. "
                "Their share belongs to nobody.",
            ),
        ),
    ),
    Judge(
        id="07.3",
        hidden_cases=_groups,
        unseen=(
            "in a group you have not seen, Kafka's class deals differently. Where does the round "
            "go on after a member was skipped?"
        ),
        wrong_answers=(
            WrongAnswer(
                "topics as they come",
                ROUND
                + (
                    "place = 0\n    for topic in partitions:\n"
                    "        for number in range(partitions[topic]):\n            "
                    "while topic not in subscriptions[ring[place % len(ring)]]:\n"
                    "                place += 1\n"
                    "            dealt[ring[place % len(ring)]].append((topic, number))\n"
                    "            place += 1\n    return dealt"
                ),
                "The round is right, and the row is not: you take the topics as the dict happens "
                "to hold them. Sort their names first.",
            ),
            WrongAnswer(
                "each topic begins anew",
                ROUND
                + "for topic in sorted(partitions):\n        "
                + READERS
                + "for number in range(partitions[topic]):\n            "
                "dealt[readers[number % len(readers)]].append((topic, number))\n    return dealt",
                "You begin with the first member for each topic. The round goes on: a topic begins "
                "where the one before it ended.",
            ),
            WrongAnswer(
                "a skipped turn is lost",
                ROUND
                + "for place, (topic, number) in enumerate("
                + PACK
                + (
                    "):\n        m = ring[place % len(ring)]\n        "
                    "if topic in subscriptions[m]:\n            dealt[m].append((topic, number))\n"
                    "    return dealt"
                ),
                "When it is the turn of a member that does not read the topic, you give the "
                "partition to nobody. Skip the member, keep the partition.",
            ),
            WrongAnswer(
                "counted by place",
                ROUND
                + "for place, (topic, number) in enumerate("
                + PACK
                + "):\n        "
                + READERS
                + "dealt[readers[place % len(readers)]].append((topic, number))\n    return dealt",
                "You count places in the row. After a skip the two run apart: go on after the "
                "member that was served last.",
            ),
            WrongAnswer(
                "range",
                ROUND
                + "for topic in sorted(partitions):\n        "
                + READERS
                + (
                    "each, over = divmod(partitions[topic], len(readers))\n        start = 0\n"
                    "        for place, m in enumerate(readers):\n"
                    "            size = each + (place < over)\n"
                    "            dealt[m] += [(topic, n) for n in range(start, start + size)]\n"
                    "            start += size\n    return dealt"
                ),
                "These are blocks, as Range deals them. Here each partition goes to the next "
                "member in the round.",
            ),
        ),
    ),
    Judge(
        id="07.4",
        truth=lambda case: _moved(case["strategy"], case["partitions"], case["members"]),
        right="right: what moves, the rule of dealing decides; what is given up, the protocol.",
        otherwise=(
            "not these two. Write down who owns what before and after, by {strategy}, and ask what "
            "each member drops before it joins."
        ),
        wrong_answers=(
            WrongAnswer(
                "everything moves",
                each(_MOVES, "x.partitions", "x.partitions", before=OWNERS),
                "You let all {partitions} move. Many get the same owner again, also from assignors "
                "that remember nothing.",
            ),
            WrongAnswer(
                "only the newcomer's share moves",
                each(
                    _MOVES,
                    "share(x)",
                    "min(share(x), lost(x)) if x.strategy == 'CooperativeSticky' else x.partitions",
                    before=OWNERS,
                ),
                "Only a sticky assignor moves no more than the newcomer needs. {strategy} deals "
                "from the start, and old members exchange partitions, too.",
            ),
            WrongAnswer(
                "only what moves is given up",
                each(_MOVES, "moves(x)", "moves(x)", before=OWNERS),
                "The moves are right. But {strategy} is eager: before each join a member gives up "
                "everything, also what it will get back.",
            ),
            WrongAnswer(
                "cooperative members give up all",
                each(_MOVES, "moves(x)", "x.partitions", before=OWNERS),
                "The moves are right. A cooperative member keeps what it has while it joins, and "
                "gives up only what the leader left out.",
            ),
            WrongAnswer(
                "the share is rounded up",
                each(
                    _MOVES,
                    "share(x) + 1 if 'Sticky' in x.strategy else moves(x)",
                    "share(x) + 1 if x.strategy == 'CooperativeSticky' else x.partitions",
                    before=OWNERS,
                ),
                "{partitions} partitions do not divide evenly. A sticky assignor lets the old "
                "members keep the larger shares, and the newcomer gets the smaller one.",
            ),
        ),
    ),
    Judge(
        id="07.5",
        truth=lambda case: {
            "odd_one": planted(case["story"])[1],
            "differs": planted(case["story"])[0],
        },
        right="right: one setting in one program, and the whole group feels it.",
        otherwise=(
            "not this one, or not this setting. Compare the members' lines one by one: three of "
            "them agree."
        ),
        wrong_answers=(
            WrongAnswer(
                "who dies is at fault",
                ODD
                + (
                    "def blamed(lines, right):\n    return next((line.split()[0] for line in lines "
                    "if 'ended' in line), right)\n"
                    "odd_one = {team: blamed(lines, odd_line(lines)[0]) for team, lines in "
                    "shown.items()}\ndiffers = {team: odd_line(lines)[1] for team, lines in "
                    "shown.items()}"
                ),
                "That one died, but its settings are those of two others. The odd one was there "
                "first; the coordinator takes only members that know its strategy.",
            ),
            WrongAnswer(
                "it is always the topics",
                ODD
                + (
                    "odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}\n"
                    "differs = {team: 'topics' for team in shown}"
                ),
                "The right member. But look at its other rows: its topics are those of its "
                "colleagues.",
            ),
            WrongAnswer(
                "it is always the group",
                ODD
                + (
                    "odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}\n"
                    "differs = {team: 'group' for team in shown}"
                ),
                "The right member. Its group.id is the same as that of the others; something else "
                "is not.",
            ),
            WrongAnswer(
                "it is always the strategy",
                ODD
                + (
                    "odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}\n"
                    "differs = {team: 'strategy' for team in shown}"
                ),
                "The right member. It deals by the class that all four have; compare the two other "
                "rows.",
            ),
            WrongAnswer(
                "m1 leads, so m1 is to blame",
                ODD
                + (
                    "odd_one = {team: 'm1' for team in shown}\n"
                    "differs = {team: odd_line(lines)[1] for team, lines in shown.items()}"
                ),
                "m1 is not out of line here. Find the member whose row differs from three others.",
            ),
        ),
    ),
    Judge(
        id="07.6",
        truth=lambda case: {"ms_without_owner": sum(_each_gap(case))},
        right=(
            "right: eager members pay with every partition, cooperative ones with those that move."
        ),
        otherwise=(
            "not this number of milliseconds. Pair each revoke with the next add of the same "
            "partition in the same group, and add up the differences."
        ),
        wrong_answers=(
            WrongAnswer(
                "the longest gap",
                each("ms_without_owner", "max(all_gaps(x))", before=GAPS),
                "That is the longest single gap. The question asks for all gaps of all partitions, "
                "added up.",
                says=lambda case: {"ms_without_owner": max(_each_gap(case))},
            ),
            WrongAnswer(
                "the number of gaps",
                each("ms_without_owner", "len(all_gaps(x))", before=GAPS),
                "That is how many gaps there are. Add up how long each one lasted instead of "
                "counting rows.",
                says=lambda case: {"ms_without_owner": len(_each_gap(case))},
            ),
            WrongAnswer(
                "in seconds",
                each("ms_without_owner", "sum(all_gaps(x)) / 1000", before=GAPS),
                "The sum is right, in seconds. Give it in milliseconds, as the rows have it.",
                says=lambda case: {"ms_without_owner": sum(_each_gap(case)) / 1000},
            ),
            WrongAnswer(
                "the average gap",
                each(
                    "ms_without_owner",
                    "(lambda gaps: round(sum(gaps) / len(gaps)))(all_gaps(x))",
                    before=GAPS,
                ),
                "That is the average gap. The cost is their sum.",
                says=lambda case: {
                    "ms_without_owner": round(sum(_each_gap(case)) / len(_each_gap(case)))
                },
            ),
            WrongAnswer(
                "the first rebalance only",
                each("ms_without_owner", "sum(all_gaps(x, until=45_000))", before=GAPS),
                "That is the first rebalance alone. m1 leaves later, and that costs as well.",
                says=lambda case: {"ms_without_owner": sum(_each_gap(case, until_ms=45_000))},
            ),
        ),
    ),
    Judge(id="07.open"),
)
