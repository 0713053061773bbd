"""Submissions that life has been unkind to: mended where the answers can be found, named where not,
never in anybody's way."""

import json
import shutil
import stat
import zipfile

import pytest

from autograder.course.masters import master
from autograder.grade import grade_class, needs_attention
from autograder.grading.lanes.submission_run import run
from autograder.handed_in import archives
from autograder.handed_in.classlist import Roster, read_roster
from autograder.handed_in.submission import entries, read


@pytest.fixture
def outcome(sandbox):
    """outcome(path) -> (status, score, reason) of one submission."""

    def grade(path):
        result = run(read(path)[0], sandbox)
        return result["status"], result["score"], result["reason"]

    return grade


def edited(path, change) -> None:
    """Change a notebook's JSON in place."""
    notebook = json.loads(path.read_text())
    change(notebook)
    path.write_text(json.dumps(notebook, indent=1))


def cell_of(notebook: dict, grade_id: str) -> dict:
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def test_a_copied_cell_is_no_second_answer(hand_in, outcome):
    path = hand_in("ada")
    edited(
        path,
        lambda notebook: notebook["cells"].append(
            {**cell_of(notebook, "q-90-1"), "source": "opened = ...\nkept = ..."}
        ),
    )
    assert outcome(path) == (
        "repaired",
        6,
        "there were 2 cells for 90.1; the last one written in counts.",
    )


def test_a_deleted_locked_cell_is_put_back(hand_in, outcome):
    path = hand_in("ada")
    edited(path, lambda notebook: notebook["cells"].remove(cell_of(notebook, "q-90-2-test")))
    assert outcome(path) == ("repaired", 6, "1 locked cell was deleted and put back.")


def test_an_edited_locked_cell_and_edited_points_change_nothing(hand_in, outcome):
    path = hand_in("ada", {"90.1": "opened = kept = 0"})

    def cheat(notebook):
        cell_of(notebook, "q-90-1-test")["source"] = "pass"
        cell_of(notebook, "q-90-2-test")["metadata"]["nbgrader"].update(
            points=500, schema_version=1
        )

    edited(path, cheat)
    assert outcome(path) == (
        "repaired",
        4,
        "the locked cell of 90.1 was edited and put back; "
        "nbgrader's marks on the cell of 90.2 were edited and put back.",
    )


def test_a_deleted_answer_costs_its_own_points_only(hand_in, outcome):
    path = hand_in("ada")
    edited(path, lambda notebook: notebook["cells"].remove(cell_of(notebook, "q-90-2")))
    assert outcome(path) == ("partial", 3, "the answer cell of 90.2 is gone.")


def test_a_cell_that_lost_its_mark_is_known_by_its_names(hand_in, outcome):
    path = hand_in("ada")
    edited(path, lambda notebook: cell_of(notebook, "q-90-2")["metadata"].clear())
    assert outcome(path)[:2] == ("repaired", 6)


def test_a_notebook_that_lost_all_its_marks_is_still_known(hand_in, outcome):
    path = hand_in("ada")
    edited(path, lambda notebook: [cell["metadata"].clear() for cell in notebook["cells"]])
    status, score, reason = outcome(path)
    assert (status, score) == (
        "repaired",
        6,
    ) and "90.open had lost its mark and was known by its place" in reason


def test_a_file_cut_off_gives_what_is_in_it(hand_in, outcome):
    path = hand_in("ada")
    text = path.read_text()
    path.write_text(text[: text.index('"total = sum(seen)"') + 5])
    status, score, reason = outcome(path)
    assert (status, score) == ("partial", 5) and reason == (
        "the answer cells of 90.3 and 90.open are gone; its JSON was damaged; 12 cells could be "
        "read, with answers to 90.1 and 90.2; 1 locked cell was deleted and put back."
    )


@pytest.mark.parametrize("encoding", ["utf-16", "cp1251", "utf-8-sig"])
def test_any_encoding_is_read(hand_in, outcome, encoding):
    path = hand_in(
        "ada",
        {
            "90.open": "Потому что координатор"
            if encoding == "cp1251"
            else "Because, \u2713 indeed"
            if encoding != "cp1251"
            else ""
        },
    )
    notebook = json.loads(path.read_text())
    path.write_bytes(json.dumps(notebook, ensure_ascii=False).encode(encoding))
    assert outcome(path)[:2] == ("graded" if encoding == "utf-8-sig" else "repaired", 6)


def test_conflict_marks_keep_the_learners_side(hand_in, outcome):
    path = hand_in("ada")
    mine = '   "source": "total = sum(seen)",'
    assert mine in path.read_text()
    path.write_text(
        path.read_text().replace(
            mine, f'<<<<<<< HEAD\n{mine}\n=======\n   "source": "total = 0",\n>>>>>>> theirs'
        )
    )
    assert outcome(path)[:2] == ("repaired", 6)


@pytest.mark.parametrize(
    "raw, why",
    [
        (b"", "the file is empty."),
        (b"Sorry!", "it is not a notebook; hand in the .ipynb file itself."),
        (b'"cells"', "the file is JSON, but has no cells of a notebook."),
        (b'{"cells": 4}', "the file is JSON, but has no cells of a notebook."),
        (b'{"cells": []}', "there are no answer cells of any chapter in it."),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), "it is a picture, not the notebook"),
    ],
)
def test_what_is_no_notebook_is_named(demo, outcome, tmp_path, raw, why):
    path = tmp_path / "bo.ipynb"
    path.write_bytes(raw)
    status, score, reason = outcome(path)
    assert (status, score) == ("unreadable", 0) and reason.startswith(why)


def zipped(path, members: dict[str, bytes | str], link: str | None = None):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        if link:
            info = zipfile.ZipInfo(link)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
    return path


def test_a_zip_is_read_and_a_wicked_zip_is_refused(hand_in, outcome, tmp_path, monkeypatch):
    notebook = hand_in("ada").read_text()
    assert outcome(
        zipped(tmp_path / "bo.zip", {"work/ada.ipynb": notebook, "__MACOSX/ada.ipynb": "x"})
    )[:2] == ("graded", 6)
    assert outcome(zipped(tmp_path / "out.zip", {"../../ada.ipynb": notebook}))[0] == "refused"
    assert (
        outcome(zipped(tmp_path / "link.zip", {"ada.ipynb": notebook}, link="b.ipynb"))[0]
        == "refused"
    )
    assert outcome(zipped(tmp_path / "none.zip", {"photo.jpg": b"x"}))[0] == "unreadable"

    monkeypatch.setattr(archives, "MOST_BYTES", 1_000_000)
    assert outcome(zipped(tmp_path / "bomb.zip", {"ada.ipynb": b" " * 2_000_000}))[0] == "refused"
    (tmp_path / "half.zip").write_bytes((tmp_path / "bo.zip").read_bytes()[:80])
    assert outcome(tmp_path / "half.zip")[0] == "unreadable"


def test_links_are_not_followed(hand_in, outcome, tmp_path):
    real = hand_in("ada", folder=tmp_path / "elsewhere")
    (tmp_path / "link.ipynb").symlink_to(real)
    assert outcome(tmp_path / "link.ipynb")[0] == "refused"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.ipynb").symlink_to(real)
    assert outcome(tmp_path / "folder")[0] == "refused"


def test_the_chapter_is_told_by_the_answers_and_not_by_the_file(hand_in, sandbox, tmp_path):
    path = hand_in("03_something_else_final(2)")
    assert read(path)[0].chapter == "90"
    assert read(path, asked="02")[0].reason == "it answers chapter 90; chapter 02 was asked for."


def test_whose_it_is(hand_in, tmp_path):
    assert read(hand_in("x1", student="s123"))[0].student == "s123", "by the me() cell"
    packed = hand_in("x2", student="s123", metadata={"autograder": {"student": "s7"}})
    assert (read(packed)[0].student, read(packed)[0].variant) == ("s7", "s7"), "by what pack wrote"
    assert (read(hand_in("bo"))[0].student, read(hand_in("bo"))[0].variant) == ("bo", ""), (
        "by the file; nobody's numbers are set 0"
    )
    assert read(hand_in("n", folder=tmp_path / "dora"))[0].student == "n"
    assert read(tmp_path / "dora")[0].student == "dora", "by the folder"
    evil = hand_in("ok", metadata={"autograder": {"student": "../../etc"}})
    assert read(evil)[0].student == "ok"
    (tmp_path / "class.csv").write_text(
        "student,first_name,last_name,email\ns9,Ada,Abel,ada@x.org\n", encoding="utf-8-sig"
    )
    roster = read_roster(tmp_path / "class.csv")
    for stem in ("Ada Abel", "abel_ada", "ada@x.org", "s9", "s9_90_demo"):
        assert read(hand_in(stem), roster)[0].student == "s9"
    assert read(hand_in("Зоя"))[0].student == "Зоя"
    anybody = {
        read(hand_in("90_demo", {"90.3": f"total = {number}"}), Roster())[0].student
        for number in (1, 2)
    }
    assert len(anybody) == 2 and all(name.startswith("nobody-") for name in anybody), (
        "two unnamed students stay two"
    )


def test_of_several_notebooks_the_fullest_counts(hand_in, outcome, tmp_path, demo):
    hand_in("b", folder=tmp_path / "bo")
    (tmp_path / "bo" / "z.ipynb").write_text(master("90").path.read_text())
    assert outcome(tmp_path / "bo") == (
        "repaired",
        6,
        "there were 2 notebooks of this chapter; b.ipynb counts, for it has the most answers.",
    )


def test_of_several_notebooks_one_line_says_which_counts_and_why(hand_in, tmp_path, demo):
    """A blank one beside a solved one in autograded/, copies, and zip files."""
    box = tmp_path / "ada"
    blank, solved = master("90").path.read_text(), hand_in("solved").read_text()

    def said(**files) -> str:
        shutil.rmtree(box, ignore_errors=True)
        for name, text in files.items():
            folder, _, inner = name.rpartition("_")
            place = box / folder.replace("_", "/") / f"{inner}.ipynb"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        (found,) = read(box)
        assert found.status == "repaired" and found.answers
        return found.reason

    begin = "there were 2 notebooks of this chapter; "
    assert said(x=blank, autograded_x=solved) == (
        f"{begin}autograded/x.ipynb counts, for it has the most answers."
    )
    assert said(x=solved, old_z=solved + " ") == (
        f"{begin}x.ipynb counts, for no other has more answers, and those with as many lie deeper"
        " in folders."
    )
    assert said(x=solved, copy_z=solved) == (
        f"{begin}x.ipynb counts, for they are all the same bytes."
    )
    assert said(x=solved, z=solved + " ") == (
        f"{begin}z.ipynb counts, for the others have no more answers and their names come before"
        " it."
    )
    shutil.rmtree(box)
    box.mkdir()
    for name, text in (("a", solved), ("b", blank)):
        with zipfile.ZipFile(box / f"{name}.zip", "w") as archive:
            archive.writestr("x.ipynb", text)
    (found,) = read(box)
    assert found.reason == f"{begin}x.ipynb in a.zip counts, for it has the most answers."


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_a_whole_class_in_one_folder_or_archive_is_pointed_out(hand_in, tmp_path, packed):
    """Where somebody grades the folder above, or a download as it came: one notebook counts, and
    the others are not lost in silence."""
    for name in ("ada", "bo", "cy", "di"):
        hand_in("90_demo", student=name, folder=tmp_path / "box" / "all" / name)
    if packed:
        shutil.make_archive(str(tmp_path / "box" / "all"), "zip", tmp_path / "box" / "all")
        shutil.rmtree(tmp_path / "box" / "all")
    (result,) = grade_class(tmp_path / "box", tmp_path / "out", say=lambda text: None).values()
    assert "its notebooks name ada, bo, cy and 1 more, and only " in result[
        "reason"
    ] and needs_attention({"all": result}) == ["all"]


def test_a_link_that_points_at_itself_is_one_entry_among_others(tmp_path):
    (tmp_path / "loop.ipynb").symlink_to(tmp_path / "loop.ipynb")
    (tmp_path / "ada.ipynb").write_text("{}", encoding="utf-8")
    assert [path.name for path in entries(tmp_path, ignore=(tmp_path / "out",))] == [
        "ada.ipynb",
        "loop.ipynb",
    ]
    assert read(tmp_path / "loop.ipynb")[0].reason.endswith(".")
