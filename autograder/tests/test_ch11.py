"""Chapter 11: do all ways to count what retention took come to one number?"""
from itertools import product

import pytest

from autograder.judges.ch11 import _overrun
from autograder.questions.ch11 import CUT_SHORT, STORIES, overrun


@pytest.mark.slow
def test_a_loss_has_two_lines_except_where_the_log_ends_between_them():
    stories = [story for story in product(*STORIES.values()) if overrun(dict(zip(STORIES, story)))]
    told = {story: _overrun(*story) for story in stories}
    assert {story for story in stories if told[story]["resets"] != told[story]["jumps"]} == set(CUT_SHORT)
