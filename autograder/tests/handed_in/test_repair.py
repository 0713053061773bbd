"""JSON that is damaged, framed or spelled in another way:
the same answers come out of it as long as they are in it."""

import html
import json
import re

import pytest

from autograder.course.masters import master
from autograder.handed_in import repair
from autograder.handed_in.submission import read


def nested(notebook):
    return [notebook["cells"][:4], notebook["cells"][4:]]


FRAMES = {
    "in a list": lambda notebook: [notebook],
    "three frames deep": lambda notebook: {"data": {"notebook": {"content": notebook}}},
    "a text in a text": lambda notebook: json.dumps(json.dumps(notebook)),
    "a text in a frame": lambda notebook: {"type": "notebook", "content": json.dumps(notebook)},
    "one of many keys": lambda notebook: {"cells": [], "content": notebook},
    "cells in cells": lambda notebook: {**notebook, "cells": {"cells": notebook["cells"]}},
    "cells by number": lambda notebook: {**notebook, "cells": dict(enumerate(notebook["cells"]))},
    "lists of cells": lambda notebook: {**notebook, "cells": nested(notebook)},
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
    "cells named again": lambda text: text.rstrip()[:-1] + ', "cells": []}',
    "the frame is gone": lambda text: text[text.index("[") + 1 : text.rindex("]")],
    "the start is gone": lambda text: text[30:],
    "a cell a line": lambda text: "\n".join(json.dumps(cell) for cell in json.loads(text)["cells"]),
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


def test_an_answer_whose_output_is_damaged_is_still_there(hand_in):
    path = hand_in("whole", student="ada")
    notebook = json.loads(path.read_text())
    cell = next(cell for cell in notebook["cells"] if "2**31" in cell["source"])
    cell["outputs"] = [
        {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}, "metadata": {}}
    ]
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True).replace('w0KGgo="', "\0\0"))
    (submission,) = read(path)
    assert submission.status == "repaired" and "2**31" in submission.answers["90.2"]


def test_a_long_text_is_not_copied_to_be_tidied(hand_in, monkeypatch):
    """Each copy of a hundred megabytes is memory of the one process that must stay small;
    cell by cell needs none."""
    path = hand_in("whole", student="ada")
    answers = read(path)[0].answers
    path.write_text(path.read_text().replace("},", "},,"))
    assert "commas too many" in read(path)[0].reason
    monkeypatch.setattr(repair, "LONGEST_TIDIED", 100)
    (submission,) = read(path)
    assert (
        submission.answers == answers
        and "cells could be read" in submission.reason
        and "commas" not in submission.reason
    )


def test_damage_everywhere_is_given_up(hand_in):
    """The parser counts all lines above each break: a hundred thousand of them kept the
    teacher's machine busy for minutes."""
    cells = '{"cell_type": "code", "source": [}, ' * (repair.MOST_DAMAGED + 50)
    whole = json.dumps({"cell_type": "code", "metadata": {}, "source": "x"})
    with pytest.raises(repair.Unreadable, match="before the first whole cell"):
        repair.salvage(f'{{"cells": [{cells}{whole}'.encode())


@pytest.mark.parametrize(
    "raw, why",
    [
        (b"\0\0\0\x18ftypheic" + bytes(range(256)) * 9, "it is a file of another kind"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "it is a picture or a sound"),
        (b"\0\x05\x16\x07\0\x02\0\0Mac OS X", "it is what a Mac notes about a file"),
        (b"<html><body>Sign in</body></html>", "it is a web page without"),
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
