"""Draws the faults of a story and carries them out: `at 3200 ms broker 1 crashes, for 900 ms`.

Drawn from a stream of the seed's own, so that a story with one fault less is otherwise the same
story.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kafkalab.lab import Lab
from kafkalab.proof.laws.reading import EVERYBODY, note

TOPIC = "orders"
"""The topic of every story."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault with its time.

    what    a key of KINDS
    broker  the broker that it happens to, -1 where no broker is concerned
    client  the client whose link or process it happens to, "" where none is
    for_ms  how long; 0 where it is over at once
    """

    at_ms: int
    what: str
    broker: int = -1
    client: str = ""
    for_ms: int = 0

    @property
    def who(self) -> str:
        """The one that it happens to, as the journal names it."""
        return self.client or (f"broker-{self.broker}" if self.broker >= 0 else EVERYBODY)

    def __str__(self) -> str:
        whom = " and ".join(
            name
            for name in (f"broker {self.broker}" if self.broker >= 0 else "", self.client)
            if name
        )
        return f"at {self.at_ms} ms {KINDS[self.what].sentence.format(whom=whom, ms=self.for_ms)}"

    def begin(self, lab: Lab) -> None:
        """Let it happen at its time, and end when it is over."""
        kind = KINDS[self.what]

        def begin() -> None:
            note(
                lab.journal,
                self.who,
                "fault",
                until_ms=self.at_ms + self.for_ms,
                sentence=str(self),
            )
            kind.begin(lab, self)

        lab.clock.at(self.at_ms, begin)
        if kind.end is not None:
            lab.clock.at(self.at_ms + self.for_ms, kind.end, lab, self)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A kind of fault: its sentence, its beginning and its end. takes_broker_down: one replica of
    its partitions is away while it lasts."""

    sentence: str
    begin: Callable[[Lab, Fault], object]
    end: Callable[[Lab, Fault], object] | None = None
    takes_broker_down: bool = False


def _pause_app(lab: Lab, fault: Fault) -> None:
    for app in lab.stage.apps:
        if app.name == fault.client:
            app.pause(fault.for_ms)


def _kill(lab: Lab, fault: Fault) -> None:
    if any(app.name == fault.client and not app.done for app in lab.stage.apps):
        lab.kill(fault.client)


def _free_disk(lab: Lab, broker: int) -> None:
    """There is room again, and a broker that has halted starts."""
    lab.broker(broker).free_disk()
    if not lab.broker(broker).is_up:
        lab.broker(broker).restart()


def _widen(lab: Lab) -> None:
    if TOPIC in lab.cluster.topics:
        lab.cluster.add_partitions(TOPIC, len(lab.cluster.topics[TOPIC].partitions) + 1)


def _delete(lab: Lab) -> None:
    if TOPIC in lab.cluster.topics:
        lab.cluster.delete_topic(TOPIC)


def _make_again(lab: Lab) -> None:
    if TOPIC not in lab.cluster.topics:
        lab.create_topic(TOPIC, partitions=2, replication_factor=len(lab.cluster.brokers))


def _others(lab: Lab, broker: int) -> list[int]:
    return [id for id in lab.cluster.brokers if id != broker]


KINDS = {
    "stop": FaultKind(
        "{whom} is stopped in an orderly way, for {ms} ms",
        lambda lab, f: lab.broker(f.broker).stop(),
        lambda lab, f: lab.broker(f.broker).restart(),
        True,
    ),
    "freeze": FaultKind(
        "{whom} stands still, for {ms} ms",
        lambda lab, f: lab.broker(f.broker).pause(f.for_ms),
        None,
        True,
    ),
    "island": FaultKind(
        "{whom} is cut off from the other brokers, for {ms} ms",
        lambda lab, f: lab.partition(_others(lab, f.broker), [f.broker]),
        lambda lab, f: lab.heal(),
        True,
    ),
    "crash": FaultKind(
        "{whom} crashes, for {ms} ms",
        lambda lab, f: lab.broker(f.broker).crash(),
        lambda lab, f: lab.broker(f.broker).restart(),
        True,
    ),
    "cut": FaultKind(
        "the link between {whom} is cut, for {ms} ms",
        lambda lab, f: lab.link(f.broker, f.client).cut(),
        lambda lab, f: lab.link(f.broker, f.client).heal(),
    ),
    "lose answer": FaultKind(
        "the next PRODUCE answer between {whom} is lost",
        lambda lab, f: lab.link(f.broker, f.client).cut_before_reply("PRODUCE"),
    ),
    "strand": FaultKind(
        "the next PRODUCE between {whom} is lost to its sender and arrives late; nothing else does "
        "for {ms} ms",
        lambda lab, f: lab.link(f.broker, f.client).strand("PRODUCE", max(50, f.for_ms - 250)),
        lambda lab, f: lab.link(f.broker, f.client).heal(),
    ),
    "slow": FaultKind(
        "the link between {whom} takes 150 ms, for {ms} ms",
        lambda lab, f: lab.link(f.broker, f.client).set_latency(150),
        lambda lab, f: lab.link(f.broker, f.client).set_latency(1),
    ),
    "full disk": FaultKind(
        "the disk of {whom} is full, for {ms} ms",
        lambda lab, f: lab.broker(f.broker).fill_disk(),
        lambda lab, f: _free_disk(lab, f.broker),
        True,
    ),
    "widen": FaultKind("the topic gets another partition", lambda lab, f: _widen(lab)),
    "remake": FaultKind(
        "the topic is deleted, and made again after {ms} ms",
        lambda lab, f: _delete(lab),
        lambda lab, f: _make_again(lab),
    ),
    "pause": FaultKind("{whom} stands still, for {ms} ms", _pause_app),
    "kill": FaultKind("{whom} is killed", _kill),
}
"""Every kind of fault by its name."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The faults from which a story draws its own.

    kinds     names of KINDS, each as often as it is to come up
    clients   whose links may be cut and whose processes may stop
    brokers   ids
    most      at most so many faults
    between   the first and the last millisecond at which one may begin
    longest_ms  how long one may last
    down_at_once  how many brokers may be away at the same time
    """

    kinds: Sequence[str]
    clients: Sequence[str]
    brokers: Sequence[int] = (0, 1, 2)
    most: int = 5
    between: tuple[int, int] = (200, 3_000)
    longest_ms: int = 1_500
    down_at_once: int = 1


def draw(rng: random.Random, menu: Menu) -> tuple[Fault, ...]:
    """A list of faults in the order of time; brokers are away only
    as many at once as the menu allows."""
    faults: list[Fault] = []
    away: list[tuple[int, int]] = []
    for _ in range(rng.randint(1, menu.most)):
        what = rng.choice(menu.kinds)
        at_ms, for_ms = rng.randint(*menu.between), rng.randint(50, menu.longest_ms)
        fault = Fault(at_ms, what, rng.choice(menu.brokers), rng.choice(menu.clients), for_ms)
        if KINDS[what].takes_broker_down:
            until_ms = at_ms + for_ms
            if (
                sum(1 for begin, end in away if begin <= until_ms and at_ms <= end)
                >= menu.down_at_once
            ):
                continue
            away.append((at_ms, until_ms))
            fault = Fault(at_ms, what, fault.broker, "", for_ms)
        elif what in ("widen", "remake"):
            fault = Fault(at_ms, what, -1, "", 0 if what == "widen" else for_ms)
        elif what in ("pause", "kill"):
            fault = Fault(at_ms, what, -1, fault.client, 0 if what == "kill" else for_ms)
        elif what == "lose answer":
            fault = Fault(at_ms, what, fault.broker, fault.client)
        faults.append(fault)
    return tuple(
        sorted(faults, key=lambda fault: (fault.at_ms, fault.what, fault.broker, fault.client))
    )
