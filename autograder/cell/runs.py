"""Turns a run of the lab into plain data: what was sent, delivered, committed, and owned by whom.

`run_of(lab)` reads the journal, and `anomalies.py` reads what it returns; in between it may be
written down as JSON and judged in another process. Records are known by their keys, so a run that
is to be judged gives each record a key of its own. What no machine can know, that an application
has finished its work on a record, the application says itself: `done(lab, "reader", record)`.
"""

from __future__ import annotations

from collections.abc import Iterator

DONE = "done"
TOLD_LEVELS = ("WARN", "ERROR")  # log lines kept beside the facts: they often say why
LONGEST_LINE = 200
KINDS = (
    "call",
    "record.completed",
    "record.delivered",
    "told",
    "commit",
    "assigned",
    "line",
    "fault",
    "broker.down",
    "state",
    "record.appended",
    "partition.changed",
    "replica.truncated",
)


def done(lab, client: str, record) -> None:
    """The application `client` has finished its work on a record (one of `poll`'s)."""
    lab.journal.append(
        "told",
        client,
        what=DONE,
        partition=f"{record.topic}-{record.partition}",
        offset=record.offset,
        key=record.key,
    )


def run_of(lab) -> dict:
    """The run so far:

    facts      in the order of time, each a dict with at_ms, client, what, and what belongs to it:
               sent (key), acked (key, partition, offset), refused (key, why), wrote (partition,
               offset, keys, producer_id, epoch), fenced (producer_id, epoch), got and done
               (partition, offset, key), committed (group, partition, offset), gains and loses
               (partition), died (why), leads (partition), cut (partition, offset), says (line)
    groups     client -> its group
    stored     partition -> [[offset, key], ...]: what its leader holds at the end
    in_transactions  partition -> the offsets of them that were written in a transaction, and may
                     have been aborted
    readable   partition -> the offset up to which consumers may read
    starts     partition -> the first offset that is still there
    ends_ms    when the run was looked at
    tells_work (added by who judges a loop that has to say what it finished) what was given counts
    for nothing until it is done
    """
    groups: dict[str, str] = {}
    facts, asked, holds = [], {}, {}
    for event in lab.journal.of(*KINDS):
        for fact in _facts(event, groups, asked, holds):
            facts.append({"at_ms": event.at_ms, **fact})
    return {"facts": facts, "groups": groups, **_logs(lab), "ends_ms": lab.now_ms}


def _facts(event, groups: dict[str, str], asked: dict, holds: dict[str, list]) -> Iterator[dict]:
    """The facts of one event. groups, asked (who asked for a commit) and holds (what each client
    owns) are kept from event to event."""
    kind, who, tells = event.kind, event.who, event.fields
    if kind == "call":
        yield from _called(who, tells, groups, holds)
    elif kind == "record.completed":
        fact = {"client": who, "key": tells["key"], "partition": tells["partition"]}
        yield (
            {**fact, "what": "acked", "offset": tells["offset"]}
            if tells["error"] is None
            else {**fact, "what": "refused", "why": str(tells["error"])}
        )
    elif kind == "record.delivered":
        yield {
            "client": who,
            "what": "got",
            "partition": tells["partition"],
            "offset": tells["offset"],
            "key": tells["key"],
        }
    elif kind == "told" and tells["what"] == DONE:
        yield {
            "client": who,
            "what": DONE,
            "partition": tells["partition"],
            "offset": tells["offset"],
            "key": tells["key"],
        }
    elif kind == "commit" and "offsets" in tells:  # the consumer asks
        asked.update(
            {
                (tells["group"], partition, offset): who
                for partition, offset in tells["offsets"].items()
            }
        )
    elif kind == "commit":  # and the coordinator accepts
        partition = f"{tells['topic']}-{tells['partition']}"
        yield {
            "client": asked.get((tells["group"], partition, tells["offset"]), ""),
            "what": "committed",
            "group": tells["group"],
            "partition": partition,
            "offset": tells["offset"],
        }
    elif kind == "assigned":
        yield from _owns(who, list(tells["partitions"]), holds)
    elif kind == "line" and tells["level"] in TOLD_LEVELS:
        yield {
            "client": who,
            "what": "says",
            "line": f"{tells['level']} {tells['message'].splitlines()[0]}"[:LONGEST_LINE],
        }
    elif kind == "fault" and tells["what"] == "kill -9":
        yield {"client": who, "what": "died", "why": "kill -9"}
        yield from _owns(who, [], holds)
    elif kind == "broker.down":
        yield {"client": who, "what": "died", "why": str(tells["how"])}
    elif kind == "state" and tells.get("machine") == "transaction" and "epoch" in tells:
        yield {
            "client": who,
            "what": "fenced",
            "producer_id": tells["producer_id"],
            "epoch": tells["epoch"],
        }
    elif str(tells.get("topic", "__")).startswith("__"):
        return
    elif kind == "record.appended":
        yield {
            "client": who,
            "what": "wrote",
            "partition": _name(tells),
            "offset": tells["base_offset"],
            "keys": [getattr(record, "key", None) for record in tells["records"]],
            "producer_id": tells.get("producer_id", -1),
            "epoch": tells.get("producer_epoch", -1),
        }
    elif kind == "partition.changed":
        yield {"client": f"broker-{tells['leader']}", "what": "leads", "partition": _name(tells)}
    elif kind == "replica.truncated":
        yield {
            "client": who,
            "what": "cut",
            "partition": _name(tells),
            "offset": tells["log_end_offset"],
        }


def _called(who: str, tells, groups, holds) -> Iterator[dict]:
    name, args = tells["name"], tells["args"]
    if name == "send":
        yield {"client": who, "what": "sent", "key": args["key"], "topic": args["topic"]}
    elif name == "new KafkaConsumer" and args.get("group.id"):
        groups[who] = args["group.id"]
    elif name == "close":
        yield from _owns(who, [], holds)


def _owns(who: str, partitions: list[str], holds: dict[str, list]) -> Iterator[dict]:
    before, holds[who] = holds.get(who, []), partitions
    yield from (
        {"client": who, "what": "loses", "partition": partition}
        for partition in before
        if partition not in partitions
    )
    yield from (
        {"client": who, "what": "gains", "partition": partition}
        for partition in partitions
        if partition not in before
    )


def _logs(lab) -> dict:
    """What is there at the end, by the leaders' own logs;
    a partition nobody leads is left out, for nobody can say."""
    stored, readable, starts, in_transactions = {}, {}, {}, {}
    for topic in lab.cluster.topics:
        for index in range(len(lab.cluster.topics[topic].partitions)):
            leader = lab.leader(topic, index)
            if (
                topic.startswith("__")
                or leader is None
                or leader < 0
                or not lab.broker(leader).is_up
            ):
                continue
            replica = lab.broker(leader).machine.replicas.found((topic, index))
            if replica is not None:
                log, name = replica.log, f"{topic}-{index}"
                batches = [batch for batch in log.batches() if batch.control is None]
                stored[name] = [
                    [batch.offset_of(place), record.key]
                    for batch in batches
                    for place, record in enumerate(batch.records)
                ]
                in_transactions[name] = [
                    batch.offset_of(place)
                    for batch in batches
                    if batch.is_transactional
                    for place in range(len(batch.records))
                ]
                readable[name], starts[name] = log.high_watermark, log.log_start_offset
    return {
        "stored": stored,
        "in_transactions": in_transactions,
        "readable": readable,
        "starts": starts,
    }


def _name(tells) -> str:
    return f"{tells['topic']}-{tells['partition']}"
