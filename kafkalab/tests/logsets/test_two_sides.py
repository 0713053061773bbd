"""Does a folder with clients' and brokers' logs tell a rebalance and a fencing from both sides?"""

import json

import pandas as pd
import pytest

from kafkalab import KafkaConsumer, Lab, logsets
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.coordinators import coordinator_steps, fencing_signs
from kafkalab.logsets.explain.two_sides import COLUMNS, clock_shift, speakers, two_sides


def at(second):
    return pd.Timestamp(2026, 1, 5, 9, 0, second)


STEPS = pd.DataFrame(
    [
        (at(1), 0, "shop", 2, None, None, "Preparing to rebalance group shop"),
        (at(4), 0, "shop", 2, None, None, "Stabilized group shop generation 2"),
        (at(5), 0, "other", 2, None, None, "Stabilized group other generation 2"),
        (at(6), 2, None, None, "till", 7, "Initialized transactionalId till"),
    ],
    columns="at broker group_id generation transactional_id producer_id says".split(),
)
ROUNDS = pd.DataFrame(
    [("inv-1", "shop", 2, "first join", None, at(0), None, at(4), 4000, "orders-0")],
    columns=(
        "client_id group_id generation cause reason began_at stopped_at resumed_at waited_ms "
        "partitions"
    ).split(),
)
SIGNS = pd.DataFrame(
    [(at(7), "zombie", 7, 0, True, "fenced\nby another"), (at(7), "calm", 8, 0, True, "fenced")],
    columns="at client_id producer_id producer_epoch fenced says".split(),
)


def test_a_rebalance_and_a_fencing_are_told_in_the_order_of_time():
    found = two_sides(STEPS, ROUNDS, SIGNS)
    told = [(row.what, row.broker_says or row.client_says) for row in found.itertuples(index=False)]
    assert told == [
        ("shop, generation 2", "joins: first join"),
        ("shop, generation 2", "Preparing to rebalance group shop"),
        ("shop, generation 2", "Stabilized group shop generation 2"),
        ("shop, generation 2", "goes on after 4000 ms with orders-0"),
        ("transactional id till", "Initialized transactionalId till"),
        ("transactional id till", "fenced"),
    ]


@pytest.mark.parametrize("minutes", [330, -61])
def test_clocks_that_are_set_apart_are_laid_together(minutes):
    shift = pd.Timedelta(minutes=minutes)
    late = ROUNDS.assign(
        began_at=ROUNDS["began_at"] + shift, resumed_at=ROUNDS["resumed_at"] + shift
    )
    assert clock_shift(STEPS, ROUNDS) is None
    assert clock_shift(STEPS, late) == shift
    told = two_sides(STEPS.assign(at=STEPS["at"] + shift), late, SIGNS)
    usual = two_sides(STEPS, ROUNDS, SIGNS)
    group = told["what"] == "shop, generation 2"
    assert list(told[group]["broker_says"]) == list(usual[group]["broker_says"])
    assert list(told[group]["at"] - shift) == list(usual[group]["at"])


def test_each_row_is_on_one_side_and_long_texts_end_with_dots():
    long = STEPS.assign(says=STEPS["says"] + " and so on" * 30)
    rows = two_sides(long, ROUNDS, SIGNS)
    brokers, clients = speakers(rows)
    assert all(bool(broker) != bool(client) for broker, client in zip(brokers, clients))
    assert brokers[1].startswith("broker 0: Preparing") and brokers[1].endswith("…")
    assert clients[0] == "inv-1: joins: first join"


def test_what_only_one_side_tells_has_no_row():
    assert two_sides(STEPS, ROUNDS.iloc[:0], SIGNS.iloc[:0]).empty
    assert list(two_sides(pd.DataFrame(), ROUNDS, SIGNS).columns) == list(COLUMNS)


@pytest.mark.slow
def test_the_lines_of_a_coordinator_are_steps_of_the_next_generation(spark, recordings):
    folder = recordings / "4.4.0/4.4.0/two_brokers_two_members"
    steps = coordinator_steps(logsets.read(spark, folder)).orderBy("at", "file_offset").collect()
    assert {(row.broker, row.group_id) for row in steps} == {(0, "test")}
    assert [row.generation for row in steps] == [1] * 7 + [2] * 4 + [3] * 3
    assert steps[0].says.startswith("Dynamic member with unknown member id joins group test")


@pytest.mark.slow
def test_a_fenced_producer_has_the_id_that_the_coordinator_gave(spark, recordings):
    lines = logsets.read(spark, recordings / "4.4.0/4.4.0/transaction_zombie_fenced")
    given = {row.producer_id for row in coordinator_steps(lines).collect()}
    fenced = fencing_signs(lines).where("fenced").collect()
    assert {row.client_id for row in fenced} == {"zombie"}
    assert {row.producer_id for row in fenced} == given


@pytest.mark.slow
def test_a_brokers_log_alone_is_explained(spark, recordings, capsys):
    log = recordings / "2.3.1/2.1.1/group_member_crash/broker-2.log.gz"
    assert main(["explain", str(log)]) == 0
    told = capsys.readouterr().out
    assert "broker 2: " in told and "What coordinators wrote" in told
    assert "A member's session ended at its coordinator: 1" in told
    assert "Both sides" not in told


@pytest.mark.slow
@pytest.mark.parametrize("release", ["2.3", "4.4"])
def test_explain_of_a_played_folder_lays_both_sides_side_by_side(spark, release, tmp_path, capsys):
    lab = Lab(brokers=2, seed=3, version=release, broker_version=release)
    lab.create_topic("orders", partitions=2)
    lab.place_coordinator("shop", 1)

    def member(lab, name, until_ms):
        consumer = KafkaConsumer(lab, {"group.id": "shop", "client.id": name}, name=name)
        consumer.subscribe(["orders"])
        while lab.now_ms < until_ms:
            consumer.poll(timeout_ms=300)
        consumer.close()

    lab.spawn(member, "one", 20_000, name="one")
    lab.spawn(member, "two", 12_000, name="two")
    lab.run_for(ms=25_000)
    lab.close()
    for name in ("one", "two"):
        (tmp_path / f"{name}.log").write_text(lab.log_text(name))
    (tmp_path / "server.log").write_text(lab.broker_log_text(1))
    page, found = tmp_path / "page.html", tmp_path / "found.json"
    assert main(["explain", str(tmp_path), "--html", str(page), "--json", str(found)]) == 0
    told = json.loads(found.read_text())
    assert [(one["broker"], one["lines"]) for one in told["servers"]] == [
        (1, len(lab.broker_lines(1)))
    ]
    kinds = {(side["what"], side["broker_says"] is None) for side in told["sides"]}
    assert kinds == {
        (f"shop, generation {number}", side) for number in (1, 2) for side in (True, False)
    }
    assert "<h3>shop, generation 2</h3>" in page.read_text()
    text = capsys.readouterr().out
    assert "Both sides" in text and "broker 1: Stabilized group shop generation 2" in text
