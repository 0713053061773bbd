"""Tests the score of assignors on a group of fifty."""

import pytest

from kafkalab.stories import big_group


def to_the_first(partitions, subscriptions):
    plan = {member: [] for member in subscriptions}
    plan[min(plan)] = [(topic, n) for topic, count in partitions.items() for n in range(count)]
    return plan


def by_turns(partitions, subscriptions):
    """RoundRobin, written otherwise."""
    members, plan = sorted(subscriptions), {member: [] for member in subscriptions}
    places = [(topic, n) for topic in sorted(partitions) for n in range(partitions[topic])]
    for turn, place in enumerate(places):
        plan[members[turn % len(members)]].append(place)
    return plan


def test_sticky_moves_little_and_range_much_more():
    table = big_group.score(by_turns)
    moved = table["moved without need"]
    assert moved["yours"] == moved["roundrobin"] > moved["range"] > 20 * moved["sticky"]
    assert table["largest difference"].to_dict() == {
        "yours": 1,
        "range": 2,
        "roundrobin": 1,
        "sticky": 1,
    }
    assert big_group.score(to_the_first)["largest difference"]["yours"] == 175


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda plan: plan[min(plan)].pop(), "the plan and the topics differ in"),
        (lambda plan: plan[max(plan)].append(("orders", 0)), "to two members"),
        (lambda plan: plan.update(zoe=[]), "zoe, who is not in the group"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(spoil, says):
    def wrong(partitions, subscriptions):
        plan = to_the_first(partitions, subscriptions)
        spoil(plan)
        return plan

    with pytest.raises(ValueError, match=says):
        big_group.score(wrong)
