"""The fold against the machines while things break: the laws' stories, looked at every quarter of a
second.

What a broker believes that was cut off, and does not know yet that it no longer leads, is not the
cluster's state; it is left out.
"""

import pytest

from kafkalab.lab import Lab
from kafkalab.proof.laws.stories import play_run, run_of
from kafkalab.tests.shares import few

ENDS = ("log_start_offset", "log_end_offset", "high_watermark", "last_stable_offset")
EVERY_MS = 250


def differences(lab):
    """(what, told, true) wherever the journal and the machines do not agree now."""
    told, cluster = lab.at(lab.now_ms), lab.cluster
    for topic in cluster.topics.values():
        for place in topic.partitions:
            name = f"{topic.name}-{place.index}"
            true = {
                "leader": place.leader,
                "leader_epoch": place.leader_epoch,
                "replicas": list(place.replicas),
                "isr": list(place.isr),
            }
            if place.leader >= 0 and lab.broker(place.leader).is_up:
                replica = lab.broker(place.leader).machine.replicas._replicas.get(
                    (topic.name, place.index)
                )
                if replica is not None and replica.led_epoch == place.leader_epoch:
                    true |= {end: getattr(replica.log, end) for end in ENDS}
                    if not replica.knows_watermark:
                        # A new leader tells its last stable offset when it knows its watermark;
                        # until then History shows the most that a committed reader could see.
                        del true["last_stable_offset"]
            yield from _unlike(name, told["partitions"][name], true)
    for id in cluster.brokers:
        if not lab.broker(id).is_up:
            continue
        machine = lab.broker(id).machine
        for group in machine.coordinator.classic.groups.values():
            if cluster.coordinator_of(group.id) == id and machine.coordinator.table.coordinates(
                group.id
            ):
                shown = told["groups"].get(group.id, {"members": {}, "offsets": {}})
                yield from _unlike(
                    group.id,
                    {**shown, "members": list(shown["members"]), "offsets": _numbers(shown)},
                    {
                        "state": group.state.value,
                        "generation": group.generation,
                        "protocol": group.protocol,
                        "leader": group.leader,
                        "members": list(group.members),
                        "offsets": {
                            f"{topic}-{index}": kept.offset
                            for (topic, index), kept in group.offsets.items()
                        },
                    },
                )
        for transactional_id, shown in told["transactions"].items():
            record = (
                machine.transactions.record_of(transactional_id)
                if cluster.transaction_coordinator_of(transactional_id) == id
                else None
            )
            if record is not None:
                yield from _unlike(
                    transactional_id,
                    shown,
                    {
                        "state": record.state.value,
                        "producer_id": record.producer_id,
                        "epoch": record.epoch,
                    },
                )


def _numbers(group):
    return {name: kept["offset"] for name, kept in group["offsets"].items()}


def _unlike(what, told, true):
    return [
        (what, name, told.get(name), value)
        for name, value in true.items()
        if told.get(name) != value
    ]


def held(seed, monkeypatch):
    """Play the seed's story in small steps; what was found to differ."""
    found, run_for = [], Lab.run_for

    def in_steps(lab, ms):
        until_ms = lab.now_ms + ms
        while lab.now_ms < until_ms:
            run_for(lab, min(EVERY_MS, until_ms - lab.now_ms))
            found.extend((lab.now_ms, *difference) for difference in differences(lab))

    monkeypatch.setattr(Lab, "run_for", in_steps)
    play_run(run_of(seed))
    monkeypatch.undo()
    return found


@pytest.mark.parametrize("seed", few(range(5), 2))
def test_fold_and_machines_agree_whatever_breaks(seed, monkeypatch):
    assert held(seed, monkeypatch) == []


@pytest.mark.slow
def test_fold_and_machines_agree_over_many_seeds(monkeypatch):
    assert {
        seed: differs for seed in range(5, 300) if (differs := held(seed, monkeypatch)[:1])
    } == {}
