"""Reads a story from plain settings, and writes it as an address and as a cell.

A story is a cluster with one topic, the members of one group, producers, and faults at moments. The
page draws its form from the table of settings here.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from kafkalab.proof.laws.faults import Fault
from kafkalab.releases.lineage import (
    BROKER_NAMES,
    CLIENT_NAMES,
    DEFAULT_BROKER,
    DEFAULT_CLIENT,
)

GROUP = "billing"
"""The group of every story's members."""
LONGEST_S = 3_600
LONGEST_SETTING = 300
"""How many characters a setting may have. An address is short."""
MOST_ENTRIES = 20
"""How many faults, or settings of one kind, a story may have."""
READY = "story"
"""The word of an address that names a ready story. The other words of the address change it."""
PAIR = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*=\s*(.*?)\s*")
SECONDS = re.compile(r"\d{1,4}(\.\d{1,3})?")
NO_APPS = (
    "this browser has no JavaScript Promise Integration, which lets programs wait for each other"
)


class Unreadable(ValueError):
    """Raised for a story that cannot be read; the message is one sentence for a person."""


class FaultWords(NamedTuple):
    """The words of one fault: its kind among the faults of laws, and what follows its name.

    whom   `broker`, `client`, or both in this order: client, broker
    lasts  whether a time may follow (`may`), must follow (`must`) or has no sense ("")
    """

    kind: str
    label: str
    whom: tuple[str, ...]
    lasts: str


FAULTS = {
    "crash": FaultWords("crash", "a broker crashes", ("broker",), "may"),
    "stop": FaultWords("stop", "a broker stops in an orderly way", ("broker",), "may"),
    "freeze": FaultWords("freeze", "a broker stands still", ("broker",), "must"),
    "full-disk": FaultWords("full disk", "a broker's disk is full", ("broker",), "may"),
    "pause": FaultWords("pause", "a program stands still", ("client",), "must"),
    "kill": FaultWords("kill", "a program is killed", ("client",), ""),
    "cut": FaultWords("cut", "a link is cut", ("client", "broker"), "may"),
    "lose-answer": FaultWords(
        "lose answer", "the next answer to PRODUCE is lost", ("client", "broker"), ""
    ),
}
"""The name of a fault in a story -> its words."""
OF_PROGRAMS = ("pause", "kill")
"""The faults that happen to a program and not to its connections."""


def setting(
    default: Any, part: str, label: str, between: tuple[int, int] = (0, 0), **more: Any
) -> Any:
    """A setting of a story, with what the page says of it.

    between: the lowest and the highest number. more: `choices`, the only texts there are; `hints`,
    texts to choose from beside others; `says`, a sentence.
    """
    told = {"part": part, "label": label, "between": between, **more}
    return dataclasses.field(default=default, metadata=told)


ASSIGNORS = tuple(
    f"org.apache.kafka.clients.consumer.{name}Assignor"
    for name in ("Range", "RoundRobin", "Sticky", "CooperativeSticky")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story in plain settings. Times end with their unit; an empty text is the release's default.

    consumer, producer, cluster  further settings by Kafka's names: "session.timeout.ms=6000"
    faults                       such as "20 crash 1 10": at second 20 broker 1 crashes for 10 s
    """

    client: str = setting(DEFAULT_CLIENT, "releases", "client release", choices=CLIENT_NAMES)
    beside: str = setting("", "releases", "second client release", choices=("", *CLIENT_NAMES),
                          says="Both are shown side by side.")  # fmt: skip
    broker: str = setting(DEFAULT_BROKER, "releases", "broker release", choices=BROKER_NAMES)
    brokers: int = setting(3, "cluster", "brokers", (1, 9))
    partitions: int = setting(3, "cluster", "partitions", (1, 24))
    replicas: int = setting(1, "cluster", "replicas", (1, 9))
    cluster: tuple[str, ...] = setting((), "cluster", "more broker settings",
                                       says="One a line, as min.insync.replicas=2")  # fmt: skip
    members: int = setting(2, "members", "members", (0, 8))
    apart_s: int = setting(0, "members", "each begins so many s later", (0, 600))
    protocol: str = setting("classic", "members", "group protocol",
                            choices=("classic", "consumer", "share"))  # fmt: skip
    assignor: str = setting("", "members", "partition.assignment.strategy", hints=ASSIGNORS)
    poll_ms: str = setting("", "members", "max.poll.interval.ms")
    work_ms: int = setting(0, "members", "work on one record, ms", (0, 600_000))
    idle_ms: str = setting("", "members", "connections.max.idle.ms",
                           says="Of the members and of the producers.")  # fmt: skip
    consumer: tuple[str, ...] = setting((), "members", "more consumer settings",
                                        says="One a line, as session.timeout.ms=6000")  # fmt: skip
    producers: int = setting(1, "producers", "producers", (0, 4))
    records: int = setting(100, "producers", "records of each", (0, 20_000))
    every_ms: int = setting(500, "producers", "one each so many ms", (0, 600_000))
    in_transaction: int = setting(0, "producers", "records in one transaction", (0, 20_000),
                                  says="0: without transactions.")  # fmt: skip
    acks: str = setting("", "producers", "acks", hints=("all", "1", "0"))
    addresses: int = setting(1, "producers", "addresses in bootstrap.servers", (1, 9),
                             says="Of the producers and of the members.")  # fmt: skip
    producer: tuple[str, ...] = setting((), "producers", "more producer settings",
                                        says="One a line, as linger.ms=20")  # fmt: skip
    faults: tuple[str, ...] = setting((), "faults", "faults")
    seconds: int = setting(60, "time", "seconds of the lab", (1, LONGEST_S))
    seed: int = setting(1, "time", "seed", (0, 999_999),
                        says="The same seed writes the same bytes.")  # fmt: skip
    level: str = setting("INFO", "time", "lines from level",
                         choices=("ERROR", "WARN", "INFO", "DEBUG", "TRACE"))  # fmt: skip

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of the clients: shop-1, shop-2, ..., member-1, member-2, ..."""
        shops = [f"shop-{number}" for number in range(1, self.producers + 1)]
        return (*shops, *(f"member-{number}" for number in range(1, self.members + 1)))

    @property
    def needs_apps(self) -> bool:
        """Whether more than one program waits, or something happens to a program itself."""
        return len(self.programs) > 1 or any(
            each.what in OF_PROGRAMS for each in self.planned_faults()
        )

    def planned_faults(self) -> tuple[Fault, ...]:
        """The faults, read. Raises Unreadable for one that is not to be had in this story."""
        return tuple(_fault(self, text) for text in self.faults)

    def given(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        return {
            each.name: value
            for each in dataclasses.fields(self)
            if (value := getattr(self, each.name)) != each.default
        }

    def address(self) -> str:
        """The story as the part of an address after `#`. A list is a word for each entry."""
        return urlencode(
            {name: list(v) if isinstance(v, tuple) else v for name, v in self.given().items()},
            doseq=True,
        )

    def cell(self) -> str:
        """The story as a cell of a notebook."""
        words = "".join(
            f"    {name}={list(value) if isinstance(value, tuple) else value!r},\n"
            for name, value in self.given().items()
            if name not in ("beside", "level")
        )
        call = f"tell(\n{words})" if words else "tell()"
        return (
            "from kafkalab.play import tell\nfrom kafkalab.views import timeline\n\n"
            f"told = {call}\ntimeline(told.lab)\n"
        )


def read(given: Mapping[str, object]) -> Story:
    """A story from settings by their names; numbers may be texts. Raises Unreadable."""
    known = {each.name: each for each in dataclasses.fields(Story)}
    for name in given:
        if name not in known:
            raise Unreadable(f"a story has no setting {name!r}; it has {', '.join(known)}")
    story = Story(**{name: _value(known[name], value) for name, value in given.items()})
    for place in ("cluster", "consumer", "producer"):
        read_pairs(getattr(story, place))
    story.planned_faults()
    return story


def from_address(text: str, ready: Mapping[str, Mapping[str, object]]) -> Story:
    """The story of an address, the part after `#`. Raises Unreadable.

    ready: the settings of each ready story. An address may name one and change some of it.
    """
    given: dict[str, object] = {}
    lists = {each.name for each in dataclasses.fields(Story) if each.default == ()}
    for name, value in parse_qsl(text.lstrip("#"), keep_blank_values=True, errors="replace"):
        if name in lists:
            given.setdefault(name, [])
            entries = given[name]
            assert isinstance(entries, list), "a setting of entries is collected in a list"
            entries.append(value)
        elif name in given:
            raise Unreadable(f"the address says {name!r} twice")
        else:
            given[name] = value
    if text.strip("# ") and not given:
        raise Unreadable(f"the address has no setting in {text[:LONGEST_SETTING]!r}")
    if (chosen := given.pop(READY, None)) is None:
        return read(given)
    if chosen not in ready:
        raise Unreadable(f"there is no ready story {chosen!r}; there are {', '.join(ready)}")
    return read({**ready[str(chosen)], **given})


def read_pairs(entries: Sequence[str]) -> dict[str, str]:
    """Settings such as "linger.ms=20" by their names. Raises Unreadable."""
    found: dict[str, str] = {}
    for entry in entries:
        match = PAIR.fullmatch(entry)
        if match is None:
            raise Unreadable(f"a setting is written as linger.ms=20, not {entry!r}")
        found[match[1]] = match[2]
    return found


def settings_table() -> list[dict[str, Any]]:
    """What the page needs to draw its form: a row for each setting."""
    return [
        {"name": each.name, "default": each.default, **each.metadata}
        for each in dataclasses.fields(Story)
    ]


def _value(field: dataclasses.Field[Any], given: object) -> Any:
    """The value of a setting; Unreadable where it cannot be one."""
    if isinstance(field.default, tuple):
        return _entries(field.name, given)
    text = str(given).strip()
    if isinstance(field.default, int):
        low, high = field.metadata["between"]
        whole = re.fullmatch(r"\d{1,9}", text, re.ASCII) and not isinstance(given, bool)
        if not whole or not low <= int(text) <= high:
            raise Unreadable(
                f"{field.name} is a whole number from {low} to {high}, not {_short(given)}"
            )
        return int(text)
    choices = field.metadata.get("choices")
    if choices and text not in choices:
        shown = ", ".join(filter(None, choices))
        raise Unreadable(f"{field.name} is one of {shown}, not {_short(given)}")
    if len(text) > LONGEST_SETTING or not text.isprintable():
        raise Unreadable(
            f"{field.name} has at most {LONGEST_SETTING} characters, all printable, "
            f"not {_short(given)}"
        )
    return text


def _entries(name: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise Unreadable(f"{name} is a list of texts, not {_short(given)}")
    found = tuple(" ".join(str(entry).split()) for entry in given if str(entry).strip())
    if len(found) > MOST_ENTRIES:
        raise Unreadable(f"{name} has at most {MOST_ENTRIES} entries, not {len(found)}")
    for entry in found:
        if len(entry) > LONGEST_SETTING or not entry.isprintable():
            raise Unreadable(f"an entry of {name} has at most {LONGEST_SETTING} characters")
    return found


def _short(given: object) -> str:
    shown = repr(given)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _fault(story: Story, text: str) -> Fault:
    """Read "20 cut member-1 0 10": the second, the fault, whom it concerns, how many seconds."""
    at, _, rest = text.partition(" ")
    name, *words = rest.split() or [""]
    if name not in FAULTS:
        raise Unreadable(f"a fault begins as 20 crash, with one of {', '.join(FAULTS)}: {text!r}")
    said = FAULTS[name]
    form = " ".join(["20", name, *(EXAMPLES[each] for each in said.whom)])
    if said.lasts:
        form += " 10" if said.lasts == "must" else ", or the same with the seconds it lasts"
    count = len(said.whom)
    lasting = words[count:]
    if (
        len(words) < count
        or len(lasting) > bool(said.lasts)
        or (said.lasts == "must" and not lasting)
        or not all(SECONDS.fullmatch(each) for each in (at, *lasting))
    ):
        raise Unreadable(f"this fault is written as {form}, not {text!r}")
    whom = dict(zip(said.whom, words))
    if "client" in whom and whom["client"] not in story.programs:
        programs = ", ".join(story.programs) or "none"
        raise Unreadable(f"{text!r}: there is no program {whom['client']!r}, only {programs}")
    brokers = [str(each) for each in range(story.brokers)]
    if "broker" in whom and whom["broker"] not in brokers:
        raise Unreadable(
            f"{text!r}: there is no broker {whom['broker']!r}, only {', '.join(brokers)}"
        )
    return Fault(
        _ms(at),
        said.kind,
        int(whom.get("broker", -1)),
        whom.get("client", ""),
        _ms(lasting[0]) if lasting else 0,
    )


EXAMPLES = {"broker": "1", "client": "member-1"}


def _ms(seconds: str) -> int:
    return round(float(seconds) * 1_000)
