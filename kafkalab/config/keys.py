"""ConfigKey: the name, type, default of each release, check and effect of one configuration key.

Kafka's class is `org.apache.kafka.common.config.ConfigDef`. The sentences of failed checks are
Java's.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from kafkalab.config.durations import duration_ms
from kafkalab.errors import ConfigException
from kafkalab.releases import BROKER_PROFILES, PROFILES, newest
from kafkalab.releases.page import GONE as GONE

LATER = GONE
"""As a default: client 2.1 (a broker 2.3) does not have the key;
the page of a later release brings it."""


class Type(Enum):
    """How a value is written and read. The names are Java's (ConfigDef.Type)."""

    BOOLEAN = "BOOLEAN"
    SHORT = "SHORT"
    INT = "INT"
    LONG = "LONG"
    DOUBLE = "DOUBLE"
    STRING = "STRING"
    LIST = "LIST"
    CLASS = "CLASS"
    # a LIST whose default names classes, so the default prints as [class a, class b]; or Python
    # objects
    CLASSES = "CLASSES"
    PASSWORD = "PASSWORD"
    # a CLASS of the learner's own: a Python class, object or function; or the name of one of
    # Kafka's
    PLUGIN = "PLUGIN"
    PLUGINS = "PLUGINS"  # a LIST of classes in Java; here of Python classes or objects


class Effect(Enum):
    """What setting a key does in the lab.

    SIMULATED: what it does in Kafka. INERT: accepted, and nothing that the lab shows depends on it.
    FIXED: only the default is accepted, because another value would change behaviour the lab does
        not have.
    """

    SIMULATED = "simulated"
    INERT = "inert"
    FIXED = "fixed"


Check = Callable[[str, Any], None]

KAFKAS = "org.apache.kafka."
"""How the names of Kafka's own classes begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigKey:
    """One configuration key of a producer or a consumer.

    base: the default in the oldest release, client 2.1 or broker 2.3; other releases' defaults
        are on their pages.
    doc: one line; for an INERT or FIXED key it says why.
    check: of a typed value in the oldest release; a page may name another one of `NAMED_CHECKS`.
    also: what a FIXED key takes besides its default.
    of: whose key it is: "client" (every client), "producer", "consumer", "admin", "broker" or
        "topic".
    """

    name: str
    type: Type
    base: object
    doc: str
    check: Check | None = None
    effect: Effect = Effect.SIMULATED
    also: tuple[object, ...] = ()
    of: str = "client"

    def default(self, version: str) -> Any:
        """The default in this release; GONE where it does not know the key.
        Raises UnknownRelease."""
        profiles = BROKER_PROFILES if self.of in ("broker", "topic") else PROFILES
        return profiles[version].config[self.of].get(self.name, self.base)

    def read(self, given: object, version: str = newest()) -> Any:
        """The typed value of what somebody wrote: text as in a properties file, or a Python value.
        ConfigException.

        version: the client's; the keys of brokers and topics have the same check in every release.
        """
        value = READERS[self.type](self.name, given)
        named = None if self.of in ("broker", "topic") else PROFILES[version].checks.get(self.name)
        check = NAMED_CHECKS[named] if named else self.check
        if check is not None and value is not None:
            check(self.name, value)
        return value


def _invalid(name: str, given: object, why: str) -> ConfigException:
    return ConfigException(f"Invalid value {given} for configuration {name}: {why}")


def _boolean(name: str, given: object) -> bool:
    if isinstance(given, bool):
        return given
    found = {"true": True, "false": False}.get(str(given).strip().lower())
    if found is None:
        raise _invalid(name, given, "Expected value to be either true or false")
    return found


def _integer(java_type: str, bits: int) -> Callable[[str, object], int]:
    """A whole number as Java reads one: a number that is too large for the type is refused."""

    def read(name: str, given: object) -> int:
        try:
            number = (
                given
                if isinstance(given, int) and not isinstance(given, bool)
                else int(str(given).strip())
            )
        except ValueError:
            number = None
        if number is None or not -(1 << bits - 1) <= number < 1 << bits - 1:
            raise _invalid(name, given, f"Not a number of type {java_type}")
        return number

    return read


def _double(name: str, given: object) -> float:
    try:
        return float(str(given).strip())
    except ValueError:
        raise _invalid(name, given, "Not a number of type DOUBLE") from None


def _text(name: str, given: object) -> str | None:
    return None if given is None else str(given).strip()


def _class(name: str, given: object) -> object:
    """A class is one of Kafka's that the lab names, or an object of the caller's own."""
    if isinstance(given, str) and not given.strip().startswith(KAFKAS):
        raise _invalid(name, given.strip(), f"Class {given.strip()} could not be found.")
    return given.strip() if isinstance(given, str) else given


def _list(name: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",")) if given.strip() else ()
    if given is None:
        return ()
    if not isinstance(given, (list, tuple)):
        raise _invalid(name, given, "Expected a comma separated list.")
    return tuple(str(part) for part in given)


def _classes(name: str, given: object) -> tuple[object, ...]:
    """Names of classes as a LIST; objects of the caller's own are accepted, alone or in the
    list."""
    if given is None or isinstance(given, str):
        return _list(name, given)
    if not isinstance(given, (list, tuple)):
        return (given,)
    return tuple(part.strip() if isinstance(part, str) else part for part in given)


def _plugin(name: str, given: object) -> object:
    return given.strip() if isinstance(given, str) else given


def _plugins(name: str, given: object) -> tuple[object, ...]:
    if given is None or given == "":
        return ()
    if isinstance(given, str):
        raise _invalid(
            name,
            given,
            "Java would load a class of that name; give a list of Python classes or objects",
        )
    return tuple(given) if isinstance(given, (list, tuple)) else (given,)


READERS: Mapping[Type, Callable[[str, object], object]] = {
    Type.BOOLEAN: _boolean,
    Type.SHORT: _integer("SHORT", 16),
    Type.INT: _integer("INT", 32),
    Type.LONG: _integer("LONG", 64),
    Type.DOUBLE: _double,
    Type.STRING: _text,
    Type.LIST: _list,
    Type.CLASS: _class,
    Type.CLASSES: _classes,
    Type.PASSWORD: _text,
    Type.PLUGIN: _plugin,
    Type.PLUGINS: _plugins,
}


def nearest(name: str, known: Iterable[str]) -> str:
    """The key somebody may have meant; groupId, group_id and group-id are group.id."""
    dotted = re.sub(r"[\s_-]+", ".", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", ".", name)).lower()
    # Here and not above: a first import should not take long, and most keys are spelled well.
    import difflib

    return difflib.get_close_matches(dotted, list(known), n=1, cutoff=0.0)[0]


def at_least(lowest: float) -> Check:
    """Value must be at least `lowest`."""

    def check(name: str, value: Any) -> None:
        if value < lowest:
            raise _invalid(name, value, f"Value must be at least {lowest}")

    return check


def number_between(lowest: float, highest: float) -> Check:
    """Value must be in `lowest`..`highest`, both included."""

    def check(name: str, value: Any) -> None:
        at_least(lowest)(name, value)
        if value > highest:
            raise _invalid(name, value, f"Value must be no more than {highest}")

    return check


def gzip_level(name: str, value: Any) -> None:
    """GZIP's own levels, or -1 for its default."""
    if value != -1 and not 1 <= value <= 9:
        raise _invalid(name, value, "Value must be between 1 and 9 or equal to -1")


def reset_strategy(name: str, value: Any) -> None:
    """earliest, latest, none, or by_duration:PnDTnHnMn.nS (KIP-1106, 4.0)."""
    policy, _, duration = str(value).partition(":")
    by_duration = policy == "by_duration" and duration_ms(duration) is not None
    if value not in ("earliest", "latest", "none") and not by_duration:
        raise _invalid(
            name,
            value,
            f"Invalid value `{value}` for configuration {name}. The value must be either "
            "'earliest', 'latest', 'none' or of the format 'by_duration:<PnDTnHnMn.nS.>'.",
        )


def not_empty(name: str, value: Any) -> None:
    """String must be non-empty; null is accepted."""
    if value == "":
        raise _invalid(name, value, "String must be non-empty")


def one_of_strings(*allowed: str) -> Check:
    """String must be one of `allowed`."""

    def check(name: str, value: Any) -> None:
        if value not in allowed:
            raise _invalid(name, value, f"String must be one of: {', '.join(allowed)}")

    return check


def each_one_of(*allowed: str) -> Check:
    """Every element of a list must be one of `allowed`."""
    check_one = one_of_strings(*allowed)

    def check(name: str, value: Any) -> None:
        for one in value:
            check_one(name, one)

    return check


def either(first: str, second: str) -> Check:
    """Value must be one of two, in any case (ShareAcknowledgementMode, ShareAcquireMode)."""

    def check(name: str, value: Any) -> None:
        if str(value).lower() not in (first, second):
            raise _invalid(
                name,
                value,
                f"Invalid value `{value}` for configuration {name}. The value must either be "
                f"'{first}' or '{second}'.",
            )

    return check


def one_of_any_case(*allowed: str) -> Check:
    """String must be one of (case insensitive) `allowed`."""

    def check(name: str, value: Any) -> None:
        if str(value).lower() not in map(str.lower, allowed):
            raise _invalid(
                name, value, f"String must be one of (case insensitive): {', '.join(allowed)}"
            )

    return check


SERDES = ("String", "Integer", "Long", "Double", "ByteArray")
"""The types for which the lab has Kafka's serializer and deserializer."""


def one_of_serdes(kind: str) -> Check:
    """The value is one of Kafka's classes of that kind ("S" or "Des"), or a Python function."""
    known = [f"{KAFKAS}common.serialization.{of}{kind}erializer" for of in SERDES]
    takes = "a key or value, and returns bytes" if kind == "S" else "bytes"

    def check(name: str, value: Any) -> None:
        if isinstance(value, str) and value not in known:
            raise _invalid(
                name,
                value,
                f"the lab has {', '.join(known)}; or give a Python function that takes {takes}.",
            )
        if not isinstance(value, str) and not callable(value):
            raise _invalid(
                name,
                repr(value),
                f"give a Python function that takes {takes}, or the name of a class of Kafka's.",
            )

    return check


NAMED_CHECKS: Mapping[str, Check] = {
    "lookups without default": one_of_strings(
        "use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"
    ),
    "levels with TRACE": one_of_strings("INFO", "DEBUG", "TRACE"),
    "strategies and durations": reset_strategy,
    "security protocols": one_of_any_case("SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"),
}
"""The checks that the pages of releases name."""


def key(name: str, type: Type, default: object, doc: str, check: Check | None = None) -> ConfigKey:
    """A key that does in the lab what it does in Kafka."""
    return ConfigKey(name=name, type=type, base=default, doc=doc, check=check)


def inert(
    name: str, type: Type, default: object, why: str, check: Check | None = None
) -> ConfigKey:
    """A key that is accepted and makes no difference to anything the lab shows."""
    return ConfigKey(name=name, type=type, base=default, doc=why, check=check, effect=Effect.INERT)


def fixed(
    name: str,
    type: Type,
    default: object,
    why: str,
    check: Check | None = None,
    also: tuple[object, ...] = (),
) -> ConfigKey:
    """A key that accepts only its default and the values of `also`."""
    return ConfigKey(
        name=name, type=type, base=default, doc=why, check=check, effect=Effect.FIXED, also=also
    )


def keys_of(kind: str, *keys: ConfigKey) -> tuple[ConfigKey, ...]:
    """These keys as keys of a kind of client, or of brokers or topics."""
    return tuple(replace(one, of=kind) for one in keys)
