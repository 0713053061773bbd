"""Reads the recordings' scenario.json, and refuses in one sentence what cannot be played.

What the program did is in FIELDS, a table: each step, the fields it has and what each may hold. No
other field of a step is read, so an observed result, error, assignment or socket cannot reach a
replay.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kafkalab.broker.broker_config import DOTTED, SELECTORS, BrokerConfig
from kafkalab.config import ClientConfig, ConsumerConfig, ProducerConfig, ShareConsumerConfig
from kafkalab.errors import ConfigException
from kafkalab.proof.missing_steps import LOOP, with_missing_steps
from kafkalab.records import TopicPartition
from kafkalab.releases.lineage import BROKER_NAMES

LONGEST_STEP_MS = 24 * 3_600_000
LONGEST_PLAY_MS = 366 * LONGEST_STEP_MS
LARGEST_VALUE_BYTES = 100_000_000
MOST_PARTITIONS = 10_000
"""More partitions of __consumer_offsets than any cluster has; a typing error would keep the lab
busy for hours."""


class UnusableScenario(ValueError):
    """The scenario asks for something this simulation does not know;
    the message is one sentence for a person."""


@dataclasses.dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: brokers, topics and settings, and the steps of each client's program.

    brokers       id -> host:port
    topics        name -> its leaders, one a partition, and the number of replicas
    group_settings  group -> its own settings
    client_quotas  client id -> the bytes a second that it may produce
    coordinators  group -> broker id; transaction_coordinators: transactional id -> broker id
    racks         broker id -> its rack; a broker left out has none
    steps         client -> its steps, in the order of the file
    start_ms      when the first step began (epoch); the clock of the lines starts there
    broker_steps  what was done to brokers, in time order
    """

    client_version: str
    broker_version: str
    brokers: Mapping[int, str]
    broker_config: Mapping[str, Any]
    topics: Mapping[str, tuple[list[int], int]]
    coordinators: Mapping[str, int]
    transaction_coordinators: Mapping[str, int]
    start_ms: int
    steps: Mapping[str, list[dict[str, Any]]]
    broker_steps: Sequence[BrokerStep] = ()
    racks: Mapping[int, str] = dataclasses.field(default_factory=dict)
    group_settings: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    client_quotas: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class BrokerStep:
    """One step that was done to a broker: one of BROKER_STEPS.

    after   client -> how many of its steps come before it in the program
    for_ms  how long a broker is paused after `kill -STOP`; None for the other steps
    """

    at_ms: int
    broker: int
    do: str
    after: Mapping[str, int]
    for_ms: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class FieldKind:
    """What a field's value may be. `says` completes "must be ..."; `read` gives the value a player
    uses, or raises ValueError."""

    says: str
    read: Callable[[Any], Any]


def _whole(lowest: int, highest: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
            raise ValueError
        return value

    return read


def _one_of(*types: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, types):
            raise ValueError
        return value

    return read


def _matching(pattern: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise ValueError
        return value

    return read


def _list_of(kind: FieldKind) -> Callable[[Any], list[Any]]:
    return lambda value: [kind.read(item) for item in _one_of(list)(value)]


def _partition(value: Any) -> TopicPartition:
    topic, _, number = _matching(r"[\w.-]+-\d{1,9}")(value).rpartition("-")
    return TopicPartition(topic, int(number))


def _offsets(value: Any) -> dict[TopicPartition, int]:
    return {
        _partition(name): _whole(0, (1 << 63) - 1)(offset)
        for name, offset in _one_of(dict)(value).items()
    }


def _filled(value: Any) -> list[Any]:
    entries: list[Any] = _one_of(list)(value)
    if not entries:
        raise ValueError
    return entries


def _record_value(value: Any) -> str | None:
    """A long value is written in a scenario as "N bytes"."""
    if value is not None and re.fullmatch(r"\d+ bytes", _one_of(str)(value)):
        return "x" * _whole(0, LARGEST_VALUE_BYTES)(int(value.split()[0]))
    return None if value is None else str(value)


MILLISECONDS = FieldKind(
    f"a whole number of milliseconds, 0 to {LONGEST_STEP_MS} (a day)", _whole(0, LONGEST_STEP_MS)
)
MOMENT = FieldKind("a whole number of milliseconds since 1970", _whole(0, 1 << 53))
NUMBER = FieldKind("a whole number, not negative", _whole(0, (1 << 63) - 1))
BROKER_ID = FieldKind("a broker's id, a whole number", _whole(0, (1 << 31) - 1))
BROKER_IDS = FieldKind("a list of broker ids", _list_of(BROKER_ID))
ENTRIES = FieldKind("a list with an entry for each partition, at least one", _filled)
TRUTH = FieldKind("true or false", _one_of(bool))
TEXT = FieldKind("a text", _one_of(str))
OPTIONAL_TEXT = FieldKind("a text or null", _one_of(str, type(None)))
VALUE = FieldKind(f'a text or null; or "N bytes" with N up to {LARGEST_VALUE_BYTES}', _record_value)
ADDRESS = FieldKind(
    "host:port",
    _matching(r"[^\s:,/]+:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])"),
)
CLIENT_NAME = FieldKind(
    "a name that can be a file's", _matching(r"(?!\.{1,2}$)[^/\\\x00-\x1f]{1,200}")
)
TOPIC = FieldKind(
    "a topic's name: letters, digits, '.', '_' and '-'", _matching(r"[a-zA-Z0-9._-]{1,249}")
)
TOPICS = FieldKind("a list of topics", _list_of(TOPIC))
PARTITION = FieldKind('a partition such as "t4-0"', _partition)
PARTITIONS = FieldKind('a list of partitions such as "t4-0"', _list_of(PARTITION))
OFFSETS = FieldKind('an object of partitions and offsets such as {"t4-0": 7}', _offsets)
AFTER_BATCH = FieldKind(
    'null, "commitAsync" or "copy"',
    lambda value: None if value is None else _matching("commitAsync|copy")(value),
)
ACKNOWLEDGE_TYPE = FieldKind(
    "ACCEPT, RELEASE, REJECT or RENEW", _matching("ACCEPT|RELEASE|REJECT|RENEW")
)
OWNER = FieldKind('"consumer" or "producer"', _matching("consumer|producer"))
OBJECT = FieldKind("an object", _one_of(dict))

FIELDS: Mapping[str, Mapping[str, FieldKind]] = {
    "new KafkaConsumer": {"config?": OBJECT},
    "new KafkaShareConsumer": {"config?": OBJECT},
    "new KafkaProducer": {"config?": OBJECT},
    "subscribe": {"topics": TOPICS},
    "assign": {"partitions": PARTITIONS},
    "poll": {"timeout_ms": MILLISECONDS, "for_ms?": MILLISECONDS},
    "poll in a loop until told otherwise": {
        "timeout_ms": MILLISECONDS,
        "for_ms?": MILLISECONDS,
        "then?": AFTER_BATCH,
        "to_topic?": TOPIC,
        "stop_after_records?": NUMBER,
    },
    "works without polling": {"for_ms": MILLISECONDS},
    "pause all": {},
    "resume all": {},
    "seek": {"partition": PARTITION, "offset": NUMBER},
    "seekToBeginning": {"partitions?": PARTITIONS},
    "position": {"partition?": PARTITION, "partitions?": PARTITIONS},
    "partitionsFor": {"topic?": TOPIC},
    "acknowledge": {"partition": PARTITION, "offset": NUMBER, "type": ACKNOWLEDGE_TYPE},
    "commitSync": {"offsets?": OFFSETS},
    "commitAsync": {"offsets?": OFFSETS},
    "send": {
        "topic": TOPIC,
        "key?": OPTIONAL_TEXT,
        "value?": VALUE,
        "to_partition?": NUMBER,
        "wait?": TRUTH,
    },
    "flush": {},
    "initTransactions": {},
    "beginTransaction": {},
    "sendOffsetsToTransaction": {"offsets": OFFSETS, "group?": TEXT},
    "commitTransaction": {},
    "abortTransaction": {},
    "close": {},
    "kill -9": {},
}
"""Each step's fields; one with "?" may be left out.
The recorded program's other steps are not simulated."""

NEEDS_PRODUCER = tuple(
    (
        "send flush initTransactions beginTransaction sendOffsetsToTransaction "
        "commitTransaction abortTransaction"
    ).split()
)
FOR_BOTH = ("subscribe", "poll", "works without polling", "commitSync", "commitAsync")
"""Steps that a consumer and a share consumer have."""
EITHER = ("partitionsFor", "close", "kill -9")
CONFIGS: Mapping[str, type[ClientConfig]] = {
    "new KafkaConsumer": ConsumerConfig,
    "new KafkaShareConsumer": ShareConsumerConfig,
    "new KafkaProducer": ProducerConfig,
}
CONSUMERS = {"new KafkaConsumer", "new KafkaShareConsumer"}
OBSERVED_STEPS = ("assignment",)
BROKER_STEPS = ("kill -9", "stop", "start", "kill -STOP", "kill -CONT")


def read_scenario(scenario: Any) -> Scenario:
    """The scenario, checked. Raises UnusableScenario."""
    if not isinstance(scenario, dict):
        raise UnusableScenario(
            "this is not a scenario of the recordings' format: it is not a JSON object"
        )
    brokers = _brokers(_field(scenario, "brokers", OBJECT))
    version = str(_field(scenario, "broker_version", TEXT))
    minor = ".".join(version.split(".")[:2])
    if minor not in BROKER_NAMES:
        raise UnusableScenario(
            f"broker version {version!r} is not simulated; there are {', '.join(BROKER_NAMES)}"
        )
    topics = {
        name: _topic(name, entries, brokers)
        for name, entries in _field(scenario, "topics", OBJECT, {}).items()
    }
    groups = {
        name: _coordinator(name, place, brokers)
        for name, place in _field(scenario, "groups", OBJECT, {}).items()
    }
    transactional = {
        name: _coordinator(name, place, brokers)
        for name, place in _field(scenario, "transactional_ids", OBJECT, {}).items()
    }
    steps, broker_steps = _steps(
        _field(scenario, "events", FieldKind("a list of steps", _one_of(list))), topics, brokers
    )
    moments = [step["at_ms"] for own in steps.values() for step in own]
    start_ms = min(moments, default=0)
    if max(moments, default=0) - start_ms > LONGEST_PLAY_MS:
        raise UnusableScenario(
            f"the first and the last step lie {max(moments) - start_ms} ms apart; a replay lasts "
            f"at most {LONGEST_PLAY_MS} ms (a year)"
        )
    return Scenario(
        _field(scenario, "client_version", TEXT),
        minor,
        brokers,
        _settings(_field(scenario, "broker_config", OBJECT, {})),
        topics,
        groups,
        transactional,
        start_ms,
        steps,
        broker_steps,
        _racks(_field(scenario, "racks", OBJECT, {}), brokers),
        {
            name: _read(OBJECT, place["config"], f"the group {name} has config")
            for name, place in scenario.get("groups", {}).items()
            if "config" in place
        },
        {
            name: _read(NUMBER, rate, f"the client {name} has a quota")
            for name, rate in _field(scenario, "client_quotas", OBJECT, {}).items()
        },
    )


def _racks(named: Mapping[str, Any], brokers: Mapping[int, str]) -> dict[int, str]:
    racks = {str(id): rack for id, rack in named.items()}
    strangers = set(racks) - {str(id) for id in brokers}
    if strangers or not all(isinstance(rack, str) for rack in racks.values()):
        raise UnusableScenario(
            "'racks' names the rack of a broker as a text, for brokers of this scenario only"
        )
    return {id: racks[str(id)] for id in brokers if str(id) in racks}


def check_configs(scenario: Scenario, version: str) -> None:
    """Checks that a client of this version accepts the configs of its `new` steps. Raises
    UnusableScenario naming the key."""
    for client, steps in scenario.steps.items():
        for step in steps:
            if step["do"] in CONFIGS:
                try:
                    config = CONFIGS[step["do"]].for_version(
                        version, {"bootstrap.servers": "localhost:9092", **step["config"]}
                    )
                except ConfigException as error:
                    raise UnusableScenario(
                        f"the step {step['do']!r} of {client} cannot be played: {error}"
                    ) from None
                for address in config["bootstrap.servers"] or ("",):
                    _read(
                        ADDRESS,
                        address,
                        f"the step {step['do']!r} of {client} has bootstrap.servers",
                    )


def _field(holder: Mapping[str, Any], name: str, kind: FieldKind, default: Any = None) -> Any:
    if name not in holder and default is None:
        raise UnusableScenario(
            f"this is not a scenario of the recordings' format: {name!r} is missing"
        )
    return _read(
        kind,
        holder.get(name, default),
        f"this is not a scenario of the recordings' format: it has {name}",
    )


def _read(kind: FieldKind, value: Any, has: str) -> Any:
    try:
        return kind.read(value)
    except ValueError:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        raise UnusableScenario(f"{has} = {shown}, which must be {kind.says}") from None


def _brokers(given: Mapping[str, Any]) -> dict[int, str]:
    found = {}
    for id, address in given.items():
        if not re.fullmatch(r"\d{1,9}", id):
            raise UnusableScenario(f"brokers has the id {id!r}, which must be {BROKER_ID.says}")
        found[int(id)] = _read(ADDRESS, address, f"brokers has {id}")
    if not found:
        raise UnusableScenario("there is no broker in this scenario")
    if len(set(found.values())) < len(given):
        raise UnusableScenario("two brokers of this scenario have one address or one id")
    return found


def _topic(name: str, entries: Any, brokers: Mapping[int, str]) -> tuple[list[int], int]:
    """Leaders and the number of replicas; the cluster chooses the followers, because no client sees
    a difference."""
    has = f"the topic {name} has"
    _read(TOPIC, name, "topics has a name")
    some = FieldKind(f"1 to {len(brokers)}, as many as there are brokers", _whole(1, len(brokers)))
    leaders, replicas = [], 1
    for entry in _read(ENTRIES, entries, f"{has} partitions"):
        entry = _read(OBJECT, entry, f"{has} a partition")
        leaders.append(_read(_one_of_these(brokers), entry.get("leader"), f"{has} leader"))
        count = len(_read(BROKER_IDS, entry.get("replicas"), f"{has} replicas"))
        replicas = max(replicas, _read(some, count, f"{has} a number of replicas"))
    return leaders, replicas


def _coordinator(group: str, place: Any, brokers: Mapping[int, str]) -> int:
    place = _read(OBJECT, place, f"the group {group} has a place")
    broker: int = _read(
        _one_of_these(brokers), place.get("coordinator"), f"the group {group} has coordinator"
    )
    return broker


def _one_of_these(brokers: Mapping[int, str]) -> FieldKind:
    def read(value: Any) -> int:
        id = _whole(0, 1 << 31)(value)
        if id not in brokers:
            raise ValueError
        return id

    return FieldKind(f"one of the brokers {', '.join(map(str, brokers))}", read)


def _selector(value: Any) -> str | None:
    if value not in SELECTORS:
        raise ValueError
    return None if value is None else str(value)


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Broker settings of the recordings that matter here."""
    kinds = {
        name: TRUTH
        if isinstance(field.default, bool)
        else TEXT
        if isinstance(field.default, (str, tuple))
        else FieldKind("a number, not negative", _one_of(int, float))
        if isinstance(field.default, float)
        else NUMBER
        for name, field in (
            (dotted, BrokerConfig.__dataclass_fields__[field]) for dotted, field in DOTTED.items()
        )
    }
    kinds["offsets.topic.num.partitions"] = kinds["transaction.state.log.num.partitions"] = (
        FieldKind(f"1 to {MOST_PARTITIONS}", _whole(1, MOST_PARTITIONS))
    )
    kinds["replica.selector.class"] = FieldKind("one of Kafka's own selectors", _selector)
    found = {}
    for name, value in given.items():
        if name not in kinds:
            raise UnusableScenario(
                f"the broker setting {name!r} is not simulated; these are: "
                f"{', '.join(sorted(kinds))}"
            )
        found[name] = _read(kinds[name], value, f"broker_config has {name}")
    return found


def _steps(
    events: list[Any], topics: Mapping[str, Any], brokers: Mapping[int, str]
) -> tuple[dict[str, list[dict[str, Any]]], list[BrokerStep]]:
    found: dict[str, list[dict[str, Any]]] = {}
    of_brokers: list[BrokerStep] = []
    events = [
        _read(OBJECT, event, "this is not a scenario of the recordings' format: events has a step")
        for event in events
    ]
    for event in with_missing_steps(events):
        do = event.get("do")
        if do in OBSERVED_STEPS or event.get("by_loop"):
            continue
        if _is_broker(event.get("client")) and do in BROKER_STEPS:
            of_brokers.append(
                _broker_step(
                    event, do, brokers, {client: len(own) for client, own in found.items()}
                )
            )
            continue
        if (
            "client" not in event
            or not isinstance(do, str)
            or do not in FIELDS
            or _is_broker(event["client"])
        ):
            who = event.get("client") or event.get("broker") or "nobody"
            raise UnusableScenario(
                f"the step {do!r} (of {who}) is not one that a replay knows; known are: "
                f"{', '.join(sorted(FIELDS))}"
            )
        client = _read(CLIENT_NAME, event["client"], f"a step {do!r} has client")
        step = _step(event, do, client)
        own = found.setdefault(client, [])
        _check_order(step, own, client, topics)
        own.append(step)
    for client, own in found.items():
        _end_loops(own, client)
    return found, _with_pauses(of_brokers)


def _with_pauses(steps: list[BrokerStep]) -> list[BrokerStep]:
    """Each `kill -STOP` lasts until the next `kill -CONT` of its broker; without one, a day."""
    found = list(steps)
    standing: dict[int, int] = {}
    for place, step in enumerate(steps):
        if step.do == "kill -STOP":
            standing[step.broker] = place
            found[place] = dataclasses.replace(step, for_ms=LONGEST_STEP_MS)
        elif step.do == "kill -CONT":
            if step.broker not in standing:
                raise UnusableScenario(
                    f"a step 'kill -CONT' of broker {step.broker} has no 'kill -STOP' before it"
                )
            begins = standing.pop(step.broker)
            kind = FieldKind(f"0 to {LONGEST_STEP_MS} ms (a day) later", _whole(0, LONGEST_STEP_MS))
            for_ms = _read(
                kind,
                step.at_ms - steps[begins].at_ms,
                f"a step 'kill -CONT' of broker {step.broker} comes after its 'kill -STOP' by",
            )
            found[begins] = dataclasses.replace(found[begins], for_ms=for_ms)
    return found


def _end_loops(steps: list[dict[str, Any]], client: str) -> None:
    """A loop is told otherwise by the next step of its consumer, or ends by itself:
    `until_ms` (epoch) or `for_ms`."""
    for place, step in enumerate(steps):
        if step["do"] == LOOP:
            later = [
                one
                for one in steps[place + 1 :]
                if one["object"] != "producer" and one["do"] not in NEEDS_PRODUCER
            ]
            if step["stop_after_records"] is not None:  # the program waited until they were copied
                later = []
            elif not later and step["for_ms"] is None:
                raise UnusableScenario(
                    f"the step {LOOP!r} of {client} never ends: it has no for_ms, and no later "
                    "step tells it otherwise"
                )
            step["until_ms"] = later[0]["at_ms"] if later and later[0]["do"] != "kill -9" else None


def _is_broker(name: Any) -> bool:
    return isinstance(name, str) and re.fullmatch(r"broker \d+", name) is not None


def _broker_step(
    event: Mapping[str, Any], do: str, brokers: Mapping[int, str], after: Mapping[str, int]
) -> BrokerStep:
    broker = int(event["client"].split()[1])
    if broker not in brokers:
        raise UnusableScenario(
            f"a step {do!r} is of broker {broker}; there are {', '.join(map(str, brokers))}"
        )
    return BrokerStep(
        _read(MOMENT, event.get("at_ms"), f"a step {do!r} of broker {broker} has at_ms"),
        broker,
        do,
        after,
    )


def _step(event: Mapping[str, Any], do: str, client: str) -> dict[str, Any]:
    """The step with the fields of the table, each with a value:
    None where an optional one is left out."""
    step: dict[str, Any] = {"do": do}
    for name, kind in {"at_ms": MOMENT, "object?": OWNER, **FIELDS[do]}.items():
        name, optional = name.rstrip("?"), name.endswith("?")
        if name in event:
            step[name] = _read(kind, event[name], f"the step {do!r} of {client} has {name}")
        elif optional:
            step[name] = None
        else:
            raise UnusableScenario(f"a step {do!r} of {client} lacks {name!r}")
    if do in CONFIGS:
        step["config"] = step["config"] or {}
    return step


def _check_order(
    step: Mapping[str, Any], before: list[dict[str, Any]], client: str, topics: Mapping[str, Any]
) -> None:
    """Refuses a step that uses a client that the program has not made."""
    do, made = step["do"], {earlier["do"] for earlier in before}
    if "kill -9" in made:
        raise UnusableScenario(
            f"the step {do!r} of {client} comes after its 'kill -9': a process that is gone does "
            "nothing"
        )
    if do in CONFIGS:
        return
    wanted = (
        {"new KafkaProducer"}
        if do in NEEDS_PRODUCER
        else set(CONFIGS)
        if do in EITHER
        else {"new KafkaShareConsumer"}
        if do == "acknowledge"
        else CONSUMERS
        if do in FOR_BOTH
        else {"new KafkaConsumer"}
    )
    if do in EITHER and step["object"] is not None:
        wanted = CONSUMERS if step["object"] == "consumer" else {"new KafkaProducer"}
    if not wanted & made:
        raise UnusableScenario(
            f"the step {do!r} of {client} comes before any "
            f"{' or '.join(repr(name) for name in sorted(wanted))}"
        )
    if do == "position" and step["partition"] is None and step["partitions"] is None:
        raise UnusableScenario(f"a step 'position' of {client} lacks 'partition'")
    if do == "partitionsFor" and step["topic"] is None and not topics:
        raise UnusableScenario(
            f"a step 'partitionsFor' of {client} lacks 'topic', and there is none to choose"
        )
