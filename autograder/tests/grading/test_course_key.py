"""A notebook says which course key its numbers are from, and a class is told of one that has
another key."""

import json

import pytest

from autograder.__main__ import main
from autograder.cell.numbers import course_key_id
from autograder.handed_in.submission import read
from autograder.written.answers import read_results

CLASS, OTHER = "the secret of this class", "the secret of another class"


def solved_with(hand_in, monkeypatch, name, secret, folder, printed=False):
    """A right notebook whose numbers come from this secret, as `release` or the first cell's output
    says it."""
    (
        monkeypatch.setenv("AUTOGRADER_SECRET", secret)
        if secret
        else monkeypatch.delenv("AUTOGRADER_SECRET", raising=False)
    )
    from autograder.cell.numbers import numbers_for

    n = numbers_for("90.1", name)
    path = hand_in(
        name,
        {"90.1": f"opened, kept = {n.brokers + 2}, {n.brokers + 1}"},
        student=name,
        folder=folder,
    )
    notebook = json.loads(path.read_text())
    if printed:
        said = (
            f"Hello, {name}. The numbers in the exercises are yours. Course key:"
            f" {course_key_id()}.\n"
        )
        cell = next(cell for cell in notebook["cells"] if cell["source"].startswith("me("))
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [said]}]
        notebook["metadata"]["autograder"]["course_key"] = "00000000"
    else:
        notebook["metadata"]["autograder"]["course_key"] = course_key_id()
    path.write_text(json.dumps(notebook))


@pytest.mark.corpus
def test_numbers_of_another_key_are_never_silent_zeros(hand_in, tmp_path, monkeypatch, capsys):
    box, out = tmp_path / "box", tmp_path / "out"
    for name, secret, printed in (
        ("s1", CLASS, False),
        ("s2", CLASS, True),
        ("s3", "", False),
        ("s4", "", True),
        ("s5", OTHER, True),
    ):
        solved_with(hand_in, monkeypatch, name, secret, box, printed)
    monkeypatch.setenv("AUTOGRADER_SECRET", CLASS)
    assert main(["grade", str(box), "--out", str(out)]) == 3
    said = capsys.readouterr().err
    assert "3 of them need you" in said and all(f"s{number}.ipynb" in said for number in (3, 4, 5))
    found = {result["student"]: result for result in read_results(out).values()}
    assert [found[f"s{number}"]["cells"]["90.1"]["score"] for number in (1, 2, 3, 4)] == [
        2,
        2,
        2,
        2,
    ]
    assert found["s1"]["reason"] == found["s2"]["reason"] == ""
    assert (
        "the public demo key" in found["s3"]["reason"]
        and "another course key" in found["s5"]["reason"]
    )
    assert main(
        ["regrade", "90.1", str(out)]
    ) == 0 and "0 loses" in capsys.readouterr().out.replace("0 lose.", "0 loses")


def test_who_names_nobody_has_the_same_numbers_under_every_key(hand_in, tmp_path, monkeypatch):
    path = hand_in("free")
    notebook = json.loads(path.read_text())
    notebook["metadata"]["autograder"]["course_key"] = "00000000"
    path.write_text(json.dumps(notebook))
    assert read(path)[0].flags == ()
    for odd in (7, None, "x", ["00000000"], {}):
        notebook["metadata"]["autograder"]["course_key"] = odd
        notebook["cells"][2]["source"] = 'me("s9")'
        notebook["cells"][2]["outputs"] = [odd, {"text": odd}, {"text": [odd]}]
        path.write_text(json.dumps(notebook))
        assert read(path)[0].flags == ()
