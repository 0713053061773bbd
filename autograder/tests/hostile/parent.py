"""Hurt the parent, which reads notebooks and never runs them:
by what it must parse, compile or search."""

import gzip
import io
import json
import tarfile
import zipfile

from autograder.tests.hostile import family_of

attack = family_of("parent", tampers=False)


def many_cells(notebook: dict) -> None:
    """Twenty thousand cells that all bind a name of every other."""
    notebook["cells"] += [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "source": f"a{number} = a{number - 1}",
            "outputs": [],
            "execution_count": None,
        }
        for number in range(20_000)
    ]


def many_copies(notebook: dict) -> None:
    """Five thousand copies of one answer cell."""
    cell = next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-02-1"
    )
    notebook["cells"] += [{**cell, "source": f"still_open = {number}"} for number in range(5_000)]


def top_cell(source: str):
    """A code cell of the learner's before all others."""

    def change(notebook: dict) -> None:
        notebook["cells"].insert(
            0,
            {
                "cell_type": "code",
                "id": "mine",
                "metadata": {},
                "source": source,
                "outputs": [],
                "execution_count": None,
            },
        )

    return change


def marked(source: str, kind: str = "code"):
    """The answer cell of 02.1 becomes this text, in a cell of this kind."""

    def change(notebook: dict) -> None:
        for cell in notebook["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-02-1":
                cell.update(source=source, cell_type=kind)

    return change


def many_tops(source: str, count: int):
    """Many cells of the learner's, no two alike."""

    def change(notebook: dict) -> None:
        for number in range(count):
            top_cell(f"{source}# {number}")(notebook)

    return change


def handed(name: str, content):
    """A file of this name instead: content(the notebook as text) -> bytes."""

    def make(text: str, folder):
        path = folder / name
        path.write_bytes(content(text))
        return path

    return make


def zips_in_a_folder(text: str, folder):
    """Each zip unpacks to less than is allowed, and all together to half a gigabyte."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mallory.ipynb", text[:-1] + ', "x": "' + "a" * (60 << 20) + '"}')
    home = folder / "mallory"
    home.mkdir()
    for number in range(8):
        (home / f"{number}.zip").write_bytes(packed.getvalue())
    return home


def many_in_a_zip(text: str) -> bytes:
    """Hundreds of notebooks of one chapter, each with code of its own to read."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(300):
            notebook = json.loads(text)
            many_tops("!x\n" * 100 + f"# {number} ", 10)(notebook)
            archive.writestr(f"{number}.ipynb", json.dumps(notebook))
    return packed.getvalue()


def holes_in_a_tar(text: str) -> bytes:
    """Ten kilobytes that say they are eight gigabytes with holes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member, body = tarfile.TarInfo("mallory.ipynb"), b"1\n0\n0\n".ljust(512, b"\0")
        member.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": member.name,
            "GNU.sparse.realsize": str(8 << 30),
        }
        member.size = len(body)
        archive.addfile(member, io.BytesIO(body))
    return packed.getvalue()


CONFLICTS = "<<<<<<< a\n||||||| b\n=======\n"
ATTACKS = (
    attack(
        "a sum without end",
        "an expression too deep for the compiler",
        "still_open = " + "+".join(["1"] * 100_000),
    ),
    attack(
        "ors without end",
        "an expression whose compiling takes for ever",
        "still_open = " + " or ".join(["a"] * 300_000),
    ),
    attack(
        "brackets without end",
        "a million brackets",
        "still_open = " + "(" * 1_000_000 + ")" * 1_000_000,
    ),
    attack(
        "minuses without end", "a hundred thousand signs", "still_open = " + "-" * 100_000 + "1"
    ),
    attack(
        "empty lines without end",
        "a million lines for patterns that look back",
        change=top_cell("\n" * 1_000_000),
    ),
    attack(
        "spaces without end", "a line that is all spaces", change=top_cell("me(" + " " * 1_000_000)
    ),
    attack(
        "magic without end",
        "a hundred thousand lines that IPython must translate",
        "!x\n" * 100_000 + "still_open = 0",
    ),
    attack(
        "twenty thousand cells",
        "a notebook that takes long to lay against the master's",
        change=many_cells,
    ),
    attack("five thousand copies", "one answer cell, five thousand times", change=many_copies),
    attack(
        "a source that is no text",
        "numbers, lists and dicts where lines should be",
        change=lambda nb: [
            cell.update(source=thing)
            for cell, thing in zip(nb["cells"], [{"a": 1}, [[["x"]]], 7, None, [None, 3], "x"] * 20)
            if not cell["metadata"]
        ],
    ),
    attack(
        "metadata that is no metadata",
        "lists where dicts should be",
        change=lambda nb: [
            cell.update(metadata=thing)
            for cell, thing in zip(
                nb["cells"],
                [[], "x", 3, None, {"nbgrader": []}, {"nbgrader": {"grade_id": ["q-02-1"]}}] * 20,
            )
            if not cell["metadata"]
        ],
    ),
    attack(
        "a hundred conflicts",
        "git's marks within git's marks",
        change=top_cell("<<<<<<< a\n=======\n" * 20_000),
    ),
    attack(
        "a long open answer",
        "two megabytes of words for the rubric",
        change=lambda nb: [
            cell.update(source="the offset of the group is committed to the coordinator " * 40_000)
            for cell in nb["cells"]
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-02-open"
        ],
    ),
    attack(
        "conflicts without an end",
        "three thousand beginnings for a pattern that looks for three thousand ends",
        change=marked(CONFLICTS * 3_000),
    ),
    attack(
        "conflicts in a text cell",
        "the same in a cell whose length nobody counts",
        change=marked(CONFLICTS * 30_000, "markdown"),
    ),
    attack(
        "conflicts in the file",
        "the same outside of any cell",
        file=handed("mallory.ipynb", lambda text: ('{"cells": [\n' + CONFLICTS * 30_000).encode()),
    ),
    attack(
        "magic in small cells",
        "three hundred cells within their length, each with two thousand lines to translate",
        change=many_tops("!x\n" * 1_990, 300),
    ),
    attack(
        "questions of IPython",
        "the same with lines that ask for help",
        change=many_tops("a?\n" * 1_990, 50),
    ),
    attack(
        "a notebook often",
        "three hundred notebooks in a zip, and only one can count",
        file=handed("mallory.zip", many_in_a_zip),
    ),
    attack(
        "lists without end",
        "85 KB of gzip that are two gigabytes of lists",
        file=handed(
            "mallory.ipynb.gz",
            lambda text: gzip.compress(
                text.encode()[:-1] + b', "x": [' + b"{}," * 25_000_000 + b"{}]}", 1
            ),
        ),
    ),
    attack(
        "lists in Python's words",
        "2 KB of gzip that are gigabytes of Python's syntax",
        file=handed(
            "mallory.ipynb.gz",
            lambda text: gzip.compress(b"{'cells': [" + b"[]," * 900_000 + b"]}", 6),
        ),
    ),
    attack("zips in a folder", "each within its size", file=zips_in_a_folder),
    attack(
        "holes in a tar", "eight gigabytes of nothing", file=handed("mallory.tar", holes_in_a_tar)
    ),
    attack(
        "open boxes",
        "a web page with a hundred thousand boxes, none of which is closed",
        file=handed(
            "mallory.html", lambda text: b"<html>" + b"<div>" * 100_000 + b"<pre>" * 100_000
        ),
    ),
    attack(
        "cells in cells",
        "four hundred cells, one in the other, none of which has an end",
        file=handed(
            "mallory.ipynb",
            lambda text: ('{"cells": [' + '{"id":[' * 420 + "1," * 900_000).encode(),
        ),
    ),
    attack(
        "a cell that was cut off deep",
        "a list in a list in a list, and then the file ends",
        file=handed(
            "mallory.ipynb",
            lambda text: (
                '{"cells": [{"cell_type": "code", "source": ' + '["a",' * 200_000
            ).encode(),
        ),
    ),
)
