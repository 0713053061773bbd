"""Sets that are hard to read: most lines of one client, clients without number, wrong clocks,
late appenders, several clients of one id."""

import itertools
from collections import Counter, defaultdict

import pytest
from pyspark.sql import functions as F

from kafkalab import logsets
from kafkalab.logsets.generate import Manifest, generate
from kafkalab.logsets.generate.scenes import SCENES
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.score import score_table, scores, spans_of_rows, spans_of_truth

SOCKETS = {
    "": "INFO", "org.apache.kafka.clients.NetworkClient": "DEBUG",
    "org.apache.kafka.common.network.Selector": "DEBUG",
    "org.apache.kafka.clients.consumer.KafkaConsumer": "DEBUG",
    "org.apache.kafka.clients.consumer.internals.ClassicKafkaConsumer": "DEBUG",
}  # fmt: skip
CALM = {
    "fetch.max.wait.ms": 20_000,
    "heartbeat.interval.ms": 15_000,
    "session.timeout.ms": 60_000,
    "enable.auto.commit": False,
}


def silently(text: str) -> None:
    """Progress nobody asked for."""


def ends_told(truth: dict) -> dict[str, Counter]:
    """client id -> how many of its sockets of each node id and class ended how; `id#2` is `id`."""
    found = defaultdict(Counter)
    for client_id, client in truth["clients"].items():
        found[client_id.partition("#")[0]].update(
            (socket["node_id"], socket["class"], socket["how"]) for socket in client["sockets"]
        )
    return found


def ends_found(lines) -> dict[str, Counter]:
    found = defaultdict(Counter)
    for row in (
        logsets.connections(lines).groupBy("client_id", "node_id", "class", "how").count().collect()
    ):
        found[row.client_id][row.node_id, row["class"], row.how] = row["count"]
    return found


def generations_found(lines) -> set[tuple]:
    return {
        (row.group_id, row.generation)
        for row in logsets.rebalances(lines).select("group_id", "generation").collect()
    }


@pytest.fixture(scope="module")
def skewed(spark, tmp_path_factory):
    """(truth, lines): three consumers of one id, every second clock set back by a minute and a
    half, every third client's lines up to 4 s late."""
    plan = Manifest(
        name="skewed", seed=9,
        levels=SOCKETS | {"org.apache.kafka.clients.consumer.internals": "DEBUG"}, parquet=False,
        clients={"consumer": {"2.3": 3}, "closed_consumer": {"3.9": 6},
                 "shaken_consumer": {"2.3": 2}}, config={"consumer": CALM},
        skew=({"one_id": {"consumer": "2.3"}}, {"clock_step_ms": -90_000, "every": 2, "at_s": 200},
              {"flush_ms": 4_000, "every": 3}),
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("skewed") / "set"
    truth = generate(spark, plan, folder, say=silently)
    lines = load_lines(spark, folder / "lines").cache()
    yield truth, lines
    lines.unpersist()


@pytest.mark.slow
def test_clocks_set_back_late_appenders_and_a_shared_id(skewed):
    truth, lines = skewed
    assert sum("#" in client_id for client_id in truth["clients"]) == 2
    times = [row.time for row in lines.where("client_id is not null").select("time").collect()]
    assert sum(after < before for before, after in itertools.pairwise(times)) > 100
    assert ends_found(lines) == ends_told(truth)


@pytest.mark.slow
def test_consumers_of_one_id_have_their_own_groups_rebalances(skewed):
    truth, lines = skewed
    assert generations_found(lines) == {
        (row["group_id"], row["generation"]) for row in truth["rebalances"]
    }
    assert len({row["group_id"] for row in truth["rebalances"]}) == 11


@pytest.mark.slow
def test_incidents_are_found_where_clocks_are_wrong_and_lines_come_late(spark, tmp_path):
    """One of each kind; every third clock is set back by three seconds,
    and no line comes in time."""
    plan = Manifest(
        name="late", seed=6, duration_ms=780_000,
        levels={"": "DEBUG", "org.apache.kafka.clients.NetworkClient": "TRACE"},
        clients={"consumer": {"3.9": 2}}, config={"consumer": {"fetch.max.wait.ms": 10_000}},
        incidents=tuple({"kind": kind, "version": "2.8" if number % 2 else "3.9"} for number,
                        kind in enumerate(SCENES)),
        skew=({"clock_step_ms": -3_000, "every": 3, "at_s": 300}, {"flush_ms": 4_000},
              {"flush_ms": 2_500, "every": 2}),
    )  # fmt: skip
    truth = generate(spark, plan, tmp_path / "set", say=silently)
    found = logsets.incidents(spark.read.parquet(str(tmp_path / "set" / "parquet"))).toPandas()
    rated = scores(spans_of_rows(found.itertuples()), spans_of_truth(truth))
    assert len(rated) == len(SCENES)
    assert [(score.kind, score.precision, score.recall) for score in rated] == [
        (score.kind, 1.0, 1.0) for score in rated
    ], score_table(rated)


@pytest.mark.slow
def test_most_lines_of_one_client(spark, tmp_path):
    plan = Manifest(
        name="busy",
        seed=9,
        duration_ms=200_000,
        levels={"": "DEBUG"},
        parquet=False,
        clients={"busy_consumer": {"3.9": 1}, "closed_producer": {"2.3": 20}},
    )
    truth = generate(spark, plan, tmp_path / "set", say=silently)
    lines = load_lines(spark, tmp_path / "set" / "lines").cache()
    share = (
        lines.groupBy("client_id")
        .count()
        .selectExpr("max(count) / sum(count) as share")
        .collect()[0]
        .share
    )
    assert share > 0.9
    assert ends_found(lines) == ends_told(truth)
    assert generations_found(lines) == {
        (row["group_id"], row["generation"]) for row in truth["rebalances"]
    }
    assert [row.lag for row in logsets.lag(lines).select("lag").distinct().collect()] == [0]
    assert logsets.incidents(lines).count() == 0
    lines.unpersist()


@pytest.mark.slow
def test_a_hundred_thousand_clients(spark, tmp_path):
    """By how many sockets of each class a client has, how they ended and when:
    as many clients as the truth has of each."""
    plan = Manifest(
        name="many", seed=9, duration_ms=30_000, spread_ms=20_000, parquet=False,
        clients={"producer": {"2.3": 90_000}, "closed_producer": {"3.9": 10_000}},
        levels={"": "WARN", "org.apache.kafka.clients.NetworkClient": "DEBUG",
                "org.apache.kafka.clients.producer.KafkaProducer": "DEBUG"},
    )  # fmt: skip
    truth = generate(spark, plan, tmp_path / "set", say=silently)
    assert len(truth["clients"]) == 100_000
    of_client = Counter(
        tuple(sorted((row["class"], row["how"] or "") for row in client["sockets"]))
        for client in truth["clients"].values()
        if client["sockets"]
    )
    sockets = logsets.connections(load_lines(spark, tmp_path / "set" / "lines"))
    by_client = (
        sockets.groupBy("client_id")
        .agg(
            F.array_sort(
                F.collect_list(F.struct("class", F.coalesce("how", F.lit("")).alias("how")))
            ).alias("sockets"),
            F.date_format(F.min("opened_at"), "yyyy-MM-dd HH:mm:ss,SSS").alias("first"),
        )
        .cache()
    )
    found = by_client.groupBy("sockets").count().collect()
    assert {tuple(map(tuple, row.sockets)): row["count"] for row in found} == of_client
    looked_at = by_client.where("hash(client_id) % 500 = 0").collect()
    assert len(looked_at) > 50
    for row in looked_at:
        assert row.first == min(
            socket["opened_at"] for socket in truth["clients"][row.client_id]["sockets"]
        ), row.client_id
    by_client.unpersist()
