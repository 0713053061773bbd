"""Bugs planted in brokers: groups, logs, copies, transactions."""

from __future__ import annotations

from kafkalab.broker.cluster import controller
from kafkalab.broker.cluster.elections import Election
from kafkalab.broker.groups.classic import membership
from kafkalab.broker.groups.classic.join_phase import JoinPhase
from kafkalab.broker.groups.classic.membership import ClassicGroups
from kafkalab.broker.groups.group_offsets import OffsetMetadataManager
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.broker.log.producer_state import ProducerState, Verdict
from kafkalab.broker.replication.replica import Replica
from kafkalab.broker.replication.replica_fetcher import ReplicaFetchers
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import Refusal
from kafkalab.errors import Errors
from kafkalab.proof.cases import logs as log_answers
from kafkalab.tests.mutants.catchers import Law, Vector
from kafkalab.tests.mutants.mutant import Mutant


def sessions_never_renewed(patch):
    """A heartbeat is answered and forgotten."""
    honest = ClassicGroups._heartbeat

    def heartbeat(self, request, caller, now_ms):
        group = self.groups.get(request.group_id)
        member = group.members.get(request.member_id) if group else None
        before = member.deadline_ms if member else 0
        effects = honest(self, request, caller, now_ms)
        if member:
            member.deadline_ms = before
        return effects

    patch.setattr(ClassicGroups, "_heartbeat", heartbeat)


def generation_not_checked(patch):
    honest = ClassicGroups._group_of

    def group_of(self, request):
        try:
            return honest(self, request)
        except Refusal as refusal:
            if refusal.error is not Errors.ILLEGAL_GENERATION:
                raise
            return self.groups[request.group_id]

    patch.setattr(ClassicGroups, "_group_of", group_of)


def static_names_not_fenced(patch):
    honest = membership.check_member
    patch.setattr(
        membership,
        "check_member",
        lambda group, member_id, instance_id: honest(group, member_id, None),
    )


def initial_delay_never_extended(patch):
    honest = JoinPhase.admit

    def admit(self, group, *rest):
        parked = yield from honest(self, group, *rest)
        group.somebody_joined_meanwhile = False
        return parked

    patch.setattr(JoinPhase, "admit", admit)


def sequences_not_checked(patch):
    """Whatever an idempotent producer sends is appended."""
    honest = ProducerState.judge

    def judge(self, batch, **how):
        verdict = honest(self, batch, **how)
        return Verdict(Errors.NONE) if verdict.duplicate_of is not None else verdict

    patch.setattr(ProducerState, "judge", judge)


def gaps_not_noticed(patch):
    honest = ProducerState.judge

    def judge(self, batch, **how):
        verdict = honest(self, batch, **how)
        return (
            Verdict(Errors.NONE)
            if verdict.error is Errors.OUT_OF_ORDER_SEQUENCE_NUMBER
            else verdict
        )

    patch.setattr(ProducerState, "judge", judge)


def epochs_not_checked(patch):
    honest = ProducerState.judge

    def judge(self, batch, **how):
        verdict = honest(self, batch, **how)
        return Verdict(Errors.NONE) if verdict.error is Errors.INVALID_PRODUCER_EPOCH else verdict

    patch.setattr(ProducerState, "judge", judge)


def commits_of_any_generation(patch):
    honest = OffsetMetadataManager._check

    def check(self, *args):
        try:
            honest(self, *args)
        except Refusal as refusal:
            if refusal.error is not Errors.ILLEGAL_GENERATION:
                raise

    patch.setattr(OffsetMetadataManager, "_check", check)


def watermark_is_the_leaders_end(patch):
    def advance(self, now_ms, lag_ms, may_join_isr, waits_for_min_isr=0, rule=None):
        moved = self.log.high_watermark < self.log.log_end_offset
        self.log.high_watermark = self.log.log_end_offset
        return moved

    patch.setattr(Replica, "advance", advance)


def all_means_one(patch):
    patch.setattr(ReplicaManager, "_ack_verdict", lambda self, key, required: Errors.NONE)


def anybody_alive_may_lead(patch):
    """Elections look at who lives, not at who is in sync."""

    def election(assignment, isr, live, unclean):
        leader = next((replica for replica in assignment if replica in live), -1)
        return Election(leader, (leader,) if leader >= 0 else tuple(isr))

    patch.setattr(log_answers, "offline_election", election)
    patch.setattr(controller, "offline_election", election)


def truncate_to_the_watermark(patch):
    """As before KIP-101: a follower cuts its log at the high watermark it knows,
    which may be below what was acknowledged."""
    patch.setattr(
        ReplicaFetchers,
        "_cut_at",
        lambda self, replica, epoch, end: (replica.log.high_watermark, True),
    )


def never_truncate(patch):
    patch.setattr(ReplicaFetchers, "_cut", lambda self, replica, key, offset, leader: [])


def isr_by_count(patch):
    """As before 0.9: a follower that lacks records leaves the ISR at once (KIP-16)."""
    patch.setattr(
        log_answers, "shrinks", lambda at_leader_end, behind_for_ms, lag_ms: not at_leader_end
    )


def isr_never_shrinks(patch):
    patch.setattr(log_answers, "shrinks", lambda at_leader_end, behind_for_ms, lag_ms: False)


def min_insync_looked_at_once(patch):
    """min.insync.replicas binds the append, not the acknowledgement."""
    patch.setattr(
        log_answers,
        "verdict_of_ack",
        lambda high_watermark, required, isr_size, min_isr: (
            None if high_watermark < required else Errors.NONE
        ),
    )


def reads_beyond_the_watermark(patch):
    honest = PartitionLog.read
    patch.setattr(
        PartitionLog,
        "read",
        lambda self, offset, max_bytes, end_offset=None, **how: honest(
            self, offset, max_bytes, None, **how
        ),
    )


MUTANTS = (
    Mutant(
        "sessions never renewed",
        "a heartbeat does not move the end of the session",
        sessions_never_renewed,
        Law("slow readers", "who lives and polls"),
    ),
    Mutant(
        "generation not checked",
        "a member of an older generation is answered as if it were current",
        generation_not_checked,
        Vector("heartbeat"),
    ),
    Mutant(
        "static names not fenced",
        "two processes may have one group.instance.id",
        static_names_not_fenced,
        Vector("heartbeat"),
    ),
    Mutant(
        "initial delay never extended",
        "who joins during the initial delay does not prolong it",
        initial_delay_never_extended,
        Vector("initial_rebalance_delay"),
    ),
    Mutant(
        "commits of any generation",
        "a commit of an older generation is kept",
        commits_of_any_generation,
        Vector("offset_commit"),
    ),
    Mutant(
        "watermark is the leader's end",
        "the high watermark does not wait for the in-sync replicas",
        watermark_is_the_leaders_end,
        Law("copies", "acknowledged stays"),
    ),
    Mutant(
        "all means one",
        "acks=all is answered when the leader has the record",
        all_means_one,
        Law("copies", "acknowledged stays"),
    ),
    Mutant(
        "anybody alive may lead",
        "an election does not look at the in-sync replicas",
        anybody_alive_may_lead,
        Vector("leader_election"),
    ),
    Mutant(
        "truncate to the watermark",
        "a follower cuts its log at its high watermark, not where epochs part",
        truncate_to_the_watermark,
        Law("copies", "keeps what is committed", seeds=200),
        quick=False,
    ),
    Mutant(
        "never truncate",
        "what a deposed leader wrote alone stays in its log",
        never_truncate,
        Law("copies", "copies agree"),
        quick=False,
    ),
    Mutant(
        "ISR by count",
        "a follower leaves the ISR as soon as it lacks a record",
        isr_by_count,
        Vector("replication"),
    ),
    Mutant(
        "ISR never shrinks",
        "replica.lag.time.max.ms is ignored",
        isr_never_shrinks,
        Vector("replication"),
    ),
    Mutant(
        "min.insync looked at once",
        "an ISR that shrank after the append is not noticed",
        min_insync_looked_at_once,
        Vector("replication"),
    ),
    Mutant(
        "reads beyond the watermark",
        "consumers get records that are not replicated yet",
        reads_beyond_the_watermark,
        Law("groups", "commits stay below", seeds=200),
        quick=False,
    ),
    Mutant(
        "sequences not checked",
        "a batch that is sent again is appended again",
        sequences_not_checked,
        Law("copies", "no duplicate"),
    ),
    Mutant(
        "gaps not noticed",
        "a batch may come before the one it follows",
        gaps_not_noticed,
        Vector("idempotence"),
    ),
    Mutant(
        "epochs not checked",
        "a producer of an older epoch may write",
        epochs_not_checked,
        Vector("idempotence"),
    ),
)
