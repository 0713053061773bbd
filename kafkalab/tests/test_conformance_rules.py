"""Are the six marks the ones we mean? Small stories for each rule,
and marks that the recordings' own comparer gave."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkalab.proof.conformance import command, seeds, table, workers
from kafkalab.proof.conformance.client_log import Observed, node_key
from kafkalab.proof.conformance.marks import MARKS, differences, equal, marks_of
from kafkalab.proof.conformance.masks import normal, template
from kafkalab.proof.conformance.seeds import conform, logs_in
from kafkalab.proof.conformance.sequences import AGAIN, fold_leaders, squeeze

RECORDINGS = Path(__file__).parents[2] / "data" / "recordings"
NETWORK = "org.apache.kafka.clients.NetworkClient"


def log(*lines: tuple[int, str, str], logger: str = NETWORK) -> Observed:
    """(second, level, text)s of one client, as its log."""
    return Observed.of_text(
        "".join(
            (
                f"[2026-01-05 09:00:{at:02d},000] {level} [Producer clientId=shop] {text} "
                f"({logger}:1)\n"
            )
            for at, level, text in lines
        )
    )


def opening(node: str, at: int = 0) -> tuple[int, str, str]:
    return (
        at,
        "DEBUG",
        (
            f"Initiating connection to node localhost:9092 (id: {node} rack: null) using address "
            "localhost/127.0.0.1"
        ),
    )


def sending(api: str, node: str, at: int = 0) -> tuple[int, str, str]:
    return (
        at,
        "DEBUG",
        (
            f"Sending {api} request with header RequestHeader(apiKey={api}, apiVersion=1) and "
            f"timeout 30000 to node {node}: X()"
        ),
    )


def test_retries_count_by_block_not_by_number():
    assert squeeze("aaab") == ["a", AGAIN, "b"]
    assert squeeze("ababababc") == ["a", "b", AGAIN, "c"]
    assert squeeze("aab") == ["a", "a", "b"]


@given(st.lists(st.sampled_from("abc")))
def test_more_of_the_same_retries_change_nothing(items):
    assert squeeze(["x", *["r"] * 3, "y", *items]) == squeeze(["x", *["r"] * 9, "y", *items])


def test_the_leaders_sockets_have_no_order_and_the_others_do():
    assert fold_leaders([-1, 2, 0, 1]) == fold_leaders([-1, 0, 1, 2]) == [-1, (0, 1, 2)]
    assert fold_leaders([-1, -2]) != fold_leaders([-2, -1])
    assert fold_leaders([0, "coordinator 2", 1]) == [(0,), "coordinator 2", (1,)]


def test_a_coordinator_is_the_same_however_its_id_is_printed():
    assert node_key("2147483645") == node_key("+2") == "coordinator 2"
    assert (node_key("-1"), node_key("2")) == (-1, 2)


def test_connections_want_the_order_and_closes_the_number():
    real = log(opening("-1"), opening("2"), opening("0"), (9, "DEBUG", "Node -1 disconnected."))
    same = log(opening("-1"), opening("0"), opening("2"), (9, "INFO", "Node -1 disconnected."))
    other = log(opening("-1"), opening("0"), opening("2"))
    assert equal(real, same)
    assert marks_of(real, other)["connections"] == 1 and marks_of(real, other)["closes"] == 0
    assert not equal(real, other)
    assert "closes: real {-1: 1} here {}" in list(differences(real, other))


def test_requests_are_likened_node_by_node_with_metadata_left_out():
    real = log(
        sending("API_VERSIONS", "-1"),
        sending("METADATA", "-1"),
        sending("API_VERSIONS", "0"),
        sending("PRODUCE", "0"),
    )
    other = log(sending("API_VERSIONS", "-1"), sending("API_VERSIONS", "0"))
    assert marks_of(real, other)["requests"] == pytest.approx((1 + 2 / 3) / 2)


def test_periodic_requests_fold_also_in_turn_with_another():
    real = log(
        *(
            sending(api, "0")
            for api in ("FETCH", "FETCH", "HEARTBEAT", "FETCH", "HEARTBEAT", "LEAVE_GROUP")
        )
    )
    assert real.requests == {0: ["FETCH", "HEARTBEAT", "LEAVE_GROUP"]}


def test_rhythm_is_the_same_within_a_tenth_and_two_times():
    def beating(every_s: int, times: int) -> Observed:
        return log(*(sending("HEARTBEAT", "0", at=every_s * n) for n in range(times)))

    assert marks_of(beating(3, 8), beating(3, 9))["rhythm"] == 1
    assert marks_of(beating(3, 8), beating(4, 8))["rhythm"] == 0.5
    assert marks_of(beating(3, 8), beating(4, 20 // 4))["rhythm"] == 0
    assert marks_of(log(), beating(3, 8))["rhythm"] == 1


def test_an_idle_close_is_a_beat_of_its_own():
    assert log(
        sending("METADATA", "-1"), (6, "DEBUG", "Idle connection to node -1 disconnected.")
    ).beats == {"idle close of -1": (6000, 1)}


def test_vocabulary_costs_the_missing_and_the_invented_alike():
    real = log(
        (0, "DEBUG", "one thing"), (0, "TRACE", "another thing"), (0, "INFO", "told elsewhere")
    )
    assert marks_of(real, log((0, "DEBUG", "one thing")))["vocabulary"] == pytest.approx(2 / 3)
    assert (
        marks_of(real, log((0, "DEBUG", "one thing"), (0, "TRACE", "a lie")))["vocabulary"] == 0.5
    )


def test_the_story_does_not_care_in_which_order_partitions_answered():
    logger = "org.apache.kafka.clients.consumer.internals.SubscriptionState"
    lines = [(0, "INFO", f"Resetting offset for partition t4-{p} to offset 0.") for p in (2, 0, 1)]
    assert log(*lines, logger=logger).story == log(*reversed(lines), logger=logger).story


def test_chance_is_masked_and_the_rest_is_not():
    assert (
        normal("Assigned [t4-2, t4-0] after 12 ms, sessionId=77")
        == "Assigned [t4-0, t4-2] after # ms, sessionId=#"
    )
    assert (
        normal("Member inv-1-a0dfc0ed-701a-43a1-98f2-e37d47fee02e left")
        == "Member inv-1-<uuid> left"
    )
    assert normal("generation 1") != normal("generation 2")
    assert template("partition t4-0 at offset 7") == template("partition t4-2 at offset 8")


def test_a_client_without_a_log_gets_nothing(tmp_path):
    folder = RECORDINGS / "2.3.1/2.3.0/two_brokers_two_members"
    texts = {"inv-1": "".join(f"{line}\n" for line in ["nothing of the kind"])}
    result = conform(folder, seeds=[0], replay=lambda scenario, seed: texts)
    assert result.clients["inv-2"].marks == dict.fromkeys(MARKS, 0.0)
    assert result.mean("connections") == 0


def test_a_recording_is_equal_to_itself():
    for folder in (
        RECORDINGS / "4.4.0/4.4.0/consumer_paused",
        RECORDINGS / "2.3.1/2.2.2/producer_defaults",
    ):
        for path in logs_in(folder).values():
            observed = Observed.of_file(path)
            assert marks_of(observed, observed) == dict.fromkeys(MARKS, 1.0)
            assert list(differences(observed, observed)) == []


class FakeSimulator:
    """Plays inv-1 right with the seeds 5 and 9, inv-2 with seed 3 only;
    wrong in another way with all others."""

    RIGHT = {"inv-1": (5, 9), "inv-2": (3,)}

    def __init__(self, folder: Path) -> None:
        self.real = {name: "".join(_lines(path)) for name, path in logs_in(folder).items()}
        self.asked = []

    def __call__(self, scenario, seed):
        self.asked.append(seed)
        return {
            name: text
            if (seed[name] if isinstance(seed, dict) else seed) in self.RIGHT[name]
            else ""
            for name, text in self.real.items()
        }


def _lines(path: Path):
    from kafkalab.lines.layout import read, text_of

    return map(text_of, read(path))


def test_each_client_takes_its_lowest_equal_seed_and_one_more_replay_joins_them():
    folder = RECORDINGS / "2.3.1/2.3.0/two_brokers_two_members"
    simulator = FakeSimulator(folder)
    result = conform(folder, replay=simulator)
    assert {name: found.seed for name, found in result.clients.items()} == {"inv-1": 5, "inv-2": 3}
    assert simulator.asked == [0, 1, 2, 3, 4, 5, {"inv-1": 5, "inv-2": 3}]
    assert all(
        found.equal and found.marks == dict.fromkeys(MARKS, 1.0)
        for found in result.clients.values()
    )


def test_where_no_seed_is_equal_seed_0_is_marked_and_says_why():
    folder = RECORDINGS / "2.3.1/2.3.0/two_brokers_two_members"
    simulator = FakeSimulator(folder)
    found = conform(folder, seeds=range(3), replay=simulator).clients["inv-2"]
    assert (found.equal, found.seed, found.marks["connections"]) == (False, 0, 0.0)
    assert simulator.asked == [0, 1, 2]
    assert any(difference.startswith("connections: real [-1") for difference in found.differences)


def test_a_scenario_that_cannot_be_played_is_a_result():
    def broken(scenario, seed):
        raise KeyError("transactions")

    result = conform(RECORDINGS / "2.3.1/2.3.0/two_brokers_two_members", replay=broken)
    assert result.error == "KeyError: 'transactions'"
    assert [result.mean(mark) for mark in MARKS] == [0] * 6


def test_the_table_notices_a_fall_and_keeps_what_a_person_wrote():
    folder = RECORDINGS / "2.3.1/2.3.0/two_brokers_two_members"
    good = conform(folder, replay=FakeSimulator(folder), name="run")
    bad = conform(folder, seeds=[0], replay=FakeSimulator(folder), name="run")
    rows = table.table_of([good], {})
    assert rows["run"]["inv-1"]["why"] == ""
    assert list(table.falls(good, rows)) == []
    assert "run: inv-1 was equal with seed 5 and is equal with none now" in list(
        table.falls(bad, rows)
    )
    assert any("inv-2's story fell from 1" in sentence for sentence in table.falls(bad, rows))
    assert next(iter(table.falls(bad, {}))).startswith("run has no row")
    worse = table.table_of([bad], {"run": {"inv-1": {"why": "chance takes another node"}}})
    assert worse["run"]["inv-1"]["why"] == "chance takes another node"
    assert worse["run"]["inv-2"]["why"].startswith("found: connections")


def test_scenarios_are_chosen_by_name_and_version():
    names = [
        name
        for name, _ in command.scenarios(
            RECORDINGS, only="producer_idle_*", versions=("3.9", "4.4")
        )
    ]
    assert names == ["4.4.0/3.9.2/producer_idle_close", "4.4.0/4.4.0/producer_idle_close"]
    assert [name for name, _ in command.scenarios(RECORDINGS / names[0])] == ["producer_idle_close"]


def test_a_folder_without_scenarios_ends_with_2(tmp_path, capsys):
    assert command.main([str(tmp_path)]) == 2
    assert "no scenario.json" in capsys.readouterr().err


# Marks that the recordings' own comparer gave, to four digits, for one recording against another of
# the same scenario.
REFERENCE = [
    (
        "2.3.1/2.2.2/consumer_idle_close",
        "4.4.0/4.4.0/consumer_idle_close",
        {"client": (0, 1, 0.6667, 0.0571, 1, 0.132)},
    ),
    (
        "4.4.0/4.4.0/consumer_idle_close",
        "4.4.0/3.9.2/consumer_idle_close",
        {"client": (0, 1, 1, 0.6667, 1, 0.9099)},
    ),
    (
        "2.3.1/2.2.2/producer_all_partitions",
        "2.3.1/2.3.0/producer_all_partitions",
        {"client": (1, 1, 1, 1, 1, 0.9091)},
    ),
    (
        "2.3.1/2.2.2/producer_created_three_bootstrap",
        "4.4.0/4.4.0/producer_created_three_bootstrap",
        {"client": (0, 1, 0.4167, 0.5714, 1, 0.2899)},
    ),
    (
        "4.4.0/4.4.0/producer_created_three_bootstrap",
        "2.3.1/2.3.0/producer_created_three_bootstrap",
        {"client": (0, 1, 0, 0.5714, 1, 0.3143)},
    ),
    (
        "2.3.1/2.2.2/producer_defaults",
        "4.4.0/3.9.2/producer_defaults",
        {"client": (1, 1, 0.9333, 0.5714, 1, 0.3364)},
    ),
    (
        "4.4.0/3.9.2/producer_defaults",
        "2.3.1/2.3.0/producer_defaults",
        {"client": (0, 1, 0.7333, 0.5714, 1, 0.4074)},
    ),
    (
        "2.3.1/2.2.2/producer_one_partition",
        "4.4.0/4.4.0/producer_one_partition",
        {"client": (1, 1, 1, 0.8, 1, 0.3371)},
    ),
    (
        "4.4.0/4.4.0/producer_one_partition",
        "4.4.0/3.9.2/producer_one_partition",
        {"client": (1, 1, 1, 1, 1, 0.8596)},
    ),
    (
        "2.3.1/2.2.2/two_brokers_five_partitions_two_bootstrap",
        "4.4.0/3.9.2/two_brokers_five_partitions_two_bootstrap",
        {"client": (0, 1, 1, 0.05, 1, 0.1619)},
    ),
    (
        "4.4.0/3.9.2/two_brokers_five_partitions_two_bootstrap",
        "2.3.1/2.3.0/two_brokers_five_partitions_two_bootstrap",
        {"client": (0, 0, 0.7333, 0.2667, 0.8, 0.219)},
    ),
    (
        "2.3.1/2.3.0/consumer_first_bootstrap_refuses",
        "4.4.0/4.4.0/consumer_first_bootstrap_refuses",
        {"client": (0, 0, 0.6667, 0.1818, 1, 0.1347)},
    ),
    (
        "4.4.0/4.4.0/consumer_first_bootstrap_refuses",
        "4.4.0/3.9.2/consumer_first_bootstrap_refuses",
        {"client": (0, 0, 1, 0.6296, 1, 0.8996)},
    ),
    (
        "2.3.1/2.3.0/consumer_first_poll_3_brokers",
        "4.4.0/4.4.0/consumer_first_poll_3_brokers",
        {"client": (0, 1, 0.6667, 0.2105, 1, 0.1554)},
    ),
    (
        "4.4.0/4.4.0/consumer_first_poll_3_brokers",
        "4.4.0/3.9.2/consumer_first_poll_3_brokers",
        {"client": (1, 1, 1, 0.6667, 1, 0.9123)},
    ),
    (
        "2.3.1/2.3.0/consumer_paused",
        "4.4.0/4.4.0/consumer_paused",
        {"client": (0, 0, 0.5833, 0.2105, 0.75, 0.1478)},
    ),
    (
        "4.4.0/4.4.0/consumer_paused",
        "4.4.0/3.9.2/consumer_paused",
        {"client": (0, 0, 0.9, 0.6667, 0.875, 0.9076)},
    ),
    (
        "2.3.1/2.3.0/producer_idle_close",
        "4.4.0/4.4.0/producer_idle_close",
        {"client": (1, 1, 1, 0.8, 1, 0.32)},
    ),
    (
        "4.4.0/4.4.0/producer_idle_close",
        "4.4.0/3.9.2/producer_idle_close",
        {"client": (0, 1, 0.8889, 1, 0.6667, 0.8689)},
    ),
    (
        "2.3.1/2.3.0/two_brokers_five_partitions_one_bootstrap",
        "4.4.0/4.4.0/two_brokers_five_partitions_one_bootstrap",
        {"client": (0, 1, 1, 0.2609, 1, 0.1619)},
    ),
    (
        "4.4.0/4.4.0/two_brokers_five_partitions_one_bootstrap",
        "4.4.0/2.3.0/two_brokers_five_partitions_one_bootstrap",
        {"client": (0, 1, 1, 0.2609, 1, 0.1619)},
    ),
    (
        "2.3.1/2.3.0/two_brokers_two_members",
        "4.4.0/4.4.0/two_brokers_two_members",
        {"inv-1": (0, 1, 1, 0.1311, 1, 0.1572), "inv-2": (0, 1, 1, 0.1818, 1, 0.1356)},
    ),
]


@pytest.mark.parametrize(
    ("real", "other", "expected"), REFERENCE, ids=lambda part: part if isinstance(part, str) else ""
)
def test_the_marks_are_those_of_the_recordings_comparer(real, other, expected):
    real_logs, other_logs = logs_in(RECORDINGS / real), logs_in(RECORDINGS / other)
    for client, marks in expected.items():
        found = marks_of(Observed.of_file(real_logs[client]), Observed.of_file(other_logs[client]))
        assert tuple(round(found[mark], 4) for mark in MARKS) == marks, json.dumps(found)


@pytest.mark.corpus
def test_a_scenario_that_never_ends_is_stopped_and_the_next_is_played(monkeypatch):
    folders = dict(command.scenarios(RECORDINGS, only="*/2.3.0/two_brokers_two_members")) | dict(
        command.scenarios(RECORDINGS, only="2.3.1/2.3.0/producer_defaults")
    )

    def replay(scenario, seed, pace):
        while scenario["scenario"] == "two_brokers_two_members":
            pass
        time.sleep(1.5)  # A machine with other work is slow, and that stops nothing.
        return {
            "client": "".join(_lines(RECORDINGS / "2.3.1/2.3.0/producer_defaults/client.log.gz"))
        }

    monkeypatch.setattr(seeds, "_simulate", replay)  # The processes are forks, so they see it.
    results = {
        result.scenario: result
        for result in workers.conform_all(folders, lambda name: [0], jobs=2, limit_s=1)
    }
    assert results["2.3.1/2.3.0/two_brokers_two_members"].error == (
        "no replay ended within 1 s of processor time"
    )
    assert results["2.3.1/2.3.0/producer_defaults"].clients["client"].equal
