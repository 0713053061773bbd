"""The stories of chapter 06: orders that are sold while something fails."""

from __future__ import annotations

from collections import Counter

import pytest

from kafkalab.errors import IllegalArgumentException
from kafkalab.stories import exactly_once as stories


@pytest.mark.parametrize(
    ("kind", "repeated"), [("plain", 4), ("idempotent", 3), ("transactional", 1)]
)
def test_a_kind_of_producer_protects_from_its_stories(kind, repeated):
    keys = [stories.keys_read(stories.tell(story, kind)) for story in stories.STORIES]
    assert sum(len(each) > len(set(each)) for each in keys) == repeated
    assert all(len(set(each)) == 5 for each in keys)


def test_a_lost_answer_costs_a_repeat_only_without_idempotence():
    assert stories.in_the_log(stories.lost_answer()) == 5
    assert stories.in_the_log(stories.lost_answer(**{"enable.idempotence": False})) == 6


@pytest.mark.parametrize(
    ("client", "ends_by", "epoch"),
    [("3.9", "close", 2), ("4.4", "close", 8), ("3.9", "kill -9", 4), ("4.4", "kill -9", 10)],
)
def test_the_epoch_counts_starts_and_from_4_0_transactions(client, ends_by, epoch):
    assert stories.epoch_after(client, 3, 3, ends_by) == epoch


def test_another_end_is_refused():
    with pytest.raises(IllegalArgumentException, match="kill -9"):
        stories.epoch_after("3.9", 3, 3, "kill")


def test_an_open_transaction_stops_the_reader_of_committed_records():
    lab = stories.hanging_transaction()
    assert stories.keys_read(lab, topic="take") == ["plain 0"]
    assert len(stories.keys_read(lab, "read_uncommitted", "take")) == 4


def test_the_keys_of_a_ledger_do_not_tell_the_shop():
    lines = stories.ledger(3)
    keys = Counter(line.split("key: ")[1].split(" payload")[0] for line in lines)
    assert not any("shop" in key for key in keys)
    assert max(keys.values()) == 2
