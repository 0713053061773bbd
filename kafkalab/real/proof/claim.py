"""Claims of the chapters as small stories that run on either lab.

A story is a plain function. It gets a side, which makes labs and clients, and returns a value for
each claim:

    @story("02 two addresses", brokers=2, claims={"opened": "It opens so many connections."})
    def two_addresses(side):
        lab = side.lab()
        ...
        return {"opened": len(lab.sockets("shop"))}

Values are plain data that two labs can agree on: numbers, texts, lists. Times and names that differ
from run to run are no values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kafkalab.lab import Lab
from kafkalab.real.proof.reached_source import reached_source
from kafkalab.real.real_lab import RealLab
from kafkalab.releases.lineage import CLIENT_NAMES, NEWEST_BROKER

EitherLab = Lab | RealLab
OFTEN = ("2.3", "3.9", "4.4")
"""The releases that a story runs with, if it names no others."""


class Side:
    """One of the two labs, as a story uses it.

    version  the client release of this run
    words    kafkalab or kafkalab.real, whose clients have the same names
    """

    version: str
    words: Any

    def lab(self) -> EitherLab:
        """An empty lab with the brokers that the story asked for."""
        raise NotImplementedError

    def producer(self, lab: EitherLab, **settings: Any) -> Any:
        """A KafkaProducer named shop. Settings have underscores for dots."""
        return self.words.KafkaProducer(lab, dotted(settings), name="shop")

    def consumer(self, lab: EitherLab, name: str = "reader", **settings: Any) -> Any:
        """A KafkaConsumer of that name. Settings have underscores for dots."""
        return self.words.KafkaConsumer(lab, {"client.id": name, **dotted(settings)}, name=name)

    def share_consumer(self, lab: EitherLab, name: str, **settings: Any) -> Any:
        """A KafkaShareConsumer of that name. Settings have underscores for dots."""
        config = {"client.id": name, **dotted(settings)}
        return self.words.KafkaShareConsumer(lab, config, name=name)

    def admin(self, lab: EitherLab) -> Any:
        """A KafkaAdminClient."""
        return self.words.KafkaAdminClient(lab)


Play = Callable[[Side], dict[str, Any]]


@dataclass(frozen=True)
class RealStory:
    """A story with its claims.

    id        the chapter's number and a few words
    claims    the key of a value -> the sentence that it proves
    releases  the client releases it runs with
    racks     the rack of each broker, id -> name
    broker_version  the release of its brokers
    """

    id: str
    play: Play
    claims: Mapping[str, str]
    releases: tuple[str, ...] = OFTEN
    brokers: int = 3
    broker_config: Mapping[str, Any] = field(default_factory=dict)
    racks: Mapping[int, str] = field(default_factory=dict)
    broker_version: str = NEWEST_BROKER

    @property
    def chapter(self) -> str:
        return self.id.split(" ")[0]

    @property
    def shape(self) -> tuple[object, ...]:
        """What its brokers are like. Stories of one shape run on the same brokers."""
        shape: tuple[object, ...] = (self.brokers, sorted(self.broker_config.items()))
        if self.racks:
            shape = (*shape, sorted(self.racks.items()))
        return shape if self.broker_version == NEWEST_BROKER else (*shape, self.broker_version)

    @property
    def digest(self) -> str:
        """Changes with what the story and its helpers do, so that a changed story runs again."""
        text = reached_source(self.play) + repr(self.shape)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def story(
    id: str,
    claims: Mapping[str, str],
    releases: tuple[str, ...] = OFTEN,
    brokers: int = 3,
    broker_config: Mapping[str, Any] | None = None,
    racks: Mapping[int, str] | None = None,
) -> Callable[[Play], RealStory]:
    """Make a function a RealStory. Raises ValueError for a release that is not known."""
    strangers = set(releases) - set(CLIENT_NAMES)
    if strangers:
        raise ValueError(f"story {id!r} names unknown releases: {sorted(strangers)}")

    def made(play: Play) -> RealStory:
        return RealStory(id, play, claims, releases, brokers, broker_config or {}, racks or {})

    return made


def on_brokers(told: RealStory, version: str, releases: tuple[str, ...] | None = None) -> RealStory:
    """The same story on brokers of another release, and with these clients where they are given."""
    return replace(
        told,
        id=f"{told.id}, brokers {version}",
        claims={key: f"Brokers {version}: {text}" for key, text in told.claims.items()},
        releases=releases or told.releases,
        broker_version=version,
    )


def dotted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """{"group_id": "g"} -> {"group.id": "g"}."""
    return {name.replace("_", "."): value for name, value in settings.items()}


def raised_by(call: Callable[..., Any], *args: Any) -> str:
    """`Class: message` of the error that a call raises, `none` where it raises none."""
    try:
        call(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "none"


def kind_raised_by(call: Callable[..., Any], *args: Any) -> str:
    """The class of the error that a call raises, `none` where it raises none."""
    return raised_by(call, *args).partition(":")[0]


def polled(consumer: Any, lab: EitherLab, wanted: int, timeout_ms: int = 20_000) -> list[Any]:
    """The first records, at least `wanted` of them or all that come in time."""
    found: list[Any] = []
    end_ms = lab.now_ms + timeout_ms
    while len(found) < wanted and lab.now_ms < end_ms:
        found += consumer.poll(timeout_ms=200)
    return found


def settled(lab: EitherLab, consumers: list[Any], ms: int) -> None:
    """Let consumers poll in turn for so long."""
    end_ms = lab.now_ms + ms
    while lab.now_ms < end_ms:
        for consumer in consumers:
            consumer.poll(timeout_ms=100)
