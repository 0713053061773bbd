"""Groups whose members speak both protocols: who owns what while they are restarted.

The numbers of the to and fro are those of brokers and clients 4.4.0, of which one member after
another was restarted.
"""

import random

import pytest

from kafkalab import KafkaConsumer, Lab
from kafkalab.errors import KafkaException
from kafkalab.stories.group_protocol import CLASS, GROUP, start
from kafkalab.tests.shares import few

NEW = {"group.protocol": "consumer"}
LIFE_MS = 15_000


def a_lab(seed=3, brokers=1, **policy):
    lab = Lab(
        brokers=brokers,
        seed=seed,
        version="4.4",
        broker_version="4.4",
        broker_config={f"group.consumer.migration.{key}": value for key, value in policy.items()},
    )
    lab.create_topic("orders", partitions=6)
    return lab


def shares(lab):
    """The partitions of each member that the group has now, by client."""
    members = group_of(lab)["members"].values()
    return {member["client_id"]: member["assignment"] for member in members}


def group_of(lab):
    return lab.at(lab.now_ms)["groups"][GROUP]


def restarted(lab, strategies, static=False):
    """Three members of Range, then each is restarted with each of these in turn; what the group was
    after every restart: its type, its assignor, its generation, and how many partitions are read.

    strategies: an assignor of the classic protocol, or NEW
    """

    def settings(number, own=None):
        name = {"group.instance.id": f"clerk-{number}"} if static else {}
        return {**name, **(own or {})}

    for number in range(3):
        start(
            lab, f"m{number}", "Range", stays_ms=LIFE_MS * (1 + number), settings=settings(number)
        )
    lab.run_for(ms=LIFE_MS - 3_000)
    seen = []
    for turn, strategy in enumerate(strategies):
        for number in range(3):
            lab.run_for(ms=3_000)
            own = NEW if strategy is NEW else None
            start(
                lab,
                f"m{number}",
                None if own else strategy,
                settings=settings(number, own),
                stays_ms=3 * LIFE_MS - 900,
                process=f"m{number} life {2 + turn}",
            )
            lab.run_for(ms=LIFE_MS - 3_000)
            group = group_of(lab)
            read = [place for member in group["members"].values() for place in member["assignment"]]
            assert group["state"] == "Stable" and len(read) == len(set(read))
            seen.append((group["type"], group["protocol"], group["generation"], len(read)))
    return seen


@pytest.mark.corpus
def test_a_group_goes_to_the_new_protocol_and_back_member_by_member():
    lab = a_lab()
    assert restarted(lab, [NEW, "Range"]) == [
        ("consumer", "uniform", 2, 6),
        ("consumer", "uniform", 4, 6),
        ("consumer", "uniform", 6, 6),
        ("consumer", "uniform", 8, 6),
        ("consumer", "uniform", 10, 6),
        ("classic", "range", 11, 6),
    ]
    said = "\n".join(lab.broker_lines(0).message)
    assert said.count("Converted the classic group to a consumer group.") == 1
    assert said.count("Converted the consumer group to a classic group.") == 1
    assert "using the classic protocol." in said and "using the consumer protocol." in said
    assert f"Downgrade group {GROUP} from consumer to classic for member leaving." in said


@pytest.mark.parametrize("seed", few([1, 2]))
def test_a_cooperative_member_keeps_what_does_not_move(seed):
    lab = a_lab(seed)
    start(lab, "m0", "CooperativeSticky")
    lab.run_for(ms=10_000)
    start(lab, "m1", None, settings=NEW)
    lab.run_for(ms=20_000)
    given_up = [
        line for line in lab.lines("m0").message if "Revoke previously assigned partitions" in line
    ]
    assert [len(places) for places in shares(lab).values()] == [3, 3]
    assert len(given_up) == 1 and given_up[0].count("orders-") == 3


def test_a_static_member_changes_its_protocol_and_keeps_its_partitions():
    lab = a_lab()
    start(lab, "m0", "Range", stays_ms=10_000, settings={"group.instance.id": "clerk-0"})
    start(lab, "m1", "Range", settings={"group.instance.id": "clerk-1"})
    lab.run_for(ms=9_000)
    before = shares(lab)["m0"]
    lab.run_for(ms=3_000)
    start(lab, "m0", None, settings={**NEW, "group.instance.id": "clerk-0"}, process="m0 again")
    lab.run_for(ms=15_000)
    assert shares(lab)["m0"] == before and group_of(lab)["type"] == "consumer"


def test_a_static_member_that_comes_back_to_the_old_protocol_makes_the_group_classic():
    lab = a_lab()
    settings = {"group.instance.id": "clerk-0"}
    start(lab, "m0", None, stays_ms=10_000, settings={**NEW, **settings})
    start(lab, "m1", "Range", settings={"group.instance.id": "clerk-1"})
    lab.run_for(ms=12_000)
    assert group_of(lab)["type"] == "consumer"
    start(lab, "m0", "Range", settings=settings, process="m0 again")
    lab.run_for(ms=15_000)
    assert group_of(lab)["type"] == "classic"
    assert sum(map(len, shares(lab).values())) == 6


@pytest.mark.parametrize(
    ("first", "second", "policy", "words"),
    [
        ({}, NEW, "disabled", "because online upgrade is disabled"),
        ({}, NEW, "DOWNGRADE", "because online upgrade is disabled"),
        (NEW, {}, "disabled", "protocols are incompatible"),
    ],
)
def test_a_policy_keeps_the_other_protocol_out(first, second, policy, words):
    lab = a_lab(policy=policy)
    start(lab, "m0", None, settings=first)
    lab.run_for(ms=8_000)
    start(lab, "m1", None, settings=second)
    with pytest.raises(KafkaException, match=words):
        lab.run_for(ms=8_000)


def test_without_downgrades_the_group_stays_a_new_one():
    lab = a_lab(policy="upgrade")
    start(lab, "m0", None, settings=NEW, stays_ms=15_000)
    lab.run_for(ms=8_000)
    start(lab, "m1", "Range")
    lab.run_for(ms=25_000)
    assert group_of(lab)["type"] == "consumer" and shares(lab) == {
        "m1": [f"orders-{number}" for number in range(6)]
    }


def test_a_silent_classic_member_is_removed_after_its_own_session():
    lab = a_lab()
    start(lab, "m0", None, settings=NEW)
    start(lab, "m1", "Range", settings={"session.timeout.ms": 6_000})
    lab.run_for(ms=20_000)
    lab.kill("m1")
    lab.run_for(ms=15_000)
    assert set(shares(lab)) == {"m0"} and len(shares(lab)["m0"]) == 6


def test_a_classic_member_without_an_assignor_in_common_is_refused():
    lab = a_lab()
    start(lab, "m0", None, settings=NEW)
    start(lab, "m1", "Range")
    lab.run_for(ms=15_000)
    start(lab, "m2", "RoundRobin")
    with pytest.raises(KafkaException, match="protocols are incompatible"):
        lab.run_for(ms=5_000)


@pytest.mark.corpus
def test_a_new_member_says_everything_after_a_lost_answer():
    lab = a_lab(brokers=3)
    start(lab, "m0", None, settings=NEW)
    lab.run_for(ms=8_000)
    lab.broker(lab.coordinator_of(GROUP)).crash()
    lab.run_for(ms=30_000)
    beats = lab.lines("m0").message
    beats = [line for line in beats if "Sending CONSUMER_GROUP_HEARTBEAT request" in line]
    full = ["subscribedTopicNames=[orders]" in line for line in beats]
    assert full.count(True) >= 2, "the first one, and the first that reaches the new coordinator"
    assert not full[-1], "what was said and answered is not said again"


def test_offsets_stay_with_the_group():
    lab = a_lab()
    consumer = KafkaConsumer(lab, {"group.id": GROUP, **NEW}, name="m0")
    consumer.subscribe(["orders"])
    for _ in range(40):
        consumer.poll(timeout_ms=200)
    consumer.commit_sync()
    start(lab, "m1", "Range")
    for _ in range(60):
        consumer.poll(timeout_ms=200)
    consumer.close()
    lab.run_for(ms=10_000)
    group = group_of(lab)
    assert group["type"] == "classic" and len(group["offsets"]) == 6


def any_story(seed):
    """Members of both kinds come, leave, crash and lose their coordinator; then nothing happens for
    a long time. Returns the group and who is alive."""
    dice = random.Random(seed)
    lab = a_lab(seed, brokers=dice.choice([1, 3]))
    until_ms: dict[str, int] = {}
    cooperative = [CLASS.format("CooperativeSticky"), CLASS.format("Range")]
    for number in range(12):
        chance = dice.random()
        if chance < 0.7 or not until_ms:
            name, stays_ms = f"m{number}", dice.choice([5_000, 20_000, 900_000])
            kind = dice.choice([NEW, NEW, {}, {"partition.assignment.strategy": cooperative}])
            session = {} if kind is NEW else {"session.timeout.ms": dice.choice([6_000, 10_000])}
            start(
                lab,
                name,
                None if kind else "Range",
                settings={**kind, **session},
                stays_ms=stays_ms,
                work_ms=dice.choice([0, 0, 800]),
            )
            until_ms[name] = lab.now_ms + stays_ms
        elif chance < 0.9:
            name = dice.choice(sorted(until_ms))
            lab.kill(name)
            del until_ms[name]
        lab.run_for(ms=dice.choice([100, 1_200, 3_300, 9_000]))
        until_ms = {name: end for name, end in until_ms.items() if end > lab.now_ms}
    lab.run_for(ms=150_000)
    return group_of(lab), {name for name, end in until_ms.items() if end > lab.now_ms}


@pytest.mark.parametrize(
    "seed", few([*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))])
)
def test_in_the_end_each_partition_has_one_owner(seed):
    group, alive = any_story(seed)
    assert {member["client_id"] for member in group["members"].values()} == alive
    if alive:
        read = [place for member in group["members"].values() for place in member["assignment"]]
        assert group["state"] == "Stable" and sorted(read) == [f"orders-{n}" for n in range(6)]
