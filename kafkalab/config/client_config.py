"""ProducerConfig, ConsumerConfig and AdminClientConfig: a client's settings, typed, checked and
printed as at its start.

`ConsumerConfig.for_version("3.9", {"group.id": "test"})` gives a mapping with every key that
version knows. Keys and defaults are data: `client_keys`, `security_keys`. Unlike Java, which only
warns of a key it does not know, the lab refuses it and names the nearest known one; and it refuses
a value whose behaviour it does not have. The brokers' settings are in
`kafkalab.broker.broker_config`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from kafkalab.config.client_keys import (
    ADMIN_KEYS,
    ASSIGNOR_PROTOCOLS,
    CONSUMER_KEYS,
    NOT_FOR_ADMINS,
    PRODUCER_KEYS,
    SHARED_KEYS,
)
from kafkalab.config.keys import (
    GONE,
    LATER,
    ConfigKey,
    Effect,
    Type,
    either,
    key,
    keys_of,
    nearest,
)
from kafkalab.config.names import fault_of_name
from kafkalab.config.security_keys import SECURITY_KEYS
from kafkalab.errors import ConfigException, InvalidConfigurationException, KafkaException
from kafkalab.releases import PROFILES, releases_with
from kafkalab.releases.lineage import newest


class ClientConfig(Mapping[str, Any]):
    """All keys of one client with their typed values, read-only (AbstractConfig).

    given: the keys somebody set, as typed values; the others hold their version's default.
    """

    kind = "client"
    keys_known: Mapping[str, ConfigKey] = {}

    def __init__(self, version: str, given: Mapping[str, object]) -> None:
        self.version = version
        self.given: dict[str, Any] = {
            name: self._read(name, value) for name, value in given.items()
        }
        defaults = {
            name: default
            for name, key in self.keys_known.items()
            if (default := key.default(version)) is not GONE
        }
        self._values: dict[str, Any] = defaults | self.given
        if self.has_flat_backoff:
            self._values["reconnect.backoff.max.ms"] = self._values["reconnect.backoff.ms"]
        self._settle()

    @property
    def has_flat_backoff(self) -> bool:
        """A client that sets reconnect.backoff.ms and not its maximum has pauses that do not grow
        (postProcessReconnectBackoffConfigs, KIP-144)."""
        return "reconnect.backoff.ms" in self.given and "reconnect.backoff.max.ms" not in self.given

    @classmethod
    def for_version(cls, version: str, given: Mapping[str, object]) -> Self:
        """The configuration of a client of `version` ("3.9") that was given these keys.
        ConfigException says what is wrong."""
        return cls(version, given)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.version!r}, {self.given!r})"

    def _not_constructed(self, sentence: str) -> KafkaException:
        """The error of settings that the client's constructor refuses, and not their reading."""
        return KafkaException(f"Failed to construct kafka {self.kind}: {sentence}")

    def printed(self, name: str) -> Any:
        """The value as the client prints it, which is not always the one it acts on."""
        return self._values[name]

    def _settle(self) -> None:
        """Derives values from several keys together; subclasses define it."""

    def _read(self, name: str, value: object) -> Any:
        key = self.keys_known.get(name)
        if key is None or key.default(self.version) is GONE:
            raise ConfigException(self._unknown(name, key))
        typed = key.read(value, self.version)
        if (
            key.effect is Effect.FIXED
            and typed != key.default(self.version)
            and typed not in key.also
        ):
            raise ConfigException(f"{name}={value} cannot be played here: {key.doc}.")
        return typed

    def _unknown(self, name: str, key: ConfigKey | None) -> str:
        if key is not None:
            versions = [version for version in PROFILES if key.default(version) is not GONE]
            return (
                f"A {self.kind} {self.version} does not know {name}: it exists from {versions[0]} "
                f"to {versions[-1]}."
            )
        if any(
            name in other.keys_known
            for other in (ProducerConfig, ConsumerConfig, AdminClientConfig)
        ):
            return f"{name} is not for a {self.kind} but for another kind of client."
        known = [
            known for known, key in self.keys_known.items() if key.default(self.version) is not GONE
        ]
        near = nearest(name, known)
        return (
            f"A {self.kind} {self.version} does not know {name}; the nearest key it knows is "
            f"{near}."
        )


class ProducerConfig(ClientConfig):
    """The keys of one producer with their typed values. `acks` is "all", "1" or "0";
    enable.idempotence is the value that the producer acts on.

    Idempotence needs acks=all, retries and at most five requests in flight (KIP-98). When it is
    asked for together with other values, the configuration is refused. When it is only the default
    (KIP-679), it is turned off.
    """

    kind = "producer"
    keys_known = {key.name: key for key in (*SHARED_KEYS, *SECURITY_KEYS, *PRODUCER_KEYS)}

    def _settle(self) -> None:
        values = self._values
        self._as_configured = dict(values)
        values["acks"] = {"-1": "all"}.get(values["acks"], values["acks"])
        is_transactional = values["transactional.id"] is not None
        is_wanted = "enable.idempotence" in self.given
        is_only_default = values["enable.idempotence"] and not is_wanted
        if is_transactional and self.given.get("enable.idempotence") is False:
            raise self._contradiction(NOT_TRANSACTIONAL)
        if is_transactional:
            values["enable.idempotence"] = True
        in_flight = values["max.in.flight.requests.per.connection"]
        refuses_more = PROFILES[self.version].producing.refuses_more_in_flight
        too_many = TOO_MANY_IN_FLIGHT if refuses_more else TOO_MANY_IN_FLIGHT_OLD
        obstacles = [
            sentence
            for hinders, sentence in (
                (
                    values["retries"] == 0,
                    "Must set retries to non-zero when using the idempotent producer.",
                ),
                (
                    "acks" in self.given and values["acks"] != "all",
                    (
                        "Must set acks to all in order to use the idempotent producer. Otherwise "
                        "we cannot guarantee idempotence."
                    ),
                ),
                (in_flight > 5, too_many.format(count=in_flight)),
            )
            if hinders
        ]
        if values["enable.idempotence"] and obstacles:
            if not is_only_default:
                raise self._contradiction(obstacles[0])
            if in_flight > 5 and refuses_more:
                raise self._contradiction(obstacles[-1])
            if is_transactional:
                raise self._contradiction(NOT_TRANSACTIONAL)
            values["enable.idempotence"] = False
        if values["enable.idempotence"]:
            values["acks"] = "all"
        self._settle_delivery_timeout()

    def _contradiction(self, sentence: str) -> KafkaException:
        """The error of settings that idempotence contradicts: those who settled them refused them,
        the constructor or the configuration."""
        if PROFILES[self.version].printing.prints_acks_as_given:
            return self._not_constructed(sentence)
        return ConfigException(sentence)

    def _settle_delivery_timeout(self) -> None:
        """A record needs the time to linger and one request, at least (KIP-91)."""
        values = self._values
        least_ms = min(values["linger.ms"] + values["request.timeout.ms"], LARGEST_INT)
        if values["delivery.timeout.ms"] < least_ms:
            if "delivery.timeout.ms" in self.given:
                raise self._not_constructed(
                    "delivery.timeout.ms should be equal to or larger than linger.ms + "
                    "request.timeout.ms"
                )
            values["delivery.timeout.ms"] = least_ms

    @property
    def why_not_idempotent(self) -> list[tuple[str, dict[str, object]]]:
        """The lines that 3.x and later write when they turn off idempotence, their default: (name
        in the catalogue, values)."""
        configured = self._as_configured
        if not configured["enable.idempotence"] or self["enable.idempotence"]:
            return []
        lines: list[tuple[str, dict[str, object]]] = (
            [("NOT_IDEMPOTENT_WITHOUT_RETRIES", {})] if self["retries"] == 0 else []
        )
        if self["acks"] != "all":
            lines.append(("NOT_IDEMPOTENT_WITH_ACKS", {"acks": self["acks"]}))
        count = self["max.in.flight.requests.per.connection"]
        return lines + (
            [("NOT_IDEMPOTENT_WITH_MANY_IN_FLIGHT", {"count": count})] if count > 5 else []
        )

    @property
    def raised_delivery_timeout_ms(self) -> int | None:
        """delivery.timeout.ms where linger.ms and request.timeout.ms made it
        longer than its default; None otherwise."""
        now_ms = self["delivery.timeout.ms"]
        return now_ms if now_ms != self._as_configured["delivery.timeout.ms"] else None

    def printed(self, name: str) -> Any:
        if PROFILES[self.version].printing.prints_acks_as_given or name == "delivery.timeout.ms":
            return self._as_configured[name]
        return "-1" if name == "acks" and self["acks"] == "all" else self[name]


NOT_TRANSACTIONAL = "Cannot set a transactional.id without also enabling idempotence."
LARGEST_INT = 2_147_483_647
TOO_MANY_IN_FLIGHT = (
    "To use the idempotent producer, max.in.flight.requests.per.connection must be set to at most "
    "5. Current value is {count}."
)
TOO_MANY_IN_FLIGHT_OLD = (
    "Must set max.in.flight.requests.per.connection to at most 5 to use the idempotent producer."
)


class ConsumerConfig(ClientConfig):
    """The keys of one consumer with their typed values. partition.assignment.strategy holds full
    class names; `assignors` their protocol names."""

    kind = "consumer"
    log_name, log_entry = "Consumer", "CONSUMER_CONFIG"
    keys_known = {key.name: key for key in (*SHARED_KEYS, *SECURITY_KEYS, *CONSUMER_KEYS)}

    @property
    def assignors(self) -> tuple[str, ...]:
        """`("range", "cooperative-sticky")`: the protocols that a member offers, the preferred one
        first."""
        return tuple(_protocol_of(given) for given in self["partition.assignment.strategy"])

    @property
    def own_assignors(self) -> dict[str, object]:
        """The learner's own assignors among them, by the same names."""
        return {
            _protocol_of(given): given
            for given in self["partition.assignment.strategy"]
            if not isinstance(given, str)
        }

    def _settle(self) -> None:
        values = self._values
        full = {name.rpartition(".")[2]: name for name in ASSIGNOR_PROTOCOLS}
        strategy = tuple(
            full.get(name, name) if isinstance(name, str) else name
            for name in values["partition.assignment.strategy"]
        )
        for name in strategy:
            if not isinstance(name, str):
                if not callable(getattr(name, "assign", name)):
                    raise ConfigException(
                        f"Invalid value {name!r} for configuration partition.assignment.strategy: "
                        "give the name of a class, an object with assign(partitions, "
                        "subscriptions), or a function of these"
                    )
                continue
            if name not in ASSIGNOR_PROTOCOLS:
                raise ConfigException(
                    f"partition.assignment.strategy={name} cannot be played here: "
                    f"the lab has {', '.join(sorted(full))}; or give a Python function."
                )
            protocol = ASSIGNOR_PROTOCOLS[name]
            if protocol not in PROFILES[self.version].group.assignors:
                since = _releases_with_assignor(protocol)[0]
                raise ConfigException(
                    f"Invalid value {name} for configuration partition.assignment.strategy: Class "
                    f"{name} could not be found. A consumer {self.version} does not have it; take "
                    f"{since} or later."
                )
        values["partition.assignment.strategy"] = strategy
        self._check_group_protocol()
        self._check_group()
        self._check_instance(values.get("group.instance.id"))

    def _check_group(self) -> None:
        """Looks at the group's id, and whether there is something to commit to."""
        values = self._values
        if values["group.id"] is None:  # KIP-289: nowhere to commit to
            if self.given.get("enable.auto.commit"):
                raise self._no_group_to_commit_to()
            values["enable.auto.commit"] = False
        elif not values["group.id"].strip() and not PROFILES[self.version].group.takes_empty_group:
            raise self._not_constructed(
                "The configured group.id should not be an empty string or whitespace."
            )

    def _no_group_to_commit_to(self) -> KafkaException:
        sentence = "enable.auto.commit cannot be set to true when default group id (null) is used."
        if PROFILES[self.version].printing.prints_acks_as_given:
            return self._not_constructed(sentence)
        return InvalidConfigurationException(sentence)

    def _check_instance(self, name: str | None) -> None:
        """A static member's name is made like that of a topic
        (JoinGroupRequest.validateGroupInstanceId)."""
        wrong = None if name is None else fault_of_name(name)
        if wrong is not None:
            raise self._not_constructed(f"Group instance id is invalid: {wrong}")

    def _check_group_protocol(self) -> None:
        """Refuses the keys that belong to the other protocol
        (ConsumerConfig.checkUnsupportedConfigsPostProcess)."""
        protocol = str(self._values.get("group.protocol", "classic")).upper()
        if protocol == "CONSUMER" and not PROFILES[self.version].group.plays_consumer_protocol:
            able = releases_with(lambda profile: profile.group.plays_consumer_protocol)
            raise ConfigException(
                f"group.protocol=consumer cannot be played with client {self.version}: it was a "
                f"preview there, and no recording shows it. Take one of {', '.join(able)}."
            )
        others = [
            name for name in NOT_WITH_PROTOCOL[protocol] if str(self.given.get(name) or "").strip()
        ]
        if others:
            raise ConfigException(
                f"{', '.join(others)} cannot be set when group.protocol={protocol}"
            )


SHARE_KEYS = keys_of(
    "consumer",
    key(
        "share.acknowledgement.mode",
        Type.STRING,
        LATER,
        "implicit: a poll accepts what the last one returned; explicit: the application says",
        either("implicit", "explicit"),
    ),
    key(
        "share.acquire.mode",
        Type.STRING,
        LATER,
        "batch_optimized acquires to the end of a batch; record_limit never more than "
        "max.poll.records (KIP-1206)",
        either("batch_optimized", "record_limit"),
    ),
)

NOT_FOR_SHARE_CONSUMERS = (
    "auto.offset.reset",
    "enable.auto.commit",
    "group.instance.id",
    "isolation.level",
    "partition.assignment.strategy",
    "interceptor.classes",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "group.protocol",
    "group.remote.assignor",
)
"""ShareConsumerConfig.SHARE_GROUP_UNSUPPORTED_CONFIGS."""


EARLY_SHARE_CONSUMER = (
    "The real one is unfinished: it can be made, and with brokers 4.4 its poll() ends in an "
    "UnsupportedVersionException."
)
NO_SHARE_CONSUMER = "The real client has no KafkaShareConsumer; its class came with 3.9."
"""What real clients do that the lab does not play: tried with the released jars."""


class ShareConsumerConfig(ConsumerConfig):
    """The keys of one share consumer with their typed values (KIP-932). Where an offset begins and
    how long a lock lasts are settings of the group, not of its consumers."""

    kind = "share consumer"
    log_name, log_entry = "ShareConsumer", "SHARE_CONSUMER_CONFIG"
    keys_known = ConsumerConfig.keys_known | {key.name: key for key in SHARE_KEYS}

    @classmethod
    def for_version(cls, version: str, given: Mapping[str, object]) -> Self:
        if cls.keys_known["share.acknowledgement.mode"].default(version) is GONE:
            raise ConfigException(
                f"The lab plays share consumers with client {newest()} only (KIP-932), not with "
                f"{version}. "
                + (
                    EARLY_SHARE_CONSUMER
                    if PROFILES[version].group.has_early_share_consumer
                    else NO_SHARE_CONSUMER
                )
            )
        wrong = [name for name in NOT_FOR_SHARE_CONSUMERS if name in given]
        if wrong:
            raise ConfigException(f"{', '.join(wrong)} cannot be set when using a share group.")
        return cls(version, given)

    def _check_group(self) -> None:
        if not self._values["group.id"]:
            raise KafkaException(
                "Failed to construct Kafka share consumer: You must provide a valid group.id in "
                "the consumer configuration."
            )


NOT_WITH_PROTOCOL = {
    "CLASSIC": ("group.remote.assignor",),
    "CONSUMER": ("partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms"),
}
"""The coordinator sets these for its members in the new protocol (KIP-848)."""


def _releases_with_assignor(protocol: str) -> list[str]:
    return releases_with(lambda profile: protocol in profile.group.assignors)


def _protocol_of(assignor: object) -> str:
    """The name of an assignor in JoinGroup: Kafka's own by their class, a learner's by its `name`
    or the name of its function."""
    if isinstance(assignor, str):
        return ASSIGNOR_PROTOCOLS[assignor]
    return str(
        getattr(assignor, "name", None) or getattr(assignor, "__name__", type(assignor).__name__)
    )


class AdminClientConfig(ClientConfig):
    """The keys of one admin client with their typed values."""

    kind = "admin client"
    keys_known = {
        key.name: key
        for key in (*SHARED_KEYS, *SECURITY_KEYS, *ADMIN_KEYS)
        if key.name not in NOT_FOR_ADMINS
    }


def dump_text(version: str, config: ClientConfig, client_id: str) -> str:
    """The lines below "ConsumerConfig values: " in alphabetical order:
    `\\tacks = 1\\n\\tbatch.size = 16384\\n...`.

    client_id: the client's name; from 2.4 on it prints this name (KAFKA-9033), before only a given
    one.
    """
    lines = []
    for name in sorted(config):
        value = config.printed(name)
        if name == "client.id" and not PROFILES[version].printing.prints_given_client_id:
            value = client_id
        lines.append(
            f"\t{name} = {_printed(config.keys_known[name], value, given=name in config.given)}\n"
        )
    return "".join(lines)


def _printed(key: ConfigKey, value: Any, *, given: bool) -> str:
    """A value as Java prints it; secrets are hidden, and a class has the prefix `class` unless it
    was given as text."""
    if value is None:
        return "null"
    if key.type is Type.PASSWORD:
        return "[hidden]"
    if key.type is Type.CLASS:
        return f"class {_class_name(value)}"
    if key.type is Type.PLUGIN:
        return f"class {_class_name(value)}"
    if key.type is Type.PLUGINS:
        return f"[{', '.join(map(_class_name, value))}]"
    if key.type is Type.CLASSES and not given:
        return f"[{', '.join(f'class {name}' for name in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_class_name, value))}]"
    return str(value)


def _class_name(plugin: object) -> str:
    """A Java class by its name, a Python one as `module.Class`; a function as itself."""
    if isinstance(plugin, str):
        return plugin
    named = plugin if hasattr(plugin, "__qualname__") else type(plugin)
    return f"{named.__module__}.{named.__qualname__}"
