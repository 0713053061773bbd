"""Builds a message from the text a real client printed of it, so that a test can print it again and
compare.

The reader goes the other way round than `kafkalab.lines`: it takes the printed names one by one and
looks for the field they belong to. What a text does not tell (the bytes behind a HeapByteBuffer,
the keys of records) it fills with as many bytes as the text counts.
"""

import re
import typing
from dataclasses import fields

from kafkalab.lines import data_fields
from kafkalab.lines.struct_fields import STRUCTS
from kafkalab.protocol import messages as m
from kafkalab.releases import PROFILES

PLAIN = re.compile(r"[^,\])}]*")
BUFFER = re.compile(r"java\.nio\.HeapByteBuffer\[pos=0 lim=(\d+) cap=\d+\]")
OBJECT = re.compile(r"(\w+)\(")
RECORD = re.compile(
    r"\(record=DefaultRecord\(offset=(\d+), timestamp=(\d+), key=(\d+) bytes, value=(\d+) bytes\)\)"
)
SIZE = re.compile(r"(?:([\w-]{22}):)?([\w.-]+)-(\d+)=(\d+)$")


def read_data(text: str, kind: type, version: str):
    """A message of class `kind` from `FindCoordinatorRequestData(key='', ...)`."""
    return _build_data(_parse(text), kind, version)


def read_struct(text: str, kind: type, version: str):
    """A message of class `kind` from `{key=test,key_type=0}`."""
    return _build_struct(_parse(text), kind, version)


def read_produce(text: str) -> m.ProduceRequest:
    """A produce request from `{acks=1,timeout=30000,partitionSizes=[t4-0=72]}`."""
    acks, timeout, sizes = re.fullmatch(
        r"\{acks=(-?\d+),timeout=(\d+),partitionSizes=\[(.*)\]\}", text
    ).groups()
    topics = []
    for size in sizes.split(","):
        topic_id, name, index, size_bytes = SIZE.match(size).groups()
        part = m.ProducePartitionData(
            index=int(index), records=(m.RecordBatch(size_bytes=int(size_bytes)),)
        )
        topics.append(
            m.TopicProduceData(name=name, topic_id=topic_id or m.ZERO_UUID, partition_data=(part,))
        )
    return m.ProduceRequest(acks=int(acks), timeout_ms=int(timeout), topic_data=tuple(topics))


def _build_data(tree, kind: type, version: str):
    names = {}
    for field in fields(kind):
        versions, older = data_fields.SPELLED.get((kind, field.name), ((), ""))
        first, *rest = field.name.split("_")
        names[older if version in versions else first + "".join(map(str.capitalize, rest))] = (
            field.name
        )
    hints = typing.get_type_hints(kind)
    return kind(
        **{
            names[name]: _value(value, hints[names[name]], lambda t, k: _build_data(t, k, version))
            for name, value in tree["fields"].items()
        }
    )


def _build_struct(tree, kind: type, version: str):
    hints = typing.get_type_hints(kind)
    values = {}
    for field in STRUCTS[PROFILES[version].printing.struct_names][kind]:
        branch = tree["fields"]
        *heads, name = field.path.split(".")
        for head in heads:
            branch = branch[head]["fields"]
        if name not in branch:
            continue
        value = branch[name]
        if value == "null":
            values[field.of] = None
            continue
        if field.wrapped:
            value = [item["fields"][field.wrapped] for item in value]
        if field.bare:
            values[field.of] = tuple(
                typing.get_args(_option(hints[field.of]))[0](**{field.bare: item}) for item in value
            )
            continue
        values[field.of] = _value(value, hints[field.of], lambda t, k: _build_struct(t, k, version))
    return kind(**values)


def _value(value, hint, build):
    hint = _option(hint)
    if value == "null" or value == "'null'":
        return None
    if hint == tuple[m.RecordBatch, ...]:
        return _records(value)
    if typing.get_origin(hint) is tuple:
        element = typing.get_args(hint)[0]
        return tuple(_value(item, element, build) for item in value)
    if hint is bytes:
        return (
            bytes(int(item) % 256 for item in value)
            if isinstance(value, list)
            else bytes(int(BUFFER.match(value)[1]))
        )
    if hint is str:
        return value.strip("'")
    if hint is bool:
        return {"true": True, "false": False}[value]
    return int(value) if hint is int else build(value, hint)


def _option(hint):
    """What a hint means besides None: `tuple[int, ...] | None` -> `tuple[int, ...]`."""
    return (
        next(option for option in typing.get_args(hint) if option is not type(None))
        if (type(None) in typing.get_args(hint))
        else hint
    )


def _records(value) -> tuple[m.RecordBatch, ...]:
    if isinstance(value, dict):
        size = int(value["fields"]["size"])
        return (m.RecordBatch(size_bytes=size),) if size else ()
    return tuple(
        m.RecordBatch(
            base_offset=int(offset),
            records=(m.WireRecord("k" * int(key), "v" * int(size), int(at)),),
        )
        for offset, at, key, size in value
    )


def _parse(text: str):
    value, end = _parse_at(text, 0)
    assert end == len(text), f"unread: {text[end : end + 60]}"
    return value


def _parse_at(text: str, at: int):
    if record := RECORD.match(text, at):
        return record.groups(), record.end()
    if text[at] == "[":
        items, at = [], at + 1
        while text[at] != "]":
            item, at = _parse_at(text, at)
            items.append(item)
            at += len(re.match(r",? ?", text[at:])[0])
        return items, at + 1
    if text[at] == "'":
        end = text.index("'", at + 1) + 1
        return text[at:end], end
    if buffer := BUFFER.match(text, at):
        return buffer[0], buffer.end()
    if text[at] == "{":
        return _parse_fields(text, at + 1, "}")
    if opened := OBJECT.match(text, at):
        return _parse_fields(text, opened.end(), ")")
    plain = PLAIN.match(text, at)
    return plain[0], plain.end()


def _parse_fields(text: str, at: int, closing: str):
    found = {}
    while text[at] != closing:
        equals = text.index("=", at)
        found[text[at:equals]], at_end = _parse_at(text, equals + 1)
        at = at_end + len(re.match(r",? ?", text[at_end:])[0])
    return {"fields": found}, at + 1
