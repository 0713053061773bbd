"""Tests the guesses that a chapter shows at its end."""

import autograder
from autograder.cell.my_guesses import NONE_YET


def test_a_chapters_guesses_stand_beside_what_happened_the_surprises_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert repr(autograder.my_guesses("07")) == NONE_YET
    autograder.predict("07 restart", dynamic=2, static=1)
    assert repr(autograder.my_guesses("07")) == NONE_YET, "nothing has happened yet"
    autograder.truth("07 restart", dynamic=2, static=0)
    autograder.predict("08 who notices", seconds=3)
    told = repr(autograder.my_guesses("07")).splitlines()
    assert told[0] == "2 numbers and words: 1 as you said, 0 close, 1 surprises."
    assert [line.split() for line in told[2:]] == [
        ["!", "restart", "static", "you", "said", "1", "it", "was", "0"],
        ["=", "restart", "dynamic", "you", "said", "2", "it", "was", "2"],
    ]
