"""What no run may do. Each law reads the journal of a finished story and yields a Breach for everything that broke it.

A law says in its docstring within which limits Kafka promises it; `Scope` says which limits a story kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kafkalab.laws.reading import Fact, Reading


class Breach(NamedTuple):
    """A law that did not hold: which one, how, and the journal's event that shows it."""

    law: str
    sentence: str
    event_id: int


@dataclass(frozen=True, slots=True)
class Scope:
    """What a story was careful about.

    clean        unclean.leader.election.enable=false: nobody leads who was not in sync
    all_in_sync  producers asked for acks=all, and at most min.insync.replicas - 1 replicas were away at once
    checks_late_produce  brokers refuse a PRODUCE that comes after its END_TXN (transaction.version 2, or the verification of KIP-890)
    """

    clean: bool = True
    all_in_sync: bool = True
    checks_late_produce: bool = True


def watermark_only_grows(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """Under clean election no leader moves a partition's high watermark to where an earlier one had left behind.

    A new leader may learn late how far its predecessor had moved it (KIP-207 keeps it silent meanwhile); it must have the records.
    """
    if not scope.clean:
        return
    highest: dict[tuple[str, int], int] = {}
    last: dict[tuple[str, int, str], int] = {}
    leader: dict[tuple[str, int], int] = {}
    for fact in reading.facts:
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
            yield Breach("the high watermark only grows", f"{fact.who} leads {_name(key)} and its log ends at {ends['log_end_offset']}, below the high "
                         f"watermark {highest[key]} that consumers have seen", fact.id)
        elif before is not None and mark > before and mark < highest.get(key, 0):
            yield Breach("the high watermark only grows", f"{fact.who} moves the high watermark of {_name(key)} to {mark}; it had been "
                         f"{highest[key]}", fact.id)
        highest[key] = max(highest.get(key, 0), mark)


def acknowledged_stays(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A record acknowledged with acks=all is still there, at its offset, while at most min.insync.replicas - 1 replicas are down at once."""
    if not (scope.all_in_sync and scope.clean):
        return
    final = _final_log(reading)
    if final is None:
        return
    for fact in reading.of("record.completed"):
        tells = fact.tells
        if tells["error"] is None and tells["offset"] >= 0 and tells["key"] not in final.get((tells["partition"], tells["offset"]), ()):
            yield Breach("what was acknowledged stays", f"{fact.who} was told that {tells['key']} stands at {tells['partition']}@{tells['offset']}; "
                         f"at the end {_there(final, tells)} is there", fact.id)


def one_owner(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """In one generation a partition belongs to one member of the group."""
    owner: dict[tuple[str, int, str], str] = {}
    for fact in reading.of("assignment"):
        for partition in fact.tells["partitions"]:
            key = fact.tells["group"], fact.tells["generation"], partition
            if owner.setdefault(key, fact.who) != fact.who:
                yield Breach("one owner a partition and generation", f"{partition} belongs to {owner[key]} and to {fact.who} in generation "
                             f"{key[1]} of {key[0]}", fact.id)


def commits_stay_below_watermark(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """A consumer commits of its own accord no offset beyond the high watermark that it has seen."""
    seen: dict[tuple[str, str], int] = {}
    known: dict[tuple[str, str], int] = {}
    for fact in reading.facts:
        if fact.kind == "seen.watermark":
            key = fact.who, str(fact.tells["partition"])
            seen[key] = max(seen.get(key, 0), fact.tells["offset"])
        elif fact.kind == "commit" and "offsets" in fact.tells:
            for partition, offset in fact.tells["offsets"].items():
                # What another member committed may lie beyond what this one has seen; it may say that again.
                limit = max(seen.get((fact.who, partition), 0), known.get((fact.tells["group"], partition), 0))
                if offset > limit:
                    yield Breach("commits stay below the high watermark", f"{fact.who} commits {partition}@{offset}; the high watermark it has "
                                 f"seen is {seen.get((fact.who, partition), 0)}", fact.id)
                else:
                    known[fact.tells["group"], partition] = max(known.get((fact.tells["group"], partition), 0), offset)


def committed_only(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """read_committed never returns a record of a transaction that was aborted, under transaction.version 2; under the older protocol
    unless a PRODUCE outlives its END_TXN (KIP-890)."""
    if not scope.checks_late_produce:
        return
    aborted = {key: fact for fact in reading.told("aborted") for key in fact.tells["keys"]}
    readers = {fact.who for fact in reading.told("reads committed")}
    for fact in reading.of("record.delivered"):
        if fact.who in readers and fact.tells["key"] in aborted:
            yield Breach("read_committed returns no aborted data", f"{fact.who} got {fact.tells['key']} at {fact.tells['partition']}@"
                         f"{fact.tells['offset']}, of a transaction that was aborted", fact.id)


def whole_transactions(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """What commit_transaction() has confirmed is readable with read_committed in the end, all of it."""
    readers = {fact.who for fact in reading.told("reads committed to the end")}
    if not readers or not scope.clean:
        return
    delivered = {fact.tells["key"] for fact in reading.of("record.delivered") if fact.who in readers}
    for fact in reading.told("committed"):
        missing = [key for key in fact.tells["keys"] if key not in delivered]
        if missing:
            yield Breach("a committed transaction is whole", f"{fact.who} committed {', '.join(fact.tells['keys'])}; nobody can read "
                         f"{', '.join(missing)}", fact.id)


def no_duplicate_in_session(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """An idempotent producer's record stands in the log once, however often it was sent."""
    final = _final_log(reading)
    idempotent = {fact.who for fact in reading.told("idempotent")}
    places: dict[str, list[str]] = {}
    for (partition, offset), keys in (final or {}).items():
        for key in keys:
            places.setdefault(key, []).append(f"{partition}@{offset}")
    for key, found in places.items():
        if len(found) > 1 and key is not None and key.partition(":")[0] in idempotent:
            yield Breach("no duplicate within an idempotent session", f"{key} was sent once and stands at {' and '.join(found)}", 0)


def fenced_writes_nothing(reading: Reading, scope: Scope) -> Iterator[Breach]:
    """Once a producer has been given an id's newer epoch, and a partition knows it, an older one writes nothing there; where brokers
    verify (KIP-890), nowhere."""
    newest_there: dict[tuple[str, int, int], tuple[int, str]] = {}
    newest: dict[int, int] = {}
    for fact in reading.facts:
        if fact.kind == "state" and fact.tells.get("machine") == "transaction" and fact.tells.get("after") in ("Empty", "CompleteAbort", "CompleteCommit"):
            id, epoch = fact.tells.get("producer_id"), fact.tells.get("epoch", fact.tells.get("producer_epoch"))
            if id is not None and epoch is not None:
                newest[id] = max(newest.get(id, -1), epoch)
        if fact.kind != "record.appended" or fact.tells.get("producer_id", -1) < 0:
            continue
        tells = fact.tells
        key = tells["topic"], tells["partition"], tells["producer_id"]
        epoch = tells.get("producer_epoch", 0)
        limit = newest_there.get(key, (-1, ""))[0]
        if scope.checks_late_produce and scope.clean and tells.get("transactional"):
            limit = max(limit, newest.get(tells["producer_id"], -1))
        if epoch < limit and scope.clean:
            yield Breach("a fenced producer writes nothing", f"{fact.who} appended {_name(key[:2])}@{tells['base_offset']} of producer {key[2]} with "
                         f"epoch {epoch}, after epoch {limit}", fact.id)
        newest_there[key] = max(newest_there.get(key, (-1, "")), (epoch, fact.who))


LAWS: tuple[Callable[[Reading, Scope], Iterator[Breach]], ...] = (
    watermark_only_grows, acknowledged_stays, one_owner, commits_stay_below_watermark, committed_only, whole_transactions,
    no_duplicate_in_session, fenced_writes_nothing)


def breaches(reading: Reading, scope: Scope) -> list[Breach]:
    """Everything that broke a law, by law."""
    return [breach for law in LAWS for breach in law(reading, scope)]


def _final_log(reading: Reading) -> dict[tuple[str, int], tuple[str | None, ...]] | None:
    """What the last reader found: (partition, offset) -> the key that stands there. None where nobody read to the end."""
    readers = [fact for fact in reading.told("reads everything to the end")]
    if not readers:
        return None
    final: dict[tuple[str, int], tuple[str | None, ...]] = {}
    for fact in reading.of("record.delivered"):
        if fact.who == readers[-1].who:
            place = fact.tells["partition"], fact.tells["offset"]
            final[place] = (*final.get(place, ()), fact.tells["key"])
    return final


def _there(final: Mapping[tuple[str, int], Any], tells: Mapping[str, Any]) -> str:
    found = final.get((tells["partition"], tells["offset"]))
    return " and ".join(map(str, found)) if found else "nothing"


def _name(key: tuple[str, int]) -> str:
    return f"{key[0]}-{key[1]}"
