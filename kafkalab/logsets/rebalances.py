"""Finds each member's rebalances in its lines: the time in which it does not read, and the cause.

A rebalance ends with the member's new partitions (KIP-848: when it is STABLE again). Under eager
protocols the member first gives up all its partitions, and does not read until the end. Under
cooperative protocols it gives up only the partitions that move, at the end.

    rebalances(lines)         one row for each member and rebalance
    group_rebalances(lines)   one row for each group and generation: the stopped time, and the
    causes storms(lines)             one row for each period in which a group did little else
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import (
    CLIENT,
    before,
    clustered,
    folder,
    lines_of,
    ms_between,
    span,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

JOINING, JOINED, ASSIGNED = "JOINING_GROUP", "JOINED_GROUP", "ASSIGNED_PARTITIONS"
STATE = "MEMBER_STATE"  # The state of a member under KIP-848.
RECONCILING = "MEMBER_RECONCILING"  # It names what the member is to have at the end.
GIVEN_UP = ("REVOKING_PARTITIONS", "LOSING_PARTITIONS", "MEMBER_PARTITIONS_REVOKED")
REQUESTED = "REQUEST_JOINING"
STRANGER = "COMMIT_NOT_A_MEMBER"  # All that an old client says of its end in the group.
# A member of KIP-848 says the second; it keeps its partitions then.
LOST = ("COORDINATOR_UNAVAILABLE", "COORDINATOR_LOST")
EXPIRED = ("POLL_TIMEOUT_EXPIRED", "ASYNC_POLL_TIMEOUT_EXPIRED")
LEAVING = ("SENDING_LEAVE_GROUP", "MEMBER_LEAVE_HEARTBEAT")
CLOSED = ("CONSUMER_CLOSED", "ASYNC_CONSUMER_CLOSED")
BEGUN = ("CONSUMER_INITIALIZED", "ASYNC_CONSUMER_INITIALIZED")
LEAVES = "due to the consumer (?:is being closed|unsubscribed)"
"""On INFO a consumer that closes says no more than that it leaves its group."""
EVENTS = (
    JOINING, JOINED, ASSIGNED, STATE, RECONCILING, *GIVEN_UP, REQUESTED, *EXPIRED, *LEAVING,
    *CLOSED, *BEGUN, "HEARTBEAT_REBALANCING", LOST[0], "REVOKE_AND_REJOIN", STRANGER,
)  # fmt: skip

FIRST_JOIN = "first join"
POLL_TIMEOUT = "poll timeout"
OTHERS = "another member"
GIVES_UP = "gives up partitions"
COORDINATOR = "coordinator lost"
METADATA = "topics changed"
FENCED = "no longer a member"
NEW_TARGET = "new assignment"
UNSAID = "not said"

STORM_REBALANCES = 3
STORM_WITHIN = "60 seconds"
# "need to re-join with the given member-id" is the second half of a join, and no cause. Nor is it
# one that the process before left.
HALVES = "given member-id|MemberIdRequired|pro-actively leaving"


def rebalances(lines: DataFrame) -> DataFrame:
    """One row for each rebalance that a member completed.

    file, client_id, group_id; protocol: classic or consumer (KIP-848); generation (there: epoch);
    cause, and `reason` as the client printed it (from 3.6 on); began_at: its first line;
    stopped_at: when it gave partitions up before it joined, else null; resumed_at: when it had its
    new ones; waited_ms from the first line, stopped_ms without reading although it had partitions
    before; partitions: the new ones as printed, empty where the lines say that there are none, and
    null where no line says it.
    """
    rounds = _gathered(
        _in_rounds(lines_of(lines, EVENTS, "group_id", "generation", "state", "reason", "message"))
    )
    return _with_cause(rounds).select(
        "file", "client_id", "group_id", "protocol", "generation", "cause", "reason", "began_at",
        "stopped_at", "resumed_at",
        ms_between("began_at", "resumed_at").alias("waited_ms"),
        F.coalesce(ms_between("stopped_at", "resumed_at"), F.lit(0)).alias("stopped_ms"),
        "partitions",
    )  # fmt: skip


def group_rebalances(lines: DataFrame) -> DataFrame:
    """One row for each generation of each group.

    folder, group_id, generation, members (with lines about it), began_at, resumed_at, stopped_ms
    (from the first member that stopped reading to the last that resumed), member_ms (the sum of all
    members' stopped times), cause (the first that is not another member's, else that), clients that
    caused it.
    """
    return grouped(rebalances(lines))


def grouped(rounds: DataFrame) -> DataFrame:
    """As group_rebalances(), from the rows of rebalances()."""
    own = ~F.col("cause").isin(OTHERS, UNSAID, NEW_TARGET)
    return (
        rounds.withColumn("folder", folder())
        .groupBy("folder", "group_id", "generation")
        .agg(
            F.countDistinct("file", "client_id").alias("members"),
            F.min("began_at").alias("began_at"),
            F.max("resumed_at").alias("resumed_at"),
            F.min("stopped_at").alias("stopped_at"),
            F.sum("stopped_ms").alias("member_ms"),
            F.min_by("cause", F.when(own, F.struct("began_at", "cause"))).alias("own_cause"),
            F.min("cause").alias("any_cause"),
            F.array_sort(F.collect_set(F.when(own, F.col("client_id")))).alias("clients"),
        )
        .select(
            "folder", "group_id", "generation", "members", "began_at", "resumed_at",
            F.coalesce(ms_between("stopped_at", "resumed_at"), F.lit(0)).alias("stopped_ms"),
            "member_ms",
            F.coalesce("own_cause", "any_cause").alias("cause"), "clients",
        )
    )  # fmt: skip


def storms(
    lines: DataFrame, at_least: int = STORM_REBALANCES, within: str = STORM_WITHIN
) -> DataFrame:
    """One row for each storm: a group with `at_least` rebalances within a span, and as long as they
    go on.

    folder, group_id, first, last, rebalances, member_ms (the sum of all members' stopped times),
    clients (that caused it). The start of a group is no storm: a rebalance counts only where a
    member had partitions before.
    """
    return storms_among(rebalances(lines), at_least, within)


def storms_among(rounds: DataFrame, at_least: int, within: str) -> DataFrame:
    """As storms(), from the rows of rebalances()."""
    of_group = Window.partitionBy("folder", "group_id").orderBy("began_at", "generation")
    close = F.col("began_at") <= F.lag("began_at", at_least - 1).over(of_group) + span(within)
    # A rebalance that completes a span includes those before it.
    drawn_in = F.max("close").over(of_group.rowsBetween(0, at_least - 1))
    stormy = (
        grouped(rounds)
        .where("member_ms > 0")
        .withColumn("close", close.cast("int"))
        .withColumn("stormy", drawn_in)
        .where(F.col("stormy") == 1)
        .withColumn("time", F.col("began_at"))
    )
    return (
        clustered(stormy, within, "folder", "group_id")
        .groupBy("folder", "group_id", "cluster")
        .agg(
            F.min("began_at").alias("first"),
            F.max("resumed_at").alias("last"),
            F.count("*").alias("rebalances"),
            F.sum("member_ms").alias("member_ms"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("clients")))).alias("clients"),
        )
        .select("folder", "group_id", "first", "last", "rebalances", "member_ms", "clients")
    )


def _is_end() -> Column:
    return (F.col("event") == ASSIGNED) | ((F.col("event") == STATE) & (F.col("state") == "STABLE"))


def _in_rounds(events: DataFrame) -> DataFrame:
    """Add `round` to each line: the number of earlier ends, leaves and starts of the member."""
    leaves = (F.col("event") == LEAVING[0]) & F.col("message").rlike(LEAVES)
    left = leaves | ((F.col("event") == STATE) & (F.col("state") == "UNSUBSCRIBED"))
    over = _is_end() | left | F.col("event").isin(*CLOSED, *BEGUN)
    # A cooperative member asks for the next rebalance at the end of the one before.
    asks = (F.col("event") == "REVOKE_AND_REJOIN") | (
        (F.col("event") == REQUESTED) & F.col("reason").contains("revoke partitions")
    )
    number = F.count_if(over).over(before("group_id")) + F.when(asks, 1).otherwise(0)
    return events.where("client_id is not null").withColumn("round", number)


def _gathered(events: DataFrame) -> DataFrame:
    """One row for each round, from its lines. Rounds without an end are left out."""
    is_event = {name: F.col("event") == name for name in (JOINING, JOINED, REQUESTED, STATE)}
    # `Revoke previously assigned partitions []` gives nothing up. The partitions that a cooperative
    # member gives up at the end do not stop the others.
    gives_up = F.col("event").isin(*GIVEN_UP) & F.col("message").rlike(r"-\d+")
    joined_before = F.max(is_event[JOINED].cast("int")).over(before("group_id", "round"))
    expired = F.col("event").isin(*EXPIRED)
    # A member of KIP-848 releases all that it has when its time for poll() is over, and when the
    # coordinator does not know it any more.
    fenced = is_event[STATE] & (F.col("state") == "FENCED")
    stops = (
        (gives_up & (F.coalesce(joined_before, F.lit(0)) == 0))
        | (F.col("event") == EXPIRED[1])
        | fenced
    )
    first_life = F.coalesce(F.max(F.when(_is_end(), 1)).over(before("group_id")), F.lit(0)) == 0
    reason = F.when(is_event[REQUESTED] & ~F.col("reason").rlike(HALVES), F.col("reason"))
    return (
        events.withColumns({"stops": stops, "first_life": first_life})
        .groupBy(*CLIENT, "group_id", "round")  # Members of several groups may have one client id.
        .agg(
            F.max(F.when(_is_end(), F.col("time"))).alias("resumed_at"),
            F.bool_or(is_event[STATE]).alias("by_consumer_protocol"),
            F.max(
                F.when(is_event[JOINED] | (is_event[STATE] & _is_end()), F.col("generation"))
            ).alias("generation"),
            F.min(
                F.when(
                    is_event[JOINING] | F.col("stops") | is_event[STATE] | expired,
                    F.col("time"),
                )
            ).alias("began_at"),
            F.min(F.when(F.col("stops"), F.col("time"))).alias("stopped_at"),
            F.max_by(reason, F.when(reason.isNotNull(), F.struct("part", "file_offset"))).alias(
                "reason"
            ),
            F.bool_or(expired).alias("expired"),
            F.bool_or(F.col("event") == "HEARTBEAT_REBALANCING").alias("told_by_heartbeat"),
            F.bool_or(F.col("event") == LOST[0]).alias("coordinator_lost"),
            F.bool_or(F.col("event").isin("LOSING_PARTITIONS", STRANGER) | fenced).alias("lost"),
            F.bool_or(F.col("event") == "REVOKE_AND_REJOIN").alias("gives_up"),
            F.bool_and("first_life").alias("first_life"),
            F.max_by(
                _new_partitions(),
                F.when(F.col("event").isin(ASSIGNED, RECONCILING), F.struct("part", "file_offset")),
            ).alias("partitions"),
        )
        .where(
            F.col("resumed_at").isNotNull()
            & F.col("began_at").isNotNull()
            & F.col("generation").isNotNull()
        )
    )


def _new_partitions() -> Column:
    """The partitions that a line gives to its member, as printed; null where it names none.

    It is the end of a classic member's line, and the second line of a KIP-848 member's.
    """
    forms = {
        RECONCILING: r"\n\s*Assigned partitions: +\[([^\]]*)\]",
        ASSIGNED: r"partitions:? \[?([^\]]*)\]?$",
    }
    said = F.lit(None).cast("string")
    for event, form in forms.items():
        here = (F.col("event") == event) & F.col("message").rlike(form)
        said = F.when(here, F.regexp_extract("message", form, 1)).otherwise(said)
    return said


def _with_cause(rounds: DataFrame) -> DataFrame:
    says = F.col("reason").contains
    cause = (
        F.when(F.col("expired") | says("poll timeout"), POLL_TIMEOUT)
        .when(F.col("gives_up") | says("revoke partitions"), GIVES_UP)
        .when(says("cached metadata") | says("subscription"), METADATA)
        .when(F.col("told_by_heartbeat") | says("group is already rebalancing"), OTHERS)
        .when(
            F.col("lost")
            | says("unknown member")
            | says("UNKNOWN_MEMBER")
            | says("fenced")
            | says("illegal generation"),
            FENCED,
        )
        .when(F.col("first_life"), FIRST_JOIN)
        .when(F.col("coordinator_lost"), COORDINATOR)
        .when(F.col("by_consumer_protocol"), NEW_TARGET)
        .otherwise(UNSAID)
    )
    return rounds.withColumns(
        {
            "cause": cause,
            "protocol": F.when(F.col("by_consumer_protocol"), "consumer").otherwise("classic"),
        }
    )
