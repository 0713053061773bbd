"""The new group protocol (KIP-848) from the coordinator's side: nobody stops, each member moves in its own heartbeats."""

import pytest

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.groups.modern.assignors import range_, uniform
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroupMember
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.releases import broker_profile
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.messages import (
    ConsumerGroupHeartbeatRequest, HeartbeatTopicPartitions, JoinGroupRequest, OffsetCommitRequest, OffsetCommitRequestPartition,
    OffsetCommitRequestTopic, OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics,
)
from kafkalab.tests.broker.driver import RANGE, ByHand, a_cluster


class Group:
    """A coordinator, and members who speak to it."""

    def __init__(self, topics=(("orders", 4),), **config):
        self.cluster = a_cluster(topics=topics)
        self.machine = GroupCoordinator(0, broker_profile("4.4"), self.cluster, BrokerConfig(**config), lambda caller: "uuid")
        self.hand = ByHand(self.machine.handle)
        self.hand.on_timer = self.machine.on_timer

    def beat(self, member, epoch, *, owned=None, topics=None, **more):
        listed = None if owned is None else tuple(
            HeartbeatTopicPartitions(topic_id=self.cluster.topics[t].topic_id, partitions=tuple(n)) for t, n in owned.items())
        if epoch == 0:
            topics, listed, more = topics or ("orders",), (), {"rebalance_timeout_ms": 300_000, **more}
        answer = self.hand.ask(ConsumerGroupHeartbeatRequest(
            group_id="shop", member_id=member, member_epoch=epoch, subscribed_topic_names=topics, topic_partitions=listed, **more))
        assert answer.error_code == 0, answer
        return answer.member_epoch, self.shown(answer)

    def refused(self, member, epoch, **more):
        return error_for(self.hand.ask(ConsumerGroupHeartbeatRequest(group_id="shop", member_id=member, member_epoch=epoch, **more)).error_code)

    def shown(self, answer):
        if answer.assignment is None:
            return None
        return {self.cluster.name_of(t.topic_id): list(t.partitions) for t in answer.assignment.topic_partitions}

    @property
    def group(self):
        return self.machine.modern.groups["shop"]

    def state(self):
        return str(self.group.state)

    def commit(self, member, epoch, partition=0):
        answer = self.hand.ask(OffsetCommitRequest(group_id="shop", generation_id_or_member_epoch=epoch, member_id=member, topics=(
            OffsetCommitRequestTopic(name="orders", partitions=(OffsetCommitRequestPartition(partition_index=partition, committed_offset=3),)),)))
        return error_for(answer.topics[0].partitions[0].error_code)


def test_the_first_member_has_everything_at_once_in_epoch_2():
    shop = Group()
    assert shop.beat("one", 0) == (2, {"orders": [0, 1, 2, 3]})
    assert shop.beat("one", 2, owned={"orders": [0, 1, 2, 3]}) == (2, None)
    assert shop.state() == "Stable"


def test_a_second_member_waits_until_the_first_has_given_up():
    shop = Group()
    shop.beat("one", 0)
    shop.beat("one", 2, owned={"orders": [0, 1, 2, 3]})
    shop.hand.wait(5_000)
    assert shop.beat("two", 0) == (3, {})                                   # the target is computed, its partitions are not free
    assert shop.state() == "Reconciling"
    assert shop.beat("one", 2) == (2, {"orders": [0, 1]})                   # told to give up two, and stays in its epoch
    assert shop.beat("two", 3) == (3, None)                                 # still not free
    assert shop.beat("one", 2, owned={"orders": [0, 1]}) == (3, None)       # gave up: its epoch grows
    assert shop.beat("two", 3) == (3, {"orders": [2, 3]})
    assert shop.state() == "Stable"


def test_a_target_is_computed_at_most_once_a_second():
    shop = Group()
    shop.beat("one", 0)
    shop.hand.wait(600)
    assert shop.beat("two", 0) == (2, {})                                   # the old target, which does not know it
    assert shop.state() == "Assigning"
    shop.hand.wait(4_400)
    assert shop.beat("one", 2) == (2, {"orders": [0, 1]})


def test_after_a_leave_the_target_waits_for_the_next_heartbeat():
    shop = Group()
    shop.beat("one", 0)
    shop.hand.wait(2_000)
    shop.beat("two", 0)
    shop.beat("one", 2)
    shop.beat("one", 2, owned={"orders": [0, 1]})
    shop.beat("two", 3)
    shop.hand.wait(2_000)
    assert shop.beat("two", -1)[0] == -1
    assert shop.state() == "Assigning" and shop.group.epoch == 4
    assert shop.beat("one", 3) == (4, {"orders": [0, 1, 2, 3]})


def test_a_silent_member_is_fenced_when_its_session_ends():
    shop = Group()
    shop.beat("one", 0)
    shop.hand.wait(2_000)
    shop.beat("two", 0)
    shop.hand.wait(44_000)
    assert set(shop.group.members) == {"two"}                               # one was last heard of two seconds earlier
    shop.hand.wait(2_000)
    assert "two" not in shop.group.members
    assert shop.refused("two", 3) is Errors.UNKNOWN_MEMBER_ID


def test_who_does_not_give_up_in_time_is_fenced():
    shop = Group()
    shop.beat("one", 0, rebalance_timeout_ms=10_000)
    shop.hand.wait(2_000)
    shop.beat("two", 0)
    shop.beat("one", 2)
    shop.hand.wait(5_000)
    shop.beat("one", 2)                                                     # alive, but it has revoked nothing
    shop.hand.wait(10_000)
    assert shop.refused("one", 2) is Errors.UNKNOWN_MEMBER_ID
    assert shop.beat("two", 3) == (4, {"orders": [0, 1, 2, 3]})


@pytest.mark.parametrize("epoch,error", [(9, Errors.FENCED_MEMBER_EPOCH), (1, Errors.FENCED_MEMBER_EPOCH), (2, Errors.NONE)])
def test_an_epoch_must_fit(epoch, error):
    shop = Group()
    shop.beat("one", 0)
    assert shop.refused("one", epoch) is error


def test_the_last_epoch_is_believed_when_its_answer_may_have_been_lost():
    shop = Group()
    shop.beat("one", 0)
    shop.hand.wait(2_000)
    shop.beat("two", 0)
    shop.beat("one", 2)
    assert shop.beat("one", 2, owned={"orders": [0, 1]})[0] == 3
    assert shop.beat("one", 2, owned={"orders": [0, 1]})[0] == 3            # the same again
    assert shop.refused("one", 2) is Errors.FENCED_MEMBER_EPOCH             # says nothing of what it owns


def test_a_static_member_comes_back_to_what_it_had():
    shop = Group()
    shop.beat("one", 0, instance_id="till")
    assert shop.refused("else", 0, instance_id="till", rebalance_timeout_ms=1, subscribed_topic_names=("orders",)) is Errors.UNRELEASED_INSTANCE_ID
    assert shop.beat("one", -2, instance_id="till")[0] == -2
    assert shop.beat("anew", 0, instance_id="till") == (2, {"orders": [0, 1, 2, 3]})
    assert shop.refused("one", 2, instance_id="till") is Errors.FENCED_INSTANCE_ID


def test_commits_carry_the_member_epoch():
    shop = Group()
    shop.beat("one", 0)
    assert shop.commit("one", 2) is Errors.NONE
    assert shop.commit("one", 1) is Errors.STALE_MEMBER_EPOCH
    assert shop.commit("stranger", 2) is Errors.UNKNOWN_MEMBER_ID
    answer = shop.hand.ask(OffsetFetchRequest(groups=(OffsetFetchRequestGroup(
        group_id="shop", member_id="one", member_epoch=1, topics=(OffsetFetchRequestTopics(name="orders", partition_indexes=(0,)),)),)))
    assert error_for(answer.groups[0].error_code) is Errors.STALE_MEMBER_EPOCH


def test_a_group_is_of_one_kind_but_changes_sides_when_empty():
    shop = Group()
    shop.beat("one", 0)
    shop.commit("one", 2)
    join = JoinGroupRequest(group_id="shop", session_timeout_ms=10_000, rebalance_timeout_ms=10_000, member_id="", protocol_type="consumer",
                            protocols=RANGE)
    assert error_for(shop.hand.ask(join).error_code) is Errors.INCONSISTENT_GROUP_PROTOCOL
    shop.beat("one", -1)
    assert shop.state() == "Empty"
    assert error_for(shop.hand.ask(join).error_code) is Errors.MEMBER_ID_REQUIRED
    assert shop.machine.classic.groups["shop"].offsets["orders", 0].offset == 3
    assert shop.refused("two", 0, rebalance_timeout_ms=1, subscribed_topic_names=("orders",)) is Errors.GROUP_ID_NOT_FOUND


def test_a_new_topic_of_a_pattern_reaches_the_members():
    shop = Group(topics=(("orders-eu", 2),))
    answer = shop.hand.ask(ConsumerGroupHeartbeatRequest(group_id="shop", member_id="one", member_epoch=0, rebalance_timeout_ms=1_000,
                                                         subscribed_topic_regex="orders-.*", topic_partitions=()))
    assert shop.shown(answer) == {"orders-eu": [0, 1]}
    shop.cluster.create_topic("orders-us", 1)
    shop.hand.wait(5_000)
    assert shop.beat("one", 2) == (3, {"orders-eu": [0, 1], "orders-us": [0]})


@pytest.mark.parametrize("request_,error", [
    (dict(member_epoch=0, subscribed_topic_names=("orders",)), Errors.INVALID_REQUEST),
    (dict(member_epoch=0, rebalance_timeout_ms=1), Errors.INVALID_REQUEST),
    (dict(member_epoch=-2), Errors.INVALID_REQUEST),
    (dict(member_epoch=3), Errors.GROUP_ID_NOT_FOUND),
    (dict(member_epoch=0, rebalance_timeout_ms=1, subscribed_topic_names=("orders",), server_assignor="fair"), Errors.UNSUPPORTED_ASSIGNOR),
])
def test_what_cannot_be_is_refused(request_, error):
    epoch = request_.pop("member_epoch")
    assert Group().refused("one", epoch, **request_) is error


def test_uniform_keeps_what_it_can_and_range_does_not_care():
    members = {m: ConsumerGroupMember(m) for m in ("a", "b", "c")}
    topics = dict.fromkeys(members, ("t",))
    before = {"a": frozenset({("t", 4), ("t", 5)}), "b": frozenset({("t", 0), ("t", 1), ("t", 2), ("t", 3)})}
    target = uniform(members, topics, {"t": 6}, before)
    assert target == {"a": before["a"], "b": {("t", 0), ("t", 1)}, "c": {("t", 2), ("t", 3)}}
    assert range_(members, topics, {"t": 6}, before)["a"] == {("t", 0), ("t", 1)}


def test_uniform_serves_members_with_different_wishes_evenly():
    members = {m: ConsumerGroupMember(m) for m in "ab"}
    target = uniform(members, {"a": ("t", "u"), "b": ("t",)}, {"t": 4, "u": 2}, {})
    assert {m: len(held) for m, held in target.items()} == {"a": 3, "b": 3}
    assert {p for p in target["a"] if p[0] == "u"} == {("u", 0), ("u", 1)}
