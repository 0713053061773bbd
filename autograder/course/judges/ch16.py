# Generated from notebooks/exercises/16; edit those files and run
# `python -m autograder course 16`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 16's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 16.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import said_of_six, share_state, worker


def _in_ten_seconds(bo) -> list:
    """The first records that bo gets."""
    for _ in range(10):
        if records := bo.poll(timeout_ms=1_000):
            return list(records)
    return []


@cache
def _window(says: str) -> dict:
    """The start offset, and what bo's polls bring in ten seconds."""
    lab = said_of_six(says.split())
    start = share_state(lab)["start_offset"]
    bo = worker(lab, "bo", max_poll_records=6)
    got = [record.offset for record in _in_ten_seconds(bo)]
    return {"start": start, "bo_gets": sorted(got)}


JUDGE_16_1 = Judge(
    id="16.1",
    wrong_answers=(
        WrongAnswer(
            name="like a committed offset",
            sentence="You took the offset after the last accepted record, as a consumer group commits it. The start offset is the first record that is not at its end.",
            source=(
                "cases = {name: case.says.split() for name, case in n.items()}\n"
                "left = {\n"
                "    name: [p for p, word in enumerate(words) if word in (\"release\", \"hold\")]\n"
                "    for name, words in cases.items()\n"
                "}\n"
                "start = {name: min(places, default=6) for name, places in left.items()}\n"
                "bo_gets = {\n"
                "    name: [p for p in places if cases[name][p] == \"release\"] for name, places in left.items()\n"
                "}\n"
                "start = {\n"
                "    name: max((p + 1 for p, word in enumerate(words) if word == \"accept\"), default=0)\n"
                "    for name, words in cases.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="only accept ends a record",
            sentence="reject ends a record too: it is archived, nobody gets it, and the window moves past it.",
            source=(
                "cases = {name: case.says.split() for name, case in n.items()}\n"
                "left = {\n"
                "    name: [p for p, word in enumerate(words) if word in (\"release\", \"hold\")]\n"
                "    for name, words in cases.items()\n"
                "}\n"
                "start = {name: min(places, default=6) for name, places in left.items()}\n"
                "bo_gets = {\n"
                "    name: [p for p in places if cases[name][p] == \"release\"] for name, places in left.items()\n"
                "}\n"
                "start = {\n"
                "    name: min((p for p, word in enumerate(words) if word != \"accept\"), default=6)\n"
                "    for name, words in cases.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="rejected ones come again",
            sentence="A rejected record is archived. Only released records come again.",
            source=(
                "cases = {name: case.says.split() for name, case in n.items()}\n"
                "left = {\n"
                "    name: [p for p, word in enumerate(words) if word in (\"release\", \"hold\")]\n"
                "    for name, words in cases.items()\n"
                "}\n"
                "start = {name: min(places, default=6) for name, places in left.items()}\n"
                "bo_gets = {\n"
                "    name: [p for p in places if cases[name][p] == \"release\"] for name, places in left.items()\n"
                "}\n"
                "bo_gets = {\n"
                "    name: [p for p, word in enumerate(words) if word in (\"release\", \"reject\")]\n"
                "    for name, words in cases.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="held ones come too",
            sentence="ada holds some records, and her lock has not ended. Nobody else gets them.",
            source=(
                "cases = {name: case.says.split() for name, case in n.items()}\n"
                "left = {\n"
                "    name: [p for p, word in enumerate(words) if word in (\"release\", \"hold\")]\n"
                "    for name, words in cases.items()\n"
                "}\n"
                "start = {name: min(places, default=6) for name, places in left.items()}\n"
                "bo_gets = {\n"
                "    name: [p for p in places if cases[name][p] == \"release\"] for name, places in left.items()\n"
                "}\n"
                "bo_gets = left"
            ),
        ),
        WrongAnswer(
            name="the window passes what ada holds",
            sentence="A record that ada holds is not at its end. The window cannot begin behind it.",
            source=(
                "cases = {name: case.says.split() for name, case in n.items()}\n"
                "left = {\n"
                "    name: [p for p, word in enumerate(words) if word in (\"release\", \"hold\")]\n"
                "    for name, words in cases.items()\n"
                "}\n"
                "start = {name: min(places, default=6) for name, places in left.items()}\n"
                "bo_gets = {\n"
                "    name: [p for p in places if cases[name][p] == \"release\"] for name, places in left.items()\n"
                "}\n"
                "start = {\n"
                "    name: min((p for p, word in enumerate(words) if word == \"release\"), default=6)\n"
                "    for name, words in cases.items()\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: _window(case["says"]),
    right="right: the first record that is not at its end, and all that are available.",
    otherwise=(
        "not this. accept and reject end a record, release makes it available, and hold leaves it "
        "with ada."
    ),
)


# %% 16.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import ada_and_bo, ada_heard, bo_got


@cache
def _waited(how: str, seconds: int, lock_s: int) -> dict:
    lab = ada_and_bo(how, seconds, lock_s)
    return {"bo_after": bo_got(lab), "ada_hears": ada_heard(lab)}


JUDGE_16_2 = Judge(
    id="16.2",
    wrong_answers=(
        WrongAnswer(
            name="a dead worker keeps the lock",
            sentence="When a process dies, its connection closes, and the broker frees the records at once. It does not wait {lock_s} seconds.",
            source=(
                "def outcome(case):\n"
                "    if case.how == \"killed\":\n"
                "        return min(case.seconds, case.lock_s), \"nothing\"\n"
                "    if case.how == \"renews\" or case.seconds < case.lock_s:\n"
                "        return 0, \"ok\"\n"
                "    return case.lock_s, \"refused\" if case.seconds < case.lock_s + 5 else \"ok\"\n"
                "\n"
                "\n"
                "bo_after = {name: outcome(case)[0] for name, case in n.items()}\n"
                "ada_hears = {name: outcome(case)[1] for name, case in n.items()}\n"
                "bo_after = {\n"
                "    name: case.lock_s if case.how == \"killed\" else outcome(case)[0] for name, case in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="late is always refused",
            sentence="bo has done the job by then. The start offset has passed it, and the broker passes over what ada says: she hears \"ok\", and two have done the job.",
            source=(
                "def outcome(case):\n"
                "    if case.how == \"killed\":\n"
                "        return min(case.seconds, case.lock_s), \"nothing\"\n"
                "    if case.how == \"renews\" or case.seconds < case.lock_s:\n"
                "        return 0, \"ok\"\n"
                "    return case.lock_s, \"refused\" if case.seconds < case.lock_s + 5 else \"ok\"\n"
                "\n"
                "\n"
                "bo_after = {name: outcome(case)[0] for name, case in n.items()}\n"
                "ada_hears = {name: outcome(case)[1] for name, case in n.items()}\n"
                "ada_hears = {\n"
                "    name: \"refused\" if case.how == \"works\" and case.seconds > case.lock_s else outcome(case)[1]\n"
                "    for name, case in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="late is ok",
            sentence="bo holds the job at this moment. ada's word is refused with INVALID_RECORD_STATE.",
            source=(
                "def outcome(case):\n"
                "    if case.how == \"killed\":\n"
                "        return min(case.seconds, case.lock_s), \"nothing\"\n"
                "    if case.how == \"renews\" or case.seconds < case.lock_s:\n"
                "        return 0, \"ok\"\n"
                "    return case.lock_s, \"refused\" if case.seconds < case.lock_s + 5 else \"ok\"\n"
                "\n"
                "\n"
                "bo_after = {name: outcome(case)[0] for name, case in n.items()}\n"
                "ada_hears = {name: outcome(case)[1] for name, case in n.items()}\n"
                "ada_hears = {name: \"nothing\" if case.how == \"killed\" else \"ok\" for name, case in n.items()}"
            ),
        ),
        WrongAnswer(
            name="renew does not help",
            sentence="A renewal begins the lock again: {lock_s} seconds from then on. Nobody else gets the job.",
            source=(
                "def outcome(case):\n"
                "    if case.how == \"killed\":\n"
                "        return min(case.seconds, case.lock_s), \"nothing\"\n"
                "    if case.how == \"renews\" or case.seconds < case.lock_s:\n"
                "        return 0, \"ok\"\n"
                "    return case.lock_s, \"refused\" if case.seconds < case.lock_s + 5 else \"ok\"\n"
                "\n"
                "\n"
                "bo_after = {name: outcome(case)[0] for name, case in n.items()}\n"
                "ada_hears = {name: outcome(case)[1] for name, case in n.items()}\n"
                "bo_after = {\n"
                "    name: case.lock_s if case.how == \"renews\" else outcome(case)[0] for name, case in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a slow worker keeps its job",
            sentence="The lock has ended after {lock_s} seconds. bo gets the job, whether ada works or not.",
            source=(
                "def outcome(case):\n"
                "    if case.how == \"killed\":\n"
                "        return min(case.seconds, case.lock_s), \"nothing\"\n"
                "    if case.how == \"renews\" or case.seconds < case.lock_s:\n"
                "        return 0, \"ok\"\n"
                "    return case.lock_s, \"refused\" if case.seconds < case.lock_s + 5 else \"ok\"\n"
                "\n"
                "\n"
                "bo_after = {name: outcome(case)[0] for name, case in n.items()}\n"
                "ada_hears = {name: outcome(case)[1] for name, case in n.items()}\n"
                "bo_after = {name: 0 if case.how == \"works\" else outcome(case)[0] for name, case in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the heartbeat fails first",
            sentence="A session time of 45 seconds is about members of the group. The records of a slow member are free when the lock ends, after {lock_s} seconds.",
            source=(
                "def outcome(case):\n"
                "    if case.how == \"killed\":\n"
                "        return min(case.seconds, case.lock_s), \"nothing\"\n"
                "    if case.how == \"renews\" or case.seconds < case.lock_s:\n"
                "        return 0, \"ok\"\n"
                "    return case.lock_s, \"refused\" if case.seconds < case.lock_s + 5 else \"ok\"\n"
                "\n"
                "\n"
                "bo_after = {name: outcome(case)[0] for name, case in n.items()}\n"
                "ada_hears = {name: outcome(case)[1] for name, case in n.items()}\n"
                "bo_after = {\n"
                "    name: 45 if outcome(case)[0] == case.lock_s else outcome(case)[0] for name, case in n.items()\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: _waited(case["how"], case["seconds"], case["lock_s"]),
    right="right: a closed connection frees at once, a lock at its end, and a job that is done is ok.",
    otherwise=(
        "not this. Ask three things. Is her connection closed, or has the lock ended? And when she "
        "accepts: does bo hold the job, or has he done it?"
    ),
)


# %% 16.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _more_days(rng) -> list[dict]:
    return [
        {"seed": rng.randrange(10, 900), "happens": happens}
        for happens in ("broken", "busy", "failed", "all")
    ]


JUDGE_16_3 = Judge(
    id="16.3",
    wrong_answers=(
        WrongAnswer(
            name="release when the bank is away",
            sentence="You released the job while the bank was away. It came back five times within seconds, and the group archived a good job.",
            source=(
                "def verdict(went, delivery):\n"
                "    return {\"done\": \"accept\", \"broken\": \"reject\"}.get(went, \"release\")"
            ),
        ),
        WrongAnswer(
            name="reject what failed",
            sentence="You rejected a job that failed once. A second try would have done it.",
            source=(
                "def verdict(went, delivery):\n"
                "    return {\"done\": \"accept\", \"broken\": \"reject\", \"busy\": \"renew\"}.get(went, \"reject\")"
            ),
        ),
        WrongAnswer(
            name="renew what failed",
            sentence="You renewed a job that always fails. A renewal is no new delivery, so the limit of five never ends it, and the window waits for it.",
            source=(
                "def verdict(went, delivery):\n"
                "    return {\"done\": \"accept\", \"broken\": \"reject\"}.get(went, \"renew\")"
            ),
        ),
        WrongAnswer(
            name="release the broken",
            sentence="A broken job cannot be done. Released, it comes five times. Say reject.",
            source=(
                "def verdict(went, delivery):\n"
                "    return {\"done\": \"accept\", \"busy\": \"renew\"}.get(went, \"release\")"
            ),
        ),
        WrongAnswer(
            name="accept the broken",
            sentence="You accepted a job that nobody has done, so the group counts it as done. Say reject.",
            source=(
                "def verdict(went, delivery):\n"
                "    return {\"busy\": \"renew\", \"failed\": \"release\"}.get(went, \"accept\")"
            ),
        ),
        WrongAnswer(
            name="reject when the bank is away",
            sentence="The bank comes back. You rejected good jobs, and the group never delivers them again.",
            source=(
                "def verdict(went, delivery):\n"
                "    return {\"done\": \"accept\", \"failed\": \"release\"}.get(went, \"reject\")"
            ),
        ),
        WrongAnswer(
            name="accept everything",
            sentence="You accepted all jobs, as `implicit` does. The jobs that failed or met no bank are lost.",
            source=(
                "def verdict(went, delivery):\n"
                "    return \"accept\""
            ),
        ),
    ),
    hidden_cases=_more_days,
    unseen=(
        "a promise was broken on a day of ours. Which of the four words fits each of the four "
        "outcomes? Try `survive(verdict, seeds=10)`."
    ),
)


# %% 16.4
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import customers_day, keeps_order, seconds_of_work


@cache
def _played(kind: str, partitions: int, workers: int) -> tuple[float, bool]:
    """The seconds that this group needs in the lab, and whether it keeps the order; two seeds."""
    days = [customers_day(kind, partitions, seed, workers) for seed in range(2)]
    seconds = max(seconds_of_work(lab, "ada bo cy di") for lab in days)
    return seconds, all(keeps_order(lab) for lab in days)


def _group(case: dict) -> dict:
    meets = []
    for kind in ("classic", "share"):
        seconds, in_order = _played(kind, case["partitions"], case["workers"])
        meets.append(seconds <= case["limit_s"] and (in_order or not case["order"]))
    both = {(True, True): "either", (True, False): "consumer", (False, True): "share"}
    return {"group": both.get(tuple(meets), "neither")}


JUDGE_16_4 = Judge(
    id="16.4",
    wrong_answers=(
        WrongAnswer(
            name="a share group keeps the order of a partition",
            sentence="Two workers hold two changes of the same customer at the same time, or one comes back after a release. A share group keeps no order, whatever the number of partitions.",
            source=(
                "import re\n"
                "\n"
                "facts = {\n"
                "    name: (*map(int, re.findall(r\"\\d+\", need)), \"any order\" not in need) for name, need in n.items()\n"
                "}\n"
                "\n"
                "\n"
                "def name_of(consumer, share):\n"
                "    if consumer and share:\n"
                "        return \"either\"\n"
                "    return \"consumer\" if consumer else \"share\" if share else \"neither\"\n"
                "group = {\n"
                "    name: name_of(12.5 / min(parts, workers) < limit_s, 12.5 / workers < limit_s)\n"
                "    for name, (parts, workers, limit_s, order) in facts.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a consumer group uses all workers",
            sentence="A consumer group has at most as many busy members as partitions, {partitions} here. 24 halves of a second are 12 seconds for one of them.",
            source=(
                "import re\n"
                "\n"
                "facts = {\n"
                "    name: (*map(int, re.findall(r\"\\d+\", need)), \"any order\" not in need) for name, need in n.items()\n"
                "}\n"
                "\n"
                "\n"
                "def name_of(consumer, share):\n"
                "    if consumer and share:\n"
                "        return \"either\"\n"
                "    return \"consumer\" if consumer else \"share\" if share else \"neither\"\n"
                "group = {\n"
                "    name: name_of(12.5 / workers < limit_s, 12.5 / workers < limit_s and not order)\n"
                "    for name, (parts, workers, limit_s, order) in facts.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="share is always better without order",
            sentence="A consumer group is quick enough here too. A share group helps only where there are more workers than partitions.",
            source=(
                "import re\n"
                "\n"
                "facts = {\n"
                "    name: (*map(int, re.findall(r\"\\d+\", need)), \"any order\" not in need) for name, need in n.items()\n"
                "}\n"
                "\n"
                "\n"
                "def name_of(consumer, share):\n"
                "    if consumer and share:\n"
                "        return \"either\"\n"
                "    return \"consumer\" if consumer else \"share\" if share else \"neither\"\n"
                "group = {\n"
                "    name: name_of(\n"
                "        12.5 / min(parts, workers) < limit_s and order, not order and 12.5 / workers < limit_s\n"
                "    )\n"
                "    for name, (parts, workers, limit_s, order) in facts.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="order is always possible",
            sentence="One owner of a partition needs too long here, and a share group keeps no order. This topic needs more partitions or more workers.",
            source=(
                "import re\n"
                "\n"
                "facts = {\n"
                "    name: (*map(int, re.findall(r\"\\d+\", need)), \"any order\" not in need) for name, need in n.items()\n"
                "}\n"
                "\n"
                "\n"
                "def name_of(consumer, share):\n"
                "    if consumer and share:\n"
                "        return \"either\"\n"
                "    return \"consumer\" if consumer else \"share\" if share else \"neither\"\n"
                "group = {\n"
                "    name: name_of(\n"
                "        order or 12.5 / min(parts, workers) < limit_s, not order and 12.5 / workers < limit_s\n"
                "    )\n"
                "    for name, (parts, workers, limit_s, order) in facts.items()\n"
                "}"
            ),
        ),
    ),
    truth=_group,
    right="right: order asks for a consumer group, more workers than partitions for a share group.",
    otherwise=(
        "not this one. How many of the {workers} workers have work in a consumer group with "
        "{partitions} partition(s)? And does a share group keep an order?"
    ),
)


# %% 16.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import ends, night_of_the_workers


@cache
def _night(slow: str, poll: int, bad: int) -> dict:
    """What the broker knows of two nights with these numbers; the seed changes none of it."""
    found = []
    for seed in (1, 2):
        lab = night_of_the_workers(slow, poll, bad, seed)
        names = {
            event.fields["member"]: event.fields["client_id"]
            for event in lab.journal.of("share_group.joined")
        }
        lost = [event for event in lab.journal.of("share.records") if event.why == "lock expired"]
        (name,) = {names[event.fields["member"]] for event in lost}
        count = sum(event.last_offset - event.first_offset + 1 for event in lost)
        found.append({"slow": name, "expired": count, "rejected": ends(lab).get("reject", 0)})
    assert found[0] == found[1], "the seed decides nothing that is asked"
    return found[0]


JUDGE_16_5 = Judge(
    id="16.5",
    wrong_answers=(
        WrongAnswer(
            name="every second delivery",
            sentence="You counted all records that came twice. Some of them were released by their worker; there the lock had not ended.",
            source=(
                "rows = [(name, *row) for name, log in logs.items() for row in records_told(log)]\n"
                "given_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"given\"]\n"
                "said_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"said\"]\n"
                "slow = min(logs, key=lambda name: sum(row[0] == name for row in said_rows))\n"
                "again = {offset for _, offset, count in given_rows if count > 1}\n"
                "released = {offset for _, offset, word in said_rows if word == 2}\n"
                "first_owner = {offset: name for name, offset, count in given_rows if count == 1}\n"
                "expired = sum(first_owner[offset] == slow for offset in again)\n"
                "rejected = len({offset for _, offset, word in said_rows if word == 3})\n"
                "expired = len(again)"
            ),
        ),
        WrongAnswer(
            name="who did it the second time",
            sentence="That worker did the jobs again. The slow one had them first, and kept them.",
            source=(
                "rows = [(name, *row) for name, log in logs.items() for row in records_told(log)]\n"
                "given_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"given\"]\n"
                "said_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"said\"]\n"
                "slow = min(logs, key=lambda name: sum(row[0] == name for row in said_rows))\n"
                "again = {offset for _, offset, count in given_rows if count > 1}\n"
                "released = {offset for _, offset, word in said_rows if word == 2}\n"
                "first_owner = {offset: name for name, offset, count in given_rows if count == 1}\n"
                "expired = sum(first_owner[offset] == slow for offset in again)\n"
                "rejected = len({offset for _, offset, word in said_rows if word == 3})\n"
                "slow = next(\n"
                "    name for name, offset, count in given_rows if count == 2 and first_owner[offset] == slow\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="one request",
            sentence="You counted the lock or the request. It held several records, and each was delivered again.",
            source=(
                "rows = [(name, *row) for name, log in logs.items() for row in records_told(log)]\n"
                "given_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"given\"]\n"
                "said_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"said\"]\n"
                "slow = min(logs, key=lambda name: sum(row[0] == name for row in said_rows))\n"
                "again = {offset for _, offset, count in given_rows if count > 1}\n"
                "released = {offset for _, offset, word in said_rows if word == 2}\n"
                "first_owner = {offset: name for name, offset, count in given_rows if count == 1}\n"
                "expired = sum(first_owner[offset] == slow for offset in again)\n"
                "rejected = len({offset for _, offset, word in said_rows if word == 3})\n"
                "expired = 1"
            ),
        ),
        WrongAnswer(
            name="released are rejected",
            sentence="Type 2 is release: these records came again. Type 3 is reject.",
            source=(
                "rows = [(name, *row) for name, log in logs.items() for row in records_told(log)]\n"
                "given_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"given\"]\n"
                "said_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == \"said\"]\n"
                "slow = min(logs, key=lambda name: sum(row[0] == name for row in said_rows))\n"
                "again = {offset for _, offset, count in given_rows if count > 1}\n"
                "released = {offset for _, offset, word in said_rows if word == 2}\n"
                "first_owner = {offset: name for name, offset, count in given_rows if count == 1}\n"
                "expired = sum(first_owner[offset] == slow for offset in again)\n"
                "rejected = len({offset for _, offset, word in said_rows if word == 3})\n"
                "rejected = len(released)"
            ),
        ),
    ),
    truth=lambda case: _night(case["slow"], case["poll"], case["bad"]),
    right="right: it answered more than 30 seconds after it had got them, and others were quicker.",
    otherwise=(
        "not this. Put each record that a worker got beside what the same worker said of it, and "
        "look at the seconds in between."
    ),
)


# %% all
JUDGES = (
    JUDGE_16_1,
    JUDGE_16_2,
    JUDGE_16_3,
    JUDGE_16_4,
    JUDGE_16_5,
)
