"""The new group protocol (KIP-848) from the coordinator's side:
nobody stops, each member moves in its own heartbeats."""

import pytest

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.metadata_cache import MetadataCache
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.broker.groups.modern.assignors import range_, uniform
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroupMember
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.messages import (
    ConsumerGroupHeartbeatRequest,
    HeartbeatTopicPartitions,
    JoinGroupRequest,
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from kafkalab.releases import broker_profile
from kafkalab.tests.broker.driver import RANGE, ByHand, a_cluster


class Group:
    """A coordinator, and members who speak to it."""

    def __init__(self, topics=(("orders", 4),), **config):
        self.cluster = a_cluster(topics=topics)
        self.machine = GroupCoordinator(
            0, broker_profile("4.4"), self.cluster, BrokerConfig(**config), lambda caller: "uuid"
        )
        self.hand = ByHand(self.machine.handle)
        self.hand.on_timer = self.machine.on_timer

    def beat(self, member, epoch, *, owned=None, topics=None, **more):
        listed = (
            None
            if owned is None
            else tuple(
                HeartbeatTopicPartitions(
                    topic_id=self.cluster.topics[t].topic_id, partitions=tuple(n)
                )
                for t, n in owned.items()
            )
        )
        if epoch == 0:
            topics, listed, more = (
                topics or ("orders",),
                (),
                {"rebalance_timeout_ms": 300_000, **more},
            )
        answer = self.hand.ask(
            ConsumerGroupHeartbeatRequest(
                group_id="shop",
                member_id=member,
                member_epoch=epoch,
                subscribed_topic_names=topics,
                topic_partitions=listed,
                **more,
            )
        )
        assert answer.error_code == 0, answer
        return answer.member_epoch, self.shown(answer)

    def refused(self, member, epoch, **more):
        return error_for(
            self.hand.ask(
                ConsumerGroupHeartbeatRequest(
                    group_id="shop", member_id=member, member_epoch=epoch, **more
                )
            ).error_code
        )

    def shown(self, answer):
        if answer.assignment is None:
            return None
        return {
            self.cluster.name_of(t.topic_id): list(t.partitions)
            for t in answer.assignment.topic_partitions
        }

    @property
    def group(self):
        return self.machine.table.modern["shop"]

    def state(self):
        return str(self.group.state)

    def commit(self, member, epoch, partition=0):
        answer = self.hand.ask(
            OffsetCommitRequest(
                group_id="shop",
                generation_id_or_member_epoch=epoch,
                member_id=member,
                topics=(
                    OffsetCommitRequestTopic(
                        name="orders",
                        partitions=(
                            OffsetCommitRequestPartition(
                                partition_index=partition, committed_offset=3
                            ),
                        ),
                    ),
                ),
            )
        )
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
    # the target is computed, its partitions are not free
    assert shop.beat("two", 0) == (3, {})
    assert shop.state() == "Reconciling"
    # told to give up two, and stays in its epoch
    assert shop.beat("one", 2) == (2, {"orders": [0, 1]})
    assert shop.beat("two", 3) == (3, None)  # still not free
    # gave up: its epoch grows
    assert shop.beat("one", 2, owned={"orders": [0, 1]}) == (3, None)
    assert shop.beat("two", 3) == (3, {"orders": [2, 3]})
    assert shop.state() == "Stable"


def test_a_target_is_computed_at_most_once_a_second():
    shop = Group()
    shop.beat("one", 0)
    shop.hand.wait(600)
    # the old target, which does not know it
    assert shop.beat("two", 0) == (2, {})
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
    # one was last heard of two seconds earlier
    assert set(shop.group.members) == {"two"}
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
    # alive, but it has revoked nothing
    shop.beat("one", 2)
    shop.hand.wait(10_000)
    assert shop.refused("one", 2) is Errors.UNKNOWN_MEMBER_ID
    assert shop.beat("two", 3) == (4, {"orders": [0, 1, 2, 3]})


@pytest.mark.parametrize(
    "epoch,error",
    [(9, Errors.FENCED_MEMBER_EPOCH), (1, Errors.FENCED_MEMBER_EPOCH), (2, Errors.NONE)],
)
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
    assert shop.beat("one", 2, owned={"orders": [0, 1]})[0] == 3  # the same again
    # says nothing of what it owns
    assert shop.refused("one", 2) is Errors.FENCED_MEMBER_EPOCH


def test_a_static_member_comes_back_to_what_it_had():
    shop = Group()
    shop.beat("one", 0, instance_id="till")
    assert (
        shop.refused(
            "else",
            0,
            instance_id="till",
            rebalance_timeout_ms=1,
            subscribed_topic_names=("orders",),
        )
        is Errors.UNRELEASED_INSTANCE_ID
    )
    assert shop.beat("one", -2, instance_id="till")[0] == -2
    assert shop.beat("anew", 0, instance_id="till") == (2, {"orders": [0, 1, 2, 3]})
    assert shop.refused("one", 2, instance_id="till") is Errors.FENCED_INSTANCE_ID


def test_commits_carry_the_member_epoch():
    shop = Group()
    shop.beat("one", 0)
    assert shop.commit("one", 2) is Errors.NONE
    assert shop.commit("one", 1) is Errors.STALE_MEMBER_EPOCH
    assert shop.commit("stranger", 2) is Errors.UNKNOWN_MEMBER_ID
    answer = shop.hand.ask(
        OffsetFetchRequest(
            groups=(
                OffsetFetchRequestGroup(
                    group_id="shop",
                    member_id="one",
                    member_epoch=1,
                    topics=(OffsetFetchRequestTopics(name="orders", partition_indexes=(0,)),),
                ),
            )
        )
    )
    assert error_for(answer.groups[0].error_code) is Errors.STALE_MEMBER_EPOCH


def test_a_group_without_members_changes_sides():
    shop = Group(group_consumer_migration_policy="disabled")
    shop.beat("one", 0)
    shop.commit("one", 2)
    join = JoinGroupRequest(
        group_id="shop",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        member_id="",
        protocol_type="consumer",
        protocols=RANGE,
    )
    assert error_for(shop.hand.ask(join).error_code) is Errors.INCONSISTENT_GROUP_PROTOCOL
    shop.beat("one", -1)
    assert shop.state() == "Empty"
    assert error_for(shop.hand.ask(join).error_code) is Errors.MEMBER_ID_REQUIRED
    assert shop.machine.classic.groups["shop"].offsets["orders", 0].offset == 3
    assert (
        shop.refused("two", 0, rebalance_timeout_ms=1, subscribed_topic_names=("orders",))
        is Errors.GROUP_ID_NOT_FOUND
    )


def test_a_new_topic_of_a_pattern_reaches_the_members():
    shop = Group(topics=(("orders-eu", 2),))
    answer = shop.hand.ask(
        ConsumerGroupHeartbeatRequest(
            group_id="shop",
            member_id="one",
            member_epoch=0,
            rebalance_timeout_ms=1_000,
            subscribed_topic_regex="orders-.*",
            topic_partitions=(),
        )
    )
    assert shop.shown(answer) == {"orders-eu": [0, 1]}
    shop.cluster.create_topic("orders-us", 1)
    shop.hand.wait(5_000)
    assert shop.beat("one", 2) == (3, {"orders-eu": [0, 1], "orders-us": [0]})


@pytest.mark.parametrize(
    "request_,error",
    [
        (dict(member_epoch=0, subscribed_topic_names=("orders",)), Errors.INVALID_REQUEST),
        (dict(member_epoch=0, rebalance_timeout_ms=1), Errors.INVALID_REQUEST),
        (dict(member_epoch=-2), Errors.INVALID_REQUEST),
        (dict(member_epoch=3), Errors.GROUP_ID_NOT_FOUND),
        (
            dict(
                member_epoch=0,
                rebalance_timeout_ms=1,
                subscribed_topic_names=("orders",),
                server_assignor="fair",
            ),
            Errors.UNSUPPORTED_ASSIGNOR,
        ),
    ],
)
def test_what_cannot_be_is_refused(request_, error):
    epoch = request_.pop("member_epoch")
    assert Group().refused("one", epoch, **request_) is error


def test_uniform_keeps_what_it_can_and_range_does_not_care():
    members = {m: ConsumerGroupMember(m) for m in ("a", "b", "c")}
    topics = dict.fromkeys(members, ("t",))
    before = {
        "a": frozenset({("t", 4), ("t", 5)}),
        "b": frozenset({("t", 0), ("t", 1), ("t", 2), ("t", 3)}),
    }
    target = uniform(members, topics, {"t": 6}, before)
    assert target == {"a": before["a"], "b": {("t", 0), ("t", 1)}, "c": {("t", 2), ("t", 3)}}
    assert range_(members, topics, {"t": 6}, before)["a"] == {("t", 0), ("t", 1)}


def test_uniform_serves_members_with_different_wishes_evenly():
    members = {m: ConsumerGroupMember(m) for m in "ab"}
    target = uniform(members, {"a": ("t", "u"), "b": ("t",)}, {"t": 4, "u": 2}, {})
    assert {m: len(held) for m, held in target.items()} == {"a": 3, "b": 3}
    assert {p for p in target["a"] if p[0] == "u"} == {("u", 0), ("u", 1)}


def two_coordinators():
    """Two brokers, both with caches of one cluster; a member in epoch 2 is with the first,
    which coordinates its group."""
    cluster = a_cluster(brokers=2)
    cluster.place_coordinator("shop", 0)
    caches = [MetadataCache(cluster) for _ in range(2)]
    machines = [
        GroupCoordinator(n, broker_profile("4.4"), caches[n], BrokerConfig(), lambda caller: "uuid")
        for n in range(2)
    ]
    hands = [ByHand(machine.handle) for machine in machines]
    for hand, machine in zip(hands, machines):
        hand.on_timer = machine.on_timer
    hands[0].ask(joins(cluster, "one"))
    return cluster, caches, machines, hands


def joins(cluster, member):
    return ConsumerGroupHeartbeatRequest(
        group_id="shop",
        member_id=member,
        member_epoch=0,
        subscribed_topic_names=("orders",),
        topic_partitions=(),
        rebalance_timeout_ms=300_000,
    )


def a_commit(member, epoch):
    return OffsetCommitRequest(
        group_id="shop",
        generation_id_or_member_epoch=epoch,
        member_id=member,
        topics=(
            OffsetCommitRequestTopic(
                name="orders",
                partitions=(OffsetCommitRequestPartition(partition_index=0, committed_offset=3),),
            ),
        ),
    )


def error_of(answer):
    return error_for(answer.topics[0].partitions[0].error_code)


def move_to_the_second(cluster, machines):
    """The first is out of touch, and the second takes over."""
    partition = machines[0].storage.partition_of("shop")
    cluster.place_coordinator("shop", 1)
    machines[1].take_over(partition, machines[0], 0)
    machines[1].storage.load(partition, 0)
    return partition


def test_a_coordinator_that_was_paused_still_knows_its_groups_when_it_wakes():
    """Until it hears that another one leads, it has them in memory, as Kafka's has;
    then it says NOT_COORDINATOR."""
    cluster, caches, machines, hands = two_coordinators()
    caches[0].freeze()
    partition = move_to_the_second(cluster, machines)
    # its shell waits for the followers, and so for ever
    assert error_of(hands[0].ask(a_commit("one", 2))) is Errors.NONE
    assert error_of(hands[1].ask(a_commit("one", 2))) is Errors.NONE
    caches[0].thaw()
    hands[0].do(machines[0].resign(partition, 0))
    assert error_of(hands[0].ask(a_commit("one", 2))) is Errors.NOT_COORDINATOR
    assert "shop" not in machines[0].table.modern and "shop" in machines[1].table.modern


def test_a_coordinator_out_of_touch_answers_what_changes_nothing_and_holds_back_the_rest():
    """A change counts once it is replicated; both coordinators would
    give out the same epoch otherwise."""
    cluster, caches, machines, hands = two_coordinators()
    caches[0].freeze()
    move_to_the_second(cluster, machines)
    assert (
        hands[0]
        .ask(ConsumerGroupHeartbeatRequest(group_id="shop", member_id="one", member_epoch=2))
        .member_epoch
        == 2
    )
    assert hands[0].ask(joins(cluster, "two")) is None
    assert (
        list(machines[0].table.modern["shop"].members) == ["one"]
        and machines[0].table.modern["shop"].epoch == 2
    )
    hands[0].wait(6_000)
    refused = hands[0].answers[-1][1]
    assert error_for(refused.error_code) is Errors.COORDINATOR_NOT_AVAILABLE


def test_a_heartbeat_held_back_is_served_once_the_coordinator_is_in_touch():
    cluster, caches, machines, hands = two_coordinators()
    caches[0].freeze()
    assert hands[0].ask(joins(cluster, "two")) is None
    caches[0].thaw()
    hands[0].wait(100)
    assert sorted(machines[0].table.modern["shop"].members) == ["one", "two"]
    assert hands[0].answers[-1][1].error_code == 0


def test_nobody_is_expelled_by_a_coordinator_out_of_touch():
    _cluster, caches, machines, hands = two_coordinators()
    caches[0].freeze()
    hands[0].wait(60_000)
    assert list(machines[0].table.modern["shop"].members) == ["one"]
    caches[0].thaw()
    hands[0].wait(100)
    assert not machines[0].table.modern["shop"].members


def test_a_new_coordinator_goes_on_waiting_for_who_has_to_give_up():
    """The rebalance timeout of a member begins again with its session
    (GroupMetadataManager.onLoaded)."""
    cluster, caches, machines, hands = two_coordinators()
    hands[0].wait(2_000)
    hands[0].ask(joins(cluster, "two"))
    hands[0].ask(ConsumerGroupHeartbeatRequest(group_id="shop", member_id="one", member_epoch=2))
    caches[0].freeze()
    partition = machines[0].storage.partition_of("shop")
    cluster.place_coordinator("shop", 1)
    hands[1].do(machines[1].take_over(partition, machines[0], 0))
    assert ("member revokes", "shop", "one") in hands[1].timers


@pytest.mark.parametrize(
    "version, error", [(8, Errors.ILLEGAL_GENERATION), (9, Errors.GROUP_ID_NOT_FOUND)]
)
def test_a_commit_to_a_group_that_is_not_there(version, error):
    """OffsetMetadataManager.validateOffsetCommit: version 9 names it,
    older ones keep the word they know."""
    shop = Group()
    assert error_of(shop.hand.ask(a_commit("one", 5), version=version)) is error


@pytest.mark.parametrize("version, error", [(8, Errors.UNSUPPORTED_VERSION), (9, Errors.NONE)])
def test_a_commit_of_a_member_of_the_new_protocol_needs_version_9(version, error):
    """ConsumerGroup.validateOffsetCommit."""
    shop = Group()
    shop.beat("one", 0)
    assert error_of(shop.hand.ask(a_commit("one", 2), version=version)) is error
