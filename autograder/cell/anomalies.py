"""What went wrong in a run, in words a learner understands, each with the few facts that prove it.

    lost             acknowledged, and not in the log at the end; or committed by a group that never
                     worked on it
    duplicated       in the log twice though sent once; or worked on twice by one group
    skipped          a group went past a record that nobody of it was given
    reordered        one producer's records stand in a partition, or were worked on, in another
                     order than they were sent in
    nonmonotonic     a group's committed offset, or what one owner is given, goes back
    unobserved       acknowledged and readable, and a group that owns its partition was never given
                     it
    zombie write     somebody wrote, worked or committed after another had taken over
    split ownership  two members of a group own one partition at the same time

A group's work is what its members say they have done (runs.done); where nobody says so, what they
were given. Everything here is a function of the plain data that `runs.run_of` returns, so it judges
a run it has only been told of.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

NAMES = (
    "lost",
    "duplicated",
    "skipped",
    "reordered",
    "nonmonotonic",
    "unobserved",
    "zombie write",
    "split ownership",
)
MOST_ROWS = 6  # of proof
# what was acknowledged so shortly before the end may still be on its way
SETTLING_MS = 3_000
ON_ITS_WAY_MS = 100  # a write that a broker had verified before the fence went up


@dataclass(frozen=True)
class Anomaly:
    """Describes one thing that went wrong in a run.

    It holds a name, a sentence or two, the rows that prove it (time, client, what), and the time
    at which it showed.
    """

    name: str
    sentence: str
    proof: tuple[str, ...]
    at_ms: int


def anomalies(run: dict, wanted: tuple[str, ...] = NAMES) -> list[Anomaly]:
    """Everything of the wanted kinds that went wrong in a run, in the order in which it showed; one
    of a kind for each record or partition that it happened to."""
    facts = _Facts(run)
    found = [anomaly for name, look in LOOKS if name in wanted for anomaly in look(facts)]
    return sorted(
        found, key=lambda anomaly: (anomaly.at_ms, NAMES.index(anomaly.name), anomaly.sentence)
    )


def first_anomaly(run: dict, wanted: tuple[str, ...] = NAMES) -> Anomaly | None:
    """What went wrong first, or None."""
    return next(iter(anomalies(run, wanted)), None)


class _Facts:
    """A run's facts by kind, and by group and partition where that is how one looks for them."""

    def __init__(self, run: dict):
        self.run = run
        self.all = [{**fact, "place": place} for place, fact in enumerate(run["facts"])]
        self.groups = run["groups"]
        self.tells_work = run.get("tells_work", False)

    def of(self, *what: str) -> list[dict]:
        return [fact for fact in self.all if fact["what"] in what]

    def work(self) -> Iterator[tuple[str, str, list[dict]]]:
        """(group, partition, what its members did there): what they have done,
        or what they got where nobody tells of work."""
        says_done = (
            set(self.groups.values())
            if self.tells_work
            else {self.groups.get(fact["client"]) for fact in self.of("done")}
        )
        by_place: dict[tuple[str, str], list[dict]] = {}
        for fact in self.of("got", "done"):
            group = self.groups.get(fact["client"])
            if group and fact["what"] == ("done" if group in says_done else "got"):
                by_place.setdefault((group, fact["partition"]), []).append(fact)
        yield from (
            (group, partition, facts) for (group, partition), facts in sorted(by_place.items())
        )

    def given(self, group: str, partition: str) -> list[dict]:
        return [
            fact
            for fact in self.of("got")
            if fact["partition"] == partition and self.groups.get(fact["client"]) == group
        ]

    def finished(self, group: str, partition: str) -> set[int]:
        """The offsets that members of a group have said to be done."""
        return {
            fact["offset"]
            for fact in self.of("done")
            if fact["partition"] == partition and self.groups.get(fact["client"]) == group
        }

    def commits(self, group: str, partition: str) -> list[dict]:
        return [
            fact
            for fact in self.of("committed")
            if (fact["group"], fact["partition"]) == (group, partition)
        ]

    def key_at(self, partition: str, offset: int):
        return next(
            (key for at, key in self.run["stored"].get(partition, ()) if at == offset), None
        )

    def incidents(self, after: int, before: int, *clients: str) -> list[dict]:
        """What happened to the clients between two places: deaths and leaders,
        and the warnings of these clients."""
        return [
            fact
            for fact in self.all[after:before]
            if fact["what"] in ("died", "leads", "cut")
            or (fact["what"] in ("says", "loses") and fact["client"] in clients)
        ]

    def proof(self, *facts: dict | None, also: list[dict] = ()) -> tuple[str, ...]:
        """Rows in the order of time; of what is only circumstance
        no more than there is room for."""
        certain = [fact for fact in facts if fact is not None]
        room = max(0, MOST_ROWS - len(certain))
        chosen = {fact["place"]: fact for fact in [*certain, *list(also)[:room]]}
        return tuple(_row(chosen[place]) for place in sorted(chosen))


def _lost(facts: _Facts) -> Iterator[Anomaly]:
    """An acknowledged record that its leader does not hold at the end."""
    stored = {partition: dict(map(tuple, rows)) for partition, rows in facts.run["stored"].items()}
    for acked in facts.of("acked"):
        partition, offset = acked["partition"], acked["offset"]
        if (
            partition not in stored
            or offset < facts.run["starts"].get(partition, 0)
            or stored[partition].get(offset) == acked["key"]
        ):
            # with acks=0 the offset is -1: nothing was promised
            continue
        instead = stored[partition].get(offset)
        at_the_end = {
            "place": len(facts.all),
            "at_ms": facts.run["ends_ms"],
            "client": partition,
            "what": "ends",
            "offset": offset,
            "key": instead,
            "end": max(stored[partition], default=-1) + 1,
        }
        what_is = (
            f"{instead} stands at its place"
            if instead is not None
            else "nothing stands at its place"
        )
        yield Anomaly(
            "lost",
            f"{acked['key']} was acknowledged at {partition}@{offset}, and is lost: at the end "
            f"{what_is}.",
            facts.proof(
                _before(facts, acked, "sent", key=acked["key"]),
                acked,
                at_the_end,
                also=_turning_points(facts.incidents(acked["place"], len(facts.all)), partition),
            ),
            acked["at_ms"],
        )


def _unworked(facts: _Facts) -> Iterator[Anomaly]:
    """A record that was given to a group and committed, but on which nobody finished the work."""
    for group, partition in sorted(
        {
            (facts.groups[fact["client"]], fact["partition"])
            for fact in facts.of("got")
            if fact["client"] in facts.groups
        }
    ):
        finished = facts.finished(group, partition)
        if not finished and not facts.tells_work:
            continue
        commits = facts.commits(group, partition)
        seen: set[int] = set()
        for got in facts.given(group, partition):
            past = next((commit for commit in commits if commit["offset"] > got["offset"]), None)
            if got["offset"] in finished or past is None or got["offset"] in seen:
                continue
            seen.add(got["offset"])
            yield Anomaly(
                "lost",
                f"{_record(got)} is lost to group {group}: {past['client'] or 'a member'} "
                f"committed {past['offset']}, past it, and nobody has finished the work on it.",
                facts.proof(
                    got, past, also=facts.incidents(got["place"], len(facts.all), got["client"])
                ),
                past["at_ms"],
            )


def _stored_twice(facts: _Facts) -> Iterator[Anomaly]:
    """A record that was sent once and is in the logs more than once."""
    sent: dict[str, int] = {}
    for fact in facts.of("sent"):
        sent[fact["key"]] = sent.get(fact["key"], 0) + 1
    places: dict[str, list[tuple[str, int]]] = {}
    for partition, rows in sorted(facts.run["stored"].items()):
        for offset, key in rows:
            places.setdefault(key, []).append((partition, offset))
    for key, found in places.items():
        if key is None or not 0 < sent.get(key, 0) < len(found):
            continue
        wrote = [fact for fact in facts.of("wrote") if key in fact["keys"]]
        last = wrote[-1] if wrote else None
        yield Anomaly(
            "duplicated",
            f"{key} was sent {_times(sent[key])} and stands in the log {_times(len(found))}, at "
            f"{' and '.join(f'{partition}@{offset}' for partition, offset in found)}.",
            facts.proof(
                *[fact for fact in facts.of("sent") if fact["key"] == key][:1],
                *wrote[:1],
                last,
                also=facts.incidents(
                    wrote[0]["place"], last["place"], *{fact["client"] for fact in facts.of("sent")}
                )
                if wrote
                else [],
            ),
            last["at_ms"] if last else facts.run["ends_ms"],
        )


def _worked_twice(facts: _Facts) -> Iterator[Anomaly]:
    """A record on which a group worked more than once."""
    for group, partition, work in facts.work():
        before: dict[int, dict] = {}
        told: set[int] = set()
        for fact in work:
            first = before.setdefault(fact["offset"], fact)
            if first is fact or fact["offset"] in told:
                continue
            told.add(fact["offset"])
            given = [
                got
                for got in facts.given(group, partition)
                if (got["client"], got["offset"]) == (fact["client"], fact["offset"])
                and got["place"] <= fact["place"]
            ]
            known = [
                commit
                for commit in facts.commits(group, partition)
                if commit["place"] < (given or [fact])[-1]["place"]
            ]
            covering = max((commit["offset"] for commit in known), default=None)
            why = (
                "nothing had been committed"
                if covering is None
                else f"the committed offset was {covering}"
            ) + " by then"
            yield Anomaly(
                "duplicated",
                f"{_record(fact)} was {_did(fact)} twice in group {group}, by {first['client']} "
                f"and by {fact['client']}; {why}.",
                facts.proof(
                    first,
                    known[-1] if known else None,
                    fact,
                    also=facts.incidents(first["place"], fact["place"], first["client"]),
                ),
                fact["at_ms"],
            )


def _skipped(facts: _Facts) -> Iterator[Anomaly]:
    """A record that nobody of a group was given,
    though the group was given earlier and later ones."""
    for group in sorted(set(facts.groups.values())):
        for partition, rows in sorted(facts.run["stored"].items()):
            given = facts.given(group, partition)
            offsets = {fact["offset"] for fact in given}
            unsure = set(facts.run["in_transactions"].get(partition, ()))
            starts = [fact["offset"] for fact in given[:1]] + [
                fact["offset"] for fact in facts.commits(group, partition)
            ]
            for offset, key in rows:
                if offset in offsets or offset in unsure or not starts or offset < min(starts):
                    continue
                later = next((fact for fact in given if fact["offset"] > offset), None)
                if later is None:
                    continue
                earlier = next(
                    (fact for fact in reversed(given) if fact["place"] < later["place"]), None
                )
                commits = [
                    commit
                    for commit in facts.commits(group, partition)
                    if commit["place"] < later["place"]
                ]
                yield Anomaly(
                    "skipped",
                    f"{key} ({partition}@{offset}) was skipped: group {group} was given "
                    f"{later['offset']} and never {offset}.",
                    facts.proof(
                        earlier,
                        commits[-1] if commits else None,
                        later,
                        also=facts.incidents(
                            earlier["place"] if earlier else 0, later["place"], later["client"]
                        ),
                    ),
                    later["at_ms"],
                )


def _reordered(facts: _Facts) -> Iterator[Anomaly]:
    """A record that lies in a partition before another one that the same producer sent earlier;
    and work done in such an order."""
    order = {
        fact["key"]: (fact["client"], fact["place"], fact) for fact in reversed(facts.of("sent"))
    }
    for partition, rows in sorted(facts.run["stored"].items()):
        last: dict[str, tuple[int, int, str]] = {}
        for offset, key in rows:
            if key not in order:
                continue
            client, place, fact = order[key]
            before = last.get(client)
            if before is not None and place < before[0]:
                sent_later = order[before[2]][2]
                wrote = [
                    each
                    for each in facts.of("wrote")
                    if each["partition"] == partition
                    and (key in each["keys"] or before[2] in each["keys"])
                ]
                at_ms = wrote[-1]["at_ms"] if wrote else facts.run["ends_ms"]
                yield Anomaly(
                    "reordered",
                    f"{client} sent {key} before {before[2]}, but in {partition} it stands behind "
                    f"it, at {offset} after {before[1]}.",
                    facts.proof(
                        fact,
                        sent_later,
                        *wrote[:3],
                        also=facts.incidents(fact["place"], len(facts.all), client),
                    ),
                    at_ms,
                )
                break  # one inversion a partition says it
            last[client] = (place, offset, key)
    for group, partition, work in facts.work():
        seen: set[int] = set()
        highest = None
        for fact in work:
            if (
                highest is not None
                and fact["offset"] < highest["offset"]
                and fact["offset"] not in seen
                and fact["what"] == "done"
            ):
                yield Anomaly(
                    "reordered",
                    f"group {group} finished {_record(fact)} after {_record(highest)}, which "
                    f"stands behind it in {partition}.",
                    facts.proof(highest, fact),
                    fact["at_ms"],
                )
                break
            seen.add(fact["offset"])
            highest = fact if highest is None or fact["offset"] > highest["offset"] else highest


def _nonmonotonic(facts: _Facts) -> Iterator[Anomaly]:
    """A committed offset that goes back; or an owner who is given earlier records again without
    having lost the partition."""
    places = sorted({(fact["group"], fact["partition"]) for fact in facts.of("committed")})
    for group, partition in places:
        commits = facts.commits(group, partition)
        for before, after in itertools.pairwise(commits):
            if after["offset"] < before["offset"]:
                yield Anomaly(
                    "nonmonotonic",
                    f"the committed offset of group {group} for {partition} goes back from "
                    f"{before['offset']} to {after['offset']}.",
                    facts.proof(
                        before,
                        after,
                        also=facts.incidents(before["place"], after["place"], after["client"]),
                    ),
                    after["at_ms"],
                )
                break
    last: dict[tuple[str, str], dict] = {}
    told: set[tuple[str, str]] = set()
    for fact in facts.of("got", "gains", "loses"):
        place = fact["client"], fact["partition"]
        if fact["what"] != "got":
            last.pop(place, None)
            continue
        before = last.get(place)
        if before is not None and fact["offset"] <= before["offset"] and place not in told:
            told.add(place)
            yield Anomaly(
                "nonmonotonic",
                f"{fact['client']} is given {_record(fact)} after {before['offset']}: its position "
                "went back, though it kept the partition.",
                facts.proof(before, fact),
                fact["at_ms"],
            )
        last[place] = fact


def _unobserved(facts: _Facts) -> Iterator[Anomaly]:
    """An acknowledged, readable record that a group which owns its partition was not given,
    nor any later one."""
    until_ms = facts.run["ends_ms"] - SETTLING_MS
    for group in sorted(set(facts.groups.values())):
        owned = {
            fact["partition"]: fact
            for fact in facts.of("gains")
            if facts.groups.get(fact["client"]) == group
        }
        for acked in facts.of("acked"):
            partition, offset = acked["partition"], acked["offset"]
            if (
                not (partition in owned or facts.tells_work)
                or acked["at_ms"] > until_ms
                or facts.key_at(partition, offset) != acked["key"]
            ):
                continue
            if offset >= facts.run["readable"].get(partition, 0) or offset in facts.run[
                "in_transactions"
            ].get(partition, ()):
                continue
            given = facts.given(group, partition)
            starts = [fact["offset"] for fact in given[:1]] + [
                fact["offset"] for fact in facts.commits(group, partition)
            ]
            # that is called skipped
            passed = (
                any(fact["offset"] > offset for fact in given) and starts and min(starts) <= offset
            )
            commits = [
                commit for commit in facts.commits(group, partition) if commit["offset"] > offset
            ]
            got = next((fact for fact in given if fact["offset"] == offset), None)
            unfinished = (
                facts.tells_work
                and got is not None
                and not commits
                and offset not in facts.finished(group, partition)
            )
            if not unfinished and (passed or got is not None):
                continue
            owner = next(
                (
                    fact
                    for fact in reversed(facts.of("gains", "loses"))
                    if fact["partition"] == partition
                ),
                None,
            )
            what = "has not finished the work on it" if unfinished else "was never given it"
            who = {owned[partition]["client"]} if partition in owned else set()
            sent = _before(facts, acked, "sent", key=acked["key"])
            yield Anomaly(
                "unobserved",
                f"{acked['key']} was acknowledged at {partition}@{offset}, and group {group} "
                f"{what}.",
                facts.proof(
                    sent,
                    acked,
                    got or owned.get(partition),
                    commits[0] if commits else None,
                    owner,
                    also=facts.incidents(acked["place"], len(facts.all), *who),
                ),
                acked["at_ms"],
            )


def _zombie(facts: _Facts) -> Iterator[Anomaly]:
    """Work or a commit by a member after another has been given the partition;
    a write with an epoch that was raised before."""
    taken: dict[tuple[str, str], list[dict]] = {}
    told: set[tuple[str, str]] = set()
    for fact in facts.of("gains", "done", "committed"):
        group = fact.get("group") or facts.groups.get(fact["client"])
        if not group or not fact["client"]:
            continue
        turns = taken.setdefault((group, fact["partition"]), [])
        if fact["what"] == "gains":
            turns.append(fact)
            continue
        own = [turn for turn in turns if turn["client"] == fact["client"]]
        if (
            own
            and turns[-1]["client"] != fact["client"]
            and (fact["client"], fact["partition"]) not in told
        ):
            told.add((fact["client"], fact["partition"]))
            did = (
                f"committed {fact['offset']}"
                if fact["what"] == "committed"
                else f"finished {_record(fact)}"
            )
            yield Anomaly(
                "zombie write",
                f"{fact['client']} {did} after {turns[-1]['client']} had taken over "
                f"{fact['partition']}: it does not know that it was replaced.",
                facts.proof(
                    own[-1],
                    turns[-1],
                    fact,
                    also=facts.incidents(own[-1]["place"], fact["place"], fact["client"]),
                ),
                fact["at_ms"],
            )
    raised: dict[int, dict] = {}
    for fact in facts.of("fenced", "wrote"):
        id, newest = fact["producer_id"], raised.get(fact["producer_id"])
        if (
            fact["what"] == "wrote"
            and newest is not None
            and fact["epoch"] < newest["epoch"]
            and fact["at_ms"] > newest["at_ms"] + ON_ITS_WAY_MS
        ):
            yield Anomaly(
                "zombie write",
                f"{', '.join(map(str, fact['keys']))} was written with epoch {fact['epoch']} of "
                f"producer {id}, after epoch {newest['epoch']} had taken over.",
                facts.proof(newest, fact),
                fact["at_ms"],
            )
        if id >= 0 and fact["epoch"] > raised.get(id, {"epoch": -1})["epoch"]:
            raised[id] = fact


def _split(facts: _Facts) -> Iterator[Anomaly]:
    """A partition that a second member of a group is given while the
    first still believes that it owns it."""
    holders: dict[tuple[str, str], dict[str, dict]] = {}
    told: set[tuple[str, str]] = set()
    for fact in facts.of("gains", "loses"):
        group = facts.groups.get(fact["client"])
        if not group:
            continue
        now = holders.setdefault((group, fact["partition"]), {})
        if fact["what"] == "loses":
            now.pop(fact["client"], None)
            continue
        other = next((turn for client, turn in now.items() if client != fact["client"]), None)
        now[fact["client"]] = fact
        if other is None or (group, fact["partition"]) in told:
            continue
        told.add((group, fact["partition"]))
        ends = next(
            (
                each
                for each in facts.of("loses")
                if each["place"] > fact["place"]
                and each["partition"] == fact["partition"]
                and each["client"] == other["client"]
            ),
            None,
        )
        how_long = f"for {ends['at_ms'] - fact['at_ms']:,} ms" if ends else "to the end"
        yield Anomaly(
            "split ownership",
            f"{fact['partition']} belongs to {other['client']} and to {fact['client']} of group "
            f"{group} at the same time, {how_long}.",
            facts.proof(
                other,
                fact,
                ends,
                also=facts.incidents(other["place"], fact["place"], other["client"]),
            ),
            fact["at_ms"],
        )


LOOKS = (
    ("lost", _lost),
    ("lost", _unworked),
    ("duplicated", _stored_twice),
    ("duplicated", _worked_twice),
    ("skipped", _skipped),
    ("reordered", _reordered),
    ("nonmonotonic", _nonmonotonic),
    ("unobserved", _unobserved),
    ("zombie write", _zombie),
    ("split ownership", _split),
)


def _row(fact: dict) -> str:
    """One fact as a line: when, who, what."""
    where = f"{fact.get('partition')}@{fact.get('offset')}"
    text = {
        "sent": "sends {key}",
        "acked": "{key} is acknowledged at {where}",
        "refused": "{key} is refused: {why}",
        "wrote": "writes {keys} at {where}",
        "fenced": "epoch {epoch} of producer {producer_id} begins",
        "got": "is given {key} at {where}",
        "done": "has finished {key} at {where}",
        "committed": "commits {partition}@{offset} for group {group}",
        "gains": "now owns {partition}",
        "loses": "no longer owns {partition}",
        "died": "dies ({why})",
        "leads": "leads {partition}",
        "cut": "cuts {partition} off at {offset}",
        "says": "{line}",
        "ends": "ends at {end}; at {offset} stands {key}",
    }[fact["what"]]
    shown = {**fact, "where": where, "keys": ", ".join(map(str, fact.get("keys", ())))}
    if fact["what"] == "ends" and fact["key"] is None:
        text = "ends at {end}; nothing stands at {offset}"
    return f"{fact['at_ms']:>9,} ms  {fact['client'] or '?':<12} {text.format(**shown)}"


def _before(facts: _Facts, fact: dict, what: str, **fields) -> dict | None:
    return next(
        (
            each
            for each in reversed(facts.all[: fact["place"]])
            if each["what"] == what and all(each.get(k) == v for k, v in fields.items())
        ),
        None,
    )


def _turning_points(incidents: list[dict], partition: str) -> list[dict]:
    """Of what happened to brokers, what matters to a partition: deaths, its leaders, its cuts;
    the last leaders first of all."""
    own = [
        fact for fact in incidents if fact["what"] == "died" or fact.get("partition") == partition
    ]
    decisive = [fact for fact in own if fact["what"] in ("leads", "cut")]
    return decisive[-2:] + [fact for fact in own if fact["what"] == "died"][-1:]


def _record(fact: dict) -> str:
    return f"{fact['key']} ({fact['partition']}@{fact['offset']})"


def _did(fact: dict) -> str:
    return "finished" if fact["what"] == "done" else "given out"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"
