"""Who reads which partition? Stories of the four assignors,
and what Java's classes made of the same members."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkalab.clients.consumer.assignors import (
    ASSIGNORS,
    MemberSubscription,
    PartitionAssignor,
    assign,
)
from kafkalab.clients.consumer.assignors.user_data import parse_sticky_user_data, sticky_user_data
from kafkalab.errors import IllegalStateException
from kafkalab.protocol.consumer_protocol import Subscription
from kafkalab.records import TopicPartition
from kafkalab.releases import PROFILES

CASES = json.loads(gzip.decompress((Path(__file__).parent / "assignor_cases.json.gz").read_bytes()))


def partitions(text):
    return tuple(
        TopicPartition(topic, int(number))
        for topic, _, number in (word.rpartition("-") for word in text.split())
    )


def wanting(topics, **more):
    return MemberSubscription(topics=tuple(topics.split()), **more)


def holding(topics, owned, generation=1, **more):
    return MemberSubscription(
        topics=tuple(topics.split()), owned=partitions(owned), generation=generation, **more
    )


def shown(name, version, partitions_of, members):
    return {
        member: " ".join(map(str, sorted(held)))
        for member, held in sorted(assign(name, PROFILES[version], partitions_of, members).items())
    }


def by_range(partitions_of, topics_of, version="2.3"):
    return shown(
        "range",
        version,
        partitions_of,
        {member: MemberSubscription(topics=tuple(topics)) for member, topics in topics_of.items()},
    )


def test_the_first_members_get_one_more():
    assert by_range({"t": 5}, {"b": ["t"], "a": ["t"]}) == {"a": "t-0 t-1 t-2", "b": "t-3 t-4"}


def test_each_topic_begins_anew_so_the_first_member_collects_the_extras():
    assert by_range({"t": 3, "u": 3}, {"a": ["t", "u"], "b": ["t", "u"]}) == {
        "a": "t-0 t-1 u-0 u-1",
        "b": "t-2 u-2",
    }


def test_a_member_too_many_goes_without():
    assert by_range({"t": 1}, {"a": ["t"], "b": ["t"]}) == {"a": "t-0", "b": ""}


def test_only_who_wants_a_topic_gets_of_it():
    assert by_range({"t": 2, "u": 2}, {"a": ["t"], "b": ["t", "u"]}) == {
        "a": "t-0",
        "b": "t-1 u-0 u-1",
    }


def test_a_topic_nobody_knows_is_left_out():
    assert by_range({"t": 1}, {"a": ["t", "ghost"]}) == {"a": "t-0"}


def test_members_are_sorted_as_texts():
    assert by_range({"t": 2}, {"inv-10": ["t"], "inv-9": ["t"]}) == {
        "inv-10": "t-0",
        "inv-9": "t-1",
    }


def test_static_members_come_first_from_2_4_on_by_instance_id():
    members = {
        "a": wanting("t"),
        "z": wanting("t", instance_id="one"),
        "y": wanting("t", instance_id="two"),
    }
    assert shown("range", "2.3", {"t": 3}, members) == {"a": "t-0", "y": "t-1", "z": "t-2"}
    assert shown("range", "2.8", {"t": 3}, members) == {"a": "t-2", "y": "t-1", "z": "t-0"}


def test_range_prefers_the_replica_next_door_from_3_5_on():
    members = {"a": wanting("t", rack_id="north"), "b": wanting("t", rack_id="south")}
    racks = {"t": [["south"], ["south"], ["north"], ["north"]]}
    assert shown("range", "2.8", racks, members) == {"a": "t-0 t-1", "b": "t-2 t-3"}
    assert shown("range", "3.6", racks, members) == {"a": "t-2 t-3", "b": "t-0 t-1"}


def test_roundrobin_deals_all_topics_in_one_round():
    members = {"a": wanting("t u"), "b": wanting("t u")}
    assert shown("roundrobin", "3.9", {"t": 3, "u": 3}, members) == {
        "a": "t-0 t-2 u-1",
        "b": "t-1 u-0 u-2",
    }


def test_a_second_member_takes_the_first_half_until_2_3_and_the_last_one_later():
    members = {
        "one": holding("orders", "orders-0 orders-1 orders-2 orders-3"),
        "two": wanting("orders"),
    }
    assert shown("sticky", "2.3", {"orders": 4}, members) == {
        "one": "orders-2 orders-3",
        "two": "orders-0 orders-1",
    }
    assert shown("sticky", "2.8", {"orders": 4}, members) == {
        "one": "orders-0 orders-1",
        "two": "orders-2 orders-3",
    }


def test_cooperative_sticky_withholds_what_has_yet_to_be_revoked():
    members = {"one": holding("t", "t-0 t-1 t-2 t-3"), "two": holding("t", "")}
    assert shown("cooperative-sticky", "3.9", {"t": 4}, members) == {"one": "t-0 t-1", "two": ""}
    members = {"one": holding("t", "t-0 t-1", 2), "two": holding("t", "", 2)}
    assert shown("cooperative-sticky", "3.9", {"t": 4}, members) == {
        "one": "t-0 t-1",
        "two": "t-2 t-3",
    }


def test_of_two_claims_the_newer_generation_wins():
    members = {"slept": holding("t", "t-0 t-1", 4), "worked": holding("t", "t-1 t-0", 5)}
    assert shown("sticky", "2.3", {"t": 3}, members) == {"slept": "t-2", "worked": "t-0 t-1"}
    assert shown("sticky", "3.9", {"t": 3}, members) == {"slept": "t-2", "worked": "t-0 t-1"}


def test_cooperative_sticky_did_not_exist_before_2_4():
    with pytest.raises(ValueError, match="2.4"):
        shown("cooperative-sticky", "2.3", {"t": 1}, {"a": wanting("t")})
    with pytest.raises(ValueError, match="range, roundrobin"):
        shown("stickiest", "2.3", {"t": 1}, {"a": wanting("t")})


@given(
    st.sampled_from(ASSIGNORS),
    st.sampled_from([v for v in PROFILES if v > "2.3"]),
    st.dictionaries(st.sampled_from("tuvw"), st.integers(0, 12), min_size=1),
    st.sets(st.text("abc-12", min_size=1, max_size=4), min_size=1, max_size=6),
)
def test_every_partition_has_one_reader_and_the_shares_are_even(name, version, counts, members):
    assignment = assign(
        name,
        PROFILES[version],
        counts,
        {member: MemberSubscription(topics=tuple(counts)) for member in members},
    )
    given_away = [tp for held in assignment.values() for tp in held]
    assert len(given_away) == len(set(given_away)) == sum(counts.values())
    for topic in counts if name == "range" else [None]:
        shares = [sum(topic in (None, tp.topic) for tp in held) for held in assignment.values()]
        assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize("name", ["sticky", "cooperative-sticky"])
def test_who_stays_keeps_all_but_what_balance_takes(name):
    """In 3.9, twelve members with ten partitions each: one leaves, nobody else loses anything;
    one comes, it gets nine."""
    counts, members = {"t": 120}, {f"m{n:02}": wanting("t") for n in range(12)}
    first = assign(name, PROFILES["3.9"], counts, members)
    left = {
        m: MemberSubscription(topics=("t",), owned=tuple(held), generation=1)
        for m, held in first.items()
        if m != "m03"
    }
    second = assign(name, PROFILES["3.9"], counts, left)
    assert (
        all(set(left[m].owned) <= set(second[m]) for m in left)
        and sum(map(len, second.values())) == 120
    )
    joined = {
        m: MemberSubscription(topics=("t",), owned=tuple(held), generation=2)
        for m, held in second.items()
    } | {"new": holding("t", "", 2)}
    third = assign(name, PROFILES["3.9"], counts, joined)
    assert len(third["new"]) == (10 if name == "sticky" else 0)
    assert sum(map(len, third.values())) == (120 if name == "sticky" else 110)


def test_user_data_survives_the_journey_and_nonsense_is_no_past():
    held = partitions("t4-2 orders-1 orders-0")
    assert parse_sticky_user_data(sticky_user_data(held, 7)) == (held, 7)
    assert parse_sticky_user_data(sticky_user_data(held, None)) == (held, None)
    assert parse_sticky_user_data(b"") == (None, None)
    assert parse_sticky_user_data(b"\x00\x00\x00\x09nonsense") == ((), -1)


def test_an_assignor_remembers_between_two_rebalances():
    one = PartitionAssignor("sticky", PROFILES["2.3"], lambda name, **values: None)
    two = PartitionAssignor("sticky", PROFILES["2.3"], lambda name, **values: None)
    assert one.subscription_user_data() is None
    alone = one.assign({"orders": 4}, {"m1": Subscription(topics=("orders",))}, {})
    one.on_assignment(alone["m1"], 1)
    both = one.assign(
        {"orders": 4},
        {
            "m1": Subscription(topics=("orders",), user_data=one.subscription_user_data()),
            "m2": Subscription(topics=("orders",), user_data=two.subscription_user_data()),
        },
        {},
    )
    assert {m: sorted(map(str, held)) for m, held in both.items()} == {
        "m1": ["orders-2", "orders-3"],
        "m2": ["orders-0", "orders-1"],
    }


def _member(text):
    topics, owned, generation, instance_id, rack = text
    return MemberSubscription(
        topics=tuple(topics),
        owned=None if owned is None else partitions(owned),
        generation=generation,
        instance_id=instance_id,
        rack_id=rack,
    )


@pytest.mark.parametrize("version", CASES["versions"])
def test_random_members_get_what_the_class_of_the_release_gave_them(version):
    """Hundreds of random groups (unequal subscriptions, claims of several generations, racks), put
    before Java's classes: equal to the order.

    None stands for a NullPointerException, which we do not have; a text for the
    IllegalStateException's message.
    """
    for case in CASES["cases"]:
        expected = case["results"][CASES["versions"].index(version)]
        if expected is None or expected == "absent":
            continue
        members = {member: _member(text) for member, text in case["members"].items()}
        asked = (
            case["assignor"],
            PROFILES[".".join(version.split(".")[:2])],
            case["topics"],
            members,
        )
        if isinstance(expected, str):
            with pytest.raises(IllegalStateException) as raised:
                assign(*asked)
            assert str(raised.value) == expected
        else:
            given_out = [(m, " ".join(map(str, held))) for m, held in assign(*asked).items()]
            assert given_out == list(map(tuple, expected)), (version, case)
