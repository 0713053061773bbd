"""Holds the page to choose by: each link leads to a section, and the run is in it."""

import re

import pytest

from autograder.cell.course_folder import notebooks

LINK = re.compile(r"\]\((release/[^)#]+)#([^)]+)\)(?:: `([^`]+)`)?")
PAGE = (notebooks() / "CHOOSE.md").read_text(encoding="utf-8")


def sections(source: str) -> dict[str, str]:
    """Anchor, as JupyterLab makes it of a heading -> the text of that section."""
    parts = re.split(r"^# ## (.+)$", source, flags=re.MULTILINE)
    return {head.strip().replace(" ", "-"): text for head, text in zip(parts[1::2], parts[2::2])}


@pytest.mark.parametrize("link", LINK.findall(PAGE), ids=lambda link: f"{link[1]} {link[2]}")
def test_each_link_leads_to_a_section_that_has_the_run(link):
    path, anchor, run = link
    notebook = notebooks() / path
    assert notebook.exists(), path
    source = (notebooks() / "source_py" / f"{notebook.stem}.py").read_text(encoding="utf-8")
    assert anchor in sections(source), f"{path} has no section {anchor}"
    assert run, "say which run shows it"
    assert run in sections(source)[anchor], f"the section {anchor} has no run {run}"


def test_each_row_has_a_link():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line]
    bare = [row for row in rows if not row.startswith("| Take") and not LINK.search(row)]
    assert bare == [] and len(rows) > 15
