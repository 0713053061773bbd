"""Sets that are hard to read: most lines of one client, clients without number, wrong clocks, late appenders, several clients of one id."""
from collections import Counter, defaultdict

import pytest

from kafkalab import logsets
from kafkalab.logsets.generate import Manifest, generate
from kafkalab.logsets.read import load

SOCKETS = {"": "INFO", "org.apache.kafka.clients.NetworkClient": "DEBUG", "org.apache.kafka.common.network.Selector": "DEBUG",
           "org.apache.kafka.clients.consumer.KafkaConsumer": "DEBUG", "org.apache.kafka.clients.consumer.internals.ClassicKafkaConsumer": "DEBUG"}  # fmt: skip


def ends_told(truth: dict) -> dict[str, Counter]:
    """client id -> how many of its sockets of each node id and class ended how; `id#2` is `id`."""
    found = defaultdict(Counter)
    for client_id, client in truth["clients"].items():
        found[client_id.partition("#")[0]].update((socket["node_id"], socket["class"], socket["how"]) for socket in client["sockets"])
    return found


def ends_found(lines) -> dict[str, Counter]:
    found = defaultdict(Counter)
    for row in logsets.connections(lines).groupBy("client_id", "node_id", "class", "how").count().collect():
        found[row.client_id][row.node_id, row["class"], row.how] = row["count"]
    return found


def test_clocks_set_back_late_appenders_and_a_shared_id(spark, tmp_path):
    plan = Manifest(
        name="skewed", seed=9, levels=SOCKETS, parquet=False, clients={"consumer": {"2.3": 3}, "closed_consumer": {"3.9": 6}, "shaken_consumer": {"2.3": 2}},
        config={"consumer": {"fetch.max.wait.ms": 20_000, "heartbeat.interval.ms": 15_000, "session.timeout.ms": 60_000, "enable.auto.commit": False}},
        skew=({"one_id": {"consumer": "2.3"}}, {"clock_step_ms": -90_000, "every": 2, "at_s": 200}, {"flush_ms": 4_000, "every": 3}),
    )  # fmt: skip
    truth = generate(spark, plan, tmp_path / "set", say=lambda text: None)
    assert sum("#" in client_id for client_id in truth["clients"]) == 2
    assert ends_found(load(spark, tmp_path / "set" / "lines")) == ends_told(truth)


@pytest.mark.slow
def test_most_lines_of_one_client(spark, tmp_path):
    plan = Manifest(
        name="busy", seed=9, duration_ms=200_000, levels={"": "DEBUG"}, parquet=False, clients={"busy_consumer": {"3.9": 1}, "closed_producer": {"2.3": 20}}
    )
    truth = generate(spark, plan, tmp_path / "set", say=lambda text: None)
    lines = load(spark, tmp_path / "set" / "lines").cache()
    share = lines.groupBy("client_id").count().selectExpr("max(count) / sum(count) as share").collect()[0].share
    assert share > 0.9
    assert ends_found(lines) == ends_told(truth)
    assert logsets.lag(lines).where("lag > 0").count() == 0
    lines.unpersist()


@pytest.mark.slow
def test_a_hundred_thousand_clients(spark, tmp_path):
    plan = Manifest(
        name="many", seed=9, duration_ms=30_000, spread_ms=20_000, parquet=False, clients={"producer": {"2.3": 100_000}},
        levels={"": "WARN", "org.apache.kafka.clients.NetworkClient": "DEBUG"},
    )  # fmt: skip
    truth = generate(spark, plan, tmp_path / "set", say=lambda text: None)
    assert len(truth["clients"]) == 100_000
    by_class = Counter(row["class"] for client in truth["clients"].values() for row in client["sockets"])
    found = logsets.connections(load(spark, tmp_path / "set" / "lines")).groupBy("class").count().collect()
    assert {row["class"]: row["count"] for row in found} == by_class
