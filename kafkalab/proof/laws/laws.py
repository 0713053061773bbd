"""The laws that every run keeps. Each law reads the journal of a finished story and yields a Breach
for everything that broke it.

A law says in its docstring within which limits Kafka promises it; `Scope` says which limits a story
kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from kafkalab.proof.laws.reading import Fact, Reading


class Breach(NamedTuple):
    """One breach of a law: which law, how, and the journal's event that shows it."""

    law: str
    sentence: str
    event_id: int


@dataclass(frozen=True, slots=True)
class Scope:
    """The limits that a story kept.

    clean        unclean.leader.election.enable=false: nobody leads who was not in sync
    all_in_sync  producers asked for acks=all, and at most min.insync.replicas - 1 replicas were
                 away at once
    verifies     transactions are of version 2: a PRODUCE that comes after its END_TXN is refused
                 (KIP-890)
    compacts     the topic is compacted: of a key's records only the last is promised
    """

    clean: bool = True
    all_in_sync: bool = True
    verifies: bool = True
    compacts: bool = False


_Key = TypeVar("_Key", tuple[str, int], tuple[str, int, str])
"""The key of a partition, or of one of its replicas."""


def _forget_topic(known: MutableMapping[_Key, int], topic: str) -> None:
    """Delete what is known of a topic's partitions."""
    for key in [key for key in known if key[0] == topic]:
        del known[key]


def watermark_only_grows(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """Under clean election no leader moves a partition's high watermark to where an earlier one had
    left behind.

    A new leader may learn late how far its predecessor had moved it (KIP-207 keeps it silent until
    it knows); it must have the records.
    """
    if not scope.clean:
        return
    highest: dict[tuple[str, int], int] = {}
    last: dict[tuple[str, int, str], int] = {}
    leader: dict[tuple[str, int], int] = {}
    for fact in reading.facts:
        if fact.kind == "topic.created":  # a topic made again is another one
            _forget_topic(highest, fact.tells["topic"])
            _forget_topic(last, fact.tells["topic"])
            _forget_topic(leader, fact.tells["topic"])
            leader |= {
                (fact.tells["topic"], index): place["leader"]
                for index, place in enumerate(fact.tells["partitions"])
            }
        if fact.kind == "partition.changed":
            leader[fact.tells["topic"], fact.tells["partition"]] = fact.tells["leader"]
        if fact.kind != "log.ends":
            continue
        key, ends = (fact.tells["topic"], fact.tells["partition"]), fact.tells
        if fact.who != f"broker-{leader.get(key, fact.who[7:])}":
            continue
        mark, before = ends["high_watermark"], last.get((*key, fact.who))
        last[*key, fact.who] = mark
        if ends["log_end_offset"] < highest.get(key, 0):
            yield Breach(
                "the high watermark only grows",
                f"{fact.who} leads {_name(key)} and its log ends at {ends['log_end_offset']}, "
                f"below the high watermark {highest[key]} that consumers have seen",
                fact.id,
            )
        elif before is not None and mark > before and mark < highest.get(key, 0):
            yield Breach(
                "the high watermark only grows",
                f"{fact.who} moves the high watermark of {_name(key)} to {mark}; it had been "
                f"{highest[key]}",
                fact.id,
            )
        highest[key] = max(highest.get(key, 0), mark)


def acknowledged_stays(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A record acknowledged with acks=all is still there, at its offset, while at most
    min.insync.replicas - 1 replicas are down at once.

    Retention may have taken what lies before the log start, compaction what has a later record of
    its key; with a topic go its records.
    """
    if not (scope.all_in_sync and scope.clean):
        return
    final = _final_log(reading)
    if final is None:
        return
    starts = {
        f"{fact.tells['topic']}-{fact.tells['partition']}": fact.tells["log_start_offset"]
        for fact in reading.of("log.ends")
    }
    made = {fact.tells["topic"]: fact.id for fact in reading.of("topic.created")}
    newest: dict[tuple[str, str | None], int] = {}
    for (partition, offset), keys in final.items():
        for key in keys:
            newest[partition, key] = max(offset, newest.get((partition, key), -1))
    for fact in reading.of("record.completed"):
        tells = fact.tells
        if fact.id > _begins_to_read(reading):
            break
        if fact.id < made[tells["partition"].rpartition("-")[0]] or tells["offset"] < starts.get(
            tells["partition"], 0
        ):
            continue
        if scope.compacts and newest.get((tells["partition"], tells["key"]), -1) > tells["offset"]:
            continue
        if (
            tells["error"] is None
            and tells["offset"] >= 0
            and tells["key"] not in final.get((tells["partition"], tells["offset"]), ())
        ):
            yield Breach(
                "what was acknowledged stays",
                f"{fact.who} was told that {tells['key']} stands at "
                f"{tells['partition']}@{tells['offset']}; at the end {_there(final, tells)} is "
                "there",
                fact.id,
            )


def watermark_is_covered(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """Where a leader moves the high watermark, every in-sync replica has every record below it."""
    if not scope.clean:
        return
    for fact, copies in _with_copies(reading):
        if fact.kind == "log.ends" and fact.who == copies.leader:
            mark = fact.tells["high_watermark"]
            for broker in copies.isr:
                if copies.ends.get(f"broker-{broker}", 0) < mark:
                    yield Breach(
                        "every in-sync replica covers the high watermark",
                        f"{fact.who} says that {_name(copies.key)} is safe up to {mark}, but "
                        f"broker-{broker}, in sync, ends at "
                        f"{copies.ends.get(f'broker-{broker}', 0)}",
                        fact.id,
                    )


def in_sync_keeps_committed(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A replica in sync never cuts off what is committed (KIP-101: where epochs part decides,
    not the high watermark it knows)."""
    if not scope.clean:
        return
    for fact, copies in _with_copies(reading):
        if (
            fact.kind == "replica.truncated"
            and fact.tells["log_end_offset"] < copies.highest
            and int(fact.who[7:]) in copies.isr
        ):
            yield Breach(
                "who is in sync keeps what is committed",
                f"{fact.who} cuts {_name(copies.key)} from {fact.tells['from_offset']} to "
                f"{fact.tells['log_end_offset']}; up to {copies.highest} it is committed",
                fact.id,
            )


def copies_agree(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """When all faults are over, every replica is in sync and ends where its leader ends."""
    if _final_log(reading) is None:
        return
    gone = {fact.tells["topic"]: fact.id for fact in reading.of("topic.deleted")}
    last: dict[tuple[str, int], tuple[Fact, _Copies]] = {
        copies.key: (fact, copies)
        for fact, copies in _with_copies(reading)
        if fact.id > gone.get(copies.key[0], -1)
    }
    for fact, copies in last.values():
        end = copies.ends.get(copies.leader, 0)
        if len(copies.isr) < len(copies.replicas):
            yield Breach(
                "copies agree in the end",
                f"of the replicas {list(copies.replicas)} of {_name(copies.key)} only "
                f"{list(copies.isr)} are in sync",
                fact.id,
            )
        # groups go on writing to the end
        for broker in () if copies.key[0].startswith("__") else copies.isr:
            if copies.ends.get(f"broker-{broker}", 0) != end:
                yield Breach(
                    "copies agree in the end",
                    f"{_name(copies.key)} ends at {end} on {copies.leader}, which leads it, and at "
                    f"{copies.ends.get(f'broker-{broker}', 0)} on broker-{broker}, which is in "
                    "sync",
                    fact.id,
                )


@dataclass(slots=True)
class _Copies:
    """The state of a partition's replicas after the events read so far. highest: of all high
    watermarks that leaders have told."""

    key: tuple[str, int]
    replicas: Sequence[int] = ()
    leader: str = ""
    isr: Sequence[int] = ()
    highest: int = 0
    ends: dict[str, int] = field(default_factory=dict)


def _with_copies(reading: Reading) -> Iterator[tuple[Fact, _Copies]]:
    """Each event that tells of a partition's replicas, with what was known when it had happened."""
    known: dict[tuple[str, int], _Copies] = {}
    for fact in reading.facts:
        if fact.kind in ("topic.created", "topic.deleted"):
            for key in [key for key in known if key[0] == fact.tells["topic"]]:
                del known[key]
            for index, place in enumerate(fact.tells.get("partitions", ())):
                key = fact.tells["topic"], index
                known[key] = _Copies(
                    key, place["replicas"], f"broker-{place['leader']}", place["isr"]
                )
        if fact.kind not in (
            "partition.changed",
            "log.ends",
            "replica.fetched",
            "replica.truncated",
            "record.appended",
        ):
            continue
        key = fact.tells["topic"], fact.tells["partition"]
        # a leader that does not know the high watermark yet says nothing of its ends
        if fact.kind == "record.appended":
            if key in known:
                known[key].ends[fact.who] = fact.tells["last_offset"] + 1
            continue
        if key not in known and fact.kind != "partition.changed":
            continue
        copies = known.setdefault(key, _Copies(key))
        if fact.kind == "partition.changed":
            copies.leader = f"broker-{fact.tells['leader']}"
            copies.isr = fact.tells["isr"]
            copies.replicas = fact.tells["replicas"]
        else:
            copies.ends[fact.who] = fact.tells["log_end_offset"]
        yield fact, copies
        if fact.kind == "log.ends" and fact.who == copies.leader:
            copies.highest = max(copies.highest, fact.tells["high_watermark"])


def one_owner(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """In one generation a partition belongs to one member of the group. A static member that has
    started again is the same one (KIP-345)."""
    names = {
        fact.who: fact.tells["args"].get("group.instance.id", fact.who)
        for fact in reading.of("call")
        if fact.tells["name"] == "new KafkaConsumer"
    }
    owner: dict[tuple[str, int, str], str] = {}
    for fact in reading.of("assignment"):
        for partition in fact.tells["partitions"]:
            key = fact.tells["group"], fact.tells["generation"], partition
            if owner.setdefault(key, names[fact.who]) != names[fact.who]:
                yield Breach(
                    "one owner a partition and generation",
                    f"{partition} belongs to {owner[key]} and to {fact.who} in generation "
                    f"{key[1]} of {key[0]}",
                    fact.id,
                )


def commits_stay_below_watermark(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A consumer commits of its own accord no offset beyond the high watermark that it has seen,
    or was reset to."""
    seen: dict[tuple[str, str], int] = {}
    known: dict[tuple[str, str], int] = {}
    for fact in reading.facts:
        if fact.kind == "seen.watermark":
            key = fact.who, str(fact.tells["partition"])
            seen[key] = max(seen.get(key, 0), fact.tells["offset"])
        elif fact.kind == "commit" and "offsets" in fact.tells:
            for partition, offset in fact.tells["offsets"].items():
                # What another member committed may lie beyond what this one has seen; it may say
                # that again.
                limit = max(
                    seen.get((fact.who, partition), 0),
                    known.get((fact.tells["group"], partition), 0),
                )
                if offset > limit:
                    yield Breach(
                        "commits stay below the high watermark",
                        f"{fact.who} commits {partition}@{offset}; the high watermark it has "
                        f"seen is {seen.get((fact.who, partition), 0)}",
                        fact.id,
                    )
                else:
                    known[fact.tells["group"], partition] = max(
                        known.get((fact.tells["group"], partition), 0), offset
                    )


def committed_only(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """read_committed never returns a record of a transaction that was aborted, or whose commit
    nobody asked for, under transaction.version 2; under the older protocol unless a PRODUCE
    outlives its END_TXN (KIP-890)."""
    asked = {(fact.who, fact.tells["transaction"]) for fact in reading.told("asks for commit")}
    # the commit failed before it was sent
    asked -= {(fact.who, fact.tells["transaction"]) for fact in reading.told("aborted")}
    never = {
        fact.tells["key"]: fact
        for fact in reading.told("sends")
        if (fact.who, fact.tells["transaction"]) not in asked
    }
    readers = {fact.who for fact in reading.told("reads committed")}
    for fact in reading.of("record.delivered"):
        sent = never.get(fact.tells["key"]) if fact.who in readers else None
        if sent is not None and (scope.verifies or not _outlived_its_end(reading, sent)):
            yield Breach(
                "read_committed returns no aborted data",
                f"{fact.who} got {fact.tells['key']} at {fact.tells['partition']}@"
                f"{fact.tells['offset']}, of a transaction that was aborted",
                fact.id,
            )


def _outlived_its_end(reading: Reading, sent: Fact) -> bool:
    """Whether a broker appended this record only after the coordinator had begun to end the
    transaction of its send."""
    for appended in reading.of("record.appended"):
        if any(record.key == sent.tells["key"] for record in appended.tells["records"]):
            return any(
                sent.id < fact.id < appended.id
                and fact.tells.get("machine") == "transaction"
                and str(fact.tells["after"]).startswith("Prepare")
                and fact.tells.get("producer_id") == appended.tells["producer_id"]
                for fact in reading.of("state")
            )
    return False


def whole_transactions(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """What commit_transaction() has confirmed is readable with read_committed in the end,
    all of it."""
    readers = {fact.who for fact in reading.told("reads committed to the end")}
    if not readers or not scope.clean:
        return
    delivered = {
        fact.tells["key"] for fact in reading.of("record.delivered") if fact.who in readers
    }
    for fact in reading.told("committed"):
        if fact.id > _begins_to_read(reading):
            break
        missing = [key for key in fact.tells["keys"] if key not in delivered]
        if missing:
            yield Breach(
                "a committed transaction is whole",
                f"{fact.who} committed {', '.join(fact.tells['keys'])}; nobody can read "
                f"{', '.join(missing)}",
                fact.id,
            )


def no_duplicate_in_session(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """An idempotent producer's record is in the log once, however often it was sent."""
    final = _final_log(reading)
    idempotent = {fact.who for fact in reading.told("idempotent")}
    places: dict[str | None, list[str]] = {}
    for (partition, offset), keys in (final or {}).items():
        for key in keys:
            places.setdefault(key, []).append(f"{partition}@{offset}")
    for key, found in places.items():
        if len(found) > 1 and key is not None and key.partition(":")[0] in idempotent:
            yield Breach(
                "no duplicate within an idempotent session",
                f"{key} was sent once and stands at {' and '.join(found)}",
                0,
            )


def fenced_writes_nothing(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """Once a producer has been given an id's newer epoch, and a partition knows it, an older one
    writes nothing there; where brokers verify (KIP-890), nowhere.

    A partition knows what its leader has appended, and keeps of it, when another leads, what was
    below the high watermark. What a broker that has slept through its succession appends is cut off
    again, and counts for nothing.
    """
    # partition -> (offset, producer id, epoch) of what was appended
    there: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    leader: dict[tuple[str, int], str] = {}
    watermark: dict[tuple[str, int], int] = {}
    newest: dict[int, tuple[int, int]] = {}
    if not scope.clean:
        return
    for fact in reading.facts:
        tells = fact.tells
        if (
            fact.kind == "state"
            and tells.get("machine") == "transaction"
            and tells["after"] in ("Empty", "CompleteAbort", "CompleteCommit")
        ) and tells["epoch"] > newest.get(tells["producer_id"], (-1, 0))[0]:
            newest[tells["producer_id"]] = tells["epoch"], fact.at_ms
        if fact.kind not in ("partition.changed", "log.ends", "record.appended"):
            continue
        partition = tells["topic"], tells["partition"]
        if fact.kind == "partition.changed":
            now_leads = f"broker-{tells['leader']}"
            if leader.get(partition) != now_leads:
                leader[partition] = now_leads
                there[partition] = [
                    known
                    for known in there.get(partition, ())
                    if known[0] < watermark.get(partition, 0)
                ]
        elif fact.who != leader.get(partition, fact.who):
            continue
        elif fact.kind == "log.ends":
            watermark[partition] = tells["high_watermark"]
        elif (id := tells.get("producer_id", -1)) >= 0:
            epoch, known = tells["producer_epoch"], there.setdefault(partition, [])
            limit = max((older for _, whose, older in known if whose == id), default=-1)
            raised, since_ms = newest.get(id, (-1, 0))
            if scope.verifies and fact.at_ms - since_ms > ON_ITS_WAY_MS:
                limit = max(limit, raised)
            if epoch < limit:
                yield Breach(
                    "a fenced producer writes nothing",
                    f"{fact.who} appended {_name(partition)}@{tells['base_offset']} of producer "
                    f"{id} with epoch {epoch}, after epoch {limit}",
                    fact.id,
                )
            known.append((tells["base_offset"], id, epoch))


ON_ITS_WAY_MS = 100
"""What a broker has verified it may append although the
coordinator raises the epoch in that moment."""


def who_lives_and_polls_stays(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A member whose process lives and polls in time is not expelled for silence, as long as no
    fault happens to it or to a broker (KIP-62).

    It has to have its assignment: until 2.3 heartbeats rest while a member joins.
    """
    calls, turns = _calls(reading), _turns(reading)
    client_of = {
        fact.tells["member"]: fact.tells["client_id"] for fact in reading.of("group.member")
    }
    for fact in reading.of("group.left"):
        who = client_of.get(fact.tells["member"], "")
        config = _consumer_config(calls.get(who, ()))
        if config is None or not _expired(reading, fact):
            continue
        session_ms = config.get("session.timeout.ms", 10_000)
        interval_ms = config.get("max.poll.interval.ms", 300_000)
        lately = [call for call in calls[who] if call.at_ms <= fact.at_ms]
        polled = [call for call in lately if call.tells["name"] == "poll"]
        lives = (
            lately[-1].tells["name"] not in ("close", "unsubscribe")
            and polled
            and fact.at_ms - polled[-1].at_ms < interval_ms
        )
        settled = [
            turn
            for turn in turns.get(who, ())
            if turn.at_ms <= fact.at_ms and turn.tells["after"] != "UNJOINED"
        ][-1:]
        if (
            lives
            and settled
            and settled[0].tells["after"] == "STABLE"
            and not reading.faults_between(polled[0].at_ms - SETTLING_MS, fact.at_ms, who)
        ):
            yield Breach(
                "who lives and polls stays a member",
                f"{who} is expelled after {session_ms} ms of silence, though it lives and polled "
                f"{fact.at_ms - polled[-1].at_ms} ms ago",
                fact.id,
            )


def who_does_not_poll_leaves(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A member that has not polled for longer than max.poll.interval.ms gives its membership up and
    tells the coordinator so, which need not wait for the end of the session; as long as no fault
    happens to it or to a broker (KIP-62)."""
    calls, turns = _calls(reading), _turns(reading)
    members: dict[str, list[Fact]] = {}
    for fact in reading.of("group.member"):
        members.setdefault(fact.tells["client_id"], []).append(fact)
    left = {fact.tells["member"]: fact.at_ms for fact in reading.of("group.left")}
    for who, told in calls.items():
        config = _consumer_config(told)
        if config is None:
            continue
        interval_ms = config.get("max.poll.interval.ms", 300_000)
        for before, after in itertools.pairwise(told):
            if (
                before.tells["name"] != "poll"
                or after.at_ms - before.at_ms < interval_ms + SETTLING_MS
            ):
                continue
            known = [turn for turn in turns.get(who, ()) if turn.at_ms <= after.at_ms]
            was_member = [turn for turn in known if turn.at_ms < before.at_ms][-1:]
            if (
                not was_member
                or was_member[0].tells["after"] != "STABLE"
                or reading.faults_between(before.at_ms - SETTLING_MS, after.at_ms, who)
            ):
                continue
            if known[-1].tells["after"] == "STABLE" and known[-1].at_ms < before.at_ms:
                yield Breach(
                    "who does not poll leaves",
                    f"{who} did not poll for {after.at_ms - before.at_ms} ms, may be silent for "
                    f"{interval_ms} ms, and is still a member",
                    after.id,
                )
            member = [fact for fact in members.get(who, ()) if fact.at_ms <= before.at_ms][-1:]
            # then the thread rests
            joins = any(
                turn.at_ms >= before.at_ms and turn.tells["after"] == "PREPARING_REBALANCE"
                for turn in known
            )
            if (
                member
                and not joins
                and left.get(member[0].tells["member"], after.at_ms)
                > before.at_ms + interval_ms + SETTLING_MS
            ):
                yield Breach(
                    "who does not poll leaves",
                    f"{who} did not poll for {after.at_ms - before.at_ms} ms and may be silent for "
                    f"{interval_ms} ms; its coordinator was not told",
                    after.id,
                )


def everything_comes_to_life(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """When the faults are over, every broker is up, every replica in sync, every call returns, each
    partition can be written and read to its end, and a new member of the group gets its share, all
    within what sessions and timeouts allow (`stories.life_bound_ms`)."""
    for fact in reading.told("is not alive"):
        yield Breach("everything comes to life again", fact.tells["sentence"], fact.id)
    for begun in reading.told("begins to read"):
        if not any(
            fact.who == begun.who and fact.tells["what"].endswith("to the end")
            for fact in reading.of("told")
        ):
            yield Breach(
                "everything comes to life again",
                f"the {begun.who} cannot read to the end",
                begun.id,
            )


SETTLING_MS = 1_000
"""A poll may itself take a while, and what broke a little earlier may still be felt."""


def _calls(reading: Reading) -> dict[str, list[Fact]]:
    calls: dict[str, list[Fact]] = {}
    for fact in reading.of("call"):
        calls.setdefault(fact.who, []).append(fact)
    return calls


def _turns(reading: Reading) -> dict[str, list[Fact]]:
    """The states of each consumer in its group, one after the other."""
    turns: dict[str, list[Fact]] = {}
    for fact in reading.of("state"):
        if str(fact.tells.get("machine", "")).startswith("member of "):
            turns.setdefault(fact.who, []).append(fact)
    return turns


def _consumer_config(calls: Sequence[Fact]) -> Mapping[str, Any] | None:
    """What a consumer was given; None for anybody else."""
    made = next((call for call in calls if call.tells["name"] == "new KafkaConsumer"), None)
    return made.tells["args"] if made else None


def _expired(reading: Reading, left: Fact) -> bool:
    """Whether silence ended this membership. The coordinator says so in the rebalance that follows,
    or (KIP-848) in the event of the member."""
    return any(
        fact.at_ms == left.at_ms
        and left.tells["member"] in str(fact.tells.get("reason", ""))
        and "expired" in fact.tells["reason"]
        for fact in reading.of("state")
    ) or any(
        fact.at_ms == left.at_ms
        and fact.tells["member"] == left.tells["member"]
        and "session" in fact.tells["reason"]
        for fact in reading.of("consumer_group.fenced")
    )


LAWS: tuple[Callable[[Reading, Scope], Iterator[Breach]], ...] = (
    watermark_only_grows,
    watermark_is_covered,
    acknowledged_stays,
    in_sync_keeps_committed,
    copies_agree,
    one_owner,
    commits_stay_below_watermark,
    committed_only,
    whole_transactions,
    no_duplicate_in_session,
    fenced_writes_nothing,
    who_lives_and_polls_stays,
    who_does_not_poll_leaves,
    everything_comes_to_life,
)


def breaches(reading: Reading, scope: Scope) -> list[Breach]:
    """Everything that broke a law, by law."""
    return [breach for law in LAWS for breach in law(reading, scope)]


def _final_log(reading: Reading) -> dict[tuple[str, int], tuple[str | None, ...]] | None:
    """What the last reader found: (partition, offset) -> the key at that place. None where nobody
    read to the end."""
    readers = list(reading.told("reads everything to the end"))
    if not readers:
        return None
    final: dict[tuple[str, int], tuple[str | None, ...]] = {}
    for fact in reading.of("record.delivered"):
        if fact.who == readers[-1].who:
            place = fact.tells["partition"], fact.tells["offset"]
            final[place] = (*final.get(place, ()), fact.tells["key"])
    return final


def _begins_to_read(reading: Reading) -> int:
    """The event with which the first of the last readers begins:
    what is written later it need not see."""
    return next((fact.id for fact in reading.told("begins to read")), 0)


def _there(final: Mapping[tuple[str, int], Any], tells: Mapping[str, Any]) -> str:
    found = final.get((tells["partition"], tells["offset"]))
    return " and ".join(map(str, found)) if found else "nothing"


def _name(key: tuple[str, int]) -> str:
    return f"{key[0]}-{key[1]}"
