"""A fixed class gets the results that it got when the net was drawn, to the last letter."""

from __future__ import annotations

from itertools import islice

from autograder.tests.house.same_results import RESULTS, different, graded


def test_a_class_gets_the_same_results_as_before(monkeypatch):
    monkeypatch.delenv("AUTOGRADER_SECRET", raising=False)
    monkeypatch.delenv("AUTOGRADER_COURSE", raising=False)
    found = graded()
    wanted = RESULTS.read_text(encoding="utf-8")
    assert found == wanted, (
        "\n".join(islice(different(found, wanted), 20))
        + "\nIf that is meant, renew the results with `python -m autograder.tests.house."
        "same_results` in a commit of its own and say why."
    )
