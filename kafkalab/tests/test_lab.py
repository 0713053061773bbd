"""The lab as a learner holds it: one clock, faults as sentences, lines and journal to look at,
and why anything happened."""

import gc
import itertools
import weakref

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import ConfigException, IllegalArgumentException, KafkaException
from kafkalab.sim.journal import Event

PREFIX = "[Consumer clientId=consumer-1, groupId=test] "
NETWORK_CLIENT = "org.apache.kafka.clients.NetworkClient"


def first_poll(seed=7, version="2.3", broker_version="2.3"):
    """The scene of article C: topic t4 on three brokers, a consumer of group "test",
    whose coordinator is broker 2."""
    lab = Lab(
        brokers=3,
        seed=seed,
        version=version,
        broker_version=broker_version,
        epoch="2026-11-21 01:58:27",
    )
    lab.create_topic("t4", partitions=3)
    lab.place_coordinator("test", broker=2)
    consumer = KafkaConsumer(lab, {"group.id": "test"})
    consumer.subscribe(["t4"])
    consumer.poll(timeout_ms=6_000)
    return lab, consumer


# the article's lines


def connecting(address, id):
    return (
        f"DEBUG {PREFIX}Initiating connection to node {address} (id: {id} rack: null) using "
        f"address localhost/127.0.0.1 ({NETWORK_CLIENT}:944)\n"
    )


ARTICLE = (
    connecting("localhost:9092", -1),
    (
        f"DEBUG {PREFIX}Sending metadata request "
        "MetadataRequestData(topics=[MetadataRequestTopic(name='t4')], "
        "allowAutoTopicCreation=true, includeClusterAuthorizedOperations=false, "
        "includeTopicAuthorizedOperations=false) to node localhost:9092 (id: -1 rack: null) "
        f"({NETWORK_CLIENT}:1097)\n"
    ),
    (
        f"TRACE {PREFIX}Sending FIND_COORDINATOR {{key=test,key_type=0}} with correlation id 0 to "
        f"node -1 ({NETWORK_CLIENT}:496)\n"
    ),
    (
        f"TRACE {PREFIX}Completed receive from node -1 for FIND_COORDINATOR with correlation id 0, "
        "received "
        f"{{throttle_time_ms=0,error_code=0,error_message=NONE,node_id=2,host=localhost,"
        f"port=9094}} ({NETWORK_CLIENT}:837)\n"
    ),
    connecting("localhost:9094", 2147483645),
    connecting("localhost:9094", 2),
    connecting("localhost:9092", 0),
    connecting("localhost:9093", 1),
)


@pytest.mark.parametrize("seed", [0, 7, 41])
def test_the_lines_of_article_c_byte_for_byte_after_the_time(seed):
    """As released 2.3.0 writes them; the recordings of
    data/recordings/2.3.1/2.3.0 hold their like."""
    lab, _ = first_poll(seed)
    after_time = [
        line[len("[2026-11-21 01:58:27,954] ") :]
        for line in lab.log_text("consumer-1").splitlines(keepends=True)
    ]
    assert tuple(line for line in after_time if line in ARTICLE) == ARTICLE


# looking at what happened


def test_lines_are_a_frame_of_what_the_log_file_holds():
    lab, _ = first_poll()
    lines = lab.lines()
    assert list(lines.columns) == [
        "at_ms",
        "time",
        "client",
        "client_id",
        "level",
        "logger",
        "line",
        "message",
        "text",
    ]
    assert "".join(lines["text"]) == lab.log_text("consumer-1")
    assert lines["at_ms"].is_monotonic_increasing
    first = lines[lines["message"].str.contains("Initiating connection")].iloc[0]
    assert (first["time"], first["level"], first["logger"], first["line"]) == (
        "2026-11-21 01:58:27,000",
        "DEBUG",
        NETWORK_CLIENT,
        944,
    )


def test_lines_of_one_client_and_of_nobody():
    lab, _ = first_poll()
    KafkaProducer(lab, name="shop")
    assert set(lab.lines()["client"]) == {"consumer-1", "shop"}
    assert set(lab.lines(client="shop")["client"]) == {"shop"}
    lab.call("quiet", "works", {})
    quiet = lab.lines(client="quiet")
    assert quiet.empty and list(quiet.columns) == list(lab.lines().columns)
    with pytest.raises(
        IllegalArgumentException,
        match="no client 'nobody' has done anything in this lab. There are: consumer-1, shop.",
    ):
        lab.lines(client="nobody")


def test_the_table_is_the_journal():
    lab, _ = first_poll()
    table = lab.table()
    assert list(table["id"]) == list(range(len(lab.journal.events)))
    assert {
        "call",
        "socket.opening",
        "socket.connected",
        "request.sent",
        "request.received",
        "response.sent",
        "response.received",
        "state",
        "line",
    } <= set(table["kind"])
    assert (table["cause"].dropna() < table.loc[table["cause"].notna(), "id"]).all(), (
        "a cause comes before what it caused"
    )


def test_the_table_of_one_kind_has_that_kinds_fields():
    lab, _ = first_poll()
    sent = lab.table("request.sent")
    assert {"api", "version", "correlation_id", "node_id"} <= set(sent.columns)
    assert {
        "API_VERSIONS",
        "METADATA",
        "FIND_COORDINATOR",
        "JOIN_GROUP",
        "SYNC_GROUP",
        "OFFSET_FETCH",
        "LIST_OFFSETS",
        "FETCH",
    } <= set(sent["api"])


def test_every_request_of_a_quiet_run_is_received_and_answered_once():
    lab, consumer = first_poll()
    consumer.close()
    counts = {
        kind: sorted((event.api, event.correlation_id) for event in lab.journal.of(kind))
        for kind in ("request.sent", "request.received", "response.sent")
    }
    assert counts["request.sent"] == counts["request.received"]
    assert set(counts["response.sent"]) <= set(counts["request.received"])
    assert len(set(counts["response.sent"])) == len(counts["response.sent"])


def test_sockets_tell_a_life():
    lab, consumer = first_poll()
    lab.run_for(1_000)
    consumer.close()
    for socket in lab.sockets():
        assert socket.client == "consumer-1"
        assert socket.opened_at_ms < socket.connected_at_ms < socket.closed_at_ms
    assert [socket.role for socket in lab.sockets()] == [
        "bootstrap",
        "coordinator",
        "data",
        "data",
        "data",
    ]
    assert lab.sockets("nobody") == []


# why


def test_why_leads_from_a_socket_back_to_the_call():
    lab, _ = first_poll()
    bootstrap, coordinator, *leaders = lab.sockets()
    chain = lab.why(bootstrap)
    assert (chain[0].kind, chain[0].name) == ("call", "poll")
    assert chain[-1].id == bootstrap.event_id
    answers = [event.api for event in lab.why(coordinator) if event.kind == "response.received"]
    assert answers[-1] == "FIND_COORDINATOR", "the answer named the broker"
    for leader in leaders:
        apis = [event.api for event in lab.why(leader) if event.kind == "response.received"]
        assert {"FIND_COORDINATOR", "JOIN_GROUP", "SYNC_GROUP"} <= set(apis), (
            "a member knows what to fetch"
        )


@pytest.mark.parametrize("version", ["2.3", "3.9"])
def test_a_producers_way_to_the_leader_leads_over_metadata_and_names_the_send(version):
    lab = Lab(
        brokers=3, seed=7, version=version, broker_version="2.3" if version == "2.3" else "4.4"
    )
    lab.create_topic("orders", partitions=3)
    producer = KafkaProducer(lab, {"client.id": "shop", "enable.idempotence": False})
    producer.send(ProducerRecord("orders", key="alice", value="tea")).get()
    send = next(event for event in lab.journal.of("call") if event.name == "send")
    chain = lab.why(next(socket for socket in lab.sockets() if socket.purpose == "request"))
    assert [(event.kind, event.fields.get("api")) for event in chain[-5:-2]] == [
        ("request.received", "METADATA"),
        ("response.sent", "METADATA"),
        ("response.received", "METADATA"),
    ]
    assert (chain[-2].kind, chain[-2].topic, chain[-2].call) == (
        "metadata.awaited",
        "orders",
        send.id,
    )
    assert chain[-2].waited_ms == chain[-2].at_ms - send.at_ms > 0
    assert next(lab.journal.of("record.completed")).sent == send.id
    producer.send(ProducerRecord("orders", key="alice", value="tea")).get()
    assert len(list(lab.journal.of("metadata.awaited"))) == 1, (
        "nothing is waited for when the topic is known"
    )


def test_every_chain_is_oldest_first_and_ends_in_what_was_asked():
    lab, _ = first_poll()
    for event in lab.journal.events:
        chain = lab.why(event)
        assert chain[-1] is event
        assert all(
            earlier.id < later.id and later.cause == earlier.id
            for earlier, later in itertools.pairwise(chain)
        )
        assert chain[0].cause is None


def test_everything_a_client_did_began_with_a_call():
    lab, consumer = first_poll()
    lab.run_for(10_000)
    consumer.close()
    roots = {
        lab.why(event)[0].kind
        for event in lab.journal.events
        if event.kind in ("socket.opening", "request.sent", "request.received", "line")
    }
    assert roots == {"call"}


def test_why_prints_as_a_staircase_and_takes_ids_too():
    lab, _ = first_poll()
    socket = lab.sockets()[1]
    printed = repr(lab.why(socket)).splitlines()
    steps = [line for line in printed if " ms  #" in line]
    assert len(steps) == len(lab.why(socket)) > 2
    assert "poll" in steps[0] and "-> " in steps[1] and "socket.opening" in steps[-1]
    assert (
        lab.why(socket.event_id) == lab.why(lab.journal.events[socket.event_id]) == lab.why(socket)
    )
    with pytest.raises(IndexError):
        lab.why(10**9)


def test_a_long_step_of_why_goes_on_below_itself():
    """A page breaks a long line at its own edge and starts at the left, across the staircase."""
    lab, _ = first_poll()
    chain = lab.why(lab.sockets()[1])
    printed = repr(chain).splitlines()
    assert len(printed) > len(chain) and max(map(len, printed)) <= 96
    assert all(line.startswith(" " * 16) for line in printed if " ms  #" not in line)
    assert " ".join(repr(chain).replace("-> ", "").split()) == " ".join(
        " ".join(map(repr, chain)).split()
    )


# the clock


def test_time_passes_only_when_somebody_lets_it():
    lab = Lab()
    lab.create_topic("t")
    producer = KafkaProducer(lab)
    assert lab.now_ms == 0 and lab.sockets() == []
    lab.run_for(ms=40)
    assert lab.now_ms == 40
    future = producer.send(ProducerRecord("t", "tea"))
    assert not future.done()
    future.get()
    assert lab.now_ms > 40


def test_run_until_stops_where_it_comes_true():
    lab = Lab()
    KafkaProducer(lab)
    assert lab.run_until(lambda: bool(lab.sockets()), timeout_ms=5_000)
    assert lab.now_ms < 10
    assert lab.run_until(lambda: False, timeout_ms=500) is False


def test_a_day_passes_quickly_where_nothing_happens():
    lab = Lab()
    lab.run_for(ms=24 * 3_600_000)
    assert (lab.now_ms, [event.kind for event in lab.journal.events]) == (86_400_000, ["cluster"])


# apps


def test_apps_run_beside_the_front():
    lab = Lab(seed=3)
    lab.create_topic("t")
    read = []

    def inventory(lab, name):
        consumer = KafkaConsumer(
            lab, {"group.id": "inventory", "auto.offset.reset": "earliest"}, name=name
        )
        consumer.subscribe(["t"])
        while True:
            for record in consumer.poll(timeout_ms=100):
                lab.sleep(ms=20)
                read.append((record.value, lab.now_ms))

    app = lab.spawn(inventory, "inv-1")
    producer = KafkaProducer(lab, name="shop")
    for number in range(5):
        producer.send(ProducerRecord("t", str(number)))
    lab.run_for(ms=8_000)
    assert [value for value, _ in read] == list("01234")
    assert all(later - earlier >= 20 for (_, earlier), (_, later) in itertools.pairwise(read))
    assert not app.done


def test_an_apps_exception_surfaces_where_the_learner_is():
    lab = Lab()

    def breaks(lab):
        lab.sleep(ms=30)
        raise LookupError("no such tea")

    app = lab.spawn(breaks)
    with pytest.raises(LookupError, match="no such tea"):
        lab.run_for(ms=100)
    assert (app.done, lab.now_ms) == (True, 30)
    lab.run_for(ms=100)


def test_a_closed_lab_runs_no_app_any_more():
    lab = Lab()
    turns = []

    def ticks(lab):
        while True:
            lab.sleep(ms=10)
            turns.append(lab.now_ms)

    app = lab.spawn(ticks)
    lab.run_for(ms=50)
    lab.close()
    lab.close()
    before = len(turns)
    lab.run_for(ms=50)
    assert app.done and len(turns) == before > 0


@pytest.mark.slow
def test_a_lab_nobody_holds_is_collected_with_its_apps():
    lab = Lab()
    lab.create_topic("t")

    def waits(lab):
        consumer = KafkaConsumer(lab, {"group.id": "g"})
        consumer.subscribe(["t"])
        while True:
            consumer.poll(timeout_ms=100)

    lab.spawn(waits)
    lab.run_for(ms=500)
    gone = weakref.ref(lab)
    lab.close()
    del lab
    gc.collect()
    assert gone() is None


# chance


def test_one_seed_one_run():
    """Two processes with other hashes are test_determinism's matter;
    here two labs in one process."""
    assert first_poll(5)[0].log_text("consumer-1") == first_poll(5)[0].log_text("consumer-1")
    assert first_poll(5)[0].log_text("consumer-1") != first_poll(6)[0].log_text("consumer-1")


def test_two_clients_who_want_one_name_get_two():
    lab = Lab()
    one, two = KafkaProducer(lab, {"client.id": "shop"}), KafkaProducer(lab, {"client.id": "shop"})
    assert (one.name, two.name) == ("shop", "shop-2")
    lab.run_for(ms=500)
    assert set(lab.lines()["client_id"]) == {"shop"}, "the lines say what Java would say"


# faults


def test_a_cut_link_is_cut_for_one_client_only():
    lab = Lab(brokers=1)
    lab.create_topic("t")
    near, far = KafkaProducer(lab, name="near"), KafkaProducer(lab, name="far")
    near.send(ProducerRecord("t", "1")).get()
    far.send(ProducerRecord("t", "2")).get()
    lab.link(0, "far").cut()
    lab.run_for(ms=100)
    assert all(socket.how == "peer" for socket in lab.sockets("far") if socket.opened_at_ms < 50)
    assert any(socket.how is None for socket in lab.sockets("near"))
    near.send(ProducerRecord("t", "3")).get()
    waiting = far.send(ProducerRecord("t", "4"))
    lab.run_for(ms=1_000)
    assert not waiting.done()
    lab.link(0, "far").heal()
    assert waiting.get().offset >= 3


def test_latency_shows_in_the_journal():
    lab = Lab(brokers=1)
    lab.create_topic("t")
    producer = KafkaProducer(lab, name="shop")
    producer.send(ProducerRecord("t", "1")).get()
    lab.link(0, "shop").set_latency(ms=200)
    producer.send(ProducerRecord("t", "2")).get()
    slow = [event for event in lab.journal.of("response.received") if event.api == "PRODUCE"][-1]
    assert slow.latency_ms >= 400


def test_a_crashed_broker_refuses_and_a_restarted_one_remembers():
    lab = Lab(brokers=1)
    lab.create_topic("t")
    producer = KafkaProducer(lab, name="shop")
    assert producer.send(ProducerRecord("t", "1")).get().offset == 0
    lab.broker(0).crash()
    lab.run_for(ms=2_000)
    assert "failed" in [socket.how for socket in lab.sockets()]
    lab.broker(0).restart()
    assert producer.send(ProducerRecord("t", "2")).get().offset == 1


def test_a_broker_that_runs_may_be_restarted():
    lab = Lab(brokers=1)
    lab.create_topic("t")
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["t"])
    consumer.poll(timeout_ms=1_000)
    lab.broker(0).restart()
    for _ in range(250):
        consumer.poll(timeout_ms=100)
    assert len(consumer.assignment()) == 1
    assert "peer" in [socket.how for socket in lab.sockets()]


def test_an_answer_can_be_delayed_by_its_api():
    lab = Lab(brokers=1)
    lab.broker(0).delay("API_VERSIONS", ms=700)
    KafkaProducer(lab, name="shop")
    lab.run_for(ms=3_000)
    answer = next(
        event for event in lab.journal.of("response.received") if event.api == "API_VERSIONS"
    )
    assert answer.latency_ms >= 700


# what no lab can be


@pytest.mark.parametrize(
    "wrong",
    [
        {"brokers": 0},
        {"brokers": -1},
        {"brokers": {}},
        {"version": "9.9"},
        {"broker_version": "9.9"},
    ],
)
def test_a_lab_that_cannot_be_says_so_at_once(wrong):
    with pytest.raises(ValueError, match="9.9|at least one broker"):
        Lab(**wrong)


@pytest.mark.parametrize("client", [KafkaConsumer, KafkaProducer])
@pytest.mark.parametrize("servers", ["localhost", "localhost:http", ":9092", ""])
def test_bootstrap_servers_that_are_no_addresses(client, servers):
    with pytest.raises(ConfigException, match="bootstrap"):
        client(Lab(), {"bootstrap.servers": servers})


# a learner's own rule


def test_a_learners_least_loaded_rule_is_asked_and_obeyed():
    seen = []

    def last(nodes):
        seen.append([node.id for node in nodes])
        return max(nodes, key=lambda node: -node.id)

    lab = Lab(version="2.3")
    KafkaProducer(
        lab,
        {"bootstrap.servers": "localhost:9092,localhost:9093,localhost:9094"},
        least_loaded=last,
        name="shop",
    )
    lab.run_for(ms=1_000)
    assert sorted(seen[0]) == [-3, -2, -1]
    assert lab.sockets()[0].node_id == "-3"


def test_a_rule_that_names_a_node_it_was_not_given():
    lab = Lab()
    KafkaProducer(lab, least_loaded=lambda nodes: 99)
    with pytest.raises(ValueError, match="least_loaded returned 99"):
        lab.run_for(ms=1_000)


def group_with(rule):
    """A consumer whose heartbeats are answered by `rule`, after a second member has joined."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("orders", partitions=2)

    def reader(lab, name, **how):
        consumer = KafkaConsumer(
            lab,
            {"group.id": "g", "client.id": name, "heartbeat.interval.ms": 1_000},
            name=name,
            **how,
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=500)

    lab.spawn(lambda lab: reader(lab, "ann", on_heartbeat=rule), name="ann")
    lab.run_for(ms=8_000)
    lab.spawn(lambda lab: reader(lab, "bob"), name="bob")
    lab.run_for(ms=6_000)
    return lab


def test_a_learners_heartbeat_rule_is_asked_and_obeyed():
    asked = []

    def deaf(error):
        asked.append(error)
        return "alive"

    lab = group_with(deaf)
    assert {"NONE", "REBALANCE_IN_PROGRESS"} == set(asked)
    # it waits for her
    assert [event.after for event in lab.journal.of("state") if event.machine == "group"][
        -1
    ] == "PreparingRebalance"
    lab.close()
    lab = group_with(lambda error: "rejoin" if error == "REBALANCE_IN_PROGRESS" else "alive")
    assert [event.after for event in lab.journal.of("state") if event.machine == "group"][
        -1
    ] == "Stable"
    lab.close()


def test_a_heartbeat_rule_that_stops_a_member_or_says_nonsense():
    with pytest.raises(KafkaException, match="on_heartbeat stopped this member"):
        group_with(lambda error: "stop")
    with pytest.raises(
        ValueError, match="on_heartbeat gave 'jump' for NONE; it returns one of alive, rejoin"
    ):
        group_with(lambda error: "jump")


def test_an_event_says_what_it_is_in_one_line():
    lab, _ = first_poll()
    assert all(
        isinstance(event, Event) and "\n" not in repr(event)
        for event in lab.journal.of("call", "socket.opening", "request.sent")
    )
    assert repr(lab) == f"Lab(3 brokers, {lab.now_ms} ms, {len(lab.journal.events)} events)"
    KafkaProducer(lab, {}, name="till")
    assert KafkaProducer(lab, {"client.id": "till"}).name == "till-2"
