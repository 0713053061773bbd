"""Every planted bug is caught, and the table beside this file says by what."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkalab.tests.mutants import broker_mutants, client_mutants, transaction_mutants
from kafkalab.tests.mutants.child import catch_in_child
from kafkalab.tests.mutants.mutant import Mutant
from kafkalab.tests.shares import few

MUTANTS = (*client_mutants.MUTANTS, *broker_mutants.MUTANTS, *transaction_mutants.MUTANTS)
TABLE = Path(__file__).with_name("README.md")
HEAD = """# Planted bugs, and what catches each

Switches of the tests, never part of the simulator: a law over seeds (`kafkalab/laws`), a small case (`kafkalab/tests/answer`), or a
recording of real clients. Each is planted in a process of its own, with limits for memory and time. Written by `python -m kafkalab.tests.mutants.test_mutants`; a test keeps it true.

| mutant | what it does wrong | caught by |
| --- | --- | --- |
"""  # noqa: E501


def table() -> str:
    return HEAD + "".join(
        f"| {mutant.name} | {mutant.breaks} | {mutant.caught_by} |\n" for mutant in MUTANTS
    )


@pytest.mark.parametrize(
    "mutant",
    few(
        [
            pytest.param(mutant, id=mutant.name, marks=() if mutant.quick else pytest.mark.slow)
            for mutant in MUTANTS
        ],
        12,
    ),
)
def test_the_bug_is_caught(mutant):
    assert catch_in_child(mutant), (
        f"{mutant.name} ({mutant.breaks}) was not caught by {mutant.caught_by}"
    )


class Greedy:
    """A catcher that never ends."""

    def catch(self) -> str:
        journal: list[bytes] = []
        while True:
            journal.append(bytes(1 << 20))


def test_a_bug_that_never_ends_takes_nothing_with_it():
    with pytest.raises(AssertionError, match="never ends"):
        catch_in_child(Mutant("greedy", "fills the memory", lambda patch: None, Greedy()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "catcher",
    sorted(
        {mutant.caught_by for mutant in MUTANTS if not str(mutant.caught_by).startswith("law")},
        key=str,
    ),
    ids=str,
)
def test_without_a_bug_nothing_is_caught(catcher):
    """For the laws, test_laws says it; the cases and recordings have tests of their own, too."""
    assert catcher.catch() == ""


def test_there_are_enough_of_them_and_the_table_names_each():
    assert len(MUTANTS) >= 25 and len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert TABLE.read_text(encoding="utf-8") == table(), (
        "python -m kafkalab.tests.mutants.test_mutants"
    )


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
