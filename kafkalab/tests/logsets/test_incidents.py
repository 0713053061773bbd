"""What went wrong, found in the lines alone: next to what the simulator knew,
and in logs where nothing did."""

from dataclasses import replace
from datetime import datetime

import pytest

from kafkalab import logsets
from kafkalab.logsets.generate import Manifest, generate, manifest
from kafkalab.logsets.generate.lookalikes import LOOKALIKES
from kafkalab.logsets.generate.scenes import SCENES
from kafkalab.logsets.generate.stories import _topic_of
from kafkalab.logsets.generate.truth import _joined, _SetIncident
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.score import IncidentSpan, score_table, scores, spans_of_rows, spans_of_truth

QUIET = {"": "DEBUG", "org.apache.kafka.clients.NetworkClient": "TRACE"}
# Each kind once, several at a time, among clients that live quietly.
ONE_OF_EACH = Manifest(
    name="one of each", seed=4, duration_ms=780_000, levels=QUIET, parquet=True,
    clients={"consumer": {"3.9": 2}, "closed_producer": {"2.3": 1}, "shaken_consumer": {"4.4": 1}},
    config={"consumer": {"fetch.max.wait.ms": 10_000}},
    incidents=tuple({"kind": kind, "version": "2.8" if number % 2 else "3.9"} for number,
                    kind in enumerate(SCENES)),
)  # fmt: skip


@pytest.fixture(scope="module")
def explained(spark, tmp_path_factory):
    """(truth, the incidents found) of a set with one of each."""
    folder = tmp_path_factory.mktemp("incidents") / "set"
    truth = generate(spark, ONE_OF_EACH, folder, say=lambda text: None)
    return truth, logsets.incidents(spark.read.parquet(str(folder / "parquet"))).toPandas()


@pytest.mark.slow
def test_one_of_each_is_found_and_nothing_else(explained):
    truth, found = explained
    rated = scores(spans_of_rows(found.itertuples()), spans_of_truth(truth))
    assert len(rated) == len(SCENES)
    assert [(score.kind, score.precision, score.recall) for score in rated] == [
        (score.kind, 1.0, 1.0) for score in rated
    ], score_table(rated)


@pytest.mark.slow
def test_each_incident_cites_lines_of_its_time(explained):
    _, found = explained
    for row in found.itertuples():
        assert 1 <= len(row.evidence) <= 5 and row.cause, row.kind
        # Those are told by the line that opened them, long before.
        if row.kind != "zombie sockets":
            assert all(row.first <= line["time"] <= row.last for line in row.evidence), row.kind


@pytest.mark.slow
def test_what_only_looks_like_an_incident_is_none(spark, tmp_path):
    """Rolling restarts, long work in time, a network that is slow for all: told by an old and by
    a new client, on other seeds than `trouble`'s."""
    plan = Manifest(
        name="alike",
        seed=8,
        duration_ms=780_000,
        levels=QUIET,
        clients={},
        incidents=tuple({"kind": kind, "version": ["2.3", "4.4"]} for kind in LOOKALIKES),
    )
    truth = generate(spark, plan, tmp_path / "set", say=lambda text: None)
    found = logsets.incidents(spark.read.parquet(str(tmp_path / "set" / "parquet"))).toPandas()
    assert truth["incidents"] == [] and len(truth["clients"]) > 60
    assert found[["kind", "clients", "first", "cause"]].values.tolist() == []


@pytest.mark.slow
def test_nothing_went_wrong_in_a_recording_of_two_quiet_members(spark, recordings):
    found = logsets.incidents(
        load_lines(spark, recordings / "4.4.0" / "4.4.0" / "two_brokers_two_members").cache()
    )
    assert found.columns == [
        "kind",
        "folder",
        "group_id",
        "clients",
        "first",
        "last",
        "cause",
        "evidence",
    ]
    assert found.count() == 0


def test_precision_and_recall_are_counted_by_kind():
    def span(kind, client, minute, group=None):
        return IncidentSpan(
            kind,
            frozenset([client]),
            group,
            datetime(2026, 1, 5, 9, minute),
            datetime(2026, 1, 5, 9, minute + 1),
        )

    there = [span("storm", "a", 1), span("storm", "b", 20), span("skew", "c", 5)]
    found = [span("storm", "a", 2), span("storm", "a", 30), span("lost", "d", 5, "g")]
    rated = {
        score.kind: (score.there, score.found, score.precision, score.recall)
        for score in scores(found, there)
    }
    assert rated == {"storm": (2, 2, 0.5, 0.5), "skew": (1, 0, 1.0, 0.0), "lost": (0, 1, 0.0, 1.0)}
    assert "storm" in score_table(scores(found, there))


def test_two_found_as_one_are_one_missed_and_one_found_as_two_is_one_wrong():
    def span(minutes, *clients):
        return IncidentSpan(
            "storm",
            frozenset(clients),
            None,
            datetime(2026, 1, 5, 9, minutes[0]),
            datetime(2026, 1, 5, 9, minutes[1]),
        )

    two, one = [span((1, 5), "a"), span((3, 7), "b")], [span((1, 7), "a", "b")]
    assert [
        (score.precision, score.recall)
        for score in (*scores(one, two), *scores(two, one), *scores(two[::-1], two))
    ] == [(1, 0.5), (0.5, 1), (1, 1)]
    # The first could take either, the second only one of them: both have theirs.
    assert (
        scores(
            [span((1, 7), "a"), span((1, 7), "a", "b")], [span((1, 7), "a", "b"), span((1, 7), "a")]
        )[0].right
        == 2
    )


def test_a_broker_that_is_slow_for_two_at_one_time_is_slow_once():
    def told_of(broker, first_s, client):
        return _SetIncident(
            "slow broker",
            {client},
            None,
            first_s * 1_000,
            (first_s + 70) * 1_000,
            [f"broker {broker}"],
            broker,
        )

    joined = _joined(
        [told_of(1, 0, "a"), told_of(2, 10, "b"), told_of(1, 60, "c"), told_of(1, 600, "d")]
    )
    assert [(row.broker, row.clients, row.first_ms, row.last_ms) for row in joined] == [
        (1, {"a", "c"}, 0, 130_000), (2, {"b"}, 10_000, 80_000), (1, {"d"}, 600_000, 670_000)
    ]  # fmt: skip


def test_each_copy_of_an_incident_has_a_topic_and_a_seed_of_its_own():
    plan = manifest("trouble")
    places = [
        place
        for want in plan.wanted
        if want.is_incident
        for place in range(want.first, want.first + want.copies)
    ]
    assert places == list(range(len(places))) and len(places) > 20 * len(SCENES)
    topics = [_topic_of(plan, place) for place in places]
    assert len(set(topics)) == len(topics) and "orders" not in topics
    # A manifest may have taken the words.
    taken = replace(plan, topics={"payments": 3, "stock-1": 2})
    assert not {_topic_of(taken, place).split("-")[0] for place in places} & {"payments", "stock"}


def test_a_truth_is_read_as_spans():
    row = {
        "kind": "skewed key",
        "clients": ["producer-0001"],
        "group_id": None,
        "first": "2026-01-05 09:00:00,000",
        "last": "2026-01-05 09:01:00,500",
    }
    assert spans_of_truth({"incidents": [row]}) == [
        IncidentSpan(
            "skewed key",
            frozenset(["producer-0001"]),
            None,
            datetime(2026, 1, 5, 9),
            datetime(2026, 1, 5, 9, 1, 0, 500_000),
        )
    ]


@pytest.mark.slow
def test_two_at_one_time_stay_two(spark, tmp_path):
    """Six copies of a scene begin together: each has its own group and topic,
    so none is taken for another's."""
    kinds = ("flapping_isr", "slow_broker", "coordinator_lost")
    plan = Manifest(
        name="together",
        seed=12,
        duration_ms=240_000,
        levels=QUIET,
        clients={},
        brokers=6,
        incidents=tuple({"kind": kind, "copies": 6, "at_s": 5} for kind in kinds),
    )
    truth = generate(spark, plan, tmp_path / "set", say=lambda text: None)
    found = logsets.incidents(spark.read.parquet(str(tmp_path / "set" / "parquet"))).toPandas()
    rated = scores(spans_of_rows(found.itertuples()), spans_of_truth(truth))
    assert [(score.there, score.found, score.right) for score in rated] == [(6, 6, 6)] * 3, (
        score_table(rated)
    )
