"""Holds the stories of share groups: who works, in which order, and what a bad record costs."""

import pytest

from kafkalab.stories import share_groups as story


def test_four_workers_share_one_partition_where_a_classic_group_leaves_three_idle():
    lab = story.jobs(40)
    story.start_workers(lab, "ada bo cy di")
    story.start_classic_workers(lab, "eve fay gil hal")
    lab.run_for(20_000)
    shared = {e.member for e in lab.journal.of("share.records") if e.why == "accept"}
    classic = {e.who for e in lab.journal.of("work") if "offset" in e.fields}
    assert (len(shared), len(classic)) == (4, 1)
    assert story.ends(lab) == {"accept": 40}


@pytest.mark.parametrize("seed", range(4))
def test_a_share_group_keeps_no_order(seed):
    def rule(record):
        return "release" if record.offset % 3 == 0 and record.delivery_count < 2 else "accept"

    lab = story.jobs(24, seed)
    story.start_workers(lab, "ada bo cy", rule)
    lab.run_for(40_000)
    order = story.order_of_work(lab)
    assert sorted(order) == list(range(24))
    assert order != sorted(order)


def test_a_record_that_nobody_can_process_is_given_up_after_five_deliveries():
    lab = story.jobs(6)
    story.start_workers(lab, "ada bo", lambda r: "release" if r.offset == 3 else "accept")
    lab.run_for(30_000)
    assert story.deliveries(lab)[3] == 5
    assert story.ends(lab) == {"accept": 5, "delivery limit": 1}


def test_a_worker_that_is_slower_than_its_lock_lets_others_do_its_work_again():
    lab = story.jobs(2, share_record_lock_duration_ms=15_000)
    story.start_workers(lab, "ada bo", work_ms=20_000)
    lab.run_for(120_000)
    assert max(story.deliveries(lab).values()) > 1
