"""The picture of a share group's records tells what the journal tells."""

import pytest

from kafkalab import KafkaProducer, KafkaShareConsumer, Lab, ProducerRecord
from kafkalab.errors import IllegalArgumentException
from kafkalab.stories.share_groups import ada_and_bo, ada_heard, jobs, start_workers
from kafkalab.views import record_lanes, share_window
from kafkalab.views.sheet import Sheet


def a_day():
    """Three records: worker-1 accepts the first, rejects the second and dies with the third."""
    lab = Lab(1, seed=3, version="4.4", broker_version="4.4")
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})
    producer = KafkaProducer(lab, {"client.id": "feeder"})
    for number in range(3):
        producer.send(ProducerRecord("jobs", value=f"v{number}")).get()
    mode = {"group.id": "workers", "share.acknowledgement.mode": "explicit"}
    one = KafkaShareConsumer(lab, {**mode, "client.id": "worker-1"})
    one.subscribe(["jobs"])
    one.poll(2_000)
    first, second, _ = one.poll(2_000)
    one.acknowledge(first)
    one.acknowledge(second, "reject")
    one.commit_sync()
    lab.sleep(1_500)
    two = KafkaShareConsumer(lab, {**mode, "client.id": "worker-2"})
    two.subscribe(["jobs"])
    two.poll(1_000)
    lab.kill("worker-1")
    two.poll(2_000)
    return lab


def test_the_text_says_who_held_what_and_what_became_of_it():
    picture = record_lanes(a_day(), "workers")
    rows = [line.split() for line in picture.text.splitlines()]
    told = [(row[0], row[1], row[2], " ".join(row[-2:])) for row in rows if row[:1][0][0] == "@"]
    assert told == [
        ("@0", "1", "worker-1", "Acknowledged (accept)"),
        ("@1", "1", "worker-1", "Archived (reject)"),
        ("@2", "1", "worker-1", "Available (killed)"),
        ("@2", "2", "worker-2", "now held"),
    ]
    assert picture.png() == record_lanes(a_day(), "workers").png()


@pytest.mark.parametrize(("seconds", "heard"), [(32, "refused"), (40, "passed over")])
def test_a_member_that_works_on_is_told_what_the_broker_answers(seconds, heard):
    lab = ada_and_bo("works", seconds)
    first = record_lanes(lab, "workers").text.splitlines()[1]
    assert first.endswith(f"(lock expired), works on to {seconds + 2}.0 s: {heard}")
    assert (ada_heard(lab) == "refused") is (heard == "refused")


@pytest.mark.parametrize("workers", ["ada bo cy di", "ada bo"])
def test_a_member_has_the_same_colour_whoever_gets_a_job_first(workers, monkeypatch):
    told = {}

    def note(sheet, name, colour, **look):
        told[name] = colour

    monkeypatch.setattr(Sheet, "key_block", note)
    lab = jobs(6)
    start_workers(lab, workers)
    lab.run_for(ms=10_000)
    picture = record_lanes(lab, "workers")
    assert "@0" in picture.text and "  ada " not in picture.text.splitlines()[1]
    assert told["bo"] == "#E69F00" and told.get("ada", "#56B4E9") == "#56B4E9"


def test_the_window_is_what_the_broker_says():
    lab = a_day()
    for at_ms in range(0, lab.now_ms + 1, 250):
        group = lab.at(at_ms).get("share_groups", {}).get("workers", {"partitions": {}})
        known = group["partitions"].get("jobs-0", {"records": {}})["records"]
        rows = share_window(lab, "workers", "jobs", at_ms=at_ms).text.splitlines()[1:]
        shown = [line.split() for line in rows if line.split()[1] == "yes"]
        assert [row[0] for row in shown] == [f"@{offset}" for offset in known]
        assert [row[2] for row in shown] == [record["state"] for record in known.values()]
    with pytest.raises(IllegalArgumentException, match="no record to draw"):
        share_window(lab, "workers", "empty")


def test_a_group_that_acquired_nothing_gets_a_sentence():
    lab = a_day()
    with pytest.raises(IllegalArgumentException, match="acquired no record"):
        record_lanes(lab, "others")
    with pytest.raises(IllegalArgumentException, match=r"record_lanes\(\) draws a Lab"):
        record_lanes("workers", "workers")
