# Generated from notebooks/exercises/07; edit those files and run
# `python -m autograder course 07`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 07's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from random import Random

from kafkalab import KafkaConsumer


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


# %% 07.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import PROFILES, Lab


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


def _why_these_joins(case):
    """A newcomer asks for its id first where the client knows JoinGroup 4 (KIP-394)."""
    newest = PROFILES[case["version"]].apis.newest["JoinGroup"]
    asks = "each newcomer asks for its id first, " if newest >= 4 else ""
    return f"right: the first one leads, {asks}and everybody who is there joins again."


JUDGE_07_1 = Judge(
    id="07.1",
    wrong_answers=(
        WrongAnswer(
            name="one join each",
            sentence="You gave each member one join. When one comes, all who are there join again, since a generation begins with everybody.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: known(x) + x.later for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the others do not join again",
            sentence="You counted the newcomers' own way in. Those who are there hear of it in a heartbeat's answer, and join again, too.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: k(x) * (known(x) + x.later) for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="no id is asked for",
            sentence="From 2.2 on a newcomer's first JOIN_GROUP only fetches its member id. Clients {version} send it twice.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: known(x) + x.later + again(x) for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="an old client asks for its id",
            sentence="MEMBER_ID_REQUIRED came with 2.2. A client {version} is let in at its first try.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: 2 * (known(x) + x.later) + again(x) for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="everybody asks for an id each time",
            sentence="A member keeps its id. Who joins again sends one request, not two.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: k(x) * (known(x) + x.later + again(x)) for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the alphabet leads",
            sentence="Names decide nothing here. The coordinator takes the member that it added first: read {starts} from the left.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: min(x.starts.split()) for a, x in n.items()}\n"
                "joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the last one leads",
            sentence="A leader stays one while it is there. The first that the coordinator added leads, and nobody left.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[-1] for a, x in n.items()}\n"
                "joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}\n"
                "last_generation = {a: 1 + x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="counted from 0",
            sentence="Leader and requests are right. What {starts} agree on when they start has the number 1 and not 0; every newcomer makes one more.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}\n"
                "last_generation = {a: x.later for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="a generation for each member",
            sentence="Those who start within the first seconds are gathered into one generation: a group that was empty waits for more.",
            source=(
                "def known(x):\n"
                "    return len(x.starts.split())\n"
                "\n"
                "\n"
                "def k(x):\n"
                "    return 1 if x.version == \"2.1\" else 2\n"
                "\n"
                "\n"
                "def again(x):\n"
                "    return sum(known(x) + i for i in range(x.later))\n"
                "leader = {a: x.starts.split()[0] for a, x in n.items()}\n"
                "joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}\n"
                "last_generation = {a: known(x) + x.later for a, x in n.items()}"
            ),
        ),
    ),
    truth=_join_phase,
    right=_why_these_joins,
    otherwise=(
        "not all of these three are right. How often does a newcomer of version {version} send "
        "JOIN_GROUP, and what do the others do each time?"
    ),
)


# %% 07.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_07_2 = Judge(
    id="07.2",
    wrong_answers=(
        WrongAnswer(
            name="round robin",
            sentence="You give one partition at a time, round after round. Range gives each member a block of neighbours: 0 1 2, then 3 4.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    for topic in sorted(partitions):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        for number in range(partitions[topic]):\n"
                "            given[readers[number % len(readers)]].append((topic, number))\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="what is left over is dropped",
            sentence="The remainder of the division belongs to nobody, and no member reads it. The first members take one more each.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    for topic in sorted(partitions):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        each = partitions[topic] // len(readers)\n"
                "        for place, m in enumerate(readers):\n"
                "            given[m] += [(topic, n) for n in range(place * each, place * each + each)]\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="the share is rounded up",
            sentence="You round the share up for everybody, so the last member gets too little. Round it down. Then the first members take one more each.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    for topic, count in partitions.items():\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        each = -(-count // len(readers))\n"
                "        for place, m in enumerate(readers):\n"
                "            end = min(count, place * each + each)\n"
                "            given[m] += [(topic, n) for n in range(place * each, end)]\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="the last one takes the remainder",
            sentence="Your last member takes all that is left over. Kafka gives it to the first ones, one each.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    for topic in sorted(partitions):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        each = partitions[topic] // len(readers)\n"
                "        for place, m in enumerate(readers):\n"
                "            end = partitions[topic] if place == len(readers) - 1 else place * each + each\n"
                "            given[m] += [(topic, n) for n in range(place * each, end)]\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="the last ones take one more",
            sentence="You give the extras to the last members. Kafka gives them to the first.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    for topic in sorted(partitions):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        each, over = divmod(partitions[topic], len(readers))\n"
                "        start = 0\n"
                "        for place, m in enumerate(readers):\n"
                "            size = each + (place >= len(readers) - over)\n"
                "            given[m] += [(topic, n) for n in range(start, start + size)]\n"
                "            start += size\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="all topics as one pack",
            sentence="You cut the partitions of all topics into blocks. Range assigns each topic by itself and begins with the first member again.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    pack = [(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]\n"
                "    ring = sorted(subscriptions)\n"
                "    each, over = divmod(len(pack), len(ring))\n"
                "    start = 0\n"
                "    for place, m in enumerate(ring):\n"
                "        size = each + (place < over)\n"
                "        given[m] = [tp for tp in pack[start : start + size] if tp[0] in subscriptions[m]]\n"
                "        start += size\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="divided by all members",
            sentence="You divide by all members, also by those that did not subscribe to the topic. Their share belongs to nobody.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    ring = sorted(subscriptions)\n"
                "    for topic in sorted(partitions):\n"
                "        each, over = divmod(partitions[topic], len(ring))\n"
                "        start = 0\n"
                "        for place, m in enumerate(ring):\n"
                "            size = each + (place < over)\n"
                "            given[m] += [\n"
                "                (topic, n) for n in range(start, start + size) if topic in subscriptions[m]\n"
                "            ]\n"
                "            start += size\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="members as they come",
            sentence="The blocks are right. But you take the members in the order of the dict. Sort their ids first, `sorted(...)`.",
            source=(
                "def range_assign(partitions, subscriptions):\n"
                "    given = {member: [] for member in subscriptions}\n"
                "    for topic in partitions:\n"
                "        readers = [m for m in subscriptions if topic in subscriptions[m]]\n"
                "        each, over = divmod(partitions[topic], len(readers))\n"
                "        start = 0\n"
                "        for place, m in enumerate(readers):\n"
                "            size = each + (place < over)\n"
                "            given[m] += [(topic, n) for n in range(start, start + size)]\n"
                "            start += size\n"
                "    return given"
            ),
        ),
    ),
    hidden_cases=_groups,
    unseen=(
        "in a group you have not seen, Kafka's class gives another plan. Mind members that read "
        "other topics than their neighbours."
    ),
)


# %% 07.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_07_3 = Judge(
    id="07.3",
    wrong_answers=(
        WrongAnswer(
            name="topics as they come",
            sentence="The round is right, and the row is not: you take the topics as the dict happens to hold them. Sort their names first.",
            source=(
                "def round_robin_assign(partitions, subscriptions):\n"
                "    ring = sorted(subscriptions)\n"
                "    given = {member: [] for member in ring}\n"
                "    place = 0\n"
                "    for topic in partitions:\n"
                "        for number in range(partitions[topic]):\n"
                "            while topic not in subscriptions[ring[place % len(ring)]]:\n"
                "                place += 1\n"
                "            given[ring[place % len(ring)]].append((topic, number))\n"
                "            place += 1\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="each topic begins again",
            sentence="You begin with the first member for each topic. The round continues: a topic begins where the one before it ended.",
            source=(
                "def round_robin_assign(partitions, subscriptions):\n"
                "    ring = sorted(subscriptions)\n"
                "    given = {member: [] for member in ring}\n"
                "    for topic in sorted(partitions):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        for number in range(partitions[topic]):\n"
                "            given[readers[number % len(readers)]].append((topic, number))\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="a skipped turn is lost",
            sentence="When it is the turn of a member that does not read the topic, you give the partition to nobody. Skip the member, keep the partition.",
            source=(
                "def round_robin_assign(partitions, subscriptions):\n"
                "    ring = sorted(subscriptions)\n"
                "    given = {member: [] for member in ring}\n"
                "    for place, (topic, number) in enumerate(\n"
                "        [(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]\n"
                "    ):\n"
                "        m = ring[place % len(ring)]\n"
                "        if topic in subscriptions[m]:\n"
                "            given[m].append((topic, number))\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="counted by place",
            sentence="You count places in the row. After a skip the two differ: continue after the member that got the last partition.",
            source=(
                "def round_robin_assign(partitions, subscriptions):\n"
                "    ring = sorted(subscriptions)\n"
                "    given = {member: [] for member in ring}\n"
                "    for place, (topic, number) in enumerate(\n"
                "        [(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]\n"
                "    ):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        given[readers[place % len(readers)]].append((topic, number))\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="range",
            sentence="These are blocks, as Range gives them. Here each partition goes to the next member in the round.",
            source=(
                "def round_robin_assign(partitions, subscriptions):\n"
                "    ring = sorted(subscriptions)\n"
                "    given = {member: [] for member in ring}\n"
                "    for topic in sorted(partitions):\n"
                "        readers = sorted(m for m in subscriptions if topic in subscriptions[m])\n"
                "        each, over = divmod(partitions[topic], len(readers))\n"
                "        start = 0\n"
                "        for place, m in enumerate(readers):\n"
                "            size = each + (place < over)\n"
                "            given[m] += [(topic, n) for n in range(start, start + size)]\n"
                "            start += size\n"
                "    return given"
            ),
        ),
        WrongAnswer(
            name="members as they come",
            sentence="The round is right. But you take the members in the order of the dict. Sort their ids first, `sorted(...)`.",
            source=(
                "def round_robin_assign(partitions, subscriptions):\n"
                "    ring = list(subscriptions)\n"
                "    given = {member: [] for member in ring}\n"
                "    place = 0\n"
                "    for topic in sorted(partitions):\n"
                "        for number in range(partitions[topic]):\n"
                "            while topic not in subscriptions[ring[place % len(ring)]]:\n"
                "                place += 1\n"
                "            given[ring[place % len(ring)]].append((topic, number))\n"
                "            place += 1\n"
                "    return given"
            ),
        ),
    ),
    hidden_cases=_groups,
    unseen=(
        "in a group you have not seen, Kafka's class gives another plan. Where does the round "
        "continue after a member was skipped?"
    ),
)


# %% 07.4
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


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


JUDGE_07_4 = Judge(
    id="07.4",
    wrong_answers=(
        WrongAnswer(
            name="everything moves",
            sentence="You let all {partitions} move. Many get the same owner again, also from assignors that remember nothing.",
            source=(
                "def owner(x, place, members):\n"
                "    if x.strategy != \"Range\":\n"
                "        return place % members\n"
                "    each, over = divmod(x.partitions, members)\n"
                "    edge = over * (each + 1)\n"
                "    return place // (each + 1) if place < edge else over + (place - edge) // each\n"
                "\n"
                "\n"
                "def share(x):\n"
                "    return x.partitions // (x.members + 1)\n"
                "\n"
                "\n"
                "def moves(x):\n"
                "    if \"Sticky\" in x.strategy:\n"
                "        return share(x)\n"
                "    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))\n"
                "\n"
                "\n"
                "def lost(x):\n"
                "    return moves(x) if x.strategy == \"CooperativeSticky\" else x.partitions\n"
                "moved_partitions = {a: x.partitions for a, x in n.items()}\n"
                "given_up = {a: x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="only the newcomer's share moves",
            sentence="A sticky assignor moves no more than the newcomer needs. {strategy} begins from an empty plan, so old members exchange partitions, too.",
            source=(
                "def owner(x, place, members):\n"
                "    if x.strategy != \"Range\":\n"
                "        return place % members\n"
                "    each, over = divmod(x.partitions, members)\n"
                "    edge = over * (each + 1)\n"
                "    return place // (each + 1) if place < edge else over + (place - edge) // each\n"
                "\n"
                "\n"
                "def share(x):\n"
                "    return x.partitions // (x.members + 1)\n"
                "\n"
                "\n"
                "def moves(x):\n"
                "    if \"Sticky\" in x.strategy:\n"
                "        return share(x)\n"
                "    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))\n"
                "\n"
                "\n"
                "def lost(x):\n"
                "    return moves(x) if x.strategy == \"CooperativeSticky\" else x.partitions\n"
                "moved_partitions = {a: share(x) for a, x in n.items()}\n"
                "given_up = {\n"
                "    a: min(share(x), lost(x)) if x.strategy == \"CooperativeSticky\" else x.partitions\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="only what moves is given up",
            sentence="The moves are right. But {strategy} is eager: before each join a member gives up everything, also what it will get back.",
            source=(
                "def owner(x, place, members):\n"
                "    if x.strategy != \"Range\":\n"
                "        return place % members\n"
                "    each, over = divmod(x.partitions, members)\n"
                "    edge = over * (each + 1)\n"
                "    return place // (each + 1) if place < edge else over + (place - edge) // each\n"
                "\n"
                "\n"
                "def share(x):\n"
                "    return x.partitions // (x.members + 1)\n"
                "\n"
                "\n"
                "def moves(x):\n"
                "    if \"Sticky\" in x.strategy:\n"
                "        return share(x)\n"
                "    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))\n"
                "\n"
                "\n"
                "def lost(x):\n"
                "    return moves(x) if x.strategy == \"CooperativeSticky\" else x.partitions\n"
                "moved_partitions = {a: moves(x) for a, x in n.items()}\n"
                "given_up = {a: moves(x) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="cooperative members give up all",
            sentence="The moves are right. A cooperative member keeps what it has while it joins, and gives up only what the leader left out.",
            source=(
                "def owner(x, place, members):\n"
                "    if x.strategy != \"Range\":\n"
                "        return place % members\n"
                "    each, over = divmod(x.partitions, members)\n"
                "    edge = over * (each + 1)\n"
                "    return place // (each + 1) if place < edge else over + (place - edge) // each\n"
                "\n"
                "\n"
                "def share(x):\n"
                "    return x.partitions // (x.members + 1)\n"
                "\n"
                "\n"
                "def moves(x):\n"
                "    if \"Sticky\" in x.strategy:\n"
                "        return share(x)\n"
                "    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))\n"
                "\n"
                "\n"
                "def lost(x):\n"
                "    return moves(x) if x.strategy == \"CooperativeSticky\" else x.partitions\n"
                "moved_partitions = {a: moves(x) for a, x in n.items()}\n"
                "given_up = {a: x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the share is rounded up",
            sentence="{partitions} partitions do not divide evenly. A sticky assignor lets the old members keep the larger shares, and the newcomer gets the smaller one.",
            source=(
                "def owner(x, place, members):\n"
                "    if x.strategy != \"Range\":\n"
                "        return place % members\n"
                "    each, over = divmod(x.partitions, members)\n"
                "    edge = over * (each + 1)\n"
                "    return place // (each + 1) if place < edge else over + (place - edge) // each\n"
                "\n"
                "\n"
                "def share(x):\n"
                "    return x.partitions // (x.members + 1)\n"
                "\n"
                "\n"
                "def moves(x):\n"
                "    if \"Sticky\" in x.strategy:\n"
                "        return share(x)\n"
                "    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))\n"
                "\n"
                "\n"
                "def lost(x):\n"
                "    return moves(x) if x.strategy == \"CooperativeSticky\" else x.partitions\n"
                "moved_partitions = {a: share(x) + 1 if \"Sticky\" in x.strategy else moves(x) for a, x in n.items()}\n"
                "given_up = {\n"
                "    a: share(x) + 1 if x.strategy == \"CooperativeSticky\" else x.partitions for a, x in n.items()\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: _moved(case["strategy"], case["partitions"], case["members"]),
    right="right: the assignor decides what moves; the protocol decides what is given up.",
    otherwise=(
        "not these two. Write down who owns what before and after, by {strategy}, and ask what "
        "each member drops before it joins."
    ),
)


# %% 07.5
from autograder.cell.questions.ch07 import planted
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_07_5 = Judge(
    id="07.5",
    wrong_answers=(
        WrongAnswer(
            name="who dies is at fault",
            sentence="That one ended, but it has the settings of two others. The odd one was there first. The coordinator admits only members that share a strategy with it.",
            source=(
                "def odd_line(lines):\n"
                "    for kind, words in (\n"
                "        (\"topics\", \"Subscribed\"),\n"
                "        (\"strategy\", \"strategy =\"),\n"
                "        (\"group\", \"group.id =\"),\n"
                "    ):\n"
                "        said = [line.split(\" \", 1) for line in lines if words in line]\n"
                "        for client, setting in said:\n"
                "            if sum(other == setting for _, other in said) == 1:\n"
                "                return client, kind\n"
                "def blamed(lines, right):\n"
                "    return next((line.split()[0] for line in lines if \"ended\" in line), right)\n"
                "\n"
                "\n"
                "odd_one = {team: blamed(lines, odd_line(lines)[0]) for team, lines in shown.items()}\n"
                "differs = {team: odd_line(lines)[1] for team, lines in shown.items()}"
            ),
        ),
        WrongAnswer(
            name="it is always the topics",
            sentence="The right member. But look at its other rows: its topics are those of the other members.",
            source=(
                "def odd_line(lines):\n"
                "    for kind, words in (\n"
                "        (\"topics\", \"Subscribed\"),\n"
                "        (\"strategy\", \"strategy =\"),\n"
                "        (\"group\", \"group.id =\"),\n"
                "    ):\n"
                "        said = [line.split(\" \", 1) for line in lines if words in line]\n"
                "        for client, setting in said:\n"
                "            if sum(other == setting for _, other in said) == 1:\n"
                "                return client, kind\n"
                "odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}\n"
                "differs = {team: \"topics\" for team in shown}"
            ),
        ),
        WrongAnswer(
            name="it is always the group",
            sentence="The right member. Its group.id is the same as that of the others; something else is not.",
            source=(
                "def odd_line(lines):\n"
                "    for kind, words in (\n"
                "        (\"topics\", \"Subscribed\"),\n"
                "        (\"strategy\", \"strategy =\"),\n"
                "        (\"group\", \"group.id =\"),\n"
                "    ):\n"
                "        said = [line.split(\" \", 1) for line in lines if words in line]\n"
                "        for client, setting in said:\n"
                "            if sum(other == setting for _, other in said) == 1:\n"
                "                return client, kind\n"
                "odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}\n"
                "differs = {team: \"group\" for team in shown}"
            ),
        ),
        WrongAnswer(
            name="it is always the strategy",
            sentence="The right member. But all four have this strategy. Compare the two other rows.",
            source=(
                "def odd_line(lines):\n"
                "    for kind, words in (\n"
                "        (\"topics\", \"Subscribed\"),\n"
                "        (\"strategy\", \"strategy =\"),\n"
                "        (\"group\", \"group.id =\"),\n"
                "    ):\n"
                "        said = [line.split(\" \", 1) for line in lines if words in line]\n"
                "        for client, setting in said:\n"
                "            if sum(other == setting for _, other in said) == 1:\n"
                "                return client, kind\n"
                "odd_one = {team: odd_line(lines)[0] for team, lines in shown.items()}\n"
                "differs = {team: \"strategy\" for team in shown}"
            ),
        ),
        WrongAnswer(
            name="m1 leads, so m1 is to blame",
            sentence="m1 has the same group, topics and strategy as two others. Find the member whose row differs from three others.",
            source=(
                "def odd_line(lines):\n"
                "    for kind, words in (\n"
                "        (\"topics\", \"Subscribed\"),\n"
                "        (\"strategy\", \"strategy =\"),\n"
                "        (\"group\", \"group.id =\"),\n"
                "    ):\n"
                "        said = [line.split(\" \", 1) for line in lines if words in line]\n"
                "        for client, setting in said:\n"
                "            if sum(other == setting for _, other in said) == 1:\n"
                "                return client, kind\n"
                "odd_one = {team: \"m1\" for team in shown}\n"
                "differs = {team: odd_line(lines)[1] for team, lines in shown.items()}"
            ),
        ),
        WrongAnswer(
            name="a setting that does no harm",
            sentence="That member reads in other portions (max.poll.records). Each member may choose this for itself. Only group.id, topics and strategy concern the group.",
            source=(
                "def odd_line(lines):\n"
                "    for kind, words in (\n"
                "        (\"topics\", \"Subscribed\"),\n"
                "        (\"strategy\", \"strategy =\"),\n"
                "        (\"group\", \"group.id =\"),\n"
                "    ):\n"
                "        said = [line.split(\" \", 1) for line in lines if words in line]\n"
                "        for client, setting in said:\n"
                "            if sum(other == setting for _, other in said) == 1:\n"
                "                return client, kind\n"
                "def portions(lines):\n"
                "    said = [line.split(\" \", 1) for line in lines if \"max.poll.records\" in line]\n"
                "    return next(c for c, row in said if sum(other == row for _, other in said) == 1)\n"
                "\n"
                "\n"
                "odd_one = {team: portions(lines) for team, lines in shown.items()}\n"
                "differs = {team: odd_line(lines)[1] for team, lines in shown.items()}"
            ),
        ),
    ),
    truth=lambda case: {
        "odd_one": planted(case["story"])[1],
        "differs": planted(case["story"])[0],
    },
    right="right: one setting in one program, and the whole group feels it.",
    otherwise=(
        "not this one, or not this setting. Compare the members row by row. Three of them agree, "
        "and the row must be one that the group feels."
    ),
)


# %% 07.6
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.group_protocol import ownership_changes, shift


@cache
def _gaps(strategy: str, work_ms: int) -> tuple[tuple[tuple[int, int, bool], ...], int]:
    """((when it ended, milliseconds, of one member) of each time a partition had no owner, and how
    long m4 waits), by what the consumers had; the lines are not looked at."""
    lab = shift(strategy, work_ms)
    has: dict[str, set] = {}
    free_since: dict[str, tuple[int, str]] = {}
    gaps, first = [], 0
    for event in lab.journal.of("assigned"):
        now, before = set(event.partitions), has.get(event.who, set())
        for tp in sorted(now - before):
            if tp in free_since:
                begun_ms, whose = free_since.pop(tp)
                gaps.append((event.at_ms, event.at_ms - begun_ms, whose == event.who))
            if event.who == "m4" and not first:
                first = event.at_ms - 30_000
        for tp in sorted(before - now):
            free_since[tp] = event.at_ms, event.who
        has[event.who] = now
    lab.close()
    return tuple(gaps), first


@cache
def _revoked_only(strategy: str, work_ms: int) -> int:
    """The milliseconds of the gaps that begin with a line of Revoke."""
    lab, given_up, total = shift(strategy, work_ms), {}, 0
    for at_ms, _, what, partition in ownership_changes(lab):
        if what == "Revoke":
            given_up[partition] = at_ms
        elif what == "Adding":
            total += at_ms - given_up.pop(partition, at_ms)
    lab.close()
    return total


def _each_gap(case: dict, until_ms: int = 10**9) -> list[int]:
    found, _ = _gaps(case["strategy"], case["work_ms"])
    return [ms for ended_ms, ms, _ in found if ended_ms < until_ms]


def _waits(case: dict) -> int:
    return _gaps(case["strategy"], case["work_ms"])[1]


def _with_waits(total):
    """The answer with this number of milliseconds without an owner, and the right wait of m4."""
    return lambda case: {"ms_without_owner": total(case), "newcomer_waits_ms": _waits(case)}


def _why(case: dict) -> str:
    if case["strategy"] == "CooperativeSticky":
        return (
            "right: each step of the cooperative protocol waits for a turn of m2, and m4 with it."
        )
    return "right: the eager members give up everything, and then wait for one turn of m2."


JUDGE_07_6 = Judge(
    id="07.6",
    wrong_answers=(
        WrongAnswer(
            name="the longest gap",
            sentence="That is the longest single gap. The question asks for all gaps of all partitions, added up.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {a: max(all_gaps(x)) for a, x in n.items()}"
            ),
            says=(
_with_waits(lambda case: max(_each_gap(case)))
            ),
        ),
        WrongAnswer(
            name="the number of gaps",
            sentence="That is how many gaps there are. Add up how long each one lasted instead of counting rows.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {a: len(all_gaps(x)) for a, x in n.items()}"
            ),
            says=(
_with_waits(lambda case: len(_each_gap(case)))
            ),
        ),
        WrongAnswer(
            name="in seconds",
            sentence="The sum is right, in seconds. Give it in milliseconds, as the rows have it.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {a: sum(all_gaps(x)) / 1000 for a, x in n.items()}"
            ),
            says=(
_with_waits(lambda case: sum(_each_gap(case)) / 1000)
            ),
        ),
        WrongAnswer(
            name="the average gap",
            sentence="That is the average gap. The cost is their sum.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {\n"
                "    a: (lambda gaps: round(sum(gaps) / len(gaps)))(all_gaps(x)) for a, x in n.items()\n"
                "}"
            ),
            says=(
_with_waits(lambda case: round(sum(_each_gap(case)) / len(_each_gap(case))))
            ),
        ),
        WrongAnswer(
            name="the first rebalance only",
            sentence="That is the first rebalance alone. m1 leaves later, and that costs as well.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {a: sum(all_gaps(x, until=45_000)) for a, x in n.items()}"
            ),
            says=(
_with_waits(lambda case: sum(_each_gap(case, until_ms=45_000)))
            ),
        ),
        WrongAnswer(
            name="paired by client",
            sentence="You paired the lines of each client by itself. A partition that one member gives up is often taken over by another: leave the client out of the window.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {a: sum(all_gaps(x, same=True)) for a, x in n.items()}"
            ),
            says=(
_with_waits(
    lambda case: sum(ms for _, ms, own in _gaps(case["strategy"], case["work_ms"])[0] if own)
)
            ),
        ),
        WrongAnswer(
            name="lost partitions left out",
            sentence="You paired only the lines with Revoke. A member that leaves in the middle of a rebalance writes \"Lost previously assigned partitions\": these have no owner, too.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "def only_revoked(group):\n"
                "    given_up, total = {}, 0\n"
                "    for at_ms, _, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what == \"Revoke\":\n"
                "            given_up[partition] = at_ms\n"
                "        elif what == \"Adding\":\n"
                "            total += at_ms - given_up.pop(partition, at_ms)\n"
                "    return total\n"
                "\n"
                "\n"
                "ms_without_owner = {a: only_revoked(x) for a, x in n.items()}"
            ),
            says=(
_with_waits(lambda case: _revoked_only(case["strategy"], case["work_ms"]))
            ),
        ),
        WrongAnswer(
            name="the moment and not the wait",
            sentence="That is when m4 got its partition, counted from the start of the lab. m4 started at 30,000 ms.",
            source=(
                "def all_gaps(group, until=10**9, same=False):\n"
                "    given_up, gaps = {}, []\n"
                "    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):\n"
                "        if what != \"Adding\":\n"
                "            given_up[partition] = at_ms, client\n"
                "        elif partition in given_up and at_ms < until:\n"
                "            begun, whose = given_up.pop(partition)\n"
                "            if not same or whose == client:\n"
                "                gaps.append(at_ms - begun)\n"
                "    return gaps\n"
                "\n"
                "\n"
                "def first_add(group):\n"
                "    return next(\n"
                "        at_ms - 30_000\n"
                "        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))\n"
                "        if client == \"m4\" and what == \"Adding\"\n"
                "    )\n"
                "\n"
                "\n"
                "newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}\n"
                "ms_without_owner = {a: sum(all_gaps(x)) for a, x in n.items()}\n"
                "newcomer_waits_ms = {a: first_add(x) + 30_000 for a, x in n.items()}"
            ),
            says=(
lambda case: {
    "ms_without_owner": sum(_each_gap(case)),
    "newcomer_waits_ms": _waits(case) + 30_000,
}
            ),
        ),
    ),
    truth=_with_waits(lambda case: sum(_each_gap(case))),
    right=_why,
    otherwise=(
        "not these milliseconds. Pair each revoke with the next add of the same partition in the "
        "same group. For m4, take its first add."
    ),
)


# %% all
JUDGES = (
    JUDGE_07_1,
    JUDGE_07_2,
    JUDGE_07_3,
    JUDGE_07_4,
    JUDGE_07_5,
    JUDGE_07_6,
)
