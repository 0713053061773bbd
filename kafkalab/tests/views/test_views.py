"""The views read a journal and draw it; the text twin says what the picture says."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html import escape

import pandas
import pytest

from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
    WorkerPool,
    views,
)
from kafkalab.errors import IllegalArgumentException
from kafkalab.reading.sockets import Socket
from kafkalab.tests.shares import few
from kafkalab.tests.views.fake_lab import FakeLab, first_poll
from kafkalab.views import (
    Outcome,
    Worked,
    batch_strip,
    bookmarks,
    compare,
    group_timeline,
    lag_and_lead,
    lag_curve,
    offset_paths,
    offset_ruler,
    outcome_grid,
    poll_gap,
    record_strip,
    replica_ladder,
    request_gantt,
    request_stations,
    segment_strip,
    sequence,
    sequence_ladder,
    timeline,
    work_strip,
    worker_lanes,
)
from kafkalab.views.assignment_matrix import group_assignments
from kafkalab.views.connections import rows
from kafkalab.views.group_timeline import group_states, heartbeats, member_spans
from kafkalab.views.lag_and_lead import distances
from kafkalab.views.offset_ruler import lag_points
from kafkalab.views.poll_gap import evictions, poll_gaps
from kafkalab.views.poll_gap import heartbeat_times as answered_beats
from kafkalab.views.replica_ladder import rungs
from kafkalab.views.sequence import arrows
from kafkalab.views.sequence_ladder import arrivals
from kafkalab.views.style import LOOKS, axis_unit, clock
from kafkalab.views.versions import differing
from kafkalab.views.worker_lanes import promises, tasks


def words(text: str) -> str:
    """Text with its column padding removed."""
    return " ".join(text.split())


def test_the_gantt_has_one_row_for_each_connection_in_order_of_opening():
    picture = timeline(first_poll())
    assert [line.split()[2] for line in picture.text.splitlines()[1:]] == [
        "-1",
        "2147483645",
        "2",
        "0",
        "1",
    ]
    assert "closed, idle at 9 min 0.2 s" in picture.text
    assert "5 connections opened, 4 open at 10 min 0.0 s" in picture.alt


def test_every_label_of_the_gantt_is_inside_the_picture():
    picture = timeline(first_poll())
    assert_texts_inside_and_apart(picture)


def test_no_labels_of_the_other_pictures_overlap():
    assert_texts_inside_and_apart(sequence(first_poll()))
    assert_texts_inside_and_apart(
        compare(first_poll(), first_poll(extra_bootstrap=True), ("2.3", "2.2"))
    )


def assert_texts_inside_and_apart(picture) -> None:
    """No text leaves the figure and no two texts of one picture touch."""
    renderer = picture.figure.canvas.get_renderer()
    picture.figure.canvas.draw()
    boxes = []
    for axes in picture.figure.axes:
        boxes += [(t.get_text(), t.get_window_extent(renderer)) for t in axes.texts if t.get_text()]
    boxes += [(t.get_text(), t.get_window_extent(renderer)) for t in picture.figure.texts]
    for legend in picture.figure.legends:
        boxes += [(t.get_text(), t.get_window_extent(renderer)) for t in legend.get_texts()]
    page = picture.figure.bbox
    for text, box in boxes:
        assert (
            page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        ), f"{text!r} leaves the picture"
    for i, (text, box) in enumerate(boxes):
        for other, other_box in boxes[i + 1 :]:
            shared = (
                min(box.x1, other_box.x1) - max(box.x0, other_box.x0),
                min(box.y1, other_box.y1) - max(box.y0, other_box.y0),
            )
            assert min(shared) < 1, f"{text!r} and {other!r} overlap"


@pytest.mark.corpus
def test_the_same_run_gives_the_same_bytes():
    assert timeline(first_poll()).png() == timeline(first_poll()).png()
    assert sequence(first_poll()).png() == sequence(first_poll()).png()


def test_a_class_is_never_told_by_colour_alone():
    looks = list(LOOKS.values())
    assert (
        len({look.hatch for look in looks})
        == len({look.line for look in looks})
        == len({look.colour for look in looks})
        == len(looks)
    )


def test_a_picture_shows_itself_with_its_text_twin():
    data, metadata = timeline(first_poll())._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "node -1" in data["text/plain"]
    assert "Connection Gantt" in metadata["image/png"]["alt"]


def test_in_a_notebook_the_image_has_its_alternative_text_and_the_twin_lies_under_it():
    """JupyterLab shows text/html before image/png,
    and gives a bare image/png no alternative text."""
    picture = timeline(first_poll())
    html = picture._repr_mimebundle_()[0]["text/html"]
    assert f'<img alt="{escape(picture.alt)}"' in html
    assert base64.b64decode(re.search(r"base64,([^\"]*)", html)[1]) == picture.png()
    assert escape(picture.text) in html


def test_requests_belong_to_the_connection_that_carried_them():
    by_node = {row.node: row for row in rows(first_poll())}
    assert by_node["-1"].requests_at_ms == (3, 46, 46)
    assert by_node["2147483645"].requests_at_ms == (66,)


def test_rows_that_open_at_other_times_are_not_called_the_same():
    """A client that connects when it sends, beside one that connects at once:
    nothing to box, and yet not one picture twice."""
    early, late = FakeLab(), FakeLab()
    early.open("p", -1, 0, "bootstrap", 0)
    late.open("p", -1, 0, "bootstrap", 500)
    early.now_ms = late.now_ms = 1_000
    assert "opened at other times" in compare(early, late, ("2.2", "2.1")).alt
    assert "no row differs" in compare(late, late, ("2.1", "2.1")).alt


def test_an_empty_lab_gives_an_empty_picture_and_no_error():
    lab = FakeLab()
    lab.now_ms = 3_000
    assert "0 connections opened" in timeline(lab).alt


def test_the_sequence_pairs_a_request_with_its_answer():
    found = arrows(first_poll(), "inv-1", to_ms=100)
    asked = next(arrow for arrow in found if arrow.what.startswith("FIND_COORDINATOR"))
    answered = next(arrow for arrow in found if arrow.what.startswith("answer to FIND_COORDINATOR"))
    assert (asked.left_ms, asked.arrived_ms) == (46, 47)
    assert (answered.left_ms, answered.arrived_ms) == (59, 60)


def test_a_long_conversation_is_cut_and_the_heading_says_so():
    picture = sequence(first_poll(), most=10)
    assert "more, not drawn" in picture.alt
    assert (
        sum(" client -> broker " in f" {words(line)} " for line in picture.text.splitlines()) == 10
    )


def test_only_the_requests_asked_for():
    picture = sequence(first_poll(), apis=("METADATA",))
    assert (
        "METADATA" in picture.text
        and "FETCH (id" not in picture.text
        and "connect to node 2" in picture.text
    )


def test_a_lab_of_several_clients_asks_which():
    lab = first_poll()
    lab.open("other", -1, 0, "bootstrap", 5)
    with pytest.raises(ValueError, match="name one"):
        sequence(lab)


def test_only_the_row_that_one_version_has_is_boxed():
    left, right = rows(first_poll()), rows(first_poll(extra_bootstrap=True))
    assert differing(left, right) == (frozenset(), frozenset({1}))
    picture = compare(first_poll(), first_poll(extra_bootstrap=True), ("2.3", "2.2"))
    assert "1 row differs" in picture.alt
    assert [line.split()[:4] for line in picture.text.splitlines() if line.startswith("* inv")] == [
        ["*", "inv-1", "node", "-2"]
    ]


def test_another_way_of_writing_the_coordinators_id_is_no_difference():
    assert differing(rows(first_poll()), rows(first_poll(coordinator="+2"))) == (
        frozenset(),
        frozenset(),
    )


@pytest.mark.parametrize(
    ("at_ms", "said"), [(0, "0 ms"), (95, "95 ms"), (3_200, "3.2 s"), (540_100, "9 min 0.1 s")]
)
def test_times_are_said_as_people_say_them(at_ms, said):
    assert clock(at_ms) == said


def test_the_axis_chooses_its_unit():
    assert [axis_unit(span)[1] for span in (300, 20_000, 600_000)] == ["ms", "s", "min"]


def test_a_bootstrap_arrow_ends_at_the_broker_that_heard_it():
    """The client does not know who answers at an address; the reader of the picture may."""
    lab = FakeLab()
    lab.event(0, "call", "inv-1", name="poll")
    socket = lab.open("inv-1", -2, 1, "bootstrap", 1)
    lab.ask("inv-1", socket, "METADATA", 0, 5)
    lab.opened = [replace(s, broker=None) for s in lab.opened]
    assert {arrow.broker for arrow in arrows(lab, "inv-1")} == {1}


def test_a_connection_nobody_answered_is_still_drawn():
    lab = FakeLab()
    lab.open("inv-1", -1, None, "bootstrap", 1, closed_at_ms=2, how="failed")
    assert "connect to node -1" in sequence(lab).text


@pytest.mark.corpus
def test_a_long_name_stays_inside_the_picture():
    lab = first_poll()
    lab.open("inv-1", -2, None, "bootstrap", 8, "telemetry")
    assert_texts_inside_and_apart(timeline(lab))
    assert_texts_inside_and_apart(compare(lab, FakeLab(), ("3.9", "2.1, nothing sent")))


@pytest.mark.corpus
def test_the_newer_pictures_have_no_labels_that_overlap():
    lab = small_group()
    for picture in (
        group_timeline(lab, "inventory"),
        replica_ladder(lab, "orders-0", {2_000: "first", 6_000: "later"}),
        offset_ruler(lab, "orders-0", "inventory"),
        lag_curve({"one": lab}, "inventory"),
    ):
        assert_texts_inside_and_apart(picture)
        assert len(picture.text.splitlines()) >= 2


def test_what_the_newer_pictures_say():
    lab = small_group()
    assert (
        "Stable" in group_timeline(lab, "inventory").text
        and "reads" in group_timeline(lab, "inventory").text
    )
    ruler = {
        line.rsplit(None, 1)[0]: int(line.split()[-1])
        for line in offset_ruler(lab, "orders-0", "inventory").text.splitlines()[1:]
    }
    assert ruler["log end"] == 5 and ruler["committed"] == 5 and ruler["position of reader"] == 5
    assert [
        (rung.log_end_offset, rung.role)
        for rung in rungs(lab, "orders-0", [lab.now_ms])
        if rung.broker == lab.leader("orders", 0)
    ] == [(5, "leader")]
    assert lag_points(lab, "inventory")[-1][1] == 0


@pytest.mark.parametrize(
    "version, config, states",
    few(
        [
            ("2.8", {}, {"PreparingRebalance", "CompletingRebalance", "Stable"}),
            ("3.9", {}, {"PreparingRebalance", "CompletingRebalance", "Stable"}),
            ("4.4", {"group.protocol": "consumer"}, {"Stable", "Reconciling"}),
        ]
    ),
)
def test_a_group_of_either_protocol_with_its_heartbeats(version, config, states):
    lab = Lab(brokers=1, seed=8, version=version)
    lab.create_topic("orders", partitions=4)

    def reader(lab, name):
        consumer = KafkaConsumer(
            lab, {"group.id": "inventory", "client.id": name, **config}, name=name
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=500)

    for name, at_ms in (("ann", 0), ("bob", 14_000)):
        lab.run_for(ms=at_ms - lab.now_ms)
        lab.spawn(reader, name, name=name)
    lab.run_for(ms=20_000)
    picture = group_timeline(lab, "inventory", beats=True)
    assert_texts_inside_and_apart(picture)
    assert states <= {span.what for span in group_states(lab, "inventory")}
    lanes = member_spans(lab, "inventory")
    assert [lanes[name][-1].what for name in ("ann", "bob")] == ["reads", "reads"]
    owned = [partition for name in ("ann", "bob") for partition in lanes[name][-1].note.split(", ")]
    assert sorted(owned) == [f"orders-{number}" for number in range(4)]
    sent = heartbeats(lab, ("ann", "bob"))
    told = [beat for beat in sent["ann"] if beat.told]
    assert len(sent["ann"]) > 4 and not any(beat.told for beat in sent["bob"])
    assert len(told) == (0 if config else 1) and all(beat.at_ms > 14_000 for beat in told)
    assert ("answer: join again" in picture.text) == bool(told)
    lab.close()


def small_group() -> Lab:
    """A group of one that has read and committed five records."""
    lab = Lab(brokers=3, seed=3)
    lab.create_topic("orders", replication_factor=3)
    producer = KafkaProducer(lab)
    for number in range(5):
        producer.send(ProducerRecord("orders", value=str(number))).get()
    reader = KafkaConsumer(
        lab, {"group.id": "inventory", "auto.offset.reset": "earliest"}, name="reader"
    )
    reader.subscribe(["orders"])
    while reader.assignment() == [] or reader.position(TopicPartition("orders", 0)) < 5:
        reader.poll(timeout_ms=1_000)
    reader.commit_sync()
    lab.run_for(ms=3_000)
    return lab


def test_everybody_has_a_bookmark_of_their_own():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", config={"retention.ms": 120_000, "segment.ms": 20_000})
    producer = KafkaProducer(lab, {}, name="shop")
    group = KafkaConsumer(
        lab, {"group.id": "billing", "auto.offset.reset": "earliest"}, name="billing-1"
    )
    group.subscribe(["orders"])
    for number in range(8):
        producer.send(ProducerRecord("orders", value="tea"))
        producer.flush()
        if number == 1:
            group.poll(timeout_ms=5_000)
            group.commit_sync()
        lab.run_for(ms=30_000)
    # retention is looked at after 30 s, and then every five minutes
    lab.run_for(ms=100_000)
    alone = KafkaConsumer(lab, {}, name="auditor")
    alone.assign([TopicPartition("orders", 0)])
    alone.poll(timeout_ms=1_000)
    assert words(bookmarks(lab, "orders-0").text) == words(
        "who where unread records 7 to 7 1 group billing next 2 1, and 5 gone "
        "auditor, in memory next 8 0"
    )
    assert_texts_inside_and_apart(bookmarks(lab, "orders-0"))
    with pytest.raises(IllegalArgumentException, match="no partition orders-1; there are"):
        bookmarks(lab, "orders-1")


def test_a_strip_has_a_block_for_every_batch():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", partitions=2)
    producer = KafkaProducer(lab, {"linger.ms": 20}, name="shop")
    for partition in (0, 0, 0, 1):
        producer.send(ProducerRecord("orders", value="tea", partition=partition))
    producer.flush()
    producer.send(ProducerRecord("orders", value="tea", partition=0))
    producer.close()
    picture = batch_strip(lab, "orders")
    assert [line.split()[1:4] for line in picture.text.splitlines()[1:]] == [
        ["orders-0", "2", "4"],
        ["orders-1", "1", "1"],
    ]
    assert_texts_inside_and_apart(picture)
    assert "client 2.3" in batch_strip({"client 2.3": lab}, "orders").text
    with pytest.raises(IllegalArgumentException, match="no topic tea; make it with"):
        batch_strip(lab, "tea")


def test_a_grid_says_the_worst_that_is_true():
    cells = {
        ("fine", "acks=1"): Outcome(20, 0, 0),
        ("crash", "acks=1"): Outcome(20, 3, 0),
        ("fine", "acks=all"): Outcome(0, 0, 20),
        ("crash", "acks=all"): Outcome(20, 0, 0, readable=False),
    }
    picture = outcome_grid(cells, title="two stories")
    assert [line.split()[1:] for line in picture.text.splitlines()] == [
        ["acks=1", "acks=all"],
        ["20", "safe", "20", "refused"],
        ["3", "lost", "no", "leader,", "20", "waiting"],
    ]
    assert_texts_inside_and_apart(picture)


def test_a_ladder_has_a_rung_for_everything_that_reached_the_leader():
    lab = Lab(brokers=1, seed=6, version="3.9")
    lab.create_topic("orders")
    till = KafkaProducer(lab, {"transactional.id": "till", "linger.ms": 0}, name="till")
    till.init_transactions()
    for number in range(2):
        till.begin_transaction()
        if number:
            lab.link(0, "till").cut_before_reply("PRODUCE")
        till.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
        till.commit_transaction() if number else till.abort_transaction()
    lab.run_for(ms=100)  # the coordinator has decided; its marker is on the way
    found = arrivals(lab, "orders-0")
    assert [
        (arrival.outcome, arrival.sequences, arrival.offsets, arrival.stable) for arrival in found
    ] == [
        ("appended", (0, 0), (0, 0), 0),
        ("ABORT", None, (1, 1), 2),
        ("appended", (1, 1), (2, 2), 2),
        ("DUPLICATE", (1, 1), (2, 2), 2),
        ("COMMIT", None, (3, 3), 4),
    ]
    for picture in (sequence_ladder(lab, "orders-0"), sequence_ladder(lab, "orders-0", keys=True)):
        assert_texts_inside_and_apart(picture)
        assert (
            "order 1" in picture.text
            and "DUPLICATE" in picture.text
            and len(picture.text.splitlines()) == 6
        )
    with pytest.raises(IllegalArgumentException, match="no partition tea-0; there are"):
        sequence_ladder(lab, "tea-0")


def test_a_record_that_stands_twice_is_not_safe():
    cell = Outcome(5, 0, 0, repeated=2)
    assert (cell.kind, cell.words) == ("repeated", "2 repeated") and Outcome(
        5, 1, 0, repeated=2
    ).kind == "lost"


def test_a_work_strip_says_what_was_done_twice_and_what_never():
    picture = work_strip(
        {
            "work, commit": Worked((1, 2, 2, 1), committed=1),
            "commit, work": Worked((1, 0, 1, 1), committed=4),
            "no crash": Worked((1, 1, 1, 1)),
        },
        title="two orders of things",
    )
    assert words(picture.text) == words(
        "run times committed in all work, commit 1221 1 2 twice commit, work 1011 4 1 never no "
        "crash 1111 - each once"
    )
    assert_texts_inside_and_apart(picture)
    with pytest.raises(ValueError, match="no run to draw"):
        work_strip({}, title="nothing")


def test_a_segment_strip_shows_rolled_and_deleted_files():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", config={"retention.ms": 280_000, "segment.ms": 60_000})
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for _ in range(4):
        producer.send(ProducerRecord("orders", value="tea")).get()
        lab.run_for(ms=61_000)
    lab.run_for(ms=600_000)
    picture = segment_strip(lab, "orders", at_ms=[200_000, 400_000, 840_000], title="files")
    states = [line.split()[2:] for line in picture.text.splitlines()[1:]]
    assert [state for _, _, state in states[:4]] == ["closed", "closed", "closed", "active"]
    assert [state for _, _, state in states[4:8]] == ["gone", "closed", "closed", "active"]
    assert {state for _, _, state in states[8:]} == {"gone", "active"}
    assert_texts_inside_and_apart(picture)
    wide = segment_strip(lab, "orders", at_ms=[200_000], title="files", up_to=10)
    assert wide.figure.axes[0].get_xlim() == (0, 10)
    with pytest.raises(ValueError, match="There is no topic nope"):
        segment_strip(lab, "nope", at_ms=[1], title="files")
    with pytest.raises(ValueError, match="at_ms is a list of moments"):
        segment_strip(lab, "orders", at_ms=[], title="files")


def test_a_record_strip_shows_holes_and_tombstones():
    rows = {
        "before": [(0, "tea", "1"), (1, "tea", None), (2, "jam", "4")],
        "after": [(2, "jam", "4")],
    }
    picture = record_strip(rows, title="a table")
    wide = record_strip(rows, title="a table", first=0, up_to=20)
    assert wide.figure.axes[0].get_xlim() == (0, 20)
    assert words(picture.text) == words(
        "log offset key value before 0 tea 1 before 1 tea tombstone before 2 jam 4 after 2 jam 4"
    )
    assert_texts_inside_and_apart(picture)
    with pytest.raises(ValueError, match="no record to draw"):
        record_strip({"before": []}, title="nothing")


def test_paths_end_where_a_member_dies():
    """What a member was given and had not committed is the gap at its death."""
    lab = Lab(brokers=1, seed=1, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {}, name="shop")
    for _ in range(12):
        producer.send(ProducerRecord("orders", value="tea"))
    producer.close()
    reader = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "max.poll.records": 5,
        },
        name="ada",
    )
    reader.subscribe(["orders"])
    assert reader.poll(timeout_ms=5_000).count() == 5
    reader.commit_sync()
    assert reader.poll(timeout_ms=5_000).count() == 5
    lab.kill("ada")
    picture = offset_paths(lab, "orders-0", "billing")
    assert words(picture.text.splitlines()[1]).startswith(
        "run 1 10 5 ada at"
    ) and picture.text.endswith("position 10, committed 5")
    assert_texts_inside_and_apart(picture)
    both = offset_paths(
        {"once": lab, "again": lab}, "orders-0", "billing", title="the same lab, twice"
    )
    assert [line.split()[0] for line in both.text.splitlines()] == ["run", "once", "again"]
    assert_texts_inside_and_apart(both)
    assert words(offset_paths(lab, "orders-0", "search").text.splitlines()[1]) == "run 0 0 0 -"


def slow_reader(work_ms, commits=None, workers=0):
    """Ada reads ten orders and works on each for so long; with `workers` a pool does it, and she
    commits what commits(records) says."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {}, name="shop")
    for _number in range(10):
        producer.send(ProducerRecord("orders", value="tea"))
    producer.close()

    def program(lab):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.interval.ms": 20_000,
            },
            name="ada",
        )
        consumer.subscribe(["orders"])
        pool = (
            WorkerPool(lab, workers, lambda record: lab.sleep(work_ms(record.offset)), "ada")
            if workers
            else None
        )
        while True:
            records = list(consumer.poll(timeout_ms=500))
            for record in records:
                pool.submit(record) if pool else lab.sleep(work_ms(record.offset))
            if pool and records:
                lab.sleep(1_500)
                consumer.commit_sync({TopicPartition("orders", 0): commits})

    lab.spawn(program, name="ada")
    lab.run_for(ms=40_000)
    return lab


def test_a_gap_over_the_limit_ends_the_heartbeats():
    lab = slow_reader(lambda offset: 3_000)
    gap = next(gap for gap in poll_gaps(lab, "ada") if gap.records)
    assert (gap.length_ms, gap.records) == (30_000, 10)
    (left_ms,) = evictions(lab, "ada")
    assert gap.from_ms + 20_000 <= left_ms < gap.from_ms + 20_200
    beats = [at_ms for at_ms in answered_beats(lab, "ada") if gap.from_ms < at_ms < gap.to_ms]
    assert len(beats) == 6 and max(beats) < left_ms
    picture = poll_gap(lab, "ada")
    assert "over the limit" in picture.text and "gave up its membership 1 time" in picture.alt
    assert_texts_inside_and_apart(picture)
    with pytest.raises(IllegalArgumentException, match="no client 'bo' has done anything"):
        poll_gap(lab, "bo")


def test_a_quick_reader_has_no_gap_over_the_limit():
    lab = slow_reader(lambda offset: 1_000)
    assert [gap.length_ms for gap in poll_gaps(lab, "ada") if gap.records] == [
        10_000
    ] and evictions(lab, "ada") == []
    assert "over the limit" not in poll_gap(lab, "ada").text


def test_a_commit_past_unfinished_work_is_told():
    from kafkalab import OffsetAndMetadata

    lab = slow_reader(
        lambda offset: 60_000 if offset == 1 else 400, OffsetAndMetadata(4), workers=3
    )
    (promise,) = promises(lab, "ada")
    assert (promise.offset, promise.not_done) == (4, (1,))
    assert [task.offset for task in tasks(lab, "ada") if task.to_ms is None] == [1]
    picture = worker_lanes(lab, "ada", from_ms=3_000, to_ms=6_000)
    assert (
        "not done: 1" in picture.text
        and "never ends" in picture.text
        and "1 commits go past work" in picture.alt
    )
    assert_texts_inside_and_apart(picture)
    with pytest.raises(IllegalArgumentException, match="There is no worker pool bo with work"):
        worker_lanes(lab, "bo")


def overtaken(reset: str):
    """Ten orders a minute for six minutes, a topic that keeps two;
    the member reads ten at first and comes back at the end."""
    lab = Lab(brokers=1, seed=1, broker_config={"log.retention.check.interval.ms": 10_000})
    lab.create_topic("orders", config={"retention.ms": 120_000, "segment.ms": 20_000})
    producer = KafkaProducer(lab, {}, name="shop")
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "auto.offset.reset": reset,
            "enable.auto.commit": False,
            "max.poll.interval.ms": 600_000,
        },
        name="m1",
    )
    member.subscribe(["orders"])
    member.poll(timeout_ms=4_000)
    for minute in range(1, 7):
        lab.run_for(ms=minute * 60_000 - lab.now_ms)
        for _ in range(10):
            producer.send(ProducerRecord("orders", value="tea"))
        producer.flush()
        if minute in (1, 6):
            member.poll(timeout_ms=1_000)
            member.commit_sync()
    return lab


def test_lag_looks_at_the_end_of_the_log_and_lead_at_its_start():
    lab = overtaken("latest")
    first, *_, last = distances(lab, "billing")["orders-0"]
    assert (first.lag, first.lead, first.log_start) == (0, 10, 0)
    assert (last.lag, last.lead) == (0, 60 - last.log_start) and last.log_start > 10
    least = min(point.lead for point in distances(lab, "billing")["orders-0"])
    picture = lag_and_lead({"latest": lab}, "billing")
    assert (
        words(picture.text.splitlines()[1]).split()[:4] == ["orders-0", "50", "0", str(least)]
        and least == 10 - last.log_start
    )
    assert "rebalances at " in picture.text
    assert_texts_inside_and_apart(picture)


def test_both_rules_for_a_lost_place_stand_side_by_side():
    picture = lag_and_lead(
        {reset: overtaken(reset) for reset in ("earliest", "latest")}, "billing", title="two rules"
    )
    assert [line.split()[0] for line in picture.text.splitlines()[1:3]] == [
        "earliest",
        "latest",
    ] and picture.alt == "Lag and lead: two rules."
    assert_texts_inside_and_apart(picture)


def test_a_group_that_never_committed_has_an_empty_chart():
    lab = Lab(brokers=1)
    lab.run_for(ms=1_000)
    assert (
        words(lag_and_lead({"empty": lab}, "billing").text)
        == "which most lag lag at the end least lead at lead at the end"
    )


def test_a_request_gantt_tells_each_stage():
    lab = Lab(brokers=1, seed=5)
    lab.create_topic("orders")
    lab.broker(0).time_requests()
    KafkaProducer(lab, name="shop").send(ProducerRecord("orders", value="tea")).get()
    requests = lab.broker(0).request_times()
    picture = request_gantt(requests, title="one order")
    assert "shop PRODUCE" in picture.text and "response queue" in picture.text
    with pytest.raises(IllegalArgumentException, match="draws 1 to 24 requests, not 0"):
        request_gantt([], title="nothing")


def test_a_request_is_at_one_station_at_a_time():
    lab = Lab(brokers=1, seed=5)
    lab.create_topic("orders")
    lab.broker(0).time_requests()
    lab.broker(0).keep_busy("PRODUCE", ms=20)
    KafkaProducer(lab, name="shop").send(ProducerRecord("orders", value="tea")).get()
    (order,) = (row for row in lab.broker(0).request_times() if row["api"] == "PRODUCE")
    at = order["read_at_ms"]
    stations = [
        request_stations([order], moment, title="one order").text.splitlines()[1:]
        for moment in (at - 1_000, at + 10, at + 30)
    ]
    assert [[line.split("  ")[0] for line in each] for each in stations] == [
        [],
        ["I/O thread"],
        ["answered"],
    ]
    with pytest.raises(IllegalArgumentException, match="draws at least one request"):
        request_stations([], 0, title="nothing")
    with pytest.raises(IllegalArgumentException, match="no station 'disk'; it has socket"):
        request_stations([order], 0, title="a disk", places={"disk": 1})


class LabOfLines:
    """What views see of a real lab: sockets, requests by node id, and no journal."""

    knows_lines_only = True
    now_ms = 9_000

    def sockets(self, client=None):
        return [
            Socket("shop", "-1", None, "bootstrap", "metadata", 100, 101, 5_100, "idle", 1),
            Socket("shop", "0", 0, "data", "request", 200, 201, None, None, 2),
        ]

    def table(self, kind):
        if kind == "fault":
            rows = [(0, "fault", 8_000, "broker-1", "pause"), (1, "fault", 8_500, "b", "kill -9")]
            return pandas.DataFrame(rows, columns=["id", "kind", "at_ms", "who", "what"])
        assert kind == "request.sent"
        rows = [(110, "shop", "-1", "METADATA"), (210, "shop", "0", "PRODUCE")]
        rows += [(6_000, "shop", "-1", "METADATA"), (300, "other", "0", "FETCH")]
        return pandas.DataFrame(rows, columns=["at_ms", "who", "node_id", "api"])

    def check_client(self, client):
        assert client == "shop"

    def lines(self, client=None):
        said = [
            (1_000, "a", "Adding newly assigned partitions: orders-0, orders-1"),
            (3_000, "a", "Revoke previously assigned partitions [orders-1, orders-0]"),
            (4_000, "a", "Adding newly assigned partitions: orders-0"),
            (5_000, "b", "Setting newly assigned partitions: orders-1"),
            (6_000, "c", "Adding newly assigned partitions: orders-7"),
        ]
        rows = [
            (at_ms, who, f"[Consumer clientId={who}, groupId={'g' if who != 'c' else 'h'}] {words}")
            for at_ms, who, words in said
        ]
        return pandas.DataFrame(rows, columns=["at_ms", "client", "message"])

    def state(self):
        log = {"replicas": [0, 1], "isr": [0], "leader": 0, "log_start_offset": 2}
        members = {"a-1": {"client_id": "a", "subscription": ["orders"], "assignment": []}}
        members["a-1"]["assignment"].append("orders-0")
        return {
            "brokers": {
                0: {"address": "localhost:20000", "alive": True},
                1: {"address": "localhost:20001", "alive": False},
            },
            "topics": {"orders": {"partitions": 1}},
            "partitions": {"orders-0": {**log, "log_end_offset": 9, "high_watermark": 9}},
            "groups": {"g": {"members": members, "offsets": {"orders-0": {"offset": 5}}}},
            "clients": {
                "shop": {
                    "config": {},
                    "sockets": {
                        1: {"node_id": "0", "broker": 0, "role": "data", "address": ""},
                    },
                }
            },
        }


def test_the_connections_of_a_real_lab_are_drawn_from_its_lines():
    lab = LabOfLines()
    text = views.timeline(lab, "shop").text
    assert [line.split()[-1] for line in text.splitlines()[-4:-2]] == ["1", "1"]
    assert "closed, idle at" in text and "still open" in text
    assert "broker-1: pause" in text
    assert views.compare(lab, lab, ("a", "b"), client="shop").text.count("bootstrap") >= 2


def test_owners_readers_bookmarks_and_the_cluster_of_a_real_lab_are_drawn():
    lab = LabOfLines()
    rows = [line.split() for line in views.ownership(lab, "g").text.splitlines()[1:]]
    assert rows == [
        ["orders-0", "1.0", "s", "3.0", "s", "a"],
        ["orders-0", "3.0", "s", "4.0", "s", "nobody"],
        ["orders-0", "4.0", "s", "9.0", "s", "a"],
        ["orders-1", "1.0", "s", "3.0", "s", "a"],
        ["orders-1", "3.0", "s", "5.0", "s", "nobody"],
        ["orders-1", "5.0", "s", "8.5", "s", "b"],
        ["orders-1", "8.5", "s", "9.0", "s", "nobody"],
    ]
    assert views.readers(lab, "orders").text.splitlines()[-2].split() == ["orders-0", "7", "a"]
    assert "group g" in views.bookmarks(lab, "orders-0").text
    assert (
        "down" in views.cluster_map(lab).text
        and "node 0 to broker 0" in views.cluster_map(lab).text
    )
    with pytest.raises(IllegalArgumentException, match="no one keeps the past"):
        views.bookmarks(lab, "orders-0", 3)


class OnlyItsLines:
    """A simulated lab of which a view sees what it sees of a real one."""

    knows_lines_only = True

    def __init__(self, lab):
        self.lab, self.now_ms = lab, lab.now_ms

    def lines(self, client=None):
        return self.lab.lines(client)

    def table(self, kind):
        return self.lab.table(kind)

    def check_client(self, client):
        self.lab.check_client(client)

    def sockets(self, client=None):
        return self.lab.sockets(client)


@pytest.mark.parametrize("release", few(["2.3", "2.8", "4.4"]))
def test_the_lines_of_leaders_give_the_matrix_of_the_journal(release):
    lab = Lab(brokers=1, seed=1, version=release)
    lab.create_topic("orders", partitions=12)
    members = []
    for name in ("ann", "bob-1", "cyd"):
        members.append(KafkaConsumer(lab, {"group.id": "g", "client.id": name}, name=name))
        members[-1].subscribe(["orders"])
        for _ in range(60):
            for member in members:
                member.poll(timeout_ms=100)
    members.pop(0).close()
    for _ in range(60):
        for member in members:
            member.poll(timeout_ms=100)
    journal = [(each.generation, each.owners) for each in group_assignments(lab, "g")]
    told = [(each.generation, each.owners) for each in group_assignments(OnlyItsLines(lab), "g")]
    assert told == journal and len(told) == 4
    assert "bob-1" in views.assignment_matrix(OnlyItsLines(lab), "g").text
    with pytest.raises(IllegalArgumentException, match="no line tells an assignment"):
        views.assignment_matrix(OnlyItsLines(lab), "h")


@pytest.mark.parametrize(
    ("name", "given"),
    [("poll_gap", ("shop",)), ("sequence", ("shop",)), ("group_timeline", ("g",))],
)
def test_other_views_refuse_a_real_lab_with_a_sentence(name, given):
    with pytest.raises(IllegalArgumentException, match="only the simulator's journal tells"):
        getattr(views, name)(LabOfLines(), *given)
    with pytest.raises(IllegalArgumentException, match="only the simulator's journal tells"):
        views.lag_curve({"real": LabOfLines()}, "g")
