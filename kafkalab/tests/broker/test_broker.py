"""The shell: one request of a connection at a time, answers in order, causes kept,
connections dropped."""

import pytest

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.shell.broker import Broker
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import ApiKeys, api_of
from kafkalab.protocol.header import RequestHeader
from kafkalab.releases import broker_profile
from kafkalab.sim.journal import Journal
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler
from kafkalab.tests.broker.driver import NEWEST, RANGE, a_cluster
from kafkalab.tests.broker.test_records import a_batch


class Running:
    """A broker on a real scheduler and journal; the network is a list."""

    def __init__(self, seed=7, release="4.4", **config):
        self.clock = Scheduler()
        self.journal = Journal(self.clock)
        self.answers = []
        self.closed = []
        self.count = 0
        self.broker = Broker(
            0,
            "localhost",
            9092,
            broker_profile(release),
            a_cluster(),
            self.clock,
            self.heard,
            self.journal,
            Streams(seed),
            self.closed.append,
            BrokerConfig(**config),
        )

    def heard(self, connection_id, correlation_id, response):
        self.answers.append((self.clock.now_ms, connection_id, correlation_id, response))

    def send(self, request, connection="inv-1#1", version=None, api=None):
        self.count += 1
        api = api or api_of(request)
        header = RequestHeader(
            api_key=api,
            api_version=NEWEST[api.name] if version is None else version,
            client_id=connection.partition("#")[0],
            correlation_id=self.count,
        )
        self.broker.receive(connection, header, request)
        return self.count

    def run(self, ms=10):
        self.clock.run_until(lambda: False, self.clock.now_ms + ms)

    def ask(self, request, connection="inv-1#1", ms=10):
        number = self.send(request, connection)
        self.run(ms)
        return next((response for _, _, heard, response in self.answers if heard == number), None)


def a_join(member_id="", client="inv-1"):
    return m.JoinGroupRequest(
        group_id="inventory",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=300_000,
        member_id=member_id,
        protocols=RANGE,
    )


def a_fetch(**options):
    return m.FetchRequest(
        session_epoch=0,
        topics=(m.FetchTopic(topic="orders", partitions=(m.FetchPartition(partition=0),)),),
        **options,
    )


def a_produce(acks=-1):
    return m.ProduceRequest(
        acks=acks,
        topic_data=(
            m.TopicProduceData(
                name="orders",
                partition_data=(m.ProducePartitionData(index=0, records=(a_batch(),)),),
            ),
        ),
    )


def test_requests_of_one_connection_are_answered_in_order_and_a_long_poll_blocks_those_behind_it():
    lab = Running()
    fetch = lab.send(a_fetch())
    behind = lab.send(m.MetadataRequest())
    elsewhere = lab.send(m.MetadataRequest(), "inv-1#2")
    lab.run(600)
    assert [number for _, _, number, _ in lab.answers] == [elsewhere, fetch, behind]
    at = {number: at_ms for at_ms, _, number, _ in lab.answers}
    assert at[elsewhere] <= 2 and 500 <= at[fetch] <= 502 and at[behind] <= at[fetch] + 2


def test_a_leave_waits_behind_the_parked_join_of_its_connection():
    """Recorded: close() while the JoinGroup is parked takes until
    the coordinator answers the join."""
    lab = Running()
    member_id = lab.ask(a_join()).member_id
    lab.send(a_join(member_id))
    lab.run(500)
    leave = lab.send(
        m.LeaveGroupRequest(group_id="inventory", members=(m.MemberIdentity(member_id=member_id),))
    )
    lab.run(2_000)
    assert leave not in [number for _, _, number, _ in lab.answers]
    lab.run(1_000)
    assert [number for _, _, number, _ in lab.answers][-1] == leave
    assert lab.broker.coordinator.classic.groups["inventory"].state.value == "Empty"


def test_produce_with_acks_0_is_not_answered_and_the_next_request_is():
    lab = Running()
    lab.send(a_produce(acks=0))
    metadata = lab.send(m.MetadataRequest())
    lab.run()
    assert [number for _, _, number, _ in lab.answers] == [metadata]
    assert lab.broker.replicas.led_replica("orders", 0)[0].log.log_end_offset == 1


def test_a_record_that_ends_a_long_poll_is_its_cause():
    lab = Running()
    lab.send(a_fetch(), "inv-1#1")
    lab.run(100)
    lab.send(a_produce(), "shop#1")
    lab.run()
    sent = next(event for event in lab.journal.of("response.sent") if event.api == "FETCH")
    chain = [(event.kind, event.client) for event in lab.journal.why(sent)]
    assert chain == [("request.received", "shop"), ("response.sent", "inv-1")]
    appended = next(lab.journal.of("record.appended"))
    assert lab.journal.events[appended.cause].kind == "request.received"


def test_a_lone_long_poll_is_answered_because_it_was_asked():
    lab = Running()
    lab.send(a_fetch())
    lab.run(600)
    sent = next(lab.journal.of("response.sent"))
    assert lab.journal.events[sent.cause].kind == "request.received"


def test_group_states_are_in_the_journal_with_group_and_generation():
    lab = Running()
    lab.ask(a_join(lab.ask(a_join()).member_id), ms=3_100)
    moves = [
        (event.group, event.before, event.after, event.generation)
        for event in lab.journal.of("state")
    ]
    assert moves == [
        ("inventory", "Empty", "PreparingRebalance", 0),
        ("inventory", "PreparingRebalance", "CompletingRebalance", 1),
    ]


def test_a_connection_that_breaks_takes_its_requests_along_but_not_the_membership():
    lab = Running()
    lab.send(a_fetch(), "inv-1#2")
    member_id = lab.ask(a_join()).member_id
    lab.send(a_join(member_id))
    lab.run(100)
    heard = len(lab.answers)
    for connection in ("inv-1#1", "inv-1#2"):
        lab.broker.disconnected(connection)
    lab.run(3_500)
    assert len(lab.answers) == heard, "nobody is there to hear"
    assert lab.broker.fetches.waiting == ()
    assert list(lab.broker.coordinator.classic.groups["inventory"].members) == [member_id]
    lab.run(10_000)
    assert lab.broker.coordinator.classic.groups["inventory"].members == {}, "its session ended"


def written_after_the_end(acks, parked=False):
    """How many of five records are in the log: the client closes its end while the first is
    served, or is parked."""
    lab = Running()
    if parked:
        lab.send(a_fetch(), "shop#1")
        lab.run(100)
    else:
        lab.broker.pause(lab.clock.now_ms + 1_000)
    for _ in range(5):
        lab.send(a_produce(acks), "shop#1")
    lab.broker.ended("shop#1")
    lab.run(3_000)
    assert lab.closed == ["shop#1"], "the broker closes its end when it has served the last one"
    return lab.broker.replicas.led_replica("orders", 0)[0].log.log_end_offset


def test_what_a_client_sent_before_it_closed_is_served():
    assert written_after_the_end(acks=0) == 5
    assert written_after_the_end(acks=0, parked=True) == 5


def test_a_second_answer_to_a_closed_end_cannot_be_written_and_ends_the_serving():
    """The first one is answered by a reset. So it was with real brokers (proof_runs.jsonl, 05)."""
    assert written_after_the_end(acks=1) == 2
    assert written_after_the_end(acks=1, parked=True) == 1


def test_a_broker_that_crashes_keeps_its_logs_and_its_groups_and_nothing_else():
    lab = Running()
    member_id = lab.ask(a_join()).member_id
    lab.ask(a_join(member_id), ms=3_100)
    lab.ask(m.SyncGroupRequest(group_id="inventory", generation_id=1, member_id=member_id))
    lab.ask(a_produce(), "shop#1")
    session = lab.ask(a_fetch(), "inv-1#2").session_id
    lab.send(m.FetchRequest(session_id=session, session_epoch=1), "inv-1#2")
    lab.run()
    heard = len(lab.answers)
    lab.broker.crash()
    lab.run(5_000)
    assert len(lab.answers) == heard
    lab.broker.start()
    answer = lab.ask(m.FetchRequest(session_id=session, session_epoch=1), "inv-1#3")
    assert answer.error_code == 70, "FETCH_SESSION_ID_NOT_FOUND: sessions are in memory"
    assert lab.ask(a_produce(), "shop#2").responses[0].partition_responses[0].base_offset == 1
    beat = m.HeartbeatRequest(group_id="inventory", generation_id=1, member_id=member_id)
    assert lab.ask(beat, "inv-1#4").error_code == 0
    lab.run(10_000)
    assert lab.broker.coordinator.classic.groups["inventory"].state.value == "Empty"


def test_an_old_answer_is_never_given_to_a_new_request():
    lab = Running()
    member_id = lab.ask(a_join()).member_id
    lab.send(a_join(member_id))
    lab.run(2_900)
    lab.broker.disconnected("inv-1#1")
    fetch = lab.send(a_fetch())  # a connection of the same name
    lab.run(300)
    assert lab.broker.coordinator.classic.groups["inventory"].generation == 1
    assert fetch not in [number for _, _, number, _ in lab.answers] and len(lab.answers) == 1


def test_an_idle_connection_is_closed_by_the_broker_ten_minutes_after_its_last_use():
    lab = Running()
    lab.ask(m.MetadataRequest())
    lab.run(300_000)
    lab.ask(m.MetadataRequest())
    lab.run(599_000)
    assert lab.closed == []
    lab.run(2_000)
    assert lab.closed == ["inv-1#1"]
    lab.run(700_000)
    assert lab.closed == ["inv-1#1"]


@pytest.mark.parametrize(
    ("api", "version"),
    [
        (ApiKeys.METADATA, 14),
        (ApiKeys.FETCH, 3),
        (ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0),
    ],
)
def test_what_the_broker_did_not_offer_costs_the_connection(api, version):
    lab = Running()
    lab.send(api.request(), api=api, version=version)
    lab.run()
    assert (lab.answers, lab.closed) == ([], ["inv-1#1"])


def test_an_unknown_version_of_api_versions_is_answered_instead():
    lab = Running()
    lab.send(m.ApiVersionsRequest(), version=6)
    lab.run()
    assert lab.answers[0][3].error_code == 35 and lab.closed == []


def test_the_seed_decides_who_is_served_first_and_nothing_else_does():
    def order(seed):
        lab = Running(seed)
        for client in ("a", "b", "c"):
            lab.send(m.MetadataRequest(), f"{client}#1")
        lab.run()
        return [connection for _, connection, _, _ in lab.answers], repr(lab.journal.events)

    assert order(3) == order(3)
    assert len({tuple(order(seed)[0]) for seed in range(20)}) > 1


def test_one_clients_luck_does_not_depend_on_the_others():
    def member_id(others):
        lab = Running()
        for client in others:
            lab.ask(a_join(), f"{client}#1")
        return lab.ask(a_join()).member_id

    assert member_id([]) == member_id(["inv-0", "inv-2"])


def test_fetch_sessions_get_numbers_of_the_readers_own():
    lab = Running()
    numbers = {lab.ask(a_fetch(), f"inv-{n}#1", ms=600).session_id for n in range(3)}
    assert len(numbers) == 3 and 0 not in numbers
