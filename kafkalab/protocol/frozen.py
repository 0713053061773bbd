"""Provides `@message`, a faster `@dataclass(frozen=True, slots=True, kw_only=True)` for Kafka
messages and for the pages of releases. A class that inherits fields cannot be one.

A message behaves as a frozen dataclass: `fields`, `replace`, `repr` and `==` give the same results.
Two things are cheaper, because messages are most of the objects of a lab and of the time of `import
kafkalab`:
 - A frozen dataclass calls object.__setattr__ for each field. Here the fields are assigned to a
   draft, a mutable class with the same slots, which then becomes the message: half the time for a
   FETCH with its twelve fields.
 - A dataclass compiles six functions when its module is imported. Here all classes share theirs.
   The function that makes messages is compiled for the first message of its class. A lab without
   transactions never compiles most of them.
"""

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Kind = TypeVar("Kind")


@dataclasses.dataclass(frozen=True, slots=True)
class PlainFrozen:
    """A frozen dataclass of Python's own, whose `__dataclass_params__` all messages share."""


PLAIN: Any = PlainFrozen
FIELD_MARK = vars(dataclasses)["_FIELD"]
"""What marks a field of a dataclass as one."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
def message(kind: type[Kind]) -> type[Kind]:
    """Make a frozen dataclass with keyword arguments.

    All messages share the default values of the fields, which are immutable. There are no
    factories.
    """
    return _frozen(kind, "*, ")


@dataclass_transform(frozen_default=True)
def record(kind: type[Kind]) -> type[Kind]:
    """Make a frozen dataclass that also takes positional arguments."""
    return _frozen(kind, "")


def _frozen(kind: type[Kind], keywords_only: str) -> type[Kind]:
    names = tuple(kind.__annotations__)
    defaults = {name: kind.__dict__[name] for name in names if name in kind.__dict__}
    own = {
        name: value
        for name, value in kind.__dict__.items()
        if name not in (*names, "__dict__", "__weakref__")
    }
    own |= {
        "__slots__": names,
        "__match_args__": () if keywords_only else names,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__repr__": kind.__dict__.get("__repr__", _repr),
        "__hash__": _hash,
        "__eq__": _equals,
        "__reduce__": _reduce,
        "__dataclass_fields__": {
            name: _field(name, kind.__annotations__[name], defaults) for name in names
        },
        "__dataclass_params__": PLAIN.__dataclass_params__,
    }
    made: Any = type(kind.__name__, kind.__bases__, own)
    made.__qualname__ = kind.__qualname__
    made._values = _values_of(names)
    made.__new__ = _first(made, names, defaults, keywords_only)
    found: type[Kind] = made
    return found


def _field(name: str, annotation: Any, defaults: dict[str, Any]) -> dataclasses.Field[Any]:
    field: Any = dataclasses.field(default=defaults.get(name, dataclasses.MISSING))
    field.name = name
    field.type = annotation
    field._field_type = FIELD_MARK
    field.kw_only = True
    found: dataclasses.Field[Any] = field
    return found


def _first(
    made: Any, names: tuple[str, ...], defaults: dict[str, Any], keywords_only: str
) -> Callable[..., Any]:
    """The function that makes the first message of a class and compiles the function for all
    others.
    """

    def __new__(cls: type, *args: Any, **values: Any) -> Any:
        draft = type(
            made.__name__, made.__bases__, {"__slots__": names, "__module__": made.__module__}
        )
        parameters = ", ".join(f"{name}=_{name}" if name in defaults else name for name in names)
        source = (
            (
                f"def __new__(cls{', ' + keywords_only + parameters if names else ''}):\n"
                "    self = new_object(draft)\n"
            )
            + "".join(f"    self.{name} = {name}\n" for name in names)
            + "    self.__class__ = cls\n    return self\n"
        )
        scope: dict[str, Any] = {
            "new_object": object.__new__,
            "draft": draft,
            **{f"_{name}": value for name, value in defaults.items()},
        }
        # `dataclasses` does the same: no other way gives a function these parameters.
        exec(source, scope)
        make = scope["__new__"]
        make.__qualname__ = f"{made.__qualname__}.__new__"
        made.__new__ = make
        return make(cls, *args, **values)

    return __new__


def _values_of(names: tuple[str, ...]) -> Any:
    """A function that returns all fields of a message, in their order."""
    if len(names) < 2:
        return staticmethod(lambda self: tuple(getattr(self, name) for name in names))
    return staticmethod(attrgetter(*names))


def _repr(self: Any) -> str:
    fields = zip(self.__dataclass_fields__, self._values(self))
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in fields)})"


def _equals(self: Any, other: Any) -> bool:
    if self is other:
        return True
    return (
        self._values(self) == self._values(other)
        if other.__class__ is self.__class__
        else NotImplemented
    )


def _hash(self: Any) -> int:
    found: int = self._values(self).__hash__()
    return found


def _refuse(self: Any, name: str, *value: object) -> None:
    raise dataclasses.FrozenInstanceError(
        f"cannot {'assign to' if value else 'delete'} field {name!r}"
    )


def _reduce(self: Any) -> tuple[Any, ...]:
    return _again, (type(self), dict(zip(self.__dataclass_fields__, self._values(self))))


def _again(kind: type, values: dict[str, Any]) -> Any:
    """Make a message for pickle or copy."""
    return kind(**values)
