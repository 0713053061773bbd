"""JavaClient: what a real producer, consumer and admin client have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from kafkalab.clients.network import arguments
from kafkalab.clients.network.metrics import MetricName, MetricValues
from kafkalab.errors import IllegalArgumentException, NoSuchName, name_hint
from kafkalab.real import simulator_words
from kafkalab.real.java_process import items_of
from kafkalab.real.real_apps import end_if_asked

if TYPE_CHECKING:
    from kafkalab.real.real_lab import RealLab

STRINGS = "org.apache.kafka.common.serialization.String"
"""The serializers of text, `StringSerializer` and `StringDeserializer`."""
T = TypeVar("T")


class JavaClient:
    """A released Java client in a JVM of its own.

    lab      a RealLab
    config   dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version  the client release ("2.3"); the lab's when left out
    name     the client's name in the lab; client.id when left out
    """

    kind = "client"
    shown = "JavaClient"
    defaults: Mapping[str, str] = {}
    """Settings that the simulator does not ask for."""

    def __init__(
        self,
        lab: RealLab,
        config: Mapping[str, Any] | None = None,
        *,
        version: str | None = None,
        name: str | None = None,
        **simulated: object,
    ) -> None:
        _check_lab(self.shown, lab)
        arguments.config_mapping(self.shown, config)
        for word in simulated:
            said = simulator_words.refused_word(f"A real {self.shown}", word)
            raise IllegalArgumentException(said or f"A real {self.shown} takes no {word!r}.")
        given = {"bootstrap.servers": lab.first_address, **self.defaults, **(config or {})}
        _check_values(self.shown, given)
        given["bootstrap.servers"] = lab.real_servers(str(given["bootstrap.servers"]))
        self._lab, self.version = lab, version or lab.version
        wanted = name or str(given.get("client.id") or self.default_name(given))
        self.name = lab.unused_name(wanted)
        self.java = lab.start_client(self.kind, self.version, self.name)
        properties = self.java.properties(given)
        self._object = self._call(self.make, properties)
        self.client_id = str(given.get("client.id") or self.default_name(given))
        lab.name_client(self.name, self.client_id)

    def default_name(self, config: Mapping[str, Any]) -> str:
        """The client.id that Java gives a client without one: it is alone in its JVM."""
        del config
        return f"{self.kind}-1"

    def make(self, properties: Any) -> Any:
        """The Java object."""
        raise NotImplementedError

    def _call(self, function: Callable[..., T], *args: Any) -> T:
        """function(*args) in Java. Raises AppEnded in an app that was killed."""
        end_if_asked()
        try:
            return self.java.call(function, *args)
        finally:
            end_if_asked()

    def _close(self, timeout_ms: int) -> None:
        """Java's close(): of a Duration from 2.2 on (KIP-367), before of a number and a unit."""

        def into_java() -> None:
            if self.java.has_method(self._object, "close", "java.time.Duration"):
                self._object.close(self.java.duration(timeout_ms))
            else:
                unit = self.java.jvm.java.util.concurrent.TimeUnit.MILLISECONDS
                self._object.close(timeout_ms, unit)

        self._call(into_java)

    def metrics(self) -> MetricValues:
        """The client's metrics that are numbers, under Kafka's names."""

        def read() -> MetricValues:
            found: dict[MetricName, float] = {}
            for entry in items_of(self._object.metrics().entrySet()):
                value, name = entry.getValue().metricValue(), entry.getKey()
                if isinstance(value, (int, float)):
                    tags = sorted((str(tag), str(of)) for tag, of in name.tags().items())
                    found[MetricName(str(name.name()), str(name.group()), tuple(tags))] = value
            return MetricValues(found)

        return self._call(read)

    def __getattr__(self, name: str) -> Any:
        """Called for an unknown name only. Raises NoSuchName."""
        if name.startswith("_") or name in ("java", "client_id"):
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")
        public = [each for each in dir(type(self)) if not each.startswith("_")]
        raise NoSuchName(f"A real {self.shown} has no {name!r}.{name_hint(name, public)}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.version})"


def as_java(interface: str, **methods: Callable[..., None]) -> Any:
    """Something that py4j hands to Java as this interface of org.apache.kafka.clients."""
    java = SimpleNamespace(implements=(f"org.apache.kafka.clients.{interface}",))
    return SimpleNamespace(Java=java, **methods)


def call_back(client: str, what: str, callback: Callable[..., object], *told: Any) -> None:
    """Call a callback of the caller's from Java, which goes on where it raises: Python warns."""
    try:
        callback(*told)
    except Exception as problem:
        warnings.warn(
            f"{what} raised {type(problem).__name__}: {problem}. The {client} goes on without it.",
            stacklevel=1,
        )


def _check_lab(client: str, lab: RealLab) -> None:
    if not hasattr(lab, "start_client"):
        raise IllegalArgumentException(
            f"A real {client} needs a real lab: from kafkalab.real import Lab, then "
            f"{client}(Lab(), {{...}}). It got {lab!r} instead."
        )


def _check_values(client: str, config: Mapping[str, Any]) -> None:
    for key, value in config.items():
        if not isinstance(key, str):
            raise IllegalArgumentException(f"the name of a setting is a text, not {key!r}")
        parts = value if isinstance(value, (list, tuple)) else [value]
        if any(callable(part) for part in parts):
            raise IllegalArgumentException(
                f"A real {client} runs in Java, so {key} names a Java class; a Python function "
                "needs the simulator."
            )
