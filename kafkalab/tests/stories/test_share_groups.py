"""Holds the stories of share groups: who works, in which order, and what a bad record costs."""

import pytest

from kafkalab.stories import share_groups as story
from kafkalab.tests.shares import few


def test_four_workers_share_one_partition_where_a_classic_group_leaves_three_idle():
    lab = story.jobs(40)
    story.start_workers(lab, "ada bo cy di")
    story.start_classic_workers(lab, "eve fay gil hal")
    lab.run_for(20_000)
    shared = {e.member for e in lab.journal.of("share.records") if e.why == "accept"}
    assert (len(shared), story.working(lab, "eve fay gil hal")) == (4, 1)
    assert story.working(lab, "ada bo cy di") == 4
    assert story.ends(lab) == {"accept": 40}


@pytest.mark.parametrize("seed", few(range(4)))
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


@pytest.mark.parametrize(
    ("how", "seconds", "bo_after", "hears"),
    [
        ("works", 20, 0, "ok"),
        ("works", 32, 30, "refused"),
        ("works", 40, 30, "ok"),
        ("killed", 6, 6, "nothing"),
        ("killed", 40, 30, "nothing"),
        ("renews", 20, 0, "ok"),
    ],
)
def test_who_gets_a_held_job_and_what_its_holder_hears(how, seconds, bo_after, hears):
    lab = story.ada_and_bo(how, seconds)
    assert (story.bo_got(lab), story.ada_heard(lab)) == (bo_after, hears)
    assert story.ends(lab) == {"accept": 1}


def test_the_window_begins_at_the_first_record_that_is_not_at_its_end():
    lab = story.said_of_six(("accept", "reject", "release", "accept", "hold", "accept"))
    assert story.share_state(lab)["start_offset"] == 2
    assert story.window(lab)["state"].tolist() == [
        "Available",
        "Acknowledged",
        "Acquired",
        "Acknowledged",
    ]


def test_one_record_at_the_start_stops_a_full_window():
    lab = story.stuck_at_the_start(locks=100)
    lab.run_for(20_000)
    assert len(story.order_done(lab)) == 99
    lab.run_for(20_000)
    assert len(story.order_done(lab)) == 300


def test_with_enough_partitions_a_share_group_is_not_faster_and_asks_more_often():
    four = "ada bo cy di"
    classic, share = story.race("classic", 4), story.race("share", 4)
    assert story.seconds_of_work(share, four, 20) > 0.9 * story.seconds_of_work(classic, four, 20)
    assert story.requests(share, four) > 4 * story.requests(classic, four)


@pytest.mark.parametrize("partitions", [1, 4])
def test_only_a_consumer_group_keeps_the_order_of_customers(partitions):
    assert story.keeps_order(story.customers_day("classic", partitions))
    assert not story.keeps_order(story.customers_day("share", partitions))


@pytest.mark.corpus
def test_each_outcome_of_a_job_has_its_word():
    words = {"done": "accept", "broken": "reject", "busy": "renew", "failed": "release"}
    wrong = {
        "busy": ("release", "lost"),
        "failed": ("renew", "waits"),
        "broken": ("release", "tried again"),
    }
    for happens, (word, how) in wrong.items():
        others = {**words, happens: word}
        lab = story.day(lambda went, _: words[went], happens, seed=1)
        assert story.wrong_on_a_day(lab, happens, seed=1) is None
        lab = story.day(lambda went, _, said=others: said[went], happens, seed=1)
        assert story.wrong_on_a_day(lab, happens, seed=1)[0] == how


RIGHT = {"done": "accept", "broken": "reject", "busy": "renew", "failed": "release"}


def rejects_the_done(went, delivery):
    return {**RIGHT, "done": "reject"}[went]


def releases_the_done(went, delivery):
    return {**RIGHT, "done": "release"}[went]


def gives_up_early(went, delivery):
    return "reject" if went == "failed" and delivery >= 3 else RIGHT[went]


def renews_at_last(went, delivery):
    return "release" if went == "busy" and delivery < 5 else RIGHT[went]


@pytest.mark.parametrize(
    "verdict, happens, how",
    few(
        [
            (rejects_the_done, "calm", "not accepted"),
            (releases_the_done, "killed", "not accepted"),
            (gives_up_early, "failed", "lost"),
            (renews_at_last, "all", "lost"),
        ]
    ),
)
def test_a_verdict_that_is_nearly_right_breaks_a_promise(verdict, happens, how):
    lab = story.day(lambda went, _: RIGHT[went], happens, seed=6)
    assert story.wrong_on_a_day(lab, happens, seed=6) is None
    lab = story.day(verdict, happens, seed=6)
    assert story.wrong_on_a_day(lab, happens, seed=6)[0] == how


def test_a_log_tells_what_the_broker_knows():
    lab = story.night_of_the_workers("bo", 4, 2, 1)
    told = [
        row for name in ("ada", "bo", "cy", "di") for row in story.records_told(lab.log_text(name))
    ]
    given = [offset for _, what, offset, _ in told if what == "given"]
    assert {offset: given.count(offset) for offset in sorted(set(given))} == story.deliveries(lab)


def test_dead_letters_tell_what_was_given_up_and_a_bad_record_comes_alone_at_last():
    lab = story.with_dead_letters(
        lambda record: {3: "release", 5: "reject"}.get(record.offset, "accept"), copies=True
    )
    found = story.letters(lab).set_index("offset")
    assert found["delivery.count"].to_dict() == {"5": "1", "3": "5"}
    assert set(found.value) == {"work"} and set(found.group) == {"workers"}
    polls = story.polls_of_a_bad_batch(bad=2)
    assert polls[polls.delivery == 5].records.tolist() == ["0", "1", "2", "3"]
    assert polls[polls.delivery == 4].records.tolist() == ["0, 1, 2, 3", "4, 5, 6, 7"]
