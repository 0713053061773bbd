"""Holds chapter 11's stories: what a loss took, who reads after a crash, what a holiday costs."""

import pytest

from kafkalab.stories import lag as story
from kafkalab.stories.lag import in_ms
from kafkalab.tests.shares import few


def slow(reset: str, keep: float = 10):
    lab, shop, member = story.begin(keep=keep, reset=reset)
    read = []
    for minute in range(1, 41):
        lab.run_for(ms=in_ms(minute) - lab.now_ms)
        story.write(shop, 30)
        for _ in range(2):
            read += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
    return lab, read


def test_latest_skips_records_that_retention_had_not_deleted():
    lab, read = slow("latest")
    assert story.first_loss(lab) == {"deleted": 30, "skipped": 330}
    assert story.never_read(lab, read) == 360
    assert story.first_reset(lab) == 35


def test_earliest_skips_nothing_that_is_still_in_the_log():
    lab, _ = slow("earliest")
    assert story.first_loss(lab)["skipped"] == 0
    assert story.lag_of(lab) == 340


def test_with_enough_retention_nothing_is_lost():
    lab, read = slow("earliest", keep=60)
    assert story.first_reset(lab) is None
    assert story.never_read(lab, read) == 0
    assert story.lead_of(lab, in_ms(40)) > 0


def test_a_group_with_reset_none_begins_at_its_committed_offset():
    _, _, member = story.begin(keep=10, reset="none")
    assert member.position(story.ORDERS) == 0


@pytest.mark.parametrize(("days", "known"), few([(6, True), (8, False)]))
def test_a_group_without_members_is_forgotten_after_a_week(days, known):
    lab, _ = story.holiday(days)
    assert ("billing" in lab.at(lab.now_ms)["groups"]) == known


def test_older_clients_say_a_loss_in_other_words():
    assert story.words_of_a_loss("2.3") == "Fetch offset 3 is out of range"
    assert story.words_of_a_loss("3.9").startswith("Fetch position FetchPosition{offset=3")
