"""JSON that is damaged, framed or spelled in another way:
the same answers come out of it as long as they are in it."""

import base64
import html
import json
import re
import resource
import textwrap

import pytest

from autograder.course.masters import master
from autograder.handed_in import repair
from autograder.handed_in.arrivals import arrive, copy_path, keep_copy
from autograder.handed_in.submission import of, read
from autograder.tests.handed_in.test_archives import zipped
from kafkalab.tests.shares import few, share


def mailed(raw: bytes) -> bytes:
    head = (
        b'From: ada@school.edu\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="XX"\n\n'
        b'--XX\nContent-Type: application/octet-stream; name="90.ipynb"\n'
        b"Content-Transfer-Encoding: base64\n\n"
    )
    return head + base64.encodebytes(raw) + b"\n--XX--\n"


FRAMES = {
    "in a list": lambda notebook: [notebook],
    "types with capitals": lambda notebook: {
        **notebook,
        "cells": [{**cell, "cell_type": cell["cell_type"].title()} for cell in notebook["cells"]],
    },
    "types gone": lambda notebook: {
        **notebook,
        "cells": [
            {key: cell[key] for key in cell if key != "cell_type"} for cell in notebook["cells"]
        ],
    },
    "lines without their ends": lambda notebook: {
        **notebook,
        "cells": [{**cell, "source": cell["source"].split("\n")} for cell in notebook["cells"]],
    },
    "lines in lists": lambda notebook: {
        **notebook,
        "cells": [
            {**cell, "source": [[line] for line in cell["source"].splitlines(True)]}
            for cell in notebook["cells"]
        ],
    },
}
SPELLINGS = {
    "Python's list of cells": lambda text: repr(json.loads(text)["cells"]),
    "Python's words": lambda text: (
        text.replace(": true", ": True").replace(": false", ": False").replace(": null", ": None")
    ),
    "JavaScript's words": lambda text: text.replace(": null", ": undefined"),
    "nan": lambda text: text.replace(": null", ": nan"),
    "a number without end": lambda text: text.replace(": null", ": " + "9" * 6000),
    "commas twice": lambda text: text.replace("},", "},,"),
    "the frame is gone": lambda text: text[text.index("[") + 1 : text.rindex("]")],
    "the start is gone": lambda text: text[30:],
    "something before and behind": lambda text: (
        "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + text + "\n--XX--"
    ),
    "a quote too many": lambda text: text.replace("a picture", 'a "picture'),
    "other keys first": lambda text: re.sub(
        r'("# 90 A) (demo")',
        r'\1 "\2',
        json.dumps(
            {
                "cells": [
                    {key: cell[key] for key in sorted(cell, reverse=True)}
                    for cell in json.loads(text)["cells"]
                ]
            }
        ),
    ),
}


def whole(notebook):
    return json.dumps(notebook).encode()


DROPPED = {
    "a mail": lambda notebook: mailed(whole(notebook)),
    "base64": lambda notebook: base64.encodebytes(whole(notebook)),
    "a zip that was cut off": lambda notebook: zipped("90.ipynb", whole(notebook))[:-60],
    "a text in a text": lambda notebook: json.dumps(json.dumps(notebook)).encode(),
    "three frames deep": lambda notebook: whole({"data": {"notebook": {"content": notebook}}}),
    "cells in cells": lambda notebook: whole({**notebook, "cells": {"cells": notebook["cells"]}}),
    "lists of cells": lambda notebook: whole({**notebook, "cells": [notebook["cells"]]}),
    "a terminal": lambda notebook: "\n".join(
        f"In [{place}]: " + cell["source"].replace("\n", "\n   ...: ")
        for place, cell in enumerate(notebook["cells"])
    ).encode(),
    "marimo": lambda notebook: "\n".join(
        "@app.cell\ndef _():\n" + textwrap.indent(cell["source"], "    ") + "\n    return\n"
        for cell in notebook["cells"]
    ).encode(),
}


@pytest.mark.parametrize("kind", DROPPED)
def test_what_is_not_mended_is_told_in_one_sentence_and_kept(hand_in, tmp_path, kind):
    raw = DROPPED[kind](json.loads(hand_in("whole", student="ada").read_text()))
    path = tmp_path / "bo.ipynb"
    path.write_bytes(raw)
    arrival = arrive(path)
    (submission,) = of(arrival)
    assert submission.status == "unreadable" and submission.reason.count(".") <= 2
    assert re.search(r"hand in the \.ipynb file itself\.$|no answer cells", submission.reason)
    keep_copy(tmp_path / "received", arrival)
    assert copy_path(tmp_path / "received", "bo.ipynb", arrival.sha256).read_bytes() == raw


def conflicted(text: str, mine: str, theirs: str) -> str:
    return text.replace(mine, f"<<<<<<< HEAD\n{mine}\n=======\n{theirs}\n>>>>>>> theirs")


@pytest.mark.parametrize("before, behind", [(True, False), (False, True)])
@pytest.mark.parametrize("whole", [True, False])
def test_of_two_sides_of_a_conflict_the_one_with_the_answers_counts(hand_in, before, behind, whole):
    path = hand_in("whole", student="ada")
    answers, text = read(path)[0].answers, path.read_text()
    right = text if whole else '   "source": "total = sum(seen)",'
    blank = json.dumps(master("90").notebook()) if whole else '   "source": "total = ...",'
    path.write_text(
        conflicted(text, right, blank)
        if before
        else text.replace(right, f"<<<<<<< HEAD\n{blank}\n=======\n{right}\n>>>>>>> theirs")
    )
    (submission,) = read(path)
    assert (
        submission.answers == answers
        and submission.reason
        == f"git's conflict marks were in it; the {'first' if before else 'second'} side was kept."
    )


def test_conflicts_and_commas_too_many_are_mended_together(hand_in):
    path = hand_in("whole", student="ada")
    answers = read(path)[0].answers
    path.write_text(
        conflicted(
            path.read_text().replace("},", "},,"),
            '   "source": "total = sum(seen)",',
            '   "source": "",',
        )
    )
    assert read(path)[0].answers == answers


@pytest.mark.parametrize("frame", FRAMES)
def test_cells_are_found_in_any_frame(hand_in, frame):
    path = hand_in("whole", student="ada")
    answers = read(path)[0].answers
    path.write_text(json.dumps(FRAMES[frame](json.loads(path.read_text()))))
    (submission,) = read(path)
    assert submission.status in ("graded", "repaired") and (
        submission.student,
        submission.answers,
    ) == ("ada", answers), submission.reason
    assert not submission.flags


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_json_of_another_spelling_is_read(hand_in, spelling):
    path = hand_in("whole", student="ada")
    answers = read(path)[0].answers
    path.write_text(SPELLINGS[spelling](path.read_text()))
    (submission,) = read(path)
    assert submission.status in ("graded", "repaired") and (
        submission.student,
        submission.answers,
    ) == ("ada", answers), submission.reason


@pytest.mark.parametrize(
    "damage",
    few(
        [
            lambda text: text[:-3],
            lambda text: text.replace("},", "},,"),
            lambda text: text.replace('"# 90 A demo', "# 90 A demo"),
            # a bracket in the first cell
            lambda text: text.replace("\n   ]\n  },", "\n  },", 1),
            lambda text: text.replace("\n  },\n  {", "\n  }\n  {"),
        ]
    ),
)
def test_the_lines_of_a_damaged_notebook_keep_their_ends(hand_in, damage):
    """Jupyter writes a cell as a list of lines, each with its end."""
    path = hand_in("whole", student="ada")
    answers, notebook = read(path)[0].answers, json.loads(path.read_text())
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    text = json.dumps(notebook, indent=1)
    assert damage(text) != text
    path.write_text(damage(text))
    assert repair.salvage(path.read_bytes()).damaged
    (submission,) = read(path)
    assert submission.answers == answers, submission.reason


def test_an_output_that_is_damaged_costs_no_other_cell_and_is_told(hand_in):
    path = hand_in("whole", student="ada")
    answers, notebook = read(path)[0].answers, json.loads(path.read_text())
    cell = next(cell for cell in notebook["cells"] if "2**31" in cell["source"])
    cell["outputs"] = [
        {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}, "metadata": {}}
    ]
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True).replace('w0KGgo="', "\0\0"))
    (submission,) = read(path)
    assert submission.status == "partial" and submission.reason.startswith(
        "the answer cell of 90.2 is gone; there were NUL bytes in it; its JSON was damaged;"
    )
    assert submission.answers == {each: answers[each] for each in ("90.1", "90.3", "90.open")}


HOSTILE = {
    "json-repair, quotes": ("ada.ipynb", '{"cell_type": "' + 'b" c ' * 200_000),
    "json-repair, a number": ("ada.ipynb", '{"cell_type": ' + "9" * 1_000_000),
    "jupytext, code": ("ada.py", "import autograder\n" + "x = 1\n\n" * 100_000),
    "jupytext, empty lines": ("ada.py", "import autograder\n" + "\n" * 1_000_000),
    "jupytext, fences": ("ada.md", "import autograder\n" + "```python\n" * 100_000),
    "bs4, comments": ("ada.html", "<p>highlight" + "<!--" * 250_000),
    "bs4, tags without an end": ("ada.html", "<p>highlight" + "<a " * 300_000),
    "bs4, pre in pre": ("ada.html", "<div class=highlight>" + "<pre>x" * 100_000),
}


@pytest.mark.parametrize("bomb", share(HOSTILE, 3))  # one of each library
def test_a_library_has_seconds_for_a_text_that_would_cost_it_minutes(monkeypatch, bomb):
    monkeypatch.setattr(repair, "MOST_SECONDS", 1)
    name, text = HOSTILE[bomb]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with pytest.raises(repair.TooMuch, match="more time or memory"):
        repair.salvage(text.encode(), name)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 3


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name, text",
    [
        ("ada.html", "<div class=highlight><pre>" + "<b>" * 200_000),
        pytest.param(
            "ada.ipynb",
            '{"cells": [{"cell_type": "code"},,' + '{"a": 0},' * 400_000,
            marks=pytest.mark.slow,
        ),
        pytest.param("ada.py", "import autograder\n" + "# %%\n" * 400_000, marks=pytest.mark.slow),
    ],
)
def test_a_library_has_memory_for_no_more_than_a_notebook(monkeypatch, name, text):
    monkeypatch.setattr(repair, "MOST_MEMORY", 96 << 20)
    with pytest.raises(repair.TooMuch, match="more time or memory"):
        repair.salvage(text.encode(), name)


@pytest.mark.parametrize(
    "name, text",
    few(
        [
            ("ada.ipynb", '{"cell_type": ' + "[" * 1_000_000),
            ("ada.ipynb", '{"cells":[' * 100_000 + '"cell_type"'),
            ("ada.ipynb", '{"cells": [' + '{"cell_type": "code", "source": [}, ' * 500),
            ("ada.html", "<div>" * 20_000 + "cell_type"),
            ("ada.html", "<div class=highlight>" * 20_000 + "cell_type"),
        ],
        2,
    ),
)
def test_what_is_nested_deep_is_told_and_never_a_traceback(tmp_path, demo, name, text):
    (tmp_path / name).write_text(text)
    (submission,) = read(tmp_path / name)
    assert submission.status in ("unreadable", "refused")
    assert "autograder's fault" not in submission.reason


def test_all_the_notebooks_of_a_submission_share_the_seconds(hand_in, monkeypatch):
    text = hand_in("whole").read_text()[:-3].encode()
    spent = repair.Spent()
    repair.salvage(text, spent=spent)
    assert 0 < spent.seconds < repair.MOST_SECONDS and spent.parts > 100
    spent.seconds = repair.MOST_SECONDS
    with pytest.raises(repair.TooMuch, match="more time"):
        repair.salvage(text, spent=spent)


def test_a_damaged_text_is_given_to_a_library_up_to_a_length(monkeypatch, hand_in):
    text = hand_in("whole").read_text()[:-3].encode()
    assert repair.salvage(text).damaged
    monkeypatch.setattr(repair, "LONGEST_MENDED", 100)
    with pytest.raises(repair.TooMuch, match="larger than"):
        repair.salvage(text)


def test_a_library_that_is_not_installed_is_nobodys_damage(hand_in, tmp_path, monkeypatch):
    path = hand_in("whole")
    path.write_text(path.read_text()[:-3])
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "json_repair.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))
    (submission,) = read(path)
    assert submission.status == "unreadable" and "the autograder's fault" in submission.reason


@pytest.mark.parametrize(
    "raw, why",
    [
        (b"\0\0\0\x18ftypheic" + bytes(range(256)) * 9, "it is not a notebook"),
        (b"\xff\xd8\xff\xe0", "it is a picture"),
        (b"\0\x05\x16\x07\0\x02\0\0Mac OS X", "it is what a Mac notes about a file"),
        (b"<html><body>Sign in</body></html>", "it is not a notebook"),
        (
            b"[InternetShortcut]\r\nURL=https://colab.research.google.com/drive/1x\r\n",
            "it is a link, not the notebook; download",
        ),
        (
            "链接： https://pan.baidu.com/s/1x 提取码: 1234".encode(),
            "it is a link, not the notebook; download",
        ),
    ],
)
def test_what_stands_there_instead_is_named(raw, why):
    with pytest.raises(repair.Unreadable, match=why) as told:
        repair.salvage(raw, "ada.ipynb")
    assert str(told.value).endswith("hand in the .ipynb file itself.")


def test_a_page_with_the_text_of_a_notebook_is_read(hand_in, tmp_path):
    """As a learning platform keeps what was pasted into its box."""
    whole = hand_in("whole", student="ada")
    page = tmp_path / "onlinetext.html"
    page.write_text("<p>" + html.escape(whole.read_text()).replace("\n", "<br />\n") + "</p>")
    assert read(page)[0].answers == read(whole)[0].answers


@pytest.mark.parametrize(
    "encoding, words",
    [
        ("cp1251", "Потому что координатор — это сервер"),
        ("koi8-r", "Потому что координатор ждёт"),
        ("cp866", "Потому что координатор ждёт"),
        ("gb18030", "因为协调者不应该等待，所以有自己的连接"),
        ("big5", "因為協調者不應該等待，所以有自己的連接"),
        ("latin-1", "Le coordinateur a déjà sa propre connexion, c'était demandé à côté"),
        ("cp1252", "It’s “waiting” — the coordinator…"),
    ],
)
def test_words_in_any_of_these_letters_are_read(hand_in, encoding, words):
    path = hand_in("whole", {"90.open": words}, student="ada")
    path.write_bytes(json.dumps(json.loads(path.read_text()), ensure_ascii=False).encode(encoding))
    (submission,) = read(path)
    assert submission.status == "repaired" and submission.answers["90.open"] == words
