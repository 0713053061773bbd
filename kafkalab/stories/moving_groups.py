"""Moving pictures of groups: a newcomer beside a slow member, and a join step by step.

Each function returns a `kafkalab.views.Moving`. The last line of a cell shows it. The stories are
those of chapter 07.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from kafkalab.lab import Lab
from kafkalab.stories.group_protocol import (
    GROUP,
    newcomer_beside_a_slow_member,
    newcomer_waits,
    two_members,
)
from kafkalab.views import Moving, Picture, moving, ownership
from kafkalab.views.picture import columns
from kafkalab.views.sheet import Sheet
from kafkalab.views.style import ALERT, BLACK, INK, MONO, QUIET, SMALL_PT, clock

PROTOCOLS: dict[str, tuple[str, str | None, dict[str, str]]] = {
    "eager": ("3.9", "Range", {}),
    "cooperative": ("3.9", "CooperativeSticky", {}),
    "KIP-848": ("4.4", None, {"group.protocol": "consumer"}),
}
"""A name on the switch -> (client version, assignor, further settings of the members)."""
END_MS = 100_000
JOIN_APIS = ("FIND_COORDINATOR", "JOIN_GROUP", "SYNC_GROUP")


@lru_cache(maxsize=16)
def _newcomer(protocol: str, records_flow: bool, seed: int) -> Lab:
    """The chapter's lab of a slow member and a newcomer, for one of PROTOCOLS."""
    version, strategy, settings = PROTOCOLS[protocol]
    return newcomer_beside_a_slow_member(
        strategy,
        records=records_flow,
        version=version,
        seed=seed,
        until_ms=END_MS,
        settings=settings,
    )


def newcomer_over_time(seed: int = 1) -> Moving:
    """Who owns which partition, second by second, while m4 comes and m2 works (chapter 07).

    Switches: the protocol, and whether records flow.
    """

    def draw(at_ms: int, protocol: str, records_flow: bool) -> Picture:
        lab = _newcomer(protocol, records_flow, seed)
        flows = "records flow" if records_flow else "an empty topic"
        words = f"{protocol}, {flows}: m4 comes at 30 s, m2 polls once in nine seconds"
        return ownership(lab, GROUP, 28_000, at_ms, words, room_to_ms=END_MS)

    return moving(
        draw, at=range(29_000, END_MS + 1, 1_000), protocol=list(PROTOCOLS), records_flow=True
    )


def wait_by_work() -> Moving:
    """How long m4 waits for its first record, by the time that m2 works between two polls (chapter
    07). The slider is m2's work; the switch is the protocol."""

    @lru_cache(maxsize=32)
    def played(work_ms: int, protocol: str) -> Lab:
        version, strategy, settings = PROTOCOLS[protocol]
        return newcomer_beside_a_slow_member(
            strategy, version=version, until_ms=80_000, settings=settings, slow_ms=work_ms
        )

    def draw(work_ms: int, protocol: str) -> Picture:
        lab = played(work_ms, protocol)
        waits = newcomer_waits(lab)
        words = (
            f"{protocol}: m2 works {work_ms / 1_000:g} s between two polls, m4 waits {waits:g} s"
        )
        return ownership(lab, GROUP, 28_000, 70_000, words, room_to_ms=70_000)

    return moving(draw, at=range(0, 12_001, 3_000), still=9_000, protocol=list(PROTOCOLS))


@dataclass(frozen=True)
class JoinStep:
    """One step of a join: its time, its words, and the table of the members after it.

    The rows stand in the order in which the coordinator added the members. A star marks the leader.
    """

    at_ms: int
    words: str
    group: str
    rows: tuple[tuple[str, str, str, str], ...]


def join_steps(lab: Lab, group: str, names: tuple[str, ...]) -> list[JoinStep]:
    """The requests, answers and states of a group's first join, in order, with a table of the
    members after each of them.
    """
    coordinator = f"broker-{lab.coordinator_of(group)}"
    asks: dict[str, str] = dict.fromkeys(names, "-")
    owns: dict[str, str] = dict.fromkeys(names, "-")
    known: dict[str, str] = {}
    state, leader = "Empty", None
    steps: list[JoinStep] = []

    def rows() -> tuple[tuple[str, str, str, str], ...]:
        in_order = dict.fromkeys((*known, *names))
        return tuple(
            (
                f"★ {name}" if leader and known.get(name) == leader else name,
                known.get(name, "no id").split("-", 1)[-1][:8],
                asks[name],
                owns[name],
            )
            for name in in_order
        )

    for event in lab.journal.of(
        "request.received", "response.received", "state", "group.member", "assignment"
    ):
        words = ""
        if event.kind == "request.received" and event.client in names:
            if event.api not in JOIN_APIS:
                continue
            asks[event.client] = f"waits for the answer to {event.api}"
            words = f"{event.api} of {event.client} reaches {event.who}"
        elif event.kind == "response.received" and event.who in names:
            if event.api not in JOIN_APIS:
                continue
            asks[event.who] = f"has the answer to {event.api}"
            words = f"{event.who} gets the answer to {event.api}"
        elif event.kind == "group.member" and event.client_id in names:
            known[event.client_id] = event.member
        elif event.kind == "assignment" and event.who in names:
            owns[event.who] = ", ".join(event.partitions) or "nothing"
        elif event.kind == "state" and event.fields.get("machine") == "group":
            if event.who != coordinator or event.group != group:
                continue
            state = f"{event.after}, generation {event.generation}"
            leader = event.fields.get("leader", leader)
            words = f"the group: {event.before} to {event.after}"
        if words:
            steps.append(JoinStep(event.at_ms, words, state, rows()))
        elif steps and event.kind in ("group.member", "assignment"):
            steps[-1] = replace(steps[-1], rows=rows())
        if all(share != "-" for share in owns.values()):
            break
    return steps


def join_step_by_step(version: str = "3.9", seed: int = 3) -> Moving:
    """A join and a sync, step by step, with the coordinator's table of members (chapter 07)."""
    steps = join_steps(two_members(version, seed), GROUP, ("m1", "m2"))

    def draw(number: int) -> Picture:
        return _join_picture(steps, number)

    moments = {number: f"step {number + 1}" for number in range(len(steps))}
    return moving(draw, at=moments, called="step")


def _join_picture(steps: list[JoinStep], number: int) -> Picture:
    """The steps around the current one, and the table after it."""
    step = steps[number]
    first = max(0, min(number - 4, len(steps) - 8))
    heading = f"{clock(step.at_ms)}: {step.words}"
    sheet = Sheet(heading, 4.4, down_in=0.1232)
    for place, each in enumerate(steps[first : first + 8]):
        is_now = each is step
        sheet.note(
            f"{'▶' if is_now else ' '} {each.at_ms:>6,} ms  {each.words}",
            0.616 + 0.2552 * place,
            left=0.02,
            level="baseline",
            font=MONO,
            size=SMALL_PT,
            colour=ALERT if is_now else INK if first + place < number else QUIET,
            bold=is_now,
        )
    sheet.note(f"the coordinator: {step.group}", 2.882, left=0.02, level="baseline", colour=BLACK,
               size=SMALL_PT + 1.5, bold=True)  # fmt: skip
    head = ("★ leads", "member id", "its last request", "owns")
    for row, entries in enumerate((head, *step.rows)):
        for left, entry in zip((0.02, 0.12, 0.25, 0.62), entries):
            sheet.note(entry, 3.234 + 0.33 * row, left=left, level="baseline",
                       colour=INK if row else QUIET, bold=row == 0)  # fmt: skip
    told = [(f"{each.at_ms:,} ms", each.words) for each in steps[: number + 1]]
    text = f"{columns(told, ('time', 'step'))}\n\nthe coordinator: {step.group}\n"
    return sheet.told(f"A join, step {number + 1}: {heading}.", text + columns(step.rows, head))
