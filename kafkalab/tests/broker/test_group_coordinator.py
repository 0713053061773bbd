"""Stories of groups, told to the coordinator by hand: no clock, no network."""

import pytest

from kafkalab.protocol.messages import JoinGroupRequestProtocol
from kafkalab.tests.broker.driver import RANGE, GroupByHand, error_name

RELEASES = ("2.3", "4.4")


@pytest.mark.parametrize("release", RELEASES)
def test_the_first_member_learns_its_id_joins_waits_three_seconds_and_gets_to_work(release):
    story = GroupByHand(release)
    assert story.join("inv-1") is None, "its second join is parked"
    assert story.ids["inv-1"] == "inv-1-uuid1"
    story.wait(2_999)
    assert story.state == "PreparingRebalance"
    story.wait(1)
    joined = story.answers_to("inv-1")[-1]
    assert (joined.generation_id, joined.leader, joined.protocol_name) == (
        1,
        "inv-1-uuid1",
        "range",
    )
    assert [member.metadata for member in joined.members] == [b"I want orders"]
    assert story.sync("inv-1", {"inv-1": b"all four"}).assignment == b"all four"
    assert story.path == [("PreparingRebalance", 0), ("CompletingRebalance", 1), ("Stable", 1)]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("joins_at_ms", "delay_ms", "completes_at_ms"),
    [
        ([0], 3_000, 3_000),
        ([0, 1_000], 3_000, 6_000),
        ([0, 2_900, 5_000], 3_000, 9_000),
        ([0], 0, 0),
    ],
)
def test_the_initial_delay_is_extended_while_members_keep_coming(
    release, joins_at_ms, delay_ms, completes_at_ms
):
    story = GroupByHand(release, group_initial_rebalance_delay_ms=delay_ms)
    for number, at_ms in enumerate(joins_at_ms):
        story.wait(at_ms - story.now_ms)
        story.join(f"inv-{number}")
    story.wait(20_000)
    assert [
        at for at, _, fields in story.notes if fields.get("after") == "CompletingRebalance"
    ] == [completes_at_ms]


def test_the_initial_delay_never_exceeds_the_largest_rebalance_timeout():
    story = GroupByHand()
    for number in range(4):
        story.join(f"inv-{number}", rebalance_ms=7_000)
        story.wait(2_500)
    assert [
        at for at, _, fields in story.notes if fields.get("after") == "CompletingRebalance"
    ] == [7_000]


@pytest.mark.parametrize(("release", "completes_at_ms"), [("2.3", 3_000), ("4.4", 6_000)])
def test_a_group_that_was_empty_waits_for_late_joiners_again_only_in_the_rewritten_coordinator(
    release, completes_at_ms
):
    story = GroupByHand(release).settle("inv-1")
    story.leave("inv-1")
    assert (story.state, story.group.generation) == ("Empty", 2)
    begin_ms = story.now_ms
    story.join("inv-2")
    story.wait(1_000)
    story.join("inv-3")
    story.wait(10_000)
    assert [
        at - begin_ms
        for at, _, fields in story.notes
        if fields.get("after") == "CompletingRebalance"
    ][1:] == [completes_at_ms]


@pytest.mark.parametrize("release", RELEASES)
def test_a_second_member_reaches_the_first_with_its_next_heartbeat(release):
    story = GroupByHand(release).settle("inv-1")
    assert story.beat("inv-1") == "NONE"
    assert story.join("inv-2") is None
    assert story.state == "PreparingRebalance"
    assert story.commit("inv-1", 17) == "NONE", "the old generation may still say what it has done"
    assert story.beat("inv-1") == "REBALANCE_IN_PROGRESS"
    leader = story.join("inv-1")
    follower = story.answers_to("inv-2")[-1]
    assert leader.generation_id == follower.generation_id == 2
    assert [member.member_id for member in leader.members] == [
        story.ids["inv-1"],
        story.ids["inv-2"],
    ]
    assert follower.members == () and follower.leader == story.ids["inv-1"]
    assert story.sync("inv-2") is None, "a follower waits for the leader"
    assert story.sync("inv-1", {"inv-1": b"0,1", "inv-2": b"2,3"}).assignment == b"0,1"
    assert story.answers_to("inv-2")[-1].assignment == b"2,3"


@pytest.mark.parametrize("release", RELEASES)
def test_who_does_not_rejoin_within_the_rebalance_timeout_is_dropped_and_the_leader_may_change(
    release,
):
    story = GroupByHand(release)
    story.join("inv-1", session_ms=30_000, rebalance_ms=20_000)
    story.wait(3_000)
    story.ids["inv-1"] = story.answers_to("inv-1")[-1].member_id
    story.sync("inv-1")
    story.join("inv-2", rebalance_ms=20_000)
    story.wait(20_000)
    assert story.answers_to("inv-2")[-1].leader == story.ids["inv-2"]
    assert story.beat("inv-1") == "UNKNOWN_MEMBER_ID"


def test_a_pending_member_holds_up_the_rebalance_until_it_joins_or_its_session_ends():
    story = GroupByHand().settle("inv-1")
    story.coordinator.classic.groups["inventory"].pending["inv-2-lost"] = None
    story.timers["pending", "inventory", "inv-2-lost"] = story.now_ms + 10_000
    story.join("inv-3")
    assert story.join("inv-1") is None
    story.wait(5_000)
    story.beat("inv-1")
    assert story.state == "PreparingRebalance"
    story.wait(5_000)
    assert story.state == "CompletingRebalance"


@pytest.mark.parametrize("release", RELEASES)
def test_a_silent_member_is_out_when_its_session_ends_counted_from_the_last_contact(release):
    story = GroupByHand(release).settle("inv-1")
    story.wait(4_000)
    story.beat("inv-1")
    story.wait(3_000)
    story.commit("inv-1", 5)  # a commit is as good as a heartbeat
    last_contact_ms = story.now_ms
    story.wait(9_999)
    assert story.state == "Stable"
    story.wait(1)
    assert story.state == "Empty" and story.group.generation == 2
    assert [at for at, _, fields in story.notes if fields.get("after") == "Empty"] == [
        last_contact_ms + 10_000
    ]
    assert "expired" in [fields["reason"] for _, kind, fields in story.notes if kind == "state"][-2]


def test_a_member_that_waits_for_the_others_does_not_lose_its_session():
    story = GroupByHand().settle("inv-1", "inv-2")
    story.join("inv-3")
    story.join("inv-2")
    for _ in range(6):
        story.wait(5_000)
        story.beat("inv-1")  # inv-1 lives but does not come
    assert list(story.group.members) == [story.ids[who] for who in ("inv-1", "inv-2", "inv-3")]


def test_heartbeats_set_no_timers_the_session_timer_is_set_again_when_it_rings_too_early():
    story = GroupByHand().settle("inv-1")
    key = ("session", "inventory", story.ids["inv-1"])
    due_ms = story.timers[key]
    for _ in range(100):
        story.wait(50)
        story.beat("inv-1")
    assert story.timers[key] == due_ms
    story.wait(due_ms - story.now_ms)
    assert story.timers[key] == story.group.members[story.ids["inv-1"]].deadline_ms


@pytest.mark.parametrize("release", RELEASES)
def test_leaving_hands_the_rest_to_the_others_and_the_last_one_leaves_an_empty_group_behind(
    release,
):
    story = GroupByHand(release).settle("inv-1", "inv-2")
    assert story.leave("inv-1") == "NONE"
    assert story.beat("inv-2") == "REBALANCE_IN_PROGRESS"
    answer = story.join("inv-2")
    assert (answer.generation_id, answer.leader) == (2, story.ids["inv-2"])
    story.sync("inv-2", {"inv-2": b"all"})
    assert story.leave("inv-2") == "NONE"
    assert story.path[-2:] == [("PreparingRebalance", 2), ("Empty", 3)]
    assert story.timers == {}, "an empty group waits for nothing"


@pytest.mark.parametrize(
    ("state", "release", "expected"),
    [
        ("Empty", "2.3", "UNKNOWN_MEMBER_ID"),
        ("Empty", "4.4", "UNKNOWN_MEMBER_ID"),
        ("PreparingRebalance", "2.3", "REBALANCE_IN_PROGRESS"),
        ("PreparingRebalance", "4.4", "REBALANCE_IN_PROGRESS"),
        ("CompletingRebalance", "2.3", "REBALANCE_IN_PROGRESS"),
        ("CompletingRebalance", "4.4", "NONE"),
        ("Stable", "2.3", "NONE"),
        ("Stable", "4.4", "NONE"),
        ("Dead", "2.3", "COORDINATOR_NOT_AVAILABLE"),
        ("Dead", "4.4", "COORDINATOR_NOT_AVAILABLE"),
    ],
)
def test_what_a_heartbeat_hears_in_each_state(state, release, expected):
    assert story_in(state, release).beat("inv-1") == expected


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("state", "generation", "expected"),
    [
        ("Empty", -1, "NONE"),
        ("PreparingRebalance", None, "NONE"),
        ("CompletingRebalance", None, "REBALANCE_IN_PROGRESS"),
        ("Stable", None, "NONE"),
        ("Stable", 0, "ILLEGAL_GENERATION"),
        ("Dead", None, "COORDINATOR_NOT_AVAILABLE"),
    ],
)
def test_who_may_commit_in_each_state(release, state, generation, expected):
    assert story_in(state, release).commit("inv-1", generation=generation) == expected


def test_a_stranger_may_not_commit_into_a_working_group():
    story = GroupByHand().settle("inv-1")
    assert story.commit("inv-9") == "UNKNOWN_MEMBER_ID"
    assert story.commit("", generation=-1) == "UNKNOWN_MEMBER_ID", (
        "nor a consumer that assigns itself partitions"
    )


def test_a_consumer_without_a_group_commits_under_a_name_nobody_uses():
    story = GroupByHand(group_id="lonely")
    assert story.commit("", 42, generation=-1) == "NONE"
    assert story.commit("", 42, generation=3) == "UNKNOWN_MEMBER_ID"
    assert (story.state, story.group.offsets["orders", 0].offset) == ("Empty", 42)
    assert GroupByHand(group_id="fresh").commit("", generation=3) == "GROUP_ID_NOT_FOUND"


def test_commits_are_written_down_with_their_cause_in_mind():
    story = GroupByHand().settle("inv-1")
    story.commit("inv-1", 7, partition=2)
    kind, fields = story.notes[-1][1:]
    assert kind == "commit"
    assert (fields["group"], fields["topic"], fields["partition"], fields["offset"]) == (
        "inventory",
        "orders",
        2,
        7,
    )
    assert story.commit("inv-1", topic="no such topic") == "UNKNOWN_TOPIC_OR_PARTITION"


@pytest.mark.parametrize(("version", "asked_for_id"), [(3, False), (4, True), (9, True)])
def test_only_join_group_v4_and_later_asks_for_a_member_id_first(version, asked_for_id):
    story = GroupByHand()
    story.join("inv-1", version=version)
    assert (
        error_name(story.answers[0][1]) == "MEMBER_ID_REQUIRED"
        if asked_for_id
        else story.answers == []
    )
    if asked_for_id:
        assert story.answers[0][1].protocol_name == (None if version >= 7 else "")


def test_a_join_with_an_id_that_nobody_gave_out_is_refused_and_makes_no_group():
    story = GroupByHand()
    story.ids["inv-1"] = "made up"
    assert error_name(story.join("inv-1")) == "UNKNOWN_MEMBER_ID"
    assert story.coordinator.classic.groups == {}


@pytest.mark.parametrize(
    ("session_ms", "fits"), [(5_999, False), (6_000, True), (1_800_000, True), (1_800_001, False)]
)
def test_session_timeouts_have_limits(session_ms, fits):
    answer = GroupByHand().join("inv-1", session_ms=session_ms)
    assert (answer is None) == fits
    assert fits or error_name(answer) == "INVALID_SESSION_TIMEOUT"


def test_a_newcomer_must_share_an_assignor_with_everyone():
    story = GroupByHand().settle("inv-1")
    assert (
        error_name(story.join("inv-2", protocols=(JoinGroupRequestProtocol(name="sticky"),)))
        == "INCONSISTENT_GROUP_PROTOCOL"
    )


def test_the_assignor_with_most_first_votes_wins_among_those_everybody_knows():
    both = tuple(JoinGroupRequestProtocol(name=name) for name in ("sticky", "range"))
    turned = both[::-1]
    story = GroupByHand()
    for client, protocols in (("inv-1", turned), ("inv-2", both), ("inv-3", both)):
        story.join(client, protocols=protocols)
    story.wait(6_000)
    assert story.group.protocol == "sticky"
    story = GroupByHand()
    for client, protocols in (("inv-1", both), ("inv-2", both), ("inv-3", RANGE)):
        story.join(client, protocols=protocols)
    story.wait(6_000)
    assert story.group.protocol == "range", "inv-3 knows nothing else"


def test_joining_again_unchanged_disturbs_nobody_unless_it_is_the_leader():
    story = GroupByHand().settle("inv-1", "inv-2")
    again = story.join("inv-2")
    assert (again.generation_id, again.members, story.state) == (1, (), "Stable")
    assert story.join("inv-1") is None
    assert story.state == "PreparingRebalance"


def test_a_follower_that_changes_what_it_can_do_starts_a_rebalance():
    story = GroupByHand().settle("inv-1", "inv-2")
    changed = (JoinGroupRequestProtocol(name="range", metadata=b"I want payments"),)
    assert story.join("inv-2", protocols=changed) is None
    assert story.state == "PreparingRebalance"


@pytest.mark.parametrize("release", RELEASES)
def test_a_change_while_the_leader_computes_sends_everybody_back_to_join(release):
    story = GroupByHand(release).settle("inv-1", "inv-2")
    story.join("inv-1")
    story.join("inv-2")
    assert story.sync("inv-2") is None
    story.join("inv-3")
    assert error_name(story.answers_to("inv-2")[-1]) == "REBALANCE_IN_PROGRESS"
    assert story.state == "PreparingRebalance"


@pytest.mark.parametrize(
    ("release", "state"), [("2.3", "CompletingRebalance"), ("4.4", "PreparingRebalance")]
)
def test_a_member_that_never_syncs_is_dropped_only_by_newer_brokers(release, state):
    story = GroupByHand(release)
    for client in ("inv-1", "inv-2"):
        story.join(client, session_ms=60_000, rebalance_ms=30_000)
    story.wait(6_000)
    story.sync("inv-2")  # the leader, inv-1, computes and computes
    story.wait(30_000)
    assert story.state == state


@pytest.mark.parametrize("release", RELEASES)
def test_a_static_member_comes_back_into_its_place_without_disturbing_anyone(release):
    story = GroupByHand(release)
    for client in ("one", "two"):
        story.join(client, instance=client, session_ms=20_000)
    story.wait(6_000)
    for client in ("one", "two"):
        story.ids[client] = story.answers_to(client)[-1].member_id
    assert story.ids == {"one": "one-uuid1", "two": "two-uuid2"}, (
        "no round trip for an id, and the instance's name in it"
    )
    story.sync("two")
    story.sync("one", {"one": b"0,1", "two": b"2,3"})
    old_id = story.ids.pop("two")
    story.wait(3_000)
    back = story.join("two", instance="two", session_ms=20_000)
    assert (back.member_id, back.generation_id, story.state) == ("two-uuid3", 1, "Stable")
    assert story.sync("two").assignment == b"2,3"
    story.ids["ghost"] = old_id
    assert story.beat("ghost", instance="two") == "FENCED_INSTANCE_ID"
    assert story.beat("two", instance="two") == "NONE"


@pytest.mark.parametrize(("version", "skips"), [(5, False), (9, True)])
def test_a_static_leader_that_comes_back_must_not_assign_anew(version, skips):
    story = GroupByHand()
    story.join("one", instance="one")
    story.wait(3_000)
    story.ids["one"] = story.answers_to("one")[-1].member_id
    story.sync("one", {"one": b"all"})
    del story.ids["one"]
    back = story.join("one", instance="one", version=version)
    assert back.skip_assignment is skips
    assert back.leader == ("one-uuid2" if skips else "one-uuid1"), (
        "before KIP-814 it was told its former self leads"
    )


def test_a_closed_static_member_keeps_a_newcomer_waiting_until_its_session_ends():
    """Recorded: two that had closed, session 20 s, and a newcomer that had nothing for 15 s."""
    story = GroupByHand()
    story.join("one", instance="one", session_ms=20_000)
    story.wait(3_000)
    story.ids["one"] = story.answers_to("one")[-1].member_id
    story.sync("one")
    story.wait(5_000)
    story.join("inv-3")
    story.wait(14_999)
    assert story.state == "PreparingRebalance"
    story.wait(1)
    assert story.state == "CompletingRebalance" and list(story.group.members) == [
        story.ids["inv-3"]
    ]


def test_a_static_member_may_miss_a_rebalance_and_keeps_its_place():
    story = GroupByHand()
    for client in ("one", "two"):
        story.join(client, instance=client, session_ms=60_000, rebalance_ms=10_000)
    story.wait(6_000)
    for client in ("one", "two"):
        story.ids[client] = story.answers_to(client)[-1].member_id
    story.sync("two")
    story.sync("one")
    story.join("inv-3", rebalance_ms=10_000)
    story.join("two", instance="two", session_ms=60_000, rebalance_ms=10_000)
    story.wait(10_000)
    assert story.state == "CompletingRebalance"
    assert [member.member_id for member in story.answers_to("two")[-1].members] == [
        story.ids[who] for who in ("one", "two", "inv-3")
    ], "a present one leads now, and gives the absent one its share"


def test_a_coordinator_that_dies_and_returns_within_the_session_costs_no_rebalance():
    story = GroupByHand().settle("inv-1", "inv-2")
    story.commit("inv-1", 17)
    story.timers.clear()  # the process died
    story.now_ms += 6_000
    story.do(story.coordinator.load(story.now_ms))
    assert [story.beat(who) for who in ("inv-1", "inv-2")] == ["NONE", "NONE"]
    assert (story.state, story.group.generation, story.group.offsets["orders", 0].offset) == (
        "Stable",
        1,
        17,
    )
    assert story.sync("inv-2").assignment == b"part of inv-2"
    story.wait(10_000)
    assert story.state == "Empty", "and sessions end again"


def test_a_rebalance_that_was_under_way_is_forgotten_with_the_coordinator():
    story = GroupByHand().settle("inv-1")
    story.join("inv-2")
    story.coordinator.load(story.now_ms)
    assert (story.state, list(story.group.members)) == ("Stable", [story.ids["inv-1"]])
    assert error_name(story.join("inv-2")) == "UNKNOWN_MEMBER_ID"


def test_a_group_nobody_wrote_of_is_unknown_afterwards_and_an_empty_one_keeps_its_offsets():
    young = GroupByHand()
    young.join("inv-1")
    young.coordinator.load(young.now_ms)
    assert young.coordinator.classic.groups == {}
    lonely = GroupByHand(group_id="lonely")
    lonely.commit("", 42, generation=-1)
    lonely.coordinator.load(lonely.now_ms)
    assert (lonely.state, lonely.group.offsets["orders", 0].offset) == ("Empty", 42)


def test_a_group_that_moves_away_tells_those_who_wait():
    story = GroupByHand().settle("inv-1")
    story.join("inv-2")
    story.do(story.coordinator.retire("inventory", story.now_ms))
    assert error_name(story.answers_to("inv-2")[-1]) == "NOT_COORDINATOR"
    assert story.timers == {} and story.state == "Dead"


def test_another_brokers_group_is_none_of_our_business():
    story = GroupByHand()
    assert story.cluster.coordinator_of("inventory") == 0
    story.cluster.set_leader("__consumer_offsets", 10, -1)  # where "inventory" falls
    assert story.beat("inv-1") == "NOT_COORDINATOR"
    assert error_name(story.join("inv-1")) == "NOT_COORDINATOR"
    assert story.commit("inv-1") == "NOT_COORDINATOR"


def story_in(state, release):
    """A group with one known member, inv-1, in the wanted state."""
    story = GroupByHand(release).settle("inv-1")
    if state == "Empty":
        member = story.ids["inv-1"]
        story.leave("inv-1")
        story.ids["inv-1"] = member
    elif state == "Dead":
        story.coordinator.retire("inventory", story.now_ms)
    elif state != "Stable":
        story.join("inv-2")
        if state == "CompletingRebalance":
            story.join("inv-1")
    assert story.state == state
    return story
