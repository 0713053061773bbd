"""Compares what calls of real share consumers returned with what the simulator's return.

Conformance compares lines and requests. Here it is the records of each poll with their delivery
counts, the answer to each acknowledgement, and what each commit_sync returned.
"""

import json
from pathlib import Path

import pytest

from kafkalab import KafkaShareConsumer
from kafkalab.errors import IllegalStateException
from kafkalab.proof.conformance.table import RECORDINGS, load_table
from kafkalab.proof.replay import ScenarioPlay

FOLDERS = sorted(RECORDINGS.glob("*/*/share_*"))


def recorded(scenario):
    """Client -> [(call, result)], without empty polls: how many there are is a matter of ms."""
    told = {}
    for event in scenario["events"]:
        calls = told.setdefault(event["client"], [])
        error = event.get("error", {}).get("class", "").rpartition(".")[2]
        if event["do"] == "poll" and event["result"]:
            calls.append(("poll", [tuple(each) for each in event["result"]]))
        elif event["do"] == "acknowledge":
            calls.append(("acknowledge", error or "ok"))
        elif event["do"] == "commitSync":
            first = [each.partition(":")[0] for each in event["result"].values()]
            calls.append(("commit_sync", [each.rpartition(".")[2] for each in first]))
    return told


def played(scenario, seeds, monkeypatch):
    told = {}
    poll, acknowledge = KafkaShareConsumer.poll, KafkaShareConsumer.acknowledge
    commit_sync = KafkaShareConsumer.commit_sync

    def note(consumer, call, result):
        told.setdefault(consumer.name, []).append((call, result))

    def noted_poll(consumer, timeout_ms):
        records = poll(consumer, timeout_ms)
        if records:
            note(consumer, "poll", [(each.offset, each.delivery_count) for each in records])
        return records

    def noted_acknowledge(consumer, record, kind):
        try:
            acknowledge(consumer, record, kind)
        except IllegalStateException as error:
            note(consumer, "acknowledge", type(error).__name__)
            raise
        note(consumer, "acknowledge", "ok")

    def noted_commit(consumer):
        results = commit_sync(consumer)
        words = ["ok" if each is None else type(each).__name__ for each in results.values()]
        note(consumer, "commit_sync", words)
        return results

    monkeypatch.setattr(KafkaShareConsumer, "poll", noted_poll)
    monkeypatch.setattr(KafkaShareConsumer, "acknowledge", noted_acknowledge)
    monkeypatch.setattr(KafkaShareConsumer, "commit_sync", noted_commit)
    ScenarioPlay(scenario, seeds, None, real_pace=False).run()
    return told


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: Path(folder).name)
def test_each_call_of_a_share_consumer_gives_what_it_gave(folder, monkeypatch):
    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    row = load_table()[folder.relative_to(RECORDINGS).as_posix()]
    seed = row["worker-1"]["seed"]
    real = {name: calls for name, calls in recorded(scenario).items() if calls}
    assert played(scenario, seed, monkeypatch) == real
