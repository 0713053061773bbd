"""Finds unusual events in the lines of Kafka clients, and says what each means and what to do.

SIGNS are counted in one pass over the lines. Most of them are one event. Some oddities need more
than one line: sockets that no client closes, or a silent client. The functions below read them from
the frames. Each returns an Oddity or None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kafkalab.logsets.coordinators import FENCED
from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import CLIENT
from kafkalab.logsets.incident_lines import THROTTLED
from kafkalab.logsets.incidents import STORM_REBALANCES, STORM_WITHIN
from kafkalab.logsets.rebalances import EXPIRED, LOST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVIDENCE = 3  # The number of lines that are shown.
NAMED = 5  # So many of its clients are named.
EVIDENCE_LENGTH = 300
TRACE = 8000  # So much of a stack trace is searched for its causes.
CAUSE = re.compile(r"^(?:Caused by: )?((?:[\w$]+\.)+)([A-Z][\w$]*(?:: .{1,190})?)", re.MULTILINE)
BEFORE_ITS_ERROR = 100  # So much of a message that has an exception: a report cites 180 letters.
# A client that says nothing for so long was stopped, or was logged on a level that says little.
SILENCE_S = 30
CLOCK_STEP_S = 1
DEFAULT_IDLE_MS = 540_000
MUCH_LAG = 500  # Records. A consumer fetches that many at once, so less is no problem.
SESSION_ENDED = "A member's session ended at its coordinator"
OUT_OF_SYNC = "Replicas fell out of sync"
EVICTION = "A slow consumer was thrown out of its group"
CHURN = 5  # Connections to one broker within a minute.


@dataclass(frozen=True)
class Oddity:
    """An unusual event. weight: 3 it costs data or time, 2 look at it, 1 good to
    know, 0 what every new group has.

    clients: the first NAMED of them, each once. settings: the values of the settings behind it, as
    the clients printed them. places: the file and file_offset of each line of the evidence; empty
    where the evidence is no lines.
    """

    what: str
    weight: int
    count: int
    means: str
    do: str
    clients: Iterable[str] = ()
    first: str = ""
    last: str = ""
    evidence: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        # Lines may name no client.
        named = [name for name in dict.fromkeys(self.clients) if isinstance(name, str)]
        object.__setattr__(self, "clients", tuple(named[:NAMED]))

    @property
    def when(self) -> str:
        """From its first sign to its last; empty where no line has a time."""
        return f"{self.first} to {self.last}" if self.last not in ("", self.first) else self.first


@dataclass(frozen=True)
class Sign:
    """An event that is unusual by itself, from `at_least` lines on."""

    what: str
    events: tuple[str, ...]
    weight: int
    means: str
    do: str
    at_least: int = 1
    words: str | None = None  # A regular expression that the message or its trace has to fit.


SIGNS = (
    Sign(EVICTION, EXPIRED, 3,
         "The application did not call poll() for longer than max.poll.interval.ms. The client "
         "left the group by itself, its partitions were "
         "free for others, and what it was working on will be read again.",
         "Make the work between two polls shorter, lower max.poll.records, or raise "
         "max.poll.interval.ms."),
    Sign("A member joins again after a late poll", ("POLL_INTERVAL_EXCEEDED",), 1,
         "poll() came after max.poll.interval.ms was over; the line says by how much. A member "
         "that only starts may be late before it has joined: then it lost nothing.",
         "As for a slow consumer that was thrown out of its group."),
    Sign("Commits were refused: no longer a member", ("COMMIT_NOT_A_MEMBER",), 3,
         "The group had given the partitions away before the offsets were committed. The next "
         "owner starts at the last commit that went through, so "
         "records are processed twice.",
         "Commit more often, and in onPartitionsRevoked; look for the poll timeout or the "
         "rebalance just before."),
    Sign("Two members had one group.instance.id",
         ("INSTANCE_FENCED", "HEARTBEAT_FENCED", "COMMIT_OF_INSTANCE_FENCED",
          "GROUP_STATIC_MEMBER_FENCED", "GROUP_HEARTBEAT_INSTANCE_FENCED"), 3,
         "A second process joined with the same group.instance.id and got the partitions. The "
         "first one is out of the group: poll() raises FencedInstanceIdException, and what it "
         "could not commit is read again.",
         "Give each process a group.instance.id of its own; after a restart see that the old "
         "process has ended."),
    Sign("A group.instance.id was taken already", ("GROUP_HEARTBEAT_INSTANCE_TAKEN",), 3,
         "Another member of the group has it and is alive, so the coordinator refused this one, "
         "and its poll() raises UnreleasedInstanceIdException. (With group.protocol=classic the "
         "later process gets in, and the one before is thrown out.)",
         "Give each process a group.instance.id of its own; after a restart see that the old "
         "process has ended."),
    Sign("Access was denied",
         ("TOPIC_DENIED", "COORDINATOR_DENIED", "PRODUCER_DENIED", "PRINCIPAL_DENIED",
          "TRANSACTION_FATAL_ERROR", "TRANSACTION_ABORTABLE_ERROR", "COMMIT_REFUSED_ON_PARTITION",
          "AUTO_COMMIT_FAILED", "AUTO_COMMIT_SYNC_FAILED", "LEAVE_GROUP_FAILED",
          "GROUP_HEARTBEAT_DENIED"), 3,
         "The broker knows the user, and the user has no right (ACL) for what it asked.",
         "The broker's kafka-authorizer.log names principal, operation and resource; "
         "kafka-acls --add gives the right.",
         words="(?i)authoriz|is Denied"),
    Sign("A producer was fenced",
         ("BATCH_FAILED", "SEND_FAILED", "TRANSACTION_ERROR_STATE", "TRANSACTION_FATAL_ERROR",
          "TRANSACTION_ABORTABLE_ERROR"), 3,
         "Its epoch was too old: another producer with the same transactional.id began after it, "
         "or its transaction was open for longer than transaction.timeout.ms and the coordinator "
         "rolled it back. What it had not committed is aborted.",
         "Look for a second process with this transactional.id. Where there is none, make "
         "transactions shorter, or raise transaction.timeout.ms. Close this producer.",
         words=FENCED),
    Sign("A transaction was over before its producer ended it", ("TRANSACTION_FATAL_ERROR",), 3,
         "Its coordinator knows no such open transaction. Where it was open for longer than "
         "transaction.timeout.ms, the coordinator has rolled it back, and what the producer sent "
         "in it is aborted.",
         "Make transactions shorter, or raise transaction.timeout.ms. Close this producer and "
         "start a new one.",
         words="InvalidTxnStateException"),
    Sign("A transaction failed for good", ("TRANSACTION_FATAL_ERROR",), 3,
         "The producer lost its right to go on; the line says why.",
         "Close this producer and start a new one."),
    Sign("A transaction had to be aborted", ("TRANSACTION_ABORTABLE_ERROR",), 2,
         "An error inside the transaction. What it sent will never be seen by readers with "
         "isolation.level=read_committed.",
         "abortTransaction(), then do the work again; the reason is in the line."),
    Sign("A member of a group failed for good", ("GROUP_HEARTBEAT_FATAL", "MEMBER_FATAL"), 3,
         "It met an error after which it does not join again: it reads nothing until its process "
         "makes a new consumer. A line of the same client just before names the error.",
         "Mend what that line names, and start the consumer again."),
    Sign("Batches failed", ("BATCH_FAILED", "SEND_FAILED"), 3,
         "Records the application handed over were not written (or nobody knows whether they "
         "were).",
         "Look at the callbacks' exceptions; delivery.timeout.ms is how long the producer tries."),
    Sign("A login was refused",
         ("NODE_AUTHENTICATION_FAILED", "CLIENT_NOT_AUTHENTICATED"), 3,
         "The broker refused the client's user, password, token or certificate, or the client "
         "refused the broker's certificate (`SSL handshake failed`). The line names the reason.",
         "Compare the client's sasl.* and ssl.* settings with what the broker knows. After a "
         "failed handshake look at the trust store, and at the name and the last day in the "
         "broker's certificate."),
    Sign("A connection ended during authentication", ("NODE_AUTHENTICATION_CUT",), 3,
         "The client speaks TLS or SASL and the other side does not, or something between cut the "
         "connection.",
         "Compare security.protocol with the listener of that port."),
    Sign("A thread of a client ended", ("THREAD_FAILED",), 3,
         "What that thread did is not done any more: a producer without its network thread sends "
         "nothing. An OutOfMemoryError may come from a client with security.protocol=PLAINTEXT at "
         "a port that speaks TLS: it takes the answer's first bytes for a length (KAFKA-4090).",
         "Look at the exception in the line, and at security.protocol. Start the client again."),
    Sign("A broker or a controller did not start, or ended itself",
         ("START_FAILED", "PROCESS_FAILED", "PROCESS_FAULTY"), 3,
         "It met an error with which it cannot go on; the line names it.",
         "Mend what the line names: a setting, a port that another process has, a folder that is "
         "another node's or cannot be written, too little memory. Then start it again; its "
         "standard output may say more."),
    Sign("A topic was deleted", ("TOPIC_REMOVED", "TOPIC_ID_CHANGED"), 3,
         "Its records are gone, and with them the offsets that groups had committed. Where its id "
         "changed, a topic of that name was made again: also by a client that asked for it, where "
         "brokers have auto.create.topics.enable, with their own number of partitions.",
         "Ask who deleted it at that time. Then look at the partitions that the new one has, and "
         "restart consumers that go on asking for the old one."),
    Sign("A topic or a partition was not there",
         ("METADATA_ERRORS", "FETCH_UNKNOWN_TOPIC", "PRODUCE_TO_UNKNOWN_PARTITION",
          "PRODUCE_WITH_OLD_METADATA", "BATCH_RETRIED", "COMMIT_FAILED_ON_PARTITION"), 2,
         "A broker does not know it: it was deleted, its name is wrong, or it is so new that this "
         "broker has not heard of it.",
         "Look whether it exists, and how many partitions it has; the controller's log names the "
         "time when one was made or deleted.",
         words=r"(?i)unknown_?.?topic|does not host this topic-partition"),
    Sign("Too few replicas were in sync", ("BATCH_RETRIED", "APPEND_FAILED"), 3,
         "Fewer replicas than min.insync.replicas were in sync, so the leader refused what "
         "producers with acks=all sent. A producer tries again until retries or "
         "delivery.timeout.ms are used up; then the records are lost, and only its callback says "
         "so.",
         "Bring the brokers back whose replicas are missing. Where one broker may be away, a topic "
         "needs one replica more than min.insync.replicas.",
         words="(?i)not_?enough_?replicas"),
    Sign("Batches were too large and were split", ("BATCH_SPLIT",), 1,
         "A batch was larger than the topic's max.message.bytes, and the producer sent it again in "
         "parts. One record that is too large is refused for good, and only its callback says so.",
         "Set batch.size below the topic's max.message.bytes; each split is one request for "
         "nothing."),
    Sign("Batches waited for the transaction before", ("BATCH_RETRIED",), 1,
         "The coordinator was still ending the producer's last transaction, and the broker took "
         "nothing of the next one. The producer sent the batch again.",
         "Harmless, where each batch was taken soon. Longer transactions make it rarer.",
         words="CONCURRENT_TRANSACTIONS"),
    Sign("Batches were sent again", ("BATCH_RETRIED",), 2,
         "A broker answered with an error that passes (a new leader), or not at all in time. "
         "Without idempotence a retry may reorder or duplicate records.",
         "Leave enable.idempotence on; see the error in the line for the cause."),
    Sign("The name of a broker could not be resolved",
         ("BOOTSTRAP_UNRESOLVED", "CONNECTING_FAILED"), 3,
         "The client's machine does not know that host: the name in bootstrap.servers, or the one "
         "in that broker's advertised.listeners. Partitions that this broker leads cannot be read "
         "or written by this client.",
         "Try the name on the client's machine (getent hosts). Mend the name, or the DNS.",
         words="UnknownHost|resol"),
    Sign("Connections could not be made", ("CONNECTION_NOT_ESTABLISHED", "CONNECTING_FAILED"), 2,
         "Nobody listened at that address, or something between dropped the packets: a broker "
         "that is down, a wrong advertised.listeners, a firewall.",
         "Try the address from the client's machine; reconnect.backoff.ms says how often the "
         "client tries."),
    Sign("The bootstrap servers were not there", ("BOOTSTRAP_DISCONNECTED",), 2,
         "The client knows no other broker yet: until one of bootstrap.servers answers it cannot "
         "do anything.",
         "Check the addresses; name more than one server. Where the port is open and the broker "
         "hangs up at once, compare security.protocol with the listener of that port."),
    Sign("Metadata came with errors", ("METADATA_ERRORS",), 2,
         "The cluster does not know the topic, the client may not see it, or a partition has no "
         "leader at the moment.",
         "Read the topic and error in the line; a topic that does not exist is asked for again "
         "and again."),
    Sign("A client knew no leader of a partition", ("LEADERS_WITHOUT_LISTENER",), 2,
         "The partition had no leader, or its leader has no listener of the client's kind. Nobody "
         "can read it or write to it meanwhile.",
         "Look for a broker that was away at that time. Where none was, compare "
         "advertised.listeners of all brokers."),
    Sign("The group coordinator was lost",
         (*LOST, "HEARTBEAT_COORDINATOR_INVALID"), 2,
         "The broker that coordinates the group went away, handed the group over, or did not "
         "answer. Until it is found again there are no heartbeats and no commits.",
         "Short and rare is a rolling restart. Often: look at that broker, and at the network "
         "between."),
    Sign("The group rebalanced under this member", ("HEARTBEAT_REBALANCING",), 1,
         "The coordinator told it with a heartbeat: somebody joined, left or was thrown out. "
         "Eager protocols stop everybody meanwhile.",
         "See the rebalances below; CooperativeStickyAssignor or group.protocol=consumer stop "
         "less."),
    Sign("Partitions were lost, not revoked",
         ("LOSING_PARTITIONS", "GIVING_AWAY_AS_LOST", "GROUP_HEARTBEAT_OF_STRANGER",
          "GROUP_HEARTBEAT_FENCED"), 3,
         "The member found that it was out of the group already: there was no time to commit, so "
         "the next owner reads again.",
         "As for a slow consumer: poll() was called too late, or heartbeats did not arrive "
         "within session.timeout.ms; or another process took its group.instance.id."),
    Sign("Requests were given up",
         ("REQUEST_CANCELLED", "CONSUMER_REQUEST_CANCELLED", "PRODUCE_CANCELLED",
          "PRODUCE_TIMED_OUT"), 2,
         "The connection ended while an answer was awaited; whether the broker did what was asked "
         "nobody knows.",
         "Look for what ended the connection just before: a broker that stopped, or "
         "request.timeout.ms."),
    Sign("A broker did not answer in time", ("DISCONNECTING_REQUEST_TIMEOUT",), 2,
         "The client waited for request.timeout.ms, then it closed the connection. The broker "
         "stood still, was overloaded, waited for a follower (acks=all), or something between "
         "dropped the packets.",
         "The line names the node: look into that broker's own log at the time before, from "
         "request.timeout.ms on back."),
    Sign("Offsets could not be committed",
         ("COMMIT_FAILED_ON_PARTITION", "COMMIT_REFUSED_ON_PARTITION",
          "ASYNC_OFFSET_COMMIT_REFUSED", "ASYNC_OFFSET_COMMIT_STALE",
          "AUTO_COMMIT_FAILED", "AUTO_COMMIT_SYNC_FAILED",
          "AUTO_COMMIT_OF_OFFSETS_FAILED", "AUTO_COMMIT_BEFORE_JOINING_FAILED",
          "COMMIT_BEFORE_RECONCILING_FAILED"), 2,
         "Another member would begin at the commit before, and read records again. The line says "
         "why.",
         "Look at the error in the line, and at the coordinator at that time."),
    Sign("Automatic commits failed for now", ("AUTO_COMMIT_FAILED_RETRIABLE",), 1,
         "The next one tries again. If the client dies before, the records since the last commit "
         "are read again.",
         "Harmless when rare; with it the coordinator was usually away."),
    Sign("A consumer started without a committed offset",
         ("NO_COMMITTED_OFFSET", "ASYNC_COMMITTED_OFFSET_MISSING"), 0,
         "The group never committed this partition, or its offsets expired "
         "(offsets.retention.minutes). auto.offset.reset decides where it starts: "
         "latest skips what was written before.",
         "Expected for a new group. For an old one: what happened to its offsets?"),
    Sign("Partitions changed their leader",
         ("FETCH_NEW_LEADER", "FETCH_UNKNOWN_LEADER_EPOCH", "PRODUCE_WITH_OLD_METADATA",
                                              "METADATA_UPDATE_FOR_PARTITION"), 1,
         "The broker asked is not the leader, or the partition has none at the moment. The client "
         "refreshes its metadata and asks the new leader.",
         "Many in a short time: a broker left, partitions were reassigned, or replicas drop out of "
         "the ISR and come back."),
    Sign("Reconnecting without pause", ("RECONNECT_BACKOFF_IS_FLAT",), 1,
         "reconnect.backoff.ms is set but reconnect.backoff.max.ms is not, so the waits between "
         "attempts do not grow.",
         "Set reconnect.backoff.max.ms too."),
    Sign("Idle connections end before a slow poll", ("IDLE_LIMIT_BELOW_POLL_INTERVAL",), 1,
         "connections.max.idle.ms is below max.poll.interval.ms: the coordinator's connection may "
         "be closed in the middle of a rebalance.",
         "Raise connections.max.idle.ms above max.poll.interval.ms."),
    Sign("Idempotence is off",
         ("NOT_IDEMPOTENT_WITHOUT_RETRIES", "NOT_IDEMPOTENT_WITH_ACKS",
          "NOT_IDEMPOTENT_WITH_MANY_IN_FLIGHT"), 2,
         "A setting turned it off, so a retry may write a record twice or out of order.",
         "acks=all, retries above 0 and at most 5 requests in flight bring it back."),
    Sign("The broker throttled the client", ("RECEIVED_RESPONSE", "CONNECTION_THROTTLED"), 2,
         "A quota: the client has to wait so long before it may go on.",
         "Compare the client's rate with its quota (kafka-configs --describe --entity-type "
         "clients).",
         words=f"{THROTTLED}|is throttled for"),
    Sign("The application's close() was cut short", ("CLOSING_BY_FORCE", "ABORTING_BATCHES"), 3,
         "close() ran out of time with records still unsent; those are lost.",
         "Give close() more time, or flush() first."),
    # what brokers write
    Sign(SESSION_ENDED,
         ("GROUP_MEMBER_FAILED", "CONSUMER_GROUP_FENCED"), 2,
         "The coordinator heard nothing of a member for session.timeout.ms, and others got its "
         "partitions. The process was dead, stood still, or was cut off.",
         "Look into the member's own log at that time. Only where such pauses are usual, raise "
         "session.timeout.ms, or with group.protocol=consumer the brokers' "
         "group.consumer.session.timeout.ms."),
    Sign(OUT_OF_SYNC, ("ISR_SHRINKS",), 2,
         "A follower lacked records for longer than replica.lag.time.max.ms. Until it is back, "
         "fewer brokers have what acks=all has answered.",
         "Look at the follower that the line names: its disk, its network, its pauses."),
    Sign("A follower could not fetch from its leader",
         ("REPLICA_FETCH_FAILED", "REPLICA_LEADER_NOT_REACHED"), 1,
         "The leader was away or stood still, or the network between these two brokers was cut. "
         "The replicas of this follower fall behind meanwhile.",
         "Where clients could reach the leader at that time, look at the network between the two "
         "brokers; replicaId and leaderId name them."),
    Sign("A broker was gone", ("BROKER_GONE", "BROKER_FENCED"), 2,
         "The controller did not hear of it any more. Other brokers lead its partitions, and "
         "clients find that out from errors.",
         "Look into that broker's own log before this time."),
    Sign("A broker's log directory failed",
         ("LOG_DIR_FAILED", "LOG_DIRS_FAILED", "LOG_DIR_REFUSED", "LOG_DIRS_REFUSED"), 3,
         "Its disk is full, broken or gone; the line names the error. A broker without a directory "
         "that works ends itself.",
         "Make room on that disk, or replace it. Then start the broker again; until then other "
         "brokers lead its partitions."),
    Sign("A quota was set or removed", ("QUOTA_CHANGED", "QUOTA_REMOVED"), 1,
         "Somebody limits what a client, a user or an address may write, read or ask for. Who is "
         "above the limit is throttled, and says so on DEBUG only (4.4: as a warning).",
         "Compare with what clients tell from then on: slow sends, a lag that grows."),
    Sign("A broker took no more connections", ("CONNECTION_REJECTED",), 3,
         "That address had as many connections as max.connections.per.ip allows, and the broker "
         "hung up on the next one. The client hears no reason.",
         "Look for a process at that address that opens clients and does not close them. Where all "
         "of them are needed, raise max.connections.per.ip (or .overrides)."),
    Sign("A broker threw out somebody who does not speak its protocol", ("CLIENT_THROWN_OUT",), 2,
         "What came from that address is no request: another security.protocol than that of the "
         "listener, a web client, or a port scanner.",
         "Find out who runs at the address in the line, and compare its security.protocol with the "
         "listener of that port."),
    Sign("The controller could not be reached", ("CONTROLLER_NOT_REACHED",), 1,
         "Brokers go on with the leaders that they have. Where no other controller of the quorum "
         "is active, no leader is chosen, no topic is made and no replica set changes.",
         "Look at the controller's process and its own log. A few such lines are usual while a "
         "cluster starts."),
    Sign("Partitions were moved to other brokers",
         ("PARTITIONS_REASSIGNED", "REASSIGNMENT_COMPLETED"), 1,
         "Somebody, or a tool such as Cruise Control, asked for a reassignment. Their leaders may "
         "change at its end, and then clients are refused once and ask for metadata again.",
         "Expected where it was planned. Where it takes too much of the disks and the network, "
         "throttle it (kafka-reassign-partitions --throttle)."),
    Sign("A leader was chosen that may lack records", ("PARTITION_CHANGED_UNCLEAN",), 3,
         "No replica in sync was there, and unclean.leader.election.enable let another one lead. "
         "What only the others had is lost.",
         "Compare the offsets of both leaders, and turn that setting off where records matter."),
    Sign("Records that had been read are gone",
         ("TRUNCATION_DETECTED", "TRUNCATION_END_UNKNOWN", "TRUNCATION_WITHOUT_POLICY",
          "TRUNCATION_END_UNKNOWN_WITHOUT_POLICY", "REPLICA_CUT_BACK"), 3,
         "The log of the leader is shorter than that of the leader before. What was between the "
         "two offsets in the line is lost, also where producers had their answer; other records "
         "get the same offsets.",
         "Look for an unclean leader election, or for a disk that lost what was on it, just "
         "before. Compare what consumers did with the lost records with what their sources have."),
    Sign("A partition had no leader", ("PARTITION_CHANGED",), 3,
         "No replica that has every record was alive. Until one is back, nobody can read the "
         "partition or write to it.",
         "Bring the broker back that the line names in lastKnownElr, or its disk.",
         words=r"leader: \d+ -> -1"),
    Sign("A coordinator rolled a transaction back", ("TRANSACTION_TIMED_OUT",), 3,
         "The transaction was open for longer than transaction.timeout.ms. Its producer cannot go "
         "on (it is fenced, or its transaction is in an invalid state), and readers with "
         "isolation.level=read_committed never see its records.",
         "Make transactions shorter, or raise transaction.timeout.ms."),
    Sign("A broker refused a producer with an old epoch", ("APPEND_FAILED",), 3,
         "Another producer with the same transactional.id had begun, or its transaction had been "
         "rolled back after transaction.timeout.ms, and this one went on.",
         "See that no two processes share the transactional.id.",
         words=FENCED),
    Sign("A broker refused a batch that came before its turn", ("APPEND_FAILED",), 1,
         "The batch before it, of the same idempotent producer, was not written to this leader. "
         "The producer sends both again, in their order.",
         "Harmless just after a partition changed its leader, where no batch failed for good.",
         words="OutOfOrderSequence"),
    Sign("A broker could not write a batch", ("APPEND_FAILED",), 3,
         "The line names the error. The producer hears of it, too.",
         "Look at the error in the line, and at the producer's lines of that time."),
)  # fmt: skip


def cause_of(message: str, trace: str | None) -> str:
    """The reason in a message's stack trace, without the packages of its class; the message itself
    where it has no trace. In a chain of causes Kafka's innermost has the place, and the last one
    the reason, which the other may cite."""
    causes = CAUSE.findall(trace) if isinstance(trace, str) else []
    if not causes:
        return message
    of_kafka = next((each for package, each in reversed(causes) if "kafka." in package), "")
    last: str = causes[-1][1]
    if last.partition(": ")[2] in of_kafka:
        return of_kafka
    return f"{of_kafka}; caused by {last}" if of_kafka else last


def with_cause(message: str, trace: str | None) -> str:
    """A message as a report cites it, with the reason in its stack trace."""
    cause = cause_of("", trace)
    if not cause:
        return message[:EVIDENCE_LENGTH]
    short = message[:BEFORE_ITS_ERROR] + "…" * (len(message) > BEFORE_ITS_ERROR)
    return f"{short}: {cause}"


def signs(lines: DataFrame, explained: Iterable[tuple[str, int]] = ()) -> list[Oddity]:
    """An Oddity for each sign in the lines, the highest weight first.

    explained: file and file_offset of lines that another oddity tells of.
    """
    for file, offset in explained:
        lines = lines.where(~((F.col("file") == file) & (F.col("file_offset") == int(offset))))
    asked = F.lit(None).cast("int")
    # old clients name the error in the stack trace only
    said = F.concat_ws("\n", "message", "trace")
    for number, sign in reversed(list(enumerate(SIGNS))):
        here = F.col("event").isin(*sign.events)
        asked = F.when(here & said.rlike(sign.words) if sign.words else here, number).otherwise(
            asked
        )
    place = ("time", "file", "file_offset")
    shown = F.struct(
        *place_columns(),
        F.substring("message", 1, EVIDENCE_LENGTH).alias("text"),
        F.substring("trace", 1, TRACE).alias("trace"),
        "level",
        "client_id",
    )
    counted = (
        lines.where(F.col("event").isin(*(event for sign in SIGNS for event in sign.events)))
        .withColumn("sign", asked)
        .where("sign is not null")
        .withColumn("turn", F.row_number().over(Window.partitionBy("sign").orderBy(*place)))
        .groupBy("sign")
        .agg(
            F.count("*").alias("count"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
            F.array_sort(F.collect_set(F.when(F.col("turn") <= 1000, F.col("client_id")))).alias(
                "clients"
            ),
            F.array_sort(F.collect_list(F.when(F.col("turn") <= EVIDENCE, shown))).alias("shown"),
        )
        .select(
            "*",
            F.date_format("first", PRINTED).alias("begins"),
            F.date_format("last", PRINTED).alias("ends"),
        )
        .orderBy("sign")
        .toLocalIterator()
    )
    found = []
    for row in counted:
        sign = SIGNS[row.sign]
        if row["count"] >= sign.at_least:
            evidence = tuple(
                f"[{spot.at}] {spot.level or ''} {with_cause(spot.text, spot.trace)}"
                for spot in row.shown
            )
            found.append(
                Oddity(
                    sign.what,
                    sign.weight,
                    row["count"],
                    sign.means,
                    sign.do,
                    row.clients,
                    row.begins,
                    row.ends,
                    evidence,
                    places=tuple((spot.file, spot.file_offset) for spot in row.shown),
                )
            )
    return found


PRINTED = "yyyy-MM-dd HH:mm:ss,SSS"


def place_columns() -> list:
    return [
        F.col("time"),
        F.col("file"),
        F.col("file_offset"),
        F.date_format("time", PRINTED).alias("at"),
    ]


def silences(lines: DataFrame) -> Oddity | None:
    """The longest silence of each client. A running client writes at least with each heartbeat."""
    order = Window.partitionBy(*CLIENT).orderBy(F.col("file"), F.col("file_offset"))
    of_client = Window.partitionBy(*CLIENT)
    gaps = (
        lines.where("client_id is not null and time is not null")
        # On INFO a client that has nothing to say is silent, too.
        .withColumn(
            "debug", F.max(F.col("level").isin("DEBUG", "TRACE").cast("int")).over(of_client)
        )
        .where("debug = 1")
        .select(*CLIENT, "file_offset", "time", F.lag("time").over(order).alias("before"))
        .withColumn("silent_ms", F.unix_millis("time") - F.unix_millis("before"))
    )
    longest = (
        gaps.where(F.col("silent_ms") >= SILENCE_S * 1000)
        .orderBy(F.desc("silent_ms"), "time", *CLIENT)
        .limit(200)
    )
    rows = _printed(longest, "before", "time")
    if rows.empty:
        return None
    evidence = tuple(
        f"[{row.before}] {row.client_id}: nothing for {row.silent_ms / 1000:.1f} s"
        for row in rows.head(EVIDENCE).itertuples()
    )
    return Oddity(
        "A client was silent", 2 if rows["silent_ms"].iloc[0] >= 60_000 else 1, len(rows),
        "It wrote no line for half a minute or more, although it logs on DEBUG. A process that was "
        "stopped (garbage collection, a suspended machine, a debugger) looks so, and so do an idle "
        "producer and a clock that was set forward.",
        "Compare with the JVM's pauses, and with the same moment in other logs; a group member is "
        "never silent for longer than heartbeat.interval.ms.",
        rows["client_id"], rows["before"].min(), rows["time"].max(),
        evidence,
    )  # fmt: skip


def clock_steps(lines: DataFrame) -> Oddity | None:
    """Lines whose time is before that of the line above."""
    order = Window.partitionBy("file").orderBy("file_offset")
    steps = (
        lines.where("time is not null")
        .select(
            "file", "client_id", "file_offset", "time", F.lag("time").over(order).alias("before")
        )
        .withColumn("back_ms", F.unix_millis("before") - F.unix_millis("time"))
        .where(F.col("back_ms") >= CLOCK_STEP_S * 1000)
    )
    first = steps.orderBy(F.desc("back_ms"), "file", "file_offset").limit(200)
    rows = _printed(first, "before", "time")
    if rows.empty:
        return None
    evidence = tuple(
        f"{row.file}: {row.before} is followed by {row.time}"
        for row in rows.head(EVIDENCE).itertuples()
    )
    return Oddity(
        "Times go backwards", 1, len(rows),
        "The clock was set back, or the lines of several threads or files were put together out "
        "of order. Durations across these places are wrong.",
        "Trust the order of the lines, not the times, around them.", (), rows["time"].min(),
        rows["before"].max(), evidence,
    )  # fmt: skip


def _printed(frame: DataFrame, *times: str) -> pd.DataFrame:
    return frame.withColumns({name: F.date_format(name, PRINTED) for name in times}).toPandas()


def printed_time(moment: datetime) -> str:
    """A time as the lines print it."""
    return f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d}"


def clock_of(moment: pd.Timestamp) -> str:
    """A time without its day; empty where there is none."""
    return "" if pd.isna(moment) else f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"


def undying_sockets(sockets: pd.DataFrame, ends: pd.Timestamp, idle_ms: int) -> Oddity | None:
    """Bootstrap sockets that are open beyond the idle limit: unused and never closed."""
    if sockets.empty:
        return None
    limit = pd.Timedelta(milliseconds=DEFAULT_IDLE_MS if idle_ms < 0 else idle_ms)
    old = sockets[
        (sockets["class"] == "bootstrap")
        & sockets["closed_at"].isna()
        & (ends - sockets["opened_at"] > limit)
    ]
    if old.empty:
        return None
    off = idle_ms < 0
    return Oddity(
        "Bootstrap connections that nobody closes", 2 if off else 1, len(old),
        "The first connection goes to a bootstrap server and is not used again once the brokers "
        "are known. "
        + (
            "connections.max.idle.ms is -1, so neither side ever closes it."
            if off
            else "It has outlived the idle limit; an idle producer sees it only when it wakes."
        ),
        "Set connections.max.idle.ms (default 9 minutes); each such socket costs the broker a "
        "file descriptor and memory.",
        old["client_id"], printed_time(old["opened_at"].min()), "",
        tuple(f"{row.client_id} to node {row.node_id}, open since {row.opened_at:%H:%M:%S}" for row in old.head(EVIDENCE).itertuples()),  # noqa: E501
    )  # fmt: skip


def churn(sockets: pd.DataFrame) -> Oddity | None:
    """Many connections to one broker in a minute."""
    if sockets.empty:
        return None
    minutes = sockets.assign(minute=sockets["opened_at"].dt.floor("min"))
    counts = (
        minutes.groupby(["client_id", "node_id", "minute"], dropna=False)
        .size()
        .sort_values(ascending=False)
    )
    often = counts[counts >= CHURN]
    if often.empty:
        return None
    return Oddity(
        "Connecting again and again", 2, int(often.sum()),
        "One client opened many connections to the same node within a minute: it is refused, or "
        "thrown out as soon as it is in.",
        "See how they ended: `failed` is nobody listening, `peer` is the broker hanging up (wrong "
        "security.protocol, connection limits).",
        [name for name, _, _ in often.index],
        _first_of_minute(minutes, often.index[0]), "",
        tuple(f"{name}: {count} connections to node {node} in the minute of {minute:%H:%M}" for (name, node, minute), count in often.head(EVIDENCE).items()),  # noqa: E501
    )  # fmt: skip


def _first_of_minute(minutes: pd.DataFrame, key: tuple) -> str:
    """When the first of these connections was opened."""
    client, _, minute = key
    own = minutes[(minutes["client_id"] == client) & (minutes["minute"] == minute)]
    return printed_time(own["opened_at"].min())


def goes_on(clients: pd.DataFrame) -> Oddity | None:
    """A client whose log is in several files with numbers, such as app0.log and app1.log."""
    several = _in_several_logs(clients)
    several = several[several["one_log"]].sort_values(["client_id", "first"])
    if several.empty:
        return None
    return Oddity(
        "A client goes on in another log", 2, several["client_id"].nunique(),
        "The files follow each other in time, and no later one has the client's start: they look "
        "like one log in several files. They are read one by one, so what is told across the end "
        "of a file, such as a rebalance or how a socket ended, may be missing.",
        "Join the files in the order of their times (cat), or name them app.log.1 and app.log.",
        several["client_id"], "", "",
        tuple(f"{own.client_id}: in {own.file}, from {printed_time(own.first)}"
              for own in several.head(EVIDENCE).itertuples()),
    )  # fmt: skip


def namesakes(clients: pd.DataFrame) -> Oddity | None:
    """A client id in several logs that are not one."""
    several = _in_several_logs(clients)
    files = several[~several["one_log"]].groupby(["client_id", "kind"])["file"].nunique()
    if files.empty:
        return None
    return Oddity(
        "Several clients with one client id", 1, len(files),
        "Quotas, metrics and broker logs cannot tell them apart.",
        "Give each process a client.id of its own.",
        [name for name, _ in files.index], "", "",
        tuple(f"{name}: in {count} logs" for (name, _), count in files.head(EVIDENCE).items()),
    )  # fmt: skip


def _in_several_logs(clients: pd.DataFrame) -> pd.DataFrame:
    """The clients in several logs, and whether these are one: `one_log`."""
    of_name = clients.sort_values("first").groupby(["client_id", "kind"])
    found = [
        own.assign(one_log=_is_one_log(own)) for _, own in of_name if own["file"].nunique() > 1
    ]
    return pd.concat(found) if found else clients.head(0).assign(one_log=False)


def _is_one_log(own: pd.DataFrame) -> bool:
    """Whether files in the order of time follow each other, and none but the first has the start of
    a process."""
    follows = own["first"].iloc[1:].to_numpy() >= own["last"].iloc[:-1].to_numpy()
    return bool(follows.all() and not own["lives"].iloc[1:].any())


def slow_answers(brokers: pd.DataFrame) -> Oddity | None:
    """Brokers that took more than a second for requests that they answer at once."""
    slow = brokers[brokers["longest_ms"] >= 1000].sort_values("longest_ms", ascending=False)
    if slow.empty:
        return None
    return Oddity(
        "Answers took more than a second", 2, len(slow),
        "The broker was busy or stopped, the network was slow, a quota held the client back, or "
        "the request stood behind a long poll on the same connection (a FETCH waits up to "
        "fetch.max.wait.ms, a JOIN_GROUP until all have joined). Or nobody looked: a consumer "
        "reads most answers only when poll() is called.",
        "Compare the brokers with each other below: one alone is slow itself. Then its request "
        "metrics tell its own time from the way.",
        slow["client_id"], "", "",
        tuple(f"{row.client_id}: broker {row.broker} took {row.longest_ms:,.0f} ms once, half of "
              f"the answers at most {row.median_ms:,.0f} ms"
              for row in slow.head(EVIDENCE).itertuples()),
    )  # fmt: skip


def set_back(rereads: pd.DataFrame) -> Oddity | None:
    """Committed offsets that were lower than the last commit of a member."""
    back = rereads[rereads["how"] == "set back"] if len(rereads) else rereads
    if back.empty:
        return None
    return Oddity(
        "A group's committed offsets were set back", 3, int(back["records"].sum()),
        "Members had committed higher offsets than those from which others then began. Somebody "
        "set them (kafka-consumer-groups --reset-offsets, an admin client), or the coordinator "
        "lost commits. What was done for these records was done again.",
        "Ask who reset the group between the last commit and this time. If nobody did, look for "
        "an unclean leader of __consumer_offsets.",
        **_ranges(back),
    )  # fmt: skip


def read_twice(rereads: pd.DataFrame) -> Oddity | None:
    """Ranges of offsets that were delivered to a group again, without those that were set back."""
    again = rereads[rereads["how"] != "set back"] if len(rereads) else rereads
    if again.empty:
        return None
    return Oddity(
        "Records were read twice", 3, int(again["records"].sum()),
        "A consumer began at an offset that somebody of the group had gone beyond already: what "
        "was done for these records was done again.",
        "Commit before partitions are given away, and make the work repeatable (idempotent). Where "
        "auto.offset.reset sent it there, find out why the group had no committed offset.",
        **_ranges(again),
    )  # fmt: skip


def _ranges(rereads: pd.DataFrame) -> dict:
    """Whose ranges these are, when they began, and the first few in words."""
    return {
        "clients": rereads["client_id"],
        "first": printed_time(rereads["began_at"].min()),
        "last": printed_time(rereads["began_at"].max()),
        "evidence": tuple(
            f"{row.client_id}: {row.topic}-{row.partition} again from {row.from_offset} to "
            f"{row.until_offset - 1}, first read by {row.previous_client}"
            + (", sent there by auto.offset.reset" if row.how == "reset" else "")
            for row in rereads.head(EVIDENCE).itertuples()
        ),
    }


def storm(rows: pd.DataFrame) -> Oddity | None:
    """Groups that do little but rebalance (rebalances.storms): `incidents` finds the same ones."""
    if rows.empty:
        return None
    return Oddity(
        "A rebalance storm", 3, int(rows["rebalances"].sum()),
        f"A group went through {STORM_REBALANCES} rebalances or more within {STORM_WITHIN}. While "
        "they last nobody of an eager group reads.",
        "See the causes below: members that are too slow, that come and go, or restarts one after "
        "the other. group.instance.id (static members) and cooperative protocols soften it.",
        [name for names in rows["clients"] for name in names],
        printed_time(rows["first"].min()), printed_time(rows["last"].max()),
        tuple(
            f"group {row.group_id}: {row.rebalances} rebalances, members stood still for "
            f"{row.member_ms / 1000:.1f} s together"
            for row in rows.head(EVIDENCE).itertuples()
        ),
    )  # fmt: skip


def falling_behind(lag: pd.DataFrame) -> Oddity | None:
    """Partitions whose lag grew much, or whose next record was the oldest in the log, without
    catching up."""
    if lag.empty:
        return None
    behind = lag[(lag["last_lag"] >= MUCH_LAG) & (lag["last_lag"] >= 2 * lag["first_lag"])]
    edge = lag[
        (lag["least_lead"] == 0) & (lag["last_lag"] >= np.maximum(lag["first_lag"], MUCH_LAG))
    ]
    if behind.empty and edge.empty:
        return None
    told = [
        (
            f"{row.client_id}: {row.topic}-{row.partition} {row.first_lag} records behind at "
            f"first, {row.last_lag} at last"
        )
        for row in behind.itertuples()
    ]
    told += [
        (
            f"{row.client_id}: {row.topic}-{row.partition} read the oldest record there was, "
            f"{row.last_lag} behind at last"
        )
        for row in edge.itertuples()
    ]
    return Oddity(
        "A consumer falls behind", 2, len(told),
        "More is written than it reads, so the lag grows. Once it is older than what retention "
        "keeps, records are deleted before they were read.",
        "Add members up to the number of partitions, make the work faster, or look for one "
        "partition that gets most (a skewed key).",
        [*behind["client_id"], *edge["client_id"]], "", "",
        tuple(told[:EVIDENCE]),
    )  # fmt: skip
