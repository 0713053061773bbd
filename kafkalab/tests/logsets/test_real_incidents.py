"""Does the report on a real incident say what happened, in words that are true?

happened.md beside each of these logs tells what was done, and when.
"""

import gzip
from itertools import pairwise

import pandas as pd
import pytest

from kafkalab.logsets import coordinators, incidents, producers, rebalances, reprocessed
from kafkalab.logsets.engine import DUCKDB, running_on
from kafkalab.logsets.explain.absences import absences_of
from kafkalab.logsets.explain.closed_members import closed_members
from kafkalab.logsets.explain.kafka_subjects import back_in_sync, last_words, unexplained
from kafkalab.logsets.explain.missing_records import (
    DELETED,
    TOO_HIGH,
    UNKNOWN,
    missing_records,
    unreadable_records,
)
from kafkalab.logsets.explain.oddities import (
    falling_behind,
    read_twice,
    set_back,
    signs,
    silences,
)
from kafkalab.logsets.explain.paused_clients import paused_clients
from kafkalab.logsets.explain.settings import with_settings
from kafkalab.logsets.incidents import lost_coordinators
from kafkalab.logsets.line_loader import load_lines
from kafkalab.tests.shares import few

SERVERS = ("broker", "controller")


@pytest.fixture(scope="module")
def night(recordings):
    """Incident, whose logs -> the lines, for DuckDB."""
    kept = {}

    def of(name, whose="both"):
        if (name, whose) not in kept:
            files = sorted((recordings.parent / "whole_logs" / name).glob("*.gz"))
            if whose != "both":
                of_server = whose == "brokers"
                files = [each for each in files if each.name.startswith(SERVERS) == of_server]
            kept[name, whose] = load_lines(None, files).persist()
        return kept[name, whose]

    with running_on(DUCKDB):
        yield of


def told(lines):
    """name -> oddity, of those that lines tell by themselves."""
    found = [*signs(lines), *unexplained(lines)]
    return {each.what: each for each in with_settings(found, lines)}


def test_a_slow_member_is_told_under_both_group_protocols(night):
    lines = night("slow_poll", "clients")
    assert lines.where("problem is not null").count() == 0
    slow = told(lines)["A slow consumer was thrown out of its group"]
    assert slow.count == 2 and set(slow.clients) == {"inv-1", "mail-1"}
    # 40 s of work, 15 s are allowed
    enough = [line for line in slow.settings if "would have been enough" in line]
    needed = [int(line.split("above ")[1].split(" ")[0].replace(",", "")) for line in enough]
    assert len(needed) == 2 and all(40_000 < each < 41_500 for each in needed)
    rounds = rebalances(lines).where("cause = 'poll timeout'").toPandas()
    stopped = rounds.set_index("client_id")["stopped_ms"]
    assert set(stopped.index) == {"inv-1", "mail-1"} and 20_000 < stopped["mail-1"] < 24_000


def test_what_is_no_oddity_is_not_told(night):
    lines = night("slow_poll", "clients")
    refused = told(lines)["Commits were refused: no longer a member"]
    assert "inv-1: enable.auto.commit = true" in refused.settings  # which is Kafka's default
    assert silences(lines) is None  # on INFO a client has nothing to say


@pytest.mark.corpus
def test_a_broker_that_stood_still_is_told_from_one_that_was_cut_off(night):
    (away,) = absences_of(night("paused_broker"))
    said = away.sentence()
    assert said.startswith("Broker 2 was away from 17:23:5") and "17:24:30" in said
    assert "it stood still: no line from 17:23:39.138 to 17:24:30.8" in said
    assert "seen by its own log, its controller, " in said
    assert {"bill-1", "writer"} <= away.clients
    late = told(night("paused_broker"))["A broker did not answer in time"]
    assert late.first.startswith("2026-11-29 17:24:20") and "node 2" in late.evidence[0]


@pytest.mark.corpus
def test_a_broker_that_advertises_a_wrong_port_was_not_away(night):
    found = absences_of(night("wrong_port"))
    (said,) = (each.sentence() for each in found if "could not be reached" in each.sentence())
    assert said.startswith("Broker 1 could not be reached from 17:57:47.145 to 17:58:43.030")
    assert "connections to it failed (1 more failed at 17:55:26.380)" in said  # far from the others
    assert "its own log goes on: it was cut off, or advertises a wrong address" in said
    # the machine was busy: broker 0 was too slow for its controller, and its log goes on, too
    (slow,) = (each for each in found if each.broker == 0 and "controller fenced" in each.how)
    assert "its own log goes on: it was cut off, or was too slow" in slow.how


def test_a_server_log_with_stack_traces_keeps_its_classes(night):
    """Each line of it ends with a bracket: that is no frame of some tool."""
    lines = night("paused_broker", "brokers")
    assert lines.where("logger is null").count() == 0
    groups = coordinators.coordinator_steps(lines).select("group_id").distinct().toPandas()
    assert {"billing", "audit"} <= set(groups["group_id"])


@pytest.mark.corpus
def test_two_processes_of_one_instance_are_told_as_such(night):
    lines = night("two_of_one_instance")
    twins = told(lines)["Two members had one group.instance.id"]
    assert twins.weight == 3 and twins.first.startswith("2026-11-29 17:31:36")
    assert "for static member with groupInstanceId=desk-1" in twins.evidence[0]
    # desk-a closed only because desk-b had its partitions
    assert closed_members(lines, rebalances(lines).toPandas())[0] is None


@pytest.mark.corpus
def test_a_fenced_producer_may_have_had_a_slow_transaction(night):
    """slow-pay had no second producer: its coordinator rolled the transaction back."""
    found = told(night("fenced_producer"))
    fenced = found["A producer was fenced"]
    assert set(fenced.clients) == {"pay-a", "slow-pay"} and "transaction.timeout.ms" in fenced.means
    assert "slow-pay: transaction.timeout.ms = 10000 (Kafka's default is 60000)" in fenced.settings
    assert found["A coordinator rolled a transaction back"].count == 2


@pytest.mark.corpus
def test_a_topic_that_was_deleted_and_made_again_is_the_first_thing_told(night):
    found = told(night("topic_deleted", "clients"))
    assert found["A topic was deleted"].weight == 3
    missed = found["A topic or a partition was not there"]
    assert missed.count > 250 and {"quote-1", "feed"} <= set(missed.clients)
    assert "Partitions changed their leader" not in found  # there was no other leader
    assert "A topic was deleted" in told(night("topic_deleted", "brokers"))


def test_records_that_only_the_application_missed_are_counted(night):
    lost = told(night("lost_records", "clients"))["The application warned"]
    assert lost.weight == 3
    said = "\n".join(lost.evidence)
    assert "com.shop.Writer, 184 times: record lost: TimeoutException" in said
    assert "com.shop.Photos, 2 times: photo lost: RecordTooLargeException" in said


def test_a_broker_that_was_killed_in_the_middle_of_a_rotated_log_was_killed(night):
    """Its server.log begins while it runs, so no line says that it had started."""
    (away,) = absences_of(night("lost_records"))
    assert away.broker == 2 and away.how == "its log ends without a stop", away.sentence()
    assert f"{away.since:%H:%M:%S}" == "17:47:17" and f"{away.until:%H:%M:%S}" == "17:49:42"
    (alone,) = absences_of(night("lost_records", "brokers"))
    # its followers miss it, too
    assert alone.sentence().startswith("Broker 2 was away from 17:47:17.313 (last seen at 17:45:52")


@pytest.mark.corpus
def test_a_group_that_somebody_reset_is_told_and_nothing_else_is_blamed(night):
    """First to offset 0, then to ten million, which no partition has."""
    lines = night("group_reset", "clients")
    rows = reprocessed(lines).toPandas()
    assert set(rows["how"]) == {"set back"} and set(rows["client_id"]) == {"bill-3", "bill-4"}
    # happened.md: bill-1 read 36 records and bill-2 29, and both committed what they had read
    assert rows["records"].sum() == 36 + 29
    assert set_back(rows).count == 65 and read_twice(rows) is None
    assert incidents(lines).count() == 0
    (beyond,) = missing_records(lines)
    assert (beyond.what, beyond.count, beyond.clients) == (TOO_HIGH, 6, ("bill-5",))


def test_a_member_that_catches_up_does_not_fall_behind():
    lag = pd.DataFrame(
        {"client_id": ["c"], "topic": ["t"], "partition": [0], "first_lag": [803],
         "most_lag": [803], "last_lag": [1], "least_lead": [0]}
    )  # fmt: skip
    assert falling_behind(lag) is None
    late = falling_behind(lag.assign(most_lag=9_000, last_lag=9_000, first_lag=8_000))
    assert late.evidence == ("c: t-0 read the oldest record there was, 9000 behind at last",)


@pytest.mark.corpus
def test_partitions_that_somebody_moves_are_told(night):
    moved = told(night("group_reset", "brokers"))["Partitions were moved to other brokers"]
    assert moved.count == 1 + 6 and "Successfully altered 6 out of 6" in moved.evidence[0]


def test_a_killed_controller_is_told_by_its_own_log_and_by_brokers(night):
    (away,) = absences_of(night("controller_killed"))
    assert away.sentence() == (
        "Controller 100 was away from 08:56:59.253 (last seen at 08:56:48.808) to 08:57:24.616 "
        "(25.4 s; its log ends without a stop; it was the active controller, and was so again at "
        "08:57:24.346): seen by its own log, broker 0, broker 1, broker 2."
    )
    assert told(night("controller_killed"))["The controller could not be reached"].count == 898
    brokers = night("controller_killed").where("file not like '%controller.server%'")
    (away,) = absences_of(brokers)
    assert "Controller 100 could not be reached from 08:56:59.2" in away.sentence()


@pytest.mark.corpus
def test_controllers_of_a_quorum_see_each_other(night):
    found = absences_of(night("controller_quorum"))
    # at the cluster's start they look for each other, which is no absence
    assert [(each.role, each.broker) for each in found] == [
        ("Controller", 100),
        ("Controller", 101),
    ]
    assert found[0].clients == {f"broker {n}" for n in range(3)} | {
        "controller 101",
        "controller 102",
    }
    said = [each.sentence() for each in found]
    assert "from 11:06:21.1" in said[0] and "to 11:06:38.0" in said[0] and "5 nodes" in said[0]
    assert "from 11:06:48.2" in said[1] and "to 11:07:05.4" in said[1]


def test_a_controller_that_was_told_to_stop_stopped_in_order(night):
    # Java ended what writes the log before the controller could say so
    (away,) = absences_of(night("controller_stopped"))
    said = away.sentence()
    assert said.startswith("Controller 100 was away from 09:11:51.395 to 09:12:07.328")
    assert "it stopped in order" in said


def test_a_rolling_restart_is_three_absences_and_no_alarm(night):
    found = absences_of(night("rolling_restart"))
    assert [each.broker for each in found] == [0, 1, 2]
    assert all("it stopped in order" in each.sentence() for each in found)
    assert all("bill-1" in each.clients for each in found)
    assert all(one.until < next_.since for one, next_ in pairwise(found))
    assert [each.what for each in told(night("rolling_restart")).values() if each.weight > 2] == []


CAUSES = {
    "wrong-password": "A login was refused",
    "no-trust": "A login was refused",
    "ssl-at-plain": "A connection ended during authentication",
    "no-acl": "Access was denied",
    "plain-at-sasl": "The bootstrap servers were not there",
    "good": None,
}


@pytest.mark.parametrize("release", few(["4.4.0", "2.3.1", "3.9.2"]))
def test_a_client_that_was_refused_hears_why(night, release):
    lines = night("refused_clients").where(f"file like '%.{release}.log.gz'").persist()
    unknown = lines.where("event is null and client_id is not null").count()
    assert (unknown, lines.where("problem is not null").count()) == (0, 0)
    for name, cause in CAUSES.items():
        found = told(lines.where(f"file like '%/{name}%'").persist())
        others = {each for each in CAUSES.values() if each not in (None, cause)}
        assert cause is None or cause in found, (name, list(found))
        # a client that was refused finds no bootstrap servers, too
        others.discard("The bootstrap servers were not there")
        assert not others & set(found), (name, list(found))


def test_a_broker_tells_whom_it_refused(night):
    lines = night("refused_clients").where("file like '%broker-0%'").persist()
    found = told(lines)
    assert found["A login was refused"].count == 9
    assert "User:alice" in found["Access was denied"].evidence[0]
    assert "A broker threw out somebody who does not speak its protocol" in found


@pytest.mark.parametrize(
    ("release", "since", "until"),
    [
        ("2.3.1", "09:30:02.371", "09:30:19.112"),
        ("3.9.2", "09:27:30.088", "09:27:55.754"),
        ("4.4.0", "09:25:29.912", "09:26:01.205"),
    ],
)
def test_a_full_disk_is_named_as_what_ended_a_broker(night, release, since, until):
    lines = night("full_disk").where(f"file like '%{release}%'").persist()
    (away,) = absences_of(lines)
    assert away.sentence().startswith(f"Broker 1 was away from {since} to {until}")
    assert "it ended itself, for all its log directories had failed" in away.sentence()
    failed = told(lines)["A broker's log directory failed"]
    assert any("No space left on device" in line[:180] for line in failed.evidence)


@pytest.mark.corpus
def test_a_batch_before_its_turn_is_no_fenced_producer(night):
    found = told(night("paused_broker_3.9.2"))
    assert "A broker refused a batch that came before its turn" in found
    assert "A broker refused a producer with an old epoch" not in found
    (away,) = absences_of(night("paused_broker_3.9.2"))
    assert "it stood still: no line from 08:55:31.815 to 08:56:01.660" in away.sentence()


FAILED_STARTS = {
    "2.3.1.port": "Socket server failed to bind to localhost:36367: Address already in use",
    "3.9.2.port": "Socket server failed to bind to localhost:60117: Address already in use",
    "4.4.0.port": "Socket server failed to bind to localhost:55069: Address already in use",
    "2.3.1.node_id": "Configured broker.id 7 doesn't match stored broker.id 0",
    "3.9.2.node_id": "Stored node id 0 doesn't match previous node id 7",
    "4.4.0.node_id": "Stored node id 0 doesn't match previous node id 7",
    "4.4.0.no_memory": "OutOfMemoryError: Java heap space",
    "2.3.1.two_processes": "Failed to acquire lock on file .lock in /kafka/data",
    "4.4.0.two_processes": "Socket server failed to bind to localhost:47423",
}


@pytest.mark.parametrize("log", FAILED_STARTS)
def test_a_broker_that_does_not_start_is_told_with_its_reason(recordings, log):
    path = recordings.parent / "whole_logs" / "failed_starts" / f"{log}.server.log.gz"
    with running_on(DUCKDB):
        lines = load_lines(None, path).persist()
        (away,) = absences_of(lines)
        assert f": {FAILED_STARTS[log]}" in away.sentence()
        assert "its return is not said" in away.sentence()
        assert ("perhaps another process of it runs" in away.sentence()) == (
            "port" in log or "two_processes" in log
        )
        failed = told(lines)["A broker or a controller did not start, or ended itself"]
        assert FAILED_STARTS[log] in failed.evidence[0]


def test_a_setting_that_cannot_be_read_is_told_though_no_line_names_the_broker(recordings):
    path = recordings.parent / "whole_logs" / "failed_starts" / "4.4.0.setting.server.log.gz"
    with running_on(DUCKDB):
        lines = load_lines(None, path).persist()
        assert absences_of(lines) == []
        failed = told(lines)["A broker or a controller did not start, or ended itself"]
        assert "Invalid value a week for configuration log.retention.hours" in failed.evidence[0]


def test_the_first_start_of_a_broker_that_is_its_own_controller_is_no_absence(recordings):
    folder = recordings.parent / "whole_logs" / "failed_starts"
    with running_on(DUCKDB):
        (away,) = absences_of(load_lines(None, folder / "4.4.0.node_id.server.log.gz").persist())
        # the controller's lines stand above the broker's start
        assert away.sentence().startswith("Broker 0 was away from 12:08:18.748 (")
        (away,) = absences_of(load_lines(None, folder / "2.3.1.no_folder.server.log.gz").persist())
        assert "it stopped in order" in away.sentence()


def test_a_node_that_is_broker_and_controller_has_one_absence(night):
    killed, stopped, *at_the_end = absences_of(night("combined_nodes"))
    # the others lost their connections to its controller two seconds after it was killed
    assert killed.sentence() == (
        "Broker 1 was away from 12:41:45.090 (last seen at 12:40:51.168) to 12:42:20.332 (35.2 s; "
        "its log ends without a stop): seen by its own log, its controller, broker 0."
    )
    assert stopped.sentence().startswith("Broker 2 was away from 12:42:38.402 to 12:43:04.278")
    assert [each.broker for each in at_the_end] == [1, 0, 2]


def test_a_script_that_waits_before_a_broker_starts_is_no_run_of_it(recordings, tmp_path):
    folder = recordings.parent / "whole_logs" / "failed_starts"
    log = gzip.decompress((folder / "2.3.1.no_folder.server.log.gz").read_bytes()).decode()
    waits = (
        "[2026-11-30 12:02:{:02},000] INFO Client environment:java.version=17 "
        "(org.apache.zookeeper.ZooKeeper)\n"
    )
    path = tmp_path / "server.log"
    path.write_text("".join(waits.format(second) for second in range(20)) + log, encoding="utf-8")
    with running_on(DUCKDB):
        assert [each.how for each in absences_of(load_lines(None, path).persist())] == [
            "it stopped in order"
        ]
        # in a log that was rotated the process before has lines of its own
        last = log.rindex("[KafkaServer id=0] started")
        path.write_text(log[last - 32 :] + log, encoding="utf-8")
        first, _ = absences_of(load_lines(None, path).persist())
        assert first.how == "it stopped in order" and first.until is not None


@pytest.mark.corpus
def test_too_few_replicas_in_sync_are_told_by_both_sides(night):
    found = told(night("too_few_in_sync", "clients"))
    few_ = found["Too few replicas were in sync"]
    assert (few_.weight, few_.clients, few_.count) == (3, ("strict", "writer"), 425)
    assert few_.first.startswith("2026-11-30 15:02:43") and few_.last.startswith(
        "2026-11-30 15:03:23"
    )
    assert "strict: retries = 3 (Kafka's default is 2147483647)" in few_.settings
    split = found["Batches were too large and were split"]
    assert (split.weight, split.clients, split.count) == (1, ("photos",), 5092)
    assert "NOT_ENOUGH" not in "".join(found["Batches were sent again"].evidence)
    # broker 4.4 names the topic's id in its line
    found = told(night("too_few_in_sync", "brokers"))
    assert found["Too few replicas were in sync"].count == 517
    assert found["A broker refused a batch that came before its turn"].count == 5
    assert found["A follower could not fetch from its leader"].count == 49


@pytest.mark.corpus
def test_info_does_not_show_what_failed(night):
    """writer lost 414 records, and its client wrote of retries alone."""
    rows = producers(night("too_few_in_sync", "clients")).toPandas()
    assert rows["failed"].isna().all() and rows["batches"].isna().all()
    assert rows["retries"].sum() == 5560


def test_a_client_that_stood_still_is_told_from_brokers_that_did_not_answer(night):
    lines = night("paused_clients")
    assert lines.where("problem is not null").count() == 0
    paused, follows = paused_clients(lines)
    assert paused.count == 2 and set(paused.clients) == {"ship-1", "stock-1"}
    assert all("only after 65.1 s" in line for line in paused.evidence)
    found = {each.what: each for each in signs(lines, follows)}
    assert "A broker did not answer in time" not in found
    assert "The group coordinator was lost" not in found
    assert set(found["Partitions were lost, not revoked"].clients) == {"ship-1", "stock-1"}
    assert {line.partition(":")[0] for line in last_words(lines)} == {"ship-1", "stock-1"}
    assert all("its own log goes on after that" in line for line in last_words(lines))
    rounds = rebalances(lines).where("cause = 'no longer a member'").toPandas()
    assert set(rounds["client_id"]) == {"ship-1", "stock-1"}


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["paused_broker", "paused_broker_3.9.2", "slow_poll"])
def test_a_client_that_ran_did_not_stand_still(night, name):
    assert paused_clients(night(name)) == (None, [])


@pytest.mark.parametrize("whose", few(["clients", "brokers"]))
def test_records_that_an_unclean_election_cost_are_told(night, whose):
    found = told(night("unclean_election", whose))
    gone = found["Records that had been read are gone"]
    assert (gone.weight, gone.count) == (3, 1)
    assert ("A leader was chosen that may lack records" in found) == (whose == "brokers")


@pytest.mark.corpus
def test_a_client_that_is_kept_out_tells_by_what(night):
    lines = night("kept_out_clients")

    def of(kind):
        return lines.where(f"file like '%/{kind}-%'").persist()

    found = told(of("denied"))
    assert set(found["Access was denied"].clients) == {"bill-1", "mail-1", "pay-1", "pay-2"}
    assert "A transaction failed for good" not in found
    assert "Offsets could not be committed" not in found
    unknown = told(of("unresolved"))["The name of a broker could not be resolved"]
    assert unknown.weight == 3 and set(unknown.clients) == {"bill-2", "writer"}
    throttled = told(of("throttled"))["The broker throttled the client"]
    assert set(throttled.clients) == {"bill-1", "debug-writer", "writer"}
    assert incidents(of("throttled")).count() == 0  # no broker was slow
    over = told(of("late"))["A transaction was over before its producer ended it"]
    assert "pay-1: transaction.timeout.ms = 10000 (Kafka's default is 60000)" in over.settings
    assert "Batches were sent again" not in told(of("late"))


@pytest.mark.corpus
def test_a_default_is_that_of_the_clients_own_release(recordings, tmp_path):
    kept = recordings.parent / "whole_logs" / "2.3.1" / "writer.log.gz"
    log = gzip.decompress(kept.read_bytes()).decode()
    again = (
        "[2026-11-28 05:55:59,500] WARN [Producer clientId=writer] Got error produce response with "
        "correlation id 35 on topic-partition orders-0, retrying (2 attempts left). Error: "
        "NETWORK_EXCEPTION (org.apache.kafka.clients.producer.internals.Sender)\n"
    )
    (tmp_path / "writer.log").write_text(log + again, encoding="utf-8")
    with running_on(DUCKDB):
        found = told(load_lines(None, tmp_path / "writer.log").persist())
    # idempotence is the default from 3.0 on
    settings = found["Batches were sent again"].settings
    assert settings == ("writer: enable.idempotence = false", "writer: retries = 2147483647")


def test_a_quorum_that_was_lost_tells_when_a_controller_was_active_again(night):
    found = absences_of(night("quorum_lost"))
    # while the cluster starts, its controllers look for each other
    assert [(each.role, each.broker) for each in found[:3]] == [
        ("Controller", 101),
        ("Controller", 100),
        ("Controller", 101),
    ]
    first, active, second = (each.sentence() for each in found[:3])
    # 101 was killed at 18:16:29.965; its controller.log goes on after its server.log
    assert first.startswith("Controller 101 was away from 18:16:30.071 (last seen at 18:16:20.390)")
    assert "it was the active controller, and 100 took over at 18:16:35.497" in first
    assert active.startswith("Controller 100 was away from 18:17:17.0")
    assert "it was the active controller, and 102 took over at 18:18:09.105" in active
    assert second.startswith("Controller 101 was away from 18:17:17.") and "active" not in second


def test_followers_miss_a_killed_broker_before_clients_do(night):
    lines = night("long_absence")
    away = absences_of(lines)[0]
    # killed at 18:32:24.421; bill-1 connected to it 4 s later
    assert away.sentence().startswith(
        "Broker 1 was away from 18:32:24.883 (last seen at 18:32:08.594) to 18:36:09.923"
    )
    assert back_in_sync(lines) == (
        "all replicas in sync again: 1 of 1 partitions, the last of them at "
        "2026-11-30 18:36:14,458",
    )
    assert told(lines)["A follower could not fetch from its leader"].count == 38


def test_a_consumer_that_does_not_get_on_is_told_why(night):
    """A record that nobody can read; retention that was quicker; a name that another one has."""
    lines = night("stuck_consumers")
    assert lines.where("problem is not null").count() == 0
    stuck = unreadable_records(lines)
    assert stuck is not None and stuck.evidence == ("counts-0, offset 149, 124 times",)
    missed = {each.what: each for each in missing_records(lines)}
    assert set(missed[DELETED].clients) == {"early-1", "latest-1", "new-1"}
    assert missed[UNKNOWN].clients == ("none-1",) and missed[UNKNOWN].count == 17
    found = told(lines)
    assert found["A group.instance.id was taken already"].clients == ("till-c",)
    # what is told already is no warning without explanation
    assert "Warnings that this report does not explain" not in found
    assert "Deserializ" not in "".join(found["The application warned"].evidence)


def test_a_restart_within_a_log_is_no_long_rebalance(night):
    """Each of them was stopped for about a minute."""
    rounds = rebalances(night("stuck_consumers")).toPandas().set_index("client_id")
    back = rounds.loc[["early-1", "latest-1", "none-1", "new-1"]].query("generation > 2")
    assert len(back) == 4 and (back["stopped_ms"] == 0).all()
    assert back["waited_ms"].max() < 10_000


def test_a_loss_of_the_coordinator_begins_where_it_was_lost(night):
    """bill-1 was refused once while its group was new, 12 s before the broker was killed."""
    (found,) = lost_coordinators(night("unclean_election", "clients")).collect()
    assert f"{found['first']:%H:%M:%S}" == "15:15:28" and f"{found['last']:%H:%M:%S}" == "15:15:36"


def test_a_limit_of_connections_is_told(tmp_path):
    """max.connections.per.ip: a client that is refused so writes nothing on INFO."""
    path = tmp_path / "server.log"
    path.write_text(
        "[2026-11-30 19:12:22,352] INFO Rejected connection from /127.0.0.1, address already has "
        "the configured maximum of 12 connections. (kafka.network.DataPlaneAcceptor)\n",
        encoding="utf-8",
    )
    with running_on(DUCKDB):
        assert "A broker took no more connections" in told(load_lines(None, path).persist())
