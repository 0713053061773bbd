"""Real Kafka beside the lab: the words of the simulator on real brokers and released Java clients.

    from kafkalab.real import KafkaConsumer, KafkaProducer, Lab

`python -m kafkalab real setup` fetches the jars once. README.md in this folder tells more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkalab.real.jar_sets import NotSetUp
    from kafkalab.real.java_admin import JavaAdminClient as KafkaAdminClient
    from kafkalab.real.java_consumer import JavaConsumer as KafkaConsumer
    from kafkalab.real.java_producer import JavaProducer as KafkaProducer
    from kafkalab.real.java_share_consumer import JavaShareConsumer as KafkaShareConsumer
    from kafkalab.real.proof.both_labs import on_both
    from kafkalab.real.readiness import what_is_missing
    from kafkalab.real.real_lab import RealLab as Lab

HOMES = {
    "KafkaAdminClient": ("java_admin", "JavaAdminClient"),
    "KafkaConsumer": ("java_consumer", "JavaConsumer"),
    "KafkaProducer": ("java_producer", "JavaProducer"),
    "KafkaShareConsumer": ("java_share_consumer", "JavaShareConsumer"),
    "Lab": ("real_lab", "RealLab"),
    "NotSetUp": ("jar_sets", "NotSetUp"),
    "on_both": ("proof.both_labs", "on_both"),
    "what_is_missing": ("readiness", "what_is_missing"),
}
"""The public name -> its module and its name there. Each class has a name of its own in the
project; here it has the simulator's, so that a cell needs another import only."""

__all__ = [
    "KafkaAdminClient",
    "KafkaConsumer",
    "KafkaProducer",
    "KafkaShareConsumer",
    "Lab",
    "NotSetUp",
    "on_both",
    "what_is_missing",
]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"kafkalab.real has no {name!r}; it has {', '.join(__all__)}")
    module, inner = HOMES[name]
    if inner not in ("NotSetUp", "on_both", "what_is_missing"):
        from kafkalab.real import jar_sets, readiness

        if not readiness.HAS_UNIX:
            raise jar_sets.NotSetUp(readiness.WRONG_SYSTEM)
    found = globals()[name] = getattr(import_module(f"kafkalab.real.{module}"), inner)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
