"""Holds the labs of chapter 08: groups that somebody joins, leaves, or disturbs by a habit.

The chapter shows the loop of a member; here is what starts the members, ends them, and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalab import KafkaConsumer
from kafkalab.errors import KafkaException
from kafkalab.lab import Lab
from kafkalab.stories.group_case import GroupCase
from kafkalab.stories.log_files import write_log_files

if TYPE_CHECKING:
    import pandas

GROUP = "inventory"
SETTINGS: dict[str, object] = {
    "group.id": GROUP,
    "enable.auto.commit": False,
    "session.timeout.ms": 10_000,
    "heartbeat.interval.ms": 3_000,
}
"""What the members of chapter 08 use: a session of ten seconds, a heartbeat every three."""
HABITS = ("too slow", "crashes", "closes", "subscribes again")
"""Why the groups of `troubled_group` rebalance."""
RESTART_MS, AFTERWARDS_MS = 40_000, 120_000
"""When bob ends in `restart`, and how long the story continues."""


def new_lab(seed: int = 8, version: str = "3.9") -> Lab:
    """Three brokers 4.4 and a topic `orders` of six partitions. `version` is the clients'."""
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    return lab


def group_moves(lab: Lab) -> pandas.DataFrame:
    """What the coordinator did with the group, move by move, without the ids of members."""
    table = lab.table("state").query("machine in ('group', 'consumer group')")
    reason = table.reason.str.replace(r"(member \w+)-\S+", r"\1", regex=True)
    table = table.assign(reason=reason, generation=table.generation.astype(int))
    columns = ["at_ms", "before", "after", "generation", "reason"]
    return table[columns].reset_index(drop=True)


def stable_after(lab: Lab, at_ms: int) -> int:
    """Whole seconds from a moment until the group is Stable again."""
    found = group_moves(lab).query("after == 'Stable' and at_ms > @at_ms")
    return round(int(found.at_ms.iloc[0] - at_ms) / 1_000)


def made(lab: Lab) -> list[tuple[str, str]]:
    """The moves of the group, as pairs of states."""
    return [(move.before, move.after) for move in group_moves(lab).itertuples()]


def without_partitions_s(lab: Lab, who: str, from_ms: int) -> float:
    """Seconds after `from_ms` in which a client owned nothing."""
    owned = [(event.at_ms, bool(event.partitions)) for event in _assignments(lab, who)]
    total_ms = 0
    for (at_ms, owns), (until_ms, _) in zip(owned, [*owned[1:], (lab.now_ms, True)], strict=True):
        total_ms += 0 if owns else max(0, until_ms - max(at_ms, from_ms))
    return total_ms / 1_000


def _assignments(lab: Lab, who: str) -> list:  # type: ignore[type-arg]
    return [event for event in lab.journal.of("assigned") if event.who == who]


def commit_answer(lab: Lab, consumer: KafkaConsumer) -> tuple[int, str, str]:
    """Commit once: when the answer came, the group's state at the commit, and what happened."""
    state = str(group_moves(lab).after.iloc[-1])
    try:
        consumer.commit_sync()
    except KafkaException as error:
        return lab.now_ms, state, type(error).__name__
    return lab.now_ms, state, "accepted"


def asked(state: str, request: str, generation: str = "current", broker: str = "4.4") -> str:
    """The error a coordinator answers alice when the group is in this state.

    request: heartbeat, commit or sync. generation: current or old.
    """
    case = GroupCase(broker).bring_to(state)
    number = case.group.generation - (generation == "old")
    if request == "sync":
        answer = case.sync("alice", number)
        return "held back" if answer is None else answer.name
    send = case.beat if request == "heartbeat" else case.commit
    return send(case.ids["alice"], number).name


def answers_by_state(request: str, broker: str = "4.4") -> dict[str, str]:
    """The answer to alice's request in each state that has one."""
    names = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable")
    return {state: asked(state, request, broker=broker) for state in names}


def bobs_end(how: str, interval_s: int, session_s: int, at_s: int) -> tuple[Lab, int]:
    """ann and bob read, and bob ends `at_s` seconds after the group became Stable.

    how: "kill -9", "close", or "close of a static member". Returns the lab and when bob ended.
    """
    closing: list[str] = []
    lab = new_lab()
    often = {"heartbeat.interval.ms": interval_s * 1_000, "session.timeout.ms": session_s * 1_000}
    static = {"group.instance.id": "till-2"} if "static" in how else {}
    lab.spawn(_polls, "ann", closing, often, name="ann")
    lab.spawn(_polls, "bob", closing, {**often, **static}, 20, name="bob")
    lab.run_for(ms=8_000)
    end_ms = int(group_moves(lab).query("after == 'Stable'").at_ms.iloc[0]) + at_s * 1_000
    lab.run_for(ms=end_ms - lab.now_ms)
    if how == "kill -9":
        lab.kill("bob")
    else:
        closing.append("bob")
    lab.run_for(ms=(session_s + 2 * interval_s) * 1_000)
    return lab, end_ms


def restart(end: str, version: str = "3.9", **config: object) -> Lab:
    """bob's process ends after 40 seconds, and a new one starts 1.5 seconds later.

    end: "kill -9", or "close()" for a process that closes its consumer. All three members have
    the settings `config` besides a group.id; a value "{name}" in them becomes the member's name.
    """
    lab = new_lab(version=version)
    closing = _start_three(lab, ("ann", "bob/1", "cyd"), config)
    lab.run_for(ms=RESTART_MS)
    if end == "close()":
        closing.append("bob/1")
    else:
        lab.kill("bob/1")
    lab.run_for(ms=1_500)
    lab.spawn(_polls, "bob/2", closing, config, name="bob/2")
    lab.run_for(ms=AFTERWARDS_MS)
    return lab


def leave_and_die(version: str = "4.4", **config: object) -> Lab:
    """cyd closes its consumer after 20 seconds, bob is killed after 40, ann stays. The settings are
    the defaults, and `config`."""
    lab = new_lab(version=version)
    closing = _start_three(lab, ("ann", "bob", "cyd"), config)
    lab.run_for(ms=20_000)
    closing.append("cyd")
    lab.run_for(ms=20_000)
    lab.kill("bob")
    lab.run_for(ms=60_000)
    return lab


def _start_three(lab: Lab, names: tuple[str, ...], config: dict[str, object]) -> list[str]:
    """Start the members. Returns the list of those that shall close, empty at first."""
    closing: list[str] = []
    for name in names:
        lab.spawn(_polls, name, closing, config, name=name)
    return closing


def _polls(
    lab: Lab, name: str, closing: list[str], config: Mapping[str, object], poll_ms: int = 500
) -> None:
    who = name.split("/")[0]
    own = {key: who if value == "{name}" else value for key, value in config.items()}
    settings = {"group.id": GROUP, "client.id": who, "enable.auto.commit": False, **own}
    consumer = KafkaConsumer(lab, settings, name=name)
    consumer.subscribe(["orders"])
    while name not in closing:
        consumer.poll(timeout_ms=poll_ms)
    consumer.close()


def troubled_group(cause: str, guilty: str, seed: int, rounds: int = 4) -> Lab:
    """Rounds of 12.5 seconds of ann, bob and cyd, of whom one has a habit, one of HABITS.

    "too slow" works longer than max.poll.interval.ms allows. "crashes" is killed and started
    again. "closes" closes its consumer and makes a new one. "subscribes again" changes its topics.
    """
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=6)
    lab.create_topic("returns", partitions=1)
    for name in ("ann", "bob", "cyd"):
        if name != guilty:
            lab.spawn(_usual, name, name=name)
    habit: dict[str, Callable[[Lab, str], None]] = {
        "too slow": _too_slow,
        "closes": _closes,
        "subscribes again": _subscribes_again,
    }
    if cause in habit:
        lab.spawn(habit[cause], guilty, name=guilty)
    for life in range(rounds):
        if cause == "crashes":
            lab.spawn(_usual, f"{guilty}/{life}", name=f"{guilty}/{life}")
            lab.run_for(ms=11_000)
            lab.kill(f"{guilty}/{life}")
            lab.run_for(ms=1_500)
        else:
            lab.run_for(ms=12_500)
    lab.close()
    return lab


def _usual(
    lab: Lab, name: str, until_ms: int | None = None, work_ms: int = 0, **config: object
) -> None:
    """The loop of a member: poll, work, and close at `until_ms`."""
    consumer = _consumer(lab, name, **config)
    consumer.subscribe(["orders"])
    while until_ms is None or lab.now_ms < until_ms:
        consumer.poll(timeout_ms=500)
        lab.sleep(work_ms)
    consumer.close()


def _consumer(lab: Lab, name: str, **config: object) -> KafkaConsumer:
    settings = {
        "group.id": GROUP,
        "client.id": name.split("/")[0],
        "session.timeout.ms": 10_000,
        "enable.auto.commit": False,
        "fetch.max.wait.ms": 2_000,
        **config,
    }
    return KafkaConsumer(lab, settings, name=name if "/" in name else None)


def _too_slow(lab: Lab, name: str) -> None:
    _usual(lab, name, work_ms=9_000, **{"max.poll.interval.ms": 6_000})


def _closes(lab: Lab, name: str) -> None:
    while True:
        _usual(lab, name, until_ms=lab.now_ms + 12_000)
        lab.sleep(3_000)


def _subscribes_again(lab: Lab, name: str) -> None:
    consumer = _consumer(lab, name)
    while True:
        for topics in (["orders"], ["orders", "returns"]):
            consumer.subscribe(topics)
            until_ms = lab.now_ms + 9_000
            while lab.now_ms < until_ms:
                consumer.poll(timeout_ms=500)


def write_logs(labs: Mapping[str, Lab], folder: str) -> Path:
    """Write each client's log file to data/generated/FOLDER/group-NAME and return the folder."""
    files = {
        f"group-{name}/{client.replace('/', '-')}": lab.log_text(client)
        for name, lab in labs.items()
        for client in sorted({event.who for event in lab.journal.of("line")})
    }
    return write_log_files(files, folder)
