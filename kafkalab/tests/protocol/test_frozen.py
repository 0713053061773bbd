"""`@message` is a frozen dataclass to all who look at one."""

import copy
import dataclasses
import pickle

import pytest

from kafkalab.protocol.frozen import message, record
from kafkalab.protocol.messages import FetchPartition, FetchRequest


@message
class Quick:
    """With a default."""

    number: int
    names: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        return 2 * self.number


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    number: int
    names: tuple[str, ...] = ()


@record
class ByPosition:
    key: str
    value: str = "tea"


def test_it_looks_like_a_dataclass():
    quick, slow = Quick(number=3, names=("a",)), Slow(number=3, names=("a",))
    assert repr(quick) == repr(slow).replace("Slow", "Quick")
    assert (
        dataclasses.is_dataclass(quick) and quick.twice == 6 and Quick.__doc__ == "With a default."
    )
    assert [field.name for field in dataclasses.fields(Quick)] == [
        field.name for field in dataclasses.fields(Slow)
    ]
    assert dataclasses.replace(quick, number=4) == Quick(number=4, names=("a",)) != quick
    assert dataclasses.asdict(quick) == dataclasses.asdict(slow)
    assert {quick: 1}[Quick(number=3, names=("a",))] == 1
    assert quick != slow and ByPosition("k") == ByPosition(key="k", value="tea")


def test_it_is_frozen_and_has_no_room_for_more():
    quick = Quick(number=3)
    for name in ("number", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(quick, name, 4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del quick.number
    assert not hasattr(quick, "__dict__")


@pytest.mark.parametrize("wrong", [{}, {"number": 1, "other": 2}])
def test_a_wrong_field_is_told(wrong):
    for _ in range(2):  # the first is made otherwise than the others
        with pytest.raises(TypeError, match="number|other"):
            Quick(**wrong)


def test_positions_are_refused_by_messages_and_taken_by_records():
    Quick(number=1)
    with pytest.raises(TypeError, match="positional"):
        Quick(1)
    assert ByPosition("k", "v").value == "v"


def test_it_can_be_copied_and_pickled():
    fetch = FetchRequest(session_id=7, topics=())
    assert pickle.loads(pickle.dumps(fetch)) == copy.deepcopy(fetch) == copy.copy(fetch) == fetch
    assert type(FetchPartition(partition=1)) is FetchPartition
