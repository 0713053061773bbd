"""Chapter 11: do all ways to count what retention took come to one number?"""

from itertools import product

import pytest

from autograder.cell.question import find
from autograder.cell.questions.ch11 import overrun
from autograder.course.judges import ch11
from kafkalab import Lab


@pytest.mark.slow
def test_every_loss_of_11_6_has_both_of_its_lines(monkeypatch):
    labs: list[Lab] = []
    monkeypatch.setattr(ch11, "Lab", lambda **how: labs.append(Lab(**how)) or labs[-1])

    def jumps(story) -> int:
        """How often the member went on elsewhere; the first
        `Resetting offset` only says where a new group begins."""
        return sum("Resetting offset" in text for text in labs[-1].lines("m1").message) - 1

    space = find("11.6").space
    stories = [story for story in product(*space.values()) if overrun(dict(zip(space, story)))]
    one_line = {
        story for story in stories if ch11._overrun.__wrapped__(*story)["resets"] != jumps(story)
    }
    assert one_line == {
        story for story in stories if not find("11.6").where(dict(zip(space, story)))
    }
