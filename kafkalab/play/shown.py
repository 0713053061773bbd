"""Lays out what the page shows of a told story as plain data: rows of the views, lines, counts.

Each row has the id of its event, by which the page asks for the cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

from kafkalab.lab import Lab
from kafkalab.play.program import Told
from kafkalab.play.story import GROUP
from kafkalab.proof.laws.faults import TOPIC
from kafkalab.sim.journal import Event
from kafkalab.views.connections import ConnectionRow, connection_counts, faults, rows
from kafkalab.views.group_timeline import group_states
from kafkalab.views.ownership import Holding, gaps, holdings, unread
from kafkalab.views.record_lanes import record_holds
from kafkalab.views.transaction_timeline import AT_COORDINATOR, stretches
from kafkalab.views.versions import differing

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
MOST_TICKS = 2_000
"""A connection with more requests has a tick for each of an even share of them."""
MOST_LANES = 40
"""Records of a share group that have a lane of their own."""
NOBODY, UNREAD = "nobody", "owned, not read"


def sides(stories: Sequence[Told]) -> list[dict[str, Any]]:
    """Everything that the page draws at once of a story, or of two side by side. Lines and causes
    it asks for later."""
    found = [rows(told.lab) for told in stories]
    boxes: Sequence[frozenset[int]] = [frozenset()]
    if len(stories) == 2:
        boxes = differing(found[0], found[1])
    return [_side(*each) for each in zip(stories, found, boxes)]


def _side(told: Told, found: list[ConnectionRow], boxed: frozenset[int]) -> dict[str, Any]:
    lab, story = told.lab, told.story
    return {
        "story": story.given(),
        "client": story.client,
        "cell": story.cell(),
        "now_ms": lab.now_ms,
        "events": len(lab.journal.kept),
        "cut_short": told.cut_short,
        "ended": told.ended,
        "moments": [{"at": each.at_ms, "name": each.name, "id": each.id} for each in faults(lab)],
        "connections": [_connection(row, y in boxed) for y, row in enumerate(found)],
        "counted": connection_counts(found, lab.now_ms, "connection"),
        "owners": list(_records_held(told) if story.protocol == "share" else _owners(lab)),
        "states": [
            {"from": each.from_ms, "to": each.to_ms, "what": each.what, "note": each.note}
            for each in group_states(lab, GROUP)
        ],
        "transactions": list(_transactions(told)),
        "shares": story.protocol == "share",
        "speakers": [*story.programs, *(f"broker-{id}" for id in range(story.brokers))],
        "requests": _requests(lab),
        "records": _records(told),
    }


def why(lab: Lab, event_id: int) -> list[dict[str, Any]]:
    """The chain of causes of an event, back to the call that began it, oldest first."""
    return [
        {"id": each.id, "at": each.at_ms, "who": each.who, "what": _in_words(each)}
        for each in lab.why(event_id)
    ]


def shown_lines(
    lab: Lab,
    level: str = "INFO",
    who: str = "",
    words: str = "",
    most: int = 300,
    others: Set[str] | None = None,
) -> dict[str, Any]:
    """The lines from a level on, of one client or broker or of all, that have these words.

    most: so many are given; `count` says how many there are. A broker's lines are its server.log.
    others: the wordings of another release; a client's line with another wording is marked new
    """
    wanted = words.casefold()
    found: list[dict[str, Any]] = []
    count = 0
    for at_ms, _, speaker, line in _told_lines(lab, level, who):
        # asked before the text is made, which forgets what the lines of a wording share
        is_new = (
            others is not None and isinstance(line, Event) and line.shared("template") not in others
        )
        # a text is made where it is searched or shown: a long story has many lines
        if wanted and wanted not in line.message.casefold():
            continue
        count += 1
        if count <= most:
            found.append(
                {
                    "at": at_ms,
                    "who": speaker,
                    "level": line.level,
                    "text": line.message,
                    "id": line.id,
                    "new": is_new,
                }
            )
    return {"lines": found, "count": count}


def wordings(lab: Lab, level: str) -> Set[str]:
    """The wordings of the clients' lines from a level on, without the values in them."""
    return frozenset(
        event.shared("template")
        for event in lab.journal.of("line")
        if event.shared("level") in _from_level(level)
    )


def _connection(row: ConnectionRow, differs: bool) -> dict[str, Any]:
    step = 1 + len(row.requests) // MOST_TICKS
    return {
        "client": row.client,
        "label": row.label,
        "role": row.role,
        "from": row.opened_at_ms,
        "to": row.closed_at_ms,
        "how": row.how,
        "ending": row.ending,
        "count": len(row.requests),
        "id": row.id,
        "differs": differs,
        "requests": [[each.at_ms, each.api, each.why, each.id] for each in row.requests[::step]],
    }


def _owners(lab: Lab) -> Iterator[dict[str, Any]]:
    """A bar for each period in which a member owned a partition, nobody did, or nobody read."""
    found = holdings(lab, GROUP)
    given = {(each.who, each.at_ms): each.id for each in lab.journal.of("assigned")}
    killed = {(each.who, each.at_ms): each.id for each in lab.journal.of("fault")}
    for each in found:
        yield _bar(each, each.who, given.get((each.who, each.from_ms)))
    if not found:
        return
    ends = {(each.partition, each.to_ms): each.who for each in found}
    for tp, spans in gaps(found, 0, lab.now_ms).items():
        for begin, end in spans:
            key = (ends.get((tp, begin), ""), begin)
            yield _bar(Holding(tp, NOBODY, begin, end), NOBODY, killed.get(key, given.get(key)))
    for tp, spans in unread(lab, found).items():
        for begin, end in spans:
            yield _bar(Holding(tp, UNREAD, begin, end), UNREAD, None)


def _records_held(told: Told) -> Iterator[dict[str, Any]]:
    """A bar for each time in which a member of a share group held a record."""
    lab, given = told.lab, 0
    ids = {
        (event.at_ms, event.partition, offset): event.id
        for event in lab.journal.of("share.records")
        if event.why == "fetched" and event.group == GROUP
        for offset in range(event.first_offset, event.last_offset + 1)
    }
    for partition in range(told.story.partitions):
        for each in sorted(
            record_holds(lab, GROUP, TOPIC, partition), key=lambda hold: (hold.offset, hold.from_ms)
        ):
            given += 1
            if given > MOST_LANES:
                return
            to_ms = lab.now_ms if each.to_ms is None else each.to_ms
            held = Holding(f"{TOPIC}-{partition} @{each.offset}", each.member, each.from_ms, to_ms)
            yield {
                **_bar(held, each.member, ids.get((each.from_ms, partition, each.offset))),
                "note": f"delivery {each.delivery}, {each.state or 'held'} {each.why}".strip(),
            }


def _transactions(told: Told) -> Iterator[dict[str, Any]]:
    """A bar for each state of a transactional id at its coordinator, and of each producer."""
    lab = told.lab
    named = [
        call.args.get("transactional.id")
        for call in lab.journal.of("call")
        if call.name == "new KafkaProducer"
    ]
    ends = {each.who: each.at_ms for each in lab.journal.of("fault") if each.what == "kill -9"}
    for name in dict.fromkeys(filter(None, named)):
        for each in stretches(lab, name):
            at_coordinator = each.who == AT_COORDINATOR
            yield {
                "lane": f"{name} at its coordinator" if at_coordinator else each.who,
                "who": each.what,
                "from": each.from_ms,
                "to": min(each.to_ms, ends.get(each.who, each.to_ms)),
                "note": each.note,
                "id": each.id,
            }


def _bar(each: Holding, who: str, id: int | None) -> dict[str, Any]:
    return {
        "lane": each.partition,
        "who": who,
        "from": each.from_ms,
        "to": each.to_ms,
        "note": "",
        "id": id,
    }


def _requests(lab: Lab) -> list[list[Any]]:
    """A row for each client and API: how many requests it sent, and the first one's event."""
    count: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for event in lab.journal.of("request.sent"):
        key = (event.who, event.api)
        count[key] += 1
        first.setdefault(key, event.id)
    return [[who, api, number, first[who, api]] for (who, api), number in sorted(count.items())]


def _records(told: Told) -> list[list[Any]]:
    """The result of the records: how many were sent, acknowledged, lost, written twice, read."""
    lab = told.lab
    acknowledged, failed = [], 0
    for event in lab.journal.of("record.completed"):
        if event.error is None:
            acknowledged.append(event.key)
        else:
            failed += 1
    sent = sum(event.name == "send" for event in lab.journal.of("call"))
    there = Counter(_final_keys(told))
    read = Counter(
        (event.partition, event.offset)
        for event in lab.journal.of("record.delivered", "record.acquired")
    )
    return [
        ["sent", sent],
        ["acknowledged", len(acknowledged)],
        ["failed", failed],
        ["acknowledged and lost", sum(key not in there for key in acknowledged)],
        ["written twice", sum(number > 1 for number in there.values())],
        ["read", len(read)],
        ["read twice", sum(number > 1 for number in read.values())],
    ]


def _final_keys(told: Told) -> Iterator[Any]:
    """The keys in the logs of the leaders at the end; of a partition without a leader, those of the
    replica that would lead first."""
    lab = told.lab
    places = lab.at(lab.now_ms)["partitions"]
    for number in range(told.story.partitions):
        place = places[f"{TOPIC}-{number}"]
        waiting = [*place["isr"], *place["elr"], *place["last_known_elr"], *place["replicas"]]
        leader = place["leader"] if place["leader"] >= 0 else waiting[0]
        log = lab.broker(leader).machine.replicas.log_of(TOPIC, number)
        for batch in log.batches() if log else ():
            yield from (record.key for record in batch.records if batch.control is None)


class _ServerLine(NamedTuple):
    """A line of a broker: what it shares with an event of a client's line. id: its cause."""

    level: str
    message: str
    id: int | None


def _told_lines(
    lab: Lab, level: str, who: str
) -> Iterator[tuple[int, int, str, Event | _ServerLine]]:
    """The lines of clients and brokers from a level on, in the order of time: the time, a number,
    who speaks, and the line."""
    levels = _from_level(level)
    found: list[tuple[int, int, str, Event | _ServerLine]] = [
        (event.at_ms, event.id, event.who, event)
        for event in lab.journal.of("line")
        if event.shared("level") in levels and who in ("", event.who)
    ]
    after = len(lab.journal.kept)  # in one millisecond the brokers' lines follow
    for broker in lab.at(lab.now_ms)["brokers"]:
        speaker = f"broker-{broker}"
        if who in ("", speaker):
            for line in lab.broker(broker).machine.server_log.lines():
                row = line.row(lab.epoch_ms)
                if row.level in levels:
                    told = _ServerLine(row.level, row.message, line.cause)
                    found.append((row.at_ms - lab.epoch_ms, after, speaker, told))
                    after += 1
    yield from sorted(found, key=lambda each: each[:2])


def _from_level(level: str) -> tuple[str, ...]:
    return LEVELS[LEVELS.index(level) :] if level in LEVELS else LEVELS


def _in_words(event: Any) -> str:
    """An event of a chain as a short text: its kind and fields."""
    if event.kind == "line":
        return f"{event.level} {event.message}"
    if event.kind == "call":
        words = ", ".join(f"{name}={value!r}" for name, value in event.args.items())
        return f"{event.name}({words})"
    fields = " ".join(
        f"{name}={value}" for name, value in event.fields.items() if name not in ("text", "records")
    )
    return f"{event.kind} {fields}"
