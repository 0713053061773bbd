"""Reads the defaults of three Python clients from their packages, beside those of Java's client.

The page `notebooks/release/clients` shows them. confluent-kafka is Python round the C library
librdkafka, so its defaults are librdkafka's, asked through the library's own functions. aiokafka's
are in its signatures, kafka-python's in a table of each class. Java's are in `kafkalab.config`.
"""

from __future__ import annotations

import asyncio
import ctypes
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from kafkalab.config.client_config import ConsumerConfig, ProducerConfig
from kafkalab.config.client_keys import ASSIGNOR_PROTOCOLS
from kafkalab.extras import PACKAGES, MissingExtra, need_package
from kafkalab.hashing import murmur2, to_positive
from kafkalab.releases.lineage import newest

if TYPE_CHECKING:
    import pandas

CLIENTS = (f"Java {newest()}", "confluent-kafka", "aiokafka", "kafka-python")
PRODUCER_SETTINGS = (
    "acks enable.idempotence linger.ms max.in.flight.requests.per.connection "
    "delivery.timeout.ms buffer.memory queue.buffering.max.messages "
    "queue.buffering.max.kbytes connections.max.idle.ms"
).split()
CONSUMER_SETTINGS = (
    "group.protocol auto.offset.reset enable.auto.commit enable.auto.offset.store "
    "isolation.level session.timeout.ms max.poll.interval.ms max.poll.records "
    "partition.assignment.strategy allow.auto.create.topics"
).split()
NOT_THERE = "not there"
UNREAD = "not read here"
FOR_SHARE_GROUPS = {"max.poll.records"}
"""Settings that librdkafka says are "only supported for share consumers"; a usual one has none."""
LONGEST_VALUE = 512
"""Bytes of room for the text of one setting of librdkafka."""


def ready() -> bool:
    """Whether the three clients are installed. Where one is not, a sentence with the command is
    printed."""
    try:
        for package in PACKAGES["clients"].split():
            need_package(package)
    except MissingExtra as missing:
        print(missing)
        return False
    return True


def murmur2_partition(key: str, partitions: int) -> int:
    """The partition of a key by Java's rule."""
    return to_positive(murmur2(key.encode())) % partitions


def defaults() -> pandas.DataFrame:
    """What each client takes where a setting is left out, in Java's names: a row for each setting,
    a column for each client. Raises MissingExtra where a client is not installed."""
    import pandas

    for package in PACKAGES["clients"].split():
        need_package(package)
    readers = (_java, _librdkafka(), _aiokafka, _kafka_python)
    rows = {
        name: [_shown(name, read(kind, name)) for read in readers]
        for kind, names in (("producer", PRODUCER_SETTINGS), ("consumer", CONSUMER_SETTINGS))
        for name in names
    }
    return pandas.DataFrame.from_dict(rows, orient="index", columns=list(CLIENTS))


def _shown(name: str, value: object) -> str:
    """A value as the table has it."""
    if name == "acks":
        return "all" if value in (-1, "-1", "all") else str(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str) and value.isdigit():
        return f"{int(value):,}"
    if isinstance(value, (tuple, list)):
        return ", ".join(ASSIGNOR_PROTOCOLS.get(each) or each.name for each in value)
    if isinstance(value, str):
        return value.replace(",", ", ")
    return "no limit" if value is None else str(value)


def _java(kind: str, name: str) -> object:
    config = ProducerConfig if kind == "producer" else ConsumerConfig
    given = {} if kind == "producer" else {"group.id": "billing"}
    return config.for_version(newest(), given).get(name, NOT_THERE)


def _aiokafka(kind: str, name: str) -> object:
    import aiokafka

    if name == "acks":  # the signature holds a marker, which the constructor replaces
        with ThreadPoolExecutor(1) as pool:  # a notebook's own thread runs a loop already
            return pool.submit(asyncio.run, _acks_of_aiokafka()).result()
    client = aiokafka.AIOKafkaProducer if kind == "producer" else aiokafka.AIOKafkaConsumer
    return _of_python(_keyword_defaults(client), name)


async def _acks_of_aiokafka() -> object:
    from aiokafka import AIOKafkaProducer

    producer = AIOKafkaProducer()
    acks = producer._sender._acks
    await producer.stop()
    return acks


def _keyword_defaults(client: type) -> dict[str, Any]:
    words = inspect.signature(client).parameters.values()
    return {word.name: word.default for word in words if word.default is not word.empty}


def _kafka_python(kind: str, name: str) -> object:
    import kafka

    client = kafka.KafkaProducer if kind == "producer" else kafka.KafkaConsumer
    return _of_python(client.DEFAULT_CONFIG, name)


def _of_python(known: Mapping[str, object], name: str) -> object:
    """A setting under Python's name: linger.ms is linger_ms."""
    return known.get(name.replace(".", "_"), NOT_THERE)


def _librdkafka() -> Callable[[str, str], object]:
    """A reader of librdkafka's defaults, by the functions of the library that confluent-kafka
    brings.

    A setting belongs to the client or to its topics; the library keeps them apart. Windows does not
    show the functions of a library that another one has loaded: there the values are unread.
    """
    from confluent_kafka import cimpl

    library = ctypes.CDLL(cimpl.__file__)
    if not hasattr(library, "rd_kafka_conf_new"):
        return lambda kind, name: UNREAD
    readers = [_librdkafka_reader(library, kind) for kind in ("rd_kafka", "rd_kafka_topic")]

    def read(kind: str, name: str) -> object:
        if kind == "consumer" and name in FOR_SHARE_GROUPS:
            return NOT_THERE
        return next((value for each in readers if (value := each(name)) is not None), NOT_THERE)

    return read


def _librdkafka_reader(library: ctypes.CDLL, prefix: str) -> Callable[[str], str | None]:
    """Asks a fresh configuration object of librdkafka for one setting; None where it has none."""
    new, get = getattr(library, f"{prefix}_conf_new"), getattr(library, f"{prefix}_conf_get")
    new.restype = ctypes.c_void_p
    size = ctypes.POINTER(ctypes.c_size_t)
    get.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, size]
    conf = new()

    def read(name: str) -> str | None:
        text = ctypes.create_string_buffer(LONGEST_VALUE)
        room = ctypes.c_size_t(LONGEST_VALUE)
        known = get(conf, name.encode(), text, ctypes.byref(room)) == 0
        return text.value.decode() if known else None

    return read
