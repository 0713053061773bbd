"""Turns an exception of Java's into the exception of the same name in kafkalab.errors.

So `except CommitFailedException:` in a cell catches the simulator's and the real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from kafkalab.errors import (
    ConcurrentModificationException,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
    RecordDeserializationException,
)

WRAPPERS = ("java.util.concurrent.ExecutionException", "java.util.concurrent.CompletionException")
"""What a Java future wraps its error in. Here the error itself is raised, as the simulator does."""


class JavaException(KafkaException):
    """An exception of Java's that kafkalab.errors has no class for; `java_name` is its class."""

    def __init__(self, java_name: str, message: str) -> None:
        super().__init__(f"{java_name}: {message}")
        self.java_name = java_name


def python_error(thrown: Any) -> Exception:
    """The Python exception for a Java Throwable, with its message."""
    while str(thrown.getClass().getName()) in WRAPPERS and thrown.getCause() is not None:
        thrown = thrown.getCause()
    name, message = str(thrown.getClass().getName()), thrown.getMessage()
    cause = thrown.getCause()
    if name == KafkaException.java_name and cause is not None:
        # Java's constructors say `Failed to construct kafka consumer`, and the cause says why.
        message = f"{message}: {cause.getMessage()}"
    error = named_error(name, None if message is None else str(message))
    if isinstance(error, RecordDeserializationException):
        vars(error).update(_told_by(thrown))
    return error


def _told_by(thrown: Any) -> dict[str, object]:
    """What a RecordDeserializationException knows of its record; older releases know less."""
    known = {str(method.getName()) for method in thrown.getClass().getMethods()}
    readers: dict[str, Callable[[], object]] = {
        "offset": lambda: int(thrown.offset()),
        "origin": lambda: str(thrown.origin().toString()),
        "keyBuffer": lambda: _bytes_of(thrown.keyBuffer()),
        "valueBuffer": lambda: _bytes_of(thrown.valueBuffer()),
    }
    names = {"keyBuffer": "key_buffer", "valueBuffer": "value_buffer"}
    return {names.get(name, name): read() for name, read in readers.items() if name in known}


def _bytes_of(buffer: Any) -> bytes | None:
    """What is left in a java.nio.ByteBuffer."""
    if buffer is None:
        return None
    copy = buffer.duplicate()
    return bytes(copy.get() & 0xFF for _ in range(copy.remaining()))


def named_error(java_name: str, message: str | None) -> Exception:
    """An exception by the name of its Java class."""
    kind = _by_java_name().get(java_name)
    if kind is None:
        return JavaException(java_name, message or "")
    return kind(message) if message is not None else kind()


@cache
def _by_java_name() -> dict[str, type[Exception]]:
    found: dict[str, type[Exception]] = {
        kind.java_name: kind
        for kind in (
            IllegalStateException,
            IllegalArgumentException,
            ConcurrentModificationException,
        )
    }
    for kind in _all_below(KafkaException):
        if "java_name" in vars(kind):
            found.setdefault(kind.java_name, kind)
    return found


def _all_below(kind: type[KafkaException]) -> Iterator[type[KafkaException]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _all_below(each)
