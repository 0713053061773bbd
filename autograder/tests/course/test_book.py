"""The book shows what a learner opens, and keeps the answers to itself unless it is asked."""

import json
import re

import nbformat
import pytest

from autograder.cell.course_folder import notebooks
from autograder.course import book
from autograder.course.references import references, solved
from autograder.course.sources import Unbuildable, name_of
from kafkalab.play.site import WHEEL


def chapter(number="03"):
    """A chapter as if it had run with its answers, and the chapter learners open."""
    name = name_of(number)
    ran = nbformat.reads(json.dumps(solved(number)), as_version=4)
    for cell in ran.cells:
        if cell.cell_type == "code":
            said = f"printed by {cell.source[:20]}"
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=said)]
    blank = nbformat.read(notebooks() / "release" / name / f"{name}.ipynb", as_version=4)
    return ran, blank


def test_a_page_has_the_blank_exercises_and_no_answer():
    ran, blank = chapter()
    shown = book.page(ran, blank, answers=False)
    known = "\n".join(cell.source for cell in blank.cells)
    page = "\n".join(cell.source for cell in shown.cells)
    for id, answer in references("03").items():
        own = [line for line in map(str.strip, answer.splitlines()) if line not in known]
        assert own and not [line for line in own if line in page], f"the page gives {id} away"
    assert 'check("03.1")' in page
    assert "require(" not in page
    assert not any(
        cell.outputs for cell in shown.cells if cell.source.startswith(("check(", "labels"))
    )
    assert len({cell["id"] for cell in shown.cells}) == len(shown.cells)
    nbformat.validate(shown)


def test_with_answers_each_exercise_is_followed_by_its_own_folded():
    ran, blank = chapter()
    shown = book.page(ran, blank, answers=True)
    folded = [cell for cell in shown.cells if book.FOLDED in cell.metadata.get("tags", ())]
    spoken = [cell for cell in shown.cells if "<summary>Model answer</summary>" in cell.source]
    assert len(folded) + len(spoken) == len(references("03"))
    assert all(cell.outputs for cell in folded)
    nbformat.validate(shown)


def test_a_folder_that_is_no_book_is_left_alone(tmp_path):
    (tmp_path / "index.html").write_text("mine")
    pytest.importorskip("sphinx_book_theme", reason="make test-all installs the book's parts")
    with pytest.raises(Unbuildable, match="something else than a book"):
        book.build(tmp_path, ["00"])
    assert (tmp_path / "index.html").read_text() == "mine"


def test_a_chapter_has_one_heading_of_the_first_level_however_many_parts_it_has():
    """The list of chapters names each heading of the first level."""
    ran, blank = chapter("07")
    shown = book.page(ran, blank, answers=False)
    said = [cell.source for cell in shown.cells if cell.cell_type == "markdown"]
    headings = re.findall(r"^#+ .*", re.sub(r"(?s)```.*?```", "", "\n".join(said)), re.MULTILINE)
    assert [each for each in headings if each.startswith("# ")] == headings[:1]
    assert "## Part two: what it costs" in headings and "### 6. What moves?" in headings
    assert "## 1. Guess, run, look" in "\n".join(
        cell.source for cell in book.page(*chapter("03"), answers=False).cells
    )


def test_a_chapter_links_to_its_story_where_there_is_one():
    for number, links in (("03", 1), ("04", 0)):
        shown = book.page(*chapter(number), answers=False)
        before = len(shown.cells)
        book.add_play_link(shown, number)
        assert len(shown.cells) == before + links
        nbformat.validate(shown)
        found = [cell.source for cell in shown.cells if "play/index.html#story=" in cell.source]
        assert len(found) == links and all(f"#story={number}" in each for each in found)


def test_without_npm_the_book_is_made_and_says_what_it_lacks(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    said = []
    assert book._can_play(said.append) is False
    assert len(said) == 1 and "needs npm" in said[0]


@pytest.mark.slow
def test_the_built_site_asks_no_other_host_for_anything(tmp_path):
    pytest.importorskip("sphinx_book_theme", reason="make test-all installs the book's parts")
    first = book.build(tmp_path / "book", ["00"], say=lambda line: None)
    pages = list(first.parent.glob("*.html"))
    assert {"index.html", "00_start_here.html", "search.html"} <= {page.name for page in pages}
    for page in pages:
        html = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="https?://', html)
    chapter_00 = (first.parent / "00_start_here.html").read_text(encoding="utf-8")
    pictures = re.findall(r"<img [^>]*>", chapter_00)
    assert pictures and all(re.search(r'alt="[^"]{20,}"', each) for each in pictures)
    assert "In words" in chapter_00
    assert [path.name for path in tmp_path.iterdir()] == ["book"], "nothing is left beside it"
    if (first.parent / "play").is_dir():  # npm has brought Pyodide
        index = first.read_text(encoding="utf-8")
        assert 'href="play/index.html"' in index
        assert (first.parent / "play" / WHEEL).stat().st_size > 500_000
    # the same command builds it again over itself
    assert book.build(first.parent, ["00"], say=lambda line: None) == first
